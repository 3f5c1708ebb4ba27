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

/* row: accelerator.get_all, accelerator.path, accelerator.paths, accelerator.equal */
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
    assert_null(amp_accelerator_find("tpu"));
    assert_int_equal(amp_error_status(), AMP_OK);
    assert_error(amp_accelerator_set_default("tpu"), AMP_ERROR_NO_ACCELERATOR,
                 "there is no accelerator \"tpu\"; there are: cpu, null, checked, all");
    assert_null(amp_accelerator_find(NULL));
    assert_int_equal(amp_error_status(), AMP_ERROR_NULL);
}

/* Programs that go through all accelerators do not see the one that their kernels have no code for. */
static void test_hidden(void **state)
{
    (void)state;
    amp_accelerator *checked = amp_accelerator_find("checked");
    assert_string_equal(amp_accelerator_info(checked)->path, "checked");
    for (int i = 0; i < amp_accelerator_count(); i++)
        assert_ptr_not_equal(amp_accelerator_get(i), checked);
    set("AMP_DEFAULT_ACCELERATOR", "checked");
    assert_ptr_equal(amp_accelerator_default(), checked);
    assert_error(launch(), AMP_ERROR_NO_KERNEL,
                 "scale (kernels.c:3): it has no code with checks; compile it with ampcc --amp-check");
}

/* row: accelerator.identity, accelerator.kind, accelerator.supports, T4, accelerator.memory, properties */
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
    assert_true(cpu->supports_limited_double_precision && !cpu->is_debug && !cpu->has_display);
    assert_int_equal(cpu->version, 1 << 16);
    assert_true(null->is_emulated && !null->supports_cpu_shared_memory);
    assert_string_equal(null->path, "null");
    assert_null(amp_accelerator_info(NULL));
    assert_int_equal(amp_error_status(), AMP_ERROR_NULL);
}

/* row: accelerator.default_view */
static void test_default_view(void **state)
{
    (void)state;
    amp_accelerator *cpu = amp_accelerator_find("cpu");
    amp_accelerator_view *view = amp_accelerator_default_view(cpu);
    assert_ptr_equal(amp_accelerator_default_view(cpu), view);
    assert_ptr_equal(amp_accelerator_view_accelerator(view), cpu);
    const amp_accelerator_view_properties *properties = amp_accelerator_view_info(view);
    assert_int_equal(properties->queuing_mode, AMP_QUEUING_MODE_AUTOMATIC);
    assert_false(properties->is_auto_selection);
    /* It continues to exist, however often it is released. */
    assert_ptr_equal(amp_accelerator_view_retain(view), view);
    for (int i = 0; i < 3; i++)
        amp_accelerator_view_release(view);
    assert_ok(amp_accelerator_view_wait(view));
    assert_null(amp_accelerator_default_view(NULL));
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_accelerator_default_view: the accelerator is NULL");
    assert_null(amp_accelerator_view_accelerator(NULL));
}

/* row: accelerator.create_view, accelerator_view.info, accelerator_view.copy, queuing_mode */
static void test_create_view(void **state)
{
    (void)state;
    amp_accelerator *cpu = amp_accelerator_find("cpu");
    amp_accelerator_view *a = amp_accelerator_create_view(cpu, AMP_QUEUING_MODE_IMMEDIATE);
    amp_accelerator_view *b = amp_accelerator_create_view(cpu, AMP_QUEUING_MODE_AUTOMATIC);
    assert_true(a && b && a != b && a != amp_accelerator_default_view(cpu));
    const amp_accelerator_view_properties *properties = amp_accelerator_view_info(a);
    assert_ptr_equal(properties->accelerator, cpu);
    assert_int_equal(properties->queuing_mode, AMP_QUEUING_MODE_IMMEDIATE);
    assert_int_equal(properties->version, amp_accelerator_info(cpu)->version);
    assert_false(properties->is_debug || properties->is_auto_selection);
    assert_int_equal(amp_accelerator_view_info(b)->queuing_mode, AMP_QUEUING_MODE_AUTOMATIC);
    assert_ptr_equal(amp_accelerator_view_retain(a), a);
    amp_accelerator_view_release(a);
    assert_ptr_equal(amp_accelerator_view_accelerator(a), cpu);
    amp_accelerator_view_release(a);
    amp_accelerator_view_release(b);
    assert_null(amp_accelerator_create_view(NULL, AMP_QUEUING_MODE_AUTOMATIC));
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_accelerator_create_view: the accelerator is NULL");
    amp_error_clear();
    assert_null(amp_accelerator_create_view(cpu, (amp_queuing_mode)2));
    assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_accelerator_create_view: the queuing mode is 2; it must be AMP_QUEUING_MODE_IMMEDIATE or "
                 "_AUTOMATIC");
}

