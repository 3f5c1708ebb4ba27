/* SPDX-License-Identifier: MIT
 * The pool of threads: each piece runs once, however many host threads launch. Threads are shared, optional, soon
 * asleep, and have enough stack for every kernel and the caller's rounding. A fork's child has its own. */
#include "kernels.h"

#include "runtime/cpu/cpu.h"

#include <fenv.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In a fork's child TSan cannot start threads, and LSan believes that the parent's threads are running. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

static cpu_set_t processors; /* of the process */

static void set_threads(int n)
{
    amp__pool_set(n, &processors);
}

static void sleep_ms(double ms)
{
    nanosleep(&(struct timespec){(time_t)(ms / 1e3), (long)(ms * 1e6) % 1000000000}, NULL);
}

enum { MAX_PIECES = 4000 };

/* A launch, and what happened to its pieces. */
struct launch {
    pthread_t caller;
    double piece_ms;
    atomic_int n_done, n_elsewhere;
    atomic_int *n_working, *most_working; /* shared by several launches */
    atomic_uchar runs[MAX_PIECES];
};

static void run_piece(void *context, int piece)
{
    struct launch *l = context;
    if (l->n_working) {
        int n = atomic_fetch_add(l->n_working, 1) + 1, most = atomic_load(l->most_working);
        while (most < n && !atomic_compare_exchange_weak(l->most_working, &most, n))
            ;
    }
    if (l->piece_ms > 0)
        sleep_ms(l->piece_ms);
    atomic_fetch_add(&l->runs[piece], 1);
    atomic_fetch_add(&l->n_elsewhere, !pthread_equal(pthread_self(), l->caller));
    atomic_fetch_add(&l->n_done, 1);
    if (l->n_working)
        atomic_fetch_sub(l->n_working, 1);
}

/* Launches pieces `begin` to `end`. Returns whether each has then run once. */
static bool run_all(struct launch *l, int begin, int end)
{
    l->caller = pthread_self();
    amp__pool_run(begin, end, run_piece, l);
    bool is_right = atomic_load(&l->n_done) == end - begin;
    for (int i = 0; i < MAX_PIECES; i++)
        is_right = is_right && atomic_load(&l->runs[i]) == (i >= begin && i < end);
    return is_right;
}

/* Whether threads of the pool help with a launch. */
static bool is_helped(void)
{
    struct launch l = {.piece_ms = 1};
    return run_all(&l, 0, 100) && atomic_load(&l.n_elsewhere) > 0;
}

/* Runs `work` on `n` host threads, which return NULL if all was well. */
static void on_threads(int n, void *(*work)(void *))
{
    pthread_t threads[100];
    void *wrong = NULL, *result;
    for (int i = 0; i < n; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i), 0);
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], &result);
        wrong = wrong ? wrong : result;
    }
    assert_null(wrong);
}

/* ---- tests that make threads: each asks for one more than those before ---- */

static atomic_int n_pieces_elsewhere, least_processors;
static atomic_size_t least_stack;
static pthread_t first_caller;

static void look_at_thread(void *context, int piece)
{
    (void)context, (void)piece;
    sleep_ms(1);
    if (pthread_equal(pthread_self(), first_caller))
        return;
    pthread_attr_t attributes;
    size_t stack_bytes, guard_bytes;
    cpu_set_t mine;
    assert_int_equal(pthread_getattr_np(pthread_self(), &attributes), 0);
    pthread_attr_getstacksize(&attributes, &stack_bytes);
    pthread_attr_getguardsize(&attributes, &guard_bytes);
    pthread_attr_destroy(&attributes);
    pthread_getaffinity_np(pthread_self(), sizeof mine, &mine);
    if (guard_bytes > 0 && stack_bytes < atomic_load(&least_stack))
        atomic_store(&least_stack, stack_bytes);
    if (CPU_COUNT(&mine) < atomic_load(&least_processors))
        atomic_store(&least_processors, CPU_COUNT(&mine));
    atomic_fetch_add(&n_pieces_elsewhere, 1);
}

/* Kernels need up to a mebibyte for their arrays. The first host thread that launches may have a small stack, and be
 * bound to one processor. */
static void test_stack_and_processors(void **state)
{
    (void)state;
    pthread_attr_t before, small;
    pthread_getattr_default_np(&before);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 256 << 10);
    assert_int_equal(pthread_setattr_default_np(&small), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &processors))
            CPU_SET(i, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);

    set_threads(2);
    first_caller = pthread_self();
    atomic_store(&least_stack, (size_t)-1);
    atomic_store(&least_processors, CPU_SETSIZE);
    for (int i = 0; i < 100 && atomic_load(&n_pieces_elsewhere) == 0; i++)
        amp__pool_run(0, 10, look_at_thread, NULL);
    pthread_setaffinity_np(pthread_self(), sizeof processors, &processors);
    pthread_setattr_default_np(&before);
    assert_true(atomic_load(&n_pieces_elsewhere) > 0);
    assert_true(atomic_load(&least_stack) >= 4 << 20 && atomic_load(&least_stack) != (size_t)-1);
    assert_int_equal(atomic_load(&least_processors), CPU_COUNT(&processors));
}

