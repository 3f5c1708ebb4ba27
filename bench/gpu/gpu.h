/* SPDX-License-Identifier: MIT
 *
 * What the kernels' gpu.c share: the data on host and device, and the peer's launch. NAME/gpu.c describes the
 * folder's problem, and NAME/peer.cu is the same kernel in CUDA C. gpu.c measures them. */
#pragma once

#include "../../src/runtime/cuda/driver.h"
#include "../bench.h"

#include <amp.h>

/* The driver's functions that only peers and timing need: FUNCTION(name, symbol, parameters). */
#define GPU_DRIVER(FUNCTION)                                                                                           \
    FUNCTION(cuCtxSetCurrent, cuCtxSetCurrent, (CUcontext context))                                                    \
    FUNCTION(cuModuleLoad, cuModuleLoad, (CUmodule * module, const char *path))                                        \
    FUNCTION(cuModuleGetFunction, cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))     \
    FUNCTION(cuLaunchKernel, cuLaunchKernel,                                                                           \
             (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,                \
              unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters,           \
              void **extra))                                                                                           \
    FUNCTION(cuEventCreate, cuEventCreate, (CUevent * event, unsigned flags))                                          \
    FUNCTION(cuEventRecord, cuEventRecord, (CUevent event, CUstream stream))                                           \
    FUNCTION(cuEventSynchronize, cuEventSynchronize, (CUevent event))                                                  \
    FUNCTION(cuEventElapsedTime, cuEventElapsedTime, (float *ms, CUevent from, CUevent to))                            \
    FUNCTION(cuMemHostAlloc, cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))                            \
    FUNCTION(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                                                  \
             (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))                                        \
    FUNCTION(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes, CUstream stream))     \
    FUNCTION(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))
#define GPU_DECLARE(name, symbol, parameters) extern CUresult(*name) parameters;
GPU_DRIVER(GPU_DECLARE)

/* Calls a function of the driver; ends the program if it fails. */
#define MUST(call, ...) must(call(__VA_ARGS__), #call)
void must(CUresult result, const char *call);

extern CUstream stream;          /* used by both sides */
extern amp_accelerator_view *on; /* the same, as ours */
extern bool is_check;            /* little data, and only our kernel */
extern uint32_t seed;            /* different in each run */

/* `set_up` makes the data. `ours` and `peer` run the kernel once and may be repeated; `verify` checks one run's
 * result and restores the data. */
struct problem {
    const char *name;
    void (*set_up)(void), (*ours)(void), (*peer)(void), (*verify)(void);
    const char *peer_name;          /* "nvcc" unless said */
    double (*time)(void (*)(void)); /* the seconds of a run; by the driver's events unless said */
    const char *(*missing)(void);   /* what the peer needs and the machine lacks, or NULL; unless said, nvcc */
    struct problem *next;
};
void gpu_add(struct problem *problem);

#define GPU_PROBLEM(...)                                                                                               \
    __attribute__((constructor)) static void BENCH_NAME(add, __LINE__)(void)                                           \
    {                                                                                                                  \
        static struct problem problem = {__VA_ARGS__};                                                                 \
        gpu_add(&problem);                                                                                             \
    }

/* The seconds until the run's results are available, by the clock. */
double gpu_time_by_clock(void (*run)(void));
/* For a peer that is part of the driver. */
const char *gpu_needs_nothing(void);

/* An array on the accelerator, and its contents on the host, which `host` may give. */
struct data {
    void *host;
    amp_array *array;
    CUdeviceptr memory;
    size_t n, size_bytes;
};
struct data new_data(size_t n, amp_type type, size_t element_size, void *host);
struct data floats(size_t n, float *host);
struct data ints(size_t n, int *host);
float *random_floats(size_t n, float low, float high);
/* Gives the array other contents: those of `from`, or zeros. */
void store(const struct data *data, const void *from);
void fetch(const struct data *data, void *to);
/* An array seen in two dimensions. */
amp_array_view *rows(const struct data *data, int M, int N);

static inline unsigned blocks(int n, int of)
{
    return (unsigned)((n + of - 1) / of);
}

/* Launches the function `name` of peer.cu; `parameters` point to its arguments. */
void launch_peer(const char *name, unsigned grid_x, unsigned grid_y, unsigned block_x, unsigned block_y,
                 void **parameters);
