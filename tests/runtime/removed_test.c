/* SPDX-License-Identifier: MIT
 * A device that goes away: work on it fails and says why, and everything else goes on. */
/* row: error.accelerator_view_removed, launch.errors */
#include "kernels.h"

static float data[24], other[24];
static amp_accelerator_view *on_null;

static int setup(void **state)
{
    (void)state;
    amp__test_null_reset();
    on_null = amp_accelerator_default_view(amp_accelerator_find("null"));
    for (int i = 0; i < 24; i++)
        data[i] = other[i] = (float)i;
    return 0;
}

static void test_before_the_launch(void **state)
{
    (void)state;
    amp_array_view *x = amp_array_view1(24, data);
    amp__test_null_remove();
    assert_error(amp_parallel_for_each_on(on_null, amp_extent1(24), scale, 2.0f, x), AMP_ERROR_ACCELERATOR_VIEW_REMOVED,
                 "null: an allocation found the device removed");
    assert_int_equal(amp_synchronize(x), AMP_OK);
    assert_float_equal(data[3], 3, 0);
    assert_int_equal(amp_parallel_for_each(amp_extent1(24), scale, 2.0f, x), AMP_OK);
    assert_float_equal(data[3], 6, 0);
    assert_null(amp_array_on(float, amp_extent1(24), on_null, AMP_ACCESS_AUTO));
    assert_error(amp_error_status(), AMP_ERROR_ACCELERATOR_VIEW_REMOVED,
                 "null: an allocation found the device removed");
    amp_array_view_release(x);
}

static void test_with_results_on_it(void **state)
{
    (void)state;
    amp_array_view *x = amp_array_view1(24, data), *y = amp_array_view1(24, other);
    assert_int_equal(amp_parallel_for_each_on(on_null, amp_extent1(24), scale, 2.0f, x), AMP_OK);
    amp__test_null_remove();
    assert_error(amp_synchronize(x), AMP_ERROR_ACCELERATOR_VIEW_REMOVED, "null: a copy out found the device removed");
    assert_int_equal(amp_copy(y, x), AMP_ERROR_ACCELERATOR_VIEW_REMOVED);
    assert_float_equal(other[3], 3, 0);
    amp_future *future = amp_parallel_for_each_on_async(on_null, amp_extent1(24), scale, 2.0f, y);
    assert_int_equal(amp_future_wait(future), AMP_ERROR_ACCELERATOR_VIEW_REMOVED);
    amp_error_clear();
    amp_future_release(future);
    amp_array_view_release(y);
    amp_array_view_release(x); /* the device's contents are lost, and nobody is told again */
    assert_int_equal(amp_error_status(), AMP_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_before_the_launch, setup),
        cmocka_unit_test_setup(test_with_results_on_it, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
