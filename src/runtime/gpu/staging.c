/* SPDX-License-Identifier: MIT
 *
 * Copies between device memory and pageable host memory. The device's copy engine works on pinned memory alone, and
 * pinning the user's would take longer than copying it; so bytes pass through a ring of pinned slices:
 *
 *     in     threads copy slices into the ring;    the device takes chunks of them, in order
 *     out    the device puts chunks into the ring; threads copy slices out of it
 *
 * A chunk is a transfer of some slices. Each costs the engine 2.5 microseconds besides its bytes, so large chunks keep
 * it busy. But the engine waits until the first chunk is in the ring, and the host waits until the last chunk is out.
 * So on the way in, full slices leave at once while the engine has little to do; on the way out, chunks grow at the
 * beginning and shrink at the end. One thread copies at a tenth of the bus's speed if the host's memory is not in a
 * cache, and at a fifth if it is, so a few helper threads join in large copies. Only the calling thread calls the
 * driver.
 *
 * The engine is slower for memory of the ring that is in the second-level caches of the threads' cores. Hence the
 * stores bypass the caches, and the ring is larger than all of them. But pinning memory takes time, so small copies use
 * a small ring.
 *
 * After a copy in, the device may still be taking its last chunks, or waiting for earlier work on the queue. `flights`
 * keeps them for the next copy, and a copy on another queue gets another ring. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity, pthread_setname_np */
#endif
#include "gpu.h"

#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    SLICE = AMP__GPU_SLICE,
    FEW_SLOTS = AMP__GPU_FEW_SLOTS,
    SLOTS = AMP__GPU_SLOTS,
    LARGE = AMP__GPU_LARGE,
    FLIGHTS = AMP__GPU_SLOTS, /* each has at least one slice */
    LARGEST_CHUNK = 32,       /* slices */
    BUSY_FLIGHTS = 2,         /* with this many under way the device has enough to do */
    MAX_HELPERS = 9
};

/* A copy, as the threads see it. */
struct job {
    struct amp__gpu_ring *ring;
    unsigned char *host;
    size_t size_bytes;
    bool is_in, is_large;
    uint64_t base, end;             /* its slices */
    atomic_uint_fast64_t next;      /* the next slice to be taken */
    atomic_uint_fast64_t published; /* the first slice that may not be taken yet */
    atomic_bool is_over;
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t slices_of(size_t size_bytes)
{
    return size_bytes / SLICE + (size_bytes % SLICE > 0);
}

/* ---- the threads' part ---- */

static size_t bytes_of(const struct job *job, uint64_t from, uint64_t to)
{
    size_t end = (size_t)(to - job->base) * SLICE;
    return (end < job->size_bytes ? end : job->size_bytes) - (size_t)(from - job->base) * SLICE;
}

static unsigned char *slot_of(const struct job *job, uint64_t slice)
{
    return job->ring->memory + slice % job->ring->n_slots * SLICE;
}

/* For large copies. With ordinary stores, on the way in, the device would fetch the bytes from the caches of the
 * threads' cores: an H200 does so at 34 GB/s instead of 55. On the way out, the host's memory would be read before it
 * is overwritten. What lies a page ahead is prefetched, which processors do not do by themselves. */
static void copy_past_caches(unsigned char *to, const unsigned char *from, size_t size_bytes)
{
    size_t done = 0;
#ifdef __SSE2__
    enum { WIDTH = sizeof(__m128i), LINE = 4 * WIDTH, PAGE = 4096 };
    size_t head = -(uintptr_t)to % LINE;
    if (head < size_bytes)
        memcpy(to, from, done = head);
    for (; done + LINE <= size_bytes; done += LINE) {
        __m128i line[4];
        _mm_prefetch((const void *)(from + done + PAGE), _MM_HINT_T1);
        for (int i = 0; i < 4; i++)
            line[i] = _mm_loadu_si128((const void *)(from + done + i * WIDTH));
        for (int i = 0; i < 4; i++)
            _mm_stream_si128((void *)(to + done + i * WIDTH), line[i]);
    }
    _mm_sfence();
#endif
    memcpy(to + done, from + done, size_bytes - done);
}

/* Copies the next slice; returns false if none may be taken. */
static bool copy_slice(struct job *job)
{
    uint64_t slice = atomic_load_explicit(&job->next, memory_order_relaxed);
    do
        if (slice >= atomic_load_explicit(&job->published, memory_order_acquire))
            return false;
    while (!atomic_compare_exchange_weak_explicit(&job->next, &slice, slice + 1, memory_order_relaxed,
                                                  memory_order_relaxed));
    unsigned char *host = job->host + (size_t)(slice - job->base) * SLICE, *slot = slot_of(job, slice);
    unsigned char *to = job->is_in ? slot : host, *from = job->is_in ? host : slot;
    size_t size_bytes = bytes_of(job, slice, slice + 1);
    if (job->is_large)
        copy_past_caches(to, from, size_bytes);
    else
        memcpy(to, from, size_bytes);
    atomic_store_explicit(&job->ring->done[slice % job->ring->n_slots], slice + 1, memory_order_release);
    return true;
}

/* The first slice from `from` up to `end` that the threads have not finished; `end` if there is none. */
static uint64_t done_until(const struct job *job, uint64_t from, uint64_t end)
{
    const struct amp__gpu_ring *ring = job->ring;
    while (from < end && atomic_load_explicit(&ring->done[from % ring->n_slots], memory_order_acquire) == from + 1)
        from++;
    return from;
}

/* The helpers work on one copy at a time, whose thread holds the lock. The caller of any other copy works alone. */
static struct {
    pthread_mutex_t lock;
    struct job *job; /* NULL: a helper that is woken ends */
    int n;
    pid_t process; /* the process that has them: a fork has none */
    struct helper {
        pthread_t thread;
        sem_t begins, is_through;
    } all[MAX_HELPERS];
} helpers = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0)
        ; /* interrupted by a signal */
}

