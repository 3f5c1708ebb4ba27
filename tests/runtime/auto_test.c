/* SPDX-License-Identifier: MIT
 * Variables that release their objects at the end of their scope. Released objects are kept, so that a use shows it. */
#include "kernels.h"

static int setup(void **state)
{
    (void)state;
    amp_error_clear();
    amp__test_keep_released(true);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    amp__test_keep_released(false);
    return 0;
}

static amp_array_view *seen[8];
static int n_seen;

static amp_array_view *view_new(void)
{
    static float data[8][4];
    amp_array_view *view = amp_array_view1(4, data[n_seen]);
    return seen[n_seen++] = view;
}

static bool is_released(amp_array_view *view)
{
    bool released = amp_array_view_extent(view).rank == 0;
    assert_int_equal(amp_error_status(), released ? AMP_ERROR_INVALID_ARGUMENT : AMP_OK);
    amp_error_clear();
    return released;
}

static bool are_released(int n)
{
    assert_int_equal(n_seen, n);
    n_seen = 0;
    for (int i = 0; i < n; i++)
        if (!is_released(seen[i]))
            return false;
    return true;
}

/* Leaves the scopes of three variables in one of several ways. */
static int leave(int way)
{
    amp_auto_array_view *first = view_new(), *second = view_new();
    assert_ok(amp_synchronize(first));
    for (int i = 0; i < 3; i++) {
        amp_auto_array_view *inner = view_new();
        if (way == 0)
            return (int)amp_extent_size(amp_array_view_extent(inner));
        if (way == 1)
            goto out;
        if (way == 2)
            break;
        if (way == 3)
            continue;
        assert_ok(amp_synchronize(second));
    }
out:
    assert_false(is_released(first));
    return 0;
}

static void test_every_way_out_releases(void **state)
{
    (void)state;
    assert_int_equal(leave(0), 4);
    assert_true(are_released(3));
    for (int way = 1; way < 5; way++) {
        leave(way);
        assert_true(are_released(way < 3 ? 3 : 5));
    }
}

static void test_order(void **state)
{
    (void)state;
    float data[4] = {1, 2, 3, 4};
    amp_accelerator_view *on = amp_accelerator_default_view(amp_accelerator_find("null"));
    {
        amp_auto_array *array = amp_array_from_on(amp_extent1(4), data, on, AMP_ACCESS_AUTO);
        amp_auto_array_view *view = amp_array_as_view(array);
        amp_auto_array_view *part = amp_array_view_section1(view, 1, 2);
        assert_ok(amp_parallel_for_each_on(on, amp_extent1(2), scale, 2.0f, part));
        assert_ok(amp_copy_to(data, array, 4));
    }
    assert_float_equal(data[2], 6, 0);
}

static amp_array_view *returned(void)
{
    amp_auto_array_view *view = view_new();
    return amp_array_view_retain(view);
}

static void test_null_and_retained(void **state)
{
    (void)state;
    amp_array_view *kept;
    {
        amp_auto_array_view *none = NULL, *given = view_new(), *early = view_new();
        kept = given;
        given = NULL;
        amp_array_view_release(early);
        early = NULL;
        (void)none;
    }
    assert_false(is_released(kept));
    amp_array_view_release(kept);
    amp_array_view *view = returned();
    assert_false(is_released(view));
    amp_array_view_release(view);
    assert_true(are_released(3));
}

static void test_other_types(void **state)
{
    (void)state;
    amp_accelerator_view *queue;
    amp_array *array;
    amp_future *future;
    {
        amp_auto_accelerator_view *a =
            amp_accelerator_create_view(amp_accelerator_find("null"), AMP_QUEUING_MODE_AUTOMATIC);
        amp_auto_array *b = amp_array_on(float, amp_extent1(4), a, AMP_ACCESS_AUTO);
        amp_auto_future *c = amp_parallel_for_each_on_async(a, amp_extent1(4), scale, 2.0f, b);
        assert_ok(amp_future_wait(c));
        queue = a;
        array = b;
        future = c;
    }
    assert_error(amp_future_status(future), AMP_ERROR_INVALID_ARGUMENT, "amp_future_status: the future was released");
    assert_int_equal(amp_array_extent(array).rank, 0);
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT, "amp_array_extent: the array was released");
    (void)queue; /* freed by its thread, at some time */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_way_out_releases, setup, teardown),
        cmocka_unit_test_setup_teardown(test_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_null_and_retained, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_types, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
