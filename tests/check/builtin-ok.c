// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// Builtins that are functions of their arguments are allowed, and copies of constant size.
#include <amp.h>
#include <string.h>

struct s {
    int a[4];
};

void k(amp_index1 i, int N, unsigned x[N], float f[N], struct s s[N]) restrict(amp)
{
    if (__builtin_expect(N > 3, 1))
        x[i[0]] = (unsigned)__builtin_clz(x[0]) + (unsigned)__builtin_popcount(x[1]) + __builtin_bswap32(x[2]);
    f[i[0]] = __builtin_fmaf(f[0], 2, 1) + __builtin_sqrtf(f[1]) + __builtin_inff() + __builtin_nanf("");
    s[0] = s[1];
    memcpy(&x[0], &f[0], sizeof x[0]);
    memset(&s[2], 0, sizeof s[2]);
}
