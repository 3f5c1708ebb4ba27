/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Integer division and remainder: by varying and uniform divisors, under masks that exclude zeros and overflows. */
#include "check.h"

#define KERNEL(T, name)                                                                                                \
    static void name(amp_index1 idx, int N, const T a[N], const T b[N], T out[N]) restrict(cpu, amp)

#define KERNELS(T, U)                                                                                                  \
    KERNEL(T, guarded_##T)                                                                                             \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        if (b[i] != 0)                                                                                                 \
            out[i] = a[i] / b[i] + 3 * (a[i] % b[i]);                                                                  \
    }                                                                                                                  \
    KERNEL(T, conditional_##T)                                                                                         \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        out[i] = a[i] > 0 ? b[i] > 0 ? a[i] / (b[i] + 1) : a[i] - b[i] : b[i] ? a[i] % b[i] : 0;                       \
    }                                                                                                                  \
    KERNEL(T, by_index_##T)                                                                                            \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        if (i > 0)                                                                                                     \
            out[i] = a[i] / i - N % i;                                                                                 \
    }                                                                                                                  \
    KERNEL(T, uniform_divisor_##T)                                                                                     \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        out[i] = a[i] / N + a[i] % 7 - b[i] / -16;                                                                     \
        if (b[0] != 0 && a[i] > 0)                                                                                     \
            out[i] += a[i] / b[0];                                                                                     \
    }                                                                                                                  \
    KERNEL(T, uniform_but_masked_##T)                                                                                  \
    {                                                                                                                  \
        int i = idx[0], k = N - 1;                                                                                     \
        if (a[i] > 1000)                                                                                               \
            out[i] = N / (k - k) + (T)(N % (b[i] - b[i]));                                                             \
        else                                                                                                           \
            out[i] = N / (k + 1);                                                                                      \
    }                                                                                                                  \
    KERNEL(T, unsigned_##T)                                                                                            \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        U x = (U)a[i], y = (U)b[i];                                                                                    \
        if (y != 0 && x != 1)                                                                                          \
            out[i] = (T)(x / y ^ x % y);                                                                               \
    }                                                                                                                  \
    KERNEL(T, in_loop_##T)                                                                                             \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        T x = a[i] < 0 ? -a[i] : a[i], y = b[i] < 0 ? -b[i] : b[i];                                                    \
        while (y) {                                                                                                    \
            T rest = x % y;                                                                                            \
            x = y;                                                                                                     \
            y = rest;                                                                                                  \
        }                                                                                                              \
        out[i] = x;                                                                                                    \
    }

KERNELS(int, unsigned)
KERNELS(wide, unsigned long long)

static void narrow(amp_index1 idx, int N, const int8_t a[N], const uint16_t b[N], const int64_t c[N], int64_t out[N])
    restrict(cpu, amp)
{
    int i = idx[0];
    if (b[i])
        out[i] = a[i] / b[i] + a[i] % b[i];
    if (a[i] && !(a[i] == -1 && c[i] == INT64_MIN))
        out[i] += c[i] / a[i] - c[i] % a[i];
}

int main(void)
{
#define ALL(T)                                                                                                         \
    CHECK_KERNEL(T, guarded_##T);                                                                                      \
    CHECK_KERNEL(T, conditional_##T);                                                                                  \
    CHECK_KERNEL(T, by_index_##T);                                                                                     \
    CHECK_KERNEL(T, uniform_divisor_##T);                                                                              \
    CHECK_KERNEL(T, uniform_but_masked_##T);                                                                           \
    CHECK_KERNEL(T, unsigned_##T);                                                                                     \
    CHECK_KERNEL(T, in_loop_##T)
    ALL(int);
    ALL(wide);
    EACH_EXTENT(n) {
        int8_t *a = check_alloc(n * sizeof *a);
        uint16_t *b = check_alloc(n * sizeof *b);
        int64_t *c = check_alloc(n * sizeof *c), *out = check_alloc(n * sizeof *out),
                *want = check_alloc(n * sizeof *c);
        for (int i = 0; i < n; i++) {
            a[i] = (int8_t)(i * 37);
            if (i % 6 == 5)
                a[i] = -1;
            b[i] = (uint16_t)(i % 4 == 3 ? 0 : i * 999);
            c[i] = i % 3 ? INT64_MIN : check_value(i) * 12345678901;
            out[i] = want[i] = 0;
        }
        amp_array_view *v[] = {amp_array_view1(n, (const int8_t *)a), amp_array_view1(n, (const uint16_t *)b),
                               amp_array_view1(n, (const int64_t *)c), amp_array_view1(n, out)};
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), narrow, v[0], v[1], v[2], v[3]));
        for (int i = 0; i < n; i++)
            narrow((amp_index1){i}, n, a, b, c, want);
        CHECK_INTS(out, want, n, "narrow, extent %d", n);
        for (int i = 0; i < LENGTH(v); i++)
            amp_array_view_release(v[i]);
        check_free_all();
    }
    return 0;
}
