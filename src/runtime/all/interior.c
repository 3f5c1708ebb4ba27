/* SPDX-License-Identifier: MIT
 *
 * The interior of a part: a box of it that touches nothing that copies from other places bring, and writes nothing that
 * copies take to them. It runs while they go
 * on, and the rest of the part, its rims, afterwards. It is found by trying: a side moves inwards as far as that spares
 * the box a copy, and a plan keeps what comes out of it. */
#include "all.h"

#include <string.h>

enum { LEAST_THREADS = 1 << 15, MOST_STEP = 64, LANES = 16 };

/* How many copies bring something that a box of the share touches, or take away what it writes. */
static int count_copies(const struct amp__call *call, const struct amp__plan *plan, int location, const int *box,
                        struct amp__footprint *footprints)
{
    int n = 0;
    amp__footprints(call, box, footprints);
    for (const struct amp__home_plan *h = plan->homes; h < plan->homes + plan->n_homes; h++)
        for (int use = h->use; use < call->n_uses; use++) {
            const amp_array_view *view = call->uses[use].view;
            const struct amp__footprint *f = &footprints[use];
            if (view->home != call->uses[h->use].view->home)
                continue;
            for (int i = -1; i < (f->n_reads ? f->n_reads : 1); i++) {
                const struct amp__span *span = i < 0 ? &f->written : f->n_reads ? &f->reads[i] : &f->read;
                amp_array_view part = amp__span_view(view, span);
                n += amp__span_is_empty(span)
                         ? 0
                         : amp__effect_meets(&h->effect, view->home, location, span == &f->written, &part);
            }
        }
    return n;
}

static long long threads_of(const int *box)
{
    return (long long)(box[1] - box[0]) * (box[3] - box[2]) * (box[5] - box[4]);
}

/* Moves one side of a box inwards, if that spares it copies: as little as spares it the most. Rims of the last
 * dimension are as wide as vectors. */
static void move_side(const struct amp__call *call, const struct amp__plan *plan, int location, int side, int *box,
                      int *n_copies, struct amp__footprint *footprints)
{
    int best[6];
    memcpy(best, box, sizeof best);
    for (int step = side >= 4 ? LANES : 1; step <= MOST_STEP; step *= 2) {
        int trial[6];
        memcpy(trial, box, sizeof trial);
        trial[side] += side % 2 ? -step : step;
        if (trial[side | 1] <= trial[side & ~1])
            break;
        int n = count_copies(call, plan, location, trial, footprints);
        if (n < *n_copies) {
            *n_copies = n;
            memcpy(best, trial, sizeof best);
        }
    }
    memcpy(box, best, sizeof best);
}

void amp__plan_interior(const struct amp__call *call, struct amp__plan *plan)
{
    int here = 0;
    for (const struct amp__share *s = plan->division.shares; here < plan->division.n; here++, s++) {
        const amp_accelerator *place = amp__places.at[s->place];
        if (place->backend->is_overlapping && place->backend->is_overlapping(place->device))
            break;
    }
    for (const struct amp__home_plan *h = plan->homes; h < plan->homes + plan->n_homes; h++)
        if (h->effect.is_broken)
            return;
    if (!plan->key || here == plan->division.n || threads_of(plan->division.shares[here].box) < LEAST_THREADS)
        return; /* a plan that is not kept is not worth the search */
    const struct amp__share *share = &plan->division.shares[here];
    struct amp__footprint *footprints = amp__alloc(AMP__MAX_ARGS * sizeof *footprints, _Alignof(struct amp__footprint));
    if (!footprints)
        return;
    int box[6], location = amp__places.at[share->place]->location;
    memcpy(box, share->box, sizeof box);
    int n = count_copies(call, plan, location, box, footprints);
    bool has_copies = n > 0;
    for (int side = 0; side < 6 && n > 0; side++)
        move_side(call, plan, location, side, box, &n, footprints);
    if (has_copies && n == 0 && 2 * threads_of(box) > threads_of(share->box)) {
        plan->interior.share = here;
        memcpy(plan->interior.box, box, sizeof box);
    }
    amp__free(footprints);
}

int amp__cut_rims(const int box[6], const int interior[6], int rims[6][6])
{
    int n = 0, rest[6];
    memcpy(rest, box, sizeof rest);
    for (int side = 0; side < 6; side++) {
        if (rest[side] == interior[side])
            continue;
        memcpy(rims[n], rest, sizeof rest);
        rims[n++][side ^ 1] = rest[side] = interior[side];
    }
    return n;
}
