/* SPDX-License-Identifier: MIT
 *
 * Asynchronous work. Each accelerator_view that gets any has a thread, which runs its tasks in the order of their
 * submission. Tasks of several queues that use one home run in the order of their submission, too: a home counts its
 * readers and writers, and a task notes at its submission, under the one lock of this file, how many of them came
 * before it and must be done. So all tasks have one order, and each waits only for earlier ones: the first task of that
 * order that is not done is always the head of its queue and can run, and no wait can form a cycle.
 *
 * What runs at once, on the caller's thread, takes no number: it waits for what was submitted before it and is over
 * when it returns.
 *
 * Waiting threads are woken at every change. That is simple, and they are few. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_cond_clockwait */
#endif
#include "backend.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A home that a task uses, and what of it must be done before. */
struct use {
    struct amp__home *home;
    bool writes;
    uint64_t reads_before, writes_before;
};

struct amp__task {
    amp_future future;
    struct amp__task *next;
    amp_status (*run)(void *context);
    void (*destroy)(void *context);
    void *context;
    int n_uses;
    struct use uses[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static amp_accelerator_view *with_worker;
static int n_unfinished;      /* tasks, their callbacks included */
static _Atomic pid_t process; /* that the workers belong to: a fork has none of them */

/* Of a worker: its queue, how many of its tasks are unfinished although they have run, and whether it is in a callback.
 * What it runs while that waits is called back behind it, and not in the midst of it: there may be any number. */
static _Thread_local amp_accelerator_view *own;
static _Thread_local int n_in_hand;
static _Thread_local bool is_in_callback;
static _Thread_local struct amp__task *first_to_call_back, *last_to_call_back;

void amp__queue_lock(void)
{
    pthread_mutex_lock(&lock);
}

void amp__queue_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

static bool can_run(const struct amp__task *task)
{
    for (const struct use *use = task->uses; use < task->uses + task->n_uses; use++)
        if (use->home->writes_done < use->writes_before || (use->writes && use->home->reads_done < use->reads_before))
            return false;
    return true;
}

/* Marks the end of what is on the device's queue. Returns NULL if it has no events or the call failed: then the whole
 * queue is waited for. */
static void *record_event(amp_accelerator_view *on)
{
    const amp_accelerator *a = on->accelerator;
    void *event = NULL;
    if (a->backend->event_record && a->backend->event_record(a->device, on->queue, &event) != AMP_OK)
        return NULL;
    return event;
}

static amp_status wait_for_event(amp_accelerator_view *on, void *event)
{
    const amp_accelerator *a = on->accelerator;
    if (!event)
        return a->backend->wait ? a->backend->wait(a->device, on->queue) : AMP_OK;
    amp_status status = a->backend->event_wait(a->device, event);
    a->backend->event_destroy(a->device, event);
    return status;
}

/* A task of this worker begins, or is over. Called with the lock held. */
static void begin_task(void)
{
    n_in_hand++;
    n_unfinished++;
}

static void end_task(void)
{
    n_in_hand--;
    n_unfinished--;
    pthread_cond_broadcast(&changed);
}

/* Calls back for the tasks that wait for it. Called with the lock held, which is not kept. */
static void call_back_all(void)
{
    bool was_in_callback = is_in_callback;
    is_in_callback = true;
    while (first_to_call_back) {
        struct amp__task *task = first_to_call_back;
        first_to_call_back = task->next;
        pthread_mutex_unlock(&lock);
        amp__future_call_back(&task->future);
        pthread_mutex_lock(&lock);
        end_task();
    }
    is_in_callback = was_in_callback;
}

/* Runs the first task of `on`, which can run. Called with the lock held, which is not kept. */
static void run_first(amp_accelerator_view *on)
{
    struct amp__task *task = on->first;
    on->first = task->next;
    if (!on->first)
        on->last = NULL;
    n_in_hand++;
    pthread_mutex_unlock(&lock);
    /* 1. Run, with an error of its own. */
    struct amp__error error = {AMP_OK, ""};
    amp__error_swap(&error);
    amp_status status = task->run(task->context);
    void *event = record_event(on);
    /* 2. What comes next on this queue or uses the same homes may run: a device that queues work keeps the order. */
    pthread_mutex_lock(&lock);
    for (struct use *use = task->uses; use < task->uses + task->n_uses; use++) {
        *(use->writes ? &use->home->writes_done : &use->home->reads_done) += 1;
        atomic_fetch_sub_explicit(&use->home->n_pending, 1, memory_order_release);
    }
    on->n_run++;
    atomic_fetch_sub_explicit(&on->n_pending, 1, memory_order_release);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    /* 3. The future waits for the device. */
    amp_status finish = wait_for_event(on, event);
    if (task->destroy)
        task->destroy(task->context);
    amp__error_swap(&error);
    if (status == AMP_OK)
        status = finish;
    if (status == AMP_OK)
        error = (struct amp__error){AMP_OK, ""};
    error.status = status;
    bool has_callbacks = amp__future_complete(&task->future, &error);
    /* 4. Callbacks, which may wait and so come back here. */
    pthread_mutex_lock(&lock);
    on->n_finished++;
    pthread_cond_broadcast(&changed);
    if (has_callbacks) {
        task->next = NULL;
        *(first_to_call_back ? &last_to_call_back->next : &first_to_call_back) = task;
        last_to_call_back = task;
    } else {
        end_task();
    }
    if (!is_in_callback)
        call_back_all();
}

/* The same for a worker that is in no task. Whoever drops the last reference joins this thread, and must not wait for a
 * callback: so it keeps its queue meanwhile. */
static void run_and_let_go(amp_accelerator_view *on)
{
    amp_accelerator_view_retain(on);
    begin_task();
    run_first(on);
    pthread_mutex_unlock(&lock);
    amp_accelerator_view_release(on);
    pthread_mutex_lock(&lock);
    end_task();
}

static void *work(void *argument)
{
    amp_accelerator_view *on = own = argument;
    pthread_mutex_lock(&lock);
    while (on->first || !on->is_ending) {
        if (!on->first)
            pthread_cond_wait(&on->submitted, &lock);
        else if (can_run(on->first))
            run_and_let_go(on);
        else
            pthread_cond_wait(&changed, &lock);
    }
    if (on->is_detached) { /* the last reference was dropped on this thread; the process is not to end meanwhile */
        begin_task();
        pthread_mutex_unlock(&lock);
        amp__accelerator_view_free(on);
        pthread_mutex_lock(&lock);
        end_task();
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static bool start_worker(amp_accelerator_view *on)
{
    if (on->has_worker)
        return true;
    if (!amp__thread_start(&on->worker, work, on))
        return false;
    on->has_worker = true;
    on->next = with_worker;
    with_worker = on;
    atomic_store(&process, getpid());
    return true;
}

/* The uses of `task`: each home once. */
static void add_uses(struct amp__task *task, int n, const struct amp__access *accesses)
{
    for (int i = 0; i < n; i++) {
        struct use *use = task->uses, *end = use + task->n_uses;
        while (use < end && use->home != accesses[i].home)
            use++;
        if (use == end)
            task->uses[task->n_uses++] = (struct use){.home = accesses[i].home};
        use->writes |= accesses[i].writes;
    }
}

amp_future *amp__queue_submit(amp_accelerator_view *on, amp_status (*run)(void *context),
                              void (*destroy)(void *context), void *context, int n, const struct amp__access *accesses)
{
    struct amp__task *task = amp__alloc(sizeof *task + (size_t)n * sizeof *task->uses, _Alignof(struct amp__task));
    if (!task) {
        amp__fail(AMP_ERROR_OUT_OF_MEMORY, "no memory for an asynchronous operation (%zu bytes)", sizeof *task);
        goto failed;
    }
    memset(task, 0, sizeof *task);
    amp__future_init(&task->future, on);
    task->run = run;
    task->destroy = destroy;
    task->context = context;
    add_uses(task, n, accesses);

    pthread_mutex_lock(&lock);
    if (!start_worker(on)) {
        pthread_mutex_unlock(&lock);
        amp__fail(AMP_ERROR_OUT_OF_MEMORY, "no memory for the thread of an accelerator_view's queue");
        goto failed;
    }
    for (struct use *use = task->uses; use < task->uses + task->n_uses; use++) {
        use->writes_before = use->home->writes_submitted;
        use->reads_before = use->home->reads_submitted;
        *(use->writes ? &use->home->writes_submitted : &use->home->reads_submitted) += 1;
        atomic_fetch_add_explicit(&use->home->n_pending, 1, memory_order_relaxed);
    }
    *(on->last ? &on->last->next : &on->first) = task;
    on->last = task;
    on->n_submitted++;
    atomic_fetch_add_explicit(&on->n_pending, 1, memory_order_relaxed);
    n_unfinished++;
    pthread_cond_signal(&on->submitted);
    pthread_cond_broadcast(&changed); /* the worker may wait in a callback */
    pthread_mutex_unlock(&lock);
    return &task->future;
failed:
    if (task)
        amp__future_discard(&task->future);
    if (destroy)
        destroy(context);
    return NULL;
}

bool amp__queue_wait_until(bool (*done)(const void *what), const void *what, double seconds)
{
    struct timespec until = {0};
    if (seconds >= 0) {
        clock_gettime(CLOCK_MONOTONIC, &until);
        double ns = (double)until.tv_nsec + (seconds < 1e9 ? seconds : 1e9) * 1e9;
        until.tv_sec += (time_t)(ns / 1e9);
        until.tv_nsec = (long)(ns - (double)(time_t)(ns / 1e9) * 1e9);
    }
    bool is_late = false, is_done;
    pthread_mutex_lock(&lock);
    while (!(is_done = done(what)) && !is_late) {
        if (seconds >= 0)
            is_late = pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &until) == ETIMEDOUT;
        else if (own && own->first && can_run(own->first))
            run_first(own);
        else
            pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    return is_done;
}

struct target {
    const void *object;
    uint64_t count;
};

static bool has_run(const void *what)
{
    const struct target *target = what;
    return ((const amp_accelerator_view *)target->object)->n_run >= target->count;
}

static bool has_finished(const void *what)
{
    const struct target *target = what;
    return ((const amp_accelerator_view *)target->object)->n_finished >= target->count;
}

static bool has_written(const void *what)
{
    const struct target *target = what;
    return ((const struct amp__home *)target->object)->writes_done >= target->count;
}

static bool is_idle(const void *what)
{
    return atomic_load(&((struct amp__home *)(uintptr_t)what)->n_pending) == 0;
}

static bool are_finished(const void *what)
{
    (void)what;
    return n_unfinished == n_in_hand;
}

static uint64_t read_locked(const uint64_t *count)
{
    pthread_mutex_lock(&lock);
    uint64_t now = *count;
    pthread_mutex_unlock(&lock);
    return now;
}

void amp__queue_wait_slowly(amp_accelerator_view *on)
{
    amp__queue_wait_until(has_run, &(struct target){on, read_locked(&on->n_submitted)}, -1);
}

void amp__queue_finish(amp_accelerator_view *on)
{
    amp__queue_wait_until(has_finished, &(struct target){on, read_locked(&on->n_submitted)}, -1);
}

void amp__home_wait_slowly(struct amp__home *home, bool writes)
{
    if (writes)
        amp__queue_wait_until(is_idle, home, -1);
    else
        amp__queue_wait_until(has_written, &(struct target){home, read_locked(&home->writes_submitted)}, -1);
}

bool amp__queue_end(amp_accelerator_view *on)
{
    pthread_mutex_lock(&lock);
    bool has_worker = on->has_worker && atomic_load(&process) == getpid();
    on->is_detached = has_worker && own == on;
    on->is_ending = true;
    amp_accelerator_view **link = &with_worker;
    while (*link && *link != on)
        link = &(*link)->next;
    if (*link)
        *link = on->next;
    on->has_worker = false;
    pthread_cond_signal(&on->submitted);
    pthread_mutex_unlock(&lock);
    if (has_worker && on->is_detached)
        pthread_detach(on->worker);
    else if (has_worker)
        pthread_join(on->worker, NULL);
    on->is_ending = on->is_detached; /* a later submission may start another thread */
    return !on->is_detached;
}

/* At the end of the process too, so that nothing that was submitted is lost. A fork has no workers to wait for. */
__attribute__((destructor)) void amp__queue_end_all(void)
{
    if (atomic_load(&process) != getpid())
        return;
    bool has_called; /* in a callback that ends the process: others may stand behind it */
    do {
        amp__queue_wait_until(are_finished, NULL, -1);
        pthread_mutex_lock(&lock);
        has_called = first_to_call_back;
        call_back_all();
        pthread_mutex_unlock(&lock);
    } while (has_called);
    for (;;) {
        pthread_mutex_lock(&lock);
        amp_accelerator_view *on = with_worker;
        while (on && on == own)
            on = on->next;
        pthread_mutex_unlock(&lock);
        if (!on)
            return;
        amp__queue_end(on);
    }
}
