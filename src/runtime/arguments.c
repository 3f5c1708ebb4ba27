/* SPDX-License-Identifier: MIT
 *
 * Checks a launch's arguments against the kernel's signature: count, kinds, types, ranks and extents. */
#include "runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SCALAR, STRUCT, ARRAY, BOUND }; /* amp__param.kind */

amp_status amp__kernel_fail(const struct amp__kernel *kernel, amp_status status, const char *format, ...)
{
    char text[768];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (kernel->is_closure && !strncmp(kernel->name, "lambda at ", 10))
        return amp__fail(status, "lambda at %s:%d: %s", kernel->file, kernel->line, text);
    return amp__fail(status, "%s (%s:%d): %s", kernel->name, kernel->file, kernel->line, text);
}

static bool is_array(const amp_arg *arg)
{
    return arg->type == AMP_TYPE_ARRAY || arg->type == AMP_TYPE_CONST_ARRAY;
}

/* What was passed, for people: "a struct of 12 bytes". */
static void describe(const amp_arg *arg, char *text, size_t size)
{
    if (arg->type == AMP_TYPE_STRUCT)
        snprintf(text, size, "a struct of %zu bytes", arg->size_bytes);
    else if (arg->type == AMP_TYPE_VIEW || is_array(arg))
        snprintf(text, size, "%s %s", arg->type == AMP_TYPE_CONST_ARRAY ? "a" : "an", amp__type_name(arg->type));
    else
        snprintf(text, size, "a value of type %s", amp__type_name(arg->type));
}

static amp_status check_scalar(struct amp__call *call, const struct amp__param *param, const amp_arg *arg)
{
    amp_status status = amp__type_convert(param->type, call->block + param->offset, arg->type, arg->value);
    if (status == AMP_OK)
        return status;
    char found[96];
    if (status == AMP_ERROR_TYPE) {
        describe(arg, found, sizeof found);
        return amp__kernel_fail(call->kernel, status, "%s must be a number for %s, but is %s", param->name,
                                param->type_name, found);
    }
    amp__type_print(arg->type, arg->value, found, sizeof found);
    return amp__kernel_fail(call->kernel, AMP_ERROR_TYPE, "%s is %s, which %s cannot hold", param->name, found,
                            param->type_name);
}

static amp_status check_struct(struct amp__call *call, const struct amp__param *param, const amp_arg *arg)
{
    if (arg->type != AMP_TYPE_STRUCT || arg->size_bytes != param->size_bytes) {
        char found[96];
        describe(arg, found, sizeof found);
        return amp__kernel_fail(call->kernel, AMP_ERROR_TYPE, "%s must be a %s of %lu bytes, but is %s", param->name,
                                param->type_name, param->size_bytes, found);
    }
    memcpy(call->block + param->offset, arg->value, param->size_bytes);
    return AMP_OK;
}

/* Reads the handle of a view, or of an array, which begins with the view of all of it. */
static amp_status read_handle(const struct amp__call *call, const struct amp__param *param, const amp_arg *arg,
                              amp_array_view **view)
{
    const struct amp__kernel *kernel = call->kernel;
    if (arg->type != AMP_TYPE_VIEW && !is_array(arg) && arg->type != AMP_TYPE_POINTER) {
        char found[96];
        describe(arg, found, sizeof found);
        return amp__kernel_fail(kernel, AMP_ERROR_TYPE, "%s must be an amp_array_view * or amp_array *, but is %s",
                                param->name, found);
    }
    memcpy(view, arg->value, sizeof *view);
    if (!*view)
        return amp__kernel_fail(kernel, AMP_ERROR_NULL, "the %s for %s is NULL", is_array(arg) ? "array" : "view",
                                param->name);
    if (arg->type == AMP_TYPE_POINTER)
        return amp__kernel_fail(
            kernel, AMP_ERROR_TYPE,
            "%s must be an amp_array_view * or amp_array *, but is another pointer; make a view of the memory with "
            "amp_array_view%d",
            param->name, param->rank);
    unsigned kind = amp__object_kind(*view);
    if (kind == (is_array(arg) ? AMP__ARRAY : AMP__ARRAY_VIEW))
        return AMP_OK;
    return amp__kernel_fail(kernel, AMP_ERROR_INVALID_ARGUMENT, "the %s for %s %s", is_array(arg) ? "array" : "view",
                            param->name, kind == AMP__RELEASED ? "was released" : "is a handle of something else");
}

