/* SPDX-License-Identifier: MIT */
#include "../gpu/grid.h"
#include "kernel.h"

static void ours(void)
{
    amp_parallel_for_each_on(on, amp_extent2(size - 2, size - 2), sweep, from_view, to_view);
}
static void peer(void)
{
    launch_peer("jacobi", blocks(size - 2, 32), blocks(size - 2, 8), 32, 8,
                (void *[]){&size, &size, &from.memory, &to.memory});
}
static double swept(int i, int j)
{
    bool is_inside = i > 0 && i < size - 1 && j > 0 && j < size - 1;
    return is_inside ? 0.25 * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1)) : 0;
}
static void verify(void)
{
    verify_grid(swept);
}

GPU_PROBLEM("jacobi", make_grids, ours, peer, verify)
