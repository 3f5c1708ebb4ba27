/* SPDX-License-Identifier: MIT
 *
 * A launch from end to end: finds the kernel, checks domain and arguments, makes the views' copies current where the
 * kernel runs, runs it, and records where the valid copies are afterwards. */
#include "backend.h"

#include <fenv.h>
#include <stdio.h>
#include <string.h>

static amp_status check_domain(const struct amp__kernel *kernel, const amp_extent *extent, struct amp__launch *launch)
{
    char shape[AMP__SHAPE_TEXT], tile_shape[AMP__SHAPE_TEXT], padded_shape[AMP__SHAPE_TEXT];
    char misfit[AMP__MISFIT_TEXT];
    if (extent->rank == AMP__MISFIT)
        return amp__kernel_fail(kernel, AMP_ERROR_INVALID_COMPUTE_DOMAIN, "%s",
                                amp__misfit_text("the extent", extent->dim, misfit));
    if (extent->rank != kernel->rank)
        return amp__kernel_fail(kernel, AMP_ERROR_RANK, "the kernel's index has rank %d, but the extent has rank %d",
                                kernel->rank, extent->rank);
    for (int i = 0; i < extent->rank; i++)
        if (extent->dim[i] <= 0)
            return amp__kernel_fail(kernel, AMP_ERROR_INVALID_COMPUTE_DOMAIN,
                                    "the extent is %s; every component must be positive",
                                    amp__shape_text(extent->rank, extent->dim, shape));
    if (amp_extent_size(*extent) == INT64_MAX)
        return amp__kernel_fail(kernel, AMP_ERROR_INVALID_COMPUTE_DOMAIN,
                                "the extent is %s, which is more than 2^63-1 threads",
                                amp__shape_text(extent->rank, extent->dim, shape));
    launch->n_threads_per_point = 1;
    for (int i = 0; i < 3; i++) {
        int d = i - (3 - kernel->rank), size = d >= 0 ? extent->dim[d] : 1;
        int tile = d >= 0 && kernel->tile ? kernel->tile[d] : 1;
        if (size % tile) {
            amp_extent padded = amp_extent_pad(*extent, amp_extent_n(kernel->rank, kernel->tile));
            return amp__kernel_fail(kernel, AMP_ERROR_INVALID_COMPUTE_DOMAIN,
                                    "the extent %s is not a multiple of the tile %s; %s makes it %s",
                                    amp__shape_text(extent->rank, extent->dim, shape),
                                    amp__shape_text(kernel->rank, kernel->tile, tile_shape),
                                    kernel->is_closure ? "pad()" : "amp_extent_pad",
                                    amp__shape_text(padded.rank, padded.dim, padded_shape));
        }
        launch->box[2 * i] = 0;
        launch->box[2 * i + 1] = size / tile;
        launch->n_threads_per_point *= tile;
    }
    return AMP_OK;
}

/* Reports an access that the launch would make outside of its array. */
static __attribute__((cold, noinline)) amp_status fail_outside(const struct amp__call *call, const amp_extent *extent,
                                                               const struct amp__touch *touch, const long long *box)
{
    const struct amp__use *use = call->uses;
    while (use->param != &call->kernel->params[touch->param])
        use++;
    char domain[AMP__SHAPE_TEXT], shape[AMP__SHAPE_TEXT], subscripts[AMP_MAX_RANK * 48];
    int n = 0;
    for (int d = 0; d < use->param->rank; d++)
        n += snprintf(subscripts + n, sizeof subscripts - (size_t)n, "[%lld..%lld]", box[2 * d], box[2 * d + 1]);
    return amp__kernel_fail(call->kernel, AMP_ERROR_OUT_OF_RANGE,
                            "touches %s%s for this extent (%s), but %s has %s (%s at %s)", use->param->name, subscripts,
                            amp__shape_text(extent->rank, extent->dim, domain), use->param->name,
                            amp__shape_text(use->view->extent.rank, use->view->extent.dim, shape),
                            touch->writes ? "written" : "read", touch->place);
}

