/* SPDX-License-Identifier: MIT
 *
 * Where the bytes of homes would be: the transitions of coherence.c, as far as ranks make them, without any bytes. The
 * `places` of a part are the number of a set. Moves are told to traffic.c. */
#include "dry.h"

#include <stdlib.h>
#include <string.h>

struct amp__spread {
    struct amp__parts parts;
    struct amp__layout *layout; /* that somebody has asked for last, which so keeps its address; or NULL */
};

static amp_status fail_memory(void)
{
    return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "dry run: no memory for the list of where a view's sections would be");
}

static uint32_t only(int location)
{
    return amp__set_with(AMP__SET_NOTHING, location);
}

/* At first everything is on the host. */
static struct amp__parts *parts_of(struct amp__home *home)
{
    if (!home->spread && (home->spread = calloc(1, sizeof *home->spread)))
        amp__parts_init(&home->spread->parts, &home->grid,
                        home->place == AMP__NOWHERE ? (uint32_t)AMP__SET_EVERYWHERE : only(AMP__HOST));
    return home->spread ? &home->spread->parts : NULL;
}

static void drop_layout(struct amp__layout *layout)
{
    amp__coherence_hold();
    amp__layout_release(layout);
    amp__coherence_resume();
}

void amp__dry_forget(struct amp__home *home)
{
    drop_layout(home->spread->layout);
    amp__parts_fini(&home->spread->parts);
    free(home->spread);
    home->spread = NULL;
}

static bool is_crumbled(const struct amp__parts *parts)
{
    int n = (parts->n - 1) / AMP__PARTS_PER_PLACE + 1; /* with so many places it is none */
    return parts->n > AMP__MOST_PARTS && !amp__sets_have(parts, n);
}

static bool moves_with_more(const struct amp__home *home, const amp_array_view *view)
{
    struct amp__cover cover;
    amp__cover_begin(&cover, &home->grid, view, AMP__MOST_RUNS);
    return cover.is_rough;
}

/* Makes the set of a box another one, or adds a location to it. */
static amp_status change(struct amp__home *home, const struct amp__box *box, uint32_t set, int added)
{
    struct amp__parts *parts = parts_of(home);
    struct amp__box common;
    if (!amp__parts_split(parts, home->grid.rank, box))
        return fail_memory();
    for (struct amp__part *part = parts->of; part < parts->of + parts->n; part++)
        if (amp__box_meet(home->grid.rank, &part->box, box, &common))
            amp__part_set(part, set ? set : amp__set_with(part->places, added));
    return AMP_OK;
}

static amp_status change_view(struct amp__home *home, const amp_array_view *view, size_t most_runs, uint32_t set)
{
    struct amp__cover cover;
    const struct amp__box *box;
    amp_status status = AMP_OK;
    amp__cover_begin(&cover, &home->grid, view, most_runs);
    while (status == AMP_OK && (box = amp__cover_next(&cover)))
        status = change(home, box, set, AMP__HOST);
    amp__parts_join(parts_of(home), home->grid.rank);
    return status;
}

/* ---- reading ---- */

static bool find_missing(struct amp__home *home, const struct amp__box *box, uint32_t *set, struct amp__move *move)
{
    const struct amp__parts *parts = parts_of(home);
    for (const struct amp__part *part = parts->of; part < parts->of + parts->n; part++)
        if (!amp__set_has(part->places, move->to) && amp__box_meet(home->grid.rank, &part->box, box, &move->box)) {
            *set = part->places;
            return true;
        }
    return false;
}

static uint32_t places_before(const struct amp__effect *effect, const struct amp__home *home, uint32_t set,
                              const struct amp__box *box)
{
    uint32_t before = set;
    struct amp__box common;
    const struct amp__layout *layout = effect ? effect->before : NULL;
    for (int i = 0; layout && i < layout->n; i++)
        if (amp__box_meet(home->grid.rank, &layout->of[i].box, box, &common))
            before = amp__set_common(before, layout->of[i].places);
    return before ? before : set;
}

static amp_status fetch(struct amp__home *home, int location, const struct amp__box *box, struct amp__effect *effect)
{
    struct amp__move next = {.to = location};
    uint32_t set;
    amp_status status = AMP_OK;
    while (status == AMP_OK && find_missing(home, box, &set, &next)) {
        bool is_between = location != AMP__HOST && !amp__set_has(set, AMP__HOST);
        next.from = amp__set_first(is_between ? places_before(effect, home, set, &next.box) : set);
        status = amp__traffic_move(home, &next);
        if (status == AMP_OK)
            status = change(home, &next.box, 0, location);
        amp__parts_join(parts_of(home), home->grid.rank);
    }
    return status;
}

/* The set of all that is everywhere in the home. */
static uint32_t common_set(const struct amp__parts *parts)
{
    uint32_t common = parts->of[0].places;
    for (int i = 1; i < parts->n; i++)
        common = amp__set_common(common, parts->of[i].places);
    return common;
}

