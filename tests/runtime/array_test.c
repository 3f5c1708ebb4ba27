/* SPDX-License-Identifier: MIT
 * Arrays on cpu and on null: creating them, what the host may do, views of them, kernels that use them. */
#include "kernels.h"

#include <limits.h>

static amp_accelerator_view *on_null, *on_cpu;
static int data[4][8];

static int setup(void **state)
{
    (void)state;
    on_null = amp_accelerator_default_view(amp_accelerator_find("null"));
    on_cpu = amp_accelerator_default_view(amp_accelerator_find("cpu"));
    for (int i = 0; i < 32; i++)
        data[i / 8][i % 8] = i;
    amp_error_clear();
    amp__test_null_reset();
    return 0;
}

/* Copies in, out and across since the last call. */
static void assert_copies(int in, int out, int across)
{
    struct amp__null_counts n = amp__test_null_counts();
    assert_int_equal(n.copies_in, in);
    assert_int_equal(n.copies_out, out);
    assert_int_equal(n.copies_across, across);
    amp__test_null_reset();
}

static void assert_extent(amp_extent extent, amp_extent expected)
{
    assert_true(amp_extent_equal(extent, expected));
}

/* row: array.extent, array.queries */
static void test_shapes_and_types(void **state)
{
    (void)state;
    amp_array *a = amp_array1(float, 7);
    assert_extent(amp_array_extent(a), amp_extent1(7));
    assert_int_equal(amp_array_type(a), AMP_TYPE_F32);
    assert_int_equal(amp_array_element_size(a), 4);
    assert_ptr_equal(amp_array_accelerator_view(a), on_cpu);
    assert_ptr_equal(amp_array_associated_accelerator_view(a), on_cpu);
    assert_int_equal(amp_array_cpu_access_type(a), AMP_ACCESS_READ_WRITE);
    amp_array_release(a);
    a = amp_array2(unsigned char, 3, 5);
    assert_extent(amp_array_extent(a), amp_extent2(3, 5));
    assert_int_equal(amp_array_type(a), AMP_TYPE_U8);
    amp_array_release(a);
    a = amp_array3(struct pair, 2, 3, 4);
    assert_extent(amp_array_extent(a), amp_extent3(2, 3, 4));
    assert_int_equal(amp_array_type(a), AMP_TYPE_STRUCT);
    assert_int_equal(amp_array_element_size(a), sizeof(struct pair));
    amp_array_release(a);
    struct large {
        char bytes[1000];
    };
    a = amp_array_n(struct large, amp_extent_n(8, (int[]){1, 1, 1, 1, 1, 1, 1, 3}));
    assert_int_equal(amp_array_extent(a).rank, 8);
    assert_int_equal(amp_array_element_size(a), 1000);
    amp_array_release(a);
}

/* row: array.on_view, access_type, error.unsupported_feature */
static void test_places_and_access(void **state)
{
    (void)state;
    amp_array *a = amp_array_on(int, amp_extent2(4, 8), on_null, AMP_ACCESS_AUTO);
    assert_ptr_equal(amp_array_accelerator_view(a), on_null);
    assert_int_equal(amp_array_cpu_access_type(a), AMP_ACCESS_NONE);
    struct amp__null_counts n = amp__test_null_counts();
    assert_true(n.allocations == 1 && n.copies_in == 0);
    amp_array_release(a);
    assert_int_equal(amp__test_null_counts().frees, 1);
    a = amp_array_on(int, amp_extent1(4), on_null, AMP_ACCESS_NONE);
    assert_non_null(a);
    amp_array_release(a);
    for (int access = AMP_ACCESS_READ; access <= AMP_ACCESS_READ_WRITE; access++) {
        assert_null(amp_array_on(int, amp_extent1(4), on_null, (amp_access_type)access));
        assert_error(amp_error_status(), AMP_ERROR_UNSUPPORTED_FEATURE,
                     "amp_array_create: null does not share memory with the host; create the array with "
                     "AMP_ACCESS_NONE or AMP_ACCESS_AUTO, and reach its elements by amp_copy or a view of it");
        a = amp_array_on(int, amp_extent1(4), on_cpu, (amp_access_type)access);
        assert_int_equal(amp_array_cpu_access_type(a), access);
        amp_array_release(a);
    }
    assert_null(amp_array_on(int, amp_extent1(4), on_cpu, (amp_access_type)9));
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_array_create: the cpu access is 9, which is no amp_access_type");
}

