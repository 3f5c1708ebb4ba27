/* SPDX-License-Identifier: MIT */
#include "../opencl.h"
#include "problem.h"

static const char source[] = CL(kernel void saxpy(float alpha, global const float *x, global float *y) {
    int i = get_global_id(0);
    y[i] += alpha * x[i];
});

static void *kernel, *x_buffer, *y_buffer;

static void prepare(void)
{
    set_up();
    kernel = cl_kernel(cl_program(source, ""), "saxpy");
    x_buffer = cl_buffer(x, N * sizeof *x);
    y_buffer = cl_buffer(y, N * sizeof *y);
}

static void run(void)
{
    cl_run(kernel, 1, (size_t[]){N}, NULL, 3,
           (struct cl_value[]){CL_VALUE(alpha), CL_VALUE(x_buffer), CL_VALUE(y_buffer)});
    cl_read(y_buffer, N * sizeof *y);
}

BENCH("saxpy", "plain", prepare, run, verify)
