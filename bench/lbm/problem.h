/* SPDX-License-Identifier: MIT
 *
 * Lattice Boltzmann, D3Q19: a box of fluid with walls. The distributions of a cell lie side by side, an array of
 * structs; a step computes them anew and hands each on to the neighbour in its direction. */
#include "../bench.h"

enum { W = 64, H = 64, D = 128, CELLS = W * H * D, STEPS = 2 };

/* X(direction, its opposite, x, y, z, weight) */
#define DIRECTIONS(X)                                                                                                  \
    X(c, c, 0, 0, 0, 1 / 3.0f)                                                                                         \
    X(n, s, 0, 1, 0, 1 / 18.0f)                                                                                        \
    X(s, n, 0, -1, 0, 1 / 18.0f)                                                                                       \
    X(e, w, 1, 0, 0, 1 / 18.0f)                                                                                        \
    X(w, e, -1, 0, 0, 1 / 18.0f)                                                                                       \
    X(t, b, 0, 0, 1, 1 / 18.0f)                                                                                        \
    X(b, t, 0, 0, -1, 1 / 18.0f)                                                                                       \
    X(ne, sw, 1, 1, 0, 1 / 36.0f)                                                                                      \
    X(nw, se, -1, 1, 0, 1 / 36.0f)                                                                                     \
    X(se, nw, 1, -1, 0, 1 / 36.0f)                                                                                     \
    X(sw, ne, -1, -1, 0, 1 / 36.0f)                                                                                    \
    X(nt, sb, 0, 1, 1, 1 / 36.0f)                                                                                      \
    X(nb, st, 0, 1, -1, 1 / 36.0f)                                                                                     \
    X(st, nb, 0, -1, 1, 1 / 36.0f)                                                                                     \
    X(sb, nt, 0, -1, -1, 1 / 36.0f)                                                                                    \
    X(et, wb, 1, 0, 1, 1 / 36.0f)                                                                                      \
    X(eb, wt, 1, 0, -1, 1 / 36.0f)                                                                                     \
    X(wt, eb, -1, 0, 1, 1 / 36.0f)                                                                                     \
    X(wb, et, -1, 0, -1, 1 / 36.0f)

#define MEMBER(q, o, x, y, z, weight) float q;
struct cell {
    DIRECTIONS(MEMBER)
    int is_wall;
};

#ifdef AMP_VERSION
#define FOR_BOTH restrict(amp, cpu)
#else
#define FOR_BOTH
#endif

/* The step of one cell, for both sides: `from` and `to` point to it in either lattice. */
#define NEIGHBOUR(x, y, z)                 ((x) + W * ((y) + H * (z)))
#define BOUNCE(q, o, x, y, z, weight)      to[NEIGHBOUR(x, y, z)].q = from->o;
#define ADD_MOMENTS(q, o, x, y, z, weight) density += from->q, ux += x * from->q, uy += y * from->q, uz += z * from->q;
#define RELAX(q, o, x, y, z, weight)                                                                                   \
    along = x * ux + y * uy + z * uz;                                                                                  \
    to[NEIGHBOUR(x, y, z)].q =                                                                                         \
        -0.2f * from->q + 1.2f * weight * density * (1 + along * (3 + 4.5f * along) - squares);

static inline void step_cell(const struct cell *from, struct cell *to) FOR_BOTH
{
    if (from->is_wall) {
        DIRECTIONS(BOUNCE)
        return;
    }
    float density = 0, ux = 0, uy = 0, uz = 0, along;
    DIRECTIONS(ADD_MOMENTS)
    ux /= density;
    uy /= density;
    uz /= density;
    float squares = 1.5f * (ux * ux + uy * uy + uz * uz);
    DIRECTIONS(RELAX)
}

/* A margin takes what walls hand on to the outside. */
enum { MARGIN = NEIGHBOUR(1, 1, 1), ALL = CELLS + 2 * MARGIN };
static struct cell *lattice[STEPS + 1];

static void set_up(void)
{
    for (int l = 0; l <= STEPS; l++)
        lattice[l] = new_array(ALL * sizeof(struct cell));
    for (int i = 0; i < ALL; i++) {
        int at = i - MARGIN, x = at % W, y = at / W % H, z = at / W / H;
        bool is_inside = x > 0 && x < W - 1 && y > 0 && y < H - 1 && z > 0 && z < D - 1 && i % 64;
        float density = between(0.9f, 1.1f, (uint32_t)i);
#define START(q, o, x, y, z, weight) lattice[0][i].q = weight * density;
        DIRECTIONS(START)
        for (int l = 0; l <= STEPS; l++)
            lattice[l][i].is_wall = !is_inside;
    }
}

static void verify(void)
{
    struct cell *from = lattice[0], *expected[STEPS];
    for (int step = 0; step < STEPS; step++) {
        expected[step] = new_array(ALL * sizeof(struct cell));
        memcpy(expected[step], lattice[0], ALL * sizeof(struct cell));
        for (int i = MARGIN; i < MARGIN + CELLS; i++)
            step_cell(&from[i], &expected[step][i]);
        from = expected[step];
    }
#define COMPARE(q, o, x, y, z, weight) expect(lattice[STEPS][i].q, from[i].q, 1e-6, (size_t)i);
    for (int i = 2 * MARGIN; i < CELLS; i++) {
        DIRECTIONS(COMPARE)
    }
    for (int step = 0; step < STEPS; step++)
        free(expected[step]);
}
