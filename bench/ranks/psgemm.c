/* SPDX-License-Identifier: MIT
 *
 * The peer of product.c by ScaLAPACK: products whose right factor is the last product.
 *
 * psgemm N RUNS [BLOCK [ROWS]]: blocks of BLOCK x BLOCK elements on a grid of ROWS rows of ranks */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void Cblacs_pinfo(int *rank, int *n_ranks);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
void Cblacs_exit(int goes_on);
int numroc_(const int *n, const int *block, const int *at, const int *first, const int *n_parts);
void descinit_(int *descriptor, const int *m, const int *n, const int *m_block, const int *n_block, const int *row,
               const int *col, const int *context, const int *high, int *info);
void psgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n, const int *k, const float *alpha,
             const float *a, const int *ia, const int *ja, const int *desc_a, const float *b, const int *ib,
             const int *jb, const int *desc_b, const float *beta, float *c, const int *ic, const int *jc,
             const int *desc_c);

/* The number in the whole matrix of the `i`-th row or column of a rank that is the `at`-th of `parts`. */
static int global_of(int i, int block, int at, int parts)
{
    return (i / block * parts + at) * block + i % block;
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[1]) : 256, n_runs = argc > 2 ? atoi(argv[2]) : 1;
    int block = argc > 3 ? atoi(argv[3]) : 128, parts[2] = {argc > 4 ? atoi(argv[4]) : 0}, at[2];
    int rank, n_ranks, context, zero = 0, one = 1, descriptor[9], info, n_wrong = 0;
    float alpha = 1, beta = 0;
    MPI_Init(&argc, &argv);
    Cblacs_pinfo(&rank, &n_ranks);
    MPI_Dims_create(n_ranks, 2, parts);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", parts[0], parts[1]);
    Cblacs_gridinfo(context, &parts[0], &parts[1], &at[0], &at[1]);
    int high = numroc_(&n, &block, &at[0], &zero, &parts[0]), wide = numroc_(&n, &block, &at[1], &zero, &parts[1]);
    size_t size = (size_t)high * (size_t)wide;
    float *a = calloc(size, sizeof *a), *b = calloc(size, sizeof *b), *c = calloc(size, sizeof *c);
    descinit_(descriptor, &n, &n, &block, &block, &zero, &zero, &context, &high, &info);
    for (int j = 0; j < wide; j++)
        for (int i = 0; i < high; i++) {
            int row = global_of(i, block, at[0], parts[0]), col = global_of(j, block, at[1], parts[1]);
            a[(size_t)j * (size_t)high + (size_t)i] = (float)(row == col);
            b[(size_t)j * (size_t)high + (size_t)i] = (float)(row % 7 - col % 5);
        }
    for (int run = 0; run < n_runs; run++) {
        psgemm_("N", "N", &n, &n, &n, &alpha, a, &one, &one, descriptor, b, &one, &one, descriptor, &beta, c, &one,
                &one, descriptor);
        float *product = c;
        c = b;
        b = product;
    }
    for (int j = 0; j < wide; j++)
        for (int i = 0; i < high; i++)
            n_wrong += b[(size_t)j * (size_t)high + (size_t)i] !=
                       (float)(global_of(i, block, at[0], parts[0]) % 7 - global_of(j, block, at[1], parts[1]) % 5);
    free(a), free(b), free(c);
    Cblacs_exit(0);
    return n_wrong > 0;
}
