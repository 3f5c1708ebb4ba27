/* SPDX-License-Identifier: MIT
 * The cpu backend: pieces cover the domain once, images are chosen by machine and AMP_ISA, small launches stay on the
 * calling thread, large ones are shared, several host threads launch at once. */
#include "kernels.h"

#include "runtime/cpu/cpu.h"

#include <limits.h>
#include <time.h>

static int restart(void **state)
{
    (void)state;
    unsetenv("AMP_ISA");
    setenv("AMP_NUM_THREADS", "1", 1);
    amp_error_clear();
    amp__test_restart();
    return 0;
}

static void set(const char *variable, const char *value)
{
    setenv(variable, value, 1);
    amp__test_restart();
}

static unsigned char covered[100][120];

static void test_pieces_cover_once(void **state)
{
    (void)state;
    for (int rows = 1; rows < 100; rows += 7)
        for (int columns = 1; columns < 120; columns += 11)
            for (int wanted = 1; wanted < 70; wanted += 13) {
                /* The domain may begin anywhere. */
                int r0 = wanted % 5, c0 = wanted % 3 * 7, r1 = r0 + rows, c1 = c0 + columns;
                int domain[6] = {2, 3, r0, r1, c0, c1}, grain[3] = {1, 4, 16};
                enum amp__cut cut = (enum amp__cut)(rows % 3);
                struct amp__pieces p = amp__pieces_cut(domain, grain, cut, wanted);
                memset(covered, 0, sizeof covered);
                assert_true(p.n <= 4 * wanted);
                for (int i = 0; i < p.n; i++) {
                    int box[6];
                    amp__pieces_box(&p, i, box);
                    assert_true(box[0] == 2 && box[1] == 3 && box[2] >= r0 && box[4] >= c0);
                    assert_true((box[2] - r0) % 4 == 0 && ((box[3] - r0) % 4 == 0 || box[3] == r1));
                    assert_true((box[4] - c0) % 16 == 0 && ((box[5] - c0) % 16 == 0 || box[5] == c1));
                    for (int r = box[2]; r < box[3]; r++)
                        for (int c = box[4]; c < box[5]; c++)
                            covered[r - r0][c - c0]++;
                }
                for (int r = 0; r < rows; r++)
                    for (int c = 0; c < columns; c++)
                        assert_int_equal(covered[r][c], 1);
            }
}

static void test_pieces_of_huge_extents(void **state)
{
    (void)state;
    int domain[6] = {0, 2147483647, 0, 2147483647, 0, 1}, grain[3] = {1, 16, 64}, box[6];
    struct amp__pieces p = amp__pieces_cut(domain, grain, AMP__CUT_ROWS, 1000);
    assert_int_equal(p.n, 1000);
    amp__pieces_box(&p, p.n - 1, box);
    assert_true(box[1] == 2147483647 && box[3] == 2147483647 && box[5] == 1);
    domain[0] = 2147483646;
    grain[1] = 2147483647;
    assert_int_equal(amp__pieces_cut(domain, grain, AMP__CUT_ROWS, 1000).n, 1);
}

static void test_pieces_prefer_rows(void **state)
{
    (void)state;
    struct amp__pieces p = amp__pieces_cut((int[]){0, 1, 0, 1024, 0, 1024}, (int[]){1, 4, 64}, AMP__CUT_ROWS, 16);
    assert_true(p.per_dim[0] == 1 && p.per_dim[1] == 16 && p.per_dim[2] == 1);
    p = amp__pieces_cut((int[]){0, 1, 0, 8, 0, 1024}, (int[]){1, 4, 64}, AMP__CUT_ROWS, 16);
    assert_true(p.per_dim[1] == 2 && p.per_dim[2] == 8);
}

