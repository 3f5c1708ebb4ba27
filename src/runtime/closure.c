/* SPDX-License-Identifier: MIT
 *
 * Checks what a closure of C++ captures, and copies it into the argument block. The compiler knows where the arrays and
 * views in it are; the types of C++ guarantee the rest. A view says itself how far apart its rows lie, so a section is
 * used in place. */
#include "runtime.h"

#include <string.h>

/* Copies the object of an array that is captured by reference to its place after the closure. Returns what the closure
 * captures. */
static struct amp__captured take(const struct amp__call *call, const struct amp__param *param, const char *closure)
{
    const void *object = closure + param->offset;
    struct amp__captured captured;
    if (param->copied) {
        memcpy(&object, closure + param->reference, sizeof object);
        memcpy(call->block + param->offset, object, param->copied);
    }
    memcpy(&captured, object, sizeof captured);
    return captured;
}

static amp_status check_captured(struct amp__call *call, const struct amp__param *param, void *handle)
{
    if (!handle)
        return amp__kernel_fail(call->kernel, AMP_ERROR_NULL, "%s is an array that has been moved", param->name);
    unsigned kind = amp__object_kind(handle);
    amp_array_view *view = handle; /* an array begins with the view of all of it */
    if (kind != AMP__ARRAY && kind != AMP__ARRAY_VIEW)
        return amp__kernel_fail(call->kernel, AMP_ERROR_INVALID_ARGUMENT, "%s has been destroyed", param->name);
    if (call->n_uses == AMP__MAX_ARGS)
        return amp__kernel_fail(call->kernel, AMP_ERROR_UNSUPPORTED_FEATURE,
                                "the kernel captures more than %d arrays and views", (int)AMP__MAX_ARGS);
    amp_status status = kind == AMP__ARRAY ? amp__arguments_check_place(call, param, view) : AMP_OK;
    if (status == AMP_OK && atomic_load_explicit(&view->home->mapped_by, memory_order_relaxed))
        return amp__kernel_fail(call->kernel, AMP_ERROR_BUSY, "%s is mapped", param->name);
    if (status == AMP_OK)
        call->uses[call->n_uses++] = (struct amp__use){.param = param, .view = view};
    return status;
}

amp_status amp__closure_check(struct amp__call *call, const void *closure, size_t size_bytes)
{
    const struct amp__kernel *kernel = call->kernel;
    amp_status status = AMP_OK;
    if (!kernel->is_closure)
        return amp__kernel_fail(kernel, AMP_ERROR_INVALID_ARGUMENT, "the kernel is no closure of C++");
    if (size_bytes != kernel->params[0].size_bytes)
        return amp__kernel_fail(kernel, AMP_ERROR_INVALID_ARGUMENT,
                                "the closure has %zu bytes on the host and %lu on accelerators: it captures a variable "
                                "that only one of them uses",
                                size_bytes, kernel->params[0].size_bytes);
    memcpy(call->block, closure, size_bytes);
    for (int p = 1; p < kernel->n_params && status == AMP_OK; p++) {
        const struct amp__param *param = &kernel->params[p];
        status = check_captured(call, param, take(call, param, closure).handle);
    }
    return status == AMP_OK ? amp__arguments_check_homes(call) : status;
}
