/* SPDX-License-Identifier: MIT
 * Views on the host: creating them, sections, mapping, references. */
#include "kernels.h"

#include <limits.h>

static int clear(void **state)
{
    (void)state;
    amp_error_clear();
    return 0;
}

/* row: array_view.pointer, array_view.extent */
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
    assert_error(amp_error_status(), AMP_ERROR_NULL,
                 "amp_array_view_create: the data is NULL; amp_array_view_create_without_source makes a view without");
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
    assert_string_equal(amp_error_text(), "amp_array_view_extent: the view is NULL");
}

/* row: array_view.section */
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

/* row: array_view.section_forms */
static void test_section_forms(void **state)
{
    (void)state;
    static int data[4][5][6];
    amp_array_view *v = amp_array_view3(4, 5, 6, &data[0][0][0]);
    amp_array_view *from = amp_array_view_section_from(v, amp_index3(1, 2, 3));
    assert_true(amp_extent_equal(amp_array_view_extent(from), amp_extent3(3, 3, 3)));
    assert_ptr_equal(amp_array_view_map(from, AMP_ACCESS_READ), &data[1][2][3]);
    amp_array_view_release(from);
    amp_array_view *to = amp_array_view_section_to(v, amp_extent3(2, 5, 1));
    assert_true(amp_extent_equal(amp_array_view_extent(to), amp_extent3(2, 5, 1)));
    assert_ptr_equal(amp_array_view_map(to, AMP_ACCESS_READ), &data[0][0][0]);
    amp_array_view_release(to);
    amp_array_view *s = amp_array_view_section3(v, 1, 1, 1, 2, 3, 4);
    assert_ptr_equal(amp_array_view_map(s, AMP_ACCESS_READ), &data[1][1][1]);
    amp_array_view_release(s);
    amp_array_view *plane = amp_array_view_project(v, 3), *line = amp_array_view_project(plane, 4);
    amp_array_view *part = amp_array_view_section1(line, 2, 3);
    assert_ptr_equal(amp_array_view_map(part, AMP_ACCESS_READ), &data[3][4][2]);
    amp_array_view_release(part);
    amp_array_view_release(line);
    amp_array_view_release(plane);

    for (int i = -1; i <= 4; i += 5) {
        assert_null(amp_array_view_section_from(v, amp_index3(i, 0, 0)));
        assert_int_equal(amp_error_status(), AMP_ERROR_OUT_OF_RANGE);
        amp_error_clear();
    }
    assert_null(amp_array_view_section_from(v, amp_index3(INT_MIN, 0, 0)));
    assert_error(amp_error_status(), AMP_ERROR_OUT_OF_RANGE,
                 "amp_array_view_section_from: in dimension 0 the section has 1 elements from -2147483648 on, but the "
                 "view (4x5x6) has 0 to 3");
    assert_null(amp_array_view_section_from(v, amp_index2(0, 0)));
    assert_error(amp_error_status(), AMP_ERROR_RANK,
                 "amp_array_view_section_from: the view has rank 3, but the origin has 2 and the extent 3");
    assert_null(amp_array_view_section_to(v, amp_extent3(4, 6, 6)));
    assert_error(amp_error_status(), AMP_ERROR_OUT_OF_RANGE,
                 "amp_array_view_section_to: in dimension 1 the section has 6 elements from 0 on, but the view (4x5x6) "
                 "has 0 to 4");
    assert_null(amp_array_view_section_to(v, amp_extent1(1)));
    assert_int_equal(amp_error_status(), AMP_ERROR_RANK);
    amp_error_clear();
    assert_null(amp_array_view_section_from(NULL, amp_index1(0)));
    assert_null(amp_array_view_section_to(NULL, amp_extent1(1)));
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_array_view_section_from: the view is NULL");
    amp_array_view_release(v);
}