static void *help(void *argument)
{
    struct helper *self = argument;
    pthread_setname_np(pthread_self(), "amp copy");
    for (;;) {
        wait_for(&self->begins);
        struct job *job = helpers.job;
        if (!job)
            return NULL;
        while (!atomic_load_explicit(&job->is_over, memory_order_acquire))
            if (!copy_slice(job))
                sched_yield();
        sem_post(&self->is_through);
    }
}

static void start_helpers(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) - 1 : 0;
    helpers.process = getpid();
    for (; helpers.n < n && helpers.n < MAX_HELPERS; helpers.n++) {
        struct helper *new = &helpers.all[helpers.n];
        sem_init(&new->begins, 0, 0);
        sem_init(&new->is_through, 0, 0);
        if (!amp__thread_start(&new->thread, help, new, false))
            break;
    }
}

static bool begin_help(struct job *job)
{
    if (pthread_mutex_trylock(&helpers.lock) != 0)
        return false;
    if (helpers.n == 0)
        start_helpers();
    helpers.job = job;
    for (int i = 0; i < helpers.n; i++)
        sem_post(&helpers.all[i].begins);
    return true;
}

/* Called with the lock held. */
static void end_helpers(void)
{
    helpers.job = NULL;
    for (int i = 0; i < helpers.n; i++)
        sem_post(&helpers.all[i].begins);
    while (helpers.n > 0)
        pthread_join(helpers.all[--helpers.n].thread, NULL);
}

/* Ends the help with a copy; helpers that have not begun need not begin. Without a main thread they might be the
 * process's last threads, and end. */
static void end_help(struct job *job)
{
    atomic_store_explicit(&job->is_over, true, memory_order_release);
    for (int i = 0; i < helpers.n; i++)
        if (sem_trywait(&helpers.all[i].begins) != 0)
            wait_for(&helpers.all[i].is_through);
    if (!amp__main_is_alive())
        end_helpers();
    pthread_mutex_unlock(&helpers.lock);
}

