/* SPDX-License-Identifier: MIT
 *
 * Deep copies between arrays, views and host memory. A copy has two sides; each is a view and the memory, of the host
 * or of an accelerator, that has its elements. Where this memory is decides how the bytes go:
 *
 *     host, host      from row to row
 *     one device      within the device, if it can, and row by row if the rows lie far apart; else as between two
 *     host, device    one copy of the device, from or to the host's memory if that is dense; else to a packed buffer
 *     two devices     directly, if both sides are dense and they can; else out to a packed buffer, and in from it
 *
 * A side on a device whose rows lie apart moves as the span from its first byte to its last: out if it is read, out and
 * in again if it is written. docs/coherence.md has the counts. */
#include "backend.h"

#include <string.h>

/* In the time that a device takes to begin a copy within its memory, at least this many bytes make the round trip to
 * the host: an estimate of 3 microseconds at 12 GB/s. Rows that lie closer together are copied through the host. */
enum { RUN_BYTES = 32768 };

struct side {
    const amp_array_view *view;
    struct amp__home *home;   /* NULL for the caller's memory */
    amp_accelerator_view *on; /* whose memory it is; NULL for the host's */
    void *memory;             /* of the home there; the caller's */
};

/* The first element on the host. */
static unsigned char *first_of(const struct side *side)
{
    return (unsigned char *)side->memory + side->view->offset_bytes;
}

/* The byte at `offset` from the first element on a device. */
static struct amp__at at(const struct side *side, ptrdiff_t offset)
{
    return (struct amp__at){side->memory, side->view->offset_bytes + (size_t)offset};
}

static void *buffer_new(const char *call, size_t size_bytes)
{
    void *buffer = amp__alloc(size_bytes, 64);
    if (!buffer)
        amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu bytes on their way", call, size_bytes);
    return buffer;
}

/* ---- one side ---- */

static amp_status device_out(const struct side *side, void *host, size_t size_bytes)
{
    const amp_accelerator *a = side->on->accelerator;
    AMP__EVENT(event, .kind = AMP__COPY, .on = side->on, .from = a, .bytes = size_bytes, .n = 1);
    return amp__event_end(&event, a->backend->copy_out(a->device, side->on->queue, host, at(side, 0), size_bytes));
}

static amp_status device_in(const struct side *side, const void *host, size_t size_bytes)
{
    const amp_accelerator *a = side->on->accelerator;
    AMP__EVENT(event, .kind = AMP__COPY, .on = side->on, .to = a, .bytes = size_bytes, .n = 1);
    return amp__event_end(&event, a->backend->copy_in(a->device, side->on->queue, at(side, 0), host, size_bytes));
}

/* Copies its elements into dense host memory. */
static amp_status get(const char *call, const struct side *side, void *dense)
{
    if (!side->on) {
        amp__dense_pack(side->view, first_of(side), dense);
        return AMP_OK;
    }
    if (side->view->is_dense)
        return device_out(side, dense, amp__view_bytes(side->view));
    size_t span_bytes = amp__view_span(side->view);
    void *span = buffer_new(call, span_bytes);
    if (!span)
        return AMP_ERROR_OUT_OF_MEMORY;
    amp_status status = device_out(side, span, span_bytes);
    if (status == AMP_OK)
        amp__dense_pack(side->view, span, dense);
    amp__free(span);
    return status;
}

/* Copies dense host memory into its elements. */
static amp_status put(const char *call, const struct side *side, const void *dense)
{
    if (!side->on) {
        amp__dense_unpack(side->view, first_of(side), dense);
        return AMP_OK;
    }
    if (side->view->is_dense)
        return device_in(side, dense, amp__view_bytes(side->view));
    size_t span_bytes = amp__view_span(side->view);
    void *span = buffer_new(call, span_bytes);
    if (!span)
        return AMP_ERROR_OUT_OF_MEMORY;
    amp_status status = device_out(side, span, span_bytes); /* with the bytes between the rows */
    if (status == AMP_OK) {
        amp__dense_unpack(side->view, span, dense);
        status = device_in(side, span, span_bytes);
    }
    amp__free(span);
    return status;
}

/* ---- both sides ---- */

/* Whether host memory of both could be the same. */
static bool may_touch(const struct side *a, const struct side *b)
{
    const unsigned char *first_a = first_of(a), *first_b = first_of(b);
    return first_a < first_b + amp__view_span(b->view) && first_b < first_a + amp__view_span(a->view);
}

