/* SPDX-License-Identifier: MIT
 *
 * NVIDIA's GPUs, through their driver. docs/gpu.md has the contract with the code that ampcc compiles. */
#include "cuda.h"
#include "../testing.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WARP = 32 };

static struct amp__cuda_device devices[AMP__CUDA_MAX_DEVICES];
static int n_opened;  /* devices that were ever described */
static pid_t process; /* the process that has contexts: a fork cannot use them */
static bool is_lost;  /* this is such a fork: the driver must not be called */

/* ---- devices ---- */

static int count(void)
{
    int n;
    if (amp__cuda_open_driver() != AMP_OK || AMP__CUDA(NULL, NULL, cuDeviceGetCount, &n) != AMP_OK)
        return 0;
    if (n == 0)
        amp__fail(AMP_ERROR_NO_ACCELERATOR, "cuda: the driver has no device");
    return n < AMP__CUDA_MAX_DEVICES ? n : AMP__CUDA_MAX_DEVICES;
}

static amp_status attribute(const struct amp__cuda_device *device, int which, int *value)
{
    return AMP__CUDA(device, NULL, cuDeviceGetAttribute, value, which, device->id);
}

static amp_status describe(struct amp__cuda_device *d, amp_accelerator_properties *properties)
{
    char name[128];
    int version, major, minor, n_threads, has_timeout, is_integrated, mode;
    const struct {
        int which, *value;
    } attributes[] = {{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
                      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
                      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &d->gpu.n_multiprocessors},
                      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &n_threads},
                      {CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT, &has_timeout},
                      {CU_DEVICE_ATTRIBUTE_INTEGRATED, &is_integrated},
                      {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, &mode}};
    amp_status status = AMP__CUDA(d, NULL, cuDeviceGetName, name, sizeof name, d->id);
    if (status == AMP_OK)
        status = AMP__CUDA(d, NULL, cuDeviceTotalMem, &d->gpu.total_bytes, d->id);
    if (status == AMP_OK)
        status = AMP__CUDA(d, NULL, cuDriverGetVersion, &version);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes && status == AMP_OK; i++)
        status = attribute(d, attributes[i].which, attributes[i].value);
    if (status != AMP_OK)
        return status;
    if (mode == CU_COMPUTEMODE_PROHIBITED)
        return amp__fail(AMP_ERROR_DEVICE, "%s: %s: its compute mode prohibits use (nvidia-smi -c changes it)",
                         d->gpu.path, name);
    d->capability = 10 * major + minor;
    snprintf(d->isa, sizeof d->isa, "sm_%d", d->capability);
    snprintf(d->description, sizeof d->description, "%s, %d multiprocessors, %s, CUDA %d.%d", name,
             d->gpu.n_multiprocessors, d->isa, version / 1000, version % 1000 / 10);
    *properties = (amp_accelerator_properties){
        .path = d->gpu.path,
        .description = d->description,
        .version = (uint32_t)major << 16 | (uint32_t)minor,
        .dedicated_memory_bytes = d->gpu.total_bytes,
        .n_threads = d->gpu.n_multiprocessors * n_threads,
        .isa = d->isa,
        .has_display = has_timeout, /* the driver has a watchdog for devices with a display */
        .supports_double_precision = true,
        .supports_limited_double_precision = true,
        .supports_cpu_shared_memory = is_integrated,
        .default_cpu_access_type = is_integrated ? AMP_ACCESS_READ_WRITE : AMP_ACCESS_NONE,
    };
    return AMP_OK;
}

static amp_status open_device(int i, void **device, amp_accelerator_properties *properties)
{
    struct amp__cuda_device *d = &devices[i];
    if (i >= n_opened) { /* devices are opened one by one, in this order */
        pthread_mutex_init(&d->lock, NULL);
        d->gpu.driver = &amp__cuda_calls;
        n_opened = i + 1;
    }
    snprintf(d->gpu.path, sizeof d->gpu.path, "cuda:%d", i);
    *device = d;
    amp_status status = AMP__CUDA(d, NULL, cuDeviceGet, &d->id, i);
    return status == AMP_OK ? describe(d, properties) : status;
}

/* ---- contexts ---- */

/* The context that `enter` left on this thread. */
static _Thread_local CUcontext left;

/* Completes the work that is still on the queues at the end of the process, and with it the kernels' printed output,
 * which the driver keeps until somebody waits. Later the driver would no longer answer. */
