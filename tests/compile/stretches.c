/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-report -c %s -o %t.o 2>&1 | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:     | FileCheck --check-prefix=V4 %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:     | FileCheck --check-prefix=V3 %s
 *
 * Where each lane goes along a row of its own, several elements of it are loaded at once, as far as the loop certainly
 * goes on, and transposed. With AVX-512 a mask ends where the loop does; otherwise the last elements are gathered. At
 * most 16 rows are read side by side, and without AVX-512 eight. If they are more than eight, one lane after another
 * asks the cache for lines that it needs later. Where a stretch has as many elements as there are lanes, or a multiple
 * of that, the loop is unrolled as often, and that loads without a mask. */
#include <amp.h>

/* CHECK: kernel rows {{.*}}for x86-64-v2: 4 lanes, blocks of 1 row x 2 vectors
 * CHECK-NEXT: {{.*}}read a {{.*}}stretches of 16 for each lane, transposed
 * CHECK: kernel rows {{.*}}for x86-64-v3: 8 lanes{{$}}
 * CHECK-NEXT: {{.*}}read a {{.*}}stretches of 16 for each lane, transposed
 * CHECK: kernel rows {{.*}}for x86-64-v4: 16 lanes{{$}}
 * CHECK-NEXT: {{.*}}read a {{.*}}stretches of 16 for each lane, transposed
 * V4-LABEL: define {{.*}}@amp__run_0_0(
 * V4-NOT: gather
 * V4: {{^}}rest:
 * V4-COUNT-16: call <16 x i32> @llvm.masked.load.v16i32
 * V4: {{^}}unrolled:
 * V4-COUNT-16: load <16 x i32>, ptr {{.*}}, align 4
 * V4-COUNT-16: call <16 x float> @llvm.fmuladd
 * V4-COUNT-16: call void @llvm.prefetch
 * V4-NOT: gather
 * V4-LABEL: define {{.*}}@amp__run_1_0(
 * V3-LABEL: define {{.*}}@amp__run_0_0(
 * V3-NOT: call void @llvm.prefetch
 * V3: call <8 x float> @llvm.masked.gather.v8f32
 * V3: {{^}}unrolled:
 * V3-COUNT-8: load <8 x i32>, ptr {{.*}}, align 4
 * V3-COUNT-8: call <8 x float> @llvm.fmuladd
 * V3-COUNT-8: load <8 x i32>, ptr {{.*}}, align 4
 * V3-COUNT-8: call <8 x float> @llvm.fmuladd
 * V3-NOT: call void @llvm.prefetch
 * V3-LABEL: define {{.*}}@amp__run_1_0(
 */
void rows(amp_index1 idx, int n, int width, const float a[n][width], const float x[width], float y[n]) restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < width; k++)
        sum += a[idx[0]][k] * x[k];
    y[idx[0]] = sum;
}

/* What the loop writes may be what it reads next.
 * CHECK: kernel writes {{.*}}for x86-64-v4
 * CHECK-NEXT: {{.*}}read a {{.*}}gather
 */
amp_lanes(16) void writes(amp_index1 idx, int n, int width, const float a[n][width], float y[n][width]) restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < width; k++)
        y[idx[0]][k] = sum += a[idx[0]][k];
}

/* So may be what others write, before a barrier.
 * CHECK: kernel meets {{.*}}for x86-64-v4
 * CHECK-NEXT: {{.*}}read a {{.*}}gather
 */
void meets(amp_tiled_index1(16) t, int n, int width, const float a[n][width], float y[n]) restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < width; k++) {
        sum += a[t.global[0]][k];
        amp_tile_barrier_wait(t.barrier);
    }
    y[t.global[0]] = sum;
}

/* Nobody knows how far it goes.
 * CHECK: kernel ends {{.*}}for x86-64-v4
 * CHECK-NEXT: {{.*}}read x {{.*}}uniform
 * CHECK-NEXT: {{.*}}read a {{.*}}gather
 */
void ends(amp_index1 idx, int n, int width, const float a[n][width], const float x[width], float y[n]) restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < width && x[k] >= 0; k++)
        sum += a[idx[0]][k];
    y[idx[0]] = sum;
}

/* It does not go far enough.
 * CHECK: kernel is_short {{.*}}for x86-64-v4
 * CHECK-NOT: transposed
 * CHECK: kernel by_threads {{.*}}for x86-64-v4
 */
void is_short(amp_index1 idx, int n, const float a[n][40], const float x[12], float y[n]) restrict(amp)
{
    float sum = 0;
#pragma clang loop unroll(disable)
    for (int k = 0; k < 12; k++)
        sum += a[idx[0]][k] * x[k];
    y[idx[0]] = sum;
}

/* The threads go different ways.
 * CHECK-NOT: transposed
 */
amp_lanes(16) void by_threads(amp_index1 idx, int n, int width, const int at[n], const float a[n][width], float y[n])
    restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < at[idx[0]]; k++)
        sum += a[idx[0]][k];
    y[idx[0]] = sum;
}
