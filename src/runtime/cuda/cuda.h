/* SPDX-License-Identifier: MIT
 *
 * The parts of the backend `cuda`:
 *
 *     driver.h, driver.c   the driver's functions, found at run time, and how their failures are reported
 *     calls.c              the calls that the code for all GPUs, in gpu/, makes
 *     cuda.c               devices, queues, events, launches; the table
 *     module.c             kernels: choosing an image, loading it, finding it again
 *
 * A device costs nothing until it is used: then its primary context is retained, which the CUDA runtime shares. */
#pragma once

#include "../gpu/gpu.h"
#include "driver.h"

enum { AMP__CUDA_MAX_DEVICES = 16, AMP__CUDA_N_BUCKETS = 256 };

/* A module's variable `amp__aborted`. */
struct amp__cuda_aborted {
    int is_aborted;
    char text[252];
};

/* A kernel on a device; lives until the device is closed. */
struct amp__cuda_function {
    struct amp__gpu_function gpu;
    const struct amp__kernel *kernel;
    const struct amp__image *image;
    struct amp__cuda_module *module;
    int max_threads, n_registers, shared_bytes;
    char place[200]; /* "name (file:line)", for use after the kernel is gone */
    _Atomic(struct amp__cuda_function *) next;
    struct amp__cuda_function *next_made;
};

struct amp__cuda_module {
    const struct amp__code *code; /* NULL: the code is gone, and the module is to be unloaded */
    CUmodule module;
    CUdeviceptr aborted;     /* where amp_abort leaves its text; 0: no kernel calls it */
    pthread_mutex_t running; /* held by a launch that may abort until it has checked */
    struct amp__cuda_module *next;
};

struct amp__cuda_queue {
    struct amp__gpu_queue gpu;
    CUstream stream;
    _Atomic(struct amp__cuda_function *) last; /* the last one put on it; NULL when it was waited for */
};

struct amp__cuda_event {
    CUevent event;
    struct amp__cuda_queue *queue;
    struct amp__cuda_event *next; /* of those not in use */
};

/* An event whose time is known: others are timed by how much later they are. */
struct amp__cuda_origin {
    CUevent event;
    long long time_ns;
    int n_stamps; /* that are relative to it */
};

struct amp__cuda_stamp {
    CUevent event;
    struct amp__cuda_origin *origin;
    struct amp__cuda_stamp *next; /* of those not in use */
};

struct amp__cuda_device {
    struct amp__gpu_device gpu;
    CUdevice id;
    int capability; /* 90 for 9.0 */
    char isa[16], description[256];

    pthread_mutex_t lock; /* of what follows up to `functions` */
    atomic_bool is_ready; /* there is a context, and `own` */
    CUcontext context;
    struct amp__cuda_queue own;
    struct amp__cuda_module *modules;
    struct amp__cuda_function *made; /* all functions, including those that are gone */
    struct amp__cuda_event *free_events;
    struct amp__cuda_stamp *free_stamps;
    struct amp__cuda_origin *origin;         /* of new stamps */
    CUstream clock;                          /* for origins; nothing else is on it */
    bool peers_tried[AMP__CUDA_MAX_DEVICES]; /* whether its memory can be reached directly */

    _Atomic(struct amp__cuda_function *) functions[AMP__CUDA_N_BUCKETS]; /* by kernel; read without the lock */
};

/* ---- driver.c ---- */

extern struct amp__cuda_driver amp__cuda;

/* Opens the driver, once. Reports what is missing, as "cuda: ...". */
amp_status amp__cuda_open_driver(void);

/* The status that a result means to users of the library. */
amp_status amp__cuda_status(CUresult result);

/* "cuda:0: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"; `device` may be NULL. Returns `text`. */
enum { AMP__CUDA_TEXT = 400 };
char *amp__cuda_text(const struct amp__cuda_device *device, const char *call, CUresult result,
                     char text[AMP__CUDA_TEXT]);

/* Reports the failure of a call. If queued work may have caused it, names the last kernel on `queue`, which may be
 * NULL. */
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

/* Makes the device's context current on the calling thread, and readies the device before its first use. `leave`
 * restores another library's context; if there was none, ours stays, so that this usually costs one call. */
struct amp__cuda_scope {
    CUcontext previous;
    int cancellation;
};
amp_status amp__cuda_enter(struct amp__cuda_device *device, struct amp__cuda_scope *scope);
void amp__cuda_leave(const struct amp__cuda_scope *scope);

/* Waits for all work on the queue. The context is current. */
amp_status amp__cuda_wait(struct amp__cuda_queue *queue);

/* Reports that a kernel could not be launched. */
amp_status amp__cuda_fail_launch(const struct amp__cuda_device *device, const struct amp__cuda_function *f,
                                 CUresult result) __attribute__((cold));

/* ---- module.c ---- */

/* The kernel on the device, whose context is current: loaded if it is new there. */
amp_status amp__cuda_function_of(struct amp__cuda_device *device, const struct amp__kernel *kernel,
                                 struct amp__cuda_function **function);
/* The image for the device in a kernel's descriptor; NULL if there is none. */
const struct amp__image *amp__cuda_image_of(const struct amp__cuda_device *device, const struct amp__kernel *kernel);
/* The kernel's descriptor is about to be unloaded. */
void amp__cuda_function_forget(struct amp__cuda_device *device, const struct amp__kernel *kernel);
/* Unloads all. The context is current. */
void amp__cuda_modules_close(struct amp__cuda_device *device);

/* ---- calls.c ---- */

extern const struct amp__gpu_driver amp__cuda_calls;
