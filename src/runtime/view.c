/* SPDX-License-Identifier: MIT
 *
 * array_view: a box of a home. This file has what a view may do and when; coherence.c has where the valid copy is. An
 * array is the view of all of its home, so the functions with two underscores serve both. */
#include "ranks/ranks.h"
#include "runtime.h"

#include <limits.h>
#include <string.h>

static const char *noun(const amp_array_view *view)
{
    return amp__object_kind(view) == AMP__ARRAY ? "array" : "view";
}

static char *view_shape(const amp_array_view *view, char text[AMP__SHAPE_TEXT])
{
    return amp__shape_text(view->extent.rank, view->extent.dim, text);
}

static amp_status check(const char *call, const amp_array_view *view)
{
    return amp__object_check(view, AMP__ARRAY_VIEW, call);
}

/* ---- making views ---- */

amp_array_view *amp__view_new(const char *call, const amp_array_view *like)
{
    amp_array_view *view = amp__alloc(sizeof *view, _Alignof(amp_array_view));
    if (!view) {
        amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory for a view (%zu bytes)", call, sizeof *view);
        return NULL;
    }
    memcpy(view, like, sizeof *view);
    amp__object_init(&view->object, AMP__ARRAY_VIEW);
    view->is_dense = amp__view_is_dense(view);
    amp__home_retain(view->home);
    return view;
}

amp_array_view amp__view_all(const amp_array_view *view)
{
    amp_array_view all;
    size_t object = sizeof view->object; /* other threads may change the count of references */
    memcpy((char *)&all + object, (const char *)view + object, sizeof all - object);
    return all;
}

/* Checks rank and components. `what`: how the error's text calls it. */
static amp_status check_extent(const char *call, const char *what, const amp_extent *extent)
{
    char misfit[AMP__MISFIT_TEXT];
    if (extent->rank == AMP__MISFIT)
        return amp__fail(AMP_ERROR_SHAPE, "%s: %s", call, amp__misfit_text(what, extent->dim, misfit));
    if (extent->rank < 1 || extent->rank > AMP_MAX_RANK)
        return amp__fail(AMP_ERROR_RANK, "%s: the rank of %s is %d; it must be 1 to %d", call, what, extent->rank,
                         (int)AMP_MAX_RANK);
    char text[AMP__SHAPE_TEXT];
    for (int i = 0; i < extent->rank; i++)
        if (extent->dim[i] <= 0)
            return amp__fail(AMP_ERROR_SHAPE, "%s: %s is %s; every component must be positive", call, what,
                             amp__shape_text(extent->rank, extent->dim, text));
    return AMP_OK;
}

/* Gives `view` elements of a type that may say their alignment (amp_type_aligned). */
static amp_status set_type(const char *call, amp_array_view *view, amp_type type, size_t element_size)
{
    enum { MAX_ALIGN_BITS = 40 };
    unsigned plain = (unsigned)type & ((1u << AMP__TYPE_BITS) - 1), align_bits = (unsigned)type >> AMP__TYPE_BITS;
    view->type = (amp_type)plain;
    view->element_size = element_size;
    view->align = plain != AMP_TYPE_STRUCT ? element_size : 1;
    if (element_size == 0 || (plain != AMP_TYPE_STRUCT && amp__type_size((int)plain) != element_size))
        return amp__fail(AMP_ERROR_TYPE, "%s: the element type is %s, which cannot have %zu bytes", call,
                         amp__type_name((int)plain), element_size);
    if (align_bits > MAX_ALIGN_BITS)
        return amp__fail(AMP_ERROR_TYPE, "%s: the element type is %d, which is none", call, (int)type);
    if (align_bits > 0)
        view->align = (size_t)1 << (align_bits - 1);
    return AMP_OK;
}

amp_status amp__view_check_memory(const char *call, const amp_array_view *view, const void *memory)
{
    size_t found = amp__align_of((uintptr_t)memory);
    if (found >= view->align)
        return AMP_OK;
    return amp__fail(
        AMP_ERROR_INVALID_ARGUMENT,
        "%s: the memory is aligned to %zu byte%s, but elements of type %s to %zu; align the memory, or copy "
        "it to an array",
        call, found, found == 1 ? "" : "s", amp__type_name(view->type), view->align);
}

