/* SPDX-License-Identifier: MIT
 *
 * The coherence rule, in one place. A home has one copy per location: host memory, and the memory of each accelerator
 * that has its own. The home's parts, which are boxes of its bytes, say where each byte is valid: at one location, or
 * at several with the same contents. So a valid copy always exists. The parts determine a location's state:
 *
 *     invalid   nothing is valid there
 *     partial   some of it is
 *     shared    all is, and another location has some of it, too
 *     owner     all is, and nothing is valid anywhere else
 *
 * Each exported function below is one transition; only this file changes parts. docs/coherence.md has the table of the
 * transitions, and tests/runtime/coherence_test.c tests it row by row. States are read without the lock, parts with it.
 *
 * A home in too many parts is brought to one location as a whole, and is one part again. This bounds memory and search
 * time without losing anything. */
#include "backend.h"

#include <string.h>

enum { EVERYWHERE = (1 << AMP__MAX_LOCATIONS) - 1 };

static const char *const state_names[] = {"invalid", "partial", "shared", "owner"};

/* A set of one location. */
static uint32_t only(int location)
{
    return (uint32_t)1 << location;
}

static int location_of(const amp_accelerator_view *on)
{
    return on ? on->accelerator->location : AMP__HOST;
}

static void *memory_at(struct amp__home *home, int location)
{
    return atomic_load_explicit(&home->copies[location].memory, memory_order_acquire);
}

static const char *location_name(int location)
{
    return location == AMP__HOST ? "host" : amp__accelerator_at(location)->properties.path;
}

static enum amp__state state_of(struct amp__home *home, int location)
{
    return atomic_load_explicit(&home->copies[location].state, memory_order_acquire);
}

void *amp__home_address(struct amp__home *home, const amp_accelerator *a, size_t offset)
{
    void *memory = memory_at(home, a->location);
    return a->location == AMP__HOST ? (char *)memory + offset
                                    : a->backend->address(a->device, (struct amp__at){memory, offset});
}

static void set_state(struct amp__home *home, int location, enum amp__state state, const char *why)
{
    enum amp__state old = state_of(home, location);
    if (old == state)
        return;
    if (amp__log_wants(AMP__LOG_COHERENCE) && (location == AMP__HOST || amp__accelerator_at(location)))
        amp__log("home %p: %s: %s from %s to %s", (void *)home, why, location_name(location), state_names[old],
                 state_names[state]);
    atomic_store_explicit(&home->copies[location].state, state, memory_order_release);
}

/* Held only while a home's parts change, so that a fork finds no part half changed. */
static pthread_mutex_t changes = PTHREAD_MUTEX_INITIALIZER;

void amp__coherence_hold(void)
{
    pthread_mutex_lock(&changes);
}

void amp__coherence_resume(void)
{
    pthread_mutex_unlock(&changes);
}

/* Makes the states agree with where all of the home is valid, and where any of it. */
static void publish(struct amp__home *home, uint32_t all, uint32_t any, const char *why)
{
    for (int l = 0; l < AMP__MAX_LOCATIONS; l++)
        set_state(home, l,
                  !(any & only(l))   ? AMP__INVALID
                  : !(all & only(l)) ? AMP__PARTIAL
                  : any != only(l)   ? AMP__SHARED
                                     : AMP__OWNER,
                  why);
}

static void begin_change(void)
{
    pthread_mutex_lock(&changes);
}

static void end_change(struct amp__home *home, const char *why)
{
    amp__layout_release(atomic_exchange(&home->layout, NULL));
    home->n_changes++;
    amp__parts_join(&home->parts, home->grid.rank);
    publish(home, amp__parts_all(&home->parts), amp__parts_any(&home->parts), why);
    pthread_mutex_unlock(&changes);
}

static void drop_layout(struct amp__layout *layout)
{
    begin_change();
    amp__layout_release(layout);
    pthread_mutex_unlock(&changes);
}

/* In the child of a fork the lock is new, because a thread of the parent may have held it. Nothing else is repaired:
 * between any two changes there is a valid copy. */
static void lock_parts(struct amp__home *home)
{
    unsigned generation = amp__fork_generation();
    if (atomic_load_explicit(&home->generation, memory_order_acquire) != generation) {
        amp__queue_lock();
        if (atomic_load(&home->generation) != generation)
            pthread_mutex_init(&home->lock, NULL);
        atomic_store(&home->generation, generation);
        amp__queue_unlock();
    }
    pthread_mutex_lock(&home->lock);
}

/* The same, and makes the parts those of the layout, for which there is room. */
static void lock_home(struct amp__home *home)
{
    lock_parts(home);
    if (!home->is_ahead)
        return;
    begin_change();
    const struct amp__layout *layout = atomic_load(&home->layout);
    home->parts.n = layout->n;
    memcpy(home->parts.of, layout->of, (size_t)layout->n * sizeof *layout->of);
    home->is_ahead = false;
    pthread_mutex_unlock(&changes);
}

static amp_status ensure_memory(struct amp__home *home, int location)
{
    if (atomic_load(&home->copies[location].memory))
        return AMP_OK;
    void *memory;
    amp_status status = AMP_OK;
    if (location == AMP__HOST) {
        memory = amp__alloc(home->size_bytes, home->align);
        if (!memory)
            return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "no memory for %zu bytes on the host", home->size_bytes);
    } else {
        const amp_accelerator *a = amp__accelerator_at(location);
        if (home->align > a->backend->memory_align)
            return amp__fail(AMP_ERROR_UNSUPPORTED_FEATURE,
                             "the elements are aligned to %zu bytes, but memory of %s only to %zu", home->align,
                             a->properties.path, a->backend->memory_align);
        status = a->backend->alloc(a->device, home->size_bytes, &memory);
        amp__guard_use(a);
    }
    if (status != AMP_OK)
        return status;
    atomic_store_explicit(&home->copies[location].memory, memory, memory_order_release);
    atomic_fetch_or(&home->memories, only(location));
    amp__guard_home(home);
    return AMP_OK;
}

