/* SPDX-License-Identifier: MIT
 *
 * Kernels for the runtime's tests, with handwritten descriptors like those that ampcc writes. Each runs on `cpu`, and
 * on `null`, which thus has its effect. */
#pragma once

#include "runtime/backend.h"
#include "runtime/testing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SCALAR(args, field, c_type, amp)                                                                               \
    {                                                                                                                  \
        .name = #field, .type_name = #c_type, .kind = 0, .type = amp, .size_bytes = sizeof(c_type),                    \
        .offset = offsetof(struct args, field), .align = _Alignof(c_type)                                              \
    }
#define BOUND(args, field, c_type, amp)                                                                                \
    {                                                                                                                  \
        .name = #field, .type_name = #c_type, .kind = 3, .type = amp, .size_bytes = sizeof(c_type),                    \
        .offset = offsetof(struct args, field), .align = _Alignof(c_type)                                              \
    }
#define ARRAY(args, field, c_type, amp, is_const, ...)                                                                 \
    {                                                                                                                  \
        .name = #field, .type_name = #c_type, .kind = 2, .type = amp, .read_only = is_const,                           \
        .rank = sizeof((struct amp__dim[]){__VA_ARGS__}) / sizeof(struct amp__dim), .size_bytes = sizeof(c_type),      \
        .offset = offsetof(struct args, field), .align = _Alignof(c_type), .dims = (const struct amp__dim[])           \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define KERNEL(id, place, index_rank, tile_shape, ...)                                                                 \
    static void id(void)                                                                                               \
    {                                                                                                                  \
        abort(); /* only its address matters; the body keeps the linker from merging it */                             \
        printf(#id);                                                                                                   \
    }                                                                                                                  \
    static const struct amp__param id##_params[] = {__VA_ARGS__};                                                      \
    static const struct amp__image id##_images[] = {{"cpu", "baseline", id##_run, NULL, 0, geometry},                  \
                                                    {"null", "", id##_run, NULL, 0, geometry},                         \
                                                    {.backend = NULL}};                                                \
    static struct amp__kernel id##_kernel = {.abi = AMP__ABI,                                                          \
                                             .address = id,                                                            \
                                             .name = #id,                                                              \
                                             .file = "kernels.c",                                                      \
                                             .line = place,                                                            \
                                             .rank = index_rank,                                                       \
                                             .tile = tile_shape,                                                       \
                                             .n_params = sizeof id##_params / sizeof *id##_params,                     \
                                             .params = id##_params,                                                    \
                                             .args_bytes = sizeof(struct id##_args),                                   \
                                             .args_align = _Alignof(struct id##_args),                                 \
                                             .bounds = id##_bounds,                                                    \
                                             .outside = nothing_outside,                                               \
                                             .images = id##_images}

static int nothing_outside(const void *args, const int *extent, long long *box)
{
    (void)args, (void)extent, (void)box;
    return 0;
}

/* Lanes, rows, vectors, bytes of stack, keeps rows, aborts; no others for processors that scatter fast. */
static const int geometry[AMP__GEOMETRY] = {4, 2, 2};

/* void scale(amp_index1 idx, int N, float factor, float x[N]) */
struct scale_args {
    int N;
    float factor;
    float *x;
};
static void scale_run(const void *p, const int *box)
{
    const struct scale_args *a = p;
    for (int i = box[4]; i < box[5]; i++)
        a->x[i] *= a->factor;
}
static void scale_bounds(const void *p, long long *bounds)
{
    bounds[0] = ((const struct scale_args *)p)->N;
}
KERNEL(scale, 3, 1, NULL, BOUND(scale_args, N, int, AMP_TYPE_I32), SCALAR(scale_args, factor, float, AMP_TYPE_F32),
       ARRAY(scale_args, x, float, AMP_TYPE_F32, 0, {"N", 0}));

/* void mxm(amp_index2 idx, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N]) */
struct mxm_args {
    int M, N, W;
    const float *a, *b;
    float *c;
};
static void mxm_run(const void *p, const int *box)
{
    const struct mxm_args *s = p;
    for (int i = box[2]; i < box[3]; i++)
        for (int j = box[4]; j < box[5]; j++) {
            float sum = 0;
            for (int k = 0; k < s->W; k++)
                sum += s->a[i * s->W + k] * s->b[k * s->N + j];
            s->c[i * s->N + j] = sum;
        }
}
static void mxm_bounds(const void *p, long long *bounds)
{
    const struct mxm_args *s = p;
    memcpy(bounds, (long long[]){s->M, s->W, s->W, s->N, s->M, s->N}, 6 * sizeof *bounds);
}
#define MXM_PARAMS                                                                                                     \
    BOUND(mxm_args, M, int, AMP_TYPE_I32), BOUND(mxm_args, N, int, AMP_TYPE_I32),                                      \
        BOUND(mxm_args, W, int, AMP_TYPE_I32), ARRAY(mxm_args, a, float, AMP_TYPE_F32, 1, {"M", 0}, {"W", 2}),         \
        ARRAY(mxm_args, b, float, AMP_TYPE_F32, 1, {"W", 2}, {"N", 1}),                                                \
        ARRAY(mxm_args, c, float, AMP_TYPE_F32, 0, {"M", 0}, {"N", 1})
KERNEL(mxm, 12, 2, NULL, MXM_PARAMS);

/* void mxm_tiled(amp_tiled_index2(2, 4) t, ...): the box counts tiles. */
#define mxm_tiled_args   mxm_args
#define mxm_tiled_bounds mxm_bounds
static void mxm_tiled_run(const void *p, const int *box)
{
    mxm_run(p, (int[]){0, 1, 2 * box[2], 2 * box[3], 4 * box[4], 4 * box[5]});
}
static const int tile_2x4[] = {2, 4};
KERNEL(mxm_tiled, 20, 2, tile_2x4, MXM_PARAMS);

/* void blur(amp_index1 idx, int N, const double in[N + 2], double out[N], int8_t three[3]) */
struct blur_args {
    short N;
    const double *in;
    double *out;
    int8_t *three;
};
static void blur_run(const void *p, const int *box)
{
    const struct blur_args *a = p;
    for (int i = box[4]; i < box[5]; i++)
        a->out[i] = (a->in[i] + a->in[i + 1] + a->in[i + 2]) / 3;
}
static void blur_bounds(const void *p, long long *bounds)
{
    const struct blur_args *a = p;
    memcpy(bounds, (long long[]){a->N + 2, a->N, 3}, 3 * sizeof *bounds);
}
KERNEL(blur, 30, 1, NULL, BOUND(blur_args, N, short, AMP_TYPE_I16),
       ARRAY(blur_args, in, double, AMP_TYPE_F64, 1, {"N + 2", -1}),
       ARRAY(blur_args, out, double, AMP_TYPE_F64, 0, {"N", 0}),
       ARRAY(blur_args, three, int8_t, AMP_TYPE_I8, 0, {"3", -1}));

/* void numbers(amp_index1 idx, _Bool b, int8_t i8, ..., double f64, struct pair pair, struct record out[1]) */
struct pair {
    int first;
    double second;
};
struct record {
    _Bool b;
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int i32;
    unsigned u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
    struct pair pair;
};
struct numbers_args {
    struct record r;
    struct record *out;
};
static void numbers_run(const void *p, const int *box)
{
    (void)box;
    const struct numbers_args *a = p;
    *a->out = a->r;
}
static void numbers_bounds(const void *p, long long *bounds)
{
    (void)p;
    bounds[0] = 1;
}
KERNEL(numbers, 40, 1, NULL, SCALAR(numbers_args, r.b, _Bool, AMP_TYPE_BOOL),
       SCALAR(numbers_args, r.i8, int8_t, AMP_TYPE_I8), SCALAR(numbers_args, r.u8, uint8_t, AMP_TYPE_U8),
       SCALAR(numbers_args, r.i16, int16_t, AMP_TYPE_I16), SCALAR(numbers_args, r.u16, uint16_t, AMP_TYPE_U16),
       SCALAR(numbers_args, r.i32, int, AMP_TYPE_I32), SCALAR(numbers_args, r.u32, unsigned, AMP_TYPE_U32),
       SCALAR(numbers_args, r.i64, int64_t, AMP_TYPE_I64), SCALAR(numbers_args, r.u64, uint64_t, AMP_TYPE_U64),
       SCALAR(numbers_args, r.f32, float, AMP_TYPE_F32), SCALAR(numbers_args, r.f64, double, AMP_TYPE_F64),
       {.name = "pair",
        .type_name = "struct pair",
        .kind = 1,
        .type = AMP_TYPE_STRUCT,
        .size_bytes = sizeof(struct pair),
        .offset = offsetof(struct numbers_args, r.pair),
        .align = _Alignof(struct pair)},
       ARRAY(numbers_args, out, struct record, AMP_TYPE_STRUCT, 0, {"1", -1}));

/* void add(amp_index2 idx, int M, int N, const int a[M][N], int b[M][N], int c[M][N]): b += a, c += b */
struct add_args {
    int M, N;
    const int *a;
    int *b, *c;
};
static void add_run(const void *p, const int *box)
{
    const struct add_args *s = p;
    for (int i = box[2] * s->N; i < box[3] * s->N; i++)
        if (i % s->N >= box[4] && i % s->N < box[5]) {
            s->b[i] += s->a[i];
            s->c[i] += s->b[i];
        }
}
static void add_bounds(const void *p, long long *bounds)
{
    const struct add_args *s = p;
    memcpy(bounds, (long long[]){s->M, s->N, s->M, s->N, s->M, s->N}, 6 * sizeof *bounds);
}
KERNEL(add, 50, 2, NULL, BOUND(add_args, M, int, AMP_TYPE_I32), BOUND(add_args, N, int, AMP_TYPE_I32),
       ARRAY(add_args, a, int, AMP_TYPE_I32, 1, {"M", 0}, {"N", 1}),
       ARRAY(add_args, b, int, AMP_TYPE_I32, 0, {"M", 0}, {"N", 1}),
       ARRAY(add_args, c, int, AMP_TYPE_I32, 0, {"M", 0}, {"N", 1}));

/* void fill(amp_index1 idx, int M, int N, int value, int x[M][N]): one thread per row */
struct fill_args {
    int M, N, value;
    int *x;
};
static void fill_run(const void *p, const int *box)
{
    const struct fill_args *s = p;
    for (int i = box[4] * s->N; i < box[5] * s->N; i++)
        s->x[i] = s->value;
}
static void fill_bounds(const void *p, long long *bounds)
{
    const struct fill_args *s = p;
    bounds[0] = s->M;
    bounds[1] = s->N;
}
KERNEL(fill, 60, 1, NULL, BOUND(fill_args, M, int, AMP_TYPE_I32), BOUND(fill_args, N, int, AMP_TYPE_I32),
       SCALAR(fill_args, value, int, AMP_TYPE_I32), ARRAY(fill_args, x, int, AMP_TYPE_I32, 0, {"M", 0}, {"N", 1}));

/* void sum(amp_index1 idx, int M, int N, const int x[M][N], int out[1]) */
struct sum_args {
    int M, N;
    const int *x;
    int *out;
};
static void sum_run(const void *p, const int *box)
{
    (void)box;
    const struct sum_args *s = p;
    *s->out = 0;
    for (int i = 0; i < s->M * s->N; i++)
        *s->out += s->x[i];
}
static void sum_bounds(const void *p, long long *bounds)
{
    const struct sum_args *s = p;
    memcpy(bounds, (long long[]){s->M, s->N, 1}, 3 * sizeof *bounds);
}
KERNEL(sum, 70, 1, NULL, BOUND(sum_args, M, int, AMP_TYPE_I32), BOUND(sum_args, N, int, AMP_TYPE_I32),
       ARRAY(sum_args, x, int, AMP_TYPE_I32, 1, {"M", 0}, {"N", 1}),
       ARRAY(sum_args, out, int, AMP_TYPE_I32, 0, {"1", -1}));

/* void write_both(amp_index1 idx, int x[1][3], int y[2][3]): 100 into x[0][0], 200 into all of y */
struct write_both_args {
    int *x, *y;
};
static void write_both_run(const void *p, const int *box)
{
    (void)box;
    const struct write_both_args *s = p;
    s->x[0] = 100;
    for (int i = 0; i < 6; i++)
        s->y[i] = 200;
}
static void write_both_bounds(const void *p, long long *bounds)
{
    (void)p;
    memcpy(bounds, (long long[]){1, 3, 2, 3}, 4 * sizeof *bounds);
}
KERNEL(write_both, 80, 1, NULL, ARRAY(write_both_args, x, int, AMP_TYPE_I32, 0, {"1", -1}, {"3", -1}),
       ARRAY(write_both_args, y, int, AMP_TYPE_I32, 0, {"2", -1}, {"3", -1}));

static struct amp__kernel *const all_kernels[] = {&scale_kernel, &mxm_kernel,     &mxm_tiled_kernel,
                                                  &blur_kernel,  &numbers_kernel, &add_kernel,
                                                  &fill_kernel,  &sum_kernel,     &write_both_kernel};

__attribute__((constructor)) static void register_all(void)
{
    for (size_t i = 0; i < sizeof all_kernels / sizeof *all_kernels; i++)
        amp__register_kernels(all_kernels[i], 1);
}

/* Fails unless `status` was returned and is the thread's error, with exactly this text; clears the error. */
#define assert_error(returned, status, text)                                                                           \
    do {                                                                                                               \
        assert_string_equal(amp_status_name(returned), #status);                                                       \
        assert_string_equal(amp_error_text(), text);                                                                   \
        assert_string_equal(amp_status_name(amp_error_status()), #status);                                             \
        amp_error_clear();                                                                                             \
    } while (0)
#define assert_ok(returned)                                                                                            \
    do {                                                                                                               \
        amp_status status_ = (returned);                                                                               \
        if (status_ != AMP_OK)                                                                                         \
            print_error("%s: %s\n", amp_status_name(status_), amp_error_text());                                       \
        assert_int_equal(status_, AMP_OK);                                                                             \
    } while (0)

/* Launches a box of a domain that does not begin at 0, as only backends can, and checks what it changed. */
__attribute__((unused)) static void try_box_with_an_origin(amp_accelerator_view *on)
{
    enum { ROWS = 2 * 32 + 9, COLUMNS = 3 * 64 + 12, TOP = 3, LEFT = 5, BOTTOM = ROWS - 1, RIGHT = COLUMNS - 2 };
    static int sums[ROWS * COLUMNS], ones[ROWS * COLUMNS];
    memset(sums, 0, sizeof sums);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        ones[i] = 1;
    amp_array_view *to = amp_array_view2(ROWS, COLUMNS, sums), *from = amp_array_view2(ROWS, COLUMNS, ones);
    const amp_accelerator *a = on->accelerator;
    assert_ok(amp__home_read(from->home, on, NULL));
    assert_ok(amp__home_read(to->home, on, NULL));
    int *b = amp__home_address(to->home, a, 0);
    struct add_args args = {ROWS, COLUMNS, amp__home_address(from->home, a, 0), b, b};
    struct amp__launch launch = {
        .kernel = &add_kernel, .args = &args, .box = {0, 1, TOP, BOTTOM, LEFT, RIGHT}, .n_threads_per_point = 1};
    assert_ok(a->backend->launch(a->device, on->queue, &launch));
    assert_ok(amp__home_own(to->home, a->location, NULL));
    assert_ok(amp_synchronize(to));
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        int r = i / COLUMNS, c = i % COLUMNS;
        assert_int_equal(sums[i], r >= TOP && r < BOTTOM && c >= LEFT && c < RIGHT ? 2 : 0);
    }
    amp_array_view_release(to);
    amp_array_view_release(from);
}
