/* SPDX-License-Identifier: MIT */
#include "../gpu/gpu.h"

enum { TILE = 256, BINS = 256, PER_THREAD = 256 };
#include "kernel.h"

static struct data bytes, bins;
static int hn;
static void set_up(void)
{
    hn = is_check ? 1 << 18 : 1 << 30;
    unsigned char *x = new_array((size_t)hn);
    for (int i = 0; i < hn; i++) {
        uint32_t random = hash((uint32_t)i ^ seed);
        x[i] = (unsigned char)((random >> 24) * (random >> 16 & 255) >> 8);
    }
    bytes = new_data((size_t)hn, AMP_TYPE_U8, 1, x), bins = ints(BINS, NULL);
}
static void ours(void)
{
    amp_parallel_for_each_on(on, amp_extent1(hn / PER_THREAD), count, bytes.array, bins.array);
}
static void peer(void)
{
    launch_peer("histogram", blocks(hn, TILE * PER_THREAD), 1, TILE, 1, (void *[]){&bytes.memory, &bins.memory});
}
static void verify(void)
{
    int result[BINS], expected[BINS] = {0};
    fetch(&bins, result);
    for (int i = 0; i < hn; i++)
        expected[((unsigned char *)bytes.host)[i]]++;
    for (size_t i = 0; i < BINS; i++)
        expect(result[i], expected[i], 0, i);
    store(&bins, NULL);
}

GPU_PROBLEM("histogram", set_up, ours, peer, verify)
