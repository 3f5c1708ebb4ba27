/* SPDX-License-Identifier: MIT */
#define FLOAT_ONLY
#include "problem.h"

#include <amp.h>

using namespace concurrency;

static array_view<const float, 2> *a_view, *b_view;
static array_view<float, 2> *c_view;

static void prepare(void)
{
    set_up_float();
    a_view = new array_view<const float, 2>(SIZE, SIZE, a_float);
    b_view = new array_view<const float, 2>(SIZE, SIZE, b_float);
    c_view = new array_view<float, 2>(SIZE, SIZE, c_float);
}

static void simple(void)
{
    array_view<const float, 2> a = *a_view, b = *b_view;
    array_view<float, 2> c = *c_view;
    c.discard_data();
    parallel_for_each(c.extent, [=](index<2> idx) restrict(amp) {
        float sum = 0;
        for (int k = 0; k < a.extent[1]; k++)
            sum += a(idx[0], k) * b(k, idx[1]);
        c[idx] = sum;
    });
    c.synchronize();
}

static void tiled16(void)
{
    static const int TS = 16;
    array_view<const float, 2> a = *a_view, b = *b_view;
    array_view<float, 2> c = *c_view;
    c.discard_data();
    parallel_for_each(c.extent.tile<TS, TS>(), [=](tiled_index<TS, TS> t) restrict(amp) {
        int row = t.local[0], col = t.local[1];
        float sum = 0;
        for (int i = 0; i < a.extent[1]; i += TS) {
            tile_static float local_a[TS][TS], local_b[TS][TS];
            local_a[row][col] = a(t.global[0], i + col);
            local_b[row][col] = b(i + row, t.global[1]);
            t.barrier.wait();
            for (int k = 0; k < TS; k++)
                sum += local_a[row][k] * local_b[k][col];
            t.barrier.wait();
        }
        c[t.global] = sum;
    });
    c.synchronize();
}

BENCH("mxm", "simple float", prepare, simple, verify_float)
BENCH("mxm", "tiled16 float", prepare, tiled16, verify_float)
