/* SPDX-License-Identifier: MIT */
#include "problem.h"

static void natural(void)
{
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        float x = 0, y = 0, z = 0;
#pragma omp simd reduction(+ : x, y, z)
        for (int j = 0; j < N; j++) {
            float dx = body[j].x - body[i].x, dy = body[j].y - body[i].y, dz = body[j].z - body[i].z;
            float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + softening);
            float s = body[j].w * inverse * inverse * inverse;
            x += dx * s;
            y += dy * s;
            z += dz * s;
        }
        acceleration[i] = (struct vec4){x, y, z, 0};
    }
}

/* The bodies are four arrays; a strip of bodies is computed side by side, so that nothing is summed across lanes. */
static void by_hand(void)
{
    enum { STRIP = 64 };
    static float px[N], py[N], pz[N], pw[N];
    for (int i = 0; i < N; i++) {
        px[i] = body[i].x;
        py[i] = body[i].y;
        pz[i] = body[i].z;
        pw[i] = body[i].w;
    }
#pragma omp parallel for
    for (int first = 0; first < N; first += STRIP) {
        float x[STRIP] = {0}, y[STRIP] = {0}, z[STRIP] = {0};
        for (int j = 0; j < N; j++) {
#pragma omp simd
            for (int i = 0; i < STRIP; i++) {
                float dx = px[j] - px[first + i], dy = py[j] - py[first + i], dz = pz[j] - pz[first + i];
                float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + softening);
                float s = pw[j] * inverse * inverse * inverse;
                x[i] += dx * s;
                y[i] += dy * s;
                z[i] += dz * s;
            }
        }
        for (int i = 0; i < STRIP; i++)
            acceleration[first + i] = (struct vec4){x[i], y[i], z[i], 0};
    }
}

BENCH("nbody", "natural", set_up, natural, verify)
BENCH("nbody", "by hand", set_up, by_hand, verify)
