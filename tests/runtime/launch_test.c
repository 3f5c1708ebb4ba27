/* SPDX-License-Identifier: MIT
 * What a launch checks before anything runs, with the exact texts, and what a valid launch computes. */
#include "kernels.h"

#include <limits.h>

static float a_data[24], b_data[30], c_data[24];
static const float *const const_a = a_data;

static int clear(void **state)
{
    (void)state;
    amp_error_clear();
    return 0;
}

static amp_status run_mxm(amp_array_view *a, amp_array_view *b, amp_array_view *c)
{
    amp_status status = amp_parallel_for_each(amp_array_view_extent(c), mxm, a, b, c);
    amp_array_view_release(a);
    amp_array_view_release(b);
    amp_array_view_release(c);
    return status;
}

/* row: launch.extent, launch.view */
static void test_product(void **state)
{
    (void)state;
    float a[2][3] = {{1, 2, 3}, {4, 5, 6}}, b[3][2] = {{1, 0}, {0, 1}, {1, 1}}, c[2][2];
    assert_ok(
        run_mxm(amp_array_view2(2, 3, &a[0][0]), amp_array_view2(3, 2, &b[0][0]), amp_array_view2(2, 2, &c[0][0])));
    assert_memory_equal(c, ((float[2][2]){{4, 5}, {10, 11}}), sizeof c);
}

static void test_bounds_disagree(void **state)
{
    (void)state;
    assert_error(run_mxm(amp_array_view2(2, 4, a_data), amp_array_view2(5, 6, b_data), amp_array_view2(2, 6, c_data)),
                 AMP_ERROR_SHAPE, "mxm (kernels.c:12): W is 4 in a (2x4), but 5 in b (5x6)");
    assert_error(run_mxm(amp_array_view2(2, 4, a_data), amp_array_view2(4, 6, b_data), amp_array_view2(3, 6, c_data)),
                 AMP_ERROR_SHAPE, "mxm (kernels.c:12): M is 2 in a (2x4), but 3 in c (3x6)");
}

static void test_other_bounds(void **state)
{
    (void)state;
    double in[40000] = {3, 6, 9, 12}, out[40000];
    int8_t three[4] = {0};
    amp_array_view *t = amp_array_view1(3, three), *four = amp_array_view1(4, three);
    amp_array_view *i4 = amp_array_view1(4, in), *o2 = amp_array_view1(2, out);
    amp_array_view *i_long = amp_array_view1(40000, in), *o_long = amp_array_view1(39998, out);
    assert_ok(amp_parallel_for_each(amp_extent1(2), blur, i4, o2, t));
    assert_true(out[0] == 6 && out[1] == 9);
    assert_error(amp_parallel_for_each(amp_extent1(2), blur, o2, o2, t), AMP_ERROR_SHAPE,
                 "blur (kernels.c:30): dimension 0 of in must be N + 2 = 4, but is 2 in the view (2)");
    assert_error(amp_parallel_for_each(amp_extent1(2), blur, i4, o2, four), AMP_ERROR_SHAPE,
                 "blur (kernels.c:30): dimension 0 of three must be 3, but is 4 in the view (4)");
    assert_error(amp_parallel_for_each(amp_extent1(2), blur, i_long, o_long, t), AMP_ERROR_SHAPE,
                 "blur (kernels.c:30): N is 39998 in out (39998), which short cannot hold");
    amp_array_view *views[] = {t, four, i4, o2, i_long, o_long};
    for (int i = 0; i < 6; i++)
        amp_array_view_release(views[i]);
}

