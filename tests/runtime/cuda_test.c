/* SPDX-License-Identifier: MIT
 * Tests the backend `cuda` on a stand-in for the driver (fake_cuda): launches, copies, memory, order, and a failure of
 * each call of the driver. */
#include "fake_cuda/fake_cuda.h"
#include "kernels.h"

#include "runtime/cuda/cuda.h"
#include "runtime/ranks/ranks.h"

#include <dirent.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- kernels: those of kernels.h, on the fake ---- */

static void *near(const void *memory)
{
    return fake_cuda_host(memory);
}

static void gpu_scale(const void *p, const int *box)
{
    struct scale_args a = *(const struct scale_args *)p;
    a.x = near(a.x);
    scale_run(&a, box);
}

static void gpu_mxm(const void *p, const int *box)
{
    struct mxm_args s = *(const struct mxm_args *)p;
    s.a = near(s.a), s.b = near(s.b), s.c = near(s.c);
    mxm_tiled_run(&s, box);
}

static void gpu_add(const void *p, const int *box)
{
    struct add_args s = *(const struct add_args *)p;
    s.a = near(s.a), s.b = near(s.b), s.c = near(s.c);
    add_run(&s, box);
}

static const char *abort_text; /* the text with which `fill` aborts; NULL: it does not abort */

static void gpu_fill(const void *p, const int *box)
{
    struct fill_args s = *(const struct fill_args *)p;
    s.x = near(s.x);
    fill_run(&s, box);
    if (abort_text)
        fake_cuda_abort(abort_text);
}

/* A tile of 128 x 2 x 1 is too deep for the hardware, so its threads lie along x. */
struct deep_args {
    int *x;
};
static int deep_boxes[6];
static void deep_run(const void *p, const int *box)
{
    (void)p, (void)box;
}
static void gpu_deep(const void *p, const int *box)
{
    (void)p;
    memcpy(deep_boxes, box, sizeof deep_boxes);
}
static void deep_bounds(const void *p, long long *bounds)
{
    (void)p;
    bounds[0] = 1;
}
static const int tile_128x2x1[] = {128, 2, 1};
KERNEL(deep, 90, 3, tile_128x2x1, ARRAY(deep_args, x, int, AMP_TYPE_I32, 0, {"1", -1}));

/* The functions of the modules, sizes z, y, x; then the same in the descriptors. */
static const struct fake_cuda_kernel functions[] = {
    {"scale", sizeof(struct scale_args), {256, 1, 1}, {256, 1, 1}, 1024, gpu_scale},
    {"scale_many", sizeof(struct scale_args), {256, 1, 1}, {1024, 1, 1}, 1024, gpu_scale},
    {"mxm", sizeof(struct mxm_args), {4, 2, 1}, {1, 1, 1}, 1024, gpu_mxm},
    {"add", sizeof(struct add_args), {32, 8, 1}, {32, 8, 1}, 1024, gpu_add},
    {"add_many", sizeof(struct add_args), {32, 8, 1}, {64, 32, 1}, 1024, gpu_add},
    {"deep", sizeof(struct deep_args), {256, 1, 1}, {1, 1, 1}, 1024, gpu_deep},
    {"fill", sizeof(struct fill_args), {256, 1, 1}, {256, 1, 1}, 1024, gpu_fill},
};
#define CODE(text)                                                                                                     \
    {                                                                                                                  \
        text, sizeof text - 1                                                                                          \
    }
static struct amp__code new_code = CODE(".version 99"), code = CODE("scale scale_many mxm add add_many deep"),
                        code_with_abort = CODE("fill amp__aborted");
