/* SPDX-License-Identifier: MIT
 * The table in docs/coherence.md, row by row, on the null backend: the states before and after each transition, and
 * exactly how many copies it took. Then whole programs, and overlapping sections. */
#include "kernels.h"
#include "runtime/backend.h"

#include <unistd.h>

enum { NULL_LOCATION = 1, I = AMP__INVALID, P = AMP__PARTIAL, S = AMP__SHARED, O = AMP__OWNER };

static amp_accelerator_view *on_null, *on_cpu;
static int data[4][8];
static amp_array_view *view; /* the view that a row of the table uses */

/* The home's place: host memory, an array on null, or nowhere. */
enum home { HOST_MEMORY, ARRAY, NO_SOURCE };

static void release(void)
{
    amp_array_view_release(view);
    view = NULL;
}

static int setup(void **state)
{
    (void)state;
    release();
    on_null = amp_accelerator_default_view(amp_accelerator_find("null"));
    on_cpu = amp_accelerator_default_view(amp_accelerator_find("cpu"));
    for (int i = 0; i < 32; i++)
        data[i / 8][i % 8] = i;
    view = amp_array_view2(4, 8, &data[0][0]);
    amp_error_clear();
    amp__test_null_reset();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    release();
    return 0;
}

static int state_at(int location)
{
    return amp__home_state(view->home, location);
}

static void assert_states(int host, int null)
{
    assert_int_equal(state_at(AMP__HOST), host);
    assert_int_equal(state_at(NULL_LOCATION), null);
}

/* Copies since the last call, all of whole homes. */
static void assert_copies(int in, int out)
{
    struct amp__null_counts n = amp__test_null_counts();
    assert_int_equal(n.copies_in, in);
    assert_int_equal(n.copies_out, out);
    assert_int_equal(n.bytes_in, (size_t)in * sizeof data);
    assert_int_equal(n.bytes_out, (size_t)out * sizeof data);
    amp__test_null_reset();
}

/* The same for parts of homes, in bytes. */
static void assert_moved(int in, size_t bytes_in, int out, size_t bytes_out)
{
    struct amp__null_counts n = amp__test_null_counts();
    assert_int_equal(n.copies_in, in);
    assert_int_equal(n.bytes_in, bytes_in);
    assert_int_equal(n.copies_out, out);
    assert_int_equal(n.bytes_out, bytes_out);
    amp__test_null_reset();
}

/* Creates a home and brings it into a state from the table. */
static void make(enum home kind, int host, int null)
{
    if (kind != HOST_MEMORY) {
        amp_array_view_release(view);
        amp_array *array = amp_array_from_on(amp_extent2(4, 8), &data[0][0], on_null, AMP_ACCESS_AUTO);
        view = kind == ARRAY ? amp_array_as_view(array) : amp_array_view_without_source2(int, 4, 8);
        amp_array_release(array);
    }
    struct amp__home *home = view->home;
    if (null != I)
        assert_ok(amp__home_read(home, on_null, NULL)); /* memory, too */
    if (host != I)
        assert_ok(amp__home_read(home, NULL, NULL));
    if (null == O)
        amp__home_own(home, NULL_LOCATION, NULL);
    if (host == O)
        amp__home_own(home, AMP__HOST, NULL);
    amp__test_null_reset();
    assert_states(host, null);
}

static void read_null(void)
{
    assert_ok(amp__home_read(view->home, on_null, NULL));
}

static void read_host(void)
{
    assert_ok(amp__home_read(view->home, NULL, NULL));
}

static void own_null(void)
{
    amp__home_own(view->home, NULL_LOCATION, NULL);
}

static void own_host(void)
{
    amp__home_own(view->home, AMP__HOST, NULL);
}

static void discard(void)
{
    assert_ok(amp_discard_data(view));
}

static void refresh(void)
{
    assert_ok(amp_refresh(view));
}

static void abandon_null(void)
{
    amp__home_abandon(view->home, NULL_LOCATION, NULL);
}

static void abandon_host(void)
{
    amp__home_abandon(view->home, AMP__HOST, NULL);
}

static void synchronize(void)
{
    assert_ok(amp_synchronize(view));
}

static void synchronize_to_write(void)
{
    assert_ok(amp_synchronize_for(view, AMP_ACCESS_WRITE));
}

static void synchronize_to_read_write(void)
{
    assert_ok(amp_synchronize_for(view, AMP_ACCESS_READ_WRITE));
}

