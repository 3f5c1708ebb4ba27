/* SPDX-License-Identifier: MIT
 *
 * What parts of a launch may touch, by the functions that ampcc writes (src/compiler/kernel/reach.c), and the trial of
 * it in tests. A trial cuts a launch in two along each dimension. A part gets copies of its arrays, in which all
 * that it may not read is a pattern, large as a number of any type; afterwards, all that it may not write must be as
 * before. So what is read outside of a footprint makes wrong results, and what is written there ends the program.
 * Pages of a copy that have nothing of the footprint cannot be accessed at all. A footprint begins with a page, or,
 * every other time, ends with one, so such an access to what is just before it, or just after it, ends the program. */
#include "backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PATTERN = 0x7f, PAGE = 4096 };

static struct amp__span whole_of(const amp_array_view *view)
{
    struct amp__span span;
    for (int d = 0; d < view->extent.rank; d++) {
        span.low[d] = 0;
        span.high[d] = view->extent.dim[d] - 1;
    }
    return span;
}

static struct amp__span empty(void)
{
    return (struct amp__span){.low = {1}};
}

/* Returns what of a span is within the array. */
static struct amp__span span_of(const long long *ends, const amp_array_view *view)
{
    struct amp__span span = whole_of(view);
    bool is_empty = false;
    for (int d = 0; d < view->extent.rank; d++) {
        span.low[d] = ends[2 * d] > 0 ? ends[2 * d] : 0;
        span.high[d] = ends[2 * d + 1] < span.high[d] ? ends[2 * d + 1] : span.high[d];
        is_empty |= span.low[d] > span.high[d];
    }
    return is_empty ? empty() : span;
}

static int count_arrays(const struct amp__kernel *kernel)
{
    int n = 0;
    for (int i = 0; i < kernel->n_params; i++)
        n += kernel->params[i].kind == 2;
    return n;
}

/* Returns what the function of a kernel says of an array parameter of rank `rank`. `at`: its numbers. */
static struct amp__footprint footprint_of(const struct amp__reach *reach, int rank, const long long *at,
                                          const amp_array_view *view)
{
    struct amp__span read = reach->whole ? whole_of(view) : span_of(at, view);
    struct amp__span written = reach->whole ? whole_of(view) : span_of(at + 2L * rank, view);
    struct amp__footprint footprint = {reach, reach->reads ? read : empty(), reach->writes ? written : empty(),
                                       .n_reads = reach->n_reads};
    for (int i = 0; i < reach->n_reads; i++)
        footprint.reads[i] = span_of(at + (4L + 2 * i) * rank, view);
    return footprint;
}

/* Of `n` uses from `first` on. */
static void find(const struct amp__call *call, const int *box, int first, int n, struct amp__footprint *footprints)
{
    const struct amp__kernel *kernel = call->kernel;
    long long boxes[(AMP__MAX_ARGS * 2 + AMP__MAX_ALL_READS) * 2 * AMP_MAX_RANK];
    const long long *at = boxes;
    const struct amp__use *uses = call->uses + first;
    for (int i = 0; i < n; i++) {
        struct amp__span whole = whole_of(uses[i].view);
        footprints[i] = (struct amp__footprint){NULL, whole, whole, .n_reads = 0};
    }
    if (!kernel->reach)
        return;
    kernel->reach(call->block, box, boxes);
    for (const struct amp__reach *reach = kernel->reaches, *end = reach + count_arrays(kernel); reach < end; reach++) {
        int rank = kernel->params[reach->param].rank;
        for (int i = 0; i < n; i++)
            if (uses[i].param == &kernel->params[reach->param])
                footprints[i] = footprint_of(reach, rank, at, uses[i].view);
        at += reach->whole ? 0 : (4L + 2 * reach->n_reads) * rank;
    }
}

void amp__footprints(const struct amp__call *call, const int *box, struct amp__footprint *footprints)
{
    find(call, box, 0, call->n_uses, footprints);
}

