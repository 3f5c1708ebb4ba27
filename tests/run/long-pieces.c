/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 *
 * All threads of tiles together stride over arrays, whose lengths leave some of them fewer passes, or none. */
#include <amp.h>
#include <stdio.h>
#include <stdlib.h>

enum { TILE = 256, TILES = 3, THREADS = TILE * TILES, MOST = 5 * THREADS };

void dot(amp_tiled_index1(TILE) t, int n, int m, const double a[n], const double b[n], double sums[m]) restrict(amp)
{
    double sum = 0;
    for (int i = t.global[0]; i < n; i += m)
        sum += a[i] * b[i];
    sums[t.global[0]] = sum;
}

/* The same with numbers of 16 bits, of which a vector holds more, and a sum in tile memory. */
void count(amp_tiled_index1(TILE) t, int n, int m, const short a[n], const short b[n], int sums[m]) restrict(amp)
{
    tile_static int part[TILE];
    int thread = t.local[0];
    part[thread] = 0;
    for (int i = t.global[0]; i < n; i += m)
        if (a[i] > b[i])
            part[thread] += a[i];
    amp_tile_barrier_wait(t.barrier);
    sums[t.global[0]] = part[thread] - part[TILE - 1 - thread];
}

static double a[MOST], b[MOST], sums[THREADS];
static short c[MOST], d[MOST];
static int counts[THREADS];

static void launch(int n)
{
    amp_array_view *views[] = {amp_array_view1(n, (const double *)a), amp_array_view1(n, (const double *)b),
                               amp_array_view1(THREADS, sums),        amp_array_view1(n, (const short *)c),
                               amp_array_view1(n, (const short *)d),  amp_array_view1(THREADS, counts)};
    amp_parallel_for_each(amp_extent1(THREADS), dot, views[0], views[1], views[2]);
    amp_parallel_for_each(amp_extent1(THREADS), count, views[3], views[4], views[5]);
    amp_synchronize(views[2]);
    amp_synchronize(views[5]);
    for (int v = 0; v < 6; v++)
        amp_array_view_release(views[v]);
}

static int count_of(int n, int thread)
{
    int sum = 0;
    for (int i = thread; i < n; i += THREADS)
        sum += c[i] > d[i] ? c[i] : 0;
    return sum;
}

int main(void)
{
    static const int lengths[] = {1,        63,  64, 65, 255, 256, 700, THREADS, THREADS + 1, 2 * THREADS + 100,
                                  MOST - 1, MOST};
    for (int i = 0; i < MOST; i++) {
        a[i] = i % 101;
        b[i] = i % 7 - 3;
        c[i] = (short)(i * 31 % 1000);
        d[i] = (short)(i * 17 % 1000);
    }
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        launch(lengths[l]);
        for (int thread = 0; thread < THREADS; thread++) {
            double sum = 0;
            for (int i = thread; i < lengths[l]; i += THREADS)
                sum += a[i] * b[i];
            int first = thread / TILE * TILE;
            int count = count_of(lengths[l], thread) - count_of(lengths[l], first + TILE - 1 - thread % TILE);
            if (sums[thread] != sum || counts[thread] != count) {
                fprintf(stderr, "n = %d, thread %d: %g, not %g; %d, not %d\n", lengths[l], thread, sums[thread], sum,
                        counts[thread], count);
                return EXIT_FAILURE;
            }
        }
    }
    if (amp_error_status() != AMP_OK) {
        fprintf(stderr, "%s\n", amp_error_text());
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
