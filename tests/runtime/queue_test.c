/* SPDX-License-Identifier: MIT
 * Asynchronous work: its order on one queue and over homes, what waits for it, and when threads end. */
#include "kernels.h"
#include "runtime/backend.h"

#include <fenv.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static amp_accelerator *cpu;
static amp_accelerator_view *on_cpu, *queues[3];

/* A task that waits for a gate and then records its number. */
static atomic_int n_steps;
struct step {
    atomic_bool *gate;
    int at; /* its place in the order */
    atomic_bool is_destroyed;
    amp_status status;
};

static amp_status run_step(void *context)
{
    struct step *step = context;
    while (step->gate && !atomic_load(step->gate))
        sched_yield();
    step->at = atomic_fetch_add(&n_steps, 1) + 1;
    return step->status == AMP_OK ? AMP_OK : amp__fail(step->status, "step %d fails", step->at);
}

static void destroy_step(void *context)
{
    atomic_store(&((struct step *)context)->is_destroyed, true);
}

static amp_future *submit(amp_accelerator_view *on, struct step *step, int n, const struct amp__access *accesses)
{
    amp_future *future = amp__queue_submit(on, run_step, destroy_step, step, n, accesses);
    assert_non_null(future);
    return future;
}

static void finish(amp_future *future)
{
    assert_int_equal(amp_future_wait(future), AMP_OK);
    amp_future_release(future);
}

static int set_up(void **state)
{
    (void)state;
    amp_error_clear();
    atomic_store(&n_steps, 0);
    cpu = amp_accelerator_find("cpu");
    on_cpu = amp_accelerator_default_view(cpu);
    for (int i = 0; i < 3; i++)
        queues[i] = amp_accelerator_create_view(cpu, i == 0 ? AMP_QUEUING_MODE_IMMEDIATE : AMP_QUEUING_MODE_AUTOMATIC);
    return !queues[2];
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        amp_accelerator_view_release(queues[i]);
    return 0;
}

/* row: accelerator_view.order */
static void test_one_queue_is_in_order(void **state)
{
    (void)state;
    enum { N = 100 };
    static struct step steps[N];
    amp_future *futures[N];
    memset(steps, 0, sizeof steps);
    for (int i = 0; i < N; i++)
        futures[i] = submit(queues[0], &steps[i], 0, NULL);
    for (int i = N - 1; i >= 0; i--)
        finish(futures[i]);
    for (int i = 0; i < N; i++) {
        assert_int_equal(steps[i].at, i + 1);
        assert_true(atomic_load(&steps[i].is_destroyed));
    }
}

/* row: accelerator_view.order */
static void test_queues_are_independent(void **state)
{
    (void)state;
    atomic_bool gate = false;
    struct step first = {.gate = &gate}, second = {0};
    amp_future *a = submit(queues[0], &first, 0, NULL), *b = submit(queues[1], &second, 0, NULL);
    finish(b); /* although the other queue is blocked */
    assert_false(amp_future_is_ready(a));
    assert_int_equal(second.at, 1);
    atomic_store(&gate, true);
    finish(a);
    assert_int_equal(first.at, 2);
}

static struct amp__home *home_of(amp_array_view *view)
{
    return view->home;
}

/* A writer comes after all earlier tasks, a reader after the writers, whatever queues they are on. */
static void test_homes_order_queues(void **state)
{
    (void)state;
    int data[2];
    amp_array_view *view = amp_array_view1(1, data), *other = amp_array_view1(1, data + 1);
    const struct amp__access reads = {home_of(view), false}, writes = {home_of(view), true};
    atomic_bool gate = false;
    struct step w1 = {.gate = &gate}, r1 = {0}, r2 = {0}, w2 = {0}, free_one = {0};
    amp_future *futures[] = {
        submit(queues[0], &w1, 1, &writes),
        submit(queues[1], &r1, 1, &reads),
        submit(queues[2], &r2, 2, (struct amp__access[]){reads, {home_of(other), true}}),
    };
    amp_future *free_future = submit(on_cpu, &free_one, 0, NULL);
    finish(free_future);
    assert_int_equal(free_one.at, 1);
    amp_future *last = submit(on_cpu, &w2, 2, (struct amp__access[]){reads, writes});
    assert_false(amp_future_wait_for(last, 0.01));
    atomic_store(&gate, true);
    for (int i = 0; i < 3; i++)
        finish(futures[i]);
    finish(last);
    assert_int_equal(w1.at, 2);
    assert_true(r1.at + r2.at == 3 + 4);
    assert_int_equal(w2.at, 5);
    amp_array_view_release(view);
    amp_array_view_release(other);
}

/* Two readers on two queues are under way at once: each waits to see the other. */
static atomic_int n_readers;
static amp_status meet(void *context)
{
    (void)context;
    atomic_fetch_add(&n_readers, 1);
    while (atomic_load(&n_readers) < 2)
        sched_yield();
    return AMP_OK;
}

static void test_readers_overlap(void **state)
{
    (void)state;
    int data = 0;
    amp_array_view *view = amp_array_view1(1, &data);
    const struct amp__access reads = {home_of(view), false};
    amp_future *a = amp__queue_submit(queues[0], meet, NULL, NULL, 1, &reads);
    amp_future *b = amp__queue_submit(queues[1], meet, NULL, NULL, 1, &reads);
    finish(a);
    finish(b);
    amp_array_view_release(view);
}

/* row: accelerator_view.wait, accelerator_view.marker, accelerator_view.flush */
static void test_wait_and_marker(void **state)
{
    (void)state;
    struct step steps[4] = {0};
    atomic_bool gate = false;
    steps[0].gate = &gate;
    for (int i = 0; i < 3; i++)
        amp_future_release(submit(queues[0], &steps[i], 0, NULL));
    amp_future *marker = amp_accelerator_view_create_marker(queues[0]);
    amp_future_release(submit(queues[0], &steps[3], 0, NULL));
    assert_false(amp_future_is_ready(marker));
    assert_int_equal(amp_future_status(marker), AMP_ERROR_BUSY);
    assert_int_equal(amp_error_status(), AMP_OK);
    atomic_store(&gate, true);
    finish(marker);
    assert_int_equal(steps[2].at, 3);
    assert_int_equal(amp_accelerator_view_wait(queues[0]), AMP_OK);
    assert_int_equal(steps[3].at, 4);
    assert_true(atomic_load(&steps[3].is_destroyed));
    /* A queue that never had work. */
    assert_int_equal(amp_accelerator_view_wait(queues[1]), AMP_OK);
    assert_int_equal(amp_accelerator_view_flush(queues[1]), AMP_OK);
}

