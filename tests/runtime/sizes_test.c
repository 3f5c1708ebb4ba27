/* SPDX-License-Identifier: MIT
 * Sizes and positions that do not fit, of every type, at every entry point: nothing is truncated, and the call that
 * uses the number names it. */
#include "kernels.h"

#include <limits.h>

static int data[64];
static amp_array_view *v;
static amp_array *a;

static int setup(void **state)
{
    (void)state;
    amp_error_clear();
    v = amp_array_view2(8, 8, data);
    a = amp_array_from2(8, 8, data);
    return v && a ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    amp_array_view_release(v);
    amp_array_release(a);
    return 0;
}

#define TWO_DIMENSIONS "; use two dimensions for more than 2147483647 elements"

/* Fails unless an extent with this component is an error that names it so. */
#define assert_misfit(component, text)                                                                                 \
    do {                                                                                                               \
        assert_null(amp_array_view1(component, data));                                                                 \
        assert_error(amp_error_status(), AMP_ERROR_SHAPE,                                                              \
                     "amp_array_view_create: component 0 of the extent is " text);                                     \
    } while (0)
/* Fails unless the component becomes `value`. */
#define assert_fits(component, value)                                                                                  \
    do {                                                                                                               \
        amp_extent extent = amp_extent2(1, component);                                                                 \
        assert_int_equal(extent.rank, 2);                                                                              \
        assert_int_equal(extent.dim[1], value);                                                                        \
    } while (0)

static void test_types(void **state)
{
    (void)state;
    size_t size = (1ul << 32) + 4;
    unsigned u = 3000000000u;
    long l = -5000000000, most = LONG_MAX;
    unsigned long long ull = ULLONG_MAX;
    float f = 3e9f, nan = NAN;
    double d = 2.5, negative = -2147483649.0, infinite = INFINITY;
    long double ld = 1e30L;
    unsigned long half = 1ul << 63;
    assert_misfit(size, "4294967300, which an int cannot hold" TWO_DIMENSIONS);
    assert_misfit(u, "3000000000, which an int cannot hold" TWO_DIMENSIONS);
    assert_misfit(l, "-5000000000, which an int cannot hold");
    assert_misfit(most, "9223372036854775807, which an int cannot hold" TWO_DIMENSIONS);
    assert_misfit(ull, "18446744073709551615, which an int cannot hold" TWO_DIMENSIONS);
    assert_misfit(half, "9223372036854775808, which an int cannot hold" TWO_DIMENSIONS);
    assert_misfit(f, "3000000000, which an int cannot hold" TWO_DIMENSIONS);
    assert_misfit(nan, "nan, which an int cannot hold");
    assert_misfit(d, "2.5, which an int cannot hold");
    assert_misfit(negative, "-2147483649, which an int cannot hold");
    assert_misfit(infinite, "inf, which an int cannot hold" TWO_DIMENSIONS);
    assert_misfit(ld, "1e+30, which an int cannot hold" TWO_DIMENSIONS);
}

/* Numbers of more than 64 bits. */
static void test_wide_types(void **state)
{
    (void)state;
    __int128 big = ((__int128)1 << 64) + 4, negative = -((__int128)1 << 64) + 4, small = -4;
    unsigned __int128 huge = ((unsigned __int128)1 << 127) + 4, four = 4;
    long double fraction = 4 + 0x1p-60L, tiny = 0x1p-1080L, large = 0x1p70L, five = 5;
    assert_misfit(big, "1.8446744073709552e+19, which an int cannot hold" TWO_DIMENSIONS);
    assert_misfit(negative, "-1.8446744073709552e+19, which an int cannot hold");
    assert_misfit(huge, "1.7014118346046923e+38, which an int cannot hold" TWO_DIMENSIONS);
    assert_misfit(fraction, "4.0000000000000009, which an int cannot hold");
    assert_misfit(tiny, "4.9406564584124654e-324, which an int cannot hold");
    assert_misfit(large, "1.1805916207174113e+21, which an int cannot hold" TWO_DIMENSIONS);
    assert_fits(small, -4);
    assert_fits(four, 4);
    assert_fits(five, 5);
#ifdef __BITINT_MAXWIDTH__
    unsigned _BitInt(80) bits = ((unsigned _BitInt(80))1 << 70) + 4;
    assert_misfit(bits, "1.1805916207174113e+21, which an int cannot hold" TWO_DIMENSIONS);
    assert_fits((_BitInt(80)) - 7, -7);
#endif
    assert_error(amp_copy_to(v, data, big + 60), AMP_ERROR_SHAPE,
                 "amp_copy: the host memory has 1.8446744073709552e+19 elements, but 64 (8x8) are copied");
    assert_error(amp_copy_to(v, data, 64 + 0x1p-57L), AMP_ERROR_SHAPE,
                 "amp_copy: the host memory has 64.000000000000014 elements, but 64 (8x8) are copied");
}

