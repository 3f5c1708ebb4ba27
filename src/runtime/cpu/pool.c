/* SPDX-License-Identifier: MIT
 *
 * The threads of the cpu accelerator. The process has one pool of them, which all launches share, however many host
 * threads launch at once.
 *
 * A launch that is to be shared takes a slot, opens it, and works. Threads of the pool join the open slot with the
 * fewest threads and look around after each piece. The caller always works on its own launch and waits only for threads
 * that have joined it, never for one that has yet to wake up. So a launch works with any number of threads, even if
 * none can be made.
 *
 * Every thread that works on a launch takes its pieces one by one. The pieces are divided into parts, one for each
 * thread that there may be (at most N_PARTS), each with its own counter. Each thread begins with a part of its own, the
 * same in each launch, and then goes on with what the others have left. So threads seldom share a counter, which costs
 * about 200 ns each time between two cores, and they stay apart in memory: black-scholes takes 1.4 times as long if all
 * threads take the next piece of the domain.
 *
 * Slots are static, and a thread joins one by raising the count of its helpers while the slot is open. The caller
 * closes the slot and waits until that count is 0. A late thread finds the slot closed, or open for another launch,
 * which it may as well help; it never sees a launch that is over. When all slots are taken, there are enough callers at
 * work, and the next one works alone.
 *
 * Callers and awake threads of the pool together are at most `limit`, or only the callers if there are more. So eight
 * host threads on two processors work for themselves, without a switch of threads; when all but one of them have ended
 * their launches, that one calls threads for help.
 *
 * A thread without work looks for more during WAKING_NS, which is about the time that waking it again would take, and
 * then sleeps. So it costs at most twice as much as the best choice. Launches in quick succession find it awake, and
 * after the last launch it no longer takes processor time. Each thread that wakes up calls two others, so that a caller
 * need not wake a hundred threads itself. When no thread sleeps, threads are made in the same way. A new thread does
 * not begin on its maker's processor, where the system might leave it waiting: for some milliseconds, and under a
 * real-time policy (`chrt -f`) for as long as the maker computes.
 *
 * The order that keeps a launch from being missed: a thread first counts itself out of those awake and then looks at
 * `open` once more; a caller first opens its slot and then looks at the count. Both are sequentially consistent.
 *
 * Threads sleep on Linux's futex, on words that are also static. In the child of a fork these words only need to be set
 * to 0, while a mutex and a condition would have to be repaired. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_setaffinity_np, pthread_setname_np, pthread_tryjoin_np, syscall */
#endif
#include "cpu.h"

#include <errno.h>
#include <fenv.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    N_SLOTS = 64, /* the bits of a word */
    N_PARTS = 16,
    NO_PIECE = -1,
    WAKING_NS = 50000,
    RETRY_NS = 100000000, /* after the system could not make a thread */
};

/* The pool's threads in one word: those that are awake, or about to be, and all of them. */
enum { AWAKE = 1, THREAD = 1 << 16 };

enum state { NO_THREAD, RUNNING, LEFT }; /* LEFT: it has ended for lack of work, and has not been joined */

/* A slot's state: whether threads may join, whether its caller sleeps until they have left, and how many there are. */
static const unsigned OPEN = 1u << 31, AWAITED = 1u << 30, HELPERS = (1u << 30) - 1;

/* A range of pieces. It has a cache line to itself. */
struct part {
    _Alignas(64) atomic_int next;
    int end;
};

/* A launch that is shared. Only the atomic fields change while the slot is open. */
struct slot {
    _Alignas(64) atomic_uint state;
    int n_parts;
    void (*run)(void *context, int piece);
    void *context;
    long long opened_ns;
    fenv_t environment; /* the caller's rounding, used on all threads */
    struct part parts[N_PARTS];
};

static struct {
    _Alignas(64) _Atomic uint64_t taken; /* a bit for each slot that has a launch */
    _Alignas(64) _Atomic uint64_t open;  /* a bit for each of these that has pieces left */
    _Alignas(64) atomic_int counts;      /* of threads, in units of AWAKE and THREAD */
    atomic_uint wakeups;                 /* not taken yet; sleeping threads wait for one */
    atomic_bool is_making, is_ending;
    _Atomic long long retry_ns; /* when to try to make a thread again */
    struct thread {
        pthread_t id;
        atomic_int state;
    } threads[AMP__MAX_THREADS];
    struct slot slots[N_SLOTS];
} pool;

static atomic_int limit = 1; /* of threads at work, including callers */
static cpu_set_t processors; /* that the threads may use; the thread that makes them may be bound to fewer */
static bool has_fork_handler;

