/* SPDX-License-Identifier: MIT
 * Launches on the accelerator `all`, whose places are four devices of `null`: which parts they run, how many bytes are
 * copied, and what is valid afterwards. */
#include "../../src/runtime/all/all.h"
#include "kernels.h"

#include <unistd.h>

enum { N = 128, MATRIX = N * N * sizeof(float) };

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

/* void smooth(amp_index1 idx, int N, const int x[N], int y[N]): y[i] = (x[i - 1] + x[i] + x[i + 1]) % PRIME, within the
 * array */
enum { PRIME = 10007 };
struct smooth_args {
    int N;
    const int *x;
    int *y;
};
static void smooth_run(const void *p, const int *box)
{
    const struct smooth_args *s = p;
    for (int i = box[4]; i < box[5]; i++)
        s->y[i] = ((i > 0 ? s->x[i - 1] : 0) + s->x[i] + (i < s->N - 1 ? s->x[i + 1] : 0)) % PRIME;
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

/* void pick(amp_index1 idx, int N, int from, const int x[N], int y[N]): y[i] = x[i + from] + 1, within the array */
struct pick_args {
    int N, from;
    const int *x;
    int *y;
};
static void pick_run(const void *p, const int *box)
{
    const struct pick_args *s = p;
    for (int i = box[4]; i < box[5]; i++)
        s->y[i] = (i + s->from < s->N ? s->x[i + s->from] : 0) + 1;
}
static void pick_bounds(const void *p, long long *bounds)
{
    bounds[0] = bounds[1] = ((const struct pick_args *)p)->N;
}
static void pick_reach(const void *args, const int *box, long long *boxes)
{
    const struct pick_args *s = args;
    set_range(&boxes, box[4] + s->from, box[5] - 1 + s->from);
    set_nothing(&boxes, 1);
    set_nothing(&boxes, 1);
    set_range(&boxes, box[4], box[5] - 1);
}
static const struct amp__reach pick_reaches[] = {{2, 1, 0, 0, 0}, {3, 0, 1, 0, 0}};
KERNEL(pick, 110, 1, NULL, BOUND(pick_args, N, int, AMP_TYPE_I32), SCALAR(pick_args, from, int, AMP_TYPE_I32),
       ARRAY(pick_args, x, int, AMP_TYPE_I32, 1, {"N", 0}), ARRAY(pick_args, y, int, AMP_TYPE_I32, 0, {"N", 0}));

__attribute__((constructor)) static void add_reaches(void)
{
    pick_kernel.reach = pick_reach;
    pick_kernel.reaches = pick_reaches;
    amp__register_kernels(&pick_kernel, 1);
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

static double slow; /* what the last place weighs; the others weigh 400 */

static void weigh(const struct amp__kernel *kernel, double *weights)
{
    (void)kernel;
    for (int p = 0; p < 4; p++)
        weights[p] = p < 3 ? 400 : slow;
}

/* Whether a place of that share gets something. */
static int gets_some(int n)
{
    return n * slow / (1200 + slow) > 0.5;
}

/* Parts begin at round numbers of rows and columns, but none ends after the domain, nor is a place left out for
 * that. */
static void test_weights(void **state)
{
    (void)state;
    enum { POINTS = 17 * 64 - 1, ROWS = 2053 };
    static int x[POINTS], y[POINTS + 64];
    static float a[ROWS], c[ROWS + 8], b = 3;
    void (*before)(const struct amp__kernel *, double *) = amp__machine.weigh;
    amp__machine.weigh = weigh;
    for (int i = 0; i < POINTS; i++)
        x[i] = 1;
    for (int i = 0; i < ROWS; i++)
        a[i] = (float)i;
    slow = 0.01;
    for (int n = POINTS, m = ROWS; slow <= 400; slow *= 20, n -= 64, m -= 8) { /* other sizes have other plans */
        amp_array_view *from = amp_array_view1(n, x), *to = amp_array_view1(n, y);
        amp_array_view *left = amp_array_view2(m, 1, a), *right = amp_array_view2(1, 1, &b);
        amp_array_view *product = amp_array_view2(m, 1, c);
        int launches = amp__test_null_counts().launches;
        memset(y, 0, sizeof y);
        memset(c, 0, sizeof c);
        assert_ok(amp_parallel_for_each_on(on_all, amp_extent1(n), smooth, from, to));
        assert_ok(amp_parallel_for_each_on(on_all, amp_extent2(m, 1), mxm, left, right, product));
        assert_int_equal(amp__test_null_counts().launches - launches, 6 + gets_some(n) + gets_some(m));
        assert_ok(amp_synchronize(to));
        assert_ok(amp_synchronize(product));
        for (int i = 0; i < POINTS + 64; i++)
            assert_int_equal(y[i], i >= n ? 0 : i == 0 || i == n - 1 ? 2 : 3);
        for (int i = 0; i < ROWS + 8; i++)
            assert_true(c[i] == (i < m ? 3 * a[i] : 0));
        amp_array_view *const views[] = {from, to, left, right, product};
        for (int v = 0; v < 5; v++)
            amp_array_view_release(views[v]);
    }
    amp__machine.weigh = before;
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

/* Sweeps to and fro repeat what the first ones have done, and so do those of new arrays. */
static void test_plans(void **state)
{
    (void)state;
    enum { POINTS = 64, SWEEPS = 12, BORDERS = 6 * sizeof(int), FEW = 4 };
    amp__test_plans_found();
    for (int round = 0; round < 3; round++) {
        int x[POINTS], y[POINTS], expected[2][POINTS];
        for (int i = 0; i < POINTS; i++)
            expected[0][i] = x[i] = i * i % (11 + round);
        amp_array_view *views[] = {amp_array_view1(POINTS, x), amp_array_view1(POINTS, y)};
        amp_discard_data(views[1]);
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            struct amp__null_counts before = amp__test_null_counts();
            const int *old = expected[sweep % 2];
            for (int i = 0; i < POINTS; i++)
                expected[1 - sweep % 2][i] =
                    ((i > 0 ? old[i - 1] : 0) + old[i] + (i < POINTS - 1 ? old[i + 1] : 0)) % PRIME;
            assert_ok(
                amp_parallel_for_each_on(on_all, amp_extent1(POINTS), smooth, views[sweep % 2], views[1 - sweep % 2]));
            assert_int_equal(amp__test_null_counts().bytes_in - before.bytes_in, sweep ? BORDERS : sizeof x + BORDERS);
            assert_int_equal(amp__test_null_counts().bytes_out - before.bytes_out, sweep ? BORDERS : 0);
        }
        int found = amp__test_plans_found();
        assert_true(round ? found == SWEEPS : found >= SWEEPS - FEW);
        assert_ok(amp_synchronize(views[SWEEPS % 2]));
        assert_memory_equal(SWEEPS % 2 ? y : x, expected[SWEEPS % 2], sizeof x);
        amp_array_view_release(views[0]);
        amp_array_view_release(views[1]);
    }
}

/* One launch after the other that differ in one thing alone, each twice: arguments, sections, and where data is. */
static void test_plans_apart(void **state)
{
    (void)state;
    enum { POINTS = 64, HALF = POINTS / 2 };
    int x[POINTS], y[POINTS];
    amp_array_view *from = amp_array_view1(POINTS, x), *to = amp_array_view1(POINTS, y);
    amp_accelerator_view *on_2 = amp_accelerator_default_view(amp_accelerator_find("null:2"));
    for (int step = 0; step < 40; step++) {
        int by = step / 2 % 3 * 7, first = step / 6 % 2 * 16, n = step / 12 % 2 ? HALF : POINTS - 16;
        amp_array_view *part = amp_array_view_section1(from, first, n), *target = amp_array_view_section1(to, 8, n);
        for (int i = 0; i < POINTS; i++)
            x[i] = step * 100 + i;
        amp_refresh(from);
        if (step % 5 == 1)
            assert_ok(amp_parallel_for_each_on(on_2, amp_extent1(POINTS), pick, 0, from, to));
        if (step % 7 == 3)
            assert_ok(amp_parallel_for_each_on(on_all, amp_extent1(POINTS), smooth, from, to));
        assert_ok(amp_parallel_for_each_on(on_all, amp_extent1(n), pick, by, part, target));
        assert_ok(amp_parallel_for_each_on(on_all, amp_extent1(n), pick, by, target, part));
        assert_ok(amp_synchronize(from));
        for (int i = 0; i < n; i++) {
            int at = i + by < n ? i + by : -1, before = at < 0 ? 0 : at + by < n ? step * 100 + first + at + by + 1 : 1;
            assert_int_equal(x[first + i], before + 1);
        }
        amp_array_view_release(part);
        amp_array_view_release(target);
    }
    amp_array_view_release(from);
    amp_array_view_release(to);
}

/* Reads what is written to standard error between the two. */
static int divert(FILE *file)
{
    int saved = dup(2);
    fflush(stderr);
    dup2(fileno(file), 2);
    return saved;
}

static void end_diversion(FILE *file, int saved, char *text, size_t size)
{
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

/* What 40 ranks would send, which is borders, and at the end all of it to all; the results are right. */
static void test_dry_run(void **state)
{
    (void)state;
    enum { POINTS = 64, SWEEPS = 6 };
    static char text[1 << 16];
    int x[POINTS] = {1, 2, 3}, y[POINTS], expected[POINTS] = {1, 2, 3}, old[POINTS];
    setenv("AMP_DRY_RUN_RANKS", "40", true);
    assert_int_equal(use_places("null"), 0);
    assert_int_equal(amp_rank_count(), 40);
    amp_array_view *views[] = {amp_array_view1(POINTS, x), amp_array_view1(POINTS, y)};
    FILE *file = tmpfile();
    int saved = divert(file);
    amp_discard_data(views[1]);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        assert_ok(
            amp_parallel_for_each_on(on_all, amp_extent1(POINTS), smooth, views[sweep % 2], views[1 - sweep % 2]));
    assert_ok(amp_synchronize(views[0]));
    end_diversion(file, saved, text, sizeof text);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        memcpy(old, expected, sizeof old);
        for (int i = 0; i < POINTS; i++)
            expected[i] = ((i > 0 ? old[i - 1] : 0) + old[i] + (i < POINTS - 1 ? old[i + 1] : 0)) % PRIME;
    }
    assert_memory_equal(x, expected, sizeof x);
    assert_non_null(strstr(text, "launch 2: smooth"));
    assert_non_null(strstr(text, "over 64 in 40 parts, balance 0.80: 78 messages, 312 bytes, to a rank at most 2 and "
                                 "8; as launch 3"));
    assert_non_null(strstr(text, "host of all ranks: 1560 messages, 9984 bytes"));
    amp_array_view_release(views[0]);
    amp_array_view_release(views[1]);
    setenv("AMP_DRY_RUN_RANKS", "4097", true);
    assert_int_equal(use_places("null"), -1);
    assert_non_null(strstr(amp_accelerator_missing(), "AMP_DRY_RUN_RANKS is \"4097\"; it must be a number from 2 to"));
    unsetenv("AMP_DRY_RUN_RANKS");
}

/* Arrays as they should be, and as views of memory. */
struct model {
    int x[3][48], memory[3][48];
    amp_array_view *views[3];
};

static void renew_array(struct model *m, int a)
{
    enum { POINTS = 48 };
    amp_array_view_release(m->views[a]);
    for (int i = 0; i < POINTS; i++)
        m->x[a][i] = m->memory[a][i] = rand() % 100;
    m->views[a] = amp_array_view1(POINTS, m->memory[a]);
}

static void launch_something(struct model *m, int from, int to, int random)
{
    enum { POINTS = 48 };
    int old[POINTS], kind = random % 4, by = random / 4 % 3 * 5, n = random / 12 % 3 ? POINTS : 20;
    amp_array_view *source = amp_array_view_section1(m->views[from], POINTS - n, n);
    amp_array_view *target = amp_array_view_section1(m->views[to], 0, n);
    amp_accelerator_view *on = kind == 3 ? amp_accelerator_default_view(amp_accelerator_find("null:1")) : on_all;
    memcpy(old, m->x[from] + POINTS - n, (size_t)n * sizeof *old);
    for (int i = 0; i < n; i++)
        m->x[to][i] = kind ? (i + by < n ? old[i + by] : 0) + 1
                           : ((i > 0 ? old[i - 1] : 0) + old[i] + (i < n - 1 ? old[i + 1] : 0)) % PRIME;
    assert_ok(kind ? amp_parallel_for_each_on(on, amp_extent1(n), pick, by, source, target)
                   : amp_parallel_for_each_on(on, amp_extent1(n), smooth, source, target));
    amp_array_view_release(source);
    amp_array_view_release(target);
}

/* Launches, and whatever else changes where data is, in random order. */
static void test_plans_random(void **state)
{
    (void)state;
    enum { POINTS = 48, SEEDS = 10, STEPS = 100, SWEEPS = 8 };
    struct model m = {.views = {NULL}};
    amp__test_plans_found();
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        srand(seed);
        for (int a = 0; a < 3; a++)
            renew_array(&m, a);
        for (int step = 0; step < STEPS; step++) {
            int a = rand() % 3, b = (a + 1 + rand() % 2) % 3, i = rand() % POINTS, what = rand() % 20, random = rand();
            if (what == 0) {
                renew_array(&m, a);
            } else if (what == 1) {
                assert_ok(amp_synchronize(m.views[a]));
                assert_memory_equal(m.memory[a], m.x[a], sizeof m.x[a]);
            } else if (what == 2) {
                amp_array_view *part = amp_array_view_section1(m.views[a], i, POINTS - i);
                memset(m.memory[a] + i, 0, (size_t)(POINTS - i) * sizeof(int));
                memset(m.x[a] + i, 0, (size_t)(POINTS - i) * sizeof(int));
                amp_refresh(part);
                amp_array_view_release(part);
            } else {
                for (int k = 0; k < SWEEPS; k++)
                    launch_something(&m, k % 2 ? b : a, k % 2 ? a : b, random);
            }
        }
        for (int a = 0; a < 3; a++) {
            assert_ok(amp_synchronize(m.views[a]));
            assert_memory_equal(m.memory[a], m.x[a], sizeof m.x[a]);
        }
    }
    assert_true(amp__test_plans_found() > SEEDS * STEPS);
    for (int a = 0; a < 3; a++)
        amp_array_view_release(m.views[a]);
}

enum { N_THREADS = 3, SHARED_POINTS = 64 };

static void *launch_often(void *context)
{
    amp_array_view **views = context;
    for (int i = 0; i < 200; i++) {
        assert_ok(amp_parallel_for_each_on(on_all, amp_extent1(SHARED_POINTS), smooth, views[0], views[1]));
        assert_ok(amp_parallel_for_each_on(on_all, amp_extent1(SHARED_POINTS), pick, i % 4, views[1], views[2]));
    }
    return NULL;
}

/* Threads read one array, and write their own. */
static void test_plans_of_threads(void **state)
{
    (void)state;
    int x[SHARED_POINTS], y[N_THREADS][SHARED_POINTS], z[N_THREADS][SHARED_POINTS];
    pthread_t threads[N_THREADS];
    amp_array_view *views[N_THREADS][3];
    for (int i = 0; i < SHARED_POINTS; i++)
        x[i] = i;
    amp_array_view *shared = amp_array_view1(SHARED_POINTS, x);
    for (int t = 0; t < N_THREADS; t++) {
        views[t][0] = shared;
        views[t][1] = amp_array_view1(SHARED_POINTS, y[t]);
        views[t][2] = amp_array_view1(SHARED_POINTS, z[t]);
        assert_int_equal(pthread_create(&threads[t], NULL, launch_often, views[t]), 0);
    }
    for (int t = 0; t < N_THREADS; t++) {
        pthread_join(threads[t], NULL);
        assert_ok(amp_synchronize(views[t][2]));
        for (int i = 0; i + 4 < SHARED_POINTS; i++)
            assert_int_equal(z[t][i], 3 * (i + 3) + 1);
        amp_array_view_release(views[t][1]);
        amp_array_view_release(views[t][2]);
    }
    amp_array_view_release(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_product, setup, teardown),
        cmocka_unit_test_setup_teardown(test_borders, setup, teardown),
        cmocka_unit_test_setup_teardown(test_weights, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reduction, setup, teardown),
        cmocka_unit_test_setup_teardown(test_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(test_failures, setup, teardown),
        cmocka_unit_test_setup_teardown(test_late, setup, teardown),
        cmocka_unit_test_setup_teardown(test_places, setup, teardown),
        cmocka_unit_test_setup_teardown(test_plans, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dry_run, setup, teardown),
        cmocka_unit_test_setup_teardown(test_plans_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(test_plans_random, setup, teardown),
        cmocka_unit_test_setup_teardown(test_plans_of_threads, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
