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

/* ---- the last failure ---- */

static void test_last_failure(void **state)
{
    (void)state;
    float data[4] = {0};
    assert_int_equal(amp_error_last_status(), AMP_OK);
    assert_string_equal(amp_error_last_text(), "");
    assert_null(amp_array_view1(-3, data));
    assert_int_equal(amp_error_last_status(), AMP_ERROR_SHAPE);
    assert_null(amp_array_view_create(amp_extent1(4), data, AMP_TYPE_F32, 8, false));
    assert_int_equal(amp_error_last_status(), AMP_ERROR_TYPE);
    assert_string_equal(amp_error_last_text(),
                        "amp_array_view_create: the element type is float, which cannot have 8 bytes");
    amp_array_view *view = amp_array_view1(4, data);
    assert_ok(amp_synchronize(view));
    assert_int_equal(amp_error_last_status(), AMP_ERROR_TYPE); /* success changes nothing */
    amp_array_view_release(view);
    assert_error(amp_error_status(), AMP_ERROR_SHAPE,
                 "amp_array_view_create: the extent is -3; every component must be positive");
    assert_int_equal(amp_error_last_status(), AMP_OK);
    assert_string_equal(amp_error_last_text(), "");
}

/* What fails inside the library, and is handled there, is not the program's last failure. */
static void test_hidden_failures(void **state)
{
    (void)state;
    float data[4] = {0};
    amp_accelerator_view *on = amp_accelerator_default_view(amp_accelerator_find("null"));
    amp_array_view *view = amp_array_view1(4, data);
    assert_null(amp_array_view1(-3, data));
    amp__test_null_fail(1);
    amp_future *future = amp_parallel_for_each_on_async(on, amp_extent1(4), scale, 2.0f, view);
    while (!amp_future_is_ready(future))
        continue;
    assert_int_equal(amp_future_status(future), AMP_ERROR_DEVICE);
    assert_int_equal(amp_error_last_status(), AMP_ERROR_SHAPE);
    assert_int_equal(amp_future_wait(future), AMP_ERROR_DEVICE);
    assert_int_equal(amp_error_last_status(), AMP_ERROR_DEVICE);
    assert_int_equal(amp_error_status(), AMP_ERROR_SHAPE);
    amp_future_release(future);
    amp_array_view_release(view);
    amp__test_null_fail(0);
    amp_error_clear();
}

/* ---- questions ---- */

static void test_a_question_is_no_error(void **state)
{
    (void)state;
    assert_null(amp_accelerator_find("tpu"));
    assert_int_equal(amp_error_status(), AMP_OK);
    assert_int_equal(amp_error_last_status(), AMP_ERROR_NO_ACCELERATOR);
    assert_string_equal(amp_error_last_text(), "there is no accelerator \"tpu\"; there are: cpu, null, checked, all");
    assert_string_equal(amp_error_text(), amp_error_last_text());
    /* The NULL is passed on, and the cause is known. */
    amp_accelerator_view *on = amp_accelerator_default_view(amp_accelerator_find("tpu"));
    assert_null(on);
    assert_int_equal(amp_error_last_status(), AMP_ERROR_NULL);
    assert_error(amp_error_status(), AMP_ERROR_NO_ACCELERATOR,
                 "there is no accelerator \"tpu\"; there are: cpu, null, checked, all");
    /* Without a question, NULL is the cause. */
    assert_null(amp_accelerator_default_view(NULL));
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_accelerator_default_view: the accelerator is NULL");
    /* Another error comes first. */
    assert_int_equal(amp_synchronize(NULL), AMP_ERROR_NULL);
    assert_null(amp_accelerator_find("tpu"));
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_synchronize: the view is NULL");
    /* Making something the default is no question. */
    assert_error(amp_accelerator_set_default("tpu"), AMP_ERROR_NO_ACCELERATOR,
                 "there is no accelerator \"tpu\"; there are: cpu, null, checked, all");
}

/* Scales on a GPU if there is one, and else on the default accelerator. */
static amp_status scale_anywhere(float *data, int n)
{
    amp_error_scope scope = amp_error_begin();
    amp_accelerator *gpu = amp_accelerator_find("tpu");
    amp_accelerator_view *on = amp_accelerator_default_view(gpu ? gpu : amp_accelerator_default());
    amp_auto_array_view *x = amp_array_view1(n, data);
    amp_parallel_for_each_on(on, amp_extent1(n), scale, 2.0f, x);
    amp_synchronize(x);
    return amp_error_end(&scope);
}

