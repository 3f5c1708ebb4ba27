/* SPDX-License-Identifier: MIT
 *
 * Functions of float where libclc's are slow on GPUs: it divides and branches, which costs about ten times as much as
 * the function itself. These use neither double nor division, and branch only for rare arguments. Polynomials are
 * minimax ones, weighted for the relative error of the result; docs/gpu.md has the accuracy. */

/* The hardware's 1/x, 1/sqrt(x), 2^x and log2(x). Their relative errors are about 2^-23; for log2 near 1 this is the
 * absolute error. Subnormal arguments and results count as 0. */
#define APPROXIMATE_INVERSE __nvvm_rcp_approx_ftz_f
#define APPROXIMATE_RSQRT __nvvm_rsqrt_approx_ftz_f
#define APPROXIMATE_EXP2 __nvvm_ex2_approx_ftz_f
#define APPROXIMATE_LOG2 __nvvm_lg2_approx_ftz_f

#define FMA __builtin_fmaf
#define FMA_DOWN __nvvm_fma_rm_f /* rounds down */
#define ABS __builtin_fabsf
#define SIGN_OF(x, y) __builtin_copysignf(x, y) /* x with the sign of y */
#define INFINITY_F __builtin_inff()
#define NAN_F __builtin_nanf("")

static inline unsigned bits_of(float x)
{
    union {
        float number;
        unsigned bits;
    } value = {x};
    return value.bits;
}

static inline float of_bits(unsigned bits)
{
    union {
        unsigned bits;
        float number;
    } value = {bits};
    return value.number;
}

/* c[0] x^(n - 1) + ... + c[n - 1] */
#define POLYNOMIAL(x, ...)                                                                                             \
    horner(x, (const float[]){__VA_ARGS__}, sizeof(float[]){__VA_ARGS__} / sizeof(float))
static inline __attribute__((always_inline)) float horner(float x, const float *c, unsigned long n)
{
    float p = c[0];
#pragma clang loop unroll(full)
    for (unsigned long i = 1; i < n; i++)
        p = FMA(p, x, c[i]);
    return p;
}

/* sqrt(x) within 1 ULP, for 0, normal numbers, and NaN for negative ones. */
static inline float near_sqrt(float x)
{
    float inverse = x == 0 ? 0 : APPROXIMATE_RSQRT(x), root = x * inverse;
    return FMA(FMA(-root, root, x), 0.5f * inverse, root);
}

/* ---- powers ---- */

/* 2^(t + rest), where `sum` is `shift` plus t: a whole number from -126 to 127, or to 128 with the shift of half_exp.
 * If t is at an end of its range, `rest` may be large; so overflow and subnormal results need no special case. */
static const float shift = 0x1.8p23f + 127; /* the last bits of the sum are t, with the bias of an exponent */
static inline float exp2_of_sum(float sum, float rest)
{
    return APPROXIMATE_EXP2(rest) * of_bits(bits_of(sum) << 23);
}

/* 2^(x (high + low)). For x between `least` and `most` the sum can hold the whole part. It is rounded down, because the
 * hardware is more exact where the rest is positive. */
static inline float power(float x, float high, float low, float least, float most)
{
    float sum = FMA_DOWN(__builtin_fminf(__builtin_fmaxf(x, least), most), high, shift);
    return exp2_of_sum(sum, FMA(x, low, FMA(x, high, shift - sum)));
}

float expf(float x)
{
    return power(x, 0x1.715476p0f, 0x1.4ae0cp-26f, -87.33f, 88.3f);
}

float exp10f(float x)
{
    return power(x, 0x1.a934fp1f, 0x1.2f346ep-24f, -37.92f, 38.3f);
}

float exp2f(float x)
{
    float by = x < -126 ? 24 : 0;
    return APPROXIMATE_EXP2(x + by) * (x < -126 ? 0x1p-24f : 1);
}

/* e^|x| / 2, which does not overflow before sinh does. */
static inline float half_exp(float x)
{
    float size = ABS(x), sum = FMA_DOWN(__builtin_fminf(size, 89), 0x1.715476p0f, shift - 1);
    return exp2_of_sum(sum, FMA(size, 0x1.4ae0cp-26f, FMA(size, 0x1.715476p0f, shift - 1 - sum)));
}