/* A view is released while its queue is at work, which continues. */
static void test_release_while_pending(void **state)
{
    (void)state;
    atomic_bool gate = false;
    struct step steps[3] = {{.gate = &gate}};
    amp_accelerator_view *view = amp_accelerator_create_view(cpu, AMP_QUEUING_MODE_AUTOMATIC);
    for (int i = 0; i < 2; i++)
        amp_future_release(submit(view, &steps[i], 0, NULL));
    amp_future *last = submit(view, &steps[2], 0, NULL);
    amp_accelerator_view_release(view);
    atomic_store(&gate, true);
    assert_int_equal(amp_future_wait(last), AMP_OK);
    assert_int_equal(steps[2].at, 3);
    amp_future_release(last);
    /* The same if nobody is left who could wait for it. */
    static struct step forgotten;
    view = amp_accelerator_create_view(cpu, AMP_QUEUING_MODE_AUTOMATIC);
    amp_future_release(submit(view, &forgotten, 0, NULL));
    amp_accelerator_view_release(view);
    while (!atomic_load(&forgotten.is_destroyed))
        sched_yield();
}

/* The least processor time in nanoseconds of a thread that waits for some tasks one by one. */
static double cost_of_tasks(amp_accelerator_view *on)
{
    enum { N = 1000, ATTEMPTS = 5 };
    double least = HUGE_VAL;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        struct timespec begin, end;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
        for (int i = 0; i < N; i++)
            finish(amp_accelerator_view_create_marker(on));
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
        least = fmin(least, (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec));
    }
    return least;
}

static void test_queues_at_rest_cost_nothing(void **state)
{
    (void)state;
    enum { N = 500 };
    static amp_accelerator_view *others[N];
    double alone = cost_of_tasks(queues[0]);
    for (int i = 0; i < N; i++) {
        others[i] = amp_accelerator_create_view(cpu, AMP_QUEUING_MODE_AUTOMATIC);
        finish(amp_accelerator_view_create_marker(others[i]));
    }
    double beside_them = cost_of_tasks(queues[0]);
    for (int i = 0; i < N; i++)
        amp_accelerator_view_release(others[i]);
    assert_true(beside_them < 3 * alone);
}

/* How often the process gave up a processor while a thread waited for `n` markers. */
static long switches(int n)
{
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < n; i++)
        finish(amp_accelerator_view_create_marker(queues[0]));
    getrusage(RUSAGE_SELF, &after);
    return after.ru_nvcsw - before.ru_nvcsw;
}

/* A waiting thread does the work itself, without waking another thread or giving up the processor. On a busy machine
 * the queue's thread may take the work first, so the best of several attempts counts. */
static void test_waiting_switches_no_threads(void **state)
{
    (void)state;
    enum { N = 500 };
    long fewest = switches(N);
    for (int attempt = 0; attempt < 20 && fewest >= N / 2; attempt++)
        fewest = switches(N);
    assert_true(fewest < N / 2);
    /* Work that nobody waits for is still done. */
    struct step step = {0};
    amp_future *future = submit(queues[0], &step, 0, NULL);
    while (!amp_future_is_ready(future))
        sched_yield();
    finish(future);
}

/* Threads wait for a home while its last task changes from one queue to another. Each thread may have been chosen to
 * run the task that the others wait for. */
enum { SHARED_ROUNDS = 3000 };
static amp_array_view *shared;
static pthread_barrier_t each_round;

static void *read_shared(void *copies)
{
    for (int round = 0; round < SHARED_ROUNDS; round++) {
        int elements[4];
        pthread_barrier_wait(&each_round);
        if (copies)
            amp_copy(&elements[0], shared);
        else
            amp_synchronize(shared);
        pthread_barrier_wait(&each_round);
    }
    return NULL;
}

static void test_chosen_threads_pass_it_on(void **state)
{
    (void)state;
    static int data[4];
    pthread_t threads[2];
    shared = amp_array_view2(2, 2, data);
    pthread_barrier_init(&each_round, NULL, 3);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_shared, i ? data : NULL), 0);
    for (int round = 0; round < SHARED_ROUNDS; round++) {
        for (int i = 0; i < 3; i++)
            amp_future_release(amp_parallel_for_each_on_async(queues[i % 2], amp_extent1(2), fill, i, shared));
        pthread_barrier_wait(&each_round);
        for (volatile int pause = 0; pause < round * 37 % 20000; pause++)
            continue;
        finish(amp_synchronize_to_async(shared, queues[2]));
        pthread_barrier_wait(&each_round);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&each_round);
    amp_array_view_release(shared);
}

/* The thread's stack of 64 KiB is too small for some kernels, so it must not run tasks. */
static pthread_t ran_on;
static amp_status note_thread(void *context)
{
    (void)context;
    ran_on = pthread_self();
    return AMP_OK;
}

static void *wait_with_little_stack(void *unused)
{
    (void)unused;
    for (int i = 0; i < 100; i++) {
        amp_future *future = amp__queue_submit(queues[0], note_thread, NULL, NULL, 0, NULL);
        assert_int_equal(amp_future_wait(future), AMP_OK);
        amp_future_release(future);
        if (pthread_equal(ran_on, pthread_self()))
            return &ran_on;
    }
    return NULL;
}

static void test_little_stack(void **state)
{
    (void)state;
    pthread_attr_t attributes;
    pthread_t thread;
    void *wrong;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 128 << 10);
    assert_int_equal(pthread_create(&thread, &attributes, wait_with_little_stack, NULL), 0);
    pthread_attr_destroy(&attributes);
    pthread_join(thread, &wrong);
    assert_null(wrong);
}

/* The program's signals go to its own threads. */
static amp_status note_mask(void *context)
{
    pthread_sigmask(SIG_BLOCK, NULL, context);
    return AMP_OK;
}

static void test_workers_block_signals(void **state)
{
    (void)state;
    sigset_t mask;
    sigemptyset(&mask);
    amp_future *future = amp__queue_submit(queues[0], note_mask, NULL, &mask, 0, NULL);
    while (!amp_future_is_ready(future))
        sched_yield();
    finish(future);
    static const int blocked[] = {SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1, SIGPROF};
    static const int raised[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof blocked / sizeof *blocked; i++)
        assert_true(sigismember(&mask, blocked[i]));
    for (size_t i = 0; i < sizeof raised / sizeof *raised; i++)
        assert_false(sigismember(&mask, raised[i]));
}

/* Submits more tasks than a queue can hold. */
enum { TOO_MANY = 20000 };
static atomic_int n_submitted;
static void *submit_too_many(void *unused)
{
    (void)unused;
    for (int i = 0; i < TOO_MANY; i++) {
        amp_future_release(amp_accelerator_view_create_marker(queues[0]));
        atomic_fetch_add(&n_submitted, 1);
    }
    return NULL;
}

static void test_full_queue(void **state)
{
    (void)state;
    atomic_bool gate = false;
    struct step held = {.gate = &gate};
    amp_future_release(submit(queues[0], &held, 0, NULL));
    atomic_store(&n_submitted, 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, submit_too_many, NULL), 0);
    int before = -1, now;
    while ((now = atomic_load(&n_submitted)) == 0 || now != before) {
        before = now;
        usleep(50000);
    }
    assert_true(now <= 1 << 14);
    assert_false(atomic_load(&held.is_destroyed));
    atomic_store(&gate, true);
    pthread_join(thread, NULL);
    assert_int_equal(amp_accelerator_view_wait(queues[0]), AMP_OK);
}