static void test_bad_arrays(void **state)
{
    (void)state;
    assert_null(amp_array2(int, 4, 0));
    assert_error(amp_error_status(), AMP_ERROR_SHAPE,
                 "amp_array_create: the extent is 4x0; every component must be positive");
    assert_null(amp_array1(int, -1));
    assert_int_equal(amp_error_status(), AMP_ERROR_SHAPE);
    amp_error_clear();
    assert_null(amp_array_n(int, (amp_extent){0}));
    assert_error(amp_error_status(), AMP_ERROR_RANK,
                 "amp_array_create: the rank of the extent is 0; it must be 1 to 8");
    assert_null(amp_array3(int, INT_MAX, INT_MAX, 2));
    assert_error(amp_error_status(), AMP_ERROR_SHAPE,
                 "amp_array_create: 2147483647x2147483647x2 elements of 4 bytes are more than memory can hold");
    assert_null(amp_array_create(amp_extent1(4), AMP_TYPE_F32, 8, NULL, NULL, AMP_ACCESS_AUTO));
    assert_error(amp_error_status(), AMP_ERROR_TYPE,
                 "amp_array_create: the element type is float, which cannot have 8 bytes");
    assert_null(amp_array_create(amp_extent1(4), AMP_TYPE_ARRAY, 8, NULL, NULL, AMP_ACCESS_AUTO));
    amp_error_clear();
}

/* Compares the elements of an array, read through a view. */
static void assert_elements(amp_array *a, const int *expected, int n)
{
    int found[64] = {0};
    assert_ok(amp_copy_to(a, found, n));
    assert_memory_equal(found, expected, (size_t)n * sizeof *expected);
}

/* row: array.from_data */
static void test_from_data(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        amp_accelerator_view *on = i ? on_null : on_cpu;
        amp_array *a = amp_array_from_on(amp_extent2(4, 8), &data[0][0], on, AMP_ACCESS_AUTO);
        data[0][0] = -1; /* the copy does not change */
        assert_copies(i, 0, 0);
        data[0][0] = 0;
        assert_elements(a, &data[0][0], 32);
        assert_copies(0, i, 0);
        amp_array_release(a);
    }
    const double constant[6] = {1, 2, 3, 4, 5, 6};
    amp_array *arrays[] = {amp_array_from1(6, constant), amp_array_from2(2, 3, constant),
                           amp_array_from3(1, 2, 3, constant)};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(amp_array_type(arrays[i]), AMP_TYPE_F64);
        const double *p = amp_array_map(arrays[i], AMP_ACCESS_READ);
        assert_true(p[5] == 6);
        assert_ok(amp_array_unmap(arrays[i]));
        amp_array_release(arrays[i]);
    }
}

/* row: array.from_view */
static void test_from_view(void **state)
{
    (void)state;
    amp_array_view *all = amp_array_view2(4, 8, &data[0][0]);
    amp_array_view *left = amp_array_view_section2(all, 1, 2, 2, 3);
    amp_array *on_device = amp_array_from_view(left, on_null, AMP_ACCESS_AUTO);
    assert_copies(1, 0, 0); /* packed */
    amp_array *on_host = amp_array_from_view(left, on_cpu, AMP_ACCESS_AUTO);
    assert_copies(0, 0, 0);
    const int expected[] = {10, 11, 12, 18, 19, 20};
    assert_extent(amp_array_extent(on_device), amp_extent2(2, 3));
    assert_elements(on_device, expected, 6);
    assert_elements(on_host, expected, 6);
    assert_non_null(amp_array_view_map(all, AMP_ACCESS_WRITE));
    assert_null(amp_array_from_view(left, on_cpu, AMP_ACCESS_AUTO));
    assert_error(amp_error_status(), AMP_ERROR_BUSY,
                 "amp_array_from_view: the view, or another one of its home, is mapped");
    assert_ok(amp_array_view_unmap(all));
    assert_null(amp_array_from_view(NULL, on_cpu, AMP_ACCESS_AUTO));
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_array_from_view: the view is NULL");
    amp_array_release(on_device);
    amp_array_release(on_host);
    amp_array_view_release(left);
    amp_array_view_release(all);
}

