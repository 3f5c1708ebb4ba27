/* SPDX-License-Identifier: MIT
 *
 * Shares a domain among threads: it is cut into boxes whose borders are those of the kernel's blocks, so that only the
 * domain's own borders have tails. */
#include "cpu.h"

/* Returns into how many pieces to cut columns that copies are made for, if rows have copies, too. Those of a column are
 * read from a page for each row of a tile, and take about eight times as long. */
static int columns_of(int wanted)
{
    enum { TIMES = 8 };
    int columns = 1;
    while (columns < wanted && columns * columns < TIMES * wanted)
        columns++;
    return columns;
}

static int grains_along(int extent, int grain)
{
    return (int)(((int64_t)extent + grain - 1) / grain);
}

int amp__pieces_each(int extent, int together, int n_threads)
{
    enum { MOST = 16 }; /* enough that waiting for a late thread is short */
    int64_t each = together > 0 ? extent / ((int64_t)n_threads * together) : MOST;
    return each < 1 ? 1 : each < MOST ? (int)each : MOST;
}

int amp__pieces_rows(int extent, int length, int rows, int grain, int n_threads)
{
    enum { EACH = 4 }; /* pieces that a thread should get, so that all end together */
    int64_t most = extent / ((int64_t)n_threads * EACH);
    if ((int64_t)length * rows <= most)
        return length * rows;
    return length <= most ? length : grain;
}

struct amp__pieces amp__pieces_cut(const int box[6], const int grain[3], enum amp__cut cut, int wanted)
{
    static const int orders[][3] = {[AMP__CUT_ROWS] = {0, 1, 2},
                                    [AMP__CUT_COLUMNS] = {0, 2, 1},
                                    [AMP__CUT_BOTH] = {0, 2, 1},
                                    [AMP__CUT_LONG] = {0, 1, 2}};
    enum { LONGER = 8 }; /* each piece copies all that its rows share (by bench/products) */
    struct amp__pieces p = {.n = 1};
    if (cut == AMP__CUT_LONG)
        wanted = (wanted + LONGER - 1) / LONGER;
    for (int i = 0; i < 3; i++) {
        int d = orders[cut][i];
        p.box[2 * d] = box[2 * d];
        p.box[2 * d + 1] = box[2 * d + 1];
        p.grain[d] = grain[d];
        int grains = grains_along(box[2 * d + 1] - box[2 * d], grain[d]);
        int here = cut == AMP__CUT_BOTH && d == 2 ? columns_of(wanted) : wanted;
        p.per_dim[d] = grains < here ? grains : here;
        wanted = (wanted + p.per_dim[d] - 1) / p.per_dim[d];
        p.n *= p.per_dim[d];
    }
    return p;
}

void amp__pieces_box(const struct amp__pieces *pieces, int i, int box[6])
{
    for (int d = 2; d >= 0; d--) {
        int n = pieces->per_dim[d], at = i % n;
        i /= n;
        int first = pieces->box[2 * d], length = pieces->box[2 * d + 1] - first;
        int64_t grains = grains_along(length, pieces->grain[d]);
        int64_t end = grains * (at + 1) / n * pieces->grain[d];
        box[2 * d] = first + (int)(grains * at / n * pieces->grain[d]);
        box[2 * d + 1] = first + (end < length ? (int)end : length);
    }
}

double amp__pieces_grains(const struct amp__pieces *pieces, const int box[6])
{
    double grains = 1;
    for (int d = 0; d < 3; d++)
        grains *= grains_along(box[2 * d + 1] - box[2 * d], pieces->grain[d]);
    return grains;
}

double amp__pieces_split(const struct amp__pieces *pieces, double grains, int box[6], int first[6])
{
    int longest = 0, length = 0;
    for (int d = 0; d < 3; d++) {
        int here = grains_along(box[2 * d + 1] - box[2 * d], pieces->grain[d]);
        first[2 * d] = box[2 * d];
        first[2 * d + 1] = box[2 * d + 1];
        if (here > length) {
            length = here;
            longest = d;
        }
    }
    double slice = amp__pieces_grains(pieces, box) / length;
    double n_slices = grains < slice ? 1 : grains / slice;
    if (n_slices >= length) {
        box[2 * longest] = box[2 * longest + 1];
        return slice * length;
    }
    first[2 * longest + 1] = box[2 * longest] += (int)n_slices * pieces->grain[longest];
    return slice * (int)n_slices;
}

bool amp__pieces_is_empty(const int box[6])
{
    return box[0] == box[1] || box[2] == box[3] || box[4] == box[5];
}