/* A callback submits more tasks to its own queue than that can hold. */
static void fill_own_queue(amp_status status, void *user)
{
    (void)status;
    submit_too_many(NULL);
    atomic_store((atomic_bool *)user, true);
}

static void test_callback_fills_its_queue(void **state)
{
    (void)state;
    atomic_bool is_through = false;
    struct step step = {0};
    amp_future *future = submit(queues[0], &step, 0, NULL);
    assert_ok(amp_future_then(future, fill_own_queue, &is_through));
    amp_future_release(future);
    while (!atomic_load(&is_through))
        sched_yield();
    assert_int_equal(amp_accelerator_view_wait(queues[0]), AMP_OK);
}

/* ---- launches ---- */

/* The memory that a waiting launch takes. */
static void test_pending_launches_are_small(void **state)
{
    (void)state;
    enum { N = 1000 };
    float data[4] = {1, 1, 1, 1};
    amp_array_view *x = amp_array_view1(4, data);
    atomic_bool gate = false;
    struct step held = {.gate = &gate};
    amp_future_release(submit(queues[0], &held, 0, NULL));
    size_t before = mallinfo2().uordblks;
    for (int i = 0; i < N; i++)
        amp_future_release(amp_parallel_for_each_on_async(queues[0], amp_extent1(4), scale, 1.0f, x));
    size_t each = (mallinfo2().uordblks - before) / N; /* 0 under sanitizers, which allocate memory themselves */
    atomic_store(&gate, true);
    amp_array_view_release(x);
    assert_in_range(each, 0, 900);
}

/* row: launch.synchronous */
static void test_async_launches(void **state)
{
    (void)state;
    float data[100];
    for (int i = 0; i < 100; i++)
        data[i] = 1;
    amp_array_view *x = amp_array_view1(100, data);
    atomic_bool gate = false;
    struct step held = {.gate = &gate};
    amp_future_release(submit(queues[0], &held, 0, NULL));
    amp_extent extent = amp_extent1(100);
    amp_future *futures[4] = {
        amp_parallel_for_each_on_async(queues[0], extent, scale, 2.0f, x),
        amp_parallel_for_each_on_async(queues[1], extent, scale, 3.0f, x),
        amp_parallel_for_each_async(extent, scale, 5.0f, x),
        amp_parallel_for_each_on_async(queues[0], extent, scale, 7.0f, x),
    };
    for (int i = 0; i < 4; i++)
        assert_false(amp_future_is_ready(futures[i]));
    assert_true(data[0] == 1);
    atomic_store(&gate, true);
    /* A synchronous launch comes after them. */
    assert_ok(amp_parallel_for_each_on(queues[2], extent, scale, 11.0f, x));
    for (int i = 0; i < 100; i++)
        assert_true(data[i] == 2 * 3 * 5 * 7 * 11);
    for (int i = 0; i < 4; i++)
        finish(futures[i]);
    amp_array_view_release(x);
}

/* A launch has its own arguments: views may be released, and numbers may change. */
static void test_async_launch_keeps_what_it_needs(void **state)
{
    (void)state;
    int data[4][8], expected[4][8];
    for (int i = 0; i < 32; i++)
        data[i / 8][i % 8] = expected[i / 8][i % 8] = i;
    amp_array_view *all = amp_array_view2(4, 8, &data[0][0]);
    amp_array_view *left = amp_array_view_section(all, amp_index2(0, 0), amp_extent2(4, 3));
    amp_array_view *right = amp_array_view_section(all, amp_index2(0, 4), amp_extent2(4, 3));
    atomic_bool gate = false;
    struct step held = {.gate = &gate};
    amp_future_release(submit(on_cpu, &held, 0, NULL));
    amp_future *future = amp_parallel_for_each_async(amp_extent2(4, 3), add, left, left, right);
    amp_array_view_release(left);
    amp_array_view_release(right);
    assert_false(amp_future_is_ready(future));
    atomic_store(&gate, true);
    amp_array_view_release(all); /* the last one waits */
    assert_ok(amp_future_wait(future));
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++) {
            expected[i][j] *= 2;
            expected[i][4 + j] += expected[i][j];
        }
    assert_memory_equal(data, expected, sizeof data);
    amp_future_release(future);
}

/* The results differ for each rounding. */
static void divide(float thirds[2])
{
    volatile float one = 1, three = 3;
    thirds[0] = one / three;
    thirds[1] = -one / three;
}

static void divide_run(const void *args, const int *box)
{
    (void)box;
    divide(((const struct scale_args *)args)->x);
}

/* The rounding is the submitter's, whether the worker runs the launch or a thread that waits for it. */
static void test_rounding_is_the_submitters(void **state)
{
    (void)state;
    const struct amp__image images[] = {{"cpu", "baseline", divide_run, NULL, 0, geometry}, {.backend = NULL}};
    struct amp__kernel kernel = scale_kernel;
    kernel.address = (amp_kernel)(uintptr_t)test_rounding_is_the_submitters;
    kernel.images = images;
    amp__register_kernels(&kernel, 1);
    static const int modes[] = {FE_UPWARD, FE_TONEAREST, FE_UPWARD, FE_DOWNWARD};
    for (int i = 0; i < 8; i++) {
        int submitters = modes[i % 4], waiters = modes[(i + 1) % 4];
        float thirds[2] = {0}, expected[2];
        amp_array_view *x = amp_array_view1(2, thirds);
        fesetround(submitters);
        divide(expected);
        amp_future *future = amp_parallel_for_each_async(amp_extent1(1), kernel.address, 2.0f, x);
        fesetround(waiters);
        while (i < 4 && !amp_future_is_ready(future))
            sched_yield();
        amp_status status = amp_future_wait(future);
        int kept = fegetround();
        fesetround(FE_TONEAREST);
        assert_ok(status);
        assert_int_equal(kept, waiters);
        assert_ok(amp_synchronize(x));
        assert_memory_equal(thirds, expected, sizeof thirds);
        amp_future_release(future);
        amp_array_view_release(x);
    }
    amp__unregister_kernels(&kernel, 1);
}

static void test_large_argument_block(void **state)
{
    (void)state;
    struct amp__kernel kernel = scale_kernel;
    kernel.address = (amp_kernel)(uintptr_t)test_large_argument_block;
    kernel.args_bytes = 5000;
    kernel.args_align = 256;
    amp__register_kernels(&kernel, 1);
    float data[3] = {1, 2, 3};
    amp_array_view *x = amp_array_view1(3, data);
    amp_future *future = amp_parallel_for_each_async(amp_extent1(3), kernel.address, 2.0f, x);
    assert_ok(amp_future_wait(future));
    amp__unregister_kernels(&kernel, 1);
    amp_future_release(future);
    assert_true(data[2] == 6);
    amp_array_view_release(x);
}