/* row: array.staging, b4 */
static void test_staging(void **state)
{
    (void)state;
    amp_array *s = amp_array_staging(int, amp_extent2(4, 8), on_cpu, on_null);
    assert_ptr_equal(amp_array_accelerator_view(s), on_cpu);
    assert_ptr_equal(amp_array_associated_accelerator_view(s), on_null);
    assert_int_equal(amp_array_cpu_access_type(s), AMP_ACCESS_READ_WRITE);
    int *p = amp_array_map(s, AMP_ACCESS_WRITE);
    for (int i = 0; i < 32; i++)
        p[i] = 2 * i;
    assert_ok(amp_array_unmap(s));
    /* To the device and back, one copy each. */
    amp_array *a = amp_array_on(int, amp_extent2(4, 8), on_null, AMP_ACCESS_AUTO);
    assert_ok(amp_copy(a, s));
    assert_copies(1, 0, 0);
    assert_ok(amp_parallel_for_each(amp_extent1(4), fill, 7, a)); /* runs where the array is */
    assert_ok(amp_copy(s, a));
    assert_copies(0, 1, 0);
    p = amp_array_map(s, AMP_ACCESS_READ);
    assert_int_equal(p[31], 7);
    /* While it is mapped, no copy may use it. */
    assert_error(amp_copy(s, a), AMP_ERROR_BUSY, "amp_copy: the array, or another one of its home, is mapped");
    assert_ok(amp_array_unmap(s));
    /* It lives on cpu, and that is where kernels may use it. */
    assert_ok(amp_parallel_for_each_on(on_cpu, amp_extent1(4), fill, 3, s));
    assert_error(amp_parallel_for_each_on(on_null, amp_extent1(4), fill, 3, s), AMP_ERROR_INVALID_ARGUMENT,
                 "fill (kernels.c:60): the array for x lives on cpu, but the launch is on null; pass a view of it "
                 "(amp_array_as_view), which may go anywhere, or launch on the array's accelerator_view");
    amp_array *clone = amp_array_clone(s);
    assert_ptr_equal(amp_array_associated_accelerator_view(clone), on_null);
    amp_array_release(clone);
    amp_array_release(s);
    amp_array_release(a);

    s = amp_array_staging_from(amp_extent1(32), &data[0][0], NULL, on_null);
    assert_elements(s, &data[0][0], 32);
    assert_ptr_equal(amp_array_accelerator_view(s), on_cpu);
    amp_array_release(s);
    amp_array_view *v = amp_array_view1(32, &data[0][0]);
    s = amp_array_staging_from_view(v, NULL, NULL);
    assert_elements(s, &data[0][0], 32);
    assert_ptr_equal(amp_array_associated_accelerator_view(s), on_cpu);
    amp_array_release(s);
    amp_array_view_release(v);
    assert_null(amp_array_staging(int, amp_extent1(4), on_null, on_cpu));
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_array_create_staging: a staging array lives in host memory, but null has memory of its own; pass "
                 "cpu's accelerator_view, or NULL");
    assert_null(amp_array_staging_from_view(NULL, NULL, NULL));
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_array_staging_from_view: the view is NULL");
}

