/* SPDX-License-Identifier: MIT
 *
 * AMP_TRACE: a file in the trace-event format, the array form, which Perfetto and chrome://tracing open:
 *
 *     slices    each event, with its beginning and duration: calls and waits on the track of the host's thread;
 *               launches and copies on a track of the queue. Work of one queue that overlaps, as `cpu` allows, is
 *               spread over several lanes, because slices of a track must not overlap
 *     flows     from the submission of a task to its run, and from a launch's call by its copies to the kernel's run
 *     names     of the process, the threads, the accelerators and their queues
 *
 * Each thread has a buffer, which it writes to the file when it is full, or has been filling for a tenth of a second.
 * So memory is bounded, threads seldom meet, and a crash costs little. The file has whole events at any time; a reader
 * accepts that the bracket at the end is missing. Events are not sorted. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv, program_invocation_short_name, pthread_getname_np */
#endif
#include "backend.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 64 << 10,
    MOST_BYTES = 16 << 10, /* of what one event takes, with the names of new tracks */
    TEXT_BYTES = 1 << 10,  /* of a name in it */
    FLUSH_NS = 100000000,
    FIRST_DEVICE = 10000000 /* devices are processes in the trace; numbers of real ones are smaller */
};

struct buffer {
    struct buffer *next;
    pthread_mutex_t lock; /* guards the rest */
    unsigned trace;       /* the number of the trace that has its thread's name */
    long long flushed_ns;
    size_t n;
    char text[BUFFER_BYTES];
};

/* A track of a queue. */
struct lane {
    struct lane *next;
    const amp_accelerator_view *on;
    int number;
    long long end_ns; /* of its last event */
};
enum { N_BUCKETS = 64 };

/* Taken in this order, with a buffer's lock after the first. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lane_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t file_lock = PTHREAD_MUTEX_INITIALIZER;

static struct buffer *buffers;
static struct lane *lanes[N_BUCKETS]; /* by queue; those of a queue in the order of their use */
static int n_lanes, n_queues;
static uint64_t named_devices; /* a bit for each location */

static struct amp__output output = {.descriptor = -1};
static atomic_bool is_on;
static unsigned n_traces;
static long long begin_ns;
static pthread_key_t key; /* its destructor ends a thread's buffer */
static bool has_key;
static _Thread_local struct buffer *own;

/* ---- text ---- */

/* Writes a buffer to the file. Called with the buffer's lock held. */
static void flush(struct buffer *buffer, long long now_ns)
{
    pthread_mutex_lock(&file_lock);
    if (buffer->n > 0 && atomic_load(&is_on) && !amp__output_write(&output, buffer->text, buffer->n))
        atomic_store(&is_on, false);
    pthread_mutex_unlock(&file_lock);
    buffer->n = 0;
    buffer->flushed_ns = now_ns;
}

__attribute__((format(printf, 2, 3))) static void put(struct buffer *buffer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(buffer->text + buffer->n, sizeof buffer->text - buffer->n, format, args);
    va_end(args);
    if (n > 0 && (size_t)n < sizeof buffer->text - buffer->n)
        buffer->n += (size_t)n;
}

/* Puts the value of a key, which another one follows. */
static void put_text(struct buffer *buffer, const char *key_name, const char *value)
{
    char json[TEXT_BYTES];
    put(buffer, "\"%s\":\"%s\",", key_name, amp__json_text(value, json, sizeof json));
}

/* A time or a duration is in microseconds. */
static void put_time(struct buffer *buffer, const char *key_name, long long ns)
{
    put(buffer, "\"%s\":%lld.%03d,", key_name, ns / 1000, (int)(ns % 1000));
}

/* ---- tracks ---- */

/* Where an event is shown: the numbers of a process and of a thread, as the format calls them. */
struct track {
    int process, thread;
};

/* Puts the name of a process or a thread. */
static void put_name(struct buffer *buffer, const char *what, struct track track, const char *name)
{
    put(buffer, ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"%s\",\"args\":{", track.process, track.thread, what);
    put_text(buffer, "name", name);
    buffer->n--; /* the comma */
    put(buffer, "}}");
}

/* Called when a thread ends. */
static void end_buffer(void *of_thread)
{
    struct buffer *buffer = of_thread;
    pthread_mutex_lock(&buffer->lock);
    flush(buffer, 0);
    pthread_mutex_unlock(&buffer->lock);
    pthread_mutex_lock(&list_lock);
    struct buffer **link = &buffers;
    while (*link != buffer)
        link = &(*link)->next;
    *link = buffer->next;
    pthread_mutex_unlock(&list_lock);
    pthread_mutex_destroy(&buffer->lock);
    amp__free(buffer);
    own = NULL;
}

/* The calling thread's buffer; NULL without memory. */
static struct buffer *own_buffer(void)
{
    if (own)
        return own;
    struct buffer *new = amp__alloc(sizeof *new, _Alignof(struct buffer));
    if (!new || pthread_setspecific(key, new) != 0) {
        amp__free(new);
        return NULL;
    }
    pthread_mutex_init(&new->lock, NULL);
    new->trace = 0;
    new->n = 0;
    pthread_mutex_lock(&list_lock);
    new->next = buffers;
    buffers = new;
    pthread_mutex_unlock(&list_lock);
    return own = new;
}