/* ---- scopes ---- */

/* row: error.runtime_exception */
static void test_scopes(void **state)
{
    (void)state;
    float data[2] = {1, 2};
    assert_ok(scale_anywhere(data, 2));
    assert_float_equal(data[1], 4, 0);
    assert_int_equal(amp_error_status(), AMP_OK);
    assert_int_equal(amp_error_last_status(), AMP_OK);
    /* Its error becomes the caller's. */
    assert_int_equal(scale_anywhere(data, -1), AMP_ERROR_SHAPE);
    static const char text[] = "amp_array_view_create: the extent is -1; every component must be positive";
    assert_string_equal(amp_error_last_text(), text);
    assert_error(amp_error_status(), AMP_ERROR_SHAPE,
                 "amp_array_view_create: the extent is -1; every component must be positive");
    /* The caller's earlier error is not reported as its own, and stays. */
    assert_int_equal(amp_synchronize(NULL), AMP_ERROR_NULL);
    assert_ok(scale_anywhere(data, 2));
    assert_float_equal(data[1], 8, 0);
    assert_int_equal(amp_error_last_status(), AMP_OK);
    assert_int_equal(scale_anywhere(data, -1), AMP_ERROR_SHAPE);
    assert_string_equal(amp_error_last_text(), text);
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_synchronize: the view is NULL");
}

static void test_nested_scopes(void **state)
{
    (void)state;
    float data[2] = {1, 2};
    assert_int_equal(amp_synchronize(NULL), AMP_ERROR_NULL);
    amp_error_scope outer = amp_error_begin();
    assert_int_equal(amp_error_status(), AMP_OK);
    assert_string_equal(amp_error_text(), "");
    amp_error_scope inner = amp_error_begin();
    assert_null(amp_array_view1(-1, data));
    assert_int_equal(amp_error_status(), AMP_ERROR_SHAPE);
    amp_error_clear(); /* dealt with */
    assert_ok(amp_error_end(&inner));
    inner = amp_error_begin();
    assert_int_equal(amp_refresh(NULL), AMP_ERROR_NULL);
    assert_int_equal(amp_error_end(&inner), AMP_ERROR_NULL);
    assert_null(amp_array_view1(-1, data));
    assert_string_equal(amp_error_text(), "amp_refresh: the view is NULL");
    assert_int_equal(amp_error_end(&outer), AMP_ERROR_NULL);
    assert_string_equal(amp_error_last_text(), "amp_refresh: the view is NULL");
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_synchronize: the view is NULL");
    assert_error(amp_error_end(NULL), AMP_ERROR_NULL, "amp_error_end: the scope is NULL");
}

static void in_callback(amp_status status, void *user)
{
    assert_int_equal(status, amp_error_status());
    amp_error_scope scope = amp_error_begin();
    amp_refresh(NULL);
    *(bool *)user = amp_error_end(&scope) == AMP_ERROR_NULL && amp_error_last_status() == AMP_ERROR_NULL;
}

static void test_scope_in_a_callback(void **state)
{
    (void)state;
    bool good = false;
    amp_future *marker = amp_accelerator_view_create_marker(amp_accelerator_default_view(amp_accelerator_find("cpu")));
    assert_ok(amp_future_wait(marker));
    assert_ok(amp_future_then(marker, in_callback, &good));
    assert_true(good);
    assert_int_equal(amp_error_status(), AMP_OK);
    amp_error_clear();
    amp_future_release(marker);
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
    assert_string_equal(text, "there is no accelerator \"elsewhere\"; there are: cpu, null, checked, all");
    assert_int_equal(amp_error_status(), AMP_OK);
    assert_int_equal(amp_error_last_status(), AMP_OK);
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
        cmocka_unit_test(test_last_failure),
        cmocka_unit_test(test_hidden_failures),
        cmocka_unit_test(test_a_question_is_no_error),
        cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_nested_scopes),
        cmocka_unit_test(test_scope_in_a_callback),
        cmocka_unit_test(test_each_thread_has_its_own),
        cmocka_unit_test(test_long_texts_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