/* Errors are found at the submission, and nothing runs. */
static void test_async_errors(void **state)
{
    (void)state;
    float data[4] = {1, 2, 3, 4};
    amp_array_view *x = amp_array_view1(4, data);
    assert_null(amp_parallel_for_each_async(amp_extent1(4), scale, x));
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
                 "scale (kernels.c:3): 2 arguments after the index are expected, but 1 is passed; bounds of arrays are "
                 "not passed");
    assert_null(amp_parallel_for_each_async(amp_extent1(0), scale, 2.0f, x));
    assert_error(amp_error_status(), AMP_ERROR_INVALID_COMPUTE_DOMAIN,
                 "scale (kernels.c:3): the extent is 0; every component must be positive");
    assert_null(amp_parallel_for_each_async(amp_extent1(4), scale, 2.0f, (amp_array_view *)NULL));
    assert_int_equal(amp_error_status(), AMP_ERROR_NULL);
    amp_error_clear();
    assert_null(amp_launch_async(NULL, amp_extent1(4), NULL, 0, NULL));
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_launch: the kernel is NULL");
    assert_null(amp_parallel_for_each_on_async((amp_accelerator_view *)x, amp_extent1(4), scale, 2.0f, x));
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_launch: the handle is a view, where an accelerator_view is expected");
    /* A launch during a mapping fails; a mapping during a launch waits. */
    assert_non_null(amp_array_view_map(x, AMP_ACCESS_READ_WRITE));
    assert_null(amp_parallel_for_each_async(amp_extent1(4), scale, 2.0f, x));
    assert_int_equal(amp_error_status(), AMP_ERROR_BUSY);
    amp_error_clear();
    assert_ok(amp_array_view_unmap(x));
    assert_true(data[1] == 2);
    /* The future reports an error that only shows when the launch runs: there is no code for this machine. */
    static const struct amp__image images[] = {{"cpu", "x86-64-v9", scale_run, NULL, 0, geometry}, {0}};
    struct amp__kernel other = scale_kernel;
    other.address = (amp_kernel)(uintptr_t)test_async_errors;
    other.images = images;
    amp__register_kernels(&other, 1);
    amp_future *future = amp_parallel_for_each_async(amp_extent1(4), other.address, 1.0f, x);
    assert_non_null(future);
    assert_int_equal(amp_future_wait(future), AMP_ERROR_NO_KERNEL);
    assert_non_null(strstr(amp_error_text(), "scale (kernels.c:3): it is compiled for x86-64-v9"));
    amp_future_release(future);
    amp__unregister_kernels(&other, 1);
    amp_array_view_release(x);
}

/* Every use of a home waits for the launches that exclude it. */
static void test_all_wait_for_launches(void **state)
{
    (void)state;
    float data[4] = {1, 1, 1, 1};
    amp_array_view *x = amp_array_view1(4, data);
    for (int what = 0; what < 6; what++) {
        atomic_bool gate = false;
        struct step held = {.gate = &gate};
        amp_future_release(submit(queues[0], &held, 0, NULL));
        amp_future *launch = amp_parallel_for_each_on_async(queues[0], amp_extent1(4), scale, 2.0f, x);
        assert_true(data[0] == 1);
        atomic_store(&gate, true);
        switch (what) {
        case 0:
            assert_ok(amp_synchronize(x));
            break;
        case 1:
            assert_ptr_equal(amp_array_view_map(x, AMP_ACCESS_READ), data);
            assert_ok(amp_array_view_unmap(x));
            break;
        case 2:
            assert_ptr_equal(amp_array_view_map(x, AMP_ACCESS_WRITE), data);
            assert_ok(amp_array_view_unmap(x));
            break;
        case 3:
            assert_ok(amp_refresh(x));
            break;
        case 4:
            assert_ok(amp_discard_data(x));
            break;
        default:
            assert_ok(amp_accelerator_view_wait(queues[0]));
        }
        assert_true(data[0] == 2);
        finish(launch);
        for (int i = 0; i < 4; i++)
            data[i] = 1;
    }
    amp_array_view_release(x);
}

/* ---- a device that queues work ---- */

static amp_accelerator_view *on_null, *null_queues[2];

static int set_up_null(void **state)
{
    (void)state;
    amp__test_null_reset();
    amp_accelerator *null = amp_accelerator_find("null");
    on_null = amp_accelerator_default_view(null);
    null_queues[0] = amp_accelerator_create_view(null, AMP_QUEUING_MODE_AUTOMATIC);
    null_queues[1] = amp_accelerator_create_view(null, AMP_QUEUING_MODE_IMMEDIATE);
    amp_error_clear();
    amp__test_null_late();
    return !null_queues[1];
}

/* A queue's thread releases it when its last work is done. */
static void wait_for_queues_to_go(void)
{
    while (amp__test_null_counts().queues > 0)
        sched_yield();
}

static int tear_down_null(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        amp_accelerator_view_release(null_queues[i]);
    wait_for_queues_to_go();
    struct amp__null_counts counts = amp__test_null_counts();
    assert_int_equal(counts.events, 0);
    assert_int_equal(counts.lost, 0);
    assert_int_equal(counts.allocations, counts.frees);
    amp__test_null_reset();
    return 0;
}

static void test_device_queue_is_waited_for(void **state)
{
    (void)state;
    float data[4] = {1, 2, 3, 4};
    amp_array_view *x = amp_array_view1(4, data);
    amp_extent extent = amp_extent1(4);
    /* One queue keeps its order by itself. */
    assert_ok(amp_parallel_for_each_on(null_queues[0], extent, scale, 2.0f, x));
    assert_ok(amp_parallel_for_each_on(null_queues[0], extent, scale, 3.0f, x));
    assert_int_equal(amp__test_null_counts().waits, 0);
    /* Another one waits for it, once. */
    assert_ok(amp_parallel_for_each_on(null_queues[1], extent, scale, 5.0f, x));
    assert_ok(amp_parallel_for_each_on(null_queues[1], extent, scale, 7.0f, x));
    assert_int_equal(amp__test_null_counts().waits, 1);
    assert_ok(amp_parallel_for_each_on(on_null, extent, scale, 11.0f, x));
    assert_int_equal(amp__test_null_counts().waits, 2);
    assert_true(data[0] == 1);
    assert_ok(amp_synchronize(x)); /* by a copy after the last launch */
    for (int i = 0; i < 4; i++)
        assert_true(data[i] == (float)(i + 1) * 2 * 3 * 5 * 7 * 11);
    assert_int_equal(amp__test_null_counts().waits, 2);
    /* Immediate mode tells the device of each launch; amp_accelerator_view_flush of all before. */
    assert_int_equal(amp__test_null_counts().flushes, 2);
    assert_ok(amp_accelerator_view_flush(null_queues[0]));
    assert_int_equal(amp__test_null_counts().flushes, 3);
    amp_array_view_release(x);
}