/* Sleeps while `*word` is `value`, at most for `limit` if it is not NULL. Returns false after that time. */
static bool futex_wait(atomic_uint *word, unsigned value, const struct timespec *limit)
{
    return syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, limit, NULL, 0) == 0 || errno != ETIMEDOUT;
}

static void futex_wake(atomic_uint *word, int n)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static int n_awake(int counts)
{
    return counts % THREAD;
}

static int n_threads(int counts)
{
    return counts / THREAD;
}

/* How many more threads may be awake; negative: some should sleep. */
static int room(void)
{
    return atomic_load(&limit) - __builtin_popcountll(atomic_load(&pool.taken)) - n_awake(atomic_load(&pool.counts));
}

/* ---- slots ---- */

static uint64_t bit_of(const struct slot *slot)
{
    return (uint64_t)1 << (slot - pool.slots);
}

/* Returns NULL if there is none. */
static struct slot *take_slot(void)
{
    uint64_t taken = atomic_load(&pool.taken);
    do
        if (!~taken)
            return NULL;
    while (!atomic_compare_exchange_weak(&pool.taken, &taken, taken | (taken + 1)));
    return &pool.slots[__builtin_ctzll(~taken)];
}

/* Cuts the pieces into parts; each thread begins with a different one. */
static void set_parts(struct slot *slot, int begin, int end)
{
    int n = end - begin, most = atomic_load(&limit);
    slot->n_parts = most < N_PARTS ? most : N_PARTS;
    for (int i = 0; i < slot->n_parts; i++) {
        atomic_store_explicit(&slot->parts[i].next, begin + n * i / slot->n_parts, memory_order_relaxed);
        slot->parts[i].end = begin + n * (i + 1) / slot->n_parts;
    }
}

/* The next piece of the part `*at`, or of the first part after it that has any left; then sets `*at` to that part. If
 * there is none, no more threads join. */
static int take_piece(struct slot *slot, int *at)
{
    for (int i = 0; i < slot->n_parts; i++) {
        struct part *part = &slot->parts[*at];
        if (atomic_load_explicit(&part->next, memory_order_relaxed) < part->end) {
            int piece = atomic_fetch_add_explicit(&part->next, 1, memory_order_relaxed);
            if (piece < part->end)
                return piece;
        }
        *at = (*at + 1) % slot->n_parts;
    }
    atomic_fetch_and(&pool.open, ~bit_of(slot));
    return NO_PIECE;
}

/* The slot with the fewest helpers among the open slots `among`, if these are fewer than `bound`; the first after `at`
 * if there are several. NULL if there is none. */
static struct slot *fewest_helpers(uint64_t among, int at, unsigned bound)
{
    struct slot *best = NULL;
    int from = (at + 1) % N_SLOTS;
    uint64_t rotated = among >> from | among << (N_SLOTS - from) % N_SLOTS;
    for (; rotated; rotated &= rotated - 1) {
        struct slot *slot = &pool.slots[(from + __builtin_ctzll(rotated)) % N_SLOTS];
        unsigned state = atomic_load_explicit(&slot->state, memory_order_relaxed);
        if (state & OPEN && (state & HELPERS) < bound) {
            best = slot;
            bound = state & HELPERS;
        }
    }
    return best;
}

static bool join(struct slot *slot)
{
    unsigned state = atomic_load_explicit(&slot->state, memory_order_relaxed);
    while (state & OPEN)
        if (atomic_compare_exchange_weak_explicit(&slot->state, &state, state + 1, memory_order_acquire,
                                                  memory_order_relaxed))
            return true;
    return false;
}

static void leave(struct slot *slot)
{
    if (atomic_fetch_sub_explicit(&slot->state, 1, memory_order_release) - 1 == AWAITED)
        futex_wake(&slot->state, 1);
}

static void wait_for_helpers(struct slot *slot)
{
    unsigned state = atomic_load_explicit(&slot->state, memory_order_acquire);
    if (!(state & HELPERS))
        return;
    long long until = amp__now_ns() + WAKING_NS;
    do {
        if (amp__now_ns() < until)
            pause_briefly();
        else if (atomic_compare_exchange_strong(&slot->state, &state, state | AWAITED))
            futex_wait(&slot->state, state | AWAITED, NULL);
        state = atomic_load_explicit(&slot->state, memory_order_acquire);
    } while (state & HELPERS);
}

/* ---- threads ---- */

static void *work(void *context);

/* What becomes the next thread; NULL if there are too many. A thread that has left may be the last one of the process,
 * which ends the process, so nobody waits for it. */