/* row: accelerator.auto_selection, launch.target */
static void test_auto_selection(void **state)
{
    (void)state;
    amp_accelerator *null = amp_accelerator_find("null");
    amp_accelerator_view *automatic = amp_accelerator_auto_selection_view();
    assert_ptr_equal(amp_accelerator_auto_selection_view(), automatic);
    const amp_accelerator_view_properties *properties = amp_accelerator_view_info(automatic);
    assert_true(properties->is_auto_selection && !properties->accelerator);
    assert_ptr_equal(amp_accelerator_view_accelerator(automatic), amp_accelerator_default());
    amp_accelerator_view_release(amp_accelerator_view_retain(automatic));
    assert_ok(amp_accelerator_view_wait(automatic));
    assert_ok(amp_accelerator_view_flush(automatic));
    amp_future *marker = amp_accelerator_view_create_marker(automatic);
    assert_ok(amp_future_wait(marker));
    amp_future_release(marker);

    /* A launch on data that only the host has runs on the default accelerator. */
    float x_data[64] = {0};
    int few_data[4] = {0}, total_data = 0, many_data[8][8] = {{0}};
    amp_array_view *x = amp_array_view1(64, x_data);
    amp__test_null_reset();
    assert_ok(amp_parallel_for_each_on(automatic, amp_extent1(64), scale, 2.0f, x));
    assert_int_equal(amp__test_null_counts().launches, 0);
    /* A launch on null's data runs there. */
    assert_ok(amp_parallel_for_each_on(amp_accelerator_default_view(null), amp_extent1(64), scale, 2.0f, x));
    assert_ok(amp_parallel_for_each_on(automatic, amp_extent1(64), scale, 2.0f, x));
    assert_int_equal(amp__test_null_counts().launches, 2);
    amp_future *future = amp_parallel_for_each_on_async(automatic, amp_extent1(64), scale, 2.0f, x);
    assert_ok(amp_future_wait(future));
    amp_future_release(future);
    assert_int_equal(amp__test_null_counts().launches, 3);
    /* The accelerator with most of the bytes is chosen. */
    amp_array_view *few = amp_array_view2(1, 4, few_data), *many = amp_array_view2(8, 8, &many_data[0][0]);
    amp_array_view *total = amp_array_view1(1, &total_data);
    assert_ok(amp_parallel_for_each_on(amp_accelerator_default_view(null), amp_extent1(1), sum, few, total));
    assert_int_equal(amp__test_null_counts().launches, 4);
    assert_ok(amp_parallel_for_each_on(automatic, amp_extent1(1), sum, many, total)); /* 4 bytes of 260 are on null */
    assert_int_equal(amp__test_null_counts().launches, 4);
    assert_ok(amp_parallel_for_each_on(amp_accelerator_default_view(null), amp_extent1(8), fill, 1, many));
    assert_ok(amp_parallel_for_each_on(automatic, amp_extent1(1), sum, many, total)); /* 256 of them */
    assert_int_equal(amp__test_null_counts().launches, 6);
    amp_array_view *views[] = {x, few, many, total};
    for (int i = 0; i < 4; i++)
        amp_array_view_release(views[i]);
}