/* row: array.copy, b1 */
static void test_clone(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        amp_accelerator_view *on = i ? on_null : on_cpu;
        amp_array *a = amp_array_from_on(amp_extent2(4, 8), &data[0][0], on, AMP_ACCESS_AUTO);
        amp__test_null_reset();
        amp_array *b = amp_array_clone(a);
        assert_copies(0, 0, i);
        assert_ptr_equal(amp_array_accelerator_view(b), on);
        assert_ok(amp_parallel_for_each(amp_extent1(4), fill, 9, b));
        assert_elements(a, &data[0][0], 32);
        amp_array_release(a);
        int found[32];
        assert_ok(amp_copy(&found[0], b));
        assert_int_equal(found[31], 9);
        amp_array_release(b);
        amp__test_null_reset();
    }
    assert_null(amp_array_clone(NULL));
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_array_clone: the array is NULL");
}

/* row: array.move, b6 */
static void test_storage_outlives_the_array(void **state)
{
    (void)state;
    amp_array *a = amp_array_from_on(amp_extent2(4, 8), &data[0][0], on_null, AMP_ACCESS_AUTO);
    assert_ptr_equal(amp_array_retain(a), a);
    amp_array_release(a);
    assert_elements(a, &data[0][0], 32);
    amp_array_view *v = amp_array_as_view(a);
    amp_array_release(a);
    assert_int_equal(amp__test_null_counts().frees, 0);
    const int *p = amp_array_view_map(v, AMP_ACCESS_READ);
    assert_int_equal(p[31], 31);
    assert_ok(amp_array_view_unmap(v));
    amp__test_null_reset();
    amp_array_view_release(v);
    struct amp__null_counts n = amp__test_null_counts();
    assert_true(n.frees == 1 && n.copies_out == 0 && n.copies_in == 0);
    assert_null(amp_array_retain(NULL));
    amp_array_release(NULL);
}

/* row: array.data, array.element, b2, b20 */
static void test_map(void **state)
{
    (void)state;
    amp_array *a = amp_array_on(int, amp_extent1(4), on_cpu, AMP_ACCESS_NONE); /* the host can always access it */
    int *p = amp_array_map(a, AMP_ACCESS_READ_WRITE);
    memcpy(p, (int[]){1, 2, 3, 4}, 16);
    assert_null(amp_array_map(a, AMP_ACCESS_READ));
    assert_error(amp_error_status(), AMP_ERROR_BUSY, "amp_array_map: the array, or another one of its home, is mapped");
    assert_error(amp_parallel_for_each(amp_extent1(4), fill, 1, a), AMP_ERROR_RANK,
                 "fill (kernels.c:60): x has rank 2, but the array has rank 1 (4)");
    amp_array_view *v = amp_array_reshape(a, amp_extent2(1, 4));
    assert_error(amp_parallel_for_each(amp_extent1(1), fill, 1, v), AMP_ERROR_BUSY,
                 "fill (kernels.c:60): the view for x is mapped; call amp_array_view_unmap first");
    assert_ok(amp_array_unmap(a));
    assert_error(amp_array_unmap(a), AMP_ERROR_INVALID_ARGUMENT, "amp_array_unmap: the array is not mapped");
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent1(1), fill, 5, v));
    const int *q = amp_array_map(a, AMP_ACCESS_READ); /* sees what was written elsewhere */
    assert_ptr_equal(q, p);
    assert_int_equal(q[3], 5);
    assert_null(amp_array_map(a, (amp_access_type)7));
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_array_map: the access is 7; it must be AMP_ACCESS_READ, _WRITE or _READ_WRITE");
    amp_array_release(a); /* ends the mapping */
    assert_ok(amp_parallel_for_each(amp_extent1(1), fill, 6, v));
    amp_array_view_release(v);

    a = amp_array_on(int, amp_extent1(4), on_null, AMP_ACCESS_AUTO);
    assert_null(amp_array_map(a, AMP_ACCESS_READ));
    assert_error(amp_error_status(), AMP_ERROR_UNSUPPORTED_FEATURE,
                 "amp_array_map: the array lives on null, where the host cannot reach it; use amp_copy, or map a view "
                 "of it (amp_array_as_view)");
    /* Makes it an array of a device that shares memory with the host. */
    a->cpu_access = AMP_ACCESS_READ;
    assert_null(amp_array_map(a, AMP_ACCESS_READ_WRITE));
    assert_error(amp_error_status(), AMP_ERROR_READ_ONLY,
                 "amp_array_map: the array was created for the host to read only");
    a->cpu_access = AMP_ACCESS_WRITE;
    assert_null(amp_array_map(a, AMP_ACCESS_READ));
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_array_map: the array was created for the host to write only");
    p = amp_array_map(a, AMP_ACCESS_WRITE);
    memcpy(p, (int[]){1, 2, 3, 4}, 16);
    assert_ok(amp_array_unmap(a));
    amp_array_view *seen = amp_array_reshape(a, amp_extent2(2, 2));
    int out = 0;
    amp_array_view *result = amp_array_view1(1, &out);
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent1(1), sum, seen, result));
    assert_ok(amp_synchronize(result));
    assert_int_equal(out, 10);
    amp_array_view_release(result);
    amp_array_view_release(seen);
    amp_array_release(a);
}