static struct thread *find_unused(void)
{
    for (struct thread *thread = pool.threads; has_fork_handler && thread < pool.threads + AMP__MAX_THREADS; thread++) {
        if (atomic_load(&thread->state) == LEFT && pthread_tryjoin_np(thread->id, NULL) == 0)
            atomic_store(&thread->state, NO_THREAD);
        if (atomic_load(&thread->state) == NO_THREAD)
            return thread;
    }
    return NULL;
}

/* Only one thread at a time makes threads; others do without. */
static bool make_thread(void)
{
    if (amp__now_ns() < atomic_load(&pool.retry_ns) || atomic_load(&pool.is_ending) ||
        atomic_exchange(&pool.is_making, true))
        return false;
    struct thread *new = find_unused();
    bool is_made = false;
    if (new) {
        atomic_store(&new->state, RUNNING);
        atomic_fetch_add(&pool.counts, THREAD + AWAKE);
        is_made = amp__thread_start(&new->id, work, new, true);
    }
    if (new && !is_made) {
        atomic_fetch_sub(&pool.counts, THREAD + AWAKE);
        atomic_store(&new->state, NO_THREAD);
    }
    if (!is_made)
        atomic_store(&pool.retry_ns, amp__now_ns() + RETRY_NS);
    atomic_store(&pool.is_making, false);
    return is_made;
}

/* Wakes a thread, or makes one if none sleeps. Returns false if no more are allowed or can be made. */
static bool call_thread(void)
{
    int counts = atomic_load(&pool.counts);
    do {
        if (room() <= 0)
            return false;
        if (n_awake(counts) >= n_threads(counts))
            return make_thread();
    } while (!atomic_compare_exchange_weak(&pool.counts, &counts, counts + AWAKE));
    atomic_fetch_add(&pool.wakeups, 1);
    futex_wake(&pool.wakeups, 1);
    return true;
}

static void call_two_threads(void)
{
    for (int i = 0; i < 2 && atomic_load(&pool.open) && call_thread(); i++)
        ;
}

/* Joins an open slot, after waiting for one if necessary. NULL: it is time to sleep. */
static struct slot *find_work(int at)
{
    long long until = 0;
    while (room() >= 0 && !atomic_load_explicit(&pool.is_ending, memory_order_relaxed)) {
        uint64_t open = atomic_load(&pool.open);
        struct slot *slot = open ? fewest_helpers(open, at, HELPERS) : NULL;
        if (slot && join(slot))
            return slot;
        long long now = amp__now_ns();
        if (until == 0)
            until = now + WAKING_NS;
        if (now > until)
            return NULL;
        pause_briefly();
    }
    return NULL;
}

/* Works on a slot until its pieces are taken, or until another one, or nobody, should have this thread. */
static void help(struct slot *slot, int number)
{
    int part = number % slot->n_parts;
    fesetenv(&slot->environment);
    for (int piece; (piece = take_piece(slot, &part)) != NO_PIECE;) {
        slot->run(slot->context, piece);
        uint64_t others = atomic_load(&pool.open) & ~bit_of(slot);
        unsigned n_helpers = atomic_load_explicit(&slot->state, memory_order_relaxed) & HELPERS;
        if (room() < 0 || (others && fewest_helpers(others, (int)(slot - pool.slots), n_helpers)))
            break;
    }
    leave(slot);
}

/* Counts the calling thread, which sleeps, out of the pool, unless all that sleep are being woken. */
static bool leave_pool(void)
{
    int counts = atomic_load(&pool.counts);
    do
        if (n_awake(counts) >= n_threads(counts))
            return false;
    while (!atomic_compare_exchange_weak(&pool.counts, &counts, counts - THREAD));
    return true;
}

/* Returns false if the thread has left the pool. */
static bool sleep_until_called(void)
{
    static const struct timespec limit = {.tv_nsec = AMP__LINGER_NS};
    atomic_fetch_sub(&pool.counts, AWAKE);
    if (atomic_load(&pool.open)) /* opened before its caller could see that this thread sleeps */
        call_thread();
    unsigned wakeups = atomic_load(&pool.wakeups);
    while (wakeups == 0 || !atomic_compare_exchange_weak(&pool.wakeups, &wakeups, wakeups - 1)) {
        if (wakeups == 0 && !futex_wait(&pool.wakeups, 0, amp__main_is_alive() ? NULL : &limit) && leave_pool())
            return false;
        wakeups = atomic_load(&pool.wakeups);
    }
    return true;
}

