/* SPDX-License-Identifier: MIT
 * What the host's code does to arrays that `checked` has, too (src/runtime/guard.c): several threads, forks, and very
 * many places, which tests/checked cannot have. */
#include "kernels.h"

#include "abi/checked.h"

#include <sys/wait.h>
#include <unistd.h>

enum { N = 8, N_THREADS = 4, ROUNDS = 200, TOO_MANY = UINT16_MAX + 10 };

struct bump_args {
    int *x;
};

static const struct amp__check_variable variables[] = {
    {.name = "x", .element_bytes = sizeof(int), .param = 0, .rank = 1}};
static struct amp__check_object objects[1];
static struct amp__check_now now;

static void bump_thread(const void *p, const int *place, const int *tile)
{
    (void)tile;
    ((const struct bump_args *)p)->x[place[2]]++;
}

static const struct amp__check_kernel checked_bump = {.version = AMP__CHECK_VERSION,
                                                      .granule_shift = 2,
                                                      .n_objects = 1,
                                                      .thread = bump_thread,
                                                      .objects = objects,
                                                      .now = &now,
                                                      .variables = variables};

static void bump_run(const void *p, const int *box)
{
    amp__check_run(p, box, &checked_bump);
}

static void bump_bounds(const void *p, long long *bounds)
{
    (void)p;
    bounds[0] = N;
}
KERNEL(bump, 6, 1, NULL, ARRAY(bump_args, x, int, AMP_TYPE_I32, 0, {"8", -1}));

static const struct amp__image images[] = {{"checked", "checked", bump_run, NULL, 0, geometry}, {.backend = NULL}};

__attribute__((constructor)) static void register_bump(void)
{
    bump_kernel.images = images;
    amp__register_kernels(&bump_kernel, 1);
}

static amp_accelerator_view *checked(void)
{
    return amp_accelerator_default_view(amp_accelerator_find("checked"));
}

static void launch(amp_array_view *x)
{
    assert_int_equal(amp_parallel_for_each_on(checked(), amp_extent1(N), bump, x), AMP_OK);
}

#define PLACE(name, access)                                                                                            \
    static struct amp__check_place name = {"host.c", "test", __LINE__, 1, access, 0}
PLACE(reader, AMP__CHECK_READ);
PLACE(writer, AMP__CHECK_WRITE);
PLACE(updater, AMP__CHECK_ATOMIC);

static void expect_report(const char *text)
{
    assert_int_equal(amp_error_status(), AMP_ERROR_CHECK);
    assert_non_null(strstr(amp_error_text(), text));
    amp_error_clear();
}

static void test_bytes(void **state)
{
    (void)state;
    struct {
        int before, data[N], after;
    } s = {0};
    amp_array_view *x = amp_array_view1(N, s.data);
    launch(x);
    amp__check_host(&s.before, sizeof s.before, &reader);
    amp__check_host(&s.after, sizeof s.after, &reader);
    amp__check_host(s.data, 0, &reader);
    assert_int_equal(amp_error_status(), AMP_OK);
    amp__check_host((char *)s.data - 1, 2, &reader);
    expect_report("test reads x[0]");
    amp__check_host((char *)&s.after - 1, 2, &updater);
    expect_report("test updates x[7]");
    /* Of a word only three bytes are new. */
    amp__check_host(&s.data[3], 3, &writer);
    amp__check_host(&s.data[3], 3, &reader);
    assert_int_equal(amp_error_status(), AMP_OK);
    launch(x);
    amp__check_host(&s.data[3], 3, &writer);
    amp__check_host(&s.data[3], 4, &reader);
    expect_report("test reads x[3]");
    /* The same place again, until the next launch. */
    amp__check_host(&s.data[4], 4, &reader);
    assert_int_equal(amp_error_status(), AMP_OK);
    assert_int_equal(amp_refresh(x), AMP_OK);
    amp__check_host(&s.data[3], 4, &reader);
    assert_int_equal(amp_error_status(), AMP_OK);
    amp_array_view_release(x);
    assert_int_equal(amp__check_host_arrays, 0);
}

static void *work(void *argument)
{
    int data[N] = {0};
    struct amp__check_place own = reader;
    own.number = 0;
    amp_array_view *x = amp_array_view1(N, data);
    (void)argument;
    for (int i = 0; i < ROUNDS; i++) {
        launch(x);
        amp__check_host(&data[i % N], sizeof *data, &own);
        expect_report("test reads x[");
        assert_int_equal(amp_synchronize(x), AMP_OK);
        amp__check_host(data, sizeof data, &own);
        assert_int_equal(data[0], i + 1);
        amp_future *future = amp_parallel_for_each_on_async(checked(), amp_extent1(N), bump, x);
        amp__check_host(&data[i % N], sizeof *data, &own);
        expect_report("test reads x[");
        amp_future_release(future);
        assert_int_equal(amp_synchronize(x), AMP_OK);
        amp__check_host(data, sizeof data, &writer);
        data[0]--;
        assert_int_equal(amp_refresh(x), AMP_OK);
        assert_int_equal(amp_error_status(), AMP_OK);
    }
    amp_array_view_release(x);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, NULL), 0);
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

/* What was pending is lost in the child, so nothing is wrong about using its memory. */
static void test_fork(void **state)
{
    (void)state;
    int data[N] = {0}, other[N] = {0}, to[N], status;
    amp_array_view *x = amp_array_view1(N, data), *y = amp_array_view1(N, other);
    launch(x);
    amp_future *future = amp_copy_async(to, x);
    pid_t child = fork();
    if (child == 0) {
        amp__check_host(&to[1], sizeof *to, &writer);
        bool is_free = amp_error_status() == AMP_OK;
        amp__check_host(&data[1], sizeof *data, &reader);
        bool is_found = amp_error_status() == AMP_ERROR_CHECK;
        amp_error_clear();
        launch(y);
        _exit(is_free && is_found && amp_synchronize(y) == AMP_OK && other[1] == 1 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(amp_future_wait(future), AMP_OK);
    amp_future_release(future);
    amp_array_view_release(x);
    amp_array_view_release(y);
}

/* What cannot be recorded is not reported. */
static void test_too_many_places(void **state)
{
    (void)state;
    static struct amp__check_place places[TOO_MANY];
    int data[N] = {0};
    amp_array_view *x = amp_array_view1(N, data);
    launch(x);
    for (int i = 0; i < TOO_MANY; i++) {
        places[i] = writer;
        places[i].number = 0;
        places[i].line = i + 1;
        amp__check_host(&data[1], sizeof *data, &places[i]);
    }
    amp__check_host(data, sizeof data, &reader);
    assert_int_equal(amp_error_status(), AMP_OK);
    assert_int_equal(amp_synchronize(x), AMP_OK);
    assert_int_equal(data[1], 1);
    amp_array_view_release(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bytes), cmocka_unit_test(test_threads),
                                       cmocka_unit_test(test_fork), cmocka_unit_test(test_too_many_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
