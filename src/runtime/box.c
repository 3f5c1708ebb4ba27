/* SPDX-License-Identifier: MIT
 *
 * Box arithmetic. A home is a grid of bytes, as it was made: 4 rows of 8 ints are 4 x 32 points. A box is an interval
 * of each dimension, so a section is one box wherever its rows lie. Facts about a home, such as which places have valid
 * bytes, are kept for each box of a partition (parts.c). */
#include "runtime.h"

#include <string.h>

/* ---- grids ---- */

void amp__grid_init(struct amp__grid *grid, const amp_extent *extent, size_t element_size)
{
    int n = 0;
    for (int i = 0; i < extent->rank; i++) {
        size_t bytes = i == extent->rank - 1 ? element_size : 1, dim = (size_t)extent->dim[i] * bytes;
        if (dim > 1)
            grid->dim[n++] = dim;
    }
    if (n == 0)
        grid->dim[n++] = 1;
    grid->rank = n;
    size_t stride = 1;
    while (n-- > 0) {
        grid->stride[n] = stride;
        stride *= grid->dim[n];
    }
}

struct amp__box amp__box_of(const struct amp__grid *grid)
{
    struct amp__box box;
    for (int d = 0; d < grid->rank; d++) {
        box.begin[d] = 0;
        box.end[d] = grid->dim[d];
    }
    return box;
}

size_t amp__box_bytes(const struct amp__grid *grid, const struct amp__box *box)
{
    size_t n = 1;
    for (int d = 0; d < grid->rank; d++)
        n *= box->end[d] - box->begin[d];
    return n;
}

/* ---- boxes ---- */

bool amp__box_meet(int rank, const struct amp__box *a, const struct amp__box *b, struct amp__box *common)
{
    for (int d = 0; d < rank; d++)
        if (a->begin[d] >= b->end[d] || b->begin[d] >= a->end[d])
            return false;
    for (int d = 0; d < rank; d++) {
        common->begin[d] = a->begin[d] > b->begin[d] ? a->begin[d] : b->begin[d];
        common->end[d] = a->end[d] < b->end[d] ? a->end[d] : b->end[d];
    }
    return true;
}

int amp__box_subtract(int rank, const struct amp__box *a, const struct amp__box *b,
                      struct amp__box pieces[AMP__MAX_PIECES])
{
    struct amp__box common, rest = *a;
    pieces[0] = rest;
    if (!amp__box_meet(rank, a, b, &common))
        return 1;
    int n = 0;
    for (int d = 0; d < rank; d++) {
        if (rest.begin[d] < common.begin[d]) {
            pieces[n] = rest;
            pieces[n++].end[d] = rest.begin[d] = common.begin[d];
        }
        if (rest.end[d] > common.end[d]) {
            pieces[n] = rest;
            pieces[n++].begin[d] = rest.end[d] = common.end[d];
        }
    }
    return n;
}

bool amp__box_join(int rank, struct amp__box *a, const struct amp__box *b)
{
    int along = -1;
    for (int d = 0; d < rank; d++) {
        if (a->begin[d] == b->begin[d] && a->end[d] == b->end[d])
            continue;
        if (along >= 0 || (a->end[d] != b->begin[d] && b->end[d] != a->begin[d]))
            return false;
        along = d;
    }
    if (along < 0)
        return false;
    if (b->begin[along] < a->begin[along])
        a->begin[along] = b->begin[along];
    else
        a->end[along] = b->end[along];
    return true;
}

/* ---- views as boxes ---- */

/* Whether a view is one box, which then is the cover. From the last one on, each of its dimensions either makes the row
 * of bytes longer or steps along a dimension of the grid. */
static bool fits_grid(struct amp__cover *cover)
{
    const struct amp__grid *grid = cover->grid;
    const amp_array_view *view = cover->view;
    struct amp__box *box = cover->boxes;
    size_t offset = view->offset_bytes;
    int last = grid->rank - 1;
    for (int d = 0; d <= last; d++) {
        box->begin[d] = offset / grid->stride[d];
        box->end[d] = box->begin[d] + 1;
        offset %= grid->stride[d];
    }
    size_t row_bytes = view->element_size;
    for (int i = view->extent.rank - 1; i >= 0; i--) {
        size_t n = (size_t)view->extent.dim[i], step = (size_t)view->stride[i] * view->element_size;
        if (n == 1)
            continue;
        if (step == row_bytes && n <= (grid->dim[last] - box->begin[last]) / step) {
            row_bytes *= n;
            continue;
        }
        int d = 0;
        while (d < last && grid->stride[d] != step)
            d++;
        if (d == last || box->end[d] - box->begin[d] > 1 || n > grid->dim[d] - box->begin[d])
            return false;
        box->end[d] = box->begin[d] + n;
    }
    box->end[last] = box->begin[last] + row_bytes;
    return box->end[last] <= grid->dim[last];
}

