/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Arrays walked backwards, also under masks, and conditions on the index, one after another. */
#include "check.h"

static void backwards(amp_index1 idx, int N, const int a[N], const int b[N], int out[N]) restrict(cpu, amp)
{
    int i = idx[0], r = N - 1 - i;
    out[r] = a[r] - a[i] / 3;
    if (b[i] & 1)
        out[r] = out[r] ^ b[r];
    if (i > 0 && i < N - 1)
        out[r] = out[r] ^ a[r + 1] ^ b[r - 1];
}

static void complement(amp_index1 idx, int N, const double a[N], const double b[N], double out[N]) restrict(cpu, amp)
{
    int i = idx[0];
    if (a[i] > b[i])
        out[~i + N] = b[~i + N];
    else
        out[N + ~i] = a[i];
}

int main(void)
{
    CHECK_KERNEL(int, backwards);
    CHECK_KERNEL(double, complement);
    return 0;
}
