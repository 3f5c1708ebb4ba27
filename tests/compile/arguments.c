/* SPDX-License-Identifier: MIT
 *
 * Arguments are loaded before the loop over blocks, even those that only some threads need.
 *
 * REQUIRES: x86_64
 * RUN: %ampcc --amp-gpu=none --amp-cpu=x86-64-v3 -O2 -c %s -o %t.o --amp-dump-after=optimise \
 * RUN:     --amp-stop-after=optimise 2>&1 | FileCheck %s
 */
#include <amp.h>

/* CHECK: define{{.*}} @amp__run_0_0(
 * CHECK-NOT: phi
 * CHECK: load ptr
 * CHECK-NOT: phi
 * CHECK: load ptr
 * CHECK: phi
 * CHECK-NOT: load ptr
 * CHECK: ret void
 */
void change(amp_index2 idx, int n, int step, const float h[n][n], float y[n][n]) restrict(amp)
{
    int i = idx[0], j = idx[1];
    if (i == 0)
        y[i][j] = (float)step;
    else
        y[i][j] -= h[i][j] - h[i - 1][j];
}