/* The last of the library's destructors, because those of queue.c may still copy. */
__attribute__((destructor(101))) void amp__gpu_staging_end(void)
{
    if (helpers.n == 0 || helpers.process != getpid())
        return;
    pthread_mutex_lock(&helpers.lock);
    end_helpers();
    pthread_mutex_unlock(&helpers.lock);
}

/* ---- the calling thread's part ---- */

/* Whether all flights are over. A failure is not reported here: it shows when one of them lands. */
static bool is_over(struct amp__gpu_queue *queue, const struct amp__gpu_ring *ring)
{
    if (ring->n_flights == 0)
        return true;
    int last = (ring->first_flight + ring->n_flights - 1) % FLIGHTS;
    struct amp__error error = {AMP_OK, ""};
    amp__error_swap(&error);
    bool is_there = false;
    queue->device->driver->event_query(queue, ring->flights[last].event, &is_there);
    amp__error_swap(&error);
    return is_there;
}

/* The ring for a copy on the queue. It prefers one that no other queue's transfers are using, because they may be
 * waiting for a kernel there; then a new one; then any. NULL if all are taken. */
static struct amp__gpu_ring *choose_ring(struct amp__gpu_rings *rings, struct amp__gpu_queue *queue)
{
    struct amp__gpu_ring *new = NULL, *any = NULL;
    for (struct amp__gpu_ring *ring = rings->ring; ring < rings->ring + AMP__GPU_RINGS; ring++) {
        if (ring->is_taken)
            continue;
        if (ring->n_slots == 0)
            new = new ? new : ring;
        else if (ring->queue == queue || is_over(queue, ring))
            return ring;
        else
            any = ring;
    }
    return new ? new : any;
}

static struct amp__gpu_ring *take_ring(struct amp__gpu_queue *queue, struct amp__gpu_rings *rings)
{
    struct amp__gpu_ring *ring;
    pthread_mutex_lock(&rings->lock);
    while (!(ring = choose_ring(rings, queue)))
        pthread_cond_wait(&rings->given_back, &rings->lock);
    ring->is_taken = true;
    ring->queue = queue;
    pthread_mutex_unlock(&rings->lock);
    return ring;
}

static void give_back_ring(struct amp__gpu_rings *rings, struct amp__gpu_ring *ring)
{
    pthread_mutex_lock(&rings->lock);
    ring->is_taken = false;
    pthread_cond_signal(&rings->given_back);
    pthread_mutex_unlock(&rings->lock);
}

/* Records that a transfer was put on the queue: the slices from the end of the last flight up to `end`. */
static amp_status depart(struct amp__gpu_queue *queue, struct amp__gpu_ring *ring, uint64_t end)
{
    const struct amp__gpu_driver *driver = queue->device->driver;
    int i = (ring->first_flight + ring->n_flights) % FLIGHTS;
    amp_status status = AMP_OK;
    if (!ring->flights[i].event)
        status = driver->event_create(queue->device, &ring->flights[i].event);
    if (status == AMP_OK)
        status = driver->event_record(queue, ring->flights[i].event);
    if (status == AMP_OK) {
        ring->flights[i].end = end;
        ring->n_flights++;
    }
    return status;
}

/* Records the flights that are over; waits for the first one if `waits`. */
static amp_status land(struct amp__gpu_queue *queue, struct amp__gpu_ring *ring, bool waits)
{
    const struct amp__gpu_driver *driver = queue->device->driver;
    while (ring->n_flights > 0) {
        void *event = ring->flights[ring->first_flight].event;
        bool is_there = true;
        amp_status status = waits ? driver->event_wait(queue, event) : driver->event_query(queue, event, &is_there);
        if (status != AMP_OK || !is_there)
            return status;
        ring->landed = ring->flights[ring->first_flight].end;
        ring->first_flight = (ring->first_flight + 1) % FLIGHTS;
        ring->n_flights--;
        waits = false;
    }
    return AMP_OK;
}

/* The end of the largest chunk from `from` on whose slices are contiguous in the ring. */
static uint64_t chunk_end(const struct job *job, uint64_t from, uint64_t n_slices)
{
    uint64_t n_slots = job->ring->n_slots, around = from - from % n_slots + n_slots;
    return smaller(smaller(from + smaller(n_slices, LARGEST_CHUNK), around), job->end);
}

