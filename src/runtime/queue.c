/* SPDX-License-Identifier: MIT
 *
 * Asynchronous work. Each accelerator_view that gets any has a thread, the worker, which runs its tasks in the order of
 * their submission. Tasks of several queues that use one home run in the order of their submission, too: a home counts
 * its readers and writers, and a task notes at its submission, under the one lock of this file, how many of them came
 * before it and must be done. So all tasks have one order, and each waits only for earlier ones: the first task of that
 * order that is not done is always the head of its queue and can run, and no wait can form a cycle.
 *
 * Work that runs at once, on the caller's thread, takes no number: it waits for all work that was submitted before it,
 * and is done when it returns.
 *
 * Who runs a task: the worker, or a thread that waits for the queue, which then need not wake the worker; one at a
 * time. Only the worker calls callbacks, and while there are any, no other thread runs tasks. A worker that is woken
 * again and again to find that waiting threads do its work dozes instead: from time to time it looks by itself whether
 * a task was left undone, and submissions need not wake it. Before a waiting thread falls asleep, it wakes the dozing
 * workers that have work.
 *
 * Who wakes whom: a thread that falls asleep records what it waits for. A thread that changes something wakes those
 * whose wait is over, and, for each queue whose first task can now run, one thread that may run it. The futex calls
 * come after the lock is released. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* syscall, pthread_setname_np, pthread_timedjoin_np */
#endif
#include "backend.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_PENDING = 1 << 14, /* tasks of a queue, with less than a kilobyte each for a usual launch */
    /* The stack that a waiting thread must have left to run tasks: more than a kernel may take. */
    STACK_BYTES = 2 << 20,
    SPINS = 64,       /* pauses before a waiting thread falls asleep: as long as a few small launches take */
    VAIN_WAKES = 8,   /* this many in a row make the worker doze */
    DOZE_NS = 200000, /* it then leaves a task undone for at most twice this long */
    MOST_AHEAD = 16,  /* tasks that a device may get ahead of an earlier task's callbacks */
};

/* A home that a task uses, and how many of its earlier readers and writers must be done first. */
struct use {
    struct amp__home *home;
    bool writes;
    uint64_t reads_before, writes_before;
};

struct amp__task {
    amp_future future;
    struct amp__task *next;
    uint64_t number; /* its number on its queue */
    amp_status (*run)(void *context);
    void (*destroy)(void *context);
    void *context;
    bool is_counted; /* the end of the process waits for it */
    uint64_t flow;   /* of events, from its submission to its run; 0: none */
    int n_uses;
    struct use uses[];
};

/* A thread that sleeps, or is about to. */
struct amp__sleeper {
    struct amp__sleeper *next;
    const struct amp__wait *wait;    /* NULL: a worker at rest */
    amp_accelerator_view *own;       /* whose worker it is */
    bool may_help;                   /* it may run tasks of a queue whose worker it is not */
    bool is_chosen;                  /* to be woken; under the lock */
    amp_accelerator_view *woken_for; /* the queue whose first task it is to run, retained; NULL: none */
    atomic_uint is_awake;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static amp_accelerator_view *with_worker;
static amp_accelerator_view *left_lying; /* queues whose first task can run but whose workers doze */
static int n_unfinished;                 /* tasks that are counted, including their callbacks */
static struct amp__sleeper *sleepers;    /* threads that wait */
static struct amp__sleeper *chosen;      /* to be woken when the lock is released */
static atomic_uint n_changes;            /* for threads that wait without sleeping */
static atomic_bool is_lost;              /* this process is a child of fork, without the workers of its parent */

static atomic_bool is_exiting; /* the process is ending */

/* A worker's queue, and how many tasks stay unfinished until it is done with its present work. */
static _Thread_local amp_accelerator_view *own;
static _Thread_local int n_in_hand;
static _Thread_local bool ends_process;

/* ---- sleeping and waking ---- */

/* Sleeps while `*word` is 0, until somebody wakes the thread. Returns false at the time `until`, if it is not NULL. */
static bool futex_wait(atomic_uint *word, const struct timespec *until)
{
    return syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, 0, until, NULL, FUTEX_BITSET_MATCH_ANY) == 0 ||
           errno != ETIMEDOUT;
}