static void test_what_fits(void **state)
{
    (void)state;
    struct {
        unsigned bits : 5;
    } s = {9};
    enum { SEVEN = 7 } e = SEVEN;
    const volatile long cv = INT_MIN;
    int calls = 3;
    assert_fits((bool)1, 1);
    assert_fits((char)4, 4);
    assert_fits((unsigned char)200, 200);
    assert_fits((short)-4, -4);
    assert_fits(e, 7);
    assert_fits(s.bits, 9);
    assert_fits(cv, INT_MIN);
    assert_fits((size_t)INT_MAX, INT_MAX);
    assert_fits(2147483647.0, INT_MAX);
    assert_fits(-2147483648.0L, INT_MIN);
    assert_fits(4.0f, 4);
    assert_fits(calls++, 3);
    assert_int_equal(calls, 4); /* evaluated once */
    assert_fits(amp_extent1(amp_index3(1, 2, calls).dim[2]).dim[0], 4);
    /* The functions of the same names, for function pointers and for code that was compiled elsewhere. */
    amp_extent (*make)(int, int) = amp_extent2;
    assert_int_equal(make(3, 4).dim[1], 4);
    assert_int_equal((amp_extent3)(1, 2, 3).dim[2], 3);
    assert_int_equal((amp_index_make2)(1, 2).dim[1], 2);
    amp_index (*make_index)(int, int) = amp_index_make2; /* amp_index2 is a type */
    assert_int_equal(make_index(3, 4).dim[1], 4);
    assert_int_equal((amp_extent_add_int)(amp_extent1(1), 2).dim[0], 3);
}

/* The status and text that every entry point gives for a component of 2^32 + 4. */
static volatile size_t n = (1ul << 32) + 4;
#define IS_MISFIT "4294967300, which an int cannot hold" TWO_DIMENSIONS

#define assert_no_view(made, status, text)                                                                             \
    do {                                                                                                               \
        assert_null(made);                                                                                             \
        assert_error(amp_error_status(), status, text " " IS_MISFIT);                                                  \
    } while (0)

static void test_views(void **state)
{
    (void)state;
    assert_no_view(amp_array_view1(n, data), AMP_ERROR_SHAPE, "amp_array_view_create: component 0 of the extent is");
    assert_no_view(amp_array_view2(4, n, data), AMP_ERROR_SHAPE, "amp_array_view_create: component 1 of the extent is");
    assert_no_view(amp_array_view3(4, 4, n, data), AMP_ERROR_SHAPE,
                   "amp_array_view_create: component 2 of the extent is");
    assert_no_view(amp_array_view_without_source1(int, n), AMP_ERROR_SHAPE,
                   "amp_array_view_create_without_source: component 0 of the extent is");
    assert_no_view(amp_array_view_section2(v, 0, n, 1, 1), AMP_ERROR_OUT_OF_RANGE,
                   "amp_array_view_section: component 1 of the origin is");
    assert_no_view(amp_array_view_section2(v, 0, 0, n, 1), AMP_ERROR_SHAPE,
                   "amp_array_view_section: component 0 of the section's extent is");
    assert_no_view(amp_array_view_section_from(v, amp_index2(0, n)), AMP_ERROR_OUT_OF_RANGE,
                   "amp_array_view_section_from: component 1 of the origin is");
    assert_no_view(amp_array_view_section_to(v, amp_extent2(1, n)), AMP_ERROR_SHAPE,
                   "amp_array_view_section_to: component 1 of the section's extent is");
    assert_no_view(amp_array_view_project(v, n), AMP_ERROR_OUT_OF_RANGE,
                   "amp_array_view_project: component 0 of the index is");
    amp_array_view *line = amp_array_view1(64, data);
    assert_no_view(amp_array_view_reshape(line, amp_extent2(1, n)), AMP_ERROR_SHAPE,
                   "amp_array_view_reshape: component 1 of the extent is");
    amp_array_view_release(line);
}

static void test_arrays(void **state)
{
    (void)state;
    assert_no_view(amp_array1(int, n), AMP_ERROR_SHAPE, "amp_array_create: component 0 of the extent is");
    assert_no_view(amp_array_from2(n, 4, data), AMP_ERROR_SHAPE, "amp_array_create: component 0 of the extent is");
    assert_no_view(amp_array_staging(int, amp_extent1(n), NULL, NULL), AMP_ERROR_SHAPE,
                   "amp_array_create_staging: component 0 of the extent is");
    assert_no_view(amp_array_wrap_on(amp_extent1(n), data, NULL), AMP_ERROR_SHAPE,
                   "amp_array_wrap: component 0 of the extent is");
    assert_no_view(amp_array_section(a, amp_index2(n, 0), amp_extent2(1, 1)), AMP_ERROR_OUT_OF_RANGE,
                   "amp_array_section: component 0 of the origin is");
    assert_no_view(amp_array_project(a, n), AMP_ERROR_OUT_OF_RANGE, "amp_array_project: component 0 of the index is");
    assert_no_view(amp_array_reshape(a, amp_extent3(1, 1, n)), AMP_ERROR_SHAPE,
                   "amp_array_reshape: component 2 of the extent is");
}

