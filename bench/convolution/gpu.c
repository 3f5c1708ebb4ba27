/* SPDX-License-Identifier: MIT */
#include "../gpu/grid.h"

enum { RADIUS = 3, TAPS = 2 * RADIUS + 1 };
#include "kernel.h"

static struct data filter;
static amp_array_view *filter_view;

static void set_up(void)
{
    make_grids();
    filter = floats(TAPS * TAPS, random_floats(TAPS * TAPS, 0, 1));
    filter_view = rows(&filter, TAPS, TAPS);
}
static void ours(void)
{
    amp_parallel_for_each_on(on, amp_extent2(size, size), convolve, filter_view, from_view, to_view);
}
static void peer(void)
{
    launch_peer("convolution", blocks(size, 32), blocks(size, 8), 32, 8,
                (void *[]){&size, &size, &filter.memory, &from.memory, &to.memory});
}
static double convolved(int i, int j)
{
    double sum = 0;
    for (int y = 0; y < TAPS; y++)
        for (int x = 0; x < TAPS; x++)
            sum += (double)((float *)filter.host)[y * TAPS + x] * at(i + y - RADIUS, j + x - RADIUS);
    return sum;
}
static void verify(void)
{
    verify_grid(convolved);
}

GPU_PROBLEM("convolution", set_up, ours, peer, verify)
