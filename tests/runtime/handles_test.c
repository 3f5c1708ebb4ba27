/* SPDX-License-Identifier: MIT
 * Invalid handles of views and arrays: NULL, released, or of something else. Every function reports this, names the
 * call, and does nothing else. */
#include "kernels.h"

static amp_accelerator_view *on_cpu;
static int data[12];

static int setup(void **state)
{
    (void)state;
    on_cpu = amp_accelerator_default_view(amp_accelerator_find("cpu"));
    amp__test_keep_released(true);
    amp_error_clear();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    amp__test_keep_released(false);
    return 0;
}

/* The last call, and whether it returned something. */
static struct {
    const char *call;
    bool is_result;
} made;

static void record(const char *call, bool result)
{
    made.call = call;
    made.is_result = result;
}

/* Every function that takes a view, or an array: the name in its errors, and whether it returns something. */
#define VIEW_CALLS(X)                                                                                                  \
    X(amp_array_view_extent, amp_array_view_extent(v).rank != 0)                                                       \
    X(amp_array_view_type, amp_array_view_type(v) != AMP_TYPE_NONE)                                                    \
    X(amp_array_view_element_size, amp_array_view_element_size(v) != 0)                                                \
    X(amp_array_view_is_read_only, amp_array_view_is_read_only(v))                                                     \
    X(amp_array_view_stride, amp_array_view_stride(v, 0) != 0)                                                         \
    X(amp_array_view_source_accelerator_view, amp_array_view_source_accelerator_view(v))                               \
    X(amp_array_view_section, amp_array_view_section(v, amp_index1(0), amp_extent1(1)))                                \
    X(amp_array_view_section_from, amp_array_view_section_from(v, amp_index1(0)))                                      \
    X(amp_array_view_section_to, amp_array_view_section_to(v, amp_extent1(1)))                                         \
    X(amp_array_view_project, amp_array_view_project(v, 0))                                                            \
    X(amp_array_view_reinterpret, amp_array_view_reinterpret_as(v, char))                                              \
    X(amp_array_view_reshape, amp_array_view_reshape(v, amp_extent1(1)))                                               \
    X(amp_array_view_read_only, amp_array_view_read_only(v))                                                           \
    X(amp_discard_data, amp_discard_data(v) == AMP_OK)                                                                 \
    X(amp_synchronize, amp_synchronize(v) == AMP_OK)                                                                   \
    X(amp_synchronize_for, amp_synchronize_for(v, AMP_ACCESS_READ) == AMP_OK)                                          \
    X(amp_synchronize_to_for, amp_synchronize_to(v, on_cpu) == AMP_OK)                                                 \
    X(amp_synchronize_to_for, amp_synchronize_to_for(v, on_cpu, AMP_ACCESS_READ) == AMP_OK)                            \
    X(amp_synchronize_for_async, amp_synchronize_async(v))                                                             \
    X(amp_synchronize_for_async, amp_synchronize_for_async(v, AMP_ACCESS_READ))                                        \
    X(amp_synchronize_to_for_async, amp_synchronize_to_async(v, on_cpu))                                               \
    X(amp_synchronize_to_for_async, amp_synchronize_to_for_async(v, on_cpu, AMP_ACCESS_READ))                          \
    X(amp_refresh, amp_refresh(v) == AMP_OK)                                                                           \
    X(amp_array_view_map, amp_array_view_map(v, AMP_ACCESS_READ))                                                      \
    X(amp_array_view_unmap, amp_array_view_unmap(v) == AMP_OK)                                                         \
    X(amp_array_from_view, amp_array_from_view(v, NULL, AMP_ACCESS_AUTO))                                              \
    X(amp_array_staging_from_view, amp_array_staging_from_view(v, NULL, NULL))                                         \
    X(amp_copy, amp_copy(v, &data[0]) == AMP_OK)                                                                       \
    X(amp_copy_async, amp_copy_async(&data[0], v))
