/* SPDX-License-Identifier: MIT
 * Futures: waiting, outcomes, callbacks, and what happens to those that are dropped. */
#include "kernels.h"

#include <sched.h>
#include <time.h>

static amp_accelerator_view *on;

static int set_up(void **state)
{
    (void)state;
    amp_error_clear();
    on = amp_accelerator_create_view(amp_accelerator_find("cpu"), AMP_QUEUING_MODE_AUTOMATIC);
    return !on;
}

static int tear_down(void **state)
{
    (void)state;
    amp_accelerator_view_release(on);
    amp__test_keep_released(false);
    return 0;
}

/* An operation that waits at a gate and then succeeds or fails. */
static atomic_bool gate;
static amp_status pass(void *context)
{
    (void)context;
    while (!atomic_load(&gate))
        sched_yield();
    return AMP_OK;
}
static amp_status go_wrong(void *context)
{
    pass(NULL);
    return amp__fail(AMP_ERROR_SHAPE, "operation %d fails", *(int *)context);
}

static amp_future *start(bool is_open)
{
    atomic_store(&gate, is_open);
    amp_future *future = amp__queue_submit(on, pass, NULL, NULL, 0, NULL);
    assert_non_null(future);
    return future;
}

static amp_future *start_failure(bool is_open, int *number)
{
    atomic_store(&gate, is_open);
    amp_future *future = amp__queue_submit(on, go_wrong, NULL, number, 0, NULL);
    assert_non_null(future);
    return future;
}

/* row: future.wait, future.copy */
static void test_wait(void **state)
{
    (void)state;
    amp_future *future = start(false);
    assert_ptr_equal(amp_future_retain(future), future);
    amp_future_release(future);
    assert_false(amp_future_is_ready(future));
    atomic_store(&gate, true);
    for (int i = 0; i < 2; i++) {
        assert_ok(amp_future_wait(future));
        assert_true(amp_future_is_ready(future));
        assert_ok(amp_future_status(future));
    }
    amp_future_release(future);
    assert_null(amp_future_retain(NULL));
    amp_future_release(NULL);
    assert_int_equal(amp_error_status(), AMP_OK);
}

