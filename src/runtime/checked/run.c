/* SPDX-License-Identifier: MIT
 *
 * Runs the threads of a launch one after another. Those of a tile with barriers take turns from barrier to barrier, in
 * the order of their numbers. So it is known which threads reach a barrier and which do not. What a thread needs after
 * a barrier is in its frame; all threads run on one stack, which a thread that ends with a report leaves as it is. */
#include "checked.h"

#include "../cpu/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAGE = 4096,
    STACK_RESERVE = 128 << 10, /* for what a kernel's functions need besides its variables */
    FRAME_ALIGN = 64,          /* of a line of the caches, at least */
};

struct amp__running amp__running;

static struct amp__fiber fiber;     /* on which threads run */
static struct amp__check_tile tile; /* or, without barriers, only `next` in the tile or row */
static int n_threads;               /* for which `tile` has room */
static size_t frames_bytes;
static bool is_cut; /* a thread of the tile has ended with a report */

static int (*places)[3]; /* in the tile, of its threads by their numbers */
static int n_places;
static long long next_stamp = 1;

static int fences, observed;     /* what the fences order that threads of the tile have passed, */
static amp__check_word observer; /* that this thread knows of */

/* The first stamps of the tiles so far. */
static struct {
    long long *stamps;
    size_t n, capacity;
} tiles;

/* ---- threads ---- */

static bool reserve_stack(void)
{
    return amp__fiber_init(&fiber, ((size_t)amp__running.kernel->stack_bytes + STACK_RESERVE) / PAGE * PAGE + PAGE);
}

static bool reserve_threads(int n)
{
    if (n > n_threads) {
        free(tile.waits);
        tile.waits = malloc((size_t)n * sizeof *tile.waits);
        n_threads = tile.waits ? n : 0;
    }
    tile.n = n;
    return tile.waits;
}

/* The number of this thread in its tile. */
static int current(void)
{
    const struct amp__check_now *now = amp__running.kernel->now;
    return (int)((now->thread - now->round) >> AMP__CHECK_STAMP_SHIFT);
}

_Noreturn void amp__check_leave(void)
{
    if (amp__running.kernel->resume || amp__running.kernel->regions) {
        tile.next = current() + 1;
        tile.waits[current()] = AMP__CHECK_ENDED;
        is_cut = true;
    }
    amp__fiber_yield(&fiber);
    __builtin_unreachable();
}

static int n_per_tile(void)
{
    return (int)amp__running.launch->n_threads_per_point;
}

static void set_place(int number, const int size[3], int place[3])
{
    for (int d = 2; d >= 0; number /= size[d--])
        place[d] = number % size[d];
}

/* The size of a tile in the dimensions of a box. */
static void tile_size(int size[3])
{
    const struct amp__kernel *kernel = amp__running.launch->kernel;
    for (int d = 0; d < 3; d++)
        size[d] = kernel->tile && d >= 3 - kernel->rank ? kernel->tile[d - (3 - kernel->rank)] : 1;
}

static bool reserve_places(void)
{
    int size[3], n = n_per_tile();
    if (n > n_places) {
        int (*more)[3] = realloc(places, (size_t)n * sizeof *more);
        if (!more)
            return false;
        places = more;
        n_places = n;
    }
    tile_size(size);
    for (int i = 0; i < n; i++)
        set_place(i, size, places[i]);
    return true;
}

/* ---- stamps ---- */

static amp__check_word shifted(long long stamp)
{
    return (amp__check_word)stamp << AMP__CHECK_STAMP_SHIFT;
}

static void begin_tile_stamps(void)
{
    struct amp__check_now *now = amp__running.kernel->now;
    now->tile = now->round = now->launch[1] = now->since[0] = now->since[1] = shifted(next_stamp);
    fences = 0;
    if (tiles.n == tiles.capacity) {
        size_t capacity = tiles.capacity ? 2 * tiles.capacity : 1024;
        long long *more = realloc(tiles.stamps, capacity * sizeof *more);
        if (!more)
            return; /* reports then do not know some threads */
        tiles.stamps = more;
        tiles.capacity = capacity;
    }
    tiles.stamps[tiles.n++] = next_stamp;
}

