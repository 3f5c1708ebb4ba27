/* SPDX-License-Identifier: MIT
 *
 * Cuts a launch into boxes, one for each place. This is possible if no two parts may write the same element, as far as
 * the compiler knows (footprint.c), unless all that the kernel does with the array is a reduction. What a part reads
 * may be what another one writes: in a kernel without races it is not really read.
 *
 * All grids of parts are tried, such as 4 x 1 and 2 x 2, and the one is taken for which places lack the fewest bytes.
 * Short rows are slow: they share cache lines with other parts at both ends, and the hardware cannot prefetch the next
 * one. So if an array is still on the host, every contiguous run of memory that a part reads adds a cache line to the
 * count. Arrays that have already been divided are not cut again because of that. Of several grids, it is the one whose
 * parts meet in the fewest points, because what runs next is likely to need its neighbours' rows and columns. Boxes are
 * as large as their places are fast. */
#include "all.h"

#include <stdio.h>
#include <string.h>

enum {
    PIECE = 64, /* bytes that a piece of memory counts besides its own */
    /* Boxes of large domains begin at multiples of these: in the last dimension for whole vectors, in the others for
     * whole groups of rows that share what they load. */
    COLUMNS = 64,
    ROWS = 8
};

bool amp__span_is_empty(const struct amp__span *span)
{
    return span->low[0] > span->high[0];
}

amp_array_view amp__span_view(const amp_array_view *view, const struct amp__span *span)
{
    amp_array_view part = amp__view_all(view);
    for (int d = 0; d < view->extent.rank; d++) {
        part.offset_bytes += (size_t)(span->low[d] * view->stride[d]) * view->element_size;
        part.extent.dim[d] = (int)(span->high[d] - span->low[d] + 1);
    }
    part.is_dense = amp__view_is_dense(&part);
    return part;
}

static bool writes(const struct amp__use *use, const struct amp__footprint *footprint)
{
    return !use->param->read_only && !amp__span_is_empty(&footprint->written);
}

bool amp__use_is_reduced(const struct amp__call *call, int use, const struct amp__footprint *footprint)
{
    const struct amp__param *param = call->uses[use].param;
    if (!footprint->reach || !amp__reduction_is_known(footprint->reach->reduces, param->size_bytes) || param->read_only)
        return false;
    for (int i = 0; i < call->n_uses; i++)
        if (i != use && call->uses[i].view->home == call->uses[use].view->home)
            return false;
    return true;
}

/* ---- boxes ---- */

/* `mean` and `least`: the lengths of parts. No part may become empty. */
static int grain_of(const struct amp__kernel *kernel, int d, double mean, double least)
{
    int grain = d == 2 ? COLUMNS : ROWS, enough = d == 2 ? 4 * COLUMNS : 64 * ROWS;
    return !kernel->tile && mean >= enough && least >= grain ? grain : 1;
}

/* The least weight of `n` parts, each of `inner` places. */
static double least_weight(const double *sums, int n, int inner)
{
    double least = sums[inner] - sums[0];
    for (int i = 1; i < n; i++) {
        double weight = sums[(i + 1) * inner] - sums[i * inner];
        least = weight < least ? weight : least;
    }
    return least;
}

/* Where the part of a dimension ends that belongs to `weight` of `all`. */
static int cut(int low, int high, double weight, double all, int grain)
{
    double place = (double)(high - low) * weight / all / grain;
    return weight >= all ? high : low + grain * (int)(place + 0.5);
}

/* Sets the box of part `number` of a grid. The parts of a row of the grid share what the row gets. `sums`: of the
 * weights of all places before each, and of all. */
static void set_box(const int domain[6], const int grid[3], const double *sums, const struct amp__kernel *kernel,
                    int number, int box[6])
{
    int size = grid[0] * grid[1] * grid[2], first = 0;
    for (int d = 0; d < 3; d++) {
        int low = domain[2 * d], high = domain[2 * d + 1], inner = size / grid[d], at = (number - first) / inner;
        double all = sums[first + size] - sums[first], before = sums[first + at * inner] - sums[first];
        double least = (high - low) * (least_weight(sums + first, grid[d], inner) / all);
        int grain = grain_of(kernel, d, (double)(high - low) / grid[d], least);
        double up_to = sums[first + (at + 1) * inner] - sums[first];
        box[2 * d] = at == 0 ? low : cut(low, high, before, all, grain);
        box[2 * d + 1] = at == grid[d] - 1 ? high : cut(low, high, up_to, all, grain);
        first += at * inner;
        size = inner;
    }
}

static bool is_empty(const int box[6])
{
    return box[0] >= box[1] || box[2] >= box[3] || box[4] >= box[5];
}