/* row: b3, launch.target */
static void test_kernels_use_arrays_in_place(void **state)
{
    (void)state;
    amp_array *a = amp_array_from_on(amp_extent2(4, 8), &data[0][0], on_null, AMP_ACCESS_AUTO);
    amp_array *b = amp_array_clone(a), *c = amp_array_from2(4, 8, &data[0][0]);
    amp__test_null_reset();
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent2(4, 8), add, a, b, b));
    assert_ok(amp_parallel_for_each(amp_extent2(4, 8), add, a, b, b)); /* where they live */
    assert_int_equal(amp__test_null_counts().launches, 2);
    assert_copies(0, 0, 0);
    assert_error(amp_parallel_for_each(amp_extent2(4, 8), add, a, b, c), AMP_ERROR_INVALID_ARGUMENT,
                 "add (kernels.c:50): the array for c lives on cpu, but that for a on null; pass a view of it "
                 "(amp_array_as_view), which may go anywhere");
    assert_error(amp_parallel_for_each_on(on_cpu, amp_extent2(4, 8), add, a, b, c), AMP_ERROR_INVALID_ARGUMENT,
                 "add (kernels.c:50): the array for a lives on null, but the launch is on cpu; pass a view of it "
                 "(amp_array_as_view), which may go anywhere, or launch on the array's accelerator_view");
    amp_accelerator_view *other = amp_accelerator_create_view(amp_accelerator_find("null"), AMP_QUEUING_MODE_AUTOMATIC);
    assert_error(amp_parallel_for_each_on(other, amp_extent2(4, 8), add, a, b, b), AMP_ERROR_INVALID_ARGUMENT,
                 "add (kernels.c:50): the array for a lives on another accelerator_view of null, but the launch is on "
                 "null; pass a view of it (amp_array_as_view), which may go anywhere, or launch on the array's "
                 "accelerator_view");
    /* A view of it may be used anywhere, and the array sees what was done there. */
    amp_array_view *v = amp_array_as_view(a);
    assert_ok(amp_parallel_for_each_on(other, amp_extent1(4), fill, 1, v));
    assert_copies(0, 0, 0); /* the same memory */
    assert_ok(amp_parallel_for_each_on(on_cpu, amp_extent1(4), fill, 2, v));
    assert_copies(0, 1, 0);
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent2(4, 8), add, a, a, a)); /* 2 + 2, and that doubled */
    assert_copies(1, 0, 0);
    int found[32];
    assert_ok(amp_copy(&found[0], a));
    assert_int_equal(found[31], 8);
    /* Wrong elements, and a handle of something else. */
    assert_error(amp_parallel_for_each(amp_extent1(32), scale, 1.0f, a), AMP_ERROR_TYPE,
                 "scale (kernels.c:3): x has elements of type float, but the array's are of type int");
    assert_error(amp_parallel_for_each(amp_extent1(4), fill, 1, (amp_array *)NULL), AMP_ERROR_NULL,
                 "fill (kernels.c:60): the array for x is NULL");
    assert_error(amp_parallel_for_each(amp_extent1(4), fill, 1, (amp_array *)(void *)v), AMP_ERROR_INVALID_ARGUMENT,
                 "fill (kernels.c:60): the array for x is a handle of something else");
    assert_error(amp_parallel_for_each(amp_extent1(4), fill, 1, (amp_array_view *)(void *)a),
                 AMP_ERROR_INVALID_ARGUMENT, "fill (kernels.c:60): the view for x is a handle of something else");
    amp_array_view_release(v);
    amp_accelerator_view_release(other);
    amp_array_release(a);
    amp_array_release(b);
    amp_array_release(c);
}