static bool can_go_across(const amp_accelerator *a, const struct side *to, const struct side *from)
{
    if (!a->backend->copy_across || (to->home == from->home && amp__views_overlap(to->view, from->view)))
        return false;
    size_t n = amp__runs_begin(to->view, from->view).n;
    return n == 1 || amp__view_span(to->view) / n >= RUN_BYTES || amp__view_span(from->view) / n >= RUN_BYTES;
}

static bool stays_on_device(const struct side *to, const struct side *from)
{
    return to->on && to->on == from->on && can_go_across(to->on->accelerator, to, from);
}

static amp_status go_across(const struct side *to, const struct side *from)
{
    const amp_accelerator *a = to->on->accelerator;
    struct amp__runs t = amp__runs_begin(to->view, from->view), f = amp__runs_begin(from->view, to->view);
    AMP__EVENT(event, .kind = AMP__COPY, .on = to->on, .from = a, .to = a, .bytes = amp__view_bytes(to->view),
               .n = t.n);
    amp_status status;
    do
        status = a->backend->copy_across(a->device, to->on->queue, at(to, t.offset), at(from, f.offset), t.run_bytes);
    while (status == AMP_OK && amp__runs_next(to->view, &t) && amp__runs_next(from->view, &f));
    return amp__event_end(&event, status);
}

static bool can_go_to_peer(const struct side *to, const struct side *from)
{
    if (!to->on || !from->on || !to->view->is_dense || !from->view->is_dense)
        return false;
    const amp_accelerator *a = to->on->accelerator, *peer = from->on->accelerator;
    return a != peer && a->backend == peer->backend && a->backend->copy_peer;
}

static amp_status go_to_peer(const struct side *to, const struct side *from, size_t size_bytes)
{
    const amp_accelerator *a = to->on->accelerator, *peer = from->on->accelerator;
    amp_status status = amp__device_wait(from->on);
    if (status != AMP_OK)
        return status;
    AMP__EVENT(event, .kind = AMP__COPY, .on = to->on, .from = peer, .to = a, .bytes = size_bytes, .n = 1);
    return amp__event_end(
        &event, a->backend->copy_peer(a->device, to->on->queue, at(to, 0), peer->device, at(from, 0), size_bytes));
}

static amp_status go_through_buffer(const char *call, const struct side *to, const struct side *from)
{
    void *dense = buffer_new(call, amp__view_bytes(to->view));
    if (!dense)
        return AMP_ERROR_OUT_OF_MEMORY;
    amp_status status = get(call, from, dense);
    if (status == AMP_OK)
        status = put(call, to, dense);
    amp__free(dense);
    return status;
}

static amp_status go_on_host(const char *call, const struct side *to, const struct side *from)
{
    AMP__EVENT(event, .kind = AMP__COPY, .bytes = amp__view_bytes(to->view), .n = 1);
    if (may_touch(to, from))
        return amp__event_end(&event, go_through_buffer(call, to, from));
    amp__dense_copy(to->view, first_of(to), from->view, first_of(from));
    return amp__event_end(&event, AMP_OK);
}

static amp_status transfer(const char *call, const struct side *to, const struct side *from)
{
    if (!to->on && !from->on)
        return go_on_host(call, to, from);
    if (stays_on_device(to, from))
        return go_across(to, from);
    if (can_go_to_peer(to, from))
        return go_to_peer(to, from, amp__view_bytes(to->view));
    if (from->on && !to->on && to->view->is_dense)
        return get(call, from, first_of(to));
    if (to->on && !from->on && from->view->is_dense)
        return put(call, to, first_of(from));
    return go_through_buffer(call, to, from);
}

/* ---- where ---- */

static void settle_at(struct side *side, int location)
{
    side->on = NULL;
    if (location != AMP__HOST)
        side->on = side->home->place == location ? side->home->on : &amp__accelerator_at(location)->view;
}

static bool has(const struct side *side, int location)
{
    return amp__home_has(side->home, location, side->view);
}

static int find(const struct side *side, int location)
{
    return amp__home_find(side->home, location, side->view);
}

/* A device where both are valid and which the bytes need not leave; AMP__HOST if there is none. */
static int common_device(const struct side *to, const struct side *from)
{
    for (int l = AMP__HOST + 1; l < amp__location_count(); l++)
        if (has(to, l) && has(from, l) && can_go_across(amp__accelerator_at(l), to, from))
            return l;
    return AMP__HOST;
}