amp_status amp__home_new(const char *call, const amp_array_view *shape, size_t align, int place, void *memory,
                         amp_accelerator_view *on, struct amp__home **result)
{
    struct amp__home *home = *result = amp__alloc(sizeof *home, _Alignof(struct amp__home));
    if (!home)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory for a home (%zu bytes)", call, sizeof *home);
    memset(home, 0, sizeof *home);
    atomic_init(&home->references, 1);
    home->size_bytes = (size_t)amp_extent_size(shape->extent) * shape->element_size;
    home->align = align;
    home->place = place;
    home->is_borrowed = memory;
    home->on = amp_accelerator_view_retain(on);
    pthread_mutex_init(&home->lock, NULL);
    atomic_init(&home->generation, amp__fork_generation());
    amp__grid_init(&home->grid, &shape->extent, shape->element_size);
    amp__parts_init(&home->parts, &home->grid, place == AMP__NOWHERE ? EVERYWHERE : only(place));
    if (place == AMP__NOWHERE) {
        for (int l = 0; l < AMP__MAX_LOCATIONS; l++)
            atomic_init(&home->copies[l].state, AMP__SHARED);
        return AMP_OK;
    }
    atomic_init(&home->copies[place].memory, memory);
    atomic_init(&home->memories, memory ? only(place) : 0);
    atomic_init(&home->copies[place].state, AMP__OWNER);
    amp_status status = ensure_memory(home, place);
    if (status != AMP_OK) {
        amp__home_release(home);
        *result = NULL;
    }
    return status;
}

bool amp__home_align(struct amp__home *home, size_t align, size_t *found)
{
    uintptr_t all = align;
    lock_home(home);
    for (int l = 0; l < AMP__MAX_LOCATIONS; l++)
        all |= (uintptr_t)atomic_load(&home->copies[l].memory);
    *found = amp__align_of(all);
    if (*found == align && align > home->align)
        home->align = align;
    pthread_mutex_unlock(&home->lock);
    return *found == align;
}

void amp__home_retain(struct amp__home *home)
{
    atomic_fetch_add_explicit(&home->references, 1, memory_order_relaxed);
}

/* Waits for the queue that used a copy's memory last, unless it is the queue of `on`, which uses it next: calls on one
 * queue are in order. */
static amp_status wait_for_others(struct amp__home *home, int location, amp_accelerator_view *on)
{
    amp_accelerator_view *last = atomic_load(&home->copies[location].used_on);
    return !last || last == on ? AMP_OK : amp__device_wait(last);
}

/* Keeps the accelerator_view that used the copy last, if it queues work. */
static void remember(struct amp__home *home, int location, amp_accelerator_view *on)
{
    if (on && on->accelerator->backend->wait)
        amp_accelerator_view_release(atomic_exchange(&home->copies[location].used_on, amp_accelerator_view_retain(on)));
}

/* Records the queue of `on` before any work that uses the memory is put on it, because an operation may fail after part
 * of its work was queued. */
static amp_status take_over(struct amp__home *home, int location, amp_accelerator_view *on)
{
    amp_status status = wait_for_others(home, location, on);
    if (status == AMP_OK)
        remember(home, location, on);
    return status;
}

/* Releases the queue that used a copy's memory last. A failure, now or in an earlier copy back to the user's memory,
 * belongs to that queue and stays with it. */
static void leave(struct amp__home *home, int location)
{
    amp_accelerator_view *last = atomic_load(&home->copies[location].used_on);
    wait_for_others(home, location, NULL);
    if (last && amp_error_status() != AMP_OK)
        amp__accelerator_view_keep(last, amp__error_now());
    amp_accelerator_view_release(last);
}

void amp__home_release(struct amp__home *home)
{
    if (atomic_fetch_sub_explicit(&home->references, 1, memory_order_acq_rel) > 1)
        return;
    struct amp__error error = {AMP_OK, ""}; /* this cannot fail */
    amp__error_swap(&error);
    amp__home_wait(home, true);
    if (home->is_borrowed) {
        AMP__EVENT(event, .kind = AMP__CALL, .name = "the last release");
        amp__event_end(&event, amp__home_read(home, home->on, NULL));
    }
    amp__guard_forget(home);
    if (home->spread)
        amp__dry_forget(home);
    for (int l = 0; l < AMP__MAX_LOCATIONS; l++) {
        void *memory = atomic_load(&home->copies[l].memory);
        if (!memory)
            continue;
        leave(home, l);
        if (l == home->place && home->is_borrowed)
            continue;
        const amp_accelerator *a = l == AMP__HOST ? NULL : amp__accelerator_at(l);
        a ? a->backend->free(a->device, memory) : amp__free(memory);
    }
    amp__error_swap(&error);
    if (error.status == AMP_ERROR_CHECK) /* a mistake was found, nothing failed */
        amp__fail(error.status, "%s", error.text);
    amp_accelerator_view_release(home->on);
    drop_layout(atomic_load(&home->layout));
    amp__parts_fini(&home->parts);
    pthread_mutex_destroy(&home->lock);
    amp__free(home);
}

/* ---- what the parts say; with the lock held ---- */