/* row: array_view.of_array, array_view.source_accelerator_view, b5 */
static void test_views_of_arrays(void **state)
{
    (void)state;
    amp_array *a = amp_array_from_on(amp_extent2(4, 8), &data[0][0], on_null, AMP_ACCESS_AUTO);
    amp_array_view *v = amp_array_as_view(a), *r = amp_array_as_const_view(a);
    assert_extent(amp_array_view_extent(v), amp_extent2(4, 8));
    assert_false(amp_array_view_is_read_only(v));
    assert_true(amp_array_view_is_read_only(r));
    assert_ptr_equal(amp_array_view_source_accelerator_view(v), on_null);
    amp__test_null_reset();
    /* The home is the array, which synchronising brings up to date. */
    int *p = amp_array_view_map(v, AMP_ACCESS_WRITE);
    p[31] = -5;
    assert_ok(amp_array_view_unmap(v));
    assert_copies(0, 1, 0);
    assert_ok(amp_synchronize(v));
    assert_copies(1, 0, 0);
    assert_ok(amp_synchronize(r));
    assert_copies(0, 0, 0);
    int found[32];
    assert_ok(amp_copy_to(a, found, 32));
    assert_int_equal(found[31], -5);
    assert_error(amp_parallel_for_each(amp_extent1(4), fill, 1, r), AMP_ERROR_READ_ONLY,
                 "fill (kernels.c:60): the view for x is read-only, but the kernel may write it; declare the "
                 "parameter's elements const, or make the view of a pointer that is not");
    const amp_array *constant = a;
    assert_error(amp_parallel_for_each(amp_extent1(4), fill, 1, constant), AMP_ERROR_READ_ONLY,
                 "fill (kernels.c:60): the array for x is const, but the kernel may write it; declare the parameter's "
                 "elements const, or pass an amp_array *");
    amp_array *total = amp_array_on(int, amp_extent1(1), amp_array_accelerator_view(a), AMP_ACCESS_AUTO);
    assert_ok(amp_parallel_for_each(amp_extent1(1), sum, constant, total));
    amp_array_release(total);
    amp_array_view_release(r);
    amp_array_view_release(v);
    amp_array_release(a);
    assert_null(amp_array_as_view(NULL));
    assert_null(amp_array_as_const_view(NULL));
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_array_as_view: the array is NULL");
}