static amp_status run_in(struct amp__gpu_queue *queue, struct job *job, amp__gpu_address memory)
{
    struct amp__gpu_ring *ring = job->ring;
    uint64_t sent = job->base;
    bool must_wait = false;
    while (sent < job->end) {
        /* 1. Free the slots that the device has finished. */
        amp_status status = land(queue, ring, must_wait);
        if (status != AMP_OK)
            return status;
        must_wait = false;
        atomic_store_explicit(&job->published, smaller(job->end, ring->landed + ring->n_slots), memory_order_release);
        /* 2. Send full slices, in a large chunk unless the device would otherwise have nothing to do. */
        uint64_t end = chunk_end(job, sent, LARGEST_CHUNK), full = done_until(job, sent, end);
        if (full == end || (full > sent && ring->n_flights < BUSY_FLIGHTS)) {
            status = queue->device->driver->copy_in(queue, memory + (sent - job->base) * SLICE, slot_of(job, sent),
                                                    bytes_of(job, sent, full));
            if (status == AMP_OK)
                status = depart(queue, ring, full);
            if (status != AMP_OK)
                return status;
            sent = full;
            continue;
        }
        /* 3. Otherwise this thread copies, too. If there is nothing to copy, and no other thread copies, the device is
         * using all of the ring. */
        if (!copy_slice(job)) {
            uint64_t next = atomic_load(&job->next);
            must_wait = done_until(job, sent, next) == next;
            if (!must_wait)
                sched_yield();
        }
    }
    return AMP_OK;
}

/* Chunks grow at the beginning, and shrink at the end. */
static uint64_t next_chunk_end(const struct job *job, uint64_t from)
{
    uint64_t n = smaller(from - job->base, (job->end - from) / 2);
    return chunk_end(job, from, n > 0 ? n : 1);
}

static amp_status run_out(struct amp__gpu_queue *queue, struct job *job, amp__gpu_address memory)
{
    struct amp__gpu_ring *ring = job->ring;
    uint64_t asked = job->base, emptied = job->base;
    while (emptied < job->end) {
        /* 1. Request the chunks that fit. */
        uint64_t end = next_chunk_end(job, asked);
        while (asked < job->end && end <= emptied + ring->n_slots) {
            amp_status status = queue->device->driver->copy_out(
                queue, slot_of(job, asked), memory + (asked - job->base) * SLICE, bytes_of(job, asked, end));
            if (status == AMP_OK)
                status = depart(queue, ring, end);
            if (status != AMP_OK)
                return status;
            asked = end;
            end = next_chunk_end(job, asked);
        }
        /* 2. Copy out what has arrived. If nothing is left to copy, wait for the device or for other threads. */
        bool is_through = atomic_load(&job->next) == ring->landed;
        amp_status status = land(queue, ring, is_through);
        if (status != AMP_OK)
            return status;
        atomic_store_explicit(&job->published, ring->landed, memory_order_release);
        if (!copy_slice(job) && ring->n_flights == 0)
            sched_yield();
        emptied = done_until(job, emptied, ring->landed);
    }
    return AMP_OK;
}

/* Waits until `n_slices` more slices fit into the ring. */
static amp_status make_room(struct amp__gpu_queue *queue, struct amp__gpu_ring *ring, uint64_t n_slices)
{
    amp_status status = AMP_OK;
    while (status == AMP_OK && ring->end + n_slices > ring->landed + ring->n_slots)
        status = land(queue, ring, true);
    return status;
}

/* Prepares the ring for a copy of `n_slices`: either they fit at once, or the ring has the largest size and is
 * empty. */