/* row: accelerator.set_default_cpu_access_type, accelerator.default_cpu_access_type, access_type */
static void test_default_cpu_access_type(void **state)
{
    (void)state;
    amp_accelerator *cpu = amp_accelerator_find("cpu"), *null = amp_accelerator_find("null");
    assert_int_equal(amp_accelerator_info(cpu)->default_cpu_access_type, AMP_ACCESS_READ_WRITE);
    assert_int_equal(amp_accelerator_info(null)->default_cpu_access_type, AMP_ACCESS_NONE);
    static const char call[] = "amp_accelerator_set_default_cpu_access_type: ";
    char text[200];
    snprintf(text, sizeof text, "%sthe host cannot access memory of \"null\"; AMP_ACCESS_NONE and _AUTO are possible",
             call);
    assert_error(amp_accelerator_set_default_cpu_access_type(null, AMP_ACCESS_READ), AMP_ERROR_UNSUPPORTED_FEATURE,
                 text);
    snprintf(text, sizeof text, "%sthe access is 5; it must be AMP_ACCESS_NONE, _READ, _WRITE, _READ_WRITE or _AUTO",
             call);
    assert_error(amp_accelerator_set_default_cpu_access_type(cpu, (amp_access_type)5), AMP_ERROR_INVALID_ARGUMENT,
                 text);
    assert_int_equal(amp_accelerator_set_default_cpu_access_type(NULL, AMP_ACCESS_READ), AMP_ERROR_NULL);
    amp_error_clear();
    /* Errors changed nothing. */
    assert_ok(amp_accelerator_set_default_cpu_access_type(cpu, AMP_ACCESS_READ));
    assert_int_equal(amp_accelerator_info(cpu)->default_cpu_access_type, AMP_ACCESS_READ);
    snprintf(text, sizeof text, "%sthe default of \"cpu\" is fixed already: it can be set once, before its first use",
             call);
    assert_error(amp_accelerator_set_default_cpu_access_type(cpu, AMP_ACCESS_READ_WRITE), AMP_ERROR_BUSY, text);
    assert_int_equal(amp_accelerator_info(cpu)->default_cpu_access_type, AMP_ACCESS_READ);
    /* Using the default fixes it, too. */
    amp_array *array = amp_array_on(float, amp_extent1(4), amp_accelerator_default_view(null), AMP_ACCESS_AUTO);
    assert_int_equal(amp_array_cpu_access_type(array), AMP_ACCESS_NONE);
    amp_array_release(array);
    assert_int_equal(amp_accelerator_set_default_cpu_access_type(null, AMP_ACCESS_AUTO), AMP_ERROR_BUSY);
    /* AMP_ACCESS_AUTO leaves it unchanged. */
    restart(state);
    cpu = amp_accelerator_find("cpu");
    assert_ok(amp_accelerator_set_default_cpu_access_type(cpu, AMP_ACCESS_AUTO));
    assert_int_equal(amp_accelerator_info(cpu)->default_cpu_access_type, AMP_ACCESS_READ_WRITE);
    assert_int_equal(amp_accelerator_set_default_cpu_access_type(cpu, AMP_ACCESS_READ), AMP_ERROR_BUSY);
}

/* row: accelerator.default, accelerator.choice */
static void test_default_is_cpu(void **state)
{
    (void)state;
    assert_ptr_equal(amp_accelerator_default(), amp_accelerator_find("cpu"));
    assert_ptr_equal(amp_accelerator_find("default"), amp_accelerator_find("cpu"));
}

/* Why there is no GPU may follow. */
static void test_other_names(void **state)
{
    (void)state;
    const char *gpu = "; a GPU is \"cuda:0\"; there are: cpu, null, checked, all";
    assert_null(amp_accelerator_find("gpu"));
    assert_non_null(strstr(amp_error_last_text(), gpu));
    assert_null(amp_accelerator_find("CUDA"));
    assert_non_null(strstr(amp_error_last_text(), gpu));
    assert_null(amp_accelerator_find("host"));
    assert_string_equal(
        amp_error_last_text(),
        "there is no accelerator \"host\"; the processor is \"cpu\"; there are: cpu, null, checked, all");
}

/* row: accelerator.set_default */
static void test_default_is_set_once(void **state)
{
    (void)state;
    amp_accelerator_default(); /* asking does not fix it */
    assert_error(amp_accelerator_set_default("tpu"), AMP_ERROR_NO_ACCELERATOR,
                 "there is no accelerator \"tpu\"; there are: cpu, null, checked, all");
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

/* row: accelerator.choice */
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
                 "AMP_DEFAULT_ACCELERATOR: there is no accelerator \"tpu\"; there are: cpu, null, checked, all");
    assert_ok(amp_accelerator_set_default("cpu")); /* setting overrides the variable */
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
        cmocka_unit_test_setup(test_hidden, restart),
        cmocka_unit_test_setup(test_properties, restart),
        cmocka_unit_test_setup(test_default_view, restart),
        cmocka_unit_test_setup(test_create_view, restart),
        cmocka_unit_test_setup(test_auto_selection, restart),
        cmocka_unit_test_setup(test_default_cpu_access_type, restart),
        cmocka_unit_test_setup(test_default_is_cpu, restart),
        cmocka_unit_test_setup(test_other_names, restart),
        cmocka_unit_test_setup(test_default_is_set_once, restart),
        cmocka_unit_test_setup(test_launch_fixes_default, restart),
        cmocka_unit_test_setup(test_default_from_environment, restart),
        cmocka_unit_test_setup(test_number_of_threads, restart),
        cmocka_unit_test_setup(test_isa, restart),
        cmocka_unit_test_setup(test_log, restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
