/* SPDX-License-Identifier: MIT
 *
 * Device memory. The driver's allocation and release take about 100 microseconds and wait for the device, so released
 * blocks are kept, up to a quarter of the device's memory, and used again. As nothing uses them any more, any queue can
 * have them at once. When the driver has no memory left, it gets all of them back and is asked once more. */
#include "gpu.h"

enum { GRAIN = 512 };

static struct amp__gpu_block **bucket(struct amp__gpu_device *device, amp__gpu_address memory)
{
    return &device->used[memory / GRAIN * 0x9E3779B97F4A7C15u >> 32 & (AMP__GPU_N_BUCKETS - 1)];
}

/* Gives cached blocks back to the driver, those unused for longest first, until at most `keep_bytes` are cached. */
static void trim(struct amp__gpu_device *device, size_t keep_bytes)
{
    struct amp__gpu_block **link = &device->cached;
    for (size_t kept_bytes = 0; *link;) {
        struct amp__gpu_block *block = *link;
        if (kept_bytes + block->size_bytes <= keep_bytes) {
            kept_bytes += block->size_bytes;
            link = &block->next;
            continue;
        }
        *link = block->next;
        device->cached_bytes -= block->size_bytes;
        device->driver->free(device, block->memory);
        amp__free(block);
    }
}

/* Takes the smallest cached block that wastes at most an eighth; NULL if there is none. */
static struct amp__gpu_block *take_cached(struct amp__gpu_device *device, size_t size_bytes)
{
    struct amp__gpu_block **best = NULL;
    for (struct amp__gpu_block **link = &device->cached; *link; link = &(*link)->next)
        if ((*link)->size_bytes >= size_bytes && (*link)->size_bytes - size_bytes <= size_bytes / 8 &&
            (!best || (*link)->size_bytes < (*best)->size_bytes))
            best = link;
    if (!best)
        return NULL;
    struct amp__gpu_block *block = *best;
    *best = block->next;
    device->cached_bytes -= block->size_bytes;
    return block;
}

static amp_status make_block(struct amp__gpu_device *device, size_t size_bytes, struct amp__gpu_block **made)
{
    struct amp__gpu_block *block = amp__alloc(sizeof *block, _Alignof(struct amp__gpu_block));
    if (!block)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory to keep track of device memory", device->path);
    block->size_bytes = size_bytes;
    bool is_final = !device->cached;
    amp_status status = device->driver->alloc(device, size_bytes, is_final, &block->memory);
    if (status == AMP_ERROR_OUT_OF_MEMORY && !is_final) {
        trim(device, 0);
        status = device->driver->alloc(device, size_bytes, true, &block->memory);
    }
    if (status == AMP_OK)
        *made = block;
    else
        amp__free(block);
    return status;
}

amp_status amp__gpu_pool_alloc(struct amp__gpu_device *device, size_t size_bytes, void **memory)
{
    if (size_bytes > SIZE_MAX - GRAIN)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: %zu bytes are needed", device->path, size_bytes);
    size_bytes = size_bytes ? (size_bytes + GRAIN - 1) / GRAIN * GRAIN : GRAIN;
    pthread_mutex_lock(&device->pool_lock);
    struct amp__gpu_block *block = take_cached(device, size_bytes);
    amp_status status = block ? AMP_OK : make_block(device, size_bytes, &block);
    if (status == AMP_OK) {
        struct amp__gpu_block **first = bucket(device, block->memory);
        block->next = *first;
        *first = block;
        *memory = (void *)(uintptr_t)block->memory;
    }
    pthread_mutex_unlock(&device->pool_lock);
    return status;
}

void amp__gpu_pool_free(struct amp__gpu_device *device, void *memory)
{
    pthread_mutex_lock(&device->pool_lock);
    struct amp__gpu_block **link = bucket(device, (amp__gpu_address)(uintptr_t)memory);
    while (*link && (*link)->memory != (amp__gpu_address)(uintptr_t)memory)
        link = &(*link)->next;
    struct amp__gpu_block *block = *link;
    if (block) {
        *link = block->next;
        block->next = device->cached;
        device->cached = block;
        device->cached_bytes += block->size_bytes;
        if (device->cached_bytes > device->total_bytes / 4)
            trim(device, device->total_bytes / 4);
    }
    pthread_mutex_unlock(&device->pool_lock);
}

void amp__gpu_pool_init(struct amp__gpu_device *device)
{
    pthread_mutex_init(&device->pool_lock, NULL);
}

void amp__gpu_pool_close(struct amp__gpu_device *device)
{
    trim(device, 0);
    pthread_mutex_destroy(&device->pool_lock);
}