static void wait_for(amp_future *future)
{
    assert_ok(amp_future_wait(future));
    amp_future_release(future);
}

static void synchronize_later(void)
{
    wait_for(amp_synchronize_async(view));
}

static void synchronize_to_null(void)
{
    assert_ok(amp_synchronize_to(view, on_null));
}

static void synchronize_to_null_later(void)
{
    wait_for(amp_synchronize_to_async(view, on_null));
}

static void synchronize_to_null_to_write(void)
{
    assert_ok(amp_synchronize_to_for(view, on_null, AMP_ACCESS_WRITE));
}

static void synchronize_to_null_to_read_write(void)
{
    wait_for(amp_synchronize_to_for_async(view, on_null, AMP_ACCESS_READ_WRITE));
}

static void synchronize_to_cpu(void)
{
    assert_ok(amp_synchronize_to(view, on_cpu));
}

static void synchronize_to_cpu_to_write(void)
{
    assert_ok(amp_synchronize_to_for(view, on_cpu, AMP_ACCESS_WRITE));
}

static void native_handle(void)
{
    struct amp_array array = {.whole = *view};
    amp__object_init(&array.whole.object, AMP__ARRAY);
    assert_non_null(amp_array_native_handle(&array));
}

static void map_to_read(void)
{
    assert_non_null(amp_array_view_map(view, AMP_ACCESS_READ));
    assert_ok(amp_array_view_unmap(view));
}

static void map_to_write(void)
{
    assert_non_null(amp_array_view_map(view, AMP_ACCESS_WRITE));
    assert_ok(amp_array_view_unmap(view));
}

static void launch_to_read(void)
{
    int out = 0;
    amp_array_view *result = amp_array_view1(1, &out);
    amp_discard_data(result);
    assert_ok(amp_parallel_for_each_on(on_cpu, amp_extent1(1), sum, view, result));
    amp_array_view_release(result);
}

static void launch_to_write(void)
{
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent1(4), fill, 7, view));
}

