/* SPDX-License-Identifier: MIT
 * Launches on the accelerator `all`, whose places are four devices of `null`: which parts they run, how many bytes are
 * copied, and what is valid afterwards. */
#include "kernels.h"

enum { N = 32, MATRIX = N * N * sizeof(float) };

static amp_accelerator_view *on_all;

static int use_places(const char *places)
{
    setenv("AMP_PLACES", places, true);
    amp__test_null_devices(4);
    amp__test_restart();
    amp__test_null_reset();
    amp_error_clear();
    amp_accelerator *all = amp_accelerator_find("all");
    on_all = all ? amp_accelerator_default_view(all) : NULL;
    return on_all ? 0 : -1;
}

static int setup(void **state)
{
    (void)state;
    return use_places("null,null:1,null:2,null:3");
}

static int teardown(void **state)
{
    (void)state;
    unsetenv("AMP_PLACES");
    amp__test_null_devices(1);
    amp__test_null_reset();
    amp__test_restart();
    return 0;
}

static void set_range(long long **at, long long first, long long last)
{
    *(*at)++ = first;
    *(*at)++ = last;
}

static void set_nothing(long long **at, int rank)
{
    for (int d = 0; d < rank; d++)
        set_range(at, 1, 0);
}

/* The product: rows of a, columns of b, and a box of c, which is only written. */
static void product_reach(const void *args, const int *box, long long *boxes)
{
    const struct mxm_args *s = args;
    set_range(&boxes, box[2], box[3] - 1);
    set_range(&boxes, 0, s->W - 1);
    set_nothing(&boxes, 2);
    set_range(&boxes, 0, s->W - 1);
    set_range(&boxes, box[4], box[5] - 1);
    set_nothing(&boxes, 2);
    set_nothing(&boxes, 2);
    set_range(&boxes, box[2], box[3] - 1);
    set_range(&boxes, box[4], box[5] - 1);
}
static const struct amp__reach product_reaches[] = {{3, 1, 0, 0, 0}, {4, 1, 0, 0, 0}, {5, 0, 1, 0, 0}};

/* void smooth(amp_index1 idx, int N, const int x[N], int y[N]): y[i] = x[i - 1] + x[i] + x[i + 1], within the array */
struct smooth_args {
    int N;
    const int *x;
    int *y;
};
static void smooth_run(const void *p, const int *box)
{
    const struct smooth_args *s = p;
    for (int i = box[4]; i < box[5]; i++)
        s->y[i] = (i > 0 ? s->x[i - 1] : 0) + s->x[i] + (i < s->N - 1 ? s->x[i + 1] : 0);
}
static void smooth_bounds(const void *p, long long *bounds)
{
    bounds[0] = bounds[1] = ((const struct smooth_args *)p)->N;
}
static void smooth_reach(const void *args, const int *box, long long *boxes)
{
    (void)args;
    set_range(&boxes, box[4] - 1LL, box[5]);
    set_nothing(&boxes, 1);
    set_nothing(&boxes, 1);
    set_range(&boxes, box[4], box[5] - 1);
}
static const struct amp__reach smooth_reaches[] = {{1, 1, 0, 0, 0}, {2, 0, 1, 0, 0}};
KERNEL(smooth, 90, 1, NULL, BOUND(smooth_args, N, int, AMP_TYPE_I32),
       ARRAY(smooth_args, x, int, AMP_TYPE_I32, 1, {"N", 0}), ARRAY(smooth_args, y, int, AMP_TYPE_I32, 0, {"N", 0}));

/* void count(amp_index1 idx, int N, const int x[N], int counts[4]): counts[x[i]] += 1, atomically */
struct count_args {
    int N;
    const int *x;
    int *counts;
};
static void count_run(const void *p, const int *box)
{
    const struct count_args *s = p;
    for (int i = box[4]; i < box[5]; i++)
        s->counts[s->x[i]]++;
}
static void count_bounds(const void *p, long long *bounds)
{
    bounds[0] = ((const struct count_args *)p)->N;
    bounds[1] = 4;
}
static void count_reach(const void *args, const int *box, long long *boxes)
{
    (void)args;
    set_range(&boxes, box[4], box[5] - 1);
    set_nothing(&boxes, 1);
    set_range(&boxes, INT64_MIN, INT64_MAX);
    set_range(&boxes, INT64_MIN, INT64_MAX);
}
static struct amp__reach count_reaches[] = {{1, 1, 0, 0, 0}, {2, 1, 1, AMP__REDUCES_ADD, 0}};
KERNEL(count, 100, 1, NULL, BOUND(count_args, N, int, AMP_TYPE_I32),
       ARRAY(count_args, x, int, AMP_TYPE_I32, 1, {"N", 0}),
       ARRAY(count_args, counts, int, AMP_TYPE_I32, 0, {"4", -1}));