/* An array is written where it lives. A view over host memory, or without a source, is written on the host if the
 * source is valid there, too. Otherwise it is written on a device where both are valid, or, if it is valid nowhere yet,
 * on one where the source is; but only if the bytes need not leave that device. */
static void place_destination(struct side *to, const struct side *from)
{
    if (!to->home)
        return;
    if (to->home->on) {
        settle_at(to, to->home->place);
        return;
    }
    int location = AMP__HOST;
    if (from->home && find(to, AMP__HOST) == AMP__NOWHERE) {
        location = find(from, AMP__HOST);
        if (location != AMP__HOST && !can_go_across(amp__accelerator_at(location), to, from))
            location = AMP__HOST;
    } else if (from->home && !(has(to, AMP__HOST) && has(from, AMP__HOST))) {
        location = common_device(to, from);
    }
    settle_at(to, location);
}

/* The source is read where the destination is if the bytes can stay there, else on the host if it is valid there. */
static void place_source(struct side *from, const struct side *to)
{
    if (!from->home)
        return;
    int location = AMP__HOST;
    if (to->on && has(from, to->on->accelerator->location) && can_go_across(to->on->accelerator, to, from))
        location = to->on->accelerator->location;
    settle_at(from, find(from, location));
    if (to->on && from->on && from->on->accelerator == to->on->accelerator)
        from->on = to->on; /* one queue for both */
}

static amp_status open_side(struct side *side, bool needs_contents)
{
    if (!side->home)
        return AMP_OK;
    amp_status status = (needs_contents ? amp__home_read : amp__home_reserve)(side->home, side->on, side->view);
    int location = side->on ? side->on->accelerator->location : AMP__HOST;
    if (status == AMP_OK)
        side->memory = amp__home_memory(side->home, location);
    return status;
}

/* The lines of docs/coherence.md for a copy that a program asks for, and those for a dense copy that a launch needs. */
static const char copy[] = "copy", pack[] = "pack", unpack[] = "unpack";

/* A copy, with its own views, which may outlive the caller's. */
struct job {
    const char *call, *line;  /* `line`: of docs/coherence.md */
    int place;                /* amp__guard_call */
    amp_accelerator_view *on; /* the queue that it is on; NULL: it runs at once */
    struct side to, from;
    amp_array_view to_view, from_view;
};

/* A copy that failed may still have put part of its work on the queue. */
static amp_status close_side(const struct side *side, amp_status status)
{
    amp_status used = side->on ? amp__home_used(side->home, side->on) : AMP_OK;
    return status == AMP_OK ? used : status;
}

static struct amp__doing doing_of(const struct job *job)
{
    return (struct amp__doing){"copy", job->call, job->place};
}

/* For devices that look for mistakes: whether the host has changed the source without saying so. */
static amp_status check_host(const struct job *job)
{
    const struct side *from = &job->from;
    const amp_accelerator *a = from->on ? from->on->accelerator : NULL;
    const struct amp__doing doing = doing_of(job);
    size_t offset;
    if (!a || !a->backend->compare || !amp__home_differs(from->home, a, from->view, &offset))
        return AMP_OK;
    return amp__guard_report_change(&doing, from->view, "source", a, offset, NULL);
}

/* Tells the guard what a copy writes on a device. */
static void tell_writes(const struct job *job, const amp_accelerator *a)
{
    const struct amp__doing doing = doing_of(job);
    amp__guard_seen(job->to.home, job->to.view);
    amp__guard_written(&doing, a, job->to.view, "destination");
}