/* A launch works without threads that the system cannot make. Later launches try again, but not every time. */
static void test_no_thread_to_be_had(void **state)
{
    (void)state;
    set_threads(3);
    amp__test_fail_allocation(1);
    struct launch l = {.piece_ms = 0.5};
    long long start_ns = amp__now_ns();
    assert_true(run_all(&l, 0, 60));
    int n_tried = amp__test_fail_allocation(0);
    assert_true(n_tried == 1 || (n_tried > 1 && amp__now_ns() - start_ns > 100000000));
    sleep_ms(150);
    l = (struct launch){.piece_ms = 0.5};
    assert_true(run_all(&l, 0, 60));
    assert_int_equal(amp__test_fail_allocation(0), 1);
}

/* ---- one host thread ---- */

static void test_each_piece_once(void **state)
{
    (void)state;
    set_threads(4);
    static struct launch l;
    for (int round = 0; round < 600; round++) {
        int begin = round % 3, end = begin + 1 + round * 7 % 700;
        memset(&l, 0, sizeof l);
        assert_true(run_all(&l, begin, end));
    }
}

static void test_as_many_threads_as_allowed(void **state)
{
    (void)state;
    static const int numbers[] = {4, 2, 1, 3};
    for (int i = 0; i < 4; i++) {
        set_threads(numbers[i]);
        atomic_int working = 0, most = 0;
        struct launch l = {.piece_ms = 1, .n_working = &working, .most_working = &most};
        sleep_ms(5);
        assert_true(run_all(&l, 0, 150));
        assert_true(atomic_load(&most) == numbers[i]);
    }
}

static void test_threads_sleep_soon(void **state)
{
    (void)state;
    set_threads(4);
    assert_true(is_helped());
    struct timespec before, after;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    sleep_ms(300);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    double ms = (double)(after.tv_sec - before.tv_sec) * 1e3 + (double)(after.tv_nsec - before.tv_nsec) * 1e-6;
    assert_true(ms < 30);
    assert_true(is_helped());
}

static atomic_int n_rounded_up;

static void note_rounding(void *context, int piece)
{
    volatile float one = 1, three = 3;
    run_piece(context, piece);
    atomic_fetch_add(&n_rounded_up, fegetround() == FE_UPWARD && one / three > 0x1.555554p-2f);
}

static void test_rounding_is_the_callers(void **state)
{
    (void)state;
    set_threads(4);
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    for (int i = 0; i < 4; i++) {
        struct launch l = {.piece_ms = 1, .caller = pthread_self()};
        atomic_store(&n_rounded_up, 0);
        fesetround(modes[i]);
        amp__pool_run(0, 100, note_rounding, &l);
        assert_int_equal(fegetround(), modes[i]);
        fesetround(FE_TONEAREST);
        assert_int_equal(atomic_load(&n_rounded_up), modes[i] == FE_UPWARD ? 100 : 0);
        assert_true(atomic_load(&l.n_elsewhere) > 0);
    }
}

/* ---- several ---- */

static void *launch_often(void *number)
{
    struct launch *l = malloc(sizeof *l);
    bool is_right = true;
    for (int round = 0; round < 150; round++) {
        memset(l, 0, sizeof *l);
        is_right = is_right && run_all(l, 0, 1 + (round * 13 + (int)(intptr_t)number) % 200);
    }
    free(l);
    return is_right ? NULL : number + 1;
}

static void test_many_hosts(void **state)
{
    (void)state;
    set_threads(4);
    on_threads(6, launch_often);
    set_threads(2);
    on_threads(3, launch_often);
}

static atomic_int n_hosts, n_elsewhere_of_hosts;

/* Five slow launches, all hosts at the same time. */
static void *launch_slowly(void *number)
{
    bool is_right = true;
    atomic_fetch_sub(&n_hosts, 1);
    while (atomic_load(&n_hosts) > 0)
        sleep_ms(0.1);
    for (int round = 0; round < 5; round++) {
        struct launch l = {.piece_ms = 1};
        is_right = is_right && run_all(&l, 0, 20);
        atomic_fetch_add(&n_elsewhere_of_hosts, atomic_load(&l.n_elsewhere));
    }
    return is_right ? NULL : number + 1;
}

