/* SPDX-License-Identifier: MIT
 *
 * Kernels see dense arrays. A section whose rows lie apart is packed into dense storage for a launch, and unpacked
 * after it. Views of one home are boxes in the same coordinates, so their overlap is that of intervals. */
#include "runtime.h"

#include <string.h>

/* Copies row by row. The last dimension of a home is contiguous, so a row is one memcpy. */
static void copy_rows(const amp_array_view *view, unsigned char *dense, bool pack)
{
    int last = view->extent.rank - 1;
    size_t row_bytes = (size_t)view->extent.dim[last] * view->element_size;
    unsigned char *row = (unsigned char *)atomic_load(&view->home->copies[AMP__HOST].memory) + view->offset_bytes;
    int at[AMP_MAX_RANK] = {0};
    for (;;) {
        memcpy(pack ? dense : row, pack ? row : dense, row_bytes);
        dense += row_bytes;
        int i = last - 1;
        for (; i >= 0; i--) {
            ptrdiff_t step = view->stride[i] * (ptrdiff_t)view->element_size;
            row += step;
            if (++at[i] < view->extent.dim[i])
                break;
            row -= step * at[i];
            at[i] = 0;
        }
        if (i < 0)
            return;
    }
}

void amp__dense_pack(const amp_array_view *view, void *dense)
{
    copy_rows(view, dense, true);
}

void amp__dense_unpack(const amp_array_view *view, const void *dense)
{
    copy_rows(view, (unsigned char *)(uintptr_t)dense, false);
}

bool amp__views_overlap(const amp_array_view *a, const amp_array_view *b)
{
    for (int i = 0; i < a->extent.rank; i++)
        if (a->origin[i] + (int64_t)a->extent.dim[i] <= b->origin[i] ||
            b->origin[i] + (int64_t)b->extent.dim[i] <= a->origin[i])
            return false;
    return true;
}

bool amp__views_equal(const amp_array_view *a, const amp_array_view *b)
{
    return a->offset_bytes == b->offset_bytes && amp_extent_equal(a->extent, b->extent);
}
