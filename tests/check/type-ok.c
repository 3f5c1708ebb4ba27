// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: T2, T9
// Types that devices lack.
#include <amp.h>

struct s {
    _Bool b;
    char c;
    unsigned short h;
    long l;
    float f;
    _Float16 half;
    __bf16 bfloat;
    unsigned bits : 3;
};

void k(amp_index1 i, int N, double x[N], struct s s[N], _Bool b, int8_t c, uint64_t u, long long l,
       _Float16 half, __bf16 bfloat[3]) restrict(amp)
{
    x[i[0]] = s[0].b + s[0].bits + b + c + (double)u + (double)l + (double)sizeof(long double) +
              s[0].half + s[0].bfloat + half + bfloat[1];
}
