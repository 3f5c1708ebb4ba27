/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Arrays of every element type: loaded, computed with, stored, under masks, with gathers and scatters. */
#include "check.h"

#define FOR_EACH_TYPE(X)                                                                                               \
    X(bool, b) X(char, c) X(int8_t, i8) X(uint8_t, u8) X(int16_t, i16) X(uint16_t, u16) X(int32_t, i32)                \
    X(uint32_t, u32) X(int64_t, i64) X(uint64_t, u64) X(_Float16, h) X(__bf16, bf) X(float, f) X(double, d)

#define KERNELS(T, suffix)                                                                                             \
    static void copy_##suffix(amp_index1 idx, int N, const T a[N], const T b[N], T out[N]) restrict(cpu, amp)          \
    {                                                                                                                  \
        out[idx[0]] = a[idx[0]];                                                                                       \
    }                                                                                                                  \
    static void sum_##suffix(amp_index1 idx, int N, const T a[N], const T b[N], T out[N]) restrict(cpu, amp)           \
    {                                                                                                                  \
        out[idx[0]] = (T)(a[idx[0]] + b[idx[0]] * 3);                                                                  \
    }                                                                                                                  \
    static void masked_##suffix(amp_index1 idx, int N, const T a[N], const T b[N], T out[N]) restrict(cpu, amp)        \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        if (a[i] > b[i])                                                                                               \
            out[i] = a[i];                                                                                             \
        else if (i % 3)                                                                                                \
            out[i] = (T)-b[N - 1 - i];                                                                                 \
    }                                                                                                                  \
    static void scattered_##suffix(amp_index1 idx, int N, const T a[N], const T b[N], T out[N]) restrict(cpu, amp)     \
    {                                                                                                                  \
        int i = idx[0], at = (int)(i * 211l % N);                                                                      \
        if (i % 5 != 1)                                                                                                \
            out[at] = a[at] < b[i] ? a[N - 1 - at] : b[0];                                                             \
    }                                                                                                                  \
    static void loop_##suffix(amp_index1 idx, int N, const T a[N], const T b[N], T out[N]) restrict(cpu, amp)          \
    {                                                                                                                  \
        T x = a[idx[0]];                                                                                               \
        for (int k = 0; k < N && k < 9; k++)                                                                           \
            x = (T)(k % 2 ? x + b[k] : x - a[k]);                                                                      \
        out[idx[0]] = x;                                                                                               \
    }
FOR_EACH_TYPE(KERNELS)

#define TEST(T, suffix)                                                                                                \
    {                                                                                                                  \
        typedef void kernel(const int *, int, const T *, const T *, T *);                                              \
        kernel *const all[] = {copy_##suffix, sum_##suffix, masked_##suffix, scattered_##suffix, loop_##suffix};       \
        EACH_EXTENT(n) {                                                                                               \
            T *a = check_alloc(n * sizeof(T)), *b = check_alloc(n * sizeof(T)), *out = check_alloc(n * sizeof(T));     \
            T *want = check_alloc(n * sizeof(T));                                                                      \
            for (int i = 0; i < n; i++) {                                                                              \
                /* values of the whole range; a negative number has no meaning in an unsigned type */                  \
                a[i] = (T)(uint64_t)(check_value(i) + 500);                                                            \
                b[i] = (T)(uint64_t)(check_value(i + 70) + 500);                                                       \
                out[i] = want[i] = (T)7;                                                                               \
            }                                                                                                          \
            amp_array_view *v[] = {amp_array_view1(n, (const T *)a), amp_array_view1(n, (const T *)b),                 \
                                   amp_array_view1(n, out)};                                                           \
            for (int k = 0; k < LENGTH(all); k++) {                                                                    \
                CHECK_OK(amp_parallel_for_each(amp_extent1(n), all[k], v[0], v[1], v[2]));                             \
                for (int i = 0; i < n; i++)                                                                            \
                    all[k]((amp_index1){i}, n, a, b, want);                                                            \
                CHECK_BYTES(out, want, n, "kernel %d for " #T ", extent %d", k, n);                                    \
            }                                                                                                          \
            for (int i = 0; i < 3; i++)                                                                                \
                amp_array_view_release(v[i]);                                                                          \
            check_free_all();                                                                                          \
        }                                                                                                              \
    }

int main(void)
{
    FOR_EACH_TYPE(TEST)
    return 0;
}