bool amp__place_of(long long stamp, struct amp__place *at)
{
    const struct amp__running *r = &amp__running;
    long long n_per_tile = r->launch->n_threads_per_point, number = stamp - r->first_stamp;
    int extent[3], size[3], inside = 0;
    if (number < 0)
        return false; /* of an earlier box */
    if (r->launch->kernel->tile) {
        size_t low = 0, high = tiles.n; /* the tile is in [low, high) */
        while (high - low > 1)
            *(tiles.stamps[(low + high) / 2] <= stamp ? &low : &high) = (low + high) / 2;
        if (tiles.n == 0)
            return false;
        inside = (int)((stamp - tiles.stamps[low]) % n_per_tile);
        number = (long long)low;
    }
    for (int d = 0; d < 3; d++)
        extent[d] = r->box[2 * d + 1] - r->box[2 * d];
    struct amp__place point;
    for (int d = 2; d >= 0; number /= extent[d--])
        point.place[d] = r->box[2 * d] + (int)(number % extent[d]);
    *at = point;
    if (r->launch->kernel->tile) {
        memcpy(at->tile, point.place, sizeof at->tile);
        tile_size(size);
        set_place(inside, size, at->place);
    }
    return true;
}

/* Begins the turn of a thread of a tile. */
static inline void begin_turn(struct amp__check_now *now, int number)
{
    now->thread = now->round + shifted(number);
}

const struct amp__place *amp__here(void)
{
    if (amp__running.launch->kernel->tile)
        memcpy(amp__running.at.place, places[current()], sizeof *places);
    return &amp__running.at;
}

/* Runs the threads from `first` on. One that ends with a report leaves the stack as it is, and the next one begins on
 * it anew. */
static void run_on_stack(void (*run_rest)(void), int first, int n)
{
    tile.next = first;
    do {
        amp__fiber_restart(&fiber, run_rest);
        amp__fiber_resume(&fiber);
    } while (tile.next < n && !amp__running.is_over);
}

void amp__check_fence(int orders)
{
    fences |= orders;
}

/* What all threads before this one did in the tile may be known to this thread: their fences and its atomic operation
 * order it. So nothing of it counts as a race. */
void amp__check_observe(void)
{
    observer = amp__running.kernel->now->thread;
    observed = fences;
}

bool amp__is_observed(const struct amp__check_object *object, amp__check_word word)
{
    const struct amp__check_now *now = amp__running.kernel->now;
    return word >= now->tile && observer == now->thread && observed >> object->is_tile & 1;
}

/* ---- a tile whose threads wait for each other ---- */

static unsigned char *frame_of(int number)
{
    return tile.frames + tile.frame_bytes * (size_t)number;
}

/* All threads of a launch have frames of one size. */
void *amp__check_frame(unsigned long long size_bytes, unsigned long long align)
{
    struct amp__running *r = &amp__running;
    align = align > FRAME_ALIGN ? align : FRAME_ALIGN;
    tile.frame_bytes = (size_bytes + align - 1) & -align;
    size_t bytes = tile.frame_bytes * (size_t)n_per_tile();
    if (bytes > frames_bytes || ((uintptr_t)tile.frames & (align - 1)) != 0) {
        free(tile.frames);
        tile.frames = aligned_alloc(align, bytes);
        frames_bytes = tile.frames ? bytes : 0;
    }
    if (!tile.frames) {
        r->status = amp__kernel_fail(r->launch->kernel, AMP_ERROR_OUT_OF_MEMORY, "no memory for the threads that wait");
        r->is_over = true;
        amp__check_leave();
    }
    return frame_of(current());
}

static void begin_rest(void)
{
    struct amp__running *r = &amp__running;
    struct amp__check_now *now = r->kernel->now;
    for (int i = tile.next; i < tile.n; i++) {
        begin_turn(now, i);
        now->frame = tile.frame_bytes ? frame_of(i) : NULL;
        r->kernel->thread(r->args, places[i], r->at.tile);
        tile.waits[i] = now->waits;
    }
    tile.next = tile.n;
    amp__fiber_yield(&fiber);
}

static void resume_rest(void)
{
    amp__running.kernel->resume(&tile);
    amp__fiber_yield(&fiber);
}

/* Lets all threads of the tile run to the next barrier. */
static void run_round(void (*run_rest)(void))
{
    run_on_stack(run_rest, 0, n_per_tile());
    next_stamp += n_per_tile();
}

