// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// CUDA's arithmetic. <math.h> makes clang guess at sqrtf for rsqrtf, with notes; these do not come.
#include <amp.h>
#include <math.h>

void k(amp_index1 i, int N, float x[N], unsigned n[N]) restrict(amp)
{
    x[0] = rsqrtf(x[0]); // expected-error: call to undeclared function 'rsqrtf'; ... expected-note: <amp_math.h> has it with the prefix amp_, such as amp_rsqrtf
    x[0] = __fdividef(x[0], x[1]); // expected-error: call to undeclared function '__fdividef'; ... expected-note: write '/'
    x[0] = __fmul_rn(x[0], x[1]); // expected-error: call to undeclared function '__fmul_rn'; ... expected-note: write '+', '-' or '*'; results are rounded to nearest
    n[0] = __float2int_rn(x[0]); // expected-error: call to undeclared function '__float2int_rn'; ... expected-note: write a cast of the rounded value: '(int)rintf(x)'
    n[0] = __float2uint_rz(x[0]); // expected-error: call to undeclared function '__float2uint_rz'; ... expected-note: write a cast: '(int)x'
    x[0] = __int2float_rn(n[0]); // expected-error: call to undeclared function '__int2float_rn'; ... expected-note: write a cast: '(float)i'
    n[0] = __float_as_int(x[0]); // expected-error: call to undeclared function '__float_as_int'; ... expected-note: copy the bits with memcpy, or through a union
    n[0] = __popc(n[1]); // expected-error: call to undeclared function '__popc'; ... expected-note: write __builtin_popcount(x), __builtin_popcountll(x)
    n[0] = __clz(n[1]); // expected-error: call to undeclared function '__clz'; ... expected-note: write __builtin_clz(x), __builtin_clzll(x), which are undefined for 0: 'x ? __builtin_clz(x) : 32'
    n[0] = __ffs(n[1]); // expected-error: call to undeclared function '__ffs'; ... expected-note: write __builtin_ffs(x), __builtin_ffsll(x)
    n[0] = __brev(n[1]); // expected-error: call to undeclared function '__brev'; ... expected-note: write __builtin_bitreverse32(x)
    n[0] = min(n[1], 2); // expected-error: call to undeclared function 'min'; ... expected-note: write 'a < b ? a : b', or fminf(a, b) of <math.h>
    n[0] = max(n[1], 2); // expected-error: call to undeclared function 'max'; ... expected-note: write 'a > b ? a : b', or fmaxf(a, b) of <math.h>
    x[0] = __ldg(&x[1]); // expected-error: call to undeclared function '__ldg'; ... expected-note: read the element: 'x[i]'
    n[0] = clock64() - clock(); // expected-error: call to undeclared function 'clock64'; ... expected-note: a kernel cannot read a clock; run the program with AMP_PROFILE=1 to see how long its kernels take expected-error: call to undeclared function 'clock'; ...
    __trap(); // expected-error: call to undeclared function '__trap'; ... expected-note: write amp_abort("why")
    printf("%d", 1); // expected-error: call to undeclared library function 'printf' ... expected-note: kernels print with amp_printf
}

int host(int a)
{
    return max(a, 1); // expected-error: call to undeclared function 'max'; ...
}
