/* SPDX-License-Identifier: MIT
 *
 * The driver's calls, in the form that the code shared by all GPUs expects. */
#include "cuda.h"

static struct amp__cuda_device *own(struct amp__gpu_device *device)
{
    return (struct amp__cuda_device *)device;
}

static struct amp__cuda_queue *own_queue(struct amp__gpu_queue *queue)
{
    return (struct amp__cuda_queue *)queue;
}

/* ---- memory ---- */

static amp_status fail_alloc(const struct amp__cuda_device *device, size_t size_bytes, CUresult result)
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

static amp_status alloc(struct amp__gpu_device *device, size_t size_bytes, bool is_final, amp__gpu_address *memory)
{
    CUresult result = amp__cuda.cuMemAlloc(memory, size_bytes);
    if (result == CUDA_SUCCESS)
        return AMP_OK;
    return result == CUDA_ERROR_OUT_OF_MEMORY && !is_final ? AMP_ERROR_OUT_OF_MEMORY
                                                           : fail_alloc(own(device), size_bytes, result);
}

static void free_memory(struct amp__gpu_device *device, amp__gpu_address memory)
{
    (void)device;
    amp__cuda.cuMemFree(memory);
}

static amp_status alloc_host(struct amp__gpu_device *device, size_t size_bytes, void **memory)
{
    return AMP__CUDA(own(device), NULL, cuMemHostAlloc, memory, size_bytes, 0);
}

static void free_host(struct amp__gpu_device *device, void *memory)
{
    (void)device;
    amp__cuda.cuMemFreeHost(memory);
}

/* ---- work on a queue ---- */

static amp_status copy_in(struct amp__gpu_queue *queue, amp__gpu_address to, const void *from, size_t size_bytes)
{
    struct amp__cuda_queue *on = own_queue(queue);
    return AMP__CUDA(own(queue->device), on, cuMemcpyHtoDAsync, to, from, size_bytes, on->stream);
}

static amp_status copy_out(struct amp__gpu_queue *queue, void *to, amp__gpu_address from, size_t size_bytes)
{
    struct amp__cuda_queue *on = own_queue(queue);
    return AMP__CUDA(own(queue->device), on, cuMemcpyDtoHAsync, to, from, size_bytes, on->stream);
}

static amp_status launch(struct amp__gpu_queue *queue, const struct amp__gpu_grid *grid)
{
    const unsigned *blocks = grid->blocks, *threads = grid->threads;
    int box[6];
    for (int i = 0; i < 6; i++)
        box[i] = grid->box[i];
    void *parameters[] = {(void *)(uintptr_t)grid->args, box};
    CUresult result = amp__cuda.cuLaunchKernel(grid->entry, blocks[2], blocks[1], blocks[0], threads[2], threads[1],
                                               threads[0], 0, own_queue(queue)->stream, parameters, NULL);
    return result == CUDA_SUCCESS
               ? AMP_OK
               : amp__cuda_fail_launch(own(queue->device), (const struct amp__cuda_function *)grid->of, result);
}

static amp_status wait_for(struct amp__gpu_queue *queue)
{
    return amp__cuda_wait(own_queue(queue));
}

/* ---- events ---- */

static amp_status create_event(struct amp__gpu_device *device, void **event)
{
    CUevent new;
    amp_status status = AMP__CUDA(own(device), NULL, cuEventCreate, &new, CU_EVENT_DISABLE_TIMING);
    if (status == AMP_OK)
        *event = new;
    return status;
}

static void destroy_event(struct amp__gpu_device *device, void *event)
{
    (void)device;
    amp__cuda.cuEventDestroy(event);
}

static amp_status record_event(struct amp__gpu_queue *queue, void *event)
{
    struct amp__cuda_queue *on = own_queue(queue);
    return AMP__CUDA(own(queue->device), on, cuEventRecord, event, on->stream);
}

static amp_status query_event(struct amp__gpu_queue *queue, void *event, bool *is_there)
{
    CUresult result = amp__cuda.cuEventQuery(event);
    *is_there = result == CUDA_SUCCESS;
    return result == CUDA_ERROR_NOT_READY
               ? AMP_OK
               : amp__cuda_check(own(queue->device), own_queue(queue), "cuEventQuery", result);
}

static amp_status wait_for_event(struct amp__gpu_queue *queue, void *event)
{
    return AMP__CUDA(own(queue->device), own_queue(queue), cuEventSynchronize, event);
}

const struct amp__gpu_driver amp__cuda_calls = {
    .max_depth = 64,
    .max_blocks = 65535,
    .alloc = alloc,
    .free = free_memory,
    .host_alloc = alloc_host,
    .host_free = free_host,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .launch = launch,
    .wait = wait_for,
    .event_create = create_event,
    .event_destroy = destroy_event,
    .event_record = record_event,
    .event_query = query_event,
    .event_wait = wait_for_event,
};
