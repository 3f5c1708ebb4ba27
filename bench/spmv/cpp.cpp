/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <amp.h>

using namespace concurrency;

static array_view<const int> *offsets, *columns;
static array_view<const float> *values, *in_view;
static array_view<float> *out_view;

static void prepare(void)
{
    set_up();
    offsets = new array_view<const int>(ROWS + 1, offset);
    columns = new array_view<const int>(n_entries, column);
    values = new array_view<const float>(n_entries, value);
    in_view = new array_view<const float>(ROWS, x);
    out_view = new array_view<float>(ROWS, y);
}

static void run(void)
{
    array_view<const int> at = *offsets, col = *columns;
    array_view<const float> v = *values, in = *in_view;
    array_view<float> out = *out_view;
    out.discard_data();
    parallel_for_each(out.extent, [=](index<1> idx) restrict(amp) {
        int row = idx[0];
        float sum = 0;
        for (int k = at[row]; k < at[row + 1]; k++)
            sum += v[k] * in[col[k]];
        out[row] = sum;
    });
    out.synchronize();
}

BENCH("spmv", "plain", prepare, run, verify)
