/* SPDX-License-Identifier: MIT
 *
 * The boxes of a view that ranks have for themselves: those of a launch over its extent in which each thread writes its
 * element. So what such a launch has written is in its rank's box already. Of more than three dimensions, the first
 * three are cut. */
#include "../dry/dry.h"
#include "../ranks/ranks.h"
#include "all.h"

#include <limits.h>
#include <string.h>

enum { MOST_CUT = 3 };

/* ---- which boxes ---- */

static int n_cut(int rank)
{
    return rank < MOST_CUT ? rank : MOST_CUT;
}

static void reach(const void *rank_of_view, const int *box, long long *boxes)
{
    int rank = *(const int *)rank_of_view, absent = MOST_CUT - n_cut(rank);
    for (int d = 0; d < rank; d++) { /* nothing is read */
        *boxes++ = 1;
        *boxes++ = 0;
    }
    for (int d = 0; d < rank; d++) {
        *boxes++ = d < MOST_CUT ? box[2 * (absent + d)] : 0;
        *boxes++ = d < MOST_CUT ? box[2 * (absent + d) + 1] - 1 : LLONG_MAX;
    }
}

/* Sets up the launch over a view's extent. */
static void describe(struct amp__call *call, struct amp__launch *launch, amp_array_view *view)
{
    int absent = MOST_CUT - n_cut(view->extent.rank);
    call->n_uses = 1;
    call->n_strided = 0;
    call->block = (unsigned char *)&view->extent.rank;
    call->uses[0] = (struct amp__use){.param = call->kernel->params, .view = view};
    for (int d = 0; d < MOST_CUT; d++) {
        launch->box[2 * d] = 0;
        launch->box[2 * d + 1] = d < absent ? 1 : view->extent.dim[d - absent];
    }
}

static void set_piece(struct amp__piece *piece, const amp_array_view *view, int rank, const struct amp__span *span)
{
    piece->rank = rank;
    piece->origin = (amp_index){.rank = view->extent.rank};
    piece->view = span ? amp__span_view(view, span) : amp__view_all(view);
    for (int d = 0; d < view->extent.rank && span; d++)
        piece->origin.dim[d] = (int)span->low[d];
}

struct amp__pieces *amp__pieces_new(const amp_array_view *view)
{
    static const struct amp__reach reaches[] = {{.writes = 1}};
    amp_array_view all = amp__view_all(view);
    const struct amp__param param = {
        .name = "the view", .kind = 2, .rank = all.extent.rank, .size_bytes = all.element_size};
    const struct amp__kernel kernel = {.name = "a box for each rank",
                                       .file = "libamp",
                                       .rank = n_cut(all.extent.rank),
                                       .n_params = 1,
                                       .params = &param,
                                       .reach = reach,
                                       .reaches = reaches};
    struct amp__call call = {.kernel = &kernel};
    struct amp__launch launch = {.kernel = &kernel, .n_threads_per_point = 1};
    struct amp__division division;
    describe(&call, &launch, &all);
    if (amp__divide(&call, &launch, &division) != AMP_OK)
        return NULL;
    int n = division.n > 1 ? division.n : 1;
    struct amp__pieces *pieces =
        amp__alloc(sizeof *pieces + (size_t)n * sizeof *pieces->of, _Alignof(struct amp__pieces));
    if (!pieces)
        amp__fail(AMP_ERROR_OUT_OF_MEMORY, "no memory for the boxes of %d ranks", n);
    for (int i = 0; pieces && i < n; i++) {
        const struct amp__share *share = division.n > 1 ? &division.shares[i] : NULL;
        set_piece(&pieces->of[i], view, share ? share->place : division.whole,
                  share ? &share->footprints[0].written : NULL);
    }
    if (pieces)
        pieces->n = n;
    amp__free(division.memory);
    return pieces;
}

amp_status amp__pieces_begin(bool *are_needed)
{
    amp_accelerator_count(); /* so that accelerators are known */
    amp_status status = amp__ranks_begin();
    *are_needed =
        amp__dry_ranks || (amp__n_ranks > 1 && amp__places.n > 1 && amp__places.at[0]->backend == &amp__rank_backend);
    return status;
}

struct amp__piece *amp__piece_of(struct amp__pieces *pieces, int rank)
{
    for (int i = 0; i < pieces->n; i++)
        if (pieces->of[i].rank == rank)
            return &pieces->of[i];
    return NULL;
}

/* ---- the program's calls ---- */

amp_box amp_array_view_local(const amp_array_view *view, int rank)
{
    static const char call[] = "amp_array_view_local";
    bool are_needed;
    if (amp__object_check(view, AMP__ARRAY_VIEW, call) != AMP_OK || amp__pieces_begin(&are_needed) != AMP_OK)
        return (amp_box){0};
    amp_box box = {{.rank = view->extent.rank}, {.rank = view->extent.rank}};
    if (rank < 0 || rank >= amp_rank_count()) {
        amp__fail(AMP_ERROR_INVALID_ARGUMENT, "%s: there is no rank %d of %d", call, rank, amp_rank_count());
        return (amp_box){0};
    }
    if (!are_needed) {
        box.extent = view->extent;
        return box;
    }
    bool is_mapped = atomic_load(&view->home->mapped_by) == view && view->home->pieces;
    struct amp__pieces *pieces = is_mapped ? view->home->pieces : amp__pieces_new(view);
    const struct amp__piece *piece = pieces ? amp__piece_of(pieces, rank) : NULL;
    if (piece)
        box = (amp_box){piece->origin, piece->view.extent};
    if (!is_mapped)
        amp__free(pieces);
    return box;
}