amp_status amp__arguments_check_place(struct amp__call *call, const struct amp__param *param,
                                      const amp_array_view *whole)
{
    amp_accelerator_view *on = whole->home->on;
    if (whole->home->is_store)
        return amp__kernel_fail(
            call->kernel, AMP_ERROR_INVALID_ARGUMENT,
            "%s is an array on L\"cpu\"; concurrency::parallel_for_each is not supported on the "
            "selected accelerator \"CPU accelerator\". Make it on L\"simd\", or capture an array_view "
            "of it",
            param->name);
    if (!call->on) {
        call->on = on;
        call->placed_by = param;
    }
    if (call->on == on)
        return AMP_OK;
    const char *path = on->accelerator->properties.path, *other = call->on->accelerator->properties.path;
    const char *view =
        call->kernel->is_closure ? "capture an array_view of it" : "pass a view of it (amp_array_as_view)";
    bool is_queue = call->on->accelerator == on->accelerator;
    if (call->placed_by)
        return amp__kernel_fail(call->kernel, AMP_ERROR_INVALID_ARGUMENT,
                                "the array for %s lives on %s%s, but that for %s on %s; %s, which may go anywhere",
                                param->name, is_queue ? "another accelerator_view of " : "", path,
                                call->placed_by->name, other, view);
    return amp__kernel_fail(call->kernel, AMP_ERROR_INVALID_ARGUMENT,
                            "the array for %s lives on %s%s, but the launch is on %s; %s, which may go anywhere, or "
                            "launch on the array's accelerator_view",
                            param->name, is_queue ? "another accelerator_view of " : "", path, other, view);
}

static amp_status check_array(struct amp__call *call, const struct amp__param *param, const amp_arg *arg)
{
    const struct amp__kernel *kernel = call->kernel;
    /* 1. It is a view, or an array that lives where the kernel runs. */
    amp_array_view *view;
    amp_status status = read_handle(call, param, arg, &view);
    if (status == AMP_OK && is_array(arg))
        status = amp__arguments_check_place(call, param, view);
    if (status != AMP_OK)
        return status;
    const char *noun = is_array(arg) ? "array" : "view";
    /* 2. It has the right elements. */
    char shape[AMP__SHAPE_TEXT];
    if (view->type != (amp_type)param->type || view->element_size != param->size_bytes) {
        if (view->type == AMP_TYPE_STRUCT && param->type == AMP_TYPE_STRUCT)
            return amp__kernel_fail(kernel, AMP_ERROR_TYPE,
                                    "%s has elements of type %s (%lu bytes), but the %s's have %zu bytes", param->name,
                                    param->type_name, param->size_bytes, noun, view->element_size);
        return amp__kernel_fail(kernel, AMP_ERROR_TYPE, "%s has elements of type %s, but the %s's are of type %s",
                                param->name, param->type_name, noun, amp__type_name(view->type));
    }
    if (view->extent.rank != param->rank)
        return amp__kernel_fail(kernel, AMP_ERROR_RANK, "%s has rank %d, but the %s has rank %d (%s)", param->name,
                                param->rank, noun, view->extent.rank,
                                amp__shape_text(view->extent.rank, view->extent.dim, shape));
    /* 3. It may be used in this way. */
    if (view->read_only && !param->read_only)
        return amp__kernel_fail(kernel, AMP_ERROR_READ_ONLY,
                                "the view for %s is read-only, but the kernel may write it; declare the parameter's "
                                "elements const, or make the view of a pointer that is not",
                                param->name);
    if (arg->type == AMP_TYPE_CONST_ARRAY && !param->read_only)
        return amp__kernel_fail(kernel, AMP_ERROR_READ_ONLY,
                                "the array for %s is const, but the kernel may write it; declare the parameter's "
                                "elements const, or pass an amp_array *",
                                param->name);
    if (atomic_load_explicit(&view->home->mapped_by, memory_order_relaxed))
        return amp__kernel_fail(kernel, AMP_ERROR_BUSY, "the %s for %s is mapped; call amp_array_%sunmap first", noun,
                                param->name, noun[0] == 'v' ? "view_" : "");
    call->n_strided += !view->is_dense;
    call->uses[call->n_uses++] = (struct amp__use){.param = param, .view = view};
    return AMP_OK;
}

/* Where a bound was first read. */
struct source {
    const struct amp__use *use;
    int value;
};

