/* SPDX-License-Identifier: MIT
 *
 * Views whose rows lie apart. Kernels and devices want dense storage, so such a view is packed into it and unpacked from
 * it. A view is a box in a row-major layout, which may be a box in another one, and so on; its strides are nested: what
 * one dimension steps over holds all of the next ones. */
#include "runtime.h"

#include <string.h>

/* A view's elements in order, as runs of bytes without a gap. */
struct runs {
    int n_outer; /* dimensions in front of those that make up a run */
    size_t run_bytes;
    ptrdiff_t offset; /* of the current one from the first element, in bytes */
    int at[AMP_MAX_RANK];
};

/* How many dimensions there are in front of those that lie as in an array of their extent. */
static int n_outer_dims(const amp_array_view *view)
{
    int i = view->extent.rank - 1;
    ptrdiff_t expected = view->extent.dim[i];
    while (i > 0 && (view->extent.dim[i - 1] == 1 || view->stride[i - 1] == expected))
        expected *= view->extent.dim[--i];
    return i;
}

static struct runs runs_begin(const amp_array_view *view, int n_outer)
{
    struct runs runs = {.n_outer = n_outer, .run_bytes = view->element_size};
    for (int i = n_outer; i < view->extent.rank; i++)
        runs.run_bytes *= (size_t)view->extent.dim[i];
    return runs;
}

static bool runs_next(const amp_array_view *view, struct runs *runs)
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
    struct runs runs = runs_begin(view, n_outer_dims(view));
    unsigned char *to = dense;
    do {
        memcpy(to, (const char *)first + runs.offset, runs.run_bytes);
        to += runs.run_bytes;
    } while (runs_next(view, &runs));
}

void amp__dense_unpack(const amp_array_view *view, void *first, const void *dense)
{
    struct runs runs = runs_begin(view, n_outer_dims(view));
    const unsigned char *from = dense;
    do {
        memcpy((char *)first + runs.offset, from, runs.run_bytes);
        from += runs.run_bytes;
    } while (runs_next(view, &runs));
}

void amp__dense_copy(const amp_array_view *to, void *first_to, const amp_array_view *from, const void *first_from)
{
    int n_outer = n_outer_dims(to) > n_outer_dims(from) ? n_outer_dims(to) : n_outer_dims(from);
    struct runs a = runs_begin(to, n_outer), b = runs_begin(from, n_outer);
    do
        memcpy((char *)first_to + a.offset, (const char *)first_from + b.offset, a.run_bytes);
    while (runs_next(to, &a) && runs_next(from, &b));
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
    /* Either a step begins inside, and with it an element, or only the last one that begins before can reach in. */
    ptrdiff_t step = view->stride[d] * (ptrdiff_t)view->element_size, n = view->extent.dim[d];
    ptrdiff_t inside = begin <= 0 ? 0 : (begin + step - 1) / step;
    if (inside < n && inside * step < end)
        return true;
    ptrdiff_t before = (inside < n ? inside : n) - 1;
    return before >= 0 && meets(view, d + 1, begin - before * step, end - before * step);
}

bool amp__views_overlap(const amp_array_view *a, const amp_array_view *b)
{
    ptrdiff_t distance = (ptrdiff_t)(a->offset_bytes - b->offset_bytes);
    if (distance >= (ptrdiff_t)amp__view_span(b) || -distance >= (ptrdiff_t)amp__view_span(a))
        return false;
    struct runs runs = runs_begin(a, n_outer_dims(a));
    do {
        ptrdiff_t begin = runs.offset + distance;
        if (meets(b, 0, begin, begin + (ptrdiff_t)runs.run_bytes))
            return true;
    } while (runs_next(a, &runs));
    return false;
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
