/* SPDX-License-Identifier: MIT
 * What the host does with single elements, typed pointers, whole C arrays and text. */
#include "kernels.h"

static int setup(void **state)
{
    (void)state;
    amp_error_clear();
    amp__test_null_reset();
    return 0;
}

static amp_accelerator_view *on_null(void)
{
    return amp_accelerator_default_view(amp_accelerator_find("null"));
}

static amp_index no_int(void)
{
    return amp_index2(0, 1e10 + (double)(amp_accelerator_count() * 0));
}

/* ---- amp_get ---- */

/* row: array.element, array_view.element */
static void test_get(void **state)
{
    (void)state;
    float data[2][3] = {{1, 2, 3}, {4, 5, 6}}, value = 0;
    amp_array_view *view = amp_array_view_whole2(data), *part = amp_array_view_section2(view, 0, 1, 2, 2);
    amp_array *array = amp_array_from_on(amp_extent2(2, 3), data[0], on_null(), AMP_ACCESS_AUTO);
    assert_ok(amp_get(view, amp_index2(1, 0), &value));
    assert_float_equal(value, 4, 0);
    assert_ok(amp_get(part, amp_index2(1, 1), &value));
    assert_float_equal(value, 6, 0);
    assert_ok(amp_get((const amp_array *)array, amp_index2(0, 2), &value));
    assert_float_equal(value, 3, 0);
    assert_int_equal(amp__test_null_counts().bytes_out, sizeof value);
    void *bytes = &value;
    assert_ok(amp_get(view, amp_index2(0, 0), bytes));
    assert_float_equal(value, 1, 0);
    amp_array_release(array);
    amp_array_view_release(part);
    amp_array_view_release(view);
}

static void test_get_waits(void **state)
{
    (void)state;
    float data[4] = {1, 2, 3, 4}, value = 0;
    amp_array_view *view = amp_array_view_whole1(data);
    amp_future *future = amp_parallel_for_each_on_async(on_null(), amp_extent1(4), scale, 10.0f, view);
    assert_ok(amp_get(view, amp_index1(3), &value));
    assert_float_equal(value, 40, 0);
    assert_ok(amp_future_wait(future));
    amp_future_release(future);
    amp_array_view_release(view);
}

