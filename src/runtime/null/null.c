/* SPDX-License-Identifier: MIT
 *
 * A device for tests: it has its own memory and counts the calls, but computes nothing. ampcc makes no code for it; a
 * launch is counted and leaves the memory as it is. A test that needs a kernel's effect gives its descriptor an image
 * for "null", which then runs over the whole domain: at once on the calling thread or, if a test asks for it, as late
 * as possible, when somebody waits for the queue.
 *
 * Its memory is known by handles. It refuses a copy whose handle is an address inside an allocation, or which goes
 * beyond the end. Only kernels get host addresses. */
#include "../backend.h"
#include "../testing.h"

#include <string.h>

enum { MEMORY_ALIGN = 256 }; /* as on GPUs */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct amp__null_counts counts;
static int until_failure; /* calls up to and including the one that fails; 0: none fails */
static bool is_removed;   /* all calls fail */
static int n_devices = 1;
static bool is_late; /* work stays on the queues until somebody waits */

/* A launch, a copy on the device, or a stamp, that is still to be done. */
struct work {
    struct work *next;
    const struct amp__image *image; /* NULL: a copy or a stamp */
    int box[6];
    void *to;
    const void *from;
    size_t size_bytes;
    const void *args; /* of an image */
    struct stamp *stamp;
};

struct stamp {
    struct queue *queue;
    atomic_llong time_ns; /* 0: not yet reached */
};

/* Precedes each allocation, whose handle is the address after it. */
struct allocation {
    struct allocation *next;
    size_t size_bytes;
};
static struct allocation *allocations;

struct queue {
    struct work *first, *last;
};
enum { MOST_DEVICES = 4 };
static struct queue own[MOST_DEVICES]; /* the devices' own queues; also the devices' handles */

struct event {
    struct queue *queue;
};

struct amp__null_counts amp__test_null_counts(void)
{
    pthread_mutex_lock(&lock);
    struct amp__null_counts now = counts;
    pthread_mutex_unlock(&lock);
    return now;
}

void amp__test_null_reset(void)
{
    pthread_mutex_lock(&lock);
    memset(&counts, 0, sizeof counts);
    until_failure = 0;
    is_removed = false;
    is_late = false;
    pthread_mutex_unlock(&lock);
}

void amp__test_null_fail(int n)
{
    pthread_mutex_lock(&lock);
    until_failure = n;
    pthread_mutex_unlock(&lock);
}

void amp__test_null_remove(void)
{
    pthread_mutex_lock(&lock);
    is_removed = true;
    pthread_mutex_unlock(&lock);
}

/* Begins a call: AMP_OK with the lock held, or the failure that a test asked for. */
static amp_status begin(const char *call)
{
    pthread_mutex_lock(&lock);
    bool removed = is_removed, fails = until_failure > 0 && --until_failure == 0;
    if (!removed && !fails)
        return AMP_OK;
    pthread_mutex_unlock(&lock);
    return removed ? amp__fail(AMP_ERROR_ACCELERATOR_VIEW_REMOVED, "null: %s found the device removed", call)
                   : amp__fail(AMP_ERROR_DEVICE, "null: %s failed, as a test asked for", call);
}

void amp__test_null_late(void)
{
    pthread_mutex_lock(&lock);
    is_late = true;
    pthread_mutex_unlock(&lock);
}

static struct queue *queue_of(void *device, void *queue)
{
    return queue ? queue : device;
}

static void do_work(const struct work *work)
{
    if (work->image)
        work->image->run(work->args, work->box);
    else if (work->stamp)
        atomic_store(&work->stamp->time_ns, amp__now_ns());
    else
        memcpy(work->to, work->from, work->size_bytes);
}

/* Does the work on the queue. Called with the lock held. */
static void drain(struct queue *queue)
{
    while (queue->first) {
        struct work *work = queue->first;
        queue->first = work->next;
        do_work(work);
        amp__free(work);
    }
    queue->last = NULL;
}

