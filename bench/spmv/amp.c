/* SPDX-License-Identifier: MIT */
#include "problem.h"
#include <amp.h>

static void multiply(amp_index1 idx, int R, int C, int K, const int at[R + 1], const int col[K], const float v[K],
                     const float in[C], float out[R]) restrict(amp)
{
    int row = idx[0];
    float sum = 0;
    for (int k = at[row]; k < at[row + 1]; k++)
        sum += v[k] * in[col[k]];
    out[row] = sum;
}

static amp_array_view *at, *col, *v, *in, *out;

static void prepare(void)
{
    set_up();
    at = amp_array_view1(ROWS + 1, (const int *)offset);
    col = amp_array_view1(n_entries, (const int *)column);
    v = amp_array_view1(n_entries, (const float *)value);
    in = amp_array_view1(ROWS, (const float *)x);
    out = amp_array_view1(ROWS, y);
}

static void run(void)
{
    amp_discard_data(out);
    amp_parallel_for_each(amp_extent1(ROWS), multiply, at, col, v, in, out);
    amp_synchronize(out);
}

BENCH("spmv", "plain", prepare, run, verify)
