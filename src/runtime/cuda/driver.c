/* SPDX-License-Identifier: MIT */
#include "../testing.h"
#include "cuda.h"

#include <dlfcn.h>
#include <stdio.h>

/* PTX for sm_75 uses ISA 6.3, which came with CUDA 10.0. */
enum { OLDEST_VERSION = 10000 };

struct amp__cuda_driver amp__cuda;

static const char *library_name = "libcuda.so.1";
static void *library;

void amp__test_cuda_library(const char *name)
{
    library_name = name ? name : "libcuda.so.1";
    if (library)
        dlclose(library);
    library = NULL;
}

static amp_status find_functions(void *in)
{
    struct amp__cuda_driver found;
#define FIND(name, symbol, parameters)                                                                                 \
    *(void **)&found.name = dlsym(in, #symbol);                                                                        \
    if (!found.name)                                                                                                   \
        return amp__fail(AMP_ERROR_DEVICE, "cuda: %s has no " #symbol ": it is older than CUDA 10.0", library_name);
    AMP__CUDA_FUNCTIONS(FIND)
#undef FIND
    amp__cuda = found;
    return AMP_OK;
}

amp_status amp__cuda_open_driver(void)
{
    if (library)
        return AMP_OK;
    void *opened = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (!opened) {
        const char *why = dlerror();
        return amp__fail(AMP_ERROR_DEVICE, "cuda: %s", why ? why : library_name);
    }
    amp_status status = find_functions(opened);
    int version = 0;
    if (status == AMP_OK)
        status = AMP__CUDA(NULL, NULL, cuInit, 0);
    if (status == AMP_OK)
        status = AMP__CUDA(NULL, NULL, cuDriverGetVersion, &version);
    if (status == AMP_OK && version < OLDEST_VERSION)
        status = amp__fail(AMP_ERROR_DEVICE, "cuda: the driver is for CUDA %d.%d; 10.0 or later is needed",
                           version / 1000, version % 1000 / 10);
    if (status == AMP_OK)
        library = opened;
    else
        dlclose(opened);
    return status;
}

amp_status amp__cuda_status(CUresult result)
{
    switch (result) {
    case CUDA_SUCCESS:
        return AMP_OK;
    case CUDA_ERROR_OUT_OF_MEMORY:
        return AMP_ERROR_OUT_OF_MEMORY;
    /* After these the context is useless. */
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
        return AMP_ERROR_ACCELERATOR_VIEW_REMOVED;
    default:
        return AMP_ERROR_DEVICE;
    }
}

char *amp__cuda_text(const struct amp__cuda_device *device, const char *call, CUresult result,
                     char text[AMP__CUDA_TEXT])
{
    const char *name = NULL, *sentence = NULL;
    if (amp__cuda.cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
        name = "an error that the driver has no name for";
    if (amp__cuda.cuGetErrorString(result, &sentence) != CUDA_SUCCESS || !sentence)
        sentence = "no text";
    snprintf(text, AMP__CUDA_TEXT, "%s: %s: %s (%d): %s%s", device ? device->gpu.path : "cuda", call, name, (int)result,
             sentence,
             amp__cuda_status(result) == AMP_ERROR_ACCELERATOR_VIEW_REMOVED
                 ? "; the device is lost to this process, start it again"
                 : "");
    return text;
}

amp_status amp__cuda_fail(const struct amp__cuda_device *device, const struct amp__cuda_queue *queue, const char *call,
                          CUresult result)
{
    char text[AMP__CUDA_TEXT];
    amp__cuda_text(device, call, result, text);
    const struct amp__cuda_function *last = queue ? atomic_load(&queue->last) : NULL;
    if (last)
        return amp__fail(amp__cuda_status(result), "%s; the last kernel on this queue was %s", text, last->place);
    return amp__fail(amp__cuda_status(result), "%s", text);
}
