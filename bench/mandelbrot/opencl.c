/* SPDX-License-Identifier: MIT */
#include "../opencl.h"
#include "problem.h"

static const char source[] = CL(kernel void mandelbrot(int H, int W, int limit, global int *out) {
    int row = get_global_id(1), col = get_global_id(0);
    float cx = -2 + col * (3.0f / W), cy = -1.5f + row * (3.0f / H), zx = 0, zy = 0;
    int n = 0;
    while (n < limit && zx * zx + zy * zy <= 4) {
        float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        n++;
    }
    out[row * W + col] = n;
});

static void *kernel, *buffer;

static void prepare(void)
{
    set_up();
    kernel = cl_kernel(cl_program(source, ""), "mandelbrot");
    buffer = cl_buffer(image, SIZE * SIZE * sizeof *image);
}

static void run(void)
{
    int size = SIZE, limit = LIMIT;
    cl_run(kernel, 2, (size_t[]){SIZE, SIZE}, NULL, 4,
           (struct cl_value[]){CL_VALUE(size), CL_VALUE(size), CL_VALUE(limit), CL_VALUE(buffer)});
    cl_read(buffer, SIZE * SIZE * sizeof *image);
}

BENCH("mandelbrot", "plain", prepare, run, verify)
