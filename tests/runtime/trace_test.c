/* SPDX-License-Identifier: MIT
 * AMP_TRACE and AMP_PROFILE inside one process: threads, a device that works late, failures, and no memory. What the
 * files look like, tests/driver/trace.test and profile.test check. */
#include "kernels.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child would report memory that only the parent's threads know as leaks. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

#ifndef __has_feature
#define __has_feature(name) 0
#endif
/* TSan believes that the parent's threads are in its child, too, and that a lock which the child made anew is held. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "report_thread_leaks=0";
}
enum { LAUNCHES_IN_CHILD = !__has_feature(thread_sanitizer) };

enum { N = 64, N_THREADS = 4 };

static char trace_name[64], profile_name[64];
static char *text; /* of the file that was read last */
static amp_accelerator_view *on_null;

/* Begins a trace and a profile. */
static int set_up(void **state)
{
    (void)state;
    snprintf(trace_name, sizeof trace_name, "trace_test.%d.json", (int)getpid());
    snprintf(profile_name, sizeof profile_name, "trace_test.%d.profile.json", (int)getpid());
    setenv("AMP_TRACE", trace_name, 1);
    setenv("AMP_PROFILE", profile_name, 1);
    amp__test_null_reset();
    amp__test_restart();
    on_null = amp_accelerator_default_view(amp_accelerator_find("null"));
    return !on_null;
}

/* Ends them. */
static void end(void)
{
    unsetenv("AMP_TRACE");
    unsetenv("AMP_PROFILE");
    amp__test_restart();
}

static int tear_down(void **state)
{
    (void)state;
    end();
    amp__test_null_reset();
    amp_error_clear();
    unlink(trace_name);
    unlink(profile_name);
    free(text);
    text = NULL;
    return 0;
}

static const char *read_file(const char *name)
{
    struct stat status;
    free(text);
    assert_int_equal(stat(name, &status), 0);
    text = calloc(1, (size_t)status.st_size + 1);
    FILE *file = fopen(name, "r");
    assert_int_equal(fread(text, 1, (size_t)status.st_size, file), status.st_size);
    fclose(file);
    return text;
}

static int count(const char *in, const char *what)
{
    int n = 0;
    for (; (in = strstr(in, what)); in++)
        n++;
    return n;
}

static bool is_whole(const char *trace)
{
    return strncmp(trace, "[\n{", 3) == 0 && strcmp(trace + strlen(trace) - 4, "}\n]\n") == 0;
}

static void *work(void *number)
{
    float data[N] = {0};
    amp_accelerator_view *queue = amp_accelerator_create_view(on_null->accelerator, AMP_QUEUING_MODE_AUTOMATIC);
    amp_array_view *x = amp_array_view1(N, data);
    amp_future *futures[50];
    for (int i = 0; i < 50; i++) {
        amp_parallel_for_each_on((intptr_t)number % 2 ? on_null : queue, amp_extent1(N), scale, 2.0f, x);
        futures[i] = amp_parallel_for_each_on_async(queue, amp_extent1(N), scale, 2.0f, x);
    }
    for (int i = 0; i < 50; i++) {
        amp_future_wait(futures[i]);
        amp_future_release(futures[i]);
    }
    amp_array_view_release(x);
    amp_accelerator_view_release(queue);
    return NULL;
}

/* Everything that several threads do is in both files, also what threads did that are gone. */
static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    end();
    assert_true(is_whole(read_file(trace_name)));
    assert_int_equal(count(text, "\"cat\":\"launch\",\"name\":\"scale\""), N_THREADS * 100);
    assert_int_equal(count(text, "\"name\":\"submit\""), N_THREADS * 50);
    assert_int_equal(count(text, "\"ph\":\"s\""), count(text, "\"ph\":\"f\""));
    assert_int_equal(count(read_file(profile_name), "\"launches\": 400, "), 1);
}

/* The number after `key` in the first object of `in` that has `what`. */
static double number(const char *in, const char *what, const char *key)
{
    const char *object = strstr(in, what), *end_of_object;
    assert_non_null(object);
    while (object > in && *object != '\n')
        object--;
    end_of_object = strchr(object + 1, '\n');
    const char *value = strstr(object, key);
    assert_true(value && value < end_of_object);
    return strtod(value + strlen(key), NULL);
}

/* A late device's times are those of its work, not of the calls. */
static void test_late_device(void **state)
{
    (void)state;
    amp__test_null_late();
    float data[N] = {0};
    amp_array_view *x = amp_array_view1(N, data);
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent1(N), scale, 2.0f, x));
    usleep(20000);
    assert_ok(amp_accelerator_view_wait(on_null));
    amp_array_view_release(x);
    end();
    read_file(trace_name);
    double called = number(text, "\"cat\":\"call\",\"name\":\"scale\"", "\"ts\":");
    double call = number(text, "\"cat\":\"call\",\"name\":\"scale\"", "\"dur\":");
    double ran = number(text, "\"cat\":\"launch\",\"name\":\"scale\"", "\"ts\":");
    double run = number(text, "\"cat\":\"launch\",\"name\":\"scale\"", "\"dur\":");
    assert_true(ran >= called + 20000); /* microseconds */
    assert_true(ran >= called + call && run < ran - called);
    assert_int_equal(count(text, "\"clock\":\"device\""), 3); /* in, launch, out */
    assert_int_equal(count(read_file(profile_name), "\"clock\": \"device\""), 3);
}

