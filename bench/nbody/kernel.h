/* SPDX-License-Identifier: MIT */
#include <amp.h>

static void attract(amp_tiled_index1(TILE) t, int n, float soft, const struct vec4 p[n], struct vec4 a[n]) restrict(amp)
{
    tile_static struct vec4 other[TILE];
    struct vec4 me = p[t.global[0]];
    float x = 0, y = 0, z = 0;
    for (int first = 0; first < n; first += TILE) {
        other[t.local[0]] = p[first + t.local[0]];
        amp_tile_barrier_wait(t.barrier);
        for (int j = 0; j < TILE; j++) {
            float dx = other[j].x - me.x, dy = other[j].y - me.y, dz = other[j].z - me.z;
            float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + soft);
            float s = other[j].w * inverse * inverse * inverse;
            x += dx * s;
            y += dy * s;
            z += dz * s;
        }
        amp_tile_barrier_wait(t.barrier);
    }
    a[t.global[0]] = (struct vec4){x, y, z, 0};
}
