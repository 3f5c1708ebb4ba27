/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc -O3 -ffast-math %s -o %t && %run-alone %t
 *
 * Quotients next to integers, where an inexact division would be off by one, by divisors of all sizes, that are the
 * same for all threads or differ. */
#include "check.h"

#define KERNELS(T, name)                                                                                               \
    static void name##_by_one(amp_index1 idx, int n, T divisor, const T x[n], T quotient[n], T rest[n]) restrict(amp)  \
    {                                                                                                                  \
        quotient[idx[0]] = x[idx[0]] / divisor;                                                                        \
        rest[idx[0]] = x[idx[0]] % divisor;                                                                            \
    }                                                                                                                  \
    static void name##_by_many(amp_index1 idx, int n, const T divisor[n], const T x[n], T quotient[n], T rest[n])      \
        restrict(amp)                                                                                                  \
    {                                                                                                                  \
        quotient[idx[0]] = x[idx[0]] / divisor[idx[0]];                                                                \
        rest[idx[0]] = x[idx[0]] % divisor[idx[0]];                                                                    \
    }
KERNELS(int, signed)
KERNELS(unsigned, unsigned)

static const unsigned divisors[] = {1,          2,          3,          5,          6,          7,          9,
                                    10,         11,         100,        127,        255,        256,        1000,
                                    1023,       4095,       46340,      46341,      65535,      65536,      65537,
                                    99991,      16777213,   16777216,   16777217,   1000000007, 1073741824, 1431655765,
                                    2147483629, 2147483646, 2147483647, 2147483648, 2147483649, 3000000019, 4294967291,
                                    4294967294, 4294967295};
enum { N = 1 << 14 };

static unsigned next_random(unsigned *state)
{
    return *state = *state * 1664525 + 1013904223;
}

/* Numbers of all sizes, and multiples of the divisor with their neighbours. */
static void choose(unsigned divisor, unsigned x[N])
{
    unsigned state = divisor;
    for (int i = 0; i < N; i++) {
        unsigned random = next_random(&state), size = next_random(&state) >> 27;
        x[i] = random >> size;
        if (i % 4)
            x[i] = x[i] / divisor * divisor + (unsigned)(i % 4 - 2);
        if (i < 64)
            x[i] = (unsigned)(i - 32);
        else if (i < 128)
            x[i] = 0x80000000u + (unsigned)(i - 96);
    }
}

#define COMPARE(T, name)                                                                                               \
    static void compare_##name(unsigned number, bool by_many)                                                          \
    {                                                                                                                  \
        static T x[N], divisor[N], quotient[N], rest[N];                                                               \
        choose(number, (unsigned *)x);                                                                                 \
        for (int i = 0; i < N; i++) {                                                                                  \
            unsigned other = divisors[(unsigned)i % LENGTH(divisors)];                                                 \
            divisor[i] = (T)(by_many && i % 2 ? other : number);                                                       \
            if ((T)-1 < 0 && divisor[i] == (T)-1 && x[i] == (T)0x80000000u)                                            \
                x[i] = 1;                                                                                              \
        }                                                                                                              \
        amp_auto_array_view *xs = amp_array_view1(N, (const T *)x), *ds = amp_array_view1(N, (const T *)divisor),      \
                            *qs = amp_array_view1(N, quotient), *rs = amp_array_view1(N, rest);                        \
        if (by_many)                                                                                                   \
            CHECK_OK(amp_parallel_for_each(amp_extent1(N), name##_by_many, ds, xs, qs, rs));                           \
        else                                                                                                           \
            CHECK_OK(amp_parallel_for_each(amp_extent1(N), name##_by_one, (T)number, xs, qs, rs));                     \
        for (int i = 0; i < N; i++)                                                                                    \
            if (quotient[i] != x[i] / divisor[i] || rest[i] != x[i] % divisor[i]) {                                    \
                fprintf(stderr, #T ": %lld / %lld: %lld rest %lld\n", (long long)x[i], (long long)divisor[i],          \
                        (long long)quotient[i], (long long)rest[i]);                                                   \
                exit(1);                                                                                               \
            }                                                                                                          \
    }
COMPARE(int, signed)
COMPARE(unsigned, unsigned)

static void bytes(amp_index1 idx, int n, const int8_t x[n], const int8_t y[n], int8_t quotient[n], uint8_t rest[n])
    restrict(amp)
{
    int i = idx[0];
    quotient[i] = y[i] ? (int8_t)(x[i] / y[i]) : (int8_t)0;
    rest[i] = y[i] ? (uint8_t)((uint8_t)x[i] % (uint8_t)y[i]) : (uint8_t)0;
}

static void compare_bytes(void)
{
    enum { ALL = 1 << 16 };
    static int8_t x[ALL], y[ALL], quotient[ALL];
    static uint8_t rest[ALL];
    for (int i = 0; i < ALL; i++) {
        x[i] = (int8_t)i;
        y[i] = (int8_t)(i >> 8);
    }
    amp_auto_array_view *xs = amp_array_view1(ALL, (const int8_t *)x), *ys = amp_array_view1(ALL, (const int8_t *)y),
                        *qs = amp_array_view1(ALL, quotient), *rs = amp_array_view1(ALL, rest);
    CHECK_OK(amp_parallel_for_each(amp_extent1(ALL), bytes, xs, ys, qs, rs));
    for (int i = 0; i < ALL; i++)
        if (y[i] && (quotient[i] != (int8_t)(x[i] / y[i]) || rest[i] != (uint8_t)x[i] % (uint8_t)y[i])) {
            fprintf(stderr, "%d / %d: %d rest %d\n", x[i], y[i], quotient[i], rest[i]);
            exit(1);
        }
}

int main(void)
{
    for (int d = 0; d < LENGTH(divisors); d++) {
        compare_signed(divisors[d], false);
        compare_unsigned(divisors[d], false);
        compare_signed(0 - divisors[d], false);
        compare_signed(divisors[d], true);
        compare_unsigned(divisors[d], true);
    }
    compare_bytes();
    puts("right");
    return 0;
}