static bool is_waiting(int i)
{
    return tile.waits[i] & 3;
}

static void report_missing(int first_waiting, int missing)
{
    const struct amp__check_site *sites = amp__running.kernel->sites;
    struct amp__finding finding = {.kind = "barrier",
                                   .remedy = "call it outside of conditions that differ between threads",
                                   .other_line = sites[tile.waits[missing] >> 2].line};
    int n = 0;
    for (int i = 0; i < n_per_tile(); i++)
        n += tile.waits[i] == tile.waits[first_waiting];
    struct amp__place at = amp__running.at;
    memcpy(at.place, places[missing], sizeof *places);
    amp__thread_text(&at, finding.other_thread);
    begin_turn(amp__running.kernel->now, first_waiting);
    amp__report(&sites[tile.waits[first_waiting] >> 2], &finding,
                "only %d of the tile's %d threads reach this barrier; thread %s %s line %d", n, n_per_tile(),
                finding.other_thread, is_waiting(missing) ? "waits in" : "returned in", finding.other_line);
}

/* Whether all threads of the tile wait at one barrier. */
static bool all_wait(void)
{
    unsigned differences = 0, first = tile.waits[0];
    for (int i = 0, n = n_per_tile(); i < n; i++)
        differences |= tile.waits[i] ^ first;
    return !differences && is_waiting(0);
}

/* Whether the tile goes on without some of its threads: those that ended with a report. Reports others. */
static bool goes_on(void)
{
    int first = -1, missing = -1;
    for (int i = 0; i < n_per_tile(); i++)
        first = first < 0 && is_waiting(i) ? i : first;
    for (int i = 0; i < n_per_tile() && first >= 0; i++) {
        bool is_here = tile.waits[i] == tile.waits[first] || tile.waits[i] == AMP__CHECK_ENDED;
        missing = missing < 0 && !is_here ? i : missing;
    }
    if (missing >= 0 && !is_cut)
        report_missing(first, missing);
    return first >= 0 && missing < 0;
}

/* Begins the next round, after a barrier. */
static void open_barrier(unsigned orders)
{
    struct amp__check_now *now = amp__running.kernel->now;
    now->round = shifted(next_stamp);
    for (int memory = 0; memory < 2; memory++)
        if (orders >> memory & 1)
            now->since[memory] = now->round;
    amp__objects_close_defined();
}

/* Opens a barrier if all threads wait at it. Returns whether the tile goes on. */
static bool begin_round(void)
{
    int i = 0;
    if (!all_wait() && !goes_on())
        return false;
    while (!is_waiting(i))
        i++;
    open_barrier(tile.waits[i]); /* in its last two bits */
    return true;
}

static void run_tile_in_turns(void)
{
    run_round(begin_rest);
    while (!amp__running.is_over && begin_round())
        run_round(resume_rest);
}

/* ---- a tile whose threads all come to the same barriers ---- */

static struct amp__check_region region;

/* Runs the rest of the threads, without those that have ended with a report. */
static void run_rest_of_region(void)
{
    for (int i = tile.next; i < tile.n; i = region.end) {
        region.first = i;
        region.end = is_cut ? i + 1 : tile.n;
        if (!is_cut || tile.waits[i] != AMP__CHECK_ENDED)
            amp__running.kernel->regions(&region);
    }
    tile.next = tile.n;
    amp__fiber_yield(&fiber);
}

/* Goes on to the next region. Returns false if the threads have returned, or all have ended with a report. */
static bool begin_region(void)
{
    unsigned *waits = &amp__running.kernel->now->waits;
    long long *in = region.out;
    if (*waits == 0)
        return false;
    open_barrier(*waits);
    region.number = (int)(*waits >> 2);
    region.out = region.in;
    region.in = in;
    *waits = 0;
    return true;
}

static void run_tile_in_regions(void)
{
    static long long shared[2][AMP__CHECK_SHARED];
    const struct amp__running *r = &amp__running;
    region = (struct amp__check_region){
        .args = r->args, .places = places, .tile = r->at.tile, .in = shared[0], .out = shared[1]};
    r->kernel->now->waits = 0;
    memset(tile.waits, 0, (size_t)tile.n * sizeof *tile.waits);
    do
        run_round(run_rest_of_region);
    while (!r->is_over && begin_region());
}

/* ---- threads that wait for nothing ---- */

