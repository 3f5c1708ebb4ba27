/* SPDX-License-Identifier: MIT
 *
 * The parts of the backend `cuda`:
 *
 *     driver.h, driver.c   the driver's functions, found at run time, and what their failures become
 *     cuda.c               devices, queues, events, launches; the table
 *     module.c             kernels: which image, loading it, finding it again
 *     pool.c               device memory
 *     staging.c            copies between device memory and pageable host memory
 *
 * A device costs nothing until it is used: then its primary context is retained, which the CUDA runtime shares. */
#pragma once

#include "../backend.h"
#include "driver.h"

#include <stdint.h>

enum {
    AMP__CUDA_MAX_DEVICES = 16,
    AMP__CUDA_N_BUCKETS = 256,

    /* Staging. A slice is what one thread copies at once. */
    AMP__CUDA_SLICE = 128 << 10,
    AMP__CUDA_FEW_SLOTS = 16, /* slices in a ring before it has a large copy, */
    AMP__CUDA_SLOTS = 256,    /* and then */
    AMP__CUDA_LARGE = 9,      /* slices from which on a copy is large */
    AMP__CUDA_RINGS = 4       /* of a direction */
};

/* What a module has as `amp__aborted`. */
struct amp__cuda_aborted {
    int is_aborted;
    char text[252];
};

/* A kernel on a device; lives until the device is closed. */
struct amp__cuda_function {
    const struct amp__kernel *kernel;
    const struct amp__image *image;
    struct amp__cuda_module *module;
    CUfunction entry, many; /* `many`: with several points per thread, or NULL */
    int max_threads, n_registers, shared_bytes;
    char place[200]; /* "name (file:line)", for when the kernel is gone */
    _Atomic(struct amp__cuda_function *) next;
    struct amp__cuda_function *next_made;
};

struct amp__cuda_module {
    const struct amp__code *code; /* NULL: it is gone, and is to be unloaded */
    CUmodule module;
    CUdeviceptr aborted;     /* what amp_abort leaves; 0: no kernel calls it */
    pthread_mutex_t running; /* a launch that may do so holds it until it has looked */
    struct amp__cuda_module *next;
};

struct amp__cuda_queue {
    struct amp__cuda_device *device;
    CUstream stream;
    _Atomic(struct amp__cuda_function *) last; /* put on it; NULL when it was waited for */
};

struct amp__cuda_event {
    CUevent event;
    struct amp__cuda_queue *queue;
    struct amp__cuda_event *next; /* of those not in use */
};

struct amp__cuda_block {
    CUdeviceptr memory;
    size_t size_bytes;
    struct amp__cuda_block *next;
};

/* Pinned memory that bytes of one direction pass through, slice by slice. Slices are numbered for ever; slice i passes
 * through slot i modulo their number. */
struct amp__cuda_ring {
    bool is_taken;                       /* by a copy, which has all of what follows */
    const struct amp__cuda_queue *queue; /* that used it last; may be gone when all flights are over */
    unsigned char *memory;
    uint64_t n_slots; /* 0: the ring is still to be made */
    atomic_uint_fast64_t done[AMP__CUDA_SLOTS]; /* the slice that the host was last through with, plus 1 */
    uint64_t end;                               /* of the slices so far */
    uint64_t landed;                            /* of those that the device is through with */
    struct {
        CUevent event;
        uint64_t end;
    } flights[AMP__CUDA_SLOTS]; /* transfers under way, oldest first, from `first_flight` on, around */
    int first_flight, n_flights;
};

/* The rings of a direction. */
struct amp__cuda_rings {
    pthread_mutex_t lock;
    pthread_cond_t given_back;
    struct amp__cuda_ring ring[AMP__CUDA_RINGS];
};

struct amp__cuda_device {
    CUdevice id;
    int capability; /* 90 for 9.0 */
    int n_multiprocessors;
    char path[16], isa[16], description[256];

