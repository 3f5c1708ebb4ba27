/* SPDX-License-Identifier: MIT
 *
 * y += scalar * x, as programs for GPUs have it: far fewer threads than elements, which all together stride over the
 * arrays. */
#include "port.h"

enum { N = 1 << 25, THREADS = 1 << 16 };
static float *x, *y;

static void set_up(void)
{
    x = new_array(N * sizeof *x);
    y = new_array(N * sizeof *y);
    for (uint32_t i = 0; i < N; i++) {
        x[i] = (float)small(i);
        y[i] = (float)small(~i);
    }
}

static void loops(void)
{
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        y[i] = 0.4f * x[i] + 0.5f * y[i];
}

#ifndef _OPENMP
static void grid_stride(amp_index1 idx, int n_threads, int n, const float from[n], float to[n]) restrict(amp)
{
    for (int i = idx[0]; i < n; i += n_threads)
        to[i] = 0.4f * from[i] + 0.5f * to[i];
}

static void launch(void)
{
    amp_auto_array_view *from = amp_array_view1(N, (const float *)x), *to = amp_array_view1(N, y);
    amp_parallel_for_each(amp_extent1(THREADS), grid_stride, THREADS, from, to);
    amp_synchronize(to);
}
#endif

PORT("gridstride", y, N, 1e-6)
