/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Scalar arguments of every type, by value: unchanged, and converted as in C. */
#include "check.h"

enum colour { RED, GREEN = 7, BLUE = -3 };
enum big { SMALL, LARGE = 0x7fffffffffffffff };
typedef unsigned short handle;

struct all {
    bool b;
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f;
    double d;
    enum colour colour;
    enum big big;
    handle handle;
    char c;
    long l;
    unsigned long ul;
};

/* Each argument goes into an array of its own type: the value must come back bit by bit. */
static void integers(amp_index1 idx, int N, bool b, int8_t i8, uint8_t u8, int16_t i16, uint16_t u16, int32_t i32,
                     uint32_t u32, int64_t i64, uint64_t u64, int64_t out[N][9]) restrict(amp)
{
    int i = idx[0];
    out[i][0] = b;
    out[i][1] = i8;
    out[i][2] = u8;
    out[i][3] = i16;
    out[i][4] = u16;
    out[i][5] = i32;
    out[i][6] = u32;
    out[i][7] = i64;
    out[i][8] = (int64_t)u64;
}

static void others(amp_index1 idx, int N, enum colour colour, enum big big, handle handle, char c, long l,
                   unsigned long ul, int64_t out[N][6]) restrict(amp)
{
    int64_t all[6] = {colour, big, handle, c, l, (int64_t)ul};
    for (int k = 0; k < 6; k++)
        out[idx[0]][k] = all[k];
}

static void reals(amp_index1 idx, int N, float f, double d, double out[N][2]) restrict(amp)
{
    out[idx[0]][0] = f;
    out[idx[0]][1] = d;
}

/* More arguments than registers, of both kinds, in turns. */
static void many(amp_index1 idx, int a, float b, int64_t c, double d, char e, float f, short g, double h, bool i,
                 float j, uint64_t k, double l, unsigned m, float n, int o, double p, uint8_t q, float r, long s,
                 double t, int N, double out[N]) restrict(amp)
{
    out[idx[0]] = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l +
                  13 * m + 14 * n + 15 * o + 16 * p + 17 * q + 18 * r + 19 * s + 20 * t;
}

/* Uniform conditions on scalars, of which only one side may run. */
static void steered(amp_index1 idx, int N, bool negate, unsigned shift, enum colour colour, const int in[N], int out[N])
    restrict(amp)
{
    int x = negate ? -in[idx[0]] : in[idx[0]];
    if (shift < 32)
        x = (int)((unsigned)x << shift);
    switch (colour) {
    case RED:
        x += 1;
        break;
    case GREEN:
        x += 2;
        break;
    case BLUE:
        x += 3;
        break;
    }
    out[idx[0]] = x;
}

int main(void)
{
    const struct all cases[] = {
        {0},
        {true, -128, 255, -32768, 65535, INT32_MIN, UINT32_MAX, INT64_MIN, UINT64_MAX, -0.0f, 1e308, BLUE, LARGE, 65535,
         'x', -1, ~0ul},
        {true, 127, 128, 32767, 32768, INT32_MAX, 1u << 31, INT64_MAX, 1ull << 63, 1e-45f, -1e-320, GREEN, SMALL, 1,
         '\0', 0x123456789abcdef, 1},
        {false, -1, 1, -1, 1, -1, 1, -1, 1, INFINITY, -INFINITY, RED, LARGE, 0, '~', -9, 9},
    };
    EACH_EXTENT(n) {
        int64_t *out = check_alloc(9 * n * sizeof(int64_t)), want[9];
        double *real = check_alloc(2 * n * sizeof(double)), expected[2];
        amp_array_view *nine = amp_array_view2(n, 9, out), *six = amp_array_view2(n, 6, out);
        amp_array_view *two = amp_array_view2(n, 2, real), *one = amp_array_view1(n, real);
        for (int c = 0; c < LENGTH(cases); c++) {
            struct all x = cases[c];
            CHECK_OK(amp_parallel_for_each(amp_extent1(n), integers, x.b, x.i8, x.u8, x.i16, x.u16, x.i32, x.u32, x.i64,
                                           x.u64, nine));
            int64_t all[] = {x.b, x.i8, x.u8, x.i16, x.u16, x.i32, x.u32, x.i64, (int64_t)x.u64};
            memcpy(want, all, sizeof all);
            for (int i = 0; i < n; i++)
                CHECK_INTS(out + 9 * i, want, 9, "integers, thread %d of %d, case %d", i, n, c);

            CHECK_OK(amp_parallel_for_each(amp_extent1(n), others, x.colour, x.big, x.handle, x.c, x.l, x.ul, six));
            int64_t some[] = {x.colour, x.big, x.handle, x.c, x.l, (int64_t)x.ul};
            memcpy(want, some, sizeof some);
            for (int i = 0; i < n; i++)
                CHECK_INTS(out + 6 * i, want, 6, "others, thread %d of %d, case %d", i, n, c);

            CHECK_OK(amp_parallel_for_each(amp_extent1(n), reals, x.f, x.d, two));
            expected[0] = x.f, expected[1] = x.d;
            for (int i = 0; i < n; i++)
                CHECK_BYTES(real + 2 * i, expected, 2, "reals, thread %d of %d, case %d", i, n, c);

            /* Numbers convert to the parameter's type. */
            if (c == 0)
                CHECK_OK(amp_parallel_for_each(amp_extent1(n), integers, 1, 'a', 200L, -5LL, 60000, (short)7, 3.0,
                                               (uint8_t)9, 12.0f, nine));
            if (c == 0)
                CHECK_INTS(out, ((int64_t[]){1, 'a', 200, -5, 60000, 7, 3, 9, 12}), 9, "converted, extent %d", n);
        }
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), many, 1, 2.5f, 3, 4.5, (char)5, 6.5f, (short)7, 8.5, true, 10.5f,
                                       11ull, 12.5, 13u, 14.5f, 15, 16.5, (uint8_t)17, 18.5f, 19l, 20.5, one));
        double sum = 0;
        for (int k = 1; k <= 20; k++)
            sum += k == 9 ? 9 : k * (k % 2 ? k : k + 0.5);
        for (int i = 0; i < n; i++)
            CHECK_FLOATS(real + i, &sum, 1, "many, thread %d of %d", i, n);

        int *in = check_alloc(n * sizeof(int)), *result = check_alloc(n * sizeof(int));
        for (int i = 0; i < n; i++)
            in[i] = check_value(i);
        amp_array_view *in_view = amp_array_view1(n, (const int *)in), *result_view = amp_array_view1(n, result);
        for (int c = 0; c < 12; c++) {
            enum colour colour = c % 3 == 0 ? RED : c % 3 == 1 ? GREEN : BLUE;
            unsigned shift = c % 4 * 11;
            CHECK_OK(amp_parallel_for_each(amp_extent1(n), steered, c & 1, shift, colour, in_view, result_view));
            for (int i = 0; i < n; i++) {
                int x = c & 1 ? -in[i] : in[i];
                x = (shift < 32 ? (int)((unsigned)x << shift) : x) + 1 + c % 3;
                CHECK_INTS(result + i, &x, 1, "steered, thread %d of %d, case %d", i, n, c);
            }
        }
        amp_array_view *views[] = {nine, six, two, one, in_view, result_view};
        check_release(views, LENGTH(views));
    }
    return 0;
}
