/* SPDX-License-Identifier: MIT
 *
 * k-means: 3000 points in the plane find the nearest of 4 centres, and the centres move to the middle of their points.
 * Sums are integers, so that their order does not matter. */
#include "cookbook.h"

enum { POINTS = 3000, CENTRES = 4, SIZE = 256 };

static void scatter(amp_index1 idx, float points[POINTS][2]) restrict(amp)
{
    unsigned i = (unsigned)idx[0];
    float at_x = i % 4 < 2 ? 0.3f : 0.7f, at_y = i % 2 ? 0.35f : 0.7f; /* four clouds */
    float x = random_of(6 * i) + random_of(6 * i + 1) + random_of(6 * i + 2) - 1.5f;
    float y = random_of(6 * i + 3) + random_of(6 * i + 4) + random_of(6 * i + 5) - 1.5f;
    points[i][0] = at_x + 0.22f * x;
    points[i][1] = at_y + 0.22f * y;
}

static void assign(amp_index1 idx, const float points[POINTS][2], const float centres[CENTRES][2], int nearest[POINTS],
                   int sums[CENTRES][3]) restrict(amp)
{
    float x = points[idx[0]][0], y = points[idx[0]][1], best = 1e9f;
    int k = 0;
    for (int c = 0; c < CENTRES; c++) {
        float dx = x - centres[c][0], dy = y - centres[c][1], distance = dx * dx + dy * dy;
        k = distance < best ? c : k;
        best = distance < best ? distance : best;
    }
    nearest[idx[0]] = k;
    amp_atomic_fetch_add(&sums[k][0], (int)(x * 10000));
    amp_atomic_fetch_add(&sums[k][1], (int)(y * 10000));
    amp_atomic_fetch_inc(&sums[k][2]);
}

static void move(amp_index1 idx, int sums[CENTRES][3], float centres[CENTRES][2]) restrict(amp)
{
    int c = idx[0], n = sums[c][2] > 0 ? sums[c][2] : 1;
    centres[c][0] = (float)(sums[c][0] / n) / 10000;
    centres[c][1] = (float)(sums[c][1] / n) / 10000;
    sums[c][0] = sums[c][1] = sums[c][2] = 0;
}

static unsigned char rgb[SIZE][SIZE][3];

static void dot(const float at[2], int radius, int red, int green, int blue)
{
    int cy = (int)(at[1] * SIZE), cx = (int)(at[0] * SIZE);
    for (int y = cy - radius; y <= cy + radius; y++)
        for (int x = cx - radius; x <= cx + radius; x++)
            if (y >= 0 && y < SIZE && x >= 0 && x < SIZE) {
                rgb[y][x][0] = (unsigned char)red;
                rgb[y][x][1] = (unsigned char)green;
                rgb[y][x][2] = (unsigned char)blue;
            }
}

int main(int argc, char **argv)
{
    static float points_data[POINTS][2],
        centres_data[CENTRES][2] = {{0.1f, 0.1f}, {0.2f, 0.9f}, {0.9f, 0.2f}, {0.8f, 0.8f}};
    static int nearest_data[POINTS], sums_data[CENTRES][3];
    amp_auto_array_view *points = amp_array_view2(POINTS, 2, points_data[0]),
                        *centres = amp_array_view2(CENTRES, 2, centres_data[0]);
    amp_auto_array_view *nearest = amp_array_view1(POINTS, nearest_data),
                        *sums = amp_array_view2(CENTRES, 3, sums_data[0]);
    amp_parallel_for_each(amp_extent1(POINTS), scatter, points);
    for (int i = 0; i < 10; i++) {
        amp_parallel_for_each(amp_extent1(POINTS), assign, points, centres, nearest, sums);
        amp_parallel_for_each(amp_extent1(CENTRES), move, sums, centres);
    }
    amp_synchronize(points);
    amp_synchronize(nearest);
    amp_synchronize(centres);

    static const int colours[CENTRES][3] = {{230, 80, 60}, {60, 160, 230}, {110, 190, 70}, {240, 170, 40}};
    for (int i = 0; i < POINTS; i++)
        dot(points_data[i], 1, colours[nearest_data[i]][0], colours[nearest_data[i]][1], colours[nearest_data[i]][2]);
    for (int c = 0; c < CENTRES; c++) {
        dot(centres_data[c], 3, 255, 255, 255);
        printf("centre %d at %.2f, %.2f\n", c, centres_data[c][0], centres_data[c][1]);
    }
    picture_write(argc, argv, SIZE, SIZE, rgb[0][0]);
    return finish();
}
