/* SPDX-License-Identifier: MIT
 *
 * The coherence rule, in one place. A home has one copy per location: host memory, and the memory of each accelerator
 * that has its own. Each copy is `invalid`, `shared` (as good as every other shared one) or `owner` (the only one that
 * is valid). Either one copy is the owner and all others are invalid, or some are shared and there is no owner; so a
 * valid copy always exists. Each function below is one transition, and the only ones that change a state are here;
 * docs/coherence.md is the table of them, tests/runtime/coherence_test.c tries it row by row.
 *
 * Homes move as a whole: what a section needs or writes, its home needs or writes. That is coarse, and it is why
 * overlapping sections can never disagree. */
#include "backend.h"

#include <string.h>

static const char *const state_names[] = {"invalid", "shared", "owner"};

static const char *location_name(int location)
{
    return location == AMP__HOST ? "host" : amp__accelerator_at(location)->properties.path;
}

static enum amp__state state_of(struct amp__home *home, int location)
{
    return atomic_load_explicit(&home->copies[location].state, memory_order_acquire);
}

/* Valid, and not only said to be so by a discard before there was memory. */
bool amp__home_has(struct amp__home *home, int location)
{
    return state_of(home, location) != AMP__INVALID &&
           atomic_load_explicit(&home->copies[location].memory, memory_order_acquire);
}

void *amp__home_address(struct amp__home *home, const amp_accelerator *a, size_t offset)
{
    void *memory = atomic_load_explicit(&home->copies[a->location].memory, memory_order_acquire);
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

/* In the child of a fork the lock is new: a thread of the parent may have held it. Between any two changes of a state
 * there is a valid copy, so that is all. */
static void lock_home(struct amp__home *home)
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
    }
    if (status == AMP_OK)
        atomic_store_explicit(&home->copies[location].memory, memory, memory_order_release);
    return status;
}

amp_status amp__home_new(const char *call, size_t size_bytes, size_t align, int place, void *memory,
                         amp_accelerator_view *on, struct amp__home **result)
{
    struct amp__home *home = *result = amp__alloc(sizeof *home, _Alignof(struct amp__home));
    if (!home)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory for a home (%zu bytes)", call, sizeof *home);
    memset(home, 0, sizeof *home);
    atomic_init(&home->references, 1);
    home->size_bytes = size_bytes;
    home->align = align;
    home->place = place;
    home->is_borrowed = memory;
    home->on = amp_accelerator_view_retain(on);
    pthread_mutex_init(&home->lock, NULL);
    atomic_init(&home->generation, amp__fork_generation());
    if (place == AMP__NOWHERE) {
        for (int l = 0; l < AMP__MAX_LOCATIONS; l++)
            atomic_init(&home->copies[l].state, AMP__SHARED);
        return AMP_OK;
    }
    atomic_init(&home->copies[place].memory, memory);
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

/* Waits for the queue that used a copy's memory last, unless it is that of `on`, which uses it next: calls on one queue
 * are in order. */
static amp_status wait_for_others(struct amp__home *home, int location, amp_accelerator_view *on)
{
    amp_accelerator_view *last = atomic_load(&home->copies[location].used_on);
    if (!last || last == on)
        return AMP_OK;
    const amp_accelerator *a = last->accelerator;
    return a->backend->wait(a->device, last->queue);
}

/* The copy keeps the accelerator_view that used it last, if that queues work. */
static void remember(struct amp__home *home, int location, amp_accelerator_view *on)
{
    if (on && on->accelerator->backend->wait)
        amp_accelerator_view_release(atomic_exchange(&home->copies[location].used_on, amp_accelerator_view_retain(on)));
}

/* Notes the queue of `on` before anything that uses the memory is put on it: an operation may fail after a part of its
 * work was. */
static amp_status take_over(struct amp__home *home, int location, amp_accelerator_view *on)
{
    amp_status status = wait_for_others(home, location, on);
    if (status == AMP_OK)
        remember(home, location, on);
    return status;
}

/* Lets go of the queue that used a copy's memory last. A failure that was met, be it now or by the copy back to the
 * user's memory before, stays with it: it is the queue's. */
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
    if (home->is_borrowed)
        amp__home_read(home, home->on);
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
    amp_accelerator_view_release(home->on);
    pthread_mutex_destroy(&home->lock);
    amp__free(home);
}

int amp__home_find(struct amp__home *home, int location)
{
    if (location != AMP__NOWHERE && amp__home_has(home, location))
        return location;
    int l = AMP__HOST;
    while (l < AMP__MAX_LOCATIONS && !amp__home_has(home, l))
        l++;
    return l < AMP__MAX_LOCATIONS ? l : AMP__NOWHERE;
}

/* Makes the host's copy valid, if it is not, from an accelerator that has a valid one. */
static amp_status read_host(struct amp__home *home)
{
    amp_status status = ensure_memory(home, AMP__HOST);
    if (status != AMP_OK || state_of(home, AMP__HOST) != AMP__INVALID)
        return status;
    int from = AMP__HOST + 1;
    while (!amp__home_has(home, from))
        from++;
    const amp_accelerator *a = amp__accelerator_at(from);
    const amp_accelerator_view *last = atomic_load(&home->copies[from].used_on);
    status = a->backend->copy_out(a->device, last ? last->queue : NULL, atomic_load(&home->copies[AMP__HOST].memory),
                                  (struct amp__at){atomic_load(&home->copies[from].memory), 0}, home->size_bytes);
    if (status != AMP_OK)
        return status;
    set_state(home, from, AMP__SHARED, "read");
    set_state(home, AMP__HOST, AMP__SHARED, "read");
    return AMP_OK;
}

