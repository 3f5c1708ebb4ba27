/* SPDX-License-Identifier: MIT
 *
 * The part of the CUDA driver's interface that is used, declared here so that building needs no CUDA. The driver is
 * libcuda.so.1, opened when the accelerators are enumerated. Names, numbers and signatures are those of the CUDA Driver
 * API reference; `symbol` is the library's export, which is newer than the name where the interface has changed. */
#pragma once

#include <stddef.h>

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;

/* X(name, number): the results that are distinguished; all others are failures of the device. */
#define AMP__CUDA_RESULTS(X)                                                                                           \
    X(CUDA_SUCCESS, 0)                                                                                                 \
    X(CUDA_ERROR_INVALID_VALUE, 1)                                                                                     \
    X(CUDA_ERROR_OUT_OF_MEMORY, 2)                                                                                     \
    X(CUDA_ERROR_DEINITIALIZED, 4)                                                                                     \
    X(CUDA_ERROR_DEVICE_UNAVAILABLE, 46)                                                                               \
    X(CUDA_ERROR_NO_DEVICE, 100)                                                                                       \
    X(CUDA_ERROR_INVALID_CONTEXT, 201)                                                                                 \
    X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209)                                                                               \
    X(CUDA_ERROR_ECC_UNCORRECTABLE, 214)                                                                               \
    X(CUDA_ERROR_INVALID_PTX, 218)                                                                                     \
    X(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220)                                                                            \
    X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222)                                                                         \
    X(CUDA_ERROR_INVALID_HANDLE, 400)                                                                                  \
    X(CUDA_ERROR_NOT_FOUND, 500)                                                                                       \
    X(CUDA_ERROR_NOT_READY, 600)                                                                                       \
    X(CUDA_ERROR_ILLEGAL_ADDRESS, 700)                                                                                 \
    X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701)                                                                         \
    X(CUDA_ERROR_LAUNCH_TIMEOUT, 702)                                                                                  \
    X(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704)                                                                     \
    X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709)                                                                            \
    X(CUDA_ERROR_ASSERT, 710)                                                                                          \
    X(CUDA_ERROR_HARDWARE_STACK_ERROR, 714)                                                                            \
    X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715)                                                                             \
    X(CUDA_ERROR_MISALIGNED_ADDRESS, 716)                                                                              \
    X(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717)                                                                           \
    X(CUDA_ERROR_INVALID_PC, 718)                                                                                      \
    X(CUDA_ERROR_LAUNCH_FAILED, 719)                                                                                   \
    X(CUDA_ERROR_UNKNOWN, 999)

#define AMP__CUDA_RESULT(name, number) name = number,
typedef enum CUresult { AMP__CUDA_RESULTS(AMP__CUDA_RESULT) } CUresult;
#undef AMP__CUDA_RESULT

/* Constants for cuDeviceGetAttribute, cuFuncGetAttribute, cuModuleLoadDataEx, cuMemcpy2DAsync, cuStreamCreate and
 * cuEventCreate. */
enum {
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 17,
    CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
    CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,

    CU_COMPUTEMODE_PROHIBITED = 2,

    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    CU_FUNC_ATTRIBUTE_NUM_REGS = 4,

    CU_JIT_ERROR_LOG_BUFFER = 5,
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,

    CU_MEMORYTYPE_HOST = 1,
    CU_MEMORYTYPE_DEVICE = 2,
    CU_MEMORYTYPE_UNIFIED = 4,

    CU_STREAM_NON_BLOCKING = 1,
    CU_EVENT_DEFAULT = 0,
    CU_EVENT_DISABLE_TIMING = 2
};