static void finish(void)
{
    if (process != getpid())
        return;
    amp__queue_end_all();
    amp__event_settle(true);
    struct amp__cuda_scope scope;
    for (int i = 0; i < n_opened; i++)
        if (atomic_load(&devices[i].is_ready) && amp__cuda_enter(&devices[i], &scope) == AMP_OK) {
            amp__cuda.cuCtxSynchronize();
            amp__cuda_leave(&scope);
        }
}

static void finish_at_exit(void)
{
    process = getpid();
    atexit(finish);
}

/* Called with the device's lock held. */
static amp_status make_ready(struct amp__cuda_device *d)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    CUcontext previous = NULL;
    amp_status status = AMP__CUDA(d, NULL, cuCtxGetCurrent, &previous);
    if (status == AMP_OK)
        status = AMP__CUDA(d, NULL, cuDevicePrimaryCtxRetain, &d->context, d->id);
    if (status != AMP_OK)
        return status;
    status = AMP__CUDA(d, NULL, cuCtxSetCurrent, d->context);
    d->own.gpu.device = &d->gpu;
    if (status == AMP_OK)
        status = AMP__CUDA(d, NULL, cuStreamCreate, &d->own.stream, CU_STREAM_NON_BLOCKING);
    if (status != AMP_OK) {
        amp__cuda.cuCtxSetCurrent(previous);
        amp__cuda.cuDevicePrimaryCtxRelease(d->id);
        return status;
    }
    amp__cuda.cuCtxSetCurrent(previous);
    pthread_once(&once, finish_at_exit);
    amp__gpu_pool_init(&d->gpu);
    amp__gpu_staging_init(&d->gpu);
    atomic_store_explicit(&d->is_ready, true, memory_order_release);
    return AMP_OK;
}

static amp_status make_current(struct amp__cuda_device *d, struct amp__cuda_scope *scope)
{
    scope->previous = NULL;
    if (is_lost)
        return amp__fail(AMP_ERROR_ACCELERATOR_VIEW_REMOVED,
                         "%s: this process is a child of fork, and the device is its parent's", d->gpu.path);
    if (!atomic_load_explicit(&d->is_ready, memory_order_acquire)) {
        pthread_mutex_lock(&d->lock);
        amp_status status = atomic_load(&d->is_ready) ? AMP_OK : make_ready(d);
        pthread_mutex_unlock(&d->lock);
        if (status != AMP_OK)
            return status;
    }
    CUcontext current;
    amp_status status = AMP__CUDA(d, NULL, cuCtxGetCurrent, &current);
    if (status != AMP_OK || current == d->context)
        return status;
    status = AMP__CUDA(d, NULL, cuCtxSetCurrent, d->context);
    if (status == AMP_OK && current && current != left)
        scope->previous = current;
    else if (status == AMP_OK)
        left = d->context;
    return status;
}

amp_status amp__cuda_enter(struct amp__cuda_device *d, struct amp__cuda_scope *scope)
{
    scope->cancellation = amp__cancellation_hold(); /* drivers wait in system calls */
    amp_status status = make_current(d, scope);
    if (status != AMP_OK)
        amp__cancellation_resume(scope->cancellation);
    return status;
}

void amp__cuda_leave(const struct amp__cuda_scope *scope)
{
    if (scope->previous)
        amp__cuda.cuCtxSetCurrent(scope->previous);
    amp__cancellation_resume(scope->cancellation);
}

static struct amp__cuda_device *device_of(const struct amp__cuda_queue *queue)
{
    return (struct amp__cuda_device *)queue->gpu.device;
}

static struct amp__cuda_queue *queue_of(struct amp__cuda_device *d, void *queue)
{
    return queue ? queue : &d->own;
}

/* ---- memory ---- */

static amp_status alloc(void *device, size_t size_bytes, void **memory)
{
    struct amp__cuda_scope scope;
    amp_status status = amp__cuda_enter(device, &scope);
    if (status != AMP_OK)
        return status;
    status = amp__gpu_pool_alloc(device, size_bytes, memory);
    amp__cuda_leave(&scope);
    return status;
}