/* If there are as many hosts as threads are allowed, no others are made. */
static void test_hosts_work_for_themselves(void **state)
{
    (void)state;
    set_threads(4);
    assert_true(is_helped());
    atomic_store(&n_hosts, 8);
    atomic_store(&n_elsewhere_of_hosts, 0);
    on_threads(8, launch_slowly);
    assert_true(atomic_load(&n_elsewhere_of_hosts) < 8 * 5 * 20 / 4);
}

/* More launches than the pool can list. */
static void test_more_launches_than_slots(void **state)
{
    (void)state;
    set_threads(80);
    atomic_store(&n_hosts, 75);
    on_threads(75, launch_slowly);
    set_threads(4);
}

static struct launch long_launch;

static void *launch_long(void *unused)
{
    return run_all(&long_launch, 0, 400) ? unused : &long_launch;
}

/* A thread that helps with one launch helps with the next one, too, in turns. */
static void test_launches_are_helped_in_turns(void **state)
{
    (void)state;
    set_threads(3);
    memset(&long_launch, 0, sizeof long_launch);
    long_launch.piece_ms = 1;
    pthread_t other;
    pthread_create(&other, NULL, launch_long, NULL);
    while (atomic_load(&long_launch.n_elsewhere) < 3)
        sleep_ms(1);
    struct launch mine = {.piece_ms = 1};
    assert_true(run_all(&mine, 0, 100));
    void *wrong;
    pthread_join(other, &wrong);
    assert_null(wrong);
    assert_true(atomic_load(&mine.n_elsewhere) >= 10);
}

/* A thread gives way to a caller, even one that has no use for it, and comes back when there is room. */
static void test_help_leaves_and_comes_back(void **state)
{
    (void)state;
    set_threads(2);
    memset(&long_launch, 0, sizeof long_launch);
    long_launch.piece_ms = 1;
    pthread_t other;
    pthread_create(&other, NULL, launch_long, NULL);
    while (atomic_load(&long_launch.n_elsewhere) < 3)
        sleep_ms(1);
    int before = atomic_load(&long_launch.n_elsewhere);
    struct launch mine = {.piece_ms = 60};
    assert_true(run_all(&mine, 0, 1));
    int between = atomic_load(&long_launch.n_elsewhere);
    void *wrong;
    pthread_join(other, &wrong);
    assert_null(wrong);
    assert_true(between - before < 20);
    assert_true(atomic_load(&long_launch.n_elsewhere) >= between + 50);
}

static void launch_within(void *context, int piece)
{
    struct launch inner = {0};
    assert_true(run_all(&inner, 0, 50));
    run_piece(context, piece);
}

static void test_launch_within_a_launch(void **state)
{
    (void)state;
    set_threads(4);
    struct launch l = {.caller = pthread_self()};
    amp__pool_run(0, 60, launch_within, &l);
    assert_int_equal(atomic_load(&l.n_done), 60);
}

/* ---- forks ---- */

#ifndef IS_SANITIZED
static atomic_bool is_over;

static void *launch_until_over(void *unused)
{
    while (!atomic_load(&is_over)) {
        struct launch l = {0};
        if (!run_all(&l, 0, 64))
            return &is_over;
    }
    return unused;
}

/* Whatever other threads were doing at the fork, a child has its own threads and finishes. */
static void test_forks(void **state)
{
    (void)state;
    set_threads(3);
    pthread_t other;
    pthread_create(&other, NULL, launch_until_over, NULL);
    for (int i = 0; i < 60; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            exit(i % 3 == 0 || is_helped() ? 0 : 1);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    atomic_store(&is_over, true);
    void *wrong;
    pthread_join(other, &wrong);
    assert_null(wrong);
    assert_true(is_helped());
}
#endif

int main(void)
{
    sched_getaffinity(0, sizeof processors, &processors);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stack_and_processors),
        cmocka_unit_test(test_no_thread_to_be_had),
        cmocka_unit_test(test_each_piece_once),
        cmocka_unit_test(test_as_many_threads_as_allowed),
        cmocka_unit_test(test_threads_sleep_soon),
        cmocka_unit_test(test_rounding_is_the_callers),
        cmocka_unit_test(test_many_hosts),
        cmocka_unit_test(test_hosts_work_for_themselves),
        cmocka_unit_test(test_more_launches_than_slots),
        cmocka_unit_test(test_launches_are_helped_in_turns),
        cmocka_unit_test(test_help_leaves_and_comes_back),
        cmocka_unit_test(test_launch_within_a_launch),
#ifndef IS_SANITIZED
        cmocka_unit_test(test_forks),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