size_t amp__view_storage_align(const amp_array_view *view)
{
    /* A type's alignment divides its size. */
    enum { LEAST = 64, MOST_UNTOLD = 256 };
    size_t align = amp__align_of(view->element_size);
    align = align < MOST_UNTOLD ? align : MOST_UNTOLD;
    align = align > LEAST ? align : LEAST;
    return align > view->align ? align : view->align;
}

/* Sets the extent and the strides of dense elements. */
static void set_shape(amp_array_view *view, const amp_extent *extent)
{
    view->extent = amp_extent_n(extent->rank, extent->dim);
    memset(view->stride, 0, sizeof view->stride);
    ptrdiff_t stride = 1;
    for (int i = extent->rank - 1; i >= 0; i--) {
        view->stride[i] = stride;
        stride *= extent->dim[i];
    }
    view->is_dense = true;
}

amp_status amp__view_init(const char *call, amp_array_view *view, const amp_extent *extent, amp_type type,
                          size_t element_size, size_t *size_bytes)
{
    memset(view, 0, sizeof *view);
    amp_status status = check_extent(call, "the extent", extent);
    if (status == AMP_OK)
        status = set_type(call, view, type, element_size);
    if (status != AMP_OK)
        return status;
    int64_t n_elements = amp_extent_size(*extent);
    ptrdiff_t size;
    if (n_elements == INT64_MAX || __builtin_mul_overflow(n_elements, element_size, &size)) {
        char text[AMP__SHAPE_TEXT];
        return amp__fail(AMP_ERROR_SHAPE, "%s: %s elements of %zu bytes are more than memory can hold", call,
                         amp__shape_text(extent->rank, extent->dim, text), element_size);
    }
    set_shape(view, extent);
    *size_bytes = (size_t)size;
    return AMP_OK;
}

/* AddressSanitizer's function, in programs that have it: the first byte that may not be accessed, or NULL. */
extern void *__asan_region_is_poisoned(void *begin, size_t size) __attribute__((weak, visibility("default")));

/* Checks that the user's memory has room for a view, as far as anybody knows. */
static amp_status check_room(const char *call, const amp_array_view *view, size_t size_bytes, void *memory, size_t room)
{
    char shape[AMP__SHAPE_TEXT];
    char *poisoned =
        room >= size_bytes && __asan_region_is_poisoned ? __asan_region_is_poisoned(memory, size_bytes) : NULL;
    if (room >= size_bytes && !poisoned)
        return AMP_OK;
    return amp__fail(AMP_ERROR_OUT_OF_RANGE, "%s: %s elements of %zu bytes take %zu bytes, but the data have only %zu",
                     call, view_shape(view, shape), view->element_size, size_bytes,
                     poisoned ? (size_t)(poisoned - (char *)memory) : room);
}

/* What a view is made of. */
struct source {
    int place;
    void *memory;
    size_t room;
    bool read_only;
};

static amp_array_view *create(const char *call, const amp_extent *extent, amp_type type, size_t element_size,
                              const struct source *source)
{
    amp_array_view like;
    size_t size_bytes;
    void *memory = source->memory;
    if (amp__view_init(call, &like, extent, type, element_size, &size_bytes) != AMP_OK)
        return NULL;
    like.read_only = source->read_only;
    if (memory && (amp__view_check_memory(call, &like, memory) != AMP_OK ||
                   check_room(call, &like, size_bytes, memory, source->room) != AMP_OK))
        return NULL;
    if (amp__home_new(call, &like, amp__view_storage_align(&like), source->place, memory, NULL, &like.home) != AMP_OK)
        return NULL;
    amp_array_view *view = amp__view_new(call, &like);
    amp__home_release(like.home);
    return view;
}

amp_array_view *amp_array_view_create_within(amp_extent extent, const void *data, size_t room, amp_type type,
                                             size_t element_size, bool read_only)
{
    static const char call[] = "amp_array_view_create";
    if (data)
        return create(call, &extent, type, element_size,
                      &(struct source){AMP__HOST, (void *)(uintptr_t)data, room, read_only});
    amp__fail(AMP_ERROR_NULL, "%s: the data is NULL; amp_array_view_create_without_source makes a view without", call);
    return NULL;
}