void amp__footprint_of_use(const struct amp__call *call, const int *box, int use, struct amp__footprint *footprint)
{
    find(call, box, use, 1, footprint);
}

/* ---- the trial ---- */

enum { UNREAD = -1, NO, TRIES, SHOWS };

static int read_wish(void)
{
    static atomic_int wish = UNREAD;
    int now = atomic_load_explicit(&wish, memory_order_relaxed);
    if (now == UNREAD) {
        const char *text = getenv("AMP_TEST_FOOTPRINTS");
        now = !text ? NO : !strcmp(text, "1") ? TRIES : !strcmp(text, "2") ? SHOWS : NO;
        atomic_store(&wish, now);
    }
    return now;
}

bool amp__footprints_are_tried(const struct amp__call *call)
{
    if (read_wish() == NO || call->on->accelerator->backend != &amp__cpu_backend)
        return false;
    for (int i = 0; i < call->n_uses; i++)
        if (!call->uses[i].view->is_dense || call->uses[i].view->extent.rank > AMP_MAX_RANK)
            return false;
    return true;
}

/* The memory of a use, and its copy. Uses of the same memory share one. */
struct trial {
    const struct amp__use *use;
    struct trial *same;
    char *memory, *copy;
    char *pages;        /* where the copy is */
    unsigned char *may; /* per element: 1 read, 2 written */
    size_t n, element;
};

/* The bytes of the pages of a trial: there is one before the copy, and one after it, wherever that begins. */
static size_t pages_bytes(const struct trial *trial)
{
    return (trial->n * trial->element + PAGE - 1) / PAGE * PAGE + 3L * PAGE;
}

static void mark(const struct trial *trial, const struct amp__span *span, int what)
{
    amp_extent extent = trial->use->view->extent;
    int rank = extent.rank;
    long long at[AMP_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        at[d] = span->low[d];
        if (span->low[d] > span->high[d])
            return;
    }
    for (int d = 0; d >= 0;) {
        long long number = 0;
        for (int i = 0; i < rank; i++)
            number = number * extent.dim[i] + at[i];
        for (long long i = span->low[rank - 1]; i <= span->high[rank - 1]; i++)
            trial->may[number - span->low[rank - 1] + i] |= (unsigned char)what;
        for (d = rank - 2; d >= 0 && ++at[d] > span->high[d]; d--)
            at[d] = span->low[d];
    }
}

static bool is_pattern(const char *element, size_t size_bytes)
{
    bool is = true;
    for (size_t i = 0; is && i < size_bytes; i++)
        is = element[i] == PATTERN;
    return is;
}

/* What may only be written is hidden, too, if it can be told afterwards whether it was: not if an element is small, or
 * has members and so maybe padding. */
static bool is_hidden(const struct trial *trial, size_t element)
{
    enum { LEAST = 4 };
    bool is_clear = trial->element >= LEAST && trial->use->view->type != AMP_TYPE_STRUCT;
    return !(trial->may[element] & 1) && (is_clear || !(trial->may[element] & 2));
}

/* Puts the copy where the footprint begins, or ends, with a page. */
static void place(struct trial *trial, bool is_at_end)
{
    size_t edge = is_at_end ? trial->n : 0;
    while (is_at_end ? edge > 0 && !trial->may[edge - 1] : edge < trial->n && !trial->may[edge])
        edge = is_at_end ? edge - 1 : edge + 1;
    trial->copy = trial->pages + 2L * PAGE - edge * trial->element % PAGE;
}

/* Lets what may not be touched be inaccessible, as far as it fills pages. */
static void protect(const struct trial *trial)
{
    char *end = trial->pages + pages_bytes(trial), *from = trial->pages;
    for (size_t i = 0; i <= trial->n; i++) {
        if (i < trial->n && !trial->may[i])
            continue;
        char *to = i < trial->n ? trial->copy + i * trial->element : end;
        from += -(uintptr_t)from % PAGE;
        to -= (uintptr_t)to % PAGE;
        if (from < to)
            mprotect(from, (size_t)(to - from), PROT_NONE);
        from = trial->copy + (i + 1) * trial->element;
    }
}

