/* SPDX-License-Identifier: MIT */
#include "../opencl.h"
#include "problem.h"

static const char source[] =
    CL(kernel void convolve(int H, int W, constant float *f, global const float *a, global float *b) {
        float sum = 0;
        for (int i = 0; i < 7; i++)
            for (int j = 0; j < 7; j++) {
                int y = (int)get_global_id(1) + i - 3, x = (int)get_global_id(0) + j - 3;
                if (y >= 0 && y < H && x >= 0 && x < W)
                    sum += f[i * 7 + j] * a[y * W + x];
            }
        b[get_global_id(1) * W + get_global_id(0)] = sum;
    });

static void *kernel, *f, *a, *b;

static void prepare(void)
{
    set_up();
    kernel = cl_kernel(cl_program(source, ""), "convolve");
    f = cl_buffer(filter, sizeof filter);
    a = cl_buffer(in, SIZE * SIZE * sizeof *in);
    b = cl_buffer(out, SIZE * SIZE * sizeof *out);
}

static void run(void)
{
    int size = SIZE;
    cl_run(kernel, 2, (size_t[]){SIZE, SIZE}, NULL, 5,
           (struct cl_value[]){CL_VALUE(size), CL_VALUE(size), CL_VALUE(f), CL_VALUE(a), CL_VALUE(b)});
    cl_read(b, SIZE * SIZE * sizeof *out);
}

BENCH("convolution", "plain", prepare, run, verify)
