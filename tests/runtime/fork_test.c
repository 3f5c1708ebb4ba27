/* SPDX-License-Identifier: MIT
 * The child of a fork: what works in it, what it is told does not work, and that it never waits for threads that it
 * does not have. Each child has a time limit. */
#include "kernels.h"

#include <sched.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The child would report memory that only the parent's threads know as leaks. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

static amp_accelerator_view *queue;
static atomic_bool gate;

static int set_up(void **state)
{
    (void)state;
    amp_error_clear();
    atomic_store(&gate, false);
    queue = amp_accelerator_create_view(amp_accelerator_find("cpu"), AMP_QUEUING_MODE_AUTOMATIC);
    return !queue;
}

static int tear_down(void **state)
{
    (void)state;
    atomic_store(&gate, true);
    amp_accelerator_view_release(queue);
    return 0;
}

static amp_status wait_at_gate(void *context)
{
    (void)context;
    while (!atomic_load(&gate))
        sched_yield();
    return AMP_OK;
}

/* Runs `child(context)` in a child process and returns its result: 0 if all is well, else the line of the failure. */
static int in_child(int (*child)(void *context), void *context)
{
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        alarm(20);
        exit(child(context));
    }
    int status;
    waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

#define CHECK(condition)                                                                                               \
    if (!(condition))                                                                                                  \
    return __LINE__ % 250 + 1

#define CHECK_LOST(status)                                                                                             \
    CHECK((status) == AMP_ERROR_ACCELERATOR_VIEW_REMOVED &&                                                            \
          amp_error_status() == AMP_ERROR_ACCELERATOR_VIEW_REMOVED && strstr(amp_error_text(), "child of fork"));      \
    amp_error_clear()

/* ---- a parent with queues at work ---- */

struct parent {
    amp_array_view *busy, *idle;
    amp_future *pending, *done, *marker;
    int idle_data[4];
};

static void note_call(amp_status status, void *user)
{
    *(amp_status *)user = status;
}

static int use_futures(struct parent *parent)
{
    amp_status told = AMP_OK;
    /* Work that was done is ready; the rest will never be done. */
    CHECK(amp_future_is_ready(parent->done) && amp_future_wait(parent->done) == AMP_OK);
    CHECK(amp_future_is_ready(parent->pending) && amp_future_is_ready(parent->marker));
    CHECK_LOST(amp_future_wait(parent->pending));
    CHECK_LOST(amp_future_wait(parent->marker));
    CHECK(amp_future_wait_for(parent->pending, 1e9) && amp_future_wait_for(parent->pending, 0));
    CHECK(amp_future_status(parent->pending) == AMP_ERROR_ACCELERATOR_VIEW_REMOVED);
    CHECK_LOST(amp_future_then(parent->pending, note_call, &told));
    CHECK(amp_future_then(parent->done, note_call, &told) == AMP_OK && told == AMP_OK);
    /* The queue reports it once. */
    CHECK_LOST(amp_accelerator_view_wait(queue));
    CHECK(amp_accelerator_view_wait(queue) == AMP_OK);
    CHECK(amp_accelerator_view_flush(queue) == AMP_OK);
    return 0;
}

static int submit(struct parent *parent)
{
    int data[4];
    CHECK_LOST(amp_parallel_for_each_async(amp_extent1(4), fill, 1, parent->idle) ? AMP_OK : amp_error_status());
    CHECK_LOST(amp_accelerator_view_create_marker(queue) ? AMP_OK : amp_error_status());
    CHECK_LOST(amp_synchronize_async(parent->idle) ? AMP_OK : amp_error_status());
    CHECK_LOST(amp_copy_to_async(parent->idle, data, 4) ? AMP_OK : amp_error_status());
    return 0;
}

static int use_views(struct parent *parent)
{
    int data[4] = {1, 2, 3, 4}, total = 0;
    /* Data that the lost work uses is in an unknown state. */
    CHECK_LOST(amp_parallel_for_each(amp_extent1(4), fill, 1, parent->busy));
    CHECK_LOST(amp_synchronize(parent->busy));
    CHECK_LOST(amp_refresh(parent->busy));
    CHECK_LOST(amp_discard_data(parent->busy));
    CHECK_LOST(amp_copy_to(parent->busy, data, 4));
    CHECK(!amp_array_view_map(parent->busy, AMP_ACCESS_READ));
    CHECK_LOST(amp_error_status());
    /* Everything else works, even on the queue that had that work. */
    CHECK(amp_parallel_for_each_on(queue, amp_extent1(4), fill, 7, parent->idle) == AMP_OK);
    CHECK(amp_synchronize(parent->idle) == AMP_OK && parent->idle_data[3] == 7);
    amp_array_view *x = amp_array_view2(2, 2, data), *t = amp_array_view1(1, &total);
    CHECK(amp_parallel_for_each(amp_extent1(1), sum, x, t) == AMP_OK && amp_synchronize(t) == AMP_OK && total == 10);
    amp_array_view_release(x);
    amp_array_view_release(t);
    return 0;
}