/* Checks that the arrays are large enough for the domain, as far as the compiler knows. */
static amp_status check_footprint(const struct amp__call *call, const amp_extent *extent)
{
    const struct amp__kernel *kernel = call->kernel;
    long long box[2 * AMP_MAX_RANK];
    int number = kernel->outside(call->block, extent->dim, box);
    return number ? fail_outside(call, extent, &kernel->touches[number - 1], box) : AMP_OK;
}

/* The view of a strided section's dense copy: all of a home where the kernel runs. */
static amp_array_view dense_view(const struct amp__use *use)
{
    amp_array_view view;
    size_t size_bytes;
    amp__view_init("", &view, &use->view->extent, use->view->type, use->view->element_size, &size_bytes);
    view.home = use->dense;
    return view;
}

static void log_dense(const struct amp__call *call, const struct amp__use *use, const char *what)
{
    if (amp__log_wants(AMP__LOG_COHERENCE))
        amp__log("home %p: %s: %zu bytes of %s for %s", (void *)use->view->home, what, amp__view_bytes(use->view),
                 use->param->name, call->kernel->name);
}

/* Gives the kernel a dense copy of a strided section. It is packed on the device if the home is there and copy.c knows
 * how; otherwise on the host, where the home becomes valid, and the next launch finds it. */
static amp_status acquire_dense(const struct amp__call *call, struct amp__use *use, amp_accelerator_view *on)
{
    const amp_accelerator *a = on->accelerator;
    size_t align = amp__view_storage_align(use->view);
    align = align > use->param->align ? align : use->param->align;
    amp_array_view dense = dense_view(use);
    amp_status status = amp__home_new(call->kernel->name, &dense, align, a->location, NULL, on, &use->dense);
    if (status != AMP_OK)
        return status;
    log_dense(call, use, "pack");
    dense.home = use->dense;
    status = amp__home_reserve(use->dense, on, NULL);
    if (status == AMP_OK)
        status = amp__copy_to_launch(call->kernel->name, &dense, use->view);
    use->memory = amp__home_address(use->dense, a, 0);
    return status;
}

static amp_status fail_unaligned(const struct amp__call *call, const struct amp__use *use,
                                 const amp_accelerator_view *on)
{
    size_t found = amp__align_of((uintptr_t)use->memory);
    return amp__kernel_fail(
        call->kernel, AMP_ERROR_INVALID_ARGUMENT,
        "%s has elements of type %s, aligned to %lu bytes, but the view's memory on %s is aligned to "
        "%zu byte%s",
        use->param->name, use->param->type_name, use->param->align, on->accelerator->properties.path, found,
        found == 1 ? "" : "s");
}

/* A closure knows how far apart the rows of its views lie. */
bool amp__use_is_in_place(const struct amp__call *call, const struct amp__use *use)
{
    return use->view->is_dense || call->kernel->is_closure;
}

static amp_status pass_address(const struct amp__call *call, struct amp__use *use, const amp_accelerator_view *on)
{
    memcpy(call->block + use->param->offset, &use->memory, sizeof use->memory);
    return (uintptr_t)use->memory & (use->param->align - 1) ? fail_unaligned(call, use, on) : AMP_OK;
}

amp_status amp__launch_pass(const struct amp__call *call, struct amp__use *use, const amp_accelerator_view *on)
{
    use->memory = amp__home_address(use->view->home, on->accelerator, use->view->offset_bytes);
    return pass_address(call, use, on);
}

static amp_status acquire(const struct amp__call *call, struct amp__use *use, amp_accelerator_view *on)
{
    if (amp__use_is_in_place(call, use)) {
        amp_status status = amp__home_read(use->view->home, on, use->view);
        if (status == AMP_OK && !use->param->read_only)
            status = amp__home_commit(use->view->home, on->accelerator, use->view);
        return status == AMP_OK ? amp__launch_pass(call, use, on) : status;
    }
    amp_status status = AMP_OK;
    if (use->same)
        use->memory = use->same->memory;
    else
        status = acquire_dense(call, use, on);
    return status == AMP_OK ? pass_address(call, use, on) : status;
}

