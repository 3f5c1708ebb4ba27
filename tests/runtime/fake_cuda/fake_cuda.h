/* SPDX-License-Identifier: MIT
 *
 * A stand-in for libcuda.so.1: GPUs whose memory is the host's, between guard pages, at addresses that the host cannot
 * use directly. Work on a stream is done when somebody waits for it, unless `is_eager`, and kernels are C functions
 * that a test provides. Everything that a real driver would reject, or accept and then go wrong, is a misuse:
 * arguments, the current context, the lifetime of what is passed, memory that is freed while work on a stream uses it.
 *
 * The variable FAKE_CUDA_KERNELS names a library of tests/gpu/Inputs/host_device.c: kernels are then the program's own,
 * as host code, run when they are launched, and device memory has addresses that the host could use. FAKE_CUDA_MEMORY
 * says how many bytes a device has then. */
#pragma once

#include "runtime/cuda/driver.h"

#include <stdbool.h>

/* The machine. Set by fake_cuda_reset, to be changed before the driver is opened. */
struct fake_cuda_machine {
    int n_devices;       /* 2 */
    int version;         /* 12040 */
    int capability;      /* 90 */
    int n_processors;    /* 4 */
    bool is_integrated;  /* false */
    bool is_prohibited;  /* false */
    bool has_peers;      /* true */
    bool is_eager;       /* false */
    size_t memory_bytes; /* of a device: 1 GiB */
};
extern struct fake_cuda_machine fake_cuda;

/* A new machine; nothing of the old one may be used any more. */
void fake_cuda_reset(void);

/* How often a function was called since then. */
int fake_cuda_calls(const char *function);

/* Whether there are more streams than one for each device in use. */
bool fake_cuda_has_queues(void);

/* The existing retained contexts, streams, events, modules, and memory of either kind; NULL if there are none. */
const char *fake_cuda_objects(void);

/* What was done wrong first; NULL if nothing was. */
const char *fake_cuda_misuse(void);

/* Makes the n-th call of a function from now on, counted from 1, fail. If the result is one that loses the context, all
 * later calls that need it fail, too. Functions that release something or wait still do so. */
void fake_cuda_fail(const char *function, int n, CUresult result);
/* Whether that has happened. */
bool fake_cuda_has_failed(void);

/* A kernel that modules whose text has its name will have: `threads` of a block and `points` that a block takes, x, y,
 * z last as in the driver; `run` does the work for a box. */
struct fake_cuda_kernel {
    const char *name;
    size_t args_bytes;
    int threads[3], points[3];
    int max_threads;
    void (*run)(const void *args, const int *box);
};
void fake_cuda_add(const struct fake_cuda_kernel *kernel);

/* The host's address of device memory, for kernels. */
void *fake_cuda_host(const void *device_memory);

/* Called by a kernel for amp_abort; its module's text has "amp__aborted". */
void fake_cuda_abort(const char *text);

/* What was done, oldest first, since the last call of this: "in", "out", "across", "peer", or a kernel's name, each
 * with the number of its stream, such as "in 0, scale 0, out 1". Streams are numbered by their creation. */
const char *fake_cuda_done(void);
