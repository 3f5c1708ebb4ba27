/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 --amp-dump-after=lanes -c %s -o %t.o | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 --amp-report -c %s -o %t.o 2>&1 | FileCheck --check-prefix=REPORT %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 --amp-dump-after=lanes -c %s -o %t.o | FileCheck --check-prefix=NONE %s
 *
 * With AVX-512 on AMD's processors, branches that mostly gather and scatter run for one lane after another if only some
 * lanes take them; without AVX-512, those that do little but store bytes.
 *
 * NONE-NOT: {{^}}each{{.*}}:
 */
#include <amp.h>

struct cell {
    float a, b, c, d, e, f, g, h, i, j;
};

/* A turn of members, for each of four lanes.
 * CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK: {{^}}part{{.*}}:
 * CHECK: bitcast <4 x i1> %{{.*}} to i4
 * CHECK: {{^}}each{{.*}}:
 * CHECK: %[[LANE:.*]] = call i64 @llvm.cttz.i64(
 * CHECK: mul i64 %[[LANE]], 40
 * CHECK: load float
 * CHECK: store float
 * CHECK: br i1 %{{.*}}, label %each{{.*}}, label %done
 * CHECK: {{^}}whole{{.*}}:
 * CHECK-NOT: masked.scatter
 * CHECK: {{^}}each{{.*}}:
 * REPORT: kernel turn
 * REPORT: masks line [[#@LINE+5]] if lanes part: what is slow under a mask runs for one lane after another,
 */
amp_lanes(4) void turn(amp_index1 idx, int n, const struct cell x[n], struct cell y[n]) restrict(amp)
{
    int i = idx[0];
    if (x[i].a > 0) {
        y[i].a = x[i].j;
        y[i].b = x[i].i;
        y[i].c = x[i].h;
        y[i].d = x[i].g;
        y[i].e = x[i].f;
        y[i].f = x[i].e;
        y[i].g = x[i].d;
        y[i].h = x[i].c;
        y[i].i = x[i].b;
        y[i].j = x[i].a;
    }
}

/* A branch with a result for what follows runs under a mask.
 * CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK-NOT: {{^}}each{{.*}}:
 * CHECK-LABEL: define {{.*}}@amp__run_2_0(
 */
amp_lanes(4) void used(amp_index1 idx, int n, const struct cell x[n], float y[n]) restrict(amp)
{
    int i = idx[0];
    float sum = 1;
    if (x[i].a > 0)
        sum = x[i].a + x[i].b + x[i].c + x[i].d + x[i].e + x[i].f + x[i].g + x[i].h + x[i].i + x[i].j;
    y[i] = sum;
}

/* So does a branch that gathers little.
 * CHECK-NOT: {{^}}each{{.*}}:
 */
amp_lanes(4) void little(amp_index1 idx, int n, const struct cell x[n], struct cell y[n]) restrict(amp)
{
    if (x[idx[0]].a > 0)
        y[idx[0]].b = x[idx[0]].c;
}

/* AVX-512 stores bytes under a mask.
 * CHECK-LABEL: define {{.*}}@amp__run_3_0(
 * CHECK-NOT: {{^}}each{{.*}}:
 * NONE-LABEL: define {{.*}}@amp__run_3_0(
 * NONE: {{^}}part{{.*}}:
 * NONE: {{^}}each{{.*}}:
 * NONE: store i8 1
 * NONE: store i16
 * NONE: br i1 %{{.*}}, label %each{{.*}}, label %done
 * NONE: {{^}}whole{{.*}}:
 * NONE: {{store|masked.store}}{{.*}}<{{[0-9]+}} x i8>
 */
void mark(amp_index1 idx, int n, const int kind[n], unsigned char seen[n], short number[n]) restrict(amp)
{
    if (kind[idx[0]] > 2) {
        seen[idx[0]] = 1;
        number[idx[0]] = 2;
    }
}

/* A branch that computes more than it stores does so in lanes.
 * NONE-LABEL: define {{.*}}@amp__run_4_0(
 * NONE-NOT: {{^}}each{{.*}}:
 */
void brighten(amp_index1 idx, int n, const int kind[n], const float x[n], unsigned char level[n]) restrict(amp)
{
    int i = idx[0];
    if (kind[i] > 2)
        level[i] = (unsigned char)(x[i] * x[i] * 255 + 3 * x[i]);
}