/* Copies a written dense copy back into its home, which the same launch may also have written in place. */
static amp_status write_back(const struct amp__call *call, struct amp__use *use)
{
    log_dense(call, use, "unpack");
    amp_array_view dense = dense_view(use);
    return amp__copy_from_launch(call->kernel->name, use->view, &dense);
}

bool amp__use_is_written(const struct amp__call *call, const struct amp__use *use)
{
    bool written = !use->param->read_only;
    for (const struct amp__use *u = use + 1; u < call->uses + call->n_uses; u++)
        written |= u->same == use && !u->param->read_only;
    return written;
}

static void release_dense(struct amp__call *call)
{
    for (struct amp__use *use = call->uses; use < call->uses + call->n_uses; use++)
        if (use->dense)
            amp__home_release(use->dense);
}

static void log_launch(const struct amp__launch *launch, const amp_extent *extent, const amp_accelerator *a)
{
    char shape[AMP__SHAPE_TEXT];
    amp__log("%s (%s:%d) over %s on %s: %s, %d lane%s, %d thread%s", launch->kernel->name, launch->kernel->file,
             launch->kernel->line, amp__shape_text(extent->rank, extent->dim, shape), a->properties.path, launch->isa,
             launch->lanes, launch->lanes == 1 ? "" : "s", launch->n_threads, launch->n_threads == 1 ? "" : "s");
}

static amp_status launch_box(const struct amp__call *call, struct amp__launch *launch, amp_accelerator_view *on)
{
    const amp_accelerator *a = on->accelerator;
    return amp__footprints_are_tried(call) ? amp__footprints_try(call, launch)
                                           : a->backend->launch(a->device, on->queue, launch);
}

/* Runs the kernel over the domain. Above rank 3 the slow dimensions are flattened into one, which is run in parts that
 * an int can count. */
static amp_status launch_boxes(const struct amp__call *call, struct amp__launch *launch, const amp_extent *extent,
                               amp_accelerator_view *on)
{
    enum { MOST = 1 << 30 };
    launch->is_first = launch->is_last = true;
    if (extent->rank <= 3)
        return launch_box(call, launch, on);
    struct amp__flat *flat = (struct amp__flat *)(void *)(call->block + call->kernel->flat);
    long long n = 1;
    for (int d = 0; d < extent->rank - 2; d++) {
        flat->extent[d] = extent->dim[d];
        n *= extent->dim[d];
    }
    amp_status status = AMP_OK;
    for (flat->first = 0; flat->first < n && status == AMP_OK; flat->first += MOST) {
        launch->is_first = flat->first == 0;
        launch->is_last = n - flat->first <= MOST;
        launch->box[1] = launch->is_last ? (int)(n - flat->first) : MOST;
        status = launch_box(call, launch, on);
    }
    return status;
}

/* The bytes of the arrays that a launch uses, each once. */
static size_t bytes_of(const struct amp__call *call)
{
    size_t bytes = 0;
    for (const struct amp__use *use = call->uses, *other; use < call->uses + call->n_uses; use++) {
        for (other = call->uses; other < use; other++)
            if (other->view->home == use->view->home && amp__views_equal(other->view, use->view))
                break;
        bytes += other == use ? amp__view_bytes(use->view) : 0;
    }
    return bytes;
}

