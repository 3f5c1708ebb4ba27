/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=32 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=64 %s -o %t && %run-cpu %t
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=baseline --amp-lanes=32 -c %s --amp-dump-after=lanes \
 * RUN:     --amp-stop-after=lanes | FileCheck %s
 *
 * Lanes that leave a loop take along what it hands out, each at its own time: counters, which subscripts need in 64
 * bits and what follows in 32, and other values. */
#include "check.h"

enum { N = 1000 };

/* CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK: select <32 x i1> {{.*}}, <32 x i32>
 * CHECK-NOT: <32 x i64>
 * CHECK-LABEL: define {{.*}}@amp__run_1_0(
 */
static void find(amp_index1 idx, int n, const int ascending[n], int m, int out[m]) restrict(cpu, amp)
{
    int found = n - 1;
    for (int i = 0; i < n; i++)
        if (ascending[i] >= 3 * idx[0]) {
            found = i;
            break;
        }
    out[idx[0]] = found;
}

/* Two ways out, with several values. */
static void both(amp_index1 idx, int n, const int a[n], int m, int out[m]) restrict(cpu, amp)
{
    long sum = idx[0], product = 1;
    int i = idx[0] % 7, last = -1;
    for (; i < n; i += 1 + idx[0] % 3) {
        last = a[i];
        sum += last;
        if (sum % 11 == 3)
            break;
        product = product * (last | 1) % 10007;
        if (product % 13 == idx[0] % 13) {
            sum = -sum;
            break;
        }
    }
    out[idx[0]] = (int)(sum * 3 + product) ^ last ^ i << 8;
}

/* An inner loop is left to the next iteration of the outer one, or out of both. */
static void nested(amp_index1 idx, int n, const int a[n], int m, int out[m]) restrict(cpu, amp)
{
    int hits = 0;
    size_t at = 0;
    for (int round = 0; round < 9; round++) {
        for (size_t k = (size_t)round; k < (size_t)n; k += 5) {
            at = k;
            if (a[k] % 17 == idx[0] % 17)
                break;
            if (a[k] == idx[0])
                goto end;
        }
        hits += (int)at % 10;
        if (hits > idx[0] % 50)
            break;
    }
end:
    out[idx[0]] = hits * 1000 + (int)at;
}

int main(void)
{
    int *ascending = check_alloc(N * sizeof *ascending), *a = check_alloc(N * sizeof *a);
    int *out = check_alloc(N * sizeof *out), *want = check_alloc(N * sizeof *want);
    for (int i = 0; i < N; i++) {
        ascending[i] = 2 * i + i % 3;
        a[i] = check_value(i) & 0xfff;
        out[i] = 0;
    }
    amp_array_view *views[] = {amp_array_view1(N, (const int *)ascending), amp_array_view1(N, (const int *)a),
                               amp_array_view1(N, out)};
#define CHECK(kernel, from, array)                                                                                     \
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), kernel, from, views[2]));                                           \
    amp_synchronize(views[2]);                                                                                         \
    for (int i = 0; i < N; i++)                                                                                        \
        kernel((amp_index1){i}, N, array, N, want);                                                                    \
    CHECK_INTS(out, want, N, #kernel)
    CHECK(find, views[0], ascending)
    CHECK(both, views[1], a)
    CHECK(nested, views[1], a)
    check_release(views, LENGTH(views));
    return 0;
}
