/* SPDX-License-Identifier: MIT */
#include "../opencl.h"
#include "problem.h"

static const char source[] = CL(kernel __attribute__((reqd_work_group_size(256, 1, 1))) void attract(
    int n, float soft, global const float4 *p, global float4 *a) {
    local float4 other[256];
    float4 me = p[get_global_id(0)];
    float x = 0, y = 0, z = 0;
    for (int first = 0; first < n; first += 256) {
        other[get_local_id(0)] = p[first + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 256; j++) {
            float dx = other[j].x - me.x, dy = other[j].y - me.y, dz = other[j].z - me.z;
            float inverse = 1 / sqrt(dx * dx + dy * dy + dz * dz + soft);
            float s = other[j].w * inverse * inverse * inverse;
            x += dx * s;
            y += dy * s;
            z += dz * s;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[get_global_id(0)] = (float4)(x, y, z, 0);
});

static void *kernel, *p, *a;

static void prepare(void)
{
    set_up();
    kernel = cl_kernel(cl_program(source, "-cl-fast-relaxed-math"), "attract");
    p = cl_buffer(body, N * sizeof *body);
    a = cl_buffer(acceleration, N * sizeof *body);
}

static void run(void)
{
    int n = N;
    cl_run(kernel, 1, (size_t[]){N}, (size_t[]){TILE}, 4,
           (struct cl_value[]){CL_VALUE(n), CL_VALUE(softening), CL_VALUE(p), CL_VALUE(a)});
    cl_read(a, N * sizeof *body);
}

BENCH("nbody", "fast", prepare, run, verify)
