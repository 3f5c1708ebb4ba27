/* SPDX-License-Identifier: MIT
 * Operations that fail after part of their work was put on a device's queue. That part still runs, as late as a device
 * may run it, and the next use of the same memory waits for it. ASan also finds memory that is freed too early. */
#include "kernels.h"

enum { ROWS = 3, WIDTH = 1 << 14, HALF = WIDTH / 2 }; /* half a row is 32 KB: rows are copied one by one on a device */

static amp_accelerator_view *own, *other;
static int zeros[ROWS][WIDTH], found[ROWS][WIDTH];

static int setup(void **state)
{
    (void)state;
    amp_error_clear();
    amp__test_null_reset();
    own = amp_accelerator_default_view(amp_accelerator_find("null"));
    other = amp_accelerator_create_view(amp_accelerator_find("null"), AMP_QUEUING_MODE_AUTOMATIC);
    memset(found, 0, sizeof found);
    return other ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    amp_accelerator_view_release(other);
    amp__test_null_reset();
    return 0;
}

/* Makes the n-th call of `null` from now on fail, and `null` begin its work only when somebody waits. */
static void fail_late(int n)
{
    amp__test_null_late();
    amp__test_null_fail(n);
}

static void assert_failed(amp_status status)
{
    assert_int_equal(status, AMP_ERROR_DEVICE);
    assert_non_null(strstr(amp_error_text(), "failed, as a test asked for"));
    amp_error_clear();
}

/* A strided section of an array of zeros on null, which keeps the array. */
static amp_array_view *make_left_half(amp_array **array)
{
    *array = amp_array_from_on(amp_extent2(ROWS, WIDTH), &zeros[0][0], own, AMP_ACCESS_AUTO);
    return amp_array_section(*array, amp_index2(0, 0), amp_extent2(ROWS, HALF));
}

/* The rows that were queued before one failed come before what another queue does to the destination. */
static void test_rows_of_a_failed_copy(void **state)
{
    (void)state;
    for (int k = 1; k <= ROWS; k++)
        for (int later = 0; later < 2; later++) {
            amp_array *array, *to = amp_array_on(int, amp_extent2(ROWS, HALF), own, AMP_ACCESS_AUTO);
            amp_array_view *from = make_left_half(&array), *view = amp_array_as_view(to);
            fail_late(k);
            amp_future *future = later ? amp_copy_async(to, from) : NULL;
            assert_failed(later ? amp_future_wait(future) : amp_copy(to, from));
            assert_int_equal(amp__test_null_counts().copies_across, k - 1);
            assert_ok(amp_parallel_for_each_on(other, amp_extent1(ROWS), fill, 7, view));
            assert_ok(amp_copy(&found[0][0], to));
            for (int i = 0; i < ROWS * HALF; i++)
                assert_int_equal((&found[0][0])[i], 7);
            amp_future_release(future);
            amp_array_view_release(view);
            amp_array_view_release(from);
            amp_array_release(to);
            amp_array_release(array);
            amp__test_null_reset();
        }
}

/* The memory of rows that are still to be copied, on either side, lives until they are. */
static void test_memory_outlives_a_failed_copy(void **state)
{
    (void)state;
    for (int k = 2; k <= ROWS; k++) {
        amp_array *array, *to = amp_array_on(int, amp_extent2(ROWS, HALF), own, AMP_ACCESS_AUTO);
        amp_array_view *from = make_left_half(&array);
        fail_late(k);
        assert_failed(amp_copy(to, from));
        amp_array_release(to);
        amp_array_view_release(from);
        amp_array_release(array);
        assert_ok(amp_accelerator_view_wait(own));
        amp__test_null_reset();
    }
}

/* Each call of the device for a launch on a strided section fails once, whether the dense copy is packed or not. The
 * dense copy lives until the work queued on it is done, and the home has its old elements or the kernel's. */
static void test_dense_copy_outlives_a_failed_launch(void **state)
{
    (void)state;
    bool fails = true;
    for (int k = 1; fails; k++) {
        amp_array *array;
        amp_array_view *half = make_left_half(&array);
        fail_late(k);
        amp_status status = amp_parallel_for_each_on(own, amp_extent1(ROWS), fill, 7, half);
        fails = status != AMP_OK;
        if (fails)
            assert_failed(status);
        assert_int_equal(fails, k <= 1 + ROWS + 1 + ROWS); /* memory, rows in, the launch, rows out */
        assert_ok(amp_parallel_for_each_on(other, amp_extent1(ROWS), fill, 9, half));
        assert_ok(amp_copy(&found[0][0], half));
        for (int i = 0; i < ROWS * HALF; i++)
            assert_int_equal((&found[0][0])[i], 9);
        amp_array_view_release(half);
        amp_array_release(array);
        /* The last failure is in the wait before the dense copy is freed; the queue keeps it. */
        status = amp_accelerator_view_wait(own);
        if (fails)
            assert_ok(status);
        else
            assert_failed(status);
        amp__test_null_reset();
    }
}

