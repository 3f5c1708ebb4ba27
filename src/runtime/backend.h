/* SPDX-License-Identifier: MIT
 *
 * The seam to devices. A backend is one const table, exported by one symbol from one folder and listed in backends.c.
 * Arguments, coherence, errors and tracing are dealt with above it, once: a backend only describes devices, moves bytes
 * and runs kernels. A function that fails reports with amp__fail, naming the driver's call and code, and returns the
 * status. Nothing is called before `count`, and nothing for a device before its `open`.
 *
 * Device memory: either all of `alloc`, `free`, `copy_in` and `copy_out` are there, or none, and then kernels work on
 * host memory in place.
 *
 * Threads: `count` and `open` are called by one thread at a time, under the lock of accelerator.c. All others may be
 * called from any threads at once; `alloc`, `copy_in` and `copy_out` under the lock of one home or under none. */
#pragma once

#include "runtime.h"

/* What a backend gets to run: already checked, argument block filled with addresses of its own memory. */
struct amp__launch {
    const struct amp__kernel *kernel;
    const void *args;
    int domain[3];                 /* points in threads or, for a tiled kernel, in tiles; absent leading ones are 1 */
    long long n_threads_per_point; /* 1, or the tile's size */
    /* Filled by the backend, for AMP_LOG=info. */
    const char *isa;
    int lanes;
    int n_threads;
};

struct amp__backend {
    const char *name; /* of images for it, and the beginning of its accelerators' paths */

    /* Required. How many devices there are; 0 also when the driver is missing. Blocking. */
    int (*count)(void);

    /* Required. Opens the device with number `i` and describes it; strings live as long as the program. The handle goes
     * into all other calls. A failure leaves the accelerator out. Blocking. */
    amp_status (*open)(int i, void **device, amp_accelerator_properties *properties);

    /* Optional, see above. Memory of at least `size_bytes`, aligned to 64 bytes. Blocking. */
    amp_status (*alloc)(void *device, size_t size_bytes, void **memory);
    void (*free)(void *device, void *memory);

    /* Optional, see above. Return when the bytes are there and the source may change; `copy_out` waits for launches
     * that were made before it. Blocking. */
    amp_status (*copy_in)(void *device, void *memory, const void *host, size_t size_bytes);
    amp_status (*copy_out)(void *device, void *host, const void *memory, size_t size_bytes);

    /* Required. Runs a kernel, or queues it in order behind all earlier calls for the device; `launch` and the argument
     * block may go after the return. AMP_ERROR_NO_KERNEL if no image suits the device: nothing ran. After another
     * error the memory that the kernel writes is undefined. */
    amp_status (*launch)(void *device, struct amp__launch *launch);
};

/* Ends with NULL, in order of preference for the default accelerator. */
extern const struct amp__backend *const amp__backends[];

extern const struct amp__backend amp__cpu_backend;
extern const struct amp__backend amp__null_backend;