amp_array_view *amp_array_view_create(amp_extent extent, const void *data, amp_type type, size_t element_size,
                                      bool read_only)
{
    return amp_array_view_create_within(extent, data, SIZE_MAX, type, element_size, read_only);
}

amp_array_view *amp_array_view_create_without_source(amp_extent extent, amp_type type, size_t element_size)
{
    return create("amp_array_view_create_without_source", &extent, type, element_size,
                  &(struct source){.place = AMP__NOWHERE});
}

amp_array_view *amp_array_view_retain(amp_array_view *view)
{
    if (view && check("amp_array_view_retain", view) == AMP_OK)
        atomic_fetch_add_explicit(&view->object.references, 1, memory_order_relaxed);
    return view;
}

void amp__view_fini(amp_array_view *view)
{
    if (atomic_load(&view->home->mapped_by) == view)
        amp__view_unmap("", view);
    amp__home_release(view->home);
    amp__object_free(&view->object);
}

void amp_array_view_release(amp_array_view *view)
{
    if (view && check("amp_array_view_release", view) == AMP_OK && amp__object_drop(&view->object))
        amp__view_fini(view);
}

/* ---- views of views ---- */

/* Checks the rank of the origin of a section. */
static amp_status check_origin(const char *call, const amp_array_view *view, const amp_index *origin, int extent_rank)
{
    char misfit[AMP__MISFIT_TEXT];
    if (origin->rank == AMP__MISFIT)
        return amp__fail(AMP_ERROR_OUT_OF_RANGE, "%s: %s", call, amp__misfit_text("the origin", origin->dim, misfit));
    if (origin->rank != view->extent.rank || extent_rank != view->extent.rank)
        return amp__fail(AMP_ERROR_RANK, "%s: the %s has rank %d, but the origin has %d and the extent %d", call,
                         noun(view), view->extent.rank, origin->rank, extent_rank);
    return AMP_OK;
}

amp_array_view *amp__view_section(const char *call, const amp_array_view *view, const amp_index *origin,
                                  const amp_extent *extent)
{
    if (check_extent(call, "the section's extent", extent) != AMP_OK ||
        check_origin(call, view, origin, extent->rank) != AMP_OK)
        return NULL;
    amp_array_view like = amp__view_all(view);
    for (int i = 0; i < extent->rank; i++) {
        if (origin->dim[i] < 0 || (int64_t)origin->dim[i] + extent->dim[i] > view->extent.dim[i]) {
            char text[AMP__SHAPE_TEXT];
            amp__fail(AMP_ERROR_OUT_OF_RANGE,
                      "%s: in dimension %d the section has %d elements from %d on, but the %s (%s) has 0 to %d", call,
                      i, extent->dim[i], origin->dim[i], noun(view), view_shape(view, text), view->extent.dim[i] - 1);
            return NULL;
        }
        like.offset_bytes += (size_t)origin->dim[i] * (size_t)view->stride[i] * view->element_size;
    }
    like.extent = amp_extent_n(extent->rank, extent->dim);
    return amp__view_new(call, &like);
}

amp_array_view *amp_array_view_section(amp_array_view *view, amp_index origin, amp_extent extent)
{
    static const char call[] = "amp_array_view_section";
    return check(call, view) == AMP_OK ? amp__view_section(call, view, &origin, &extent) : NULL;
}

amp_array_view *amp_array_view_section_from(amp_array_view *view, amp_index origin)
{
    static const char call[] = "amp_array_view_section_from";
    if (check(call, view) != AMP_OK)
        return NULL;
    amp_extent extent = view->extent;
    for (int i = 0; i < extent.rank && origin.rank == extent.rank; i++) {
        /* An origin at or after the end, or before the beginning, where the difference may overflow, gets one element
         * outside. */
        bool inside = origin.dim[i] >= 0 && origin.dim[i] < extent.dim[i];
        extent.dim[i] = inside ? extent.dim[i] - origin.dim[i] : 1;
    }
    return amp__view_section(call, view, &origin, &extent);
}

amp_array_view *amp_array_view_section_to(amp_array_view *view, amp_extent extent)
{
    static const char call[] = "amp_array_view_section_to";
    if (check(call, view) != AMP_OK)
        return NULL;
    amp_index origin = {.rank = view->extent.rank};
    return amp__view_section(call, view, &origin, &extent);
}