amp_status amp__launch_box(const struct amp__call *call, struct amp__launch *launch, const amp_extent *extent,
                           amp_accelerator_view *on, size_t bytes)
{
    AMP__EVENT(event, .kind = AMP__LAUNCH, .kernel = call->kernel, .on = on, .bytes = bytes);
    amp_status status = amp__event_end(&event, launch_boxes(call, launch, extent, on));
    const amp_accelerator *a = on->accelerator;
    if (status == AMP_OK && on->properties.queuing_mode == AMP_QUEUING_MODE_IMMEDIATE && a->backend->flush)
        status = a->backend->flush(a->device, on->queue);
    if (status == AMP_OK && amp__log_wants(AMP__LOG_INFO))
        log_launch(launch, extent, a);
    return status;
}

/* Updates the homes that a launch, which ended with `status`, used in place. A launch that failed may still have put
 * part of its work on the queue. */
static amp_status settle(const struct amp__call *call, amp_accelerator_view *on, amp_status status)
{
    const struct amp__use *begin = call->uses, *end = begin + call->n_uses, *use;
    for (use = begin; use < end; use++) {
        amp_status used = amp__use_is_in_place(call, use) ? amp__home_used(use->view->home, on) : AMP_OK;
        status = status == AMP_OK ? used : status;
    }
    for (use = begin; use < end; use++) {
        if (!amp__use_is_in_place(call, use) || use->param->read_only)
            continue;
        if (status == AMP_OK)
            status = amp__home_own(use->view->home, on->accelerator->location, use->view);
        else
            amp__home_abandon(use->view->home, on->accelerator->location, use->view);
    }
    return status;
}

static struct amp__doing doing_of(const struct amp__call *call)
{
    return (struct amp__doing){"launch", call->kernel->name, call->place};
}

/* For devices that look for mistakes: whether the host has changed an array without saying so. */
static amp_status check_host(const struct amp__call *call, const amp_accelerator *a)
{
    size_t offset;
    const struct amp__doing doing = doing_of(call);
    for (const struct amp__use *use = call->uses; use < call->uses + call->n_uses; use++)
        if (amp__home_differs(use->view->home, a, use->view, &offset))
            return amp__guard_report_change(&doing, use->view, use->param->name, a, offset, call->kernel);
    return AMP_OK;
}

/* Tells the guard what a launch writes on a device. */
static void tell_writes(const struct amp__call *call)
{
    const struct amp__doing doing = doing_of(call);
    for (const struct amp__use *use = call->uses; use < call->uses + call->n_uses; use++)
        if (!use->param->read_only)
            amp__guard_written(&doing, call->on->accelerator, use->view, use->param->name);
}

/* The same after the launch, which has seen the host's contents. */
static void tell_end(const struct amp__call *call)
{
    for (const struct amp__use *use = call->uses; use < call->uses + call->n_uses; use++)
        amp__guard_seen(use->view->home, use->view);
    tell_writes(call);
}

amp_status amp__launch_on(struct amp__call *call, struct amp__launch *launch, const amp_extent *extent,
                          amp_accelerator_view *on)
{
    const amp_accelerator *a = on->accelerator;
    struct amp__use *begin = call->uses, *end = begin + call->n_uses, *use;
    amp_status status = a->backend->compare ? check_host(call, a) : AMP_OK;
    /* 1. Strided sections come first: they make the host's copies current, which leaves all other copies as they
     * are. */
    for (use = begin; use < end && status == AMP_OK && call->n_strided; use++)
        if (!use->view->is_dense)
            status = acquire(call, use, on);
    for (use = begin; use < end && status == AMP_OK; use++)
        if (amp__use_is_in_place(call, use))
            status = acquire(call, use, on);
    if (status != AMP_OK)
        goto cleanup;
    /* 2. Run. */
    status = amp__launch_box(call, launch, extent, on, amp__is_watched() ? bytes_of(call) : 0);
    status = a->backend->agree ? a->backend->agree(call->kernel, status) : status;
    /* 3. A copy that may have been written in place is now the only valid one, or after a failure not to be trusted. */
    status = settle(call, on, status);
    /* 4. Copy written dense copies back. */
    for (use = begin; use < end && status == AMP_OK && call->n_strided; use++)
        if (use->dense && amp__use_is_written(call, use))
            status = write_back(call, use);
    if (status == AMP_OK && amp__guard_is_on())
        tell_end(call);
cleanup:
    if (call->n_strided)
        release_dense(call);
    return status;
}