static void hide(const struct trial *trial)
{
    memcpy(trial->copy, trial->memory, trial->n * trial->element);
    for (size_t i = 0; i < trial->n; i++)
        if (is_hidden(trial, i))
            memset(trial->copy + i * trial->element, PATTERN, trial->element);
    protect(trial);
}

static void fail(const struct amp__call *call, const struct trial *trial, size_t element)
{
    fprintf(stderr, "amp: %s (%s:%d) writes element %zu of %s, outside of its footprint\n", call->kernel->name,
            call->kernel->file, call->kernel->line, element, trial->use->param->name);
    abort();
}

/* Copies back what was written. */
static void bring_back(const struct amp__call *call, const struct trial *trial)
{
    mprotect(trial->pages, pages_bytes(trial), PROT_READ | PROT_WRITE);
    for (size_t i = 0; i < trial->n; i++) {
        const char *now = trial->copy + i * trial->element;
        char *before = trial->memory + i * trial->element;
        if (trial->may[i] & 2) {
            if (!is_hidden(trial, i) || !is_pattern(now, trial->element))
                memcpy(before, now, trial->element);
        } else if (is_hidden(trial, i)) {
            for (size_t b = 0; b < trial->element; b++)
                if (now[b] != PATTERN)
                    fail(call, trial, i);
        } else if (memcmp(now, before, trial->element) != 0)
            fail(call, trial, i);
    }
}