/* row: future.get */
static void test_failure_comes_with_its_text(void **state)
{
    (void)state;
    int number = 1;
    amp_future *future = start_failure(false, &number);
    assert_int_equal(amp_future_status(future), AMP_ERROR_BUSY);
    atomic_store(&gate, true);
    assert_error(amp_future_wait(future), AMP_ERROR_SHAPE, "operation 1 fails");
    /* Asking for the status does not set the thread's error. */
    assert_int_equal(amp_future_status(future), AMP_ERROR_SHAPE);
    assert_int_equal(amp_error_status(), AMP_OK);
    /* The first error stays. */
    amp__fail(AMP_ERROR_RANK, "something before");
    assert_int_equal(amp_future_wait(future), AMP_ERROR_SHAPE);
    assert_string_equal(amp_error_text(), "something before");
    amp_error_clear();
    amp_future_release(future);
    /* The next operation on the worker begins without an error. */
    future = start(true);
    assert_int_equal(amp_future_wait(future), AMP_OK);
    amp_future_release(future);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* row: future.wait_for */
static void test_timed_wait(void **state)
{
    (void)state;
    amp_future *future = start(false);
    double begin = now();
    assert_false(amp_future_wait_for(future, 0.03));
    assert_true(now() - begin >= 0.03);
    begin = now();
    assert_false(amp_future_wait_for(future, 0) || amp_future_wait_for(future, -1) ||
                 amp_future_wait_for(future, -INFINITY) || amp_future_wait_for(future, NAN));
    assert_true(now() - begin < 5);
    atomic_store(&gate, true);
    assert_true(amp_future_wait_for(future, INFINITY));
    assert_true(amp_future_wait_for(future, 0));
    amp_future_release(future);
    future = start(true);
    assert_true(amp_future_wait_for(future, 1e300));
    amp_future_release(future);
}

struct calls {
    atomic_int n;
    int order[8];
    amp_status status[8];
    char text[8][64];
    pthread_t thread[8];
};
struct call {
    struct calls *calls;
    int number;
};

static void note(amp_status status, void *user)
{
    const struct call *call = user;
    struct calls *calls = call->calls;
    int i = atomic_load(&calls->n);
    calls->order[i] = call->number;
    calls->status[i] = status;
    snprintf(calls->text[i], sizeof calls->text[i], "%s", amp_error_text());
    calls->thread[i] = pthread_self();
    atomic_store(&calls->n, i + 1);
}

static void wait_for_calls(struct calls *calls, int n)
{
    while (atomic_load(&calls->n) < n)
        sched_yield();
}

/* row: future.then */
static void test_callbacks(void **state)
{
    (void)state;
    struct calls calls = {0};
    struct call call[4] = {{&calls, 0}, {&calls, 1}, {&calls, 2}, {&calls, 3}};
    int number = 2;
    amp_future *future = start_failure(false, &number);
    for (int i = 0; i < 3; i++)
        assert_ok(amp_future_then(future, note, &call[i]));
    assert_int_equal(atomic_load(&calls.n), 0);
    atomic_store(&gate, true);
    wait_for_calls(&calls, 3);
    /* If the future is ready, the callback is called at once on this thread, whose own error is set aside meanwhile. */
    assert_true(amp_future_is_ready(future));
    amp__fail(AMP_ERROR_RANK, "something before");
    assert_ok(amp_future_then(future, note, &call[3]));
    assert_error(amp_error_status(), AMP_ERROR_RANK, "something before");
    assert_int_equal(atomic_load(&calls.n), 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(calls.order[i], i);
        assert_int_equal(calls.status[i], AMP_ERROR_SHAPE);
        assert_string_equal(calls.text[i], "operation 2 fails");
        assert_int_equal(pthread_equal(calls.thread[i], pthread_self()) != 0, i == 3);
    }
    amp_future_release(future);
    /* A failure that a callback was told is not reported by the queue. */
    assert_ok(amp_accelerator_view_wait(on));
}

static void test_callback_of_dropped_future(void **state)
{
    (void)state;
    struct calls calls = {0};
    struct call call = {&calls, 7};
    amp_future *future = start(false);
    assert_ok(amp_future_then(future, note, &call));
    amp_future_release(future);
    atomic_store(&gate, true);
    wait_for_calls(&calls, 1);
    assert_int_equal(calls.order[0], 7);
    assert_int_equal(calls.status[0], AMP_OK);
    assert_string_equal(calls.text[0], "");
}

/* A callback may do anything, even wait for later work on the same queue. */
static atomic_int nested;
static void work_in_callback(amp_status status, void *user)
{
    float *data = user;
    assert_int_equal(status, AMP_OK);
    amp_array_view *x = amp_array_view1(4, data);
    amp_future *launch = amp_parallel_for_each_on_async(on, amp_extent1(4), scale, 2.0f, x);
    amp_future *marker = amp_accelerator_view_create_marker(on);
    assert_int_equal(amp_future_wait(marker), AMP_OK); /* after us on this queue */
    assert_true(amp_future_is_ready(launch));
    assert_int_equal(amp_parallel_for_each_on(on, amp_extent1(4), scale, 3.0f, x), AMP_OK);
    amp_future_release(amp_parallel_for_each_on_async(on, amp_extent1(4), scale, 5.0f, x));
    amp_future_release(launch);
    amp_future_release(marker);
    amp_array_view_release(x); /* waits */
    assert_true(data[1] == 30);
    assert_int_equal(amp_accelerator_view_wait(on), AMP_OK);
    atomic_fetch_add(&nested, 1);
}

static void test_callbacks_may_wait(void **state)
{
    (void)state;
    enum { N = 5 };
    float data[N][4];
    amp_future *futures[N];
    atomic_store(&gate, false);
    atomic_store(&nested, 0);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < 4; j++)
            data[i][j] = (float)j;
        futures[i] = start(false);
        assert_ok(amp_future_then(futures[i], work_in_callback, data[i]));
    }
    atomic_store(&gate, true);
    for (int i = 0; i < N; i++) {
        assert_ok(amp_future_wait(futures[i]));
        amp_future_release(futures[i]);
    }
    while (atomic_load(&nested) < N)
        sched_yield();
}