/* The locations that have memory. */
static uint32_t with_memory(struct amp__home *home)
{
    return atomic_load_explicit(&home->memories, memory_order_relaxed);
}

/* Finds where all of the view is valid, and where a part of it is. */
static void find_places(struct amp__home *home, const amp_array_view *view, uint32_t *all, uint32_t *any)
{
    struct amp__cover cover;
    const struct amp__box *box;
    struct amp__box common;
    *all = EVERYWHERE;
    *any = 0;
    for (amp__cover_begin(&cover, &home->grid, view, AMP__MOST_RUNS); (box = amp__cover_next(&cover));)
        for (const struct amp__part *part = home->parts.of; part < home->parts.of + home->parts.n; part++)
            if (amp__box_meet(home->grid.rank, &part->box, box, &common)) {
                *all &= part->places;
                *any |= part->places;
            }
}

/* Whether a home is in too many parts. */
static bool is_crumbled(const struct amp__home *home)
{
    return home->parts.n > AMP__MOST_PARTS &&
           home->parts.n > AMP__PARTS_PER_PLACE * __builtin_popcount(amp__parts_any(&home->parts));
}

/* Whether the bytes between the runs of a view move with it. */
static bool moves_with_more(const struct amp__home *home, const amp_array_view *view)
{
    struct amp__cover cover;
    amp__cover_begin(&cover, &home->grid, view, AMP__MOST_RUNS);
    return cover.is_rough;
}

static amp_status fail_to_list(void)
{
    return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "no memory for the list of where a view's sections are valid");
}

/* In a change: removes from the points of a box all places that are not in `kept`, and adds `added`. Without memory
 * returns false and changes nothing. */
static bool set_places(struct amp__home *home, const struct amp__box *box, uint32_t kept, uint32_t added)
{
    struct amp__box common;
    int rank = home->grid.rank;
    if (!amp__parts_split(&home->parts, rank, box))
        return false;
    for (struct amp__part *part = home->parts.of; part < home->parts.of + home->parts.n; part++)
        if (amp__box_meet(rank, &part->box, box, &common))
            amp__part_set(part, (part->places & kept) | added);
    return true;
}

/* In a change: makes `places` the only places of all of a view. Without memory some of it may have changed. */
static bool set_places_of(struct amp__home *home, const amp_array_view *view, size_t most_runs, uint32_t places)
{
    struct amp__cover cover;
    const struct amp__box *box;
    bool is_set = true;
    amp__cover_begin(&cover, &home->grid, view, most_runs);
    while (is_set && (box = amp__cover_next(&cover)))
        is_set = set_places(home, box, 0, places);
    return is_set;
}

/* Finds a part that is not valid at `location`: its places, and which of it is in the box. */
static bool find_missing(const struct amp__home *home, int location, const struct amp__box *box, uint32_t *places,
                         struct amp__box *missing)
{
    for (const struct amp__part *part = home->parts.of; part < home->parts.of + home->parts.n; part++)
        if (!(part->places & only(location)) && amp__box_meet(home->grid.rank, &part->box, box, missing)) {
            *places = part->places;
            return true;
        }
    return false;
}

bool amp__home_has(struct amp__home *home, int location, const amp_array_view *view)
{
    enum amp__state state = state_of(home, location);
    if (state == AMP__INVALID || !memory_at(home, location))
        return false;
    if (state != AMP__PARTIAL || !view)
        return state != AMP__PARTIAL;
    uint32_t all, any;
    lock_home(home);
    find_places(home, view, &all, &any);
    pthread_mutex_unlock(&home->lock);
    return all & only(location);
}

size_t amp__home_missing(struct amp__home *home, int location, const amp_array_view *view)
{
    struct amp__cover cover;
    const struct amp__box *box;
    struct amp__box common;
    size_t bytes = 0;
    if (state_of(home, location) >= AMP__SHARED)
        return 0;
    lock_home(home);
    for (amp__cover_begin(&cover, &home->grid, view, AMP__MOST_RUNS); (box = amp__cover_next(&cover));)
        for (const struct amp__part *part = home->parts.of; part < home->parts.of + home->parts.n; part++)
            if (!(part->places & only(location)) && amp__box_meet(home->grid.rank, &part->box, box, &common))
                bytes += amp__box_bytes(&home->grid, &common);
    pthread_mutex_unlock(&home->lock);
    return bytes;
}

int amp__home_find(struct amp__home *home, int location, const amp_array_view *view)
{
    if (location != AMP__NOWHERE && amp__home_has(home, location, view))
        return location;
    bool is_spread = false;
    for (int l = AMP__HOST; l < AMP__MAX_LOCATIONS; l++) {
        if (amp__home_has(home, l, view))
            return l;
        is_spread |= state_of(home, l) == AMP__PARTIAL && memory_at(home, l);
    }
    if (!is_spread)
        return AMP__NOWHERE;
    uint32_t all, any;
    lock_home(home);
    find_places(home, view, &all, &any);
    any &= with_memory(home);
    pthread_mutex_unlock(&home->lock);
    return any ? AMP__HOST : AMP__NOWHERE;
}

/* ---- moving bytes; with the lock held ---- */

/* From where bytes move, and to where, on which queue; NULL is the host. */
struct way {
    struct amp__home *home;
    const amp_accelerator *from, *to;
    amp_accelerator_view *on;
};