#define ARRAY_CALLS(X)                                                                                                 \
    X(amp_array_extent, amp_array_extent(a).rank != 0)                                                                 \
    X(amp_array_type, amp_array_type(a) != AMP_TYPE_NONE)                                                              \
    X(amp_array_element_size, amp_array_element_size(a) != 0)                                                          \
    X(amp_array_cpu_access_type, amp_array_cpu_access_type(a) != AMP_ACCESS_NONE)                                      \
    X(amp_array_accelerator_view, amp_array_accelerator_view(a))                                                       \
    X(amp_array_associated_accelerator_view, amp_array_associated_accelerator_view(a))                                 \
    X(amp_array_clone, amp_array_clone(a))                                                                             \
    X(amp_array_map, amp_array_map(a, AMP_ACCESS_READ))                                                                \
    X(amp_array_unmap, amp_array_unmap(a) == AMP_OK)                                                                   \
    X(amp_array_native_handle, amp_array_native_handle(a))                                                             \
    X(amp_array_as_view, amp_array_as_view(a))                                                                         \
    X(amp_array_as_const_view, amp_array_as_const_view(a))                                                             \
    X(amp_array_section, amp_array_section(a, amp_index1(0), amp_extent1(1)))                                          \
    X(amp_array_project, amp_array_project(a, 0))                                                                      \
    X(amp_array_reinterpret, amp_array_reinterpret_as(a, char))                                                        \
    X(amp_array_reshape, amp_array_reshape(a, amp_extent1(1)))                                                         \
    X(amp_copy, amp_copy(&data[0], a) == AMP_OK)                                                                       \
    X(amp_copy_async, amp_copy_async(a, &data[0]))

#define TRY(name, result)                                                                                              \
    record(#name, result);                                                                                             \
    assert_call(status, text);
#define TRY_QUIETLY(name, result) record(#name, result);

/* The last call returned nothing, and its error begins with its name. */
static void assert_call(amp_status status, const char *text)
{
    char expected[200];
    snprintf(expected, sizeof expected, "%s: %s", made.call, text);
    if (made.is_result || strcmp(amp_error_text(), expected))
        print_error("%s: \"%s\" instead of \"%s\"\n", made.call, amp_error_text(), expected);
    assert_false(made.is_result);
    assert_string_equal(amp_error_text(), expected);
    assert_int_equal(amp_error_status(), status);
    amp_error_clear();
}

static void try_views(amp_array_view *v, amp_status status, const char *text)
{
    VIEW_CALLS(TRY)
}

static void try_arrays(amp_array *a, amp_status status, const char *text)
{
    ARRAY_CALLS(TRY)
}

/* row: error.uninitialized_object */
static void test_released(void **state)
{
    (void)state;
    amp_array_view *v = amp_array_view1(12, data);
    amp_array *a = amp_array_from1(12, data);
    amp_array_view_release(v);
    amp_array_release(a);
    try_views(v, AMP_ERROR_INVALID_ARGUMENT, "the view was released");
    try_arrays(a, AMP_ERROR_INVALID_ARGUMENT, "the array was released");
    amp_array_view_release(v);
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT, "amp_array_view_release: the view was released");
    amp_array_release(a);
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT, "amp_array_release: the array was released");
    assert_ptr_equal(amp_array_view_retain(v), v);
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT, "amp_array_view_retain: the view was released");
    assert_ptr_equal(amp_array_retain(a), a);
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT, "amp_array_retain: the array was released");
    float x[4] = {0};
    v = amp_array_view1(4, x);
    amp_array_view_release(v);
    assert_error(amp_parallel_for_each(amp_extent1(4), scale, 1.0f, v), AMP_ERROR_INVALID_ARGUMENT,
                 "scale (kernels.c:3): the view for x was released");
    assert_error(amp_parallel_for_each(amp_extent1(4), scale, 1.0f, a), AMP_ERROR_INVALID_ARGUMENT,
                 "scale (kernels.c:3): the array for x was released");
    assert_null(amp_parallel_for_each_async(amp_extent1(4), scale, 1.0f, v));
    assert_int_equal(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT);
}

