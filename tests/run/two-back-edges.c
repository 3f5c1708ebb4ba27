/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * A loop with two back edges, which the compiler turns into a loop within a loop. Lanes leave the inner one in
 * different iterations, though all of them reach its header again. */
#include "check.h"

static void continues(amp_index1 idx, int N, const int a[N], const int b[N], int out[N]) restrict(cpu, amp)
{
    int x = idx[0], count = 0, i = 0;
    while (i++ < 2) {
        int j = 0;
        while (j++ < 3) {
            if (j & 1) {
                count++;
                if (a[x] < -400)
                    return;
            } else if (b[x] > 3)
                continue;
        }
    }
    out[x] = count;
}

static void breaks(amp_index1 idx, int N, const int a[N], const int b[N], int out[N]) restrict(cpu, amp)
{
    int x = idx[0], count = 0, i = 0;
    while (i++ < 2) {
        int j = 0;
        while (j++ < 3) {
            if (j & 1) {
                count++;
                if (a[x] < -400)
                    break;
            } else if (b[x] > 3)
                continue;
        }
    }
    out[x] = count;
}

int main(void)
{
    CHECK_KERNEL(int, continues);
    CHECK_KERNEL(int, breaks);
    return 0;
}
