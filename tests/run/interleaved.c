/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off -Wall -Wextra -Werror %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O1 -ffp-contract=off --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O3 -ffp-contract=off --amp-lanes=16 --amp-cpu=native %s -o %t && %run-native %t
 *
 * Private arrays, whose elements lie next to those of the other lanes: with subscripts that all threads have and that
 * differ, in loops and branches that threads leave and take differently, in two dimensions, in structs, of all sizes,
 * set and copied as a whole, and passed to functions; and arrays that must stay in one piece, as their address or
 * accesses of several sizes need it. */
#include "check.h"

#include <string.h>

#define ARRAYS(T)                                                                                                      \
    static T of_column_##T(const T *a, int n, int step) restrict(cpu, amp)                                             \
    {                                                                                                                  \
        T sum = 0;                                                                                                     \
        for (int k = 0; k < n; k++)                                                                                    \
            sum = (T)(sum + a[k * step] * (k % 3));                                                                    \
        return sum;                                                                                                    \
    }                                                                                                                  \
    /* Elimination in a small matrix: all threads have the same subscripts. */                                         \
    static void matrix_##T(amp_index1 idx, int n, int m, const T a[n], T out[n]) restrict(cpu, amp)                    \
    {                                                                                                                  \
        T b[7][7], x[7];                                                                                               \
        for (int r = 0; r < m; r++)                                                                                    \
            for (int c = 0; c < m; c++)                                                                                \
                b[r][c] = (T)(a[(idx[0] + 3 * r + c) % n] + r % 2);                                                    \
        memset(x, 0, sizeof x);                                                                                        \
        for (int k = 0; k < m; k++)                                                                                    \
            for (int r = k + 1; r < m; r++) {                                                                          \
                for (int c = k; c < m; c++)                                                                            \
                    b[r][c] = (T)(b[r][c] - b[k][c] / 2);                                                              \
                x[r] = (T)(x[r] + b[r][k]);                                                                            \
            }                                                                                                          \
        out[idx[0]] = (T)(of_column_##T(&b[0][m - 1], m, 7) + of_column_##T(x, m, 1));                                 \
    }                                                                                                                  \
    /* Insertion, where threads part and have subscripts of their own. */                                              \
    static void sorted_##T(amp_index1 idx, int n, int m, const T a[n], T out[n]) restrict(cpu, amp)                    \
    {                                                                                                                  \
        T v[40] = {0}, sum = 0;                                                                                        \
        int i = idx[0], length = 0;                                                                                    \
        for (int j = 0; j < m; j++) {                                                                                  \
            T x = a[(i * 7 + j * j) % n];                                                                              \
            if (x < 2)                                                                                                 \
                continue;                                                                                              \
            int k = length++;                                                                                          \
            for (; k > 0 && v[k - 1] > x; k--)                                                                         \
                v[k] = v[k - 1];                                                                                       \
            v[k] = x;                                                                                                  \
        }                                                                                                              \
        for (int j = 0; j < m; j++) {                                                                                  \
            if (i % 3 == 0 && j % 2)                                                                                   \
                v[j] = (T)(v[j] / 2 + 1);                                                                              \
            sum = (T)(sum + v[j] * (j % 5));                                                                           \
        }                                                                                                              \
        out[i] = (T)(sum + v[i % m] + v[length / 2]);                                                                  \
    }                                                                                                                  \
    /* Passes between the elements, which swap under masks. */                                                         \
    static void swapped_##T(amp_index1 idx, int n, int m, const T a[n], T out[n]) restrict(cpu, amp)                   \
    {                                                                                                                  \
        T v[24], w[24];                                                                                                \
        int i = idx[0];                                                                                                \
        for (int j = 0; j < m; j++)                                                                                    \
            v[j] = a[(i + 5 * j) % n];                                                                                 \
        for (int j = 0; j < m; j++)                                                                                    \
            for (int k = 0; k + 1 < m - j; k++)                                                                        \
                if (v[k] > v[k + 1]) {                                                                                 \
                    T t = v[k];                                                                                        \
                    v[k] = v[k + 1];                                                                                   \
                    v[k + 1] = t;                                                                                      \
                }                                                                                                      \
        memcpy(w, v, sizeof w);                                                                                        \
        T sum = w[a[i] > 3 ? m - 1 : 0];                                                                               \
        for (int k = 0; k < m - i % 4; k++)                                                                            \
            sum = (T)(sum + w[k] * (k % 7));                                                                           \
        out[i] = sum;                                                                                                  \
    }                                                                                                                  \
    struct pair_##T {                                                                                                  \
        T key, value;                                                                                                  \
    };                                                                                                                 \
    /* Members; and a pointer that steps through an array. */                                                          \
    static void pairs_##T(amp_index1 idx, int n, int m, const T a[n], T out[n]) restrict(cpu, amp)                     \
    {                                                                                                                  \
        struct pair_##T best[6];                                                                                       \
        int i = idx[0];                                                                                                \
        for (int k = 0; k < 6; k++)                                                                                    \
            best[k] = (struct pair_##T){(T)(k + i % 2), (T)k};                                                         \
        for (int j = 0; j < m; j++) {                                                                                  \
            T x = a[(i + j) % n];                                                                                      \
            int worst = 0;                                                                                             \
            for (int k = 1; k < 6; k++)                                                                                \
                worst = best[k].key < best[worst].key ? k : worst;                                                     \
            if (x > best[worst].key) {                                                                                 \
                best[worst].key = x;                                                                                   \
                best[worst].value = (T)(j % 11);                                                                       \
            }                                                                                                          \
        }                                                                                                              \
        T sum = 0;                                                                                                     \
        for (const struct pair_##T *p = best; p < best + m % 6; p++)                                                   \
            sum = (T)(sum + p->key * 2 + p->value);                                                                    \
        out[i] = sum;                                                                                                  \
    }                                                                                                                  \
    /* Two dimensions, with blocks of several rows; and a loop that only threads inside of it run. */                  \
    static void plane_##T(amp_index2 idx, int h, int w, const T a[h][w], T out[h][w]) restrict(cpu, amp)               \
    {                                                                                                                  \
        T v[9];                                                                                                        \
        int y = idx[0], x = idx[1];                                                                                    \
        for (int k = 0; k < 9; k++)                                                                                    \
            v[k] = 0;                                                                                                  \
        if (y > 0 && x > 0 && y < h - 1 && x < w - 1)                                                                  \
            for (int r = 0; r < 3; r++)                                                                                \
                for (int c = 0; c < 3; c++)                                                                            \
                    v[3 * r + c] = a[y + r - 1][x + c - 1];                                                            \
        for (int k = 0; k < 9; k++)                                                                                    \
            for (int l = k + 1; l < 9 - y % 2; l++)                                                                    \
                if (v[l] < v[k]) {                                                                                     \
                    T t = v[k];                                                                                        \
                    v[k] = v[l];                                                                                       \
                    v[l] = t;                                                                                          \
                }                                                                                                      \
        out[y][x] = (T)(v[4] * 3 + v[(x + y) % 9]);                                                                    \
    }                                                                                                                  \
    static void check_##T(int n)                                                                                       \
    {                                                                                                                  \
        int h = n % 5 + 1, w = n;                                                                                      \
        T *a = check_alloc((size_t)(h * w) * sizeof *a), *got = check_alloc((size_t)(h * w) * sizeof *got),            \
          *want = check_alloc((size_t)(h * w) * sizeof *want);                                                         \
        for (int i = 0; i < h * w; i++)                                                                                \
            a[i] = (T)((i * i + 7 * i) % 13);                                                                          \
        amp_array_view *x = amp_array_view1(n, (const T *)a), *to = amp_array_view1(n, got),                           \
                       *x2 = amp_array_view2(h, w, (const T *)a), *to2 = amp_array_view2(h, w, got);                   \
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), matrix_##T, n % 4 + 4, x, to));                                 \
        CHECK_OK(amp_synchronize(to));                                                                                 \
        for (int i = 0; i < n; i++)                                                                                    \
            matrix_##T((amp_index1){i}, n, n % 4 + 4, a, want);                                                        \
        CHECK_BYTES(got, want, n, "matrix of " #T ", %d", n);                                                          \
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), sorted_##T, n % 39 + 2, x, to));                                \
        CHECK_OK(amp_synchronize(to));                                                                                 \
        for (int i = 0; i < n; i++)                                                                                    \
            sorted_##T((amp_index1){i}, n, n % 39 + 2, a, want);                                                       \
        CHECK_BYTES(got, want, n, "sorted " #T ", %d", n);                                                             \
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), swapped_##T, n % 20 + 5, x, to));                               \
        CHECK_OK(amp_synchronize(to));                                                                                 \
        for (int i = 0; i < n; i++)                                                                                    \
            swapped_##T((amp_index1){i}, n, n % 20 + 5, a, want);                                                      \
        CHECK_BYTES(got, want, n, "swapped " #T ", %d", n);                                                            \
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), pairs_##T, n % 20, x, to));                                     \
        CHECK_OK(amp_synchronize(to));                                                                                 \
        for (int i = 0; i < n; i++)                                                                                    \
            pairs_##T((amp_index1){i}, n, n % 20, a, want);                                                            \
        CHECK_BYTES(got, want, n, "pairs of " #T ", %d", n);                                                           \
        CHECK_OK(amp_parallel_for_each(amp_extent2(h, w), plane_##T, x2, to2));                                        \
        CHECK_OK(amp_synchronize(to2));                                                                                \
        for (int y = 0; y < h; y++)                                                                                    \
            for (int i = 0; i < w; i++)                                                                                \
                plane_##T((amp_index2){y, i}, h, w, (const T(*)[w])a, (T(*)[w])want);                                  \
        CHECK_BYTES(got, want, h *w, "plane of " #T ", %d", n);                                                        \
        amp_array_view_release(x);                                                                                     \
        amp_array_view_release(to);                                                                                    \
        amp_array_view_release(x2);                                                                                    \
        amp_array_view_release(to2);                                                                                   \
        check_free_all();                                                                                              \
    }

ARRAYS(byte)
ARRAYS(int)
ARRAYS(double)

/* These stay in one piece: members of two sizes, words of several elements, a choice between two arrays. */
struct mixed {
    double x;
    int n;
};

static void in_pieces(amp_index1 idx, int n, int m, const int a[n], int out[n]) restrict(cpu, amp)
{
    struct mixed rows[5];
    unsigned char bytes[16], others[16];
    int i = idx[0], sum = 0;
    for (int k = 0; k < 5; k++)
        rows[k] = (struct mixed){a[(i + k) % n] * 0.5, k};
    for (int k = 0; k < 16; k++)
        bytes[k] = (unsigned char)(a[(i + k) % n] + k), others[k] = (unsigned char)k;
    for (int k = 0; k < m; k++) {
        unsigned word;
        memcpy(&word, &bytes[4 * ((k + i) % 4)], sizeof word);
        const unsigned char *one = (k + i) % 3 ? bytes : others;
        sum += (int)(word % 1000) + one[k % 16] + rows[k % 5].n + (int)rows[(k + i) % 5].x;
        bytes[k % 16]++;
    }
    out[i] = sum;
}

static void check_pieces(int n)
{
    int *a = check_alloc((size_t)n * sizeof *a), *got = check_alloc((size_t)n * sizeof *got),
        *want = check_alloc((size_t)n * sizeof *want);
    for (int i = 0; i < n; i++)
        a[i] = (i * i + 7 * i) % 101;
    amp_array_view *x = amp_array_view1(n, (const int *)a), *to = amp_array_view1(n, got);
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), in_pieces, n % 40, x, to));
    CHECK_OK(amp_synchronize(to));
    for (int i = 0; i < n; i++)
        in_pieces((amp_index1){i}, n, n % 40, a, want);
    CHECK_BYTES(got, want, n, "in pieces, %d", n);
    amp_array_view_release(x);
    amp_array_view_release(to);
    check_free_all();
}

int main(void)
{
    EACH_EXTENT(n) {
        check_byte(n);
        check_int(n);
        check_double(n);
        check_pieces(n);
    }
    return 0;
}
