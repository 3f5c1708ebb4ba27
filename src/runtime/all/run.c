/* SPDX-License-Identifier: MIT
 *
 * A launch on several places. All that the parts may read or leave as it was is brought to their places before any of
 * them runs. Afterwards a place is the owner of what its part may have written. A launch that has a plan (plans.c)
 * repeats what was done to each home, unless somebody has changed that home just now. */
#include "../dry/dry.h"
#include "../ranks/ranks.h"
#include "all.h"

#include <string.h>

static amp_accelerator_view *queue_of(const struct amp__share *share)
{
    return &amp__machine.at[share->place]->view;
}

static bool works_in_place(const struct amp__share *share)
{
    return amp__places.at[share->place]->location == AMP__HOST;
}

enum amp__role amp__share_role(const struct amp__call *call, const struct amp__share *share, int use)
{
    struct amp__footprint room;
    const struct amp__footprint *f = amp__share_footprint(call, share, use, &room);
    return call->uses[use].param->read_only || amp__span_is_empty(&f->written) ? AMP__READS
           : amp__use_is_reduced(call, use, f)                                 ? AMP__REDUCES
                                                                               : AMP__WRITES;
}

static amp_status bring(const struct amp__share *share, const amp_array_view *view, const struct amp__span *span,
                        struct amp__effect *effect)
{
    if (amp__span_is_empty(span))
        return AMP_OK;
    amp_array_view part = amp__span_view(view, span);
    return amp__effect_read(effect, amp__home_planned(view), queue_of(share), &part);
}

/* Brings to the place of a part what it needs of a use; nothing of what it reduces. */
static amp_status bring_all(const struct amp__call *call, const struct amp__share *share, int use,
                            struct amp__effect *effect)
{
    const amp_array_view *view = call->uses[use].view;
    struct amp__footprint room;
    const struct amp__footprint *f = amp__share_footprint(call, share, use, &room);
    enum amp__role role = amp__share_role(call, share, use);
    if (role == AMP__REDUCES)
        return AMP_OK;
    struct amp__suspect suspect = {call->kernel, call->uses[use].param->name, view};
    amp__ranks_suspect(&suspect);
    amp_status status = f->n_reads ? AMP_OK : bring(share, view, &f->read, effect);
    for (int i = 0; i < f->n_reads && status == AMP_OK; i++)
        status = bring(share, view, &f->reads[i], effect);
    amp__ranks_suspect(NULL);
    if (status == AMP_OK && role == AMP__WRITES)
        status = bring(share, view, &f->written, effect);
    return status;
}

/* Makes a use current at the place of a part, except what is reduced there. */
static amp_status acquire(const struct amp__call *call, const struct amp__share *share, int use,
                          struct amp__effect *effect)
{
    if (amp__share_role(call, share, use) == AMP__REDUCES)
        return AMP_OK;
    amp_status status = bring_all(call, share, use, effect);
    return status == AMP_OK ? amp__home_reserve(amp__home_planned(call->uses[use].view), queue_of(share), NULL)
                            : status;
}

amp_status amp__plan_acquire(const struct amp__call *call, struct amp__plan *plan, struct amp__home_plan *h,
                             bool *is_planned)
{
    struct amp__home *home = call->uses[h->use].view->home, *planned = amp__home_planned(call->uses[h->use].view);
    amp_status status = AMP_OK;
    if (plan->is_known && amp__effect_repeat_reads(&h->effect, planned, &status))
        return status;
    *is_planned = *is_planned && !plan->is_known;
    for (int use = h->use; use < call->n_uses; use++)
        for (int i = 0; i < plan->division.n && status == AMP_OK && call->uses[use].view->home == home; i++)
            status = acquire(call, &plan->division.shares[i], use, plan->is_known ? NULL : &h->effect);
    if (status == AMP_OK && !plan->is_known)
        amp__effect_have_read(&h->effect, planned);
    return status;
}

/* Begins each private copy of a use that is reduced, or, if `found` is not NULL, ends it. */
static amp_status for_copies(const struct amp__call *call, const struct amp__division *division, int use,
                             struct amp__found *found)
{
    const struct amp__share *share = division->shares, *end = share + division->n;
    amp_status status = AMP_OK;
    for (; share < end && status == AMP_OK; share++) {
        if (works_in_place(share) || amp__share_role(call, share, use) != AMP__REDUCES)
            continue;
        struct amp__footprint room;
        const struct amp__footprint *f = amp__share_footprint(call, share, use, &room);
        amp_array_view part = amp__span_view(call->uses[use].view, &f->written);
        status = found ? amp__private_end(&part, queue_of(share), f->reach->reduces, found)
                       : amp__private_begin(&part, queue_of(share), f->reach->reduces);
    }
    return status;
}

