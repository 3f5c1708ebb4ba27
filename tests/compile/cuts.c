/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v2 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:     | FileCheck %s --check-prefixes=CHECK,V2
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:     | FileCheck %s --check-prefixes=CHECK,V3
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:     | FileCheck %s --check-prefixes=CHECK,V4
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v2 --amp-lanes=1 -c %s --amp-dump-after=lanes \
 * RUN:     --amp-stop-after=lanes | FileCheck %s --check-prefix=ONE --implicit-check-not=part.body
 *
 * Where guards turn threads away that then do nothing, a box is cut, if there are many guards for the length of a
 * vector; otherwise each block tests whether it lies at a border. One thread after another needs neither.
 *
 * ONE: define {{.*}}@amp__run_0_0(
 */
#include <amp.h>

/* CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * V2: {{^}}part.body
 * V3: {{^}}part.body
 * V4-NOT: {{^}}part.body
 * V4: {{^}}border
 */
void solid(amp_index3 idx, int n, const float from[n][n][n], float to[n][n][n]) restrict(amp)
{
    int i = idx[0], j = idx[1], k = idx[2];
    if (i > 0 && i < n - 1 && j > 0 && j < n - 1 && k > 0 && k < n - 1)
        to[i][j][k] = from[i - 1][j][k] + from[i + 1][j][k] + from[i][j - 1][k] + from[i][j + 1][k] +
                      from[i][j][k - 1] + from[i][j][k + 1];
}

/* CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * V2: {{^}}part.body
 * V3-NOT: {{^}}part.body
 * V3: {{^}}border
 * V4-NOT: {{^}}part.body
 * V4: {{^}}border
 */
void plane(amp_index2 idx, int n, const float from[n][n], float to[n][n]) restrict(amp)
{
    int i = idx[0], j = idx[1];
    if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
        to[i][j] = from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1];
}

/* All threads write.
 * CHECK-LABEL: define {{.*}}@amp__run_2_0(
 * CHECK-NOT: {{^}}part.body
 * CHECK: {{^}}border
 */
void zeroes(amp_index2 idx, int n, const float from[n][n], float to[n][n]) restrict(amp)
{
    int i = idx[0], j = idx[1];
    float up = i > 0 ? from[i - 1][j] : 0, down = i < n - 1 ? from[i + 1][j] : 0;
    float left = j > 0 ? from[i][j - 1] : 0, right = j < n - 1 ? from[i][j + 1] : 0;
    to[i][j] = up + down + left + right;
}