/* row: array_view.project */
static void test_projections(void **state)
{
    (void)state;
    static int data[4][5][6];
    amp_array_view *v = amp_array_view3(4, 5, 6, &data[0][0][0]);
    amp_array_view *box = amp_array_view_section3(v, 1, 1, 1, 3, 3, 4);
    amp_array_view *plane = amp_array_view_project(box, 2);
    assert_true(amp_extent_equal(amp_array_view_extent(plane), amp_extent2(3, 4)));
    assert_int_equal(amp_array_view_stride(plane, 0), 6);
    assert_int_equal(amp_array_view_stride(plane, 1), 1);
    assert_false(plane->is_dense);
    assert_ptr_equal(amp_array_view_map(plane, AMP_ACCESS_READ), &data[3][1][1]);
    assert_ok(amp_array_view_unmap(plane));
    amp_array_view *line = amp_array_view_project(plane, 1);
    assert_true(line->is_dense && amp_array_view_extent(line).rank == 1);
    assert_ptr_equal(amp_array_view_map(line, AMP_ACCESS_READ), &data[3][2][1]);
    assert_ok(amp_array_view_unmap(line));
    assert_null(amp_array_view_project(line, 0));
    assert_error(amp_error_status(), AMP_ERROR_RANK,
                 "amp_array_view_project: the view has rank 1; a projection takes one dimension away and must leave "
                 "one");
    assert_null(amp_array_view_project(box, 3));
    assert_error(amp_error_status(), AMP_ERROR_OUT_OF_RANGE,
                 "amp_array_view_project: the index is 3, but the view (3x3x4) has 0 to 2 in dimension 0");
    assert_null(amp_array_view_project(box, -1));
    assert_null(amp_array_view_project(NULL, 0));
    assert_int_equal(amp_error_status(), AMP_ERROR_OUT_OF_RANGE);
    amp_array_view *views[] = {line, plane, box, v};
    for (int i = 0; i < 4; i++)
        amp_array_view_release(views[i]);
}

/* row: array_view.reinterpret_as */
static void test_other_elements_and_shapes(void **state)
{
    (void)state;
    _Alignas(8) static int data[24];
    for (int i = 0; i < 24; i++)
        data[i] = i;
    amp_array_view *v = amp_array_view1(24, data), *m = amp_array_view2(4, 6, data);
    amp_array_view *doubles = amp_array_view_reinterpret_as(v, double);
    assert_true(amp_extent_equal(amp_array_view_extent(doubles), amp_extent1(12)));
    assert_int_equal(amp_array_view_type(doubles), AMP_TYPE_F64);
    assert_ptr_equal(amp_array_view_map(doubles, AMP_ACCESS_READ), data);
    amp_array_view_release(doubles);
    amp_array_view *odd = amp_array_view_section1(v, 1, 7);
    amp_array_view *shorts = amp_array_view_reinterpret_as(odd, unsigned short);
    assert_int_equal(amp_array_view_extent(shorts).dim[0], 14);
    assert_ptr_equal(amp_array_view_map(shorts, AMP_ACCESS_READ), data + 1);
    amp_array_view_release(shorts);
    assert_null(amp_array_view_reinterpret_as(odd, double));
    assert_error(amp_error_status(), AMP_ERROR_SHAPE,
                 "amp_array_view_reinterpret: the view has 28 bytes, which are not up to 2147483647 elements of 8 "
                 "bytes");
    amp_array_view *even = amp_array_view_section1(v, 1, 6);
    assert_null(amp_array_view_reinterpret_as(even, double));
    assert_error(
        amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
        "amp_array_view_reinterpret: the view begins at a multiple of 4 bytes, but elements of type double are "
        "aligned to 8");
    struct two {
        int i[2];
    };
    amp_array_view *structs = amp_array_view_reinterpret_as(even, struct two);
    assert_int_equal(amp_array_view_extent(structs).dim[0], 3);
    amp_array_view_release(structs);
    assert_null(amp_array_view_reinterpret(v, AMP_TYPE_F32, 8));
    assert_error(amp_error_status(), AMP_ERROR_TYPE,
                 "amp_array_view_reinterpret: the element type is float, which cannot have 8 bytes");
    assert_null(amp_array_view_reinterpret_as(m, double));
    assert_error(amp_error_status(), AMP_ERROR_RANK,
                 "amp_array_view_reinterpret: the view has rank 2; only views of rank 1 are contiguous for certain");
    assert_null(amp_array_view_reinterpret_as(NULL, double));
    assert_int_equal(amp_error_status(), AMP_ERROR_NULL);
    amp_error_clear();

    amp_array_view *box = amp_array_view_reshape(odd, amp_extent2(2, 3));
    assert_true(amp_extent_equal(amp_array_view_extent(box), amp_extent2(2, 3)));
    assert_int_equal(amp_array_view_stride(box, 0), 3);
    assert_ptr_equal(amp_array_view_map(box, AMP_ACCESS_READ), data + 1);
    amp_array_view_release(box);
    assert_null(amp_array_view_reshape(odd, amp_extent2(2, 4)));
    assert_error(amp_error_status(), AMP_ERROR_SHAPE,
                 "amp_array_view_reshape: the extent 2x4 has more elements than the view (7)");
    assert_null(amp_array_view_reshape(odd, amp_extent2(0, 4)));
    assert_error(amp_error_status(), AMP_ERROR_SHAPE,
                 "amp_array_view_reshape: the extent is 0x4; every component must be positive");
    assert_null(amp_array_view_reshape(odd, (amp_extent){0}));
    assert_int_equal(amp_error_status(), AMP_ERROR_RANK);
    amp_error_clear();
    assert_null(amp_array_view_reshape(m, amp_extent1(24)));
    assert_error(amp_error_status(), AMP_ERROR_RANK,
                 "amp_array_view_reshape: the view has rank 2; only views of rank 1 are contiguous for certain");
    assert_null(amp_array_view_reshape(NULL, amp_extent1(24)));
    assert_int_equal(amp_error_status(), AMP_ERROR_NULL);
    amp_array_view *views[] = {even, odd, v, m};
    for (int i = 0; i < 4; i++)
        amp_array_view_release(views[i]);
}

