/* SPDX-License-Identifier: MIT
 *
 * accelerator_view: a queue on an accelerator. queue.c has how queues work. */
#include "backend.h"

#include <string.h>

/* The queue that stands for one that each launch chooses: it has no accelerator. */
static amp_accelerator_view auto_selection;

void amp__accelerator_view_init(amp_accelerator_view *view, amp_accelerator *accelerator, void *queue,
                                amp_queuing_mode mode)
{
    memset(view, 0, sizeof *view);
    amp__object_init(&view->object, AMP__ACCELERATOR_VIEW);
    view->accelerator = accelerator;
    view->queue = queue;
    view->properties = (amp_accelerator_view_properties){
        .accelerator = accelerator, .queuing_mode = mode, .is_auto_selection = !accelerator};
    if (accelerator) {
        view->properties.version = accelerator->properties.version;
        view->properties.is_debug = accelerator->properties.is_debug;
    }
}

/* Nobody counts the references to the accelerators' own queues and to the auto-selection view. */
static bool is_permanent(const amp_accelerator_view *view)
{
    return !view->accelerator || view == &view->accelerator->view;
}

amp_accelerator_view *amp_accelerator_create_view(amp_accelerator *accelerator, amp_queuing_mode mode)
{
    static const char call[] = "amp_accelerator_create_view";
    if (amp__object_check(accelerator, AMP__ACCELERATOR, call) != AMP_OK)
        return NULL;
    if (mode != AMP_QUEUING_MODE_IMMEDIATE && mode != AMP_QUEUING_MODE_AUTOMATIC) {
        amp__fail(AMP_ERROR_INVALID_ARGUMENT,
                  "%s: the queuing mode is %d; it must be AMP_QUEUING_MODE_IMMEDIATE or _AUTOMATIC", call, (int)mode);
        return NULL;
    }
    amp_accelerator_view *view = amp__alloc(sizeof *view, _Alignof(amp_accelerator_view));
    if (!view) {
        amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory for an accelerator_view (%zu bytes)", call, sizeof *view);
        return NULL;
    }
    const struct amp__backend *backend = accelerator->backend;
    void *queue = NULL;
    if (backend->queue_create && backend->queue_create(accelerator->device, &queue) != AMP_OK) {
        amp__free(view);
        return NULL;
    }
    amp__accelerator_view_init(view, accelerator, queue, mode);
    return view;
}

amp_accelerator_view *amp_accelerator_view_retain(amp_accelerator_view *view)
{
    if (view && amp__object_check(view, AMP__ACCELERATOR_VIEW, "amp_accelerator_view_retain") == AMP_OK &&
        !is_permanent(view))
        atomic_fetch_add_explicit(&view->object.references, 1, memory_order_relaxed);
    return view;
}

bool amp__accelerator_view_retain_used(amp_accelerator_view *view)
{
    int n = atomic_load(&view->object.references);
    while (!is_permanent(view) && n > 0 && !atomic_compare_exchange_weak(&view->object.references, &n, n + 1))
        continue;
    return n > 0;
}

void amp__accelerator_view_free(amp_accelerator_view *view)
{
    const amp_accelerator *a = view->accelerator;
    amp__accelerator_view_wait_quietly(view);
    amp__event_settle(true);
    amp__trace_forget(view);
    if (a->backend->queue_destroy)
        a->backend->queue_destroy(a->device, view->queue);
    amp__object_free(&view->object);
}

void amp_accelerator_view_release(amp_accelerator_view *view)
{
    if (!view || amp__object_check(view, AMP__ACCELERATOR_VIEW, "amp_accelerator_view_release") != AMP_OK ||
        is_permanent(view) || !amp__object_drop(&view->object))
        return;
    if (amp__queue_end(view))
        amp__accelerator_view_free(view);
}

static void make_auto_selection(void)
{
    amp__accelerator_view_init(&auto_selection, NULL, NULL, AMP_QUEUING_MODE_AUTOMATIC);
}

amp_accelerator_view *amp_accelerator_auto_selection_view(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_auto_selection);
    return &auto_selection;
}