float coshf(float x)
{
    float half = half_exp(x);
    return FMA(0.25f, APPROXIMATE_INVERSE(half), half);
}

float sinhf(float x)
{
    float half = half_exp(x), s = x * x, large = FMA(-0.25f, APPROXIMATE_INVERSE(half), half);
    float p = POLYNOMIAL(s, 0x1.8458b8p-19f, 0x1.9f9126p-13f, 0x1.11129ap-7f, 0x1.55555p-3f);
    return ABS(x) < 1.5f ? FMA(p, s * x, x) : SIGN_OF(large, x);
}

float tanhf(float x)
{
    float size = ABS(x), s = x * x;
    float large = FMA(-2, APPROXIMATE_INVERSE(APPROXIMATE_EXP2(size * 0x1.715476p1f) + 1), 1);
    float p = POLYNOMIAL(s, -0x1.696a9ap-8f, 0x1.4f5d72p-6f, -0x1.b7cfb6p-5f, 0x1.1103fp-3f, -0x1.555524p-2f);
    return size < 0.65f ? FMA(p, FMA(s, x, 0.0f), x) : SIGN_OF(large, x);
}

/* ---- logarithms ---- */

enum { ROOT_HALF = 0x3f3504f3 }; /* sqrt(1/2) */

/* x = 2^n (1 + f), with 1 + f from sqrt(1/2) to sqrt(2). */
static inline float split(float x, float *n)
{
    int is_small = x < 0x1p-126f;
    unsigned bits = bits_of(is_small ? x * 0x1p23f : x), power = (bits - ROOT_HALF) & 0xff800000;
    *n = FMA((float)(int)power, 0x1p-23f, is_small ? -23 : 0);
    return of_bits(bits - power) - 1;
}

/* A logarithm of x: `value` if x is a positive number. */
static inline float logarithm(float x, float value)
{
    value = bits_of(x) - 1 < 0x7f7fffff ? value : FMA(x, INFINITY_F, INFINITY_F);
    return x == 0 ? -INFINITY_F : value;
}

/* n log(2) + log(1 + f) */
static inline float sum_of_logs(float n, float f)
{
    float p = POLYNOMIAL(f, -0x1.37acdep-4f, 0x1.083896p-3f, -0x1.0f48fep-3f, 0x1.2273f4p-3f, -0x1.542584p-3f,
                         0x1.99a3e2p-3f, -0x1.000432p-2f, 0x1.55555p-2f, -0x1.fffff8p-2f);
    return FMA(n, 0x1.62e43p-1f, FMA(p, f * f, f));
}

float logf(float x)
{
    float n, f = split(x, &n);
    return logarithm(x, sum_of_logs(n, f));
}

float log2f(float x)
{
    float n, f = split(x, &n);
    float p = POLYNOMIAL(f, -0x1.c4f0eep-4f, 0x1.7f1848p-3f, -0x1.87b68ep-3f, 0x1.a2c694p-3f, -0x1.eaa75ep-3f,
                         0x1.277f66p-2f, -0x1.715af2p-2f, 0x1.ec7094p-2f, -0x1.71547p-1f, 0x1.49daeap-26f);
    return logarithm(x, n + FMA(f, 0x1.715476p0f, p * f));
}

float log10f(float x)
{
    float n, f = split(x, &n);
    float p = POLYNOMIAL(f, -0x1.0ec1eap-5f, 0x1.cc0924p-5f, -0x1.d7c748p-5f, 0x1.f8753p-5f, -0x1.27699ep-4f,
                         0x1.63cf6p-4f, -0x1.bcbf52p-4f, 0x1.287a72p-3f, -0x1.bcb7aap-3f, -0x1.5bc102p-27f);
    return logarithm(x, FMA(n, 0x1.344136p-2f, FMA(f, 0x1.bcb7b2p-2f, FMA(p, f, n * -0x1.ec10cp-27f))));
}

