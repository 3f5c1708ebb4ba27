/* SPDX-License-Identifier: MIT */
#include "../gpu/gpu.h"
#include "kernel.h"

static struct data sx, sy;
static int sn;
static float alpha = 1.5f;

static void set_up(void)
{
    sn = is_check ? 100003 : 1 << 28;
    sx = floats((size_t)sn, random_floats((size_t)sn, -1, 1));
    sy = floats((size_t)sn, random_floats((size_t)sn, -1, 1));
}
static void ours(void)
{
    amp_parallel_for_each_on(on, amp_extent1(sn), saxpy, alpha, sx.array, sy.array);
}
static void peer(void)
{
    launch_peer("saxpy", blocks(sn, 256), 1, 256, 1, (void *[]){&sn, &alpha, &sx.memory, &sy.memory});
}
static void verify(void)
{
    float *result = new_array(sy.size_bytes), *x = sx.host, *y = sy.host;
    fetch(&sy, result);
    for (int i = 0; i < sn; i += 1 + sn / 1000003)
        expect(result[i], (double)y[i] + 1.5 * x[i], 1e-6, (size_t)i);
    store(&sy, y); /* restored for the next run */
    free(result);
}

GPU_PROBLEM("saxpy", set_up, ours, peer, verify)