static const struct row {
    enum home kind;
    void (*transition)(void);
    int host, null, host_after, null_after, copies_in, copies_out;
} table[] = {
    /* read, on null */
    {HOST_MEMORY, read_null, O, I, S, S, 1, 0},
    {HOST_MEMORY, read_null, S, S, S, S, 0, 0},
    {HOST_MEMORY, read_null, I, O, I, O, 0, 0},
    /* read, on the host: also synchronize, mapping to read, a cpu kernel that reads */
    {HOST_MEMORY, read_host, O, I, O, I, 0, 0},
    {HOST_MEMORY, read_host, S, S, S, S, 0, 0},
    {HOST_MEMORY, read_host, I, O, S, S, 0, 1},
    {HOST_MEMORY, synchronize, O, I, O, I, 0, 0},
    {HOST_MEMORY, synchronize, S, S, S, S, 0, 0},
    {HOST_MEMORY, synchronize, I, O, S, S, 0, 1},
    {HOST_MEMORY, map_to_read, O, I, O, I, 0, 0},
    {HOST_MEMORY, map_to_read, S, S, S, S, 0, 0},
    {HOST_MEMORY, map_to_read, I, O, S, S, 0, 1},
    {HOST_MEMORY, launch_to_read, O, I, O, I, 0, 0},
    {HOST_MEMORY, launch_to_read, S, S, S, S, 0, 0},
    {HOST_MEMORY, launch_to_read, I, O, S, S, 0, 1},
    {HOST_MEMORY, synchronize_later, O, I, O, I, 0, 0},
    {HOST_MEMORY, synchronize_later, S, S, S, S, 0, 0},
    {HOST_MEMORY, synchronize_later, I, O, S, S, 0, 1},
    {HOST_MEMORY, synchronize_to_cpu, O, I, O, I, 0, 0},
    {HOST_MEMORY, synchronize_to_cpu, S, S, S, S, 0, 0},
    {HOST_MEMORY, synchronize_to_cpu, I, O, S, S, 0, 1},
    /* read, on null, ahead of a launch */
    {HOST_MEMORY, synchronize_to_null, O, I, S, S, 1, 0},
    {HOST_MEMORY, synchronize_to_null, S, S, S, S, 0, 0},
    {HOST_MEMORY, synchronize_to_null, I, O, I, O, 0, 0},
    {HOST_MEMORY, synchronize_to_null_later, O, I, S, S, 1, 0},
    {HOST_MEMORY, synchronize_to_null_later, I, O, I, O, 0, 0},
    /* reserve and own: all of the home is about to be overwritten */
    {HOST_MEMORY, synchronize_to_write, O, I, O, I, 0, 0},
    {HOST_MEMORY, synchronize_to_write, S, S, O, I, 0, 0},
    {HOST_MEMORY, synchronize_to_write, I, O, O, I, 0, 0},
    {HOST_MEMORY, synchronize_to_null_to_write, O, I, I, O, 0, 0},
    {HOST_MEMORY, synchronize_to_null_to_write, S, S, I, O, 0, 0},
    {HOST_MEMORY, synchronize_to_null_to_write, I, O, I, O, 0, 0},
    /* read and own */
    {HOST_MEMORY, synchronize_to_read_write, O, I, O, I, 0, 0},
    {HOST_MEMORY, synchronize_to_read_write, S, S, O, I, 0, 0},
    {HOST_MEMORY, synchronize_to_read_write, I, O, O, I, 0, 1},
    {HOST_MEMORY, synchronize_to_null_to_read_write, O, I, I, O, 1, 0},
    {HOST_MEMORY, synchronize_to_null_to_read_write, S, S, I, O, 0, 0},
    {HOST_MEMORY, synchronize_to_null_to_read_write, I, O, I, O, 0, 0},
    /* own, by null: a launch that writes is read, run, own */
    {HOST_MEMORY, own_null, S, S, I, O, 0, 0},
    {HOST_MEMORY, own_null, I, O, I, O, 0, 0},
    {HOST_MEMORY, launch_to_write, O, I, I, O, 1, 0},
    {HOST_MEMORY, launch_to_write, S, S, I, O, 0, 0},
    {HOST_MEMORY, launch_to_write, I, O, I, O, 0, 0},
    /* own, by the host: also refresh, mapping to write (old contents are kept) */
    {HOST_MEMORY, own_host, O, I, O, I, 0, 0},
    {HOST_MEMORY, own_host, S, S, O, I, 0, 0},
    {HOST_MEMORY, refresh, O, I, O, I, 0, 0},
    {HOST_MEMORY, refresh, S, S, O, I, 0, 0},
    {HOST_MEMORY, refresh, I, O, O, I, 0, 0},
    {HOST_MEMORY, map_to_write, O, I, O, I, 0, 0},
    {HOST_MEMORY, map_to_write, S, S, O, I, 0, 0},
    {HOST_MEMORY, map_to_write, I, O, O, I, 0, 1},
    /* discard */
    {HOST_MEMORY, discard, O, I, S, S, 0, 0},
    {HOST_MEMORY, discard, S, S, S, S, 0, 0},
    {HOST_MEMORY, discard, I, O, S, S, 0, 0},
    /* abandon */
    {HOST_MEMORY, abandon_null, O, I, O, I, 0, 0},
    {HOST_MEMORY, abandon_null, S, S, O, I, 0, 0},
    {HOST_MEMORY, abandon_null, I, O, I, O, 0, 0},
    {HOST_MEMORY, abandon_host, O, I, O, I, 0, 0},
    {HOST_MEMORY, abandon_host, S, S, I, O, 0, 0},
    {HOST_MEMORY, abandon_host, I, O, I, O, 0, 0},
    /* The place is null: synchronising brings it up to date, and refreshing trusts it. */
    {ARRAY, synchronize, I, O, I, O, 0, 0},
    {ARRAY, synchronize, S, S, S, S, 0, 0},
    {ARRAY, synchronize, O, I, S, S, 1, 0},
    {ARRAY, synchronize_later, O, I, S, S, 1, 0},
    {ARRAY, native_handle, I, O, I, O, 0, 0},
    {ARRAY, native_handle, O, I, S, S, 1, 0},
    {ARRAY, synchronize_to_cpu, I, O, S, S, 0, 1},
    {ARRAY, synchronize_to_cpu, O, I, O, I, 0, 0},
    {ARRAY, synchronize_to_cpu_to_write, I, O, O, I, 0, 0},
    {ARRAY, synchronize_to_null, O, I, S, S, 1, 0},
    {ARRAY, synchronize_to_write, I, O, I, O, 0, 0},
    {ARRAY, synchronize_to_write, S, S, I, O, 0, 0},
    {ARRAY, synchronize_to_write, O, I, I, O, 0, 0},
    {ARRAY, synchronize_to_read_write, S, S, I, O, 0, 0},
    {ARRAY, synchronize_to_read_write, O, I, I, O, 1, 0},
    {ARRAY, refresh, I, O, I, O, 0, 0},
    {ARRAY, refresh, S, S, I, O, 0, 0},
    {ARRAY, refresh, O, I, I, O, 0, 0},
    {ARRAY, map_to_read, I, O, S, S, 0, 1},
    {ARRAY, map_to_write, I, O, O, I, 0, 1},
    {ARRAY, launch_to_write, O, I, I, O, 1, 0},
    {ARRAY, launch_to_read, I, O, S, S, 0, 1},
    {ARRAY, discard, O, I, S, S, 0, 0},
    /* No place: there is nothing to bring up to date or to trust. */
    {NO_SOURCE, synchronize, I, O, I, O, 0, 0},
    {NO_SOURCE, synchronize, O, I, O, I, 0, 0},
    {NO_SOURCE, synchronize_later, I, O, I, O, 0, 0},
    {NO_SOURCE, synchronize_to_write, I, O, I, O, 0, 0},
    {NO_SOURCE, synchronize_to_cpu, I, O, S, S, 0, 1},
    {NO_SOURCE, synchronize_to_null_to_write, O, I, I, O, 0, 0},
    {NO_SOURCE, refresh, I, O, I, O, 0, 0},
    {NO_SOURCE, refresh, O, I, O, I, 0, 0},
    {NO_SOURCE, map_to_read, I, O, S, S, 0, 1},
    {NO_SOURCE, launch_to_write, O, I, I, O, 1, 0},
};