__attribute__((constructor)) static void add_reaches(void)
{
    mxm_kernel.reach = product_reach;
    mxm_kernel.reaches = product_reaches;
    smooth_kernel.reach = smooth_reach;
    smooth_kernel.reaches = smooth_reaches;
    count_kernel.reach = count_reach;
    count_kernel.reaches = count_reaches;
    amp__register_kernels(&smooth_kernel, 1);
    amp__register_kernels(&count_kernel, 1);
}

/* Four devices of a 2 x 2 grid need half of each matrix each, and a quarter of the result. */
static void test_product(void **state)
{
    (void)state;
    static float a[N][N], b[N][N], c[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (float)(i + j);
            b[i][j] = (float)(i - j);
        }
    amp_array_view *x = amp_array_view2(N, N, &a[0][0]), *y = amp_array_view2(N, N, &b[0][0]);
    amp_array_view *z = amp_array_view2(N, N, &c[0][0]);
    amp_discard_data(z);
    for (int i = 0; i < 3; i++)
        assert_ok(amp_parallel_for_each_on(on_all, amp_extent2(N, N), mxm, x, y, z));
    assert_int_equal(amp__test_null_counts().launches, 12);
    assert_int_equal(amp__test_null_counts().bytes_in, 4 * MATRIX);
    assert_int_equal(amp__test_null_counts().bytes_out, 0);
    assert_ok(amp_synchronize(z));
    assert_int_equal(amp__test_null_counts().bytes_out, MATRIX);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            assert_true(c[i][j] == sum);
        }
    amp_array_view_release(x);
    amp_array_view_release(y);
    amp_array_view_release(z);
}

/* In each sweep but the first, a place needs its neighbours' borders alone: six ints, each through the host. */
static void test_borders(void **state)
{
    (void)state;
    enum { POINTS = 64, SWEEPS = 5, BORDERS = 6 * sizeof(int) };
    int x[POINTS], y[POINTS], expected[2][POINTS];
    for (int i = 0; i < POINTS; i++)
        expected[0][i] = x[i] = i * i % 11;
    amp_array_view *views[] = {amp_array_view1(POINTS, x), amp_array_view1(POINTS, y)};
    amp_discard_data(views[1]);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        struct amp__null_counts before = amp__test_null_counts();
        const int *old = expected[sweep % 2];
        for (int i = 0; i < POINTS; i++)
            expected[1 - sweep % 2][i] = (i > 0 ? old[i - 1] : 0) + old[i] + (i < POINTS - 1 ? old[i + 1] : 0);
        assert_ok(
            amp_parallel_for_each_on(on_all, amp_extent1(POINTS), smooth, views[sweep % 2], views[1 - sweep % 2]));
        assert_int_equal(amp__test_null_counts().bytes_in - before.bytes_in, sweep ? BORDERS : sizeof x + BORDERS);
        assert_int_equal(amp__test_null_counts().bytes_out - before.bytes_out, sweep ? BORDERS : 0);
    }
    assert_ok(amp_synchronize(views[SWEEPS % 2]));
    assert_memory_equal(SWEEPS % 2 ? y : x, expected[SWEEPS % 2], sizeof x);
    amp_array_view_release(views[0]);
    amp_array_view_release(views[1]);
}

/* What the kernel adds to is counted in private copies, which begin with zero, or for a minimum with the contents. */
static void test_reduction(void **state)
{
    (void)state;
    enum { POINTS = 100 };
    int x[POINTS], counts[4] = {1, 2, 3, 4};
    for (int i = 0; i < POINTS; i++)
        x[i] = i % 5 % 4;
    for (int is_mixed = 0; is_mixed < 2; is_mixed++) {
        assert_int_equal(use_places(is_mixed ? "null,cpu" : "null,null:1,null:2,null:3"), 0);
        amp_array_view *from = amp_array_view1(POINTS, x), *to = amp_array_view1(4, counts);
        for (int i = 0; i < 2; i++)
            assert_ok(amp_parallel_for_each_on(on_all, amp_extent1(POINTS), count, from, to));
        assert_int_equal(amp__test_null_counts().launches, is_mixed ? 2 : 8);
        assert_ok(amp_synchronize(to));
        amp_array_view_release(from);
        amp_array_view_release(to);
    }
    assert_memory_equal(counts, ((int[]){161, 82, 83, 84}), sizeof counts);
    /* Nobody knows how to reduce by this. */
    count_reaches[1].reduces = 0;
    amp_array_view *from = amp_array_view1(POINTS, x), *to = amp_array_view1(4, counts);
    assert_ok(amp_parallel_for_each_on(on_all, amp_extent1(POINTS), count, from, to));
    assert_int_equal(amp__test_null_counts().launches, 2);
    assert_ok(amp_synchronize(to));
    assert_memory_equal(counts, ((int[]){201, 102, 103, 104}), sizeof counts);
    amp_array_view_release(from);
    amp_array_view_release(to);
    count_reaches[1].reduces = AMP__REDUCES_ADD;
}