#define IMAGES(name, text, ...)                                                                                        \
    static struct amp__image name##_on_cuda[] = {                                                                      \
        {"cpu", "baseline", name##_run, NULL, 0, geometry},                                                            \
        {"cuda", "sm_75", NULL, &text, #name, (int[AMP__GEOMETRY]){__VA_ARGS__}},                                      \
        {"cuda", "sm_100", NULL, &new_code, #name, (int[AMP__GEOMETRY]){__VA_ARGS__}},                                 \
        {.backend = NULL}}
IMAGES(scale, code, 1, 1, 256, 1, 1, 256, 1, 1, 1024);
IMAGES(add, code, 1, 8, 32, 1, 8, 32, 1, 32, 64);
IMAGES(deep, code, 128, 2, 1, 1, 1, 1, 0, 0, 0);
IMAGES(fill, code_with_abort, 1, 1, 256, 1, 1, 256, 0, 0, 0);
#define mxm_run mxm_tiled_run
IMAGES(mxm, code, 1, 2, 4, 1, 1, 1, 0, 0, 0);
#undef mxm_run

static struct amp__kernel *const on_cuda[] = {&scale_kernel, &mxm_tiled_kernel, &add_kernel, &deep_kernel,
                                              &fill_kernel};
enum { N_ON_CUDA = sizeof on_cuda / sizeof *on_cuda };

__attribute__((constructor)) static void give_code(void)
{
    scale_kernel.images = scale_on_cuda;
    mxm_tiled_kernel.images = mxm_on_cuda;
    add_kernel.images = add_on_cuda;
    deep_kernel.images = deep_on_cuda;
    fill_kernel.images = fill_on_cuda;
    amp__register_kernels(&deep_kernel, 1);
}

/* ---- a machine for each test ---- */

static amp_accelerator_view *on[2]; /* the GPUs' own queues */

/* Begins again with the machine that `fake_cuda` describes, and finds its GPUs. */
static void start(void)
{
    amp__test_cuda_library(NULL);
    amp__test_restart();
    for (int i = 0; i < 2; i++) {
        char path[] = {'c', 'u', 'd', 'a', ':', (char)('0' + i), 0};
        amp_accelerator *a = amp_accelerator_find(path);
        on[i] = a ? amp_accelerator_default_view(a) : NULL;
    }
    amp_error_clear();
}

static int setup(void **state)
{
    (void)state;
    amp__test_cuda_close();
    fake_cuda_reset();
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        fake_cuda_add(&functions[i]);
    unsetenv("AMP_DEFAULT_ACCELERATOR");
    abort_text = NULL;
    start();
    return 0;
}

/* Nothing was misused, and nothing is left behind. */
static int teardown(void **state)
{
    (void)state;
    for (int i = 0; i < 1000 && fake_cuda_has_queues(); i++)
        usleep(1000); /* a queue's thread may be at its end, and the queue with it */
    amp__test_cuda_close();
    const char *misuse = fake_cuda_misuse();
    if (misuse)
        print_error("%s\n", misuse);
    const char *left = fake_cuda_objects();
    if (left)
        print_error("left behind: %s\n", left);
    return misuse || left;
}

static int done_is(const char *expected)
{
    const char *done = fake_cuda_done();
    if (strcmp(done, expected) != 0)
        print_error("done: %s\nexpected: %s\n", done, expected);
    return !strcmp(done, expected);
}

static const char *contains(const char *text, const char *part)
{
    const char *found = strstr(text, part);
    if (!found)
        print_error("\"%s\" does not contain \"%s\"\n", text, part);
    return found;
}

/* ---- devices ---- */

static void test_properties(void **state)
{
    (void)state;
    assert_int_equal(amp_accelerator_count(), 4);
    const amp_accelerator_properties *p = amp_accelerator_info(amp_accelerator_get(0));
    assert_string_equal(p->path, "cuda:0");
    assert_string_equal(p->description, "Fake GPU 0, 4 multiprocessors, sm_90, CUDA 12.4");
    assert_string_equal(p->isa, "sm_90");
    assert_int_equal(p->version, 9 << 16);
    assert_int_equal(p->n_threads, 4 * 2048);
    assert_true(p->dedicated_memory_bytes == 1 << 30);
    assert_true(p->supports_double_precision && p->supports_limited_double_precision);
    assert_false(p->is_emulated || p->is_debug || p->has_display || p->supports_cpu_shared_memory);
    assert_int_equal(p->default_cpu_access_type, AMP_ACCESS_NONE);
    assert_true(amp_accelerator_info(amp_accelerator_find("cuda:1"))->has_display);
    assert_string_equal(amp_accelerator_missing(), "");
    assert_int_equal(amp_error_status(), AMP_OK);
    /* Describing them makes no contexts. */
    assert_null(fake_cuda_objects());
    assert_int_equal(fake_cuda_calls("cuCtxSetCurrent"), 0);

    fake_cuda.is_integrated = true;
    start();
    p = amp_accelerator_info(amp_accelerator_find("cuda:0"));
    assert_true(p->supports_cpu_shared_memory);
    assert_int_equal(p->default_cpu_access_type, AMP_ACCESS_READ_WRITE);
}

/* Looks for cuda:0, which does not exist, and returns why. */
static const char *why_not(void)
{
    amp__test_restart();
    assert_null(amp_accelerator_find("cuda:0"));
    assert_int_equal(amp_error_last_status(), AMP_ERROR_NO_ACCELERATOR);
    assert_non_null(contains(amp_error_text(), "there is no accelerator \"cuda:0\"; there are: "));
    assert_non_null(contains(amp_error_text(), amp_accelerator_missing()));
    amp_error_clear();
    assert_null(amp_accelerator_find("tpu"));
    assert_null(strstr(amp_error_text(), amp_accelerator_missing()));
    amp_error_clear();
    return amp_accelerator_missing();
}

static void test_missing(void **state)
{
    (void)state;
    amp__test_cuda_library("libno-such-driver.so.1");
    assert_non_null(contains(why_not(), "cuda: libno-such-driver.so.1: cannot open shared object file"));
    assert_string_equal(amp_accelerator_info(amp_accelerator_default())->path, "cpu");
    amp__test_cuda_library("libm.so.6");
    assert_string_equal(why_not(), "cuda: libm.so.6 has no cuInit: it is older than CUDA 10.0");
    amp__test_cuda_library(NULL);
    fake_cuda.version = 9020;
    assert_string_equal(why_not(), "cuda: the driver is for CUDA 9.2; 10.0 or later is needed");
    fake_cuda.version = 12040;
    fake_cuda.n_devices = 0;
    assert_string_equal(why_not(), "cuda: cuInit: CUDA_ERROR_NO_DEVICE (100): the fake driver's text");
    fake_cuda.n_devices = 1;
    fake_cuda_fail("cuInit", 1, (CUresult)777);
    assert_string_equal(why_not(),
                        "cuda: cuInit: an error that the driver has no name for (777): the fake driver's text");
    fake_cuda.is_prohibited = true;
    assert_string_equal(why_not(), "cuda:0: Fake GPU 0: its compute mode prohibits use (nvidia-smi -c changes it)");
    setenv("AMP_DEFAULT_ACCELERATOR", "cuda:0", 1);
    assert_null(amp_accelerator_default());
    assert_error(
        amp_error_status(), AMP_ERROR_NO_ACCELERATOR,
        "AMP_DEFAULT_ACCELERATOR: there is no accelerator \"cuda:0\"; there are: cpu, null, checked, all; cuda:0: "
        "Fake GPU 0: its compute mode prohibits use (nvidia-smi -c changes it)");
    fake_cuda.is_prohibited = false;
    fake_cuda.n_devices = 32; /* more than are used */
    start();
    assert_int_equal(amp_accelerator_count(), 18);
    assert_non_null(amp_accelerator_find("cuda:15"));
    assert_non_null(amp_accelerator_find("cpu"));
}

/* A GPU is the default if all kernels have code for it. */
static void test_default(void **state)
{
    (void)state;
    assert_string_equal(amp_accelerator_info(amp_accelerator_default())->path, "cpu");
    struct amp__kernel *others[] = {&mxm_kernel, &blur_kernel, &numbers_kernel, &sum_kernel, &write_both_kernel};
    for (int i = 0; i < 5; i++)
        amp__unregister_kernels(others[i], 1);
    assert_string_equal(amp_accelerator_info(amp_accelerator_default())->path, "cuda:0");
    fake_cuda.capability = 70;
    start();
    assert_string_equal(amp_accelerator_info(amp_accelerator_default())->path, "cpu");
    for (int i = 0; i < N_ON_CUDA; i++)
        amp__unregister_kernels(on_cuda[i], 1);
    assert_string_equal(amp_accelerator_info(amp_accelerator_default())->path, "cpu");
    for (int i = 0; i < N_ON_CUDA; i++)
        amp__register_kernels(on_cuda[i], 1);
    for (int i = 0; i < 5; i++)
        amp__register_kernels(others[i], 1);
}

/* What each of four ranks of a machine computes on. */
static const char *devices_of_ranks(const char *places)
{
    static char text[128];
    text[0] = 0;
    places ? setenv("AMP_PLACES", places, 1) : unsetenv("AMP_PLACES");
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    for (int i = 0; i < 4; i++) {
        setenv("OMPI_COMM_WORLD_LOCAL_RANK", (char[]){(char)('0' + i), 0}, 1);
        start();
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, " %s",
                 amp_accelerator_find("rank:3") ? amp__own.accelerator->properties.path : "none");
    }
    amp_error_clear();
    return text;
}

static void test_ranks(void **state)
{
    (void)state;
    assert_string_equal(devices_of_ranks("cuda:1,cpu"), " cuda:1 cpu cuda:1 cpu");
    assert_string_equal(devices_of_ranks("cpu"), " cpu cpu cpu cpu");
    assert_string_equal(devices_of_ranks(""), " cpu cpu cpu cpu"); /* not all kernels have code for GPUs */
    assert_string_equal(amp_accelerator_find("all")->properties.description, "rank:0, rank:1, rank:2, rank:3");
    struct amp__kernel *others[] = {&mxm_kernel, &blur_kernel, &numbers_kernel, &sum_kernel, &write_both_kernel};
    for (int i = 0; i < 5; i++)
        amp__unregister_kernels(others[i], 1);
    assert_string_equal(devices_of_ranks(NULL), " cuda:0 cuda:1 cuda:0 cuda:1");
    for (int i = 0; i < 5; i++)
        amp__register_kernels(others[i], 1);
    static const char *const wrong[] = {"4", "null", "cuda:0,cuda:0", "cuda:2", "checked", "rank:0", "all", "cpu,"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char expected[256];
        snprintf(expected, sizeof expected,
                 "all: AMP_PLACES is \"%s\"; under mpirun it must list the accelerators that the ranks of a machine "
                 "take in turn, such as \"cuda:0,cuda:1\" or \"cpu\"",
                 wrong[i]);
        assert_string_equal(devices_of_ranks(wrong[i]), " none none none none");
        assert_non_null(contains(amp_accelerator_missing(), expected));
    }
    unsetenv("AMP_PLACES");
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("OMPI_COMM_WORLD_LOCAL_RANK");
    start();
}

/* ---- messages ---- */

enum { MESSAGE_ROWS = 3, MESSAGE_COLUMNS = 5, MESSAGE_WIDTH = 2 };

static void pass_message(bool is_on_device, size_t n_rows)
{
    const struct amp__backend *cuda = &amp__cuda_backend;
    void *device = on[0]->accelerator->device;
    int x[MESSAGE_ROWS * MESSAGE_COLUMNS], found[MESSAGE_ROWS * MESSAGE_COLUMNS];
    struct amp__at from = {NULL, sizeof(int)}, to = {NULL, 3 * sizeof(int)};
    struct amp__rows rows = {
        .bytes = MESSAGE_WIDTH * sizeof(int), .n = n_rows, .stride = MESSAGE_COLUMNS * sizeof(int)};
    void *message;
    for (int i = 0; i < MESSAGE_ROWS * MESSAGE_COLUMNS; i++)
        x[i] = i;
    assert_ok(cuda->alloc(device, sizeof x, &from.memory));
    assert_ok(cuda->alloc(device, sizeof x, &to.memory));
    assert_ok(cuda->message_alloc(device, is_on_device, n_rows * rows.bytes, &message));
    assert_ok(cuda->copy_in(device, NULL, (struct amp__at){from.memory, 0}, x, sizeof x));
    assert_ok(cuda->pack(device, NULL, message, from, &rows));
    assert_ok(cuda->wait(device, NULL));
    for (size_t i = 0; i < n_rows && !is_on_device; i++)
        assert_memory_equal((char *)message + i * rows.bytes, &x[i * MESSAGE_COLUMNS + 1], rows.bytes);
    assert_ok(cuda->unpack(device, NULL, to, message, &rows));
    assert_ok(cuda->copy_out(device, NULL, found, (struct amp__at){to.memory, 0}, sizeof found));
    for (size_t i = 0; i < n_rows; i++)
        assert_memory_equal(&found[i * MESSAGE_COLUMNS + 3], &x[i * MESSAGE_COLUMNS + 1], rows.bytes);
    cuda->message_free(device, is_on_device, message);
    cuda->free(device, from.memory);
    cuda->free(device, to.memory);
}

/* Rows of the device lie one after another in messages, in its memory or in pinned memory. */
static void test_messages(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        pass_message(side, 1);
        assert_int_equal(fake_cuda_calls("cuMemcpy2DAsync_v2"), 2 * side);
        pass_message(side, MESSAGE_ROWS);
    }
    void *message;
    fake_cuda_fail("cuMemHostAlloc", 1, CUDA_ERROR_OUT_OF_MEMORY);
    assert_error(amp__cuda_backend.message_alloc(on[0]->accelerator->device, false, 64, &message),
                 AMP_ERROR_OUT_OF_MEMORY, "cuda:0: cuMemHostAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
}

/* ---- launches ---- */

static float data[1000];

static amp_array_view *view_of_data(void)
{
    for (int i = 0; i < 1000; i++)
        data[i] = (float)i;
    return amp_array_view1(1000, data);
}

static void assert_data(float factor)
{
    for (int i = 0; i < 1000; i++)
        assert_true(data[i] == (float)i * factor);
}

static void test_launch(void **state)
{
    (void)state;
    amp_array_view *x = view_of_data();
    assert_ok(amp_parallel_for_each_on(on[0], amp_extent1(1000), scale, 2.0f, x));
    assert_ok(amp_parallel_for_each_on(on[0], amp_extent1(1000), scale, 3.0f, x));
    assert_data(1);                            /* nothing was copied back */
    assert_string_equal(fake_cuda_done(), ""); /* nothing has begun: launches do not wait */
    assert_ok(amp_synchronize(x));
    assert_data(6);
    assert_true(done_is("in 0, scale 0, scale 0, out 0"));
    assert_int_equal(fake_cuda_calls("cuModuleLoadDataEx"), 1);
    assert_int_equal(fake_cuda_calls("cuModuleGetFunction"), 2);
    /* Each device loads it. */
    assert_ok(amp_parallel_for_each_on(on[1], amp_extent1(1000), scale, 0.5f, x));
    assert_ok(amp_synchronize(x));
    assert_data(3);
    assert_true(done_is("in 1, scale 1, out 1"));
    assert_int_equal(fake_cuda_calls("cuModuleLoadDataEx"), 2);
    amp_array_view_release(x);
}

static void test_shapes(void **state)
{
    (void)state;
    /* 1. A tile is a block with exactly its number of threads. */
    float a[4][4], b[4][8], c[4][8], expected[4][8];
    for (int i = 0; i < 32; i++)
        a[i % 4][i / 4 % 4] = (float)(i % 5), b[i % 4][i / 4] = (float)(i % 7);
    mxm_run(&(struct mxm_args){4, 8, 4, a[0], b[0], expected[0]}, (int[]){0, 1, 0, 4, 0, 8});
    amp_array_view *va = amp_array_view2(4, 4, a[0]), *vb = amp_array_view2(4, 8, b[0]),
                   *vc = amp_array_view2(4, 8, c[0]);
    amp_discard_data(vc);
    assert_ok(amp_parallel_for_each_on(on[0], amp_extent2(4, 8), mxm_tiled, va, vb, vc));
    assert_ok(amp_synchronize(vc));
    assert_memory_equal(c, expected, sizeof c);
    assert_true(done_is("in 0, in 0, mxm 0, out 0")); /* discarded data is not copied */
    amp_array_view_release(va), amp_array_view_release(vb), amp_array_view_release(vc);
    /* 2. A deep one lies along x. */
    int one[1] = {0};
    amp_array_view *x = amp_array_view1(1, one);
    assert_ok(amp_parallel_for_each_on(on[0], amp_extent3(256, 6, 5), deep, x));
    assert_ok(amp_synchronize(x));
    assert_memory_equal(deep_boxes, ((int[]){0, 2, 0, 3, 0, 5}), sizeof deep_boxes);
    amp_array_view_release(x);
    fake_cuda_done();
    /* 3. Rows beyond 65535 blocks need further launches. */
    enum { ROWS = 2 * 65535 * 8 + 5 };
    int *rows = calloc(ROWS, sizeof *rows), *ones = malloc(ROWS * sizeof *ones);
    for (int i = 0; i < ROWS; i++)
        ones[i] = 1;
    va = amp_array_view2(ROWS, 1, ones), vb = amp_array_view2(ROWS, 1, rows), vc = amp_array_view2(ROWS, 1, ones);
    fake_cuda_done();
    assert_ok(amp_parallel_for_each_on(on[0], amp_extent2(ROWS, 1), add, va, vb, vb));
    assert_ok(amp_synchronize(vb));
    for (int i = 0; i < ROWS; i++)
        assert_int_equal(rows[i], 2);
    assert_int_equal(fake_cuda_calls("cuLaunchKernel"), 1 + 1 + 3);
    amp_array_view_release(va), amp_array_view_release(vb), amp_array_view_release(vc);
    free(rows), free(ones);
}

/* Threads take several points each if there are enough whole blocks; ordinary threads take the rest. */
static void test_many(void **state)
{
    (void)state;
    for (int blocks = 3; blocks <= 4; blocks++)
        for (int rest = 0; rest < 2; rest++) {
            int n = blocks * 1024 + rest;
            float *x = calloc((size_t)n, sizeof *x);
            amp_array_view *view = amp_array_view1(n, x);
            assert_ok(amp_parallel_for_each_on(on[0], amp_extent1(n), scale, 2.0f, view));
            assert_ok(amp_accelerator_view_wait(on[0]));
            assert_true(done_is(blocks == 3 ? "in 0, scale 0"
                                : rest      ? "in 0, scale_many 0, scale 0"
                                            : "in 0, scale_many 0"));
            amp_array_view_release(view);
            fake_cuda_done();
            free(x);
        }
    enum { ROWS = 2 * 32 + 5, COLUMNS = 3 * 64 + 7 };
    static int sums[ROWS * COLUMNS], ones[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++)
        ones[i] = 1;
    amp_array_view *to = amp_array_view2(ROWS, COLUMNS, sums), *from = amp_array_view2(ROWS, COLUMNS, ones);
    assert_ok(amp_parallel_for_each_on(on[0], amp_extent2(ROWS, COLUMNS), add, from, to, to));
    assert_ok(amp_synchronize(to));
    for (int i = 0; i < ROWS * COLUMNS; i++)
        assert_int_equal(sums[i], 2); /* 6 if it was done twice */
    assert_true(done_is("in 0, in 0, add_many 0, add 0, add 0, out 0"));
    amp_array_view_release(to), amp_array_view_release(from);
}

/* If blocks may extend beyond the domain, such threads take all of it, unless it would fill few of their points. */
static void test_many_for_all(void **state)
{
    (void)state;
    enum { ROWS = 2 * 32 + 5, COLUMNS = 3 * 64 + 7 };
    static int sums[ROWS * COLUMNS], ones[ROWS * COLUMNS];
    int *geometry_of_add = (int *)add_on_cuda[1].geometry, columns[] = {COLUMNS, 1};
    geometry_of_add[9] = AMP__MANY_FOR_ALL;
    for (int c = 0; c < 2; c++) {
        for (int i = 0; i < ROWS * COLUMNS; i++)
            ones[i] = 1, sums[i] = 0;
        amp_array_view *to = amp_array_view2(ROWS, columns[c], sums), *from = amp_array_view2(ROWS, columns[c], ones);
        assert_ok(amp_parallel_for_each_on(on[0], amp_extent2(ROWS, columns[c]), add, from, to, to));
        assert_ok(amp_synchronize(to));
        for (int i = 0; i < ROWS * columns[c]; i++)
            assert_int_equal(sums[i], 2);
        assert_true(done_is(c ? "in 0, in 0, add 0, out 0" : "in 0, in 0, add_many 0, out 0"));
        amp_array_view_release(to), amp_array_view_release(from);
        fake_cuda_done();
    }
    geometry_of_add[9] = AMP__MANY_FOR_WHOLE_BLOCKS;
}

/* One call of the driver copies the rows of a section that lie apart, unless they are long; the bytes between them do
 * not move. Another device gets them through the host. */
static void test_rows_of_a_section(void **state)
{
    (void)state;
    enum { ROWS = 6, LONG = AMP__GPU_SLICE / sizeof(int), COLUMNS = LONG + 8 };
    int *data = malloc(ROWS * COLUMNS * sizeof *data);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        data[i] = i;
    amp_array_view *all = amp_array_view2(ROWS, COLUMNS, data);
    for (int width = 3; width <= LONG; width += LONG - 3) {
        amp_array_view *part = amp_array_view_section2(all, 1, 2, ROWS - 2, width);
        assert_ok(amp_synchronize_to_for(all, on[0], AMP_ACCESS_READ_WRITE));
        assert_ok(amp_synchronize_for(part, AMP_ACCESS_READ_WRITE));
        for (int r = 1; r < ROWS - 1; r++)
            for (int c = 2; c < 2 + width; c++)
                data[r * COLUMNS + c] = -r;
        assert_ok(amp_synchronize_to_for(part, on[0], AMP_ACCESS_READ_WRITE));
        memset(data, 0xee, ROWS * COLUMNS * sizeof *data);
        assert_ok(amp_synchronize_to_for(part, on[1], AMP_ACCESS_READ_WRITE));
        assert_ok(amp_synchronize(all));
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            int r = i / COLUMNS, c = i % COLUMNS;
            bool is_inside = r > 0 && r < ROWS - 1 && c >= 2 && c < 2 + width;
            assert_int_equal(data[i], is_inside ? -r : i);
            data[i] = i;
        }
        /* The part out, in, out, in, and out; what the first device has beside it, on the left; then on both sides. */
        assert_int_equal(fake_cuda_calls("cuMemcpy2DAsync_v2"), width == 3 ? 5 + 1 : 6 + 2);
        assert_ok(amp_refresh(all));
        amp_array_view_release(part);
    }
    assert_null(fake_cuda_misuse());
    amp_array_view_release(all);
    free(data);
}