/* Work that failed is in the trace and counts in no sum; its flow is whole. */
static void test_failures(void **state)
{
    (void)state;
    float data[N] = {0};
    amp_array_view *x = amp_array_view1(N, data);
    assert_ok(amp_synchronize_to(x, on_null));
    amp__test_null_fail(1);
    assert_int_equal(amp_parallel_for_each_on(on_null, amp_extent1(N), scale, 2.0f, x), AMP_ERROR_DEVICE);
    amp_error_clear();
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent1(N), scale, 2.0f, x));
    amp__test_null_fail(1);
    assert_int_equal(amp_synchronize(x), AMP_ERROR_DEVICE);
    amp_error_clear();
    amp_array_view_release(x);
    end();
    read_file(trace_name);
    assert_int_equal(count(text, "\"cat\":\"launch\""), 2);
    assert_int_equal(count(text, "\"outcome\":\"failure\""), 4); /* a launch and a copy, and their calls */
    assert_int_equal(count(text, "\"ph\":\"s\""), count(text, "\"ph\":\"f\""));
    read_file(profile_name);
    assert_int_equal(count(text, "\"launches\": 1, "), 1);
    /* In, in again for the second launch, and out at the release. */
    assert_int_equal(count(text, "\"copies\": 1, "), 3);
}

/* Without memory for what is watched, the program runs as ever, and the files stay readable. */
static void test_no_memory(void **state)
{
    (void)state;
    float data[N];
    for (int i = 1; i < 40; i++) {
        end();
        set_up(NULL);
        for (int k = 0; k < N; k++)
            data[k] = 1;
        amp_array_view *x = amp_array_view1(N, data);
        amp__test_fail_allocation(i);
        amp_status status = amp_parallel_for_each_on(on_null, amp_extent1(N), scale, 2.0f, x);
        amp__test_fail_allocation(0);
        assert_ok(status == AMP_OK ? amp_synchronize(x) : AMP_OK);
        assert_true(status != AMP_OK || data[N - 1] == 2);
        amp_error_clear();
        amp_array_view_release(x);
        end();
        assert_true(is_whole(read_file(trace_name)));
    }
}

static int launch_and_exit(void)
{
    float data[N] = {0};
    amp_array_view *x = amp_array_view1(N, data);
    amp_status status = amp_parallel_for_each_on(on_null, amp_extent1(N), scale, 2.0f, x);
    amp_array_view_release(x);
    return status != AMP_OK;
}

/* Children write nothing into the file of a parent that has other threads at work. */
static void test_fork(void **state)
{
    (void)state;
    pthread_t thread;
    float data[N] = {0};
    amp_array_view *x = amp_array_view1(N, data);
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent1(N), scale, 2.0f, x));
    pthread_create(&thread, NULL, work, NULL);
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            exit(LAUNCHES_IN_CHILD ? launch_and_exit() : 0);
        }
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    pthread_join(thread, NULL);
    amp_array_view_release(x);
    end();
    assert_true(is_whole(read_file(trace_name)));
    assert_int_equal(count(text, "\"cat\":\"launch\""), 101);
    assert_int_equal(count(text, "\"process_name\""), 2); /* this one and null */
    assert_int_equal(count(read_file(profile_name), "\"launches\": 101, "), 1);
}

/* Names are escaped, and what is no UTF-8 is replaced. */
static void test_json(void **state)
{
    (void)state;
    char json[64];
    assert_string_equal(amp__json_text("a\"b\\c\n\x7f", json, sizeof json), "a\\\"b\\\\c\\u000a\\u007f");
    assert_string_equal(amp__json_text("gr\xc3\xb6\xc3\x9f", json, sizeof json), "gr\xc3\xb6\xc3\x9f");
    assert_string_equal(amp__json_text("\xe2\x82\xac\xf0\x9f\x98\x80", json, sizeof json),
                        "\xe2\x82\xac\xf0\x9f\x98\x80");
    assert_string_equal(amp__json_text("\xc3(\xff\xc0\xaf\xed\xa0\x80", json, sizeof json),
                        "\\ufffd(\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd");
    assert_string_equal(amp__json_text("abc\n", json, 4), "abc");
    assert_string_equal(amp__json_text("ab\n", json, 8), "ab");
}

int main(void)
{
    setenv("AMP_NUM_THREADS", "1", 1); /* several host threads; see docs/runtime.md on TSan */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_late_device, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fork, set_up, tear_down),
        cmocka_unit_test(test_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
