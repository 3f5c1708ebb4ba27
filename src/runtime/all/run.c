/* SPDX-License-Identifier: MIT
 *
 * A launch on several places. All that the parts may read or leave as it was is brought to their places before any of
 * them runs. Afterwards a place is the owner of what its part may have written. */
#include "../ranks/ranks.h"
#include "all.h"

#include <string.h>

static amp_accelerator_view *queue_of(const struct amp__share *share)
{
    return &amp__places.at[share->place]->view;
}

static bool works_in_place(const struct amp__share *share)
{
    return amp__places.at[share->place]->location == AMP__HOST;
}

/* What a use is for a part. */
enum role { READS, WRITES, REDUCES };

static enum role role_of(const struct amp__call *call, const struct amp__share *share, int use)
{
    const struct amp__footprint *f = &share->footprints[use];
    return call->uses[use].param->read_only || amp__span_is_empty(&f->written) ? READS
           : amp__use_is_reduced(call, use, f)                                 ? REDUCES
                                                                               : WRITES;
}

static amp_status bring(const amp_array_view *view, const struct amp__span *span, amp_accelerator_view *on)
{
    if (amp__span_is_empty(span))
        return AMP_OK;
    amp_array_view part = amp__span_view(view, span);
    return amp__home_read(view->home, on, &part);
}

/* Makes a use current at the place of a part, except what is reduced there. */
static amp_status acquire(const struct amp__call *call, const struct amp__share *share, int use)
{
    const struct amp__use *u = &call->uses[use];
    const struct amp__footprint *f = &share->footprints[use];
    enum role role = role_of(call, share, use);
    if (role == REDUCES)
        return AMP_OK;
    amp_status status = bring(u->view, &f->read, queue_of(share));
    if (status == AMP_OK && role == WRITES)
        status = bring(u->view, &f->written, queue_of(share));
    return status == AMP_OK ? amp__home_reserve(u->view->home, queue_of(share), NULL) : status;
}

/* Calls `work` for each private copy of a use that is reduced. */
static amp_status for_copies(const struct amp__call *call, const struct amp__division *division, int use,
                             amp_status (*work)(const amp_array_view *, amp_accelerator_view *, int reduction))
{
    const struct amp__share *share = division->shares, *end = share + division->n;
    amp_status status = AMP_OK;
    for (; share < end && status == AMP_OK; share++) {
        const struct amp__footprint *f = &share->footprints[use];
        if (works_in_place(share) || role_of(call, share, use) != REDUCES)
            continue;
        amp_array_view part = amp__span_view(call->uses[use].view, &f->written);
        status = work(&part, queue_of(share), f->reach->reduces);
    }
    return status;
}

/* Gives places their private copies of a use that is reduced; after this only the host has its contents. */
static amp_status begin_reduction(const struct amp__call *call, const struct amp__division *division, int use)
{
    const amp_array_view *view = call->uses[use].view;
    amp_status status = amp__home_read(view->home, NULL, view);
    if (status == AMP_OK)
        status = for_copies(call, division, use, amp__private_begin);
    return status == AMP_OK ? amp__home_own(view->home, AMP__HOST, view) : status;
}

static amp_status end_reduction(const struct amp__call *call, const struct amp__division *division, int use)
{
    return for_copies(call, division, use, amp__private_end);
}

/* Whether any part reduces a use. */
static bool is_reduced(const struct amp__call *call, const struct amp__division *division, int use)
{
    bool is = false;
    for (int i = 0; i < division->n; i++)
        is |= role_of(call, &division->shares[i], use) == REDUCES;
    return is;
}

static amp_status for_reductions(const struct amp__call *call, const struct amp__division *division,
                                 amp_status (*work)(const struct amp__call *, const struct amp__division *, int use))
{
    amp_status status = AMP_OK;
    for (int use = 0; use < call->n_uses && status == AMP_OK; use++)
        if (is_reduced(call, division, use))
            status = work(call, division, use);
    return status;
}

static size_t bytes_of(const struct amp__call *call, const struct amp__share *share)
{
    size_t bytes = 0;
    for (int use = 0; use < call->n_uses; use++) {
        const struct amp__footprint *f = &share->footprints[use];
        const struct amp__span *span = amp__span_is_empty(&f->read) ? &f->written : &f->read;
        amp_array_view part = amp__span_view(call->uses[use].view, span);
        bytes += amp__span_is_empty(span) ? 0 : (size_t)amp_extent_size(part.extent) * part.element_size;
    }
    return bytes;
}

