/* SPDX-License-Identifier: MIT
 *
 * Kernels on a device. A source file's kernels for one target are one PTX text, which the driver compiles when a device
 * first runs one of them. Finding a kernel again takes no lock: a new function is added at the front of its chain in a
 * table, and one whose descriptor is gone is taken out of the table but kept. */
#include "cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char aborted[] = "amp__aborted";

const struct amp__image *amp__cuda_image_of(const struct amp__cuda_device *device, const struct amp__kernel *kernel)
{
    const struct amp__image *best = NULL;
    for (const struct amp__image *image = kernel->images; image && image->backend; image++)
        if (!strcmp(image->backend, "cuda") && !strncmp(image->target, "sm_", 3) &&
            atoi(image->target + 3) <= device->capability)
            best = image;
    return best;
}

static amp_status fail_no_image(const struct amp__cuda_device *device, const struct amp__kernel *kernel)
{
    char list[256] = "";
    size_t length = 0;
    for (const struct amp__image *image = kernel->images; image && image->backend && length < sizeof list; image++)
        if (!strcmp(image->backend, "cuda"))
            length += (size_t)snprintf(list + length, sizeof list - length, length ? ", %s" : "%s", image->target);
    return amp__kernel_fail(kernel, AMP_ERROR_NO_KERNEL,
                            "it is compiled for %s, but %s is %s; compile it with --amp-gpu=%s or older",
                            length ? list : "no GPU", device->gpu.path, device->isa, device->isa);
}

static amp_status fail_to_load(const struct amp__cuda_device *device, const struct amp__kernel *kernel, CUresult result,
                               const char *log)
{
    char text[AMP__CUDA_TEXT];
    amp__cuda_text(device, "cuModuleLoadDataEx", result, text);
    const char *hint = "";
    if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
        hint = "; the driver is older than the code: update it, or compile with an older --amp-gpu";
    return amp__kernel_fail(kernel, amp__cuda_status(result), "%s%s%s%s", text, hint, *log ? ": " : "", log);
}

static amp_status check(const struct amp__cuda_device *device, const struct amp__kernel *kernel, const char *call,
                        CUresult result)
{
    char text[AMP__CUDA_TEXT];
    return result == CUDA_SUCCESS
               ? AMP_OK
               : amp__kernel_fail(kernel, amp__cuda_status(result), "%s", amp__cuda_text(device, call, result, text));
}

/* Loads a module. */
static amp_status fill_module(const struct amp__cuda_device *device, const struct amp__kernel *kernel,
                              const struct amp__code *code, struct amp__cuda_module *m)
{
    char log[512] = "";
    int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUresult result = amp__cuda.cuModuleLoadDataEx(&m->module, code->text, 2, options, values);
    if (result != CUDA_SUCCESS) {
        log[sizeof log - 1] = 0;
        return fail_to_load(device, kernel, result, log);
    }
    size_t bytes;
    m->code = code;
    m->aborted = 0;
    /* Tools report a failed search as an error. */
    if (!memmem(code->text, code->bytes, aborted, sizeof aborted - 1))
        return AMP_OK;
    result = amp__cuda.cuModuleGetGlobal(&m->aborted, &bytes, m->module, aborted);
    if (result == CUDA_SUCCESS)
        return AMP_OK;
    amp__cuda.cuModuleUnload(m->module);
    return check(device, kernel, "cuModuleGetGlobal", result);
}

/* The module with `code`, loaded if it is new. Called with the lock held. */
static amp_status module_of(struct amp__cuda_device *device, const struct amp__kernel *kernel,
                            const struct amp__code *code, struct amp__cuda_module **module)
{
    for (*module = device->modules; *module; *module = (*module)->next)
        if ((*module)->code == code)
            return AMP_OK;
    struct amp__cuda_module *m = amp__alloc(sizeof *m, _Alignof(struct amp__cuda_module));
    if (!m)
        return amp__kernel_fail(kernel, AMP_ERROR_OUT_OF_MEMORY, "no memory for a module of %s", device->gpu.path);
    amp_status status = fill_module(device, kernel, code, m);
    if (status != AMP_OK) {
        amp__free(m);
        return status;
    }
    pthread_mutex_init(&m->running, NULL);
    m->next = device->modules;
    *module = device->modules = m;
    return AMP_OK;
}

static void unload(struct amp__cuda_module *m)
{
    amp__cuda.cuModuleUnload(m->module);
    pthread_mutex_destroy(&m->running);
    amp__free(m);
}