/* Checks the index in the first `n` dimensions. */
static amp_status check_index(const char *call, const amp_array_view *view, const amp_index *index, int n)
{
    char text[AMP__SHAPE_TEXT];
    for (int i = 0; i < n; i++)
        if (index->dim[i] < 0 || index->dim[i] >= view->extent.dim[i])
            return amp__fail(AMP_ERROR_OUT_OF_RANGE, "%s: the index is %d, but the %s (%s) has 0 to %d in dimension %d",
                             call, index->dim[i], noun(view), view_shape(view, text), view->extent.dim[i] - 1, i);
    return AMP_OK;
}

static amp_status check_index_fits(const char *call, const amp_index *index)
{
    char misfit[AMP__MISFIT_TEXT];
    if (index->rank != AMP__MISFIT)
        return AMP_OK;
    return amp__fail(AMP_ERROR_OUT_OF_RANGE, "%s: %s", call, amp__misfit_text("the index", index->dim, misfit));
}

amp_array_view *amp__view_project(const char *call, const amp_array_view *view, const amp_index *index)
{
    if (check_index_fits(call, index) != AMP_OK)
        return NULL;
    if (view->extent.rank == 1) {
        amp__fail(AMP_ERROR_RANK, "%s: the %s has rank 1; a projection takes one dimension away and must leave one",
                  call, noun(view));
        return NULL;
    }
    if (check_index(call, view, index, 1) != AMP_OK)
        return NULL;
    amp_array_view like = amp__view_all(view);
    like.offset_bytes += (size_t)index->dim[0] * (size_t)view->stride[0] * view->element_size;
    like.extent = amp_extent_n(view->extent.rank - 1, view->extent.dim + 1);
    memmove(like.stride, like.stride + 1, sizeof like.stride - sizeof *like.stride);
    return amp__view_new(call, &like);
}

amp_status amp__view_element(const char *call, const amp_array_view *view, const amp_index *index,
                             amp_array_view *element)
{
    amp_status status = check_index_fits(call, index);
    if (status == AMP_OK && index->rank != view->extent.rank)
        return amp__fail(AMP_ERROR_RANK, "%s: the %s has rank %d, but the index has %d", call, noun(view),
                         view->extent.rank, index->rank);
    if (status == AMP_OK)
        status = check_index(call, view, index, index->rank);
    if (status != AMP_OK)
        return status;
    *element = amp__view_all(view);
    for (int i = 0; i < index->rank; i++) {
        element->offset_bytes += (size_t)index->dim[i] * (size_t)view->stride[i] * view->element_size;
        element->extent.dim[i] = 1;
    }
    element->is_dense = true;
    return AMP_OK;
}

amp_array_view *amp__array_view_project(amp_array_view *view, amp_index i)
{
    static const char call[] = "amp_array_view_project";
    return check(call, view) == AMP_OK ? amp__view_project(call, view, &i) : NULL;
}

amp_array_view *(amp_array_view_project)(amp_array_view *view, int i)
{
    return amp_array_view_project(view, i);
}

/* A view of rank 1 is contiguous; others may not be. */
static amp_status check_rank_1(const char *call, const amp_array_view *view)
{
    if (view->extent.rank == 1)
        return AMP_OK;
    return amp__fail(AMP_ERROR_RANK, "%s: the view has rank %d; only views of rank 1 are contiguous for certain", call,
                     view->extent.rank);
}

/* Checks that elements of another type than the home's are aligned wherever the home has, or will have, memory. */
static amp_status check_alignment(const char *call, const amp_array_view *like, const char *noun)
{
    size_t found, offset = amp__align_of(like->offset_bytes | like->align);
    if (amp__home_align(like->home, like->align, &found) && offset == like->align)
        return AMP_OK;
    found = found < offset ? found : offset;
    return amp__fail(AMP_ERROR_INVALID_ARGUMENT,
                     "%s: the %s begins at a multiple of %zu byte%s, but elements of type %s are aligned to %zu", call,
                     noun, found, found == 1 ? "" : "s", amp__type_name(like->type), like->align);
}