static amp_status move_bytes(const struct way *way, size_t offset, size_t size_bytes)
{
    const amp_accelerator *from = way->from, *to = way->to;
    char *host = (char *)memory_at(way->home, AMP__HOST) + offset;
    struct amp__at at_from = {from ? memory_at(way->home, from->location) : NULL, offset};
    struct amp__at at_to = {to ? memory_at(way->home, to->location) : NULL, offset};
    void *queue = way->on->queue;
    if (!to)
        return from->backend->copy_out(from->device, queue, host, at_from, size_bytes);
    if (!from)
        return to->backend->copy_in(to->device, queue, at_to, host, size_bytes);
    return to->backend->copy_peer(to->device, queue, at_to, from->device, at_from, size_bytes);
}

/* Whether a device can move the rows of a group with one call. */
static bool moves_at_once(const struct way *way, const struct amp__rows *rows)
{
    const amp_accelerator *device = way->to ? way->to : way->from;
    bool is_between = way->from && way->to;
    return rows->n > 1 &&
           (is_between ? device->backend->copy_rows_peer != NULL : device->backend->copy_rows_in != NULL);
}

static amp_status move_rows(const struct way *way, const struct amp__rows *rows)
{
    const amp_accelerator *from = way->from, *to = way->to, *device = to ? to : from;
    amp_status status = AMP_OK;
    if (moves_at_once(way, rows) && from && to) {
        struct amp__at at_from = {memory_at(way->home, from->location), rows->offset};
        struct amp__at at_to = {memory_at(way->home, to->location), rows->offset};
        return to->backend->copy_rows_peer(to->device, way->on->queue, at_to, from->device, at_from, rows);
    }
    if (moves_at_once(way, rows)) {
        char *host = (char *)memory_at(way->home, AMP__HOST) + rows->offset;
        struct amp__at at = {memory_at(way->home, device->location), rows->offset};
        return to ? to->backend->copy_rows_in(to->device, way->on->queue, at, host, rows)
                  : from->backend->copy_rows_out(from->device, way->on->queue, host, at, rows);
    }
    for (size_t i = 0; i < rows->n && status == AMP_OK; i++)
        status = move_bytes(way, rows->offset + i * rows->stride, rows->bytes);
    return status;
}

static amp_status move_rows_as_event(const struct way *way, const struct amp__rows *rows)
{
    AMP__EVENT(event, .kind = AMP__COPY, .on = way->on, .from = way->from, .to = way->to,
               .line = !way->to     ? "read-out"
                       : !way->from ? "read-in"
                                    : "read-peer",
               .bytes = rows->n * rows->bytes, .n = moves_at_once(way, rows) ? 1 : rows->n);
    return amp__event_end(&event, move_rows(way, rows));
}

static amp_status move_box(const struct way *way, const struct amp__box *box)
{
    const struct amp__grid *grid = &way->home->grid;
    struct amp__rows rows;
    amp_status status = AMP_OK;
    if (amp__log_wants(AMP__LOG_COHERENCE))
        amp__log("home %p: read: %zu bytes from %s to %s", (void *)way->home, amp__box_bytes(grid, box),
                 way->from ? way->from->properties.path : "host", way->to ? way->to->properties.path : "host");
    amp__rows_begin(&rows, grid, box);
    do
        status = move_rows_as_event(way, &rows);
    while (status == AMP_OK && amp__rows_next(&rows, grid));
    return status;
}

/* Tells the guard that a box of the host's memory is about to be overwritten. */
static void ask_guard(struct amp__home *home, const amp_accelerator *a, const struct amp__box *box)
{
    struct amp__rows rows;
    amp__rows_begin(&rows, &home->grid, box);
    do
        for (size_t i = 0; i < rows.n; i++)
            if (amp__guard_overwrite(home, a, rows.offset + i * rows.stride, rows.bytes) != AMP_OK)
                home->has_lost_writes = true;
    while (amp__rows_next(&rows, &home->grid));
}

static amp_status move_to_host(struct amp__home *home, int from, const struct amp__box *box)
{
    amp_accelerator *a = amp__accelerator_at(from);
    if (amp__guard_is_on())
        ask_guard(home, a, box);
    amp_accelerator_view *last = atomic_load(&home->copies[from].used_on);
    return move_box(&(struct way){home, a, NULL, last ? last : &a->view}, box);
}

/* The first device of `places` from which `a` can copy a box directly; AMP__NOWHERE if there is none. */
static int find_peer(struct amp__home *home, uint32_t places, const amp_accelerator *a, const struct amp__box *box)
{
    struct amp__rows rows;
    amp__rows_begin(&rows, &home->grid, box);
    bool is_row = rows.bytes == amp__box_bytes(&home->grid, box);
    bool is_possible = is_row ? a->backend->copy_peer != NULL : a->backend->copy_rows_peer != NULL;
    for (int l = AMP__HOST + 1; l < AMP__MAX_LOCATIONS && is_possible; l++)
        if (places & only(l) && amp__accelerator_at(l)->backend == a->backend)
            return l;
    return AMP__NOWHERE;
}

/* Carries out a move, on the queue of `on` if its target is a device. */
static amp_status carry_out(struct amp__home *home, amp_accelerator_view *on, const struct amp__move *move)
{
    const amp_accelerator *from = move->from == AMP__HOST ? NULL : amp__accelerator_at(move->from);
    if (move->to == AMP__HOST)
        return move_to_host(home, move->from, &move->box);
    amp_status status = from ? wait_for_others(home, move->from, NULL) : AMP_OK;
    return status == AMP_OK ? move_box(&(struct way){home, from, on->accelerator, on}, &move->box) : status;
}