static void test_table(void **state)
{
    for (const struct row *row = table; row < table + sizeof table / sizeof *table; row++) {
        setup(state);
        make(row->kind, row->host, row->null);
        row->transition();
        if (state_at(AMP__HOST) != row->host_after || state_at(NULL_LOCATION) != row->null_after)
            print_error("row %d\n", (int)(row - table));
        assert_states(row->host_after, row->null_after);
        assert_copies(row->copies_in, row->copies_out);
        release();
    }
    setup(state);
}

/* Without a source all contents are undefined at first: no use copies anything, and no location has memory before it is
 * used. */
static void test_before_the_first_use(void **state)
{
    (void)state;
    release();
    view = amp_array_view_without_source2(int, 4, 8);
    assert_states(S, S);
    assert_int_equal(amp__home_find(view->home, AMP__HOST, NULL), AMP__NOWHERE);
    synchronize_to_null();
    map_to_read();
    assert_states(S, S);
    assert_copies(0, 0);
    launch_to_write();
    assert_states(I, O);
    assert_copies(0, 0);
}

/* A section that is to be overwritten needs no copy, and the rest of its home stays where it is. */
static void test_synchronizing_a_section_to_write(void **state)
{
    (void)state;
    amp_array_view *row = amp_array_view_project(view, 1);
    assert_ok(amp_synchronize_to_for(row, on_null, AMP_ACCESS_WRITE));
    assert_states(P, P);
    assert_ok(amp_synchronize_for(row, AMP_ACCESS_WRITE));
    assert_states(O, I);
    assert_moved(0, 0, 0, 0);
    assert_ok(amp_synchronize_to_for(row, on_null, AMP_ACCESS_READ_WRITE));
    assert_states(P, P);
    assert_moved(1, sizeof data[0], 0, 0);
    assert_ok(amp_synchronize_for(row, AMP_ACCESS_READ_WRITE));
    assert_states(O, I);
    assert_moved(0, 0, 1, sizeof data[0]);
    amp_array_view_release(row);
}