/* Makes the copies. Returns false if two uses share only some of their memory, or if there is no memory. */
static bool begin(const struct amp__call *call, struct trial *trials)
{
    for (int i = 0; i < call->n_uses; i++) {
        const struct amp__use *use = &call->uses[i];
        struct trial *trial = &trials[i];
        *trial = (struct trial){.use = use, .memory = use->memory, .element = use->view->element_size};
        trial->n = (size_t)amp_extent_size(use->view->extent);
        size_t size_bytes = trial->n * trial->element;
        for (int k = 0; k < i && !trial->same; k++) {
            const struct trial *other = &trials[k];
            if (trial->memory >= other->memory + other->n * other->element ||
                other->memory >= trial->memory + size_bytes)
                continue;
            if (other->memory != trial->memory || other->n != trial->n || other->element != trial->element)
                return false;
            trial->same = other->same ? other->same : &trials[k];
        }
        if (trial->same)
            continue;
        trial->may = calloc(trial->n + 1, 1);
        trial->pages =
            mmap(NULL, pages_bytes(trial), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (!trial->may || trial->pages == MAP_FAILED)
            return false;
    }
    return true;
}

static void end(const struct amp__call *call, struct trial *trials)
{
    for (int i = 0; i < call->n_uses; i++) {
        if (trials[i].pages && trials[i].pages != MAP_FAILED)
            munmap(trials[i].pages, pages_bytes(&trials[i]));
        free(trials[i].may);
    }
}

static void show_span(const struct trial *trial, const char *what, const struct amp__span *span)
{
    int rank = trial->use->view->extent.rank;
    fprintf(stderr, "; %s %s ", trial->use->param->name, what);
    for (int d = 0; d < rank; d++)
        fprintf(stderr, "[%lld..%lld]", span->low[d], span->high[d]);
}

static void show(const struct amp__call *call, const int *box, const struct trial *trials,
                 const struct amp__footprint *footprints)
{
    fprintf(stderr, "amp: %s over", call->kernel->name);
    for (int d = 3 - (call->kernel->rank < 3 ? call->kernel->rank : 3); d < 3; d++)
        fprintf(stderr, "[%d..%d]", box[2 * d], box[2 * d + 1] - 1);
    for (int i = 0; i < call->n_uses; i++) {
        const struct amp__footprint *f = &footprints[i];
        if (f->reach && f->reach->whole)
            fprintf(stderr, "; %s whole", trials[i].use->param->name);
        else if (f->read.low[0] <= f->read.high[0])
            show_span(&trials[i], "read", &f->read);
        if ((!f->reach || !f->reach->whole) && f->written.low[0] <= f->written.high[0])
            show_span(&trials[i], f->reach && f->reach->reduces ? "reduced" : "written", &f->written);
    }
    fputc('\n', stderr);
}

static amp_status run_part(const struct amp__call *call, struct amp__launch *launch, struct trial *trials,
                           struct amp__footprint *footprints)
{
    static atomic_uint turn;
    bool is_at_end = atomic_fetch_add(&turn, 1) % 2;
    amp__footprints(call, launch->box, footprints);
    if (read_wish() == SHOWS)
        show(call, launch->box, trials, footprints);
    for (int i = 0; i < call->n_uses; i++)
        if (!trials[i].same)
            memset(trials[i].may, 0, trials[i].n);
    for (int i = 0; i < call->n_uses; i++) {
        struct trial all = trials[i];
        all.may = all.same ? all.same->may : all.may;
        for (int k = 0; k < footprints[i].n_reads; k++)
            mark(&all, &footprints[i].reads[k], 1);
        if (!footprints[i].n_reads)
            mark(&all, &footprints[i].read, 1);
        mark(&all, &footprints[i].written, 2);
    }
    for (int i = 0; i < call->n_uses; i++) {
        struct trial *trial = trials[i].same ? trials[i].same : &trials[i];
        if (!trials[i].same) {
            place(trial, is_at_end);
            hide(trial);
        }
        memcpy(call->block + trials[i].use->param->offset, &trial->copy, sizeof(void *));
    }
    const amp_accelerator *a = call->on->accelerator;
    amp_status status = a->backend->launch(a->device, call->on->queue, launch);
    for (int i = 0; i < call->n_uses; i++) {
        memcpy(call->block + trials[i].use->param->offset, &trials[i].use->memory, sizeof(void *));
        if (!trials[i].same && status == AMP_OK)
            bring_back(call, &trials[i]);
    }
    return status;
}

amp_status amp__footprints_try(const struct amp__call *call, struct amp__launch *launch)
{
    enum { PARTS = 8 };
    struct trial trials[AMP__MAX_ARGS] = {{0}};
    const amp_accelerator *a = call->on->accelerator;
    struct amp__footprint *footprints = calloc(AMP__MAX_ARGS, sizeof *footprints); /* a thread's stack may be small */
    if (!footprints || !begin(call, trials)) {
        end(call, trials);
        free(footprints);
        return a->backend->launch(a->device, call->on->queue, launch);
    }
    struct amp__launch part = *launch;
    amp_status status = AMP_OK;
    bool is_first = true;
    for (int number = 0; number < PARTS && status == AMP_OK; number++) {
        bool is_empty = false;
        for (int d = 0; d < 3; d++) {
            int low = launch->box[2 * d], high = launch->box[2 * d + 1], middle = high - (high - low) / 2;
            part.box[2 * d] = number >> d & 1 ? middle : low;
            part.box[2 * d + 1] = number >> d & 1 ? high : middle;
            is_empty |= part.box[2 * d] >= part.box[2 * d + 1];
        }
        if (is_empty)
            continue;
        part.is_first = launch->is_first && is_first;
        part.is_last = false;
        for (int d = 0; d < 3; d++)
            part.is_last |= part.box[2 * d + 1] != launch->box[2 * d + 1];
        part.is_last = launch->is_last && !part.is_last;
        is_first = false;
        status = run_part(call, &part, trials, footprints);
    }
    launch->isa = part.isa;
    launch->lanes = part.lanes;
    launch->n_threads = part.n_threads;
    end(call, trials);
    free(footprints);
    return status;
}