static void test_get_errors(void **state)
{
    (void)state;
    float data[2][3] = {{1, 2, 3}, {4, 5, 6}}, value = -1;
    int number = -1;
    amp_array_view *view = amp_array_view_whole2(data), *none = NULL;
    assert_error(amp_get(view, amp_index2(1, 3), &value), AMP_ERROR_OUT_OF_RANGE,
                 "amp_get: the index is 3, but the view (2x3) has 0 to 2 in dimension 1");
    assert_error(amp_get(view, amp_index2(-1, 0), &value), AMP_ERROR_OUT_OF_RANGE,
                 "amp_get: the index is -1, but the view (2x3) has 0 to 1 in dimension 0");
    assert_error(amp_get(view, amp_index1(1), &value), AMP_ERROR_RANK,
                 "amp_get: the view has rank 2, but the index has 1");
    assert_error(amp_get(view, no_int(), &value), AMP_ERROR_OUT_OF_RANGE,
                 "amp_get: component 1 of the index is 10000000000, which an int cannot hold; use two dimensions for "
                 "more than 2147483647 elements");
    assert_error(amp_get(view, amp_index2(1, 1), &number), AMP_ERROR_TYPE,
                 "amp_get: the source has elements of type float, but the destination of type int");
    assert_error(amp_get(view, amp_index2(1, 1), (float *)NULL), AMP_ERROR_NULL, "amp_get: the destination is NULL");
    assert_error(amp_get(none, amp_index2(1, 1), &value), AMP_ERROR_NULL, "amp_get: the source is NULL");
    assert_error(amp_get(view, amp_index2(1, 1), view), AMP_ERROR_TYPE,
                 "amp_get: the value is of type amp_array_view *; it must be host memory");
    assert_error(amp_get(&data[0][0], amp_index1(1), &value), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_get: both sides are host memory; use memcpy");
    assert_non_null(amp_array_view_map(view, AMP_ACCESS_WRITE));
    assert_error(amp_get(view, amp_index2(1, 1), &value), AMP_ERROR_BUSY,
                 "amp_get: the view, or another one of its home, is mapped");
    assert_ok(amp_array_view_unmap(view));
    assert_float_equal(value, -1, 0);
    assert_int_equal(number, -1);
    amp_array_view_release(view);
}

/* ---- maps with a type ---- */

/* row: array.data, array_view.data */
struct two {
    float x, y;
};
typedef struct wide {
    _Alignas(16) char bytes[16];
} wide;

static void test_map_as(void **state)
{
    (void)state;
    float data[4] = {1, 2, 3, 4};
    amp_array_view *view = amp_array_view_whole1(data);
    float *x = amp_array_view_map_as(view, float, AMP_ACCESS_READ_WRITE);
    assert_ptr_equal(x, data);
    assert_ok(amp_array_view_unmap(view));
    const float *read = amp_array_view_map_as(view, const float, AMP_ACCESS_READ);
    assert_ptr_equal(read, data);
    assert_ok(amp_array_view_unmap(view));
    amp_array *array = amp_array_from_on(amp_extent1(4), data, NULL, AMP_ACCESS_AUTO);
    x = amp_array_map_as(array, float, AMP_ACCESS_READ);
    assert_float_equal(x[3], 4, 0);
    assert_ok(amp_array_unmap(array));
    assert_null(amp_array_map_as(array, struct two, AMP_ACCESS_READ));
    assert_error(amp_error_status(), AMP_ERROR_TYPE,
                 "amp_array_map_typed: the array has elements of type float, not struct");
    amp_array_release(array);
    amp_array_view_release(view);
}

static void test_map_as_errors(void **state)
{
    (void)state;
    _Alignas(16) struct two pairs[4] = {{1, 2}};
    float data[4] = {0};
    amp_array_view *view = amp_array_view_whole1(data), *twos = amp_array_view_whole1(pairs), *none = NULL;
    assert_null(amp_array_view_map_as(view, int, AMP_ACCESS_READ));
    assert_error(amp_error_status(), AMP_ERROR_TYPE,
                 "amp_array_view_map_typed: the view has elements of type float, not int");
    assert_null(amp_array_view_map_as(twos, wide, AMP_ACCESS_READ));
    assert_error(amp_error_status(), AMP_ERROR_TYPE,
                 "amp_array_view_map_typed: the view has elements of 8 bytes, not 16");
    amp_array_view *bytes = amp_array_view_create(amp_extent1(1), (char *)pairs + 1, AMP_TYPE_STRUCT, 16, false);
    assert_null(amp_array_view_map_as(bytes, wide, AMP_ACCESS_READ));
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_array_view_map_typed: the view begins at a multiple of 1 byte, but elements of type struct are "
                 "aligned to 16");
    assert_null(amp_array_view_map_typed(view, AMP_TYPE_F32, 8, AMP_ACCESS_READ));
    assert_error(amp_error_status(), AMP_ERROR_TYPE,
                 "amp_array_view_map_typed: the element type is float, which cannot have 8 bytes");
    assert_null(amp_array_view_map_as(none, int, AMP_ACCESS_READ));
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_array_view_map_typed: the view is NULL");
    assert_error(amp_array_view_unmap(view), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_array_view_unmap: the view is not mapped");
    amp_array_view_release(bytes);
    amp_array_view_release(twos);
    amp_array_view_release(view);
}

/* ---- whole arrays ---- */

static void test_whole(void **state)
{
    (void)state;
    double line[7];
    const int box[2][3][4] = {{{0}}};
    size_t n = 5;
    float rows[n][3];
    amp_array_view *a = amp_array_view_whole1(line), *b = amp_array_view_whole2(rows), *c = amp_array_view_whole3(box);
    assert_true(amp_extent_equal(amp_array_view_extent(a), amp_extent1(7)));
    assert_true(amp_extent_equal(amp_array_view_extent(b), amp_extent2(5, 3)));
    assert_true(amp_extent_equal(amp_array_view_extent(c), amp_extent3(2, 3, 4)));
    assert_int_equal(amp_array_view_type(a), AMP_TYPE_F64);
    assert_int_equal(amp_array_view_type(b), AMP_TYPE_F32);
    assert_false(amp_array_view_is_read_only(b));
    assert_true(amp_array_view_is_read_only(c));
    const float *first = amp_array_view_map_as(b, const float, AMP_ACCESS_READ);
    assert_ptr_equal(first, rows);
    assert_ok(amp_array_view_unmap(b));
    amp_array_view_release(a);
    amp_array_view_release(b);
    amp_array_view_release(c);
}

/* ---- text ---- */

/* Fails unless this is what is printed. */
static void assert_printed(amp_array_view *view, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_ok(amp_array_view_print(file, view));
    fclose(file);
    assert_string_equal(text, expected);
    free(text);
}

#define ASSERT_PRINTED(T, expected, ...)                                                                               \
    do {                                                                                                               \
        T data_[] = {__VA_ARGS__};                                                                                     \
        amp_array_view *view_ = amp_array_view_whole1(data_);                                                          \
        assert_printed(view_, expected);                                                                               \
        amp_array_view_release(view_);                                                                                 \
    } while (0)

static void test_print(void **state)
{
    (void)state;
    ASSERT_PRINTED(float, "1 -2.5 1e+15 0.1\n", 1, -2.5f, 1e15f, 0.1f);
    ASSERT_PRINTED(double, "1 nan -inf 3.14159\n", 1, NAN, -INFINITY, 3.14159265);
    ASSERT_PRINTED(unsigned char, "255 65\n", 255, 'A');
    ASSERT_PRINTED(signed char, "-1\n", -1);
    ASSERT_PRINTED(_Bool, "1 0\n", 1, 0);
    ASSERT_PRINTED(uint64_t, "18446744073709551615\n", UINT64_MAX);
    ASSERT_PRINTED(int64_t, "-9223372036854775808\n", INT64_MIN);
    const int box[2][2][3] = {{{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}, {10, 11, 12}}};
    amp_array_view *all = amp_array_view_whole3(box), *one = amp_array_view_project(all, 1);
    assert_printed(all, "1 2 3\n4 5 6\n\n7 8 9\n10 11 12\n");
    assert_printed(one, "7 8 9\n10 11 12\n");
    amp_array_view *part = amp_array_view_section2(one, 0, 1, 2, 2);
    assert_printed(part, "8 9\n11 12\n");
    amp_array_view_release(part);
    amp_array_view_release(one);
    amp_array_view_release(all);
}

static void test_print_from_device(void **state)
{
    (void)state;
    float data[3] = {1, 2, 3};
    amp_array_view *view = amp_array_view_whole1(data);
    amp_future *future = amp_parallel_for_each_on_async(on_null(), amp_extent1(3), scale, 10.0f, view);
    assert_printed(view, "10 20 30\n");
    amp_future_release(future);
    amp__test_null_reset();
    assert_ok(amp_parallel_for_each_on(on_null(), amp_extent1(3), scale, 10.0f, view));
    amp__test_null_fail(1);
    char text[8] = "";
    FILE *file = fmemopen(text, sizeof text, "w");
    assert_int_equal(amp_array_view_print(file, view), AMP_ERROR_DEVICE);
    fclose(file);
    assert_string_equal(text, "");
    amp_error_clear();
    amp__test_null_fail(0);
    amp_array_view_release(view);
}

static void test_print_errors(void **state)
{
    (void)state;
    struct two pairs[2] = {{1, 2}};
    amp_array_view *view = amp_array_view_whole1(pairs);
    assert_error(amp_array_view_print(stdout, view), AMP_ERROR_TYPE,
                 "amp_array_view_print: the elements are structs of 8 bytes, not numbers");
    assert_error(amp_array_view_print(NULL, view), AMP_ERROR_NULL, "amp_array_view_print: the file is NULL");
    assert_error(amp_array_view_print(stdout, NULL), AMP_ERROR_NULL, "amp_array_view_print: the view is NULL");
    amp_array_view_release(view);
    float data[2] = {1, 2};
    view = amp_array_view_whole1(data);
    assert_non_null(amp_array_view_map(view, AMP_ACCESS_READ));
    assert_printed(view, "1 2\n");
    assert_ok(amp_array_view_unmap(view));
    assert_non_null(amp_array_view_map(view, AMP_ACCESS_WRITE));
    assert_error(amp_array_view_print(stdout, view), AMP_ERROR_BUSY,
                 "amp_array_view_print: the view, or another one of its home, is mapped");
    assert_ok(amp_array_view_unmap(view));
    amp_array_view_release(view);
}

/* ---- older names ---- */

static void test_older_names(void **state)
{
    (void)state;
    float data[4] = {1, 2, 3, 4}, copy[4] = {0};
    amp_auto_array *array = amp_array_from1(4, data);
    amp_auto_array_view *all = amp_array_view_of(array), *constant = amp_array_view_of_const(array);
    amp_auto_array_view *box = amp_array_view_as(array, amp_extent2(2, 2));
    amp_auto_array_view *line = amp_array_view_view_as(all, amp_extent2(1, 3));
    assert_true(amp_array_view_is_read_only(constant));
    assert_int_equal(amp_array_view_extent(box).dim[0], 2);
    assert_int_equal(amp_array_view_extent(line).dim[1], 3);
    /* The functions, for programs that were linked with them. */
#undef amp_array_view_of
    amp_auto_array_view *again = amp_array_view_of(array);
    assert_int_equal(amp_extent_size(amp_array_view_extent(again)), 4);
    /* Both orders of the arguments; the memory is the destination. */
    assert_ok(amp_copy_to(array, copy, 4));
    assert_memory_equal(copy, data, sizeof data);
    memset(copy, 0, sizeof copy);
    assert_ok(amp_copy_to(copy, array, 4));
    assert_memory_equal(copy, data, sizeof data);
    memset(copy, 0, sizeof copy);
    amp_auto_future *done = amp_copy_to_async(copy, all, 4), *once_more = amp_copy_to_async(all, copy, 4);
    assert_ok(amp_future_wait(done));
    assert_ok(amp_future_wait(once_more));
    assert_memory_equal(copy, data, sizeof data);
    static const char text[] = "amp_copy: the host memory has 3 elements, but 4 (4) are copied";
    assert_int_equal(amp_copy_to(copy, array, 3), AMP_ERROR_SHAPE);
    assert_string_equal(amp_error_text(), text);
    amp_error_clear();
    assert_int_equal(amp_copy_to(array, copy, 3), AMP_ERROR_SHAPE);
    assert_string_equal(amp_error_text(), text);
    amp_error_clear();
    assert_error(amp_copy_to(all, array, 4), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_copy: the destination is an amp_array_view *; a number of elements is for host memory");
    assert_error(amp_copy_to(copy, data, 4), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_copy: both sides are host memory; use memcpy");
}

static void test_version(void **state)
{
    (void)state;
    assert_int_equal(amp_version(), AMP_VERSION);
    assert_int_equal(AMP_VERSION / 10000, AMP_VERSION_MAJOR);
    assert_int_equal(AMP_VERSION / 100 % 100, AMP_VERSION_MINOR);
    assert_int_equal(AMP_VERSION % 100, AMP_VERSION_PATCH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_get, setup),           cmocka_unit_test_setup(test_get_waits, setup),
        cmocka_unit_test_setup(test_get_errors, setup),    cmocka_unit_test_setup(test_map_as, setup),
        cmocka_unit_test_setup(test_map_as_errors, setup), cmocka_unit_test_setup(test_whole, setup),
        cmocka_unit_test_setup(test_print, setup),         cmocka_unit_test_setup(test_print_from_device, setup),
        cmocka_unit_test_setup(test_print_errors, setup),  cmocka_unit_test_setup(test_older_names, setup),
        cmocka_unit_test_setup(test_version, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