static void free_memory(void *device, void *memory)
{
    if (is_lost)
        return;
    struct amp__cuda_scope scope;
    struct amp__error error = {AMP_OK, ""};
    amp__error_swap(&error); /* this cannot fail */
    bool is_current = amp__cuda_enter(device, &scope) == AMP_OK;
    amp__gpu_pool_free(device, memory);
    if (is_current)
        amp__cuda_leave(&scope);
    amp__error_swap(&error);
}

static CUdeviceptr pointer(struct amp__at at)
{
    return (CUdeviceptr)(uintptr_t)at.memory + at.offset;
}

static void *address(void *device, struct amp__at at)
{
    (void)device;
    return (void *)(uintptr_t)pointer(at);
}

static amp_status copy_in(void *device, void *queue, struct amp__at to, const void *host, size_t size_bytes)
{
    struct amp__cuda_scope scope;
    amp_status status = amp__cuda_enter(device, &scope);
    if (status != AMP_OK)
        return status;
    status = amp__gpu_stage_in(&queue_of(device, queue)->gpu, pointer(to), host, size_bytes);
    amp__cuda_leave(&scope);
    return status;
}

static amp_status copy_out(void *device, void *queue, void *host, struct amp__at from, size_t size_bytes)
{
    struct amp__cuda_scope scope;
    amp_status status = amp__cuda_enter(device, &scope);
    if (status != AMP_OK)
        return status;
    status = amp__gpu_stage_out(&queue_of(device, queue)->gpu, host, pointer(from), size_bytes);
    amp__cuda_leave(&scope);
    return status;
}

/* The largest distance of rows that the driver accepts. */
enum { MAX_PITCH = INT_MAX };

/* Wide rows are worth copying through pinned memory; of narrow ones there may be a million. */
static bool are_narrow(const struct amp__rows *rows)
{
    return rows->bytes < AMP__GPU_SLICE && rows->stride <= MAX_PITCH;
}

/* Copies narrow rows, and waits, because the host's memory is not pinned. */
static amp_status copy_narrow(struct amp__cuda_device *d, struct amp__cuda_queue *on, const CUDA_MEMCPY2D *copy)
{
    struct amp__cuda_scope scope;
    amp_status status = amp__cuda_enter(d, &scope);
    if (status != AMP_OK)
        return status;
    status = AMP__CUDA(d, on, cuMemcpy2DAsync, copy, on->stream);
    if (status == AMP_OK)
        status = amp__cuda_wait(on);
    amp__cuda_leave(&scope);
    return status;
}

static amp_status copy_rows_in(void *device, void *queue, struct amp__at to, const void *host,
                               const struct amp__rows *rows)
{
    if (are_narrow(rows))
        return copy_narrow(device, queue_of(device, queue),
                           &(CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                                            .srcHost = host,
                                            .srcPitch = rows->stride,
                                            .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                            .dstDevice = pointer(to),
                                            .dstPitch = rows->stride,
                                            .WidthInBytes = rows->bytes,
                                            .Height = rows->n});
    amp_status status = AMP_OK;
    for (size_t i = 0; i < rows->n && status == AMP_OK; i++, to.offset += rows->stride)
        status = copy_in(device, queue, to, (const char *)host + i * rows->stride, rows->bytes);
    return status;
}

static amp_status copy_rows_out(void *device, void *queue, void *host, struct amp__at from,
                                const struct amp__rows *rows)
{
    if (are_narrow(rows))
        return copy_narrow(device, queue_of(device, queue),
                           &(CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                            .srcDevice = pointer(from),
                                            .srcPitch = rows->stride,
                                            .dstMemoryType = CU_MEMORYTYPE_HOST,
                                            .dstHost = host,
                                            .dstPitch = rows->stride,
                                            .WidthInBytes = rows->bytes,
                                            .Height = rows->n});
    amp_status status = AMP_OK;
    for (size_t i = 0; i < rows->n && status == AMP_OK; i++, from.offset += rows->stride)
        status = copy_out(device, queue, (char *)host + i * rows->stride, from, rows->bytes);
    return status;
}

static amp_status copy_across(void *device, void *queue, struct amp__at to, struct amp__at from, size_t size_bytes)
{
    struct amp__cuda_scope scope;
    amp_status status = amp__cuda_enter(device, &scope);
    if (status != AMP_OK)
        return status;
    struct amp__cuda_queue *on = queue_of(device, queue);
    status = AMP__CUDA(device, on, cuMemcpyDtoDAsync, pointer(to), pointer(from), size_bytes, on->stream);
    amp__cuda_leave(&scope);
    return status;
}

