/* SPDX-License-Identifier: MIT
 *
 * The peer of samples/jacobi.c, written by hand with MPI: each rank has a box of the plate with a rim around it, and
 * exchanges the rim's four sides with its neighbours before each sweep.
 *
 * halos N SWEEPS [COLUMNS]: so many ranks side by side; else MPI chooses the grid of ranks */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* The first of `n` points that belongs to part `i` of `parts`. */
static int begin_of(int n, int parts, int i)
{
    return (int)((long)n * i / parts);
}

/* Sends a side of the box in either direction of a dimension, and receives the rim's. */
static void exchange(float *box, int wide, int high, MPI_Comm grid)
{
    int above, below, left, right;
    MPI_Datatype column;
    MPI_Type_vector(high, 1, wide, MPI_FLOAT, &column);
    MPI_Type_commit(&column);
    MPI_Cart_shift(grid, 0, 1, &above, &below);
    MPI_Cart_shift(grid, 1, 1, &left, &right);
    MPI_Sendrecv(box + wide + 1, wide - 2, MPI_FLOAT, above, 0, box + (high + 1) * wide + 1, wide - 2, MPI_FLOAT, below,
                 0, grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(box + high * wide + 1, wide - 2, MPI_FLOAT, below, 1, box + 1, wide - 2, MPI_FLOAT, above, 1, grid,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(box + wide + 1, 1, column, left, 2, box + wide + wide - 1, 1, column, right, 2, grid,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(box + wide + wide - 2, 1, column, right, 3, box + wide, 1, column, left, 3, grid, MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[1]) : 202, n_sweeps = argc > 2 ? atoi(argv[2]) : 100, n_ranks, rank;
    int parts[2] = {0, argc > 3 ? atoi(argv[3]) : 0}, at[2];
    MPI_Comm grid;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    MPI_Dims_create(n_ranks, 2, parts);
    MPI_Cart_create(MPI_COMM_WORLD, 2, parts, (int[]){0, 0}, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, at);

    int row = begin_of(n - 2, parts[0], at[0]), high = begin_of(n - 2, parts[0], at[0] + 1) - row;
    int col = begin_of(n - 2, parts[1], at[1]), wide = begin_of(n - 2, parts[1], at[1] + 1) - col + 2;
    float *from = calloc((size_t)(high + 2) * (size_t)wide, sizeof *from);
    float *to = calloc((size_t)(high + 2) * (size_t)wide, sizeof *to);
    double pi = acos(-1), factor = pow(cos(pi / (n - 1)), n_sweeps), error = 0, greatest;
    for (int i = 1; i <= high; i++)
        for (int j = 1; j < wide - 1; j++)
            from[i * wide + j] = (float)(sin(pi * (row + i) / (n - 1)) * sin(pi * (col + j) / (n - 1)));
    for (int s = 0; s < n_sweeps; s++) {
        exchange(from, wide, high, grid);
        for (int i = 1; i <= high; i++)
            for (int j = 1; j < wide - 1; j++)
                to[i * wide + j] = 0.25f * (from[(i - 1) * wide + j] + from[(i + 1) * wide + j] +
                                            from[i * wide + j - 1] + from[i * wide + j + 1]);
        float *swapped = from;
        from = to;
        to = swapped;
    }
    for (int i = 1; i <= high; i++)
        for (int j = 1; j < wide - 1; j++)
            error = fmax(error, fabs((double)from[i * wide + j] -
                                     factor * sin(pi * (row + i) / (n - 1)) * sin(pi * (col + j) / (n - 1))));
    MPI_Allreduce(&error, &greatest, 1, MPI_DOUBLE, MPI_MAX, grid);
    free(from);
    free(to);
    MPI_Finalize();
    return greatest > 0x1p-23 * (n_sweeps + 1);
}
