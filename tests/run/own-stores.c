/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Wextra -Werror %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O3 --amp-cpu=native --amp-lanes=32 %s -o %t && %run-native %t
 *
 * Stores by data: where all threads have read their elements before, lanes that are off may store theirs as they were;
 * elsewhere they leave them alone, because another thread may store to them, or they lie beyond the array. */
#include "check.h"

typedef unsigned char uchar;

#define DEFINE(T)                                                                                                      \
    static void T##_own(amp_index1 idx, int n, T limit, const T a[n], T out[n]) restrict(cpu, amp)                     \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        if (a[i] < out[i] && a[i] != limit)                                                                            \
            out[i] = a[i];                                                                                             \
    }                                                                                                                  \
    /* Neighbours store to each other's elements, under conditions that exclude one another. */                        \
    static void T##_swapped(amp_index1 idx, int n, T limit, const T a[n], T out[n]) restrict(cpu, amp)                 \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        if (a[i] > limit)                                                                                              \
            out[i] = a[i];                                                                                             \
        if (i > 0 && !(a[i - 1] > limit))                                                                              \
            out[i - 1] = (T)(a[i] + 1);                                                                                \
    }                                                                                                                  \
    /* Only some threads read theirs. */                                                                               \
    static void T##_partly(amp_index1 idx, int n, T limit, const T a[n], T out[n]) restrict(cpu, amp)                  \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        T value = limit;                                                                                               \
        if (a[i] > limit)                                                                                              \
            value = (T)(out[i] + 1);                                                                                   \
        if (value > limit)                                                                                             \
            out[i] = value;                                                                                            \
        else if (i + 1 < n && a[i + 1] <= limit)                                                                       \
            out[i + 1 - 1] = a[i + 1];                                                                                 \
    }                                                                                                                  \
    static void T##_plane(amp_index2 idx, int m, int n, int k, T d[m][n]) restrict(cpu, amp)                           \
    {                                                                                                                  \
        T via = (T)(d[idx[0]][k] + d[k][idx[1]]);                                                                      \
        if (via < d[idx[0]][idx[1]])                                                                                   \
            d[idx[0]][idx[1]] = via;                                                                                   \
    }                                                                                                                  \
    static void T##_compare(int n)                                                                                     \
    {                                                                                                                  \
        T *a = check_alloc(n * sizeof(T)), *out = check_alloc(n * sizeof(T)), *want = check_alloc(n * sizeof(T));      \
        amp_array_view *from = amp_array_view1(n, (const T *)a), *to = amp_array_view1(n, out);                        \
        for (int k = 0; k < 12; k++) {                                                                                 \
            T limit = (T)(k / 3 * 20);                                                                                 \
            for (int i = 0; i < n; i++) {                                                                              \
                a[i] = (T)(k % 4 == 3 ? 1 : i * 37 % 61);                                                              \
                out[i] = want[i] = (T)(i * 11 % 50);                                                                   \
            }                                                                                                          \
            amp_refresh(from);                                                                                         \
            amp_refresh(to);                                                                                           \
            CHECK_OK(k % 3 == 0   ? amp_parallel_for_each(amp_extent1(n), T##_own, limit, from, to)                    \
                     : k % 3 == 1 ? amp_parallel_for_each(amp_extent1(n), T##_swapped, limit, from, to)                \
                                  : amp_parallel_for_each(amp_extent1(n), T##_partly, limit, from, to));               \
            CHECK_OK(amp_synchronize(to));                                                                             \
            for (int i = 0; i < n; i++)                                                                                \
                (k % 3 == 0 ? T##_own : k % 3 == 1 ? T##_swapped : T##_partly)((amp_index1){i}, n, limit, a, want);    \
            CHECK_BYTES(out, want, n, #T ", kernel %d, %d elements, limit %d", k % 3, n, (int)limit);                  \
        }                                                                                                              \
        amp_array_view_release(from);                                                                                  \
        amp_array_view_release(to);                                                                                    \
        check_free_all();                                                                                              \
    }                                                                                                                  \
    static void T##_paths(int n)                                                                                       \
    {                                                                                                                  \
        T *d = check_alloc(n * n * sizeof(T)), *want = check_alloc(n * n * sizeof(T));                                 \
        amp_array_view *to = amp_array_view2(n, n, d);                                                                 \
        for (int i = 0; i < n * n; i++)                                                                                \
            d[i] = want[i] = (T)(i / n == i % n ? 0 : 1 + i * 31 % 97);                                                \
        for (int k = 0; k < n; k++) {                                                                                  \
            CHECK_OK(amp_parallel_for_each(amp_extent2(n, n), T##_plane, k, to));                                      \
            for (int i = 0; i < n * n; i++)                                                                            \
                T##_plane((amp_index2){i / n, i % n}, n, n, k, (void *)want);                                          \
        }                                                                                                              \
        CHECK_OK(amp_synchronize(to));                                                                                 \
        CHECK_BYTES(d, want, n * n, #T ", paths between %d nodes", n);                                                 \
        amp_array_view_release(to);                                                                                    \
        check_free_all();                                                                                              \
    }

/* What is read for an atomic operation may be changed by others' atomic operations meanwhile. */
static void counted(amp_index1 idx, int n, const int own[n], int x[n]) restrict(amp)
{
    int i = idx[0], old = x[i], other = (i + n / 2) % n;
    if (own[i])
        x[i] = old + 5;
    else
        while (!amp_atomic_compare_exchange(&x[i], &old, old + 1)) {
        }
    if (!own[other])
        amp_atomic_fetch_add(&x[other], 16);
}

static void check_counted(void)
{
    enum { N = 1 << 18 };
    static int own[N], x[N], want[N];
    amp_array_view *of = amp_array_view1(N, (const int *)own), *to = amp_array_view1(N, x);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < N; i++) {
            own[i] = i % 3 == 0;
            x[i] = 0;
            want[i] = own[i] ? 5 : 17;
        }
        amp_refresh(of);
        amp_refresh(to);
        CHECK_OK(amp_parallel_for_each(amp_extent1(N), counted, of, to));
        CHECK_OK(amp_synchronize(to));
        CHECK_INTS(x, want, N, "counted, round %d", round);
    }
    amp_array_view_release(of);
    amp_array_view_release(to);
}

DEFINE(uchar)
DEFINE(short)
DEFINE(int)
DEFINE(float)
DEFINE(double)

int main(void)
{
    static const int sizes[] = {1, 7, 16, 33, 64, 100, 259};
    for (unsigned s = 0; s < LENGTH(sizes); s++) {
        uchar_compare(sizes[s]);
        short_compare(sizes[s]);
        int_compare(sizes[s]);
        float_compare(sizes[s]);
        double_compare(sizes[s]);
    }
    for (int n = 3; n < 80; n += 19) {
        uchar_paths(n);
        short_paths(n);
        int_paths(n);
        float_paths(n);
        double_paths(n);
    }
    check_counted();
    return 0;
}