/* Runs a launch whose domain and arguments have been checked. */
static amp_status run(struct amp__call *call, struct amp__launch *launch, const amp_extent *extent,
                      amp_accelerator_view *on)
{
    AMP__EVENT(event, .kind = AMP__CALL, .name = call->kernel->name, .kernel = call->kernel, .on = on,
               .flow = amp__event_new_flow(), .flow_phase = 's');
    const struct amp__backend *backend = on->accelerator->backend;
    return amp__event_end(&event,
                          backend->run ? backend->run(call, launch, extent) : amp__launch_on(call, launch, extent, on));
}

/* The auto-selection view's choice: the accelerator whose memory has current copies of more than half of the arguments'
 * bytes. Bytes that only the host has do not count, because everything begins there. NULL: the default one. */
static amp_accelerator_view *choose(const struct amp__call *call)
{
    size_t total = 0;
    for (const struct amp__use *use = call->uses; use < call->uses + call->n_uses; use++)
        total += amp__view_bytes(use->view);
    for (int l = AMP__HOST + 1; l < amp__location_count(); l++) {
        size_t there = 0;
        for (const struct amp__use *use = call->uses; use < call->uses + call->n_uses; use++)
            there += amp__home_has(use->view->home, l, use->view) ? amp__view_bytes(use->view) : 0;
        if (there > total / 2)
            return &amp__accelerator_at(l)->view;
    }
    return NULL;
}

/* What a launch passes: arguments or a closure. */
struct passed {
    int n_args;
    const amp_arg *args;
    const void *closure;
    size_t closure_bytes;
};

static amp_status check_passed(struct amp__call *call, const struct passed *passed)
{
    return passed->closure ? amp__closure_check(call, passed->closure, passed->closure_bytes)
                           : amp__arguments_check(call, passed->n_args, passed->args);
}

/* Checks everything, and so sets up `launch` and `call`, whose block has room for the arguments. */
static amp_status check(struct amp__call *call, struct amp__launch *launch, const amp_extent *extent,
                        const struct passed *passed, amp_accelerator_view *on)
{
    /* 1. Where it runs: where the caller says, else where the arrays live, else where the auto-selection view chooses,
     * else on the default. */
    amp_status status = on ? amp__object_check(on, AMP__ACCELERATOR_VIEW, "amp_launch") : AMP_OK;
    bool is_to_be_chosen = status == AMP_OK && on && !on->accelerator;
    call->on = is_to_be_chosen ? NULL : on;
    call->placed_by = NULL;
    /* 2. What it runs. */
    if (status == AMP_OK)
        status = amp__log_check();
    if (status == AMP_OK)
        status = check_domain(call->kernel, extent, launch);
    if (status == AMP_OK)
        status = check_passed(call, passed);
    /* 3. Where it runs, if this is still open. */
    if (status == AMP_OK && is_to_be_chosen && !call->on)
        call->on = choose(call);
    if (status == AMP_OK)
        status = amp__accelerator_view_use(&call->on, "amp_launch");
    /* 4. What it touches. */
    if (status == AMP_OK && !call->on->accelerator->backend->finds_mistakes)
        status = check_footprint(call, extent);
    call->place = amp__guard_call(status == AMP_OK ? call->on->accelerator : NULL);
    launch->args = call->block;
    return status;
}

/* Nearly every argument block fits into this. */
struct small_block {
    _Alignas(64) unsigned char bytes[1024];
};

static unsigned char *block_for(const struct amp__kernel *kernel, struct small_block *small)
{
    if (kernel->args_bytes <= sizeof small->bytes && kernel->args_align <= 64)
        return small->bytes;
    unsigned char *large = amp__alloc(kernel->args_bytes, kernel->args_align);
    if (!large)
        amp__kernel_fail(kernel, AMP_ERROR_OUT_OF_MEMORY, "no memory for %lu bytes of arguments", kernel->args_bytes);
    return large;
}