amp_array_view *amp__view_reinterpret(const char *call, const amp_array_view *view, amp_type type, size_t element_size)
{
    amp_array_view like = amp__view_all(view);
    if (set_type(call, &like, type, element_size) != AMP_OK)
        return NULL;
    size_t size_bytes = amp__view_bytes(view);
    if (size_bytes % element_size || size_bytes / element_size > INT_MAX) {
        amp__fail(AMP_ERROR_SHAPE, "%s: the %s has %zu bytes, which are not up to %d elements of %zu bytes", call,
                  noun(view), size_bytes, INT_MAX, element_size);
        return NULL;
    }
    if (check_alignment(call, &like, noun(view)) != AMP_OK)
        return NULL;
    amp_extent extent = amp_extent1((int)(size_bytes / element_size));
    set_shape(&like, &extent);
    return amp__view_new(call, &like);
}

amp_array_view *amp_array_view_reinterpret(amp_array_view *view, amp_type type, size_t element_size)
{
    static const char call[] = "amp_array_view_reinterpret";
    if (check(call, view) != AMP_OK || check_rank_1(call, view) != AMP_OK)
        return NULL;
    return amp__view_reinterpret(call, view, type, element_size);
}

amp_array_view *amp__view_reshape(const char *call, const amp_array_view *view, const amp_extent *extent)
{
    if (check_extent(call, "the extent", extent) != AMP_OK)
        return NULL;
    if (amp_extent_size(*extent) > amp_extent_size(view->extent)) {
        char a[AMP__SHAPE_TEXT], b[AMP__SHAPE_TEXT];
        amp__fail(AMP_ERROR_SHAPE, "%s: the extent %s has more elements than the %s (%s)", call,
                  amp__shape_text(extent->rank, extent->dim, a), noun(view), view_shape(view, b));
        return NULL;
    }
    amp_array_view like = amp__view_all(view);
    set_shape(&like, extent);
    return amp__view_new(call, &like);
}

amp_array_view *amp_array_view_reshape(amp_array_view *view, amp_extent extent)
{
    static const char call[] = "amp_array_view_reshape";
    if (check(call, view) != AMP_OK || check_rank_1(call, view) != AMP_OK)
        return NULL;
    return amp__view_reshape(call, view, &extent);
}

amp_array_view *amp_array_view_read_only(amp_array_view *view)
{
    static const char call[] = "amp_array_view_read_only";
    if (check(call, view) != AMP_OK)
        return NULL;
    amp_array_view like = amp__view_all(view);
    like.read_only = true;
    return amp__view_new(call, &like);
}

/* ---- what a view is ---- */

amp_extent amp_array_view_extent(const amp_array_view *view)
{
    return check("amp_array_view_extent", view) == AMP_OK ? view->extent : (amp_extent){0};
}

amp_type amp_array_view_type(const amp_array_view *view)
{
    return check("amp_array_view_type", view) == AMP_OK ? view->type : AMP_TYPE_NONE;
}

size_t amp_array_view_element_size(const amp_array_view *view)
{
    return check("amp_array_view_element_size", view) == AMP_OK ? view->element_size : 0;
}

bool amp_array_view_is_read_only(const amp_array_view *view)
{
    return check("amp_array_view_is_read_only", view) == AMP_OK && view->read_only;
}

ptrdiff_t amp_array_view_stride(const amp_array_view *view, int dimension)
{
    if (check("amp_array_view_stride", view) != AMP_OK || dimension < 0 || dimension >= view->extent.rank)
        return 0;
    return view->stride[dimension];
}

amp_accelerator_view *amp_array_view_source_accelerator_view(const amp_array_view *view)
{
    static const char call[] = "amp_array_view_source_accelerator_view";
    if (check(call, view) != AMP_OK)
        return NULL;
    if (view->home->place == AMP__NOWHERE) {
        amp__fail(AMP_ERROR_INVALID_ARGUMENT, "%s: the view has no data source", call);
        return NULL;
    }
    return view->home->on ? view->home->on : amp__host_view();
}

bool amp__view_is_whole(const amp_array_view *view)
{
    return amp__view_bytes(view) == view->home->size_bytes;
}

