/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O1 --amp-lanes=8 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O3 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 -fwrapv --amp-cpu=native %s -o %t && %run-native %t
 *
 * Ints that fit into 16 bits, or just do not, from bytes and shorts, by every operation; more lanes for bytes. */
#include "check.h"

enum { N = 1000 };

static int smaller(int a, int b) restrict(cpu, amp)
{
    return a < b ? a : b;
}

static int larger(int a, int b) restrict(cpu, amp)
{
    return a > b ? a : b;
}

static int absolute(int a) restrict(cpu, amp)
{
    return a < 0 ? -a : a;
}

static int of_bytes(int k, int a, int b, int c) restrict(cpu, amp)
{
    switch (k) {
    case 0:
        return a + 2 * b - c > 300;
    case 1: /* at most 65025 */
        return (a * b) >> 8;
    case 2:
        return smaller(absolute(a - b) + absolute(b - c), 255);
    case 3:
        return a * 127 + b * 2 < c * 128;
    case 4:
        return (a * 77 + b * 150 + c * 29) >> 8;
    case 5:
        return (a << 7) - (b << 7) + c;
    case 6:
        return (unsigned)(a - b) > 200u;
    case 7:
        return (a ^ b) + (a & ~c) - (b | c);
    case 8:
        return larger(a - 255, smaller(b - c, -7)) >> 3;
    case 9:
        return (a - b) / 3 + (a + b + c) % 7;
    case 10:
        return (unsigned)(a + b) * 3u > (unsigned)c * 5u ? a : -c;
    case 11:
        return a * 128 + 127;
    case 12:
        return a * 129;
    case 13:
        return ((a - b) >> 20) + ((a + b) >> 17);
    case 14:
        return (b - c) >> 15 < a ? (a - b) >> 16 : (a << 15) >> 31;
    default:
        return -(a * 128) - 128;
    }
}

static int of_shorts(int k, int a, int b, int c) restrict(cpu, amp)
{
    switch (k % 6) {
    case 0:
        return a + b > c;
    case 1:
        return smaller(larger(a, b), c) - 1;
    case 2:
        return absolute(a) < absolute(b) ? a >> 5 : b >> 9;
    case 3:
        return (a & 255) * (b & 127) - (c & 0x7fff);
    case 4:
        return (a >> 1) - (b >> 1);
    default:
        return a > 100 ? 100 : a < -100 ? -100 : a;
    }
}

#define DEFINE(T, U, of)                                                                                               \
    static void T##_to_##U(amp_index1 idx, int k, int n, const T a[n], const T b[n], const T c[n], U out[n])           \
        restrict(cpu, amp)                                                                                             \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        out[i] = (U)of(k, a[i], b[i], c[i]);                                                                           \
    }                                                                                                                  \
    static void T##_to_##U##_if(amp_index1 idx, int k, int n, const T a[n], const T b[n], const T c[n], U out[n])      \
        restrict(cpu, amp)                                                                                             \
    {                                                                                                                  \
        int i = idx[0], next = i < n - 1 ? i + 1 : 0;                                                                  \
        U old = out[i];                                                                                                \
        if (of(k, a[i], b[next], c[i]) > old)                                                                          \
            out[i] = (U)(of(k + 1, a[next], b[i], c[i]) + old);                                                        \
    }                                                                                                                  \
    static void T##_to_##U##_check(int n)                                                                              \
    {                                                                                                                  \
        T *a = check_alloc(n * sizeof(T)), *b = check_alloc(n * sizeof(T)), *c = check_alloc(n * sizeof(T));           \
        U *out = check_alloc(n * sizeof(U)), *want = check_alloc(n * sizeof(U));                                       \
        for (int i = 0; i < n; i++) {                                                                                  \
            a[i] = (T)(i % 5 == 0 ? -1 : i * 7919);                                                                    \
            b[i] = (T)(i % 7 == 0 ? 127 : i % 7 == 1 ? 0 : i * 104729);                                                \
            c[i] = (T)(i % 11 == 0 ? 1 << (8 * sizeof(T) - 1) : i * 1299709);                                          \
        }                                                                                                              \
        amp_array_view *x = amp_array_view1(n, (const T *)a), *y = amp_array_view1(n, (const T *)b);                   \
        amp_array_view *z = amp_array_view1(n, (const T *)c), *to = amp_array_view1(n, out);                           \
        for (int k = 0; k < 32; k++) {                                                                                 \
            memset(out, 3, (size_t)n * sizeof(U));                                                                     \
            memset(want, 3, (size_t)n * sizeof(U));                                                                    \
            amp_refresh(to);                                                                                           \
            CHECK_OK(k < 16 ? amp_parallel_for_each(amp_extent1(n), T##_to_##U, k, x, y, z, to)                        \
                            : amp_parallel_for_each(amp_extent1(n), T##_to_##U##_if, k - 16, x, y, z, to));            \
            CHECK_OK(amp_synchronize(to));                                                                             \
            for (int i = 0; i < n; i++)                                                                                \
                (k < 16 ? T##_to_##U : T##_to_##U##_if)((amp_index1){i}, k % 16, n, a, b, c, want);                    \
            CHECK_BYTES(out, want, n, #T " to " #U ", %d of %d", k, n);                                                \
        }                                                                                                              \
        amp_array_view_release(x);                                                                                     \
        amp_array_view_release(y);                                                                                     \
        amp_array_view_release(z);                                                                                     \
        amp_array_view_release(to);                                                                                    \
        check_free_all();                                                                                              \
    }

DEFINE(uint8_t, uint8_t, of_bytes)
DEFINE(uint8_t, int32_t, of_bytes)
DEFINE(int8_t, int16_t, of_bytes)
DEFINE(int16_t, int16_t, of_shorts)
DEFINE(int16_t, uint8_t, of_shorts)
DEFINE(uint16_t, int32_t, of_shorts)

int main(void)
{
    for (int n = 1; n <= N; n = n * 3 + n % 5) {
        uint8_t_to_uint8_t_check(n);
        uint8_t_to_int32_t_check(n);
        int8_t_to_int16_t_check(n);
        int16_t_to_int16_t_check(n);
        int16_t_to_uint8_t_check(n);
        uint16_t_to_int32_t_check(n);
    }
    return 0;
}
