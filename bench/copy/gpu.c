/* SPDX-License-Identifier: MIT
 *
 * Copies 4096^2 floats in pageable memory to the device and back, while the peer's are in pinned memory; and copies
 * 2^28 floats from one array of the device to another. */
#include "../gpu/gpu.h"

static struct data box;
static float *source, *result, *pinned;
static void set_up(void)
{
    size_t n = is_check ? 1000003 : 4096 * 4096;
    box = floats(n, NULL);
    source = random_floats(n, -1, 1);
    result = new_array(box.size_bytes);
    if (is_check)
        return;
    void *memory;
    MUST(cuMemHostAlloc, &memory, box.size_bytes, 0);
    pinned = memcpy(memory, source, box.size_bytes);
}
static void in_ours(void)
{
    amp_copy_from(box.array, source, (int64_t)box.n);
}
static void in_peer(void)
{
    MUST(cuMemcpyHtoDAsync, box.memory, pinned, box.size_bytes, stream);
}
static void out_ours(void)
{
    amp_copy_to(box.array, result, (int64_t)box.n);
}
static void out_peer(void)
{
    MUST(cuMemcpyDtoHAsync, pinned, box.memory, box.size_bytes, stream);
}
static void verify(void)
{
    fetch(&box, result);
    for (size_t i = 0; i < box.n; i++)
        expect(result[i], source[i], 0, i);
}
static void set_up_out(void)
{
    set_up();
    in_ours();
}

static struct data across_from, across_to;

static void across_set_up(void)
{
    size_t n = is_check ? 100003 : 1 << 28;
    across_from = floats(n, random_floats(n, -1, 1)), across_to = floats(n, NULL);
}
static void across_ours(void)
{
    amp_copy(across_to.array, across_from.array);
}
static void across_peer(void)
{
    MUST(cuMemcpyDtoDAsync, across_to.memory, across_from.memory, across_from.size_bytes, stream);
}
static void across_verify(void)
{
    float *y = new_array(across_to.size_bytes);
    fetch(&across_to, y);
    for (size_t i = 0; i < across_to.n; i++)
        expect(y[i], ((float *)across_from.host)[i], 0, i);
    free(y);
}

GPU_PROBLEM("across", across_set_up, across_ours, across_peer, across_verify, .peer_name = "cuMemcpyDtoDAsync",
            .missing = gpu_needs_nothing)
GPU_PROBLEM("copy_in", set_up, in_ours, in_peer, verify, .peer_name = "cuMemcpyHtoDAsync, pinned",
            .time = gpu_time_by_clock, .missing = gpu_needs_nothing)
GPU_PROBLEM("copy_out", set_up_out, out_ours, out_peer, verify, .peer_name = "cuMemcpyDtoHAsync, pinned",
            .time = gpu_time_by_clock, .missing = gpu_needs_nothing)