const volatile unsigned char *amp__host_state(const void *handle)
{
    const amp_array_view *view = handle; /* an array begins with the view of all of it */
    _Static_assert(AMP__SHARED == 2 && AMP__OWNER == 3, "amp.h says what these mean");
    _Static_assert(sizeof view->home->host_state == 1, "amp.h reads it as a byte");
    if (!handle || amp__object_kind(handle) != AMP__ARRAY)
        if (check("amp__host_state", view) != AMP_OK)
            return NULL;
    return (const volatile unsigned char *)&view->home->host_state;
}

/* ---- coherence ---- */

amp_status amp__view_check_unmapped(const char *call, const amp_array_view *view, amp_access_type access)
{
    struct amp__home *home = view->home;
    if (!atomic_load(&home->mapped_by) || (access == AMP_ACCESS_READ && home->mapped_for == AMP_ACCESS_READ))
        return AMP_OK;
    return amp__fail(AMP_ERROR_BUSY, "%s: the %s, or another one of its home, is mapped", call, noun(view));
}

amp_status amp__view_begin(const char *call, const amp_array_view *view, amp_access_type access)
{
    amp_status status = amp__view_check_unmapped(call, view, access);
    return status == AMP_OK ? amp__home_wait(view->home, access != AMP_ACCESS_READ) : status;
}

amp_status amp__view_check_access(const char *call, const amp_array_view *view, amp_access_type access)
{
    if (access != AMP_ACCESS_READ && access != AMP_ACCESS_WRITE && access != AMP_ACCESS_READ_WRITE)
        return amp__fail(AMP_ERROR_INVALID_ARGUMENT,
                         "%s: the access is %d; it must be AMP_ACCESS_READ, _WRITE or _READ_WRITE", call, (int)access);
    if (view->read_only && access != AMP_ACCESS_READ)
        return amp__fail(AMP_ERROR_READ_ONLY, "%s: the view is read-only; AMP_ACCESS_READ is all that it allows", call);
    return AMP_OK;
}

amp_status amp_discard_data(amp_array_view *view)
{
    static const char call[] = "amp_discard_data";
    amp_status status = check(call, view);
    if (status == AMP_OK && view->read_only)
        return amp__fail(AMP_ERROR_READ_ONLY, "%s: the view is read-only", call);
    if (status == AMP_OK)
        status = amp__view_begin(call, view, AMP_ACCESS_WRITE);
    if (status == AMP_OK)
        amp__home_discard(view->home, view);
    return status;
}

/* The copy that a synchronisation brings up to date, and for which access. */
struct synchronization {
    const char *call;
    const amp_array_view *view;
    amp_access_type access;
    bool has_place;           /* false: without a source there is nothing to do */
    amp_accelerator_view *on; /* NULL: the host's memory */
};

static amp_status carry_out(const struct synchronization *s)
{
    struct amp__home *home = s->view->home;
    amp_status status = (s->access == AMP_ACCESS_WRITE ? amp__home_reserve : amp__home_read)(home, s->on, s->view);
    if (status == AMP_OK && s->access != AMP_ACCESS_READ)
        status = amp__home_own(home, s->on ? s->on->accelerator->location : AMP__HOST, s->view);
    return status;
}

static amp_status bring(void *context)
{
    const struct synchronization *s = context;
    if (!s->has_place)
        return AMP_OK;
    AMP__EVENT(event, .kind = AMP__CALL, .name = s->call);
    return amp__event_end(&event, carry_out(s));
}

/* Plans a synchronisation to the place of the view's home. */
static amp_status plan_home(const char *call, const amp_array_view *view, amp_access_type access,
                            struct synchronization *plan)
{
    amp_status status = check(call, view);
    if (status == AMP_OK)
        status = amp__view_check_access(call, view, access);
    if (status == AMP_OK)
        *plan = (struct synchronization){
            .call = call,
            .view = view,
            .access = access,
            .has_place = view->home->place != AMP__NOWHERE,
            .on = view->home->on,
        };
    return status;
}

/* Plans a synchronisation to the memory that `on` works on. */
static amp_status plan_place(const char *call, const amp_array_view *view, amp_accelerator_view *on,
                             amp_access_type access, struct synchronization *plan)
{
    amp_status status = plan_home(call, view, access, plan);
    if (status == AMP_OK)
        status = amp__object_check(on, AMP__ACCELERATOR_VIEW, call);
    if (status == AMP_OK)
        status = amp__accelerator_view_use(&on, call);
    plan->has_place = true;
    plan->on = on;
    return status;
}

