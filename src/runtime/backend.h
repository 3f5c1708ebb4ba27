/* SPDX-License-Identifier: MIT
 *
 * The seam to devices. A backend is one const table, exported by one symbol from one folder and listed in backends.c.
 * Arguments, coherence, errors and tracing are dealt with above it, once: a backend only describes devices, moves bytes
 * and runs kernels. A function that fails reports with amp__fail, naming the driver's call and code, and returns the
 * status. Nothing is called before `count`, and nothing for a device before its `open`.
 *
 * Device memory: either all of `alloc`, `free`, `address`, `copy_in` and `copy_out` are there, or none, and then
 * kernels work on host memory in place. Memory is known by what `alloc` returned, or what a user wrapped, and by
 * nothing else: whoever means a part of it says how many bytes from its beginning that part begins.
 *
 * Queues: a device has one queue of its own, the NULL one, and as many others as are created. Calls on one queue take
 * effect in order; between queues there is no order. If `wait` is there, `launch` and the copies may return before
 * their work is done; the runtime waits before another queue or the host uses the same memory. Otherwise all is done
 * when a call returns. A failure of queued work is reported by the next call that waits for it, as AMP_ERROR_DEVICE, or
 * as AMP_ERROR_ACCELERATOR_VIEW_REMOVED if the device is lost.
 *
 * Threads: `count` and `open` are called by one thread at a time, under the lock of accelerator.c. All others may be
 * called from any threads at once, for one queue too; `alloc`, the copies and `wait` under the lock of one home or
 * under none. */
#pragma once

#include "runtime.h"

/* A byte of device memory, and those after it. */
struct amp__at {
    void *memory;
    size_t offset;
};

/* What a backend gets to run: already checked, argument block filled with addresses of its own memory. */
struct amp__launch {
    const struct amp__kernel *kernel;
    const void *args;
    /* The points: {begin0, end0, begin1, end1, begin2, end2}, in threads or, for a tiled kernel, in tiles; of a rank
     * below 3 the leading ones are {0, 1}. */
    int box[6];
    long long n_threads_per_point; /* 1, or the tile's size */
    /* Filled by the backend, for AMP_LOG=info. */
    const char *isa;
    int lanes;
    int n_threads;
};

struct amp__backend {
    const char *name; /* of images for it, and the beginning of its accelerators' paths */

    /* Required. How many devices there are. If that cannot be told, as the driver is missing, 0 with the reason
     * reported. Blocking. */
    int (*count)(void);

    /* Required. Opens the device with number `i` and describes it; strings live as long as the program. The handle goes
     * into all other calls. A failure leaves the accelerator out. Blocking. */
    amp_status (*open)(int i, void **device, amp_accelerator_properties *properties);

    /* Optional; without it the device can run every kernel. Whether a kernel has code for the device. Not blocking;
     * under the lock of registry.c. */
    bool (*has_code)(void *device, const struct amp__kernel *kernel);
    /* Optional, for whatever a backend keeps about kernels. The descriptor is about to go, and its kernel has run
     * everywhere. Also called before `count`, and when the process ends; must not call the driver. */
    void (*forget)(const struct amp__kernel *kernel);

    /* Optional, see above. Memory of at least `size_bytes`, aligned to `memory_align` bytes, a power of two of at least
     * 64; nothing on any queue uses it any more when it is freed. Blocking. */
    size_t memory_align;
    amp_status (*alloc)(void *device, size_t size_bytes, void **memory);
    void (*free)(void *device, void *memory);
    /* Optional, see above. What kernels know the byte by. Not blocking. */
    void *(*address)(void *device, struct amp__at at);

    /* Optional, see above. Blocking: after `copy_in` the source may change, and what is on the queue later finds the
     * bytes; after `copy_out` the bytes are there. */
    amp_status (*copy_in)(void *device, void *queue, struct amp__at to, const void *host, size_t size_bytes);
    amp_status (*copy_out)(void *device, void *queue, void *host, struct amp__at from, size_t size_bytes);
    /* Optional, both or none; without them each row is copied by itself. The same for the rows of a box, which lie as
     * far apart on both sides; `to` and `from` are the first. */
    amp_status (*copy_rows_in)(void *device, void *queue, struct amp__at to, const void *host,
                               const struct amp__rows *rows);
    amp_status (*copy_rows_out)(void *device, void *queue, void *host, struct amp__at from,
                                const struct amp__rows *rows);
    /* Optional; without it bytes are copied through the host. Both ranges are memory of the device and do not overlap.
     */
    amp_status (*copy_across)(void *device, void *queue, struct amp__at to, struct amp__at from, size_t size_bytes);
    /* Optional; without it bytes are copied through the host. From memory of another device of this backend, which
     * nothing on any queue writes. Blocking: after it that memory may change. */
    amp_status (*copy_peer)(void *device, void *queue, struct amp__at to, void *from_device, struct amp__at from,
                            size_t size_bytes);

    /* Required. Runs a kernel, or queues it; `launch` and the argument block may go after the return.
     * AMP_ERROR_NO_KERNEL if no image suits the device: nothing ran. After another error the memory that the kernel
     * writes is undefined. */
    amp_status (*launch)(void *device, void *queue, struct amp__launch *launch);

    /* Optional, both or none; without them all queues of the device are its own one. `queue_destroy` is called when all
     * its work is done. Blocking. */
    amp_status (*queue_create)(void *device, void **queue);
    void (*queue_destroy)(void *device, void *queue);
    /* Optional, see above. Returns when all that was put on the queue is done, with its failure. Blocking. */
    amp_status (*wait)(void *device, void *queue);
    /* Optional: for a device that collects work before it begins. Begins with what is on the queue. Not blocking. */
    amp_status (*flush)(void *device, void *queue);

    /* Optional, all or none; `wait` stands in. An event is the end of what is on the queue when it is recorded:
     * `event_wait` returns then, with the failure if one occurred; `event_query` says whether it is there, not
     * blocking. */
    amp_status (*event_record)(void *device, void *queue, void **event);
    amp_status (*event_wait)(void *device, void *event);
    bool (*event_query)(void *device, void *event);
    void (*event_destroy)(void *device, void *event);

    /* Optional. This process is the child of a fork: of what the backend has, locks may be held by threads that are not
     * there. Called by the only thread. */
    void (*renew)(void);

    /* Optional: what the driver calls the device and the queue, for users that mix. NULL when there is none. */
    void *(*native_device)(void *device);
    void *(*native_queue)(void *device, void *queue);
};

/* Ends with NULL, in order of preference for the default accelerator. */
extern const struct amp__backend *const amp__backends[];

extern const struct amp__backend amp__cuda_backend;
extern const struct amp__backend amp__cpu_backend;
extern const struct amp__backend amp__null_backend;