static void test_null(void **state)
{
    (void)state;
    amp_array_view *v = NULL;
    amp_array *a = NULL;
    amp_status status = AMP_ERROR_NULL;
    const char *text = "the view is NULL";
    (void)v, (void)a;
    /* Copies name the side. */
#define IF_NO_COPY(name, result)                                                                                       \
    if (strncmp(#name, "amp_copy", 8)) {                                                                               \
        TRY(name, result)                                                                                              \
    }
    VIEW_CALLS(IF_NO_COPY)
    text = "the array is NULL";
    ARRAY_CALLS(IF_NO_COPY)
    /* The first cause is kept. */
    VIEW_CALLS(TRY_QUIETLY)
    ARRAY_CALLS(TRY_QUIETLY)
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_array_view_extent: the view is NULL");
}

static void test_of_something_else(void **state)
{
    (void)state;
    amp_array_view *v = amp_array_view1(12, data);
    amp_array *a = amp_array_from1(12, data);
    try_views((amp_array_view *)(void *)a, AMP_ERROR_INVALID_ARGUMENT,
              "the handle is an array, where a view is expected");
    try_arrays((amp_array *)(void *)v, AMP_ERROR_INVALID_ARGUMENT, "the handle is a view, where an array is expected");
    amp_array_view_release((amp_array_view *)(void *)a);
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_array_view_release: the handle is an array, where a view is expected");
    try_views((amp_array_view *)(void *)on_cpu, AMP_ERROR_INVALID_ARGUMENT,
              "the handle is an accelerator_view, where a view is expected");
    try_views((amp_array_view *)(void *)data, AMP_ERROR_INVALID_ARGUMENT, "the handle is no view of libamp");
    try_arrays((amp_array *)(void *)data, AMP_ERROR_INVALID_ARGUMENT, "the handle is no array of libamp");
    /* A handle that is no accelerator_view. */
    amp_accelerator_view *wrong = (amp_accelerator_view *)(void *)v;
    const char *text = "the handle is a view, where an accelerator_view is expected";
    amp_status status = AMP_ERROR_INVALID_ARGUMENT;
    TRY(amp_array_create, amp_array_on(int, amp_extent1(4), wrong, AMP_ACCESS_AUTO))
    TRY(amp_array_from_view, amp_array_from_view(v, wrong, AMP_ACCESS_AUTO))
    TRY(amp_array_create_staging, amp_array_staging(int, amp_extent1(4), wrong, on_cpu))
    TRY(amp_array_create_staging, amp_array_staging(int, amp_extent1(4), on_cpu, wrong))
    TRY(amp_array_wrap, amp_array_wrap_on(amp_extent1(4), data, wrong))
    TRY(amp_synchronize_to_for, amp_synchronize_to(v, wrong) == AMP_OK)
    TRY(amp_synchronize_to_for_async, amp_synchronize_to_async(v, wrong))
    amp_array_view_release(v);
    amp_array_release(a);
}

static void *release_twice(void *view)
{
    amp_array_view_release(view);
    amp_array_view_release(view);
    return NULL;
}

/* Two threads release more references than there are: nothing is freed twice, and the object is released. */
static void test_two_threads_releasing(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        amp_array_view *v = amp_array_view1(12, data);
        pthread_t threads[2];
        for (int k = 0; k < 2; k++)
            assert_int_equal(pthread_create(&threads[k], NULL, release_twice, v), 0);
        for (int k = 0; k < 2; k++)
            pthread_join(threads[k], NULL);
        assert_int_equal(amp_array_view_extent(v).rank, 0);
        assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT, "amp_array_view_extent: the view was released");
    }
}

/* Many threads with a reference each, to a view and the array under it. */
static void *retain_and_release(void *view)
{
    for (int i = 0; i < 1000; i++) {
        amp_array_view *row = amp_array_view_project(view, i % 3);
        amp_array_view_release(amp_array_view_retain(row));
        amp_array_view_release(row);
    }
    amp_array_view_release(view);
    return NULL;
}

static void test_references_from_many_threads(void **state)
{
    (void)state;
    amp__test_keep_released(false);
    amp_accelerator_view *on_null = amp_accelerator_default_view(amp_accelerator_find("null"));
    amp__test_null_reset();
    amp_array *a = amp_array_from_on(amp_extent2(3, 4), data, on_null, AMP_ACCESS_AUTO);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, retain_and_release, amp_array_as_view(a)), 0);
    amp_array_release(a);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    struct amp__null_counts n = amp__test_null_counts();
    assert_true(n.allocations == 1 && n.frees == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_released, setup, teardown),
        cmocka_unit_test_setup_teardown(test_null, setup, teardown),
        cmocka_unit_test_setup_teardown(test_of_something_else, setup, teardown),
        cmocka_unit_test_setup_teardown(test_two_threads_releasing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_references_from_many_threads, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
