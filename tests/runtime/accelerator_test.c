/* SPDX-License-Identifier: MIT
 * Enumerating accelerators, the default one, and the environment. */
#include "kernels.h"

#include <unistd.h>

static int restart(void **state)
{
    (void)state;
    unsetenv("AMP_DEFAULT_ACCELERATOR");
    unsetenv("AMP_NUM_THREADS");
    unsetenv("AMP_ISA");
    unsetenv("AMP_LOG");
    amp_error_clear();
    amp__test_restart();
    return 0;
}

static void set(const char *variable, const char *value)
{
    setenv(variable, value, 1);
    amp__test_restart();
}

static amp_status launch(void)
{
    float data[4] = {1, 2, 3, 4};
    amp_array_view *x = amp_array_view1(4, data);
    amp_status status = amp_parallel_for_each(amp_extent1(4), scale, 2.0f, x);
    amp_array_view_release(x);
    return status;
}

static void test_enumerate(void **state)
{
    (void)state;
    assert_int_equal(amp_accelerator_count(), 2);
    assert_ptr_equal(amp_accelerator_get(0), amp_accelerator_find("cpu"));
    assert_ptr_equal(amp_accelerator_get(1), amp_accelerator_find("null"));
    assert_null(amp_accelerator_get(2));
    assert_error(amp_error_status(), AMP_ERROR_OUT_OF_RANGE,
                 "amp_accelerator_get: there is no accelerator 2; there are 0 to 1");
    assert_null(amp_accelerator_get(-1));
    amp_error_clear();
    assert_null(amp_accelerator_find("gpu"));
    assert_error(amp_error_status(), AMP_ERROR_NO_ACCELERATOR, "there is no accelerator \"gpu\"; there are: cpu, null");
    assert_null(amp_accelerator_find(NULL));
    assert_int_equal(amp_error_status(), AMP_ERROR_NULL);
}

static void test_properties(void **state)
{
    (void)state;
    const amp_accelerator_properties *cpu = amp_accelerator_info(amp_accelerator_find("cpu"));
    assert_string_equal(cpu->path, "cpu");
    assert_non_null(strstr(cpu->description, "thread"));
    assert_true(cpu->n_threads >= 1);
    assert_true(cpu->dedicated_memory_bytes > 1 << 20);
    assert_true(cpu->supports_cpu_shared_memory && cpu->supports_double_precision && !cpu->is_emulated);
    const amp_accelerator_properties *null = amp_accelerator_info(amp_accelerator_find("null"));
    assert_true(null->is_emulated && !null->supports_cpu_shared_memory);
    assert_null(amp_accelerator_info(NULL));
    assert_int_equal(amp_error_status(), AMP_ERROR_NULL);
}

static void test_queues(void **state)
{
    (void)state;
    amp_accelerator *cpu = amp_accelerator_find("cpu");
    amp_accelerator_view *view = amp_accelerator_default_view(cpu);
    assert_ptr_equal(amp_accelerator_default_view(cpu), view);
    assert_ptr_equal(amp_accelerator_view_accelerator(view), cpu);
    assert_null(amp_accelerator_default_view(NULL));
    assert_null(amp_accelerator_view_accelerator(NULL));
}

static void test_default_is_cpu(void **state)
{
    (void)state;
    assert_ptr_equal(amp_accelerator_default(), amp_accelerator_find("cpu"));
    assert_ptr_equal(amp_accelerator_find("default"), amp_accelerator_find("cpu"));
}

static void test_default_is_set_once(void **state)
{
    (void)state;
    amp_accelerator_default(); /* asking does not fix it */
    assert_error(amp_accelerator_set_default("gpu"), AMP_ERROR_NO_ACCELERATOR,
                 "there is no accelerator \"gpu\"; there are: cpu, null");
    assert_ok(amp_accelerator_set_default("null"));
    assert_ptr_equal(amp_accelerator_default(), amp_accelerator_find("null"));
    assert_error(amp_accelerator_set_default("cpu"), AMP_ERROR_BUSY,
                 "amp_accelerator_set_default: the default is \"null\" already: it can be set once, before its first "
                 "use");
    assert_int_equal(amp_accelerator_set_default(NULL), AMP_ERROR_NULL);
    amp__test_null_reset();
    amp_error_clear();
    assert_ok(launch());
    assert_int_equal(amp__test_null_counts().launches, 1);
}