/* Makes the bytes from `begin` up to `end` the cover's next boxes. At most one box per dimension lies before the whole
 * rows, and one after them. */
static void cut_range(struct amp__cover *cover, size_t begin, size_t end)
{
    const struct amp__grid *grid = cover->grid;
    struct amp__box at = amp__box_of(grid), head, tail;
    int d = 0, last = grid->rank - 1;
    cover->n = cover->next = 0;
    /* 1. Skip the dimensions along which all bytes are at one point. */
    for (; d < last && begin / grid->stride[d] == (end - 1) / grid->stride[d]; d++) {
        at.begin[d] = begin / grid->stride[d];
        at.end[d] = at.begin[d] + 1;
        begin %= grid->stride[d];
        end = (end - 1) % grid->stride[d] + 1;
    }
    /* 2. Take the whole rows of the first dimension with several points; cut the part of a row at each end in turn. */
    head = tail = at;
    for (int i = d; i <= last && (i == d || begin > 0); i++) {
        size_t stride = grid->stride[i], first = begin / stride + (begin % stride > 0);
        struct amp__box *box = &cover->boxes[cover->n];
        *box = head;
        box->begin[i] = first;
        box->end[i] = i == d ? end / stride : grid->dim[i];
        cover->n += box->begin[i] < box->end[i];
        head.begin[i] = begin / stride;
        head.end[i] = head.begin[i] + 1;
        begin %= stride;
    }
    for (int i = d; i <= last && end > 0; i++) {
        size_t stride = grid->stride[i];
        if (i > d && end / stride > 0) {
            struct amp__box *box = &cover->boxes[cover->n++];
            *box = tail;
            box->begin[i] = 0;
            box->end[i] = end / stride;
        }
        tail.begin[i] = end / stride;
        tail.end[i] = tail.begin[i] + 1;
        end %= stride;
    }
}

void amp__cover_begin(struct amp__cover *cover, const struct amp__grid *grid, const amp_array_view *view,
                      size_t most_runs)
{
    cover->grid = grid;
    cover->view = view;
    cover->n = 1;
    cover->next = 0;
    cover->has_runs = cover->is_rough = false;
    if (!view) {
        cover->boxes[0] = amp__box_of(grid);
    } else if (!fits_grid(cover)) {
        cover->runs = amp__runs_begin(view, view);
        cover->is_rough = cover->runs.n > most_runs;
        cover->has_runs = !cover->is_rough && cover->runs.n > 1;
        cut_range(cover, view->offset_bytes,
                  view->offset_bytes + (cover->is_rough ? amp__view_span(view) : cover->runs.run_bytes));
    }
}

const struct amp__box *amp__cover_next(struct amp__cover *cover)
{
    if (cover->next < cover->n)
        return &cover->boxes[cover->next++];
    cover->has_runs = cover->has_runs && amp__runs_next(cover->view, &cover->runs);
    if (!cover->has_runs)
        return NULL;
    size_t begin = cover->view->offset_bytes + (size_t)cover->runs.offset;
    cut_range(cover, begin, begin + cover->runs.run_bytes);
    return &cover->boxes[cover->next++];
}

/* ---- boxes as bytes ---- */

void amp__groups_begin(struct amp__groups *groups, const struct amp__grid *grid, const struct amp__box *box)
{
    struct amp__rows *rows = &groups->rows;
    int d = grid->rank - 1;
    while (d > 0 && box->end[d] - box->begin[d] == grid->dim[d])
        d--;
    rows->bytes = (box->end[d] - box->begin[d]) * grid->stride[d];
    while (d > 0 && box->end[d - 1] - box->begin[d - 1] == 1)
        d--;
    groups->n_outer = d > 0 ? d - 1 : 0;
    rows->n = d > 0 ? box->end[d - 1] - box->begin[d - 1] : 1;
    rows->stride = d > 0 ? grid->stride[d - 1] : rows->bytes;
    groups->box = *box;
    rows->offset = 0;
    for (int i = 0; i < grid->rank; i++) {
        groups->at[i] = box->begin[i];
        rows->offset += box->begin[i] * grid->stride[i];
    }
}

bool amp__groups_next(struct amp__groups *groups, const struct amp__grid *grid)
{
    const struct amp__box *box = &groups->box;
    for (int d = groups->n_outer - 1; d >= 0; d--) {
        groups->rows.offset += grid->stride[d];
        if (++groups->at[d] < box->end[d])
            return true;
        groups->rows.offset -= (box->end[d] - box->begin[d]) * grid->stride[d];
        groups->at[d] = box->begin[d];
    }
    return false;
}

size_t amp__rows_span(const struct amp__rows *rows)
{
    return rows->n ? (rows->n - 1) * rows->stride + rows->bytes : 0;
}