static amp_status synchronize(const char *call, const amp_array_view *view, struct synchronization *plan)
{
    amp_status status = amp__view_begin(call, view, plan->access);
    return status == AMP_OK ? bring(plan) : status;
}

/* A synchronisation that runs later; the view may be released meanwhile. */
struct later {
    struct synchronization plan;
    amp_array_view view;
};

static amp_future *synchronize_later(const char *call, const amp_array_view *view, const struct synchronization *plan)
{
    if (amp__view_check_unmapped(call, view, plan->access) != AMP_OK)
        return NULL;
    struct later *later = amp__alloc(sizeof *later, _Alignof(struct later));
    if (!later) {
        amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu bytes", call, sizeof *later);
        return NULL;
    }
    later->plan = *plan;
    later->view = amp__view_all(view);
    later->plan.view = &later->view;
    return amp__queue_submit(plan->on ? plan->on : amp__host_view(), bring, amp__free, later, 1,
                             &(struct amp__access){view->home, plan->access != AMP_ACCESS_READ});
}

amp_status amp_synchronize_for(amp_array_view *view, amp_access_type access)
{
    static const char call[] = "amp_synchronize_for";
    struct synchronization plan;
    amp_status status = plan_home(call, view, access, &plan);
    return status == AMP_OK ? synchronize(call, view, &plan) : status;
}

amp_status amp_synchronize(amp_array_view *view)
{
    static const char call[] = "amp_synchronize";
    struct synchronization plan;
    amp_status status = plan_home(call, view, AMP_ACCESS_READ, &plan);
    return status == AMP_OK ? synchronize(call, view, &plan) : status;
}

amp_status amp_synchronize_at(amp_array_view *view, int rank)
{
    static const char call[] = "amp_synchronize_at";
    struct synchronization plan;
    amp_status status = plan_home(call, view, AMP_ACCESS_READ, &plan);
    if (status == AMP_OK && (rank < 0 || rank >= amp_rank_count()))
        return amp__fail(AMP_ERROR_INVALID_ARGUMENT, "%s: there is no rank %d of %d", call, rank, amp_rank_count());
    if (status != AMP_OK || !plan.has_place || plan.on || amp_rank_count() == 1)
        return status == AMP_OK ? synchronize(call, view, &plan) : status;
    status = amp__view_begin(call, view, AMP_ACCESS_READ);
    if (status != AMP_OK)
        return status;
    if (amp__dry_ranks)
        amp__dry_show(view->home, view, rank);
    AMP__EVENT(event, .kind = AMP__CALL, .name = call);
    amp__hosts_only(rank);
    status = amp__home_show(view->home, view);
    amp__hosts_only(-1);
    return amp__event_end(&event, status);
}

amp_future *amp_synchronize_for_async(amp_array_view *view, amp_access_type access)
{
    static const char call[] = "amp_synchronize_for_async";
    struct synchronization plan;
    return plan_home(call, view, access, &plan) == AMP_OK ? synchronize_later(call, view, &plan) : NULL;
}

amp_future *amp_synchronize_async(amp_array_view *view)
{
    return amp_synchronize_for_async(view, AMP_ACCESS_READ);
}

amp_status amp_synchronize_to_for(amp_array_view *view, amp_accelerator_view *on, amp_access_type access)
{
    static const char call[] = "amp_synchronize_to_for";
    struct synchronization plan;
    amp_status status = plan_place(call, view, on, access, &plan);
    return status == AMP_OK ? synchronize(call, view, &plan) : status;
}

amp_status amp_synchronize_to(amp_array_view *view, amp_accelerator_view *on)
{
    return amp_synchronize_to_for(view, on, AMP_ACCESS_READ);
}

amp_future *amp_synchronize_to_for_async(amp_array_view *view, amp_accelerator_view *on, amp_access_type access)
{
    static const char call[] = "amp_synchronize_to_for_async";
    struct synchronization plan;
    return plan_place(call, view, on, access, &plan) == AMP_OK ? synchronize_later(call, view, &plan) : NULL;
}

amp_future *amp_synchronize_to_async(amp_array_view *view, amp_accelerator_view *on)
{
    return amp_synchronize_to_for_async(view, on, AMP_ACCESS_READ);
}