/* For cuMemcpy2DAsync: rows of memory of the host or the device; or of either, if the driver has allocated it. */
typedef struct CUDA_MEMCPY2D {
    size_t srcXInBytes, srcY;
    int srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    void *srcArray;
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    int dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    void *dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

/* X(name, symbol, (parameters)): every function of the driver that is called; all are required. */
#define AMP__CUDA_FUNCTIONS(X)                                                                                         \
    X(cuInit, cuInit, (unsigned flags))                                                                                \
    X(cuDriverGetVersion, cuDriverGetVersion, (int *version))                                                          \
    X(cuGetErrorName, cuGetErrorName, (CUresult result, const char **name))                                            \
    X(cuGetErrorString, cuGetErrorString, (CUresult result, const char **text))                                        \
    X(cuDeviceGetCount, cuDeviceGetCount, (int *count))                                                                \
    X(cuDeviceGet, cuDeviceGet, (CUdevice * device, int number))                                                       \
    X(cuDeviceGetName, cuDeviceGetName, (char *name, int size, CUdevice device))                                       \
    X(cuDeviceGetAttribute, cuDeviceGetAttribute, (int *value, int attribute, CUdevice device))                        \
    X(cuDeviceTotalMem, cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device))                                        \
    X(cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer))                        \
    X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                      \
    X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease, (CUdevice device))                                         \
    X(cuCtxGetCurrent, cuCtxGetCurrent, (CUcontext * context))                                                         \
    X(cuCtxSetCurrent, cuCtxSetCurrent, (CUcontext context))                                                           \
    X(cuCtxSynchronize, cuCtxSynchronize, (void))                                                                      \
    X(cuCtxEnablePeerAccess, cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags))                                  \
    X(cuMemGetInfo, cuMemGetInfo_v2, (size_t * free, size_t * total))                                                  \
    X(cuMemAlloc, cuMemAlloc_v2, (CUdeviceptr * memory, size_t bytes))                                                 \
    X(cuMemFree, cuMemFree_v2, (CUdeviceptr memory))                                                                   \
    X(cuMemHostAlloc, cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))                                   \
    X(cuMemFreeHost, cuMemFreeHost, (void *memory))                                                                    \
    X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))      \
    X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes, CUstream stream))            \
    X(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))      \
    X(cuMemcpyAsync, cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                 \
    X(cuMemcpy2DAsync, cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *copy, CUstream stream))                               \
    X(cuMemcpyPeerAsync, cuMemcpyPeerAsync,                                                                            \
      (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes, CUstream stream)) \
    X(cuMemsetD8Async, cuMemsetD8Async, (CUdeviceptr memory, unsigned char value, size_t n, CUstream stream))          \
    X(cuModuleLoadDataEx, cuModuleLoadDataEx,                                                                          \
      (CUmodule * module, const void *image, unsigned n_options, int *options, void **values))                         \
    X(cuModuleUnload, cuModuleUnload, (CUmodule module))                                                               \
    X(cuModuleGetFunction, cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))            \
    X(cuModuleGetGlobal, cuModuleGetGlobal_v2,                                                                         \
      (CUdeviceptr * memory, size_t * bytes, CUmodule module, const char *name))                                       \
    X(cuFuncGetAttribute, cuFuncGetAttribute, (int *value, int attribute, CUfunction function))                        \
    X(cuLaunchKernel, cuLaunchKernel,                                                                                  \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,     \
       unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters, void **extra))                     \
    X(cuStreamCreate, cuStreamCreate, (CUstream * stream, unsigned flags))                                             \
    X(cuStreamDestroy, cuStreamDestroy_v2, (CUstream stream))                                                          \
    X(cuStreamSynchronize, cuStreamSynchronize, (CUstream stream))                                                     \
    X(cuEventCreate, cuEventCreate, (CUevent * event, unsigned flags))                                                 \
    X(cuEventDestroy, cuEventDestroy_v2, (CUevent event))                                                              \
    X(cuEventRecord, cuEventRecord, (CUevent event, CUstream stream))                                                  \
    X(cuEventQuery, cuEventQuery, (CUevent event))                                                                     \
    X(cuEventSynchronize, cuEventSynchronize, (CUevent event))                                                         \
    X(cuEventElapsedTime, cuEventElapsedTime, (float *ms, CUevent from, CUevent to))

/* The functions, under their names. */
struct amp__cuda_driver {
#define AMP__CUDA_FIELD(name, symbol, parameters) CUresult(*name) parameters;
    AMP__CUDA_FUNCTIONS(AMP__CUDA_FIELD)
#undef AMP__CUDA_FIELD
};
