/* SPDX-License-Identifier: MIT
 *
 * array_view: a box of a home. What a view may do and when is here; where the valid copy lies is coherence.c's. */
#include "runtime.h"

#include <string.h>

static amp_status fail_null(const char *call)
{
    return amp__fail(AMP_ERROR_NULL, "%s: the view is NULL", call);
}

/* Dense: its elements lie in the home as in an array of the view's extent. */
static bool is_dense(const amp_array_view *view)
{
    ptrdiff_t expected = 1;
    for (int i = view->extent.rank - 1; i >= 0; i--) {
        if (view->extent.dim[i] != 1 && view->stride[i] != expected)
            return false;
        expected *= view->extent.dim[i];
    }
    return true;
}

/* A view with one reference, like `like`. Returns NULL, reported. */
static amp_array_view *view_new(const char *call, const amp_array_view *like)
{
    amp_array_view *view = amp__alloc(sizeof *view, _Alignof(amp_array_view));
    if (!view) {
        amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory for a view (%zu bytes)", call, sizeof *view);
        return NULL;
    }
    memcpy(view, like, sizeof *view);
    atomic_init(&view->references, 1);
    view->is_dense = is_dense(view);
    return view;
}

/* Checks rank and components. `what`: for the text. */
static amp_status check_extent(const char *call, const char *what, const amp_extent *extent)
{
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

amp_array_view *amp_array_view_create(amp_extent extent, const void *data, amp_type type, size_t element_size,
                                      bool read_only)
{
    static const char call[] = "amp_array_view_create";
    if (!data) {
        amp__fail(AMP_ERROR_NULL, "%s: the data is NULL", call);
        return NULL;
    }
    if (check_extent(call, "the extent", &extent) != AMP_OK)
        return NULL;
    size_t scalar_size = amp__type_size(type);
    if (element_size == 0 || (type != AMP_TYPE_STRUCT && scalar_size != element_size)) {
        amp__fail(AMP_ERROR_TYPE, "%s: the element type is %s, which cannot have %zu bytes", call, amp__type_name(type),
                  element_size);
        return NULL;
    }
    int64_t n_elements = amp_extent_size(extent);
    ptrdiff_t size_bytes;
    if (n_elements == INT64_MAX || __builtin_mul_overflow(n_elements, element_size, &size_bytes)) {
        char text[AMP__SHAPE_TEXT];
        amp__fail(AMP_ERROR_SHAPE, "%s: %s elements of %zu bytes are more than memory can hold", call,
                  amp__shape_text(extent.rank, extent.dim, text), element_size);
        return NULL;
    }

    amp_array_view like = {.extent = amp_extent_n(extent.rank, extent.dim),
                           .type = type,
                           .element_size = element_size,
                           .read_only = read_only};
    ptrdiff_t stride = 1;
    for (int i = extent.rank - 1; i >= 0; i--) {
        like.stride[i] = stride;
        stride *= extent.dim[i];
    }
    like.home = amp__home_new((void *)(uintptr_t)data, (size_t)size_bytes, read_only);
    if (!like.home) {
        amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory for a view's home (%zu bytes)", call,
                  sizeof(struct amp__home));
        return NULL;
    }
    amp_array_view *view = view_new(call, &like);
    if (!view)
        amp__home_release(like.home);
    return view;
}

amp_array_view *amp_array_view_section(amp_array_view *view, amp_index origin, amp_extent extent)
{
    static const char call[] = "amp_array_view_section";
    if (!view) {
        fail_null(call);
        return NULL;
    }
    if (check_extent(call, "the section's extent", &extent) != AMP_OK)
        return NULL;
    if (origin.rank != view->extent.rank || extent.rank != view->extent.rank) {
        amp__fail(AMP_ERROR_RANK, "%s: the view has rank %d, but the origin has %d and the extent %d", call,
                  view->extent.rank, origin.rank, extent.rank);
        return NULL;
    }
    amp_array_view like;
    memcpy(&like, view, sizeof like);
    for (int i = 0; i < extent.rank; i++) {
        if (origin.dim[i] < 0 || (int64_t)origin.dim[i] + extent.dim[i] > view->extent.dim[i]) {
            char text[AMP__SHAPE_TEXT];
            amp__fail(AMP_ERROR_OUT_OF_RANGE,
                      "%s: in dimension %d the section has %d elements from %d on, but the view (%s) has 0 to %d", call,
                      i, extent.dim[i], origin.dim[i], amp__shape_text(view->extent.rank, view->extent.dim, text),
                      view->extent.dim[i] - 1);
            return NULL;
        }
        like.origin[i] += origin.dim[i];
        like.offset_bytes += (size_t)origin.dim[i] * (size_t)view->stride[i] * view->element_size;
    }
    like.extent = amp_extent_n(extent.rank, extent.dim);
    amp_array_view *section = view_new(call, &like);
    if (section)
        amp__home_retain(section->home);
    return section;
}