static void note(struct amp__effect *effect, const struct amp__move *move)
{
    enum { FEW = 16 };
    if (effect->n == effect->room && !effect->is_broken) {
        int room = effect->room ? 2 * effect->room : FEW;
        struct amp__move *moves = amp__alloc((size_t)room * sizeof *moves, _Alignof(struct amp__move));
        effect->is_broken = !moves;
        if (moves && effect->n)
            memcpy(moves, effect->moves, (size_t)effect->n * sizeof *moves);
        if (moves) {
            amp__free(effect->moves);
            effect->moves = moves;
            effect->room = room;
        }
    }
    if (!effect->is_broken)
        effect->moves[effect->n++] = *move;
}

/* Those of `places` that have had a box since before the effect, if there are any: they need not get it first. */
static uint32_t places_before(const struct amp__effect *effect, const struct amp__home *home, uint32_t places,
                              const struct amp__box *box)
{
    uint32_t before = places;
    struct amp__box common;
    const struct amp__layout *layout = effect ? effect->before : NULL;
    for (int i = 0; layout && i < layout->n; i++)
        if (amp__box_meet(home->grid.rank, &layout->of[i].box, box, &common))
            before &= layout->of[i].places;
    return before ? before : places;
}

/* Makes the location of `on` valid for a box, part by part. A part comes from the host, or directly from another device
 * if the host has nothing valid, or else through the host, which becomes valid, too. Undefined contents need no
 * copy. `effect`: which notes the copies; or NULL. */
static amp_status fetch(struct amp__home *home, amp_accelerator_view *on, const struct amp__box *box,
                        struct amp__effect *effect)
{
    struct amp__move next = {.to = location_of(on)};
    uint32_t places;
    amp_status status = ensure_memory(home, next.to);
    while (status == AMP_OK && find_missing(home, next.to, box, &places, &next.box)) {
        places &= with_memory(home);
        next.from = !places                ? AMP__NOWHERE
                    : next.to == AMP__HOST ? __builtin_ctz(places)
                    : places & only(AMP__HOST)
                        ? AMP__HOST
                        : find_peer(home, places_before(effect, home, places, &next.box), on->accelerator, &next.box);
        if (places && next.from == AMP__NOWHERE) {
            status = fetch(home, NULL, &next.box, effect);
            continue;
        }
        if (places)
            status = carry_out(home, on, &next);
        if (status != AMP_OK)
            break;
        if (places && effect)
            note(effect, &next);
        begin_change();
        if (!set_places(home, &next.box, EVERYWHERE, only(next.to)))
            status = fail_to_list();
        end_change(home, "read");
    }
    return status;
}

/* The same for a view. For a home in too many parts, fetches all of it, which is then one part. */
static amp_status fetch_view(struct amp__home *home, amp_accelerator_view *on, const amp_array_view *view,
                             struct amp__effect *effect)
{
    struct amp__cover cover;
    const struct amp__box *box;
    amp_status status = AMP_OK;
    bool is_in_crumbs = is_crumbled(home);
    amp__cover_begin(&cover, &home->grid, is_in_crumbs ? NULL : view, AMP__MOST_RUNS);
    while (status == AMP_OK && (box = amp__cover_next(&cover)))
        status = fetch(home, on, box, effect);
    if (status == AMP_OK && is_in_crumbs) {
        begin_change();
        amp__parts_reset(&home->parts, &home->grid, amp__parts_all(&home->parts));
        end_change(home, "read");
    }
    return status;
}

/* ---- the transitions ---- */

/* Gives the location of `on` memory, and waits until other queues no longer use it. Called with the lock held. */
static amp_status prepare(struct amp__home *home, amp_accelerator_view *on)
{
    int location = location_of(on);
    amp_status status = ensure_memory(home, location);
    return status == AMP_OK && location != AMP__HOST ? take_over(home, location, on) : status;
}

/* Notices that others have changed a home since the last change that belongs to the effect. */
static void notice_others(struct amp__effect *effect, const struct amp__home *home)
{
    if (effect)
        effect->is_broken |= effect->n_changes != home->n_changes;
}

static amp_status read_view(struct amp__home *home, amp_accelerator_view *on, const amp_array_view *view,
                            struct amp__effect *effect)
{
    int location = location_of(on);
    if (state_of(home, location) >= AMP__SHARED && memory_at(home, location)) {
        amp_accelerator_view *last = atomic_load_explicit(&home->copies[location].used_on, memory_order_acquire);
        if (!last || last == on)
            return AMP_OK;
    }
    lock_home(home);
    notice_others(effect, home);
    amp_status status = prepare(home, on);
    if (status == AMP_OK)
        status = fetch_view(home, on, view, effect);
    if (status == AMP_OK && home->has_lost_writes)
        status = AMP_ERROR_CHECK;
    home->has_lost_writes = false;
    if (effect)
        effect->n_changes = home->n_changes;
    pthread_mutex_unlock(&home->lock);
    return status;
}

/* Read: gives the location that `on` works on (NULL: the host) a valid copy of a view, by copying what is missing
 * there. Work of other queues on that copy is done at the return. After a failure what was fetched is valid, and the
 * rest is as before. Threads: any at once. */
amp_status amp__home_read(struct amp__home *home, amp_accelerator_view *on, const amp_array_view *view)
{
    return amp__effect_read(NULL, home, on, view);
}

amp_status amp__effect_read(struct amp__effect *effect, struct amp__home *home, amp_accelerator_view *on,
                            const amp_array_view *view)
{
    if (amp__dry_ranks && location_of(on) == AMP__HOST)
        amp__dry_read(home, view);
    amp_status status = read_view(home, on, view, effect);
    if (location_of(on) == AMP__HOST && (status == AMP_OK || status == AMP_ERROR_CHECK))
        amp__guard_synchronized(home, view);
    return status;
}