static void *memory_of(const struct amp__piece *piece)
{
    return amp__home_memory(piece->view.home, amp__places.at[piece->rank]->location);
}

amp_status amp__piece_map(struct amp__piece *piece, bool reads)
{
    if (!piece)
        return AMP_OK;
    if (!amp__dry_ranks)
        return amp__ranks_insist(amp__own_map(&piece->view, memory_of(piece), reads, &piece->first));
    piece->first = amp__home_address(piece->view.home, amp__places.at[0], piece->view.offset_bytes);
    return AMP_OK;
}

amp_status amp__piece_unmap(const struct amp__piece *piece, bool writes)
{
    bool is_mapped = piece && !amp__dry_ranks;
    return is_mapped ? amp__ranks_insist(amp__own_unmap(&piece->view, memory_of(piece), piece->first, writes)) : AMP_OK;
}

static struct amp__home *planned_for(const struct amp__piece *piece)
{
    return amp__home_planned(&piece->view);
}

static amp_accelerator_view *queue_of(const struct amp__piece *piece)
{
    return &amp__machine.at[piece->rank]->view;
}

static amp_status finish(amp_status status)
{
    return status == AMP_OK && amp__n_ranks > 1 ? amp__ranks_insist(amp__transfers_finish()) : status;
}

amp_status amp__pieces_bring(const char *call, const amp_array_view *view, const struct amp__pieces *pieces)
{
    struct amp__suspect suspect = {NULL, call, view};
    amp_status status = AMP_OK;
    amp__ranks_suspect(&suspect);
    amp__dry_hold();
    for (int i = 0; i < pieces->n && status == AMP_OK; i++)
        status = amp__home_read(planned_for(&pieces->of[i]), queue_of(&pieces->of[i]), &pieces->of[i].view);
    amp__dry_resume();
    amp__ranks_suspect(NULL);
    return finish(status);
}

amp_status amp__pieces_reserve(const struct amp__pieces *pieces)
{
    amp_status status = AMP_OK;
    amp__dry_hold();
    for (int i = 0; i < pieces->n && status == AMP_OK; i++)
        status = amp__home_reserve(planned_for(&pieces->of[i]), queue_of(&pieces->of[i]), &pieces->of[i].view);
    amp__dry_resume();
    return finish(status);
}

/* In a dry run the host has everything. */
static amp_status bring(const char *call, const amp_array_view *view, const struct amp__pieces *pieces)
{
    AMP__EVENT(event, .kind = AMP__CALL, .name = call);
    amp_status status = amp__pieces_bring(call, view, pieces);
    if (amp__dry_ranks && status == AMP_OK) {
        amp__dry_agree(call, 0);
        status = amp__home_show(view->home, view);
    }
    return amp__event_end(&event, status);
}

void *amp_array_view_map_local(amp_array_view *view, amp_access_type access)
{
    static const char call[] = "amp_array_view_map_local";
    bool are_needed;
    if (amp__object_check(view, AMP__ARRAY_VIEW, call) != AMP_OK || amp__pieces_begin(&are_needed) != AMP_OK)
        return NULL;
    if (!are_needed)
        return amp__view_map(call, view, access);
    if (amp__view_check_access(call, view, access) != AMP_OK || amp__view_begin(call, view, AMP_ACCESS_WRITE) != AMP_OK)
        return NULL;
    struct amp__pieces *pieces = amp__pieces_new(view);
    if (!pieces)
        return NULL;
    if (amp__n_ranks > 1)
        amp__history_call(call, view, "");
    struct amp__piece *mine = amp__piece_of(pieces, amp__rank);
    if (bring(call, view, pieces) != AMP_OK || amp__piece_map(mine, true) != AMP_OK) {
        amp__free(pieces);
        return NULL;
    }
    view->home->pieces = pieces;
    view->home->mapped_for = access;
    atomic_store(&view->home->mapped_by, view);
    return mine ? mine->first : NULL;
}

amp_status amp__pieces_own(const struct amp__pieces *pieces)
{
    amp_status status = AMP_OK;
    amp__dry_hold();
    for (int i = 0; i < pieces->n && status == AMP_OK; i++)
        status = amp__home_own(planned_for(&pieces->of[i]), queue_of(&pieces->of[i])->accelerator->location,
                               &pieces->of[i].view);
    amp__dry_resume();
    return status;
}

amp_status amp__pieces_unmap(struct amp__pieces *pieces, bool writes)
{
    amp_status status = amp__piece_unmap(amp__piece_of(pieces, amp__rank), writes);
    if (status == AMP_OK && writes)
        status = amp__pieces_own(pieces);
    amp__free(pieces);
    return status;
}
