/* SPDX-License-Identifier: MIT
 *
 * How much of the sky each point of a scene of three spheres and a plane sees: a pixel for each thread, 64 rays from
 * what it shows. */
#include "port.h"

enum { SIZE = 256, RAYS = 8 };
static float *image;

struct vector {
    float x, y, z;
};
struct hit {
    float distance;
    struct vector at, normal;
    bool is_hit;
};

static void set_up(void)
{
    image = new_array(SIZE * SIZE * sizeof *image);
}

static inline float dot(struct vector a, struct vector b) FOR_BOTH
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct vector cross(struct vector a, struct vector b) FOR_BOTH
{
    return (struct vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline struct vector scaled(struct vector a, float factor) FOR_BOTH
{
    return (struct vector){a.x * factor, a.y * factor, a.z * factor};
}

static inline struct vector sum(struct vector a, struct vector b) FOR_BOTH
{
    return (struct vector){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline struct vector normalized(struct vector a) FOR_BOTH
{
    return scaled(a, 1 / sqrtf(dot(a, a)));
}

static inline void meet_sphere(struct vector center, struct vector from, struct vector to, struct hit *hit) FOR_BOTH
{
    struct vector way = sum(from, scaled(center, -1));
    float b = dot(way, to), c = dot(way, way) - 0.25f, d = b * b - c;
    if (d <= 0)
        return;
    float t = -b - sqrtf(d);
    if (t > 0 && t < hit->distance) {
        hit->distance = t;
        hit->is_hit = true;
        hit->at = sum(from, scaled(to, t));
        hit->normal = normalized(sum(hit->at, scaled(center, -1)));
    }
}

static inline void meet_plane(struct vector from, struct vector to, struct hit *hit) FOR_BOTH
{
    if (fabsf(to.y) < 1e-9f)
        return;
    float t = -(from.y + 0.5f) / to.y;
    if (t > 0 && t < hit->distance) {
        hit->distance = t;
        hit->is_hit = true;
        hit->at = sum(from, scaled(to, t));
        hit->normal = (struct vector){0, 1, 0};
    }
}

static inline struct hit cast(struct vector from, struct vector to) FOR_BOTH
{
    struct hit hit = {1e17f, {0, 0, 0}, {0, 0, 0}, false};
    meet_sphere((struct vector){-2, 0, -3.5f}, from, to, &hit);
    meet_sphere((struct vector){-0.5f, 0, -3}, from, to, &hit);
    meet_sphere((struct vector){1, 0, -2.2f}, from, to, &hit);
    meet_plane(from, to, &hit);
    return hit;
}

static inline float next_random(uint32_t *state) FOR_BOTH
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return (float)(*state >> 8) / (float)(1 << 24);
}

static inline float brightness(int row, int col) FOR_BOTH
{
    struct vector eye = {0, 0, 0};
    struct vector to = {((float)col - SIZE / 2) / (SIZE / 2), -((float)row - SIZE / 2) / (SIZE / 2), -1};
    struct hit hit = cast(eye, normalized(to));
    if (!hit.is_hit)
        return 0;
    struct vector n = hit.normal, side = {0, 0, 0};
    if (fabsf(n.x) < 0.6f)
        side.x = 1;
    else
        side.y = 1;
    struct vector u = normalized(cross(side, n)), v = cross(n, u), from = sum(hit.at, scaled(n, 1e-4f));
    uint32_t state = (uint32_t)(row * SIZE + col) * 2654435761u + 1;
    int free = 0;
    for (int ray = 0; ray < RAYS * RAYS; ray++) {
        float radius = sqrtf(next_random(&state)), angle = 2 * 3.14159265f * next_random(&state);
        float x = cosf(angle) * radius, y = sinf(angle) * radius, z = sqrtf(fmaxf(0, 1 - x * x - y * y));
        struct vector way = sum(sum(scaled(u, x), scaled(v, y)), scaled(n, z));
        free += !cast(from, way).is_hit;
    }
    return (float)free / (RAYS * RAYS);
}

static void loops(void)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (int row = 0; row < SIZE; row++)
        for (int col = 0; col < SIZE; col++)
            image[row * SIZE + col] = brightness(row, col);
}

#ifndef _OPENMP
static void shade(amp_index2 idx, int n, float out[n][n]) restrict(amp)
{
    out[idx[0]][idx[1]] = brightness(idx[0], idx[1]);
}

static void launch(void)
{
    amp_auto_array_view *out = amp_array_view2(SIZE, SIZE, image);
    amp_discard_data(out);
    amp_parallel_for_each(amp_extent2(SIZE, SIZE), shade, out);
    amp_synchronize(out);
}
#endif

/* A ray that just meets a sphere may meet it or not, because sines differ in the last bit. */
PORT("aobench", image, SIZE *SIZE, 3.0 / (RAYS * RAYS))