/* The offset of work's arguments, if they are aligned to `align`. */
static size_t args_at(size_t align)
{
    return (sizeof(struct work) + align - 1) / align * align;
}

/* Does the work, or puts a copy of it on the queue. Called with the lock held. */
static amp_status put(struct queue *queue, const struct work *work, size_t args_bytes, size_t align)
{
    if (!is_late) {
        drain(queue);
        do_work(work);
        return AMP_OK;
    }
    struct work *copy = amp__alloc(args_at(align) + args_bytes, align);
    if (!copy)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "null: no memory for work on a queue");
    *copy = *work;
    copy->args = work->args ? memcpy((char *)copy + args_at(align), work->args, args_bytes) : NULL;
    *(queue->last ? &queue->last->next : &queue->first) = copy;
    queue->last = copy;
    return AMP_OK;
}

void amp__test_null_devices(int n)
{
    n_devices = n;
}

static int count(void)
{
    return n_devices;
}

static amp_status open_null(int i, void **device, amp_accelerator_properties *properties)
{
    static const char *const paths[MOST_DEVICES] = {"null", "null:1", "null:2", "null:3"};
    *device = &own[i];
    *properties = (amp_accelerator_properties){
        .path = paths[i],
        .description = "null: copies and launches are counted, nothing is computed",
        .version = 1 << 16,
        .n_threads = 1,
        .isa = "none",
        .is_emulated = true,
        .supports_double_precision = true,
        .supports_limited_double_precision = true,
        .default_cpu_access_type = AMP_ACCESS_NONE,
    };
    return AMP_OK;
}

static amp_status alloc(void *device, size_t size_bytes, void **memory)
{
    (void)device;
    amp_status status = begin("an allocation");
    if (status != AMP_OK)
        return status;
    struct allocation *new =
        size_bytes < SIZE_MAX - MEMORY_ALIGN ? amp__alloc(MEMORY_ALIGN + size_bytes, MEMORY_ALIGN) : NULL;
    if (new) {
        *new = (struct allocation){allocations, size_bytes};
        allocations = new;
        counts.allocations++;
    }
    pthread_mutex_unlock(&lock);
    if (!new)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "null: no memory for %zu bytes", size_bytes);
    *memory = (unsigned char *)new + MEMORY_ALIGN;
    return AMP_OK;
}

static void free_memory(void *device, void *memory)
{
    (void)device;
    pthread_mutex_lock(&lock);
    struct allocation *old = (struct allocation *)(void *)((unsigned char *)memory - MEMORY_ALIGN);
    struct allocation **link = &allocations;
    while (*link != old)
        link = &(*link)->next;
    *link = old->next;
    counts.frees++;
    pthread_mutex_unlock(&lock);
    amp__free(old);
}

static void *address(void *device, struct amp__at at)
{
    (void)device;
    return (unsigned char *)at.memory + at.offset;
}

/* Whether the allocation has this many bytes at `at`; a user's memory is not checked. Called with the lock held. */
static bool are_there(struct amp__at at, size_t size_bytes)
{
    for (const struct allocation *a = allocations; a; a = a->next) {
        const unsigned char *begin = (const unsigned char *)a + MEMORY_ALIGN, *memory = at.memory;
        if (memory == begin)
            return at.offset <= a->size_bytes && size_bytes <= a->size_bytes - at.offset;
        if (memory > begin && memory < begin + a->size_bytes)
            return false;
    }
    return true;
}

/* Begins a copy from or to one or two places, like `begin`. */
static amp_status begin_copy(const char *call, size_t size_bytes, struct amp__at a, struct amp__at b)
{
    amp_status status = begin(call);
    if (status != AMP_OK || (are_there(a, size_bytes) && are_there(b, size_bytes)))
        return status;
    pthread_mutex_unlock(&lock);
    return amp__fail(AMP_ERROR_DEVICE, "null: %s of %zu bytes is not in the memory of a handle", call, size_bytes);
}