/* ---- one way to cut ---- */

static size_t lacks(const struct amp__use *use, int place, const struct amp__span *span)
{
    if (amp__span_is_empty(span))
        return 0;
    amp_array_view part = amp__span_view(use->view, span);
    return amp__home_missing(amp__home_planned(&part), amp__machine.at[place]->location, &part);
}

/* The bytes that a place lacks of what it reads. Boxes of single reads may have some in common. */
static size_t lacks_to_read(const struct amp__use *use, int place, const struct amp__footprint *f)
{
    size_t least = lacks(use, place, &f->read), sum = 0;
    for (int i = 0; i < f->n_reads && least; i++)
        sum += lacks(use, place, &f->reads[i]);
    return f->n_reads && sum < least ? sum : least;
}

/* How many pieces of memory a box of a view is, if the view is one. */
static size_t count_pieces(const amp_array_view *view, const struct amp__span *span)
{
    size_t n = 1;
    bool is_one = true; /* so far, from the last dimension on */
    for (int d = view->extent.rank - 1; d >= 0; d--) {
        size_t points = (size_t)(span->high[d] - span->low[d] + 1);
        n *= is_one ? 1 : points;
        is_one &= points == (size_t)view->extent.dim[d];
    }
    return n;
}

/* What the pieces of memory count that a part reads of arrays from the host. */
static size_t piece_bytes(const struct amp__call *call, const struct amp__share *share)
{
    size_t n = 0;
    for (int i = 0; i < call->n_uses; i++) {
        const struct amp__use *use = &call->uses[i];
        const struct amp__span *read = &share->footprints[i].read;
        if (!amp__span_is_empty(read) && amp__home_has(amp__home_planned(use->view), AMP__HOST, NULL))
            n += count_pieces(use->view, read);
    }
    return PIECE * n;
}

static size_t missing_bytes(const struct amp__call *call, const struct amp__share *share)
{
    size_t bytes = 0;
    for (int i = 0; i < call->n_uses; i++) {
        const struct amp__use *use = &call->uses[i];
        const struct amp__footprint *f = &share->footprints[i];
        bytes += lacks_to_read(use, share->place, f);
        if (writes(use, f) && memcmp(&f->read, &f->written, sizeof f->read) != 0)
            bytes += lacks(use, share->place, &f->written);
    }
    return bytes;
}

static bool is_rough(const amp_array_view *view)
{
    struct amp__cover cover;
    amp__cover_begin(&cover, &view->home->grid, view, AMP__MOST_RUNS);
    return cover.is_rough;
}

static bool fail(struct amp__division *division, const struct amp__use *use, const char *why)
{
    snprintf(division->why, sizeof division->why, "%s %s", use->param->name, why);
    return false;
}

static bool spans_meet(const struct amp__span *a, const struct amp__span *b, int rank)
{
    bool meet = true;
    for (int d = 0; d < rank; d++)
        meet &= a->low[d] <= b->high[d] && b->low[d] <= a->high[d];
    return meet;
}

/* Whether what one part may write is clear of what all later ones may write. */
static bool is_apart(const struct amp__call *call, struct amp__division *division, int number)
{
    const struct amp__share *share = &division->shares[number];
    for (int i = 0; i < call->n_uses; i++) {
        const struct amp__use *use = &call->uses[i];
        const struct amp__footprint *f = &share->footprints[i];
        if (!writes(use, f) || amp__use_is_reduced(call, i, f))
            continue;
        amp_array_view written = amp__span_view(use->view, &f->written);
        if (is_rough(&written))
            return fail(division, use, "has rows that lie apart in its memory");
        for (const struct amp__share *later = share + 1; later < division->shares + division->n; later++)
            for (int k = 0; k < call->n_uses; k++) {
                const struct amp__use *other = &call->uses[k];
                if (other->view->home != use->view->home || !writes(other, &later->footprints[k]))
                    continue;
                if (k == i && !spans_meet(&f->written, &later->footprints[k].written, use->view->extent.rank))
                    continue; /* the usual case, without a look at memory */
                amp_array_view part = amp__span_view(other->view, &later->footprints[k].written);
                if (amp__views_overlap(&written, &part))
                    return fail(division, use,
                                f->reach && f->reach->whole ? "may be written anywhere by each part"
                                                            : "may be written by several parts in one place");
            }
    }
    return true;
}