/* Waits for earlier tasks that the launch depends on. */
static amp_status wait_for_turn(const struct amp__call *call)
{
    amp_status status = AMP_OK;
    amp__queue_wait(call->on);
    for (const struct amp__use *use = call->uses; use < call->uses + call->n_uses && status == AMP_OK; use++)
        status = amp__home_wait(use->view->home, !use->param->read_only);
    return status;
}

/* `is_its_turn`: what it depends on has run. */
static amp_status launch_now(amp_accelerator_view *accelerator_view, const amp_extent *extent, amp_kernel kernel,
                             const struct passed *passed, bool is_its_turn)
{
    struct amp__call call;
    call.n_uses = call.n_strided = 0;
    amp_status status = amp__kernel_find(kernel, &call.kernel);
    if (status != AMP_OK)
        return status;
    struct small_block small;
    call.block = block_for(call.kernel, &small);
    if (!call.block)
        return AMP_ERROR_OUT_OF_MEMORY;
    struct amp__launch launch = {.kernel = call.kernel};
    status = check(&call, &launch, extent, passed, accelerator_view);
    if (status == AMP_OK && !is_its_turn)
        status = wait_for_turn(&call);
    if (status == AMP_OK)
        status = run(&call, &launch, extent, call.on);
    if (call.block != small.bytes)
        amp__free(call.block);
    return status;
}

amp_status amp_launch(amp_accelerator_view *accelerator_view, amp_extent extent, amp_kernel kernel, int n_args,
                      const amp_arg *args)
{
    return launch_now(accelerator_view, &extent, kernel, &(struct passed){n_args, args, NULL, 0}, false);
}

amp_status amp__launch_in_turn(amp_accelerator_view *on, amp_extent extent, amp_kernel kernel, int n_args,
                               const amp_arg *args)
{
    return launch_now(on, &extent, kernel, &(struct passed){n_args, args, NULL, 0}, true);
}

amp_status amp_launch_closure(amp_accelerator_view *accelerator_view, amp_extent extent, amp_kernel kernel,
                              const void *closure, size_t size_bytes)
{
    if (!closure)
        return amp__fail(AMP_ERROR_NULL, "amp_launch_closure: the closure is NULL");
    return launch_now(accelerator_view, &extent, kernel, &(struct passed){0, NULL, closure, size_bytes}, false);
}

/* A launch that waits for its turn, with all that it needs. After it in memory come copies of the views, which may be
 * released meanwhile, and the argument block. */
struct pending {
    struct amp__launch launch;
    unsigned floating_point; /* that of the thread which submitted it */
    amp_extent extent;
    struct amp__call call; /* up to its last use */
};

/* The functions of <fenv.h> would also save and load the control register of the x87, which kernels do not use, and
 * take several times as long. */
unsigned amp__floating_point(void)
{
#if defined(__x86_64__)
    enum { FLAGS = 0x3f }; /* raised by earlier arithmetic */
    return __builtin_ia32_stmxcsr() & ~(unsigned)FLAGS;
#else
    return (unsigned)fegetround();
#endif
}

static void set_floating_point(unsigned control)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(control);
#else
    fesetround((int)control);
#endif
}

amp_status amp__run_with_floating_point(unsigned control, amp_status (*work)(void *context), void *context)
{
    unsigned own = amp__floating_point();
    if (own != control)
        set_floating_point(control);
    amp_status status = work(context);
    if (own != control)
        set_floating_point(own);
    return status;
}

static amp_status run_in_turn(void *context)
{
    struct pending *p = context;
    return run(&p->call, &p->launch, &p->extent, p->call.on);
}

