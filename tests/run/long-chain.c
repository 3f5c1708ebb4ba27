/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * A long chain of arithmetic on the index before a comparison must compile fast.
 */
#include "check.h"
static void k(amp_index1 idx, int N, int out[N]) restrict(cpu, amp)
{
    unsigned t = idx[0];
    for (int k = 0; k < 24; k++)
        t = (t ^ (t << 7)) + (t << 3);
    out[idx[0]] = t > 5 ? 1 : 2;
}
static void compares(amp_index1 idx, int N, const int a[N], const int b[N], int out[N]) restrict(cpu, amp)
{
    unsigned t = idx[0] + (a[idx[0]] & 1) + (b[idx[0]] & 1);
    for (int k = 0; k < 24; k++)
        t = (t ^ (t << 7)) + (t << 3);
    out[idx[0]] = t > 5 ? 1 : 2;
}

int main(void)
{
    CHECK_KERNEL(int, compares);
    return 0;
}
