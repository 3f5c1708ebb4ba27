/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off %s -o %t && env AMP_TEST_SCATTERS=fast %run %t
 * RUN: env AMP_TEST_SCATTERS=slow %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=x86-64-v4 --amp-report -O2 -c %s -o %t.o 2>&1 | FileCheck %s
 *
 * Kernels that scatter as scalars on some processors with AVX-512, and with one instruction on others, whichever this
 * machine has. Both codes do the same. */
#include "check.h"

enum { MEMBERS = 12 };

struct cell {
    float f[MEMBERS];
};

/* CHECK: kernel scale {{.*}}for x86-64-v4: 8 lanes; on Intel's processors, which scatter faster, 16 lanes{{$}}
 */
static void scale(amp_index1 idx, int n, const struct cell from[n], struct cell to[n + MEMBERS]) restrict(cpu, amp)
{
    int i = idx[0];
    float sum = 0, sums = 0;
    for (int q = 0; q < MEMBERS; q++) {
        sum += from[i].f[q];
        sums += sum * sum;
    }
    float by = 1 / (1 + sums * sums + sum * sum);
    for (int q = 0; q < MEMBERS; q++)
        to[i + q].f[q] = by * from[i].f[q];
}

/* CHECK: kernel collide {{.*}}for x86-64-v4: 8 lanes; on Intel's processors, which scatter faster, 16 lanes{{$}}
 */
static void collide(amp_index2 idx, int rows, int n, const struct cell from[rows][n], struct cell to[rows][n])
    restrict(cpu, amp)
{
    const struct cell *c = &from[idx[0]][idx[1]];
    struct cell *out = &to[idx[0]][idx[1]];
    float sum = 0;
    for (int q = 0; q < MEMBERS; q++)
        sum += c->f[q] * c->f[q];
    if (c->f[0] > 0)
        sum = 1 / (1 + sum);
    for (int q = 0; q < MEMBERS; q++)
        out->f[q] = (2 * c->f[MEMBERS - 1 - q] - c->f[q]) * sum;
}

int main(void)
{
    EACH_EXTENT(n) {
        struct cell *in = check_alloc((size_t)n * sizeof *in), *out = check_alloc((size_t)(n + MEMBERS) * sizeof *out),
                    *want = check_alloc((size_t)(n + MEMBERS) * sizeof *want);
        for (int i = 0; i < n * MEMBERS; i++)
            in->f[i] = (float)check_value(i) - 50;
        for (int i = 0; i < (n + MEMBERS) * MEMBERS; i++)
            out->f[i] = want->f[i] = (float)check_value(i + 777);
        amp_array_view *from = amp_array_view1(n, (const struct cell *)in), *to = amp_array_view1(n + MEMBERS, out);
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), scale, from, to));
        for (int i = 0; i < n; i++)
            scale((amp_index1){i}, n, in, want);
        CHECK_FLOATS(out->f, want->f, (n + MEMBERS) * MEMBERS, "scale, extent %d", n)
        amp_array_view_release(from);
        amp_array_view_release(to);
        check_free_all();
    }
    EACH_FEW(rows)
    EACH_EXTENT(n) {
        int m = rows * n;
        struct cell *in = check_alloc((size_t)m * sizeof *in), *out = check_alloc((size_t)m * sizeof *out),
                    *want = check_alloc((size_t)m * sizeof *want);
        for (int i = 0; i < m * MEMBERS; i++) {
            in->f[i] = (float)check_value(i) - 50;
            out->f[i] = want->f[i] = (float)check_value(i + 777);
        }
        amp_array_view *from = amp_array_view2(rows, n, (const struct cell *)in), *to = amp_array_view2(rows, n, out);
        CHECK_OK(amp_parallel_for_each(amp_extent2(rows, n), collide, from, to));
        for (int r = 0; r < rows; r++)
            for (int i = 0; i < n; i++)
                collide((amp_index2){r, i}, rows, n, (const struct cell(*)[n])in, (struct cell(*)[n])want);
        CHECK_FLOATS(out->f, want->f, m * MEMBERS, "collide, extent %d x %d", rows, n)
        amp_array_view_release(from);
        amp_array_view_release(to);
        check_free_all();
    }
    return 0;
}
