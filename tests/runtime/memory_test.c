/* SPDX-License-Identifier: MIT
 * Each allocation of a program, and each call of its device, fails once. This always gives an error with the cause,
 * never a crash; nothing is lost, and the sources of failed operations are unchanged. */
#include "kernels.h"

/* Makes all calls that need memory. Returns how many failed; the cause is the thread's error. */
static int program(void)
{
    int data[4][8] = {{0}};
    amp_accelerator_view *on_null = amp_accelerator_default_view(amp_accelerator_find("null"));
    amp_array_view *all = amp_array_view2(4, 8, &data[0][0]);
    amp_array_view *left = amp_array_view_section(all, amp_index2(0, 0), amp_extent2(4, 3));
    amp_array_view *right = amp_array_view_section(all, amp_index2(0, 4), amp_extent2(4, 3));
    struct amp__kernel large = fill_kernel;
    large.address = (amp_kernel)(uintptr_t)program;
    large.args_bytes = 4096;
    amp__register_kernels(&large, 1);
    int failed = !all + !left + !right;
    failed += amp_parallel_for_each(amp_extent1(4), large.address, 1, all) != AMP_OK;
    failed += amp_parallel_for_each(amp_extent2(4, 3), add, left, left, right) != AMP_OK;
    failed += amp_parallel_for_each_on(on_null, amp_extent1(4), fill, 2, all) != AMP_OK;
    failed += amp_parallel_for_each_on(on_null, amp_extent1(4), fill, 3, left) != AMP_OK;
    failed += amp_synchronize(all) != AMP_OK;
    amp__unregister_kernels(&large, 1);
    amp_array_view_release(right);
    amp_array_view_release(left);
    amp_array_view_release(all);
    if (failed == 0)
        assert_true(data[0][0] == 3 && data[3][3] == 2);
    return failed;
}

/* The same with arrays, and copies at once and later. */
static int program_with_arrays(void)
{
    int data[4][8], found[4][8] = {{0}}, failed = 0;
    for (int i = 0; i < 32; i++)
        data[i / 8][i % 8] = i;
    amp_accelerator_view *on_null = amp_accelerator_default_view(amp_accelerator_find("null"));
    amp_array_view *v = amp_array_view2(4, 8, &data[0][0]), *none = amp_array_view_without_source2(int, 4, 8);
    amp_array *a = amp_array_from_on(amp_extent2(4, 8), &data[0][0], on_null, AMP_ACCESS_AUTO);
    amp_array *b = amp_array_from_view(v, on_null, AMP_ACCESS_AUTO), *c = a ? amp_array_clone(a) : NULL;
    amp_array *d = amp_array_from2(4, 8, &data[0][0]), *s = amp_array_staging(int, amp_extent2(4, 8), NULL, on_null);
    failed += !v + !none + !a + !b + !c + !d + !s;
    amp_array_view *part = amp_array_section(a, amp_index2(1, 2), amp_extent2(2, 3)), *row = amp_array_project(a, 1);
    amp_array_view *bytes = amp_array_reinterpret_as(a, char), *box = amp_array_reshape(a, amp_extent2(8, 4));
    amp_array_view *whole = amp_array_as_view(a), *read_only = amp_array_as_const_view(a);
    amp_array_view *corner = amp_array_view_section2(v, 2, 4, 2, 3);
    failed += !part + !row + !bytes + !box + !whole + !read_only + !corner;
    failed += amp_copy(b, a) != AMP_OK;
    failed += amp_copy(d, b) != AMP_OK;
    failed += amp_copy(part, corner) != AMP_OK;
    failed += amp_copy(none, a) != AMP_OK;
    failed += amp_copy(s, none) != AMP_OK;
    failed += amp_parallel_for_each_on(on_null, amp_extent1(2), fill, 9, part) != AMP_OK;
    failed += amp_parallel_for_each(amp_extent2(4, 8), add, a, b, c) != AMP_OK;
    failed += amp_synchronize_to_for(v, on_null, AMP_ACCESS_READ_WRITE) != AMP_OK;
    int *p = amp_array_view_map(whole, AMP_ACCESS_READ_WRITE);
    failed += !p;
    if (p)
        failed += amp_array_view_unmap(whole) != AMP_OK;
    amp_future *futures[] = {amp_copy_async(b, a), amp_synchronize_async(v), amp_synchronize_to_async(whole, on_null),
                             amp_copy_to_async(b, &found[0][0], 32)};
    for (int i = 0; i < 4; i++) {
        failed += amp_future_wait(futures[i]) != AMP_OK;
        amp_future_release(futures[i]);
    }
    if (failed == 0)
        assert_true(found[0][0] == 0 && found[1][2] == 9 && found[2][4] == 9 && found[3][7] == 31 && data[3][7] == 31);
    amp_array_view *views[] = {v, none, part, row, bytes, box, whole, read_only, corner};
    for (int i = 0; i < 9; i++)
        amp_array_view_release(views[i]);
    amp_array *arrays[] = {a, b, c, d, s};
    for (int i = 0; i < 5; i++)
        amp_array_release(arrays[i]);
    return failed;
}

