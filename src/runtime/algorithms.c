/* SPDX-License-Identifier: MIT
 *
 * The functions of amp_algorithms.h, as launches of the kernels in src/algorithms, which ampcc has compiled into
 * libamp. A view is cut into chunks, which the kernels handle; fold.c combines on the host what they leave. Chunks
 * depend on nothing but the number of elements, so that all sums are added in the same order everywhere. An
 * asynchronous call is one task, which makes its launches one after another. */
#include "runtime.h"

#pragma GCC visibility push(default)
#include "algorithms/kernel.h"
#pragma GCC visibility pop

#include <string.h>

enum {
    CACHED = 1 << 21, /* bytes that a scan on the host adds before it reads them again from the caches; per thread */
    MOST = 1 << 30    /* elements of a launch, which counts them by int */
};

/* ---- kernels ---- */

/* What there is for elements of a type. Sums take signed integers as unsigned ones. */
struct numbers {
    amp_type extremes, sums; /* the types of the parts of minima and maxima, and of sums */
    amp_kernel reduce;       /* for minima and maxima */
    amp_type added;          /* as which the others take the elements */
    amp_kernel add, scan;
};

#define ROW(TYPE, name, EXTREMES, SUMS, ADDED, added)                                                                  \
    [AMP_TYPE_##TYPE] = {AMP_TYPE_##EXTREMES, AMP_TYPE_##SUMS,     amp__reduce_##name,                                 \
                         AMP_TYPE_##ADDED,    amp__reduce_##added, amp__scan_##added}
#define DECLARE(name)       extern void amp__reduce_##name(void)
#define DECLARE_ADDED(name) extern void amp__reduce_##name(void), amp__scan_##name(void)
DECLARE(i8);
DECLARE(i16);
DECLARE(i32);
DECLARE(i64);
DECLARE_ADDED(u8);
DECLARE_ADDED(u16);
DECLARE_ADDED(u32);
DECLARE_ADDED(u64);
DECLARE_ADDED(f16);
DECLARE_ADDED(bf16);
DECLARE_ADDED(f32);
DECLARE_ADDED(f64);
static const struct numbers all_numbers[] = {
    ROW(I8, i8, I8, U8, U8, u8),           ROW(U8, u8, U8, U8, U8, u8),       ROW(I16, i16, I16, U16, U16, u16),
    ROW(U16, u16, U16, U16, U16, u16),     ROW(I32, i32, I32, U32, U32, u32), ROW(U32, u32, U32, U32, U32, u32),
    ROW(I64, i64, I64, U64, U64, u64),     ROW(U64, u64, U64, U64, U64, u64), ROW(F16, f16, F32, F32, F16, f16),
    ROW(BF16, bf16, F32, F32, BF16, bf16), ROW(F32, f32, F32, F32, F32, f32), ROW(F64, f64, F64, F64, F64, f64),
};

/* NULL: elements of this type are no numbers. */
static const struct numbers *numbers_of(amp_type type)
{
    return (size_t)type < sizeof all_numbers / sizeof *all_numbers && all_numbers[type].reduce ? &all_numbers[type]
                                                                                               : NULL;
}

/* ---- steps ---- */

/* What a call does, with its own views, which may outlive the caller's. */
struct work {
    const char *call;
    amp_status (*run)(const struct work *work);
    amp_accelerator_view *on;
    unsigned floating_point;
    int reduction;
    amp_kernel reduce; /* reduces chunks */
    amp_type type;     /* of the elements, as the kernels take them */
    amp_type parts;    /* of what it leaves */
    amp_array_view x, y;
    bool has_y;
    /* Of a reduction: */
    amp_type value_type;
    void *value;
    /* Of a scan, from y to x: */
    amp_kernel scan;
    bool is_inclusive;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Some elements of a dense view of any rank, from number `first` on, as a view of rank 1 of elements of `type`. It
 * keeps nothing, and is an object only for launches. */
static amp_array_view piece(const amp_array_view *view, amp_type type, int64_t first, int64_t n)
{
    amp_array_view piece = amp__view_all(view);
    amp__object_init(&piece.object, AMP__ARRAY_VIEW);
    piece.offset_bytes += (size_t)first * view->element_size;
    piece.extent = amp_extent1(n);
    piece.stride[0] = 1;
    piece.type = type;
    piece.is_dense = true;
    return piece;
}

/* Storage for `n` numbers that a call needs, and for the parts of `n_chunks` chunks. Reports. */
static amp_array_view *new_numbers(amp_type type, int64_t n)
{
    return amp_array_view_create_without_source(amp_extent1(n), type, amp__type_size((int)type));
}

static amp_array_view *new_parts(amp_type type, int64_t n_chunks)
{
    return new_numbers(type, n_chunks * ROW_BYTES / (int64_t)amp__type_size((int)type));
}

/* A dense copy of a view that is not dense, and of its elements if `has_contents`. After an error, which is reported,
 * returns NULL. */
static amp_array_view *new_dense(const struct work *work, const amp_array_view *view, bool has_contents)
{
    amp_array_view *dense = amp_array_view_create_without_source(view->extent, view->type, view->element_size);
    if (dense && has_contents && amp__copy_from_view(work->call, dense, view) != AMP_OK) {
        amp_array_view_release(dense);
        return NULL;
    }
    return dense;
}

/* Reduces chunks of x and y, each to a row of `parts`. */
static amp_status reduce_chunks(const struct work *work, const amp_array_view *x, const amp_array_view *y,
                                const amp_array_view *parts)
{
    amp_status status = AMP_OK;
    int64_t all = amp_extent_size(x->extent), n_columns = ROW_BYTES / (int64_t)parts->element_size;
    for (int64_t first = 0; first < all && status == AMP_OK; first += MOST) {
        int64_t n = least(all - first, MOST), n_parts = N_CHUNKS(n) * n_columns;
        amp_array_view some_x = piece(x, work->type, first, n), some_y = piece(y, work->type, first, n);
        amp_array_view some_parts = piece(parts, parts->type, N_CHUNKS(first) * n_columns, n_parts);
        status = amp__launch_in_turn(
            work->on, amp_extent1(n_parts), work->reduce, 4,
            (const amp_arg[]){AMP__ARG(work->reduction), AMP__ARG(&some_parts), AMP__ARG(&some_x), AMP__ARG(&some_y)});
    }
    return status;
}

/* Reduces dense views. */
static amp_status reduce_dense(const struct work *work, const amp_array_view *x, const amp_array_view *y)
{
    int64_t n_chunks = N_CHUNKS(amp_extent_size(x->extent));
    amp_array_view *parts = new_parts(work->parts, n_chunks);
    const void *first;
    amp_status status = parts ? reduce_chunks(work, x, y, parts) : amp_error_last_status();
    if (status == AMP_OK)
        status = amp__view_read(work->call, parts, &first);
    if (status == AMP_OK) {
        union amp__total total;
        amp__fold(work->parts, work->reduction, first, n_chunks, &total);
        amp__total_store(&total, work->value_type, work->value);
    }
    amp_array_view_release(parts);
    return status;
}

static amp_status reduce(const struct work *work)
{
    amp_array_view *own_x = NULL, *own_y = NULL;
    amp_status status = AMP_OK;
    if (!work->x.is_dense && !(own_x = new_dense(work, &work->x, true)))
        status = amp_error_last_status();
    if (status == AMP_OK && work->has_y && !work->y.is_dense && !(own_y = new_dense(work, &work->y, true)))
        status = amp_error_last_status();
    const amp_array_view *x = own_x ? own_x : &work->x;
    if (status == AMP_OK)
        status = reduce_dense(work, x, own_y ? own_y : work->has_y ? &work->y : x);
    amp_array_view_release(own_y);
    amp_array_view_release(own_x);
    return status;
}

/* Finds the sum of all elements before each chunk, from the parts of the chunks and the sum of all earlier ones, to
 * which it adds that of these. */
static amp_status sum_before(const struct work *work, const amp_array_view *parts, const amp_array_view *before,
                             union amp__total *total)
{
    const void *first;
    amp_status status = amp__view_read(work->call, parts, &first);
    if (status != AMP_OK)
        return status;
    void *sums = amp__view_map(work->call, before, AMP_ACCESS_WRITE);
    if (!sums)
        return amp_error_last_status();
    amp__fold_before(work->parts, first, amp_extent_size(before->extent), total, sums);
    return amp__view_unmap(work->call, before);
}

/* Scans elements whose predecessors have the sum `*total`, which it raises. */
static amp_status scan_piece(const struct work *work, const amp_array_view *to, const amp_array_view *from,
                             const amp_array_view *all_parts, const amp_array_view *all_before, union amp__total *total)
{
    int64_t n_chunks = N_CHUNKS(amp_extent_size(from->extent));
    amp_array_view parts = piece(all_parts, work->parts, 0, n_chunks * ROW_BYTES / (int64_t)all_parts->element_size);
    amp_array_view before = piece(all_before, work->parts, 0, n_chunks);
    amp_status status = reduce_chunks(work, from, from, &parts);
    if (status == AMP_OK)
        status = sum_before(work, &parts, &before, total);
    if (status == AMP_OK)
        status = amp__launch_in_turn(
            work->on, amp_extent1(n_chunks), work->scan, 4,
            (const amp_arg[]){AMP__ARG(work->is_inclusive), AMP__ARG(&before), AMP__ARG(from), AMP__ARG(to)});
    return status;
}

/* The elements that a scan handles before the next ones. */
static int64_t elements_at_once(const struct work *work)
{
    const amp_accelerator *a = work->on->accelerator;
    return a->location == AMP__HOST ? (int64_t)(CACHED / work->x.element_size) * a->properties.n_threads : MOST;
}

/* Scans dense views, piece by piece. */
static amp_status scan_dense(const struct work *work, const amp_array_view *to, const amp_array_view *from)
{
    int64_t all = amp_extent_size(from->extent), most = least(all, elements_at_once(work));
    int64_t n_chunks = N_CHUNKS(most);
    amp_array_view *before = new_numbers(work->parts, n_chunks);
    amp_array_view *parts = before ? new_parts(work->parts, n_chunks) : NULL;
    amp_status status = parts ? AMP_OK : amp_error_last_status();
    union amp__total total = {0};
    for (int64_t first = 0; first < all && status == AMP_OK; first += most) {
        int64_t n = least(all - first, most);
        amp_array_view some_to = piece(to, work->type, first, n), some_from = piece(from, work->type, first, n);
        status = scan_piece(work, &some_to, &some_from, parts, before, &total);
    }
    amp_array_view_release(parts);
    amp_array_view_release(before);
    return status;
}

/* Scans y to x. */
static amp_status scan(const struct work *work)
{
    amp_array_view *own_to = NULL, *own_from = NULL;
    amp_status status = AMP_OK;
    if (!work->y.is_dense && !(own_from = new_dense(work, &work->y, true)))
        status = amp_error_last_status();
    if (status == AMP_OK && !work->x.is_dense && !(own_to = new_dense(work, &work->x, false)))
        status = amp_error_last_status();
    if (status == AMP_OK)
        status = scan_dense(work, own_to ? own_to : &work->x, own_from ? own_from : &work->y);
    if (status == AMP_OK && own_to)
        status = amp__copy_from_view(work->call, &work->x, own_to);
    amp_array_view_release(own_from);
    amp_array_view_release(own_to);
    return status;
}

/* ---- calls ---- */

/* Checks a view that is read or written. Reports. */
static amp_status check_view(const char *call, const amp_array_view *view, amp_access_type access)
{
    amp_status status = amp__object_check(view, AMP__ARRAY_VIEW, call);
    if (status != AMP_OK)
        return status;
    if (access == AMP_ACCESS_WRITE && view->read_only)
        return amp__fail(AMP_ERROR_READ_ONLY, "%s: the view that is written is read-only", call);
    if (!numbers_of(view->type))
        return amp__fail(AMP_ERROR_TYPE, "%s: the view has elements of type %s, which are no numbers to compute with",
                         call, amp__type_name((int)view->type));
    return amp__view_check_unmapped(call, view, access);
}

/* Checks that two views have one shape and one type. Reports. */
static amp_status check_alike(const char *call, const amp_array_view *a, const amp_array_view *b)
{
    char of_a[AMP__SHAPE_TEXT], of_b[AMP__SHAPE_TEXT];
    amp__shape_text(a->extent.rank, a->extent.dim, of_a);
    amp__shape_text(b->extent.rank, b->extent.dim, of_b);
    if (a->extent.rank != b->extent.rank)
        return amp__fail(AMP_ERROR_RANK, "%s: the views have ranks %d (%s) and %d (%s)", call, a->extent.rank, of_a,
                         b->extent.rank, of_b);
    if (!amp_extent_equal(a->extent, b->extent))
        return amp__fail(AMP_ERROR_SHAPE, "%s: the views are %s and %s", call, of_a, of_b);
    if (a->type != b->type)
        return amp__fail(AMP_ERROR_TYPE, "%s: the views have elements of type %s and %s", call,
                         amp__type_name((int)a->type), amp__type_name((int)b->type));
    return AMP_OK;
}

/* Checks where the result of a call goes. Reports. */
static amp_status check_value(const char *call, const amp_array_view *view, amp_type type, const void *value)
{
    if (!value)
        return amp__fail(AMP_ERROR_NULL, "%s: the pointer to the value is NULL", call);
    if (type != view->type)
        return amp__fail(AMP_ERROR_TYPE, "%s: the value is of type %s, but the view has elements of type %s", call,
                         amp__type_name((int)type), amp__type_name((int)view->type));
    return AMP_OK;
}

static amp_status prepare_reduction(struct work *work, amp_accelerator_view *on, amp_reduction reduction,
                                    const amp_array_view *view, amp_type type, void *value)
{
    static const char *const calls[] = {"amp_reduce_sum", "amp_reduce_min", "amp_reduce_max"};
    if ((unsigned)reduction >= sizeof calls / sizeof *calls)
        return amp__fail(AMP_ERROR_INVALID_ARGUMENT, "amp_reduce: there is no reduction %d", (int)reduction);
    const char *call = calls[reduction];
    amp_status status = check_view(call, view, AMP_ACCESS_READ);
    if (status == AMP_OK)
        status = check_value(call, view, type, value);
    if (status != AMP_OK)
        return status;
    const struct numbers *of = numbers_of(type);
    bool is_sum = reduction == AMP_REDUCTION_SUM;
    *work = (struct work){.call = call,
                          .run = reduce,
                          .on = on,
                          .reduction = (int)reduction,
                          .reduce = is_sum ? of->add : of->reduce,
                          .type = is_sum ? of->added : type,
                          .parts = is_sum ? of->sums : of->extremes,
                          .x = amp__view_all(view),
                          .value_type = type,
                          .value = value};
    return amp__accelerator_view_use(&work->on, call);
}

static amp_status prepare_dot(struct work *work, amp_accelerator_view *on, const amp_array_view *x,
                              const amp_array_view *y, amp_type type, void *value)
{
    static const char call[] = "amp_dot";
    amp_status status = check_view(call, x, AMP_ACCESS_READ);
    if (status == AMP_OK)
        status = check_view(call, y, AMP_ACCESS_READ);
    if (status == AMP_OK)
        status = check_alike(call, x, y);
    if (status == AMP_OK)
        status = check_value(call, x, type, value);
    if (status != AMP_OK)
        return status;
    const struct numbers *of = numbers_of(type);
    *work = (struct work){.call = call,
                          .run = reduce,
                          .on = on,
                          .reduction = REDUCTION_DOT,
                          .reduce = of->add,
                          .type = of->added,
                          .parts = of->sums,
                          .x = amp__view_all(x),
                          .y = amp__view_all(y),
                          .has_y = true,
                          .value_type = type,
                          .value = value};
    return amp__accelerator_view_use(&work->on, call);
}

static amp_status prepare_scan(struct work *work, amp_accelerator_view *on, const amp_array_view *to,
                               const amp_array_view *from, bool is_inclusive)
{
    static const char call[] = "amp_scan_sum";
    amp_status status = check_view(call, to, AMP_ACCESS_WRITE);
    if (status == AMP_OK)
        status = check_view(call, from, AMP_ACCESS_READ);
    if (status == AMP_OK)
        status = check_alike(call, to, from);
    if (status != AMP_OK)
        return status;
    if (to->home == from->home ? amp__views_overlap(to, from) && !amp__views_equal(to, from)
                               : amp__views_share_memory(to, from))
        return amp__fail(AMP_ERROR_INVALID_ARGUMENT, "%s: the views overlap, and are not the same", call);
    const struct numbers *of = numbers_of(to->type);
    *work = (struct work){.call = call,
                          .run = scan,
                          .on = on,
                          .reduction = AMP_REDUCTION_SUM,
                          .reduce = of->add,
                          .type = of->added,
                          .parts = of->sums,
                          .x = amp__view_all(to),
                          .y = amp__view_all(from),
                          .has_y = true,
                          .scan = of->scan,
                          .is_inclusive = is_inclusive};
    return amp__accelerator_view_use(&work->on, call);
}

/* ---- now and later ---- */

static amp_status run(const struct work *work)
{
    AMP__EVENT(event, .kind = AMP__CALL, .name = work->call, .on = work->on);
    return amp__event_end(&event, work->run(work));
}

/* Waits for its turn and runs. */
static amp_status run_now(const struct work *work)
{
    amp__queue_wait(work->on);
    amp_status status = amp__home_wait(work->x.home, work->run == scan);
    if (status == AMP_OK && work->has_y)
        status = amp__home_wait(work->y.home, false);
    return status == AMP_OK ? run(work) : status;
}

static amp_status run_in_turn(void *context)
{
    return run(context);
}

static amp_status run_task(void *context)
{
    const struct work *work = context;
    return amp__run_with_floating_point(work->floating_point, run_in_turn, context);
}

/* Submits a copy of it. */
static amp_future *run_later(const struct work *work)
{
    struct work *later = amp__alloc(sizeof *later, _Alignof(struct work));
    if (!later) {
        amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory for a call that waits (%zu bytes)", work->call,
                  sizeof *later);
        return NULL;
    }
    memcpy(later, work, sizeof *later);
    later->floating_point = amp__floating_point();
    struct amp__access accesses[] = {{work->x.home, work->run == scan}, {work->y.home, false}};
    return amp__queue_submit(work->on, run_task, amp__free, later, 1 + work->has_y, accesses);
}

amp_status amp_reduce(amp_accelerator_view *on, amp_reduction reduction, amp_array_view *view, amp_type type,
                      void *value)
{
    struct work work;
    amp_status status = prepare_reduction(&work, on, reduction, view, type, value);
    return status == AMP_OK ? run_now(&work) : status;
}

amp_future *amp_reduce_async(amp_accelerator_view *on, amp_reduction reduction, amp_array_view *view, amp_type type,
                             void *value)
{
    struct work work;
    return prepare_reduction(&work, on, reduction, view, type, value) == AMP_OK ? run_later(&work) : NULL;
}

amp_status amp_dot_typed(amp_accelerator_view *on, amp_array_view *x, amp_array_view *y, amp_type type, void *value)
{
    struct work work;
    amp_status status = prepare_dot(&work, on, x, y, type, value);
    return status == AMP_OK ? run_now(&work) : status;
}

amp_future *amp_dot_typed_async(amp_accelerator_view *on, amp_array_view *x, amp_array_view *y, amp_type type,
                                void *value)
{
    struct work work;
    return prepare_dot(&work, on, x, y, type, value) == AMP_OK ? run_later(&work) : NULL;
}

amp_status amp_scan_sum_on(amp_accelerator_view *on, amp_array_view *to, amp_array_view *from, bool inclusive)
{
    struct work work;
    amp_status status = prepare_scan(&work, on, to, from, inclusive);
    return status == AMP_OK ? run_now(&work) : status;
}

amp_future *amp_scan_sum_on_async(amp_accelerator_view *on, amp_array_view *to, amp_array_view *from, bool inclusive)
{
    struct work work;
    return prepare_scan(&work, on, to, from, inclusive) == AMP_OK ? run_later(&work) : NULL;
}

amp_status amp_scan_sum(amp_array_view *to, amp_array_view *from, bool inclusive)
{
    return amp_scan_sum_on(NULL, to, from, inclusive);
}

amp_future *amp_scan_sum_async(amp_array_view *to, amp_array_view *from, bool inclusive)
{
    return amp_scan_sum_on_async(NULL, to, from, inclusive);
}
