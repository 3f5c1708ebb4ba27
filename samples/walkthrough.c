/* SPDX-License-Identifier: MIT
 *
 * The walkthrough of matrix multiplication: without AMP, with AMP, and with tiles. */
#include <amp.h>
#include <stdio.h>

static void print(int M, int N, const int product[M][N])
{
    for (int row = 0; row < M; row++) {
        for (int col = 0; col < N; col++)
            printf("%d  ", product[row][col]);
        printf("\n");
    }
}

static void multiply_without_amp(void)
{
    int a[3][2] = {{1, 4}, {2, 5}, {3, 6}};
    int b[2][3] = {{7, 8, 9}, {10, 11, 12}};
    int product[3][3] = {{0}};

    for (int row = 0; row < 3; row++)
        for (int col = 0; col < 3; col++)
            /* Multiply the row of a by the column of b to get the row, column of product. */
            for (int inner = 0; inner < 2; inner++)
                product[row][col] += a[row][inner] * b[inner][col];
    print(3, 3, product);
}

/* The body of the two outer loops above: one thread runs it for each element of product. */
static void multiply(amp_index2 idx, int M, int N, int W, const int a[M][W], const int b[W][N], int product[M][N])
    restrict(amp)
{
    int row = idx[0];
    int col = idx[1];
    for (int inner = 0; inner < W; inner++)
        product[row][col] += a[row][inner] * b[inner][col];
}

static void multiply_with_amp(void)
{
    int a_matrix[] = {1, 4, 2, 5, 3, 6};
    int b_matrix[] = {7, 8, 9, 10, 11, 12};
    int product_matrix[3][3] = {{0}};

    /* Errors from here on are those of this function, until amp_error_end. */
    amp_error_scope scope = amp_error_begin();
    amp_auto_array_view *a = amp_array_view2(3, 2, a_matrix);
    amp_auto_array_view *b = amp_array_view2(2, 3, b_matrix);
    amp_auto_array_view *product = amp_array_view_whole2(product_matrix);

    amp_parallel_for_each(amp_array_view_extent(product), multiply, a, b, product);

    /* Copy the contents of product back to product_matrix. */
    amp_synchronize(product);
    if (amp_error_end(&scope) == AMP_OK)
        print(3, 3, product_matrix);
}

enum { TS = 2 }; /* the tile's size */

static void multiply_tiled(amp_tiled_index2(TS, TS) t_idx, int M, int N, int W, const int a[M][W], const int b[W][N],
                           int product[M][N]) restrict(amp)
{
    /* The place of the thread in the tile (row, col) and in the whole view (row_global, col_global). */
    int row = t_idx.local[0];
    int col = t_idx.local[1];
    int row_global = t_idx.global[0];
    int col_global = t_idx.global[1];
    int sum = 0;

    /* Given a 4x4 matrix and a 2x2 tile, this loop executes twice for each thread. */
    for (int i = 0; i < W; i += TS) {
        tile_static int loc_a[TS][TS];
        tile_static int loc_b[TS][TS];
        loc_a[row][col] = a[row_global][col + i];
        loc_b[row][col] = b[row + i][col_global];
        /* The threads of the tile all wait here until loc_a and loc_b are filled. */
        amp_tile_barrier_wait(t_idx.barrier);

        /* The sum is kept across both iterations of the outer loop: it adds the products of the tiles. */
        for (int k = 0; k < TS; k++)
            sum += loc_a[row][k] * loc_b[k][col];

        /* All threads wait until the sums are calculated: one that moved ahead would change loc_a and loc_b. */
        amp_tile_barrier_wait(t_idx.barrier);
    }
    product[row_global][col_global] = sum;
}

static void multiply_with_tiling(void)
{
    int a_matrix[] = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8};
    int b_matrix[] = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8};
    int product_matrix[4][4] = {{0}};

    amp_error_scope scope = amp_error_begin();
    amp_auto_array_view *a = amp_array_view2(4, 4, a_matrix);
    amp_auto_array_view *b = amp_array_view2(4, 4, b_matrix);
    amp_auto_array_view *product = amp_array_view_whole2(product_matrix);

    amp_parallel_for_each(amp_array_view_extent(product), multiply_tiled, a, b, product);

    amp_synchronize(product);
    if (amp_error_end(&scope) == AMP_OK)
        print(4, 4, product_matrix);
}

int main(void)
{
    multiply_without_amp();
    multiply_with_amp();
    multiply_with_tiling();

    /* The first error of any call above, with its cause. */
    if (amp_error_status() != AMP_OK)
        fprintf(stderr, "walkthrough: %s\n", amp_error_text());
    return amp_error_status() != AMP_OK;
}
