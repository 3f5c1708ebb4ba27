/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Wextra -Werror %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O1 --amp-lanes=8 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O3 --amp-cpu=native %s -o %t && %run-native %t
 *
 * Arrays of structs with three members, and with five: lanes load all that lies between their members, as vectors whose
 * length is no power of two, and nothing beyond the end of the array. */
#include "check.h"

#define MEMBERS(T)                                                                                                     \
    struct three_##T {                                                                                                 \
        T x, y, z;                                                                                                     \
    };                                                                                                                 \
    struct five_##T {                                                                                                  \
        T a, b, c, d, e;                                                                                               \
    };                                                                                                                 \
    static void of_three_##T(amp_index1 idx, int n, const struct three_##T in[n], T out[n]) restrict(cpu, amp)         \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        out[i] = (T)((in[i].x * 3 + in[i].y * 4 + in[i].z) / 8);                                                       \
    }                                                                                                                  \
    static void of_five_##T(amp_index1 idx, int n, const struct five_##T in[n], T out[n]) restrict(cpu, amp)           \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        out[i] = (T)(in[i].a + in[i].b * 2 + in[i].c * 3 - in[i].d + in[i].e);                                         \
    }                                                                                                                  \
    static void check_##T(int n)                                                                                       \
    {                                                                                                                  \
        struct three_##T *three = check_alloc((size_t)n * sizeof *three);                                              \
        struct five_##T *five = check_alloc((size_t)n * sizeof *five);                                                 \
        T *got = check_alloc((size_t)n * sizeof *got), *want = check_alloc((size_t)n * sizeof *want);                  \
        for (int i = 0; i < n; i++) {                                                                                  \
            T v[5];                                                                                                    \
            for (int k = 0; k < 5; k++)                                                                                \
                v[k] = (T)((i * i + 7 * i + 31 * k) % 101);                                                            \
            three[i] = (struct three_##T){v[0], v[1], v[2]};                                                           \
            five[i] = (struct five_##T){v[4], v[3], v[2], v[1], v[0]};                                                 \
        }                                                                                                              \
        amp_array_view *x = amp_array_view1(n, (const struct three_##T *)three),                                       \
                       *y = amp_array_view1(n, (const struct five_##T *)five), *to = amp_array_view1(n, got);          \
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), of_three_##T, x, to));                                          \
        CHECK_OK(amp_synchronize(to));                                                                                 \
        for (int i = 0; i < n; i++)                                                                                    \
            of_three_##T((amp_index1){i}, n, three, want);                                                             \
        CHECK_BYTES(got, want, n, "three of " #T ", %d", n);                                                           \
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), of_five_##T, y, to));                                           \
        CHECK_OK(amp_synchronize(to));                                                                                 \
        for (int i = 0; i < n; i++)                                                                                    \
            of_five_##T((amp_index1){i}, n, five, want);                                                               \
        CHECK_BYTES(got, want, n, "five of " #T ", %d", n);                                                            \
        amp_array_view_release(x);                                                                                     \
        amp_array_view_release(y);                                                                                     \
        amp_array_view_release(to);                                                                                    \
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
