/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc -O1 -g %s -o %t && %run-alone %t
 *
 * The bits of a __bf16 as a _Float16: comparisons with 0 use the number, and no bit is lost, not even a signalling
 * NaN's. An integer converted from a __bf16 may exceed the largest _Float16, and so may an operand. */
#include "check.h"

#include <string.h>

enum { N = 300 };

static void look(amp_index1 idx, int n, const __bf16 x[n], int is_other[n], _Float16 h[n]) restrict(amp)
{
    union {
        __bf16 b;
        _Float16 h;
    } bits;
    bits.b = x[idx[0]];
    is_other[idx[0]] = bits.b < (__bf16)100 ? bits.h != (_Float16)0 : 2;
    h[idx[0]] = bits.h;
}

/* The bits go through memory. */
static void reread(amp_index1 idx, int n, __bf16 x[n], int is_other[n]) restrict(amp)
{
    _Float16 h;
    __bf16 value = x[idx[0]];
    x[idx[0]] = -value;
    memcpy(&h, &x[idx[0]], sizeof h);
    is_other[idx[0]] = idx[0] % 2 ? h != (_Float16)0 : (float)h != 0;
}

static void overflow(amp_index1 idx, int n, const __bf16 x[n], float y[n]) restrict(amp)
{
    float value = (float)x[idx[0]];
    y[idx[0]] = (float)(_Float16)(long)(value > -0x1p60f && value < 0x1p60f ? value : 0);
}

/* What is far beyond the largest _Float16 takes part in results that are not. */
static void compute(amp_index1 idx, int n, const __bf16 x[n], _Float16 h[4][n]) restrict(amp)
{
    float value = (float)x[idx[0]];
    h[0][idx[0]] = (_Float16)(1 / value);
    h[1][idx[0]] = (_Float16)(value * (float)(__bf16)0x1p-20f);
    h[2][idx[0]] = (_Float16)(value - 0x1p20f);
    h[3][idx[0]] = (_Float16)((double)value + (double)x[(idx[0] + 1) % n]);
}

/* Here, volatile keeps the host's compiler from the same fault. */
static float sum_of(float a, float b)
{
    volatile float sum = a + b;
    return sum;
}

static void check_reread(amp_array_view *other, const int *is_other, const __bf16 *x)
{
    static __bf16 negative[N];
    static int want[N];
    memcpy(negative, x, sizeof negative);
    for (int i = 0; i < N; i++)
        want[i] = (float)x[i] != 0;
    amp_array_view *changed = amp_array_view1(N, negative);
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), reread, changed, other));
    CHECK_OK(amp_synchronize(other));
    CHECK_INTS(is_other, want, N, "bits from memory");
    amp_array_view_release(changed);
}

/* An integer of few significant bits may be too large, too. */
static void overflow_bytes(amp_index1 idx, int n, const bool x[n], float to[n]) restrict(amp)
{
    to[idx[0]] = (float)(_Float16)(int64_t)__builtin_bswap64((uint64_t)x[idx[0]]);
}

static void check_bytes(void)
{
    static bool x[N];
    static float y[N], want[N];
    for (int i = 0; i < N; i++)
        x[i] = i % 3 == 0, want[i] = x[i] ? INFINITY : 0;
    amp_array_view *from = amp_array_view1(N, (const bool *)x), *to = amp_array_view1(N, y);
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), overflow_bytes, from, to));
    CHECK_OK(amp_synchronize(to));
    CHECK_FLOATS(y, want, N, "overflow of integers with few significant bits");
    amp_array_view_release(to);
    amp_array_view_release(from);
}

static void check_computed(amp_array_view *from, const __bf16 *x)
{
    static _Float16 h[4][N];
    static float got[4 * N], want[4 * N];
    amp_array_view *to = amp_array_view2(4, N, &h[0][0]);
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), compute, from, to));
    CHECK_OK(amp_synchronize(to));
    for (int i = 0; i < N; i++) {
        volatile float value = (float)x[i], next = (float)x[(i + 1) % N], quotient = 1 / value;
        volatile double sum = (double)value + (double)next;
        want[i] = (float)(_Float16)quotient;
        want[N + i] = (float)(_Float16)(value * 0x1p-20f);
        want[2 * N + i] = (float)(_Float16)sum_of(value, -0x1p20f);
        want[3 * N + i] = (float)(_Float16)sum;
    }
    for (int i = 0; i < 4 * N; i++)
        got[i] = (float)h[i / N][i % N];
    CHECK_FLOATS(got, want, 4 * N, "numbers beyond the largest _Float16");
    amp_array_view_release(to);
}

int main(void)
{
    static __bf16 x[N];
    static _Float16 h[N];
    static int is_other[N], want[N];
    for (int i = 0; i < N; i++) {
        uint16_t b = (uint16_t)(i < 4 ? (int[]){0, 0x8000, 1, 0x7d01}[i] : i * 219);
        memcpy(&x[i], &b, sizeof b);
        want[i] = x[i] < (__bf16)100 ? (b & 0x7fff) != 0 : 2;
    }
    amp_array_view *from = amp_array_view1(N, (const __bf16 *)x), *other = amp_array_view1(N, is_other),
                   *to = amp_array_view1(N, h);
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), look, from, other, to));
    CHECK_OK(amp_synchronize(other));
    CHECK_OK(amp_synchronize(to));
    static float y[N], want_y[N];
    for (int i = 0; i < N; i++) {
        float value = (float)x[i];
        long whole = (long)(value > -0x1p60f && value < 0x1p60f ? value : 0);
        want_y[i] = whole >= 65520 ? INFINITY : whole <= -65520 ? -INFINITY : (float)whole;
    }
    amp_array_view *floats = amp_array_view1(N, y);
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), overflow, from, floats));
    CHECK_OK(amp_synchronize(floats));
    CHECK_FLOATS(y, want_y, N, "overflow");
    amp_array_view_release(floats);
    check_computed(from, x);
    check_bytes();
    CHECK_INTS(is_other, want, N, "comparison of bits with 0");
    check_reread(other, is_other, x);
    CHECK_BYTES(h, x, N, "bits");
    amp_array_view_release(to);
    amp_array_view_release(other);
    amp_array_view_release(from);
    return 0;
}
