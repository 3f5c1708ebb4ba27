/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off -Wall -Wextra -Werror %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O1 -ffp-contract=off --amp-lanes=16 %s -o %t && %run-cpu %t
 *
 * Loops in which each lane writes along a row of its own: vectors of a lane's elements are written, unless that
 * would change the order of two accesses to the same element. So each kernel runs with all distances between what
 * it reads and writes. */
#include "check.h"

enum { MARGIN = 40, MOST_LENGTH = 70 };

#define WRITES(T)                                                                                                      \
    /* Arrays of their own: one goes along with the lane, one is the same for all, one is at one place. */             \
    static void scales_##T(amp_index1 idx, int h, int w, int n, const T a[h][w], const T x[w], const T y[h],           \
                           T out[h][w]) restrict(cpu, amp)                                                             \
    {                                                                                                                  \
        for (int j = 0; j < n; j++)                                                                                    \
            out[idx[0]][j] = (T)(a[idx[0]][j] * y[idx[0]] + x[j]);                                                     \
    }                                                                                                                  \
    /* In place, and what the loop counts. */                                                                          \
    static void counts_##T(amp_index1 idx, int h, int w, int n, T out[h][w]) restrict(cpu, amp)                        \
    {                                                                                                                  \
        for (int j = 0; j < n; j++)                                                                                    \
            out[idx[0]][j] = (T)(out[idx[0]][j] > 0 ? out[idx[0]][j] + j : idx[0]);                                    \
    }                                                                                                                  \
    /* From `d` elements away. */                                                                                      \
    static void moves_##T(amp_index1 idx, int h, int w, int n, int d, T out[h][w]) restrict(cpu, amp)                  \
    {                                                                                                                  \
        for (int j = 0; j < n; j++)                                                                                    \
            out[idx[0]][MARGIN + j] = (T)(out[idx[0]][MARGIN + d + j] + 1);                                            \
    }                                                                                                                  \
    /* Two places are written, and one that may be either is read before them, or between them. */                     \
    static void before_##T(amp_index1 idx, int h, int w, int n, int d, const T x[w], T out[h][w]) restrict(cpu, amp)   \
    {                                                                                                                  \
        for (int j = 0; j < n; j++) {                                                                                  \
            T read = out[idx[0]][MARGIN + d + j];                                                                      \
            out[idx[0]][MARGIN + j] = x[j];                                                                            \
            out[idx[0]][j + 1] = read;                                                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    static void between_##T(amp_index1 idx, int h, int w, int n, int d, int e, const T x[w], T out[h][w])              \
        restrict(cpu, amp)                                                                                             \
    {                                                                                                                  \
        for (int j = 0; j < n; j++) {                                                                                  \
            out[idx[0]][MARGIN + j] = x[j];                                                                            \
            out[idx[0]][MARGIN + d + j] = (T)(out[idx[0]][MARGIN + e + j] + 1);                                        \
        }                                                                                                              \
    }                                                                                                                  \
    /* One place is read each time, which the loop may write. */                                                       \
    static void spreads_##T(amp_index1 idx, int h, int w, int n, int d, const T x[w], T out[h][w]) restrict(cpu, amp)  \
    {                                                                                                                  \
        for (int j = 0; j < n; j++)                                                                                    \
            out[idx[0]][MARGIN + j] = (T)(out[idx[0]][MARGIN + d] + x[j]);                                             \
    }                                                                                                                  \
    /* A sum of what is read, too. */                                                                                  \
    static void sums_##T(amp_index1 idx, int h, int w, int n, const T a[h][w], T out[h][w], T sums[h])                 \
        restrict(cpu, amp)                                                                                             \
    {                                                                                                                  \
        T sum = 0;                                                                                                     \
        for (int j = 0; j < n; j++) {                                                                                  \
            sum = (T)(sum + a[idx[0]][j]);                                                                             \
            out[idx[0]][j] = (T)(a[idx[0]][j] * 2);                                                                    \
        }                                                                                                              \
        sums[idx[0]] = sum;                                                                                            \
    }                                                                                                                  \
    static T from_##T[17][2 * MARGIN + MOST_LENGTH], got_##T[17][2 * MARGIN + MOST_LENGTH],                            \
        want_##T[17][2 * MARGIN + MOST_LENGTH], x_##T[2 * MARGIN + MOST_LENGTH], y_##T[17], sum_##T[17];               \
    static void fill_##T(int h)                                                                                        \
    {                                                                                                                  \
        for (int i = 0; i < h; i++)                                                                                    \
            for (int j = 0; j < 2 * MARGIN + MOST_LENGTH; j++) {                                                       \
                from_##T[i][j] = (T)((i * 5 + j * 3) % 9);                                                             \
                got_##T[i][j] = want_##T[i][j] = (T)((i * 7 + j * 11) % 13);                                           \
                x_##T[j] = (T)(j % 10);                                                                                \
                y_##T[i] = (T)(i % 3 + 1);                                                                             \
            }                                                                                                          \
    }                                                                                                                  \
    static void check_##T(int h, int n)                                                                                \
    {                                                                                                                  \
        enum { W = 2 * MARGIN + MOST_LENGTH };                                                                         \
        amp_array_view *a = amp_array_view2(h, W, (const T *)from_##T), *x = amp_array_view1(W, (const T *)x_##T),     \
                       *y = amp_array_view1(h, (const T *)y_##T), *out = amp_array_view2(h, W, (T *)got_##T),          \
                       *sums = amp_array_view1(h, sum_##T);                                                            \
        fill_##T(h);                                                                                                   \
        amp_array_view *fresh[] = {a, x, y, out, sums};                                                                \
        for (int v = 0; v < (int)LENGTH(fresh); v++)                                                                   \
            amp_refresh(fresh[v]);                                                                                     \
        LAUNCH(T, scales, (n, a, x, y, out), (idx, h, W, n, from_##T, x_##T, y_##T, want_##T), 0)                      \
        LAUNCH(T, counts, (n, out), (idx, h, W, n, want_##T), 0)                                                       \
        LAUNCH(T, sums, (n, a, out, sums), (idx, h, W, n, from_##T, want_##T, y_##T), 0)                               \
        CHECK_OK(amp_synchronize(sums));                                                                               \
        CHECK_BYTES(sum_##T, y_##T, h, "sums of " #T ", %d x %d", h, n);                                               \
        for (int d = -34; d <= 34; d += d > -5 && d < 5 ? 1 : 3) {                                                     \
            LAUNCH(T, moves, (n, d, out), (idx, h, W, n, d, want_##T), d)                                              \
            LAUNCH(T, before, (n, d, x, out), (idx, h, W, n, d, x_##T, want_##T), d)                                   \
            LAUNCH(T, between, (n, d, -d, x, out), (idx, h, W, n, d, -d, x_##T, want_##T), d)                          \
            LAUNCH(T, spreads, (n, d, x, out), (idx, h, W, n, d, x_##T, want_##T), d)                                  \
        }                                                                                                              \
        for (int v = 0; v < (int)LENGTH(fresh); v++)                                                                   \
            amp_array_view_release(fresh[v]);                                                                          \
    }

#define ARGUMENTS(...) __VA_ARGS__
#define LAUNCH(T, kernel, launched, called, d)                                                                         \
    CHECK_OK(amp_parallel_for_each(amp_extent1(h), kernel##_##T, ARGUMENTS launched));                                 \
    CHECK_OK(amp_synchronize(out));                                                                                    \
    for (int i = 0; i < h; i++) {                                                                                      \
        amp_index1 idx = {i};                                                                                          \
        kernel##_##T called;                                                                                           \
    }                                                                                                                  \
    CHECK_BYTES(got_##T, want_##T, h, #kernel " of " #T ", %d x %d, distance %d", h, n, d);

EACH_SIZE(WRITES)

#define CHECK_TYPE(T) check_##T(h, n);

int main(void)
{
    static const int heights[] = {1, 3, 8, 9, 17};
    for (int k = 0; k < (int)LENGTH(heights); k++)
        for (int n = 0, h = heights[k]; n <= MOST_LENGTH; n += n < 20 || (n > 30 && n < 35) ? 1 : 7) {
            EACH_SIZE(CHECK_TYPE)
        }
    return 0;
}
