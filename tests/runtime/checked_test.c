/* SPDX-License-Identifier: MIT
 * The accelerator `checked` with a handwritten kernel: what tests/checked cannot do in a short time. */
#include "kernels.h"

#include "abi/checked.h"

enum { N = 8, BOX = 1 << 30 }; /* BOX: the most points of the slowest dimension that a launch gives a device at once */

struct parts_args {
    struct amp__flat flat;
    int *x;
};

static const struct amp__check_variable variables[] = {
    {.name = "x", .element_bytes = sizeof(int), .param = 0, .rank = 1}};
static const struct amp__check_site sites[] = {{.file = "kernels.c", .line = 7, .column = 3, .use = AMP__CHECK_WRITE}};
static struct amp__check_object objects[1];
static struct amp__check_now now;
static int mistaken_part; /* in which a mistake is made */

static void parts_thread(const void *p, const int *place, const int *tile)
{
    const struct parts_args *s = p;
    int part = (int)(s->flat.first / BOX);
    (void)tile;
    s->x[place[0]] = 10 * (part + 1);
    if (part == mistaken_part)
        amp__check_outside(objects, 0, 1, N, 0, 0);
}

static const struct amp__check_kernel checked_parts = {.version = AMP__CHECK_VERSION,
                                                       .granule_shift = 2,
                                                       .n_objects = 1,
                                                       .thread = parts_thread,
                                                       .objects = objects,
                                                       .now = &now,
                                                       .variables = variables,
                                                       .sites = sites};

/* Runs the first points of a box. */
static void parts_run(const void *p, const int *box)
{
    int few[6] = {0, 4, 0, 1, 0, 1};
    (void)box;
    amp__check_run(p, few, &checked_parts);
}

static void parts_bounds(const void *p, long long *bounds)
{
    (void)p;
    bounds[0] = N;
}
KERNEL(parts, 6, 5, NULL, ARRAY(parts_args, x, int, AMP_TYPE_I32, 0, {"8", -1}));

static const struct amp__image images[] = {{"checked", "checked", parts_run, NULL, 0, geometry}, {.backend = NULL}};

__attribute__((constructor)) static void register_parts(void)
{
    parts_kernel.images = images;
    amp__register_kernels(&parts_kernel, 1);
}

/* A launch of several boxes that fails in one of them undoes the boxes before it, too. */
static void test_parts_of_a_failed_launch(void **state)
{
    (void)state;
    const int dims[] = {BOX >> 10, 1 << 10, 3, 1, 1};
    for (int is_device_newer = 0; is_device_newer < 2; is_device_newer++)
        for (mistaken_part = 0; mistaken_part < 3; mistaken_part++) {
            int data[N] = {1, 2, 3, 4, 5, 6, 7, 8};
            amp_accelerator_view *on = amp_accelerator_default_view(amp_accelerator_find("checked"));
            amp_array_view *x = amp_array_view1(N, data);
            if (is_device_newer)
                assert_int_equal(amp_synchronize_to_for(x, on, AMP_ACCESS_READ_WRITE), AMP_OK);
            assert_int_equal(amp_parallel_for_each_on(on, amp_extent_n(5, dims), parts, x), AMP_ERROR_CHECK);
            assert_non_null(strstr(amp_error_text(), "kernels.c:7:3: parts, thread ("));
            assert_non_null(strstr(amp_error_text(), "writes x[8], x has 8"));
            amp_error_clear();
            assert_int_equal(amp_synchronize(x), AMP_OK);
            for (int i = 0; i < N; i++)
                assert_int_equal(data[i], i + 1);
            amp_array_view_release(x);
        }
}

/* One that succeeds keeps what all boxes wrote. */
static void test_parts_of_a_launch(void **state)
{
    (void)state;
    const int dims[] = {BOX >> 10, 1 << 10, 3, 1, 1};
    int data[N] = {0};
    amp_array_view *x = amp_array_view1(N, data);
    mistaken_part = -1;
    amp_accelerator_view *on = amp_accelerator_default_view(amp_accelerator_find("checked"));
    assert_int_equal(amp_parallel_for_each_on(on, amp_extent_n(5, dims), parts, x), AMP_OK);
    assert_int_equal(amp_synchronize(x), AMP_OK);
    for (int i = 0; i < N; i++)
        assert_int_equal(data[i], i < 4 ? 30 : 0);
    amp_array_view_release(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts_of_a_failed_launch),
                                       cmocka_unit_test(test_parts_of_a_launch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
