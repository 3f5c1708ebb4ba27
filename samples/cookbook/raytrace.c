/* SPDX-License-Identifier: MIT
 *
 * Spheres on a chequered floor, with a shadow and reflections. Recursion becomes a loop over the bounces of a ray. */
#include "cookbook.h"
#include <math.h>

enum { H = 240, W = 320, SPHERES = 3 };
struct vector {
    float x, y, z;
};
struct sphere {
    float x, y, z, radius, red, green, blue, mirror;
};

static const struct sphere spheres[SPHERES] = {
    {-1.1f, 1, 4.6f, 1, 0.9f, 0.2f, 0.1f, 0.12f},
    {1, 0.7f, 3.6f, 0.7f, 0.1f, 0.3f, 0.9f, 0.2f},
    {0.3f, 1.3f, 6.5f, 1.3f, 0.9f, 0.7f, 0.2f, 0.4f},
};

static struct vector along(struct vector a, struct vector d, float t) restrict(amp)
{
    return (struct vector){a.x + t * d.x, a.y + t * d.y, a.z + t * d.z};
}

static float dot(struct vector a, struct vector b) restrict(amp)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vector normal_of(struct vector a) restrict(amp)
{
    float s = 1 / sqrtf(dot(a, a));
    return (struct vector){a.x * s, a.y * s, a.z * s};
}

/* Where a ray meets its first object: the distance, and which sphere; SPHERES is the floor, -1 the sky. */
static float trace(struct vector from, struct vector d, int *which) restrict(amp)
{
    float nearest = 1e9f;
    *which = -1;
    for (int i = 0; i < SPHERES; i++) {
        struct vector to = {spheres[i].x - from.x, spheres[i].y - from.y, spheres[i].z - from.z};
        float b = dot(to, d), rest = spheres[i].radius * spheres[i].radius - dot(to, to) + b * b;
        float t = rest > 0 ? b - sqrtf(rest) : -1;
        if (t > 1e-3f && t < nearest) {
            nearest = t;
            *which = i;
        }
    }
    float floor = d.y < 0 ? -from.y / d.y : -1;
    if (floor > 1e-3f && floor < nearest) {
        nearest = floor;
        *which = SPHERES;
    }
    return nearest;
}

static void render(amp_index2 idx, unsigned char rgb[H][W][3]) restrict(amp)
{
    struct vector at = {0, 1.2f, 0}, light = normal_of((struct vector){-0.6f, 1, -0.5f});
    struct vector d = normal_of((struct vector){(idx[1] - W / 2) / 200.0f, (H / 2 - idx[0]) / 200.0f, 1});
    float colour[3] = {0, 0, 0}, weight = 1;
    for (int bounce = 0; bounce < 4 && weight > 0.01f; bounce++) {
        int which, blocker;
        float t = trace(at, d, &which), mirror = 0, own[3] = {0.5f - 0.3f * d.y, 0.7f - 0.2f * d.y, 0.9f};
        struct vector normal = {0, 1, 0};
        if (which >= 0) {
            at = along(at, d, t);
            if (which == SPHERES) {
                float shade = ((int)floorf(at.x) + (int)floorf(at.z)) % 2 ? 0.85f : 0.35f;
                own[0] = own[1] = own[2] = shade;
                mirror = 0.15f;
            } else {
                normal = normal_of(
                    (struct vector){at.x - spheres[which].x, at.y - spheres[which].y, at.z - spheres[which].z});
                own[0] = spheres[which].red;
                own[1] = spheres[which].green;
                own[2] = spheres[which].blue;
                mirror = spheres[which].mirror;
            }
            trace(at, light, &blocker);
            float lit = blocker < 0 ? fmaxf(dot(normal, light), 0) : 0;
            for (int c = 0; c < 3; c++)
                own[c] *= 0.25f + 0.75f * lit;
        }
        for (int c = 0; c < 3; c++)
            colour[c] += weight * (1 - mirror) * own[c];
        weight *= mirror;
        d = along(d, normal, -2 * dot(d, normal));
    }
    for (int c = 0; c < 3; c++)
        rgb[idx[0]][idx[1]][c] = (unsigned char)(255 * sqrtf(fminf(colour[c], 1)));
}

int main(int argc, char **argv)
{
    static unsigned char rgb[H][W][3];
    amp_auto_array_view *picture = amp_array_view3(H, W, 3, rgb[0][0]);
    amp_parallel_for_each(amp_extent2(H, W), render, picture);
    amp_synchronize(picture);
    printf("the red sphere is %s\n", rgb[120][110][0] > rgb[120][110][2] + 40 ? "red" : "not red");
    picture_write(argc, argv, H, W, rgb[0][0]);
    return finish();
}
