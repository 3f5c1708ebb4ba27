/* SPDX-License-Identifier: MIT */
#include "../gpu/gpu.h"

enum { TILE = 256 };
#include "kernel.h"

static struct data terms, parts, last;
static int rn;
static void set_up(void)
{
    rn = is_check ? 1 << 18 : 1 << 28;
    float *x = new_array((size_t)rn * sizeof *x);
    for (int i = 0; i < rn; i++)
        x[i] = (float)small((uint32_t)i ^ seed);
    terms = floats((size_t)rn, x), parts = floats((size_t)rn / TILE, NULL),
    last = floats((size_t)rn / TILE / TILE, NULL);
}
static void ours(void)
{
    amp_parallel_for_each_on(on, amp_extent1(rn), reduce, terms.array, parts.array);
    amp_parallel_for_each_on(on, amp_extent1(rn / TILE), reduce, parts.array, last.array);
}
static void peer(void)
{
    launch_peer("reduction", blocks(rn, TILE), 1, TILE, 1, (void *[]){&terms.memory, &parts.memory});
    launch_peer("reduction", blocks(rn / TILE, TILE), 1, TILE, 1, (void *[]){&parts.memory, &last.memory});
}
static void verify(void)
{
    double sum = 0, expected = 0;
    float *x = new_array(last.size_bytes);
    fetch(&last, x);
    for (size_t i = 0; i < last.n; i++)
        sum += x[i];
    for (int i = 0; i < rn; i++)
        expected += ((float *)terms.host)[i];
    expect(sum, expected, 0, 0);
    store(&last, NULL);
    free(x);
}

GPU_PROBLEM("reduction", set_up, ours, peer, verify)