static void *work(void *context)
{
    struct thread *self = context;
    int number = (int)(self - pool.threads) + 1; /* callers are number 0 */
    pthread_setname_np(pthread_self(), "amp cpu");
    if (CPU_COUNT(&processors) > 0)
        pthread_setaffinity_np(pthread_self(), sizeof processors, &processors);
    call_two_threads();
    for (int at = 0; !atomic_load(&pool.is_ending);) {
        struct slot *slot = find_work(at);
        if (slot) {
            at = (int)(slot - pool.slots);
            help(slot, number);
        } else if (!atomic_load(&pool.is_ending)) {
            if (!sleep_until_called())
                break;
            call_two_threads();
        }
    }
    amp__main_follow(); /* this may be the last thread of the process */
    atomic_store(&self->state, LEFT);
    return NULL;
}

/* ---- for cpu.c ---- */

void amp__pool_set(int n_threads, const cpu_set_t *cpus)
{
    atomic_store(&limit, n_threads);
    if (!CPU_EQUAL(&processors, cpus)) /* threads that begin may be reading them */
        processors = *cpus;
}

void amp__pool_run(int begin, int end, void (*run)(void *context, int piece), void *context)
{
    struct slot *slot = take_slot();
    if (!slot) {
        for (int piece = begin; piece < end; piece++)
            run(context, piece);
        return;
    }
    /* 1. Open. */
    set_parts(slot, begin, end);
    slot->run = run;
    slot->context = context;
    slot->opened_ns = amp__now_ns();
    fegetenv(&slot->environment);
    atomic_store_explicit(&slot->state, OPEN, memory_order_release);
    atomic_fetch_or(&pool.open, bit_of(slot));
    call_two_threads();
    /* 2. Work. Other launches may end during a long one, and free their threads. */
    for (int piece, part = 0; (piece = take_piece(slot, &part)) != NO_PIECE;) {
        run(context, piece);
        if (room() > 0 && atomic_load(&pool.open) & bit_of(slot) && amp__now_ns() - slot->opened_ns > WAKING_NS)
            call_thread();
    }
    /* 3. Close. */
    atomic_fetch_and_explicit(&slot->state, ~OPEN, memory_order_relaxed);
    wait_for_helpers(slot);
    atomic_fetch_and(&pool.taken, ~bit_of(slot));
}

/* ---- the process ---- */

/* Resets the pool to its state before the first launch. */
static void forget_threads(void)
{
    atomic_store(&pool.counts, 0);
    atomic_store(&pool.wakeups, 0);
    atomic_store(&pool.retry_ns, 0);
    atomic_store(&pool.is_ending, false);
    atomic_store(&pool.is_making, false);
}

/* A child of fork has none of its parent's threads, neither the pool's nor those that were launching. */
static void forget_all(void)
{
    atomic_store(&pool.taken, 0);
    atomic_store(&pool.open, 0);
    forget_threads();
    for (struct thread *thread = pool.threads; thread < pool.threads + AMP__MAX_THREADS; thread++)
        atomic_store(&thread->state, NO_THREAD);
}

/* Wakes all threads, so that they no longer sleep without limit. */
void amp__pool_main_ended(void)
{
    int counts = atomic_load(&pool.counts);
    while (!atomic_compare_exchange_weak(&pool.counts, &counts, n_threads(counts) * (THREAD + AWAKE)))
        continue;
    int n = n_threads(counts) - n_awake(counts);
    atomic_fetch_add(&pool.wakeups, (unsigned)n);
    futex_wake(&pool.wakeups, n);
}

__attribute__((constructor)) static void expect_forks(void)
{
    has_fork_handler = pthread_atfork(NULL, NULL, forget_all) == 0;
}

/* The threads must have ended before the library's code is unloaded. If a launch is running, the process is ending, and
 * nothing should wait for the launch; otherwise only a thread of the pool can be making another, which is quick.
 * Queues, whose last work may be done at the end of the process, end before this. */
__attribute__((destructor(101))) static void end_threads(void)
{
    if (atomic_load(&pool.taken))
        return;
    atomic_store(&pool.is_ending, true);
    while (atomic_exchange(&pool.is_making, true))
        sched_yield();
    int n = n_threads(atomic_load(&pool.counts));
    atomic_fetch_add(&pool.wakeups, (unsigned)n);
    futex_wake(&pool.wakeups, n);
    for (struct thread *thread = pool.threads; thread < pool.threads + AMP__MAX_THREADS; thread++)
        if (atomic_load(&thread->state) != NO_THREAD && !pthread_equal(thread->id, pthread_self()))
            pthread_join(thread->id, NULL);
    forget_threads();
}