static void test_bad_synchronizations(void **state)
{
    (void)state;
    static const amp_access_type bad[] = {AMP_ACCESS_NONE, AMP_ACCESS_AUTO, (amp_access_type)-1};
    for (int i = 0; i < 3; i++) {
        char text[200];
        static const char *const calls[] = {"amp_synchronize_for", "amp_synchronize_to_for",
                                            "amp_synchronize_for_async", "amp_synchronize_to_for_async"};
        for (int k = 0; k < 4; k++) {
            snprintf(text, sizeof text, "%s: the access is %d; it must be AMP_ACCESS_READ, _WRITE or _READ_WRITE",
                     calls[k], (int)bad[i]);
            if (k == 0)
                amp_synchronize_for(view, bad[i]);
            else if (k == 1)
                amp_synchronize_to_for(view, on_null, bad[i]);
            else
                assert_null(k == 2 ? amp_synchronize_for_async(view, bad[i])
                                   : amp_synchronize_to_for_async(view, on_null, bad[i]));
            assert_error(amp_error_status(), AMP_ERROR_INVALID_ARGUMENT, text);
        }
    }
    assert_error(amp_synchronize_to(view, NULL), AMP_ERROR_NULL,
                 "amp_synchronize_to_for: the accelerator_view is NULL");
    assert_error(amp_synchronize_to(NULL, on_null), AMP_ERROR_NULL, "amp_synchronize_to_for: the view is NULL");
    assert_null(amp_synchronize_async(NULL));
    assert_error(amp_error_status(), AMP_ERROR_NULL, "amp_synchronize_for_async: the view is NULL");
    assert_non_null(amp_array_view_map(view, AMP_ACCESS_WRITE));
    assert_null(amp_synchronize_to_async(view, on_null));
    assert_error(amp_error_status(), AMP_ERROR_BUSY,
                 "amp_synchronize_to_for_async: the view, or another one of its home, is mapped");
    assert_states(O, I);
}

/* row: array_view.discard_data
 * After a discard all copies are equally good: no use needs a copy, nor does the release. */
static void test_discard_saves_copies(void **state)
{
    (void)state;
    discard();
    launch_to_write();
    assert_copies(0, 0);
    assert_states(I, O);
    assert_ok(amp_synchronize(view));
    assert_copies(0, 1);
    assert_int_equal(data[3][7], 7);
    discard();
    assert_ok(amp_synchronize(view));
    map_to_write();
    assert_copies(0, 0);
    discard();
    read_null();
    assert_copies(0, 0);
}

/* A device that has no memory yet is `shared` after a discard, but the host must not be read from it. */
static void test_discard_then_abandon_host(void **state)
{
    (void)state;
    discard();
    abandon_host();
    assert_states(S, S);
    read_host();
    assert_copies(0, 0);
}

static void test_discard_of_a_section_keeps_the_rest(void **state)
{
    (void)state;
    amp_array_view *row = amp_array_view_section(view, amp_index2(1, 0), amp_extent2(1, 8));
    assert_ok(amp_discard_data(row));
    assert_states(S, P);
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent1(1), fill, -1, row));
    assert_moved(0, 0, 0, 0);
    assert_states(P, P);
    assert_ok(amp_synchronize(row));
    assert_moved(0, 0, 1, sizeof data[0]);
    assert_int_equal(data[0][7], 7);
    assert_int_equal(data[1][0], -1);
    assert_int_equal(data[2][0], 16);
    amp_array_view *whole = amp_array_view_section(view, amp_index2(0, 0), amp_extent2(4, 8));
    assert_ok(amp_discard_data(whole));
    assert_states(S, S);
    amp_array_view_release(whole);
    amp_array_view_release(row);
}

static void test_release_copies_back(void **state)
{
    (void)state;
    launch_to_write();
    amp_array_view *row = amp_array_view_section(view, amp_index2(1, 0), amp_extent2(1, 8));
    release();
    assert_int_equal(data[0][0], 0); /* a section still keeps the home */
    amp_array_view_release(row);
    assert_int_equal(data[0][0], 7);
    struct amp__null_counts n = amp__test_null_counts();
    assert_true(n.copies_in == 1 && n.copies_out == 1 && n.allocations == 1 && n.frees == 1);
    /* If the view was only read, or discarded, there is no copy. */
    setup(state);
    read_null();
    release();
    assert_int_equal(amp__test_null_counts().copies_out, 0);
    setup(state);
    launch_to_write();
    discard();
    release();
    assert_int_equal(amp__test_null_counts().copies_out, 0);
    setup(state);
}

static void test_overlapping_sections(void **state)
{
    (void)state;
    amp_array_view *upper = amp_array_view_section(view, amp_index2(0, 0), amp_extent2(3, 8));
    amp_array_view *lower = amp_array_view_section(view, amp_index2(1, 0), amp_extent2(3, 8));
    /* Written through one on the device, read through the other there and on the host. */
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent1(3), fill, 1, upper));
    assert_moved(1, 3 * sizeof data[0], 0, 0);
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent2(3, 8), add, upper, lower, lower));
    assert_moved(1, sizeof data[0], 0, 0); /* the last row */
    const int *p = amp_array_view_map(lower, AMP_ACCESS_READ);
    assert_moved(0, 0, 1, 3 * sizeof data[0]);
    /* row 1 += row 0: 2, doubled: 4; row 2 += row 1: 1 + 4, doubled; row 3: 24 + 10, doubled */
    assert_true(p[0] == 4 && p[8] == 10 && p[16] == 68);
    assert_ok(amp_array_view_unmap(lower));
    /* Written on the host, so stale on the device. */
    assert_ok(amp_parallel_for_each_on(on_cpu, amp_extent1(3), fill, 5, lower));
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent2(3, 8), add, upper, upper, lower));
    assert_moved(2, 3 * sizeof data[0], 0, 0); /* one for each of the two; the first row never left the device */
    assert_ok(amp_synchronize(view));
    assert_copies(0, 1);
    assert_int_equal(data[0][0], 2);
    amp_array_view_release(upper);
    amp_array_view_release(lower);
}