/* A kernel that copies what rows share should copy it once. */
static void test_pieces_keep_rows(void **state)
{
    (void)state;
    struct amp__pieces p = amp__pieces_cut((int[]){0, 1, 0, 1024, 0, 1024}, (int[]){1, 4, 64}, AMP__CUT_COLUMNS, 16);
    assert_true(p.per_dim[0] == 1 && p.per_dim[1] == 1 && p.per_dim[2] == 16);
    p = amp__pieces_cut((int[]){0, 1, 0, 1024, 0, 200}, (int[]){1, 4, 64}, AMP__CUT_COLUMNS, 16);
    assert_true(p.n == 16 && p.per_dim[1] == 4 && p.per_dim[2] == 4);
    for (int i = 0; i < p.n; i++) {
        int box[6];
        amp__pieces_box(&p, i, box);
        assert_true(box[3] - box[2] == 256 && box[5] - box[4] == (box[4] == 192 ? 8 : 64));
    }
}

/* Pieces of a flat index end where rows do, if there are enough of them, and each takes as many as run at once. */
static void test_pieces_of_flat_rows(void **state)
{
    (void)state;
    assert_int_equal(amp__pieces_rows(1000 * 1000, 1000, 8, 16, 2), 8000);
    assert_int_equal(amp__pieces_rows(1000 * 20, 1000, 8, 16, 2), 1000);
    assert_int_equal(amp__pieces_rows(1000 * 4, 1000, 8, 16, 2), 16);
    assert_int_equal(amp__pieces_rows(INT_MAX, INT_MAX, 8, 16, 64), 16);
    const int domain[] = {0, 1, 0, 1, 0, 1000 * 1000}, grain[] = {1, 1, 8000};
    struct amp__pieces p = amp__pieces_cut(domain, grain, AMP__CUT_LONG, 32);
    assert_int_equal(p.n, 4);
    for (int i = 0; i < p.n; i++) {
        int box[6];
        amp__pieces_box(&p, i, box);
        assert_int_equal(box[4] % 8000, 0);
    }
}

/* Threads that stride over arrays together are parted no more than their number needs. */
static void test_pieces_of_convoys(void **state)
{
    (void)state;
    assert_int_equal(amp__pieces_each(1 << 16, 0, 2), 16);
    assert_int_equal(amp__pieces_each(1 << 16, 1 << 15, 2), 1);
    assert_int_equal(amp__pieces_each(1 << 16, 1 << 15, 64), 1);
    assert_int_equal(amp__pieces_each(100000, 1 << 14, 2), 3);
    assert_int_equal(amp__pieces_each(INT_MAX, 1, 2), 16);
    assert_int_equal(amp__pieces_each(INT_MAX, 1 << 15, 1 << 20), 1);
}

/* One that also copies what columns share prefers few rows of pieces. */
static void test_pieces_in_both(void **state)
{
    (void)state;
    static const struct {
        int rows, columns, wanted, per_column, per_row;
    } cases[] = {{100, 100, 32, 2, 16}, {100, 100, 256, 6, 46}, {100, 3, 32, 11, 3}, {100, 100, 1, 1, 1}};
    for (int i = 0; i < 4; i++) {
        int domain[6] = {0, 1, 0, cases[i].rows, 0, cases[i].columns}, grain[3] = {1, 1, 1};
        struct amp__pieces p = amp__pieces_cut(domain, grain, AMP__CUT_BOTH, cases[i].wanted);
        assert_int_equal(p.per_dim[1], cases[i].per_column);
        assert_int_equal(p.per_dim[2], cases[i].per_row);
    }
}

static void test_split(void **state)
{
    (void)state;
    struct amp__pieces p = amp__pieces_cut((int[]){0, 1, 0, 8, 0, 630}, (int[]){1, 4, 64}, AMP__CUT_ROWS, 1);
    int box[6], first[6];
    amp__pieces_box(&p, 0, box);
    /* Less than a slice is rounded up to one: two rows of grains, one column. */
    assert_true(amp__pieces_split(&p, 1, box, first) == 2);
    assert_memory_equal(first, ((int[]){0, 1, 0, 8, 0, 64}), sizeof first);
    assert_memory_equal(box, ((int[]){0, 1, 0, 8, 64, 630}), sizeof box);
    assert_true(amp__pieces_split(&p, 5, box, first) == 4);
    assert_memory_equal(first, ((int[]){0, 1, 0, 8, 64, 192}), sizeof first);
    assert_false(amp__pieces_is_empty(box));
    assert_true(amp__pieces_split(&p, 99, box, first) == 14);
    assert_memory_equal(first, ((int[]){0, 1, 0, 8, 192, 630}), sizeof first);
    assert_true(amp__pieces_is_empty(box));
}