/* Reads the bounds that are a single parameter from the views. `n_others`: how many bounds are something else. */
static amp_status read_bounds(struct amp__call *call, struct source *sources, int *n_others)
{
    const struct amp__kernel *kernel = call->kernel;
    char a[AMP__SHAPE_TEXT], b[AMP__SHAPE_TEXT];
    *n_others = 0;
    for (const struct amp__use *use = call->uses; use < call->uses + call->n_uses; use++) {
        const amp_extent *extent = &use->view->extent;
        for (int d = 0; d < extent->rank; d++) {
            int p = use->param->dims[d].param;
            if (p < 0 || kernel->params[p].kind != BOUND) {
                ++*n_others;
                continue;
            }
            const struct amp__param *bound = &kernel->params[p];
            if (!sources[p].use) {
                sources[p] = (struct source){use, extent->dim[d]};
                if (amp__type_convert(bound->type, call->block + bound->offset, AMP_TYPE_I32, &extent->dim[d]) !=
                    AMP_OK)
                    return amp__kernel_fail(kernel, AMP_ERROR_SHAPE, "%s is %d in %s (%s), which %s cannot hold",
                                            bound->name, extent->dim[d], use->param->name,
                                            amp__shape_text(extent->rank, extent->dim, a), bound->type_name);
            } else if (sources[p].value != extent->dim[d]) {
                const struct amp__use *first = sources[p].use;
                return amp__kernel_fail(
                    kernel, AMP_ERROR_SHAPE, "%s is %d in %s (%s), but %d in %s (%s)", bound->name, sources[p].value,
                    first->param->name, amp__shape_text(first->view->extent.rank, first->view->extent.dim, a),
                    extent->dim[d], use->param->name, amp__shape_text(extent->rank, extent->dim, b));
            }
        }
    }
    for (int p = 0; p < kernel->n_params; p++)
        if (kernel->params[p].kind == BOUND && !sources[p].use)
            return amp__kernel_fail(kernel, AMP_ERROR_INTERNAL, "%s is a bound that no array has",
                                    kernel->params[p].name);
    return AMP_OK;
}

/* Compares constants and expressions with the views' extents. */
static amp_status check_bounds(struct amp__call *call)
{
    long long bounds[AMP__MAX_ARGS * AMP_MAX_RANK], *bound = bounds;
    call->kernel->bounds(call->block, bounds);
    for (const struct amp__use *use = call->uses; use < call->uses + call->n_uses; use++) {
        const amp_extent *extent = &use->view->extent;
        for (int d = 0; d < extent->rank; d++, bound++) {
            if (*bound == extent->dim[d])
                continue;
            char shape[AMP__SHAPE_TEXT], value[32] = "";
            const char *text = use->param->dims[d].text;
            snprintf(value, sizeof value, "%lld", *bound);
            bool is_constant = !strcmp(text, value);
            return amp__kernel_fail(call->kernel, AMP_ERROR_SHAPE,
                                    "dimension %d of %s must be %s%s%s, but is %d in the view (%s)", d,
                                    use->param->name, text, is_constant ? "" : " = ", is_constant ? "" : value,
                                    extent->dim[d], amp__shape_text(extent->rank, extent->dim, shape));
        }
    }
    return AMP_OK;
}

/* A dense copy of a strided section is written back as a whole, so nothing else in the launch may write into it or read
 * what it writes. Uses of the same section share one copy instead. */
static amp_status check_strided(struct amp__call *call)
{
    for (struct amp__use *b = call->uses; b < call->uses + call->n_uses; b++) {
        for (struct amp__use *a = call->uses; a < b; a++) {
            if (a->view->home != b->view->home || (a->view->is_dense && b->view->is_dense))
                continue;
            if (amp__views_equal(a->view, b->view)) {
                b->same = a->same ? a->same : a;
            } else if (!(a->param->read_only && b->param->read_only) && amp__views_overlap(a->view, b->view)) {
                return amp__kernel_fail(
                    call->kernel, AMP_ERROR_UNSUPPORTED_FEATURE,
                    "%s and %s are sections of one view that overlap, the kernel may write %s, and the rows of %s lie "
                    "apart; pass sections of whole rows, or the whole view and the position",
                    a->param->name, b->param->name, a->param->read_only ? b->param->name : a->param->name,
                    a->view->is_dense ? b->param->name : a->param->name);
            }
        }
    }
    return AMP_OK;
}

/* Whether two homes are over memory that overlaps and that a device would copy twice. An array never moves, so two
 * arrays over one memory are the same everywhere. */
static bool is_memory_common(const struct amp__home *a, const struct amp__home *b)
{
    if (a == b || a->place != b->place || a->place == AMP__NOWHERE || (a->on && b->on))
        return false;
    const char *first_a = amp__home_source(a), *first_b = amp__home_source(b);
    return first_a < first_b + b->size_bytes && first_b < first_a + a->size_bytes;
}

static amp_status fail_separate(const struct amp__call *call, const struct amp__use *a, const struct amp__use *b)
{
    const amp_array_view *first = a->view, *second = b->view;
    return amp__kernel_fail(
        call->kernel, AMP_ERROR_INVALID_ARGUMENT,
        "%s and %s are separate views of the same memory (%zu bytes at %p and %zu bytes at %p), and "
        "the kernel may write %s: on a device they would be two copies; make one view, and pass it "
        "or sections of it",
        a->param->name, b->param->name, amp__view_span(first),
        (void *)(amp__home_source(first->home) + first->offset_bytes), amp__view_span(second),
        (void *)(amp__home_source(second->home) + second->offset_bytes),
        a->param->read_only ? b->param->name : a->param->name);
}

