/* SPDX-License-Identifier: MIT
 *
 * The peer of samples/nbody.c, written by hand with MPI: each rank moves its bodies, and all get the positions before
 * each step. A rank's bodies are three rows, x, y and z; what is left of the last ranks' has no mass.
 *
 * bodies N STEPS */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define SOFT 0.25f

static struct {
    int own, ranks, n_moons; /* bodies of a rank, ranks, moons */
    float *all, *mass;       /* [ranks][3][own], [ranks][own] */
    float *own_at, *speed;   /* [3][own] */
} ring;

static void step(float dt)
{
    int own = ring.own;
    MPI_Allgather(ring.own_at, 3 * own, MPI_FLOAT, ring.all, 3 * own, MPI_FLOAT, MPI_COMM_WORLD);
    for (int i = 0; i < own; i++) {
        float at[3], pull[3] = {0};
        for (int d = 0; d < 3; d++)
            at[d] = ring.own_at[d * own + i];
        for (int rank = 0; rank < ring.ranks; rank++) {
            const float *x = ring.all + 3 * rank * own, *y = x + own, *z = y + own, *mass = ring.mass + rank * own;
            float ax = 0, ay = 0, az = 0;
            for (int k = 0; k < own; k++) {
                float dx = x[k] - at[0], dy = y[k] - at[1], dz = z[k] - at[2];
                float square = dx * dx + dy * dy + dz * dz + SOFT * SOFT, by = mass[k] / (square * sqrtf(square));
                ax += by * dx;
                ay += by * dy;
                az += by * dz;
            }
            pull[0] += ax;
            pull[1] += ay;
            pull[2] += az;
        }
        for (int d = 0; d < 3; d++)
            ring.speed[d * own + i] += dt * pull[d];
    }
    for (int i = 0; i < 3 * own; i++)
        ring.own_at[i] += dt * ring.speed[i];
}

/* Sets the bodies as samples/nbody.c does. */
static void begin(int rank, double speed, double late)
{
    int own = ring.own;
    for (int k = 0; k < own * ring.ranks; k++)
        ring.mass[k] = k < ring.n_moons ? 1 / (float)ring.n_moons : (float)(k == ring.n_moons);
    for (int i = 0; i < own && rank * own + i < ring.n_moons; i++) {
        double angle = 2 * acos(-1) * (rank * own + i) / ring.n_moons;
        ring.own_at[i] = (float)cos(angle), ring.own_at[own + i] = (float)sin(angle);
        ring.speed[i] = (float)(-speed * sin(angle - late)), ring.speed[own + i] = (float)(speed * cos(angle - late));
    }
}

/* Returns how far the moons are from where they must be after a quarter turn. */
static double error_of(int rank)
{
    double error = 0, greatest;
    for (int i = 0; i < ring.own && rank * ring.own + i < ring.n_moons; i++) {
        double angle = acos(-1) / 2 + 2 * acos(-1) * (rank * ring.own + i) / ring.n_moons;
        error = fmax(error, hypot((double)ring.own_at[i] - cos(angle), (double)ring.own_at[ring.own + i] - sin(angle)));
    }
    MPI_Allreduce(&error, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return greatest;
}

int main(int argc, char **argv)
{
    int n_steps = argc > 2 ? atoi(argv[2]) : 100, rank;
    ring.n_moons = argc > 2 ? atoi(argv[1]) : 500;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ring.ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ring.own = (ring.n_moons + ring.ranks) / ring.ranks;
    size_t own = (size_t)ring.own, n = own * (size_t)ring.ranks;
    ring.all = calloc(3 * n, sizeof(float)), ring.mass = calloc(n, sizeof(float));
    ring.own_at = calloc(3 * own, sizeof(float)), ring.speed = calloc(3 * own, sizeof(float));
    double quarter = acos(-1) / 2, soft = (double)SOFT * (double)SOFT, pull = pow(1 + soft, -1.5);
    for (int k = 0; k < ring.n_moons; k++) {
        double half = sin(2 * quarter * k / ring.n_moons), square = 4 * half * half + soft;
        pull += 2 * half * half * pow(square, -1.5) / ring.n_moons;
    }
    double dt = quarter / sqrt(pull) / n_steps;
    begin(rank, sqrt(pull), sqrt(pull) * dt / 2);
    for (int s = 0; s < n_steps; s++)
        step((float)dt);
    double error = error_of(rank), late = sqrt(pull) * dt / 2;
    free(ring.all), free(ring.mass), free(ring.own_at), free(ring.speed);
    MPI_Finalize();
    return error > 1e-4 + 4 * late * late;
}