void amp__queue_lock(void)
{
    pthread_mutex_lock(&lock);
}

void amp__queue_unlock(void)
{
    struct amp__sleeper *sleeper = chosen, *next;
    chosen = NULL;
    pthread_mutex_unlock(&lock);
    for (; sleeper; sleeper = next) {
        next = sleeper->next;
        atomic_uint *word = &sleeper->is_awake;
        atomic_store_explicit(word, 1, memory_order_release); /* from now on the sleeper may be gone */
        syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

static void choose(struct amp__sleeper *sleeper)
{
    sleeper->is_chosen = true;
    sleeper->next = chosen;
    chosen = sleeper;
}

static void choose_worker(amp_accelerator_view *on)
{
    if (on->resting)
        choose(on->resting);
    on->resting = NULL;
}

/* Sleeps until it is chosen, or until a time. Called with the lock held, which it releases meanwhile. Returns whether
 * it was chosen. */
static bool sleep_until(struct amp__sleeper *self, const struct timespec *until)
{
    bool is_in_time = true;
    amp__queue_unlock();
    while (!atomic_load_explicit(&self->is_awake, memory_order_acquire) && is_in_time)
        is_in_time = futex_wait(&self->is_awake, until);
    amp__queue_lock();
    if (self->is_chosen && !is_in_time) { /* chosen at the last moment: the chooser still uses `self` */
        amp__queue_unlock();
        while (!atomic_load_explicit(&self->is_awake, memory_order_acquire))
            futex_wait(&self->is_awake, NULL);
        amp__queue_lock();
    }
    bool is_chosen = self->is_chosen;
    self->is_chosen = false;
    atomic_store_explicit(&self->is_awake, 0, memory_order_relaxed);
    return is_chosen;
}

static struct timespec time_in(double seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double ns = (double)t.tv_nsec + seconds * 1e9;
    t.tv_sec += (time_t)(ns / 1e9);
    t.tv_nsec = (long)(ns - (double)(time_t)(ns / 1e9) * 1e9);
    return t;
}

static bool is_over(const struct timespec *time)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec != time->tv_sec ? now.tv_sec > time->tv_sec : now.tv_nsec >= time->tv_nsec;
}

static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* ---- who may run what ---- */

/* A home that earlier tasks must be done with before `task` can run; NULL if there is none. */
static struct amp__home *obstacle(const struct amp__task *task)
{
    for (const struct use *use = task->uses; use < task->uses + task->n_uses; use++)
        if (use->home->writes_done < use->writes_before || (use->writes && use->home->reads_done < use->reads_before))
            return use->home;
    return NULL;
}

/* Whether a thread may run the first task of `on` now. `worker`: the queue whose worker the thread is, or NULL. */
static bool may_run(const amp_accelerator_view *on, const amp_accelerator_view *worker)
{
    return on->first && !on->is_busy && (on == worker || (!on->first_done && !on->is_calling_back)) &&
           !obstacle(on->first);
}

/* The queue whose tasks a waiting thread may run. */
static amp_accelerator_view *helped_by(const struct amp__sleeper *thread)
{
    if (thread->own)
        return thread->own;
    if (!thread->may_help)
        return NULL;
    const struct amp__home *home = thread->wait->home;
    return !home ? thread->wait->on : home->last_task ? home->last_task->future.on : NULL;
}

/* Whether the calling thread has enough stack for any kernel. Programs may give a thread a small stack, and launch on
 * it only kernels that need little. */
static bool has_stack(void)
{
    size_t left = amp__stack_left(0);
    return left >= STACK_BYTES && left != AMP__STACK_UNKNOWN;
}

/* If the first task of `on` waits for a home, arranges to check `on` again when that home changes. */
static void expect_change(amp_accelerator_view *on)
{
    struct amp__home *home = on->first ? obstacle(on->first) : NULL;
    if (!home || on->is_expecting)
        return;
    on->is_expecting = true;
    on->next_expecting = home->expecting;
    home->expecting = on;
}

/* Makes sure that somebody runs the first task of `on`, if it can run: a waiting thread, else the worker, unless it
 * will soon look by itself. */
static void wake_runner(amp_accelerator_view *on)
{
    expect_change(on);
    if (!may_run(on, on))
        return;
    for (struct amp__sleeper **link = &sleepers, *sleeper; (sleeper = *link); link = &sleeper->next)
        if (helped_by(sleeper) == on && may_run(on, sleeper->own)) {
            *link = sleeper->next;
            sleeper->woken_for = amp_accelerator_view_retain(on);
            choose(sleeper);
            return;
        }
    if (!on->is_dozing) {
        choose_worker(on);
    } else if (!on->is_left_lying) {
        on->is_left_lying = true;
        on->next_left_lying = left_lying;
        left_lying = on;
    }
}

void amp__queue_wake(void)
{
    for (struct amp__sleeper **link = &sleepers, *sleeper; (sleeper = *link);)
        if (sleeper->wait->done(sleeper->wait->what)) {
            *link = sleeper->next;
            choose(sleeper);
        } else {
            link = &sleeper->next;
        }
}

/* Called after a task of `on`, whose next task the calling thread takes care of. Wakes the threads whose wait is over,
 * and the runners of `expecting`, the queues that waited for the task's homes. */
static void wake_all(amp_accelerator_view *on, amp_accelerator_view *expecting)
{
    atomic_fetch_add_explicit(&n_changes, 1, memory_order_relaxed);
    amp__queue_wake();
    expect_change(on);
    for (amp_accelerator_view *next; expecting; expecting = next) {
        next = expecting->next_expecting;
        expecting->is_expecting = false;
        wake_runner(expecting);
    }
}

/* ---- running ---- */

/* Whether anybody can still ask for the end of a task. Acquires what its last user did before releasing it. */
static bool is_wanted(const amp_future *future)
{
    return atomic_load_explicit(&future->n_handles, memory_order_acquire) > 0 || future->callbacks;
}

/* Records where on the device's queue a task ends, or waits for the end if it cannot be recorded. */
static amp_status mark_end(amp_future *future)
{
    const amp_accelerator *a = future->on->accelerator;
    const struct amp__backend *backend = a->backend;
    if (!backend->wait ||
        (backend->event_record && backend->event_record(a->device, future->on->queue, &future->event) == AMP_OK))
        return AMP_OK;
    amp_error_clear();
    return amp__device_wait(future->on);
}

/* Runs a task, leaving the thread's error alone. */
static void run_task(struct amp__task *task)
{
    struct amp__error error = {AMP_OK, ""};
    amp__error_swap(&error);
    AMP__EVENT(event, .kind = AMP__CALL, .name = "run", .on = task->future.on, .flow = task->flow, .flow_phase = 'f');
    amp_status status = task->run ? task->run(task->context) : AMP_OK;
    if (status == AMP_OK && is_wanted(&task->future))
        status = mark_end(&task->future);
    if (task->destroy)
        task->destroy(task->context);
    amp__event_end(&event, status);
    amp__error_swap(&error);
    error.status = status;
    if (status != AMP_OK)
        amp__future_fail(&task->future, &error);
}

static void set_progress(amp_future *future, enum amp__progress progress)
{
    atomic_store_explicit(&future->progress, progress, memory_order_release);
}

/* The progress of a future whose task has run. */
static enum amp__progress after_run(const amp_future *future)
{
    return future->event && !future->is_settled ? AMP__LAUNCHED : AMP__READY;
}

/* Whether the end of the process waits for the tasks that the calling thread submits. Once it has begun, it waits only
 * for tasks that follow from earlier work, because other threads may go on for ever. */
static bool is_to_be_counted(void)
{
    return !atomic_load(&is_exiting) || ends_process || n_in_hand > 0;
}

static void append_done(amp_accelerator_view *on, struct amp__task *task)
{
    task->next = NULL;
    *(on->last_done ? &on->last_done->next : &on->first_done) = task;
    on->last_done = task;
    on->n_done += task->is_counted;
}

/* Drops the queue's reference. Called with the lock held, which it may release meanwhile. */
static void drop(amp_future *future)
{
    if (!amp__object_drop(&future->object))
        return;
    amp__future_leave_failure(future); /* done before anybody sees the end of the task */
    amp__queue_unlock();
    amp__future_free(future);
    amp__queue_lock();
}

/* Records that `task` is done with a home, which its last user may then free. Adds the queues that waited for this to
 * `expecting`. */
static void leave_home(const struct amp__task *task, const struct use *use, amp_accelerator_view **expecting)
{
    struct amp__home *home = use->home;
    *(use->writes ? &home->writes_done : &home->reads_done) += 1;
    if (home->last_task == task)
        home->last_task = NULL;
    for (amp_accelerator_view *on; (on = home->expecting);) {
        home->expecting = on->next_expecting;
        on->next_expecting = *expecting;
        *expecting = on;
    }
    atomic_fetch_sub_explicit(&home->n_pending, 1, memory_order_release);
}

/* Runs the first task of `on`. Called with a reference to `on` and with the lock held, which it releases meanwhile. */
static void run_first(amp_accelerator_view *on)
{
    /* 1. Run. */
    struct amp__task *task = on->first;
    on->first = task->next;
    if (!on->first)
        on->last = NULL;
    on->is_busy = true;
    amp__queue_unlock();
    run_task(task);
    amp__queue_lock();
    /* 2. Later tasks on this queue, or with the same homes, may now run: a device that queues work keeps the order. */
    amp_accelerator_view *expecting = NULL;
    for (const struct use *use = task->uses; use < task->uses + task->n_uses; use++)
        leave_home(task, use, &expecting);
    on->n_run++;
    atomic_fetch_sub_explicit(&on->n_pending, 1, memory_order_release);
    on->is_busy = false;
    /* 3. A future with callbacks waits for them, and a marker waits for earlier tasks' callbacks. */
    bool is_held = !task->run && (on->first_done || on->is_calling_back);
    bool is_to_stay = is_held || task->future.callbacks;
    set_progress(&task->future, is_held ? AMP__HELD : after_run(&task->future));
    if (is_to_stay) {
        on->n_held += is_held;
        append_done(on, task);
        choose_worker(on);
    } else {
        n_unfinished -= task->is_counted;
    }
    wake_all(on, expecting);
    if (!is_to_stay)
        drop(&task->future);
}

/* Whether a queue's next callback is due: there is no other work for the device, or it has enough. */
static bool is_call_back_due(const amp_accelerator_view *on)
{
    const struct amp__task *task = on->first_done;
    return task && (!task->future.callbacks || after_run(&task->future) == AMP__READY || !may_run(on, on) ||
                    on->n_run - task->number >= MOST_AHEAD);
}

/* Calls the callbacks of the first task that waits for them, or makes a marker ready. Called with the lock held, which
 * it releases meanwhile. */
static void call_back_first(amp_accelerator_view *on)
{
    struct amp__task *task = on->first_done;
    bool was_calling_back = on->is_calling_back;
    on->first_done = task->next;
    if (!on->first_done)
        on->last_done = NULL;
    on->n_done -= task->is_counted;
    on->is_calling_back = true;
    n_in_hand += task->is_counted;
    if (atomic_load(&task->future.progress) == AMP__HELD) {
        on->n_held--;
        set_progress(&task->future, after_run(&task->future));
        amp__queue_wake();
    }
    if (task->future.callbacks) {
        amp__queue_unlock();
        amp__future_settle(&task->future);
        amp__future_call_back(&task->future);
        amp__queue_lock();
    }
    on->is_calling_back = was_calling_back;
    n_in_hand -= task->is_counted;
    n_unfinished -= task->is_counted;
    wake_all(on, NULL);
    drop(&task->future);
}

/* ---- the worker ---- */

/* Does the next piece of work. A thread that drops the last reference joins this one, and must not wait for a callback;
 * so this thread keeps its queue meanwhile. */
static void act(amp_accelerator_view *on)
{
    bool calls_back = is_call_back_due(on), is_counted = (calls_back ? on->first_done : on->first)->is_counted;
    amp__main_follow();
    amp_accelerator_view_retain(on);
    n_in_hand += is_counted;
    n_unfinished += is_counted;
    (calls_back ? call_back_first : run_first)(on);
    amp__queue_unlock();
    amp_accelerator_view_release(on);
    amp__queue_lock();
    n_in_hand -= is_counted;
    n_unfinished -= is_counted;
    amp__queue_wake();
}

static bool has_to_act(const amp_accelerator_view *on)
{
    return on->first_done || may_run(on, on);
}

static bool has_tasks(const amp_accelerator_view *on)
{
    return on->first || on->first_done || on->is_busy || on->is_calling_back;
}

/* Sleeps until there may be something to do; leaves if that takes too long. */
static void rest(amp_accelerator_view *on)
{
    struct amp__sleeper self = {.own = on};
    uint64_t n_run;
    bool is_woken;
    on->is_dozing = on->n_vain >= VAIN_WAKES;
    if (on->is_dozing) {
        do { /* while others do the work */
            struct timespec until = time_in(DOZE_NS * 1e-9);
            n_run = on->n_run;
            on->resting = &self;
            is_woken = sleep_until(&self, &until);
        } while (!is_woken && n_run != on->n_run);
        if (!is_woken)
            on->resting = NULL;
        on->is_dozing = false;
        if (has_to_act(on))
            on->n_vain = 0;
        if (is_woken || has_to_act(on))
            return;
    }
    struct timespec until = time_in(AMP__LINGER_NS * 1e-9);
    on->resting = &self;
    if (sleep_until(&self, amp__main_is_alive() ? NULL : &until)) {
        on->n_vain = has_to_act(on) ? 0 : on->n_vain + 1;
    } else {
        on->resting = NULL;
        on->has_left = !has_tasks(on);
    }
}

/* Whether the calling thread is, or was last, the worker of `on`. */
static bool is_worker(const amp_accelerator_view *on)
{
    return pthread_equal(on->worker, pthread_self());
}

static void join(pthread_t worker)
{
    int cancellation = amp__cancellation_hold();
    if (!pthread_equal(worker, pthread_self())) /* the last thread of the process ends the process */
        pthread_join(worker, NULL);
    amp__cancellation_resume(cancellation);
}

/* Waits for the worker before this one, which has left. If it does not end, it is the last thread of the process and
 * ends the process, perhaps waiting for this worker. */
static void join_predecessor(amp_accelerator_view *on)
{
    enum { LIMIT_S = 1 };
    if (!on->has_predecessor)
        return;
    pthread_t predecessor = on->predecessor;
    on->has_predecessor = false;
    amp__queue_unlock();
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LIMIT_S;
    if (pthread_timedjoin_np(predecessor, NULL, &until) != 0)
        pthread_detach(predecessor);
    amp__queue_lock();
}

static void *work(void *argument)
{
    amp_accelerator_view *on = own = argument;
    pthread_setname_np(pthread_self(), "amp queue");
    amp__queue_lock();
    join_predecessor(on);
    while (!atomic_load(&is_lost) && on->has_worker && is_worker(on) && !on->has_left)
        (has_to_act(on) ? act : rest)(on);
    if (!atomic_load(&is_lost) && on->is_detached && is_worker(on)) {
        /* The last reference was dropped on this thread; the process must not end meanwhile. */
        n_unfinished++;
        amp__queue_unlock();
        amp__accelerator_view_free(on);
        amp__queue_lock();
        n_unfinished--;
        amp__queue_wake();
    }
    amp__queue_unlock();
    own = NULL;
    amp__main_follow(); /* this may be the last thread of the process */
    return NULL;
}

static bool start_worker(amp_accelerator_view *on)
{
    if (on->has_worker && !on->has_left)
        return true;
    pthread_t worker;
    if (!amp__thread_start(&worker, work, on, false))
        return false;
    on->has_predecessor = on->has_left;
    on->predecessor = on->worker;
    on->worker = worker;
    on->has_left = false;
    if (on->has_worker)
        return true;
    on->has_worker = true;
    on->next = with_worker;
    with_worker = on;
    return true;
}

bool amp__queue_call_back(amp_future *future)
{
    if (!start_worker(future->on))
        return false;
    struct amp__task *task = (struct amp__task *)(void *)future;
    atomic_fetch_add_explicit(&future->object.references, 1, memory_order_relaxed);
    task->is_counted = is_to_be_counted();
    n_unfinished += task->is_counted;
    append_done(future->on, task);
    choose_worker(future->on);
    return true;
}

/* ---- waiting ---- */

/* Makes `on` the queue that a waiting thread helps, and takes over the caller's reference to it. Another thread takes
 * care of the previous queue. Returns whether the lock was kept. */
static bool turn_to(amp_accelerator_view *on, amp_accelerator_view **helped)
{
    amp_accelerator_view *before = *helped;
    *helped = on;
    if (!before)
        return true;
    if (on != before)
        wake_runner(before);
    amp__queue_unlock();
    amp_accelerator_view_release(before);
    amp__queue_lock();
    return false;
}

/* Runs the first task of `on` on a thread that waits. */
static void help(amp_accelerator_view *on, amp_accelerator_view **helped)
{
    if (on == *helped || turn_to(amp_accelerator_view_retain(on), helped))
        run_first(on);
}

/* Waits a moment for a change, up to `n` pauses. Returns how many are left. */
static int spin(int n)
{
    unsigned seen = atomic_load_explicit(&n_changes, memory_order_relaxed);
    amp__queue_unlock();
    for (; n > 0 && atomic_load_explicit(&n_changes, memory_order_relaxed) == seen; n--)
        pause_briefly();
    amp__queue_lock();
    return n;
}

static void sleep_beside(struct amp__sleeper *self, const struct timespec *until)
{
    for (amp_accelerator_view *on; (on = left_lying);) {
        left_lying = on->next_left_lying;
        on->is_left_lying = false;
        if (may_run(on, on))
            choose_worker(on);
    }
    self->next = sleepers;
    sleepers = self;
    if (sleep_until(self, until))
        return;
    struct amp__sleeper **link = &sleepers;
    while (*link != self)
        link = &(*link)->next;
    *link = self->next;
}

static bool wait_until(const struct amp__wait *wait)
{
    struct amp__sleeper self = {.wait = wait, .own = own, .may_help = !wait->has_limit && has_stack()};
    struct timespec until = time_in(wait->has_limit ? wait->seconds : 0);
    amp_accelerator_view *helped = NULL, *on;
    int n_spins = SPINS;
    bool is_late = false, is_done;
    amp__queue_lock();
    while (!(is_done = wait->done(wait->what)) && !is_late && !atomic_load(&is_lost)) {
        if ((on = helped_by(&self)) && may_run(on, own))
            help(on, &helped);
        else if (n_spins > 0)
            n_spins = spin(n_spins);
        else {
            if (helped) /* its first task may have been left to this thread, which no longer runs it */
                wake_runner(helped);
            sleep_beside(&self, wait->has_limit ? &until : NULL);
            if (self.woken_for)
                turn_to(self.woken_for, &helped);
            self.woken_for = NULL;
        }
        is_late = wait->has_limit && is_over(&until);
    }
    if (helped)
        wake_runner(helped);
    amp__queue_unlock();
    amp_accelerator_view_release(helped);
    return is_done;
}

static bool is_over_already(const struct amp__wait *wait)
{
    amp__queue_lock();
    bool is_done = wait->done(wait->what);
    amp__queue_unlock();
    return is_done;
}

bool amp__queue_wait_until(const struct amp__wait *wait)
{
    if (!amp__is_watched() || is_over_already(wait))
        return wait_until(wait);
    AMP__EVENT(event, .kind = AMP__WAIT, .name = "queued work", .on = wait->on);
    bool is_done = wait_until(wait);
    amp__event_end(&event, AMP_OK);
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
    return has_run(what) && ((const amp_accelerator_view *)((const struct target *)what)->object)->n_held == 0;
}

static bool has_room(const void *what)
{
    const amp_accelerator_view *on = what;
    return on->n_submitted - on->n_run < MOST_PENDING;
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

/* The unfinished tasks that a thread which waits for all others leaves out: its own `n`, and those of its queue whose
 * callbacks wait for it. */
struct in_hand {
    int n;
    const amp_accelerator_view *own;
};

static bool are_finished(const void *what)
{
    const struct in_hand *mine = what;
    return n_unfinished == mine->n + (mine->own ? mine->own->n_done : 0);
}

static uint64_t read_locked(const uint64_t *count)
{
    amp__queue_lock();
    uint64_t now = *count;
    amp__queue_unlock();
    return now;
}

void amp__queue_wait_slowly(amp_accelerator_view *on)
{
    const struct target target = {on, read_locked(&on->n_submitted)};
    amp__queue_wait_until(&(struct amp__wait){.done = has_run, .what = &target, .on = on});
}

void amp__queue_finish(amp_accelerator_view *on)
{
    const struct target target = {on, read_locked(&on->n_submitted)};
    amp__queue_wait_until(
        &(struct amp__wait){.done = amp__queue_is_own(on) ? has_run : has_finished, .what = &target, .on = on});
}

amp_status amp__home_wait_slowly(struct amp__home *home, bool writes)
{
    const struct target target = {home, writes ? 0 : read_locked(&home->writes_submitted)};
    struct amp__wait wait = {.done = has_written, .what = &target, .home = home};
    if (writes) {
        wait.done = is_idle;
        wait.what = home;
    }
    return amp__queue_wait_until(&wait) ? AMP_OK : amp__queue_fail_lost();
}

bool amp__queue_is_own(const amp_accelerator_view *on)
{
    return own == on;
}

/* ---- submitting ---- */

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

/* Waits until `on` has room for a task, takes the lock, and starts the worker. After an error, which is reported, the
 * lock is not held. */
static amp_status make_room(amp_accelerator_view *on)
{
    amp__queue_lock();
    while (!atomic_load(&is_lost) && !has_room(on)) {
        amp__queue_unlock();
        amp__queue_wait_until(&(struct amp__wait){.done = has_room, .what = on, .on = on});
        amp__queue_lock();
    }
    bool is_here = !atomic_load(&is_lost), is_started = is_here && start_worker(on);
    if (is_started)
        return AMP_OK;
    amp__queue_unlock();
    return is_here ? amp__fail(AMP_ERROR_OUT_OF_MEMORY, "no memory for the thread of an accelerator_view's queue")
                   : amp__queue_fail_lost();
}

/* Called with the lock held. */
static void append(amp_accelerator_view *on, struct amp__task *task)
{
    for (struct use *use = task->uses; use < task->uses + task->n_uses; use++) {
        use->writes_before = use->home->writes_submitted;
        use->reads_before = use->home->reads_submitted;
        *(use->writes ? &use->home->writes_submitted : &use->home->reads_submitted) += 1;
        use->home->last_task = task;
        atomic_fetch_add_explicit(&use->home->n_pending, 1, memory_order_relaxed);
    }
    *(on->last ? &on->last->next : &on->first) = task;
    on->last = task;
    task->number = ++on->n_submitted;
    atomic_fetch_add_explicit(&on->n_pending, 1, memory_order_relaxed);
    task->is_counted = is_to_be_counted();
    n_unfinished += task->is_counted;
    wake_runner(on);
}

static void at_exit(void)
{
    ends_process = true;
    atomic_store(&is_exiting, true);
    amp__queue_end_all();
}

static void expect_exit(void)
{
    atexit(at_exit);
}

amp_future *amp__queue_submit(amp_accelerator_view *on, amp_status (*run)(void *context),
                              void (*destroy)(void *context), void *context, int n, const struct amp__access *accesses)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    AMP__EVENT(event, .kind = AMP__CALL, .name = "submit", .on = on, .flow = amp__event_new_flow(), .flow_phase = 's');
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
    task->flow = event.is_open ? event.flow : 0;
    add_uses(task, n, accesses);
    if (make_room(on) != AMP_OK)
        goto failed;
    append(on, task);
    amp__queue_unlock();
    pthread_once(&once, expect_exit);
    amp__event_end(&event, AMP_OK);
    return &task->future;
failed:
    amp__event_end(&event, amp_error_status());
    if (task)
        amp__future_free(&task->future);
    if (destroy)
        destroy(context);
    return NULL;
}

/* ---- the end ---- */

/* Tells the worker of `on`, which has no tasks, to end. Called with the lock held. Returns whether there was one. */
static bool dismiss(amp_accelerator_view *on)
{
    bool has_worker = on->has_worker;
    amp_accelerator_view **link = &with_worker;
    while (has_worker && *link != on)
        link = &(*link)->next;
    if (has_worker)
        *link = on->next;
    for (link = &left_lying; on->is_left_lying && *link != on;)
        link = &(*link)->next_left_lying;
    if (on->is_left_lying)
        *link = on->next_left_lying;
    on->is_left_lying = on->is_dozing = on->has_worker = on->has_left = false;
    choose_worker(on);
    return has_worker;
}

bool amp__queue_end(amp_accelerator_view *on)
{
    amp__queue_lock();
    bool has_worker = dismiss(on), is_own = has_worker && own == on;
    pthread_t worker = on->worker;
    on->is_detached = is_own;
    amp__queue_unlock();
    if (is_own)
        pthread_detach(worker);
    else if (has_worker)
        join(worker);
    return !is_own;
}

void amp__queue_drain(void)
{
    amp__queue_wait_until(&(struct amp__wait){.done = are_finished, .what = &(struct in_hand){n_in_hand, own}});
}

void amp__queue_drain_at_exit(void)
{
    if (atomic_load(&is_exiting))
        amp__queue_drain();
}

void amp__queue_rouse(void)
{
    amp__queue_lock();
    for (amp_accelerator_view *on = with_worker; on; on = on->next)
        choose_worker(on);
    amp__queue_unlock();
}

/* Tells a worker to end whose queue has no tasks, and which is not the calling thread. Returns the queue, retained;
 * NULL if there is none. */
static amp_accelerator_view *dismiss_other(pthread_t *worker)
{
    amp__queue_lock();
    amp_accelerator_view *on = with_worker;
    while (on && (on == own || has_tasks(on) || !amp__accelerator_view_retain_used(on)))
        on = on->next;
    if (on) {
        *worker = on->worker;
        dismiss(on);
    }
    amp__queue_unlock();
    return on;
}

static int count_workers(void)
{
    int n = 0;
    amp__queue_lock();
    for (const amp_accelerator_view *on = with_worker; on; on = on->next)
        n++;
    amp__queue_unlock();
    return n;
}

/* Called at the end of the process, so that no submitted work is lost: as an `atexit` function, while the program's
 * kernels still exist, and once more for work that other `atexit` functions submit. */
__attribute__((destructor)) void amp__queue_end_all(void)
{
    if (atomic_load(&is_lost))
        return;
    bool has_called; /* in a callback that ends the process: others may come after it */
    do {
        amp__queue_drain();
        amp__queue_lock();
        has_called = own && own->first_done;
        while (own && own->first_done)
            call_back_first(own);
        amp__queue_unlock();
    } while (has_called);
    /* Other threads may still give work to some queues, and start new workers. */
    pthread_t worker;
    amp_accelerator_view *on;
    for (int n = count_workers(); n > 0 && (on = dismiss_other(&worker)); n--) {
        join(worker);
        amp__accelerator_view_wait_quietly(on);
        amp_accelerator_view_release(on);
    }
}

/* ---- fork ---- */

static const struct amp__error lost = {
    AMP_ERROR_ACCELERATOR_VIEW_REMOVED,
    "this process is a child of fork, which has none of the threads that do its parent's asynchronous work: nothing "
    "can "
    "be put on a queue, and what had not been done at the fork is lost; functions that are not asynchronous work"};

amp_status amp__queue_fail_lost(void)
{
    return amp__fail(lost.status, "%s", lost.text);
}

bool amp__queue_is_lost(void)
{
    return atomic_load_explicit(&is_lost, memory_order_relaxed);
}

void amp__queue_hold(void)
{
    pthread_mutex_lock(&lock);
}

void amp__queue_resume(void)
{
    pthread_mutex_unlock(&lock);
}

/* Empties the queues: their work is lost with the threads that should have done it. Homes keep their counts of
 * tasks. */
void amp__queue_renew(void)
{
    if (with_worker || n_unfinished > 0)
        atomic_store(&is_lost, true);
    for (amp_accelerator_view *on = with_worker; on; on = on->next) {
        if (on->failure.status == AMP_OK && on->n_run < on->n_submitted)
            on->failure = lost;
        on->first = on->last = on->first_done = on->last_done = NULL;
        on->n_done = on->n_held = 0;
        on->n_run = on->n_submitted;
        atomic_store(&on->n_pending, 0);
        on->is_busy = on->is_calling_back = on->is_expecting = on->is_left_lying = on->has_worker = false;
        on->has_left = on->has_predecessor = false;
        on->resting = NULL;
    }
    with_worker = left_lying = NULL;
    sleepers = chosen = NULL;
    pthread_mutex_unlock(&lock);
}
