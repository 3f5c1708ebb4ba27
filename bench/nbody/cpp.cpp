/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <amp.h>
#include <amp_math.h>

using namespace concurrency;

static array_view<const vec4> *bodies;
static array_view<vec4> *accelerations;

static void prepare(void)
{
    set_up();
    bodies = new array_view<const vec4>(N, body);
    accelerations = new array_view<vec4>(N, acceleration);
}

static void run(void)
{
    array_view<const vec4> p = *bodies;
    array_view<vec4> a = *accelerations;
    float soft = softening;
    a.discard_data();
    parallel_for_each(a.extent.tile<TILE>(), [=](tiled_index<TILE> t) restrict(amp) {
        tile_static vec4 other[TILE];
        vec4 me = p[t];
        float x = 0, y = 0, z = 0;
        for (int first = 0; first < p.extent[0]; first += TILE) {
            other[t.local[0]] = p[first + t.local[0]];
            t.barrier.wait();
            for (int j = 0; j < TILE; j++) {
                float dx = other[j].x - me.x, dy = other[j].y - me.y, dz = other[j].z - me.z;
                float inverse = 1 / fast_math::sqrt(dx * dx + dy * dy + dz * dz + soft);
                float s = other[j].w * inverse * inverse * inverse;
                x += dx * s;
                y += dy * s;
                z += dz * s;
            }
            t.barrier.wait();
        }
        vec4 sum = {x, y, z, 0};
        a[t] = sum;
    });
    a.synchronize();
}

BENCH("nbody", "plain", prepare, run, verify)