static void test_box_with_an_origin(void **state)
{
    (void)state;
    try_box_with_an_origin(on[0]);
    assert_true(done_is("in 0, in 0, add_many 0, add 0, add 0, out 0"));
}

static amp_status launch_scale(void)
{
    amp_array_view *x = view_of_data();
    amp_status status = amp_parallel_for_each_on(on[0], amp_extent1(1000), scale, 2.0f, x);
    amp_array_view_release(x);
    assert_data(1);
    return status;
}

static void test_no_code(void **state)
{
    (void)state;
    fake_cuda.capability = 70;
    start();
    assert_error(launch_scale(), AMP_ERROR_NO_KERNEL,
                 "scale (kernels.c:3): it is compiled for sm_75, sm_100, but cuda:0 is sm_70; compile it with "
                 "--amp-gpu=sm_70 or older");
    int x[3] = {1, 2, 3}, y[1];
    amp_array_view *in = amp_array_view2(1, 3, x), *out = amp_array_view1(1, y);
    assert_error(
        amp_parallel_for_each_on(on[0], amp_extent1(1), sum, in, out), AMP_ERROR_NO_KERNEL,
        "sum (kernels.c:70): it is compiled for no GPU, but cuda:0 is sm_70; compile it with --amp-gpu=sm_70 or "
        "older");
    amp_array_view_release(in), amp_array_view_release(out);
    /* The last image that is not newer. */
    fake_cuda.capability = 120;
    start();
    assert_error(launch_scale(), AMP_ERROR_DEVICE,
                 "scale (kernels.c:3): cuda:0: cuModuleLoadDataEx: CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222): the fake "
                 "driver's text; the driver is older than the code: update it, or compile with an older --amp-gpu");
}

