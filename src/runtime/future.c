/* SPDX-License-Identifier: MIT
 *
 * amp_future: the outcome of an asynchronous operation. When its task has run, the device may still be at work; only
 * those who ask for the outcome wait for the device. A failure that the owner never asked for is not lost: it stays
 * with the accelerator_view, whose next wait reports it. */
#include "backend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { FOR_EVER = 1000000000 }; /* seconds */

struct amp__callback {
    struct amp__callback *next;
    void (*call)(amp_status status, void *user);
    void *user;
};

void amp__future_init(amp_future *future, amp_accelerator_view *on)
{
    amp__object_init(&future->object, AMP__FUTURE);
    atomic_init(&future->object.references, 2);
    atomic_init(&future->n_handles, 1);
    future->on = amp_accelerator_view_retain(on);
}

void amp__future_fail(amp_future *future, const struct amp__error *error)
{
    size_t size_bytes = strlen(error->text) + 1;
    future->status = error->status;
    future->text = amp__alloc(size_bytes, 1);
    if (future->text)
        memcpy(future->text, error->text, size_bytes);
}

static struct amp__error error_of(const amp_future *future)
{
    struct amp__error error = {.status = future->status};
    if (future->status != AMP_OK)
        snprintf(error.text, sizeof error.text, "%s", future->text ? future->text : amp_status_text(future->status));
    return error;
}

void amp__future_leave_failure(amp_future *future)
{
    if (future->status == AMP_OK || atomic_exchange(&future->is_reported, true))
        return;
    struct amp__error error = error_of(future);
    amp__accelerator_view_note(future->on, &error);
}

void amp__future_free(amp_future *future)
{
    const amp_accelerator *a = future->on->accelerator;
    if (future->status != AMP_OK) {
        amp__queue_lock();
        amp__future_leave_failure(future);
        amp__queue_unlock();
    }
    if (future->event)
        a->backend->event_destroy(a->device, future->event);
    amp__free(future->text);
    amp_accelerator_view_release(future->on);
    amp__object_free(&future->object);
}

/* While the callback runs, the cause of a failure is the thread's error, and nothing else is. */
static void call_back(const struct amp__callback *callback, const amp_future *future)
{
    struct amp__error own = error_of(future);
    own.is_heard = true;
    amp__error_swap(&own);
    callback->call(future->status, callback->user);
    amp__error_swap(&own);
}

void amp__future_call_back(amp_future *future)
{
    for (struct amp__callback *callback = future->callbacks, *next; callback; callback = next) {
        next = callback->next;
        call_back(callback, future);
        amp__free(callback);
    }
}

/* ---- how far it is ---- */

static enum amp__progress progress_of(const amp_future *future)
{
    return atomic_load_explicit(&((amp_future *)(uintptr_t)future)->progress, memory_order_acquire);
}

static bool is_ready(const void *future)
{
    return progress_of(future) == AMP__READY;
}

static bool is_launched(const void *future)
{
    return progress_of(future) >= AMP__LAUNCHED;
}

/* Whether the task has run, for a callback on its queue, which cannot wait for the callbacks before a marker. */
static bool is_held(const void *future)
{
    return progress_of(future) >= AMP__HELD;
}

/* The condition that the task has run, as far as the calling thread can wait for it. */
static amp__condition *has_run(const amp_future *future)
{
    return amp__queue_is_own(future->on) ? is_held : is_launched;
}

/* Whether the future will never be ready. */
static bool is_lost(const amp_future *future)
{
    return amp__queue_is_lost() && !is_launched(future);
}

/* Whether the operation is done, as far as this is known without waiting. */
static bool is_done(const amp_future *future)
{
    if (is_ready(future) || is_lost(future))
        return true;
    const amp_accelerator *a = future->on->accelerator;
    return has_run(future)(future) && (!future->event || a->backend->event_query(a->device, future->event));
}

/* Waits for the device, leaving the thread's error alone. */
static void wait_for_device(amp_future *future)
{
    const amp_accelerator *a = future->on->accelerator;
    struct amp__error error = {AMP_OK, ""};
    amp__error_swap(&error);
    AMP__EVENT(wait, .kind = AMP__WAIT, .name = "the device's work", .on = future->on);
    amp_status status = amp__event_end(&wait, a->backend->event_wait(a->device, future->event));
    amp__error_swap(&error);
    error.status = status;
    if (status != AMP_OK)
        amp__future_fail(future, &error);
}

void amp__future_settle(amp_future *future)
{
    if (is_ready(future))
        return;
    amp__queue_lock();
    bool is_first = !future->is_settling, is_needed = future->event && !future->is_settled;
    future->is_settling |= is_needed;
    amp__queue_unlock();
    if (!is_needed)
        return;
    if (!is_first) {
        amp__queue_wait_until(&(struct amp__wait){.done = is_ready, .what = future});
        return;
    }
    wait_for_device(future);
    amp__queue_lock();
    future->is_settled = true;
    if (is_launched(future))
        atomic_store_explicit(&future->progress, AMP__READY, memory_order_release);
    amp__queue_wake();
    amp__queue_unlock();
}

