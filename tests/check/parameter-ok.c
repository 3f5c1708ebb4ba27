// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -w -fsyntax-only %s
// row: T9, T10, T11, D2, launch.captures
// What a kernel can be passed.
#include <amp.h>

struct point {
    float x, y;
};
typedef struct {
    int a[4];
    union {
        int i;
        float f;
    } u;
} anonymous;
enum colour { RED, GREEN };
typedef double line[16];

void k(amp_index1 i, int N, struct point p, anonymous q, enum colour c, bool b, unsigned char u, double d,
       const struct point ps[N], enum colour cs[N], line lines[N], const int table[4], int r8[N][1][1][1][1][1][1][1])
    restrict(amp)
{
}
