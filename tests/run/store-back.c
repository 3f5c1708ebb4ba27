/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Wextra -Werror %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O1 --amp-lanes=8 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O3 -ffast-math --amp-cpu=native %s -o %t && %run-native %t finite
 *
 * Branches that only decide about a store to an element that the thread has read: minima and maxima, with either side
 * first, and other conditions; and such that come close, where something is written in between, or the element is
 * another one. */
#include "check.h"

/* Launches a kernel with two arrays, or with one in both places, and compares with plain C. */
#define CHECK_STORES(kernel, last, has_second)                                                                         \
    CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), kernel, k, from, to, last));                                     \
    CHECK_OK(amp_synchronize(to));                                                                                     \
    CHECK_OK(amp_synchronize(second));                                                                                 \
    for (int i = 0; i < m * n; i++)                                                                                    \
        kernel((amp_index2){i / n, i % n}, m, n, k, (void *)a, (void *)out[1], (void *)(has_second ? other : out)[1]); \
    CHECK_BYTES(out[0], out[1], m *n, #kernel ", %d x %d", m, n);                                                      \
    CHECK_BYTES(other[0], other[1], m *n, #kernel ", %d x %d: other", m, n)

#define ROWS(T, name)                                                                                                  \
    static void T##_##name(amp_index2 idx, int m, int n, int k, const T a[m][n], T out[m][n], T other[m][n])           \
        restrict(cpu, amp)

#define DEFINE(T)                                                                                                      \
    ROWS(T, least)                                                                                                     \
    {                                                                                                                  \
        T old = out[idx[0]][idx[1]], new = (T)(a[idx[0]][idx[1]] + a[idx[0]][k]);                                      \
        if (new < old)                                                                                                 \
            out[idx[0]][idx[1]] = new;                                                                                 \
        other[idx[0]][idx[1]] = old;                                                                                   \
    }                                                                                                                  \
    ROWS(T, most)                                                                                                      \
    {                                                                                                                  \
        T *at = &out[idx[0]][idx[1]];                                                                                  \
        if (*at < a[idx[0]][idx[1]])                                                                                   \
            *at = a[idx[0]][idx[1]];                                                                                   \
        (void)k, (void)other;                                                                                          \
    }                                                                                                                  \
    /* Nothing is done if the condition holds, and what is compared is not what is stored. */                          \
    ROWS(T, not_less)                                                                                                  \
    {                                                                                                                  \
        T old = out[idx[0]][idx[1]];                                                                                   \
        if (old <= a[idx[0]][idx[1]] || idx[1] == k)                                                                   \
            return;                                                                                                    \
        out[idx[0]][idx[1]] = (T)(a[idx[0]][idx[1]] * 2);                                                              \
        (void)other;                                                                                                   \
    }                                                                                                                  \
    /* For each round of a loop, in which elements get smaller; then for both of two. */                               \
    ROWS(T, in_loop)                                                                                                   \
    {                                                                                                                  \
        for (int i = 0; i < n; i++) {                                                                                  \
            T new = (T)(a[idx[0]][i] + (i ^ idx[1]) % 7);                                                              \
            if (new < out[idx[0]][idx[1]])                                                                             \
                out[idx[0]][idx[1]] = new;                                                                             \
        }                                                                                                              \
        if (other[idx[0]][idx[1]] > out[idx[0]][idx[1]])                                                               \
            other[idx[0]][idx[1]] = out[idx[0]][idx[1]];                                                               \
        (void)k;                                                                                                       \
    }                                                                                                                  \
    /* What the thread has read is not there any more. */                                                              \
    ROWS(T, changed)                                                                                                   \
    {                                                                                                                  \
        T old = out[idx[0]][idx[1]];                                                                                   \
        out[idx[0]][idx[1]] = (T)(old + 1);                                                                            \
        if (a[idx[0]][idx[1]] < old)                                                                                   \
            out[idx[0]][idx[1]] = a[idx[0]][idx[1]];                                                                   \
        (void)k, (void)other;                                                                                          \
    }                                                                                                                  \
    /* It has read one element and stores to another, or `other` may be the same array. */                             \
    ROWS(T, next)                                                                                                      \
    {                                                                                                                  \
        T old = out[idx[0]][idx[1]];                                                                                   \
        other[idx[0]][idx[1]] = (T)(a[idx[0]][idx[1]] + 1);                                                            \
        if (a[idx[0]][idx[1]] < old)                                                                                   \
            out[idx[0]][idx[1]] = a[idx[0]][idx[1]];                                                                   \
        (void)k;                                                                                                       \
    }                                                                                                                  \
    static void T##_stores(int m, int n, int k, bool nan)                                                           \
    {                                                                                                                  \
        T *a = check_alloc(m * n * sizeof(T)), *out[2], *other[2];                                                     \
        for (int i = 0; i < 2; i++) {                                                                                  \
            out[i] = check_alloc(m * n * sizeof(T));                                                                   \
            other[i] = check_alloc(m * n * sizeof(T));                                                                 \
        }                                                                                                              \
        for (int i = 0; i < m * n; i++) {                                                                              \
            a[i] = (T)(i * 31 % 23 - 5);                                                                               \
            out[0][i] = out[1][i] = (T)(i * 7 % 19 - 3);                                                               \
            other[0][i] = other[1][i] = (T)(i * 5 % 11 - 8);                                                           \
        }                                                                                                              \
        for (int i = 3; nan && i < m * n; i += 17) {                                                               \
            a[i] = (T)NAN;                                                                                             \
            out[0][i / 2] = out[1][i / 2] = (T)NAN;                                                                    \
        }                                                                                                              \
        amp_array_view *from = amp_array_view2(m, n, (const T *)a), *to = amp_array_view2(m, n, out[0]),               \
                       *second = amp_array_view2(m, n, other[0]);                                                      \
        CHECK_STORES(T##_least, second, 1);                                                                            \
        CHECK_STORES(T##_most, second, 1);                                                                             \
        CHECK_STORES(T##_not_less, second, 1);                                                                         \
        CHECK_STORES(T##_next, second, 1);                                                                             \
        CHECK_STORES(T##_next, to, 0);                                                                                 \
        CHECK_STORES(T##_changed, second, 1);                                                                          \
        CHECK_STORES(T##_in_loop, second, 1);                                                                          \
        amp_array_view_release(from);                                                                                  \
        amp_array_view_release(to);                                                                                    \
        amp_array_view_release(second);                                                                                \
        check_free_all();                                                                                              \
    }

typedef signed char schar;
DEFINE(schar)
DEFINE(int)
DEFINE(float)
DEFINE(double)

/* What is there may have another type than what is stored: then the compiler must not move a load past the store. */
typedef union {
    int number;
    float real;
} word;

static void punned(amp_index1 idx, int n, int limit, word w[n], float reals[n]) restrict(cpu, amp)
{
    int old = w[idx[0]].number;
    if (old > limit)
        w[idx[0]].number = limit;
    reals[idx[0]] = w[idx[0]].real;
}

static void check_punned(int n)
{
    word *words = check_alloc(n * sizeof *words), *want = check_alloc(n * sizeof *want);
    float *reals[2] = {check_alloc(n * sizeof(float)), check_alloc(n * sizeof(float))};
    for (int i = 0; i < n; i++)
        words[i].real = want[i].real = (float)(i % 13) - 4;
    amp_array_view *view = amp_array_view1(n, words), *to = amp_array_view1(n, reals[0]);
    int limit = 0x40000000;
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), punned, limit, view, to));
    CHECK_OK(amp_synchronize(view));
    CHECK_OK(amp_synchronize(to));
    for (int i = 0; i < n; i++)
        punned((amp_index1){i}, n, limit, want, reals[1]);
    CHECK_BYTES(words, want, n, "punned, %d words", n);
    CHECK_BYTES(reals[0], reals[1], n, "punned, %d reals", n);
    amp_array_view_release(view);
    amp_array_view_release(to);
    check_free_all();
}

int main(int argc, char **argv)
{
    bool is_finite = argc > 1 && !strcmp(argv[1], "finite");
    static const int lengths[] = {1, 2, 7, 16, 33, 64, 129};
    for (int l = 0; l < LENGTH(lengths); l++)
        for (int m = 1; m < 10; m += 4) {
            int n = lengths[l], k = n / 2;
            schar_stores(m, n, k, false);
            int_stores(m, n, k, false);
            float_stores(m, n, k, !is_finite);
            double_stores(m, n, k, !is_finite);
        }
    check_punned(100);
    return 0;
}
