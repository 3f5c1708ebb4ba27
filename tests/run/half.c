/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off %s -o %t && %run %t
 * RUN: %ampcc -O2 -ffp-contract=off --amp-gpu=none --amp-lanes=1 -DFEW %s -o %t && %run-cpu %t
 * RUN: %ampcc -O0 -ffp-contract=off --amp-gpu=none --amp-lanes=8 -DFEW %s -o %t && %run-cpu %t
 * RUN: %ampcc -O0 -g -ffp-contract=off --amp-gpu=none -DFEW %s -o %t && %run-cpu %t
 * row: T2
 *
 * _Float16 and __bf16: every value, and numbers between two values, converted from and to every type; arithmetic and
 * comparisons of every value with some others; and both types wherever a kernel may have a number. Conversions are also
 * compared with exact arithmetic, because plain C calls libamp for them. */
#include "check.h"

#ifdef FEW
enum { ALL = 65536 / 16, STEPS = 8 };
#else
enum { ALL = 65536, STEPS = 8 };
#endif

/* The bits of each value that is tried. */
static uint16_t bits_at(int i)
{
    return (uint16_t)(i * (65536 / ALL) + i % (65536 / ALL));
}

/* ---- what is exact: with p bits, and the exponent of the smallest normal number ---- */

static double reference(long double value, int p, int least)
{
    int exponent;
    if (value == 0 || !isfinite(value))
        return (double)value;
    frexpl(value, &exponent);
    long double unit = ldexpl(1, (exponent > least ? exponent : least) - p);
    long double rounded = nearbyintl(value / unit) * unit;
    return (double)(fabsl(rounded) < ldexpl(1, p == 11 ? 16 : 128) ? rounded : copysignl(INFINITY, value));
}
#define REFERENCE_h(value) reference(value, 11, -13)
#define REFERENCE_b(value) reference(value, 8, -125)

/* Compares elements: the bits, so that zeros have their sign; all NaNs are one. */
#define CHECK_SAME(got, want, n, ...)                                                                                  \
    CHECK_EACH(got, want, n,                                                                                           \
               !memcmp(&(got)[i_], &(want)[i_], sizeof *(got)) ||                                                      \
                   ((got)[i_] != (got)[i_] && (want)[i_] != (want)[i_]),                                               \
               "%.17g", double, __VA_ARGS__)

/* What each value is made to: it, half-way to the next one, and a bit less and more than that. */
static double between(double here, double next, int step, bool is_float)
{
    double middle = here + (next - here) / 2, end = step & 1 ? INFINITY : -INFINITY;
    double from = step / 2 == 0 ? here : middle;
    if (!isfinite(here) || step < 2)
        return step == 1 ? -here : here;
    if (step < 4)
        return step == 3 ? -middle : middle;
    if (step < 6)
        from = middle;
    return is_float ? (double)nextafterf((float)from, (float)end) : nextafter(from, end);
}

/* ---- conversions ---- */

#define INTEGERS(X, s)                                                                                                 \
    X(s, int8_t, i8, -128, 128)                                                                                        \
    X(s, uint8_t, u8, 0, 256)                                                                                          \
    X(s, int16_t, i16, -32768, 32768) X(s, uint16_t, u16, 0, 65536) X(s, int32_t, i32, -0x1p31, 0x1p31)                \
        X(s, uint32_t, u32, 0, 0x1p32) X(s, int64_t, i64, -0x1p63, 0x1p63) X(s, uint64_t, u64, 0, 0x1p64)

