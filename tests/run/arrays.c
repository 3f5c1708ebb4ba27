/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t | FileCheck %s
 * RUN: %ampcc -O0 %s -o %t && %run-alone %t | FileCheck %s
 *
 * Arrays, their views and parts as kernels' arguments: used in place; strided parts, packed and unpacked around the
 * launch; rows and columns; other shapes and element types of the same memory; copies between all of them.
 * row: array.element, array_view.element, launch.captures
 * CHECK: blur: ok
 * CHECK-NEXT: parts: ok
 * CHECK-NEXT: rows: ok
 * CHECK-NEXT: shapes: ok
 * CHECK-NEXT: structs: ok
 * CHECK-NEXT: pipeline: ok
 */
#include "check.h"

enum { M = 37, N = 53 };

static void report(const char *name, bool good)
{
    printf("%s: %s\n", name, good ? "ok" : "WRONG");
}

static float pattern(int i, int j)
{
    return (float)((i * 31 + j * 17) % 101) - 50;
}

static void fill_pattern(float data[M][N])
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            data[i][j] = pattern(i, j);
}

static bool same(const void *a, const void *b, size_t bytes)
{
    return !memcmp(a, b, bytes);
}

/* Means of 3 x 3 inside; the border is copied. */
static void blur(amp_index2 idx, int rows, int columns, const float in[rows][columns], float out[rows][columns])
    restrict(cpu, amp)
{
    int i = idx[0], j = idx[1];
    float sum = 0;
    if (i == 0 || j == 0 || i == rows - 1 || j == columns - 1) {
        out[i][j] = in[i][j];
        return;
    }
    for (int di = -1; di <= 1; di++)
        for (int dj = -1; dj <= 1; dj++)
            sum += in[i + di][j + dj];
    out[i][j] = sum / 9;
}

/* Back and forth between two arrays, which stay where they are. */
static void test_blur(void)
{
    float data[M][N], a[M][N], b[M][N], found[M][N];
    fill_pattern(data);
    memcpy(a, data, sizeof a);
    amp_array *in = amp_array_from2(M, N, &data[0][0]), *out = amp_array2(float, M, N);
    memset(data, 0, sizeof data); /* a copy is a copy */
    for (int step = 0; step < 4; step++) {
        CHECK_OK(amp_parallel_for_each(amp_extent2(M, N), blur, step % 2 ? out : in, step % 2 ? in : out));
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++)
                blur((const int[]){i, j}, M, N, step % 2 ? b : a, step % 2 ? a : b);
    }
    CHECK_OK(amp_copy(&found[0][0], in));
    bool good = same(found, a, sizeof a);
    amp_array *copy = amp_array_clone(out);
    CHECK_OK(amp_copy_to(copy, &found[0][0], M * N));
    good &= same(found, b, sizeof b);
    amp_array_release(copy);
    amp_array_release(in);
    amp_array_release(out);
    report("blur", good);
}

static void add_place(amp_index2 idx, int rows, int columns, float x[rows][columns]) restrict(cpu, amp)
{
    x[idx[0]][idx[1]] += 100 * idx[0] + idx[1];
}

/* Parts of an array and of host memory whose rows lie apart: the kernel sees [rows][columns], and only the part
 * changes. */