static amp_status copy_in(void *device, void *queue, struct amp__at to, const void *host, size_t size_bytes)
{
    amp_status status = begin_copy("a copy in", size_bytes, to, to);
    if (status != AMP_OK)
        return status;
    counts.copies_in++;
    counts.bytes_in += size_bytes;
    drain(queue_of(device, queue));
    pthread_mutex_unlock(&lock);
    memcpy(address(device, to), host, size_bytes);
    return AMP_OK;
}

static amp_status copy_out(void *device, void *queue, void *host, struct amp__at from, size_t size_bytes)
{
    amp_status status = begin_copy("a copy out", size_bytes, from, from);
    if (status != AMP_OK)
        return status;
    counts.copies_out++;
    counts.bytes_out += size_bytes;
    drain(queue_of(device, queue));
    pthread_mutex_unlock(&lock);
    memcpy(host, address(device, from), size_bytes);
    return AMP_OK;
}

static size_t span_of(const struct amp__rows *rows)
{
    return (rows->n - 1) * rows->stride + rows->bytes;
}

static void copy_rows(unsigned char *to, const unsigned char *from, const struct amp__rows *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        memcpy(to + i * rows->stride, from + i * rows->stride, rows->bytes);
}

static amp_status copy_rows_in(void *device, void *queue, struct amp__at to, const void *host,
                               const struct amp__rows *rows)
{
    amp_status status = begin_copy("a copy in", span_of(rows), to, to);
    if (status != AMP_OK)
        return status;
    counts.copies_in++;
    counts.bytes_in += rows->n * rows->bytes;
    drain(queue_of(device, queue));
    pthread_mutex_unlock(&lock);
    copy_rows(address(device, to), host, rows);
    return AMP_OK;
}

static amp_status copy_rows_out(void *device, void *queue, void *host, struct amp__at from,
                                const struct amp__rows *rows)
{
    amp_status status = begin_copy("a copy out", span_of(rows), from, from);
    if (status != AMP_OK)
        return status;
    counts.copies_out++;
    counts.bytes_out += rows->n * rows->bytes;
    drain(queue_of(device, queue));
    pthread_mutex_unlock(&lock);
    copy_rows(host, address(device, from), rows);
    return AMP_OK;
}

static amp_status copy_across(void *device, void *queue, struct amp__at to, struct amp__at from, size_t size_bytes)
{
    amp_status status = begin_copy("a copy across", size_bytes, to, from);
    if (status != AMP_OK)
        return status;
    counts.copies_across++;
    counts.bytes_across += size_bytes;
    struct work work = {.to = address(device, to), .from = address(device, from), .size_bytes = size_bytes};
    status = put(queue_of(device, queue), &work, 0, _Alignof(struct work));
    pthread_mutex_unlock(&lock);
    return status;
}

static size_t args_align(const struct amp__kernel *kernel)
{
    return kernel->args_align > _Alignof(struct work) ? kernel->args_align : _Alignof(struct work);
}

static amp_status launch(void *device, void *queue, struct amp__launch *launch)
{
    amp_status status = begin("a launch");
    if (status != AMP_OK)
        return status;
    counts.launches++;
    launch->isa = "none";
    launch->lanes = launch->n_threads = 1;
    struct work work = {.args = launch->args};
    memcpy(work.box, launch->box, sizeof work.box);
    for (const struct amp__image *image = launch->kernel->images; image && image->backend; image++)
        if (!strcmp(image->backend, "null")) {
            work.image = image;
            status = put(queue_of(device, queue), &work, launch->kernel->args_bytes, args_align(launch->kernel));
        }
    pthread_mutex_unlock(&lock);
    return status;
}

static amp_status create_queue(void *device, void **queue)
{
    (void)device;
    amp_status status = begin("making a queue");
    if (status != AMP_OK)
        return status;
    struct queue *new = amp__alloc(sizeof *new, _Alignof(struct queue));
    counts.queues += new != NULL;
    pthread_mutex_unlock(&lock);
    if (!new)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "null: no memory for a queue");
    *new = (struct queue){NULL, NULL};
    *queue = new;
    return AMP_OK;
}

