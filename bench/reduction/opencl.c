/* SPDX-License-Identifier: MIT */
#include "../opencl.h"
#include "problem.h"

static const char source[] =
    CL(kernel __attribute__((reqd_work_group_size(256, 1, 1))) void reduce(global const float *in, global float *out) {
        local float part[256];
        int i = get_local_id(0);
        part[i] = in[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int width = 128; width > 0; width /= 2) {
            if (i < width)
                part[i] += part[i + width];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (i == 0)
            out[get_group_id(0)] = part[0];
    });

static void *kernel, *buffers[3];
static float *last;

static void prepare(void)
{
    set_up();
    kernel = cl_kernel(cl_program(source, ""), "reduce");
    last = new_array(N / TILE / TILE * sizeof(float));
    buffers[0] = cl_buffer(data, N * sizeof(float));
    buffers[1] = cl_buffer(new_array(N / TILE * sizeof(float)), N / TILE * sizeof(float));
    buffers[2] = cl_buffer(last, N / TILE / TILE * sizeof(float));
}

static void run(void)
{
    for (int i = 0, n = N; i < 2; i++, n /= TILE)
        cl_run(kernel, 1, (size_t[]){(size_t)n}, (size_t[]){TILE}, 2,
               (struct cl_value[]){CL_VALUE(buffers[i]), CL_VALUE(buffers[i + 1])});
    cl_read(buffers[2], N / TILE / TILE * sizeof(float));
    sum = 0;
    for (int i = 0; i < N / TILE / TILE; i++)
        sum += last[i];
}

BENCH("reduction", "plain", prepare, run, verify)