static void test_launch_fixes_default(void **state)
{
    (void)state;
    assert_ok(launch());
    assert_int_equal(amp_accelerator_set_default("null"), AMP_ERROR_BUSY);
}

static void test_default_from_environment(void **state)
{
    (void)state;
    set("AMP_DEFAULT_ACCELERATOR", "null");
    assert_ptr_equal(amp_accelerator_default(), amp_accelerator_find("null"));
    set("AMP_DEFAULT_ACCELERATOR", "");
    assert_ptr_equal(amp_accelerator_default(), amp_accelerator_find("cpu"));
    set("AMP_DEFAULT_ACCELERATOR", "tpu");
    assert_null(amp_accelerator_default());
    assert_error(launch(), AMP_ERROR_NO_ACCELERATOR,
                 "AMP_DEFAULT_ACCELERATOR: there is no accelerator \"tpu\"; there are: cpu, null");
    assert_ok(amp_accelerator_set_default("cpu")); /* setting goes before the variable */
    assert_ok(launch());
}

static void test_number_of_threads(void **state)
{
    (void)state;
    set("AMP_NUM_THREADS", "7"); /* more than there are cores is allowed */
    assert_int_equal(amp_accelerator_info(amp_accelerator_find("cpu"))->n_threads, 7);
    assert_ok(launch());
    static const char *const rubbish[] = {"0", "-2", "two", "3x", "99999999999999999999", "1025"};
    for (int i = 0; i < 6; i++) {
        set("AMP_NUM_THREADS", rubbish[i]);
        char text[200];
        snprintf(text, sizeof text,
                 "scale (kernels.c:3): AMP_NUM_THREADS is \"%s\"; it must be a number from 1 to 1024", rubbish[i]);
        assert_error(launch(), AMP_ERROR_INVALID_ARGUMENT, text);
    }
}

static void test_isa(void **state)
{
    (void)state;
    set("AMP_ISA", "baseline");
    assert_string_equal(amp_accelerator_info(amp_accelerator_find("cpu"))->isa, "baseline");
    assert_ok(launch());
    set("AMP_ISA", "z80");
    assert_error(launch(), AMP_ERROR_INVALID_ARGUMENT,
                 "scale (kernels.c:3): AMP_ISA is \"z80\"; it must be baseline, x86-64-v2, x86-64-v3, x86-64-v4 or "
                 "native");
}

static void test_log(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    int saved = dup(2);
    dup2(fileno(file), 2);
    set("AMP_LOG", "info,coherence");
    amp_status status = launch();
    amp_status on_null = amp_accelerator_set_default("null");
    set("AMP_LOG", "coherence");
    amp_accelerator_set_default("null");
    launch();
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    rewind(file);
    char text[2000] = "";
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    assert_ok(status);
    assert_int_equal(on_null, AMP_ERROR_BUSY);
    amp_error_clear();
    static const char info[] = "amp: scale (kernels.c:3) over 4 on cpu: baseline, 4 lanes, 1 thread\n";
    assert_memory_equal(text, info, strlen(info));
    assert_non_null(strstr(text, ": read: host from owner to shared\n"));
    assert_non_null(strstr(text, ": own: null from shared to owner\n"));
    set("AMP_LOG", "everything");
    assert_error(launch(), AMP_ERROR_INVALID_ARGUMENT,
                 "AMP_LOG is \"everything\"; it may be info, coherence, or both with a comma between");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_enumerate, restart),
        cmocka_unit_test_setup(test_properties, restart),
        cmocka_unit_test_setup(test_queues, restart),
        cmocka_unit_test_setup(test_default_is_cpu, restart),
        cmocka_unit_test_setup(test_default_is_set_once, restart),
        cmocka_unit_test_setup(test_launch_fixes_default, restart),
        cmocka_unit_test_setup(test_default_from_environment, restart),
        cmocka_unit_test_setup(test_number_of_threads, restart),
        cmocka_unit_test_setup(test_isa, restart),
        cmocka_unit_test_setup(test_log, restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
