/* SPDX-License-Identifier: MIT
 *
 * Runs the threads of a launch one after another. Those of a tile with barriers have a stack each: they take turns from
 * barrier to barrier, in the order of their numbers. So it is known which threads reach a barrier and which do not. */
#include "checked.h"

#include "../cpu/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAGE = 4096,
    STACK_RESERVE = 128 << 10, /* for what a kernel's functions need besides its variables */
    APART = 320,               /* bytes from one stack's beginning to the next one's, modulo pages */
    TURNS = 1 << 20            /* turns of loops between two looks at the clock */
};

struct amp__running amp__running;

enum state { RUNS, WAITS, RETURNED, ENDED }; /* ENDED: after a report */

/* A thread of the tile that runs, or, without barriers, all threads. */
struct thread {
    struct amp__fiber fiber;
    enum state state;
    unsigned site; /* where it waits or has returned */
    unsigned end;  /* where it will return */
    int orders;
};

static struct thread *threads; /* kept from launch to launch */
static int n_threads, current;
static int (*places)[3]; /* in the tile, of its threads by their numbers */
static int n_places;
static long long next_stamp = 1;

static amp__check_word since[2]; /* as in `now`, for all threads of the tile */
static int fences;               /* what the fences order that threads of the tile have passed */

/* The first stamps of the tiles so far. */
static struct {
    long long *stamps;
    size_t n, capacity;
} tiles;

/* ---- threads ---- */

static bool reserve_threads(int n)
{
    size_t bytes = ((size_t)amp__running.kernel->stack_bytes + STACK_RESERVE) / PAGE * PAGE + PAGE;
    if (n > n_threads) {
        struct thread *more = realloc(threads, (size_t)n * sizeof *more);
        if (!more)
            return false;
        threads = more;
        memset(threads + n_threads, 0, (size_t)(n - n_threads) * sizeof *more);
        n_threads = n;
    }
    for (int i = 0; i < n; i++) {
        if (!amp__fiber_init(&threads[i].fiber, bytes))
            return false;
        threads[i].fiber.unused_bytes = (size_t)i * APART % PAGE;
    }
    return true;
}

_Noreturn void amp__check_leave(void)
{
    threads[current].state = ENDED;
    amp__fiber_yield(&threads[current].fiber);
    __builtin_unreachable();
}

