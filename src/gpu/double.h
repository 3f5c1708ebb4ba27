/* SPDX-License-Identifier: MIT
 *
 * sin, cos and tan of double: libclc's reduce the argument once for each, and read past the end of a table for the
 * largest arguments. */

#define FMA_D __builtin_fma

struct double_angle {
    double rest, low; /* their sum, from -pi/4 to pi/4 */
    int quarter;
};

/* x = rest + low + quarter pi/2, up to multiples of 2 pi; see `reduce` of float. */
static __attribute__((noinline, const)) struct double_angle reduce_double(double x)
{
    union {
        double number;
        unsigned long long bits;
    } value = {x}, sum = {FMA_D(x, 0x1.45f306dc9c883p-1, 0x1.8p52)};
    double n = 0x1.8p52 - sum.number, first = FMA_D(n, 0x1.921fb54442d18p0, x);
    double second = n * 0x1.1a62633145c06p-54, rest = first + second;
    double low = first - rest + second + FMA_D(n, 0x1.1a62633145c06p-54, -second);
    low = FMA_D(n, 0x1.c1cd129024e08p-107, low);
    struct double_angle angle = {rest, low, (int)sum.bits};
    if (__builtin_fabs(x) <= 0x1p20)
        return angle;
    /* 2/pi, after 64 zeros. */
    static const unsigned long long inverse[] = {0,
                                                 0xa2f9836e4e441529,
                                                 0xfc2757d1f534ddc0,
                                                 0xdb6295993c439041,
                                                 0xfe5163abdebbc561,
                                                 0xb7246e3a424dd2e0,
                                                 0x06492eea09d1921c,
                                                 0xfe1deb1cb129a73e,
                                                 0xe88235f52ebb4484,
                                                 0xe99c7026b45f7e41,
                                                 0x3991d639835339f4,
                                                 0x9c845f8bbdf9283b,
                                                 0x1ff897ffde05980f,
                                                 0xef2f118b5a0a6d1f,
                                                 0x6d367ecf27cb09b7,
                                                 0x4f463f669e5fea2d,
                                                 0x7527bac7ebe5f17b,
                                                 0x3d0739f78a5292ea,
                                                 0x6bfb5fb11f8d5d08,
                                                 0x56033046fc7b6bab};
    typedef unsigned __int128 wide;
    unsigned long long mantissa = (value.bits & 0xfffffffffffff) | 0x10000000000000, w[3];
    unsigned at = (unsigned)(value.bits >> 52 & 2047) - 1013;
    for (int i = 0; i < 3; i++)
        w[i] = (unsigned long long)(((wide)inverse[at / 64 + i] << 64 | inverse[at / 64 + i + 1]) << at % 64 >> 64);
    wide product = ((wide)(mantissa * w[0]) << 64) + (wide)mantissa * w[1] + ((wide)mantissa * w[2] >> 64);
    int quarter = (int)((product + ((wide)1 << 125)) >> 126);
    product -= (wide)(unsigned)quarter << 126;
    int is_negative = (int)(product >> 127);
    product = is_negative ? -product : product;
    unsigned long long high = (unsigned long long)(product >> 64);
    /* The first 64 digits. One of the first 62 is not 0, because no double is that near to a multiple of pi/2. */
    int zeros = __builtin_clzll(high | 1);
    high = (unsigned long long)(product << zeros >> 64);
    value.bits = (unsigned long long)(1023 - 62 - zeros) << 52;
    double unit = (x < 0) == is_negative ? value.number : -value.number;
    double upper = (double)(high & ~0x7ffull), lower = (double)(high & 0x7ff);
    first = upper * 0x1.921fb54442d18p0;
    low = FMA_D(upper, 0x1.921fb54442d18p0, -first);
    low = FMA_D(lower, 0x1.921fb54442d18p0, FMA_D(upper, 0x1.1a62633145c07p-54, low));
    rest = first + low;
    angle.low = (low - (rest - first)) * unit;
    angle.rest = x - x == 0 ? rest * unit : __builtin_nan("");
    angle.quarter = x < 0 ? -quarter : quarter;
    return angle;
}

/* sin(rest + low) and cos(rest + low); `*low` gets their rounding errors. */
static inline double sine_of_rest(struct double_angle a, double *low)
{
    double s = a.rest * a.rest;
    double p = FMA_D(0x1.5d8fb95e55d1bp-33, s, -0x1.ae5e5a3fc695ap-26);
    p = FMA_D(p, s, 0x1.71de35676d8f1p-19);
    p = FMA_D(p, s, -0x1.a01a019bfd7c8p-13);
    p = FMA_D(p, s, 0x1.111111110f7cdp-7);
    p = FMA_D(p, s, -0x1.5555555555548p-3);
    double less = FMA_D(a.rest * s, p, FMA_D(-0.5 * s, a.low, a.low)), sum = a.rest + less;
    *low = a.rest - sum + less;
    return sum;
}

static inline double cosine_of_rest(struct double_angle a, double *low)
{
    double s = a.rest * a.rest;
    double p = FMA_D(-0x1.8fa47f572ecd8p-37, s, 0x1.1ee9d7826c942p-29);
    p = FMA_D(p, s, -0x1.27e4f7ea7c1cdp-22);
    p = FMA_D(p, s, 0x1.a01a019c83ed1p-16);
    p = FMA_D(p, s, -0x1.6c16c16c14f8dp-10);
    p = FMA_D(p, s, 0x1.555555555554bp-5);
    double half = 0.5 * s, large = 1 - half;
    double less = 1 - large - half + FMA_D(s * s, p, -a.rest * a.low), sum = large + less;
    *low = large - sum + less;
    return sum;
}

__attribute__((always_inline)) double sin(double x)
{
    struct double_angle angle = reduce_double(x);
    double low, value = angle.quarter & 1 ? cosine_of_rest(angle, &low) : sine_of_rest(angle, &low);
    return x == 0 ? x : angle.quarter & 2 ? -value : value;
}

__attribute__((always_inline)) double cos(double x)
{
    struct double_angle angle = reduce_double(x);
    double low, value = angle.quarter & 1 ? sine_of_rest(angle, &low) : cosine_of_rest(angle, &low);
    return (angle.quarter + 1) & 2 ? -value : value;
}

__attribute__((always_inline)) double tan(double x)
{
    struct double_angle angle = reduce_double(x);
    int is_odd = angle.quarter & 1;
    double low, low2, sine = sine_of_rest(angle, &low), cosine = cosine_of_rest(angle, &low2);
    double n = is_odd ? -cosine : sine, n_low = is_odd ? -low2 : low, d = is_odd ? sine : cosine,
           d_low = is_odd ? low : low2;
    double inverse = 1 / d, value = n * inverse, lack = FMA_D(-value, d, n) + FMA_D(-value, d_low, n_low);
    return x == 0 ? x : FMA_D(lack, inverse, value);
}
