// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// A bound is arithmetic on earlier integer parameters and constants.
#include <amp.h>

enum { SIZE = 8 };
#define HALF(n) ((n) / 2)

void k(amp_index1 i, int M, long N, unsigned short W, const float a[M][N], float b[M / 2][N + 2][(W * 3 - 1)],
       float c[SIZE * 2], float d[HALF(N)], float e[-M + 2 * W], float f[M % 4][sizeof(int)],
       float g[(size_t)M * (size_t)N], float h[static 4]) restrict(amp)
{
}