/* In the memory of a division its shares are followed by the sums of weights, and these by the footprints. */
static amp_status get_memory(const struct amp__call *call, struct amp__division *division)
{
    size_t n = (size_t)amp__machine.n, n_uses = (size_t)call->n_uses;
    size_t share_bytes = sizeof *division->shares + sizeof(double) + n_uses * sizeof(struct amp__footprint);
    division->memory = division->shares = amp__alloc(n * share_bytes + sizeof(double), _Alignof(struct amp__footprint));
    return division->memory
               ? AMP_OK
               : amp__kernel_fail(call->kernel, AMP_ERROR_OUT_OF_MEMORY, "no memory for what its parts touch");
}

static double *sums_of(const struct amp__division *division)
{
    return (double *)(void *)(division->shares + amp__machine.n);
}

static void add_weights(const struct amp__call *call, const struct amp__division *division)
{
    double *sums = sums_of(division), sum = 0;
    amp__machine.weigh(call->kernel, sums);
    for (int i = 0; i <= amp__machine.n; i++) {
        double weight = i < amp__machine.n ? sums[i] : 0;
        sums[i] = sum;
        sum += weight;
    }
}

void amp__division_shrink(struct amp__division *division, int n_uses, int begin, int end)
{
    size_t n_shares = (size_t)division->n, n_kept = (size_t)(end - begin) * (size_t)n_uses;
    size_t bytes = n_shares * sizeof(struct amp__share) + n_kept * sizeof(struct amp__footprint);
    struct amp__share *shares =
        begin < end && end - begin < division->n ? amp__alloc(bytes, _Alignof(struct amp__footprint)) : NULL;
    if (!shares)
        return;
    struct amp__footprint *kept = (struct amp__footprint *)(void *)(shares + n_shares);
    memcpy(shares, division->shares, n_shares * sizeof *shares);
    memcpy(kept, shares[begin].footprints, n_kept * sizeof *kept);
    for (int i = 0; i < division->n; i++)
        shares[i].footprints = i < begin || i >= end ? NULL : kept + (size_t)(i - begin) * (size_t)n_uses;
    amp__free(division->memory);
    division->memory = division->shares = shares;
}

const struct amp__footprint *amp__share_footprint(const struct amp__call *call, const struct amp__share *share, int use,
                                                  struct amp__footprint *room)
{
    if (share->footprints)
        return &share->footprints[use];
    amp__footprint_of_use(call, share->box, use, room);
    return room;
}

/* Cuts a launch into a grid of parts, whether or not it may run so. */
static void lay_out(const struct amp__call *call, const struct amp__launch *launch, struct amp__division *division)
{
    const int *grid = division->grid;
    const double *sums = sums_of(division);
    struct amp__footprint *footprints = (struct amp__footprint *)(void *)(sums_of(division) + amp__machine.n + 1);
    int n = grid[0] * grid[1] * grid[2];
    division->n = 0;
    for (int number = 0; number < n; number++) {
        struct amp__share *share = &division->shares[division->n];
        set_box(launch->box, grid, sums, call->kernel, number, share->box);
        if (is_empty(share->box))
            continue;
        share->place = number;
        share->footprints = footprints + (size_t)division->n++ * (size_t)call->n_uses;
        amp__footprints(call, share->box, share->footprints);
    }
}

/* Stops counting when there are more than `most`. */
static size_t count_cost(const struct amp__call *call, const struct amp__division *division, size_t most)
{
    size_t bytes = 0;
    for (int number = 0; number < division->n && bytes <= most; number++)
        bytes += missing_bytes(call, &division->shares[number]) + piece_bytes(call, &division->shares[number]);
    return bytes;
}

/* Whether the parts may run at once; else the division gets the reason. */
static bool are_apart(const struct amp__call *call, struct amp__division *division)
{
    bool are = true;
    for (int number = 0; number < division->n && are; number++)
        are = is_apart(call, division, number);
    return are;
}

/* ---- all ways ---- */

/* At how many points parts meet others. */
static double count_meeting(const int domain[6], const int grid[3])
{
    double all = 1, meeting = 0;
    for (int d = 0; d < 3; d++)
        all *= domain[2 * d + 1] - domain[2 * d];
    for (int d = 0; d < 3; d++)
        meeting += (grid[d] - 1) * all / (domain[2 * d + 1] - domain[2 * d]);
    return meeting;
}

/* A grid, and how good it is. */
struct choice {
    int n; /* parts; 1: none is chosen yet */
    int grid[3];
    size_t cost; /* the bytes that its places lack, and what its pieces of memory count */
    double meeting;
};

static bool is_better(const struct choice *a, const struct choice *b)
{
    if (a->n != b->n || a->n == 1)
        return a->n > b->n;
    return a->cost < b->cost || (a->cost == b->cost && a->meeting < b->meeting);
}