/* A section whose rows lie apart goes through the host, in a dense copy of its own. */
static void test_strided_section(void **state)
{
    (void)state;
    amp_array_view *left = amp_array_view_section(view, amp_index2(0, 0), amp_extent2(4, 3));
    amp_array_view *last = amp_array_view_section(view, amp_index2(3, 0), amp_extent2(1, 8));
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent1(4), fill, -2, left));
    struct amp__null_counts n = amp__test_null_counts();
    assert_true(n.copies_in == 1 && n.copies_out == 1 && n.allocations == 1 && n.frees == 1);
    assert_true(n.bytes_in == 4 * 3 * sizeof(int) && n.bytes_out == 4 * 3 * sizeof(int));
    assert_states(O, I);
    assert_true(data[3][2] == -2 && data[3][3] == 27);
    /* It is only read, so nothing comes back. The home is on the device, so the host first gets it from there. */
    launch_to_write();
    amp__test_null_reset();
    int out = 0;
    amp_array_view *result = amp_array_view1(1, &out);
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent1(1), sum, left, result));
    n = amp__test_null_counts();
    assert_true(n.copies_in == 2 && n.copies_out == 1 && n.bytes_out == 4 * 3 * sizeof(int));
    assert_ok(amp_synchronize(result));
    assert_int_equal(out, 7 * 12);
    amp_array_view_release(result);
    amp_array_view_release(last);
    amp_array_view_release(left);
    amp__test_null_reset();
}

/* If rows lie so far apart that the device copies them one by one faster than the bus could move all of them, an
 * array's section is packed and unpacked on the device. */
static void try_strided_section_of_a_device(void (*begin)(void))
{
    enum { ROWS = 4, COLUMNS = 16384 };
    amp_array *a = amp_array_on(int, amp_extent2(ROWS, COLUMNS), on_null, AMP_ACCESS_AUTO);
    amp_array_view *left = amp_array_section(a, amp_index2(0, 0), amp_extent2(ROWS, 3));
    amp_array_view *right = amp_array_section(a, amp_index2(1, 3), amp_extent2(3, 3));
    int out = 0, small[ROWS][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
    amp_array_view *result = amp_array_view1(1, &out);
    amp__test_null_reset();
    begin();
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent1(ROWS), fill, 5, left));
    struct amp__null_counts n = amp__test_null_counts();
    assert_true(n.copies_in == 0 && n.copies_out == 0 && n.copies_across == 2 * ROWS);
    assert_int_equal(n.bytes_across, 2 * ROWS * 3 * sizeof(int));
    assert_true(n.allocations == 1 && n.frees == 1);
    /* Copies go the same way. */
    amp_array *b = amp_array_from_on(amp_extent2(ROWS, 3), &small[0][0], on_null, AMP_ACCESS_AUTO);
    amp__test_null_reset();
    begin();
    assert_ok(amp_copy(left, b));
    n = amp__test_null_counts();
    assert_true(n.copies_in == 0 && n.copies_out == 0 && n.copies_across == ROWS);
    amp_array_view *lower = amp_array_view_section2(left, 1, 0, 3, 3);
    assert_ok(amp_copy(right, lower));
    n = amp__test_null_counts();
    assert_true(n.copies_in == 0 && n.copies_out == 0 && n.copies_across == ROWS + 3);
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent1(1), sum, right, result));
    assert_ok(amp_synchronize(result));
    assert_int_equal(out, 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12);
    amp_array_view_release(lower);
    amp_array_view_release(result);
    amp_array_view_release(left);
    amp_array_view_release(right);
    amp_array_release(a);
    amp_array_release(b);
}