/* Tries once to let the device reach the other's memory; if it cannot, the driver copies through the host. */
static void reach(struct amp__cuda_device *d, const struct amp__cuda_device *peer)
{
    bool *was_tried = &d->peers_tried[peer - devices];
    pthread_mutex_lock(&d->lock);
    int can = 0;
    if (!*was_tried && amp__cuda.cuDeviceCanAccessPeer(&can, d->id, peer->id) == CUDA_SUCCESS && can)
        amp__cuda.cuCtxEnablePeerAccess(peer->context, 0);
    *was_tried = true;
    pthread_mutex_unlock(&d->lock);
}

static amp_status copy_peer(void *device, void *queue, struct amp__at to, void *from_device, struct amp__at from,
                            size_t size_bytes)
{
    struct amp__cuda_device *d = device, *peer = from_device;
    struct amp__cuda_scope scope;
    amp_status status = amp__cuda_enter(d, &scope);
    if (status != AMP_OK)
        return status;
    reach(d, peer);
    struct amp__cuda_queue *on = queue_of(d, queue);
    status = AMP__CUDA(d, on, cuMemcpyPeerAsync, pointer(to), d->context, pointer(from), peer->context, size_bytes,
                       on->stream);
    if (status == AMP_OK)
        status = amp__cuda_wait(on);
    amp__cuda_leave(&scope);
    return status;
}

/* ---- messages: their memory is known to the driver, of whichever side it is ---- */

static amp_status alloc_message(void *device, bool is_on_device, size_t size_bytes, void **memory)
{
    struct amp__cuda_device *d = device;
    struct amp__cuda_scope scope;
    if (is_on_device)
        return alloc(device, size_bytes, memory);
    amp_status status = amp__cuda_enter(d, &scope);
    if (status != AMP_OK)
        return status;
    status = d->gpu.driver->host_alloc(&d->gpu, size_bytes, memory);
    amp__cuda_leave(&scope);
    return status;
}

static void free_message(void *device, bool is_on_device, void *memory)
{
    struct amp__cuda_device *d = device;
    struct amp__cuda_scope scope;
    struct amp__error error = {AMP_OK, ""};
    if (is_on_device)
        free_memory(device, memory);
    if (is_on_device || is_lost)
        return;
    amp__error_swap(&error); /* this cannot fail */
    if (amp__cuda_enter(d, &scope) == AMP_OK) {
        d->gpu.driver->host_free(&d->gpu, memory);
        amp__cuda_leave(&scope);
    }
    amp__error_swap(&error);
}

static amp_status copy_rows(struct amp__cuda_device *d, void *queue, const CUDA_MEMCPY2D *copy)
{
    struct amp__cuda_queue *on = queue_of(d, queue);
    struct amp__cuda_scope scope;
    amp_status status = amp__cuda_enter(d, &scope);
    if (status != AMP_OK)
        return status;
    bool is_at_once = copy->Height > 1 && copy->srcPitch <= MAX_PITCH && copy->dstPitch <= MAX_PITCH;
    if (is_at_once)
        status = AMP__CUDA(d, on, cuMemcpy2DAsync, copy, on->stream);
    for (size_t i = 0; i < copy->Height && !is_at_once && status == AMP_OK; i++)
        status = AMP__CUDA(d, on, cuMemcpyAsync, copy->dstDevice + i * copy->dstPitch,
                           copy->srcDevice + i * copy->srcPitch, copy->WidthInBytes, on->stream);
    amp__cuda_leave(&scope);
    return status;
}

static amp_status pack(void *device, void *queue, void *message, struct amp__at from, const struct amp__rows *rows)
{
    return copy_rows(device, queue,
                     &(CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                      .srcDevice = pointer(from),
                                      .srcPitch = rows->stride,
                                      .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                                      .dstDevice = (CUdeviceptr)(uintptr_t)message,
                                      .dstPitch = rows->bytes,
                                      .WidthInBytes = rows->bytes,
                                      .Height = rows->n});
}

static amp_status unpack(void *device, void *queue, struct amp__at to, const void *message,
                         const struct amp__rows *rows)
{
    return copy_rows(device, queue,
                     &(CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                                      .srcDevice = (CUdeviceptr)(uintptr_t)message,
                                      .srcPitch = rows->bytes,
                                      .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                      .dstDevice = pointer(to),
                                      .dstPitch = rows->stride,
                                      .WidthInBytes = rows->bytes,
                                      .Height = rows->n});
}

