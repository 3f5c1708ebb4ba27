/* SPDX-License-Identifier: MIT
 * Asynchronous work: its order on one queue and over homes, what waits for it, and who ends when. */
#include "kernels.h"

#include <sched.h>
#include <unistd.h>

static amp_accelerator *cpu;
static amp_accelerator_view *on_cpu, *queues[3];

/* A task that notes its number when it runs, after a gate is open. */
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
    finish(b); /* though the other queue is held up */
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

/* A writer behind all, a reader behind the writers; whatever queue they are on. */
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

/* row: accelerator_view.wait, accelerator_view.marker */
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

/* A view is released while its queue is at work: that goes on. */
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
    /* The same with nobody left who could wait for it. */
    static struct step forgotten;
    view = amp_accelerator_create_view(cpu, AMP_QUEUING_MODE_AUTOMATIC);
    amp_future_release(submit(view, &forgotten, 0, NULL));
    amp_accelerator_view_release(view);
    while (!atomic_load(&forgotten.is_destroyed))
        sched_yield();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_queue_is_in_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_queues_are_independent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_homes_order_queues, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_readers_overlap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wait_and_marker, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_release_while_pending, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