/* Runs a launch with its submitter's floating-point settings, whichever thread runs it. */
static amp_status run_pending(void *context)
{
    const struct pending *p = context;
    amp_status status = amp__run_with_floating_point(p->floating_point, run_in_turn, context);
    for (int i = 0; i < p->call.n_uses && status != AMP_OK; i++)
        if (!p->call.uses[i].param->read_only)
            amp__guard_synchronized(p->call.uses[i].view->home, p->call.uses[i].view);
    return status;
}

static __attribute__((cold, noinline)) void guard_pending(const struct pending *p)
{
    const struct amp__doing doing = doing_of(&p->call);
    struct amp__guarded uses[AMP__MAX_ARGS];
    for (int i = 0; i < p->call.n_uses; i++) {
        const struct amp__use *use = &p->call.uses[i];
        uses[i] = (struct amp__guarded){*use->view, NULL, use->param->name, !use->param->read_only};
    }
    amp__guard_pend(p, &doing, p->call.n_uses, uses);
    tell_writes(&p->call);
}

static size_t round_up(size_t size, size_t align)
{
    return (size + align - 1) / align * align;
}

/* After an error, which is reported, returns NULL. */
static struct pending *set_aside(const struct amp__call *call, const struct amp__launch *launch,
                                 const amp_extent *extent)
{
    size_t n = (size_t)call->n_uses, align = call->kernel->args_align > 16 ? call->kernel->args_align : 16;
    size_t call_bytes = offsetof(struct amp__call, uses) + n * sizeof *call->uses;
    size_t views_begin = round_up(offsetof(struct pending, call) + call_bytes, _Alignof(amp_array_view));
    size_t block_begin = round_up(views_begin + n * sizeof(amp_array_view), align);
    size_t size_bytes = block_begin + call->kernel->args_bytes;
    struct pending *p = amp__alloc(size_bytes, align);
    if (!p) {
        amp__kernel_fail(call->kernel, AMP_ERROR_OUT_OF_MEMORY, "no memory for a launch that waits (%zu bytes)",
                         size_bytes);
        return NULL;
    }
    amp_array_view *views = (amp_array_view *)(void *)((char *)p + views_begin);
    memcpy(&p->call, call, call_bytes);
    p->launch = *launch;
    p->extent = *extent;
    p->floating_point = amp__floating_point();
    p->launch.args = p->call.block = (unsigned char *)p + block_begin;
    memcpy(p->call.block, call->block, call->kernel->args_bytes);
    for (size_t i = 0; i < n; i++) {
        struct amp__use *use = &p->call.uses[i];
        views[i] = amp__view_all(use->view);
        use->view = &views[i];
        if (use->same)
            use->same = p->call.uses + (use->same - call->uses);
    }
    return p;
}

amp_future *amp_launch_async(amp_accelerator_view *accelerator_view, amp_extent extent, amp_kernel kernel, int n_args,
                             const amp_arg *args)
{
    struct amp__call call;
    call.n_uses = call.n_strided = 0;
    struct small_block small;
    if (amp__kernel_find(kernel, &call.kernel) != AMP_OK || !(call.block = block_for(call.kernel, &small)))
        return NULL;
    struct amp__launch launch = {.kernel = call.kernel};
    amp_future *future = NULL;
    if (check(&call, &launch, &extent, &(struct passed){n_args, args, NULL}, accelerator_view) == AMP_OK) {
        struct amp__access accesses[AMP__MAX_ARGS];
        for (int i = 0; i < call.n_uses; i++)
            accesses[i] = (struct amp__access){call.uses[i].view->home, !call.uses[i].param->read_only};
        struct pending *p = set_aside(&call, &launch, &extent);
        if (p && amp__guard_is_on())
            guard_pending(p);
        if (p)
            future = amp__queue_submit(call.on, run_pending, amp__guard_free, p, call.n_uses, accesses);
        if (future && call.on->accelerator->backend->is_ordered && call.on->accelerator->backend->is_ordered())
            amp__queue_wait(call.on);
    }
    if (call.block != small.bytes)
        amp__free(call.block);
    return future;
}