/* A wait with a limit also runs the queue's tasks; one with limit 0 runs one task. */
static atomic_bool has_found;
static void wait_for_a_while(amp_status status, void *user)
{
    amp_future **behind = user;
    assert_int_equal(status, AMP_OK);
    double begin = now();
    while (!amp_future_wait_for(behind[0], 0.001) && now() - begin < 5)
        ;
    while (!amp_future_wait_for(behind[1], 0) && now() - begin < 5)
        ;
    assert_true(now() - begin < 5);
    begin = now();
    assert_false(amp_future_wait_for(behind[2], 0.02)); /* on another queue */
    assert_true(now() - begin >= 0.02);
    atomic_store(&has_found, true);
}

static amp_status pass_slowly(void *is_open)
{
    while (!atomic_load((atomic_bool *)is_open))
        sched_yield();
    return AMP_OK;
}

static void test_timed_wait_in_callback(void **state)
{
    (void)state;
    amp_accelerator_view *other = amp_accelerator_create_view(on->accelerator, AMP_QUEUING_MODE_AUTOMATIC);
    atomic_store(&has_found, false);
    amp_future *first = start(false);
    amp_future *behind[3] = {amp_accelerator_view_create_marker(on), amp_accelerator_view_create_marker(on),
                             amp__queue_submit(other, pass_slowly, NULL, &has_found, 0, NULL)};
    assert_ok(amp_future_then(first, wait_for_a_while, behind));
    atomic_store(&gate, true);
    while (!atomic_load(&has_found))
        sched_yield();
    for (int i = 0; i < 3; i++) {
        assert_ok(amp_future_wait(behind[i]));
        amp_future_release(behind[i]);
    }
    amp_future_release(first);
    amp_accelerator_view_release(other);
}

/* A marker comes after the callbacks before it, even if the first of them waits meanwhile. */
static atomic_bool may_return;
static atomic_int n_before_marker;
static void wait_for_queue_and_gate(amp_status status, void *user)
{
    (void)status;
    assert_int_equal(amp_accelerator_view_wait(on), AMP_OK);
    assert_true(amp_future_is_ready(user)); /* in a callback nothing else can be waited for */
    assert_int_equal(amp_future_wait(user), AMP_OK);
    while (!atomic_load(&may_return))
        sched_yield();
    atomic_fetch_add(&n_before_marker, 1);
}
static void call_before_marker(amp_status status, void *user)
{
    (void)status, (void)user;
    atomic_fetch_add(&n_before_marker, 1);
}

static void test_marker_is_behind_callbacks(void **state)
{
    (void)state;
    atomic_store(&may_return, false);
    atomic_store(&n_before_marker, 0);
    amp_future *first = start(false), *second = amp__queue_submit(on, pass, NULL, NULL, 0, NULL);
    amp_future *marker = amp_accelerator_view_create_marker(on);
    struct calls calls = {0};
    struct call call = {&calls, 3};
    assert_ok(amp_future_then(first, wait_for_queue_and_gate, marker));
    assert_ok(amp_future_then(second, call_before_marker, NULL));
    assert_ok(amp_future_then(marker, note, &call));
    atomic_store(&gate, true);
    assert_ok(amp_future_wait(second)); /* it has run, and the marker after it */
    assert_false(amp_future_wait_for(marker, 0.05));
    assert_int_equal(amp_future_status(marker), AMP_ERROR_BUSY);
    assert_int_equal(atomic_load(&n_before_marker), 0);
    atomic_store(&may_return, true);
    assert_ok(amp_future_wait(marker));
    assert_int_equal(atomic_load(&n_before_marker), 2);
    wait_for_calls(&calls, 1);
    assert_ok(amp_accelerator_view_wait(on));
    amp_future_release(first);
    amp_future_release(second);
    amp_future_release(marker);
}

