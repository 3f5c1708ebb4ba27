/* SPDX-License-Identifier: MIT
 * Each allocation of a program fails once: always an error with the cause, never a crash, nothing lost. */
#include "kernels.h"

/* All calls that need memory. Returns how many failed; the cause is the thread's error. */
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
    snprintf(text, sizeof text, "amp_array_view_create: no memory for a home (%zu bytes)",
             sizeof(struct amp__home));
    assert_error(amp_error_status(), AMP_ERROR_OUT_OF_MEMORY, text);
    amp__test_fail_allocation(2);
    assert_null(amp_array_view1(4, data));
    snprintf(text, sizeof text, "amp_array_view_create: no memory for a view (%zu bytes)", sizeof(amp_array_view));
    assert_error(amp_error_status(), AMP_ERROR_OUT_OF_MEMORY, text);
    amp__test_fail_allocation(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation_fails_once),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