/* Runs the rest of a tile's threads. */
static void run_rest(void)
{
    struct amp__running *r = &amp__running;
    for (int i = tile.next, n = n_per_tile(); i < n; i++) {
        begin_turn(r->kernel->now, i);
        tile.next = i + 1;
        r->kernel->thread(r->args, places[i], r->at.tile);
    }
    amp__fiber_yield(&fiber);
}

/* Runs the rest of a row's threads, without tiles. */
static void run_rest_of_row(void)
{
    static long long kept[AMP__CHECK_KEPT * AMP__CHECK_TOGETHER];
    struct amp__running *r = &amp__running;
    struct amp__check_now *now = r->kernel->now;
    int first = 0, end = 0; /* of the threads whose loop has run ahead, if it */
    bool is_ahead = false;
    for (int i = tile.next, n = r->box[5]; i < n; i++) {
        r->at.place[2] = i;
        if (i >= end && r->kernel->ahead && n - i >= AMP__CHECK_TOGETHER) {
            first = i;
            end = i + AMP__CHECK_TOGETHER;
            is_ahead = r->kernel->ahead(r->args, r->at.place, kept);
        }
        now->thread = now->tile = now->round = now->since[0] = shifted(next_stamp++);
        now->kept = is_ahead && i < end ? kept + (i - first) : NULL;
        tile.next = i + 1;
        r->kernel->thread(r->args, r->at.place, r->at.tile);
    }
    amp__fiber_yield(&fiber);
}

static void run_in_sequence(void)
{
    run_on_stack(run_rest, 0, n_per_tile());
    next_stamp += n_per_tile();
}

/* ---- the box ---- */

static void run_point(void)
{
    begin_tile_stamps();
    amp__objects_begin_tile();
    is_cut = false;
    if (amp__running.kernel->regions)
        run_tile_in_regions();
    else if (amp__running.kernel->resume)
        run_tile_in_turns();
    else
        run_in_sequence();
}

static void run_box(void)
{
    struct amp__running *r = &amp__running;
    const int *box = r->box;
    bool is_tiled = r->launch->kernel->tile;
    int *point = is_tiled ? r->at.tile : r->at.place;
    for (point[0] = box[0]; point[0] < box[1]; point[0]++)
        for (point[1] = box[2]; point[1] < box[3]; point[1]++) {
            if (!is_tiled)
                run_on_stack(run_rest_of_row, box[4], box[5]);
            else
                for (point[2] = box[4]; point[2] < box[5] && !r->is_over; point[2]++)
                    run_point();
            if (r->is_over)
                return;
        }
}

void amp__check_abort(const char *text)
{
    struct amp__running *r = &amp__running;
    r->is_aborted = r->is_over = true;
    snprintf(r->aborted, sizeof r->aborted, "%s", text ? text : "(null)");
    amp__check_leave();
}

void amp__check_time(unsigned site)
{
    struct amp__running *r = &amp__running;
    if (amp__now_ns() - r->begin_ns < r->limit_ns)
        return;
    struct amp__finding finding = {
        .kind = "time",
        .remedy =
            "threads of a tile wait for each other at barriers, and no others can wait; AMP_CHECK_TIMEOUT=SECONDS "
            "gives slow loops more time"};
    amp__report(&r->kernel->sites[site], &finding,
                "this loop still runs after %lld s and may wait forever for another thread", r->limit_ns / 1000000000);
    r->is_over = true;
    amp__check_leave();
}

void amp__check_run(const void *args, const int *box, const struct amp__check_kernel *kernel)
{
    struct amp__running *r = &amp__running;
    r->args = args;
    r->kernel = kernel;
    memcpy(r->box, box, sizeof r->box);
    if (r->launch->is_first && !amp__objects_begin())
        return;
    bool has_barriers = kernel->resume || kernel->regions;
    if (!reserve_stack() || (has_barriers && !reserve_threads(n_per_tile())) || !reserve_places()) {
        r->status = amp__kernel_fail(r->launch->kernel, AMP_ERROR_OUT_OF_MEMORY, "no memory for the threads");
        return;
    }
    r->first_stamp = next_stamp;
    if (r->launch->is_first)
        kernel->now->launch[0] = shifted(next_stamp);
    tile.frame_bytes = 0;
    tiles.n = 0;
    run_box();
}
