/* SPDX-License-Identifier: MIT
 *
 * What happens, and when: calls, launches, copies and waits, for AMP_PROFILE (profile.c) and AMP_TRACE (trace.c). Who
 * makes something happen declares an event around it. While nobody wants to know, that costs one branch.
 *
 * The host's clock measures calls and waits, and the work of devices that is done when the call returns. A device that
 * works later stamps the beginning and end of its work itself. Such an event waits in a list until its stamps can be
 * read; this happens at later events, and at the latest when its queue or its kernel goes, or the process ends. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* gettid */
#endif
#include "backend.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MOST_LATE = 4096 }; /* events whose times are not known yet: more than a device queues */

/* A device's work, and its stamps. */
struct amp__late {
    struct amp__event event;
    void *stamps[2]; /* of its beginning and end; NULL: it could not be taken */
    struct amp__late *next;
};

_Atomic unsigned char amp__watch_state = AMP__WATCH_UNREAD;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct amp__late *first_late, *last_late;
static int n_late;
static atomic_uint_fast64_t n_flows;

static _Thread_local struct amp__event *innermost;
static _Thread_local int thread; /* 0: not yet known */

long long amp__now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

uint64_t amp__event_new_flow(void)
{
    return atomic_fetch_add_explicit(&n_flows, 1, memory_order_relaxed) + 1;
}

static void report(const struct amp__event *event)
{
    amp__profile_add(event);
    amp__trace_add(event);
}

/* ---- the device's clock ---- */

static void take_stamp(const struct amp__event *event, int which)
{
    const amp_accelerator *a = event->on->accelerator;
    struct amp__error error = {AMP_OK, ""};
    amp__error_swap(&error); /* watching does not make work fail */
    if (a->backend->stamp_take(a->device, event->on->queue, &event->late->stamps[which]) != AMP_OK)
        event->late->stamps[which] = NULL;
    amp__error_swap(&error);
}

/* Makes an event one of the device's clock, if there is memory for that. */
static void make_late(struct amp__event *event)
{
    event->late = amp__alloc(sizeof *event->late, _Alignof(struct amp__late));
    if (event->late)
        take_stamp(event, 0);
}

/* Sets the times of an event, and frees its stamps, if the device can tell them by now. */
static bool read_stamps(struct amp__late *late, bool waits)
{
    struct amp__event *event = &late->event;
    const amp_accelerator *a = event->on->accelerator;
    long long times_ns[2] = {-1, -1};
    for (int i = 1; i >= 0; i--)
        if (late->stamps[i] && !a->backend->stamp_read(a->device, late->stamps[i], waits, &times_ns[i]))
            return false;
    for (int i = 0; i < 2; i++)
        if (late->stamps[i])
            a->backend->stamp_free(a->device, late->stamps[i]);
    event->clock = times_ns[0] < 0 || times_ns[1] < 0 ? AMP__CLOCK_NONE : AMP__CLOCK_DEVICE;
    if (event->clock == AMP__CLOCK_DEVICE) {
        /* The two clocks agree only to some microseconds. */
        event->begin_ns = times_ns[0] > event->begin_ns ? times_ns[0] : event->begin_ns;
        event->end_ns = times_ns[1] > event->begin_ns ? times_ns[1] : event->begin_ns;
    }
    return true;
}

/* Removes the oldest event whose times are not known. */
static struct amp__late *take_late(void)
{
    pthread_mutex_lock(&lock);
    struct amp__late *late = first_late;
    if (late) {
        first_late = late->next;
        n_late--;
    }
    if (!first_late)
        last_late = NULL;
    pthread_mutex_unlock(&lock);
    return late;
}

static void put_back(struct amp__late *late)
{
    pthread_mutex_lock(&lock);
    late->next = first_late;
    first_late = late;
    if (!last_late)
        last_late = late;
    n_late++;
    pthread_mutex_unlock(&lock);
}

void amp__event_settle(bool waits)
{
    for (struct amp__late *late; (late = take_late());) {
        if (!read_stamps(late, waits)) {
            put_back(late);
            return;
        }
        report(&late->event);
        amp__free(late);
    }
}

/* Keeps an event until its times are known. */
static void keep(const struct amp__event *event)
{
    struct amp__late *late = event->late;
    late->event = *event;
    late->next = NULL;
    pthread_mutex_lock(&lock);
    *(last_late ? &last_late->next : &first_late) = late;
    last_late = late;
    bool is_too_many = ++n_late > MOST_LATE;
    pthread_mutex_unlock(&lock);
    amp__event_settle(is_too_many);
}