static amp_status prepare_ring(struct amp__gpu_queue *queue, struct amp__gpu_ring *ring, uint64_t n_slices)
{
    uint64_t n_slots = n_slices >= LARGE ? SLOTS : FEW_SLOTS;
    if (ring->n_slots >= n_slots)
        return make_room(queue, ring, smaller(n_slices, SLOTS));
    amp_status status = make_room(queue, ring, ring->n_slots);
    if (status != AMP_OK)
        return status;
    const struct amp__gpu_driver *driver = queue->device->driver;
    if (ring->memory)
        driver->host_free(queue->device, ring->memory);
    ring->n_slots = 0;
    void *memory = ring->memory = NULL;
    status = driver->host_alloc(queue->device, n_slots * SLICE, &memory);
    if (status == AMP_OK) {
        ring->memory = memory;
        ring->n_slots = n_slots;
    }
    return status;
}

static amp_status run_staged(struct amp__gpu_queue *queue, struct amp__gpu_ring *ring, amp__gpu_address memory,
                             unsigned char *host, size_t size_bytes, bool is_in)
{
    uint64_t n_slices = slices_of(size_bytes);
    amp_status status = prepare_ring(queue, ring, n_slices);
    if (status != AMP_OK)
        return status;
    struct job job = {.ring = ring,
                      .host = host,
                      .size_bytes = size_bytes,
                      .is_in = is_in,
                      .is_large = n_slices >= LARGE,
                      .base = ring->end};
    job.end = ring->end += n_slices;
    atomic_init(&job.next, job.base);
    atomic_init(&job.published, job.base);
    bool has_help = job.is_large && begin_help(&job);
    status = is_in ? run_in(queue, &job, memory) : run_out(queue, &job, memory);
    if (has_help)
        end_help(&job);
    if (status != AMP_OK) { /* the slots may be used again only when the device has finished with them */
        queue->device->driver->wait(queue);
        while (ring->n_flights > 0)
            if (land(queue, ring, true) != AMP_OK)
                ring->n_flights = 0;
        ring->landed = ring->end;
    }
    return status;
}

/* Neither the ring nor the helpers are held while this waits for a kernel: unless all of the copy fits into the ring,
 * it first waits for the earlier work on the queue. A kernel's failure then shows here. */
static amp_status stage(struct amp__gpu_queue *queue, amp__gpu_address memory, unsigned char *host, size_t size_bytes,
                        bool is_in)
{
    if (!is_in || slices_of(size_bytes) > SLOTS) {
        amp_status status = queue->device->driver->wait(queue);
        if (status != AMP_OK)
            return status;
    }
    struct amp__gpu_rings *rings = &queue->device->rings[!is_in];
    struct amp__gpu_ring *ring = take_ring(queue, rings);
    amp_status status = run_staged(queue, ring, memory, host, size_bytes, is_in);
    give_back_ring(rings, ring);
    return status;
}

amp_status amp__gpu_stage_in(struct amp__gpu_queue *queue, amp__gpu_address memory, const void *host, size_t size_bytes)
{
    return stage(queue, memory, (unsigned char *)(uintptr_t)host, size_bytes, true);
}

amp_status amp__gpu_stage_out(struct amp__gpu_queue *queue, void *host, amp__gpu_address memory, size_t size_bytes)
{
    return stage(queue, memory, host, size_bytes, false);
}

void amp__gpu_staging_init(struct amp__gpu_device *device)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_init(&device->rings[i].lock, NULL);
        pthread_cond_init(&device->rings[i].given_back, NULL);
    }
}

static void close_ring(struct amp__gpu_device *device, struct amp__gpu_ring *ring)
{
    for (int f = 0; f < FLIGHTS; f++)
        if (ring->flights[f].event)
            device->driver->event_destroy(device, ring->flights[f].event);
    if (ring->memory)
        device->driver->host_free(device, ring->memory);
}

void amp__gpu_staging_close(struct amp__gpu_device *device)
{
    for (int i = 0; i < 2; i++) {
        struct amp__gpu_rings *rings = &device->rings[i];
        for (int r = 0; r < AMP__GPU_RINGS; r++)
            close_ring(device, &rings->ring[r]);
        pthread_mutex_destroy(&rings->lock);
        pthread_cond_destroy(&rings->given_back);
        memset(rings, 0, sizeof *rings);
    }
}