/* Show: copies what is not valid in the host's memory to it, and changes nothing of what is known: other processes do
 * not get it. */
amp_status amp__home_show(struct amp__home *home, const amp_array_view *view)
{
    struct amp__cover cover;
    const struct amp__box *box;
    struct amp__box common;
    lock_home(home);
    amp_status status = prepare(home, NULL);
    uint32_t memories = with_memory(home);
    for (amp__cover_begin(&cover, &home->grid, view, AMP__MOST_RUNS);
         status == AMP_OK && (box = amp__cover_next(&cover));)
        for (const struct amp__part *part = home->parts.of; part < home->parts.of + home->parts.n; part++)
            if (status == AMP_OK && !(part->places & only(AMP__HOST)) && part->places & memories &&
                amp__box_meet(home->grid.rank, &part->box, box, &common))
                status = move_to_host(home, __builtin_ctz(part->places & memories), &common);
    pthread_mutex_unlock(&home->lock);
    return status;
}

/* Reserve: gives the location of `on` memory that no other queue uses, where the queue of `on` will overwrite a view.
 * If the bytes between the runs of a view move with it, they must be valid there. */
amp_status amp__home_reserve(struct amp__home *home, amp_accelerator_view *on, const amp_array_view *view)
{
    lock_home(home);
    amp_status status = prepare(home, on);
    bool is_whole = !view || amp__view_is_whole(view);
    if (status == AMP_OK && !is_whole && (is_crumbled(home) || moves_with_more(home, view)))
        status = fetch_view(home, on, view, NULL);
    pthread_mutex_unlock(&home->lock);
    return status;
}

amp_status amp__home_commit(struct amp__home *home, const amp_accelerator *a, const amp_array_view *view)
{
    size_t begin = view->offset_bytes, end = begin + amp__view_span(view);
    return a->backend->commit ? a->backend->commit(a->device, memory_at(home, a->location), begin, end) : AMP_OK;
}

/* Called after work on the copy that `on` has read or reserved was put on its queue, or part of it before a failure.
 * Another thread may have read the copy on another queue meanwhile. The last to come here waits for the others, so only
 * one queue must be remembered. */
amp_status amp__home_used(struct amp__home *home, amp_accelerator_view *on)
{
    int location = on->accelerator->location;
    if (location == AMP__HOST || atomic_load(&home->copies[location].used_on) == on || !on->accelerator->backend->wait)
        return AMP_OK;
    lock_home(home);
    amp_status status = wait_for_others(home, location, on);
    remember(home, location, on);
    pthread_mutex_unlock(&home->lock);
    return status;
}

/* Makes `location` invalid for a view, except where it has the only valid copy: there is nothing better. Called in a
 * change. */
static void distrust(struct amp__home *home, int location, const amp_array_view *view)
{
    struct amp__cover cover;
    const struct amp__box *box;
    struct amp__box common;
    uint32_t others = with_memory(home) & ~only(location);
    for (amp__cover_begin(&cover, &home->grid, view, AMP__MOST_RUNS); (box = amp__cover_next(&cover));) {
        /* Without memory for this, all parts that the box meets are distrusted. */
        amp__parts_split(&home->parts, home->grid.rank, box);
        for (struct amp__part *part = home->parts.of; part < home->parts.of + home->parts.n; part++)
            if (part->places & others && amp__box_meet(home->grid.rank, &part->box, box, &common))
                amp__part_set(part, part->places & ~only(location));
    }
}

/* Changes the parts for amp__home_own. `all`: where all of the view, with what moves with it, is valid. */
static amp_status change_owner(struct amp__home *home, int location, const amp_array_view *view, uint32_t all)
{
    if (!view || amp__view_is_whole(view)) {
        amp__parts_reset(&home->parts, &home->grid, only(location));
        return AMP_OK;
    }
    if (set_places_of(home, view, all & only(location) ? AMP__MOST_RUNS : SIZE_MAX, only(location)))
        return AMP_OK;
    if (amp__parts_all(&home->parts) & only(location)) {
        amp__parts_reset(&home->parts, &home->grid, only(location));
        return AMP_OK;
    }
    distrust(home, location, view);
    return fail_to_list();
}

/* Own: `location`, which has a valid copy of a view, has written it, and becomes its owner. Without memory for the list
 * of parts, it owns all of the home if it has a valid copy of it; else what was written is lost. */
amp_status amp__home_own(struct amp__home *home, int location, const amp_array_view *view)
{
    return amp__effect_own(NULL, home, location, view);
}

amp_status amp__effect_own(struct amp__effect *effect, struct amp__home *home, int location, const amp_array_view *view)
{
    if (location == AMP__HOST)
        amp__guard_refreshed(home, view);
    if (amp__dry_ranks && location == AMP__HOST)
        amp__dry_own(home, view);
    if (state_of(home, location) == AMP__OWNER)
        return AMP_OK;
    amp_status status = AMP_OK;
    uint32_t all, any;
    lock_home(home);
    notice_others(effect, home);
    find_places(home, view, &all, &any);
    if (any != only(location)) {
        begin_change();
        status = change_owner(home, location, view, all);
        end_change(home, "own");
    }
    if (effect)
        effect->n_changes = home->n_changes;
    pthread_mutex_unlock(&home->lock);
    return status;
}

