/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 -ffp-contract=off --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 -ffp-contract=off --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Integer arithmetic: shifts, mixes of signed and unsigned, widths, conversions from and to real numbers. */
#include "check.h"

#define KERNEL(T, name)                                                                                                \
    static void name(amp_index1 idx, int N, const T a[N], const T b[N], T out[N]) restrict(cpu, amp)

KERNEL(int, shifts)
{
    int i = idx[0], by = b[i] & 31;
    out[i] = (int)((unsigned)a[i] << by) ^ (a[i] >> by) ^ (int)((unsigned)a[i] >> (31 - by)) ^ a[i] >> (N & 7);
}

KERNEL(wide, wide_shifts)
{
    int i = idx[0], by = (int)b[i] & 63;
    unsigned long long x = (unsigned long long)a[i] * 0x9e3779b97f4a7c15;
    out[i] = (long long)(x << by ^ x >> (63 - by)) ^ (long long)x >> by;
}

KERNEL(int, rotate)
{
    unsigned x = (unsigned)a[idx[0]] * 2654435761u, by = (unsigned)b[idx[0]] % 31 + 1;
    out[idx[0]] = (int)(x << by | x >> (32 - by));
}

KERNEL(int, logic)
{
    int i = idx[0];
    out[i] = (a[i] & b[i]) + (a[i] | ~b[i]) * 3 - (a[i] ^ 0x5a5a) + !a[i] - -b[i];
}

KERNEL(int, comparisons)
{
    int i = idx[0];
    unsigned x = (unsigned)a[i], y = (unsigned)b[i];
    out[i] = (a[i] < b[i]) | (a[i] <= b[i]) << 1 | (a[i] == b[i]) << 2 | (a[i] != b[i]) << 3 | (x < y) << 4 |
             (x >= y) << 5 | (a[i] < 0 == x > 0x7fffffff) << 6 | ((unsigned)-1 > x) << 7;
}

KERNEL(wide, wide_products)
{
    int i = idx[0];
    int x = (int)a[i] * 65521, y = (int)b[i];
    out[i] = (long long)x * y + (long long)((unsigned long long)(unsigned)x * (unsigned)y) - a[i] * b[i];
}

KERNEL(int, narrow)
{
    int i = idx[0];
    int8_t c = (int8_t)a[i];
    uint8_t u = (uint8_t)a[i];
    int16_t s = (int16_t)(a[i] * b[i]);
    uint16_t v = (uint16_t)(a[i] * b[i]);
    c += 100;
    u -= 200;
    s >>= 3;
    v >>= 3;
    bool t = a[i] & 4;
    out[i] = c + u * 3 + s * 5 + v * 7 + t * 11 + (char)(c * u) + (uint8_t)~u + (int8_t)(u << 1);
}

KERNEL(wide, mixed_widths)
{
    int i = idx[0];
    int x = (int)a[i];
    unsigned y = (unsigned)b[i];
    out[i] = x + y + (a[i] + y) * 2 + (x < (long long)y) + ((unsigned long long)x > y) * 4 + (short)x * (y & 255);
}

KERNEL(int, overflow)
{
    unsigned x = (unsigned)a[idx[0]] * 0x10001u, y = (unsigned)b[idx[0]] * 0x1000003u;
    out[idx[0]] = (int)(x * y + (x - y) * 77u - (y << 5));
}

KERNEL(float, to_float)
{
    int i = idx[0], x = (int)a[i] * 4194301;
    unsigned u = (unsigned)x;
    long long w = (long long)x * 1000003;
    out[i] = (float)x + (float)u / 3 + (float)w * 1e-9f + (float)(unsigned long long)w * 1e-15f + (float)(int8_t)x +
             (float)(uint16_t)x + (float)(b[i] > 0);
}

KERNEL(double, to_double)
{
    int i = idx[0], x = (int)a[i] * 4194301;
    long long w = (long long)x * 1000000007;
    out[i] =
        (double)x + (double)(unsigned)x / 3 + (double)w + (double)(unsigned long long)w * 1e-9 + (double)(float)b[i];
}

KERNEL(float, from_float)
{
    int i = idx[0];
    float x = a[i] * 1234.5f;
    int s = (int)x;
    unsigned u = (unsigned)(x < 0 ? -x : x);
    long long w = (long long)(x * 1e10f);
    unsigned long long v = (unsigned long long)(x < 0 ? 0 : x * 1e10f);
    int8_t c = (int8_t)(b[i] / 4);
    uint16_t h = (uint16_t)(b[i] + 500);
    bool t = (bool)(x / 2);
    out[i] = (float)(s % 1000 + (int)(u % 777) + (int)(w % 991) + (int)(v % 997) + c + h + t);
}