/* Where there is a valid copy of a home that the host has none of, on a device that `on` can copy from; AMP__NOWHERE if
 * there is none. */
static int find_peer(struct amp__home *home, const amp_accelerator *a)
{
    if (!a->backend->copy_peer || amp__home_has(home, AMP__HOST))
        return AMP__NOWHERE;
    for (int l = AMP__HOST + 1; l < AMP__MAX_LOCATIONS; l++)
        if (amp__home_has(home, l) && amp__accelerator_at(l)->backend == a->backend)
            return l;
    return AMP__NOWHERE;
}

static amp_status read_peer(struct amp__home *home, amp_accelerator_view *on, int from)
{
    const amp_accelerator *a = on->accelerator, *peer = amp__accelerator_at(from);
    amp_status status = wait_for_others(home, from, NULL);
    if (status == AMP_OK)
        status = a->backend->copy_peer(
            a->device, on->queue, (struct amp__at){atomic_load(&home->copies[a->location].memory), 0}, peer->device,
            (struct amp__at){atomic_load(&home->copies[from].memory), 0}, home->size_bytes);
    if (status == AMP_OK)
        set_state(home, from, AMP__SHARED, "read");
    return status;
}

static amp_status read_by_host(struct amp__home *home, amp_accelerator_view *on)
{
    const amp_accelerator *a = on->accelerator;
    amp_status status = read_host(home);
    if (status == AMP_OK)
        status = a->backend->copy_in(a->device, on->queue,
                                     (struct amp__at){atomic_load(&home->copies[a->location].memory), 0},
                                     atomic_load(&home->copies[AMP__HOST].memory), home->size_bytes);
    if (status == AMP_OK)
        set_state(home, AMP__HOST, AMP__SHARED, "read");
    return status;
}

/* Makes an accelerator's copy valid: from the host, which becomes valid first, or from another device. */
static amp_status read_accelerator(struct amp__home *home, amp_accelerator_view *on)
{
    const amp_accelerator *a = on->accelerator;
    int location = a->location;
    amp_status status = ensure_memory(home, location);
    if (status == AMP_OK)
        status = take_over(home, location, on);
    if (status == AMP_OK && state_of(home, location) == AMP__INVALID) {
        int peer = find_peer(home, a);
        status = peer == AMP__NOWHERE ? read_by_host(home, on) : read_peer(home, on, peer);
        if (status == AMP_OK)
            set_state(home, location, AMP__SHARED, "read");
    }
    return status;
}

/* Read: the location that `on` works on (NULL: the host) gets a valid copy, by at most one copy in and one copy out; an
 * owner elsewhere becomes shared. What other queues do with that copy is done. After a failure it is as invalid as
 * before. Threads: any at once. */
amp_status amp__home_read(struct amp__home *home, amp_accelerator_view *on)
{
    int location = on ? on->accelerator->location : AMP__HOST;
    if (amp__home_has(home, location)) {
        amp_accelerator_view *last = atomic_load_explicit(&home->copies[location].used_on, memory_order_acquire);
        if (!last || last == on)
            return AMP_OK;
    }
    lock_home(home);
    amp_status status = location == AMP__HOST ? read_host(home) : read_accelerator(home, on);
    pthread_mutex_unlock(&home->lock);
    return status;
}

/* Reserve: the location of `on` has memory that no other queue uses, to be overwritten as a whole on that of `on`. */
amp_status amp__home_reserve(struct amp__home *home, amp_accelerator_view *on)
{
    int location = on ? on->accelerator->location : AMP__HOST;
    lock_home(home);
    amp_status status = ensure_memory(home, location);
    if (status == AMP_OK)
        status = take_over(home, location, on);
    pthread_mutex_unlock(&home->lock);
    return status;
}

/* After work on the copy that `on` has read or reserved was put on its queue, even if only a part was because it
 * failed. Another thread may have read the copy on another queue meanwhile: the last to come here waits for the others,
 * so that one queue is all that must be remembered. */
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

/* Own: `location`, which is valid, has been written: it is the owner and all others are invalid. */
void amp__home_own(struct amp__home *home, int location)
{
    if (state_of(home, location) == AMP__OWNER)
        return;
    lock_home(home);
    for (int l = 0; l < AMP__MAX_LOCATIONS; l++)
        if (l != location)
            set_state(home, l, AMP__INVALID, "own");
    set_state(home, location, AMP__OWNER, "own");
    pthread_mutex_unlock(&home->lock);
}

/* Discard: no contents are needed, so every copy is as good as every other, those without memory included. */
void amp__home_discard(struct amp__home *home)
{
    lock_home(home);
    for (int l = 0; l < AMP__MAX_LOCATIONS; l++)
        set_state(home, l, AMP__SHARED, "discard");
    pthread_mutex_unlock(&home->lock);
}

/* Abandon: a launch that would have written `location` failed on the way. Its copy cannot be trusted if there is
 * another valid one; otherwise what it holds is all there is. */
void amp__home_abandon(struct amp__home *home, int location)
{
    lock_home(home);
    if (state_of(home, location) == AMP__SHARED) {
        bool is_only = true;
        for (int l = 0; l < AMP__MAX_LOCATIONS; l++)
            is_only &= l == location || !amp__home_has(home, l);
        if (!is_only)
            set_state(home, location, AMP__INVALID, "abandon");
    }
    pthread_mutex_unlock(&home->lock);
}