/* Nothing is known about the sum. It runs where most of its bytes are: on the device that has x. */
static void test_whole(void **state)
{
    (void)state;
    int x[4][8], out = 0, expected = 0;
    for (int i = 0; i < 32; i++)
        expected += x[i / 8][i % 8] = i * i;
    amp_array_view *view = amp_array_view2(4, 8, &x[0][0]), *result = amp_array_view1(1, &out);
    amp_accelerator_view *on_2 = amp_accelerator_default_view(amp_accelerator_find("null:2"));
    assert_ok(amp_parallel_for_each_on(on_2, amp_extent1(1), sum, view, result));
    size_t bytes_in = amp__test_null_counts().bytes_in;
    assert_ok(amp_parallel_for_each_on(on_all, amp_extent1(1), sum, view, result));
    assert_int_equal(amp__test_null_counts().bytes_in, bytes_in);
    assert_int_equal(amp__test_null_counts().launches, 2);
    assert_ok(amp_synchronize(result));
    assert_int_equal(out, expected);
    amp_array_view_release(view);
    amp_array_view_release(result);
}

/* Whichever call fails, the next launch is right if its data are. */
static void test_failures(void **state)
{
    (void)state;
    enum { POINTS = 64 };
    int x[POINTS] = {1, 2, 3}, y[POINTS];
    bool has_failed = true;
    for (int n = 1; has_failed; n++) {
        amp_array_view *from = amp_array_view1(POINTS, x), *to = amp_array_view1(POINTS, y);
        memset(y, 0, sizeof y);
        amp_refresh(to);
        amp__test_null_fail(n);
        has_failed = amp_parallel_for_each_on(on_all, amp_extent1(POINTS), smooth, from, to) != AMP_OK;
        amp__test_null_fail(0);
        amp_error_clear();
        assert_ok(amp_parallel_for_each_on(on_all, amp_extent1(POINTS), smooth, from, to));
        assert_ok(amp_synchronize(to));
        assert_memory_equal(y, ((int[POINTS]){3, 6, 5, 3}), sizeof y);
        amp_array_view_release(from);
        amp_array_view_release(to);
    }
}

/* Devices that work late, and tasks. */
static void test_late(void **state)
{
    (void)state;
    enum { POINTS = 64 };
    int x[POINTS] = {1, 2, 3}, y[POINTS], z[POINTS];
    amp__test_null_late();
    amp_array_view *from = amp_array_view1(POINTS, x), *to = amp_array_view1(POINTS, y);
    amp_array_view *last = amp_array_view1(POINTS, z);
    amp_future *first = amp_parallel_for_each_on_async(on_all, amp_extent1(POINTS), smooth, from, to);
    amp_future *second = amp_parallel_for_each_on_async(on_all, amp_extent1(POINTS), smooth, to, last);
    assert_ok(amp_future_wait(second));
    assert_ok(amp_accelerator_view_wait(on_all));
    assert_ok(amp_synchronize(last));
    assert_memory_equal(z, ((int[POINTS]){9, 14, 14, 8, 3}), sizeof z);
    amp_future_release(first);
    amp_future_release(second);
    amp_array_view_release(from);
    amp_array_view_release(to);
    amp_array_view_release(last);
}

static void test_places(void **state)
{
    (void)state;
    static const char *const wrong[] = {"0", "17", "null,", "null,null", "nil", "-1", "4 ", "checked"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "all: AMP_PLACES is \"%s\"; it must be a number from 1 to 16, or different accelerators, such as "
                 "\"cuda:0,cpu\"",
                 wrong[i]);
        assert_int_equal(use_places(wrong[i]), -1);
        assert_non_null(strstr(amp_accelerator_missing(), text));
    }
    assert_int_equal(use_places("3"), 0);
    assert_string_equal(on_all->accelerator->properties.description, "place:0, place:1, place:2");
    for (int i = 0; i < amp_accelerator_count(); i++)
        assert_null(strstr("all place:0 place:1", amp_accelerator_info(amp_accelerator_get(i))->path));
    assert_int_equal(use_places(""), 0);
    assert_null(strstr(on_all->accelerator->properties.description, "null"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_product, setup, teardown),
        cmocka_unit_test_setup_teardown(test_borders, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reduction, setup, teardown),
        cmocka_unit_test_setup_teardown(test_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(test_failures, setup, teardown),
        cmocka_unit_test_setup_teardown(test_late, setup, teardown),
        cmocka_unit_test_setup_teardown(test_places, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