/* ---- events ---- */

/* Whether the event is the task of a queue, or a wait, in which a thread may run other tasks. What is in it has not
 * been caused by what is around it. */
static bool is_border(const struct amp__event *event)
{
    return event->kind == AMP__WAIT || event->flow_phase == 'f';
}

/* Finds out what has caused an event. */
static void look_around(struct amp__event *event)
{
    for (struct amp__event *e = event->around; e && !is_border(e); e = e->around) {
        event->by = e->name;
        event->line = event->line ? event->line : e->line;
        if (!e->kernel || event->flow || e->has_launched) /* what comes after the launch is not in its flow */
            continue;
        event->flow = e->flow;
        event->flow_phase = event->kind == AMP__LAUNCH ? 'f' : 't';
        e->has_launched |= event->kind == AMP__LAUNCH;
    }
}

void amp__event_begin(struct amp__event *event, const struct amp__event *what)
{
    *event = *what;
    event->around = innermost;
    innermost = event;
    if (!thread)
        thread = gettid();
    event->thread = thread;
    if (event->kind == AMP__LAUNCH || event->kind == AMP__COPY)
        look_around(event);
    event->begin_ns = amp__now_ns();
    if (event->on && (event->kind == AMP__LAUNCH || event->kind == AMP__COPY)) {
        const struct amp__backend *backend = event->on->accelerator->backend;
        event->clock = backend->wait ? AMP__CLOCK_NONE : AMP__CLOCK_HOST;
        if (backend->stamp_take)
            make_late(event);
    }
}

void amp__event_end_open(struct amp__event *event, amp_status status)
{
    if (event->late)
        take_stamp(event, 1);
    event->end_ns = amp__now_ns();
    innermost = event->around;
    if (event->around)
        event->around->inner_ns += event->end_ns - event->begin_ns;
    event->has_failed = status != AMP_OK;
    if (event->late) {
        keep(event);
        return;
    }
    report(event);
    if (event->kind == AMP__WAIT)
        amp__event_settle(false);
}

/* ---- the process ---- */

static void end(void)
{
    if (atomic_load(&amp__watch_state) != AMP__WATCH_ON)
        return;
    amp__event_settle(true);
    atomic_store(&amp__watch_state, AMP__WATCH_OFF);
    amp__profile_end();
    amp__trace_end();
}

/* After the destructor of queue.c, which still works. */
__attribute__((destructor(102))) static void end_at_exit(void)
{
    end();
}

static void expect_quick_exit(void)
{
    at_quick_exit(end);
}

bool amp__watch(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (atomic_load(&amp__watch_state) == AMP__WATCH_UNREAD) {
        pthread_mutex_lock(&lock);
        if (atomic_load(&amp__watch_state) == AMP__WATCH_UNREAD) {
            bool has_profile = amp__profile_begin(), has_trace = amp__trace_begin();
            if (has_profile || has_trace)
                pthread_once(&once, expect_quick_exit);
            atomic_store(&amp__watch_state, has_profile || has_trace ? AMP__WATCH_ON : AMP__WATCH_OFF);
        }
        pthread_mutex_unlock(&lock);
    }
    return atomic_load(&amp__watch_state) == AMP__WATCH_ON;
}

void amp__watch_restart(void)
{
    end();
    atomic_store(&amp__watch_state, AMP__WATCH_UNREAD);
}

/* ---- fork ---- */

void amp__watch_hold(void)
{
    pthread_mutex_lock(&lock);
    amp__profile_hold();
    amp__trace_hold();
}

void amp__watch_resume(void)
{
    amp__trace_resume();
    amp__profile_resume();
    pthread_mutex_unlock(&lock);
}

/* The parent reports what has begun in it; the child begins anew. */
void amp__watch_renew(void)
{
    for (struct amp__event *event = innermost; event; event = event->around)
        event->is_open = false;
    innermost = NULL;
    thread = 0;
    for (struct amp__late *late; (late = first_late);) {
        first_late = late->next;
        amp__free(late); /* its stamps are the parent's device's */
    }
    last_late = NULL;
    n_late = 0;
    amp__profile_renew();
    amp__trace_renew();
    if (atomic_load(&amp__watch_state) == AMP__WATCH_ON)
        atomic_store(&amp__watch_state, AMP__WATCH_UNREAD);
    pthread_mutex_unlock(&lock);
}
