/* SPDX-License-Identifier: MIT
 * Views on the host: making them, sections, mapping, references. */
#include "kernels.h"

#include <limits.h>

static int clear(void **state)
{
    (void)state;
    amp_error_clear();
    return 0;
}

static void test_macros_read_the_pointer(void **state)
{
    (void)state;
    double data[24] = {0};
    const double *constant = data;
    amp_array_view *v = amp_array_view3(2, 3, 4, data);
    assert_true(amp_extent_equal(amp_array_view_extent(v), amp_extent3(2, 3, 4)));
    assert_int_equal(amp_array_view_type(v), AMP_TYPE_F64);
    assert_int_equal(amp_array_view_element_size(v), 8);
    assert_false(amp_array_view_is_read_only(v));
    assert_int_equal(amp_array_view_stride(v, 0), 12);
    assert_int_equal(amp_array_view_stride(v, 1), 4);
    assert_int_equal(amp_array_view_stride(v, 2), 1);
    assert_int_equal(amp_array_view_stride(v, 3), 0);
    assert_int_equal(amp_array_view_stride(v, -1), 0);
    amp_array_view_release(v);
    v = amp_array_view2(4, 6, constant);
    assert_true(amp_array_view_is_read_only(v));
    amp_array_view_release(v);
    struct pair pairs[2];
    v = amp_array_view_n(amp_extent1(2), pairs);
    assert_int_equal(amp_array_view_type(v), AMP_TYPE_STRUCT);
    assert_int_equal(amp_array_view_element_size(v), sizeof(struct pair));
    amp_array_view_release(v);
    char bytes[1];
    v = amp_array_view_n(amp_extent_n(8, (int[]){1, 1, 1, 1, 1, 1, 1, 1}), bytes);
    assert_int_equal(amp_array_view_extent(v).rank, 8);
    amp_array_view_release(v);
}

static void test_bad_views(void **state)
{
    (void)state;
    int data[4] = {0}, *none = NULL;
    assert_null(amp_array_view1(4, none));
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_array_view_create: the data is NULL");
    assert_null(amp_array_view_n((amp_extent){0}, data));
    assert_error(amp_error_status(), AMP_ERROR_RANK,
                 "amp_array_view_create: the rank of the extent is 0; it must be 1 to 8");
    assert_null(amp_array_view_n(((amp_extent){9, {0}}), data));
    assert_error(amp_error_status(), AMP_ERROR_RANK,
                 "amp_array_view_create: the rank of the extent is 9; it must be 1 to 8");
    assert_null(amp_array_view2(4, 0, data));
    assert_error(amp_error_status(), AMP_ERROR_SHAPE,
                 "amp_array_view_create: the extent is 4x0; every component must be positive");
    assert_null(amp_array_view3(INT_MAX, INT_MAX, 2, data));
    assert_error(amp_error_status(), AMP_ERROR_SHAPE,
                 "amp_array_view_create: 2147483647x2147483647x2 elements of 4 bytes are more than memory can hold");
    assert_null(amp_array_view3(INT_MAX, INT_MAX, INT_MAX, data));
    assert_int_equal(amp_error_status(), AMP_ERROR_SHAPE);
    amp_error_clear();
    assert_null(amp_array_view_create(amp_extent1(4), data, AMP_TYPE_F32, 8, false));
    assert_error(amp_error_status(), AMP_ERROR_TYPE,
                 "amp_array_view_create: the element type is float, which cannot have 8 bytes");
    assert_null(amp_array_view_create(amp_extent1(4), data, AMP_TYPE_STRUCT, 0, false));
    assert_null(amp_array_view_create(amp_extent1(4), data, AMP_TYPE_VIEW, 8, false));
    assert_null(amp_array_view_create(amp_extent1(4), data, (amp_type)77, 8, false));
}

