/* SPDX-License-Identifier: MIT
 *
 * Forces between particles in boxes, which act on those in neighbouring boxes: a tile for each box, which loads one
 * neighbour's particles after another. */
#include "port.h"

enum { SIDE = 6, BOXES = SIDE * SIDE * SIDE, EACH = 64, NEAR = 27 };
struct particle {
    float v, x, y, z;
};
static struct particle *particles, *forces;
static float *charges;
static int *counts, *neighbours; /* of each box; NEAR for each box */

static void set_up(void)
{
    particles = new_array(BOXES * EACH * sizeof *particles);
    forces = new_array(BOXES * EACH * sizeof *forces);
    charges = new_array(BOXES * EACH * sizeof *charges);
    counts = new_array(BOXES * sizeof *counts);
    neighbours = new_array(BOXES * NEAR * sizeof *neighbours);
    for (uint32_t i = 0; i < BOXES * EACH; i++) {
        particles[i] = (struct particle){between(0, 1, 5 * i), between(0, 1, 5 * i + 1), between(0, 1, 5 * i + 2),
                                         between(0, 1, 5 * i + 3)};
        charges[i] = between(0, 1, 5 * i + 4);
    }
    for (int box = 0; box < BOXES; box++)
        for (int near = 0; near < NEAR; near++) {
            int x = box / (SIDE * SIDE) + near / 9 - 1, y = box / SIDE % SIDE + near / 3 % 3 - 1;
            int z = box % SIDE + near % 3 - 1;
            if (x >= 0 && x < SIDE && y >= 0 && y < SIDE && z >= 0 && z < SIDE)
                neighbours[box * NEAR + counts[box]++] = (x * SIDE + y) * SIDE + z;
        }
}

static inline void attract(const struct particle *a, const struct particle *b, float charge,
                           struct particle *force) FOR_BOTH
{
    float squared = a->v + b->v - (a->x * b->x + a->y * b->y + a->z * b->z);
    float v = expf(-0.5f * squared), f = 2 * v * charge;
    force->v += charge * v;
    force->x += f * (a->x - b->x);
    force->y += f * (a->y - b->y);
    force->z += f * (a->z - b->z);
}

static void loops(void)
{
#pragma omp parallel for
    for (int box = 0; box < BOXES; box++)
        for (int i = box * EACH; i < (box + 1) * EACH; i++) {
            struct particle force = {0};
            for (int near = 0; near < counts[box]; near++) {
                int from = neighbours[box * NEAR + near] * EACH;
                for (int j = from; j < from + EACH; j++)
                    attract(&particles[i], &particles[j], charges[j], &force);
            }
            forces[i] = force;
        }
}

#ifndef _OPENMP
static void interact(amp_tiled_index1(EACH) t, int n, int boxes, const struct particle all[n], const float charge[n],
                     const int count[boxes], const int near[boxes][NEAR], struct particle out[n]) restrict(amp)
{
    tile_static struct particle others[EACH];
    tile_static float other_charges[EACH];
    int box = t.tile[0], thread = t.local[0];
    struct particle self = all[t.global[0]], force = {0};
    for (int k = 0; k < count[box]; k++) {
        int from = near[box][k] * EACH;
        others[thread] = all[from + thread];
        other_charges[thread] = charge[from + thread];
        amp_tile_barrier_wait(t.barrier);
        for (int j = 0; j < EACH; j++)
            attract(&self, &others[j], other_charges[j], &force);
        amp_tile_barrier_wait(t.barrier);
    }
    out[t.global[0]] = force;
}

static void launch(void)
{
    amp_auto_array_view *all = amp_array_view1(BOXES * EACH, (const struct particle *)particles);
    amp_auto_array_view *charge = amp_array_view1(BOXES * EACH, (const float *)charges);
    amp_auto_array_view *count = amp_array_view1(BOXES, (const int *)counts);
    amp_auto_array_view *near = amp_array_view2(BOXES, NEAR, (const int *)neighbours);
    amp_auto_array_view *out = amp_array_view1(BOXES * EACH, forces);
    amp_discard_data(out);
    amp_parallel_for_each(amp_extent1(BOXES * EACH), interact, all, charge, count, near, out);
    amp_synchronize(out);
}
#endif

PORT("lavamd", (&forces->v), BOXES * EACH * 4, 1e-4)