/* Callbacks that wait for later work are called one after the other, however many there are. */
static atomic_int n_in_callbacks, n_called_back;
static void wait_in_callback(amp_status status, void *user)
{
    (void)user;
    assert_int_equal(status, AMP_OK);
    assert_int_equal(atomic_fetch_add(&n_in_callbacks, 1), 0);
    assert_int_equal(amp_accelerator_view_wait(on), AMP_OK);
    atomic_fetch_sub(&n_in_callbacks, 1);
    atomic_fetch_add(&n_called_back, 1);
}

static void test_many_callbacks_wait(void **state)
{
    (void)state;
    enum { N = 10000 };
    atomic_store(&n_called_back, 0);
    amp_future *first = start(false);
    assert_ok(amp_future_then(first, wait_in_callback, NULL));
    amp_future_release(first);
    for (int i = 1; i < N; i++) {
        amp_future *future = amp__queue_submit(on, pass, NULL, NULL, 0, NULL);
        assert_ok(amp_future_then(future, wait_in_callback, NULL));
        amp_future_release(future);
    }
    atomic_store(&gate, true);
    while (atomic_load(&n_called_back) < N)
        sched_yield();
}

/* A callback drops the last handle of its own queue. */
static atomic_bool is_dropped;
static void drop_queue(amp_status status, void *user)
{
    (void)status;
    amp_accelerator_view_release(user);
    atomic_store(&is_dropped, true);
}

static void test_callback_releases_its_queue(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        amp_accelerator_view *view =
            amp_accelerator_create_view(amp_accelerator_find("cpu"), AMP_QUEUING_MODE_AUTOMATIC);
        atomic_store(&gate, false);
        atomic_store(&is_dropped, false);
        amp_future *future = amp__queue_submit(view, pass, NULL, NULL, 0, NULL);
        assert_ok(amp_future_then(future, drop_queue, view));
        amp_future_release(future);
        atomic_store(&gate, true);
        while (!atomic_load(&is_dropped))
            sched_yield();
    }
}

static void test_dropped_failures_stay_with_the_queue(void **state)
{
    (void)state;
    int numbers[] = {0, 1, 2};
    /* One future is asked, and two are dropped, one before and one after its end. */
    amp_future *asked = start_failure(true, &numbers[0]);
    assert_int_equal(amp_future_wait(asked), AMP_ERROR_SHAPE);
    amp_error_clear();
    amp_future *dropped = start_failure(true, &numbers[1]);
    while (!amp_future_is_ready(dropped))
        sched_yield();
    amp_future_release(dropped);
    amp_future_release(start_failure(true, &numbers[2]));
    amp_future_release(asked);
    assert_error(amp_accelerator_view_wait(on), AMP_ERROR_SHAPE, "operation 1 fails");
    /* The queue reports a failure once. */
    assert_ok(amp_accelerator_view_wait(on));
    /* The failure is known when the wait is over, whichever thread runs the operation. */
    for (int i = 0; i < 20000; i++) {
        amp_future_release(start_failure(true, &numbers[2]));
        assert_error(amp_accelerator_view_wait(on), AMP_ERROR_SHAPE, "operation 2 fails");
    }
}