#define TO_INTEGER(s, I, name, low, high)                                                                              \
    static void s##_to_##name(amp_index1 idx, int N, const T_##s x[N], I out[N]) restrict(cpu, amp)                    \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        out[i] = (float)x[i] >= (float)low && (float)x[i] < (float)high ? (I)x[i] : (I)77;                             \
    }                                                                                                                  \
    static void s##_from_##name(amp_index1 idx, int N, const I x[N], T_##s out[N]) restrict(cpu, amp)                  \
    {                                                                                                                  \
        out[idx[0]] = (T_##s)x[idx[0]];                                                                                \
    }
#define CONVERSIONS(s)                                                                                                 \
    static void s##_to_float(amp_index1 idx, int N, const T_##s x[N], float out[N]) restrict(cpu, amp)                 \
    {                                                                                                                  \
        out[idx[0]] = x[idx[0]];                                                                                       \
    }                                                                                                                  \
    static void s##_to_double(amp_index1 idx, int N, const T_##s x[N], double out[N]) restrict(cpu, amp)               \
    {                                                                                                                  \
        out[idx[0]] = x[idx[0]];                                                                                       \
    }                                                                                                                  \
    static void s##_from_float(amp_index1 idx, int N, const float x[N], T_##s out[N]) restrict(cpu, amp)               \
    {                                                                                                                  \
        out[idx[0]] = (T_##s)x[idx[0]];                                                                                \
    }                                                                                                                  \
    static void s##_from_double(amp_index1 idx, int N, const double x[N], T_##s out[N]) restrict(cpu, amp)             \
    {                                                                                                                  \
        out[idx[0]] = (T_##s)x[idx[0]];                                                                                \
    }                                                                                                                  \
    static void s##_to_bool(amp_index1 idx, int N, const T_##s x[N], bool out[N]) restrict(cpu, amp)                   \
    {                                                                                                                  \
        out[idx[0]] = x[idx[0]];                                                                                       \
    }                                                                                                                  \
    static void s##_from_bool(amp_index1 idx, int N, const bool x[N], T_##s out[N]) restrict(cpu, amp)                 \
    {                                                                                                                  \
        out[idx[0]] = x[idx[0]];                                                                                       \
    }                                                                                                                  \
    INTEGERS(TO_INTEGER, s)

typedef _Float16 T_h;
typedef __bf16 T_b;
CONVERSIONS(h)
CONVERSIONS(b)

#if __clang_major__ < 22 /* which cannot do it at once */
#define BY_FLOAT (float)
#else
#define BY_FLOAT
#endif
static void h_to_b(amp_index1 idx, int N, const _Float16 x[N], __bf16 out[N]) restrict(cpu, amp)
{
    out[idx[0]] = (__bf16)BY_FLOAT x[idx[0]];
}

static void b_to_h(amp_index1 idx, int N, const __bf16 x[N], _Float16 out[N]) restrict(cpu, amp)
{
    out[idx[0]] = (_Float16)BY_FLOAT x[idx[0]];
}

/* Runs a kernel from n elements of x to those of out, on the accelerator and on the host. */
#define CONVERT(kernel, n, x, out, want)                                                                               \
    {                                                                                                                  \
        amp_array_view *from = amp_array_view1(n, (const __typeof__(*(x)) *)(x)), *to = amp_array_view1(n, out);       \
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), kernel, from, to));                                             \
        for (int i = 0; i < (n); i++)                                                                                  \
            kernel((amp_index1){i}, n, x, want);                                                                       \
        CHECK_SAME(out, want, n, #kernel);                                                                             \
        amp_array_view_release(from);                                                                                  \
        amp_array_view_release(to);                                                                                    \
    }

/* The exact value of a number, as an integer. */
static int64_t integer_at(int i)
{
    return (int64_t)((uint64_t)i * 0x9e3779b97f4a7c15u) >> i % 63;
}

#define TEST_INTEGER(s, I, name, low, high)                                                                            \
    {                                                                                                                  \
        I *out = check_alloc(ALL * sizeof(I)), *want = check_alloc(ALL * sizeof(I));                                   \
        CONVERT(s##_to_##name, ALL, all, out, want)                                                                    \
        for (int i = 0; i < ALL; i++) {                                                                                \
            bool fits = (double)all[i] >= (double)low && (double)all[i] < (double)high;                                \
            want[i] = fits ? (I)(double)all[i] : (I)77;                                                                \
            out[i] = fits ? out[i] : (I)77;                                                                            \
        }                                                                                                              \
        CHECK_SAME(out, want, ALL, #s " to " #I)                                                                       \
        for (int i = 0; i < ALL; i++)                                                                                  \
            want[i] = (I)integer_at(i);                                                                                \
        amp_array_view *from = amp_array_view1(ALL, (const I *)want), *to = amp_array_view1(ALL, narrow);              \
        CHECK_OK(amp_parallel_for_each(amp_extent1(ALL), s##_from_##name, from, to));                                  \
        for (int i = 0; i < ALL; i++) /* clang's own code for __bf16 rounds integers twice */                          \
            expected[i] = (T_##s)REFERENCE_##s(want[i]);                                                               \
        CHECK_SAME(narrow, expected, ALL, #s " from " #I)                                                              \
        amp_array_view_release(from);                                                                                  \
        amp_array_view_release(to);                                                                                    \
    }

#define TEST_CONVERSIONS(s)                                                                                            \
    {                                                                                                                  \
        T_##s *all = check_alloc(ALL * sizeof *all), *narrow = check_alloc(STEPS * ALL * sizeof *narrow),              \
              *expected = check_alloc(STEPS * ALL * sizeof *expected);                                                 \
        float *x = check_alloc(STEPS * ALL * sizeof *x), *f = check_alloc(ALL * sizeof *f),                            \
              *f_want = check_alloc(ALL * sizeof *f);                                                                  \
        double *y = check_alloc(STEPS * ALL * sizeof *y), *d = check_alloc(ALL * sizeof *d),                           \
               *d_want = check_alloc(ALL * sizeof *d);                                                                 \
        bool *truth = check_alloc(ALL), *truth_want = check_alloc(ALL);                                                \
        for (int i = 0; i < ALL; i++)                                                                                  \
            memcpy(&all[i], &(uint16_t){bits_at(i)}, 2);                                                               \
        CONVERT(s##_to_float, ALL, all, f, f_want)                                                                     \
        CONVERT(s##_to_double, ALL, all, d, d_want)                                                                    \
        CONVERT(s##_to_bool, ALL, all, truth, truth_want)                                                              \
        CONVERT(s##_from_bool, ALL, truth, narrow, expected)                                                           \
        CONVERT(s##_from_float, ALL, f, narrow, expected)                                                              \
        CHECK_SAME(narrow, all, ALL, "back from float")                                                                \
        CONVERT(s##_from_double, ALL, d, narrow, expected)                                                             \
        CHECK_SAME(narrow, all, ALL, "back from double")                                                               \
        for (int i = 0; i < STEPS * ALL; i++) {                                                                        \
            double next = d[(i / STEPS + 1) % ALL];                                                                    \
            x[i] = (float)between(f[i / STEPS], isfinite(next) ? next : 2 * f[i / STEPS], i % STEPS, true);            \
            y[i] = between(d[i / STEPS], isfinite(next) ? next : 2 * d[i / STEPS], i % STEPS, false);                  \
        }                                                                                                              \
        CONVERT(s##_from_float, STEPS *ALL, x, narrow, expected)                                                       \
        for (int i = 0; i < STEPS * ALL; i++)                                                                          \
            CHECK_EXACT(narrow[i], REFERENCE_##s((double)x[i]), (double)x[i])                                          \
        CONVERT(s##_from_double, STEPS *ALL, y, narrow, expected)                                                      \
        for (int i = 0; i < STEPS * ALL; i++)                                                                          \
            CHECK_EXACT(narrow[i], REFERENCE_##s(y[i]), y[i])                                                          \
        INTEGERS(TEST_INTEGER, s)                                                                                      \
        check_free_all();                                                                                              \
    }
#define CHECK_EXACT(got, want, from)                                                                                   \
    if (!((double)(got) == (want) && !signbit((double)(got)) == !signbit(want)) &&                                     \
        !(isnan((double)(got)) && isnan(want))) {                                                                      \
        fprintf(stderr, "line %d: %a became %a, expected %a\n", __LINE__, from, (double)(got), want);                  \
        exit(1);                                                                                                       \
    }

/* ---- arithmetic ---- */

enum { RESULTS = 24 };

#define ARITHMETIC(s)                                                                                                  \
    static void s##_arithmetic(amp_index1 idx, int N, const T_##s x[N], T_##s y, T_##s z,                              \
                               T_##s out[N][RESULTS]) restrict(cpu, amp)                                               \
    {                                                                                                                  \
        T_##s a = x[idx[0]], r, *o = out[idx[0]];                                                                      \
        o[0] = a + y;                                                                                                  \
        o[1] = a - y;                                                                                                  \
        o[2] = y - a;                                                                                                  \
        o[3] = a * y;                                                                                                  \
        o[4] = a / y;                                                                                                  \
        o[5] = y / a;                                                                                                  \
        o[6] = -a;                                                                                                     \
        o[7] = +a;                                                                                                     \
        r = a, r += y, o[8] = r;                                                                                       \
        r = a, r *= 3, o[9] = r;                                                                                       \
        r = a, r /= 0.3, o[10] = r;                                                                                    \
        r = a, o[11] = r++, o[12] = r;                                                                                 \
        r = a, o[13] = --r, o[14] = r;                                                                                 \
        o[15] = a * y + z; /* with the excess precision of the whole expression */                                     \
        o[16] = (T_##s)(a * y) + z;                                                                                    \
        o[17] = a > y ? a : z;                                                                                         \
        o[18] = (a < y) + 2 * (a <= y) + 4 * (a == y) + 8 * (a != y) + 16 * (a >= y) + 32 * !a + 64 * (a && y);        \
        o[19] = sqrtf(a) + fabsf(a);                                                                                   \
        o[20] = floorf(a) - truncf(y);                                                                                 \
        o[21] = fminf(a, y);                                                                                           \
        o[22] = 2.5f * a - (T_##s)0.1 / y;                                                                             \
        o[23] = __builtin_isnan(a) + 2 * __builtin_isinf(a) + 4 * __builtin_isfinite(a) + 8 * __builtin_isnormal(a) +  \
                16 * !!__builtin_signbit(a);                                                                           \
    }
ARITHMETIC(h)
ARITHMETIC(b)

#define TEST_ARITHMETIC(s)                                                                                             \
    {                                                                                                                  \
        static const float others[] = {0, -1, 3, 0.1f, 6e-8f, 9.2e-41f, 60000, 3e38f, INFINITY, NAN};                  \
        T_##s *all = check_alloc(ALL * sizeof *all), *out = check_alloc(ALL * RESULTS * sizeof *out),                  \
              *want = check_alloc(ALL * RESULTS * sizeof *want);                                                       \
        for (int i = 0; i < ALL; i++)                                                                                  \
            memcpy(&all[i], &(uint16_t){bits_at(i)}, 2);                                                               \
        amp_array_view *from = amp_array_view1(ALL, (const T_##s *)all), *to = amp_array_view2(ALL, RESULTS, out);     \
        for (int k = 0; k < LENGTH(others); k++) {                                                                     \
            T_##s y = (T_##s)others[k], z = (T_##s)others[(k + 4) % LENGTH(others)];                                   \
            CHECK_OK(amp_parallel_for_each(amp_extent1(ALL), s##_arithmetic, from, y, z, to));                         \
            for (int i = 0; i < ALL; i++)                                                                              \
                s##_arithmetic((amp_index1){i}, ALL, all, y, z, (T_##s(*)[RESULTS])want);                              \
            CHECK_SAME(out, want, ALL *RESULTS, "number %d with %g and %g, operation %d", i_ / RESULTS, (double)y,     \
                       (double)z, i_ % RESULTS)                                                                        \
        }                                                                                                              \
        amp_array_view_release(from);                                                                                  \
        amp_array_view_release(to);                                                                                    \
        check_free_all();                                                                                              \
    }

/* ---- wherever a number may be ---- */

#define PLACES(s)                                                                                                      \
    struct s##_pair {                                                                                                  \
        T_##s x, y;                                                                                                    \
        int count;                                                                                                     \
        T_##s rest[3];                                                                                                 \
    };                                                                                                                 \
    static const T_##s s##_table[5] = {1, -2.5, 0.1, 1000, 6e-5};                                                      \
    static T_##s s##_scale(T_##s x, T_##s by) restrict(cpu, amp)                                                       \
    {                                                                                                                  \
        return x * by;                                                                                                 \
    }                                                                                                                  \
    static struct s##_pair s##_swap(struct s##_pair p, T_##s *sum) restrict(cpu, amp)                                  \
    {                                                                                                                  \
        *sum += p.x;                                                                                                   \
        return (struct s##_pair){p.y, p.x, p.count + 1, {p.rest[2], p.rest[0], p.rest[1]}};                            \
    }                                                                                                                  \
    static void s##_places(amp_index1 idx, int N, T_##s scalar, struct s##_pair pair, const T_##s a[N],                \
                           const int n[N], struct s##_pair pairs[N], T_##s out[N]) restrict(cpu, amp)                  \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        T_##s own[6], sum = 0, most = a[0];                                                                            \
        for (int k = 0; k < 6; k++)                                                                                    \
            own[k] = a[(i + k) % N] + s##_table[(i + k) % 5];                                                          \
        struct s##_pair p = pairs[i];                                                                                  \
        for (int k = 0; k < n[i]; k++) { /* threads leave at different times */                                        \
            sum += own[k % 6] * scalar;                                                                                \
            if (a[(i * 5 + k) % N] > most)                                                                             \
                most = a[(i * 5 + k) % N];                                                                             \
            p = s##_swap(p, &sum);                                                                                     \
        }                                                                                                              \
        switch (n[i] & 3) {                                                                                            \
        case 0:                                                                                                        \
            sum = s##_scale(sum, pair.x);                                                                              \
            break;                                                                                                     \
        case 1:                                                                                                        \
            sum -= pair.rest[i % 3];                                                                                   \
            break;                                                                                                     \
        default:                                                                                                       \
            sum = most > pair.y ? sum : -sum;                                                                          \
        }                                                                                                              \
        p.rest[i % 3] = most;                                                                                          \
        pairs[i] = p;                                                                                                  \
        out[N - 1 - i] = sum;                                                                                          \
    }                                                                                                                  \
    static void s##_tiles(amp_tiled_index1(16) t, int N, const T_##s a[2 * N], T_##s out[3 * N]) restrict(amp)         \
    {                                                                                                                  \
        tile_static T_##s both[16][2];                                                                                 \
        tile_static T_##s first;                                                                                       \
        int i = t.global[0], l = t.local[0];                                                                           \
        T_##s kept = a[2 * i] * a[2 * i + 1];                                                                          \
        both[l][l & 1] = kept, both[l][!(l & 1)] = 1;                                                                  \
        if (l == 0)                                                                                                    \
            first = kept + 1;                                                                                          \
        amp_tile_barrier_wait(t.barrier);                                                                              \
        for (int k = 8; k > 0; k /= 2) {                                                                               \
            if (l < k)                                                                                                 \
                both[l][0] += both[l + k][0];                                                                          \
            amp_tile_barrier_wait(t.barrier);                                                                          \
        }                                                                                                              \
        out[3 * i] = both[0][0] + kept, out[3 * i + 1] = first, out[3 * i + 2] = both[15 - l][1];                      \
    }                                                                                                                  \
    static void s##_tiles_on_host(int N, const T_##s *a, T_##s *out)                                                   \
    {                                                                                                                  \
        for (int tile = 0; tile < N; tile += 16) {                                                                     \
            T_##s kept[16], both[16][2];                                                                               \
            for (int l = 0; l < 16; l++) {                                                                             \
                kept[l] = a[2 * (tile + l)] * a[2 * (tile + l) + 1];                                                   \
                both[l][l & 1] = kept[l], both[l][!(l & 1)] = 1;                                                       \
            }                                                                                                          \
            for (int k = 8; k > 0; k /= 2)                                                                             \
                for (int l = 0; l < k; l++)                                                                            \
                    both[l][0] += both[l + k][0];                                                                      \
            for (int l = 0; l < 16; l++) {                                                                             \
                T_##s *o = &out[3 * (tile + l)];                                                                       \
                o[0] = both[0][0] + kept[l], o[1] = kept[0] + 1, o[2] = both[15 - l][1];                               \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static void s##_multiply(amp_index2 idx, int M, int N, int W, const T_##s a[M][W], const T_##s b[W][N],            \
                             T_##s c[M][N]) restrict(cpu, amp)                                                         \
    {                                                                                                                  \
        T_##s sum = 0;                                                                                                 \
        for (int k = 0; k < W; k++)                                                                                    \
            sum += a[idx[0]][k] * b[k][idx[1]];                                                                        \
        c[idx[0]][idx[1]] = sum;                                                                                       \
    }
PLACES(h)
PLACES(b)

#define TEST_PLACES(s)                                                                                                 \
    EACH_EXTENT(n)                                                                                                     \
    {                                                                                                                  \
        typedef struct s##_pair pair;                                                                                  \
        T_##s *a = check_alloc(n * sizeof *a), *out = check_alloc(n * sizeof *a), *want = check_alloc(n * sizeof *a);  \
        int *counts = check_alloc(n * sizeof *counts);                                                                 \
        pair *pairs = check_alloc(n * sizeof *pairs), *pairs_want = check_alloc(n * sizeof *pairs);                    \
        pair one = {(T_##s)1.5, -2, 3, {4, (T_##s)0.3, 6}};                                                            \
        for (int i = 0; i < n; i++) {                                                                                  \
            a[i] = (T_##s)(check_value(i) / 100.0), counts[i] = i * 7 % 11;                                            \
            memset(&pairs[i], 0, sizeof *pairs);                                                                       \
            pairs[i].x = a[i], pairs[i].y = (T_##s)i, pairs[i].rest[1] = (T_##s)0.7;                                   \
            pairs_want[i] = pairs[i];                                                                                  \
        }                                                                                                              \
        amp_array_view *v[] = {amp_array_view1(n, (const T_##s *)a), amp_array_view1(n, (const int *)counts),          \
                               amp_array_view1(n, pairs), amp_array_view1(n, out)};                                    \
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), s##_places, 0.3, one, v[0], v[1], v[2], v[3]));                 \
        for (int i = 0; i < n; i++)                                                                                    \
            s##_places((amp_index1){i}, n, (T_##s)0.3, one, a, counts, pairs_want, want);                              \
        CHECK_SAME(out, want, n, "extent %d", n)                                                                       \
        for (int i = 0; i < n; i++)                                                                                    \
            CHECK_SAME(&pairs[i].x, &pairs_want[i].x, 2, "extent %d, pair %d", n, i)                                   \
        for (int i = 0; i < n; i++)                                                                                    \
            CHECK_SAME(pairs[i].rest, pairs_want[i].rest, 3, "extent %d, pair %d", n, i)                               \
        for (int i = 0; i < 4; i++)                                                                                    \
            amp_array_view_release(v[i]);                                                                              \
        check_free_all();                                                                                              \
    }                                                                                                                  \
    {                                                                                                                  \
        enum { N = 160 };                                                                                              \
        T_##s *a = check_alloc(2 * N * sizeof *a), *out = check_alloc(3 * N * sizeof *a),                              \
              *want = check_alloc(3 * N * sizeof *a);                                                                  \
        for (int i = 0; i < 2 * N; i++)                                                                                \
            a[i] = (T_##s)(check_value(i) / 100.0);                                                                    \
        amp_array_view *from = amp_array_view1(2 * N, (const T_##s *)a), *to = amp_array_view1(3 * N, out);            \
        amp_kernel tiles = (amp_kernel)s##_tiles; /* the sizes are expressions of N */                                 \
        CHECK_OK(amp_parallel_for_each(amp_extent1(N), tiles, N, from, to));                                           \
        s##_tiles_on_host(N, a, want);                                                                                 \
        CHECK_SAME(out, want, 3 * N, "tiles")                                                                          \
        amp_array_view_release(from);                                                                                  \
        amp_array_view_release(to);                                                                                    \
        check_free_all();                                                                                              \
    }                                                                                                                  \
    for (int n = 1; n < 70; n += 17) {                                                                                 \
        const int m = 9, w = 13;                                                                                       \
        T_##s *a = check_alloc(m * w * sizeof *a), *b = check_alloc(w * n * sizeof *a),                                \
              *c = check_alloc(m * n * sizeof *a), *want = check_alloc(m * n * sizeof *a);                             \
        for (int i = 0; i < m * w; i++)                                                                                \
            a[i] = (T_##s)(check_value(i) / 100.0);                                                                    \
        for (int i = 0; i < w * n; i++)                                                                                \
            b[i] = (T_##s)(check_value(i + 99) / 100.0);                                                               \
        amp_array_view *v[] = {amp_array_view2(m, w, (const T_##s *)a), amp_array_view2(w, n, (const T_##s *)b),       \
                               amp_array_view2(m, n, c)};                                                              \
        CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), s##_multiply, v[0], v[1], v[2]));                            \
        for (int i = 0; i < m * n; i++)                                                                                \
            s##_multiply((amp_index2){i / n, i % n}, m, n, w, (const T_##s(*)[w])a, (const T_##s(*)[n])b,              \
                         (T_##s(*)[n])want);                                                                           \
        CHECK_SAME(c, want, m *n, "multiplication, %d columns", n)                                                     \
        for (int i = 0; i < 3; i++)                                                                                    \
            amp_array_view_release(v[i]);                                                                              \
        check_free_all();                                                                                              \
    }

/* ---- arguments of launches ---- */

static void keep(amp_index1 idx, int N, _Float16 h, __bf16 b, float f, int n, _Float16 hs[N], __bf16 bs[N],
                 double numbers[N][2]) restrict(amp)
{
    hs[idx[0]] = h, bs[idx[0]] = b, numbers[idx[0]][0] = f, numbers[idx[0]][1] = n;
}

/* Passes x for h and b. */
#define TEST_ARGUMENT(x)                                                                                               \
    {                                                                                                                  \
        CHECK_OK(amp_parallel_for_each(amp_extent1(1), keep, x, x, (_Float16)0.1, (__bf16)7, v[0], v[1], v[2]));       \
        _Float16 h_want = (_Float16)(x);                                                                               \
        __bf16 b_want = (__bf16)(x);                                                                                   \
        double numbers_want[] = {(double)(_Float16)0.1, 7};                                                            \
        CHECK_SAME(&h, &h_want, 1, #x)                                                                                 \
        CHECK_SAME(&b, &b_want, 1, #x)                                                                                 \
        CHECK_SAME(numbers, numbers_want, 2, #x)                                                                       \
    }

static void test_arguments(void)
{
    _Float16 h;
    __bf16 b;
    double numbers[2];
    amp_array_view *v[] = {amp_array_view1(1, &h), amp_array_view1(1, &b), amp_array_view2(1, 2, numbers)};
    if (amp_array_view_type(v[0]) != AMP_TYPE_F16 || amp_array_view_type(v[1]) != AMP_TYPE_BF16)
        exit(1);
    TEST_ARGUMENT(0.1)
    TEST_ARGUMENT(0.1f)
    TEST_ARGUMENT(1.00048828125000001)
    TEST_ARGUMENT(1.00390625000000023)
    TEST_ARGUMENT(-6e-8)
    TEST_ARGUMENT(65519.99)
    TEST_ARGUMENT(65520)
    TEST_ARGUMENT(-16842753)
    TEST_ARGUMENT(18446744073709551615u)
    TEST_ARGUMENT((_Float16)0.1)
    TEST_ARGUMENT((__bf16)0.1)
    TEST_ARGUMENT((__bf16)9.2e-41)
    TEST_ARGUMENT(true)
    TEST_ARGUMENT((double)INFINITY)
    TEST_ARGUMENT((double)NAN)
    for (int i = 0; i < 3; i++)
        amp_array_view_release(v[i]);
}

int main(void)
{
    TEST_CONVERSIONS(h)
    TEST_CONVERSIONS(b)
    _Float16 *all = check_alloc(ALL * sizeof *all), *halves = check_alloc(ALL * sizeof *all),
             *halves_want = check_alloc(ALL * sizeof *all);
    __bf16 *out = check_alloc(ALL * sizeof *out), *want = check_alloc(ALL * sizeof *out);
    for (int i = 0; i < ALL; i++)
        memcpy(&all[i], &(uint16_t){bits_at(i)}, 2);
    CONVERT(h_to_b, ALL, all, out, want)
    memcpy(out, all, ALL * sizeof *out);
    CONVERT(b_to_h, ALL, out, halves, halves_want)
    check_free_all();
    TEST_ARITHMETIC(h)
    TEST_ARITHMETIC(b)
    TEST_PLACES(h)
    TEST_PLACES(b)
    test_arguments();
    return 0;
}
