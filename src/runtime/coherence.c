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
 * While a home is in many parts, states are only found when somebody asks for them; until then a location counts as
 * partial, which is never wrong, because then the parts are looked at.
 *
 * A home in too many parts is brought to one location as a whole, and is one part again. This bounds memory and search
 * time without losing anything. */
#include "backend.h"

#include <string.h>

static const char *const state_names[] = {"invalid", "partial", "shared", "owner"};

static int location_of(const amp_accelerator_view *on)
{
    return on ? on->accelerator->location : AMP__HOST;
}

static const char *location_name(int location)
{
    return location == AMP__HOST ? "host" : amp__accelerator_at(location)->properties.path;
}

static enum amp__state state_in(uint64_t valid, int location)
{
    uint32_t all = (uint32_t)(valid >> 32), any = (uint32_t)valid;
    return !valid                         ? AMP__PARTIAL
           : any == amp__set_of(location) ? AMP__OWNER
           : amp__set_has(all, location)  ? AMP__SHARED
           : !amp__set_has(any, location) ? AMP__INVALID
                                          : AMP__PARTIAL;
}

/* What is known of a location; AMP__PARTIAL if nothing is. */
static enum amp__state state_of(const struct amp__home *home, int location)
{
    return location == AMP__HOST ? (enum amp__state)atomic_load_explicit(&home->host_state, memory_order_acquire)
                                 : state_in(atomic_load_explicit(&home->valid, memory_order_acquire), location);
}

uint64_t amp__validity_of(const struct amp__parts *parts)
{
    uint32_t all = amp__parts_all(parts), any = amp__parts_any(parts);
    return any ? (uint64_t)all << 32 | any : 0;
}

void *amp__home_address(struct amp__home *home, const amp_accelerator *a, size_t offset)
{
    void *memory = amp__home_memory(home, a->location);
    return a->location == AMP__HOST ? (char *)memory + offset
                                    : a->backend->address(a->device, (struct amp__at){memory, offset});
}

static void log_states(struct amp__home *home, uint64_t before, uint64_t after, const char *why)
{
    for (int l = AMP__HOST; l < amp__location_count() && !home->is_imagined; l++)
        if (state_in(before, l) != state_in(after, l))
            amp__log("home %p: %s: %s from %s to %s", (void *)home, why, location_name(l),
                     state_names[state_in(before, l)], state_names[state_in(after, l)]);
}

/* Held only while a home's parts change, so that a fork finds no part half changed. */
static pthread_mutex_t changes = PTHREAD_MUTEX_INITIALIZER;

void amp__coherence_hold(void)
{
    pthread_mutex_lock(&changes);
    amp__sets_hold();
}

void amp__coherence_resume(void)
{
    amp__sets_resume();
    pthread_mutex_unlock(&changes);
}

/* Makes the states agree with the parts. */
static void publish(struct amp__home *home, uint64_t valid, const char *why)
{
    if (amp__log_wants(AMP__LOG_COHERENCE))
        log_states(home, atomic_load(&home->valid), valid, why);
    atomic_store_explicit(&home->valid, valid, memory_order_release);
    atomic_store_explicit(&home->host_state, (unsigned char)state_in(valid, AMP__HOST), memory_order_release);
}

static void begin_change(void)
{
    pthread_mutex_lock(&changes);
}

static void end_change(struct amp__home *home, const char *why)
{
    amp__layout_release(atomic_exchange(&home->layout, NULL));
    home->n_changes++;
    amp__parts_join(&home->parts);
    bool is_known = home->parts.n <= AMP__MOST_PARTS || amp__log_wants(AMP__LOG_COHERENCE);
    publish(home, is_known ? amp__validity_of(&home->parts) : 0, why);
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
    amp__parts_copy(&home->parts, &atomic_load(&home->layout)->parts);
    home->is_ahead = false;
    pthread_mutex_unlock(&changes);
}

/* With the lock held: finds the states, if they are not known. */
static void find_states(struct amp__home *home)
{
    if (atomic_load(&home->valid))
        return;
    begin_change();
    publish(home, amp__validity_of(&home->parts), "");
    pthread_mutex_unlock(&changes);
}

enum amp__state amp__home_state(struct amp__home *home, int location)
{
    if (!atomic_load_explicit(&home->valid, memory_order_acquire)) {
        lock_home(home);
        find_states(home);
        pthread_mutex_unlock(&home->lock);
    }
    return state_of(home, location);
}

