/* SPDX-License-Identifier: MIT */
#include "../gpu/gpu.h"

enum { TILE = 256 };
struct vec4 {
    float x, y, z, w;
};
#include "kernel.h"

static struct data body, acceleration;
static float softening = 1e-2f;
static int nn;
static void set_up(void)
{
    nn = is_check ? 1024 : 1 << 16;
    struct vec4 *p = new_array((size_t)nn * sizeof *p);
    float *x = random_floats(4 * (size_t)nn, -1, 1);
    for (int i = 0; i < nn; i++)
        p[i] = (struct vec4){x[4 * i], x[4 * i + 1], x[4 * i + 2], fabsf(x[4 * i + 3]) + 0.1f};
    free(x);
    body = new_data((size_t)nn, AMP_TYPE_STRUCT, sizeof *p, p);
    acceleration = new_data((size_t)nn, AMP_TYPE_STRUCT, sizeof *p, NULL);
}
static void ours(void)
{
    amp_parallel_for_each_on(on, amp_extent1(nn), attract, softening, body.array, acceleration.array);
}
static void peer(void)
{
    launch_peer("nbody", blocks(nn, TILE), 1, TILE, 1, (void *[]){&nn, &softening, &body.memory, &acceleration.memory});
}
static void verify(void)
{
    const struct vec4 *p = body.host;
    struct vec4 *a = new_array(acceleration.size_bytes);
    fetch(&acceleration, a);
    for (int i = 0; i < nn; i += 1 + nn / 101) {
        double x = 0, y = 0, z = 0;
        for (int j = 0; j < nn; j++) {
            double dx = (double)p[j].x - p[i].x, dy = (double)p[j].y - p[i].y, dz = (double)p[j].z - p[i].z;
            double d2 = dx * dx + dy * dy + dz * dz + softening, s = p[j].w / (d2 * sqrt(d2));
            x += dx * s, y += dy * s, z += dz * s;
        }
        double tolerance = 1e-4 * sqrt(x * x + y * y + z * z) + 2.5e-6 * nn;
        expect(a[i].x, x, tolerance, (size_t)i), expect(a[i].y, y, tolerance, (size_t)i),
            expect(a[i].z, z, tolerance, (size_t)i);
    }
    store(&acceleration, NULL);
    free(a);
}

GPU_PROBLEM("nbody", set_up, ours, peer, verify)