/* If ranks are to be checked: whether they have the same in the host's memory. */
static amp_status compare(const struct amp__call *call, int use, const amp_array_view *view)
{
    struct amp__suspect suspect = {call->kernel, call->uses[use].param->name, view};
    if (!amp__ranks_check)
        return AMP_OK;
    amp__ranks_suspect(&suspect);
    amp_status status = amp__ranks_compare_view(view);
    amp__ranks_suspect(NULL);
    return status;
}

/* Gives places their private copies of a use that is reduced; after this only the host has its contents. */
static amp_status begin_reduction(const struct amp__call *call, const struct amp__division *division, int use)
{
    const amp_array_view *view = call->uses[use].view;
    amp_status status = amp__home_read(view->home, NULL, view);
    if (status == AMP_OK)
        status = compare(call, use, view);
    if (status == AMP_OK)
        status = for_copies(call, division, use, NULL);
    return status == AMP_OK ? amp__home_own(view->home, AMP__HOST, view) : status;
}

static amp_status end_reduction(const struct amp__call *call, const struct amp__division *division, int use)
{
    struct amp__found found = {0};
    return amp__found_combine(&found, for_copies(call, division, use, &found));
}

static amp_status for_reductions(const struct amp__call *call, const struct amp__plan *plan,
                                 amp_status (*work)(const struct amp__call *, const struct amp__division *, int use))
{
    amp_status status = AMP_OK;
    for (int i = 0; i < plan->n_homes && status == AMP_OK; i++)
        if (plan->homes[i].is_reduced)
            status = work(call, &plan->division, plan->homes[i].use);
    return status;
}

static size_t bytes_of(const struct amp__call *call, const struct amp__share *share)
{
    size_t bytes = 0;
    for (int use = 0; use < call->n_uses; use++) {
        const struct amp__footprint *f = &share->footprints[use];
        const struct amp__span *span = amp__span_is_empty(&f->read) ? &f->written : &f->read;
        amp_array_view part = amp__span_view(call->uses[use].view, span);
        bytes += amp__span_is_empty(span) ? 0 : amp__view_bytes(&part);
    }
    return bytes;
}

/* Lets a part write what it may. */
static amp_status commit(const struct amp__call *call, const struct amp__share *share, int use)
{
    const struct amp__span *written = &share->footprints[use].written;
    const amp_array_view *view = call->uses[use].view;
    const amp_accelerator *a = queue_of(share)->accelerator;
    if (!a->backend->commit || call->uses[use].param->read_only || amp__span_is_empty(written))
        return AMP_OK;
    amp_array_view part = amp__span_view(view, written);
    return amp__home_commit(view->home, a, &part);
}

/* Runs the interior of a part while its copies go on, and then its rims. */
static amp_status run_around(const struct amp__call *call, const struct amp__launch *part, const amp_extent *extent,
                             amp_accelerator_view *on, const int *interior)
{
    struct amp__launch launch = *part;
    int rims[6][6], n = amp__cut_rims(part->box, interior, rims);
    memcpy(launch.box, interior, sizeof launch.box);
    launch.is_early = true;
    amp_status status = amp__launch_box(call, &launch, extent, on, 0);
    launch.is_early = false;
    for (int i = 0; i < n && status == AMP_OK; i++) {
        memcpy(launch.box, rims[i], sizeof launch.box);
        status = amp__launch_box(call, &launch, extent, on, 0);
    }
    return status;
}

/* Runs a part; `interior`, if not NULL, is what of it can run first. */
static amp_status run_share(struct amp__call *call, const struct amp__launch *launch, const amp_extent *extent,
                            const struct amp__share *share, const int *interior)
{
    amp_status status = AMP_OK;
    amp_accelerator_view *on = queue_of(share);
    struct amp__launch part = *launch;
    struct amp__timing timing;
    double n = (double)launch->n_threads_per_point;
    memcpy(part.box, share->box, sizeof part.box);
    for (int d = 0; d < 3; d++)
        n *= part.box[2 * d + 1] - part.box[2 * d];
    for (int use = 0; use < call->n_uses && status == AMP_OK; use++) {
        status = commit(call, share, use);
        if (status == AMP_OK)
            status = amp__launch_pass(call, &call->uses[use], on);
    }
    if (status != AMP_OK)
        return status;
    amp__speeds_begin(call->kernel, on->accelerator, &timing);
    if (interior && !amp__is_watched() && !amp__log_wants(AMP__LOG_INFO))
        status = run_around(call, &part, extent, on, interior);
    else
        status = amp__launch_box(call, &part, extent, on, amp__is_watched() ? bytes_of(call, share) : 0);
    amp__speeds_end(share->place, n, &timing);
    return status;
}