/* Finds the first byte of a box in which the copies on the host and on a device differ. */
static bool differs_in(struct amp__home *home, const amp_accelerator *a, const struct amp__box *box, size_t *offset)
{
    struct amp__rows rows;
    amp__rows_begin(&rows, &home->grid, box);
    do
        for (size_t i = 0; i < rows.n; i++) {
            size_t begin = rows.offset + i * rows.stride;
            size_t same = a->backend->compare(a->device, (struct amp__at){memory_at(home, a->location), begin},
                                              (char *)memory_at(home, AMP__HOST) + begin, rows.bytes);
            *offset = begin + same;
            if (same < rows.bytes)
                return true;
        }
    while (amp__rows_next(&rows, &home->grid));
    return false;
}

bool amp__home_differs(struct amp__home *home, const amp_accelerator *a, const amp_array_view *view, size_t *offset)
{
    struct amp__cover cover;
    const struct amp__box *box;
    struct amp__box common;
    uint32_t both = only(AMP__HOST) | only(a->location);
    bool differs = false;
    if (!memory_at(home, AMP__HOST) || !memory_at(home, a->location))
        return false;
    lock_home(home);
    for (amp__cover_begin(&cover, &home->grid, view, AMP__MOST_RUNS); !differs && (box = amp__cover_next(&cover));)
        for (const struct amp__part *part = home->parts.of; part < home->parts.of + home->parts.n && !differs; part++)
            if ((part->places & both) == both && amp__box_meet(home->grid.rank, &part->box, box, &common))
                differs = differs_in(home, a, &common, offset);
    pthread_mutex_unlock(&home->lock);
    return differs;
}

/* Lets devices that look for mistakes know that a view has no contents. */
static void discard_on_devices(struct amp__home *home, const amp_array_view *view)
{
    struct amp__cover cover;
    const struct amp__box *box;
    struct amp__rows rows;
    for (int l = AMP__HOST + 1; l < AMP__MAX_LOCATIONS; l++) {
        const amp_accelerator *a = memory_at(home, l) ? amp__accelerator_at(l) : NULL;
        if (!a || !a->backend->discard)
            continue;
        for (amp__cover_begin(&cover, &home->grid, view, AMP__MOST_RUNS); (box = amp__cover_next(&cover));) {
            amp__rows_begin(&rows, &home->grid, box);
            do
                for (size_t i = 0; i < rows.n; i++)
                    a->backend->discard(a->device, (struct amp__at){memory_at(home, l), rows.offset + i * rows.stride},
                                        rows.bytes);
            while (amp__rows_next(&rows, &home->grid));
        }
    }
}

/* Discard: no contents of a view are needed, so all copies are equally good, even those without memory. If this cannot
 * be recorded, or only in too many parts, the contents stay as they are. */
void amp__home_discard(struct amp__home *home, const amp_array_view *view)
{
    amp__guard_refreshed(home, view);
    if (amp__dry_ranks)
        amp__dry_discard(home, view);
    lock_home(home);
    if (amp__view_is_whole(view) || (!is_crumbled(home) && !moves_with_more(home, view))) {
        begin_change();
        set_places_of(home, view, AMP__MOST_RUNS, EVERYWHERE);
        end_change(home, "discard");
        discard_on_devices(home, view);
    }
    pthread_mutex_unlock(&home->lock);
}

/* Abandon: a launch that would have written a view at `location` failed on the way. */
void amp__home_abandon(struct amp__home *home, int location, const amp_array_view *view)
{
    lock_home(home);
    begin_change();
    distrust(home, location, view);
    end_change(home, "abandon");
    pthread_mutex_unlock(&home->lock);
}

/* ---- reads that are repeated ---- */

/* With the lock held: the home's layout, which it keeps. */
static struct amp__layout *find_layout(struct amp__home *home)
{
    if (!atomic_load(&home->layout)) {
        begin_change();
        atomic_store(&home->layout, amp__layout_of(&home->parts, &home->grid));
        pthread_mutex_unlock(&changes);
    }
    return atomic_load(&home->layout);
}

const struct amp__layout *amp__home_layout(struct amp__home *home)
{
    const struct amp__layout *layout = atomic_load_explicit(&home->layout, memory_order_relaxed);
    if (layout)
        return layout;
    lock_home(home);
    layout = find_layout(home);
    pthread_mutex_unlock(&home->lock);
    return layout;
}

/* With the lock held. */
static struct amp__layout *keep_layout(struct amp__home *home)
{
    struct amp__layout *layout = find_layout(home);
    begin_change();
    if (layout)
        layout->references++;
    pthread_mutex_unlock(&changes);
    return layout;
}

void amp__effect_begin(struct amp__effect *effect, struct amp__home *home)
{
    *effect = (struct amp__effect){0};
    lock_home(home);
    effect->before = keep_layout(home);
    effect->memories = with_memory(home);
    effect->n_changes = home->n_changes;
    pthread_mutex_unlock(&home->lock);
    effect->is_broken = !effect->before;
}

/* Keeps the layout that the effect has led to. */
static void keep_result(struct amp__effect *effect, struct amp__home *home, struct amp__layout **result)
{
    lock_home(home);
    notice_others(effect, home);
    *result = keep_layout(home);
    pthread_mutex_unlock(&home->lock);
    effect->is_broken |= !*result;
}

/* The backend that can do all moves of an effect at once; NULL if there is none. */
static const struct amp__backend *find_batch_backend(const struct amp__effect *effect)
{
    const struct amp__backend *backend = NULL;
    for (int i = 0; i < effect->n; i++) {
        const struct amp__move *move = &effect->moves[i];
        if (move->from == AMP__HOST || move->to == AMP__HOST)
            return NULL;
        if (!backend)
            backend = amp__accelerator_at(move->to)->backend;
        if (!backend->batch_new || amp__accelerator_at(move->from)->backend != backend ||
            amp__accelerator_at(move->to)->backend != backend)
            return NULL;
    }
    return backend;
}