/* ---- the interface ---- */

amp_future *amp_future_retain(amp_future *future)
{
    if (future && amp__object_check(future, AMP__FUTURE, "amp_future_retain") == AMP_OK)
        atomic_fetch_add_explicit(&future->n_handles, 1, memory_order_relaxed);
    return future;
}

void amp_future_release(amp_future *future)
{
    if (!future || amp__object_check(future, AMP__FUTURE, "amp_future_release") != AMP_OK ||
        atomic_fetch_sub_explicit(&future->n_handles, 1, memory_order_acq_rel) > 1)
        return;
    atomic_store(&future->object.kind, AMP__RELEASED); /* the queue still uses it */
    if (amp__object_drop(&future->object))
        amp__future_free(future);
}

/* Returns the status of a future whose task has run, and sets the thread's error. */
static amp_status report(amp_future *future)
{
    amp__future_settle(future);
    atomic_store(&future->is_reported, true);
    if (future->status != AMP_OK)
        amp__fail(future->status, "%s", error_of(future).text);
    return future->status;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

amp_status amp_future_wait(amp_future *future)
{
    amp_status status = amp__object_check(future, AMP__FUTURE, "amp_future_wait");
    if (status != AMP_OK)
        return status;
    if (!is_ready(future))
        amp__queue_wait_until(&(struct amp__wait){.done = has_run(future), .what = future, .on = future->on});
    if (is_lost(future))
        return amp__queue_fail_lost();
    return report(future);
}

/* Polls: devices can wait, but not for a limited time. */
static bool wait_for_device_until(const amp_future *future, double end)
{
    enum { SHORTEST_NS = 20000, LONGEST_NS = 1000000 };
    const amp_accelerator *a = future->on->accelerator;
    if (a->backend->flush)
        a->backend->flush(a->device, future->on->queue);
    long ns = SHORTEST_NS;
    while (!is_done(future)) {
        if (now() >= end)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
        ns = ns < LONGEST_NS ? ns * 5 / 4 : ns;
    }
    return true;
}

bool amp_future_wait_for(amp_future *future, double seconds)
{
    if (amp__object_check(future, AMP__FUTURE, "amp_future_wait_for") != AMP_OK)
        return false;
    if (is_done(future))
        return true;
    if (!(seconds > 0)) {
        if (!amp__queue_is_own(future->on))
            return false;
        seconds = 0; /* runs one task of the queue, or a loop around this would never end */
    }
    double end = now() + seconds;
    struct amp__wait wait = {.done = has_run(future), .what = future, .on = future->on};
    wait.has_limit = seconds < FOR_EVER;
    wait.seconds = seconds;
    if (!amp__queue_wait_until(&wait))
        return is_lost(future);
    if (wait.has_limit)
        return wait_for_device_until(future, end);
    amp__future_settle(future);
    return true;
}

bool amp_future_is_ready(const amp_future *future)
{
    return amp__object_check(future, AMP__FUTURE, "amp_future_is_ready") == AMP_OK && is_done(future);
}

amp_status amp_future_status(amp_future *future)
{
    amp_status status = amp__object_check(future, AMP__FUTURE, "amp_future_status");
    if (status != AMP_OK)
        return status;
    if (!is_done(future))
        return AMP_ERROR_BUSY;
    if (is_lost(future))
        return AMP_ERROR_ACCELERATOR_VIEW_REMOVED;
    amp__future_settle(future);
    atomic_store(&future->is_reported, true);
    return future->status;
}

/* Adds a callback to be called later. Returns false if the future is ready: then its callbacks belong to the worker,
 * which frees them without the lock. */
static bool add_callback(amp_future *future, struct amp__callback *callback)
{
    amp__queue_lock();
    bool can_wait = !is_ready(future) && (future->callbacks || !is_launched(future) || amp__queue_call_back(future));
    if (can_wait) {
        struct amp__callback **end = &future->callbacks;
        while (*end)
            end = &(*end)->next;
        *end = callback;
    }
    amp__queue_unlock();
    return can_wait;
}

amp_status amp_future_then(amp_future *future, void (*callback)(amp_status status, void *user), void *user)
{
    static const char call[] = "amp_future_then";
    amp_status status = amp__object_check(future, AMP__FUTURE, call);
    if (status != AMP_OK)
        return status;
    if (!callback)
        return amp__fail(AMP_ERROR_NULL, "%s: the callback is NULL", call);
    if (is_lost(future))
        return amp__queue_fail_lost();
    const struct amp__callback now = {NULL, callback, user};
    if (!is_done(future)) {
        struct amp__callback *later = amp__alloc(sizeof *later, _Alignof(struct amp__callback));
        if (!later)
            return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory for a callback (%zu bytes)", call, sizeof *later);
        *later = now;
        atomic_store(&future->is_reported, true);
        if (add_callback(future, later))
            return AMP_OK;
        amp__free(later);
    }
    amp__future_settle(future);
    atomic_store(&future->is_reported, true);
    call_back(&now, future);
    return AMP_OK;
}
