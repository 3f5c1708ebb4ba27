/* SPDX-License-Identifier: MIT */
#include "../opencl.h"
#include "problem.h"

static const char source[] = CL(kernel void sweep(int N, global const float *from, global float *to) {
    int at = (get_global_id(1) + 1) * N + get_global_id(0) + 1;
    to[at] = 0.25f * (from[at - N] + from[at + N] + from[at - 1] + from[at + 1]);
});

static void *kernel, *first, *buffers[2];

static void prepare(void)
{
    set_up();
    kernel = cl_kernel(cl_program(source, ""), "sweep");
    first = cl_buffer(start, SIZE * SIZE * sizeof(float));
    for (int g = 0; g < 2; g++)
        buffers[g] = cl_buffer(grid[g], SIZE * SIZE * sizeof(float));
}

static void run(void)
{
    int size = SIZE;
    for (int i = 0; i < SWEEPS; i++)
        cl_run(kernel, 2, (size_t[]){SIZE - 2, SIZE - 2}, NULL, 3,
               (struct cl_value[]){CL_VALUE(size), CL_VALUE(*(i ? &buffers[1 - i % 2] : &first)),
                                   CL_VALUE(buffers[i % 2])});
    cl_read(buffers[1], SIZE * SIZE * sizeof(float));
}

BENCH("jacobi", "plain", prepare, run, verify)
