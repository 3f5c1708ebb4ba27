/* SPDX-License-Identifier: MIT
 *
 * Which of eight centers is nearest to each of many points of 16 features, which lie side by side. */
#include "port.h"

#include <float.h>

enum { POINTS = 1 << 18, FEATURES = 16, CENTERS = 8 };
static float *points, *centers;
static int *nearest;

static void set_up(void)
{
    points = new_array(POINTS * FEATURES * sizeof *points);
    centers = new_array(CENTERS * FEATURES * sizeof *centers);
    nearest = new_array(POINTS * sizeof *nearest);
    for (uint32_t i = 0; i < POINTS * FEATURES; i++)
        points[i] = (float)small(i);
    for (uint32_t i = 0; i < CENTERS * FEATURES; i++)
        centers[i] = (float)small(~i);
}

static void loops(void)
{
#pragma omp parallel for
    for (int i = 0; i < POINTS; i++) {
        float least = FLT_MAX;
        for (int center = 0; center < CENTERS; center++) {
            float distance = 0;
            for (int k = 0; k < FEATURES; k++) {
                float apart = points[i * FEATURES + k] - centers[center * FEATURES + k];
                distance += apart * apart;
            }
            if (distance < least) {
                least = distance;
                nearest[i] = center;
            }
        }
    }
}

#ifndef _OPENMP
static void assign(amp_index1 idx, int n, const float point[n][FEATURES], const float center[CENTERS][FEATURES],
                   int to[n]) restrict(amp)
{
    int best = 0;
    float least = FLT_MAX;
    for (int c = 0; c < CENTERS; c++) {
        float distance = 0;
        for (int k = 0; k < FEATURES; k++) {
            float apart = point[idx[0]][k] - center[c][k];
            distance += apart * apart;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    to[idx[0]] = best;
}

static void launch(void)
{
    amp_auto_array_view *point = amp_array_view2(POINTS, FEATURES, (const float *)points);
    amp_auto_array_view *center = amp_array_view2(CENTERS, FEATURES, (const float *)centers);
    amp_auto_array_view *to = amp_array_view1(POINTS, nearest);
    amp_discard_data(to);
    amp_parallel_for_each(amp_extent1(POINTS), assign, point, center, to);
    amp_synchronize(to);
}
#endif

PORT("kmeans", nearest, POINTS, 0)