/* ---- launches of several boxes ---- */

enum { BOX = 1 << 30 }; /* the most points of the slowest dimension that a launch gives the device at once */

struct mark_args {
    struct amp__flat flat;
    int *x;
};

/* Leaves in x[0] the end of the box, in units of 10^9. */
static void mark_run(const void *p, const int *box)
{
    const struct mark_args *s = p;
    s->x[0] = 1 + (int)((s->flat.first + box[1] - 1) / BOX);
}

static void mark_bounds(const void *p, long long *bounds)
{
    (void)p;
    bounds[0] = ROWS;
    bounds[1] = HALF;
}
KERNEL(mark, 100, 5, NULL, ARRAY(mark_args, x, int, AMP_TYPE_I32, 0, {"3", -1}, {"8192", -1}));

__attribute__((constructor)) static void register_mark(void)
{
    amp__register_kernels(&mark_kernel, 1);
}

/* The boxes that were queued before one failed come before another queue's work. `kind`: the view is dense, a section
 * without contents, of which nothing is packed, or released at once. */
static void try_boxes(int kind, int k)
{
    enum { DENSE, STRIDED, RELEASED };
    const int dims[] = {BOX >> 10, 1 << 10, 3, 1, 1};
    amp_array_view *all = amp_array_view_without_source2(int, ROWS, WIDTH);
    amp_array_view *x = kind == STRIDED ? amp_array_view_section2(all, 0, 0, ROWS, HALF)
                                        : amp_array_view_without_source2(int, ROWS, HALF);
    fail_late(k);
    assert_failed(amp_parallel_for_each_on(own, amp_extent_n(5, dims), mark, x));
    assert_int_equal(amp__test_null_counts().launches, k > 2 ? k - 2 : 0);
    if (kind == RELEASED) {
        amp_array_view_release(x);
        x = NULL;
    } else {
        assert_ok(amp_parallel_for_each_on(other, amp_extent1(ROWS), fill, 9, x));
    }
    assert_ok(amp_accelerator_view_wait(own));
    if (x) {
        assert_ok(amp_copy(&found[0][0], x));
        assert_int_equal(found[0][0], 9);
    }
    amp_array_view_release(x);
    amp_array_view_release(all);
    amp__test_null_reset();
}

static void test_boxes_of_a_failed_launch(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (int k = 1; k <= 4; k++) /* memory, three boxes */
            try_boxes(kind, k);
}

/* A launch that is on the queue although the flush after it failed. */
static void test_failed_flush(void **state)
{
    (void)state;
    amp_accelerator_view *immediate =
        amp_accelerator_create_view(amp_accelerator_find("null"), AMP_QUEUING_MODE_IMMEDIATE);
    for (int is_released = 0; is_released < 2; is_released++) {
        amp_array_view *x = amp_array_view_without_source2(int, ROWS, HALF);
        fail_late(3); /* memory, the launch, the flush */
        assert_failed(amp_parallel_for_each_on(immediate, amp_extent1(ROWS), fill, 7, x));
        assert_int_equal(amp__test_null_counts().launches, 1);
        if (!is_released) {
            assert_ok(amp_parallel_for_each_on(other, amp_extent1(ROWS), fill, 9, x));
            assert_ok(amp_accelerator_view_wait(immediate));
            assert_ok(amp_copy(&found[0][0], x));
            assert_int_equal(found[ROWS - 1][HALF - 1], 0);
            assert_int_equal((&found[0][0])[ROWS * HALF - 1], 9);
        }
        amp_array_view_release(x);
        assert_ok(amp_accelerator_view_wait(immediate));
        amp__test_null_reset();
    }
    amp_accelerator_view_release(immediate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows_of_a_failed_copy, setup, teardown),
        cmocka_unit_test_setup_teardown(test_memory_outlives_a_failed_copy, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dense_copy_outlives_a_failed_launch, setup, teardown),
        cmocka_unit_test_setup_teardown(test_boxes_of_a_failed_launch, setup, teardown),
        cmocka_unit_test_setup_teardown(test_failed_flush, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