static amp_status carry_out(struct job *job)
{
    struct side *to = &job->to, *from = &job->from;
    /* 1. Decide where. A source without contents makes the destination undefined, so it may stay as it is. */
    if (from->home && find(from, AMP__HOST) == AMP__NOWHERE)
        return AMP_OK;
    place_destination(to, from);
    place_source(from, to);
    int to_location = to->on ? to->on->accelerator->location : AMP__HOST;
    if (to->home && to->home == from->home && amp__views_equal(to->view, from->view))
        return AMP_OK;
    if (job->line == pack && !stays_on_device(to, from))
        from->on = NULL;
    amp_status status = job->line == copy ? check_host(job) : AMP_OK;
    /* 2. Get memory for both sides. */
    if (status == AMP_OK)
        status = open_side(to, false);
    if (status == AMP_OK)
        status = open_side(from, true);
    if (status != AMP_OK)
        return status;
    if (amp__log_wants(AMP__LOG_COHERENCE))
        amp__log("%s: %zu bytes from %s to %s", job->call, amp__view_bytes(to->view),
                 from->on ? from->on->accelerator->properties.path : "host",
                 to->on ? to->on->accelerator->properties.path : "host");
    /* 3. Move the bytes. */
    status = transfer(job->call, to, from);
    /* 4. Record which copies are valid now. */
    status = close_side(from, status);
    status = close_side(to, status);
    if (to->home && status == AMP_OK)
        status = amp__home_own(to->home, to_location, to->view);
    else if (to->home)
        amp__home_abandon(to->home, to_location, to->view);
    if (to->on && status == AMP_OK && job->line == copy)
        tell_writes(job, to->on->accelerator);
    return status;
}

static amp_status run(void *context)
{
    struct job *job = context;
    AMP__EVENT(event, .kind = AMP__CALL, .name = job->line == copy ? job->call : job->line, .line = job->line);
    return amp__event_end(&event, carry_out(job));
}

/* The future knows the end of the work on its own queue. If the copy used another queue, this waits for it. */
static amp_status run_later(void *context)
{
    const struct job *job = context;
    amp_status status = run(context);
    const amp_accelerator_view *on = job->to.on;
    return status == AMP_OK && on && on != job->on ? amp__device_wait(on) : status;
}

/* Sets up `side` with `view`, or with dense memory in the shape of the other side's. */
static void side_init(struct side *side, amp_array_view *own, const amp_array_view *view, const void *memory,
                      const amp_array_view *other)
{
    *side = (struct side){.view = own, .memory = (void *)(uintptr_t)memory};
    if (view) {
        *own = amp__view_all(view);
        side->home = view->home;
        return;
    }
    size_t size_bytes;
    amp__view_init("", own, &other->extent, other->type, other->element_size, &size_bytes);
}

static void job_init(struct job *job, const char *call, const amp_array_view *to, void *to_memory,
                     const amp_array_view *from, const void *from_memory)
{
    job->call = call;
    job->line = copy;
    job->place = 0;
    job->on = NULL;
    side_init(&job->to, &job->to_view, to, to_memory, from);
    side_init(&job->from, &job->from_view, from, from_memory, to);
}

amp_status amp__copy_from_memory(const char *call, const amp_array_view *to, const void *data)
{
    struct job job;
    job_init(&job, call, to, NULL, NULL, data);
    return run(&job);
}

amp_status amp__copy_from_view(const char *call, const amp_array_view *to, const amp_array_view *from)
{
    struct job job;
    job_init(&job, call, to, NULL, from, NULL);
    return run(&job);
}

amp_status amp__copy_to_launch(const char *call, const amp_array_view *to, const amp_array_view *from)
{
    struct job job;
    job_init(&job, call, to, NULL, from, NULL);
    job.line = pack;
    return run(&job);
}

amp_status amp__copy_from_launch(const char *call, const amp_array_view *to, const amp_array_view *from)
{
    struct job job;
    job_init(&job, call, to, NULL, from, NULL);
    job.line = unpack;
    return run(&job);
}

/* ---- what is copied ---- */

/* The view of an array or a view; NULL for host memory. Reports. */
static amp_status resolve(const char *call, const char *what, const amp_operand *operand, const amp_array_view **view)
{
    *view = NULL;
    if (!operand->object)
        return amp__fail(AMP_ERROR_NULL, "%s: the %s is NULL", call, what);
    bool is_counted = operand->n_elements != AMP_UNCOUNTED;
    switch (operand->kind) {
    case AMP_TYPE_POINTER:
        return AMP_OK;
    case AMP_TYPE_ARRAY:
    case AMP_TYPE_VIEW:
        if (is_counted)
            return amp__fail(AMP_ERROR_INVALID_ARGUMENT, "%s: the %s is an %s; a number of elements is for host memory",
                             call, what, amp__type_name(operand->kind));
        /* An array begins with the view of all of it. */
        *view = operand->object;
        return amp__object_check(operand->object, operand->kind == AMP_TYPE_ARRAY ? AMP__ARRAY : AMP__ARRAY_VIEW, call);
    default:
        return amp__fail(AMP_ERROR_TYPE, "%s: the %s is of type %s; it must be an array, a view, or host memory", call,
                         what, amp__type_name(operand->kind));
    }
}