/* Names the calling thread in its buffer, once for each trace. */
static void name_thread(struct buffer *buffer, const struct amp__event *event)
{
    char name[32] = "thread";
    if (buffer->trace == n_traces)
        return;
    buffer->trace = n_traces;
    buffer->flushed_ns = event->end_ns;
    buffer->n = 0;
    pthread_getname_np(pthread_self(), name, sizeof name);
    put_name(buffer, "thread_name", (struct track){(int)getpid(), event->thread}, name);
}

static struct lane **bucket_of(const amp_accelerator_view *on)
{
    return &lanes[((uintptr_t)on >> 4) * 0x9E3779B97F4A7C15u >> 32 & (N_BUCKETS - 1)];
}

/* Names a new lane, and its device if that is new, too. */
static void name_lane(struct buffer *buffer, const struct lane *lane, bool is_first)
{
    const amp_accelerator *a = lane->on->accelerator;
    struct track track = {FIRST_DEVICE + a->location, lane->number};
    char name[64];
    if (!(named_devices >> a->location & 1))
        put_name(buffer, "process_name", track, a->properties.path);
    named_devices |= (uint64_t)1 << a->location;
    if (!is_first)
        snprintf(name, sizeof name, "and at once");
    else if (lane->on == &a->view)
        snprintf(name, sizeof name, "default queue");
    else
        snprintf(name, sizeof name, "queue %d", ++n_queues);
    put_name(buffer, "thread_name", track, name);
}

/* The first lane of a queue in which nothing is later than `from_ns`, or else a new one. NULL without memory. */
static struct lane *find_lane(struct buffer *buffer, const amp_accelerator_view *on, long long from_ns)
{
    struct lane **link = bucket_of(on);
    bool is_first = true;
    for (; *link && ((*link)->on != on || (*link)->end_ns > from_ns); link = &(*link)->next)
        is_first &= (*link)->on != on;
    if (*link || !(*link = amp__alloc(sizeof **link, _Alignof(struct lane))))
        return *link;
    **link = (struct lane){.on = on, .number = ++n_lanes};
    name_lane(buffer, *link, is_first);
    return *link;
}

/* The track of an event of a queue. Returns false without memory. */
static bool find_track(struct buffer *buffer, const struct amp__event *event, struct track *track)
{
    pthread_mutex_lock(&lane_lock);
    struct lane *lane = find_lane(buffer, event->on, event->begin_ns);
    if (lane) {
        lane->end_ns = event->end_ns;
        *track = (struct track){FIRST_DEVICE + event->on->accelerator->location, lane->number};
    }
    pthread_mutex_unlock(&lane_lock);
    return lane;
}

/* Frees the lanes of a queue in a bucket; NULL: of all queues. */
static void free_lanes(struct lane **link, const amp_accelerator_view *on)
{
    for (struct lane *lane; (lane = *link);) {
        if (on && lane->on != on) {
            link = &lane->next;
            continue;
        }
        *link = lane->next;
        amp__free(lane);
    }
}

static void free_all_lanes(void)
{
    for (int i = 0; i < N_BUCKETS; i++)
        free_lanes(&lanes[i], NULL);
}

void amp__trace_forget(const amp_accelerator_view *on)
{
    pthread_mutex_lock(&lane_lock);
    free_lanes(bucket_of(on), on);
    pthread_mutex_unlock(&lane_lock);
}

/* ---- events ---- */

static const char *const categories[] = {"call", "launch", "copy", "wait"};
static const char *const clocks[] = {"host", "device", "none"};

static const char *path_of(const amp_accelerator *a)
{
    return a ? a->properties.path : "host";
}

static void put_arguments(struct buffer *buffer, const struct amp__event *event)
{
    put(buffer, "\"args\":{");
    if (event->kind == AMP__LAUNCH) {
        put_text(buffer, "file", event->kernel->file);
        put(buffer, "\"line\":%d,\"bytes\":%zu,", event->kernel->line, event->bytes);
    } else if (event->kind == AMP__COPY) {
        put_text(buffer, "from", path_of(event->from));
        put_text(buffer, "to", path_of(event->to));
        put_text(buffer, "for", event->by ? event->by : "another call");
        put_text(buffer, "line", event->line ? event->line : "");
        put(buffer, "\"copies\":%zu,\"bytes\":%zu,", event->n, event->bytes);
    } else if (event->on) {
        put_text(buffer, "on", path_of(event->on->accelerator));
    }
    if (event->has_failed)
        put_text(buffer, "outcome", "failure");
    put(buffer, "\"clock\":\"%s\"}}", clocks[event->clock]);
}

static void put_begin(struct buffer *buffer, const char *phase, struct track track, long long time_ns)
{
    put(buffer, ",\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d,", phase, track.process, track.thread);
    put_time(buffer, "ts", time_ns - begin_ns);
}

