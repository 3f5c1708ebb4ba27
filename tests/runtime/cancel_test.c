/* SPDX-License-Identifier: MIT
 * Threads that are cancelled while they are in the library leave it properly first. */
#include "kernels.h"

#include <fcntl.h>
#include <unistd.h>

/* void shout(amp_index1 idx): prints, and printing is a cancellation point */
struct shout_args {
    int unused;
};
static void shout_run(const void *p, const int *box)
{
    (void)p;
    for (int i = box[4]; i < box[5]; i++)
        amp_printf("%d\n", i);
}
static void shout_bounds(const void *p, long long *bounds)
{
    (void)p, (void)bounds;
}
KERNEL(shout, 90, 1, NULL, {.kind = 0});

static int kept_output[2]; /* standard output and error, which go to /dev/null meanwhile */

static void hush(void)
{
    fflush(stdout);
    int null = open("/dev/null", O_WRONLY);
    for (int i = 0; i < 2; i++) {
        kept_output[i] = dup(i + 1);
        dup2(null, i + 1);
    }
    close(null);
    setvbuf(stdout, NULL, _IOLBF, 0);
}

static void speak(void)
{
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        dup2(kept_output[i], i + 1);
        close(kept_output[i]);
    }
}

static atomic_bool has_returned;

/* Calls a function when the thread's cancellation is due. */
static void *call_cancelled(void *function)
{
    pthread_cancel(pthread_self());
    (*(void (**)(void))function)();
    atomic_store(&has_returned, true);
    pthread_testcancel();
    return NULL;
}

static void check_returns(void (*function)(void))
{
    pthread_t thread;
    void *result = NULL;
    atomic_store(&has_returned, false);
    hush();
    int failed = pthread_create(&thread, NULL, call_cancelled, &function);
    if (!failed)
        pthread_join(thread, &result);
    speak();
    assert_int_equal(failed, 0);
    assert_true(atomic_load(&has_returned));
    assert_ptr_equal(result, PTHREAD_CANCELED);
}

static void launch_on_cpu(void)
{
    amp_launch(amp_accelerator_default_view(amp_accelerator_find("cpu")), amp_extent1(1000), shout, 0, NULL);
}

static void test_a_kernel_prints(void **state)
{
    (void)state;
    shout_kernel.n_params = 0;
    amp__register_kernels(&shout_kernel, 1);
    check_returns(launch_on_cpu);
}

static int data[100];
static amp_array_view *view;

static void copy_to_null(void)
{
    amp_synchronize_to(view, amp_accelerator_default_view(amp_accelerator_find("null")));
}

static void test_a_copy_is_logged(void **state)
{
    (void)state;
    setenv("AMP_LOG", "coherence", 1);
    amp__test_restart();
    view = amp_array_view1(100, data);
    check_returns(copy_to_null);
    unsetenv("AMP_LOG");
    amp__test_restart();
    assert_ok(amp_synchronize(view)); /* nobody has the home's lock */
    amp_array_view_release(view);
}

enum { N_QUEUES = 50 };
static amp_accelerator_view *queues[N_QUEUES];

static void release_queues(void)
{
    for (int i = 0; i < N_QUEUES; i++)
        amp_accelerator_view_release(queues[i]);
}

static void test_queues_end(void **state)
{
    (void)state;
    int n_before = amp__test_null_counts().queues;
    for (int i = 0; i < N_QUEUES; i++) {
        queues[i] = amp_accelerator_create_view(amp_accelerator_find("null"), AMP_QUEUING_MODE_AUTOMATIC);
        amp_future *marker = amp_accelerator_view_create_marker(queues[i]);
        assert_ok(amp_future_wait(marker));
        amp_future_release(marker);
    }
    check_returns(release_queues);
    assert_int_equal(amp__test_null_counts().queues, n_before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_kernel_prints),
        cmocka_unit_test(test_a_copy_is_logged),
        cmocka_unit_test(test_queues_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
