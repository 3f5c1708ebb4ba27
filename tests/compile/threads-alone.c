/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 -c %s -o %t.o --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:     | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 -c %s -o %t.o --amp-report 2>&1 | FileCheck %s --check-prefix=REPORT
 *
 * Where a block at a border would read lane by lane, or part in a loop, the threads at the border run alone, between
 * blocks of fewer and fewer lanes. Where a mask is enough, there is one. */
#include <amp.h>

/* CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK: inner.column{{.*}}:
 * CHECK: load <32 x i8>
 * CHECK: narrower{{.*}}:
 * CHECK: load <32 x i8>
 * CHECK: narrower{{.*}}:
 * CHECK: load <16 x i8>
 * CHECK: narrower{{.*}}:
 * CHECK: load <8 x i8>
 * CHECK: narrower{{.*}}:
 * CHECK: load <4 x i8>
 * CHECK: narrower{{.*}}:
 * CHECK: load <2 x i8>
 * CHECK: load i8
 * REPORT: kernel around {{.*}} at borders one thread after another
 */
void around(amp_index1 idx, int n, const unsigned char a[n], unsigned char out[n]) restrict(amp)
{
    int i = idx[0];
    out[i] = a[i == 0 ? n - 1 : i - 1] ^ a[i == n - 1 ? 0 : i + 1];
}

/* CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK: narrower{{.*}}:
 * REPORT: kernel taps {{.*}} at borders one thread after another
 */
void taps(amp_index2 idx, int m, int n, const float w[7][7], const float a[m][n], float out[m][n]) restrict(amp)
{
    float sum = 0;
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++) {
            int y = idx[0] + i - 3, x = idx[1] + j - 3;
            if (y >= 0 && y < m && x >= 0 && x < n)
                sum += w[i][j] * a[y][x];
        }
    out[idx[0]][idx[1]] = sum;
}

/* CHECK-LABEL: define {{.*}}@amp__run_2_0(
 * CHECK-NOT: narrower
 * REPORT: kernel guarded {{.*}}away from the borders
 * REPORT-NOT: one thread after another
 */
void guarded(amp_index1 idx, int n, const float a[n], float out[n]) restrict(amp)
{
    int i = idx[0];
    if (i > 0 && i < n - 1)
        out[i] = a[i - 1] + a[i + 1];
}