/* Makes room for the copies at all locations. */
static amp_status make_room(struct amp__home *home, int location)
{
    if (amp__home_copy(home, location))
        return AMP_OK;
    int n = amp__location_count() - 1;
    size_t bytes = (size_t)n * sizeof(struct amp__copy);
    struct amp__copy *others = location <= n ? amp__alloc(bytes, _Alignof(struct amp__copy)) : NULL;
    if (!others)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "no memory for the list of a home's copies (%zu bytes)", bytes);
    memset(others, 0, bytes);
    home->n_others = n;
    atomic_store_explicit(&home->others, others, memory_order_release);
    return AMP_OK;
}

static amp_status allocate(struct amp__home *home, int location, void **memory)
{
    if (location == AMP__HOST) {
        *memory = home->is_imagined ? home : amp__alloc(home->size_bytes, home->align);
        return *memory ? AMP_OK
                       : amp__fail(AMP_ERROR_OUT_OF_MEMORY, "no memory for %zu bytes on the host", home->size_bytes);
    }
    const amp_accelerator *a = amp__accelerator_at(location);
    if (home->align > a->backend->memory_align)
        return amp__fail(AMP_ERROR_UNSUPPORTED_FEATURE,
                         "the elements are aligned to %zu bytes, but memory of %s only to %zu", home->align,
                         a->properties.path, a->backend->memory_align);
    amp_status status = a->backend->alloc(a->device, home->size_bytes, memory);
    amp__guard_use(a);
    return status;
}

static amp_status ensure_memory(struct amp__home *home, int location)
{
    if (amp__home_memory(home, location))
        return AMP_OK;
    void *memory;
    amp_status status = make_room(home, location);
    uint32_t memories = status == AMP_OK ? amp__set_with(atomic_load(&home->memories), location) : AMP__SET_NOTHING;
    if (status == AMP_OK && !memories)
        status = amp__fail(AMP_ERROR_OUT_OF_MEMORY, "no memory for the set of a home's copies");
    if (status == AMP_OK)
        status = allocate(home, location, &memory);
    if (status != AMP_OK)
        return status;
    atomic_store_explicit(&amp__home_copy(home, location)->memory, memory, memory_order_release);
    atomic_store(&home->memories, memories);
    if (!home->is_imagined)
        amp__guard_home(home);
    return AMP_OK;
}

/* A home of this size, of which only the grid is missing; NULL without memory. */
static struct amp__home *begin_home(size_t size_bytes, size_t align, int place)
{
    struct amp__home *home = amp__alloc(sizeof *home, _Alignof(struct amp__home));
    if (!home)
        return NULL;
    memset(home, 0, sizeof *home);
    atomic_init(&home->references, 1);
    home->size_bytes = size_bytes;
    home->align = align;
    home->place = place;
    pthread_mutex_init(&home->lock, NULL);
    atomic_init(&home->generation, amp__fork_generation());
    return home;
}

/* It is valid at its place, or everywhere. */
static void begin_parts(struct amp__home *home)
{
    amp__parts_init(&home->parts, &home->grid,
                    home->place == AMP__NOWHERE ? (uint32_t)AMP__SET_EVERYWHERE : amp__set_of(home->place));
    atomic_init(&home->valid, amp__validity_of(&home->parts));
    atomic_init(&home->host_state, (unsigned char)state_in(atomic_load(&home->valid), AMP__HOST));
}

struct amp__home *amp__home_imagine(const struct amp__home *like)
{
    struct amp__home *home =
        begin_home(like->size_bytes, like->align, like->place == AMP__NOWHERE ? AMP__NOWHERE : AMP__HOST);
    if (!home)
        return NULL;
    home->is_imagined = true;
    home->grid = like->grid;
    begin_parts(home);
    if (home->place == AMP__HOST)
        ensure_memory(home, AMP__HOST);
    return home;
}

amp_status amp__home_new(const char *call, const amp_array_view *shape, size_t align, int place, void *memory,
                         amp_accelerator_view *on, struct amp__home **result)
{
    size_t size_bytes = amp__view_bytes(shape);
    struct amp__home *home = *result = begin_home(size_bytes, align, place);
    if (!home)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory for a home (%zu bytes)", call, sizeof *home);
    home->is_borrowed = memory;
    home->on = amp_accelerator_view_retain(on);
    amp__grid_init(&home->grid, &shape->extent, shape->element_size);
    begin_parts(home);
    if (place == AMP__NOWHERE)
        return AMP_OK;
    amp_status status = make_room(home, place);
    if (status == AMP_OK && memory) {
        atomic_init(&amp__home_copy(home, place)->memory, memory);
        atomic_init(&home->memories, amp__set_of(place));
    }
    if (status == AMP_OK)
        status = ensure_memory(home, place);
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
    for (int l = AMP__HOST; l <= home->n_others; l++)
        all |= (uintptr_t)amp__home_memory(home, l);
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
    amp_accelerator_view *last = atomic_load(&amp__home_copy(home, location)->used_on);
    return !last || last == on ? AMP_OK : amp__device_wait(last);
}

