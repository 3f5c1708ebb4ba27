/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc -O0 %s -o %t && %run-alone %t
 * RUN: %ampcc -O0 -g %s -o %t && %run-alone %t
 * RUN: %ampcc -O0 --amp-lanes=1 %s -o %t && %run-alone %t
 *
 * Helpers that return structs by value. Without optimisation, an unused insertvalue that makes a struct one register
 * may remain. */
#include "check.h"

struct pair {
    int64_t a;
    unsigned b, c;
};

static struct pair make(int x) restrict(cpu, amp)
{
    return (struct pair){1, x < 3 ? (unsigned)x : 7u, 1};
}

static void one_member(amp_index1 idx, int N, const int a[N], const int b[N], int out[N]) restrict(cpu, amp)
{
    for (int i = idx[0] & 3; i > 0; i--)
        out[idx[0]] += make(a[idx[0]]).b;
    out[idx[0]] -= b[idx[0]];
}

int main(void)
{
    CHECK_KERNEL(int, one_member);
    return 0;
}
