/* SPDX-License-Identifier: MIT */
#include "../opencl.h"
#include "problem.h"

static const char source[] = CL(kernel void increment(global int *x) { x[get_global_id(0)]++; });

static void *kernel, *x;

static void prepare(void)
{
    set_up();
    kernel = cl_kernel(cl_program(source, ""), "increment");
    x = cl_buffer(count, sizeof count);
}

static void run(void)
{
    cl_run(kernel, 1, (size_t[]){1}, NULL, 1, (struct cl_value[]){CL_VALUE(x)});
    cl_finish();
}

static void finish(void)
{
    cl_read(x, sizeof count);
    verify();
}

BENCH("launch", "plain", prepare, run, finish)