/* Keeps the accelerator_view that used the copy last, if it queues work. */
static void remember(struct amp__home *home, int location, amp_accelerator_view *on)
{
    if (on && on->accelerator->backend->wait)
        amp_accelerator_view_release(
            atomic_exchange(&amp__home_copy(home, location)->used_on, amp_accelerator_view_retain(on)));
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
    amp_accelerator_view *last = atomic_load(&amp__home_copy(home, location)->used_on);
    wait_for_others(home, location, NULL);
    if (last && amp_error_status() != AMP_OK)
        amp__accelerator_view_keep(last, amp__error_now());
    amp_accelerator_view_release(last);
}

static void free_memory(struct amp__home *home, int location)
{
    void *memory = amp__home_memory(home, location);
    leave(home, location);
    if ((location == home->place && home->is_borrowed) || memory == home)
        return;
    const amp_accelerator *a = location == AMP__HOST ? NULL : amp__accelerator_at(location);
    a ? a->backend->free(a->device, memory) : amp__free(memory);
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
    if (atomic_load(&home->imagined))
        amp__home_release(atomic_load(&home->imagined));
    for (int l = AMP__HOST; l <= home->n_others; l++)
        if (amp__home_memory(home, l))
            free_memory(home, l);
    amp__free(atomic_load(&home->others));
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
    return atomic_load_explicit(&home->memories, memory_order_acquire);
}

/* Goes through the parts that have points in common with a view: those of one box after another. `common`: what of the
 * part is in the box. No parts may be looked for meanwhile. */
struct meeting {
    struct amp__home *home;
    struct amp__cover cover;
    const struct amp__box *box;
    int at;
    const struct amp__part *part;
    struct amp__box common;
};

static void meet_begin(struct meeting *m, struct amp__home *home, const amp_array_view *view)
{
    m->home = home;
    m->box = NULL;
    amp__cover_begin(&m->cover, &home->grid, view, AMP__MOST_RUNS);
}

static bool meet_next(struct meeting *m)
{
    struct amp__parts *parts = &m->home->parts;
    while (!m->box || m->at == parts->n_found) {
        m->box = amp__cover_next(&m->cover);
        m->at = 0;
        if (!m->box)
            return false;
        amp__parts_find(parts, m->box);
    }
    m->part = &parts->of[parts->found[m->at++]];
    return amp__box_meet(m->home->grid.rank, &m->part->box, m->box, &m->common);
}