static void test_memory_outlives_queued_work(void **state)
{
    (void)state;
    int data[4][3] = {{1, 2, 3}, {4, 5, 6}}, total = 0;
    amp_array_view *x = amp_array_view2(4, 3, &data[0][0]), *t = amp_array_view1(1, &total);
    assert_ok(amp_parallel_for_each_on(null_queues[0], amp_extent1(1), sum, x, t));
    assert_ok(amp_synchronize(x)); /* the view is shared: no copy, no wait */
    assert_int_equal(amp__test_null_counts().waits, 0);
    amp_array_view_release(x); /* its memory on the device is still needed */
    assert_int_equal(amp__test_null_counts().waits, 1);
    assert_ok(amp_synchronize(t));
    assert_int_equal(total, 21);
    /* A dense copy of a section lives as long, too. */
    amp_array_view *all = amp_array_view2(4, 3, &data[0][0]);
    amp_array_view *column = amp_array_view_section(all, amp_index2(0, 1), amp_extent2(4, 2));
    assert_ok(amp_parallel_for_each_on(null_queues[0], amp_extent1(1), sum, column, t));
    assert_ok(amp_synchronize(t));
    assert_int_equal(total, 2 + 3 + 5 + 6);
    /* A queue is released with work on it; the home keeps it. */
    assert_ok(amp_parallel_for_each_on(null_queues[0], amp_extent1(4), fill, 9, all));
    amp_accelerator_view_release(null_queues[0]);
    null_queues[0] = NULL;
    assert_ok(amp_synchronize(all));
    assert_int_equal(data[3][2], 9);
    amp_array_view_release(all);
    amp_array_view_release(column);
    amp_array_view_release(t);
}

/* Two queues read one home before either has begun; then it is written. */
static void test_readers_on_two_queues(void **state)
{
    (void)state;
    int data[2][2] = {{1, 2}, {3, 4}}, totals[2] = {0};
    amp_array_view *x = amp_array_view2(2, 2, &data[0][0]);
    amp_array_view *t[2] = {amp_array_view1(1, &totals[0]), amp_array_view1(1, &totals[1])};
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 2; i++)
            assert_ok(amp_parallel_for_each_on(null_queues[i], amp_extent1(1), sum, x, t[i]));
        assert_ok(amp_parallel_for_each_on(null_queues[round % 2], amp_extent1(2), fill, round + 5, x));
        for (int i = 0; i < 2; i++) {
            assert_ok(amp_synchronize(t[i]));
            assert_int_equal(totals[i], round == 0 ? 10 : 4 * (round + 4));
        }
    }
    amp_array_view_release(x);
    amp_array_view_release(t[0]);
    amp_array_view_release(t[1]);
}

/* Two threads read one home on two queues before either has queued its work. */
static void test_readers_at_once(void **state)
{
    (void)state;
    int data[4] = {1, 2, 3, 4}, out[2][4] = {{0}};
    amp_array_view *x = amp_array_view1(4, data), *o = amp_array_view2(2, 4, &out[0][0]);
    const amp_accelerator *a = on_null->accelerator;
    assert_ok(amp__home_read(o->home, null_queues[0], NULL));
    assert_ok(amp__home_read(x->home, null_queues[0], NULL));
    assert_ok(amp__home_read(x->home, null_queues[1], NULL));
    void *to = amp__home_memory(o->home, a->location);
    void *from = amp__home_memory(x->home, a->location);
    for (int i = 0; i < 2; i++) {
        assert_ok(a->backend->copy_across(a->device, null_queues[i]->queue,
                                          (struct amp__at){to, (size_t)i * sizeof data}, (struct amp__at){from, 0},
                                          sizeof data));
        assert_ok(amp__home_used(x->home, null_queues[i]));
    }
    assert_int_equal(amp__test_null_counts().waits, 1); /* the second for the first */
    amp__home_own(o->home, a->location, NULL);
    assert_ok(amp_accelerator_view_wait(null_queues[1]));
    assert_ok(amp_synchronize(o));
    assert_memory_equal(out[0], data, sizeof data);
    assert_memory_equal(out[1], data, sizeof data);
    amp_array_view_release(x);
    amp_array_view_release(o);
}

static void test_async_on_a_device(void **state)
{
    (void)state;
    float data[4] = {1, 1, 1, 1};
    amp_array_view *x = amp_array_view1(4, data);
    amp_future *futures[6];
    for (int i = 0; i < 6; i++)
        futures[i] = amp_parallel_for_each_on_async(null_queues[i % 2], amp_extent1(4), scale, 2.0f, x);
    amp_future *marker = amp_accelerator_view_create_marker(null_queues[0]);
    finish(marker);
    for (int i = 0; i < 6; i++)
        finish(futures[i]);
    assert_true(data[0] == 1);
    assert_ok(amp_synchronize(x));
    assert_true(data[3] == 64);
    assert_int_equal(amp__test_null_counts().launches, 6);
    amp_array_view_release(x);
}

/* Launches follow one another; only a thread that asks for the outcome waits for the device. */
static void test_device_gets_work_ahead(void **state)
{
    (void)state;
    enum { N = 100 };
    float data[4] = {0, 0, 0, 1};
    amp_array_view *x = amp_array_view1(4, data);
    amp_future *futures[N];
    for (int i = 0; i < N; i++)
        futures[i] = amp_parallel_for_each_on_async(null_queues[0], amp_extent1(4), scale, i % 2 ? 2.0f : 0.5f, x);
    assert_ok(amp_future_wait(futures[N - 1]));
    assert_int_equal(amp__test_null_counts().launches, N);
    assert_in_range(amp__test_null_counts().waits, 1, 3);
    for (int i = 0; i < N; i++)
        finish(futures[i]);
    assert_in_range(amp__test_null_counts().waits, 1, 3);
    /* If nobody asks, nobody waits. */
    int n_waits = amp__test_null_counts().waits;
    for (int i = 0; i < N; i++)
        amp_future_release(amp_parallel_for_each_on_async(null_queues[0], amp_extent1(4), scale, 2.0f, x));
    amp__queue_finish(null_queues[0]);
    assert_int_equal(amp__test_null_counts().launches, 2 * N);
    assert_int_equal(amp__test_null_counts().waits, n_waits);
    assert_ok(amp_accelerator_view_wait(null_queues[0]));
    assert_int_equal(amp__test_null_counts().waits, n_waits + 1);
    amp_array_view_release(x);
}

static atomic_int launches_at_first;
static void count_callback(amp_status status, void *user)
{
    assert_int_equal(status, AMP_OK);
    if (atomic_fetch_add((atomic_int *)user, 1) == 0)
        atomic_store(&launches_at_first, amp__test_null_counts().launches);
}