static void test_wrong_handles(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "amp_future_wait: the future is NULL",     "amp_future_wait_for: the future is NULL",
        "amp_future_is_ready: the future is NULL", "amp_future_status: the future is NULL",
        "amp_future_then: the future is NULL",
    };
    struct call call = {NULL, 0};
    for (int i = 0; i < 5; i++) {
        amp_error_clear();
        i == 0   ? assert_int_equal(amp_future_wait(NULL), AMP_ERROR_NULL)
        : i == 1 ? assert_false(amp_future_wait_for(NULL, 1))
        : i == 2 ? assert_false(amp_future_is_ready(NULL))
        : i == 3 ? assert_int_equal(amp_future_status(NULL), AMP_ERROR_NULL)
                 : assert_int_equal(amp_future_then(NULL, note, &call), AMP_ERROR_NULL);
        assert_error(amp_error_status(), AMP_ERROR_NULL, texts[i]);
    }
    amp_error_clear();
    amp_future *future = start(true);
    assert_error(amp_future_then(future, NULL, NULL), AMP_ERROR_NULL, "amp_future_then: the callback is NULL");
    /* A handle of something else. */
    assert_error(amp_future_wait((amp_future *)on), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_future_wait: the handle is an accelerator_view, where a future is expected");
    assert_error(amp_accelerator_view_wait((amp_accelerator_view *)future), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_accelerator_view_wait: the handle is a future, where an accelerator_view is expected");
    int64_t other[64] = {0};
    assert_error(amp_future_wait((amp_future *)other), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_future_wait: the handle is no future of libamp");
    amp_future_release((amp_future *)on);
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_future_release: the handle is an accelerator_view, where a future is expected");
    /* Released too often while the operation runs: the last reference is the queue's. */
    amp_error_clear();
    amp_future *pending = start(false);
    amp_future_release(pending);
    amp_future_release(pending);
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT, "amp_future_release: the future was released");
    atomic_store(&gate, true);
    assert_ok(amp_accelerator_view_wait(on));
    /* A released future. */
    assert_ok(amp_future_wait(future));
    assert_ok(amp_accelerator_view_wait(on)); /* the queue's own reference is gone */
    amp__test_keep_released(true);
    amp_future_release(future);
    assert_error(amp_future_wait(future), AMP_ERROR_INVALID_ARGUMENT, "amp_future_wait: the future was released");
    amp_future_release(future);
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT, "amp_future_release: the future was released");
    amp_accelerator_view *view = amp_accelerator_create_view(amp_accelerator_find("cpu"), AMP_QUEUING_MODE_AUTOMATIC);
    amp_accelerator_view_release(view);
    assert_error(amp_accelerator_view_wait(view), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_accelerator_view_wait: the accelerator_view was released");
    assert_null(amp_accelerator_view_create_marker(view));
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_accelerator_view_create_marker: the accelerator_view was released");
}

static void *release_there(void *future)
{
    amp_future_wait(future);
    amp_future_release(future);
    return NULL;
}

static void test_two_threads_release(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        amp_future *future = amp_future_retain(start(i % 2));
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, release_there, future), 0);
        atomic_store(&gate, true);
        amp_future_release(future);
        pthread_join(thread, NULL);
    }
}

static void count(amp_status status, void *n_called)
{
    (void)status;
    atomic_fetch_add((atomic_int *)n_called, 1);
}

/* Callbacks that are added while the worker calls earlier ones. */
static void test_callbacks_of_future_that_becomes_ready(void **state)
{
    (void)state;
    enum { N_CALLBACKS = 40 };
    atomic_int n_called = 0;
    int n = 0;
    time_t end = time(NULL) + 2;
    for (; time(NULL) < end; n += N_CALLBACKS) {
        amp_future *future = start(false);
        for (int i = 0; i < N_CALLBACKS; i++) {
            assert_int_equal(amp_future_then(future, count, &n_called), AMP_OK);
            if (i == N_CALLBACKS / 4)
                atomic_store(&gate, true);
        }
        amp_future_release(future);
        amp__queue_finish(on);
    }
    amp_future *marker = amp_accelerator_view_create_marker(on);
    assert_ok(amp_future_wait(marker));
    amp_future_release(marker);
    assert_int_equal(atomic_load(&n_called), n);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_wait),
        TEST(test_failure_comes_with_its_text),
        TEST(test_timed_wait),
        TEST(test_callbacks),
        TEST(test_callback_of_dropped_future),
        TEST(test_callbacks_may_wait),
        TEST(test_timed_wait_in_callback),
        TEST(test_marker_is_behind_callbacks),
        TEST(test_many_callbacks_wait),
        TEST(test_callback_releases_its_queue),
        TEST(test_dropped_failures_stay_with_the_queue),
        TEST(test_wrong_handles),
        TEST(test_two_threads_release),
        TEST(test_callbacks_of_future_that_becomes_ready),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
