/* SPDX-License-Identifier: MIT
 *
 * The seam to devices. A backend is one const table, exported by one symbol from one folder and listed in backends.c.
 * Arguments, coherence, errors and tracing are dealt with above it, once: a backend only describes devices, moves bytes
 * and runs kernels. A function that fails reports with amp__fail, naming the driver's call and code, and returns the
 * status. Nothing is called before `count`, and nothing for a device before its `open`.
 *
 * Device memory: a backend has either all of `alloc`, `free`, `address`, `copy_in` and `copy_out`, or none; with none,
 * kernels work on host memory in place. Memory is known only by what `alloc` returned or what a user wrapped: a part of
 * it is named by that and its offset in bytes.
 *
 * Queues: a device has one queue of its own, the NULL one, and as many others as are created. Calls on one queue take
 * effect in order; between queues there is no order. If the backend has `wait`, `launch` and the copies may return
 * before their work is done; the runtime waits before another queue or the host uses the same memory. Otherwise all
 * work is done when a call returns. The next call that waits for failed queued work reports AMP_ERROR_DEVICE, or
 * AMP_ERROR_ACCELERATOR_VIEW_REMOVED if the device is lost.
 *
 * Threads: one thread at a time calls `count` and `open`, under the lock of accelerator.c. Any threads may call all
 * others at once, even for one queue; `alloc`, the copies and `wait` are called under the lock of one home or under
 * none. */
#pragma once

#include "runtime.h"

/* A byte of device memory, and the bytes after it. */
struct amp__at {
    void *memory;
    size_t offset;
};

/* A copy of rows of a home from one device to another. */
struct amp__peer_copy {
    const amp_accelerator *from, *to;
    struct amp__rows rows;
};

/* What the host's code did wrong with an array. */
struct amp__host_mistake {
    const char *file, *function; /* where; `function` is NULL if only the kernel is known */
    int line, column;            /* `column` is 0 if it is unknown */
    const char *kernel;          /* or the function of amp.h that takes part */
    const char *variable;        /* how that calls the array */
    amp_index index;             /* of the element; rank 0: not known */
    amp_extent extent;
    const char *before, *after; /* of the element in the report */
    const char *remedy;
    int other_line; /* of the call that takes part; 0: not known */
};

/* What a backend runs. It is already checked, and the argument block has addresses of the backend's own memory. */
struct amp__launch {
    const struct amp__kernel *kernel;
    const void *args;
    /* The points: {begin0, end0, begin1, end1, begin2, end2}, in threads or, for a tiled kernel, in tiles. Below rank 3
     * the leading dimensions are {0, 1}. */
    int box[6];
    long long n_threads_per_point; /* 1, or the tile's size */
    /* Above rank 3 a launch may consist of several boxes, one after another on one thread, up to the first that
     * fails. */
    bool is_first, is_last;
    /* It touches nothing that copies from other devices bring which were asked for before. */
    bool is_early;
    /* Filled by the backend, for AMP_LOG=info. */
    const char *isa;
    int lanes;
    int n_threads;
};

struct amp__backend {
    const char *name; /* of images for it, and the beginning of its accelerators' paths */

    /* Required. Returns how many devices there are. If this is unknown because the driver is missing, returns 0 and
     * reports the reason. Blocking. */
    int (*count)(void);

    /* Required. Opens the device with number `i` and describes it; strings live as long as the program. The handle goes
     * into all other calls. A failure leaves the accelerator out. Blocking. */
    amp_status (*open)(int i, void **device, amp_accelerator_properties *properties);

    /* Optional; without it the device can run every kernel. Returns whether a kernel has code for the device. Not
     * blocking; called under the lock of registry.c. */
    bool (*has_code)(void *device, const struct amp__kernel *kernel);
    /* Whether its devices look for mistakes in kernels. Launches on them are not judged by what the kernel touches, and
     * programs that go through all accelerators do not see them unless all kernels have code for them; so such a
     * backend comes last in amp__backends. */
    bool finds_mistakes;
    /* Whether programs that go through all accelerators never see its devices, which can only be named; such a backend
     * comes last, too. */
    bool is_unlisted;
    /* Optional, for backends that keep something about kernels. The descriptor is about to be unloaded, and all
     * launches of its kernel are done. Also called before `count`, and when the process ends; must not call the
     * driver. */
    void (*forget)(const struct amp__kernel *kernel);