static amp_status check_elements(const char *call, amp_type to, size_t to_size, amp_type from, size_t from_size)
{
    if (to == from && to_size == from_size)
        return AMP_OK;
    if (to == from)
        return amp__fail(AMP_ERROR_TYPE, "%s: the source has elements of %zu bytes, but the destination of %zu", call,
                         from_size, to_size);
    return amp__fail(AMP_ERROR_TYPE, "%s: the source has elements of type %s, but the destination of type %s", call,
                     amp__type_name(from), amp__type_name(to));
}

amp_operand amp__counted(amp_operand memory, amp__numbers n_elements)
{
    const amp__number *n = &n_elements.of[0];
    bool is_whole = n->kind == AMP__REAL && n->real >= 0 && n->real < 0x1p63 && n->real == (double)(int64_t)n->real;
    memory.n_elements = is_whole ? (int64_t)n->real : n->integer;
    if ((n->kind == AMP__REAL && !is_whole) || n->integer < 0) {
        memory.n_elements = AMP__MISCOUNTED;
        memory.type = n->kind == AMP__REAL ? AMP_TYPE_F64 : n->kind == AMP__SIGNED ? AMP_TYPE_I64 : AMP_TYPE_U64;
        memcpy(&memory.element_size, n->kind == AMP__REAL ? (const void *)&n->real : &n->integer,
               sizeof memory.element_size);
    }
    return memory;
}

static amp_status check_memory(const char *call, const amp_operand *memory, const amp_array_view *view)
{
    int64_t n = amp_extent_size(view->extent);
    if (memory->n_elements == AMP_UNCOUNTED || memory->n_elements == n)
        return AMP_OK;
    char shape[AMP__SHAPE_TEXT], given[32];
    if (memory->n_elements == AMP__MISCOUNTED)
        amp__type_print((int)memory->type, &memory->element_size, given, sizeof given);
    else
        amp__type_print(AMP_TYPE_I64, &memory->n_elements, given, sizeof given);
    return amp__fail(AMP_ERROR_SHAPE, "%s: the host memory has %s elements, but %lld (%s) are copied", call, given,
                     (long long)n, amp__shape_text(view->extent.rank, view->extent.dim, shape));
}

static amp_status check_shapes(const char *call, const amp_array_view *to, const amp_array_view *from)
{
    char a[AMP__SHAPE_TEXT], b[AMP__SHAPE_TEXT];
    amp__shape_text(from->extent.rank, from->extent.dim, a);
    amp__shape_text(to->extent.rank, to->extent.dim, b);
    if (to->extent.rank != from->extent.rank)
        return amp__fail(AMP_ERROR_RANK, "%s: the source has rank %d (%s), but the destination has rank %d (%s)", call,
                         from->extent.rank, a, to->extent.rank, b);
    if (!amp_extent_equal(to->extent, from->extent))
        return amp__fail(AMP_ERROR_SHAPE, "%s: the source is %s, but the destination is %s", call, a, b);
    return AMP_OK;
}

/* Checks a copy; the view of a side of host memory is NULL. */
static amp_status check(const char *call, const amp_operand *to, const amp_operand *from,
                        const amp_array_view *views[2])
{
    amp_status status = resolve(call, "destination", to, &views[0]);
    if (status == AMP_OK)
        status = resolve(call, "source", from, &views[1]);
    if (status != AMP_OK)
        return status;
    const amp_array_view *to_view = views[0], *from_view = views[1];
    if (!to_view && !from_view)
        return amp__fail(AMP_ERROR_INVALID_ARGUMENT, "%s: both sides are host memory; use memcpy", call);
    if (to_view && to_view->read_only)
        return amp__fail(AMP_ERROR_READ_ONLY, "%s: the destination is a read-only view", call);
    const amp_operand *memory = !to_view ? to : !from_view ? from : NULL;
    const amp_array_view *view = to_view ? to_view : from_view;
    status = memory ? check_memory(call, memory, view) : check_shapes(call, to_view, from_view);
    if (status == AMP_OK && !(memory && memory->type == AMP_TYPE_NONE))
        status = check_elements(
            call, to_view ? to_view->type : to->type, to_view ? to_view->element_size : to->element_size,
            from_view ? from_view->type : from->type, from_view ? from_view->element_size : from->element_size);
    if (status == AMP_OK && from_view)
        status = amp__view_check_unmapped(call, from_view, AMP_ACCESS_READ);
    if (status == AMP_OK && to_view)
        status = amp__view_check_unmapped(call, to_view, AMP_ACCESS_WRITE);
    return status;
}

