/* SPDX-License-Identifier: MIT
 *
 * a = b + scalar * c, of doubles. */
#include "port.h"

enum { N = 1 << 24 };
static double *a, *b, *c;

static void set_up(void)
{
    a = new_array(N * sizeof *a);
    b = new_array(N * sizeof *b);
    c = new_array(N * sizeof *c);
    for (uint32_t i = 0; i < N; i++) {
        b[i] = (double)small(i);
        c[i] = (double)small(~i);
    }
}

static void loops(void)
{
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        a[i] = b[i] + 0.4 * c[i];
}

#ifndef _OPENMP
static void triad(amp_index1 idx, int n, const double x[n], const double y[n], double to[n]) restrict(amp)
{
    to[idx[0]] = x[idx[0]] + 0.4 * y[idx[0]];
}

static void launch(void)
{
    amp_auto_array_view *x = amp_array_view1(N, (const double *)b);
    amp_auto_array_view *y = amp_array_view1(N, (const double *)c);
    amp_auto_array_view *to = amp_array_view1(N, a);
    amp_discard_data(to);
    amp_parallel_for_each(amp_extent1(N), triad, x, y, to);
    amp_synchronize(to);
}
#endif

PORT("triad", a, N, 1e-12)
