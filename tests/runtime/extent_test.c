/* SPDX-License-Identifier: MIT
 * Extents and indices. */
#include "kernels.h"

#include <limits.h>

static void test_make(void **state)
{
    (void)state;
    amp_extent e = amp_extent3(2, 3, 4);
    assert_int_equal(e.rank, 3);
    assert_int_equal(e.dim[2], 4);
    assert_int_equal(e.dim[3], 0);
    assert_true(amp_extent_equal(e, amp_extent_n(3, (int[]){2, 3, 4})));
    assert_false(amp_extent_equal(e, amp_extent2(2, 3)));
    assert_false(amp_extent_equal(e, amp_extent3(2, 3, 5)));
    assert_int_equal(amp_extent_n(9, (int[9]){0}).rank, 0);
    assert_int_equal(amp_extent_n(0, (int[1]){0}).rank, 0);
    assert_int_equal(amp_extent_n(2, NULL).rank, 0);
    int three[] = {2, 3, 4};
    size_t beyond_int = ((size_t)1 << 32) + 3;
    assert_int_equal(amp_extent_n(beyond_int, three).rank, 0);
    assert_int_equal(amp_index_n(beyond_int, three).rank, 0);
    assert_int_equal(amp_index_n(-(int64_t)beyond_int + 6, three).rank, 0);
    assert_int_equal(amp_index_n(beyond_int - ((size_t)1 << 32), three).rank, 3);
    amp_index i = amp_index3(1, 2, 3);
    assert_true(amp_index_equal(i, amp_index_n(3, (int[]){1, 2, 3})));
    assert_false(amp_index_equal(amp_index1(1), amp_index2(1, 0)));
}

static void test_size(void **state)
{
    (void)state;
    assert_int_equal(amp_extent_size(amp_extent3(2, 3, 4)), 24);
    assert_int_equal(amp_extent_size(amp_extent2(65536, 65536)), 65536LL * 65536);
    assert_int_equal(amp_extent_size(amp_extent2(5, 0)), 0);
    assert_int_equal(amp_extent_size(amp_extent2(-5, -2)), 0);
    assert_int_equal(amp_extent_size((amp_extent){0}), 0);
    assert_int_equal(amp_extent_size(amp_extent3(INT_MAX, INT_MAX, INT_MAX)), INT64_MAX);
    assert_int_equal(amp_extent_size((amp_extent){4, {INT_MAX, INT_MAX, INT_MAX, 0}}), 0);
}

static void test_contains(void **state)
{
    (void)state;
    assert_true(amp_extent_contains(amp_extent2(2, 3), amp_index2(1, 2)));
    assert_false(amp_extent_contains(amp_extent2(2, 3), amp_index2(2, 0)));
    assert_false(amp_extent_contains(amp_extent2(2, 3), amp_index2(0, -1)));
    assert_false(amp_extent_contains(amp_extent2(2, 3), amp_index1(0)));
}

static void test_pad_and_truncate(void **state)
{
    (void)state;
    amp_extent tile = amp_extent2(16, 4);
    assert_true(amp_extent_equal(amp_extent_pad(amp_extent2(17, 8), tile), amp_extent2(32, 8)));
    assert_true(amp_extent_equal(amp_extent_truncate(amp_extent2(17, 3), tile), amp_extent2(16, 0)));
    assert_true(amp_extent_equal(amp_extent_pad(amp_extent2(-3, 0), tile), amp_extent2(0, 0)));
    assert_true(amp_extent_equal(amp_extent_truncate(amp_extent2(-3, 0), tile), amp_extent2(-16, 0)));
    assert_true(amp_extent_equal(amp_extent_pad(amp_extent2(17, 8), amp_extent2(0, 4)), amp_extent2(17, 8)));
    assert_true(amp_extent_equal(amp_extent_pad(amp_extent2(17, 8), amp_extent1(16)), amp_extent2(17, 8)));
    assert_int_equal(amp_extent_pad(amp_extent1(INT_MAX), amp_extent1(16)).dim[0], INT_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_make),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_contains),
        cmocka_unit_test(test_pad_and_truncate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