static void test_arrays_without_memory(void **state)
{
    (void)state;
    assert_int_equal(program_with_arrays(), 0);
    amp__test_fail_allocation(0);
    assert_int_equal(program_with_arrays(), 0);
    int n = amp__test_fail_allocation(0), n_failed = 0;
    for (int i = 1; i <= n; i++) {
        amp__test_null_reset();
        amp__test_fail_allocation(i);
        if (program_with_arrays() > 0) { /* some allocations are optional */
            n_failed++;
            assert_int_equal(amp_error_status(), AMP_ERROR_OUT_OF_MEMORY);
            assert_non_null(strstr(amp_error_text(), "no memory for "));
            amp_error_clear();
        }
        amp__test_fail_allocation(0);
        struct amp__null_counts counts = amp__test_null_counts();
        assert_int_equal(counts.allocations, counts.frees);
        assert_int_equal(counts.events, 0);
    }
    assert_true(n_failed > 30 && n_failed > n / 2);
}

static void test_arrays_on_a_device_that_fails(void **state)
{
    (void)state;
    for (int is_late = 0; is_late < 2; is_late++)
        for (int k = 1, failed = 1; failed; k++) {
            amp__test_null_reset();
            if (is_late)
                amp__test_null_late();
            amp__test_null_fail(k);
            failed = program_with_arrays();
            if (failed)
                assert_non_null(strstr(amp_error_text(), "failed, as a test asked for"));
            assert_int_equal(amp_error_status(), failed ? AMP_ERROR_DEVICE : AMP_OK);
            amp_error_clear();
            struct amp__null_counts counts = amp__test_null_counts();
            assert_int_equal(counts.allocations, counts.frees);
            assert_int_equal(counts.events, 0);
            assert_true(failed ? k < 100 : k > 15);
        }
    amp__test_null_reset();
}

/* row: error.out_of_memory */
static void test_every_allocation_fails_once(void **state)
{
    (void)state;
    amp__test_fail_allocation(0);
    assert_int_equal(program(), 0);
    int n = amp__test_fail_allocation(0);
    assert_true(n >= 9); /* views and home, argument block, two dense copies, the device's, a dense copy there */
    for (int i = 1; i <= n; i++) {
        amp__test_null_reset();
        amp__test_fail_allocation(i);
        assert_true(program() > 0);
        assert_int_equal(amp_error_status(), AMP_ERROR_OUT_OF_MEMORY);
        assert_non_null(strstr(amp_error_text(), "no memory for "));
        amp_error_clear();
        struct amp__null_counts counts = amp__test_null_counts();
        assert_int_equal(counts.allocations, counts.frees);
    }
    amp__test_fail_allocation(0);
    assert_int_equal(program(), 0);
}

static void test_texts(void **state)
{
    (void)state;
    int data[4];
    amp__test_fail_allocation(1);
    assert_null(amp_array_view1(4, data));
    char text[200];
    snprintf(text, sizeof text, "amp_array_view_create: no memory for a home (%zu bytes)", sizeof(struct amp__home));
    assert_error(amp_error_status(), AMP_ERROR_OUT_OF_MEMORY, text);
    amp__test_fail_allocation(2);
    assert_null(amp_array_view1(4, data));
    snprintf(text, sizeof text, "amp_array_view_create: no memory for a view (%zu bytes)", sizeof(amp_array_view));
    assert_error(amp_error_status(), AMP_ERROR_OUT_OF_MEMORY, text);
    amp__test_fail_allocation(0);
}

int main(void)
{
    setenv("AMP_NUM_THREADS", "1", 1); /* whether a launch asks for threads, which can fail, depends on timing */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation_fails_once),
        cmocka_unit_test(test_arrays_without_memory),
        cmocka_unit_test(test_arrays_on_a_device_that_fails),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