static void put_slice(struct buffer *buffer, const struct amp__event *event, struct track track)
{
    char name[TEXT_BYTES];
    snprintf(name, sizeof name, "%s %s to %s", event->line ? event->line : "copy", path_of(event->from),
             path_of(event->to));
    put_begin(buffer, "X", track, event->begin_ns);
    put_time(buffer, "dur", event->end_ns - event->begin_ns);
    put(buffer, "\"cat\":\"%s\",", categories[event->kind]);
    put_text(buffer, "name",
             event->kind == AMP__LAUNCH ? event->kernel->name
             : event->kind == AMP__COPY ? name
                                        : event->name);
    put_arguments(buffer, event);
}

/* A flow binds to the slice that is on the track at its time. */
static void put_flow(struct buffer *buffer, const struct amp__event *event, char phase, struct track track)
{
    put_begin(buffer, (char[]){phase, 0}, track, event->begin_ns);
    put(buffer, "\"id\":%llu,\"cat\":\"flow\",\"name\":\"flow\"%s}", (unsigned long long)event->flow,
        phase == 'f' ? ",\"bp\":\"e\"" : "");
}

static void put_event(struct buffer *buffer, const struct amp__event *event)
{
    struct track track = {(int)getpid(), event->thread};
    bool is_work = event->on && (event->kind == AMP__LAUNCH || event->kind == AMP__COPY);
    bool has_slice = event->clock != AMP__CLOCK_NONE && (!is_work || find_track(buffer, event, &track));
    if (has_slice)
        put_slice(buffer, event, track);
    if (!event->flow || (event->kind == AMP__CALL && event->has_failed && !event->kernel))
        return;
    put_flow(buffer, event, event->flow_phase, track);
    if (event->kind == AMP__CALL && event->kernel && !event->has_launched)
        put_flow(buffer, event, 'f', track); /* the flow ends where it begins */
}

void amp__trace_add(const struct amp__event *event)
{
    struct buffer *buffer = atomic_load(&is_on) ? own_buffer() : NULL;
    if (!buffer)
        return;
    pthread_mutex_lock(&buffer->lock);
    name_thread(buffer, event);
    put_event(buffer, event);
    if (buffer->n > BUFFER_BYTES - MOST_BYTES || amp__now_ns() - buffer->flushed_ns > FLUSH_NS)
        flush(buffer, amp__now_ns());
    pthread_mutex_unlock(&buffer->lock);
}

/* ---- the process ---- */

/* The file begins with the name of the process, so that each further event can begin with a comma. */
static bool write_head(void)
{
    char name[TEXT_BYTES], head[2 * TEXT_BYTES];
    int n = snprintf(head, sizeof head,
                     "[\n{\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}",
                     (int)getpid(), amp__json_text(program_invocation_short_name, name, sizeof name));
    return amp__output_write(&output, head, (size_t)n);
}

bool amp__trace_begin(void)
{
    const char *name = secure_getenv("AMP_TRACE");
    if (!has_key)
        has_key = pthread_key_create(&key, end_buffer) == 0;
    if (!name || !*name || !has_key || !amp__output_open(&output, "AMP_TRACE", name) || !write_head())
        return false;
    begin_ns = amp__now_ns();
    n_traces++;
    n_lanes = n_queues = 0;
    named_devices = 0;
    atomic_store(&is_on, true);
    return true;
}

void amp__trace_end(void)
{
    static const char end[] = "\n]\n";
    pthread_mutex_lock(&list_lock);
    for (struct buffer *buffer = buffers; buffer; buffer = buffer->next) {
        pthread_mutex_lock(&buffer->lock);
        flush(buffer, 0);
        pthread_mutex_unlock(&buffer->lock);
    }
    pthread_mutex_lock(&lane_lock);
    free_all_lanes();
    pthread_mutex_unlock(&lane_lock);
    pthread_mutex_lock(&file_lock);
    if (atomic_exchange(&is_on, false) && amp__output_write(&output, end, sizeof end - 1))
        amp__output_close(&output);
    pthread_mutex_unlock(&file_lock);
    pthread_mutex_unlock(&list_lock);
}

/* The last of the library's destructors: its code may be unloaded now, and threads must not call it when they end. */
__attribute__((destructor(101))) static void forget_threads(void)
{
    if (has_key)
        pthread_key_delete(key);
    has_key = false;
}

void amp__trace_hold(void)
{
    pthread_mutex_lock(&list_lock);
    pthread_mutex_lock(&lane_lock);
    pthread_mutex_lock(&file_lock);
}

void amp__trace_resume(void)
{
    pthread_mutex_unlock(&file_lock);
    pthread_mutex_unlock(&lane_lock);
    pthread_mutex_unlock(&list_lock);
}

/* What is in the buffers is the parent's to write. */
void amp__trace_renew(void)
{
    atomic_store(&is_on, false);
    amp__output_close(&output);
    for (struct buffer *buffer; (buffer = buffers);) {
        buffers = buffer->next;
        amp__free(buffer);
    }
    own = NULL;
    if (has_key)
        pthread_setspecific(key, NULL);
    free_all_lanes();
    pthread_mutex_unlock(&file_lock);
    pthread_mutex_unlock(&lane_lock);
    pthread_mutex_unlock(&list_lock);
}
