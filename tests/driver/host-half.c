/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %t
 * RUN: %ampcc -O0 %s -o %t && %t
 * RUN: %clang -O2 -march=x86-64-v3 -c %s -o %t.o && %ampcc %t.o -o %t && %t
 * REQUIRES: x86_64, llvm22
 *
 * LLVM 19 cannot convert long double to __bf16.
 *
 * Host code with small floating-point types, in a file without kernels: what clang calls for them is there at link
 * time, and rounds once. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

#define CHECK(got, want)                                                                                               \
    if ((float)(got) != (float)(want)) {                                                                               \
        printf("line %d: %a, expected %a\n", __LINE__, (double)(got), (double)(want));                                 \
        exit(1);                                                                                                       \
    }

__attribute__((noinline)) static void round_all(const float *f, const double *d, const long double *l, __bf16 *b,
                                                _Float16 *h)
{
    for (int i = 0; i < N; i++)
        b[i] = (__bf16)f[i], b[i + N] = (__bf16)d[i], b[i + 2 * N] = (__bf16)l[i];
    for (int i = 0; i < N; i++)
        h[i] = (_Float16)f[i], h[i + N] = (_Float16)d[i], h[i + 2 * N] = (_Float16)l[i];
}

int main(void)
{
    static float f[N];
    static double d[N];
    static long double l[N];
    static __bf16 b[3 * N];
    static _Float16 h[3 * N];
    for (int i = 0; i < N; i++) {
        /* Below, half-way and above between two numbers of type __bf16, 1 + i / 128 and the next: by 2^-20, -40,
         * -60. */
        double middle = 1 + i % 127 / 128.0 + 1 / 256.0;
        int side = i % 3 - 1;
        f[i] = (float)(middle + side * 0x1p-20);
        d[i] = middle + side * 0x1p-40;
        l[i] = middle + side * 0x1p-60L;
    }
    round_all(f, d, l, b, h);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++) {
            int below = i % 127, side = i % 3 - 1, up = side > 0 || (side == 0 && below % 2 == 1);
            CHECK(b[i + k * N], 1 + (below + up) / 128.0f)
            CHECK(h[i + k * N], 1 + below / 128.0f + 1 / 256.0f)
        }
    return 0;
}