static void test_strided_section_of_a_device(void **state)
{
    (void)state;
    try_strided_section_of_a_device(amp__test_null_reset);
    try_strided_section_of_a_device(amp__test_null_late); /* nothing is freed while the device still needs it */
}

/* Packing and unpacking are traced. */
static void test_trace(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    int saved = dup(2);
    fflush(stderr);
    dup2(fileno(file), 2);
    setenv("AMP_LOG", "coherence", 1);
    amp__log_restart();
    amp_array_view *left = amp_array_view_section(view, amp_index2(0, 0), amp_extent2(4, 3));
    amp_status status = amp_parallel_for_each_on(on_null, amp_extent1(4), fill, -2, left);
    amp_array_view_release(left);
    unsetenv("AMP_LOG");
    amp__log_restart();
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    rewind(file);
    char text[2000] = "", home[40];
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    assert_ok(status);
    snprintf(home, sizeof home, "amp: home %p: ", (void *)view->home);
    assert_memory_equal(text, home, strlen(home));
    const char *at = text;
    static const char *const lines[] = {": pack: 48 bytes of x for fill\n", "amp: fill: 48 bytes from host to null\n",
                                        ": unpack: 48 bytes of x for fill\n",
                                        "amp: fill: 48 bytes from null to host\n"};
    for (int i = 0; i < 4; i++) {
        at = strstr(at, lines[i]);
        assert_non_null(at);
    }
}

/* A dense and a strided section of one home, apart, both written by one launch: neither write is lost. */
static void test_dense_and_strided_section(void **state)
{
    (void)state;
    int small[1][3] = {{1, 1, 1}};
    amp_array_view *a = amp_array_view2(1, 3, &small[0][0]);
    amp_array_view *dense = amp_array_view_section(view, amp_index2(3, 0), amp_extent2(1, 3));
    amp_array_view *strided = amp_array_view_section(view, amp_index2(0, 0), amp_extent2(2, 3));
    amp_array_view *tall = amp_array_view_section(view, amp_index2(2, 4), amp_extent2(2, 3));
    assert_true(dense->is_dense && !strided->is_dense && !tall->is_dense);
    int six[2][3] = {{0}};
    amp_array_view *b = amp_array_view2(2, 3, &six[0][0]);
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent2(2, 3), add, b, strided, tall));
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent2(1, 3), add, a, dense, a));
    amp_status both = amp_parallel_for_each_on(on_null, amp_extent1(1), write_both, dense, strided);
    assert_ok(both);
    assert_ok(amp_synchronize(view));
    assert_int_equal(data[3][0], 100);
    assert_int_equal(data[0][0], 200);
    assert_int_equal(data[1][2], 200);
    assert_int_equal(data[2][4], 20 + 0);
    assert_int_equal(data[3][6], 30 + 10);
    assert_int_equal(data[3][1], 26);
    amp_array_view *views[] = {a, b, dense, strided, tall};
    for (int i = 0; i < 5; i++)
        amp_array_view_release(views[i]);
}

/* Each call of the device fails once: the status tells the cause, and valid copies stay valid. */
static void test_device_failures(void **state)
{
    (void)state;
    static const struct {
        int n, host_after, null_after;
        const char *text;
    } cases[] = {
        {1, O, I, "null: an allocation failed, as a test asked for"},
        {2, O, I, "null: a copy in failed, as a test asked for"},
        {3, O, I, "null: a launch failed, as a test asked for"},
    };
    for (int i = 0; i < 3; i++) {
        setup(state);
        amp__test_null_fail(cases[i].n);
        amp_status status = amp_parallel_for_each_on(on_null, amp_extent1(4), fill, 7, view);
        assert_error(status, AMP_ERROR_DEVICE, cases[i].text);
        assert_states(cases[i].host_after, cases[i].null_after);
        assert_int_equal(data[3][7], 31);
        launch_to_write(); /* works again */
        assert_states(I, O);
        release();
    }
    setup(state);
    launch_to_write();
    amp__test_null_fail(1);
    assert_error(amp_synchronize(view), AMP_ERROR_DEVICE, "null: a copy out failed, as a test asked for");
    assert_states(I, O);
    amp__test_null_fail(1);
    assert_null(amp_array_view_map(view, AMP_ACCESS_READ));
    assert_error(amp_error_status(), AMP_ERROR_DEVICE, "null: a copy out failed, as a test asked for");
    assert_ok(amp_synchronize(view)); /* not refused: it was not mapped */
    assert_int_equal(data[3][7], 7);
    /* The owner's launch fails, but its copy is the only one. */
    launch_to_write();
    amp__test_null_fail(1);
    assert_int_equal(amp_parallel_for_each_on(on_null, amp_extent1(4), fill, 9, view), AMP_ERROR_DEVICE);
    assert_states(I, O);
    amp_error_clear();
    /* A release cannot report a failure. */
    amp__test_null_fail(1);
    release();
    assert_int_equal(amp_error_status(), AMP_OK);
    setup(state);
}