static void destroy_queue(void *device, void *queue)
{
    (void)device;
    struct queue *old = queue;
    pthread_mutex_lock(&lock);
    counts.queues--;
    counts.lost += old->first != NULL;
    pthread_mutex_unlock(&lock);
    amp__free(old);
}

/* Like a real device, reports a failure to the first who waits for it. */
static amp_status wait_for(void *device, void *queue)
{
    pthread_mutex_lock(&lock);
    bool is_needed = queue_of(device, queue)->first;
    drain(queue_of(device, queue));
    counts.waits += is_needed;
    bool fails = is_needed && until_failure > 0 && --until_failure == 0;
    pthread_mutex_unlock(&lock);
    return fails ? amp__fail(AMP_ERROR_DEVICE, "null: a wait failed, as a test asked for") : AMP_OK;
}

static amp_status flush(void *device, void *queue)
{
    (void)device, (void)queue;
    amp_status status = begin("a flush");
    if (status != AMP_OK)
        return status;
    counts.flushes++;
    pthread_mutex_unlock(&lock);
    return AMP_OK;
}

static amp_status record_event(void *device, void *queue, void **event)
{
    struct event *new = amp__alloc(sizeof *new, _Alignof(struct event));
    if (!new)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "null: no memory for an event");
    new->queue = queue_of(device, queue);
    *event = new;
    pthread_mutex_lock(&lock);
    counts.events++;
    pthread_mutex_unlock(&lock);
    return AMP_OK;
}

static amp_status wait_for_event(void *device, void *event)
{
    return wait_for(device, ((struct event *)event)->queue);
}

static bool query_event(void *device, void *event)
{
    (void)device;
    pthread_mutex_lock(&lock);
    bool is_there = !((struct event *)event)->queue->first;
    pthread_mutex_unlock(&lock);
    return is_there;
}

static void destroy_event(void *device, void *event)
{
    (void)device;
    pthread_mutex_lock(&lock);
    counts.events--;
    pthread_mutex_unlock(&lock);
    amp__free(event);
}

static amp_status take_stamp(void *device, void *queue, void **stamp)
{
    struct stamp *new = amp__alloc(sizeof *new, _Alignof(struct stamp));
    if (!new)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "null: no memory for a stamp");
    new->queue = queue_of(device, queue);
    atomic_init(&new->time_ns, 0);
    pthread_mutex_lock(&lock);
    amp_status status = put(new->queue, &(struct work){.stamp = new}, 0, _Alignof(struct work));
    pthread_mutex_unlock(&lock);
    if (status == AMP_OK)
        *stamp = new;
    else
        amp__free(new);
    return status;
}

static bool read_stamp(void *device, void *stamp, bool waits, long long *time_ns)
{
    struct stamp *s = stamp;
    if (waits && atomic_load(&s->time_ns) == 0)
        wait_for(device, s->queue);
    *time_ns = atomic_load(&s->time_ns);
    return *time_ns != 0;
}

static void free_stamp(void *device, void *stamp)
{
    (void)device;
    amp__free(stamp);
}

static void renew(void)
{
    pthread_mutex_init(&lock, NULL);
}

static void *native_device(void *device)
{
    return device;
}

static void *native_queue(void *device, void *queue)
{
    return queue_of(device, queue);
}

const struct amp__backend amp__null_backend = {
    .name = "null",
    .count = count,
    .open = open_null,
    .memory_align = MEMORY_ALIGN,
    .alloc = alloc,
    .free = free_memory,
    .address = address,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy_rows_in = copy_rows_in,
    .copy_rows_out = copy_rows_out,
    .copy_across = copy_across,
    .launch = launch,
    .queue_create = create_queue,
    .queue_destroy = destroy_queue,
    .wait = wait_for,
    .flush = flush,
    .event_record = record_event,
    .event_wait = wait_for_event,
    .event_query = query_event,
    .event_destroy = destroy_event,
    .stamp_take = take_stamp,
    .stamp_read = read_stamp,
    .stamp_free = free_stamp,
    .renew = renew,
    .native_device = native_device,
    .native_queue = native_queue,
};
