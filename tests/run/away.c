/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Wextra -Werror %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O3 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O1 --amp-cpu=native --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-report --amp-cpu=native -c %s -o %t.o 2>&1 | FileCheck %s
 *
 * Neighbours whose places are chosen at the borders, by conditions, remainders, minima and maxima, also in loops: away
 * from the borders lanes load side by side without tests. */
#include "check.h"

/* CHECK-DAG: kernel float_wrap {{.*}}; away from the borders
 * CHECK-DAG: kernel float_modulo {{.*}}; away from the borders
 * CHECK-DAG: kernel float_clamp {{.*}}; away from the borders
 * CHECK-DAG: kernel float_ring {{.*}}; away from the borders
 * CHECK-DAG: kernel uchar_wrap {{.*}}; away from the borders
 */

typedef unsigned char uchar;

static int clamp(int value, int low, int high) restrict(cpu, amp)
{
    return value < low ? low : value > high ? high : value;
}

static int smaller(int a, int b) restrict(cpu, amp)
{
    return a < b ? a : b;
}

#define DEFINE(T)                                                                                                      \
    static void T##_wrap(amp_index2 idx, int m, int n, int by, const T a[m][n], T out[m][n]) restrict(cpu, amp)        \
    {                                                                                                                  \
        int y = idx[0], x = idx[1];                                                                                    \
        int up = y == 0 ? m - 1 : y - 1, down = y == m - 1 ? 0 : y + 1;                                                \
        int left = x == 0 ? n - 1 : x - 1, right = x + 1 >= n ? 0 : x + 1;                                             \
        T sum = (T)(a[up][left] + a[up][x] + a[y][right] + a[down][left] + a[down][right]);                            \
        out[y][x] = (T)(sum == 3 || (sum > by && a[y][x] != 0) ? sum : -sum);                                          \
    }                                                                                                                  \
    static void T##_modulo(amp_index2 idx, int m, int n, int by, const T a[m][n], T out[m][n]) restrict(cpu, amp)      \
    {                                                                                                                  \
        int y = idx[0], x = idx[1], left = x - 1;                                                                      \
        unsigned ux = (unsigned)x, un = (unsigned)n;                                                                   \
        left = left < 0 ? left + n : left;                                                                             \
        out[y][x] = (T)(a[(y + 1) % m][(x + n - 1) % n] + 2 * a[(y + m - 1) % m][(x + 1) % n] + 3 * a[y][left] +       \
                        4 * a[y][(ux + 2) % un] + 5 * a[y][(x + by) % n]);                                             \
    }                                                                                                                  \
    static void T##_clamp(amp_index2 idx, int m, int n, int by, const T a[m][n], T out[m][n]) restrict(cpu, amp)       \
    {                                                                                                                  \
        T sum = 0;                                                                                                     \
        for (int j = -by; j <= by; j++)                                                                                \
            for (int k = -by; k <= by; k++)                                                                            \
                sum = (T)(sum + a[clamp(idx[0] + j, 0, m - 1)][clamp(idx[1] + k, 0, n - 1)]);                          \
        for (int k = 0; k < by + 2; k += 2)                                                                            \
            sum = (T)(2 * sum + a[idx[0]][smaller(idx[1] + k, n - 1)]);                                                \
        out[idx[0]][idx[1]] = sum;                                                                                     \
    }                                                                                                                  \
    static void T##_ring(amp_index1 idx, int m, int n, int by, const T a[m][n], T out[m][n]) restrict(cpu, amp)        \
    {                                                                                                                  \
        int i = idx[0], left = i > 0 ? i - 1 : n - 1, reflected = i + 2 < n ? i + 2 : 2 * n - 3 - i;                   \
        int last = n - 1;                                                                                              \
        T value = (T)(a[m - 1][left] + 2 * a[m - 1][i == last ? 0 : i + 1]);                                           \
        if (n > 2)                                                                                                     \
            value = (T)(value + 3 * a[0][reflected < 0 ? 0 : reflected]);                                              \
        if (i > by)                                                                                                    \
            value = (T)(value - a[0][i < last ? i + 1 : by]);                                                          \
        out[m - 1][i] = value;                                                                                         \
    }                                                                                                                  \
    static void T##_compare(int m, int n, int by)                                                                      \
    {                                                                                                                  \
        size_t bytes = (size_t)(m * n) * sizeof(T);                                                                    \
        T *a = check_alloc(bytes), *out = check_alloc(bytes), *want = check_alloc(bytes);                              \
        for (int i = 0; i < m * n; i++)                                                                                \
            a[i] = (T)(i * 7 % 5);                                                                                     \
        amp_array_view *from = amp_array_view2(m, n, (const T *)a), *to = amp_array_view2(m, n, out);                  \
        for (int kernel = 0; kernel < 4; kernel++) {                                                                   \
            memset(out, 0, bytes);                                                                                     \
            memset(want, 0, bytes);                                                                                    \
            amp_refresh(to);                                                                                           \
            if (kernel == 0)                                                                                           \
                CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), T##_wrap, by, from, to));                            \
            else if (kernel == 1)                                                                                      \
                CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), T##_modulo, by, from, to));                          \
            else if (kernel == 2)                                                                                      \
                CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), T##_clamp, by, from, to));                           \
            else                                                                                                       \
                CHECK_OK(amp_parallel_for_each(amp_extent1(n), T##_ring, by, from, to));                               \
            CHECK_OK(amp_synchronize(to));                                                                             \
            for (int y = 0; y < m; y++)                                                                                \
                for (int x = 0; x < n; x++) {                                                                          \
                    amp_index2 at = {y, x};                                                                            \
                    if (kernel == 0)                                                                                   \
                        T##_wrap(at, m, n, by, (void *)a, (void *)want);                                               \
                    else if (kernel == 1)                                                                              \
                        T##_modulo(at, m, n, by, (void *)a, (void *)want);                                             \
                    else if (kernel == 2)                                                                              \
                        T##_clamp(at, m, n, by, (void *)a, (void *)want);                                              \
                    else if (y == 0)                                                                                   \
                        T##_ring((amp_index1){x}, m, n, by, (void *)a, (void *)want);                                  \
                }                                                                                                      \
            CHECK_BYTES(out, want, m * n, #T ", kernel %d, %d x %d, by %d", kernel, m, n, by);                         \
        }                                                                                                              \
        amp_array_view_release(from);                                                                                  \
        amp_array_view_release(to);                                                                                    \
        check_free_all();                                                                                              \
    }

DEFINE(uchar)
DEFINE(short)
DEFINE(int)
DEFINE(float)
DEFINE(double)

int main(void)
{
    static const int sizes[][2] = {{1, 1}, {1, 2}, {2, 3}, {3, 16}, {2, 33}, {5, 64}, {3, 100}, {2, 131}, {1, 400}};
    for (unsigned s = 0; s < LENGTH(sizes); s++)
        for (int by = 0; by < 4; by++) {
            int m = sizes[s][0], n = sizes[s][1];
            uchar_compare(m, n, by);
            short_compare(m, n, by);
            int_compare(m, n, by);
            float_compare(m, n, by);
            double_compare(m, n, by);
        }
    return 0;
}
