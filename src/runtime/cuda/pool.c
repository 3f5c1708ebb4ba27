/* SPDX-License-Identifier: MIT
 *
 * Device memory. The driver's allocation and release take some 100 microseconds and wait for the device, so released
 * blocks are kept, up to a quarter of the device's memory, and given out again: as nothing uses them any more, to any
 * queue at once. When the driver has no memory left, all of them go back to it, and it is asked once more. */
#include "cuda.h"

enum { GRAIN = 512 };

static struct amp__cuda_block **bucket(struct amp__cuda_device *device, CUdeviceptr memory)
{
    return &device->used[memory / GRAIN * 0x9E3779B97F4A7C15u >> 32 & (AMP__CUDA_N_BUCKETS - 1)];
}

/* Gives cached blocks back to the driver, those unused for longest first, until at most `keep_bytes` are cached. */
static void trim(struct amp__cuda_device *device, size_t keep_bytes)
{
    struct amp__cuda_block **link = &device->cached;
    for (size_t kept_bytes = 0; *link;) {
        struct amp__cuda_block *block = *link;
        if (kept_bytes + block->size_bytes <= keep_bytes) {
            kept_bytes += block->size_bytes;
            link = &block->next;
            continue;
        }
        *link = block->next;
        device->cached_bytes -= block->size_bytes;
        amp__cuda.cuMemFree(block->memory);
        amp__free(block);
    }
}

/* Takes the smallest cached block that wastes at most an eighth; NULL if there is none. */
static struct amp__cuda_block *take_cached(struct amp__cuda_device *device, size_t size_bytes)
{
    struct amp__cuda_block **best = NULL;
    for (struct amp__cuda_block **link = &device->cached; *link; link = &(*link)->next)
        if ((*link)->size_bytes >= size_bytes && (*link)->size_bytes - size_bytes <= size_bytes / 8 &&
            (!best || (*link)->size_bytes < (*best)->size_bytes))
            best = link;
    if (!best)
        return NULL;
    struct amp__cuda_block *block = *best;
    *best = block->next;
    device->cached_bytes -= block->size_bytes;
    return block;
}

static amp_status fail(const struct amp__cuda_device *device, size_t size_bytes, CUresult result)
{
    if (result != CUDA_ERROR_OUT_OF_MEMORY)
        return amp__cuda_fail(device, NULL, "cuMemAlloc", result);
    char text[AMP__CUDA_TEXT];
    amp__cuda_text(device, "cuMemAlloc", result, text);
    size_t free_bytes, total_bytes;
    if (amp__cuda.cuMemGetInfo(&free_bytes, &total_bytes) != CUDA_SUCCESS)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: %zu bytes are needed", text, size_bytes);
    return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: %zu bytes are needed; of %zu, %zu are free", text, size_bytes,
                     total_bytes, free_bytes);
}

static amp_status make_block(struct amp__cuda_device *device, size_t size_bytes, struct amp__cuda_block **made)
{
    struct amp__cuda_block *block = amp__alloc(sizeof *block, _Alignof(struct amp__cuda_block));
    if (!block)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory to keep track of device memory", device->path);
    block->size_bytes = size_bytes;
    CUresult result = amp__cuda.cuMemAlloc(&block->memory, size_bytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY && device->cached) {
        trim(device, 0);
        result = amp__cuda.cuMemAlloc(&block->memory, size_bytes);
    }
    if (result == CUDA_SUCCESS) {
        *made = block;
        return AMP_OK;
    }
    amp__free(block);
    return fail(device, size_bytes, result);
}

amp_status amp__cuda_pool_alloc(struct amp__cuda_device *device, size_t size_bytes, void **memory)
{
    if (size_bytes > SIZE_MAX - GRAIN)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: %zu bytes are needed", device->path, size_bytes);
    size_bytes = size_bytes ? (size_bytes + GRAIN - 1) / GRAIN * GRAIN : GRAIN;
    pthread_mutex_lock(&device->lock);
    struct amp__cuda_block *block = take_cached(device, size_bytes);
    amp_status status = block ? AMP_OK : make_block(device, size_bytes, &block);
    if (status == AMP_OK) {
        struct amp__cuda_block **first = bucket(device, block->memory);
        block->next = *first;
        *first = block;
        *memory = (void *)(uintptr_t)block->memory;
    }
    pthread_mutex_unlock(&device->lock);
    return status;
}

void amp__cuda_pool_free(struct amp__cuda_device *device, void *memory)
{
    pthread_mutex_lock(&device->lock);
    struct amp__cuda_block **link = bucket(device, (CUdeviceptr)(uintptr_t)memory);
    while (*link && (*link)->memory != (CUdeviceptr)(uintptr_t)memory)
        link = &(*link)->next;
    struct amp__cuda_block *block = *link;
    if (block) {
        *link = block->next;
        block->next = device->cached;
        device->cached = block;
        device->cached_bytes += block->size_bytes;
        if (device->cached_bytes > device->total_bytes / 4)
            trim(device, device->total_bytes / 4);
    }
    pthread_mutex_unlock(&device->lock);
}

void amp__cuda_pool_close(struct amp__cuda_device *device)
{
    trim(device, 0);
}
