/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 *
 * Which atomic operations wait for the end of the box, and how many instructions are left for all threads.
 * RUN: %ampcc --amp-gpu=none --amp-cpu=x86-64-v3 -O2 -c %s -o %t.o --amp-report 2>&1 | FileCheck %s
 * RUN: objdump -d %t.o --disassemble=dot.x86-64-v3 | FileCheck %s --check-prefix=DOT
 * RUN: %ampcc --amp-gpu=none --amp-cpu=x86-64-v3 -O2 -fno-strict-aliasing -c %s -o %t.o --amp-report 2>&1 \
 * RUN:     | FileCheck %s --check-prefix=ANY
 */
#include <amp.h>

/* There is no atomic operation in the loop, and one at the end.
 * CHECK: kernel dot {{.*}}for
 * CHECK: update sum {{.*}}atomic, summed in registers: once for many threads
 * DOT: {{vaddps.*ymm}}
 * DOT: lock cmpxchg
 * DOT-NOT: lock
 */
void dot(amp_index1 i, int n, const float x[n], const float y[n], float sum[1]) restrict(amp)
{
    amp_atomic_fetch_add(&sum[0], x[i[0]] * y[i[0]]);
}

/* An array of another type is written after the operation, unless the user says that types tell nothing.
 * CHECK: kernel before_store {{.*}}for
 * CHECK: update count {{.*}}atomic, summed in registers: once for many threads
 * ANY: kernel before_store {{.*}}for
 * ANY: update count {{.*}}atomic, combined: once for all lanes
 */
void before_store(amp_index1 i, int n, const float x[n], float y[n], int count[1]) restrict(amp)
{
    if (x[i[0]] > 1)
        amp_atomic_fetch_inc(&count[0]);
    y[i[0]] = x[i[0]];
}

/* y may be count.
 * CHECK: kernel same_type {{.*}}for
 * CHECK: update count {{.*}}atomic, combined: once for all lanes
 */
void same_type(amp_index1 i, int n, const float x[n], int y[n], int count[1]) restrict(amp)
{
    if (x[i[0]] > 1)
        amp_atomic_fetch_inc(&count[0]);
    y[i[0]] = 1;
}

/* So may a member of a union.
 * CHECK: kernel of_union {{.*}}for
 * CHECK: update count {{.*}}atomic, combined: once for all lanes
 */
union either {
    int i;
    float f;
};
void of_union(amp_index1 i, int n, const float x[n], union either y[n], int count[1]) restrict(amp)
{
    if (x[i[0]] > 1)
        amp_atomic_fetch_inc(&count[0]);
    y[i[0]].f = 1;
}

/* A result that is used.
 * CHECK: kernel slots {{.*}}for
 * CHECK: update count {{.*}}atomic, lane by lane
 */
void slots(amp_index1 i, int n, const float x[n], float y[n], int count[1], int slot[n]) restrict(amp)
{
    y[i[0]] = x[i[0]] + 1;
    slot[i[0]] = amp_atomic_fetch_inc(&count[0]);
}

/* The element is known only from data, but the same for all lanes; and an element for each row.
 * CHECK: kernel of_data {{.*}}for
 * CHECK: update sum {{.*}}atomic, summed in registers: once for many threads
 * CHECK: kernel of_rows {{.*}}for
 * CHECK: update sum {{.*}}atomic, summed in registers: once for many threads
 */
void of_data(amp_index1 i, int n, const float x[n], const int which[1], float sum[9]) restrict(amp)
{
    amp_atomic_fetch_add(&sum[which[0]], x[i[0]]);
}
void of_rows(amp_index2 i, int m, int n, const float x[m][n], float sum[m]) restrict(amp)
{
    amp_atomic_fetch_add(&sum[i[0]], x[i[0]][i[1]]);
}

/* A sum and a minimum keep their order; in one array, these are different elements.
 * CHECK: kernel kinds {{.*}}for
 * CHECK: update sum {{.*}}atomic, combined: once for all lanes
 * CHECK: update least {{.*}}atomic, combined: once for all lanes
 * CHECK: kernel kinds_apart {{.*}}for
 * CHECK: update both {{.*}}atomic, summed in registers: once for many threads
 * CHECK: update both {{.*}}atomic, summed in registers: once for many threads
 */
void kinds(amp_index1 i, int n, int steps, const int x[n], int sum[1], int least[1]) restrict(amp)
{
    for (int k = 0; k < steps; k++) {
        amp_atomic_fetch_add(&sum[0], x[i[0]] + k);
        amp_atomic_fetch_min(&least[0], x[i[0]] + k);
    }
}
void kinds_apart(amp_index1 i, int n, int steps, const int x[n], int both[2]) restrict(amp)
{
    for (int k = 0; k < steps; k++) {
        amp_atomic_fetch_add(&both[0], x[i[0]] + k);
        amp_atomic_fetch_min(&both[1], x[i[0]] + k);
    }
}

/* What other elements are added to does not matter, but the order of another kind does.
 * CHECK: kernel beside {{.*}}for
 * CHECK: update bins {{.*}}atomic, lane by lane
 * CHECK: update sum {{.*}}atomic, summed in registers: once for many threads
 * CHECK: kernel beside_another {{.*}}for
 * CHECK: update bins {{.*}}atomic, lane by lane
 * CHECK: update sum {{.*}}atomic, combined: once for all lanes
 */
void beside(amp_index1 i, int n, const int x[n], int bins[64], int sum[1]) restrict(amp)
{
    amp_atomic_fetch_inc(&bins[x[i[0]] & 63]);
    amp_atomic_fetch_add(&sum[0], i[0]);
}
void beside_another(amp_index1 i, int n, const int x[n], int bins[64], int sum[1]) restrict(amp)
{
    amp_atomic_fetch_max(&bins[x[i[0]] & 63], i[0]);
    amp_atomic_fetch_add(&sum[0], i[0]);
}

/* Five sums of doubles, one of them under a condition, have room in the registers, twice.
 * CHECK: kernel moments {{.*}}for x86-64-v3: 8 lanes
 * CHECK-COUNT-5: summed in registers: once for many threads
 */
void moments(amp_index1 i, int n, const double x[n], double sums[4], long large[1]) restrict(amp)
{
    double value = x[i[0]];
    amp_atomic_fetch_add(&sums[0], value);
    amp_atomic_fetch_add(&sums[1], value * value);
    amp_atomic_fetch_min(&sums[2], value);
    amp_atomic_fetch_max(&sums[3], value);
    if (value > 0.75)
        amp_atomic_fetch_inc(&large[0]);
}