/* A callback comes while the device has other work to do. */
static void test_device_gets_work_ahead_of_callbacks(void **state)
{
    (void)state;
    enum { N = 100 };
    float data[4] = {0, 0, 0, 1};
    amp_array_view *x = amp_array_view1(4, data);
    atomic_bool gate = false;
    atomic_int n_called = 0;
    struct step held = {.gate = &gate};
    amp_future_release(submit(null_queues[0], &held, 0, NULL));
    for (int i = 0; i < N; i++) {
        amp_future *future = amp_parallel_for_each_on_async(null_queues[0], amp_extent1(4), scale, 1.0f, x);
        assert_ok(amp_future_then(future, count_callback, &n_called));
        amp_future_release(future);
    }
    atomic_store(&gate, true);
    while (atomic_load(&n_called) < N)
        sched_yield();
    assert_in_range(atomic_load(&launches_at_first), 8, 32);
    /* The same with callbacks that are added when the work is on the device. */
    amp_future *future = amp_parallel_for_each_on_async(null_queues[0], amp_extent1(4), scale, 1.0f, x);
    amp__queue_finish(null_queues[0]);
    assert_false(amp_future_is_ready(future));
    assert_ok(amp_future_then(future, count_callback, &n_called));
    assert_ok(amp_future_then(future, count_callback, &n_called));
    amp_future_release(future);
    while (atomic_load(&n_called) < N + 2)
        sched_yield();
    amp_array_view_release(x);
}

/* Several threads ask for the same future, in all ways. */
static void *ask(void *user)
{
    amp_future *future = user;
    while (!amp_future_wait_for(future, 1e-4) && !amp_future_is_ready(future))
        if (amp_future_wait(future) != AMP_OK)
            return user;
    return amp_future_status(future) == AMP_OK ? NULL : user;
}

static void test_many_ask_for_one(void **state)
{
    (void)state;
    float data[4] = {0, 0, 0, 1};
    amp_array_view *x = amp_array_view1(4, data);
    for (int round = 0; round < 20; round++) {
        amp_future *future = amp_parallel_for_each_on_async(null_queues[0], amp_extent1(4), scale, 1.0f, x);
        pthread_t threads[4];
        void *wrong;
        for (int i = 0; i < 4; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, ask, future), 0);
        for (int i = 0; i < 4; i++) {
            pthread_join(threads[i], &wrong);
            assert_null(wrong);
        }
        amp_future_release(future);
    }
    amp_array_view_release(x);
}

/* Releasing cannot fail: the queue keeps a failure that it finds. */
static void test_release_after_failure(void **state)
{
    (void)state;
    static const char text[] = "null: a wait failed, as a test asked for";
    float data[4] = {1, 1, 1, 1};
    amp_array_view *x = amp_array_view_without_source1(float, 4);
    assert_ok(amp_parallel_for_each_on(null_queues[0], amp_extent1(4), scale, 2.0f, x));
    amp__test_null_fail(1);
    amp_array_view_release(x);
    assert_int_equal(amp_error_status(), AMP_OK);
    assert_error(amp_accelerator_view_wait(null_queues[0]), AMP_ERROR_DEVICE, text);
    assert_ok(amp_accelerator_view_wait(null_queues[0]));
    /* The copy back to host memory that was not brought up to date before. */
    x = amp_array_view1(4, data);
    assert_ok(amp_parallel_for_each_on(null_queues[0], amp_extent1(4), scale, 2.0f, x));
    amp__test_null_fail(1);
    amp_array_view_release(x);
    assert_int_equal(amp_error_status(), AMP_OK);
    assert_int_equal(amp_accelerator_view_wait(null_queues[0]), AMP_ERROR_DEVICE);
    amp_error_clear();
    /* The last reference to a queue: nobody is left to be told. */
    x = amp_array_view_without_source1(float, 4);
    assert_ok(amp_parallel_for_each_on(null_queues[0], amp_extent1(4), scale, 2.0f, x));
    amp_accelerator_view_release(null_queues[0]);
    null_queues[0] = NULL;
    amp__test_null_fail(1);
    amp_array_view_release(x);
    assert_int_equal(amp_error_status(), AMP_OK);
}

static void wait_for_other(amp_status status, void *user)
{
    amp_future *other = user;
    assert_int_equal(status, AMP_OK);
    assert_int_equal(amp_future_wait(other), AMP_OK);
    amp_future_release(other);
}

/* The callback of a queue's last work waits for another queue, which meanwhile releases the first one. */
static void test_queue_goes_during_its_callback(void **state)
{
    (void)state;
    float data[4] = {1, 1, 1, 1};
    amp_array_view *x = amp_array_view1(4, data);
    atomic_bool gate = false;
    struct step held = {.gate = &gate};
    amp_future_release(submit(null_queues[0], &held, 0, NULL));
    amp_future *first = amp_parallel_for_each_on_async(null_queues[0], amp_extent1(4), scale, 2.0f, x);
    amp_future *second = amp_parallel_for_each_on_async(null_queues[1], amp_extent1(4), scale, 3.0f, x);
    assert_ok(amp_future_then(first, wait_for_other, amp_future_retain(second)));
    amp_future_release(first);
    amp_accelerator_view_release(null_queues[0]);
    null_queues[0] = NULL;
    atomic_store(&gate, true);
    finish(second);
    assert_ok(amp_synchronize(x));
    assert_true(data[3] == 6);
    amp_array_view_release(x);
}

/* The call that waits reports a failure of queued work. */
static void test_late_failures(void **state)
{
    (void)state;
    static const char text[] = "null: a wait failed, as a test asked for";
    float data[4] = {1, 1, 1, 1};
    amp_array_view *x = amp_array_view1(4, data);
    assert_ok(amp_parallel_for_each_on(null_queues[0], amp_extent1(4), scale, 2.0f, x));
    amp__test_null_fail(1);
    assert_error(amp_accelerator_view_wait(null_queues[0]), AMP_ERROR_DEVICE, text);
    assert_ok(amp_accelerator_view_wait(null_queues[0]));
    /* The call is a launch on another queue, which then has not run. */
    assert_ok(amp_parallel_for_each_on(null_queues[0], amp_extent1(4), scale, 2.0f, x));
    amp__test_null_fail(1);
    assert_error(amp_parallel_for_each_on(null_queues[1], amp_extent1(4), scale, 2.0f, x), AMP_ERROR_DEVICE, text);
    assert_int_equal(amp__test_null_counts().launches, 2);
    /* The failure of an asynchronous launch comes with its future. */
    amp_future *future = amp_parallel_for_each_on_async(null_queues[0], amp_extent1(4), scale, 2.0f, x);
    assert_ok(amp_future_wait(future));
    amp_future_release(future);
    amp__test_null_fail(2); /* the launch, its end */
    future = amp_parallel_for_each_on_async(null_queues[0], amp_extent1(4), scale, 2.0f, x);
    assert_error(amp_future_wait(future), AMP_ERROR_DEVICE, text);
    amp_future_release(future);
    amp_array_view_release(x);
}

