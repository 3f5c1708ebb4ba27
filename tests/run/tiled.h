/* SPDX-License-Identifier: MIT
 *
 * Kernels that compute c from a and b in tiles of R x C threads, and their check against plain C. */
#pragma once

#include "check.h"

#define TILED(name, R, C, T)                                                                                           \
    static void name(amp_tiled_index2(R, C) t, int M, int N, int W, int L, const T a[M][W], const T b[W][N],           \
                     T c[M][N]) restrict(amp)
#define EACH_POINT                                                                                                     \
    for (int row = 0; row < M; row++)                                                                                  \
        for (int col = 0; col < N; col++)
#define PLAIN(name, T)                                                                                                 \
    static void name##_plain(int R, int M, int N, int W, int L, const T a[M][W], const T b[W][N], T c[M][N])

/* How many tiles lie below and beside one another, and how many rounds they have. */
struct size {
    int down, across, rounds;
};

#define CHECK(T, kernel, R, C, size)                                                                                   \
    do {                                                                                                               \
        int m = (size).down * (R), n = (size).across * (C), l = (size).rounds * (R), w = l + 3;                        \
        T *a = check_alloc((size_t)(m * w) * sizeof(T)), *b = check_alloc((size_t)(w * n) * sizeof(T));                \
        T *c = check_alloc((size_t)(m * n) * sizeof(T)), *want = check_alloc((size_t)(m * n) * sizeof(T));             \
        CHECK_FILL(T, a, m *w, 0);                                                                                     \
        CHECK_FILL(T, b, w *n, 777);                                                                                   \
        CHECK_FILL(T, c, m *n, 99);                                                                                    \
        CHECK_FILL(T, want, m *n, 99);                                                                                 \
        amp_array_view *views[] = {amp_array_view2(m, w, (const T *)a), amp_array_view2(w, n, (const T *)b),           \
                                   amp_array_view2(m, n, c)};                                                          \
        CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), kernel, l, views[0], views[1], views[2]));                   \
        kernel##_plain(R, m, n, w, l, (void *)a, (void *)b, (void *)want);                                             \
        CHECK_BYTES(c, want, m *n, #kernel ", %d x %d, %d", m, n, l);                                                  \
        check_release(views, 3);                                                                                       \
    } while (0)
