/* SPDX-License-Identifier: MIT
 * Statuses, and the first cause that each thread keeps. */
#include "kernels.h"

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(amp_status_name(AMP_OK), "AMP_OK");
    assert_string_equal(amp_status_name(AMP_ERROR_INTERNAL), "AMP_ERROR_INTERNAL");
    assert_string_equal(amp_status_text(AMP_ERROR_SHAPE), "extents do not agree");
    assert_string_equal(amp_status_name((amp_status)-1), "unknown status");
#define ONE(code, sentence) +1
    assert_string_equal(amp_status_text((amp_status)(0 AMP_STATUS_LIST(ONE))), "unknown status");
}

/* row: error.runtime_exception */
static void test_first_cause_stays(void **state)
{
    (void)state;
    float data[4] = {0};
    assert_int_equal(amp_error_status(), AMP_OK);
    assert_string_equal(amp_error_text(), "");
    amp_array_view *none = amp_array_view1(-3, data);
    assert_null(none);
    /* The next call fails because there is no view, and says so only in its status. */
    assert_int_equal(amp_parallel_for_each(amp_extent1(4), scale, 2.0f, none), AMP_ERROR_NULL);
    assert_int_equal(amp_synchronize(none), AMP_ERROR_NULL);
    assert_error(AMP_ERROR_SHAPE, AMP_ERROR_SHAPE,
                 "amp_array_view_create: the extent is -3; every component must be positive");
    assert_int_equal(amp_error_status(), AMP_OK);
    assert_error(amp_synchronize(none), AMP_ERROR_NULL, "amp_synchronize: the view is NULL");
}

static void *fail_elsewhere(void *text)
{
    amp_accelerator_find("elsewhere");
    snprintf(text, 200, "%s", amp_error_text());
    return NULL;
}

static void test_each_thread_has_its_own(void **state)
{
    (void)state;
    char text[200];
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, text), 0);
    pthread_join(thread, NULL);
    assert_string_equal(text, "there is no accelerator \"elsewhere\"; there are: cpu, null, checked");
    assert_int_equal(amp_error_status(), AMP_OK);
}

static void test_long_texts_are_cut(void **state)
{
    (void)state;
    char path[4000];
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = 0;
    assert_null(amp_accelerator_find(path));
    assert_int_equal(strlen(amp_error_text()), 1023);
    amp_error_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_first_cause_stays),
        cmocka_unit_test(test_each_thread_has_its_own),
        cmocka_unit_test(test_long_texts_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
