/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-report -c %s -o %t.o 2>&1 | FileCheck %s
 * RUN: %ampcc -O2 -ffast-math --amp-gpu=none --amp-report -c %s -o %t.o 2>&1 | FileCheck --check-prefix=FAST %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:     | FileCheck --check-prefix=V4 %s
 *
 * Where each lane adds up what it reads along a row of its own and the order does not matter, vectors hold successive
 * iterations of one lane, and four lanes go along their rows together. Nothing is transposed but the sums. The last
 * vector is loaded under a mask, but for the last iteration, which gathers. */
#include <amp.h>
#include <math.h>

/* CHECK: kernel dot {{.*}}for x86-64-v4
 * CHECK-NEXT: {{.*}}read a {{.*}}stretches of 16, of one lane after another
 * CHECK-NEXT: {{.*}}read x {{.*}}uniform: stretches of 16, for all lanes
 * V4-LABEL: define {{.*}}@amp__run_0_0(
 * V4: {{^}}rest:
 * V4: call <16 x i32> @llvm.masked.gather
 * V4: {{^}}along:
 * V4-COUNT-4: mul <16 x i32>
 * V4: br i1 {{.*}}, label %along, label %along.end
 * V4: {{^}}along.end:
 * V4-COUNT-8: call <16 x i32> @llvm.masked.load
 * V4: shufflevector <16 x i32>
 */
void dot(amp_index1 idx, int n, int width, const int a[n][width], const int x[width], int y[n]) restrict(amp)
{
    int sum = 0;
    for (int k = 0; k < width; k++)
        sum += a[idx[0]][k] * x[k];
    y[idx[0]] = sum;
}

/* Floating-point numbers are added in the order of the source, unless -ffast-math allows another one.
 * CHECK: kernel strict {{.*}}for x86-64-v4
 * CHECK-NEXT: {{.*}}read a {{.*}}stretches of 16 for each lane, transposed
 * FAST: kernel strict {{.*}}for x86-64-v4
 * FAST-NEXT: {{.*}}read a {{.*}}stretches of 16, of one lane after another
 */
void strict(amp_index1 idx, int n, int width, const float a[n][width], const float x[width], float y[n]) restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < width; k++)
        sum += a[idx[0]][k] * x[k];
    y[idx[0]] = sum;
}

/* A sum that the loop looks at has its value in each iteration.
 * CHECK: kernel seen {{.*}}for x86-64-v4
 * CHECK-NEXT: {{.*}}read a {{.*}}stretches of 16 for each lane, transposed
 */
void seen(amp_index1 idx, int n, int width, const int a[n][width], int y[n]) restrict(amp)
{
    int sum = 0, larger = 0;
    for (int k = 0; k < width; k++) {
        larger += a[idx[0]][k] > sum;
        sum += a[idx[0]][k];
    }
    y[idx[0]] = larger;
}

/* Which of two zeros is the least depends on the order.
 * CHECK: kernel least {{.*}}for x86-64-v4
 * CHECK-NEXT: {{.*}}read a {{.*}}stretches of 16 for each lane, transposed
 * FAST: kernel least {{.*}}for x86-64-v4
 * FAST-NEXT: {{.*}}read a {{.*}}stretches of 16, of one lane after another
 */
void least(amp_index1 idx, int n, int width, const float a[n][width], float y[n]) restrict(amp)
{
    float found = 0;
    for (int k = 0; k < width; k++)
        found = fminf(found, a[idx[0]][k]);
    y[idx[0]] = found;
}

/* A comparison with what grows from thread to thread needs the value itself, which lanes compare as a distance.
 * CHECK: kernel compared {{.*}}for x86-64-v4
 * CHECK-NEXT: {{.*}}read a {{.*}}stretches of 16, of one lane after another
 */
void compared(amp_index1 idx, int width, int size, const int a[size], const int b[1024], int n, int y[n]) restrict(amp)
{
    int sum = 0;
    long long limit = idx[0] + 5ll;
    for (int k = 0; k < width; k++) {
        int value = a[idx[0] * width + k];
        sum += b[k] < limit ? value : 1;
    }
    y[idx[0]] = sum;
}

/* Lanes that leave the loop at different times go on together as far as all do, if their rows' ends are computed from
 * their indices. In a loop that writes they do not.
 * CHECK: kernel triangle {{.*}}for x86-64-v4: 16 lanes
 * CHECK-NEXT: {{.*}}read a {{.*}}stretches of 16, of one lane after another, under a mask
 * V4: call i64 @llvm.vector.reduce.umin.v16i64
 */
void triangle(amp_index1 idx, int n, const int a[n][n], int y[n]) restrict(amp)
{
    int sum = 0;
    for (int k = 0; k <= idx[0]; k++)
        sum += a[idx[0]][k];
    y[idx[0]] = sum;
}

/* CHECK: kernel from_memory {{.*}}for x86-64-v4
 * CHECK-NOT: stretches
 * CHECK: kernel writes {{.*}}for x86-64-v4
 * CHECK-NOT: stretches
 */
void from_memory(amp_index1 idx, int n, int size, const int row[n + 1], const int a[size], int y[n]) restrict(amp)
{
    int sum = 0;
    for (int k = row[idx[0]]; k < row[idx[0] + 1]; k++)
        sum += a[k];
    y[idx[0]] = sum;
}

void writes(amp_index1 idx, int n, const int a[n][n], int b[n][n]) restrict(amp)
{
    for (int k = 0; k <= idx[0]; k++)
        b[idx[0]][k] = a[idx[0]][k] + 1;
}