/* Of two failures the asynchronous one is reported first; status and text are of the same one. */
static void test_two_failures_of_a_queue(void **state)
{
    (void)state;
    float data[4] = {1, 1, 1, 1};
    amp_array_view *x = amp_array_view1(4, data);
    atomic_store(&n_steps, 0);
    struct step step = {.status = AMP_ERROR_SHAPE};
    amp_future *future = submit(null_queues[0], &step, 0, NULL);
    while (!amp_future_is_ready(future))
        sched_yield();
    amp_future_release(future);
    assert_ok(amp_parallel_for_each_on(null_queues[0], amp_extent1(4), scale, 2.0f, x));
    amp__test_null_fail(1);
    assert_error(amp_accelerator_view_wait(null_queues[0]), AMP_ERROR_SHAPE, "step 1 fails");
    assert_ok(amp_accelerator_view_wait(null_queues[0]));
    amp_array_view_release(x);
}

/* ---- everything fails once ---- */

static void count_call(amp_status status, void *user)
{
    (void)status;
    atomic_fetch_add((atomic_int *)user, 1);
}

/* Makes all calls of queues and futures. Returns how many failed, and sets the first one's status. */
static int program(amp_accelerator *accelerator, amp_status *first)
{
    float data[4] = {1, 1, 1, 1};
    int square[4][4] = {{0}}, n_calls = 0;
    atomic_int n_called = 0;
    amp_accelerator_view *a = amp_accelerator_create_view(accelerator, AMP_QUEUING_MODE_IMMEDIATE);
    amp_accelerator_view *b = amp_accelerator_create_view(accelerator, AMP_QUEUING_MODE_AUTOMATIC);
    amp_array_view *x = amp_array_view1(4, data), *all = amp_array_view2(4, 4, &square[0][0]);
    amp_array_view *left = amp_array_view_section(all, amp_index2(0, 0), amp_extent2(4, 2));
    amp_future *futures[] = {
        a ? amp_parallel_for_each_on_async(a, amp_extent1(4), scale, 2.0f, x) : NULL,
        b ? amp_parallel_for_each_on_async(b, amp_extent1(4), scale, 3.0f, x) : NULL,
        b ? amp_parallel_for_each_on_async(b, amp_extent1(4), fill, 7, left) : NULL,
        a ? amp_accelerator_view_create_marker(a) : NULL,
    };
    int failed = 0;
    *first = AMP_OK;
    for (int i = 0; i < 4; i++) {
        if (futures[i])
            n_calls += amp_future_then(futures[i], count_call, &n_called) == AMP_OK;
        amp_status status = amp_future_wait(futures[i]);
        failed += status != AMP_OK;
        amp_future_release(futures[i]);
    }
    failed += amp_synchronize(x) != AMP_OK;
    failed += amp_accelerator_view_flush(a) != AMP_OK;
    failed += amp_accelerator_view_wait(a) != AMP_OK;
    failed += n_calls < 4;
    while (atomic_load(&n_called) < n_calls)
        sched_yield();
    *first = amp_error_status();
    amp_array_view_release(left);
    amp_array_view_release(all);
    if (!failed) {
        assert_true(data[3] == 6);
        assert_true(square[3][1] == 7 && square[3][2] == 0);
    }
    amp_array_view_release(x);
    amp_accelerator_view_release(a);
    amp_accelerator_view_release(b);
    wait_for_queues_to_go();
    amp_error_clear();
    return failed;
}

static void test_every_allocation_fails_once(void **state)
{
    (void)state;
    amp_accelerator *accelerators[] = {cpu, amp_accelerator_find("null")};
    for (int a = 0; a < 2; a++) {
        amp_status first;
        amp__test_null_reset();
        amp__test_fail_allocation(0);
        assert_int_equal(program(accelerators[a], &first), 0);
        int n = amp__test_fail_allocation(0);
        assert_true(n >= 16);
        for (int i = 1; i <= n; i++) {
            amp__test_null_reset();
            amp__test_fail_allocation(i);
            int failed = program(accelerators[a], &first);
            /* Some memory is optional: for callbacks that are called at once, and for events, which a wait replaces. */
            if (failed)
                assert_int_equal(first, AMP_ERROR_OUT_OF_MEMORY);
            struct amp__null_counts counts = amp__test_null_counts();
            assert_int_equal(counts.allocations, counts.frees);
            assert_int_equal(counts.events, 0);
        }
        amp__test_fail_allocation(0);
        assert_int_equal(program(accelerators[a], &first), 0);
    }
}

static void test_every_call_of_the_device_fails_once(void **state)
{
    (void)state;
    amp_accelerator *null = amp_accelerator_find("null");
    int failed = 1;
    for (int late = 0; late < 2; late++)
        for (int i = 1; failed || i == 1; i++) {
            amp__test_null_reset();
            if (late)
                amp__test_null_late();
            amp__test_null_fail(i);
            amp_status first;
            failed = program(null, &first);
            assert_int_equal(first, failed ? AMP_ERROR_DEVICE : AMP_OK);
            assert_true(i < 40);
            struct amp__null_counts counts = amp__test_null_counts();
            assert_int_equal(counts.allocations, counts.frees);
            assert_int_equal(counts.events, 0);
            assert_int_equal(counts.lost, 0);
        }
    amp__test_null_reset();
}

/* ---- several threads ---- */

enum { THREADS = 4, ROUNDS = 60, LENGTH = 64 };

struct worker {
    pthread_t thread;
    unsigned seed;
    amp_array_view *common;
    int failed;
};

static unsigned next(unsigned *seed)
{
    return (*seed = *seed * 1664525 + 1013904223) >> 16;
}

/* Works on its own home, on any queue, at once or asynchronously, and reads one that all share. */
static void *stress(void *argument)
{
    struct worker *w = argument;
    int data[LENGTH] = {0}, totals[4] = {0}, expected = 0;
    amp_array_view *x = amp_array_view2(LENGTH, 1, data);
    amp_array_view *t[4];
    for (int i = 0; i < 4; i++)
        t[i] = amp_array_view1(1, &totals[i]);
    atomic_int n_called = 0;
    int n_calls = 0;
    for (int round = 0; round < ROUNDS; round++) {
        amp_accelerator_view *on = queues[next(&w->seed) % 3];
        amp_future *future = NULL;
        switch (next(&w->seed) % 6) {
        case 0:
            future = amp_parallel_for_each_on_async(on, amp_extent1(LENGTH), fill, expected = round, x);
            w->failed += amp_future_then(future, count_call, &n_called) != AMP_OK;
            n_calls++;
            break;
        case 1:
            future = amp_parallel_for_each_on_async(on, amp_extent1(1), sum, w->common, t[round % 4]);
            break;
        case 2:
            w->failed += amp_parallel_for_each_on(on, amp_extent1(LENGTH), fill, expected = -round, x) != AMP_OK;
            break;
        case 3: {
            int *mapped = amp_array_view_map(x, AMP_ACCESS_READ);
            w->failed += !mapped || mapped[next(&w->seed) % LENGTH] != expected;
            w->failed += amp_array_view_unmap(x) != AMP_OK;
            break;
        }
        case 4:
            future = amp_accelerator_view_create_marker(on);
            w->failed += amp_future_wait(future) != AMP_OK;
            break;
        default:
            amp_synchronize(x);
            w->failed += data[next(&w->seed) % LENGTH] != expected;
        }
        if (next(&w->seed) % 8 == 0)
            w->failed += future && amp_future_wait(future) != AMP_OK;
        amp_future_release(future);
    }
    amp_array_view_release(x);
    for (int i = 0; i < 4; i++) {
        amp_array_view_release(t[i]);
        w->failed += totals[i] != 0 && totals[i] != LENGTH;
    }
    w->failed += data[0] != expected;
    while (atomic_load(&n_called) < n_calls)
        sched_yield();
    return NULL;
}