static void test_count(void **state)
{
    (void)state;
    amp_array_view *x = amp_array_view1(24, c_data);
    assert_error(amp_parallel_for_each(amp_extent1(24), scale, x), AMP_ERROR_INVALID_ARGUMENT,
                 "scale (kernels.c:3): 2 arguments after the index are expected, but 1 is passed; bounds of arrays "
                 "are not passed");
    assert_error(amp_parallel_for_each(amp_extent1(24), scale, 24, 2.0f, x), AMP_ERROR_INVALID_ARGUMENT,
                 "scale (kernels.c:3): 2 arguments after the index are expected, but 3 are passed; bounds of arrays "
                 "are not passed");
    assert_int_equal(amp_parallel_for_each(amp_extent1(24), scale), AMP_ERROR_INVALID_ARGUMENT);
    assert_int_equal(amp_launch(NULL, amp_extent1(24), scale, -1, NULL), AMP_ERROR_INVALID_ARGUMENT);
    amp_error_clear();
    assert_error(amp_launch(NULL, amp_extent1(24), scale, 2, NULL), AMP_ERROR_NULL,
                 "scale (kernels.c:3): the arguments are NULL");
    amp_arg args[2] = {{AMP_TYPE_F32, 4, NULL}, {AMP_TYPE_VIEW, sizeof x, &x}};
    assert_error(amp_launch(NULL, amp_extent1(24), scale, 2, args), AMP_ERROR_NULL,
                 "scale (kernels.c:3): the argument for factor is NULL");
    amp_array_view_release(x);
}

static void test_kinds(void **state)
{
    (void)state;
    amp_array_view *x = amp_array_view1(24, c_data), *none = NULL;
    struct pair pair = {1, 2};
    assert_error(amp_parallel_for_each(amp_extent1(24), scale, x, x), AMP_ERROR_TYPE,
                 "scale (kernels.c:3): factor must be a number for float, but is an amp_array_view *");
    assert_error(amp_parallel_for_each(amp_extent1(24), scale, pair, x), AMP_ERROR_TYPE,
                 "scale (kernels.c:3): factor must be a number for float, but is a struct of 16 bytes");
    assert_error(amp_parallel_for_each(amp_extent1(24), scale, c_data, x), AMP_ERROR_TYPE,
                 "scale (kernels.c:3): factor must be a number for float, but is a value of type pointer");
    assert_error(amp_parallel_for_each(amp_extent1(24), scale, 1.0f, 2), AMP_ERROR_TYPE,
                 "scale (kernels.c:3): x must be an amp_array_view * or amp_array *, but is a value of type int");
    assert_error(amp_parallel_for_each(amp_extent1(24), scale, 1.0f, c_data), AMP_ERROR_TYPE,
                 "scale (kernels.c:3): x must be an amp_array_view * or amp_array *, but is another pointer; make a "
                 "view of the memory with amp_array_view1");
    assert_error(amp_parallel_for_each(amp_extent1(24), scale, 1.0f, none), AMP_ERROR_NULL,
                 "scale (kernels.c:3): the view for x is NULL");
    assert_error(amp_parallel_for_each(amp_extent1(24), scale, 1.0f, NULL), AMP_ERROR_NULL,
                 "scale (kernels.c:3): the view for x is NULL");
    amp_array_view_release(x);
}

static void test_elements(void **state)
{
    (void)state;
    double d[24];
    struct pair pairs[1];
    struct record record;
    amp_array_view *doubles = amp_array_view1(24, d), *square = amp_array_view2(4, 6, c_data);
    amp_array_view *constant = amp_array_view1(24, const_a), *p = amp_array_view1(1, pairs);
    assert_error(amp_parallel_for_each(amp_extent1(24), scale, 1.0f, doubles), AMP_ERROR_TYPE,
                 "scale (kernels.c:3): x has elements of type float, but the view's are of type double");
    assert_error(amp_parallel_for_each(amp_extent1(24), scale, 1.0f, square), AMP_ERROR_RANK,
                 "scale (kernels.c:3): x has rank 1, but the view has rank 2 (4x6)");
    assert_error(amp_parallel_for_each(amp_extent1(24), scale, 1.0f, constant), AMP_ERROR_READ_ONLY,
                 "scale (kernels.c:3): the view for x is read-only, but the kernel may write it; declare the "
                 "parameter's elements const, or make the view of a pointer that is not");
    char text[200];
    snprintf(text, sizeof text,
             "numbers (kernels.c:40): out has elements of type struct record (%zu bytes), but the view's have 16 bytes",
             sizeof record);
    assert_error(amp_parallel_for_each(amp_extent1(1), numbers, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, pairs[0], p),
                 AMP_ERROR_TYPE, text);
    snprintf(text, sizeof text,
             "numbers (kernels.c:40): pair must be a struct pair of 16 bytes, but is a struct of %zu bytes",
             sizeof record);
    assert_error(amp_parallel_for_each(amp_extent1(1), numbers, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, record, p),
                 AMP_ERROR_TYPE, text);
    assert_error(amp_parallel_for_each(amp_extent1(1), numbers, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, p), AMP_ERROR_TYPE,
                 "numbers (kernels.c:40): pair must be a struct pair of 16 bytes, but is a value of type int");
    amp_array_view_release(doubles);
    amp_array_view_release(square);
    amp_array_view_release(constant);
    amp_array_view_release(p);
}