/* Whether each part of a grid can have a point. */
static bool is_full(const int domain[6], const int grid[3])
{
    bool is = true;
    for (int d = 0; d < 3; d++)
        is &= grid[d] <= domain[2 * d + 1] - domain[2 * d];
    return is;
}

/* Makes the division's grid the best one if it is better and its parts may run at once. */
static void try_grid(const struct amp__call *call, const struct amp__launch *launch, struct amp__division *division,
                     struct choice *best)
{
    lay_out(call, launch, division);
    struct choice choice = {.n = division->n, .meeting = count_meeting(launch->box, division->grid)};
    memcpy(choice.grid, division->grid, sizeof choice.grid);
    if (choice.n < best->n)
        return;
    choice.cost = count_cost(call, division, choice.n == best->n ? best->cost : SIZE_MAX);
    if (is_better(&choice, best) && are_apart(call, division))
        *best = choice;
}

/* Goes on to the next grid; slow dimensions are cut first. Returns false if there is none. A grid of zeros is before
 * the first one. */
static bool next_grid(int grid[3])
{
    int n = amp__machine.n;
    do {
        if (grid[0] && grid[1] > 1) {
            grid[1]--;
        } else {
            do
                grid[0] = grid[0] ? grid[0] - 1 : n;
            while (grid[0] > 0 && n % grid[0]);
            grid[1] = grid[0] ? n / grid[0] : 0;
        }
    } while (grid[0] && n / grid[0] % grid[1]);
    grid[2] = grid[0] ? n / grid[0] / grid[1] : 0;
    return grid[0];
}

/* Tries the grids that are full, or those that are not: first the one whose parts meet least, because it is likely to
 * be the best, and for all others less is then to be counted. */
static void try_grids(const struct amp__call *call, const struct amp__launch *launch, bool full,
                      struct amp__division *division, struct choice *best)
{
    int grid[3] = {0}, least[3] = {0};
    while (next_grid(grid))
        if (is_full(launch->box, grid) == full &&
            (!least[0] || count_meeting(launch->box, grid) < count_meeting(launch->box, least)))
            memcpy(least, grid, sizeof least);
    memcpy(division->grid, least, sizeof least);
    if (least[0])
        try_grid(call, launch, division, best);
    while (next_grid(grid)) {
        memcpy(division->grid, grid, sizeof grid);
        if (is_full(launch->box, grid) == full && memcmp(grid, least, sizeof grid) != 0)
            try_grid(call, launch, division, best);
    }
}

/* Finds the grid with the most parts, of these the one that costs least, and of these the one whose parts meet least.
 * Returns false if there is none of several parts. */
static bool find_grid(const struct amp__call *call, const struct amp__launch *launch, struct amp__division *division)
{
    struct choice best = {.n = 1};
    try_grids(call, launch, true, division, &best);
    if (best.n < amp__machine.n)
        try_grids(call, launch, false, division, &best);
    if (best.n == 1)
        return false;
    memcpy(division->grid, best.grid, sizeof best.grid);
    lay_out(call, launch, division);
    division->missing = 0;
    for (int number = 0; number < division->n; number++)
        division->missing += missing_bytes(call, &division->shares[number]);
    return true;
}

/* Returns the place that lacks the fewest bytes of what a launch uses, of these the last one: the processor. */
static int find_whole(const struct amp__call *call)
{
    int best = 0;
    size_t least = SIZE_MAX;
    for (int p = amp__machine.n - 1; p >= 0; p--) {
        size_t missing = 0;
        for (int i = 0; i < call->n_uses; i++)
            missing += amp__home_missing(amp__home_planned(call->uses[i].view), amp__machine.at[p]->location,
                                         call->uses[i].view);
        if (missing < least) {
            least = missing;
            best = p;
        }
    }
    return best;
}

/* Why a launch is not cut, whatever its footprints are; NULL: it may be. */
static const char *reason(const struct amp__call *call)
{
    return call->kernel->rank > 3                         ? "its index has a rank above 3"
           : call->n_strided && !call->kernel->is_closure ? "sections whose rows lie apart are copied for it"
                                                          : NULL;
}

amp_status amp__divide(const struct amp__call *call, const struct amp__launch *launch, struct amp__division *division)
{
    division->n = 0;
    division->why[0] = 0;
    division->memory = NULL;
    const char *why = reason(call);
    if (!why) {
        amp_status status = get_memory(call, division);
        if (status != AMP_OK)
            return status;
        add_weights(call, division);
        if (find_grid(call, launch, division))
            return AMP_OK;
        division->n = 0;
        why = division->why[0] ? NULL : "its domain is too small";
    }
    if (why)
        snprintf(division->why, sizeof division->why, "%s", why);
    division->whole = find_whole(call);
    return AMP_OK;
}