static int be_child(void *context)
{
    struct parent *parent = context;
    int wrong = use_futures(parent);
    wrong = wrong ? wrong : submit(parent);
    wrong = wrong ? wrong : use_views(parent);
    /* Releasing waits for nobody, and cannot fail. */
    amp_array_view_release(parent->busy);
    amp_future_release(parent->pending);
    amp_future_release(parent->done);
    amp_future_release(parent->marker);
    amp_accelerator_view_release(queue);
    CHECK(wrong || amp_error_status() == AMP_OK);
    return wrong;
}

static int do_nothing(void *context)
{
    (void)context;
    return 0;
}

static void test_child_is_told(void **state)
{
    (void)state;
    static struct parent parent;
    int data[4] = {0};
    parent.busy = amp_array_view2(4, 1, data);
    parent.idle = amp_array_view2(4, 1, parent.idle_data);
    parent.done = amp_accelerator_view_create_marker(queue);
    assert_ok(amp_future_wait(parent.done));
    amp_future *held = amp__queue_submit(queue, wait_at_gate, NULL, NULL, 0, NULL);
    parent.pending = amp_parallel_for_each_on_async(queue, amp_extent1(4), fill, 5, parent.busy);
    parent.marker = amp_accelerator_view_create_marker(queue);
    assert_int_equal(in_child(be_child, &parent), 0);
    assert_int_equal(in_child(do_nothing, NULL), 0);
    /* The parent goes on. */
    atomic_store(&gate, true);
    assert_ok(amp_future_wait(parent.pending));
    assert_ok(amp_synchronize(parent.busy));
    assert_int_equal(data[3], 5);
    amp_future_release(held);
    amp_future_release(parent.pending);
    amp_future_release(parent.done);
    amp_future_release(parent.marker);
    amp_array_view_release(parent.busy);
    amp_array_view_release(parent.idle);
}

/* ---- a fork in a callback ---- */

static atomic_int child_status;
static void fork_in_callback(amp_status status, void *user)
{
    (void)status, (void)user;
    pid_t process = fork();
    if (process == 0) {
        alarm(20);
#if __has_feature(thread_sanitizer) /* TSan does not survive the end of the last thread */
        _exit(0);
#endif
        return; /* the child ends with its only thread */
    }
    int result;
    waitpid(process, &result, 0);
    atomic_store(&child_status, WIFEXITED(result) ? WEXITSTATUS(result) : -WTERMSIG(result));
}

static void test_fork_in_callback(void **state)
{
    (void)state;
    atomic_store(&child_status, -1);
    amp_future *held = amp__queue_submit(queue, wait_at_gate, NULL, NULL, 0, NULL);
    amp_future *behind = amp_accelerator_view_create_marker(queue);
    assert_ok(amp_future_then(held, fork_in_callback, NULL));
    atomic_store(&gate, true);
    assert_ok(amp_future_wait(behind));
    assert_int_equal(atomic_load(&child_status), 0);
    amp_future_release(held);
    amp_future_release(behind);
}

/* ---- a parent that launches, registers and moves data at the moment of the fork ---- */

static atomic_bool is_over;
static amp_array_view *shared;

static void *launch(void *unused)
{
    (void)unused;
    int data[4] = {0};
    amp_array_view *x = amp_array_view2(4, 1, data);
    while (!atomic_load(&is_over)) {
        assert_int_equal(amp_parallel_for_each(amp_extent1(4), fill, 1, x), AMP_OK);
        amp_discard_data(x);
        amp_discard_data(shared);
    }
    amp_array_view_release(x);
    return NULL;
}

static void *come_and_go(void *unused)
{
    (void)unused;
    struct amp__kernel kernel = scale_kernel;
    kernel.address = (amp_kernel)(uintptr_t)come_and_go;
    while (!atomic_load(&is_over)) {
        amp__register_kernels(&kernel, 1);
        amp__unregister_kernels(&kernel, 1);
    }
    return NULL;
}

static void *submit_and_wait(void *unused)
{
    (void)unused;
    while (!atomic_load(&is_over)) {
        amp_future *future = amp_accelerator_view_create_marker(queue);
        amp_future_wait(future);
        amp_future_release(future);
    }
    return NULL;
}