static amp_status run_share(struct amp__call *call, const struct amp__launch *launch, const amp_extent *extent,
                            const struct amp__share *share)
{
    amp_status status = AMP_OK;
    amp_accelerator_view *on = queue_of(share);
    struct amp__launch part = *launch;
    struct amp__timing timing;
    double n = (double)launch->n_threads_per_point;
    memcpy(part.box, share->box, sizeof part.box);
    for (int d = 0; d < 3; d++)
        n *= part.box[2 * d + 1] - part.box[2 * d];
    for (int use = 0; use < call->n_uses && status == AMP_OK; use++)
        status = amp__launch_pass(call, &call->uses[use], on);
    if (status != AMP_OK)
        return status;
    amp__speeds_begin(on->accelerator, &timing);
    status = amp__launch_box(call, &part, extent, on, amp__is_watched() ? bytes_of(call, share) : 0);
    amp__speeds_end(call->kernel, share->place, n, &timing);
    return status;
}

/* Records what a place has written. After a failure it is not to be trusted. */
static amp_status settle(const struct amp__call *call, const struct amp__share *share, amp_status status)
{
    amp_accelerator_view *on = queue_of(share);
    for (int use = 0; use < call->n_uses; use++) {
        amp_status used = amp__home_used(call->uses[use].view->home, on);
        status = status == AMP_OK ? used : status;
    }
    for (int use = 0; use < call->n_uses; use++) {
        const amp_array_view *view = call->uses[use].view;
        if (role_of(call, share, use) != WRITES)
            continue;
        amp_array_view part = amp__span_view(view, &share->footprints[use].written);
        if (status == AMP_OK)
            status = amp__home_own(view->home, on->accelerator->location, &part);
        else
            amp__home_abandon(view->home, on->accelerator->location, &part);
    }
    return status;
}

static void log_division(const struct amp__call *call, const amp_extent *extent, const struct amp__division *division)
{
    char shape[AMP__SHAPE_TEXT], grid[AMP__SHAPE_TEXT];
    amp__log("%s (%s:%d) over %s on all: in %s parts, whose places lack %zu bytes", call->kernel->name,
             call->kernel->file, call->kernel->line, amp__shape_text(extent->rank, extent->dim, shape),
             amp__shape_text(extent->rank, division->grid + 3 - extent->rank, grid), division->missing);
}

static amp_status run_shares(struct amp__call *call, const struct amp__launch *launch, const amp_extent *extent,
                             const struct amp__division *division)
{
    amp_status status = AMP_OK;
    if (amp__log_wants(AMP__LOG_INFO))
        log_division(call, extent, division);
    for (int i = 0; i < division->n; i++)
        for (int use = 0; use < call->n_uses && status == AMP_OK; use++)
            status = acquire(call, &division->shares[i], use);
    if (status == AMP_OK)
        status = for_reductions(call, division, begin_reduction);
    if (status != AMP_OK)
        return status;
    for (int i = 0; i < division->n && status == AMP_OK; i++)
        status = run_share(call, launch, extent, &division->shares[i]);
    const struct amp__backend *backend = amp__places.at[0]->backend;
    status = backend->agree ? backend->agree(call->kernel, status) : status;
    for (int i = 0; i < division->n; i++)
        status = settle(call, &division->shares[i], status);
    return status == AMP_OK ? for_reductions(call, division, end_reduction) : status;
}

static amp_status run_whole(struct amp__call *call, struct amp__launch *launch, const amp_extent *extent,
                            const struct amp__division *division)
{
    call->on = &amp__places.at[division->whole]->view;
    if (division->why[0] && amp__log_wants(AMP__LOG_INFO))
        amp__log("%s (%s:%d) runs as a whole on %s: %s", call->kernel->name, call->kernel->file, call->kernel->line,
                 call->on->accelerator->properties.path, division->why);
    return amp__launch_on(call, launch, extent, call->on);
}

amp_status amp__all_run(struct amp__call *call, struct amp__launch *launch, const amp_extent *extent)
{
    struct amp__division division = {.memory = NULL};
    amp_status status = amp__ranks_begin();
    if (status == AMP_OK && amp__n_ranks > 1)
        amp__history_launch(call, launch);
    if (status == AMP_OK)
        status = amp__divide(call, launch, &division);
    if (status == AMP_OK)
        status =
            division.n > 1 ? run_shares(call, launch, extent, &division) : run_whole(call, launch, extent, &division);
    amp__free(division.memory);
    return status;
}