/* row: error.invalid_compute_domain, launch.errors */
static void test_domain(void **state)
{
    (void)state;
    amp_array_view *x = amp_array_view1(24, c_data);
    amp_array_view *a = amp_array_view2(2, 3, const_a), *b = amp_array_view2(3, 6, b_data);
    amp_array_view *c = amp_array_view2(2, 6, c_data);
    assert_error(amp_parallel_for_each(amp_extent2(4, 6), scale, 1.0f, x), AMP_ERROR_RANK,
                 "scale (kernels.c:3): the kernel's index has rank 1, but the extent has rank 2");
    assert_error(amp_parallel_for_each(amp_extent1(0), scale, 1.0f, x), AMP_ERROR_INVALID_COMPUTE_DOMAIN,
                 "scale (kernels.c:3): the extent is 0; every component must be positive");
    assert_error(amp_parallel_for_each(amp_extent2(2, -6), mxm, a, b, c), AMP_ERROR_INVALID_COMPUTE_DOMAIN,
                 "mxm (kernels.c:12): the extent is 2x-6; every component must be positive");
    assert_error(amp_parallel_for_each(amp_extent2(2, 6), mxm_tiled, a, b, c), AMP_ERROR_INVALID_COMPUTE_DOMAIN,
                 "mxm_tiled (kernels.c:20): the extent 2x6 is not a multiple of the tile 2x4; amp_extent_pad makes it "
                 "2x8");
    amp_array_view *views[] = {x, a, b, c};
    for (int i = 0; i < 4; i++)
        amp_array_view_release(views[i]);
    struct amp__kernel cube = scale_kernel;
    cube.address = (amp_kernel)(uintptr_t)a_data;
    cube.rank = 3;
    amp__register_kernels(&cube, 1);
    assert_error(amp_launch(NULL, amp_extent3(INT_MAX, INT_MAX, 3), cube.address, 0, NULL),
                 AMP_ERROR_INVALID_COMPUTE_DOMAIN,
                 "scale (kernels.c:3): the extent is 2147483647x2147483647x3, which is more than 2^63-1 threads");
    amp__unregister_kernels(&cube, 1);
}

/* A kernel of rank 5 without parameters, which counts the points of its boxes and how far their slow dimension goes. */
static struct {
    atomic_llong points, end;
} seen;

static void count_points(const void *args, const int *box)
{
    const struct amp__flat *flat = args;
    long long n = 1, end = flat->first + box[1];
    for (int d = 0; d < 3; d++)
        n *= box[2 * d + 1] - box[2 * d];
    atomic_fetch_add(&seen.points, n);
    for (long long last = atomic_load(&seen.end); end > last;)
        if (atomic_compare_exchange_weak(&seen.end, &last, end))
            break;
}

static void test_slow_dimensions_beyond_int(void **state)
{
    (void)state;
    const struct amp__image images[] = {{"cpu", "baseline", count_points, NULL, NULL, geometry},
                                        {"null", "", count_points, NULL, NULL, geometry},
                                        {.backend = NULL}};
    struct amp__kernel kernel = scale_kernel;
    kernel.address = (amp_kernel)(uintptr_t)a_data;
    kernel.rank = 5;
    kernel.n_params = 0;
    kernel.args_bytes = sizeof(struct amp__flat);
    kernel.args_align = _Alignof(struct amp__flat);
    kernel.images = images;
    amp__register_kernels(&kernel, 1);
    const int dims[] = {1 << 12, (1 << 10) + 1, 1 << 11, 3, 5};
    long long slow = (long long)dims[0] * dims[1] * dims[2];
    for (int i = 0; i < 2; i++) {
        seen.points = seen.end = 0;
        int launches = amp__test_null_counts().launches;
        amp_accelerator_view *on = amp_accelerator_default_view(amp_accelerator_find(i ? "null" : "cpu"));
        assert_int_equal(amp_launch(on, amp_extent_n(5, dims), kernel.address, 0, NULL), AMP_OK);
        assert_int_equal(amp_accelerator_view_wait(on), AMP_OK);
        assert_true(seen.points == slow * 15);
        assert_true(seen.end == slow);
        assert_int_equal(amp__test_null_counts().launches - launches, i ? 9 : 0);
    }
    amp__unregister_kernels(&kernel, 1);
}

