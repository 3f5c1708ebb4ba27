/* SPDX-License-Identifier: MIT
 *
 * Gravity between all pairs of bodies: a planet, and moons of equal mass at equal distances on a circle around it. Such
 * a ring turns like a wheel, at a speed that is known, so each moon can be looked for where it must be. The pull of
 * bodies that come close is softened, as usual.
 *
 * ./nbody [N [STEPS]]: N moons, a quarter turn in STEPS steps, on the default accelerator. On four ranks:
 * AMP_DEFAULT_ACCELERATOR=all mpirun -n 4 ./nbody 16384 */
#include <amp.h>
#include <amp_math.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct body {
    float x, y, z, mass;
};
struct velocity {
    float x, y, z;
};

#define SOFT 0.25f /* how far away the pull is softened */

/* A step of one body. The velocities belong to times halfway between the positions'. */
static void step(amp_index1 idx, int N, float dt, const struct body from[N], struct velocity velocities[N],
                 struct body to[N]) restrict(amp)
{
    int i = idx[0];
    struct body me = from[i];
    struct velocity v = velocities[i];
    float ax = 0, ay = 0, az = 0;
    for (int k = 0; k < N; k++) {
        float x = from[k].x - me.x, y = from[k].y - me.y, z = from[k].z - me.z;
        float square = x * x + y * y + z * z + SOFT * SOFT;
        float pull = from[k].mass / (square * sqrtf(square));
        ax += pull * x;
        ay += pull * y;
        az += pull * z;
    }
    v = (struct velocity){v.x + dt * ax, v.y + dt * ay, v.z + dt * az};
    velocities[i] = v;
    to[i] = (struct body){me.x + dt * v.x, me.y + dt * v.y, me.z + dt * v.z, me.mass};
}

/* Runs the steps; `bodies` has the result. */
static amp_status move(int n, int n_steps, float dt, struct body *bodies, struct velocity *velocities,
                       struct body *other)
{
    amp_error_scope scope = amp_error_begin();
    amp_auto_array_view *from = amp_array_view1(n, bodies), *to = amp_array_view1(n, other);
    amp_auto_array_view *v = amp_array_view1(n, velocities);
    for (int s = 0; s < n_steps; s += 2) {
        amp_parallel_for_each(amp_extent1(n), step, dt, from, v, to);
        amp_parallel_for_each(amp_extent1(n), step, dt, to, v, from);
    }
    amp_synchronize(from);
    return amp_error_end(&scope);
}

/* The position of a moon on the circle, whose radius is 1, after the ring has turned by `angle`. */
static struct body place(int moon, int n_moons, double angle)
{
    double at = angle + 2 * acos(-1) * moon / n_moons;
    return (struct body){(float)cos(at), (float)sin(at), 0, 1 / (float)n_moons};
}

int main(int argc, char **argv)
{
    int n_moons = argc > 1 ? atoi(argv[1]) : 500, n_steps = argc > 2 ? atoi(argv[2]) : 100, n = n_moons + 1;
    if (n_moons < 2 || n_steps < 2 || n_steps % 2) {
        fprintf(stderr, "usage: nbody [N [STEPS]]: N is at least 2, STEPS even\n");
        return 2;
    }
    struct body *bodies = malloc((size_t)n * sizeof *bodies), *other = malloc((size_t)n * sizeof *other);
    struct velocity *velocities = malloc((size_t)n * sizeof *velocities);
    if (!bodies || !other || !velocities) {
        fprintf(stderr, "nbody: no memory for %d bodies\n", n);
        return 1;
    }
    /* The pull of the planet and of all moons towards the middle, which holds a moon on the circle. */
    double quarter = acos(-1) / 2, soft = (double)SOFT * (double)SOFT, pull = pow(1 + soft, -1.5), error = 0;
    for (int k = 0; k < n_moons; k++) {
        double half = sin(2 * quarter * k / n_moons), square = 4 * half * half + soft;
        pull += 2 * half * half * pow(square, -1.5) / n_moons;
    }
    double speed = sqrt(pull), dt = quarter / speed / n_steps, late = speed * dt / 2;
    for (int i = 0; i < n_moons; i++) {
        struct body before = place(i, n_moons, -late);
        bodies[i] = place(i, n_moons, 0);
        velocities[i] = (struct velocity){(float)(-speed * before.y), (float)(speed * before.x), 0};
    }
    bodies[n_moons] = (struct body){0, 0, 0, 1};
    velocities[n_moons] = (struct velocity){0, 0, 0};

    if (move(n, n_steps, (float)dt, bodies, velocities, other) != AMP_OK) {
        fprintf(stderr, "nbody: %s\n", amp_error_last_text());
        return 1;
    }
    for (int i = 0; i < n_moons; i++) {
        struct body right = place(i, n_moons, quarter);
        error = fmax(error, hypot((double)(bodies[i].x - right.x), (double)(bodies[i].y - right.y)));
    }
    bool is_right = error <= 1e-4 + 4 * late * late; /* rounding, and the steps' length */
    if (amp_rank() == 0)
        printf("%d moons, a quarter turn in %d steps: %s\n", n_moons, n_steps,
               is_right ? "all where they should be" : "they have left their places");
    free(bodies), free(other), free(velocities);
    return !is_right;
}