/* Lets a thread run. */
static void resume(int i)
{
    current = i;
    amp__fiber_resume(&threads[i].fiber);
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
    now->tile = now->round = now->launch[1] = since[0] = since[1] = shifted(next_stamp);
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
static void begin_turn(int number)
{
    struct amp__check_now *now = amp__running.kernel->now;
    now->thread = now->round + shifted(number);
    memcpy(now->since, since, sizeof since);
    memcpy(amp__running.at.place, places[number], sizeof *places);
}

void amp__check_fence(int orders)
{
    fences |= orders;
}

/* What all threads before this one did in the tile may be known to this thread: their fences and its atomic operation
 * order it. So nothing of it counts as a race. */
void amp__check_observe(void)
{
    struct amp__check_now *now = amp__running.kernel->now;
    for (int memory = 0; memory < 2; memory++)
        if (fences >> memory & 1)
            now->since[memory] = now->thread;
}

/* ---- a tile whose threads wait for each other ---- */

static void run_one(void)
{
    struct amp__running *r = &amp__running;
    r->kernel->thread(r->args, r->at.place, r->at.tile);
    threads[current].state = RETURNED;
    threads[current].site = threads[current].end;
    amp__fiber_yield(&threads[current].fiber);
}

void amp__check_barrier(unsigned site, int orders)
{
    struct thread *thread = &threads[current];
    thread->state = WAITS;
    thread->site = site;
    thread->orders = orders;
    amp__fiber_yield(&thread->fiber);
}

void amp__check_returns(unsigned site)
{
    threads[current].end = site;
}

/* Lets all threads of the tile run to the next barrier. */
static void run_round(void)
{
    for (int i = 0; i < n_per_tile() && !amp__running.is_over; i++) {
        begin_turn(i);
        if (threads[i].state == RUNS)
            resume(i);
    }
    next_stamp += n_per_tile();
}

static void report_missing(int first_waiting, int missing)
{
    const struct amp__check_site *sites = amp__running.kernel->sites;
    struct thread *waiting = &threads[first_waiting], *other = &threads[missing];
    struct amp__finding finding = {.kind = "barrier",
                                   .remedy = "call it outside of conditions that differ between threads",
                                   .other_line = sites[other->site].line};
    int n = 0;
    for (int i = 0; i < n_per_tile(); i++)
        n += threads[i].state == WAITS && threads[i].site == waiting->site;
    struct amp__place at = amp__running.at;
    memcpy(at.place, places[missing], sizeof *places);
    amp__thread_text(&at, finding.other_thread);
    memcpy(amp__running.at.place, places[first_waiting], sizeof *places);
    amp__report(&sites[waiting->site], &finding,
                "only %d of the tile's %d threads reach this barrier; thread %s %s line %d", n, n_per_tile(),
                finding.other_thread, other->state == WAITS ? "waits in" : "returned in", finding.other_line);
}

/* Whether all threads of the tile wait at one barrier. */
static bool all_wait(void)
{
    bool wait = true;
    for (int i = 0; i < n_per_tile() && wait; i++)
        wait = threads[i].state == WAITS && threads[i].site == threads[0].site;
    return wait;
}

/* Whether the tile goes on without some of its threads: those that ended with a report. Reports others. */
static bool goes_on(void)
{
    int first = -1, missing = -1;
    bool is_cut = false;
    for (int i = 0; i < n_per_tile(); i++) {
        first = first < 0 && threads[i].state == WAITS ? i : first;
        is_cut = is_cut || threads[i].state == ENDED;
    }
    for (int i = 0; i < n_per_tile() && first >= 0; i++) {
        bool is_here = threads[i].state == WAITS && threads[i].site == threads[first].site;
        missing = missing < 0 && !is_here && threads[i].state != ENDED ? i : missing;
    }
    if (missing >= 0 && !is_cut)
        report_missing(first, missing);
    return first >= 0 && missing < 0;
}

/* Opens a barrier if all threads wait at it. Returns whether the tile goes on. */
static bool open_barrier(void)
{
    struct amp__check_now *now = amp__running.kernel->now;
    int orders = 3;
    if (!all_wait() && !goes_on())
        return false;
    for (int i = 0; i < n_per_tile(); i++)
        if (threads[i].state == WAITS) {
            orders &= threads[i].orders;
            threads[i].state = RUNS;
        }
    now->round = shifted(next_stamp);
    for (int memory = 0; memory < 2; memory++)
        if (orders >> memory & 1)
            since[memory] = now->round;
    return true;
}

/* Tile memory is undefined when a tile begins. */
static void forget_tile_memory(void)
{
    const struct amp__check_kernel *kernel = amp__running.kernel;
    for (int i = 0; i < kernel->n_objects; i++)
        if (kernel->objects[i].is_tile && kernel->objects[i].defined)
            memset(kernel->objects[i].defined, 0, kernel->objects[i].size_bytes);
}

static void run_tile_in_turns(void)
{
    for (int i = 0; i < n_per_tile(); i++) {
        threads[i].state = RUNS;
        amp__fiber_restart(&threads[i].fiber, run_one);
    }
    do
        run_round();
    while (!amp__running.is_over && open_barrier());
}

/* ---- threads that wait for nothing ---- */

static int next_in_tile; /* the number of the thread that comes next in its tile */

/* Runs the rest of a tile's threads, or of a row's threads without tiles. */
static void run_rest(void)
{
    struct amp__running *r = &amp__running;
    struct amp__check_now *now = r->kernel->now;
    int n = r->launch->kernel->tile ? n_per_tile() : r->box[5];
    while (next_in_tile < n) {
        if (r->launch->kernel->tile) {
            begin_turn(next_in_tile++);
        } else {
            now->thread = now->tile = now->round = now->since[0] = shifted(next_stamp++);
            r->at.place[2] = next_in_tile++;
        }
        r->kernel->thread(r->args, r->at.place, r->at.tile);
    }
    threads[0].state = RETURNED;
    amp__fiber_yield(&threads[0].fiber);
}

/* The same. A thread that ends with a report leaves the stack as it is, and the next one begins on a new one. */
static void run_in_sequence(int first)
{
    next_in_tile = first;
    do {
        threads[0].state = RUNS;
        amp__fiber_restart(&threads[0].fiber, run_rest);
        resume(0);
    } while (threads[0].state == ENDED && !amp__running.is_over);
    if (amp__running.launch->kernel->tile)
        next_stamp += n_per_tile();
}

/* ---- the box ---- */

static void run_point(void)
{
    begin_tile_stamps();
    forget_tile_memory();
    if (amp__running.kernel->has_barriers)
        run_tile_in_turns();
    else
        run_in_sequence(0);
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
                run_in_sequence(box[4]);
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

int amp__check_time(unsigned site)
{
    struct amp__running *r = &amp__running;
    if (amp__now_ns() - r->begin_ns < r->limit_ns)
        return TURNS;
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
    if (!reserve_threads(kernel->has_barriers ? n_per_tile() : 1) || !reserve_places()) {
        r->status = amp__kernel_fail(r->launch->kernel, AMP_ERROR_OUT_OF_MEMORY, "no memory for the threads' stacks");
        return;
    }
    r->first_stamp = next_stamp;
    if (r->launch->is_first)
        kernel->now->launch[0] = shifted(next_stamp);
    kernel->now->turns = TURNS;
    tiles.n = 0;
    run_box();
}