static void test_bad_code(void **state)
{
    (void)state;
    struct amp__code good = code;
    code = (struct amp__code)CODE("syntax error");
    assert_error(
        launch_scale(), AMP_ERROR_DEVICE,
        "scale (kernels.c:3): cuda:0: cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (218): the fake driver's text: "
        "ptxas application ptx input, line 1; fatal : syntax error");
    code = (struct amp__code)CODE("something else");
    assert_error(
        launch_scale(), AMP_ERROR_DEVICE,
        "scale (kernels.c:3): cuda:0: cuModuleGetFunction: CUDA_ERROR_NOT_FOUND (500): the fake driver's text");
    code = good;
}

static void test_too_big(void **state)
{
    (void)state;
    fake_cuda_fail("cuLaunchKernel", 1, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    static const char text[] =
        "scale (kernels.c:3): a block of 256 threads does not fit into a multiprocessor of cuda:0: each needs 40 "
        "registers, "
        "and all of them 2048 bytes of tile_static memory; at most %s threads fit, so make the tile smaller";
    char expected[sizeof text + 8];
    snprintf(expected, sizeof expected, text, "1024");
    assert_error(launch_scale(), AMP_ERROR_UNSUPPORTED_FEATURE, expected);
    setup(NULL);
    fake_cuda_reset();
    struct fake_cuda_kernel small = functions[0], small_many = functions[1];
    small.max_threads = small_many.max_threads = 192;
    fake_cuda_add(&small);
    fake_cuda_add(&small_many);
    start();
    snprintf(expected, sizeof expected, text, "192");
    assert_error(launch_scale(), AMP_ERROR_UNSUPPORTED_FEATURE, expected);
    assert_int_equal(fake_cuda_calls("cuLaunchKernel"), 0);
}

/* row: error.printf */
static void test_abort(void **state)
{
    (void)state;
    int x[2][3] = {{0}};
    amp_array_view *view = amp_array_view2(2, 3, &x[0][0]);
    assert_ok(amp_parallel_for_each_on(on[0], amp_extent1(2), fill, 7, view));
    abort_text = "that will not do";
    assert_error(amp_parallel_for_each_on(on[0], amp_extent1(2), fill, 8, view), AMP_ERROR_ABORTED,
                 "fill (kernels.c:60): amp_abort: that will not do");
    abort_text = NULL; /* the next launch begins anew, on another queue too */
    amp_accelerator_view *other =
        amp_accelerator_create_view(amp_accelerator_find("cuda:0"), AMP_QUEUING_MODE_AUTOMATIC);
    assert_ok(amp_parallel_for_each_on(other, amp_extent1(2), fill, 9, view));
    assert_ok(amp_synchronize(view));
    assert_int_equal(x[1][2], 9);
    amp_array_view_release(view);
    amp_accelerator_view_release(other);
}

/* A library that is unloaded and loaded again at the same address has new code. */
static void test_unload(void **state)
{
    (void)state;
    amp_array_view *x = view_of_data();
    for (int i = 0; i < 3; i++) {
        assert_ok(amp_parallel_for_each_on(on[0], amp_extent1(1000), scale, 2.0f, x));
        for (int k = 0; k < N_ON_CUDA; k++)
            amp__unregister_kernels(on_cuda[k], 1);
        assert_int_equal(fake_cuda_calls("cuModuleUnload"), i); /* not at once: the process may be ending */
        for (int k = 0; k < N_ON_CUDA; k++)
            amp__register_kernels(on_cuda[k], 1);
    }
    assert_int_equal(fake_cuda_calls("cuModuleLoadDataEx"), 3);
    assert_ok(amp_synchronize(x));
    assert_data(8);
    amp_array_view_release(x);
}

/* ---- memory and copies ---- */

static void test_pool(void **state)
{
    (void)state;
    static float more[1000];
    for (int i = 0; i < 5; i++) { /* released memory is used again */
        amp_array_view *a = amp_array_view1(1000, data), *b = amp_array_view1(1000, more);
        assert_ok(amp_parallel_for_each_on(on[0], amp_extent1(1000), scale, 2.0f, a));
        assert_ok(amp_parallel_for_each_on(on[0], amp_extent1(1000), scale, 2.0f, b));
        amp_array_view_release(a);
        amp_array_view_release(b);
    }
    assert_int_equal(fake_cuda_calls("cuMemAlloc_v2"), 2);
    assert_int_equal(fake_cuda_calls("cuMemFree_v2"), 0);
    /* Half the memory is more than is kept, a quarter is not. */
    const amp_accelerator *a = amp_accelerator_find("cuda:0");
    void *memory;
    assert_ok(a->backend->alloc(a->device, 1 << 29, &memory));
    a->backend->free(a->device, memory);
    assert_int_equal(fake_cuda_calls("cuMemFree_v2"), 1);
    assert_ok(a->backend->alloc(a->device, 1 << 28, &memory));
    a->backend->free(a->device, memory);
    assert_int_equal(fake_cuda_calls("cuMemFree_v2"), 3); /* the two small blocks, which are older */
    /* When the driver has no memory left, the kept blocks are freed. */
    assert_ok(a->backend->alloc(a->device, 1000 << 20, &memory));
    assert_int_equal(fake_cuda_calls("cuMemFree_v2"), 4);
    a->backend->free(a->device, memory);
    /* If that is not enough, the call fails. */
    void *none;
    assert_error(a->backend->alloc(a->device, 3ul << 30, &none), AMP_ERROR_OUT_OF_MEMORY,
                 "cuda:0: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory: 3221225472 bytes are needed; of "
                 "1073741824, 1073741824 are free");
    assert_ok(a->backend->alloc(a->device, 0, &memory));
    a->backend->free(a->device, memory);
}

/* Writes words that differ for each place and each seed. */
static void mark(uint64_t *words, size_t size_bytes, uint64_t seed)
{
    for (size_t i = 0; i <= size_bytes / sizeof *words; i++)
        words[i] = (i + seed) * 0x9e3779b97f4a7c15;
}

/* Sizes around the borders of slices, chunks and rings, several times one after another, so that they begin anywhere in
 * a ring, which becomes a large one. */
static void test_staging(void **state)
{
    (void)state;
    enum { SLICE = AMP__GPU_SLICE, LARGE = AMP__GPU_LARGE * SLICE, RING = AMP__GPU_SLOTS * SLICE, MOST = 2 * RING };
    static const size_t sizes[] = {1,
                                   SLICE - 1,
                                   SLICE,
                                   SLICE + 1,
                                   LARGE - SLICE,
                                   5000 * 100,
                                   5 * SLICE,
                                   LARGE - SLICE + 1,
                                   LARGE,
                                   3 * SLICE,
                                   RING + SLICE + 77,
                                   17,
                                   33 * SLICE + 4097,
                                   RING};
    const amp_accelerator *a = amp_accelerator_find("cuda:0");
    void *queues[2] = {NULL, NULL};
    assert_ok(a->backend->queue_create(a->device, &queues[1]));
    uint64_t *words = malloc(MOST);
    unsigned char *from = (unsigned char *)words, *to = malloc(MOST);
    for (int eager = 0; eager < 2; eager++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            size_t n = sizes[i], at = i % 2 ? 0 : 5 * i; /* on no border of a word */
            fake_cuda.is_eager = eager;
            void *memory, *queue = queues[i % 2];
            mark(words, at + n, i);
            memset(to, 0, at + n + 1);
            assert_ok(a->backend->alloc(a->device, n, &memory));
            assert_ok(a->backend->copy_in(a->device, queue, (struct amp__at){memory, 0}, from + at, n));
            memset(from, 0, at + n); /* the source may change */
            assert_ok(a->backend->copy_out(a->device, queue, to + at, (struct amp__at){memory, 0}, n));
            mark(words, at + n, i);
            assert_memory_equal(to + at, from + at, n);
            assert_int_equal(at ? to[at - 1] : 0, 0);
            assert_int_equal(to[at + n], 0);
            a->backend->free(a->device, memory);
        }
    a->backend->queue_destroy(a->device, queues[1]);
    free(words);
    free(to);
    assert_int_equal(fake_cuda_calls("cuMemHostAlloc"), 4); /* small ones, and large ones */
    assert_int_equal(fake_cuda_calls("cuMemFreeHost"), 2);
}

static int count_threads(void)
{
    int n = 0;
    DIR *tasks = opendir("/proc/self/task");
    while (readdir(tasks))
        n++;
    closedir(tasks);
    return n;
}

/* The threads that help in large copies end with the main thread, and are made again. */
static void test_helpers_end(void **state)
{
    (void)state;
    enum { SIZE = (AMP__GPU_LARGE + 1) * AMP__GPU_SLICE };
    const amp_accelerator *a = amp_accelerator_find("cuda:0");
    static unsigned char from[SIZE], to[SIZE];
    void *memory;
    assert_ok(a->backend->alloc(a->device, SIZE, &memory));
    a->backend->main_ended();
    usleep(50000);
    int n_before = count_threads();
    for (int i = 1; i < 4; i++) {
        memset(from, i, SIZE);
        assert_ok(a->backend->copy_in(a->device, NULL, (struct amp__at){memory, 0}, from, SIZE));
        assert_ok(a->backend->copy_out(a->device, NULL, to, (struct amp__at){memory, 0}, SIZE));
        assert_memory_equal(to, from, SIZE);
        a->backend->main_ended();
        for (int k = 0; k < 1000 && count_threads() > n_before; k++)
            usleep(1000); /* the system may still list a thread that has been joined */
        assert_int_equal(count_threads(), n_before);
    }
    a->backend->free(a->device, memory);
}

/* A copy does not wait for the work that another queue's copies wait for, as long as there are rings for both. */
static void test_rings(void **state)
{
    (void)state;
    enum { N = AMP__GPU_RINGS + 2, SIZE = (AMP__GPU_LARGE - 1) * AMP__GPU_SLICE };
    const amp_accelerator *a = amp_accelerator_find("cuda:0");
    void *queues[N], *memory[N];
    unsigned char *from = malloc(SIZE), *to = malloc(SIZE);
    for (int i = 0; i < N; i++) {
        assert_ok(a->backend->queue_create(a->device, &queues[i]));
        assert_ok(a->backend->alloc(a->device, SIZE, &memory[i]));
        memset(from, i + 1, SIZE);
        struct scale_args args = {1, 1, memory[i]};
        struct amp__launch launch = {
            .kernel = &scale_kernel, .args = &args, .box = {0, 1, 0, 1, 0, 1}, .n_threads_per_point = 1};
        for (int k = 0; k < 1000; k++) /* the fake's time passes by asking */
            assert_ok(a->backend->launch(a->device, queues[i], &launch));
        assert_ok(a->backend->copy_in(a->device, queues[i], (struct amp__at){memory[i], 0}, from, SIZE));
    }
    assert_int_equal(((unsigned char *)near(memory[0]))[100], 0xA5); /* as it was allocated */
    /* The copies of the last queues, which had no ring of their own, took turns with the fourth ring. */
    assert_int_equal(fake_cuda_calls("cuMemHostAlloc"), AMP__GPU_RINGS);
    for (int i = N; i-- > 0;) {
        assert_ok(a->backend->copy_out(a->device, queues[i], to, (struct amp__at){memory[i], 0}, SIZE));
        memset(from, i + 1, SIZE);
        assert_memory_equal(to, from, SIZE);
        a->backend->free(a->device, memory[i]);
        a->backend->queue_destroy(a->device, queues[i]);
    }
    assert_int_equal(fake_cuda_calls("cuMemHostAlloc"), AMP__GPU_RINGS + 1);
    free(from);
    free(to);
}

/* A thread with a pending cancellation first copies all of a large array, because others need what it holds. */
static void *copy_cancelled(void *is_copied)
{
    enum { N = (AMP__GPU_LARGE + 1) * AMP__GPU_SLICE };
    char *bytes = calloc(1, N);
    pthread_cancel(pthread_self());
    amp_array *array = amp_array_create(amp_extent1(N), AMP_TYPE_I8, 1, bytes, on[0], AMP_ACCESS_AUTO);
    *(bool *)is_copied = array;
    amp_array_release(array);
    free(bytes);
    pthread_testcancel();
    return NULL;
}

static void test_cancelled_thread(void **state)
{
    (void)state;
    pthread_t thread;
    void *result;
    bool is_copied = false;
    assert_int_equal(pthread_create(&thread, NULL, copy_cancelled, &is_copied), 0);
    pthread_join(thread, &result);
    assert_true(is_copied);
    assert_ptr_equal(result, PTHREAD_CANCELED);
}

/* Views and arrays on two GPUs in turn: no copy that is not needed. */
static void test_two_devices(void **state)
{
    (void)state;
    amp_array_view *x = view_of_data();
    for (int i = 0; i < 3; i++) {
        assert_ok(amp_parallel_for_each_on(on[0], amp_extent1(1000), scale, 2.0f, x));
        assert_ok(amp_parallel_for_each_on(on[0], amp_extent1(1000), scale, 2.0f, x));
        assert_ok(amp_parallel_for_each_on(on[1], amp_extent1(1000), scale, 2.0f, x));
    }
    assert_ok(amp_synchronize(x));
    assert_data(512);
    /* The host gets nothing until the end; kernels are in order with the copies. */
    assert_true(done_is("in 0, scale 0, scale 0, peer 1, scale 1, peer 0, scale 0, scale 0, peer 1, scale 1, "
                        "peer 0, scale 0, scale 0, peer 1, scale 1, out 1"));
    assert_int_equal(fake_cuda_calls("cuCtxEnablePeerAccess"), 2);
    amp_array_view_release(x);
    /* Data that the host has comes from the host. */
    x = view_of_data();
    fake_cuda_done();
    assert_ok(amp_synchronize_to(x, on[0]));
    assert_ok(amp_synchronize_to(x, on[1]));
    assert_ok(amp_accelerator_view_wait(on[0]));
    assert_ok(amp_accelerator_view_wait(on[1]));
    assert_true(done_is("in 0, in 1"));
    amp_array_view_release(x);
}

static void test_across(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++)
        data[i] = (float)i;
    amp_array *a = amp_array_create(amp_extent1(1000), AMP_TYPE_F32, sizeof(float), data, on[0], AMP_ACCESS_AUTO);
    amp_array *b = amp_array_create(amp_extent1(1000), AMP_TYPE_F32, sizeof(float), NULL, on[0], AMP_ACCESS_AUTO);
    amp_array *c = amp_array_create(amp_extent1(1000), AMP_TYPE_F32, sizeof(float), NULL, on[1], AMP_ACCESS_AUTO);
    assert_true(a && b && c);
    fake_cuda_done();
    assert_ok(amp_copy(b, a));
    assert_ok(amp_copy(c, b));
    assert_true(done_is("in 0, across 0, peer 1"));
    memset(data, 0, sizeof data);
    assert_ok(amp_copy_to(c, data, 1000));
    assert_data(1);
    assert_ok(amp_accelerator_view_wait(on[0]));
    amp_array_release(a), amp_array_release(b), amp_array_release(c);
}

