/* SPDX-License-Identifier: MIT
 *
 * What the functions of amp_algorithms.h reject, and how they fail, and that nothing changes then; what moves to a
 * device; more elements than a launch counts. */
#include "kernels.h"

#include <amp_algorithms.h>

#include <sys/mman.h>

static void expect_error(amp_status got, amp_status status, const char *text)
{
    assert_string_equal(amp_status_name(got), amp_status_name(status));
    assert_string_equal(amp_error_last_text(), text);
    amp_error_clear();
}

static void test_rejected_values(void **state)
{
    (void)state;
    float data[6] = {1, 2, 3, 4, 5, 6}, sum = 7;
    double wide = 7;
    struct pair {
        int a, b;
    } pairs[2] = {{0}}, pair;
    amp_auto_array_view *x = amp_array_view1(6, data), *y = amp_array_view2(2, 3, data), *p = amp_array_view1(2, pairs);
    expect_error(amp_reduce_sum(x, &wide), AMP_ERROR_TYPE,
                 "amp_reduce_sum: the value is of type double, but the view has elements of type float");
    expect_error(amp_reduce_min(x, (float *)NULL), AMP_ERROR_NULL, "amp_reduce_min: the pointer to the value is NULL");
    expect_error(amp_reduce_max(p, &pair), AMP_ERROR_TYPE,
                 "amp_reduce_max: the view has elements of type struct, which are no numbers to compute with");
    expect_error(amp_dot(x, y, &sum), AMP_ERROR_RANK, "amp_dot: the views have ranks 1 (6) and 2 (2x3)");
    expect_error(amp_reduce(NULL, (amp_reduction)3, x, AMP_TYPE_F32, &sum), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_reduce: there is no reduction 3");
    assert_int_equal(amp_reduce_sum((amp_array_view *)NULL, &sum), AMP_ERROR_NULL);
    assert_null(amp_reduce_sum_async(x, &wide));
    assert_int_equal(amp_error_status(), AMP_ERROR_NULL);
    amp_error_clear();
    assert_true(sum == 7 && wide == 7);
}

static void test_rejected_scans(void **state)
{
    (void)state;
    int data[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    short other[10] = {0};
    amp_auto_array_view *x = amp_array_view1(10, data), *s = amp_array_view1(10, other);
    amp_auto_array_view *low = amp_array_view_section1(x, 0, 6), *high = amp_array_view_section1(x, 4, 6);
    amp_auto_array_view *separate = amp_array_view1(6, data + 2), *fixed = amp_array_view_read_only(x);
    expect_error(amp_scan_sum(high, low, true), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_scan_sum: the views overlap, and are not the same");
    expect_error(amp_scan_sum(separate, low, true), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_scan_sum: the views overlap, and are not the same");
    expect_error(amp_scan_sum(fixed, x, true), AMP_ERROR_READ_ONLY,
                 "amp_scan_sum: the view that is written is read-only");
    expect_error(amp_scan_sum(x, low, true), AMP_ERROR_SHAPE, "amp_scan_sum: the views are 10 and 6");
    expect_error(amp_scan_sum(x, s, true), AMP_ERROR_TYPE,
                 "amp_scan_sum: the views have elements of type int and int16_t");
    assert_non_null(amp_array_view_map(x, AMP_ACCESS_READ));
    assert_int_equal(amp_scan_sum(x, x, true), AMP_ERROR_BUSY);
    assert_int_equal(amp_array_view_unmap(x), AMP_OK);
    amp_error_clear();
    for (int i = 0; i < 10; i++)
        assert_int_equal(data[i], 1);
}

/* In the order of submission, whatever waits: a scan in place twice, and a sum of its result. */
static void test_order(void **state)
{
    (void)state;
    enum { N = 50000 };
    static long data[N];
    for (int i = 0; i < N; i++)
        data[i] = 1;
    long sum = 0, want = 0;
    amp_array_view *x = amp_array_view1(N, data);
    amp_auto_future *first = amp_scan_sum_async(x, x, true), *second = amp_scan_sum_async(x, x, false);
    amp_auto_future *last = amp_reduce_sum_async(x, &sum);
    amp_array_view_release(x);
    assert_int_equal(amp_future_wait(last), AMP_OK);
    for (long i = 0; i < N; i++) {
        assert_int_equal(data[i], i * (i + 1) / 2);
        want += i * (i + 1) / 2;
    }
    assert_int_equal(sum, want);
    assert_int_equal(amp_future_status(first), AMP_OK);
    assert_int_equal(amp_future_status(second), AMP_OK);
}

/* Calls on sections whose rows lie apart, on `on`. */
static float sections[6][400];
static amp_array_view *left, *right;

static amp_status call(amp_accelerator_view *on, int which, float *value)
{
    switch (which) {
    case 0:
        return amp_reduce_sum_on(on, left, value);
    case 1:
        return amp_dot_on(on, left, right, value);
    default:
        return amp_scan_sum_on(on, left, right, true);
    }
}

static void set_up_sections(void)
{
    amp_auto_array_view *all = amp_array_view_whole2(sections);
    left = amp_array_view_section2(all, 0, 0, 6, 200);
    right = amp_array_view_section2(all, 0, 200, 6, 200);
}

static void tear_down_sections(void)
{
    amp_array_view_release(left);
    amp_array_view_release(right);
    left = right = NULL;
}

/* Calls it when the n-th allocation, or the n-th call of the device, fails. Returns whether there are as many. */
static bool fails(amp_accelerator_view *on, int which, int n)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 400; j++)
            sections[i][j] = 1;
    set_up_sections();
    float value = 7;
    if (on)
        amp__test_null_fail(n);
    else
        amp__test_fail_allocation(n);
    amp_status status = call(on, which, &value);
    amp__test_null_fail(0);
    amp__test_fail_allocation(0);
    if (status != AMP_OK) {
        assert_int_equal(status, on ? AMP_ERROR_DEVICE : AMP_ERROR_OUT_OF_MEMORY);
        assert_true(value == 7);
    } else if (!on && which < 2) {
        assert_true(value == 1200);
    }
    tear_down_sections();
    amp_error_clear();
    return status != AMP_OK;
}

static void test_failures(void **state)
{
    (void)state;
    amp_accelerator_view *on_null = amp_accelerator_default_view(amp_accelerator_find("null"));
    for (int which = 0; which < 3; which++) {
        int n_allocations = 0, n_calls = 0;
        while (fails(NULL, which, n_allocations + 1))
            n_allocations++;
        assert_in_range(n_allocations, 3, 100);
        amp__test_null_reset();
        while (fails(on_null, which, n_calls + 1))
            n_calls++;
        assert_in_range(n_calls, 5, 100);
        assert_int_equal(amp__test_null_counts().allocations, amp__test_null_counts().frees);
    }
    amp__test_null_reset();
}

/* A sum needs its view on the device, once, and brings back a row of parts for each chunk. */
static void test_copies(void **state)
{
    (void)state;
    enum { N = 100000, N_CHUNKS = 7, ROW_BYTES = 128 };
    static float data[N];
    amp_accelerator_view *on = amp_accelerator_default_view(amp_accelerator_find("null"));
    amp_auto_array_view *x = amp_array_view_whole1(data);
    float sum;
    amp__test_null_reset();
    for (int i = 1; i < 3; i++) {
        assert_int_equal(amp_reduce_sum_on(on, x, &sum), AMP_OK);
        struct amp__null_counts counts = amp__test_null_counts();
        assert_int_equal(counts.launches, i);
        assert_int_equal(counts.copies_in, 1);
        assert_int_equal(counts.bytes_in, sizeof data);
        assert_int_equal(counts.copies_out, i);
        assert_int_equal(counts.bytes_out, (size_t)i * N_CHUNKS * ROW_BYTES);
    }
}

/* More than 2^31 bytes, which are zeros that take no memory, except some. */
static void test_many_elements(void **state)
{
    (void)state;
    enum { ROWS = 3, COLUMNS = 1 << 30 };
    size_t size = (size_t)ROWS * COLUMNS;
    signed char *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_not_equal(data, MAP_FAILED);
    data[5] = 100;
    data[size / 2] = -50;
    data[size - 1] = 3;
    amp_auto_array_view *x = amp_array_view2(ROWS, COLUMNS, (const signed char *)data);
    signed char sum = 0, least = 0, greatest = 0;
    assert_int_equal(amp_reduce_sum(x, &sum), AMP_OK);
    assert_int_equal(amp_reduce_min(x, &least), AMP_OK);
    assert_int_equal(amp_reduce_max(x, &greatest), AMP_OK);
    assert_int_equal(sum, 53);
    assert_int_equal(least, -50);
    assert_int_equal(greatest, 100);
    munmap(data, size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rejected_values), cmocka_unit_test(test_rejected_scans),
        cmocka_unit_test(test_order),           cmocka_unit_test(test_failures),
        cmocka_unit_test(test_copies),          cmocka_unit_test(test_many_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
