/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O1 %s -o %t && %run %t
 * RUN: %ampcc -O2 %s -o %t && %run-alone %t
 * RUN: %ampcc --amp-gpu=none -O1 --amp-lanes=8 %s -o %t && %run-cpu %t
 *
 * A loop that lanes leave at different times only at the border of the domain: the code for the border has more lanes
 * than the code for the inside, whose blocks it takes over. */
#include "check.h"

static int value(int x) restrict(cpu, amp)
{
    for (int k = 2; k < 7; k++)
        if (x > 1)
            return 18;
    return 1;
}

static void at_border(amp_index1 idx, int N, const int a[N], const int b[N], int out[N]) restrict(cpu, amp)
{
    if (N > 1)
        out[idx[0]] = a[N - 1 - idx[0]] + value(idx[0]);
    else
        out[idx[0]] = b[idx[0]];
}

int main(void)
{
    CHECK_KERNEL(int, at_border);
    return 0;
}