/* log(1 + x) + more. The fraction of 1 + x is computed from x, so that no part of x is lost. */
static inline float log_of_1_plus(float x, float more)
{
    unsigned power = (bits_of(1 + x) - ROOT_HALF) & 0xff800000;
    float f = of_bits(bits_of(x) - power) + FMA(0.25f, of_bits(0x40800000 - power), -1);
    return sum_of_logs(FMA((float)(int)power, 0x1p-23f, more), power == 0 ? x : f);
}

float log1pf(float x)
{
    float value = x > -1 && x < INFINITY_F ? log_of_1_plus(x, 0) : FMA(x, INFINITY_F, INFINITY_F);
    return x == 0 ? x : x == -1 ? -INFINITY_F : value; /* 0 keeps its sign */
}

float atanhf(float x)
{
    float size = ABS(x), more = size * APPROXIMATE_INVERSE(1 - size);
    float value = 0.5f * log_of_1_plus(FMA(2 * size, more, 2 * size), 0);
    return size < 1 ? SIGN_OF(value, x) : size == 1 ? x * INFINITY_F : NAN_F;
}

float asinhf(float x)
{
    float size = ABS(x), square = FMA(x, x, 1), root = square * APPROXIMATE_RSQRT(square);
    float all = FMA(size, size * APPROXIMATE_INVERSE(1 + root), size);
    int is_large = !(size < 0x1p60f);
    float value = log_of_1_plus(is_large ? size : all, is_large ? 1 : 0);
    return size < INFINITY_F ? SIGN_OF(value, x) : x;
}

float acoshf(float x)
{
    float less = x - 1, all = less + near_sqrt(FMA(less, less, 2 * less));
    int is_large = !(less < 0x1p60f);
    float value = log_of_1_plus(is_large ? x : all, is_large ? 1 : 0);
    return less < 0 ? NAN_F : x < INFINITY_F ? value : x;
}

/* ---- powf ---- */

/* The product of y and log2(x), x > 0, as a sum of two numbers that is exact to about 31 bits. */
static inline float times_log2(float x, float y, float *low)
{
    /* log2(1 + f) is a series of odd powers of f / (2 + f) = s + s_low. */
    float n, f = split(x, &n), d = f + 2, d_low = f - (d - 2), inverse = APPROXIMATE_INVERSE(d), s = f * inverse;
    float s_low = FMA(-s, d_low, FMA(-s, d, f)) * inverse, z = s * s;
    float p = POLYNOMIAL(z, 0x1.589212p-2f, 0x1.a5d03cp-2f, 0x1.2776ep-1f, 0x1.ec709ep-1f);
    float first = s * 0x1.715476p1f, rest = FMA(s, 0x1.715476p1f, -first);
    rest = FMA(s_low, 0x1.715476p1f, FMA(s, 0x1.4ae0cp-25f, rest));
    rest = FMA(p * z, FMA(3, s_low, s), rest);
    float sum = n + first, high, product;
    rest += first - (sum - n);
    high = sum + rest;
    rest -= high - sum;
    product = y * high;
    *low = ABS(product) < 256 ? FMA(y, rest, FMA(y, high, -product)) : 0;
    return product;
}

float powf(float x, float y)
{
    float size = ABS(x), low, high = times_log2(size, y, &low);
    float sum = FMA_DOWN(__builtin_fminf(__builtin_fmaxf(high, -126), 127), 1, shift);
    float value = exp2_of_sum(sum, high + (shift - sum) + low);
    if (size == 0 || size == INFINITY_F)
        value = (size == 0) == (y < 0) ? INFINITY_F : 0;
    if (size == 1)
        value = 1;
    float half = 0.5f * y;
    if (bits_of(x) >> 31) {
        int is_whole = y == __builtin_truncf(y);
        value = is_whole && half != __builtin_truncf(half) ? -value : value;
        value = is_whole || size == 0 || size == INFINITY_F ? value : NAN_F;
    }
    value = x != x || y != y ? x + y : value;
    return x == 1 || y == 0 ? 1 : value;
}

/* ---- angles ---- */