    pthread_mutex_t lock; /* of what follows up to `rings` */
    atomic_bool is_ready; /* there is a context, and `own` */
    CUcontext context;
    struct amp__cuda_queue own;
    struct amp__cuda_module *modules;
    struct amp__cuda_function *made; /* all functions, those that are gone, too */
    struct amp__cuda_event *free_events;
    struct amp__cuda_block *used[AMP__CUDA_N_BUCKETS]; /* by address */
    struct amp__cuda_block *cached;                    /* not used, the one used last first */
    size_t cached_bytes, total_bytes;
    bool peers_tried[AMP__CUDA_MAX_DEVICES]; /* whether its memory can be reached directly */

    struct amp__cuda_rings rings[2];                                     /* in, out */
    _Atomic(struct amp__cuda_function *) functions[AMP__CUDA_N_BUCKETS]; /* by kernel; read without the lock */
};

/* ---- driver.c ---- */

extern struct amp__cuda_driver amp__cuda;

/* Opens the driver, once. Reports what is missing, as "cuda: ...". */
amp_status amp__cuda_open_driver(void);

/* What a result means to users of the library. */
amp_status amp__cuda_status(CUresult result);

/* "cuda:0: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"; `device` may be NULL. Returns `text`. */
enum { AMP__CUDA_TEXT = 400 };
char *amp__cuda_text(const struct amp__cuda_device *device, const char *call, CUresult result,
                     char text[AMP__CUDA_TEXT]);

/* Reports the failure of a call; if it may be that of queued work, with the last kernel on `queue`, which may be NULL.
 */
amp_status amp__cuda_fail(const struct amp__cuda_device *device, const struct amp__cuda_queue *queue, const char *call,
                          CUresult result) __attribute__((cold));

static inline amp_status amp__cuda_check(const struct amp__cuda_device *device, const struct amp__cuda_queue *queue,
                                         const char *call, CUresult result)
{
    return result == CUDA_SUCCESS ? AMP_OK : amp__cuda_fail(device, queue, call, result);
}

/* Calls a function of the driver and reports its failure. */
#define AMP__CUDA(device, queue, call, ...) amp__cuda_check(device, queue, #call, amp__cuda.call(__VA_ARGS__))

/* ---- cuda.c ---- */

/* Makes the device's context the calling thread's, and readies the device before its first use. Another library's
 * context comes back with `leave`; where there was none, ours stays, so that this costs one call most of the time. */
struct amp__cuda_scope {
    CUcontext previous;
    int cancellation;
};
amp_status amp__cuda_enter(struct amp__cuda_device *device, struct amp__cuda_scope *scope);
void amp__cuda_leave(const struct amp__cuda_scope *scope);

/* Waits for all that is on the queue. The context is current. */
amp_status amp__cuda_wait(struct amp__cuda_queue *queue);

/* ---- module.c ---- */

/* The kernel on the device, whose context is current: loaded if it is new there. */
amp_status amp__cuda_function_of(struct amp__cuda_device *device, const struct amp__kernel *kernel,
                                 struct amp__cuda_function **function);
/* Of the images in a kernel's descriptor the one for the device; NULL if there is none. */
const struct amp__image *amp__cuda_image_of(const struct amp__cuda_device *device, const struct amp__kernel *kernel);
/* The kernel's descriptor is about to go. */
void amp__cuda_function_forget(struct amp__cuda_device *device, const struct amp__kernel *kernel);
/* Unloads all. The context is current. */
void amp__cuda_modules_close(struct amp__cuda_device *device);

/* ---- pool.c ---- */

/* The context is current. `free` is for memory that nothing on a queue uses any more. */
amp_status amp__cuda_pool_alloc(struct amp__cuda_device *device, size_t size_bytes, void **memory);
void amp__cuda_pool_free(struct amp__cuda_device *device, void *memory);
void amp__cuda_pool_close(struct amp__cuda_device *device);

/* ---- staging.c ---- */

/* As the backend's copies. The context is current. */
amp_status amp__cuda_stage_in(struct amp__cuda_queue *queue, CUdeviceptr memory, const void *host, size_t size_bytes);
amp_status amp__cuda_stage_out(struct amp__cuda_queue *queue, void *host, CUdeviceptr memory, size_t size_bytes);
void amp__cuda_staging_init(struct amp__cuda_device *device);
void amp__cuda_staging_close(struct amp__cuda_device *device);
/* Ends the helping threads. */
void amp__cuda_staging_end(void);
