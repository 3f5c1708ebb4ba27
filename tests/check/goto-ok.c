// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: S10
// goto goes forward, and not into a loop.
#include <amp.h>

#define LEAVE_IF(condition, label) if (condition) goto label

void k(amp_index1 i, int N, int x[N]) restrict(amp)
{
    for (int j = 0; j < N; j++) {
        switch (x[j]) {
        case 0:
            continue;
        case 1:
            break;
        case 2:
            goto out;
        default:
            return;
        }
        do
            x[j]--;
        while (x[j] > 3);
        if (x[j] == 2)
            break;
        while (x[j]) {
            LEAVE_IF(x[j]++ > 3, next);
            LEAVE_IF(x[j] < -100, out);
        }
        if (x[j + 1])
            goto branch;
        if (x[j]) {
            x[j] = 3;
        branch:
            x[j] += 2;
        }
    next:;
    }
out:
    x[0] = 1;
}

void barrier(amp_tiled_index1(8) t, int N, int n, int x[N]) restrict(amp)
{
    if (n)
        goto out;
    amp_tile_barrier_wait(t.barrier);
out:
    x[t.global[0]] = 0;
}
