/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off -Wall -Wextra -Werror %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off --amp-lanes=2 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O1 -ffp-contract=off --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off --amp-lanes=8 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O3 -ffp-contract=off --amp-lanes=16 --amp-cpu=native %s -o %t && %run-native %t
 *
 * Members of structs that are large, or lie at unrelated places: each lane's are loaded and stored together, and
 * nothing beyond them, because the first and the last struct are at the ends of the memory that there is. */
#include "check.h"

#define MEMBERS(T)                                                                                                     \
    struct six_##T {                                                                                                   \
        T a, b, c, d, e, f;                                                                                            \
    };                                                                                                                 \
    /* Two, three and four neighbours; two with a gap; one alone. */                                                   \
    static void reads_##T(amp_index1 idx, int n, const int at[n], const struct six_##T in[n], T out[n])                \
        restrict(cpu, amp)                                                                                             \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        const struct six_##T *two = &in[at[i]], *three = &in[at[n - 1 - i]], *four = &in[n - 1 - i];                   \
        T sum = (T)(two->c + two->d * 2);                                                                              \
        sum = (T)(sum + three->f + three->e * 2 + three->d * 3);                                                       \
        sum = (T)(sum - four->c - four->d * 2 - four->e - four->f);                                                    \
        out[i] = (T)(sum + in[i].a + in[i].d * 2 + in[at[(i + 1) % n]].b + in[at[(i + 2) % n]].f);                     \
    }                                                                                                                  \
    /* Threads leave the loop at different times, and take different branches in it. */                                \
    static void some_##T(amp_index1 idx, int n, const int at[n], const struct six_##T in[n], T out[n])                 \
        restrict(cpu, amp)                                                                                             \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        T sum = 0;                                                                                                     \
        for (int k = i % 7 ? 0 : n; k < at[i] % 5; k++) {                                                              \
            const struct six_##T *p = &in[at[(i + k) % n]];                                                            \
            sum = (T)(sum / 2 + p->b + p->c);                                                                          \
            if (at[(i + k) % n] % 3)                                                                                   \
                sum = (T)(sum / 2 + p->d + p->e - p->f);                                                               \
        }                                                                                                              \
        out[i] = sum;                                                                                                  \
    }                                                                                                                  \
    /* `at` is a permutation. */                                                                                       \
    static void writes_##T(amp_index1 idx, int n, const int at[n], const struct six_##T in[n], struct six_##T out[n])  \
        restrict(cpu, amp)                                                                                             \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        const struct six_##T *p = &in[i];                                                                              \
        struct six_##T *q = &out[at[i]];                                                                               \
        q->b = (T)(p->a + q->b);                                                                                       \
        q->a = p->f;                                                                                                   \
        if (p->c > p->d) {                                                                                             \
            q->f = (T)(p->c - p->d);                                                                                   \
            q->e = p->e;                                                                                               \
            q->d = (T)(p->b / 2);                                                                                      \
            q->c = q->f;                                                                                               \
        }                                                                                                              \
        q->d = (T)(q->d + 1);                                                                                          \
        q->e = (T)(q->e + q->d);                                                                                       \
        q->f = p->a;                                                                                                   \
    }                                                                                                                  \
    /* Structs one after another, forwards and backwards. */                                                           \
    static void copies_##T(amp_index1 idx, int n, const struct six_##T in[n], struct six_##T out[n])                   \
        restrict(cpu, amp)                                                                                             \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        const struct six_##T *p = &in[n - 1 - i];                                                                      \
        struct six_##T *q = &out[i];                                                                                   \
        q->a = p->b, q->b = p->c, q->c = p->d, q->d = p->a;                                                            \
        q->e = (T)(p->e + in[i].e), q->f = (T)(p->f - in[i].f);                                                        \
    }                                                                                                                  \
    static void check_##T(int n)                                                                                       \
    {                                                                                                                  \
        struct six_##T *in = check_alloc((size_t)n * sizeof *in), *got = check_alloc((size_t)n * sizeof *got),         \
                       *want = check_alloc((size_t)n * sizeof *want);                                                  \
        T *sums = check_alloc((size_t)n * sizeof *sums), *wanted = check_alloc((size_t)n * sizeof *wanted);            \
        int *at = check_alloc((size_t)n * sizeof *at);                                                                 \
        for (int i = 0; i < n; i++) {                                                                                  \
            T v[6];                                                                                                    \
            for (int k = 0; k < 6; k++)                                                                                \
                v[k] = (T)((i * i + 7 * i + 31 * k) % 17);                                                             \
            in[i] = (struct six_##T){v[0], v[1], v[2], v[3], v[4], v[5]};                                              \
            got[i] = want[i] = (struct six_##T){v[5], v[4], v[3], v[2], v[1], v[0]};                                   \
            at[i] = i % 2 ? n - i - n % 2 : i;                                                                     \
        }                                                                                                              \
        amp_array_view *x = amp_array_view1(n, (const struct six_##T *)in), *y = amp_array_view1(n, got),              \
                       *to = amp_array_view1(n, sums), *where = amp_array_view1(n, (const int *)at);                   \
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), reads_##T, where, x, to));                                      \
        CHECK_OK(amp_synchronize(to));                                                                                 \
        for (int i = 0; i < n; i++)                                                                                    \
            reads_##T((amp_index1){i}, n, at, in, wanted);                                                             \
        CHECK_BYTES(sums, wanted, n, "reads of " #T ", %d", n);                                                        \
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), some_##T, where, x, to));                                       \
        CHECK_OK(amp_synchronize(to));                                                                                 \
        for (int i = 0; i < n; i++)                                                                                    \
            some_##T((amp_index1){i}, n, at, in, wanted);                                                              \
        CHECK_BYTES(sums, wanted, n, "some of " #T ", %d", n);                                                         \
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), writes_##T, where, x, y));                                      \
        CHECK_OK(amp_synchronize(y));                                                                                  \
        for (int i = 0; i < n; i++)                                                                                    \
            writes_##T((amp_index1){i}, n, at, in, want);                                                              \
        CHECK_BYTES(got, want, n, "writes of " #T ", %d", n);                                                          \
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), copies_##T, x, y));                                             \
        CHECK_OK(amp_synchronize(y));                                                                                  \
        for (int i = 0; i < n; i++)                                                                                    \
            copies_##T((amp_index1){i}, n, in, want);                                                                  \
        CHECK_BYTES(got, want, n, "copies of " #T ", %d", n);                                                          \
        amp_array_view_release(x);                                                                                     \
        amp_array_view_release(y);                                                                                     \
        amp_array_view_release(to);                                                                                    \
        amp_array_view_release(where);                                                                                 \
        check_free_all();                                                                                              \
    }

EACH_SIZE(MEMBERS)

#define CHECK_TYPE(T) check_##T(n);

int main(void)
{
    EACH_EXTENT(n) {
        EACH_SIZE(CHECK_TYPE)
    }
    return 0;
}