    /* Optional, see above. Memory of at least `size_bytes`, aligned to `memory_align` bytes, a power of two of at least
     * 64. When it is freed, nothing on any queue uses it any more. Blocking. */
    size_t memory_align;
    amp_status (*alloc)(void *device, size_t size_bytes, void **memory);
    void (*free)(void *device, void *memory);
    /* Optional, for memory that can be read at once, but written only after this: kernels and the host may write the
     * bytes from `begin` up to `end`, of which some `n_used` will be used. Not blocking. */
    amp_status (*commit)(void *device, void *memory, size_t begin, size_t end, size_t n_used);
    /* Optional, see above. Returns the byte's address for kernels. Not blocking. */
    void *(*address)(void *device, struct amp__at at);

    /* Optional, see above. Blocking: after `copy_in` the source may change, and later work on the queue finds the
     * bytes; after `copy_out` the host has the bytes. */
    amp_status (*copy_in)(void *device, void *queue, struct amp__at to, const void *host, size_t size_bytes);
    amp_status (*copy_out)(void *device, void *queue, void *host, struct amp__at from, size_t size_bytes);
    /* Optional, both or none; without them each row is copied by itself. They copy the rows of a box, which have the
     * same distance on both sides; `to` and `from` are the first. */
    amp_status (*copy_rows_in)(void *device, void *queue, struct amp__at to, const void *host,
                               const struct amp__rows *rows);
    amp_status (*copy_rows_out)(void *device, void *queue, void *host, struct amp__at from,
                                const struct amp__rows *rows);
    /* Optional, both or none: the same as `copy_rows_out`, but the host may have the rows only after the end, or after
     * another copy of this backend. The source does not change before. */
    amp_status (*begin_copy_out)(void *device, void *host, struct amp__at from, const struct amp__rows *rows);
    amp_status (*end_copies_out)(void *device);
    /* Optional; without it bytes are copied through the host. Both ranges are on the device and do not overlap. */
    amp_status (*copy_across)(void *device, void *queue, struct amp__at to, struct amp__at from, size_t size_bytes);
    /* Optional; without it bytes are copied through the host. Copies from memory of another device of this backend,
     * which nothing on any queue writes. Blocking: after it that memory may change. */
    amp_status (*copy_peer)(void *device, void *queue, struct amp__at to, void *from_device, struct amp__at from,
                            size_t size_bytes);
    /* Optional, besides `copy_peer`; without it the rows of a box come through the host. */
    amp_status (*copy_rows_peer)(void *device, void *queue, struct amp__at to, void *from_device, struct amp__at from,
                                 const struct amp__rows *rows);

    /* Optional, all or none, besides `copy_peer`, for copies between devices of this backend that are repeated in one
     * order for several homes of one shape. `batch_new` returns what does all of them at once; NULL if that is not
     * possible. `batch_run` does them for a home, which has memory everywhere, with the effect of the copies by
     * themselves, and sets whether it has; if not, nothing was done. */
    struct amp__batch *(*batch_new)(const struct amp__peer_copy *copies, size_t n);
    void (*batch_free)(struct amp__batch *batch);
    amp_status (*batch_run)(struct amp__batch *batch, struct amp__home *home, bool *is_done);

    /* Optional. Whether another process runs what is launched on the device, and makes the same calls. */
    bool (*is_elsewhere)(const void *device);

    /* Optional. Whether copies from other devices to this one may go on while early launches run, and end with the next
     * other launch, or with `agree`. */
    bool (*is_overlapping)(const void *device);

    /* Optional, all or none, for messages between processes: memory in which rows lie one after another, of the host,
     * where the device reaches it without a copy, or of the device itself. `pack` copies the rows of a box to it, and
     * `unpack` from it. */
    amp_status (*message_alloc)(void *device, bool is_on_device, size_t size_bytes, void **memory);
    void (*message_free)(void *device, bool is_on_device, void *memory);
    amp_status (*pack)(void *device, void *queue, void *message, struct amp__at from, const struct amp__rows *rows);
    amp_status (*unpack)(void *device, void *queue, struct amp__at to, const void *message,
                         const struct amp__rows *rows);

    /* Optional. Tells that the bytes have no contents any more, so that a kernel must write them before it reads them.
     * Not blocking. */
    void (*discard)(void *device, struct amp__at at, size_t size_bytes);

    /* Optional, both or none, for devices that look for mistakes. Finds the first byte in which memory of the device
     * and the host's copy of it differ, though both should have the same contents; returns `size_bytes` if there is
     * none. `report_host` reports a mistake of the host's code, and returns the status. */
    size_t (*compare)(void *device, struct amp__at at, const void *host, size_t size_bytes);
    amp_status (*report_host)(void *device, const struct amp__host_mistake *mistake);