static void test_parts(void)
{
    static const int boxes[][4] = {{0, 0, M, N},     {3, 5, 7, 11}, {M - 1, N - 1, 1, 1},
                                   {0, N - 3, M, 3}, {5, 0, 9, N},  {1, 1, M - 2, N - 2}};
    bool good = true;
    for (int k = 0; k < LENGTH(boxes); k++) {
        const int *box = boxes[k];
        float data[M][N], expected[M][N], found[M][N];
        fill_pattern(data);
        fill_pattern(expected);
        for (int i = 0; i < box[2]; i++)
            for (int j = 0; j < box[3]; j++)
                expected[box[0] + i][box[1] + j] += (float)(100 * i + j);
        amp_array *array = amp_array_from2(M, N, &data[0][0]);
        amp_array_view *whole = amp_array_view2(M, N, &data[0][0]);
        amp_index origin = amp_index2(box[0], box[1]);
        amp_extent extent = amp_extent2(box[2], box[3]);
        amp_array_view *part = amp_array_section(array, origin, extent);
        amp_array_view *host_part = amp_array_view_section(whole, origin, extent);
        CHECK_OK(amp_parallel_for_each(extent, add_place, part));
        CHECK_OK(amp_parallel_for_each(extent, add_place, host_part));
        CHECK_OK(amp_synchronize(host_part));
        CHECK_OK(amp_copy(&found[0][0], array));
        good &= same(found, expected, sizeof found) && same(data, expected, sizeof data);
        /* Into the part from elsewhere, and the array's part over the host's. */
        amp_array *small = amp_array_from_view(part, NULL, AMP_ACCESS_AUTO);
        CHECK_OK(amp_parallel_for_each(extent, add_place, small));
        CHECK_OK(amp_copy(part, small));
        CHECK_OK(amp_copy(host_part, part));
        CHECK_OK(amp_synchronize(host_part));
        for (int i = 0; i < box[2]; i++)
            for (int j = 0; j < box[3]; j++)
                expected[box[0] + i][box[1] + j] += (float)(100 * i + j);
        CHECK_OK(amp_copy(&found[0][0], array));
        good &= same(found, expected, sizeof found) && same(data, expected, sizeof data);
        amp_array_release(small);
        amp_array_view_release(host_part);
        amp_array_view_release(part);
        amp_array_view_release(whole);
        amp_array_release(array);
    }
    report("parts", good);
}

static void axpy(amp_index1 idx, int n, float factor, const float x[n], float y[n]) restrict(cpu, amp)
{
    y[idx[0]] += factor * x[idx[0]];
}

static void scale_column(amp_index1 idx, int n, float column[n][1]) restrict(cpu, amp)
{
    column[idx[0]][0] *= 2;
}

/* Gaussian elimination's step: rows are projections; a column is a section. */
static void test_rows(void)
{
    float data[M][N], expected[M][N], found[M][N];
    fill_pattern(data);
    fill_pattern(expected);
    amp_array *array = amp_array_from2(M, N, &data[0][0]);
    amp_array_view *first = amp_array_project(array, 0);
    for (int i = 1; i < M; i++) {
        amp_array_view *row = amp_array_project(array, i);
        CHECK_OK(amp_parallel_for_each(amp_extent1(N), axpy, -0.5f * (float)i, first, row));
        for (int j = 0; j < N; j++)
            axpy((const int[]){j}, N, -0.5f * (float)i, expected[0], expected[i]);
        amp_array_view_release(row);
    }
    amp_array_view *column = amp_array_section(array, amp_index2(0, 4), amp_extent2(M, 1));
    CHECK_OK(amp_parallel_for_each(amp_extent1(M), scale_column, column));
    for (int i = 0; i < M; i++)
        expected[i][4] *= 2;
    CHECK_OK(amp_copy(&found[0][0], array));
    amp_array_view_release(column);
    amp_array_view_release(first);
    amp_array_release(array);
    report("rows", same(found, expected, sizeof found));
}

static void clear_signs(amp_index1 idx, int n, unsigned bits[n]) restrict(amp)
{
    bits[idx[0]] &= 0x7fffffffu;
}

static void transpose(amp_index2 idx, int rows, int columns, const float in[rows][columns], float out[columns][rows])
    restrict(cpu, amp)
{
    out[idx[1]][idx[0]] = in[idx[0]][idx[1]];
}