KERNEL(double, from_double)
{
    int i = idx[0];
    double x = a[i] * 1e6 + 0.5;
    out[i] = (double)(int)x + (double)(long long)(x * 1e9) + (float)x + (double)(unsigned)(b[i] + 1000.75);
}

KERNEL(int, bits)
{
    unsigned x = (unsigned)a[idx[0]], y = (unsigned)b[idx[0]] | 1;
    out[idx[0]] = __builtin_popcount(x) + 100 * __builtin_clz(y) + 10000 * __builtin_ctz(y) +
                  (int)__builtin_bswap32(x) + abs(a[idx[0]]) + __builtin_parity(x) + __builtin_ffs(a[idx[0]]);
}

KERNEL(int, checked)
{
    int i = idx[0], x, y;
    bool product = __builtin_mul_overflow(a[i] * 10007, b[i] * 9973, &x);
    bool sum = __builtin_add_overflow((int8_t)a[i], (int8_t)b[i], (int8_t *)&(int8_t){0});
    bool difference = __builtin_sub_overflow(a[i], b[i], &y);
    out[i] = product + 2 * sum + 4 * difference + (product ? 0 : x) + y;
}

KERNEL(wide, carries)
{
    int i = idx[0];
    unsigned carry = 0;
    unsigned short borrow = 0;
    unsigned long long wide_carry = 0;
    unsigned x = __builtin_addc((unsigned)a[i] * 2654435761u, (unsigned)b[i], i & 1, &carry);
    unsigned short y = __builtin_subcs((unsigned short)a[i], (unsigned short)b[i], i & 1, &borrow);
    unsigned long long z = __builtin_subcll((unsigned long long)a[i], (unsigned long long)b[i], x & 1, &wide_carry);
    out[i] = (long long)(z + x * 3ull + carry * 5 + y * 7ull + borrow * 11 + wide_carry * 13);
}

KERNEL(float, classes)
{
    enum { SUBNORMAL = 0x90, NEGATIVE = 0x3c };
    float x = a[idx[0]] < 0 ? a[idx[0]] * 1e-42f : b[idx[0]] / a[idx[0]];
    bool is_rare = __builtin_isfpclass(x, SUBNORMAL);
    out[idx[0]] = __builtin_unpredictable(is_rare) ? 1.0f : __builtin_isfpclass(x, NEGATIVE) ? 2.0f : 3.0f;
}

KERNEL(int, minima)
{
    int i = idx[0], x = a[i] < b[i] ? a[i] : b[i], y = a[i] > b[i] ? a[i] : b[i];
    unsigned u = (unsigned)a[i] < (unsigned)b[i] ? (unsigned)a[i] : (unsigned)b[i];
    out[i] = x * 3 + y * 5 + (int)u + (x < -100 ? -100 : x > 100 ? 100 : x);
}

KERNEL(int, booleans)
{
    int i = idx[0];
    bool p = a[i] > 0, q = b[i] > 0, r = p ^ q, s = p & !q;
    p |= i & 1;
    q &= r;
    out[i] = p + 2 * q + 4 * r + 8 * s + 16 * (p == q) + 32 * (p < q) + 64 * (bool)a[i];
}

int main(void)
{
    CHECK_KERNEL(int, shifts);
    CHECK_KERNEL(wide, wide_shifts);
    CHECK_KERNEL(int, rotate);
    CHECK_KERNEL(int, logic);
    CHECK_KERNEL(int, comparisons);
    CHECK_KERNEL(wide, wide_products);
    CHECK_KERNEL(int, narrow);
    CHECK_KERNEL(wide, mixed_widths);
    CHECK_KERNEL(int, overflow);
    CHECK_KERNEL(float, to_float);
    CHECK_KERNEL(double, to_double);
    CHECK_KERNEL(float, from_float);
    CHECK_KERNEL(double, from_double);
    CHECK_KERNEL(int, bits);
    CHECK_KERNEL(int, checked);
    CHECK_KERNEL(wide, carries);
    CHECK_KERNEL(float, classes);
    CHECK_KERNEL(int, minima);
    CHECK_KERNEL(int, booleans);
    return 0;
}