static void test_device_failures_of_a_strided_section(void **state)
{
    (void)state;
    amp_array_view *left = amp_array_view_section(view, amp_index2(0, 0), amp_extent2(4, 3));
    for (int n = 1; n <= 4; n++) { /* allocation, copy in, launch, copy out */
        amp__test_null_reset();
        amp__test_null_fail(n);
        assert_int_equal(amp_parallel_for_each_on(on_null, amp_extent1(4), fill, -2, left), AMP_ERROR_DEVICE);
        assert_int_equal(data[3][2], 26);
        struct amp__null_counts counts = amp__test_null_counts();
        assert_int_equal(counts.allocations, counts.frees);
    }
    amp_error_clear();
    amp__test_null_reset();
    amp_array_view_release(left);
}

/* `null` accepts a place in its memory only as a handle and an offset, so that adding to a handle elsewhere is
 * detected. */
static void test_places_in_memory(void **state)
{
    (void)state;
    read_null();
    const amp_accelerator *a = on_null->accelerator;
    char *memory = amp__home_memory(view->home, NULL_LOCATION);
    int line[8];
    assert_ok(a->backend->copy_out(a->device, NULL, line, (struct amp__at){memory, 3 * sizeof line}, sizeof line));
    assert_int_equal(line[7], 31);
    struct amp__at wrong[] = {{memory + sizeof line, 0}, {memory, 3 * sizeof line + 1}, {memory, SIZE_MAX}};
    for (int i = 0; i < 3; i++) {
        assert_error(a->backend->copy_out(a->device, NULL, line, wrong[i], sizeof line), AMP_ERROR_DEVICE,
                     "null: a copy out of 32 bytes is not in the memory of a handle");
        assert_error(a->backend->copy_across(a->device, NULL, (struct amp__at){memory, 0}, wrong[i], sizeof line),
                     AMP_ERROR_DEVICE, "null: a copy across of 32 bytes is not in the memory of a handle");
    }
}

static void *read_on_null(void *unused)
{
    (void)unused;
    int out = 0;
    amp_array_view *result = amp_array_view1(1, &out);
    for (int i = 0; i < 100; i++)
        if (amp_parallel_for_each_on(on_null, amp_extent1(1), sum, view, result) != AMP_OK)
            break;
    amp_array_view_release(result);
    return (void *)(intptr_t)(out != 31 * 32 / 2);
}

/* Launches that only read a home may come from several threads; it is copied once. */
static void test_concurrent_readers(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_on_null, NULL), 0);
    for (int i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    struct amp__null_counts n = amp__test_null_counts();
    assert_int_equal(n.bytes_in, sizeof data + 4 * sizeof(int));
    assert_int_equal(n.launches, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_table, setup, teardown),
        cmocka_unit_test_setup_teardown(test_before_the_first_use, setup, teardown),
        cmocka_unit_test_setup_teardown(test_synchronizing_a_section_to_write, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_synchronizations, setup, teardown),
        cmocka_unit_test_setup_teardown(test_discard_saves_copies, setup, teardown),
        cmocka_unit_test_setup_teardown(test_discard_then_abandon_host, setup, teardown),
        cmocka_unit_test_setup_teardown(test_discard_of_a_section_keeps_the_rest, setup, teardown),
        cmocka_unit_test_setup_teardown(test_release_copies_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_overlapping_sections, setup, teardown),
        cmocka_unit_test_setup_teardown(test_strided_section, setup, teardown),
        cmocka_unit_test_setup_teardown(test_strided_section_of_a_device, setup, teardown),
        cmocka_unit_test_setup_teardown(test_trace, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dense_and_strided_section, setup, teardown),
        cmocka_unit_test_setup_teardown(test_device_failures, setup, teardown),
        cmocka_unit_test_setup_teardown(test_device_failures_of_a_strided_section, setup, teardown),
        cmocka_unit_test_setup_teardown(test_places_in_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_concurrent_readers, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