/* Finds the kernel's functions in a module. */
static amp_status fill(const struct amp__cuda_device *device, struct amp__cuda_function *f)
{
    CUmodule module = f->module->module;
    CUfunction entry, many = NULL;
    const struct amp__kernel *kernel = f->kernel;
    amp_status status =
        check(device, kernel, "cuModuleGetFunction", amp__cuda.cuModuleGetFunction(&entry, module, f->image->entry));
    if (status == AMP_OK && f->image->geometry[6] > 0) {
        char name[128];
        snprintf(name, sizeof name, "%s_many", f->image->entry);
        status = check(device, kernel, "cuModuleGetFunction", amp__cuda.cuModuleGetFunction(&many, module, name));
    }
    const struct {
        int attribute, *value;
    } attributes[] = {{CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &f->max_threads},
                      {CU_FUNC_ATTRIBUTE_NUM_REGS, &f->n_registers},
                      {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &f->shared_bytes}};
    for (int i = 0; i < 3 && status == AMP_OK; i++)
        status = check(device, kernel, "cuFuncGetAttribute",
                       amp__cuda.cuFuncGetAttribute(attributes[i].value, attributes[i].attribute, entry));
    if (status == AMP_OK)
        f->gpu = (struct amp__gpu_function){entry, many, f->image->geometry};
    return status;
}

static _Atomic(struct amp__cuda_function *) *bucket(struct amp__cuda_device *device, const struct amp__kernel *kernel)
{
    return &device->functions[(uintptr_t)kernel / 16 * 0x9E3779B97F4A7C15u >> 32 & (AMP__CUDA_N_BUCKETS - 1)];
}

static struct amp__cuda_function *find(struct amp__cuda_device *device, const struct amp__kernel *kernel)
{
    struct amp__cuda_function *f = atomic_load_explicit(bucket(device, kernel), memory_order_acquire);
    while (f && f->kernel != kernel)
        f = atomic_load_explicit(&f->next, memory_order_acquire);
    return f;
}

/* Called with the lock held. */
static amp_status make(struct amp__cuda_device *device, const struct amp__kernel *kernel,
                       struct amp__cuda_function **made)
{
    const struct amp__image *image = amp__cuda_image_of(device, kernel);
    if (!image)
        return fail_no_image(device, kernel);
    struct amp__cuda_function *f = amp__alloc(sizeof *f, _Alignof(struct amp__cuda_function));
    if (!f)
        return amp__kernel_fail(kernel, AMP_ERROR_OUT_OF_MEMORY, "no memory for a kernel of %s", device->gpu.path);
    memset(f, 0, sizeof *f);
    f->kernel = kernel;
    f->image = image;
    snprintf(f->place, sizeof f->place, "%s (%s:%d)", kernel->name, kernel->file, kernel->line);
    amp_status status = module_of(device, kernel, image->code, &f->module);
    if (status == AMP_OK)
        status = fill(device, f);
    if (status != AMP_OK) {
        amp__free(f);
        return status;
    }
    f->next_made = device->made;
    device->made = f;
    atomic_init(&f->next, atomic_load(bucket(device, kernel)));
    atomic_store_explicit(bucket(device, kernel), f, memory_order_release);
    *made = f;
    return AMP_OK;
}

/* Unloads modules whose code is gone. All launches of their kernels have ended, but the device may still be at work. */
static void unload_gone(struct amp__cuda_device *device)
{
    bool has_waited = false;
    for (struct amp__cuda_module **link = &device->modules; *link;) {
        struct amp__cuda_module *m = *link;
        if (m->code) {
            link = &m->next;
            continue;
        }
        if (!has_waited)
            amp__cuda.cuCtxSynchronize();
        has_waited = true;
        *link = m->next;
        unload(m);
    }
}

amp_status amp__cuda_function_of(struct amp__cuda_device *device, const struct amp__kernel *kernel,
                                 struct amp__cuda_function **function)
{
    *function = find(device, kernel);
    if (*function)
        return AMP_OK;
    amp_status status = AMP_OK;
    pthread_mutex_lock(&device->lock);
    *function = find(device, kernel);
    if (!*function) {
        unload_gone(device);
        status = make(device, kernel, function);
    }
    pthread_mutex_unlock(&device->lock);
    return status;
}

void amp__cuda_function_forget(struct amp__cuda_device *device, const struct amp__kernel *kernel)
{
    pthread_mutex_lock(&device->lock);
    _Atomic(struct amp__cuda_function *) *link = bucket(device, kernel);
    struct amp__cuda_function *f;
    while ((f = atomic_load(link)) && f->kernel != kernel)
        link = &f->next;
    if (f)
        atomic_store(link, atomic_load(&f->next));
    for (const struct amp__image *image = kernel->images; image && image->backend; image++)
        for (struct amp__cuda_module *m = device->modules; m; m = m->next)
            if (m->code == image->code)
                m->code = NULL;
    pthread_mutex_unlock(&device->lock);
}

void amp__cuda_modules_close(struct amp__cuda_device *device)
{
    for (struct amp__cuda_module *m = device->modules, *next; m; m = next) {
        next = m->next;
        unload(m);
    }
    for (struct amp__cuda_function *f = device->made, *next; f; f = next) {
        next = f->next_made;
        amp__free(f);
    }
}