/* ---- launches ---- */

/* The threads of a block. */
static int n_threads_of(const struct amp__cuda_function *f)
{
    const int *threads = f->gpu.geometry;
    return threads[0] * threads[1] * threads[2];
}

static amp_status fail_too_big(const struct amp__cuda_device *d, const struct amp__cuda_function *f)
{
    return amp__kernel_fail(
        f->kernel, AMP_ERROR_UNSUPPORTED_FEATURE,
        "a block of %d threads does not fit into a multiprocessor of %s: each needs %d registers, and "
        "all of them %d bytes of tile_static memory; at most %d threads fit, so make the tile smaller",
        n_threads_of(f), d->gpu.path, f->n_registers, f->shared_bytes, f->max_threads);
}

amp_status amp__cuda_fail_launch(const struct amp__cuda_device *d, const struct amp__cuda_function *f, CUresult result)
{
    char text[AMP__CUDA_TEXT];
    if (result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
        return fail_too_big(d, f);
    return amp__kernel_fail(f->kernel, amp__cuda_status(result), "%s",
                            amp__cuda_text(d, "cuLaunchKernel", result, text));
}

static amp_status run(struct amp__cuda_queue *queue, struct amp__cuda_function *f, const struct amp__launch *launch)
{
    if (n_threads_of(f) > f->max_threads)
        return fail_too_big(device_of(queue), f);
    amp_status status = amp__gpu_run(&queue->gpu, &f->gpu, launch);
    if (status == AMP_OK)
        atomic_store_explicit(&queue->last, f, memory_order_relaxed);
    return status;
}

/* Runs a kernel of a module in which some kernels call amp_abort. Waits, because if it aborts the launch must fail. */
static amp_status run_and_look(struct amp__cuda_queue *queue, struct amp__cuda_function *f,
                               const struct amp__launch *launch)
{
    struct amp__cuda_aborted aborted;
    pthread_mutex_lock(&f->module->running);
    amp_status status = run(queue, f, launch);
    if (status == AMP_OK)
        status = amp__gpu_stage_out(&queue->gpu, &aborted, f->module->aborted, sizeof aborted);
    if (status == AMP_OK && aborted.is_aborted) {
        status =
            amp__kernel_fail(f->kernel, AMP_ERROR_ABORTED, "amp_abort: %.*s", (int)sizeof aborted.text, aborted.text);
        amp__cuda.cuMemsetD8Async(f->module->aborted, 0, sizeof aborted, queue->stream);
        amp__cuda.cuStreamSynchronize(queue->stream); /* the next launch may be on another one */
    }
    pthread_mutex_unlock(&f->module->running);
    return status;
}

static amp_status launch(void *device, void *queue, struct amp__launch *launch)
{
    struct amp__cuda_device *d = device;
    struct amp__cuda_scope scope;
    amp_status status = amp__cuda_enter(d, &scope);
    if (status != AMP_OK)
        return status;
    struct amp__cuda_function *f;
    status = amp__cuda_function_of(d, launch->kernel, &f);
    if (status == AMP_OK)
        status = (f->module->aborted ? run_and_look : run)(queue_of(d, queue), f, launch);
    amp__cuda_leave(&scope);
    if (status != AMP_OK)
        return status;
    long long n = launch->n_threads_per_point;
    for (int i = 0; i < 3 && n < INT_MAX; i++)
        n *= launch->box[2 * i + 1] - launch->box[2 * i];
    launch->isa = f->image->target;
    launch->lanes = WARP;
    launch->n_threads = n < INT_MAX ? (int)n : INT_MAX;
    return AMP_OK;
}

static bool has_code(void *device, const struct amp__kernel *kernel)
{
    return amp__cuda_image_of(device, kernel);
}

static void forget(const struct amp__kernel *kernel)
{
    for (int i = 0; i < n_opened && !is_lost; i++)
        amp__cuda_function_forget(&devices[i], kernel);
}

/* ---- queues ---- */

amp_status amp__cuda_wait(struct amp__cuda_queue *queue)
{
    struct amp__cuda_function *last = atomic_load(&queue->last);
    amp_status status = AMP__CUDA(device_of(queue), queue, cuStreamSynchronize, queue->stream);
    if (status == AMP_OK)
        atomic_compare_exchange_strong(&queue->last, &last, NULL);
    return status;
}

static amp_status create_queue(void *device, void **queue)
{
    struct amp__cuda_device *d = device;
    struct amp__cuda_queue *new = amp__alloc(sizeof *new, _Alignof(struct amp__cuda_queue));
    if (!new)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory for a queue", d->gpu.path);
    new->gpu.device = &d->gpu;
    atomic_init(&new->last, NULL);
    struct amp__cuda_scope scope;
    amp_status status = amp__cuda_enter(d, &scope);
    if (status == AMP_OK) {
        status = AMP__CUDA(d, NULL, cuStreamCreate, &new->stream, CU_STREAM_NON_BLOCKING);
        amp__cuda_leave(&scope);
    }
    if (status == AMP_OK)
        *queue = new;
    else
        amp__free(new);
    return status;
}

static void destroy_queue(void *device, void *queue)
{
    struct amp__cuda_queue *old = queue;
    if (is_lost) {
        amp__free(old);
        return;
    }
    struct amp__cuda_scope scope;
    struct amp__error error = {AMP_OK, ""};
    amp__error_swap(&error); /* this cannot fail */
    bool is_current = amp__cuda_enter(device, &scope) == AMP_OK;
    amp__cuda.cuStreamDestroy(old->stream);
    if (is_current)
        amp__cuda_leave(&scope);
    amp__error_swap(&error);
    amp__free(old);
}

static amp_status wait_for(void *device, void *queue)
{
    struct amp__cuda_device *d = device;
    if (!atomic_load_explicit(&d->is_ready, memory_order_acquire))
        return AMP_OK; /* nothing was ever put on it */
    struct amp__cuda_scope scope;
    amp_status status = amp__cuda_enter(d, &scope);
    if (status != AMP_OK)
        return status;
    status = amp__cuda_wait(queue_of(d, queue));
    amp__cuda_leave(&scope);
    return status;
}

/* ---- events ---- */

static amp_status record_event(void *device, void *queue, void **event)
{
    struct amp__cuda_device *d = device;
    struct amp__cuda_scope scope;
    amp_status status = amp__cuda_enter(d, &scope);
    if (status != AMP_OK)
        return status;
    pthread_mutex_lock(&d->lock);
    struct amp__cuda_event *e = d->free_events;
    if (e)
        d->free_events = e->next;
    pthread_mutex_unlock(&d->lock);
    if (!e) {
        e = amp__alloc(sizeof *e, _Alignof(struct amp__cuda_event));
        status = e ? AMP__CUDA(d, NULL, cuEventCreate, &e->event, CU_EVENT_DISABLE_TIMING)
                   : amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory for an event", d->gpu.path);
        if (status != AMP_OK) {
            amp__free(e);
            goto leave;
        }
    }
    e->queue = queue_of(d, queue);
    status = AMP__CUDA(d, e->queue, cuEventRecord, e->event, e->queue->stream);
    if (status == AMP_OK) {
        *event = e;
        goto leave;
    }
    pthread_mutex_lock(&d->lock);
    e->next = d->free_events;
    d->free_events = e;
    pthread_mutex_unlock(&d->lock);
leave:
    amp__cuda_leave(&scope);
    return status;
}

static amp_status wait_for_event(void *device, void *event)
{
    struct amp__cuda_event *e = event;
    struct amp__cuda_scope scope;
    amp_status status = amp__cuda_enter(device, &scope);
    if (status != AMP_OK)
        return status;
    status = AMP__CUDA(device, e->queue, cuEventSynchronize, e->event);
    amp__cuda_leave(&scope);
    return status;
}

static bool query_event(void *device, void *event)
{
    struct amp__cuda_scope scope;
    struct amp__error error = {AMP_OK, ""};
    amp__error_swap(&error); /* waiting reports a failure */
    bool is_there = true;
    if (amp__cuda_enter(device, &scope) == AMP_OK) {
        is_there = amp__cuda.cuEventQuery(((struct amp__cuda_event *)event)->event) != CUDA_ERROR_NOT_READY;
        amp__cuda_leave(&scope);
    }
    amp__error_swap(&error);
    return is_there;
}

static void destroy_event(void *device, void *event)
{
    struct amp__cuda_device *d = device;
    struct amp__cuda_event *e = event;
    if (is_lost)
        return;
    pthread_mutex_lock(&d->lock);
    e->next = d->free_events;
    d->free_events = e;
    pthread_mutex_unlock(&d->lock);
}

/* ---- stamps ---- */

enum { ORIGIN_NS = 1000000000 }; /* then the clocks, and the digits of a float, may be a microsecond off */

static void free_origin(struct amp__cuda_origin *origin)
{
    if (origin)
        amp__cuda.cuEventDestroy(origin->event);
    amp__free(origin);
}

/* Gives new stamps an origin that is not too old. The driver reaches an event on an idle stream at once, so its time is
 * that of the call. Called with the device's lock held. */
static amp_status renew_origin(struct amp__cuda_device *d)
{
    if (d->origin && amp__now_ns() - d->origin->time_ns < ORIGIN_NS)
        return AMP_OK;
    struct amp__cuda_origin *new = amp__alloc(sizeof *new, _Alignof(struct amp__cuda_origin));
    if (!new)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory for a clock", d->gpu.path);
    amp_status status = d->clock ? AMP_OK : AMP__CUDA(d, NULL, cuStreamCreate, &d->clock, CU_STREAM_NON_BLOCKING);
    new->event = NULL;
    new->n_stamps = 0;
    if (status == AMP_OK)
        status = AMP__CUDA(d, NULL, cuEventCreate, &new->event, CU_EVENT_DEFAULT);
    long long before_ns = amp__now_ns();
    if (status == AMP_OK)
        status = AMP__CUDA(d, NULL, cuEventRecord, new->event, d->clock);
    if (status == AMP_OK)
        status = AMP__CUDA(d, NULL, cuEventSynchronize, new->event);
    new->time_ns = before_ns + (amp__now_ns() - before_ns) / 2;
    if (status != AMP_OK) {
        if (new->event)
            amp__cuda.cuEventDestroy(new->event);
        amp__free(new);
        return status;
    }
    if (d->origin && d->origin->n_stamps == 0)
        free_origin(d->origin);
    d->origin = new;
    return AMP_OK;
}

/* Called with the device's lock held. */
static amp_status make_stamp(struct amp__cuda_device *d, struct amp__cuda_stamp **stamp)
{
    amp_status status = renew_origin(d);
    if (status != AMP_OK)
        return status;
    struct amp__cuda_stamp *s = d->free_stamps;
    if (s) {
        d->free_stamps = s->next;
    } else {
        s = amp__alloc(sizeof *s, _Alignof(struct amp__cuda_stamp));
        status = s ? AMP__CUDA(d, NULL, cuEventCreate, &s->event, CU_EVENT_DEFAULT)
                   : amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory for a stamp", d->gpu.path);
        if (status != AMP_OK) {
            amp__free(s);
            return status;
        }
    }
    s->origin = d->origin;
    s->origin->n_stamps++;
    *stamp = s;
    return AMP_OK;
}

static void free_stamp(void *device, void *stamp)
{
    struct amp__cuda_device *d = device;
    struct amp__cuda_stamp *s = stamp;
    struct amp__cuda_scope scope;
    struct amp__error error = {AMP_OK, ""};
    if (is_lost)
        return;
    amp__error_swap(&error); /* this cannot fail */
    bool is_current = amp__cuda_enter(d, &scope) == AMP_OK;
    pthread_mutex_lock(&d->lock);
    if (--s->origin->n_stamps == 0 && s->origin != d->origin)
        free_origin(s->origin);
    s->next = d->free_stamps;
    d->free_stamps = s;
    pthread_mutex_unlock(&d->lock);
    if (is_current)
        amp__cuda_leave(&scope);
    amp__error_swap(&error);
}

static amp_status take_stamp(void *device, void *queue, void **stamp)
{
    struct amp__cuda_device *d = device;
    struct amp__cuda_queue *on = queue_of(d, queue);
    struct amp__cuda_stamp *s;
    struct amp__cuda_scope scope;
    amp_status status = amp__cuda_enter(d, &scope);
    if (status != AMP_OK)
        return status;
    pthread_mutex_lock(&d->lock);
    status = make_stamp(d, &s);
    pthread_mutex_unlock(&d->lock);
    if (status == AMP_OK && (status = AMP__CUDA(d, on, cuEventRecord, s->event, on->stream)) != AMP_OK)
        free_stamp(device, s);
    amp__cuda_leave(&scope);
    if (status == AMP_OK)
        *stamp = s;
    return status;
}

static bool read_stamp(void *device, void *stamp, bool waits, long long *time_ns)
{
    const struct amp__cuda_stamp *s = stamp;
    struct amp__cuda_scope scope;
    struct amp__error error = {AMP_OK, ""};
    *time_ns = -1;
    amp__error_swap(&error); /* others report a failure */
    bool is_current = amp__cuda_enter(device, &scope) == AMP_OK, is_there = true;
    if (is_current) {
        CUresult result = waits ? amp__cuda.cuEventSynchronize(s->event) : amp__cuda.cuEventQuery(s->event);
        float ms;
        is_there = result != CUDA_ERROR_NOT_READY;
        if (result == CUDA_SUCCESS && amp__cuda.cuEventElapsedTime(&ms, s->origin->event, s->event) == CUDA_SUCCESS)
            *time_ns = s->origin->time_ns + (long long)((double)ms * 1e6);
        amp__cuda_leave(&scope);
    }
    amp__error_swap(&error);
    return is_there;
}

static void close_stamps(struct amp__cuda_device *d)
{
    for (struct amp__cuda_stamp *s = d->free_stamps, *next; s; s = next) {
        next = s->next;
        amp__cuda.cuEventDestroy(s->event);
        amp__free(s);
    }
    free_origin(d->origin);
    if (d->clock)
        amp__cuda.cuStreamDestroy(d->clock);
}

/* ---- the rest ---- */

static void renew(void)
{
    is_lost = n_opened > 0;
}

static void *native_device(void *device)
{
    struct amp__cuda_scope scope;
    if (amp__cuda_enter(device, &scope) != AMP_OK)
        return NULL;
    amp__cuda_leave(&scope);
    return ((struct amp__cuda_device *)device)->context;
}

static void *native_queue(void *device, void *queue)
{
    return native_device(device) ? queue_of(device, queue)->stream : NULL;
}

void amp__test_cuda_close(void)
{
    amp__event_settle(true);
    for (int i = 0; i < n_opened; i++) {
        struct amp__cuda_device *d = &devices[i];
        struct amp__cuda_scope scope;
        if (atomic_load(&d->is_ready) && amp__cuda_enter(d, &scope) == AMP_OK) {
            amp__cuda.cuCtxSynchronize();
            amp__gpu_staging_close(&d->gpu);
            amp__gpu_pool_close(&d->gpu);
            for (struct amp__cuda_event *e = d->free_events, *next; e; e = next) {
                next = e->next;
                amp__cuda.cuEventDestroy(e->event);
                amp__free(e);
            }
            close_stamps(d);
            amp__cuda_modules_close(d);
            amp__cuda.cuStreamDestroy(d->own.stream);
            amp__cuda.cuCtxSetCurrent(scope.previous);
            amp__cuda.cuDevicePrimaryCtxRelease(d->id);
            amp__cancellation_resume(scope.cancellation);
        }
        pthread_mutex_destroy(&d->lock);
        memset(d, 0, sizeof *d);
    }
    n_opened = 0;
    left = NULL;
    amp__gpu_staging_end();
}

const struct amp__backend amp__cuda_backend = {
    .name = "cuda",
    .count = count,
    .open = open_device,
    .has_code = has_code,
    .forget = forget,
    .memory_align = 256, /* what the driver promises */
    .alloc = alloc,
    .free = free_memory,
    .address = address,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy_rows_in = copy_rows_in,
    .copy_rows_out = copy_rows_out,
    .copy_across = copy_across,
    .copy_peer = copy_peer,
    .message_alloc = alloc_message,
    .message_free = free_message,
    .pack = pack,
    .unpack = unpack,
    .launch = launch,
    .queue_create = create_queue,
    .queue_destroy = destroy_queue,
    .wait = wait_for,
    .event_record = record_event,
    .event_wait = wait_for_event,
    .event_query = query_event,
    .event_destroy = destroy_event,
    .stamp_take = take_stamp,
    .stamp_read = read_stamp,
    .stamp_free = free_stamp,
    .renew = renew,
    .main_ended = amp__gpu_staging_end,
    .native_device = native_device,
    .native_queue = native_queue,
};
