/* SPDX-License-Identifier: MIT
 * Views to files and from files, and boxes of ranks, in one process and in a dry run of 40 ranks. */
#include "kernels.h"

#include <unistd.h>

enum { ROWS = 23, COLUMNS = 31 };

static char path[] = "/tmp/amp-file-XXXXXX";

static int restart(const char *n_ranks)
{
    n_ranks ? setenv("AMP_DRY_RUN_RANKS", n_ranks, true) : unsetenv("AMP_DRY_RUN_RANKS");
    amp__test_null_reset();
    amp__test_restart();
    amp_error_clear();
    return 0;
}

static int setup(void **state)
{
    (void)state;
    return restart(NULL);
}

static int setup_dry(void **state)
{
    (void)state;
    return restart("40");
}

static int teardown(void **state)
{
    (void)state;
    unlink(path);
    return restart(NULL);
}

/* From a device, and to a section, whose elements follow one another in the file. */
static void test_round_trip(void **state)
{
    (void)state;
    int data[ROWS][COLUMNS], other[ROWS][COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        data[i / COLUMNS][i % COLUMNS] = i;
        other[i / COLUMNS][i % COLUMNS] = -1;
    }
    amp_array_view *x = amp_array_view_whole2(data), *y = amp_array_view_whole2(other);
    amp_array_view *part = amp_array_view_section2(y, 3, 5, 11, 13);
    if (amp_rank_count() == 1) /* on `null`, which the host does not see */
        assert_ok(amp_synchronize_to_for(y, amp_accelerator_default_view(amp_accelerator_find("null")),
                                         AMP_ACCESS_READ_WRITE));
    assert_ok(amp_array_view_write(x, path, 8));
    assert_ok(amp_array_view_read(part, path, 8));
    assert_ok(amp_synchronize(y));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            bool is_inside = i >= 3 && i < 14 && j >= 5 && j < 18;
            assert_int_equal(other[i][j], is_inside ? (i - 3) * 13 + j - 5 : -1);
        }
    assert_ok(amp_array_view_write(part, path, 0));
    assert_ok(amp_array_view_read(part, path, 0));
    amp_array_view_release(part);
    amp_array_view_release(x);
    amp_array_view_release(y);
}

static void check_failure(amp_status status, const char *text)
{
    assert_int_equal(status, AMP_ERROR_FILE);
    assert_non_null(strstr(amp_error_text(), path));
    assert_non_null(strstr(amp_error_text(), text));
    amp_error_clear();
}

static void test_mistakes(void **state)
{
    (void)state;
    int data[ROWS][COLUMNS] = {{1}};
    amp_array_view *x = amp_array_view_whole2(data);
    check_failure(amp_array_view_read(x, path, 0), "2852 bytes from byte 0 on: No such file");
    assert_ok(amp_array_view_write(x, path, 0));
    check_failure(amp_array_view_read(x, path, 4), "from byte 4 on: the file has only 2852 bytes");
    assert_int_equal(amp_array_view_read(x, path, INT64_MAX - 2), AMP_ERROR_INVALID_ARGUMENT);
    amp_error_clear();
    assert_non_null(amp_array_view_map(x, AMP_ACCESS_READ));
    assert_int_equal(amp_array_view_read(x, path, 0), AMP_ERROR_BUSY);
    amp_error_clear();
    assert_ok(amp_array_view_unmap(x));
    assert_int_equal(data[0][0], 1);
    amp_array_view_release(x);
}

/* The boxes of all ranks make up a view, and can be mapped, also by a view that is then released. */
static void test_boxes(void **state)
{
    (void)state;
    int data[ROWS][COLUMNS];
    int64_t n = 0;
    amp_array_view *x = amp_array_view_whole2(data);
    for (int rank = 0; rank < amp_rank_count(); rank++)
        n += amp_extent_size(amp_array_view_local(x, rank).extent);
    assert_int_equal(n, ROWS * COLUMNS);
    assert_ptr_equal(amp_array_view_map_local(x, AMP_ACCESS_READ_WRITE), data);
    assert_null(amp_array_view_map_local(x, AMP_ACCESS_READ));
    assert_int_equal(amp_error_status(), AMP_ERROR_BUSY);
    amp_error_clear();
    assert_ok(amp_array_view_unmap(x));
    assert_non_null(amp_array_view_map_local(x, AMP_ACCESS_WRITE));
    amp_array_view_release(x);
}

int main(void)
{
    int file = mkstemp(path);
    close(file);
    unlink(path);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_mistakes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_boxes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_round_trip, setup_dry, teardown),
        cmocka_unit_test_setup_teardown(test_boxes, setup_dry, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
