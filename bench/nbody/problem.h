/* SPDX-License-Identifier: MIT
 *
 * The acceleration of each body by all others (w: its mass, times the constant of gravity), softened as usual. */
#include "../bench.h"

enum { N = 8192, TILE = 256 };
static const float softening = 1e-2f;

struct vec4 {
    float x, y, z, w;
};
static struct vec4 *body, *acceleration;

static void set_up(void)
{
    body = new_array(N * sizeof *body);
    acceleration = new_array(N * sizeof *acceleration);
    for (uint32_t i = 0; i < N; i++)
        body[i] = (struct vec4){between(-1, 1, 4 * i), between(-1, 1, 4 * i + 1), between(-1, 1, 4 * i + 2),
                                between(0.1f, 1, 4 * i + 3)};
}

static void verify(void)
{
    for (size_t i = 0; i < N; i += 61) {
        double x = 0, y = 0, z = 0;
        for (size_t j = 0; j < N; j++) {
            double dx = (double)body[j].x - body[i].x, dy = (double)body[j].y - body[i].y,
                   dz = (double)body[j].z - body[i].z;
            double d2 = dx * dx + dy * dy + dz * dz + softening, s = body[j].w / (d2 * sqrt(d2));
            x += dx * s;
            y += dy * s;
            z += dz * s;
        }
        double tolerance = 1e-4 * sqrt(x * x + y * y + z * z) + 0.02;
        expect(acceleration[i].x, x, tolerance, i);
        expect(acceleration[i].y, y, tolerance, i);
        expect(acceleration[i].z, z, tolerance, i);
    }
}