static int launch_once(void *unused)
{
    (void)unused;
    int data[4] = {0};
    amp_array_view *x = amp_array_view2(4, 1, data);
    CHECK(amp_parallel_for_each(amp_extent1(4), fill, 3, x) == AMP_OK && amp_synchronize(x) == AMP_OK && data[3] == 3);
    CHECK(amp_discard_data(shared) == AMP_OK); /* another thread may have held its lock */
    amp_array_view_release(x);
    return 0;
}

static void test_fork_at_any_moment(void **state)
{
    (void)state;
    enum { N = 60, SECONDS = 4 }; /* sanitizers make a fork slow */
    static void *(*const others[])(void *) = {launch, come_and_go, submit_and_wait};
    static int data[4];
    pthread_t threads[3];
    shared = amp_array_view2(4, 1, data);
    atomic_store(&is_over, false);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, others[i], NULL), 0);
    time_t end = time(NULL) + SECONDS;
    for (int i = 0; i < N && time(NULL) < end; i++)
        assert_int_equal(in_child(i % 2 ? launch_once : do_nothing, NULL), 0);
    atomic_store(&is_over, true);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    amp_array_view_release(shared);
}

/* ---- a fork while another thread works on a view's data ---- */

static int use_home(void *view)
{
    unsigned data[4];
    amp_array_view *words = amp_array_view_reinterpret_as(view, unsigned);
    CHECK(words && amp_copy_to(words, data, 4) == AMP_OK);
    CHECK(amp_synchronize(view) == AMP_OK && amp_refresh(view) == AMP_OK);
    amp_array_view_release(words);
    return 0;
}

static void test_fork_with_home_locked(void **state)
{
    (void)state;
    int data[4] = {0};
    amp_array_view *view = amp_array_view1(4, data);
    pthread_mutex_lock(&view->home->lock);
    int status = in_child(use_home, view);
    pthread_mutex_unlock(&view->home->lock);
    assert_int_equal(status, 0);
    amp_array_view_release(view);
}

/* ---- a fork while another thread moves sections ---- */

enum { ROWS = 8, COLUMNS = 4 };
static amp_array_view *matrix, *rows[ROWS]; /* all elements of row i are i, wherever it is */

static void *move_rows(void *unused)
{
    (void)unused;
    amp_accelerator_view *on[] = {amp_accelerator_default_view(amp_accelerator_find("null")),
                                  amp_accelerator_default_view(amp_accelerator_find("cpu"))};
    for (int i = 0; !atomic_load(&is_over); i++)
        amp_parallel_for_each_on(on[i / ROWS % 2], amp_extent1(1), fill, i * 3 % ROWS, rows[i * 3 % ROWS]);
    return NULL;
}

static int read_rows(void *unused)
{
    (void)unused;
    const struct amp__home *home = matrix->home;
    size_t n_bytes = 0;
    for (int i = 0; i < home->parts.n; i++) {
        n_bytes += amp__box_bytes(&home->grid, &home->parts.of[i].box);
        CHECK(home->parts.of[i].places != 0);
    }
    CHECK(n_bytes == home->size_bytes);
    int found[ROWS][COLUMNS];
    CHECK(amp_copy(&found[0][0], matrix) == AMP_OK);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        CHECK(found[i / COLUMNS][i % COLUMNS] == i / COLUMNS);
    return 0;
}

static void test_fork_while_sections_move(void **state)
{
    (void)state;
    enum { N = 60, SECONDS = 4 };
    static int data[ROWS][COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++)
        data[i / COLUMNS][i % COLUMNS] = i / COLUMNS;
    matrix = amp_array_view2(ROWS, COLUMNS, &data[0][0]);
    for (int i = 0; i < ROWS; i++)
        rows[i] = amp_array_view_section2(matrix, i, 0, 1, COLUMNS);
    atomic_store(&is_over, false);
    pthread_t mover;
    assert_int_equal(pthread_create(&mover, NULL, move_rows, NULL), 0);
    time_t end = time(NULL) + SECONDS;
    for (int i = 0; i < N && time(NULL) < end; i++)
        assert_int_equal(in_child(read_rows, NULL), 0);
    atomic_store(&is_over, true);
    pthread_join(mover, NULL);
    for (int i = 0; i < ROWS; i++)
        amp_array_view_release(rows[i]);
    amp_array_view_release(matrix);
}

int main(void)
{
    setenv("AMP_NUM_THREADS", "1", 1);
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_child_is_told),         TEST(test_fork_in_callback),         TEST(test_fork_at_any_moment),
        TEST(test_fork_with_home_locked), TEST(test_fork_while_sections_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