static void assert_count(amp_status status, const char *text)
{
    assert_error(status, AMP_ERROR_SHAPE, text);
}

static void test_counts(void **state)
{
    (void)state;
    assert_count(amp_copy_from(v, data, ULLONG_MAX),
                 "amp_copy: the host memory has 18446744073709551615 elements, but 64 (8x8) are copied");
    assert_count(amp_copy_from(v, data, 1ull << 63),
                 "amp_copy: the host memory has 9223372036854775808 elements, but 64 (8x8) are copied");
    assert_count(amp_copy_to(v, data, -3), "amp_copy: the host memory has -3 elements, but 64 (8x8) are copied");
    assert_count(amp_copy_to(v, data, 64.5), "amp_copy: the host memory has 64.5 elements, but 64 (8x8) are copied");
    assert_count(amp_copy_to(v, data, (1ll << 32) + 64),
                 "amp_copy: the host memory has 4294967360 elements, but 64 (8x8) are copied");
    assert_null(amp_copy_from_async(v, data, ULLONG_MAX));
    assert_count(amp_error_status(),
                 "amp_copy_async: the host memory has 18446744073709551615 elements, but 64 (8x8) are copied");
    assert_ok(amp_copy_from(v, data, 64u));
    assert_ok(amp_copy_from(v, data, 64.0));
    assert_ok(amp_copy_to(v, data, sizeof data / sizeof *data));
}

/* The status and text of a launch over `extent`. */
static void assert_domain(amp_extent extent, const char *what)
{
    float x[4] = {0};
    char text[256];
    amp_array_view *view = amp_array_view1(4, x);
    snprintf(text, sizeof text, "scale (kernels.c:3): %s " IS_MISFIT, what);
    assert_int_equal(amp_extent_size(extent), 0);
    assert_error(amp_parallel_for_each(extent, scale, 2.0f, view), AMP_ERROR_INVALID_COMPUTE_DOMAIN, text);
    assert_null(amp_parallel_for_each_async(extent, scale, 2.0f, view));
    assert_error(amp_error_status(), AMP_ERROR_INVALID_COMPUTE_DOMAIN, text);
    amp_array_view_release(view);
}

/* Anything computed from such a number, or from an extent or index made with one, is an error, too. */
static void test_arithmetic(void **state)
{
    (void)state;
    amp_extent bad = amp_extent1(n), good = amp_extent1(5);
    amp_index bad_index = amp_index1(n), good_index = amp_index1(1);
    const char *made = "component 0 of the extent is", *computed = "a number that the extent was computed with is";
    assert_domain(bad, made);
    assert_domain(amp_extent_add(bad, good), made);
    assert_domain(amp_extent_sub(good, bad), made);
    assert_domain(amp_extent_add(bad, amp_extent2(1, 1)), made);
    assert_domain(amp_extent_add_index(good, bad_index), made);
    assert_domain(amp_extent_sub_index(bad, good_index), made);
    assert_domain(amp_extent_pad(bad, good), made);
    assert_domain(amp_extent_pad(good, bad), made);
    assert_domain(amp_extent_truncate(good, bad), made);
    assert_domain(amp_extent_inc(amp_extent_mul_int(bad, 3)), made);
    assert_domain(amp_extent_int_sub(4, bad), made);
    assert_domain(amp_extent_add_int(good, n), computed);
    assert_domain(amp_extent_sub_int(good, n), computed);
    assert_domain(amp_extent_mul_int(good, n), computed);
    assert_domain(amp_extent_div_int(good, n), computed);
    assert_domain(amp_extent_mod_int(good, n), computed);
    assert_domain(amp_extent_int_sub(n, good), computed);
    assert_domain(amp_extent_int_div(n, good), computed);
    assert_domain(amp_extent_int_mod(n, good), computed);
    assert_domain(amp_extent_dec(amp_extent_add_int(bad, n)), made);
    assert_int_equal(amp_index_add_int(good_index, 4l).dim[0], 5);
    assert_int_equal(amp_index_int_sub(4.0, good_index).dim[0], 3);
    assert_no_view(amp_array_view_section(v, amp_index_add_int(amp_index2(0, 0), n), amp_extent2(1, 1)),
                   AMP_ERROR_OUT_OF_RANGE, "amp_array_view_section: a number that the origin was computed with is");
    assert_false(amp_extent_contains(bad, good_index));
    assert_false(amp_extent_contains(good, bad_index));
    assert_false(amp_extent_equal(good, bad));
    assert_false(amp_extent_equal(bad, amp_extent1(n + 1)));
    assert_false(amp_extent_equal(bad, bad));
    assert_false(amp_index_equal(bad_index, bad_index));
    /* Operands whose ranks do not agree still give rank 0. */
    assert_int_equal(amp_extent_add(good, amp_extent2(1, 1)).rank, 0);
    assert_int_equal(amp_extent_add(good, amp_extent2(1, 1)).dim[0], 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_types),  TEST(test_wide_types), TEST(test_what_fits),  TEST(test_views),
        TEST(test_arrays), TEST(test_counts),     TEST(test_arithmetic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
