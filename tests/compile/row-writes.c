/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 --amp-report -c %s -o %t.o 2>&1 | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:     | FileCheck --check-prefix=V3 %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:     | FileCheck --check-prefix=V4 %s
 *
 * Where each lane writes along a row of its own, vectors hold its elements of successive iterations, and the lanes take
 * turns, if a test finds that this keeps the order of accesses to each element. What is left of a row is written one
 * element after another; with AVX-512 that is one, since vectors have masks. */
#include <amp.h>
#include <math.h>

/* CHECK: kernel scales
 * CHECK-NEXT: {{.*}}read a {{.*}}stretches of 8, of one lane after another
 * CHECK-NEXT: {{.*}}read x {{.*}}contiguous
 * CHECK-NEXT: {{.*}}write y {{.*}}stretches of 8, of one lane after another
 * V3-LABEL: define {{.*}}@amp__run_0_0(
 * V3: {{^}}vectors:
 * V3-COUNT-4: icmp ule <8 x i64>
 * V3: br i1 %{{.*}}, label %in_order, label %rest
 * V3: {{^}}along:
 * V3: load <8 x float>, ptr {{.*}}, align 4
 * V3: store <8 x float> {{.*}}, align 4
 * V3: br i1 %{{.*}}, label %along,
 * V4-LABEL: define {{.*}}@amp__run_0_0(
 * V4: br i1 %{{.*}}, label %in_order, label %rest
 * V4: store <16 x float> {{.*}}, align 4
 * V4: call void @llvm.masked.store.v16f32
 */
void scales(amp_index1 idx, int n, int w, const float a[n][w], const float x[n], float y[n][w]) restrict(amp)
{
    for (int k = 0; k < w; k++)
        y[idx[0]][k] = a[idx[0]][k] * x[idx[0]];
}

/* Functions of the math library have vectors of a lane's elements, too.
 * CHECK: kernel grows
 * CHECK-NEXT: {{.*}}read a {{.*}}stretches of 8, of one lane after another
 * CHECK-NEXT: {{.*}}write y {{.*}}stretches of 8, of one lane after another
 */
void grows(amp_index1 idx, int n, int w, const float a[n][w], float y[n][w]) restrict(amp)
{
    for (int k = 0; k < w; k++)
        y[idx[0]][k] = expf(a[idx[0]][k]);
}

/* A vector has as many elements as the widest type allows.
 * CHECK: kernel widens
 * CHECK-NEXT: {{.*}}read a {{.*}}stretches of 4, of one lane after another
 * CHECK-NEXT: {{.*}}write y {{.*}}stretches of 4, of one lane after another
 */
void widens(amp_index1 idx, int n, int w, const float a[n][w], double y[n][w]) restrict(amp)
{
    for (int k = 0; k < w; k++)
        y[idx[0]][k] = a[idx[0]][k];
}

/* Each element needs the one before.
 * CHECK: kernel scans
 * CHECK: {{.*}}write y {{.*}}scatter
 */
void scans(amp_index1 idx, int n, int w, const float a[n][w], float y[n][w]) restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < w; k++)
        y[idx[0]][k] = sum += a[idx[0]][k];
}

/* Some elements are left as they are.
 * CHECK: kernel chooses
 * CHECK: {{.*}}write y {{.*}}scatter
 */
void chooses(amp_index1 idx, int n, int w, const float a[n][w], float y[n][w]) restrict(amp)
{
    for (int k = 0; k < w; k++)
        if (a[idx[0]][k] > 0)
            y[idx[0]][k] = a[idx[0]][k];
}

/* Rows are shorter than it takes to begin.
 * CHECK: kernel shorts
 * CHECK: {{.*}}write y
 * CHECK-NOT: one lane after another
 */
void shorts(amp_index1 idx, int n, const float a[n][12], float y[n][12]) restrict(amp)
{
#pragma clang loop unroll(disable)
    for (int k = 0; k < 12; k++)
        y[idx[0]][k] = a[idx[0]][k] * 2;
}
