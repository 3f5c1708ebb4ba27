/* SPDX-License-Identifier: MIT
 *
 * What the runtime of every GPU needs above its driver:
 *
 *     grid.c      a launch's domain as grids of blocks
 *     pool.c      device memory
 *     staging.c   copies between device memory and pageable host memory
 *
 * A backend has a table of its driver's calls, and its devices, queues and functions begin with the structs below. The
 * caller of a function below has made the device's context current, if the driver has contexts. */
#pragma once

#include "../backend.h"

#include <stdint.h>

typedef unsigned long long amp__gpu_address;

enum {
    AMP__GPU_N_BUCKETS = 256,

    /* Staging. A slice is what one thread copies at once. */
    AMP__GPU_SLICE = 128 << 10,
    AMP__GPU_FEW_SLOTS = 16, /* slices in a ring before its first large copy, */
    AMP__GPU_SLOTS = 256,    /* and from then on */
    AMP__GPU_LARGE = 9,      /* a copy of this many slices or more is large */
    AMP__GPU_RINGS = 4       /* for each direction */
};

struct amp__gpu_device;
struct amp__gpu_queue;

/* A kernel's entry points. */
struct amp__gpu_function {
    void *entry, *many;  /* `many`: with several points per thread, or NULL */
    const int *geometry; /* the image's: threads of a block, points of a block, points of a block of `many` */
};

/* Blocks that are launched at once. Arrays of three are in the order z, y, x. */
struct amp__gpu_grid {
    const struct amp__gpu_function *of;
    void *entry; /* one of the kernel's two */
    unsigned blocks[3], threads[3];
    const void *args; /* the argument block */
    int box[6];       /* the points: their beginning and end in each dimension */
};

/* The driver's calls. Those that return a status report failures under the driver's name for the call. */
struct amp__gpu_driver {
    int max_depth;       /* the most threads of a block along z */
    unsigned max_blocks; /* the most of a grid along z or y */

    /* Device memory. Reports that there is none only if `is_final`; otherwise the pool gives some back and tries
     * again. */
    amp_status (*alloc)(struct amp__gpu_device *device, size_t size_bytes, bool is_final, amp__gpu_address *memory);
    void (*free)(struct amp__gpu_device *device, amp__gpu_address memory);
    /* Pinned memory of the host. */
    amp_status (*host_alloc)(struct amp__gpu_device *device, size_t size_bytes, void **memory);
    void (*host_free)(struct amp__gpu_device *device, void *memory);

    /* Work on a queue. The host's memory is pinned. */
    amp_status (*copy_in)(struct amp__gpu_queue *queue, amp__gpu_address to, const void *from, size_t size_bytes);
    amp_status (*copy_out)(struct amp__gpu_queue *queue, void *to, amp__gpu_address from, size_t size_bytes);
    amp_status (*launch)(struct amp__gpu_queue *queue, const struct amp__gpu_grid *grid);
    /* Waits for all work on the queue. */
    amp_status (*wait)(struct amp__gpu_queue *queue);

    /* An event is the end of the work that is on a queue when it is recorded. */
    amp_status (*event_create)(struct amp__gpu_device *device, void **event);
    void (*event_destroy)(struct amp__gpu_device *device, void *event);
    amp_status (*event_record)(struct amp__gpu_queue *queue, void *event);
    amp_status (*event_query)(struct amp__gpu_queue *queue, void *event, bool *is_there);
    amp_status (*event_wait)(struct amp__gpu_queue *queue, void *event);
};

struct amp__gpu_block {
    amp__gpu_address memory;
    size_t size_bytes;
    struct amp__gpu_block *next;
};

/* Pinned memory that bytes of one direction pass through, slice by slice. Slice numbers are never used again; slice i
 * passes through slot i modulo the number of slots. */
struct amp__gpu_ring {
    bool is_taken;                      /* by a copy, which then owns all fields below */
    const struct amp__gpu_queue *queue; /* the queue that used it last; may be gone when all flights are over */
    unsigned char *memory;
    uint64_t n_slots;                          /* 0: the ring is still to be made */
    atomic_uint_fast64_t done[AMP__GPU_SLOTS]; /* the last slice that the host has finished, plus 1 */
    uint64_t end;                              /* the end of the slices so far */
    uint64_t landed;                           /* the end of the slices that the device has finished */
    struct {
        void *event;
        uint64_t end;
    } flights[AMP__GPU_SLOTS]; /* transfers under way, oldest first: a circular list from `first_flight` on */
    int first_flight, n_flights;
};

/* The rings of a direction. */
struct amp__gpu_rings {
    pthread_mutex_t lock;
    pthread_cond_t given_back;
    struct amp__gpu_ring ring[AMP__GPU_RINGS];
};

struct amp__gpu_device {
    const struct amp__gpu_driver *driver;
    char path[16];
    int n_multiprocessors;
    size_t total_bytes;

    pthread_mutex_t pool_lock;                       /* guards the next three */
    struct amp__gpu_block *used[AMP__GPU_N_BUCKETS]; /* by address */
    struct amp__gpu_block *cached;                   /* not in use, most recently used first */
    size_t cached_bytes;

    struct amp__gpu_rings rings[2]; /* in, out */
};

struct amp__gpu_queue {
    struct amp__gpu_device *device;
};

/* ---- grid.c ---- */

/* Puts a launch's domain on the queue, in as many grids as necessary. */
amp_status amp__gpu_run(struct amp__gpu_queue *queue, const struct amp__gpu_function *f,
                        const struct amp__launch *launch);

/* ---- pool.c ---- */

void amp__gpu_pool_init(struct amp__gpu_device *device);
/* Free only memory that nothing on a queue uses any more. */
amp_status amp__gpu_pool_alloc(struct amp__gpu_device *device, size_t size_bytes, void **memory);
void amp__gpu_pool_free(struct amp__gpu_device *device, void *memory);
void amp__gpu_pool_close(struct amp__gpu_device *device);

/* ---- staging.c ---- */

/* Like the backend's copies. */
amp_status amp__gpu_stage_in(struct amp__gpu_queue *queue, amp__gpu_address memory, const void *host,
                             size_t size_bytes);
amp_status amp__gpu_stage_out(struct amp__gpu_queue *queue, void *host, amp__gpu_address memory, size_t size_bytes);
void amp__gpu_staging_init(struct amp__gpu_device *device);
void amp__gpu_staging_close(struct amp__gpu_device *device);
/* Ends the helping threads. */
void amp__gpu_staging_end(void);