/* row: array.section, array.project, array.reinterpret_as, array.view_as */
static void test_parts_of_arrays(void **state)
{
    (void)state;
    amp_array *a = amp_array_from2(4, 8, &data[0][0]);
    amp_array_view *s = amp_array_section(a, amp_index2(1, 2), amp_extent2(2, 3));
    const int *p = amp_array_view_map(s, AMP_ACCESS_READ);
    assert_true(p[0] == 10 && p[8] == 18 && amp_array_view_stride(s, 0) == 8);
    assert_ok(amp_array_view_unmap(s));
    amp_array_view_release(s);
    assert_null(amp_array_section(a, amp_index2(1, 2), amp_extent2(4, 3)));
    assert_error(amp_error_status(), AMP_ERROR_OUT_OF_RANGE,
                 "amp_array_section: in dimension 0 the section has 4 elements from 1 on, but the array (4x8) has 0 to "
                 "3");
    assert_null(amp_array_section(a, amp_index1(1), amp_extent1(4)));
    assert_error(amp_error_status(), AMP_ERROR_RANK,
                 "amp_array_section: the array has rank 2, but the origin has 1 and the extent 1");

    amp_array_view *row = amp_array_project(a, 3);
    assert_extent(amp_array_view_extent(row), amp_extent1(8));
    p = amp_array_view_map(row, AMP_ACCESS_READ);
    assert_int_equal(p[7], 31);
    assert_ok(amp_array_view_unmap(row));
    amp_array_view_release(row);
    for (int i = -1; i <= 4; i += 5)
        assert_null(amp_array_project(a, i));
    assert_error(amp_error_status(), AMP_ERROR_OUT_OF_RANGE,
                 "amp_array_project: the index is -1, but the array (4x8) has 0 to 3 in dimension 0");

    amp_array_view *bytes = amp_array_reinterpret_as(a, unsigned char);
    assert_extent(amp_array_view_extent(bytes), amp_extent1(128));
    assert_int_equal(amp_array_view_type(bytes), AMP_TYPE_U8);
    amp_array_view_release(bytes);
    struct three {
        int i[3];
    };
    assert_null(amp_array_reinterpret_as(a, struct three));
    assert_error(amp_error_status(), AMP_ERROR_SHAPE,
                 "amp_array_reinterpret: the array has 128 bytes, which are not up to 2147483647 elements of 12 bytes");

    amp_array_view *flat = amp_array_reshape(a, amp_extent1(30)); /* fewer is allowed */
    assert_extent(amp_array_view_extent(flat), amp_extent1(30));
    amp_array_view_release(flat);
    assert_null(amp_array_reshape(a, amp_extent3(3, 3, 4)));
    assert_error(amp_error_status(), AMP_ERROR_SHAPE,
                 "amp_array_reshape: the extent 3x3x4 has more elements than the array (4x8)");
    amp_array *line = amp_array1(int, 3);
    assert_null(amp_array_project(line, 0));
    assert_error(amp_error_status(), AMP_ERROR_RANK,
                 "amp_array_project: the array has rank 1; a projection takes one dimension away and must leave one");
    amp_array_release(line);
    amp_array_release(a);
    assert_null(amp_array_section(NULL, amp_index1(0), amp_extent1(1)));
    assert_null(amp_array_project(NULL, 0));
    assert_null(amp_array_reinterpret_as(NULL, int));
    assert_null(amp_array_reshape(NULL, amp_extent1(1)));
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_array_section: the array is NULL");
}

/* row: direct3d.interop */
static void test_wrapped_memory(void **state)
{
    (void)state;
    /* On cpu: the caller's memory is used in place and stays the caller's. */
    amp_array *a = amp_array_wrap_on(amp_extent2(4, 8), &data[0][0], on_cpu);
    assert_ptr_equal(amp_array_native_handle(a), data);
    assert_ok(amp_parallel_for_each(amp_extent1(4), fill, 3, a));
    assert_int_equal(data[3][7], 3);
    amp_array_release(a);
    assert_int_equal(data[3][7], 3);
    /* On a device: the device's memory, here that of another array, has at the end what was written elsewhere. */
    amp_array *owner = amp_array_on(int, amp_extent2(4, 8), on_null, AMP_ACCESS_AUTO);
    int *device_memory = amp_array_native_handle(owner);
    assert_non_null(device_memory);
    amp__test_null_reset();
    a = amp_array_wrap_on(amp_extent2(4, 8), device_memory, on_null);
    assert_int_equal(amp__test_null_counts().allocations, 0);
    amp_array_view *v = amp_array_as_view(a);
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent1(4), fill, 5, v));
    assert_int_equal(device_memory[31], 5); /* null's memory is the host's */
    assert_ok(amp_parallel_for_each_on(on_cpu, amp_extent1(4), fill, 6, v));
    assert_int_equal(device_memory[31], 5);
    assert_ptr_equal(amp_array_native_handle(a), device_memory); /* makes it current */
    assert_int_equal(device_memory[31], 6);
    assert_copies(1, 1, 0);
    device_memory[31] = 7; /* written by a foreign library */
    assert_ok(amp_refresh(v));
    const int *p = amp_array_view_map(v, AMP_ACCESS_READ);
    assert_int_equal(p[31], 7);
    assert_null(amp_array_native_handle(NULL));
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_array_native_handle: the array is NULL");
    assert_null(amp_array_native_handle(a));
    assert_error(amp_error_status(), AMP_ERROR_BUSY,
                 "amp_array_native_handle: the array, or another one of its home, is mapped");
    assert_ok(amp_array_view_unmap(v));
    assert_ok(amp_parallel_for_each_on(on_cpu, amp_extent1(4), fill, 8, v));
    amp__test_null_reset();
    amp_array_release(a);
    amp_array_view_release(v);
    struct amp__null_counts n = amp__test_null_counts();
    assert_true(n.copies_in == 1 && n.frees == 0 && device_memory[31] == 8);
    amp_array_release(owner);
    int *none = NULL;
    assert_null(amp_array_wrap_on(amp_extent1(4), none, on_cpu));
    assert_error(amp_error_status(), AMP_ERROR_NULL,
                 "amp_array_wrap: the memory is NULL; amp_array_create makes an array with memory of its own");
}

