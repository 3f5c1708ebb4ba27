/* SPDX-License-Identifier: MIT */
#include "../opencl.h"
#include "problem.h"

static const char source[] =
    CL(kernel __attribute__((reqd_work_group_size(256, 1, 1))) void count(global const uchar *in, global int *out) {
        local int own[256];
        int i = get_local_id(0), first = get_group_id(0) * 65536;
        own[i] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 256; k++)
            atomic_add(&own[in[first + k * 256 + i]], 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_add(&out[i], own[i]);
    });

static void *kernel, *in, *out;

static void prepare(void)
{
    set_up();
    kernel = cl_kernel(cl_program(source, ""), "count");
    in = cl_buffer(data, N);
    out = cl_buffer(bins, sizeof bins);
}

static void run(void)
{
    memset(bins, 0, sizeof bins);
    cl_run(kernel, 1, (size_t[]){N / PER_THREAD}, (size_t[]){TILE}, 2,
           (struct cl_value[]){CL_VALUE(in), CL_VALUE(out)});
    cl_read(out, sizeof bins);
}

BENCH("histogram", "plain", prepare, run, verify)