struct angle {
    float rest; /* from -pi/4 to pi/4 */
    int quarter;
};

/* x = rest + quarter pi/2, up to multiples of 2 pi. Not inlined, so that calls with the same argument, such as those of
 * sin and cos, can become one. */
static __attribute__((noinline, const)) struct angle reduce(float x)
{
    /* The parts of pi/2 have 24 bits each, so the first two differences are exact or almost exact. */
    float sum = FMA(x, 0x1.45f306p-1f, 0x1.8p23f), n = sum - 0x1.8p23f;
    float rest = FMA(n, -0x1.921fb4p0f, x);
    rest = FMA(n, -0x1.4442dp-24f, rest);
    rest = FMA(n, -0x1.846988p-48f, rest);
    struct angle angle = {rest, (int)bits_of(sum)};
    if (ABS(x) <= 0x1p16f)
        return angle;
    /* The fraction of x 2/pi / 4, from only those bits of 2/pi that matter for it: M. Payne, R. Hanek, "Radian
     * reduction for trigonometric functions", SIGNUM Newsletter 18 (1983). */
    static const unsigned inverse[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                       0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
    unsigned bits = bits_of(x), mantissa = (bits & 0x7fffff) | 0x800000, at = (bits >> 23 & 255) - 120;
    const unsigned *words = &inverse[at / 32];
    unsigned w[3];
    for (int i = 0; i < 3; i++)
        w[i] = (unsigned)(((unsigned long long)words[i] << 32 | words[i + 1]) << at % 32 >> 32);
    unsigned long long product = (unsigned long long)mantissa * w[1] + ((unsigned long long)mantissa * w[2] >> 32) +
                                 ((unsigned long long)(mantissa * w[0]) << 32);
    int quarter = (int)((product + (1ull << 61)) >> 62);
    rest = (float)((double)(long long)(product - ((unsigned long long)quarter << 62)) * 0x1.921fb54442d18p-62);
    angle.rest = x - x == 0 ? SIGN_OF(1, x) * rest : NAN_F;
    angle.quarter = x < 0 ? -quarter : quarter;
    return angle;
}

/* sin(rest + quarter pi/2) */
static inline float sine(float rest, int quarter)
{
    int is_odd = quarter & 1;
    float s = rest * rest, factor = is_odd ? 1 : rest;
    float p = is_odd ? FMA(0x1.99e816p-16f, s, -0x1.6c0c28p-10f) : -0x1.9951fap-13f;
    p = FMA(p, s, is_odd ? 0x1.55554ap-5f : 0x1.110774p-7f);
    p = FMA(p, s, is_odd ? -0.5f : -0x1.555546p-3f);
    float value = FMA(FMA(s, factor, 0.0f), p, factor); /* 0.0f keeps the sign of 0 */
    return quarter & 2 ? -value : value;
}

__attribute__((always_inline)) float sinf(float x)
{
    struct angle angle = reduce(x);
    return sine(angle.rest, angle.quarter);
}

__attribute__((always_inline)) float cosf(float x)
{
    struct angle angle = reduce(x);
    return sine(angle.rest, angle.quarter + 1);
}

__attribute__((always_inline)) float tanf(float x)
{
    struct angle angle = reduce(x);
    float s = angle.rest * angle.rest;
    float p =
        POLYNOMIAL(s, 0x1.341b9ep-7f, 0x1.954594p-9f, 0x1.908858p-6f, 0x1.b582acp-5f, 0x1.112df6p-3f, 0x1.5554dep-2f);
    float value = FMA(p, s * angle.rest, angle.rest);
    return angle.quarter & 1 ? -APPROXIMATE_INVERSE(value) : value;
}

/* sin(pi x + shift pi/2), of amp_math.h. */
static inline float sine_of_turns(float x, int shift)
{
    float usual = ABS(x) < 0x1p24f ? x : 0, n = __builtin_rintf(2 * usual), y = FMA(n, -0.5f, usual), s = y * y;
    int quarter = (int)n + shift, is_odd = quarter & 1;
    float p = FMA(is_odd ? 0x1.d4f3eep-3f : 0x1.44ab3ep-4f, s, is_odd ? -0x1.55b2b2p0f : -0x1.32af04p-1f);
    p = FMA(p, s, is_odd ? 0x1.03c1bp2f : 0x1.466b7ap1f);
    p = FMA(p, s, is_odd ? -0x1.3bd3ccp2f : -0x1.4abbcep2f);
    float value = is_odd ? FMA(p, s, 1) : FMA(y, 0x1.921fb6p1f, y * FMA(p, s, -0x1.778a34p-24f));
    value = quarter & 2 ? -value : value;
    return x - x == 0 ? value : NAN_F;
}

float amp_sinpif(float x)
{
    float value = sine_of_turns(x, 0);
    return value == 0 ? SIGN_OF(value, x) : value;
}

float amp_cospif(float x)
{
    return sine_of_turns(x, 1) + 0.0f; /* no negative zero */
}

static const float pi_high = 0x1.921fb6p1f, pi_low = -0x1.777a5cp-24f;

/* asin(x), |x| <= 1/2, from x and its square. */
static inline float small_asin(float x, float s)
{
    float p = POLYNOMIAL(s, 0x1.5bf2d6p-5f, 0x1.895834p-6f, 0x1.74c2fp-5f, 0x1.32ff56p-4f, 0x1.5555dp-3f);
    return FMA(p, s * x, x);
}

float asinf(float x)
{
    float size = ABS(x), s = size > 0.5f ? FMA(-0.5f, size, 0.5f) : x * x;
    float value = small_asin(size > 0.5f ? near_sqrt(s) : size, s);
    return SIGN_OF(size > 0.5f ? FMA(-2, value, pi_high / 2) + pi_low / 2 : value, x);
}

float acosf(float x)
{
    float size = ABS(x), s = size > 0.5f ? FMA(-0.5f, size, 0.5f) : x * x;
    float value = small_asin(size > 0.5f ? near_sqrt(s) : x, s);
    if (size > 0.5f)
        return x > 0 ? 2 * value : FMA(-2, value, pi_high) + pi_low;
    return pi_high / 2 - (value - pi_low / 2);
}

/* atan(x), 0 <= x <= 1 */
static inline float small_atan(float x)
{
    float s = x * x;
    float p = POLYNOMIAL(s, -0x1.d4984ap-10f, 0x1.64c1cep-7f, -0x1.fdfc1cp-6f, 0x1.da5ed4p-5f, -0x1.58155ep-4f,
                         0x1.c08f64p-4f, -0x1.2420b6p-3f, 0x1.9991e6p-3f, -0x1.55553ep-2f);
    return FMA(p, s * x, x);
}

float atanf(float x)
{
    float size = ABS(x), value = small_atan(size > 1 ? APPROXIMATE_INVERSE(size) : size);
    return SIGN_OF(size > 1 ? pi_high / 2 - (value - pi_low / 2) : value, x);
}

float atan2f(float y, float x)
{
    float a = ABS(y), b = ABS(x), larger = __builtin_fmaxf(a, b), smaller = __builtin_fminf(a, b);
    float by = larger < 0x1p-100f ? 0x1p24f : larger > 0x1p100f ? 0x1p-24f : 1;
    float d = larger * by, inverse = APPROXIMATE_INVERSE(d), n = smaller * by, ratio = n * inverse;
    ratio = FMA(FMA(-ratio, d, n), inverse, ratio);
    ratio = larger == INFINITY_F ? 0 : ratio;
    ratio = larger == smaller ? (larger == 0 ? 0 : 1) : ratio;
    float value = small_atan(ratio);
    value = a > b ? pi_high / 2 - (value - pi_low / 2) : value;
    value = bits_of(x) >> 31 ? pi_high - (value - pi_low) : value;
    return x != x || y != y ? x + y : SIGN_OF(value, y);
}

/* ---- error functions ---- */

/* erf(x), |x| <= 1 */
static inline float small_erf(float x)
{
    float s = x * x;
    float p = POLYNOMIAL(s, 0x1.4771fcp-14f, -0x1.a3515ep-11f, 0x1.53f224p-8f, -0x1.b7f71ap-6f, 0x1.ce2ce6p-4f,
                         -0x1.81273ep-2f, 0x1.06eba8p-3f);
    return FMA(p, x, x);
}

float erff(float x)
{
    float size = ABS(x);
    float log2 = POLYNOMIAL(size, -0x1.3eaa42p-12f, 0x1.2d532ep-8f, -0x1.0d7242p-5f, 0x1.3694acp-3f, 0x1.d5a9c2p-1f,
                            0x1.a0c80ep0f); /* log2(1 / erfc(x)) / x */
    float large = size > 4 ? 1 : 1 - APPROXIMATE_EXP2(-size * log2);
    return size < 1 ? small_erf(x) : x != x ? x : SIGN_OF(large, x);
}

/* Approximates (1 + 2x) e^(x^2) erfc(x), which varies little: M. Shepherd, J. Laframboise, "Chebyshev approximation of
 * (1 + 2x) exp(x^2) erfc x in 0 <= x < infinity", Mathematics of Computation 36 (1981). */
float erfcf(float x)
{
    float size = ABS(x) > 10.1f ? 10.1f : ABS(x), d = size + 2, inverse = APPROXIMATE_INVERSE(d);
    float t = (size - 2) * inverse;
    t = FMA(FMA(-t, d, size - 2), inverse, t);
    float p = POLYNOMIAL(t, -0x1.a5bc92p-12f, -0x1.440be8p-10f, 0x1.573194p-10f, 0x1.1b004p-7f, -0x1.07f0fcp-7f,
                         -0x1.bc0ca8p-5f, 0x1.4ffb72p-3f, -0x1.54084ap-3f, -0x1.7bf5f2p-4f, 1.27697838f);
    d = FMA(2, size, 1);
    inverse = APPROXIMATE_INVERSE(d);
    float value = p * inverse, square = size * size, e = expf(-square);
    value = FMA(FMA(-value, d, p), inverse, value);
    value *= FMA(e, -FMA(size, size, -square), e);
    value = x < 0 ? 2 - value : value;
    return size < 0.5f ? 1 - small_erf(x) : value;
}

/* The inverse of erf at `x`, with t = -log2(1 - x^2): a polynomial in t, or for large t in the inverse of its root. */
static inline float inverse_erf(float x, float t)
{
    float r = APPROXIMATE_RSQRT(t), root = t * r;
    root = FMA(FMA(-root, root, t), 0.5f * r, root);
    float near = POLYNOMIAL(t, 0x1.9c0cb6p-29f, -0x1.c6c732p-25f, -0x1.595978p-23f, 0x1.37175ep-17f, -0x1.1c66b2p-15f,
                            -0x1.94ce12p-11f, 0x1.6b6d3ep-8f, 0x1.495c3cp-3f, 0x1.c5bf88p-1f);
    float far = POLYNOMIAL(r, 0x1.4c347ep4f, -0x1.34f8e4p4f, -0x1.ca9228p2f, 0x1.195062p4f, -0x1.78a918p3f,
                           0x1.45b938p2f, -0x1.4b69e4p0f, -0x1.28ad3ep-5f, 0x1.aa7e8ep-1f);
    return t < 6 ? x * near : SIGN_OF(root * far, x);
}

/* Declared in amp_math.h. */
float amp_erfinvf(float x)
{
    float value = inverse_erf(x, -APPROXIMATE_LOG2(FMA(-x, x, 1)));
    return ABS(x) == 1 ? x * INFINITY_F : ABS(x) < 1 ? value : NAN_F;
}

float amp_erfcinvf(float x)
{
    int is_small = x < 0x1p-100f;
    float t = -APPROXIMATE_LOG2((is_small ? x * 0x1p32f : x) * (2 - x)) + (is_small ? 32 : 0);
    float value = inverse_erf(1 - x, t);
    return x == 0 || x == 2 ? (1 - x) * INFINITY_F : x > 0 && x < 2 ? value : NAN_F;
}

/* ---- roots ---- */

float cbrtf(float x)
{
    int is_small = ABS(x) < 0x1p-126f;
    float size = is_small ? ABS(x) * 0x1p24f : ABS(x);
    float root = APPROXIMATE_EXP2(APPROXIMATE_LOG2(size) * 0x1.555556p-2f);
    float square = root * root, lack = FMA(-root, square, size);
    lack = FMA(-root, FMA(root, root, -square), lack);
    root = FMA(lack, APPROXIMATE_INVERSE(square) * 0x1.555556p-2f, root);
    root = is_small ? root * 0x1p-8f : root;
    return x == 0 || x - x != 0 ? x : SIGN_OF(root, x);
}

/* 1 / sqrt(x) and 1 / cbrt(x), of amp_math.h. */
float amp_rsqrtf(float x)
{
    int is_small = ABS(x) < 0x1p-126f;
    return APPROXIMATE_RSQRT(is_small ? x * 0x1p24f : x) * (is_small ? 0x1p12f : 1);
}

float amp_fast_rsqrtf(float x)
{
    return amp_rsqrtf(x);
}

float amp_rcbrtf(float x)
{
    int is_small = ABS(x) < 0x1p-126f;
    float size = is_small ? ABS(x) * 0x1p24f : ABS(x);
    float root = APPROXIMATE_EXP2(APPROXIMATE_LOG2(size) * -0x1.555556p-2f);
    float lack = FMA(-size * root, root * root, 1);
    root = FMA(root * 0x1.555556p-2f, lack, root);
    root = is_small ? root * 0x1p8f : root;
    return SIGN_OF(x == 0 ? INFINITY_F : ABS(x) == INFINITY_F ? 0 : root, x);
}

/* ---- remainders ---- */

/* Returns a whole number of 24 bits: x > 0 is this number times 2^power. */
static inline float whole(float x, int *power)
{
    int is_small = x < 0x1p-126f;
    unsigned bits = bits_of(is_small ? x * 0x1p24f : x);
    *power = (int)(bits >> 23) - (is_small ? 174 : 150);
    return of_bits((bits & 0x7fffff) | 150 << 23);
}

/* The remainder of x / y, which has the sign of x or is nearest to 0, and the last bits of the quotient. This is a long
 * division, 20 bits at a time, in which each step is exact. */
static inline float divide(float x, float y, int is_nearest, int *quotient)
{
    static const float magic = 0x1.8p23f;
    int power, left;
    unsigned bits = 0;
    *quotient = 0;
    if (!(ABS(x) < INFINITY_F && ABS(y) > 0))
        return NAN_F;
    float rest = whole(ABS(x), &left), divisor = whole(ABS(y), &power), inverse = APPROXIMATE_INVERSE(divisor);
    left -= power;
    if (left < -1 || x == 0 || ABS(y) == INFINITY_F)
        return x;
    if (left < 0)
        rest *= 0.5f;
    else if (rest >= divisor)
        rest -= divisor, bits = 1;
    while (left > 0) {
        int step = left < 20 ? left : 20;
        float scaled = rest * of_bits((unsigned)(127 + step) << 23), sum = FMA(scaled, inverse, magic);
        rest = FMA(magic - sum, divisor, scaled);
        bits = (bits << step) + bits_of(sum) - bits_of(magic) - (rest < 0);
        rest += rest < 0 ? divisor : 0;
        left -= step;
    }
    if (is_nearest && (2 * rest > divisor || (2 * rest == divisor && bits & 1)))
        rest -= divisor, bits++;
    *quotient = (bits_of(x) ^ bits_of(y)) >> 31 ? -(int)(bits & 127) : (int)(bits & 127);
    rest *= of_bits((unsigned)(127 + (power >> 1)) << 23) * SIGN_OF(1, x);
    return rest * of_bits((unsigned)(127 + power - (power >> 1)) << 23);
}

float fmodf(float x, float y)
{
    int quotient;
    return divide(x, y, 0, &quotient);
}

float remainderf(float x, float y)
{
    int quotient;
    return divide(x, y, 1, &quotient);
}

float remquof(float x, float y, int *quotient)
{
    return divide(x, y, 1, quotient);
}