amp_status amp__accelerator_view_use(amp_accelerator_view **view, const char *call)
{
    amp_status status = *view ? amp__object_check(*view, AMP__ACCELERATOR_VIEW, call) : AMP_OK;
    if (status != AMP_OK || (*view && (*view)->accelerator))
        return status;
    amp_accelerator *accelerator = amp__accelerator_use_default();
    if (!accelerator)
        return AMP_ERROR_NO_ACCELERATOR;
    *view = &accelerator->view;
    return AMP_OK;
}

/* The same where NULL is an error. */
static amp_status use_given(amp_accelerator_view **view, const char *call)
{
    amp_status status = amp__object_check(*view, AMP__ACCELERATOR_VIEW, call);
    return status == AMP_OK ? amp__accelerator_view_use(view, call) : status;
}

const amp_accelerator_view_properties *amp_accelerator_view_info(const amp_accelerator_view *view)
{
    if (amp__object_check(view, AMP__ACCELERATOR_VIEW, "amp_accelerator_view_info") != AMP_OK)
        return NULL;
    return &view->properties;
}

amp_accelerator *amp_accelerator_view_accelerator(amp_accelerator_view *view)
{
    if (amp__object_check(view, AMP__ACCELERATOR_VIEW, "amp_accelerator_view_accelerator") != AMP_OK)
        return NULL;
    return view->accelerator ? view->accelerator : amp_accelerator_default();
}

void *amp_accelerator_view_native_handle(amp_accelerator_view *view)
{
    if (use_given(&view, "amp_accelerator_view_native_handle") != AMP_OK)
        return NULL;
    const amp_accelerator *a = view->accelerator;
    return a->backend->native_queue ? a->backend->native_queue(a->device, view->queue) : NULL;
}

amp_status amp_accelerator_view_flush(amp_accelerator_view *view)
{
    amp_status status = use_given(&view, "amp_accelerator_view_flush");
    if (status != AMP_OK)
        return status;
    const amp_accelerator *a = view->accelerator;
    return a->backend->flush ? a->backend->flush(a->device, view->queue) : AMP_OK;
}

void amp__accelerator_view_note(amp_accelerator_view *view, const struct amp__error *failure)
{
    if (view->failure.status == AMP_OK)
        view->failure = *failure;
}

void amp__accelerator_view_keep(amp_accelerator_view *view, const struct amp__error *failure)
{
    amp__queue_lock();
    amp__accelerator_view_note(view, failure);
    amp__queue_unlock();
}

amp_status amp__device_wait(const amp_accelerator_view *on)
{
    const amp_accelerator *a = on->accelerator;
    if (!a->backend->wait)
        return AMP_OK;
    AMP__EVENT(event, .kind = AMP__WAIT, .name = "the device's work", .on = (amp_accelerator_view *)(uintptr_t)on);
    return amp__event_end(&event, a->backend->wait(a->device, on->queue));
}

void amp__accelerator_view_wait_quietly(amp_accelerator_view *view)
{
    struct amp__error failure = {AMP_OK, ""};
    amp__error_swap(&failure);
    amp_status status = amp__device_wait(view);
    amp__error_swap(&failure);
    if (status != AMP_OK)
        amp__accelerator_view_keep(view, &failure);
}

amp_status amp_accelerator_view_wait(amp_accelerator_view *view)
{
    amp_status status = use_given(&view, "amp_accelerator_view_wait");
    if (status != AMP_OK)
        return status;
    amp__queue_finish(view);
    amp__queue_lock();
    struct amp__error failure = view->failure;
    view->failure = (struct amp__error){AMP_OK, ""};
    amp__queue_unlock();
    if (failure.status != AMP_OK)
        amp__fail(failure.status, "%s", failure.text);
    status = amp__device_wait(view);
    return failure.status == AMP_OK ? status : failure.status;
}

amp_future *amp_accelerator_view_create_marker(amp_accelerator_view *view)
{
    if (use_given(&view, "amp_accelerator_view_create_marker") != AMP_OK)
        return NULL;
    return amp__queue_submit(view, NULL, NULL, NULL, 0, NULL);
}