/* row: direct3d.interop */
static void test_native_handles(void **state)
{
    (void)state;
    amp_accelerator *null = amp_accelerator_find("null"), *cpu = amp_accelerator_find("cpu");
    amp_accelerator_view *other = amp_accelerator_create_view(null, AMP_QUEUING_MODE_AUTOMATIC);
    assert_non_null(amp_accelerator_native_handle(null));
    assert_non_null(amp_accelerator_view_native_handle(other));
    assert_true(amp_accelerator_view_native_handle(other) != amp_accelerator_view_native_handle(on_null));
    assert_null(amp_accelerator_native_handle(cpu));
    assert_null(amp_accelerator_view_native_handle(on_cpu));
    assert_null(amp_accelerator_view_native_handle(amp_accelerator_auto_selection_view()));
    assert_int_equal(amp_error_status(), AMP_OK);
    assert_null(amp_accelerator_native_handle(NULL));
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_accelerator_native_handle: the accelerator is NULL");
    assert_null(amp_accelerator_view_native_handle(NULL));
    assert_error(amp_error_status(), AMP_ERROR_NULL,
                 "amp_accelerator_view_native_handle: the accelerator_view is NULL");
    amp_accelerator_view_release(other);
}

/* Nothing is done, and the first cause is kept. */
static void test_null_is_harmless(void **state)
{
    (void)state;
    assert_int_equal(amp_array_extent(NULL).rank, 0);
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_array_extent: the array is NULL");
    assert_int_equal(amp_array_type(NULL), AMP_TYPE_NONE);
    assert_int_equal(amp_array_element_size(NULL), 0);
    assert_int_equal(amp_array_cpu_access_type(NULL), AMP_ACCESS_NONE);
    assert_null(amp_array_accelerator_view(NULL));
    assert_null(amp_array_associated_accelerator_view(NULL));
    assert_null(amp_array_map(NULL, AMP_ACCESS_READ));
    assert_int_equal(amp_array_unmap(NULL), AMP_ERROR_NULL);
    assert_string_equal(amp_error_text(), "amp_array_type: the array is NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_shapes_and_types, setup),
        cmocka_unit_test_setup(test_places_and_access, setup),
        cmocka_unit_test_setup(test_bad_arrays, setup),
        cmocka_unit_test_setup(test_from_data, setup),
        cmocka_unit_test_setup(test_from_view, setup),
        cmocka_unit_test_setup(test_staging, setup),
        cmocka_unit_test_setup(test_clone, setup),
        cmocka_unit_test_setup(test_storage_outlives_the_array, setup),
        cmocka_unit_test_setup(test_map, setup),
        cmocka_unit_test_setup(test_kernels_use_arrays_in_place, setup),
        cmocka_unit_test_setup(test_views_of_arrays, setup),
        cmocka_unit_test_setup(test_parts_of_arrays, setup),
        cmocka_unit_test_setup(test_wrapped_memory, setup),
        cmocka_unit_test_setup(test_native_handles, setup),
        cmocka_unit_test_setup(test_null_is_harmless, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