/* Lists the copies that moves consist of, or counts them if `copies` is NULL. */
static size_t list_copies(const struct amp__effect *effect, const struct amp__grid *grid, struct amp__peer_copy *copies)
{
    size_t n = 0;
    for (int i = 0; i < effect->n; i++) {
        const struct amp__move *move = &effect->moves[i];
        struct amp__peer_copy copy = {amp__accelerator_at(move->from), amp__accelerator_at(move->to), .rows = {0}};
        amp__rows_begin(&copy.rows, grid, &move->box);
        do {
            if (copies)
                copies[n] = copy;
            n++;
        } while (amp__rows_next(&copy.rows, grid));
    }
    return n;
}

static void make_batch(struct amp__effect *effect, const struct amp__grid *grid)
{
    effect->batch_backend = effect->is_broken ? NULL : find_batch_backend(effect);
    if (!effect->batch_backend)
        return;
    size_t n = list_copies(effect, grid, NULL);
    struct amp__peer_copy *copies = amp__alloc(n * sizeof *copies, _Alignof(struct amp__peer_copy));
    if (!copies)
        return;
    list_copies(effect, grid, copies);
    effect->batch = effect->batch_backend->batch_new(copies, n);
    amp__free(copies);
}

void amp__effect_have_read(struct amp__effect *effect, struct amp__home *home)
{
    keep_result(effect, home, &effect->between);
    make_batch(effect, &home->grid);
}

int amp__effect_brings(const struct amp__effect *effect, const struct amp__home *home, int location,
                       const amp_array_view *view)
{
    struct amp__cover cover;
    const struct amp__box *box;
    struct amp__box common;
    int n = 0;
    for (int i = 0; i < effect->n; i++) {
        const struct amp__move *move = &effect->moves[i];
        bool meets = false;
        for (amp__cover_begin(&cover, &home->grid, view, AMP__MOST_RUNS);
             move->to == location && !meets && (box = amp__cover_next(&cover));)
            meets = amp__box_meet(home->grid.rank, &move->box, box, &common);
        n += meets;
    }
    return n;
}

void amp__effect_end(struct amp__effect *effect, struct amp__home *home)
{
    keep_result(effect, home, &effect->after);
}

void amp__effect_fini(struct amp__effect *effect)
{
    drop_layout(effect->before);
    drop_layout(effect->between);
    drop_layout(effect->after);
    amp__free(effect->moves);
    if (effect->batch)
        effect->batch_backend->batch_free(effect->batch);
}

/* With the lock held: gives a home another layout. Its parts follow when they are needed. Without memory returns false
 * and changes nothing. */
static bool turn(struct amp__home *home, struct amp__layout *layout, const char *why)
{
    if (atomic_load(&home->layout) == layout)
        return true;
    begin_change();
    bool is_done = amp__parts_reserve(&home->parts, layout->n);
    if (is_done) {
        layout->references++;
        amp__layout_release(atomic_exchange(&home->layout, layout));
        home->is_ahead = true;
        home->n_changes++;
        publish(home, layout->all, layout->any, why);
    }
    pthread_mutex_unlock(&changes);
    return is_done;
}

/* With the lock held: does all moves at once, unless somebody watches them. Returns false if that is not possible, and
 * then has done nothing. */
static bool repeat_at_once(const struct amp__effect *effect, struct amp__home *home, amp_status *status)
{
    bool is_done = false;
    if (effect->batch && !(effect->used & ~with_memory(home)) && !amp__is_watched() &&
        !amp__log_wants(AMP__LOG_COHERENCE))
        *status = effect->batch_backend->batch_run(effect->batch, home, &is_done);
    return is_done;
}

/* With the lock held: does what the reads have done, except that nobody knows of it yet. */
static amp_status repeat_moves(const struct amp__effect *effect, struct amp__home *home)
{
    amp_status status = AMP_OK;
    if (repeat_at_once(effect, home, &status))
        return status;
    for (uint32_t left = effect->used; left && status == AMP_OK; left &= left - 1) {
        int location = __builtin_ctz(left);
        status = prepare(home, location == AMP__HOST ? NULL : &amp__accelerator_at(location)->view);
    }
    for (int i = 0; i < effect->n && status == AMP_OK; i++) {
        const struct amp__move *move = &effect->moves[i];
        status = ensure_memory(home, move->to);
        if (status == AMP_OK)
            status = carry_out(home, move->to == AMP__HOST ? NULL : &amp__accelerator_at(move->to)->view, move);
    }
    return status;
}

bool amp__effect_repeat_reads(const struct amp__effect *effect, struct amp__home *home, amp_status *status)
{
    if (effect->is_broken)
        return false;
    lock_parts(home);
    bool is_as_before = atomic_load(&home->layout) == effect->before && with_memory(home) == effect->memories;
    if (is_as_before) {
        *status = repeat_moves(effect, home);
        if (*status == AMP_OK && !turn(home, effect->between, "read"))
            *status = fail_to_list();
    }
    pthread_mutex_unlock(&home->lock);
    return is_as_before;
}

bool amp__effect_repeat_owns(const struct amp__effect *effect, struct amp__home *home)
{
    if (effect->is_broken)
        return false;
    lock_parts(home);
    bool is_done = atomic_load(&home->layout) == effect->between && turn(home, effect->after, "own");
    pthread_mutex_unlock(&home->lock);
    return is_done;
}