static const char *ran;
static void run_baseline(const void *args, const int *box)
{
    ran = "baseline";
    scale_run(args, box);
}
static void run_v2(const void *args, const int *box)
{
    ran = "x86-64-v2";
    scale_run(args, box);
}
static void run_v3(const void *args, const int *box)
{
    ran = "x86-64-v3";
    scale_run(args, box);
}
static void run_v4(const void *args, const int *box)
{
    ran = "x86-64-v4";
    scale_run(args, box);
}
static void run_native(const void *args, const int *box)
{
    ran = "native";
    scale_run(args, box);
}

/* Makes and registers a kernel with these images. */
static void register_with(struct amp__kernel *kernel, const struct amp__image *images)
{
    *kernel = scale_kernel;
    kernel->address = (amp_kernel)(uintptr_t)covered;
    kernel->images = images;
    amp__register_kernels(kernel, 1);
}

/* Launches a kernel with these images. Returns which one runs; NULL if the launch fails. */
static const char *which_runs(const struct amp__image *images)
{
    struct amp__kernel kernel;
    float data[1] = {1};
    register_with(&kernel, images);
    amp_array_view *x = amp_array_view1(1, data);
    ran = NULL;
    amp_status status = amp_parallel_for_each(amp_extent1(1), kernel.address, 2.0f, x);
    amp_array_view_release(x);
    amp__unregister_kernels(&kernel, 1);
    return status == AMP_OK ? ran : NULL;
}

/* Each Zen runs the code of those before it; no name is mistaken for another. */
static void test_processor_names(void **state)
{
    (void)state;
    static const char *const zen[] = {"znver1", "znver2", "znver3", "znver4", "znver5"};
    for (int i = 1; i < 5; i++)
        assert_true(amp__isa_is_processor(zen[i - 1]) || !amp__isa_is_processor(zen[i]));
    assert_false(amp__isa_is_processor("znver"));
    assert_false(amp__isa_is_processor("znver9"));
    assert_false(amp__isa_is_processor("pdp11"));
    static const char *const intel[] = {"haswell", "skylake", "icelake-server", "sapphirerapids"};
    int n = amp__isa_is_processor("znver1");
    for (int i = 0; i < 4; i++)
        n += amp__isa_is_processor(intel[i]);
    assert_true(n <= 1);
}

static void test_images(void **state)
{
    (void)state;
    static const struct amp__image levels[] = {{"cpu", "baseline", run_baseline, NULL, 0, geometry},
                                               {"cpu", "x86-64-v2", run_v2, NULL, 0, geometry},
                                               {"cpu", "x86-64-v3", run_v3, NULL, 0, geometry},
                                               {"cpu", "x86-64-v4", run_v4, NULL, 0, geometry},
                                               {.backend = NULL}};
    static const struct amp__image native[] = {{"other", "baseline", run_v4, NULL, 0, geometry},
                                               {"cpu", "native", run_native, NULL, 0, geometry},
                                               {.backend = NULL}};
    const char *best = amp_accelerator_info(amp_accelerator_find("cpu"))->isa;
    assert_string_equal(which_runs(levels), best);
    assert_string_equal(which_runs(native), "native");
    set("AMP_ISA", "native"); /* no limit */
    assert_string_equal(which_runs(levels), best);
    set("AMP_ISA", "x86-64-v4"); /* a limit, not a demand */
    assert_string_equal(which_runs(levels), best);
    set("AMP_ISA", "baseline");
    assert_string_equal(which_runs(levels), "baseline");
    assert_null(which_runs(native)); /* native code may need more than is allowed */
    assert_error(amp_error_status(), AMP_ERROR_NO_KERNEL,
                 "scale (kernels.c:3): it is compiled for native, but AMP_ISA allows baseline; compile it with a lower "
                 "--amp-cpu, or raise AMP_ISA");
    if (strcmp(best, "baseline")) {
        set("AMP_ISA", "x86-64-v2");
        assert_string_equal(which_runs(levels), "x86-64-v2");
    }
}