amp_status amp_refresh(amp_array_view *view)
{
    static const char call[] = "amp_refresh";
    amp_status status = check(call, view);
    if (status == AMP_OK)
        status = amp__view_begin(call, view, AMP_ACCESS_WRITE);
    if (status != AMP_OK || view->home->place == AMP__NOWHERE)
        return status;
    status = amp__home_own(view->home, view->home->place, view);
    /* There is nothing to read, unless the home is in too many parts by now. */
    return status == AMP_OK ? amp__home_read(view->home, view->home->on, view) : status;
}

/* ---- mapping ---- */

static void *first_on_host(const amp_array_view *view)
{
    return (char *)amp__home_memory(view->home, AMP__HOST) + view->offset_bytes;
}

static amp_status bring_to_host(const char *call, const amp_array_view *view)
{
    AMP__EVENT(event, .kind = AMP__CALL, .name = call);
    return amp__event_end(&event, amp__home_read(view->home, NULL, view));
}

amp_status amp__view_read(const char *call, const amp_array_view *view, const void **first)
{
    amp_status status = amp__view_begin(call, view, AMP_ACCESS_READ);
    if (status == AMP_OK)
        status = bring_to_host(call, view);
    if (status == AMP_OK)
        *first = first_on_host(view);
    return status;
}

void *amp__view_map(const char *call, const amp_array_view *view, amp_access_type access)
{
    struct amp__home *home = view->home;
    if (amp__view_check_access(call, view, access) != AMP_OK ||
        amp__view_begin(call, view, AMP_ACCESS_WRITE) != AMP_OK || bring_to_host(call, view) != AMP_OK)
        return NULL;
    home->mapped_for = access;
    atomic_store(&home->mapped_by, view);
    return first_on_host(view);
}

void *amp_array_view_map(amp_array_view *view, amp_access_type access)
{
    static const char call[] = "amp_array_view_map";
    return check(call, view) == AMP_OK ? amp__view_map(call, view, access) : NULL;
}

amp_status amp__view_check_type(const char *call, const amp_array_view *view, amp_type type, size_t element_size)
{
    amp_array_view like = amp__view_all(view);
    amp_status status = set_type(call, &like, type, element_size);
    if (status != AMP_OK)
        return status;
    if (like.type != view->type)
        return amp__fail(AMP_ERROR_TYPE, "%s: the %s has elements of type %s, not %s", call, noun(view),
                         amp__type_name(view->type), amp__type_name(like.type));
    if (like.element_size != view->element_size)
        return amp__fail(AMP_ERROR_TYPE, "%s: the %s has elements of %zu bytes, not %zu", call, noun(view),
                         view->element_size, like.element_size);
    return like.align <= view->align ? AMP_OK : check_alignment(call, &like, noun(view));
}

void *amp_array_view_map_typed(amp_array_view *view, amp_type type, size_t element_size, amp_access_type access)
{
    static const char call[] = "amp_array_view_map_typed";
    if (check(call, view) != AMP_OK || amp__view_check_type(call, view, type, element_size) != AMP_OK)
        return NULL;
    return amp__view_map(call, view, access);
}

amp_status amp__view_unmap(const char *call, const amp_array_view *view)
{
    struct amp__home *home = view->home;
    if (atomic_load(&home->mapped_by) != view)
        return amp__fail(AMP_ERROR_INVALID_ARGUMENT, "%s: the %s is not mapped", call, noun(view));
    amp_status status = AMP_OK;
    bool writes = home->mapped_for & AMP_ACCESS_WRITE;
    if (home->pieces)
        status = amp__pieces_unmap(home->pieces, writes);
    else if (writes)
        status = amp__home_own(home, AMP__HOST, view);
    home->pieces = NULL;
    atomic_store(&home->mapped_by, NULL);
    return status;
}

amp_status amp_array_view_unmap(amp_array_view *view)
{
    static const char call[] = "amp_array_view_unmap";
    amp_status status = check(call, view);
    return status == AMP_OK ? amp__view_unmap(call, view) : status;
}

/* ---- an older name, for programs that were linked with it ---- */

#undef amp_array_view_view_as
amp_array_view *amp_array_view_view_as(amp_array_view *view, amp_extent extent)
{
    return amp_array_view_reshape(view, extent);
}