static void test_null_is_harmless(void **state)
{
    (void)state;
    assert_null(amp_array_view_retain(NULL));
    amp_array_view_release(NULL);
    assert_int_equal(amp_array_view_extent(NULL).rank, 0);
    assert_int_equal(amp_array_view_type(NULL), AMP_TYPE_NONE);
    assert_int_equal(amp_array_view_element_size(NULL), 0);
    assert_false(amp_array_view_is_read_only(NULL));
    assert_int_equal(amp_array_view_stride(NULL, 0), 0);
    assert_null(amp_array_view_section(NULL, amp_index1(0), amp_extent1(1)));
    assert_null(amp_array_view_map(NULL, AMP_ACCESS_READ));
    assert_int_equal(amp_array_view_unmap(NULL), AMP_ERROR_NULL);
    assert_int_equal(amp_discard_data(NULL), AMP_ERROR_NULL);
    assert_int_equal(amp_synchronize(NULL), AMP_ERROR_NULL);
    assert_int_equal(amp_refresh(NULL), AMP_ERROR_NULL);
    assert_string_equal(amp_error_text(), "amp_array_view_section: the view is NULL");
}

static void test_sections(void **state)
{
    (void)state;
    int data[5][6];
    for (int i = 0; i < 30; i++)
        data[i / 6][i % 6] = i;
    amp_array_view *v = amp_array_view2(5, 6, &data[0][0]);
    amp_array_view *s = amp_array_view_section(v, amp_index2(1, 2), amp_extent2(3, 3));
    amp_array_view *t = amp_array_view_section(s, amp_index2(1, 1), amp_extent2(2, 2));
    amp_array_view_release(v); /* sections keep the home */
    amp_array_view_release(s);
    assert_true(amp_extent_equal(amp_array_view_extent(t), amp_extent2(2, 2)));
    assert_int_equal(amp_array_view_stride(t, 0), 6);
    int *p = amp_array_view_map(t, AMP_ACCESS_READ);
    assert_ptr_equal(p, &data[2][3]);
    assert_int_equal(p[6 + 1], 22);
    assert_ok(amp_array_view_unmap(t));
    assert_null(amp_array_view_section(t, amp_index2(0, 1), amp_extent2(2, 2)));
    assert_error(amp_error_status(), AMP_ERROR_OUT_OF_RANGE,
                 "amp_array_view_section: in dimension 1 the section has 2 elements from 1 on, but the view (2x2) has "
                 "0 to 1");
    assert_null(amp_array_view_section(t, amp_index2(-1, 0), amp_extent2(1, 1)));
    assert_null(amp_array_view_section(t, amp_index2(INT_MAX, 0), amp_extent2(INT_MAX, 1)));
    assert_int_equal(amp_error_status(), AMP_ERROR_OUT_OF_RANGE);
    amp_error_clear();
    assert_null(amp_array_view_section(t, amp_index1(0), amp_extent1(1)));
    assert_error(amp_error_status(), AMP_ERROR_RANK,
                 "amp_array_view_section: the view has rank 2, but the origin has 1 and the extent 1");
    assert_null(amp_array_view_section(t, amp_index2(0, 0), amp_extent2(0, 1)));
    assert_error(amp_error_status(), AMP_ERROR_SHAPE,
                 "amp_array_view_section: the section's extent is 0x1; every component must be positive");
    amp_array_view_release(t);
}

static void test_dense_sections(void **state)
{
    (void)state;
    static int data[4 * 5 * 6];
    static const struct {
        int extent[3];
        bool dense;
    } cases[] = {
        {{4, 5, 6}, true},  {{2, 5, 6}, true},  {{1, 5, 6}, true},  {{1, 2, 6}, true},  {{1, 1, 3}, true},
        {{2, 2, 6}, false}, {{1, 2, 3}, false}, {{2, 1, 1}, false}, {{4, 5, 5}, false}, {{1, 1, 1}, true},
    };
    amp_array_view *v = amp_array_view3(4, 5, 6, data);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        amp_array_view *s = amp_array_view_section(v, amp_index3(0, 0, 0), amp_extent_n(3, cases[i].extent));
        assert_int_equal(s->is_dense, cases[i].dense);
        amp_array_view_release(s);
    }
    amp_array_view_release(v);
}