/* row: array_view.copy */
static void test_read_only_views(void **state)
{
    (void)state;
    int data[4] = {1, 2, 3, 4};
    amp_array_view *v = amp_array_view1(4, data), *r = amp_array_view_read_only(v);
    assert_true(amp_array_view_is_read_only(r));
    assert_false(amp_array_view_is_read_only(v));
    amp_array_view *s = amp_array_view_section1(r, 1, 2);
    assert_true(amp_array_view_is_read_only(s));
    assert_null(amp_array_view_map(r, AMP_ACCESS_READ_WRITE));
    assert_error(amp_error_status(), AMP_ERROR_READ_ONLY,
                 "amp_array_view_map: the view is read-only; AMP_ACCESS_READ is all that it allows");
    assert_error(amp_synchronize_for(r, AMP_ACCESS_WRITE), AMP_ERROR_READ_ONLY,
                 "amp_synchronize_for: the view is read-only; AMP_ACCESS_READ is all that it allows");
    assert_null(amp_array_view_read_only(NULL));
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_array_view_read_only: the view is NULL");
    amp_array_view_release(s);
    amp_array_view_release(r);
    amp_array_view_release(v);
}

/* row: array_view.source_accelerator_view */
static void test_where_the_home_lies(void **state)
{
    (void)state;
    int data[4];
    amp_array_view *v = amp_array_view1(4, data), *none = amp_array_view_without_source1(int, 4);
    amp_accelerator_view *on_cpu = amp_accelerator_default_view(amp_accelerator_find("cpu"));
    assert_ptr_equal(amp_array_view_source_accelerator_view(v), on_cpu);
    assert_null(amp_array_view_source_accelerator_view(none));
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_array_view_source_accelerator_view: the view has no data source");
    assert_null(amp_array_view_source_accelerator_view(NULL));
    assert_int_equal(amp_error_status(), AMP_ERROR_NULL);
    amp_array_view_release(v);
    amp_array_view_release(none);
}

/* row: array_view.no_source */
static void test_views_without_source(void **state)
{
    (void)state;
    amp_array_view *v = amp_array_view_without_source2(float, 3, 4);
    assert_true(amp_extent_equal(amp_array_view_extent(v), amp_extent2(3, 4)));
    assert_int_equal(amp_array_view_type(v), AMP_TYPE_F32);
    assert_false(amp_array_view_is_read_only(v));
    float *p = amp_array_view_map(v, AMP_ACCESS_WRITE);
    for (int i = 0; i < 12; i++)
        p[i] = (float)i;
    assert_ok(amp_array_view_unmap(v));
    assert_ok(amp_synchronize(v)); /* nothing to do */
    assert_ok(amp_synchronize_for(v, AMP_ACCESS_READ_WRITE));
    assert_ok(amp_refresh(v));
    p = amp_array_view_map(v, AMP_ACCESS_READ);
    assert_true(p[11] == 11);
    amp_array_view_release(v);
    v = amp_array_view_without_source3(struct pair, 1, 2, 3);
    assert_int_equal(amp_array_view_element_size(v), sizeof(struct pair));
    amp_array_view_release(v);
    assert_null(amp_array_view_without_source1(int, 0));
    assert_error(amp_error_status(), AMP_ERROR_SHAPE,
                 "amp_array_view_create_without_source: the extent is 0; every component must be positive");
    assert_null(amp_array_view_create_without_source(amp_extent1(1), AMP_TYPE_I32, 8));
    assert_int_equal(amp_error_status(), AMP_ERROR_TYPE);
}

/* Compares overlap and equality of boxes with their elements, one by one: sections, projections, other shapes of a
 * home. */