static void test_no_code(void **state)
{
    (void)state;
    amp_array_view *x = amp_array_view1(24, c_data);
    static const struct amp__image images[] = {
        {"cpu", "x86-64-v9", scale_run, NULL, 0, geometry}, {"cpu", "pdp11", scale_run, NULL, 0, geometry}, {0}};
    struct amp__kernel other = scale_kernel;
    other.address = (amp_kernel)(uintptr_t)a_data;
    other.images = images;
    amp__register_kernels(&other, 1);
    char text[200];
    snprintf(text, sizeof text,
             "scale (kernels.c:3): it is compiled for x86-64-v9, pdp11, but this machine has %s; compile it with a "
             "lower --amp-cpu",
             amp_accelerator_info(amp_accelerator_find("cpu"))->isa);
    assert_error(amp_parallel_for_each(amp_extent1(24), other.address, 1.0f, x), AMP_ERROR_NO_KERNEL, text);
    amp__unregister_kernels(&other, 1);
    amp_array_view_release(x);
}

/* row: launch.tiled */
static void test_tiles(void **state)
{
    (void)state;
    for (int i = 0; i < 24; i++)
        a_data[i] = b_data[i] = (float)i;
    float expected[4][8];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 8; j++) {
            expected[i][j] = 0;
            for (int k = 0; k < 3; k++)
                expected[i][j] += a_data[i * 3 + k] * b_data[k * 8 + j];
        }
    float c[4][8];
    amp_array_view *a = amp_array_view2(4, 3, a_data), *b = amp_array_view2(3, 8, b_data);
    amp_array_view *result = amp_array_view2(4, 8, &c[0][0]);
    assert_ok(amp_parallel_for_each(amp_extent2(4, 8), mxm_tiled, a, b, result));
    assert_memory_equal(c, expected, sizeof c);
    amp_array_view_release(a);
    amp_array_view_release(b);
    amp_array_view_release(result);
}

static amp_status launch_numbers(struct record *out, amp_arg *args)
{
    amp_array_view *view = amp_array_view1(1, out);
    args[12] = (amp_arg){AMP_TYPE_VIEW, sizeof view, &view};
    amp_status status = amp_launch(NULL, amp_extent1(1), numbers, 13, args);
    amp_array_view_release(view);
    return status;
}

/* Passes a value to one parameter of `numbers`, given by its number; all others are 1. */
#define CONVERT(parameter, x) convert(&out, parameter, (amp_arg){AMP__ARG_TYPE(x), sizeof(x), (__typeof__(x)[1]){x}})

static amp_status convert(struct record *out, int parameter, amp_arg arg)
{
    amp_arg args[13];
    struct pair pair = {7, 8};
    int one = 1;
    for (int i = 0; i < 11; i++)
        args[i] = (amp_arg){AMP_TYPE_I32, sizeof one, &one};
    args[11] = (amp_arg){AMP_TYPE_STRUCT, sizeof pair, &pair};
    args[parameter] = arg;
    return launch_numbers(out, args);
}

