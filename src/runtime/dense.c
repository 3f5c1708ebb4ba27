/* SPDX-License-Identifier: MIT
 *
 * Views whose rows lie apart. Kernels and devices want dense storage, so such a view is packed into it and unpacked
 * from it. A view is a box in a row-major layout, which may be a box in another one, and so on. Its strides are nested:
 * one step along a dimension passes over all of the dimensions after it. */
#include "runtime.h"

#include <string.h>

/* How many dimensions come before those that are laid out as in an array of their extent. */
static int n_outer_dims(const amp_array_view *view)
{
    int i = view->extent.rank - 1;
    ptrdiff_t expected = view->extent.dim[i];
    while (i > 0 && (view->extent.dim[i - 1] == 1 || view->stride[i - 1] == expected))
        expected *= view->extent.dim[--i];
    return i;
}

struct amp__runs amp__runs_begin(const amp_array_view *view, const amp_array_view *other)
{
    int n_outer = n_outer_dims(view), n_other = n_outer_dims(other);
    struct amp__runs runs = {.n_outer = n_outer > n_other ? n_outer : n_other, .n = 1, .run_bytes = view->element_size};
    for (int i = 0; i < view->extent.rank; i++)
        *(i < runs.n_outer ? &runs.n : &runs.run_bytes) *= (size_t)view->extent.dim[i];
    return runs;
}

bool amp__runs_next(const amp_array_view *view, struct amp__runs *runs)
{
    for (int i = runs->n_outer - 1; i >= 0; i--) {
        ptrdiff_t step = view->stride[i] * (ptrdiff_t)view->element_size;
        runs->offset += step;
        if (++runs->at[i] < view->extent.dim[i])
            return true;
        runs->offset -= step * runs->at[i];
        runs->at[i] = 0;
    }
    return false;
}

bool amp__view_is_dense(const amp_array_view *view)
{
    return n_outer_dims(view) == 0;
}

void amp__dense_pack(const amp_array_view *view, const void *first, void *dense)
{
    struct amp__runs runs = amp__runs_begin(view, view);
    unsigned char *to = dense;
    do {
        memcpy(to, (const char *)first + runs.offset, runs.run_bytes);
        to += runs.run_bytes;
    } while (amp__runs_next(view, &runs));
}

void amp__dense_unpack(const amp_array_view *view, void *first, const void *dense)
{
    struct amp__runs runs = amp__runs_begin(view, view);
    const unsigned char *from = dense;
    do {
        memcpy((char *)first + runs.offset, from, runs.run_bytes);
        from += runs.run_bytes;
    } while (amp__runs_next(view, &runs));
}

void amp__dense_copy(const amp_array_view *to, void *first_to, const amp_array_view *from, const void *first_from)
{
    struct amp__runs a = amp__runs_begin(to, from), b = amp__runs_begin(from, to);
    do
        memcpy((char *)first_to + a.offset, (const char *)first_from + b.offset, a.run_bytes);
    while (amp__runs_next(to, &a) && amp__runs_next(from, &b));
}

size_t amp__view_bytes(const amp_array_view *view)
{
    return (size_t)amp_extent_size(view->extent) * view->element_size;
}

size_t amp__view_span(const amp_array_view *view)
{
    ptrdiff_t last = 0;
    for (int i = 0; i < view->extent.rank; i++)
        last += (view->extent.dim[i] - 1) * view->stride[i];
    return (size_t)(last + 1) * view->element_size;
}

/* Whether the elements of `view` from dimension `d` on, the first of them at 0, have a byte in [begin, end). */
static bool meets(const amp_array_view *view, int d, ptrdiff_t begin, ptrdiff_t end)
{
    if (d == view->extent.rank)
        return begin < (ptrdiff_t)view->element_size && end > 0;
    /* Either a step begins inside, and with it an element, or only the last step that begins before can reach
     * inside. */
    ptrdiff_t step = view->stride[d] * (ptrdiff_t)view->element_size, n = view->extent.dim[d];
    ptrdiff_t inside = begin <= 0 ? 0 : (begin + step - 1) / step;
    if (inside < n && inside * step < end)
        return true;
    ptrdiff_t before = (inside < n ? inside : n) - 1;
    return before >= 0 && meets(view, d + 1, begin - before * step, end - before * step);
}

bool amp__view_meets(const amp_array_view *view, ptrdiff_t offset, size_t size_bytes)
{
    ptrdiff_t begin = offset - (ptrdiff_t)view->offset_bytes;
    return meets(view, 0, begin, begin + (ptrdiff_t)size_bytes);
}

amp_index amp__view_index_of(const amp_array_view *view, size_t offset)
{
    amp_index index = {.rank = view->extent.rank};
    ptrdiff_t number = (ptrdiff_t)((offset - view->offset_bytes) / view->element_size);
    for (int d = 0; d < index.rank; d++) {
        index.dim[d] = (int)(number / view->stride[d]);
        number %= view->stride[d];
    }
    return index;
}

/* Whether two views have a byte in common. `distance`: from the first byte of `b` to that of `a`. */
static bool overlap_at(const amp_array_view *a, const amp_array_view *b, ptrdiff_t distance)
{
    if (distance >= (ptrdiff_t)amp__view_span(b) || -distance >= (ptrdiff_t)amp__view_span(a))
        return false;
    struct amp__runs runs = amp__runs_begin(a, a);
    do {
        ptrdiff_t begin = runs.offset + distance;
        if (meets(b, 0, begin, begin + (ptrdiff_t)runs.run_bytes))
            return true;
    } while (amp__runs_next(a, &runs));
    return false;
}

bool amp__views_overlap(const amp_array_view *a, const amp_array_view *b)
{
    return overlap_at(a, b, (ptrdiff_t)(a->offset_bytes - b->offset_bytes));
}

bool amp__views_equal(const amp_array_view *a, const amp_array_view *b)
{
    if (a->offset_bytes != b->offset_bytes || a->element_size != b->element_size ||
        !amp_extent_equal(a->extent, b->extent))
        return false;
    for (int i = 0; i < a->extent.rank; i++)
        if (a->extent.dim[i] != 1 && a->stride[i] != b->stride[i])
            return false;
    return true;
}

bool amp__views_share_memory(const amp_array_view *a, const amp_array_view *b)
{
    if (a->home->place != b->home->place || a->home->place == AMP__NOWHERE)
        return false;
    uintptr_t first_a = (uintptr_t)amp__home_source(a->home), first_b = (uintptr_t)amp__home_source(b->home);
    return overlap_at(a, b, (ptrdiff_t)(first_a + a->offset_bytes - first_b - b->offset_bytes));
}