/* Whether two views of one memory have structs of the same size that overlap in part: kernels are compiled as if
 * different members of elements of one size were different memory. */
static bool is_askew(const struct amp__use *a, const struct amp__use *b)
{
    const amp_array_view *first = a->view, *second = b->view;
    size_t size = a->param->size_bytes;
    return first->home == second->home && a->param->type == AMP_TYPE_STRUCT && b->param->type == AMP_TYPE_STRUCT &&
           size == b->param->size_bytes && first->offset_bytes % size != second->offset_bytes % size &&
           amp__views_overlap(first, second);
}

static amp_status fail_askew(const struct amp__call *call, const struct amp__use *a, const struct amp__use *b)
{
    size_t size = a->param->size_bytes;
    return amp__kernel_fail(call->kernel, AMP_ERROR_INVALID_ARGUMENT,
                            "%s and %s are views of the same memory, in which their elements of %zu bytes overlap in "
                            "part (they begin at bytes %zu and %zu), and the kernel may write %s; pass one view of "
                            "all of it, and the position",
                            a->param->name, b->param->name, size, a->view->offset_bytes, b->view->offset_bytes,
                            a->param->read_only ? b->param->name : a->param->name);
}

static __attribute__((noinline)) amp_status check_pairs(const struct amp__call *call)
{
    for (const struct amp__use *b = call->uses; b < call->uses + call->n_uses; b++)
        for (const struct amp__use *a = call->uses; a < b; a++) {
            if (a->param->read_only && b->param->read_only)
                continue;
            if (is_memory_common(a->view->home, b->view->home) && amp__views_share_memory(a->view, b->view))
                return fail_separate(call, a, b);
            if (is_askew(a, b))
                return fail_askew(call, a, b);
        }
    return AMP_OK;
}

/* A launch over one element must not notice this. */
amp_status amp__arguments_check_homes(const struct amp__call *call)
{
    return call->n_uses < 2 ? AMP_OK : check_pairs(call);
}

amp_status amp__arguments_check(struct amp__call *call, int n_args, const amp_arg *args)
{
    const struct amp__kernel *kernel = call->kernel;
    if (kernel->is_closure)
        return amp__kernel_fail(kernel, AMP_ERROR_INVALID_ARGUMENT,
                                "this is a closure of C++; parallel_for_each launches it");
    /* 1. Check their number. */
    int n_passed = 0;
    for (int p = 0; p < kernel->n_params; p++)
        n_passed += kernel->params[p].kind != BOUND;
    if (n_args != n_passed)
        return amp__kernel_fail(kernel, AMP_ERROR_INVALID_ARGUMENT,
                                "%d argument%s after the index %s expected, but %d %s passed; bounds of arrays are "
                                "not passed",
                                n_passed, n_passed == 1 ? "" : "s", n_passed == 1 ? "is" : "are", n_args,
                                n_args == 1 ? "is" : "are");
    if (n_args > AMP__MAX_ARGS)
        return amp__kernel_fail(kernel, AMP_ERROR_UNSUPPORTED_FEATURE,
                                "%d arguments are more than the %d that a launch "
                                "can have",
                                n_args, (int)AMP__MAX_ARGS);
    if (n_args > 0 && !args)
        return amp__kernel_fail(kernel, AMP_ERROR_NULL, "the arguments are NULL");
    /* 2. Check each by itself. */
    static amp_status (*const check[])(struct amp__call *, const struct amp__param *, const amp_arg *) = {
        [SCALAR] = check_scalar, [STRUCT] = check_struct, [ARRAY] = check_array};
    for (int p = 0; p < kernel->n_params; p++) {
        const struct amp__param *param = &kernel->params[p];
        if (param->kind == BOUND)
            continue;
        if (!args->value)
            return amp__kernel_fail(kernel, AMP_ERROR_NULL, "the argument for %s is NULL", param->name);
        amp_status status = check[param->kind](call, param, args++);
        if (status != AMP_OK)
            return status;
    }
    /* 3. Check the arrays against each other. */
    struct source sources[kernel->n_params + 1];
    memset(sources, 0, sizeof sources);
    int n_others;
    amp_status status = read_bounds(call, sources, &n_others);
    if (status == AMP_OK && n_others > 0)
        status = check_bounds(call);
    if (status == AMP_OK && call->n_strided > 0)
        status = check_strided(call);
    return status == AMP_OK ? amp__arguments_check_homes(call) : status;
}