/* Sets up a job, which runs at once or later. */
static void job_of(struct job *job, const char *call, const amp_operand *to, const amp_operand *from,
                   const amp_array_view *const views[2])
{
    job_init(job, call, views[0], views[0] ? NULL : (void *)(uintptr_t)to->object, views[1],
             views[1] ? NULL : from->object);
    job->place = amp__guard_call(NULL);
}

amp_status amp_copy_operands(amp_operand destination, amp_operand source)
{
    static const char call[] = "amp_copy";
    const amp_array_view *views[2];
    amp_status status = check(call, &destination, &source, views);
    if (status != AMP_OK)
        return status;
    if (views[0])
        status = amp__home_wait(views[0]->home, true);
    if (views[1] && status == AMP_OK)
        status = amp__home_wait(views[1]->home, false);
    if (status != AMP_OK)
        return status;
    struct job job;
    job_of(&job, call, &destination, &source, views);
    return run(&job);
}

amp_status amp_get_operand(amp_operand source, amp_index index, amp_operand value)
{
    static const char call[] = "amp_get";
    if (value.object && value.kind != AMP_TYPE_POINTER)
        return amp__fail(AMP_ERROR_TYPE, "%s: the value is of type %s; it must be host memory", call,
                         amp__type_name(value.kind));
    const amp_array_view *views[2];
    amp_array_view element;
    amp_status status = check(call, &value, &source, views);
    if (status == AMP_OK)
        status = amp__view_element(call, views[1], &index, &element);
    if (status == AMP_OK)
        status = amp__home_wait(element.home, false);
    if (status != AMP_OK)
        return status;
    struct job job;
    job_init(&job, call, NULL, (void *)(uintptr_t)value.object, &element, NULL);
    job.place = amp__guard_call(NULL);
    return run(&job);
}

/* Whether the arguments of amp_copy_to are in their older order. */
static bool is_turned(const amp_operand *data, const amp_operand *source)
{
    return data->kind != AMP_TYPE_POINTER && source->kind == AMP_TYPE_POINTER;
}

amp_status amp__copy_to(amp_operand data, amp_operand source, amp__numbers n_elements)
{
    if (is_turned(&data, &source))
        return amp_copy_operands(amp__counted(source, n_elements), data);
    return amp_copy_operands(amp__counted(data, n_elements), source);
}

amp_future *amp__copy_to_async(amp_operand data, amp_operand source, amp__numbers n_elements)
{
    if (is_turned(&data, &source))
        return amp_copy_operands_async(amp__counted(source, n_elements), data);
    return amp_copy_operands_async(amp__counted(data, n_elements), source);
}

static void guard_pending(const struct job *job)
{
    const struct amp__doing doing = doing_of(job);
    const struct amp__guarded uses[] = {{*job->to.view, job->to.home ? NULL : job->to.memory, "destination", true},
                                        {*job->from.view, job->from.home ? NULL : job->from.memory, "source", false}};
    amp__guard_pend(job, &doing, 2, uses);
}

amp_future *amp_copy_operands_async(amp_operand destination, amp_operand source)
{
    static const char call[] = "amp_copy_async";
    const amp_array_view *views[2];
    if (check(call, &destination, &source, views) != AMP_OK)
        return NULL;
    struct job *job = buffer_new(call, sizeof *job);
    if (!job)
        return NULL;
    job_of(job, call, &destination, &source, views);
    /* It comes after the work on the queue of an array. */
    amp_accelerator_view *on = amp__host_view();
    struct amp__access accesses[2];
    int n = 0;
    for (int i = 1; i >= 0; i--) {
        if (!views[i])
            continue;
        accesses[n++] = (struct amp__access){views[i]->home, i == 0};
        on = views[i]->home->on ? views[i]->home->on : on;
    }
    job->on = on;
    if (amp__guard_is_on())
        guard_pending(job);
    return amp__queue_submit(on, run_later, amp__guard_free, job, n, accesses);
}