    /* Required, unless there is `run`. Runs a kernel, or queues it; `launch` and the argument block may be freed after
     * the return. Returns AMP_ERROR_NO_KERNEL if no image suits the device: nothing ran. After any other error the
     * memory that the kernel writes is undefined. */
    amp_status (*launch)(void *device, void *queue, struct amp__launch *launch);
    /* Optional, for devices of which each belongs to another process. Returns the outcome of a launch that ended with
     * `status` in this one. Called by all of them after each launch. */
    amp_status (*agree)(const struct amp__kernel *kernel, amp_status status);
    /* For a device that is made of others: does all that a launch needs, with their memory. Returns as amp_launch. */
    amp_status (*run)(struct amp__call *call, struct amp__launch *launch, const amp_extent *extent);
    /* Optional. Whether all calls must take effect in the order of the program, because other processes make them, too:
     * then nothing is asynchronous. */
    bool (*is_ordered)(void);

    /* Optional, both or none; without them the device has only its own queue. `queue_destroy` is called when all work
     * on the queue is done. Blocking. */
    amp_status (*queue_create)(void *device, void **queue);
    void (*queue_destroy)(void *device, void *queue);
    /* Optional, see above. Returns when all work on the queue is done, with its failure if any. Blocking. */
    amp_status (*wait)(void *device, void *queue);
    /* Optional, for a device that collects work before it begins. Begins the work on the queue. Not blocking. */
    amp_status (*flush)(void *device, void *queue);

    /* Optional, all or none; without them `wait` is used. An event is the end of the work on the queue when it is
     * recorded: `event_wait` returns then, with the failure if any; `event_query` says without blocking whether it has
     * been reached. */
    amp_status (*event_record)(void *device, void *queue, void **event);
    amp_status (*event_wait)(void *device, void *event);
    bool (*event_query)(void *device, void *event);
    void (*event_destroy)(void *device, void *event);

    /* Optional, all or none; without them nobody knows how long the device's work takes. A stamp is the time at which
     * the queue reaches the place where it was taken, on the clock of amp__now_ns. `stamp_read` returns false if this
     * is yet to come, unless `waits`; the time is -1 if the device failed. Any thread may read a stamp, and then free
     * it. */
    amp_status (*stamp_take)(void *device, void *queue, void **stamp);
    bool (*stamp_read)(void *device, void *stamp, bool waits, long long *time_ns);
    void (*stamp_free)(void *device, void *stamp);

    /* Optional. Called by the only thread of a child of fork. Threads that exist only in the parent may hold the
     * backend's locks. */
    void (*renew)(void);
    /* Optional, for backends with threads of their own. The main thread has ended: from now on threads that have
     * nothing to do end, too (main_thread.c). */
    void (*main_ended)(void);

    /* Optional: what the driver calls the device and the queue, for users that mix. NULL when there is none. */
    void *(*native_device)(void *device);
    void *(*native_queue)(void *device, void *queue);
};

/* Ends with NULL, in order of preference for the default accelerator. */
extern const struct amp__backend *const amp__backends[];

extern const struct amp__backend amp__cuda_backend;
extern const struct amp__backend amp__cpu_backend;
/* Whether a launch on the processor can fail in one process and not in another: it may abort, or lack stack. */
bool amp__cpu_may_fail(const struct amp__kernel *kernel);
extern const struct amp__backend amp__null_backend;
extern const struct amp__backend amp__checked_backend;
extern const struct amp__backend amp__place_backend;
extern const struct amp__backend amp__rank_backend;
/* `commit` of the memory that a place has. */
amp_status amp__place_commit(void *memory, size_t begin, size_t end, size_t n_used);
extern const struct amp__backend amp__all_backend;

/* For `count` and `open` alone: the accelerator with number `i` of those that have been opened, or NULL. */
amp_accelerator *amp__accelerator_opened(int i);

/* ---- all/run.c ---- */

/* `run` of the accelerator `all`. */
amp_status amp__all_run(struct amp__call *call, struct amp__launch *launch, const amp_extent *extent);

/* ---- launch.c ---- */

/* Carries out a launch on one device: copies, runs the kernel, and records what is valid afterwards. */
amp_status amp__launch_on(struct amp__call *call, struct amp__launch *launch, const amp_extent *extent,
                          amp_accelerator_view *on);
/* Runs the kernel over the box of `launch`, or puts it on the queue. `bytes`: of the arrays that it uses there. */
amp_status amp__launch_box(const struct amp__call *call, struct amp__launch *launch, const amp_extent *extent,
                           amp_accelerator_view *on, size_t bytes);
/* Passes the kernel the address that a use has on the device, which has memory for it. */
amp_status amp__launch_pass(const struct amp__call *call, struct amp__use *use, const amp_accelerator_view *on);
/* Whether the kernel uses the view's home where it is; else it gets a dense copy of a section. */
bool amp__use_is_in_place(const struct amp__call *call, const struct amp__use *use);
/* Whether a use, or one that shares its dense copy, writes. */
bool amp__use_is_written(const struct amp__call *call, const struct amp__use *use);