/* Records what a place has written. After a failure it is not to be trusted. */
static amp_status settle(const struct amp__call *call, const struct amp__share *share, int use,
                         struct amp__effect *effect, amp_status status)
{
    const amp_array_view *view = call->uses[use].view;
    int location = queue_of(share)->accelerator->location;
    if (amp__share_role(call, share, use) != AMP__WRITES)
        return status;
    struct amp__footprint room;
    amp_array_view part = amp__span_view(view, &amp__share_footprint(call, share, use, &room)->written);
    if (status == AMP_OK)
        return amp__effect_own(effect, amp__home_planned(view), location, &part);
    amp__home_abandon(amp__home_planned(view), location, &part);
    return status;
}

amp_status amp__plan_settle(const struct amp__call *call, struct amp__plan *plan, struct amp__home_plan *h,
                            amp_status status)
{
    struct amp__home *home = call->uses[h->use].view->home, *planned = amp__home_planned(call->uses[h->use].view);
    if (!h->is_written || (plan->is_known && status == AMP_OK && amp__effect_repeat_owns(&h->effect, planned)))
        return status;
    for (int use = h->use; use < call->n_uses; use++)
        for (int i = 0; i < plan->division.n && call->uses[use].view->home == home; i++)
            status = settle(call, &plan->division.shares[i], use, plan->is_known ? NULL : &h->effect, status);
    if (status == AMP_OK && !plan->is_known)
        amp__effect_end(&h->effect, planned);
    return status;
}

/* Records that the parts have run, or have got to run. */
static amp_status settle_all(const struct amp__call *call, struct amp__plan *plan, amp_status status)
{
    const struct amp__division *division = &plan->division;
    for (const struct amp__share *share = division->shares + plan->begin; share < division->shares + plan->end; share++)
        for (int use = 0; use < call->n_uses && queue_of(share)->accelerator->backend->wait; use++) {
            amp_status used = amp__home_used(call->uses[use].view->home, queue_of(share));
            status = status == AMP_OK ? used : status;
        }
    for (int i = 0; i < plan->n_homes; i++)
        status = amp__plan_settle(call, plan, &plan->homes[i], status);
    return status;
}

static void log_division(const struct amp__call *call, const amp_extent *extent, const struct amp__division *division)
{
    char shape[AMP__SHAPE_TEXT], grid[AMP__SHAPE_TEXT];
    amp__log("%s (%s:%d) over %s on all: in %s parts, whose places lack %zu bytes", call->kernel->name,
             call->kernel->file, call->kernel->line, amp__shape_text(extent->rank, extent->dim, shape),
             amp__shape_text(extent->rank, division->grid + 3 - extent->rank, grid), division->missing);
}

/* Notes which places of a new plan need memory, and which of its parts run here. */
static void note_places(struct amp__plan *plan)
{
    uint32_t used = AMP__SET_NOTHING, queued = AMP__SET_NOTHING;
    bool is_set = true;
    for (int i = 0; i < plan->division.n && is_set; i++) {
        const amp_accelerator *a = queue_of(&plan->division.shares[i])->accelerator;
        used = amp__set_with(used, a->location);
        queued = a->backend->wait ? amp__set_with(queued, a->location) : queued;
        is_set = used != AMP__SET_NOTHING && (queued != AMP__SET_NOTHING || !a->backend->wait);
        if (a->backend->is_elsewhere && a->backend->is_elsewhere(a->device))
            continue;
        plan->begin = plan->end ? plan->begin : i;
        plan->end = i + 1;
    }
    for (struct amp__home_plan *h = plan->homes; h < plan->homes + plan->n_homes; h++) {
        h->effect.used = used;
        h->effect.queued = queued;
        h->effect.is_broken |= !is_set;
    }
}

