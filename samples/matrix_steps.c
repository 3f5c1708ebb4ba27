/* SPDX-License-Identifier: MIT
 *
 * A matrix product in four steps: plain loops; the same loops over views; a kernel instead of the outer loops; and a
 * kernel that says what it reads and what it overwrites. */
#include <amp.h>
#include <stdio.h>
#include <string.h>

enum { M = 2, W = 4, N = 6 };

static void multiply(int *c, const int *a, const int *b)
{
    for (int row = 0; row < M; row++)
        for (int col = 0; col < N; col++) {
            int sum = 0;
            for (int k = 0; k < W; k++)
                sum += a[row * W + k] * b[k * N + col];
            c[row * N + col] = sum;
        }
}

/* Views of rank 1, whose elements the host reaches between map and unmap. */
static void multiply_views(int *c_data, int *a_data, int *b_data)
{
    amp_auto_array_view *a = amp_array_view1(M * W, a_data), *b = amp_array_view1(W * N, b_data);
    amp_auto_array_view *c = amp_array_view1(M * N, c_data);
    const int *from_a = amp_array_view_map_as(a, const int, AMP_ACCESS_READ);
    const int *from_b = amp_array_view_map_as(b, const int, AMP_ACCESS_READ);
    int *to = amp_array_view_map_as(c, int, AMP_ACCESS_WRITE);
    if (from_a && from_b && to)
        multiply(to, from_a, from_b);
    amp_array_view_unmap(c);
    amp_array_view_unmap(b);
    amp_array_view_unmap(a);
}

/* The body of the two outer loops. */
static void product(amp_index2 idx, int m, int n, int w, int a[m][w], int b[w][n], int c[m][n]) restrict(amp)
{
    int row = idx[0];
    int col = idx[1];
    int sum = 0;
    for (int k = 0; k < w; k++)
        sum += a[row][k] * b[k][col];
    c[row][col] = sum;
}

/* The last release of the views, at the end, brings the elements back. */
static void multiply_amp(int *c_data, int *a_data, int *b_data)
{
    amp_auto_array_view *a = amp_array_view2(M, W, a_data), *b = amp_array_view2(W, N, b_data);
    amp_auto_array_view *c = amp_array_view2(M, N, c_data);
    amp_parallel_for_each(amp_array_view_extent(c), product, a, b, c);
}

/* a and b are only read, so they are not copied back; the old contents of c are not copied at all. */
static void product_of_const(amp_index2 idx, int m, int n, int w, const int a[m][w], const int b[w][n], int c[m][n])
    restrict(amp)
{
    int row = idx[0];
    int col = idx[1];
    int sum = 0;
    for (int k = 0; k < w; ++k)
        sum += a[row][k] * b[k][col];
    c[row][col] = sum;
}

static void multiply_amp_const(int *c_data, const int *a_data, const int *b_data)
{
    amp_auto_array_view *a = amp_array_view2(M, W, a_data), *b = amp_array_view2(W, N, b_data);
    amp_auto_array_view *c = amp_array_view2(M, N, c_data);
    amp_discard_data(c);
    amp_parallel_for_each(amp_array_view_extent(c), product_of_const, a, b, c);
    amp_synchronize(c);
}

static void print(const char *what, int *c)
{
    printf("%s:", what);
    for (int i = 0; i < M * N; i++)
        printf(" %d", c[i]);
    printf("\n");
    memset(c, 0, M * N * sizeof *c);
}

int main(void)
{
    int a[M * W], b[W * N], c[M * N];
    for (int i = 0; i < M * W; i++)
        a[i] = i + 1;
    for (int i = 0; i < W * N; i++)
        b[i] = i + 1;

    multiply(c, a, b);
    print("loops", c);
    multiply_views(c, a, b);
    print("loops over views", c);
    multiply_amp(c, a, b);
    print("kernel", c);
    multiply_amp_const(c, a, b);
    print("kernel, const and discard", c);

    if (amp_error_status() != AMP_OK)
        fprintf(stderr, "matrix_steps: %s\n", amp_error_text());
    return amp_error_status() != AMP_OK;
}
