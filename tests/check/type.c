// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: T2, C3581
// Types that devices lack.
#include <amp.h>

typedef float float4 __attribute__((vector_size(16)));
struct wide {
    long double w;
};

static long double f(_Complex float c) restrict(amp) // expected-error: type 'long double' is not allowed in restrict(amp) code; long double does not exist on devices; use double expected-error: type '_Complex float' is not allowed in restrict(amp) code; _Complex does not exist on devices; use a struct of two numbers
{
    return 0;
}

void k(amp_index1 i, int N, double x[N]) restrict(amp)
{
    long double a = 0; // expected-error: type 'long double' is not allowed ...
    __int128 b = 0; // expected-error: type '__int128' is not allowed in restrict(amp) code; 128-bit integers do not exist on devices; use 64-bit ones
    _Complex double c = 0; // expected-error: type '_Complex double' is not allowed ...
    __fp16 d = 0; // expected-error: type '__fp16' is not allowed in restrict(amp) code; __fp16 is for storage alone; use _Float16
    float4 e = {0}; // expected-error: type 'float4' is not allowed in restrict(amp) code; vector types are not supported; write the code for one element, it is vectorised
    _Atomic int g = 0; // expected-error: type '_Atomic(int)' is not allowed in restrict(amp) code; _Atomic is not supported
    struct wide h = {0}; // expected-error: type 'struct wide' is not allowed in restrict(amp) code; long double does not exist on devices; use double
    _BitInt(24) j = 0; // expected-error: type '_BitInt(24)' is not allowed in restrict(amp) code; _BitInt is not supported; use an integer of 8, 16, 32 or 64 bits
    x[0] = 1 + 2.0L; // expected-error: type 'long double' is not allowed ...
    x[1] = (double)(a + b + d + e[0] + g + h.w + j);
}
