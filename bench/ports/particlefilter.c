/* SPDX-License-Identifier: MIT
 *
 * A step of a particle filter that follows a disc in an image: how likely each particle is, by the pixels around it,
 * and which one each of the next generation comes from, found by a search from the first on. */
#include "port.h"

enum { PARTICLES = 1 << 12, SIZE = 512, RADIUS = 4 };
static int *image;
static float *rows, *cols, *likelihoods, *sums, *chosen;

static void set_up(void)
{
    image = new_array(SIZE * SIZE * sizeof *image);
    rows = new_array(PARTICLES * sizeof *rows);
    cols = new_array(PARTICLES * sizeof *cols);
    likelihoods = new_array(PARTICLES * sizeof *likelihoods);
    sums = new_array(PARTICLES * sizeof *sums);
    chosen = new_array(PARTICLES * sizeof *chosen);
    for (int i = 0; i < SIZE * SIZE; i++)
        image[i] = (hypot(i / SIZE - SIZE / 2, i % SIZE - SIZE / 2) < 20 ? 228 : 100) + small((uint32_t)i);
    for (uint32_t i = 0; i < PARTICLES; i++) {
        rows[i] = SIZE / 2 + between(-40, 40, i);
        cols[i] = SIZE / 2 + between(-40, 40, ~i);
    }
}

static inline float likelihood(const int *pixels, float row, float col) FOR_BOTH
{
    float sum = 0;
    for (int y = -RADIUS; y <= RADIUS; y++)
        for (int x = -RADIUS; x <= RADIUS; x++)
            if (x * x + y * y <= RADIUS * RADIUS) {
                int at = ((int)roundf(row) + y) * SIZE + (int)roundf(col) + x;
                at = at < 0 || at >= SIZE * SIZE ? 0 : at;
                int dark = pixels[at] - 100, light = pixels[at] - 228;
                sum += (float)(dark * dark - light * light) / 50;
            }
    return expf(sum / (4 * RADIUS * RADIUS * 50));
}

static inline int find(int n, const float *ascending, float value) FOR_BOTH
{
    for (int i = 0; i < n; i++)
        if (ascending[i] >= value)
            return i;
    return n - 1;
}

static void add_up(void)
{
    double sum = 0;
    for (int i = 0; i < PARTICLES; i++)
        sums[i] = (float)(sum += (double)likelihoods[i]);
}

static void loops(void)
{
#pragma omp parallel for
    for (int i = 0; i < PARTICLES; i++)
        likelihoods[i] = likelihood(image, rows[i], cols[i]);
    add_up();
#pragma omp parallel for
    for (int i = 0; i < PARTICLES; i++)
        chosen[i] = rows[find(PARTICLES, sums, ((float)i + 0.5f) / PARTICLES * sums[PARTICLES - 1])];
}

#ifndef _OPENMP
static void weigh(amp_index1 idx, int n, int pixels, const int picture[pixels], const float row[n], const float col[n],
                  float to[n]) restrict(amp)
{
    to[idx[0]] = likelihood(picture, row[idx[0]], col[idx[0]]);
}

static void choose(amp_index1 idx, int n, const float all[n], const float row[n], float to[n]) restrict(amp)
{
    to[idx[0]] = row[find(n, all, ((float)idx[0] + 0.5f) / (float)n * all[n - 1])];
}

static void launch(void)
{
    amp_auto_array_view *picture = amp_array_view1(SIZE * SIZE, (const int *)image);
    amp_auto_array_view *row = amp_array_view1(PARTICLES, (const float *)rows);
    amp_auto_array_view *col = amp_array_view1(PARTICLES, (const float *)cols);
    amp_auto_array_view *weights = amp_array_view1(PARTICLES, likelihoods);
    amp_discard_data(weights);
    amp_parallel_for_each(amp_extent1(PARTICLES), weigh, picture, row, col, weights);
    amp_synchronize(weights);
    add_up();
    amp_auto_array_view *all = amp_array_view1(PARTICLES, (const float *)sums);
    amp_auto_array_view *to = amp_array_view1(PARTICLES, chosen);
    amp_discard_data(to);
    amp_parallel_for_each(amp_extent1(PARTICLES), choose, all, row, to);
    amp_synchronize(to);
}
#endif

PORT("particlefilter", likelihoods, PARTICLES, 1e-5)