static void test_many_threads(void **state)
{
    (void)state;
    int data[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        data[i] = 1;
    struct worker workers[THREADS];
    amp_array_view *common = amp_array_view2(LENGTH, 1, data);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.seed = (unsigned)i + 1, .common = common};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, stress, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].failed, 0);
    }
    amp_array_view_release(common);
}

static void *release_view(void *view)
{
    amp_accelerator_view_release(view);
    return NULL;
}

static void test_two_threads_release(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        amp_accelerator_view *view = amp_accelerator_create_view(cpu, AMP_QUEUING_MODE_AUTOMATIC);
        if (i % 2)
            amp_future_release(amp_accelerator_view_create_marker(view));
        amp_accelerator_view_retain(view);
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, release_view, view), 0);
        amp_accelerator_view_release(view);
        pthread_join(thread, NULL);
    }
}

/* ---- the end of the process ---- */

static int exit_data[4] = {1, 1, 1, 1};
static amp_array_view *exit_view;
static atomic_int n_uncalled;

/* After the end of main, or exit in a callback, all submitted work is done. */
__attribute__((destructor(101))) static void show(void)
{
    if (exit_view)
        dprintf(STDOUT_FILENO, "%d\n", exit_data[3] + atomic_load(&n_uncalled));
}

static void leave(amp_status status, void *user)
{
    (void)status, (void)user;
    exit(7);
}

/* The callback of work after that callback. */
static void call_behind(amp_status status, void *user)
{
    (void)status, (void)user;
    atomic_fetch_sub(&n_uncalled, 1);
}

static amp_status nap(void *context)
{
    (void)context;
    usleep(20000);
    return AMP_OK;
}

static amp_status blink(void *context)
{
    (void)context;
    usleep(1000);
    return AMP_OK;
}

/* Always keeps work on a queue. */
static void *submit_for_ever(void *unused)
{
    (void)unused;
    amp_accelerator_view *view = amp_accelerator_default_view(amp_accelerator_find("cpu"));
    amp_future *pending[4] = {NULL};
    for (int i = 0;; i = (i + 1) % 4) {
        amp_future_wait(pending[i]);
        amp_future_release(pending[i]);
        pending[i] = amp__queue_submit(view, blink, NULL, NULL, 0, NULL);
    }
    return NULL;
}

/* The test below runs this in a process of its own. */
static int run_to_the_end(const char *how)
{
    amp_accelerator *a = amp_accelerator_find("cpu");
    exit_view = amp_array_view2(4, 1, exit_data);
    for (int i = 0; i < 3; i++) {
        amp_accelerator_view *view = amp_accelerator_create_view(a, AMP_QUEUING_MODE_AUTOMATIC);
        amp_future *future = amp__queue_submit(view, nap, NULL, NULL, 1, &(struct amp__access){exit_view->home, true});
        if (i == 1 && !strcmp(how, "callback")) {
            amp_future_then(future, leave, NULL);
            amp_future *behind = amp_accelerator_view_create_marker(view);
            atomic_fetch_add(&n_uncalled, 1);
            amp_future_then(behind, call_behind, NULL);
            amp_future_release(behind);
        }
        amp_future_release(future);
        amp_future_release(amp_parallel_for_each_on_async(view, amp_extent1(4), fill, 10 + i, exit_view));
        amp_accelerator_view_release(view);
    }
    if (!strcmp(how, "callback"))
        pause();
    if (!strcmp(how, "thread")) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, submit_for_ever, NULL))
            return 1;
        usleep(20000);
        alarm(20);
    }
    if (!strcmp(how, "fork")) { /* the child has no workers, and waits for nobody */
        pid_t child = fork();
        if (child == 0) {
            exit_view = NULL;
            exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        if (status != 0)
            return 1;
    }
    return 7;
}

static void test_end_of_process(void **state)
{
    (void)state;
    static const char *const ways[] = {"main", "callback", "fork", "thread"};
    for (int i = 0; i < 4; i++) {
        char command[200], line[20] = "";
        /* The child would report memory that only the parent's threads know as leaks, and so would the process what a
         * thread is about to submit. */
        snprintf(command, sizeof command, "%s /proc/%d/exe %s", i >= 2 ? "ASAN_OPTIONS=detect_leaks=0" : "",
                 (int)getpid(), ways[i]);
        FILE *output = popen(command, "r");
        assert_non_null(output);
        assert_non_null(fgets(line, sizeof line, output));
        assert_string_equal(line, "12\n");
        int status = pclose(output);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 7);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return run_to_the_end(argv[1]);
    setenv("AMP_NUM_THREADS", "1", 1); /* several host threads; see docs/runtime.md on TSan */
#define TEST(name)      cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define NULL_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_null, tear_down_null)
    const struct CMUnitTest tests[] = {
        TEST(test_one_queue_is_in_order),
        TEST(test_queues_are_independent),
        TEST(test_homes_order_queues),
        TEST(test_readers_overlap),
        TEST(test_wait_and_marker),
        TEST(test_release_while_pending),
        TEST(test_queues_at_rest_cost_nothing),
        TEST(test_waiting_switches_no_threads),
        TEST(test_chosen_threads_pass_it_on),
        TEST(test_little_stack),
        TEST(test_workers_block_signals),
        TEST(test_full_queue),
        TEST(test_callback_fills_its_queue),
        TEST(test_pending_launches_are_small),
        TEST(test_async_launches),
        TEST(test_async_launch_keeps_what_it_needs),
        TEST(test_rounding_is_the_submitters),
        TEST(test_large_argument_block),
        TEST(test_async_errors),
        TEST(test_all_wait_for_launches),
        NULL_TEST(test_device_queue_is_waited_for),
        NULL_TEST(test_memory_outlives_queued_work),
        NULL_TEST(test_readers_on_two_queues),
        NULL_TEST(test_readers_at_once),
        NULL_TEST(test_async_on_a_device),
        NULL_TEST(test_device_gets_work_ahead),
        NULL_TEST(test_device_gets_work_ahead_of_callbacks),
        NULL_TEST(test_many_ask_for_one),
        NULL_TEST(test_release_after_failure),
        NULL_TEST(test_queue_goes_during_its_callback),
        NULL_TEST(test_late_failures),
        NULL_TEST(test_two_failures_of_a_queue),
        TEST(test_every_allocation_fails_once),
        TEST(test_every_call_of_the_device_fails_once),
        TEST(test_many_threads),
        TEST(test_two_threads_release),
        TEST(test_end_of_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