enum { MANY = 1 << 18 };
static float values[MANY];

static void test_shared_launch(void **state)
{
    (void)state;
    set("AMP_NUM_THREADS", "3");
    for (int i = 0; i < MANY; i++)
        values[i] = (float)i;
    amp_array_view *x = amp_array_view1(MANY, values);
    for (int n = 0; n < 3; n++)
        assert_ok(amp_parallel_for_each(amp_extent1(MANY), scale, 2.0f, x));
    amp_array_view_release(x);
    for (int i = 0; i < MANY; i++)
        assert_true(values[i] == 8.0f * (float)i);
}

static atomic_int n_within; /* boxes that end within a block of 16 */

static void run_blocks(const void *args, const int *box)
{
    if (box[5] % 16 && box[5] != MANY)
        atomic_fetch_add(&n_within, 1);
    scale_run(args, box);
}

/* Pieces end where the blocks of this processor's code end. */
static void test_blocks_of_processor(void **state)
{
    (void)state;
    static const int blocks[AMP__GEOMETRY] = {1, 1, 1, [6] = 8, 1, 2};
    static const struct amp__image images[] = {{"cpu", "baseline", run_blocks, NULL, 0, blocks}, {.backend = NULL}};
    struct amp__kernel kernel;
    register_with(&kernel, images);
    for (int i = 0; i < MANY; i++)
        values[i] = 1;
    amp_array_view *x = amp_array_view1(MANY, values);
    for (int fast = 0; fast < 2; fast++) {
        setenv("AMP_TEST_SCATTERS", fast ? "fast" : "slow", 1);
        set("AMP_NUM_THREADS", "3");
        atomic_store(&n_within, 0);
        assert_ok(amp_parallel_for_each(amp_extent1(MANY), kernel.address, 2.0f, x));
        assert_int_equal(amp__scatters_fast(), fast);
        assert_true(fast ? atomic_load(&n_within) == 0 : atomic_load(&n_within) > 0);
    }
    unsetenv("AMP_TEST_SCATTERS");
    amp_array_view_release(x);
    amp__unregister_kernels(&kernel, 1);
    for (int i = 0; i < MANY; i++)
        assert_true(values[i] == 4);
}

static pthread_t caller;
static atomic_int n_elsewhere, n_runs;
static _Atomic long long sleep_ns;

static void run_slowly(const void *args, const int *box)
{
    atomic_fetch_add(&n_runs, 1);
    if (!pthread_equal(pthread_self(), caller))
        atomic_fetch_add(&n_elsewhere, 1);
    if (sleep_ns > 0)
        nanosleep(&(struct timespec){.tv_nsec = (long)(sleep_ns)}, NULL);
    scale_run(args, box);
}

/* A few slow threads are shared, and each runs once. */
static void test_few_but_slow(void **state)
{
    (void)state;
    set("AMP_NUM_THREADS", "2");
    static const struct amp__image images[] = {{"cpu", "baseline", run_slowly, NULL, 0, geometry}, {.backend = NULL}};
    struct amp__kernel kernel;
    register_with(&kernel, images);
    float data[200];
    for (int i = 0; i < 200; i++)
        data[i] = 1;
    amp_array_view *x = amp_array_view1(200, data);
    caller = pthread_self();
    sleep_ns = 1000000;
    assert_ok(amp_parallel_for_each(amp_extent1(200), kernel.address, 2.0f, x));
    assert_true(atomic_load(&n_elsewhere) > 0);
    for (int i = 0; i < 200; i++)
        assert_true(data[i] == 2);
    /* One block cannot be shared. */
    atomic_store(&n_elsewhere, 0);
    atomic_store(&n_runs, 0);
    amp_array_view *block = amp_array_view_section(x, amp_index1(0), amp_extent1(8));
    assert_ok(amp_parallel_for_each(amp_extent1(8), kernel.address, 2.0f, block));
    assert_int_equal(atomic_load(&n_elsewhere), 0);
    assert_int_equal(atomic_load(&n_runs), 1);
    amp__unregister_kernels(&kernel, 1);
    amp_array_view_release(block);
    amp_array_view_release(x);
}