static void test_conversions(void **state)
{
    (void)state;
    struct record out;
    enum { B, I8, U8, I16, U16, I32, U32, I64, U64, F32, F64 };
    enum colour { GREEN = 5 } green = GREEN;
    assert_ok(CONVERT(I8, -128));
    assert_int_equal(out.i8, -128);
    assert_int_equal(out.u8, 1);
    assert_true(out.pair.first == 7 && out.pair.second == 8);
    assert_ok(CONVERT(U8, 255LL));
    assert_int_equal(out.u8, 255);
    assert_ok(CONVERT(I16, (char)-3));
    assert_int_equal(out.i16, -3);
    assert_ok(CONVERT(U16, 65535.0));
    assert_int_equal(out.u16, 65535);
    assert_ok(CONVERT(I32, green));
    assert_int_equal(out.i32, 5);
    assert_ok(CONVERT(I32, -2147483648.0f));
    assert_int_equal(out.i32, INT_MIN);
    assert_ok(CONVERT(U32, UINT_MAX));
    assert_int_equal(out.u32, UINT_MAX);
    assert_ok(CONVERT(I64, INT64_MIN));
    assert_true(out.i64 == INT64_MIN);
    assert_ok(CONVERT(U64, UINT64_MAX));
    assert_true(out.u64 == UINT64_MAX);
    assert_ok(CONVERT(U64, 0x1p63));
    assert_true(out.u64 == 1ull << 63);
    assert_ok(CONVERT(F32, 16777217)); /* rounded, as in C */
    assert_true(out.f32 == 16777216.0f);
    assert_ok(CONVERT(F32, 0.1));
    assert_true(out.f32 == 0.1f);
    assert_ok(CONVERT(F32, UINT64_MAX));
    assert_true(out.f32 == 0x1p64f);
    assert_ok(CONVERT(F64, 0.1f));
    assert_true(out.f64 == 0.1f);
    assert_ok(CONVERT(F64, INT64_MIN));
    assert_true(out.f64 == -0x1p63);
    assert_ok(CONVERT(B, 256));
    assert_int_equal(out.b, 1);
    assert_ok(CONVERT(B, 0.0));
    assert_int_equal(out.b, 0);
    assert_ok(CONVERT(B, 0.5f));
    assert_int_equal(out.b, 1);

    assert_error(CONVERT(I8, 128), AMP_ERROR_TYPE, "numbers (kernels.c:40): r.i8 is 128, which int8_t cannot hold");
    assert_error(CONVERT(U8, -1), AMP_ERROR_TYPE, "numbers (kernels.c:40): r.u8 is -1, which uint8_t cannot hold");
    assert_error(CONVERT(I32, 2.5), AMP_ERROR_TYPE, "numbers (kernels.c:40): r.i32 is 2.5, which int cannot hold");
    assert_error(CONVERT(I32, NAN), AMP_ERROR_TYPE, "numbers (kernels.c:40): r.i32 is nan, which int cannot hold");
    assert_int_equal(CONVERT(I32, 2147483648u), AMP_ERROR_TYPE);
    assert_int_equal(CONVERT(U32, 4294967296.0), AMP_ERROR_TYPE);
    assert_int_equal(CONVERT(I64, UINT64_MAX), AMP_ERROR_TYPE);
    assert_int_equal(CONVERT(I64, 0x1p63), AMP_ERROR_TYPE);
    assert_int_equal(CONVERT(U64, -1), AMP_ERROR_TYPE);
    assert_int_equal(CONVERT(U64, 0x1p64), AMP_ERROR_TYPE);
    assert_int_equal(CONVERT(U64, INFINITY), AMP_ERROR_TYPE);
    assert_int_equal(CONVERT(F64, 1.0L), AMP_ERROR_TYPE);
}

