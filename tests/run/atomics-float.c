/* SPDX-License-Identifier: MIT
 *
 * Atomic minimum and maximum of floating point, as fmin and fmax define them: on one place and on many, in arrays, tile
 * memory and variables of the thread, with any lanes active, with and without a use of the old value.
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 %s -o %t && %run-alone %t
 * RUN: %ampcc -O2 -ffast-math -DNO_NANS %s -o %t && %run-alone %t
 * row: atomic.fetch */
#include <amp.h>
#include <math.h>
#include <stdio.h>

enum { N = 1024, TILE = 64, BINS = 7 };

/* All that a kernel does with elements of type T, and the same in plain C. */
#define KERNELS(T, MIN, MAX)                                                                                           \
    static void places_##T(amp_index1 idx, int n, const T x[n], T one[4], T bins[2 * BINS], T own[n], T old[n])        \
        restrict(amp)                                                                                                  \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        T v = x[i], mine[2] = {v, 5};                                                                                  \
        amp_atomic_fetch_min(&one[0], v);                                                                              \
        amp_atomic_fetch_max(&one[1], v);                                                                              \
        if (i % 3 == 1) {                                                                                              \
            amp_atomic_fetch_min(&one[2], v);                                                                          \
            amp_atomic_fetch_max(&one[3], v);                                                                          \
        }                                                                                                              \
        amp_atomic_fetch_min(&bins[i % BINS], v);                                                                      \
        T before = amp_atomic_fetch_max(&bins[BINS + i % BINS], v);                                                    \
        old[i] = amp_atomic_fetch_max(&own[i], v);                                                                     \
        amp_atomic_fetch_min(&mine[i & 1], before > 1e30f ? (T)1 : (T)3);                                              \
        if (mine[i & 1] > 3)                                                                                           \
            old[i] = 77;                                                                                               \
    }                                                                                                                  \
    static void tiles_##T(amp_tiled_index1(TILE) t, int n, int n_tiles, const T x[n], T least[n_tiles],                \
                          T greatest[n_tiles]) restrict(amp)                                                           \
    {                                                                                                                  \
        tile_static T low, high[3];                                                                                    \
        if (t.local[0] == 0)                                                                                           \
            low = x[t.global[0]];                                                                                      \
        if (t.local[0] < 3)                                                                                            \
            high[t.local[0]] = x[t.tile_origin[0]];                                                                    \
        amp_tile_barrier_wait(t.barrier);                                                                              \
        amp_atomic_fetch_min(&low, x[t.global[0]]);                                                                    \
        if (t.local[0] % 5 != 2)                                                                                       \
            amp_atomic_fetch_max(&high[t.local[0] % 3], x[t.global[0]]);                                               \
        amp_tile_barrier_wait(t.barrier);                                                                              \
        if (t.local[0] > 0)                                                                                            \
            return;                                                                                                    \
        least[t.tile[0]] = low;                                                                                        \
        greatest[t.tile[0]] = MAX(MAX(high[0], high[1]), high[2]);                                                     \
    }                                                                                                                  \
    static void check_places_##T(const T *x)                                                                           \
    {                                                                                                                  \
        T one[4], bins[2 * BINS], own[N], old[N], e_one[4], e_bins[2 * BINS];                                          \
        for (int i = 0; i < 4; i++)                                                                                    \
            one[i] = e_one[i] = x[N - 1];                                                                              \
        for (int i = 0; i < 2 * BINS; i++)                                                                             \
            bins[i] = e_bins[i] = x[i];                                                                                \
        for (int i = 0; i < N; i++) {                                                                                  \
            own[i] = x[N - 1 - i];                                                                                     \
            e_one[0] = MIN(e_one[0], x[i]);                                                                            \
            e_one[1] = MAX(e_one[1], x[i]);                                                                            \
            e_one[2] = i % 3 == 1 ? MIN(e_one[2], x[i]) : e_one[2];                                                    \
            e_one[3] = i % 3 == 1 ? MAX(e_one[3], x[i]) : e_one[3];                                                    \
            e_bins[i % BINS] = MIN(e_bins[i % BINS], x[i]);                                                            \
            e_bins[BINS + i % BINS] = MAX(e_bins[BINS + i % BINS], x[i]);                                              \
        }                                                                                                              \
        amp_array_view *vx = amp_array_view1(N, x), *v1 = amp_array_view1(4, one),                                     \
                       *vb = amp_array_view1(2 * BINS, bins), *vo = amp_array_view1(N, own),                           \
                       *vold = amp_array_view1(N, old);                                                                \
        amp_parallel_for_each(amp_extent1(N), places_##T, vx, v1, vb, vo, vold);                                       \
        amp_array_view_release(vold);                                                                                  \
        amp_array_view_release(vo);                                                                                    \
        amp_array_view_release(vb);                                                                                    \
        amp_array_view_release(v1);                                                                                    \
        amp_array_view_release(vx);                                                                                    \
        for (int i = 0; i < 4; i++)                                                                                    \
            expect(#T ", one place", i, one[i], e_one[i]);                                                             \
        for (int i = 0; i < 2 * BINS; i++)                                                                             \
            expect(#T ", a bin", i, bins[i], e_bins[i]);                                                               \
        for (int i = 0; i < N; i++) {                                                                                  \
            expect(#T ", an element", i, own[i], MAX(x[N - 1 - i], x[i]));                                             \
            expect(#T ", the old value", i, old[i], x[N - 1 - i]);                                                     \
        }                                                                                                              \
    }                                                                                                                  \
    static void check_tiles_##T(const T *x)                                                                            \
    {                                                                                                                  \
        T least[N / TILE], greatest[N / TILE];                                                                         \
        amp_array_view *vx = amp_array_view1(N, x), *vl = amp_array_view1(N / TILE, least),                            \
                       *vg = amp_array_view1(N / TILE, greatest);                                                      \
        amp_parallel_for_each(amp_extent1(N), tiles_##T, vx, vl, vg);                                                  \
        amp_array_view_release(vg);                                                                                    \
        amp_array_view_release(vl);                                                                                    \
        amp_array_view_release(vx);                                                                                    \
        for (int tile = 0; tile < N / TILE; tile++) {                                                                  \
            T low = x[tile * TILE], high = x[tile * TILE];                                                             \
            for (int i = 0; i < TILE; i++) {                                                                           \
                low = MIN(low, x[tile * TILE + i]);                                                                    \
                high = i % 5 != 2 ? MAX(high, x[tile * TILE + i]) : high;                                              \
            }                                                                                                          \
            expect(#T ", least of a tile", tile, least[tile], low);                                                    \
            expect(#T ", greatest of a tile", tile, greatest[tile], high);                                             \
        }                                                                                                              \
    }

static int failures;

/* -0 and 0 are equal; all NaNs count as equal. */
static void expect(const char *what, int i, double got, double wanted)
{
    if (got != wanted && !(got != got && wanted != wanted) && failures++ < 10)
        printf("%s %d: %g, expected %g\n", what, i, got, wanted);
}

KERNELS(float, fminf, fmaxf)
KERNELS(double, fmin, fmax)

/* `way`: which of the special values are among the others. */
static double value(int i, int way)
{
    double plain = (i * 7919 % 1009 - 500) / 8.0;
#ifndef NO_NANS
    if ((way == 1 && i % 4 != 1) || way == 2)
        return i & 1 ? NAN : -NAN;
    if (way == 3 && i % 9 == 0)
        return i & 1 ? INFINITY : -INFINITY;
#endif
    return way == 4 ? (i & 1 ? 0.0 : -0.0) : way == 5 ? -fabs(plain) - 1 : way == 6 ? fabs(plain) + 1 : plain;
}

int main(void)
{
    static float f[N];
    static double d[N];
    for (int way = 0; way < 7; way++) {
        for (int i = 0; i < N; i++)
            f[i] = (float)(d[i] = value(i, way));
        check_places_float(f);
        check_places_double(d);
        check_tiles_float(f);
        check_tiles_double(d);
    }
    if (amp_error_status() != AMP_OK)
        printf("%s\n", amp_error_text());
    return failures > 0 || amp_error_status() != AMP_OK;
}