/* A copy of rows fails at the second row. The first one is done before the pool gives the destination's memory to
 * another array on another queue. */
static void test_rows_of_a_failed_copy(void **state)
{
    (void)state;
    enum { ROWS = 3, WIDTH = 1 << 14, HALF = WIDTH / 2 };
    static int rows[ROWS][WIDTH], halves[ROWS][HALF], found[ROWS][HALF];
    for (int i = 0; i < ROWS * HALF; i++)
        halves[i / HALF][i % HALF] = i;
    amp_accelerator_view *queue =
        amp_accelerator_create_view(amp_accelerator_find("cuda:0"), AMP_QUEUING_MODE_AUTOMATIC);
    amp_array *all = amp_array_from_on(amp_extent2(ROWS, WIDTH), &rows[0][0], on[0], AMP_ACCESS_AUTO);
    amp_array *to = amp_array_on(int, amp_extent2(ROWS, HALF), on[0], AMP_ACCESS_AUTO);
    amp_array_view *from = amp_array_section(all, amp_index2(0, 0), amp_extent2(ROWS, HALF));
    const void *memory = amp__home_memory(to->whole.home, on[0]->accelerator->location);
    fake_cuda_fail("cuMemcpyDtoDAsync_v2", 2, CUDA_ERROR_UNKNOWN);
    assert_int_equal(amp_copy(to, from), AMP_ERROR_DEVICE);
    amp_error_clear();
    amp_array_release(to);
    to = amp_array_from_on(amp_extent2(ROWS, HALF), &halves[0][0], queue, AMP_ACCESS_AUTO);
    assert_ptr_equal(amp_array_native_handle(to), memory);
    assert_ok(amp_accelerator_view_wait(queue));
    assert_ok(amp_accelerator_view_wait(on[0]));
    assert_ok(amp_copy(&found[0][0], to));
    assert_memory_equal(found, halves, sizeof halves);
    amp_array_view_release(from);
    amp_array_release(all), amp_array_release(to);
    amp_accelerator_view_release(queue);
}