amp_array_view *amp_array_view_retain(amp_array_view *view)
{
    if (view)
        atomic_fetch_add_explicit(&view->references, 1, memory_order_relaxed);
    return view;
}

/* After this the home may be used again; what was mapped for writing is the only valid copy. */
static void end_mapping(struct amp__home *home)
{
    if (home->mapped_for & AMP_ACCESS_WRITE)
        amp__home_own(home, AMP__HOST);
    atomic_store(&home->mapped_by, NULL);
}

void amp_array_view_release(amp_array_view *view)
{
    if (!view || atomic_fetch_sub_explicit(&view->references, 1, memory_order_acq_rel) > 1)
        return;
    if (atomic_load(&view->home->mapped_by) == view)
        end_mapping(view->home);
    amp__home_release(view->home);
    amp__free(view);
}

amp_extent amp_array_view_extent(const amp_array_view *view)
{
    return view ? view->extent : (amp_extent){0};
}

amp_type amp_array_view_type(const amp_array_view *view)
{
    return view ? view->type : AMP_TYPE_NONE;
}

size_t amp_array_view_element_size(const amp_array_view *view)
{
    return view ? view->element_size : 0;
}

bool amp_array_view_is_read_only(const amp_array_view *view)
{
    return view && view->read_only;
}

ptrdiff_t amp_array_view_stride(const amp_array_view *view, int dimension)
{
    return view && dimension >= 0 && dimension < view->extent.rank ? view->stride[dimension] : 0;
}

static amp_status check_unmapped(const char *call, const amp_array_view *view)
{
    if (!atomic_load(&view->home->mapped_by))
        return AMP_OK;
    return amp__fail(AMP_ERROR_BUSY, "%s: the view, or another one of its home, is mapped", call);
}

amp_status amp_discard_data(amp_array_view *view)
{
    static const char call[] = "amp_discard_data";
    if (!view)
        return fail_null(call);
    if (view->read_only)
        return amp__fail(AMP_ERROR_READ_ONLY, "%s: the view is read-only", call);
    amp_status status = check_unmapped(call, view);
    if (status != AMP_OK)
        return status;
    /* The rest of the home is still needed, and homes move as a whole. */
    amp__home_wait(view->home, true);
    size_t size_bytes = (size_t)amp_extent_size(view->extent) * view->element_size;
    if (size_bytes == view->home->size_bytes)
        amp__home_discard(view->home);
    return AMP_OK;
}

amp_status amp_synchronize(amp_array_view *view)
{
    static const char call[] = "amp_synchronize";
    if (!view)
        return fail_null(call);
    if (atomic_load(&view->home->mapped_by) && view->home->mapped_for & AMP_ACCESS_WRITE)
        return check_unmapped(call, view);
    amp__home_wait(view->home, false);
    return amp__home_read(view->home, NULL);
}

amp_status amp_refresh(amp_array_view *view)
{
    static const char call[] = "amp_refresh";
    if (!view)
        return fail_null(call);
    amp_status status = check_unmapped(call, view);
    if (status != AMP_OK)
        return status;
    amp__home_wait(view->home, true);
    amp__home_own(view->home, AMP__HOST);
    return AMP_OK;
}

void *amp_array_view_map(amp_array_view *view, amp_access_type access)
{
    static const char call[] = "amp_array_view_map";
    if (!view) {
        fail_null(call);
        return NULL;
    }
    if (access != AMP_ACCESS_READ && access != AMP_ACCESS_WRITE && access != AMP_ACCESS_READ_WRITE) {
        amp__fail(AMP_ERROR_INVALID_ARGUMENT, "%s: the access is %d; it must be AMP_ACCESS_READ, _WRITE or _READ_WRITE",
                  call, (int)access);
        return NULL;
    }
    if (view->read_only && access != AMP_ACCESS_READ) {
        amp__fail(AMP_ERROR_READ_ONLY, "%s: a read-only view can be mapped for AMP_ACCESS_READ only", call);
        return NULL;
    }
    if (check_unmapped(call, view) != AMP_OK)
        return NULL;
    amp__home_wait(view->home, access & AMP_ACCESS_WRITE);
    if (amp__home_read(view->home, NULL) != AMP_OK)
        return NULL;
    view->home->mapped_for = access;
    atomic_store(&view->home->mapped_by, view);
    return (char *)atomic_load(&view->home->copies[AMP__HOST].memory) + view->offset_bytes;
}

amp_status amp_array_view_unmap(amp_array_view *view)
{
    if (!view)
        return fail_null("amp_array_view_unmap");
    if (atomic_load(&view->home->mapped_by) != view)
        return amp__fail(AMP_ERROR_INVALID_ARGUMENT, "amp_array_view_unmap: the view is not mapped");
    end_mapping(view->home);
    return AMP_OK;
}
