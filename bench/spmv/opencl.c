/* SPDX-License-Identifier: MIT */
#include "../opencl.h"
#include "problem.h"

static const char source[] = CL(kernel void multiply(global const int *at, global const int *col, global const float *v,
                                                     global const float *in, global float *out) {
    int row = get_global_id(0);
    float sum = 0;
    for (int k = at[row]; k < at[row + 1]; k++)
        sum += v[k] * in[col[k]];
    out[row] = sum;
});

static void *kernel, *at, *col, *v, *in, *out;

static void prepare(void)
{
    set_up();
    kernel = cl_kernel(cl_program(source, ""), "multiply");
    at = cl_buffer(offset, (ROWS + 1) * sizeof *offset);
    col = cl_buffer(column, (size_t)n_entries * sizeof *column);
    v = cl_buffer(value, (size_t)n_entries * sizeof *value);
    in = cl_buffer(x, ROWS * sizeof *x);
    out = cl_buffer(y, ROWS * sizeof *y);
}

static void run(void)
{
    cl_run(kernel, 1, (size_t[]){ROWS}, NULL, 5,
           (struct cl_value[]){CL_VALUE(at), CL_VALUE(col), CL_VALUE(v), CL_VALUE(in), CL_VALUE(out)});
    cl_read(out, ROWS * sizeof *y);
}

BENCH("spmv", "plain", prepare, run, verify)