/* ---- queues and threads ---- */

/* Work on one queue waits for another queue only if both use the same memory. */
static void test_queues(void **state)
{
    (void)state;
    amp_accelerator *gpu = amp_accelerator_find("cuda:0");
    amp_accelerator_view *q1 = amp_accelerator_create_view(gpu, AMP_QUEUING_MODE_AUTOMATIC);
    amp_accelerator_view *q2 = amp_accelerator_create_view(gpu, AMP_QUEUING_MODE_IMMEDIATE);
    static float more[1000];
    amp_array_view *x = view_of_data(), *y = amp_array_view1(1000, more);
    assert_ok(amp_parallel_for_each_on(q1, amp_extent1(1000), scale, 2.0f, x));
    assert_ok(amp_parallel_for_each_on(q2, amp_extent1(1000), scale, 2.0f, y));
    assert_ok(amp_accelerator_view_wait(q2));
    assert_true(done_is("in 1, in 2, scale 2")); /* the kernel on q1 (stream 1) has not begun */
    assert_ok(amp_parallel_for_each_on(q2, amp_extent1(1000), scale, 2.0f, x));
    assert_true(done_is("scale 1")); /* x is read after q1's work on it */
    assert_ok(amp_synchronize(x));
    assert_data(4);
    assert_true(done_is("scale 2, out 2"));
    /* Futures, in the order of submission. */
    amp_future *futures[6];
    for (int i = 0; i < 6; i++)
        futures[i] = amp_parallel_for_each_on_async(i % 2 ? q1 : q2, amp_extent1(1000), scale, i % 2 ? 2.0f : 0.5f, x);
    for (int i = 5; i >= 0; i--) {
        assert_ok(amp_future_wait(futures[i]));
        amp_future_release(futures[i]);
    }
    amp_future *marker = amp_accelerator_view_create_marker(q1);
    assert_ok(amp_future_wait(marker));
    amp_future_release(marker);
    assert_ok(amp_synchronize(x));
    assert_data(4);
    assert_true(gpu->backend->native_device(gpu->device) && gpu->backend->native_queue(gpu->device, q1->queue));
    assert_ptr_not_equal(gpu->backend->native_queue(gpu->device, q1->queue),
                         gpu->backend->native_queue(gpu->device, q2->queue));
    void *event;
    assert_ok(gpu->backend->event_record(gpu->device, q1->queue, &event));
    assert_false(gpu->backend->event_query(gpu->device, event)); /* the fake's time passes by asking */
    assert_true(gpu->backend->event_query(gpu->device, event));
    assert_ok(gpu->backend->event_wait(gpu->device, event));
    gpu->backend->event_destroy(gpu->device, event);
    amp_array_view_release(x), amp_array_view_release(y);
    amp_accelerator_view_release(q1), amp_accelerator_view_release(q2);
}

static void *work_alone(void *argument)
{
    int which = *(int *)argument;
    amp_accelerator_view *queue =
        amp_accelerator_create_view(amp_accelerator_find(which % 2 ? "cuda:1" : "cuda:0"), AMP_QUEUING_MODE_AUTOMATIC);
    enum { N = 400000 };
    float *x = malloc(N * sizeof *x);
    for (int i = 0; i < N; i++)
        x[i] = (float)(i % 1000);
    amp_array_view *view = amp_array_view1(N, x);
    for (int i = 0; i < 4; i++) {
        assert_ok(amp_parallel_for_each_on(queue, amp_extent1(N), scale, 2.0f, view));
        if (i % 2)
            assert_ok(amp_synchronize(view));
    }
    for (int i = 0; i < N; i++)
        assert_true(x[i] == (float)(i % 1000) * 16);
    amp_array_view_release(view);
    amp_accelerator_view_release(queue);
    free(x);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[6];
    int which[6];
    for (int i = 0; i < 6; i++) {
        which[i] = i;
        pthread_create(&threads[i], NULL, work_alone, &which[i]);
    }
    for (int i = 0; i < 6; i++)
        pthread_join(threads[i], NULL);
}

/* Another library's context is current again after each call; ours stays where there was none. */
static void test_contexts(void **state)
{
    (void)state;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    CUresult (*retain)(CUcontext *, CUdevice) = NULL, (*release)(CUdevice) = NULL, (*set)(CUcontext) = NULL,
                                    (*get)(CUcontext *) = NULL;
    *(void **)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
    *(void **)&release = dlsym(driver, "cuDevicePrimaryCtxRelease");
    *(void **)&set = dlsym(driver, "cuCtxSetCurrent");
    *(void **)&get = dlsym(driver, "cuCtxGetCurrent");
    CUcontext theirs, now;
    assert_int_equal(retain(&theirs, 1), CUDA_SUCCESS);
    assert_int_equal(set(theirs), CUDA_SUCCESS);
    amp_array_view *x = view_of_data();
    assert_ok(amp_parallel_for_each_on(on[0], amp_extent1(1000), scale, 2.0f, x));
    assert_int_equal(get(&now), CUDA_SUCCESS);
    assert_ptr_equal(now, theirs);
    assert_ok(amp_synchronize(x));
    assert_int_equal(get(&now), CUDA_SUCCESS);
    assert_ptr_equal(now, theirs);
    assert_int_equal(set(NULL), CUDA_SUCCESS);
    assert_ok(amp_parallel_for_each_on(on[0], amp_extent1(1000), scale, 2.0f, x));
    assert_int_equal(get(&now), CUDA_SUCCESS);
    assert_ptr_not_equal(now, theirs);
    assert_ok(amp_parallel_for_each_on(on[1], amp_extent1(1000), scale, 2.0f, x));
    assert_int_equal(get(&now), CUDA_SUCCESS);
    assert_ptr_equal(now, theirs); /* the device's own context: nobody else had set one */
    amp_array_view_release(x);
    assert_int_equal(set(NULL), CUDA_SUCCESS);
    release(1);
    dlclose(driver);
}

/* ---- failures ---- */

