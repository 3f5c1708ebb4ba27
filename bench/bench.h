/* SPDX-License-Identifier: MIT
 *
 * What the measuring programs share. Each runs one thing in a process of its own, prints the seconds of each run, one
 * per line, and fails if the result is wrong; run.py starts them in turns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TS = 16, SIZE = 1024, N_ELEMS = SIZE * SIZE };

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void die(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

/* A peer's library is not installed: run.py makes a line of it. */
static inline void missing(const char *what)
{
    printf("missing %s\n", what);
    exit(0);
}

static inline void *new_matrix(void)
{
    void *matrix = aligned_alloc(4096, N_ELEMS * sizeof(float));
    if (!matrix)
        die("out of memory");
    memset(matrix, 0, N_ELEMS * sizeof(float));
    return matrix;
}

/* The same small whole numbers as int and as float: every product and sum is exact in both, so results are equal. */
static inline int element(unsigned i)
{
    return (int)(i * 2654435761u >> 13) % 9 - 4;
}

static inline void fill(void *matrix, int is_float, unsigned first)
{
    for (unsigned i = 0; i < N_ELEMS; i++)
        if (is_float)
            ((float *)matrix)[i] = (float)element(first + i);
        else
            ((int *)matrix)[i] = element(first + i);
}

/* Checks 32 rows of c = a * b. */
static inline void verify(const void *a, const void *b, const void *c, int is_float)
{
    for (int row = 0; row < SIZE; row += 33) {
        static long long expected[SIZE];
        memset(expected, 0, sizeof expected);
        for (int k = 0; k < SIZE; k++)
            for (int col = 0; col < SIZE; col++)
                expected[col] +=
                    is_float ? (long long)(((const float *)a)[row * SIZE + k] * ((const float *)b)[k * SIZE + col])
                             : ((const int *)a)[row * SIZE + k] * ((const int *)b)[k * SIZE + col];
        for (int col = 0; col < SIZE; col++) {
            double value = is_float ? ((const float *)c)[row * SIZE + col] : ((const int *)c)[row * SIZE + col];
            if (value != (double)expected[col]) {
                fprintf(stderr, "c[%d][%d] is %g, expected %lld\n", row, col, value, expected[col]);
                exit(1);
            }
        }
    }
}