/* Whether a home is in too many parts, unless places that were counted are not there any more. */
static bool is_crumbled(struct amp__home *home)
{
    if (home->parts.n <= AMP__MOST_PARTS || home->parts.n <= home->most_parts)
        return false;
    home->most_parts = AMP__PARTS_PER_PLACE * amp__parts_count_places(&home->parts);
    return home->parts.n > home->most_parts;
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

/* In a change: makes a box part of a set, or adds a location to the sets of its points. Without memory returns false;
 * then some of the points may have it. */
static bool set_places(struct amp__home *home, const struct amp__box *box, uint32_t set, int added)
{
    if (!amp__parts_split(&home->parts, box))
        return false;
    int n = amp__parts_find(&home->parts, box);
    bool is_set = true;
    for (int i = 0; i < n && is_set; i++) {
        int part = home->parts.found[i];
        uint32_t places = set ? set : amp__set_with(home->parts.of[part].places, added);
        is_set = places != AMP__SET_NOTHING;
        if (is_set)
            amp__part_set(&home->parts, part, places);
    }
    return is_set;
}

/* In a change: makes `places` the only places of all of a view. Without memory some of it may have changed. */
static bool set_places_of(struct amp__home *home, const amp_array_view *view, size_t most_runs, uint32_t places)
{
    struct amp__cover cover;
    const struct amp__box *box;
    bool is_set = true;
    amp__cover_begin(&cover, &home->grid, view, most_runs);
    while (is_set && (box = amp__cover_next(&cover)))
        is_set = set_places(home, box, places, AMP__NOWHERE);
    return is_set;
}

/* Finds a part that is not valid at `location`: its places, and which of it is in the box. */
static bool find_missing(struct amp__home *home, int location, const struct amp__box *box, uint32_t *places,
                         struct amp__box *missing)
{
    int n = amp__parts_find(&home->parts, box);
    for (int i = 0; i < n; i++) {
        const struct amp__part *part = &home->parts.of[home->parts.found[i]];
        if (!amp__set_has(part->places, location) && amp__box_meet(home->grid.rank, &part->box, box, missing)) {
            *places = part->places;
            return true;
        }
    }
    return false;
}

bool amp__home_has(struct amp__home *home, int location, const amp_array_view *view)
{
    enum amp__state state = view ? state_of(home, location) : amp__home_state(home, location);
    if (state == AMP__INVALID || !amp__home_memory(home, location))
        return false;
    if (state != AMP__PARTIAL || !view)
        return state != AMP__PARTIAL;
    struct meeting m;
    bool has = true;
    lock_home(home);
    for (meet_begin(&m, home, view); has && meet_next(&m);)
        has = amp__set_has(m.part->places, location);
    pthread_mutex_unlock(&home->lock);
    return has;
}

size_t amp__home_missing(struct amp__home *home, int location, const amp_array_view *view)
{
    struct meeting m;
    size_t bytes = 0;
    if (state_of(home, location) >= AMP__SHARED)
        return 0;
    lock_home(home);
    for (meet_begin(&m, home, view); meet_next(&m);)
        if (!amp__set_has(m.part->places, location))
            bytes += amp__box_bytes(&home->grid, &m.common);
    pthread_mutex_unlock(&home->lock);
    return bytes;
}

/* Whether a copy of any of a view has contents. */
static bool is_anywhere(struct amp__home *home, const amp_array_view *view)
{
    struct meeting m;
    bool is = false;
    lock_home(home);
    for (meet_begin(&m, home, view); !is && meet_next(&m);)
        is = amp__set_first_common(m.part->places, with_memory(home)) != AMP__NOWHERE;
    pthread_mutex_unlock(&home->lock);
    return is;
}

int amp__home_find(struct amp__home *home, int location, const amp_array_view *view)
{
    if (location != AMP__NOWHERE && amp__home_has(home, location, view))
        return location;
    bool is_spread = false;
    for (int l = amp__set_next(with_memory(home), AMP__HOST); l != AMP__NOWHERE;
         l = amp__set_next(with_memory(home), l + 1)) {
        if (amp__home_has(home, l, view))
            return l;
        is_spread |= state_of(home, l) == AMP__PARTIAL;
    }
    return is_spread && is_anywhere(home, view) ? AMP__HOST : AMP__NOWHERE;
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
    char *host = (char *)amp__home_memory(way->home, AMP__HOST) + offset;
    struct amp__at at_from = {from ? amp__home_memory(way->home, from->location) : NULL, offset};
    struct amp__at at_to = {to ? amp__home_memory(way->home, to->location) : NULL, offset};
    void *queue = way->on->queue;
    if (!to)
        return from->backend->copy_out(from->device, queue, host, at_from, size_bytes);
    if (!from)
        return to->backend->copy_in(to->device, queue, at_to, host, size_bytes);
    return to->backend->copy_peer(to->device, queue, at_to, from->device, at_from, size_bytes);
}

/* Whether a copy to the host is only begun. */
static bool is_begun(const struct way *way)
{
    return !way->to && way->from->backend->begin_copy_out;
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
    char *host = (char *)amp__home_memory(way->home, AMP__HOST) + rows->offset;
    amp_status status = AMP_OK;
    if (is_begun(way)) {
        struct amp__at at = {amp__home_memory(way->home, from->location), rows->offset};
        return from->backend->begin_copy_out(from->device, host, at, rows);
    }
    if (moves_at_once(way, rows) && from && to) {
        struct amp__at at_from = {amp__home_memory(way->home, from->location), rows->offset};
        struct amp__at at_to = {amp__home_memory(way->home, to->location), rows->offset};
        return to->backend->copy_rows_peer(to->device, way->on->queue, at_to, from->device, at_from, rows);
    }
    if (moves_at_once(way, rows)) {
        struct amp__at at = {amp__home_memory(way->home, device->location), rows->offset};
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
    struct amp__groups groups;
    amp_status status = AMP_OK;
    bool is_imagined = way->home->is_imagined;
    if (!is_imagined && amp__log_wants(AMP__LOG_COHERENCE))
        amp__log("home %p: read: %zu bytes from %s to %s", (void *)way->home, amp__box_bytes(grid, box),
                 way->from ? way->from->properties.path : "host", way->to ? way->to->properties.path : "host");
    amp__groups_begin(&groups, grid, box);
    do
        status = is_imagined ? move_rows(way, &groups.rows) : move_rows_as_event(way, &groups.rows);
    while (status == AMP_OK && amp__groups_next(&groups, grid));
    return status;
}

/* Ends copies to the host that are only begun, the last from `begun`, which gets their time; NULL: there are none. */
static amp_status end_begun(amp_accelerator *begun, amp_status status)
{
    if (!begun)
        return status;
    AMP__EVENT(event, .kind = AMP__COPY, .on = &begun->view, .from = begun, .line = "read-out");
    amp_status ended = amp__event_end(&event, begun->backend->end_copies_out(begun->device));
    return status == AMP_OK ? ended : status;
}

/* Tells the guard that a box of the host's memory is about to be overwritten. */
static void ask_guard(struct amp__home *home, const amp_accelerator *a, const struct amp__box *box)
{
    struct amp__groups groups;
    amp__groups_begin(&groups, &home->grid, box);
    do
        for (size_t i = 0; i < groups.rows.n; i++)
            if (amp__guard_overwrite(home, a, groups.rows.offset + i * groups.rows.stride, groups.rows.bytes) != AMP_OK)
                home->has_lost_writes = true;
    while (amp__groups_next(&groups, &home->grid));
}

/* Sets *begun to the device if its copies are only begun. */
static amp_status move_to_host(struct amp__home *home, int from, const struct amp__box *box, amp_accelerator **begun)
{
    amp_accelerator *a = amp__accelerator_at(from);
    if (a->backend->begin_copy_out)
        *begun = a;
    if (amp__guard_is_on() && !home->is_imagined)
        ask_guard(home, a, box);
    amp_accelerator_view *last = atomic_load(&amp__home_copy(home, from)->used_on);
    return move_box(&(struct way){home, a, NULL, last ? last : &a->view}, box);
}

/* The first device of `better`, else of `places`, from which `a` can copy a box directly; AMP__NOWHERE if there is
 * none. */
static int find_peer(struct amp__home *home, uint32_t places, uint32_t better, const amp_accelerator *a,
                     const struct amp__box *box)
{
    struct amp__groups groups;
    amp__groups_begin(&groups, &home->grid, box);
    bool is_row = groups.rows.bytes == amp__box_bytes(&home->grid, box);
    bool is_possible = is_row ? a->backend->copy_peer != NULL : a->backend->copy_rows_peer != NULL;
    int l = is_possible ? amp__set_next(better, AMP__HOST + 1) : AMP__NOWHERE;
    while (l != AMP__NOWHERE && (!amp__home_memory(home, l) || amp__accelerator_at(l)->backend != a->backend))
        l = amp__set_next(better, l + 1);
    return l != AMP__NOWHERE || better == places ? l : find_peer(home, places, places, a, box);
}

/* Carries out a move, on the queue of `on` if its target is a device. `begun`: as for `move_to_host`. */
static amp_status carry_out(struct amp__home *home, amp_accelerator_view *on, const struct amp__move *move,
                            amp_accelerator **begun)
{
    const amp_accelerator *from = move->from == AMP__HOST ? NULL : amp__accelerator_at(move->from);
    if (move->to == AMP__HOST)
        return move_to_host(home, move->from, &move->box, begun);
    amp_status status = from ? wait_for_others(home, move->from, NULL) : AMP_OK;
    return status == AMP_OK ? move_box(&(struct way){home, from, on->accelerator, on}, &move->box) : status;
}

/* Of many ranks there are many moves, so each takes only the words that it needs: both locations in one, and the bounds
 * of its box. */
static size_t words_of_move(int rank)
{
    return 1 + 2 * (size_t)rank;
}

static struct amp__move move_at(const struct amp__effect *effect, int i)
{
    const size_t *words = &effect->moves[(size_t)i * words_of_move(effect->rank)];
    struct amp__move move = {.from = (int)(words[0] / AMP__MAX_LOCATIONS), .to = (int)(words[0] % AMP__MAX_LOCATIONS)};
    memcpy(move.box.begin, words + 1, (size_t)effect->rank * sizeof *words);
    memcpy(move.box.end, words + 1 + effect->rank, (size_t)effect->rank * sizeof *words);
    return move;
}

/* Gives an effect room for so many moves. */
static bool resize_moves(struct amp__effect *effect, int room)
{
    size_t word_bytes = sizeof *effect->moves * words_of_move(effect->rank);
    size_t *moves = amp__alloc((size_t)room * word_bytes, _Alignof(size_t));
    if (!moves)
        return false;
    if (effect->n)
        memcpy(moves, effect->moves, (size_t)effect->n * word_bytes);
    amp__free(effect->moves);
    effect->moves = moves;
    effect->room = room;
    return true;
}

static void note(struct amp__effect *effect, const struct amp__move *move)
{
    enum { FEW = 16 };
    if (effect->n == effect->room && !effect->is_broken)
        effect->is_broken = !resize_moves(effect, effect->room ? 2 * effect->room : FEW);
    if (effect->is_broken)
        return;
    size_t *words = &effect->moves[(size_t)effect->n++ * words_of_move(effect->rank)];
    words[0] = (size_t)move->from * AMP__MAX_LOCATIONS + (size_t)move->to;
    memcpy(words + 1, move->box.begin, (size_t)effect->rank * sizeof *words);
    memcpy(words + 1 + effect->rank, move->box.end, (size_t)effect->rank * sizeof *words);
}

/* Returns those of `places` that have had a box since before the effect: they need not get it first. Makes the box as
 * small as what was one part then: those that had its parts can all send at once. */
static uint32_t places_before(struct amp__home *home, const struct amp__effect *effect, uint32_t places,
                              struct amp__box *box)
{
    struct amp__box all = *box;
    if (!effect || !effect->before)
        return places;
    begin_change();
    struct amp__parts *parts = &effect->before->parts;
    if (amp__parts_find(parts, &all) > 0) {
        const struct amp__part *part = &parts->of[parts->found[0]];
        amp__box_meet(home->grid.rank, &part->box, &all, box);
        places = amp__set_common(places, part->places);
    }
    pthread_mutex_unlock(&changes);
    return places;
}

/* Makes the location of `on` valid for a box, part by part, which other threads may hear of before copies have ended
 * that are only begun. A part comes from the host, or directly from another device
 * if the host has nothing valid, or else through the host, which becomes valid, too. Undefined contents need no
 * copy. `effect`: which notes the copies; or NULL. */
static amp_status fetch(struct amp__home *home, amp_accelerator_view *on, const struct amp__box *box,
                        struct amp__effect *effect)
{
    struct amp__move next = {.to = location_of(on)};
    uint32_t places;
    amp_accelerator *begun = NULL;
    amp_status status = ensure_memory(home, next.to);
    while (status == AMP_OK && find_missing(home, next.to, box, &places, &next.box)) {
        int first = amp__set_first_common(places, with_memory(home));
        bool is_defined = first != AMP__NOWHERE;
        next.from =
            !is_defined || next.to == AMP__HOST || first == AMP__HOST
                ? first
                : find_peer(home, places, places_before(home, effect, places, &next.box), on->accelerator, &next.box);
        if (is_defined && next.from == AMP__NOWHERE) {
            status = fetch(home, NULL, &next.box, effect);
            continue;
        }
        if (is_defined)
            status = carry_out(home, on, &next, &begun);
        if (status != AMP_OK)
            break;
        if (is_defined && effect)
            note(effect, &next);
        begin_change();
        if (!set_places(home, &next.box, AMP__SET_NOTHING, next.to))
            status = fail_to_list();
        end_change(home, "read");
    }
    return end_begun(begun, status);
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
        uint32_t all = amp__parts_all(&home->parts);
        amp__parts_reset(&home->parts, all ? all : amp__set_of(location_of(on)));
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
    if (state_of(home, location) >= AMP__SHARED && amp__home_memory(home, location)) {
        const struct amp__copy *copy = amp__home_copy(home, location);
        amp_accelerator_view *last = atomic_load_explicit(&copy->used_on, memory_order_acquire);
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
    if (location == AMP__HOST)
        find_states(home);
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
    if (amp__dry_ranks && !home->is_imagined && location_of(on) == AMP__HOST)
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
    struct meeting m;
    amp_accelerator *begun = NULL;
    lock_home(home);
    amp_status status = prepare(home, NULL);
    for (meet_begin(&m, home, view); status == AMP_OK && meet_next(&m);) {
        int from = amp__set_first_common(m.part->places, with_memory(home));
        if (from != AMP__NOWHERE && !amp__set_has(m.part->places, AMP__HOST))
            status = move_to_host(home, from, &m.common, &begun);
    }
    status = end_begun(begun, status);
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
    return a->backend->commit
               ? a->backend->commit(a->device, amp__home_memory(home, a->location), begin, end, amp__view_bytes(view))
               : AMP_OK;
}

/* Called after work on the copy that `on` has read or reserved was put on its queue, or part of it before a failure.
 * Another thread may have read the copy on another queue meanwhile. The last to come here waits for the others, so only
 * one queue must be remembered. */
amp_status amp__home_used(struct amp__home *home, amp_accelerator_view *on)
{
    int location = on->accelerator->location;
    if (location == AMP__HOST || atomic_load(&amp__home_copy(home, location)->used_on) == on ||
        !on->accelerator->backend->wait)
        return AMP_OK;
    lock_home(home);
    amp_status status = wait_for_others(home, location, on);
    remember(home, location, on);
    pthread_mutex_unlock(&home->lock);
    return status;
}

/* Makes `location` invalid for a part, except where it has the only valid copy: there is nothing better. */
static void distrust_part(struct amp__home *home, int location, int part)
{
    uint32_t places = home->parts.of[part].places;
    int other = amp__set_first_common(places, with_memory(home));
    for (; other == location || (other != AMP__NOWHERE && !amp__home_memory(home, other));)
        other = amp__set_next(places, other + 1);
    if (other == AMP__NOWHERE || !amp__set_has(places, location))
        return;
    uint32_t rest = amp__set_without(places, location);
    amp__part_set(&home->parts, part, rest ? rest : amp__set_of(other));
}

/* The same for a view. Called in a change. */
static void distrust(struct amp__home *home, int location, const amp_array_view *view)
{
    struct amp__cover cover;
    const struct amp__box *box;
    for (amp__cover_begin(&cover, &home->grid, view, AMP__MOST_RUNS); (box = amp__cover_next(&cover));) {
        /* Without memory for this, all parts that the box meets are distrusted. */
        amp__parts_split(&home->parts, box);
        int n = amp__parts_find(&home->parts, box);
        for (int i = 0; i < n; i++)
            distrust_part(home, location, home->parts.found[i]);
    }
}

/* Changes the parts for amp__home_own. `has_all`: whether all of the view, with what moves with it, is valid there. */
static amp_status change_owner(struct amp__home *home, int location, const amp_array_view *view, bool has_all)
{
    uint32_t owner = amp__set_of(location);
    if (!view || amp__view_is_whole(view)) {
        amp__parts_reset(&home->parts, owner);
        return AMP_OK;
    }
    if (set_places_of(home, view, has_all ? AMP__MOST_RUNS : SIZE_MAX, owner))
        return AMP_OK;
    if (amp__set_has(amp__parts_all(&home->parts), location)) {
        amp__parts_reset(&home->parts, owner);
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
    if (amp__dry_ranks && !home->is_imagined && location == AMP__HOST)
        amp__dry_own(home, view);
    if (state_of(home, location) == AMP__OWNER)
        return AMP_OK;
    amp_status status = AMP_OK;
    struct meeting m;
    bool has_all = true, is_owner = true;
    lock_home(home);
    notice_others(effect, home);
    for (meet_begin(&m, home, view); meet_next(&m);) {
        has_all &= amp__set_has(m.part->places, location);
        is_owner &= m.part->places == amp__set_of(location);
    }
    if (!is_owner) {
        begin_change();
        status = change_owner(home, location, view, has_all);
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
    struct amp__groups groups;
    amp__groups_begin(&groups, &home->grid, box);
    do
        for (size_t i = 0; i < groups.rows.n; i++) {
            size_t begin = groups.rows.offset + i * groups.rows.stride;
            size_t same = a->backend->compare(a->device, (struct amp__at){amp__home_memory(home, a->location), begin},
                                              (char *)amp__home_memory(home, AMP__HOST) + begin, groups.rows.bytes);
            *offset = begin + same;
            if (same < groups.rows.bytes)
                return true;
        }
    while (amp__groups_next(&groups, &home->grid));
    return false;
}

bool amp__home_differs(struct amp__home *home, const amp_accelerator *a, const amp_array_view *view, size_t *offset)
{
    struct meeting m;
    bool differs = false;
    if (!amp__home_memory(home, AMP__HOST) || !amp__home_memory(home, a->location))
        return false;
    lock_home(home);
    for (meet_begin(&m, home, view); !differs && meet_next(&m);)
        if (amp__set_has(m.part->places, AMP__HOST) && amp__set_has(m.part->places, a->location))
            differs = differs_in(home, a, &m.common, offset);
    pthread_mutex_unlock(&home->lock);
    return differs;
}

/* Lets devices that look for mistakes know that a view has no contents. */
static void discard_on_devices(struct amp__home *home, const amp_array_view *view)
{
    struct amp__cover cover;
    const struct amp__box *box;
    struct amp__groups groups;
    for (int l = AMP__HOST + 1; l <= home->n_others; l++) {
        const amp_accelerator *a = amp__home_memory(home, l) ? amp__accelerator_at(l) : NULL;
        if (!a || !a->backend->discard)
            continue;
        for (amp__cover_begin(&cover, &home->grid, view, AMP__MOST_RUNS); (box = amp__cover_next(&cover));) {
            amp__groups_begin(&groups, &home->grid, box);
            do
                for (size_t i = 0; i < groups.rows.n; i++)
                    a->backend->discard(
                        a->device,
                        (struct amp__at){amp__home_memory(home, l), groups.rows.offset + i * groups.rows.stride},
                        groups.rows.bytes);
            while (amp__groups_next(&groups, &home->grid));
        }
    }
}

/* Discard: no contents of a view are needed, so all copies are equally good, even those without memory. If this cannot
 * be recorded, or only in too many parts, the contents stay as they are. */
void amp__home_discard(struct amp__home *home, const amp_array_view *view)
{
    amp__guard_refreshed(home, view);
    if (amp__dry_ranks && !home->is_imagined)
        amp__dry_discard(home, view);
    lock_home(home);
    if (amp__view_is_whole(view) || (!is_crumbled(home) && !moves_with_more(home, view))) {
        begin_change();
        set_places_of(home, view, AMP__MOST_RUNS, AMP__SET_EVERYWHERE);
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
        atomic_store(&home->layout, amp__layout_of(&home->parts));
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
    *effect = (struct amp__effect){.rank = home->grid.rank};
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
        struct amp__move move = move_at(effect, i);
        if (move.from == AMP__HOST || move.to == AMP__HOST)
            return NULL;
        if (!backend)
            backend = amp__accelerator_at(move.to)->backend;
        if (!backend->batch_new || amp__accelerator_at(move.from)->backend != backend ||
            amp__accelerator_at(move.to)->backend != backend)
            return NULL;
    }
    return backend;
}

/* Lists the copies that moves consist of, or counts them if `copies` is NULL. */
static size_t list_copies(const struct amp__effect *effect, const struct amp__grid *grid, struct amp__peer_copy *copies)
{
    size_t n = 0;
    for (int i = 0; i < effect->n; i++) {
        struct amp__move move = move_at(effect, i);
        struct amp__groups groups;
        amp__groups_begin(&groups, grid, &move.box);
        do {
            if (copies)
                copies[n] =
                    (struct amp__peer_copy){amp__accelerator_at(move.from), amp__accelerator_at(move.to), groups.rows};
            n++;
        } while (amp__groups_next(&groups, grid));
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
    if (effect->n < effect->room)
        resize_moves(effect, effect->n);
    make_batch(effect, &home->grid);
}

int amp__effect_meets(const struct amp__effect *effect, const struct amp__home *home, int location, bool is_written,
                      const amp_array_view *view)
{
    struct amp__cover cover;
    const struct amp__box *box;
    struct amp__box common;
    int n = 0;
    for (int i = 0; i < effect->n; i++) {
        struct amp__move move = move_at(effect, i);
        bool meets = false;
        if (move.to != location && !(is_written && move.from == location))
            continue;
        for (amp__cover_begin(&cover, &home->grid, view, AMP__MOST_RUNS); !meets && (box = amp__cover_next(&cover));)
            meets = amp__box_meet(home->grid.rank, &move.box, box, &common);
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
    bool is_done = amp__parts_reserve(&home->parts, layout->parts.n);
    if (is_done) {
        layout->references++;
        amp__layout_release(atomic_exchange(&home->layout, layout));
        home->is_ahead = true;
        home->n_changes++;
        publish(home, layout->valid, why);
    }
    pthread_mutex_unlock(&changes);
    return is_done;
}

/* With the lock held: does all moves at once, unless somebody watches them. Returns false if that is not possible, and
 * then has done nothing. */
static bool repeat_at_once(const struct amp__effect *effect, struct amp__home *home, amp_status *status)
{
    bool is_done = false;
    if (effect->batch && amp__set_is_within(effect->used, with_memory(home)) && !amp__is_watched() &&
        !amp__log_wants(AMP__LOG_COHERENCE))
        *status = effect->batch_backend->batch_run(effect->batch, home, &is_done);
    return is_done;
}

/* With the lock held: does what the reads have done, except that nobody knows of it yet. */
static amp_status repeat_moves(const struct amp__effect *effect, struct amp__home *home)
{
    amp_status status = AMP_OK;
    amp_accelerator *begun = NULL;
    if (repeat_at_once(effect, home, &status))
        return status;
    uint32_t unready = amp__set_is_within(effect->used, with_memory(home)) ? effect->queued : effect->used;
    for (int l = amp__set_next(unready, AMP__HOST); l != AMP__NOWHERE && status == AMP_OK;
         l = amp__set_next(unready, l + 1))
        status = prepare(home, l == AMP__HOST ? NULL : &amp__accelerator_at(l)->view);
    for (int i = 0; i < effect->n && status == AMP_OK; i++) {
        struct amp__move move = move_at(effect, i);
        status = ensure_memory(home, move.to);
        if (status == AMP_OK)
            status = carry_out(home, move.to == AMP__HOST ? NULL : &amp__accelerator_at(move.to)->view, &move, &begun);
    }
    return end_begun(begun, status);
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