/* The next wait reports a kernel that goes wrong, and the device is lost; the host's data and `cpu` remain usable. */
static void test_lost(void **state)
{
    (void)state;
    amp_array_view *x = view_of_data();
    assert_ok(amp_parallel_for_each_on(on[0], amp_extent1(1000), scale, 2.0f, x));
    fake_cuda_fail("cuStreamSynchronize", 1, CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_error(
        amp_synchronize(x), AMP_ERROR_ACCELERATOR_VIEW_REMOVED,
        "cuda:0: cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700): the fake driver's text; the device is lost "
        "to this process, start it again; the last kernel on this queue was scale (kernels.c:3)");
    assert_data(1);
    assert_error(
        amp_accelerator_view_wait(on[0]), AMP_ERROR_ACCELERATOR_VIEW_REMOVED,
        "cuda:0: cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700): the fake driver's text; the device is lost "
        "to this process, start it again; the last kernel on this queue was scale (kernels.c:3)");
    amp_array_view_release(x);
    x = view_of_data();
    assert_int_equal(amp_parallel_for_each_on(on[0], amp_extent1(1000), scale, 2.0f, x),
                     AMP_ERROR_ACCELERATOR_VIEW_REMOVED);
    amp_error_clear();
    assert_data(1);
    assert_ok(amp_parallel_for_each_on(on[1], amp_extent1(1000), scale, 2.0f, x));
    assert_ok(amp_synchronize(x));
    assert_data(2);
    amp_array_view_release(x);
}

static int n_waits(void)
{
    return fake_cuda_calls("cuStreamSynchronize") + fake_cuda_calls("cuEventSynchronize");
}

/* Asynchronous launches follow one another on a stream; only a launch that is asked for is waited for. */
static void test_work_ahead(void **state)
{
    (void)state;
    enum { N = 100 };
    start();
    amp_accelerator_view *queue =
        amp_accelerator_create_view(amp_accelerator_find("cuda:0"), AMP_QUEUING_MODE_AUTOMATIC);
    amp_array_view *x = view_of_data();
    assert_ok(amp_parallel_for_each_on(queue, amp_extent1(1000), scale, 1.0f, x));
    amp_future *futures[N];
    int before = n_waits();
    for (int i = 0; i < N; i++)
        futures[i] = amp_parallel_for_each_on_async(queue, amp_extent1(1000), scale, i % 2 ? 2.0f : 0.5f, x);
    assert_ok(amp_future_wait(futures[N - 1]));
    assert_in_range(n_waits() - before, 1, 3);
    for (int i = 0; i < N; i++) {
        assert_true(amp_future_wait_for(futures[i], 10));
        assert_ok(amp_future_status(futures[i]));
        amp_future_release(futures[i]);
    }
    assert_ok(amp_synchronize(x));
    assert_data(1);
    amp_array_view_release(x);
    amp_accelerator_view_release(queue);
}

/* A child of fork cannot use its parent's devices. It gets an error, and releases everything without the driver. */
static void test_fork(void **state)
{
    (void)state;
    start();
    amp_accelerator_view *queue =
        amp_accelerator_create_view(amp_accelerator_find("cuda:0"), AMP_QUEUING_MODE_AUTOMATIC);
    amp_array_view *x = view_of_data();
    assert_ok(amp_parallel_for_each_on(queue, amp_extent1(1000), scale, 1.0f, x));
    amp_future *future = amp_parallel_for_each_on_async(queue, amp_extent1(1000), scale, 1.0f, x);
    assert_ok(amp_future_wait(future));
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        bool is_told =
            amp_parallel_for_each_on(queue, amp_extent1(1000), scale, 1.0f, x) == AMP_ERROR_ACCELERATOR_VIEW_REMOVED &&
            strstr(amp_error_text(), "cuda:0: this process is a child of fork");
        int n_calls = n_waits();
        amp_future_release(future);
        amp_array_view_release(x);
        amp_accelerator_view_release(queue);
        _exit(is_told && n_waits() == n_calls ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    amp_future_release(future);
    amp_array_view_release(x);
    amp_accelerator_view_release(queue);
}

/* A program that uses every function of the driver, and goes on without whatever fails. Returns whether it has all
 * results. */
static bool scenario(void)
{
    enum { LARGE = AMP__GPU_LARGE * AMP__GPU_SLICE };
    start();
    static unsigned char large[LARGE];
    static int x[2][3], y[3][2] = {{0, 1}, {2, 3}, {4, 5}};
    memset(x, 0, sizeof x);
    memset(large, 1, sizeof large);
    amp_array_view *view = view_of_data(), *rows = amp_array_view2(2, 3, &x[0][0]);
    amp_array_view *pairs = amp_array_view2(3, 2, &y[0][0]), *column = amp_array_view_section2(pairs, 0, 1, 3, 1);
    amp_accelerator *gpu = amp_accelerator_find("cuda:0");
    amp_accelerator_view *queue = gpu ? amp_accelerator_create_view(gpu, AMP_QUEUING_MODE_IMMEDIATE) : NULL;
    if (queue && on[1]) {
        amp_array *a = amp_array_create(amp_extent1(LARGE), AMP_TYPE_U8, 1, large, on[0], AMP_ACCESS_AUTO);
        amp_array *b = amp_array_create(amp_extent1(LARGE), AMP_TYPE_U8, 1, NULL, on[0], AMP_ACCESS_AUTO);
        if (a && b && amp_copy(b, a) == AMP_OK) {
            amp_accelerator_view_wait(on[0]);
            amp_copy_to(b, large, LARGE);
        }
        amp_array_release(a);
        amp_array_release(b);
        amp_parallel_for_each_on(on[0], amp_extent1(1000), scale, 2.0f, view);
        amp_future *future = amp_parallel_for_each_on_async(queue, amp_extent1(1000), scale, 2.0f, view);
        amp_future_wait(future);
        amp_future_release(future);
        amp_parallel_for_each_on(on[1], amp_extent1(1000), scale, 2.0f, view);
        abort_text = NULL;
        amp_parallel_for_each_on(queue, amp_extent1(2), fill, 7, rows);
        amp_accelerator_view_wait(queue);
        amp_synchronize(view);
        amp_synchronize(rows);
        if (amp_synchronize_to_for(pairs, on[0], AMP_ACCESS_READ_WRITE) == AMP_OK &&
            amp_synchronize_for(column, AMP_ACCESS_READ_WRITE) == AMP_OK)
            amp_synchronize_to(column, on[0]);
        amp_synchronize(pairs);
    }
    /* The host's memory has its old contents, or those after some or all of the launches. */
    for (int i = 0; i < 1000; i++)
        assert_true(data[i] == data[1] * (float)i);
    assert_true(data[1] == 1 || data[1] == 2 || data[1] == 4 || data[1] == 8);
    for (int i = 0; i < 6; i++)
        assert_int_equal(x[i / 3][i % 3], x[0][0]);
    assert_true(x[0][0] == 0 || x[0][0] == 7);
    for (int i = 0; i < 6; i++)
        assert_int_equal(y[i / 2][i % 2], i);
    for (int i = 0; i < LARGE; i++)
        assert_int_equal(large[i], 1);
    amp_array_view_release(column);
    amp_array_view_release(pairs);
    amp_array_view_release(view);
    amp_array_view_release(rows);
    amp_accelerator_view_release(queue);
    return data[1] == 8 && x[0][0] == 7;
}

/* Whether a function's failure must be reported. Other failures may concern a release, another queue's copy, or an
 * event, without which the whole queue is waited for; the results are then complete nevertheless. */
static bool must_be_told(const char *name)
{
    static const char *const quiet[] = {"cuCtxGetCurrent",     "cuCtxSetCurrent",       "cuDevicePrimaryCtxRelease",
                                        "cuMemFree",           "cuMemFreeHost",         "cuModuleUnload",
                                        "cuStreamDestroy",     "cuEventDestroy",        "cuCtxSynchronize",
                                        "cuStreamSynchronize", "cuEventCreate",         "cuEventRecord",
                                        "cuEventQuery",        "cuDeviceCanAccessPeer", "cuCtxEnablePeerAccess"};
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
        if (!strcmp(quiet[i], name))
            return false;
    return true;
}

static int fail_each_call(const char *name, const char *symbol, CUresult result)
{
    for (int n = 1;; n++) {
        setup(NULL);
        amp__test_cuda_close();
        fake_cuda_fail(symbol, n, result);
        bool is_complete = scenario(), has_failed = fake_cuda_has_failed();
        /* The call reports it, or it is the reason why the device is missing. */
        const char *text = *amp_accelerator_missing() ? amp_accelerator_missing() : amp_error_text();
        assert_true(!has_failed || *text || (is_complete && !must_be_told(name)));
        assert_true(has_failed || (is_complete && !*text));
        if (has_failed && *text) {
            /* A release may have been the first to find the device lost, and does not report it. */
            assert_true(result != CUDA_ERROR_UNKNOWN || contains(text, name));
            assert_non_null(contains(text, result == CUDA_ERROR_UNKNOWN ? "CUDA_ERROR_UNKNOWN (999)" : "(700)"));
            assert_non_null(contains(text, "cuda"));
        }
        amp_error_clear();
        if (!strncmp(name, "cuCtx", 5))
            fake_cuda_fail(NULL, 0, CUDA_SUCCESS); /* the test's own way to the contexts */
        if (teardown(NULL))
            fail_msg("after failure %d of %s", n, name);
        if (!has_failed)
            return n - 1;
    }
}

static void test_each_failure(void **state)
{
    (void)state;
    static const struct {
        const char *name, *symbol;
    } all[] = {
#define ENTRY(name, symbol, parameters) {#name, #symbol},
        AMP__CUDA_FUNCTIONS(ENTRY)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int n = fail_each_call(all[i].name, all[i].symbol, CUDA_ERROR_UNKNOWN);
        print_message("%-28s fails at %d places\n", all[i].name, n);
    }
    static const char *const losing[] = {"cuStreamSynchronize", "cuEventSynchronize", "cuLaunchKernel"};
    for (size_t i = 0; i < sizeof losing / sizeof *losing; i++)
        fail_each_call(losing[i], losing[i], CUDA_ERROR_ILLEGAL_ADDRESS);
    setup(NULL);
}

/* The library's own memory and threads run out at each place, without a failure of the driver. */
static void test_each_allocation(void **state)
{
    (void)state;
    for (int n = 1;; n++) {
        setup(NULL);
        amp__test_fail_allocation(n);
        scenario();
        bool is_over = amp__test_fail_allocation(0) < n;
        amp_error_clear();
        if (teardown(NULL))
            fail_msg("after allocation %d failed", n);
        if (is_over)
            break;
    }
    setup(NULL);
}

/* Reads a file that the library has written, and removes it. */
static const char *take_file(const char *name)
{
    static char text[16384];
    FILE *file = fopen(name, "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    unlink(name);
    return text;
}

/* The profile of two launches, in which a call of the driver fails if `function` is not NULL. */
static const char *profile_of_launches(const char *function)
{
    char name[64];
    snprintf(name, sizeof name, "cuda_test.%d.json", (int)getpid());
    setenv("AMP_PROFILE", name, 1);
    start();
    amp_array_view *x = view_of_data();
    fake_cuda_fail(function, 1, (CUresult)777);
    for (int i = 0; i < 2; i++)
        assert_ok(amp_parallel_for_each_on(on[0], amp_extent1(1000), scale, 2.0f, x));
    assert_ok(amp_synchronize(x));
    assert_data(4);
    amp_array_view_release(x);
    unsetenv("AMP_PROFILE");
    start();
    assert_true(!function || fake_cuda_has_failed());
    fake_cuda_fail(NULL, 0, CUDA_SUCCESS);
    return take_file(name);
}

/* Launches on two queues of a GPU, with the copies that they need. */
static void use_two_queues(void)
{
    amp_accelerator_view *second = amp_accelerator_create_view(on[0]->accelerator, AMP_QUEUING_MODE_AUTOMATIC);
    amp_array_view *x = view_of_data();
    assert_ok(amp_parallel_for_each_on(on[0], amp_extent1(1000), scale, 2.0f, x));
    assert_ok(amp_parallel_for_each_on(second, amp_extent1(1000), scale, 2.0f, x));
    assert_ok(amp_synchronize(x));
    assert_data(4);
    amp_array_view_release(x);
    amp_accelerator_view_release(second);
}

/* A GPU's kernels have rows with their names, and copies with their bytes, and why they were needed. */
static void test_profile(void **state)
{
    (void)state;
    char name[64];
    snprintf(name, sizeof name, "cuda_test.%d.json", (int)getpid());
    setenv("AMP_PROFILE", name, 1);
    start();
    use_two_queues();
    unsetenv("AMP_PROFILE");
    start();
    const char *profile = take_file(name);
    assert_non_null(contains(profile, "{\"kernel\": \"scale\", \"file\": \"kernels.c\", \"on\": \"cuda:0\", "));
    assert_non_null(contains(profile, "\"launches\": 2, "));
    assert_non_null(contains(profile, "{\"for\": \"scale\", \"line\": \"read-in\", \"from\": \"host\", \"to\": "
                                      "\"cuda:0\", \"copies\": 1, "));
    assert_non_null(contains(profile, "{\"for\": \"amp_synchronize\", \"line\": \"read-out\", \"from\": \"cuda:0\", "
                                      "\"to\": \"host\", \"copies\": 1, "));
    assert_non_null(contains(strstr(profile, "read-in"), "\"bytes\": 4000, "));
    assert_non_null(contains(strstr(profile, "read-out"), "\"bytes\": 4000, "));
}

/* A trace has a process for the GPU, a track for each of its queues, and there launches and copies. */
static void test_trace(void **state)
{
    (void)state;
    char name[64];
    snprintf(name, sizeof name, "cuda_test.%d.trace.json", (int)getpid());
    setenv("AMP_TRACE", name, 1);
    start();
    use_two_queues();
    unsetenv("AMP_TRACE");
    start();
    const char *trace = take_file(name);
    static const char *const parts[] = {
        "\"name\":\"process_name\",\"args\":{\"name\":\"cuda:0\"}",
        "\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":\"default queue\"}",
        "\"cat\":\"copy\",\"name\":\"read-in host to "
        "cuda:0\",\"args\":{\"from\":\"host\",\"to\":\"cuda:0\",\"for\":\"scale\","
        "\"line\":\"read-in\",\"copies\":1,\"bytes\":4000,\"clock\":\"device\"}",
        "\"cat\":\"launch\",\"name\":\"scale\",\"args\":{\"file\":\"kernels.c\",\"line\":3,\"bytes\":4000,\"clock\":"
        "\"device\"}",
        "\"tid\":2,\"name\":\"thread_name\",\"args\":{\"name\":\"queue 1\"}",
        "\"cat\":\"launch\",\"name\":\"scale\",\"args\":{\"file\":\"kernels.c\",\"line\":3,\"bytes\":4000,\"clock\":"
        "\"device\"}",
        "\"cat\":\"copy\",\"name\":\"read-out cuda:0 to host\"",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        assert_non_null(trace = contains(trace, parts[i]));
        trace += strlen(parts[i]);
    }
}

/* The device's events time its work. Where they fail, the time is unknown, and the work is done all the same. */
static void test_stamps(void **state)
{
    (void)state;
    const char *profile = profile_of_launches(NULL);
    assert_non_null(contains(profile, "\"on\": \"cuda:0\", \"line\": 3, \"share\": 1, \"launches\": 2, "));
    assert_non_null(contains(profile, "\"bytes\": 8000, "));
    assert_null(strstr(profile, "\"none\""));
    assert_null(strstr(profile, "\"clock\": \"host\""));
    static const char *const functions_of_stamps[] = {"cuEventElapsedTime", "cuEventCreate", "cuEventRecord"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(teardown(NULL), 0);
        setup(NULL);
        profile = profile_of_launches(functions_of_stamps[i]);
        assert_non_null(contains(profile, "\"total_ns\": null"));
        assert_non_null(contains(profile, "\"clock\": \"none\""));
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_properties),
        TEST(test_missing),
        TEST(test_default),
        TEST(test_ranks),
        TEST(test_messages),
        TEST(test_launch),
        TEST(test_shapes),
        TEST(test_many),
        TEST(test_many_for_all),
        TEST(test_rows_of_a_section),
        TEST(test_box_with_an_origin),
        TEST(test_no_code),
        TEST(test_bad_code),
        TEST(test_too_big),
        TEST(test_abort),
        TEST(test_unload),
        TEST(test_pool),
        TEST(test_staging),
        TEST(test_helpers_end),
        TEST(test_rings),
        TEST(test_two_devices),
        TEST(test_across),
        TEST(test_rows_of_a_failed_copy),
        TEST(test_queues),
        TEST(test_cancelled_thread),
        TEST(test_threads),
        TEST(test_contexts),
        TEST(test_lost),
        TEST(test_each_failure),
        TEST(test_each_allocation),
        TEST(test_work_ahead),
        TEST(test_stamps),
        TEST(test_profile),
        TEST(test_trace),
        TEST(test_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
