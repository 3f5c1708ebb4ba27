/* SPDX-License-Identifier: MIT
 *
 * Reductions of chunks. A tile handles a chunk, and each of its threads a column. So lanes and
 * GPUs read memory in order; and all operations have the order of this text, everywhere. No thread waits for another:
 * src/runtime/fold.c combines what they leave.
 *
 *     T     the type of elements
 *     SUM   the type of what threads leave: float for half and bfloat, else T
 *     NAME  T in the names of kernels
 *     ADDS  whether there are sums and dot products; those of signed integers are those of unsigned ones */
#include "kernel.h"

#pragma STDC FP_CONTRACT OFF

enum { N_COLUMNS = COLUMNS(SUM) };

/* A NaN gives way to any number. It alone differs from itself. */
#define LESS(a, b)    ((a) < part || part != part ? (a) : part)
#define GREATER(a, b) ((a) > part || part != part ? (a) : part)
#define ADD(a, b)     (SUM)(part + (a))
/* 1u, because the product of two short integers could overflow an int. */
#define ADD_PRODUCT(a, b) (SUM)(part + (SUM)(1u * (SUM)(a) * (SUM)(b)))

/* STEP is what `part` becomes with the next elements of x and y. All threads go through the loop equally often. */
#define REDUCE(STEP)                                                                                                   \
    for (int i = 0; i < whole; i += N_COLUMNS)                                                                         \
        part = STEP((x + begin)[i + column], (y + begin)[i + column]);                                                 \
    part = column < n - whole ? STEP((x + begin)[whole + column], (y + begin)[whole + column]) : part

void KERNEL(reduce)(amp_tiled_index1(N_COLUMNS) t, int reduction, int N, SUM parts[N_CHUNKS(N) * N_COLUMNS],
                    const T x[N], const T y[N]) restrict(amp)
{
    int begin = t.tile[0] * CHUNK, n = N - begin < CHUNK ? N - begin : CHUNK, whole = n - n % N_COLUMNS;
    int column = t.local[0];
    SUM part = x[begin];
    if (reduction == AMP_REDUCTION_MIN) {
        REDUCE(LESS);
    } else if (reduction == AMP_REDUCTION_MAX) {
        REDUCE(GREATER);
    } else if (ADDS) {
        part = 0;
        if (reduction == REDUCTION_DOT) {
            REDUCE(ADD_PRODUCT);
        } else {
            REDUCE(ADD);
        }
    }
    parts[t.global[0]] = part;
}