static int pieces_of_launch(const struct amp__kernel *kernel, amp_array_view *x)
{
    atomic_store(&n_runs, 0);
    assert_ok(amp_parallel_for_each(amp_extent1(MANY), kernel->address, 1.0f, x));
    return atomic_load(&n_runs);
}

/* A kernel whose launches were short is cut into fewer pieces, until a launch takes longer. */
static void test_pieces_of_short_launches(void **state)
{
    (void)state;
    set("AMP_NUM_THREADS", "2");
    static const struct amp__image images[] = {{"cpu", "baseline", run_slowly, NULL, 0, geometry}, {.backend = NULL}};
    struct amp__kernel kernel;
    register_with(&kernel, images);
    amp_array_view *x = amp_array_view1(MANY, values);
    caller = pthread_self();
    sleep_ns = 0;
    int many = pieces_of_launch(&kernel, x);
    assert_true(many >= 32);
    kernel.ns_each = 0.01f;
    sleep_ns = 100000;
    assert_true(pieces_of_launch(&kernel, x) < many);
    assert_int_equal(pieces_of_launch(&kernel, x), many);
    /* A light launch says little of the next one. */
    kernel.ns_each = 1000;
    sleep_ns = 0;
    pieces_of_launch(&kernel, x);
    assert_true(kernel.ns_each >= 500);
    amp__unregister_kernels(&kernel, 1);
    amp_array_view_release(x);
}

static void *launch_often(void *unused)
{
    (void)unused;
    float a[16 * 8], b[8 * 24], c[16 * 24];
    for (int i = 0; i < 16 * 8; i++)
        a[i] = (float)i;
    for (int i = 0; i < 8 * 24; i++)
        b[i] = 1;
    amp_array_view *va = amp_array_view2(16, 8, a), *vb = amp_array_view2(8, 24, b), *vc = amp_array_view2(16, 24, c);
    intptr_t wrong = 0;
    for (int n = 0; n < 200; n++) {
        memset(c, 0, sizeof c);
        wrong += amp_parallel_for_each(amp_extent2(16, 24), n % 2 ? mxm : mxm_tiled, va, vb, vc) != AMP_OK;
        wrong += c[16 * 24 - 1] != 8 * 15 * 8 + 28 || c[0] != 28;
    }
    amp_array_view_release(va);
    amp_array_view_release(vb);
    amp_array_view_release(vc);
    return (void *)wrong;
}

static void test_many_host_threads(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, launch_often, NULL), 0);
    for (int i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_pieces_cover_once, restart),
        cmocka_unit_test_setup(test_pieces_of_huge_extents, restart),
        cmocka_unit_test_setup(test_pieces_prefer_rows, restart),
        cmocka_unit_test_setup(test_pieces_keep_rows, restart),
        cmocka_unit_test_setup(test_pieces_in_both, restart),
        cmocka_unit_test_setup(test_pieces_of_flat_rows, restart),
        cmocka_unit_test_setup(test_pieces_of_convoys, restart),
        cmocka_unit_test_setup(test_split, restart),
        cmocka_unit_test_setup(test_processor_names, restart),
        cmocka_unit_test_setup(test_images, restart),
        cmocka_unit_test_setup(test_shared_launch, restart),
        cmocka_unit_test_setup(test_blocks_of_processor, restart),
        cmocka_unit_test_setup(test_few_but_slow, restart),
        cmocka_unit_test_setup(test_pieces_of_short_launches, restart),
        cmocka_unit_test_setup(test_many_host_threads, restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
