/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <amp.h>

using namespace concurrency;

template <typename T> static array_view<const T, 2> *a_view;
template <typename T> static array_view<const T, 2> *b_view;
template <typename T> static array_view<T, 2> *c_view;

template <typename T> static void make_views(const T *a, const T *b, T *c)
{
    a_view<T> = new array_view<const T, 2>(SIZE, SIZE, a);
    b_view<T> = new array_view<const T, 2>(SIZE, SIZE, b);
    c_view<T> = new array_view<T, 2>(SIZE, SIZE, c);
}

static void prepare_float(void)
{
    set_up_float();
    make_views<float>(a_float, b_float, c_float);
}

static void prepare_int(void)
{
    set_up_int();
    make_views<int>(a_int, b_int, c_int);
}

template <typename T> static void simple(void)
{
    array_view<const T, 2> a = *a_view<T>, b = *b_view<T>;
    array_view<T, 2> c = *c_view<T>;
    c.discard_data();
    parallel_for_each(c.extent, [=](index<2> idx) restrict(amp) {
        T sum = 0;
        for (int k = 0; k < a.extent[1]; k++)
            sum += a(idx[0], k) * b(k, idx[1]);
        c[idx] = sum;
    });
    c.synchronize();
}

template <typename T, int TS> static void tiled(void)
{
    array_view<const T, 2> a = *a_view<T>, b = *b_view<T>;
    array_view<T, 2> c = *c_view<T>;
    c.discard_data();
    parallel_for_each(c.extent.template tile<TS, TS>(), [=](tiled_index<TS, TS> t) restrict(amp) {
        int row = t.local[0], col = t.local[1];
        T sum = 0;
        for (int i = 0; i < a.extent[1]; i += TS) {
            tile_static T local_a[TS][TS], local_b[TS][TS];
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

BENCH("mxm", "simple float", prepare_float, simple<float>, verify_float)
BENCH("mxm", "simple int", prepare_int, simple<int>, verify_int)
BENCH("mxm", "tiled8 float", prepare_float, (tiled<float, 8>), verify_float)
BENCH("mxm", "tiled16 float", prepare_float, (tiled<float, 16>), verify_float)
BENCH("mxm", "tiled16 int", prepare_int, (tiled<int, 16>), verify_int)
BENCH("mxm", "tiled32 float", prepare_float, (tiled<float, 32>), verify_float)
