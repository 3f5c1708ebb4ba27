/* SPDX-License-Identifier: MIT */
#include "../opencl.h"
#include "problem.h"

static const char source[] = CL(
    kernel void simple(int M, int N, int W, global const T *a, global const T *b, global T *c) {
        int row = get_global_id(1), col = get_global_id(0);
        T sum = 0;
        for (int k = 0; k < W; k++)
            sum += a[row * W + k] * b[k * N + col];
        c[row * N + col] = sum;
    }

    kernel __attribute__((reqd_work_group_size(TS, TS, 1))) void tiled(int M, int N, int W, global const T *a,
                                                                       global const T *b, global T *c) {
        local T local_a[TS][TS], local_b[TS][TS];
        int row = get_local_id(1), col = get_local_id(0);
        T sum = 0;
        for (int i = 0; i < W; i += TS) {
            local_a[row][col] = a[get_global_id(1) * W + i + col];
            local_b[row][col] = b[(i + row) * N + get_global_id(0)];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int k = 0; k < TS; k++)
                sum += local_a[row][k] * local_b[k][col];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        c[get_global_id(1) * N + get_global_id(0)] = sum;
    });

static void *kernel, *a, *b, *c;
static size_t tile;

static void multiply(void)
{
    int size = SIZE;
    /* pocl chooses the groups of the untiled kernel. */
    cl_run(kernel, 2, (size_t[]){SIZE, SIZE}, tile ? (size_t[]){tile, tile} : NULL, 6,
           (struct cl_value[]){CL_VALUE(size), CL_VALUE(size), CL_VALUE(size), CL_VALUE(a), CL_VALUE(b), CL_VALUE(c)});
    cl_read(c, SIZE * SIZE * 4);
}

#define VARIANT(name, TS, T)                                                                                           \
    static void prepare_##name##_##T(void)                                                                             \
    {                                                                                                                  \
        set_up_##T();                                                                                                  \
        tile = TS;                                                                                                     \
        void *program = cl_program(source, TS == 8    ? "-DTS=8 -DT=" #T                                               \
                                           : TS == 32 ? "-DTS=32 -DT=" #T                                              \
                                                      : "-DTS=16 -DT=" #T);                                            \
        kernel = cl_kernel(program, TS ? "tiled" : "simple");                                                          \
        a = cl_buffer(a_##T, SIZE * SIZE * 4);                                                                         \
        b = cl_buffer(b_##T, SIZE * SIZE * 4);                                                                         \
        c = cl_buffer(c_##T, SIZE * SIZE * 4);                                                                         \
    }                                                                                                                  \
    BENCH("mxm", #name " " #T, prepare_##name##_##T, multiply, verify_##T)

VARIANT(simple, 0, float)
VARIANT(simple, 0, int)
VARIANT(tiled16, 16, float)
VARIANT(tiled16, 16, int)
VARIANT(tiled8, 8, float)
VARIANT(tiled32, 32, float)