amp_status amp__spread_read(struct amp__home *home, int location, const amp_array_view *view,
                            struct amp__effect *effect)
{
    struct amp__cover cover;
    const struct amp__box *box;
    struct amp__parts *parts = parts_of(home);
    if (!parts)
        return fail_memory();
    amp_status status = AMP_OK;
    bool is_in_crumbs = is_crumbled(parts);
    amp__cover_begin(&cover, &home->grid, is_in_crumbs ? NULL : view, AMP__MOST_RUNS);
    while (status == AMP_OK && (box = amp__cover_next(&cover)))
        status = fetch(home, location, box, effect);
    if (status == AMP_OK && is_in_crumbs)
        amp__parts_reset(parts, &home->grid, common_set(parts));
    return status;
}

amp_status amp__spread_reserve(struct amp__home *home, int location, const amp_array_view *view)
{
    const struct amp__parts *parts = parts_of(home);
    if (!parts)
        return fail_memory();
    bool is_whole = !view || amp__view_is_whole(view);
    return is_whole || (!is_crumbled(parts) && !moves_with_more(home, view))
               ? AMP_OK
               : amp__spread_read(home, location, view, NULL);
}

amp_status amp__spread_show(struct amp__home *home, const amp_array_view *view, int rank)
{
    struct amp__cover cover;
    const struct amp__box *box;
    struct amp__box common;
    struct amp__rows rows;
    const struct amp__parts *parts = parts_of(home);
    if (!parts)
        return fail_memory();
    for (amp__cover_begin(&cover, &home->grid, view, AMP__MOST_RUNS); (box = amp__cover_next(&cover));)
        for (const struct amp__part *part = parts->of; part < parts->of + parts->n; part++)
            if (!amp__set_has(part->places, AMP__HOST) && amp__box_meet(home->grid.rank, &part->box, box, &common)) {
                amp__rows_begin(&rows, &home->grid, &common);
                do
                    amp__traffic_send(amp__set_first(part->places) - 1, rank, amp__rows_bytes(&rows));
                while (amp__rows_next(&rows, &home->grid));
            }
    return AMP_OK;
}

/* ---- writing ---- */

amp_status amp__spread_own(struct amp__home *home, int location, const amp_array_view *view)
{
    struct amp__cover cover;
    const struct amp__box *box;
    struct amp__box common;
    struct amp__parts *parts = parts_of(home);
    if (!parts)
        return fail_memory();
    uint32_t owner = only(location);
    bool is_there = true, is_owner = true;
    for (amp__cover_begin(&cover, &home->grid, view, AMP__MOST_RUNS); (box = amp__cover_next(&cover));)
        for (const struct amp__part *part = parts->of; part < parts->of + parts->n; part++)
            if (amp__box_meet(home->grid.rank, &part->box, box, &common)) {
                is_there &= amp__set_has(part->places, location);
                is_owner &= part->places == owner;
            }
    if (is_owner)
        return AMP_OK;
    if (view && !amp__view_is_whole(view))
        return change_view(home, view, is_there ? AMP__MOST_RUNS : SIZE_MAX, owner);
    amp__parts_reset(parts, &home->grid, owner);
    return AMP_OK;
}

amp_status amp__spread_discard(struct amp__home *home, const amp_array_view *view)
{
    const struct amp__parts *parts = parts_of(home);
    if (!parts)
        return fail_memory();
    return amp__view_is_whole(view) || (!is_crumbled(parts) && !moves_with_more(home, view))
               ? change_view(home, view, AMP__MOST_RUNS, AMP__SET_EVERYWHERE)
               : AMP_OK;
}

/* ---- what is known ---- */

size_t amp__spread_missing(int rank, const amp_array_view *view)
{
    struct amp__cover cover;
    const struct amp__box *box;
    struct amp__box common;
    size_t bytes = 0;
    const struct amp__home *home = view->home;
    const struct amp__parts *parts = parts_of(view->home);
    if (!parts)
        return 0;
    for (amp__cover_begin(&cover, &home->grid, view, AMP__MOST_RUNS); (box = amp__cover_next(&cover));)
        for (const struct amp__part *part = parts->of; part < parts->of + parts->n; part++)
            if (!amp__set_has(part->places, 1 + rank) && amp__box_meet(home->grid.rank, &part->box, box, &common))
                bytes += amp__box_bytes(&home->grid, &common);
    return bytes;
}

void amp__spread_keep(struct amp__home *home, struct amp__layout **layout)
{
    struct amp__parts *parts = parts_of(home);
    amp__coherence_hold();
    *layout = parts ? amp__layout_of(parts, &home->grid) : NULL;
    amp__coherence_resume();
}

const struct amp__layout *amp__spread_layout(struct amp__home *home)
{
    struct amp__layout *layout;
    amp__spread_keep(home, &layout);
    if (layout) {
        drop_layout(home->spread->layout);
        home->spread->layout = layout;
    }
    return layout;
}

void amp__spread_begin(struct amp__effect *effect, struct amp__home *home)
{
    *effect = (struct amp__effect){.memories = atomic_load(&home->memories)};
    amp__spread_keep(home, &effect->before);
    effect->is_broken = !effect->before;
}

amp_status amp__spread_turn(struct amp__home *home, const struct amp__layout *layout)
{
    struct amp__parts *parts = parts_of(home);
    if (!parts || !amp__parts_reserve(parts, layout->n))
        return fail_memory();
    parts->n = layout->n;
    memcpy(parts->of, layout->of, (size_t)layout->n * sizeof *layout->of);
    return AMP_OK;
}