static void test_mapping(void **state)
{
    (void)state;
    float data[8] = {0};
    const float *constant = data;
    amp_array_view *v = amp_array_view1(8, data), *r = amp_array_view1(8, constant);
    amp_array_view *s = amp_array_view_section(v, amp_index1(4), amp_extent1(4));
    assert_null(amp_array_view_map(r, AMP_ACCESS_WRITE));
    assert_error(amp_error_status(), AMP_ERROR_READ_ONLY,
                 "amp_array_view_map: a read-only view can be mapped for AMP_ACCESS_READ only");
    assert_null(amp_array_view_map(v, AMP_ACCESS_AUTO));
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_array_view_map: the access is 4; it must be AMP_ACCESS_READ, _WRITE or _READ_WRITE");
    assert_error(amp_array_view_unmap(v), AMP_ERROR_INVALID_ARGUMENT, "amp_array_view_unmap: the view is not mapped");

    assert_ptr_equal(amp_array_view_map(s, AMP_ACCESS_WRITE), data + 4);
    /* The home is what is mapped, so its other views are busy, too. */
    assert_null(amp_array_view_map(v, AMP_ACCESS_READ));
    assert_error(amp_error_status(), AMP_ERROR_BUSY,
                 "amp_array_view_map: the view, or another one of its home, is mapped");
    assert_int_equal(amp_synchronize(v), AMP_ERROR_BUSY);
    assert_int_equal(amp_refresh(v), AMP_ERROR_BUSY);
    assert_int_equal(amp_discard_data(v), AMP_ERROR_BUSY);
    amp_error_clear();
    assert_error(amp_parallel_for_each(amp_extent1(8), scale, 1.0f, v), AMP_ERROR_BUSY,
                 "scale (kernels.c:3): the view for x is mapped; call amp_array_view_unmap first");
    assert_error(amp_array_view_unmap(v), AMP_ERROR_INVALID_ARGUMENT, "amp_array_view_unmap: the view is not mapped");
    assert_ok(amp_array_view_unmap(s));
    assert_ok(amp_parallel_for_each(amp_extent1(8), scale, 1.0f, v));

    assert_non_null(amp_array_view_map(r, AMP_ACCESS_READ));
    assert_ok(amp_synchronize(r)); /* mapped for reading only */
    assert_ok(amp_array_view_unmap(r));
    assert_error(amp_discard_data(r), AMP_ERROR_READ_ONLY, "amp_discard_data: the view is read-only");

    assert_non_null(amp_array_view_map(s, AMP_ACCESS_READ_WRITE));
    amp_array_view_release(s); /* ends its mapping */
    assert_ok(amp_parallel_for_each(amp_extent1(8), scale, 1.0f, v));
    amp_array_view_release(v);
    amp_array_view_release(r);
}

static void *retain_and_release(void *view)
{
    for (int i = 0; i < 10000; i++)
        amp_array_view_release(amp_array_view_retain(view));
    amp_array_view_release(view);
    return NULL;
}

static void test_references_from_many_threads(void **state)
{
    (void)state;
    int data[1];
    amp_array_view *v = amp_array_view1(1, data);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, retain_and_release, amp_array_view_retain(v)), 0);
    amp_array_view_release(v);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_macros_read_the_pointer, clear),
        cmocka_unit_test_setup(test_bad_views, clear),
        cmocka_unit_test_setup(test_null_is_harmless, clear),
        cmocka_unit_test_setup(test_sections, clear),
        cmocka_unit_test_setup(test_dense_sections, clear),
        cmocka_unit_test_setup(test_mapping, clear),
        cmocka_unit_test_setup(test_references_from_many_threads, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
