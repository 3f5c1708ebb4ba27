/* SPDX-License-Identifier: MIT
 *
 * amp_future: the outcome of an asynchronous operation. A failure that its owner never asked for is not lost: it stays
 * with the accelerator_view, whose next wait reports it. */
#include "runtime.h"

#include <math.h>
#include <string.h>

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

void amp__future_discard(amp_future *future)
{
    amp_accelerator_view_release(future->on);
    amp__object_free(&future->object);
}

static void drop(amp_future *future)
{
    if (!amp__object_drop(&future->object))
        return;
    if (!atomic_load(&future->is_reported) && future->error.status != AMP_OK)
        amp__accelerator_view_keep(future->on, &future->error);
    amp__future_discard(future);
}

bool amp__future_complete(amp_future *future, const struct amp__error *error)
{
    amp__queue_lock();
    future->error = *error;
    bool has_callbacks = future->callbacks;
    if (has_callbacks)
        atomic_store(&future->is_reported, true);
    atomic_store_explicit(&future->is_ready, true, memory_order_release);
    amp__queue_unlock();
    if (!has_callbacks)
        drop(future);
    return has_callbacks;
}

/* While the callback runs, the cause of a failure is the thread's error, and nothing else is. */
static void call_back(const struct amp__callback *callback, const struct amp__error *error)
{
    struct amp__error own = *error;
    amp__error_swap(&own);
    callback->call(error->status, callback->user);
    amp__error_swap(&own);
}

void amp__future_call_back(amp_future *future)
{
    for (struct amp__callback *callback = future->callbacks, *next; callback; callback = next) {
        next = callback->next;
        call_back(callback, &future->error);
        amp__free(callback);
    }
    drop(future);
}

static bool is_ready(const void *future)
{
    return atomic_load_explicit(&((amp_future *)(uintptr_t)future)->is_ready, memory_order_acquire);
}

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
    atomic_store(&future->object.kind, AMP__RELEASED); /* the queue goes on with it */
    drop(future);
}

amp_status amp_future_wait(amp_future *future)
{
    amp_status status = amp__object_check(future, AMP__FUTURE, "amp_future_wait");
    if (status != AMP_OK)
        return status;
    if (!is_ready(future))
        amp__queue_wait_until(is_ready, future, -1);
    atomic_store(&future->is_reported, true);
    if (future->error.status != AMP_OK)
        amp__fail(future->error.status, "%s", future->error.text);
    return future->error.status;
}

bool amp_future_wait_for(amp_future *future, double seconds)
{
    if (amp__object_check(future, AMP__FUTURE, "amp_future_wait_for") != AMP_OK)
        return false;
    return is_ready(future) || (seconds > 0 && amp__queue_wait_until(is_ready, future, seconds));
}

bool amp_future_is_ready(const amp_future *future)
{
    return amp__object_check(future, AMP__FUTURE, "amp_future_is_ready") == AMP_OK && is_ready(future);
}

amp_status amp_future_status(amp_future *future)
{
    amp_status status = amp__object_check(future, AMP__FUTURE, "amp_future_status");
    if (status != AMP_OK)
        return status;
    if (!is_ready(future))
        return AMP_ERROR_BUSY;
    atomic_store(&future->is_reported, true);
    return future->error.status;
}

amp_status amp_future_then(amp_future *future, void (*callback)(amp_status status, void *user), void *user)
{
    static const char call[] = "amp_future_then";
    amp_status status = amp__object_check(future, AMP__FUTURE, call);
    if (status != AMP_OK)
        return status;
    if (!callback)
        return amp__fail(AMP_ERROR_NULL, "%s: the callback is NULL", call);
    const struct amp__callback now = {NULL, callback, user};
    if (!is_ready(future)) {
        struct amp__callback *later = amp__alloc(sizeof *later, _Alignof(struct amp__callback));
        if (!later)
            return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory for a callback (%zu bytes)", call, sizeof *later);
        *later = now;
        amp__queue_lock();
        bool is_pending = !is_ready(future);
        if (is_pending) {
            struct amp__callback **end = &future->callbacks;
            while (*end)
                end = &(*end)->next;
            *end = later;
        }
        amp__queue_unlock();
        if (is_pending)
            return AMP_OK;
        amp__free(later);
    }
    atomic_store(&future->is_reported, true);
    call_back(&now, &future->error);
    return AMP_OK;
}