/* Two views that were made separately of one memory are two homes, of which a device makes two copies. */
static void test_separate_views(void **state)
{
    (void)state;
    int data[4][8];
    for (int i = 0; i < 32; i++)
        data[i / 8][i % 8] = i;
    amp_array_view *first = amp_array_view2(3, 8, &data[0][0]), *last = amp_array_view2(3, 8, &data[1][0]);
    char expected[512];
    snprintf(
        expected, sizeof expected,
        "add (kernels.c:50): a and b are separate views of the same memory (96 bytes at %p and 96 bytes at %p), and "
        "the kernel may write b: on a device they would be two copies; make one view, and pass it or sections of it",
        (void *)data[0], (void *)data[1]);
    const char *const paths[] = {"cpu", "null"};
    for (int i = 0; i < 2; i++) {
        amp_accelerator_view *on = amp_accelerator_default_view(amp_accelerator_find(paths[i]));
        assert_error(amp_parallel_for_each_on(on, amp_extent2(3, 8), add, first, last, first),
                     AMP_ERROR_INVALID_ARGUMENT, expected);
        assert_null(amp_parallel_for_each_on_async(on, amp_extent2(3, 8), add, first, last, first));
        assert_string_equal(amp_error_text(), expected);
        amp_error_clear();
    }
    for (int i = 0; i < 32; i++)
        assert_int_equal(data[i / 8][i % 8], i);

    /* Sections without a common byte are right, though their homes have some, and rows of one may lie between those of
     * the other. */
    amp_array_view *first_row = amp_array_view_section(first, amp_index2(0, 0), amp_extent2(1, 8));
    amp_array_view *last_row = amp_array_view_section(last, amp_index2(2, 0), amp_extent2(1, 8));
    amp_array_view *left = amp_array_view_section(first, amp_index2(0, 0), amp_extent2(3, 4));
    amp_array_view *right = amp_array_view_section(last, amp_index2(0, 4), amp_extent2(3, 4));
    assert_ok(amp_parallel_for_each(amp_extent2(1, 8), add, first_row, last_row, first_row));
    assert_ok(amp_parallel_for_each(amp_extent2(3, 4), add, left, right, left));
    amp_array_view *low = amp_array_view_section(last, amp_index2(0, 0), amp_extent2(3, 4));
    assert_int_equal(amp_parallel_for_each(amp_extent2(3, 4), add, left, low, low), AMP_ERROR_INVALID_ARGUMENT);
    amp_error_clear();

    amp_array_view *views[] = {first, last, first_row, last_row, left, right, low};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        amp_array_view_release(views[i]);
}

static void test_strided_sections(void **state)
{
    (void)state;
    int data[4][8], expected[4][8];
    for (int i = 0; i < 32; i++)
        data[i / 8][i % 8] = expected[i / 8][i % 8] = i;
    amp_array_view *all = amp_array_view2(4, 8, &data[0][0]);
    amp_array_view *left = amp_array_view_section(all, amp_index2(0, 0), amp_extent2(4, 3));
    amp_array_view *middle = amp_array_view_section(all, amp_index2(0, 2), amp_extent2(4, 3));
    amp_array_view *right = amp_array_view_section(all, amp_index2(0, 5), amp_extent2(4, 3));
    amp_array_view *top = amp_array_view_section(all, amp_index2(0, 0), amp_extent2(2, 8));
    amp_array_view *bottom = amp_array_view_section(all, amp_index2(2, 0), amp_extent2(2, 8));

    /* Sections overlap, and one is written: which elements should the other see? */
    assert_error(amp_parallel_for_each(amp_extent2(4, 3), add, left, middle, right), AMP_ERROR_UNSUPPORTED_FEATURE,
                 "add (kernels.c:50): a and b are sections of one view that overlap, the kernel may write b, and the "
                 "rows of a lie apart; pass sections of whole rows, or the whole view and the position");
    assert_memory_equal(data, expected, sizeof data);
    /* Sections of one home that do not overlap, though they are interleaved in memory. */
    int other[4][3] = {{0}};
    amp_array_view *o = amp_array_view2(4, 3, &other[0][0]);
    assert_ok(amp_parallel_for_each(amp_extent2(4, 3), add, left, right, o));
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++) {
            expected[i][5 + j] += expected[i][j];
            assert_int_equal(other[i][j], expected[i][5 + j]);
        }
    assert_memory_equal(data, expected, sizeof data);

    /* The same section twice is one array: reads see the writes. */
    assert_ok(amp_parallel_for_each(amp_extent2(4, 3), add, left, left, right));
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++) {
            expected[i][j] *= 2;
            expected[i][5 + j] += expected[i][j];
        }
    assert_memory_equal(data, expected, sizeof data);

    /* Overlapping sections that are only read. */
    int total = 0;
    amp_array_view *t = amp_array_view1(1, &total);
    assert_ok(amp_parallel_for_each(amp_extent1(1), sum, middle, t));
    int expected_total = 0;
    for (int i = 0; i < 12; i++)
        expected_total += expected[i / 3][2 + i % 3];
    assert_int_equal(total, expected_total);

    /* Dense sections alias in place. */
    assert_ok(amp_parallel_for_each(amp_extent2(2, 8), add, top, top, bottom));
    for (int i = 0; i < 16; i++) {
        expected[i / 8][i % 8] *= 2;
        expected[2 + i / 8][i % 8] += expected[i / 8][i % 8];
    }
    assert_memory_equal(data, expected, sizeof data);

    amp_array_view *views[] = {all, left, middle, right, top, bottom, o, t};
    for (int i = 0; i < 8; i++)
        amp_array_view_release(views[i]);
}