/* The same memory as other types, in other shapes. */
static void test_shapes(void)
{
    float data[M][N], found[N][M], expected[N][M];
    fill_pattern(data);
    amp_array *array = amp_array_from2(M, N, &data[0][0]);
    amp_array_view *bits = amp_array_reinterpret_as(array, unsigned);
    CHECK_OK(amp_parallel_for_each(amp_extent1(M * N), clear_signs, bits));
    amp_array_view *none = amp_array_view_without_source2(float, N, M);
    CHECK_OK(amp_parallel_for_each(amp_extent2(M, N), transpose, array, none));
    CHECK_OK(amp_copy(&found[0][0], none));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            expected[j][i] = fabsf(pattern(i, j));
    bool good = same(found, expected, sizeof found);
    /* The first 36 x 48 elements' memory as 48 x 36, read-only. */
    amp_array_view *line = amp_array_reshape(array, amp_extent1(36 * 48));
    amp_array_view *box = amp_array_view_reshape(line, amp_extent2(48, 36)), *ro = amp_array_view_read_only(box);
    float turned[36][48];
    amp_array_view *out = amp_array_view2(36, 48, &turned[0][0]);
    amp_discard_data(out);
    CHECK_OK(amp_parallel_for_each(amp_extent2(48, 36), transpose, ro, out));
    CHECK_OK(amp_synchronize(out));
    for (int i = 0; i < 48 * 36; i++)
        good &= turned[i % 36][i / 36] == fabsf(pattern(i / N, i % N));
    amp_array_view *views[] = {bits, none, line, box, ro, out};
    for (int i = 0; i < LENGTH(views); i++)
        amp_array_view_release(views[i]);
    amp_array_release(array);
    report("shapes", good);
}

struct body {
    float position[3], velocity[3], mass;
    int id;
};

static void move(amp_index1 idx, int n, float dt, struct body bodies[n]) restrict(cpu, amp)
{
    struct body *b = &bodies[idx[0]];
    for (int k = 0; k < 3; k++)
        b->position[k] += dt * b->velocity[k];
}

static void test_structs(void)
{
    struct body bodies[77], expected[77], found[77];
    for (int i = 0; i < 77; i++) {
        struct body b = {{(float)i, 1, 2}, {1, (float)i, -1}, 1, i};
        bodies[i] = expected[i] = b;
    }
    amp_array *array = amp_array_from1(77, bodies);
    amp_array_view *odd = amp_array_section(array, amp_index1(3), amp_extent1(70));
    CHECK_OK(amp_parallel_for_each(amp_extent1(70), move, 0.25f, odd));
    CHECK_OK(amp_parallel_for_each(amp_extent1(77), move, 0.5f, array));
    for (int i = 0; i < 70; i++)
        move((const int[]){i}, 70, 0.25f, expected + 3);
    for (int i = 0; i < 77; i++)
        move((const int[]){i}, 77, 0.5f, expected);
    CHECK_OK(amp_copy(&found[0], array));
    amp_array_view_release(odd);
    amp_array_release(array);
    report("structs", same(found, expected, sizeof found));
}

/* In, through the array, and out through a staging array, without waiting in between. */
static void test_pipeline(void)
{
    float data[N], found[N];
    amp_array *array = amp_array1(float, N), *staging = amp_array_staging(float, amp_extent1(N), NULL, NULL);
    amp_array *sum = amp_array1(float, N);
    memset(data, 0, sizeof data);
    CHECK_OK(amp_copy(sum, &data[0]));
    for (int i = 0; i < 10; i++) {
        float *p = amp_array_map(staging, AMP_ACCESS_WRITE); /* waits until the last transfer is over */
        for (int j = 0; j < N; j++)
            p[j] = (float)(i * j);
        CHECK_OK(amp_array_unmap(staging));
        amp_future_release(amp_copy_async(array, staging));
        amp_future_release(amp_parallel_for_each_async(amp_extent1(N), axpy, 2.0f, array, sum));
    }
    amp_future *future = amp_copy_async(&found[0], sum);
    CHECK_OK(amp_future_wait(future));
    amp_future_release(future);
    for (int j = 0; j < N; j++)
        data[j] = 2.0f * 45 * (float)j;
    amp_array_release(array);
    amp_array_release(staging);
    amp_array_release(sum);
    report("pipeline", same(found, data, sizeof data));
}

int main(void)
{
    test_blur();
    test_parts();
    test_rows();
    test_shapes();
    test_structs();
    test_pipeline();
    return 0;
}