void amp__plan_roles(const struct amp__call *call, struct amp__plan *plan)
{
    for (struct amp__home_plan *h = plan->homes; h < plan->homes + plan->n_homes; h++)
        for (int use = h->use; use < call->n_uses; use++)
            for (int i = 0; i < plan->division.n && call->uses[use].view->home == call->uses[h->use].view->home; i++) {
                enum amp__role role = amp__share_role(call, &plan->division.shares[i], use);
                h->is_reduced |= role == AMP__REDUCES;
                h->is_written |= role == AMP__WRITES;
            }
    note_places(plan);
}

static amp_status run_shares(struct amp__call *call, const struct amp__launch *launch, const amp_extent *extent,
                             struct amp__plan *plan)
{
    const struct amp__division *division = &plan->division;
    amp_status status = AMP_OK;
    bool is_planned = true;
    if (amp__log_wants(AMP__LOG_INFO))
        log_division(call, extent, division);
    if (!plan->is_known)
        amp__plan_roles(call, plan);
    for (int i = 0; i < plan->n_homes && status == AMP_OK; i++)
        status = amp__plan_acquire(call, plan, &plan->homes[i], &is_planned);
    if (status == AMP_OK && !plan->is_known)
        amp__plan_interior(call, plan);
    if (status == AMP_OK)
        status = for_reductions(call, plan, begin_reduction);
    if (status != AMP_OK)
        return status;
    for (int i = plan->begin; i < plan->end && status == AMP_OK; i++)
        status = run_share(call, launch, extent, &division->shares[i],
                           is_planned && i == plan->interior.share ? plan->interior.box : NULL);
    const struct amp__backend *backend = amp__places.at[0]->backend;
    status = backend->agree ? backend->agree(call->kernel, status) : status;
    status = settle_all(call, plan, status);
    return status == AMP_OK ? for_reductions(call, plan, end_reduction) : status;
}

/* Brings what a launch may read to the place where it runs as a whole, so that ranks compare it. The footprints are
 * too large for the stacks of some threads. */
static amp_status compare_reads(const struct amp__call *call, const struct amp__launch *launch, int place)
{
    struct amp__footprint *footprints = amp__alloc(AMP__MAX_ARGS * sizeof *footprints, _Alignof(struct amp__footprint));
    struct amp__share share = {.place = place, .footprints = footprints};
    amp_status status = AMP_OK;
    if (!footprints)
        return amp__kernel_fail(call->kernel, AMP_ERROR_OUT_OF_MEMORY, "no memory for what it may read");
    amp__footprints(call, launch->box, footprints);
    for (int use = 0; use < call->n_uses && status == AMP_OK; use++)
        status = bring_all(call, &share, use, NULL);
    amp__free(footprints);
    return status;
}

static amp_status run_whole(struct amp__call *call, struct amp__launch *launch, const amp_extent *extent,
                            const struct amp__division *division)
{
    bool is_compared = amp__ranks_check && call->kernel->rank <= 3; /* else nobody knows what it reads */
    amp_status status = is_compared ? compare_reads(call, launch, division->whole) : AMP_OK;
    if (status != AMP_OK)
        return status;
    call->on = &amp__places.at[division->whole]->view;
    if (amp__log_wants(AMP__LOG_INFO))
        amp__log("%s (%s:%d) runs as a whole on %s: %s", call->kernel->name, call->kernel->file, call->kernel->line,
                 call->on->accelerator->properties.path, division->why);
    return amp__launch_on(call, launch, extent, call->on);
}

static amp_status run(struct amp__call *call, struct amp__launch *launch, const amp_extent *extent)
{
    struct amp__plan *plan;
    amp_status status = amp__plan_begin(call, launch, &plan);
    if (status != AMP_OK)
        return status;
    status = plan->division.n > 1 ? run_shares(call, launch, extent, plan)
                                  : run_whole(call, launch, extent, &plan->division);
    amp__plan_end(call->kernel, plan, status);
    return status;
}

amp_status amp__all_run(struct amp__call *call, struct amp__launch *launch, const amp_extent *extent)
{
    amp_status status = amp__ranks_begin();
    if (status != AMP_OK)
        return status;
    if (amp__n_ranks > 1) {
        amp__history_launch(call, launch);
        amp__transfers_mark();
    }
    if (amp__places.n > 1)
        return run(call, launch, extent);
    call->on = &amp__places.at[0]->view;
    return amp__dry_ranks ? amp__dry_run(call, launch, extent) : amp__launch_on(call, launch, extent, call->on);
}