static void test_strided_section_of_rank_4(void **state)
{
    (void)state;
    int data[3][4][5][6], out = 0;
    for (int i = 0; i < 360; i++)
        (&data[0][0][0][0])[i] = i;
    /* A kernel with data of rank 4: that of `sum`, with its own descriptor. */
    static const struct amp__dim dims[] = {{"2", -1}, {"2", -1}, {"3", -1}, {"4", -1}};
    struct amp__param params[2] = {sum_params[2], sum_params[3]};
    params[0].rank = 4;
    params[0].dims = dims;
    struct amp__kernel kernel = sum_kernel;
    kernel.address = (amp_kernel)(uintptr_t)a_data;
    kernel.n_params = 2;
    kernel.params = params;
    void sum_4_run(const void *p, const int *box);
    void sum_4_bounds(const void *p, long long *bounds);
    struct amp__image images[] = {{"cpu", "baseline", sum_4_run, NULL, 0, geometry}, {0}};
    kernel.images = images;
    kernel.bounds = sum_4_bounds;
    amp__register_kernels(&kernel, 1);
    amp_array_view *all = amp_array_view_n(amp_extent_n(4, (int[]){3, 4, 5, 6}), &data[0][0][0][0]);
    amp_array_view *box =
        amp_array_view_section(all, amp_index_n(4, (int[]){1, 2, 1, 1}), amp_extent_n(4, (int[]){2, 2, 3, 4}));
    amp_array_view *result = amp_array_view1(1, &out);
    amp_status status = amp_parallel_for_each(amp_extent1(1), kernel.address, box, result);
    amp__unregister_kernels(&kernel, 1);
    assert_ok(status);
    int expected = 0;
    for (int i = 1; i < 3; i++)
        for (int j = 2; j < 4; j++)
            for (int k = 1; k < 4; k++)
                for (int l = 1; l < 5; l++)
                    expected += data[i][j][k][l];
    assert_int_equal(out, expected);
    amp_array_view_release(all);
    amp_array_view_release(box);
    amp_array_view_release(result);
}

void sum_4_run(const void *p, const int *box)
{
    (void)box;
    const struct sum_args *s = p;
    *s->out = 0;
    for (int i = 0; i < 2 * 2 * 3 * 4; i++)
        *s->out += s->x[i];
}

void sum_4_bounds(const void *p, long long *bounds)
{
    (void)p;
    memcpy(bounds, (long long[]){2, 2, 3, 4, 1}, 5 * sizeof *bounds);
}

static void test_large_argument_block(void **state)
{
    (void)state;
    struct amp__kernel kernel = scale_kernel;
    kernel.address = (amp_kernel)(uintptr_t)a_data;
    kernel.args_bytes = 5000;
    kernel.args_align = 256;
    amp__register_kernels(&kernel, 1);
    float data[3] = {1, 2, 3};
    amp_array_view *x = amp_array_view1(3, data);
    amp_status status = amp_parallel_for_each(amp_extent1(3), kernel.address, 2.0f, x);
    amp__unregister_kernels(&kernel, 1);
    assert_ok(status);
    assert_true(data[2] == 6);
    amp_array_view_release(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_product, clear),
        cmocka_unit_test_setup(test_bounds_disagree, clear),
        cmocka_unit_test_setup(test_other_bounds, clear),
        cmocka_unit_test_setup(test_count, clear),
        cmocka_unit_test_setup(test_kinds, clear),
        cmocka_unit_test_setup(test_elements, clear),
        cmocka_unit_test_setup(test_domain, clear),
        cmocka_unit_test_setup(test_slow_dimensions_beyond_int, clear),
        cmocka_unit_test_setup(test_no_code, clear),
        cmocka_unit_test_setup(test_tiles, clear),
        cmocka_unit_test_setup(test_conversions, clear),
        cmocka_unit_test_setup(test_separate_views, clear),
        cmocka_unit_test_setup(test_strided_sections, clear),
        cmocka_unit_test_setup(test_strided_section_of_rank_4, clear),
        cmocka_unit_test_setup(test_large_argument_block, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