static void test_overlap(void **state)
{
    (void)state;
    enum { N = 60, N_VIEWS = 40 };
    static int data[N];
    amp_array_view *all = amp_array_view1(N, data), *views[N_VIEWS];
    unsigned random = 1;
#define RANDOM(n) (int)((random = random * 1664525 + 1013904223) >> 16) % (n)
    static const int shapes[][3] = {{3, 4, 5}, {2, 5, 6}, {4, 3, 4}, {1, 6, 10}, {5, 4, 3}};
    for (int i = 0; i < N_VIEWS; i++) {
        const int *shape = shapes[RANDOM(5)];
        amp_array_view *v = amp_array_view_reshape(all, amp_extent_n(3, shape));
        amp_index origin = {.rank = 3};
        amp_extent extent = {.rank = 3};
        for (int d = 0; d < 3; d++) {
            origin.dim[d] = RANDOM(shape[d]);
            extent.dim[d] = 1 + RANDOM(shape[d] - origin.dim[d]);
        }
        views[i] = amp_array_view_section(v, origin, extent);
        if (RANDOM(2)) {
            amp_array_view *row = amp_array_view_project(views[i], RANDOM(extent.dim[0]));
            amp_array_view_release(views[i]);
            views[i] = row;
        }
        amp_array_view_release(v);
    }
    int n_overlaps = 0, n_strided = 0;
    for (int i = 0; i < N_VIEWS; i++) {
        int mark[N] = {0}, count = 0, dense[N];
        for (int k = 0; k < N; k++)
            data[k] = k;
        amp__dense_pack(views[i], (char *)data + views[i]->offset_bytes, dense);
        int n = (int)amp_extent_size(views[i]->extent);
        for (int k = 0; k < n; k++)
            mark[dense[k]] = 1;
        for (int k = 0; k < N; k++)
            count += mark[k];
        assert_int_equal(count, n);
        n_strided += !views[i]->is_dense;
        assert_int_equal(amp__view_span(views[i]), (size_t)(dense[n - 1] - dense[0] + 1) * sizeof(int));
        for (int j = 0; j < N_VIEWS; j++) {
            int other[N], m = (int)amp_extent_size(views[j]->extent), common = 0;
            amp__dense_pack(views[j], (char *)data + views[j]->offset_bytes, other);
            for (int k = 0; k < m; k++)
                common += mark[other[k]];
            assert_int_equal(amp__views_overlap(views[i], views[j]), common > 0);
            bool same = n == m && !memcmp(other, dense, (size_t)n * sizeof(int)) &&
                        amp_extent_equal(views[i]->extent, views[j]->extent);
            assert_int_equal(amp__views_equal(views[i], views[j]), same);
            n_overlaps += common > 0;
        }
    }
    assert_true(n_overlaps > N_VIEWS && n_overlaps < N_VIEWS * N_VIEWS && n_strided > 5);
    for (int i = 0; i < N_VIEWS; i++)
        amp_array_view_release(views[i]);
    amp_array_view_release(all);
}

/* row: array_view.data, array_view.element, array_view.get_ref, b11 */
static void test_mapping(void **state)
{
    (void)state;
    float data[8] = {0};
    const float *constant = data;
    amp_array_view *v = amp_array_view1(8, data), *r = amp_array_view1(8, constant);
    amp_array_view *s = amp_array_view_section(v, amp_index1(4), amp_extent1(4));
    assert_null(amp_array_view_map(r, AMP_ACCESS_WRITE));
    assert_error(amp_error_status(), AMP_ERROR_READ_ONLY,
                 "amp_array_view_map: the view is read-only; AMP_ACCESS_READ is all that it allows");
    assert_null(amp_array_view_map(v, AMP_ACCESS_AUTO));
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_array_view_map: the access is 4; it must be AMP_ACCESS_READ, _WRITE or _READ_WRITE");
    assert_error(amp_array_view_unmap(v), AMP_ERROR_INVALID_ARGUMENT, "amp_array_view_unmap: the view is not mapped");

    assert_ptr_equal(amp_array_view_map(s, AMP_ACCESS_WRITE), data + 4);
    /* The mapping is of the home, so its other views are busy, too. */
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
        cmocka_unit_test_setup(test_section_forms, clear),
        cmocka_unit_test_setup(test_projections, clear),
        cmocka_unit_test_setup(test_other_elements_and_shapes, clear),
        cmocka_unit_test_setup(test_read_only_views, clear),
        cmocka_unit_test_setup(test_where_the_home_lies, clear),
        cmocka_unit_test_setup(test_views_without_source, clear),
        cmocka_unit_test_setup(test_overlap, clear),
        cmocka_unit_test_setup(test_mapping, clear),
        cmocka_unit_test_setup(test_references_from_many_threads, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
