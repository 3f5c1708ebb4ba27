/* SPDX-License-Identifier: MIT
 * The model's rules of coherence, b1 to b20 of tests/coverage/rows.txt, each on cpu, which needs no copies, and on
 * null, with the exact number of copies. */
#include "kernels.h"

static amp_accelerator_view *on_cpu, *on_null, *on_other;
static int data[4][8];

static int setup_devices(void **state)
{
    (void)state;
    amp__test_null_devices(2);
    amp__test_restart();
    on_null = amp_accelerator_default_view(amp_accelerator_find("null"));
    on_other = amp_accelerator_default_view(amp_accelerator_find("null:1"));
    on_cpu = amp_accelerator_default_view(amp_accelerator_find("cpu"));
    return 0;
}

static int teardown_devices(void **state)
{
    (void)state;
    amp__test_null_devices(1);
    amp__test_restart();
    return 0;
}

static void reset_data(void)
{
    for (int i = 0; i < 32; i++)
        data[i / 8][i % 8] = i;
}

static int setup(void **state)
{
    (void)state;
    reset_data();
    amp_error_clear();
    amp__test_null_reset();
    return 0;
}

/* Checks the copies since the last call; cpu needs none. */
static void assert_copies(amp_accelerator_view *on, int in, int out)
{
    struct amp__null_counts n = amp__test_null_counts();
    int k = on != on_cpu;
    assert_int_equal(n.copies_in, k * in);
    assert_int_equal(n.copies_out, k * out);
    assert_int_equal(n.copies_across, 0);
    amp__test_null_reset();
}

#define FOR_EACH_PLACE(on)                                                                                             \
    for (amp_accelerator_view *on = on_cpu; on;                                                                        \
         on = on == on_cpu ? on_null : NULL, reset_data(), amp__test_null_reset())

static int element(amp_array *a, int i)
{
    int found[32];
    assert_ok(amp_copy_to(a, found, 32));
    return found[i];
}

static void b1_arrays_stay(void **state)
{
    (void)state;
    FOR_EACH_PLACE(on) {
        amp_array *a = amp_array_from_on(amp_extent2(4, 8), &data[0][0], on, AMP_ACCESS_AUTO);
        assert_copies(on, 1, 0);
        amp_array *b = amp_array_on(int, amp_extent2(4, 8), on, AMP_ACCESS_AUTO);
        assert_ok(amp_parallel_for_each(amp_extent1(4), fill, 7, b));
        assert_ok(amp_parallel_for_each(amp_extent1(4), fill, 8, b));
        assert_ok(amp_parallel_for_each(amp_extent2(4, 8), add, b, a, b));
        assert_copies(on, 0, 0); /* launches copy nothing */
        assert_int_equal(element(a, 31), 31 + 8);
        assert_int_equal(element(b, 31), 8 + 31 + 8);
        assert_copies(on, 0, 2); /* explicit ones */
        assert_int_equal(data[3][7], 31);
        amp_array_release(a);
        amp_array_release(b);
        assert_copies(on, 0, 0);
    }
}

static void b2_host_access(void **state)
{
    (void)state;
    FOR_EACH_PLACE(on) {
        amp_array *a = amp_array_from_on(amp_extent2(4, 8), &data[0][0], on, AMP_ACCESS_AUTO);
        int *p = amp_array_map(a, AMP_ACCESS_READ_WRITE);
        assert_int_equal(p != NULL, on == on_cpu);
        assert_int_equal(amp_error_status(), on == on_cpu ? AMP_OK : AMP_ERROR_UNSUPPORTED_FEATURE);
        amp_error_clear();
        if (p)
            assert_ok(amp_array_unmap(a));
        amp_array *staging = amp_array_staging(int, amp_extent2(4, 8), NULL, on);
        assert_ok(amp_copy(staging, a));
        p = amp_array_map(staging, AMP_ACCESS_READ);
        assert_int_equal(p[31], 31);
        assert_ok(amp_array_unmap(staging));
        amp_array_release(staging);
        amp_array_release(a);
    }
}

static void b3_kernels_use_arrays_in_place(void **state)
{
    (void)state;
    FOR_EACH_PLACE(on) {
        amp_array *a = amp_array_from_on(amp_extent2(4, 8), &data[0][0], on, AMP_ACCESS_AUTO);
        void *memory = amp_array_native_handle(a);
        amp__test_null_reset();
        assert_ok(amp_parallel_for_each_on(on, amp_extent2(4, 8), add, a, a, a));
        assert_copies(on, 0, 0);
        assert_ptr_equal(amp_array_native_handle(a), memory);
        amp_status status = amp_parallel_for_each_on(on_other, amp_extent2(4, 8), add, a, a, a);
        assert_int_equal(status, AMP_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(amp_error_text(), on == on_cpu ? "lives on cpu" : "lives on null"));
        assert_non_null(strstr(amp_error_text(), "launch is on null:1"));
        amp_error_clear();
        amp_array_release(a);
    }
}

static void b4_staging_waits_for_transfers(void **state)
{
    (void)state;
    FOR_EACH_PLACE(on) {
        amp_array *a = amp_array_on(int, amp_extent2(4, 8), on, AMP_ACCESS_AUTO);
        amp_array *staging = amp_array_staging_from(amp_extent2(4, 8), &data[0][0], NULL, on);
        amp_future *futures[8];
        for (int i = 0; i < 8; i++) {
            futures[i] = amp_copy_async(a, staging);
            int *p = amp_array_map(staging, AMP_ACCESS_WRITE); /* the transfer is over */
            p[0] = i + 1;
            assert_int_equal(element(a, 0), i);
            assert_ok(amp_array_unmap(staging));
        }
        for (int i = 0; i < 8; i++) {
            assert_ok(amp_future_wait(futures[i]));
            amp_future_release(futures[i]);
        }
        assert_copies(on, 8, 8);
        amp_array_release(staging);
        amp_array_release(a);
    }
}

static void b5_views_share_their_home(void **state)
{
    (void)state;
    FOR_EACH_PLACE(on) {
        amp_array_view *v = amp_array_view2(4, 8, &data[0][0]), *row = amp_array_view_project(v, 2);
        amp_array_view *rows = amp_array_view_section2(v, 1, 0, 3, 8), *flat = amp_array_view_section1(row, 0, 8);
        amp_array_view *box = amp_array_view_reshape(row, amp_extent2(2, 4));
        amp_array_view *bytes = amp_array_view_reinterpret_as(row, char), *same = amp_array_view_read_only(v);
        amp_array_view *views[] = {v, row, rows, flat, box, bytes, same};
        assert_ok(amp_parallel_for_each_on(on, amp_extent1(2), fill, 9, box)); /* row 2 */
        assert_copies(on, 1, 0);
        int out = 0;
        amp_array_view *result = amp_array_view1(1, &out);
        amp_discard_data(result);
        assert_ok(amp_parallel_for_each_on(on, amp_extent1(1), sum, rows, result)); /* rows 1 to 3 */
        assert_copies(on, 2, 0);                                                    /* but 2 */
        assert_ok(amp_synchronize(result));
        assert_int_equal(out, 92 + 72 + 220);
        assert_copies(on, 0, 1);
        /* Any view that has the written elements brings them up to date, and then all views are. */
        assert_ok(amp_synchronize(bytes));
        assert_copies(on, 0, 1);
        for (int i = 0; i < 7; i++)
            assert_ok(amp_synchronize(views[i]));
        assert_copies(on, 0, 0);
        assert_true(data[2][0] == 9 && data[1][7] == 15 && data[3][0] == 24);
        for (int i = 0; i < 7; i++) {
            assert_ptr_equal(views[i]->home, v->home);
            assert_ptr_equal(amp_array_view_source_accelerator_view(views[i]), on_cpu);
        }
        for (int i = 0; i < 7; i++)
            amp_array_view_release(views[i]);
        amp_array_view_release(result);
    }
}

static void b6_views_keep_storage(void **state)
{
    (void)state;
    FOR_EACH_PLACE(on) {
        amp_array *a = amp_array_from_on(amp_extent2(4, 8), &data[0][0], on, AMP_ACCESS_AUTO);
        amp_array_view *row = amp_array_project(a, 3);
        amp_array_release(a);
        const int *p = amp_array_view_map(row, AMP_ACCESS_READ);
        assert_int_equal(p[7], 31);
        assert_ok(amp_array_view_unmap(row));
        assert_int_equal(amp__test_null_counts().frees, 0);
        amp_array_view_release(row);
        assert_int_equal(amp__test_null_counts().frees, on == on_null);
        assert_copies(on, 1, 1);
        /* Host memory stays the user's. */
        amp_array_view *v = amp_array_view2(4, 8, &data[0][0]);
        assert_ok(amp_parallel_for_each_on(on, amp_extent1(4), fill, 1, v));
        amp_array_view_release(v);
        data[3][7]++;
        assert_int_equal(data[3][7], 2);
    }
}

static void b7_a_new_view_is_in_sync(void **state)
{
    (void)state;
    FOR_EACH_PLACE(on) {
        amp_array_view *v = amp_array_view2(4, 8, &data[0][0]);
        assert_ok(amp_synchronize(v));
        const int *p = amp_array_view_map(v, AMP_ACCESS_READ);
        assert_ptr_equal(p, data);
        assert_ok(amp_array_view_unmap(v));
        amp_array_view_release(v);
        assert_copies(on, 0, 0);
    }
}

static void b8_copied_in_when_stale(void **state)
{
    (void)state;
    FOR_EACH_PLACE(on) {
        const int *constant = &data[0][0];
        int out[1], sums[4][8] = {{0}};
        amp_array_view *r = amp_array_view2(4, 8, constant), *w = amp_array_view2(4, 8, &sums[0][0]);
        amp_array_view *result = amp_array_view1(1, out);
        amp_discard_data(result);
        amp_discard_data(w);
        assert_ok(amp_parallel_for_each_on(on, amp_extent1(1), sum, r, result)); /* r is not on the device yet */
        assert_copies(on, 1, 0);
        assert_ok(amp_parallel_for_each_on(on, amp_extent1(1), sum, r, result)); /* now it is */
        assert_ok(amp_parallel_for_each_on(on, amp_extent1(4), fill, 1, w));     /* discarded */
        assert_copies(on, 0, 0);
        assert_ok(amp_synchronize(w));
        assert_ok(amp_synchronize(result));
        assert_copies(on, 0, 2);
        assert_true(out[0] == 496 && sums[3][7] == 1);
        amp_array_view_release(w);
        amp_array_view_release(result);
        amp_array_view_release(r); /* read-only: never copied back */
        assert_copies(on, 0, 0);
    }
}

static void b9_read_write_counts_as_written(void **state)
{
    (void)state;
    FOR_EACH_PLACE(on) {
        double in[4] = {1, 2, 3, 4}, out[2];
        int8_t untouched[3] = {7, 8, 9};
        amp_array_view *i = amp_array_view1(4, in), *o = amp_array_view1(2, out), *u = amp_array_view1(3, untouched);
        assert_ok(amp_parallel_for_each_on(on, amp_extent1(2), blur, i, o, u));
        assert_copies(on, 3, 0);
        assert_ok(amp_synchronize(i)); /* const in the kernel */
        assert_copies(on, 0, 0);
        assert_ok(amp_synchronize(u)); /* not const, so it counts as written */
        assert_copies(on, 0, 1);
        assert_int_equal(untouched[2], 9);
        assert_ok(amp_synchronize(o));
        amp_array_view *views[] = {i, o, u};
        for (int k = 0; k < 3; k++)
            amp_array_view_release(views[k]);
    }
}

static void b10_the_home_follows_lazily(void **state)
{
    (void)state;
    FOR_EACH_PLACE(on) {
        amp_array_view *v = amp_array_view2(4, 8, &data[0][0]);
        int found[32];
        for (int i = 0; i < 5; i++) {
            amp__test_null_reset();
            assert_ok(amp_parallel_for_each_on(on, amp_extent1(4), fill, 100 + i, v));
            amp__test_null_reset();
            if (on != on_cpu)
                assert_true(data[3][7] != 100 + i); /* not yet */
            switch (i) {
            case 0: /* access by the host */
                assert_int_equal(((int *)amp_array_view_map(v, AMP_ACCESS_READ))[31], 100);
                assert_ok(amp_array_view_unmap(v));
                assert_copies(on, 0, 1);
                break;
            case 1:
                assert_ok(amp_synchronize(v));
                assert_copies(on, 0, 1);
                break;
            case 2: /* a copy */
                assert_ok(amp_copy(&found[0], v));
                assert_int_equal(found[31], 102);
                assert_copies(on, 0, 1);
                break;
            case 3: { /* use elsewhere: through the host, which then is current, too */
                int out = 0;
                amp_array_view *result = amp_array_view1(1, &out);
                amp_discard_data(result);
                assert_ok(amp_parallel_for_each_on(on_other, amp_extent1(1), sum, v, result));
                struct amp__null_counts n = amp__test_null_counts();
                assert_true(n.copies_in == 1 && n.copies_out == (on != on_cpu));
                assert_ok(amp_synchronize(result));
                assert_int_equal(out, 32 * 103);
                amp__test_null_reset();
                assert_ok(amp_synchronize(v));
                assert_copies(on, 0, 0);
                amp_array_view_release(result);
                break;
            }
            default: /* the end of the last view */
                amp_array_view_release(v);
                assert_copies(on, 0, 1);
            }
            if (i != 2)
                assert_int_equal(data[3][7], 100 + i);
        }
    }
}

static void b11_a_pointer_does_not_synchronise(void **state)
{
    (void)state;
    FOR_EACH_PLACE(on) {
        amp_array_view *v = amp_array_view2(4, 8, &data[0][0]);
        int *p = amp_array_view_map(v, AMP_ACCESS_READ);
        assert_ok(amp_array_view_unmap(v));
        assert_ok(amp_parallel_for_each_on(on, amp_extent1(4), fill, 3, v));
        assert_copies(on, 1, 0);
        assert_int_equal(p[31], on == on_cpu ? 3 : 31);
        assert_copies(on, 0, 0);
        assert_ok(amp_synchronize(v));
        assert_int_equal(p[31], 3);
        amp_array_view_release(v);
    }
}

static void b12_synchronising_for(void **state)
{
    (void)state;
    FOR_EACH_PLACE(on) {
        amp_array_view *v = amp_array_view2(4, 8, &data[0][0]);
        assert_ok(amp_synchronize_to(v, on)); /* ahead of the kernel */
        assert_copies(on, 1, 0);
        assert_ok(amp_parallel_for_each_on(on, amp_extent1(4), fill, 3, v));
        assert_ok(amp_synchronize_for(v, AMP_ACCESS_READ)); /* the other copy stays */
        assert_ok(amp_parallel_for_each_on(on, amp_extent1(4), fill, 4, v));
        assert_copies(on, 0, 1);
        assert_ok(amp_synchronize_for(v, AMP_ACCESS_WRITE)); /* not copied back */
        assert_copies(on, 0, 0);
        memset(data, 0, sizeof data);
        data[3][7] = 5;
        int out = 0;
        amp_array_view *result = amp_array_view1(1, &out);
        amp_discard_data(result);
        assert_ok(amp_parallel_for_each_on(on, amp_extent1(1), sum, v, result));
        assert_copies(on, 1, 0);
        assert_ok(amp_synchronize(result));
        assert_int_equal(out, 5);
        amp__test_null_reset();
        assert_ok(amp_parallel_for_each_on(on, amp_extent1(4), fill, 6, v));
        assert_ok(amp_synchronize_for(v, AMP_ACCESS_READ_WRITE)); /* copied back, and then stale on the device */
        assert_copies(on, 0, 1);
        data[0][0] = 7;
        assert_ok(amp_synchronize_to_for(v, on, AMP_ACCESS_READ_WRITE)); /* copied to the device, and then stale here */
        assert_copies(on, 1, 0);
        assert_ok(amp_synchronize_to_for(v, on, AMP_ACCESS_WRITE));
        assert_copies(on, 0, 0);
        assert_ok(amp_synchronize(v));
        assert_copies(on, 0, 1);
        assert_true(data[0][0] == 7 && data[3][7] == 6);
        amp_array_view_release(result);
        amp_array_view_release(v);
    }
}

static void b13_synchronising_reads_the_view(void **state)
{
    (void)state;
    FOR_EACH_PLACE(on) {
        amp_array_view *v = amp_array_view2(4, 8, &data[0][0]), *part = amp_array_view_section2(v, 1, 1, 1, 1);
        assert_ok(amp_parallel_for_each_on(on, amp_extent1(4), fill, 3, v));
        amp__test_null_reset();
        assert_ok(amp_synchronize(part));
        assert_int_equal(amp__test_null_counts().bytes_out, on == on_cpu ? 0 : sizeof data[0][0]);
        assert_int_equal(data[1][1], 3);
        /* A mapping for reading allows other readers, but no writers. */
        assert_non_null(amp_array_view_map(v, AMP_ACCESS_READ));
        assert_ok(amp_synchronize(part));
        assert_int_equal(amp_synchronize_for(part, AMP_ACCESS_READ_WRITE), AMP_ERROR_BUSY);
        assert_ok(amp_array_view_unmap(v));
        assert_non_null(amp_array_view_map(v, AMP_ACCESS_WRITE));
        assert_int_equal(amp_synchronize(part), AMP_ERROR_BUSY);
        assert_ok(amp_array_view_unmap(v));
        amp_error_clear();
        amp_array_view_release(part);
        amp_array_view_release(v);
    }
}

static void b14_direct_access(void **state)
{
    (void)state;
    FOR_EACH_PLACE(on) {
        amp_array_view *v = amp_array_view2(4, 8, &data[0][0]);
        assert_ok(amp_parallel_for_each_on(on, amp_extent1(4), fill, 3, v));
        assert_ok(amp_synchronize(v));
        assert_copies(on, 1, 1);
        data[3][7] = 4;
        if (on != on_cpu) { /* without refresh the other copy counts as valid */
            int before[4][8];
            amp_array *copy = amp_array_from_view(v, on, AMP_ACCESS_AUTO);
            assert_ok(amp_copy(&before[0][0], copy));
            assert_int_equal(before[3][7], 3);
            amp_array_release(copy);
            amp__test_null_reset();
        }
        assert_ok(amp_refresh(v));
        assert_copies(on, 0, 0);
        assert_ok(amp_parallel_for_each_on(on, amp_extent2(4, 8), add, v, v, v)); /* 3 + 3, doubled */
        assert_copies(on, 1, 0);
        assert_ok(amp_synchronize(v));
        assert_copies(on, 0, 1);
        assert_true(data[3][7] == 16 && data[0][0] == 12);
        amp_array_view_release(v);
    }
}

static void b15_views_of_one_home_alias(void **state)
{
    (void)state;
    FOR_EACH_PLACE(on) {
        amp_array_view *v = amp_array_view2(4, 8, &data[0][0]);
        amp_array_view *upper = amp_array_view_section2(v, 0, 0, 3, 8), *lower = amp_array_view_section2(v, 1, 0, 3, 8);
        /* Row by row: lower += upper sees the new values of the row above. */
        assert_ok(amp_parallel_for_each_on(on, amp_extent2(3, 8), add, upper, lower, lower));
        if (on != on_cpu)
            assert_int_equal(amp__test_null_counts().bytes_in, sizeof data);
        assert_copies(on, 2, 0); /* the first three rows, and the last: none twice */
        int *p = amp_array_view_map(lower, AMP_ACCESS_READ_WRITE);
        assert_copies(on, 0, 1);
        assert_int_equal(p[0], 2 * (8 + 0));
        assert_int_equal(p[8], 2 * (16 + 16));
        p[0] = -1;
        assert_ok(amp_array_view_unmap(lower));
        const int *q = amp_array_view_map(v, AMP_ACCESS_READ);
        assert_int_equal(q[8], -1);
        assert_ok(amp_array_view_unmap(v));
        amp_array_view_release(upper);
        amp_array_view_release(lower);
        amp_array_view_release(v);
    }
}

static void b16_one_home_on_several_accelerators(void **state)
{
    (void)state;
    /* Asynchronous launches on three accelerators, in the order of their submission, whatever queue they are on. */
    amp_accelerator_view *places[] = {on_null, on_cpu, on_other};
    amp_array_view *v = amp_array_view2(4, 8, &data[0][0]), *lower = amp_array_view_section2(v, 2, 0, 2, 8);
    amp_future *futures[12];
    int expected = 1;
    amp_synchronize_for(v, AMP_ACCESS_WRITE);
    assert_ok(amp_parallel_for_each_on(on_cpu, amp_extent1(4), fill, 1, v));
    for (int i = 0; i < 12; i += 2) {
        futures[i] = amp_parallel_for_each_on_async(places[i % 3], amp_extent2(2, 8), add, lower, lower, lower);
        futures[i + 1] = amp_parallel_for_each_on_async(places[(i + 1) % 3], amp_extent1(4), fill, expected = i, v);
    }
    for (int i = 0; i < 12; i++) {
        assert_ok(amp_future_wait(futures[i]));
        amp_future_release(futures[i]);
    }
    assert_ok(amp_synchronize(v));
    for (int i = 0; i < 32; i++)
        assert_int_equal(data[i / 8][i % 8], expected);
    amp_array_view_release(lower);
    amp_array_view_release(v);
}

static pthread_mutex_t data_lock = PTHREAD_MUTEX_INITIALIZER;
static amp_array_view *shared;

static void *increment(void *on)
{
    amp_array_view *row = amp_array_view_project(shared, 1), *one = amp_array_view_reshape(row, amp_extent2(1, 8));
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&data_lock);
        if (amp_parallel_for_each_on(on, amp_extent2(1, 8), add, one, one, one) == AMP_OK) {
            int *p = amp_array_view_map(one, AMP_ACCESS_WRITE); /* quadrupled; and back, plus 1 */
            for (int k = 0; k < 8; k++)
                p[k] = p[k] / 4 + 1;
            amp_array_view_unmap(one);
        }
        pthread_mutex_unlock(&data_lock);
        /* Creating views needs no synchronisation. */
        amp_array_view_release(amp_array_view_section2(shared, 0, 0, 2, 2));
    }
    amp_array_view_release(one);
    amp_array_view_release(row);
    return NULL;
}

static void b17_threads_take_turns(void **state)
{
    (void)state;
    shared = amp_array_view2(4, 8, &data[0][0]);
    pthread_t threads[4];
    amp_accelerator_view *places[] = {on_null, on_other, on_null, on_other};
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, increment, places[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_ok(amp_synchronize(shared));
    assert_int_equal(data[1][0], 8 + 80);
    assert_int_equal(data[0][0], 0);
    amp_array_view_release(shared);
}

static void b18_launches_look_synchronous(void **state)
{
    (void)state;
    amp_array_view *v = amp_array_view2(4, 8, &data[0][0]);
    amp__test_null_late(); /* null begins its work when somebody waits */
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent1(4), fill, 5, v));
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent2(4, 8), add, v, v, v));
    struct amp__null_counts n = amp__test_null_counts();
    assert_true(n.copies_in == 1 && n.launches == 2 && n.waits == 0);
    amp_future *marker = amp_accelerator_view_create_marker(on_null);
    assert_ok(amp_future_wait(marker));
    amp_future_release(marker);
    assert_ok(amp_accelerator_view_wait(on_null));
    assert_ok(amp_synchronize(v));
    n = amp__test_null_counts();
    assert_true(n.copies_out == 1 && data[3][7] == 20);
    assert_ok(amp_parallel_for_each_on(on_null, amp_extent1(4), fill, 6, v));
    assert_ok(amp_synchronize(v)); /* waits by itself */
    assert_int_equal(data[3][7], 6);
    amp_array_view_release(v);
}

static void b19_copies_stay_inside(void **state)
{
    (void)state;
    FOR_EACH_PLACE(on) {
        int guarded[3][8];
        memset(guarded, -1, sizeof guarded);
        amp_array *a = amp_array_from_on(amp_extent1(8), &data[1][0], on, AMP_ACCESS_AUTO);
        assert_ok(amp_copy(&guarded[1][0], a));
        assert_ok(amp_copy(a, &guarded[1][0]));
        assert_copies(on, 2, 1);
        for (int i = 0; i < 24; i++)
            assert_int_equal(guarded[i / 8][i % 8], i / 8 == 1 ? 8 + i % 8 : -1);
        amp_array_view *part = amp_array_section(a, amp_index1(2), amp_extent1(3));
        assert_ok(amp_copy(part, &data[0][0]));
        assert_int_equal(amp__test_null_counts().bytes_in, on == on_cpu ? 0 : 3 * sizeof(int));
        int found[8];
        assert_ok(amp_copy(&found[0], a));
        assert_memory_equal(found, ((int[]){8, 9, 0, 1, 2, 13, 14, 15}), sizeof found);
        amp_array_view_release(part);
        amp_array_release(a);
    }
}

static void b20_pointers_end_with_the_mapping(void **state)
{
    (void)state;
    FOR_EACH_PLACE(on) {
        amp_array *a = amp_array_from_on(amp_extent2(4, 8), &data[0][0], on, AMP_ACCESS_AUTO);
        amp_array_view *v = amp_array_as_view(a), *none = amp_array_view_without_source2(int, 4, 8);
        amp__test_null_reset();
        int *p = amp_array_view_map(v, AMP_ACCESS_READ_WRITE), *q = amp_array_view_map(none, AMP_ACCESS_WRITE);
        assert_copies(on, 0, 1);
        memcpy(q, p, sizeof data);
        p[31] = 1;
        /* Until the mapping ends, nothing else may use the home. */
        assert_int_equal(amp_parallel_for_each_on(on, amp_extent1(4), fill, 2, v), AMP_ERROR_BUSY);
        assert_int_equal(amp_parallel_for_each_on(on, amp_extent1(4), fill, 2, none), AMP_ERROR_BUSY);
        assert_int_equal(amp_copy(none, v), AMP_ERROR_BUSY);
        amp_error_clear();
        assert_ok(amp_array_view_unmap(v));
        assert_ok(amp_array_view_unmap(none));
        assert_ok(amp_parallel_for_each_on(on, amp_extent2(4, 8), add, v, none, none));
        assert_copies(on, 2, 0);
        p = amp_array_view_map(none, AMP_ACCESS_READ);
        assert_int_equal(p[31], 2 * (31 + 1));
        assert_ok(amp_array_view_unmap(none));
        amp_array_view_release(none);
        amp_array_view_release(v);
        amp_array_release(a);
    }
}

/* Storage without a source is allocated where it is first used, and never copied to where it is not needed. */
static void test_storage_without_source(void **state)
{
    (void)state;
    FOR_EACH_PLACE(on) {
        amp_array_view *v = amp_array_view_without_source2(int, 4, 8);
        assert_int_equal(amp__test_null_counts().allocations, 0);
        assert_ok(amp_parallel_for_each_on(on, amp_extent1(4), fill, 3, v));
        assert_ok(amp_parallel_for_each_on(on, amp_extent2(4, 8), add, v, v, v));
        assert_ok(amp_synchronize(v));
        assert_copies(on, 0, 0);
        int out = 0;
        amp_array_view *result = amp_array_view1(1, &out);
        assert_ok(amp_parallel_for_each_on(on_cpu, amp_extent1(1), sum, v, result));
        assert_copies(on, 0, 1);
        assert_int_equal(out, 32 * 12);
        assert_ok(amp_parallel_for_each_on(on, amp_extent1(4), fill, 3, v));
        amp__test_null_reset();
        amp_array_view_release(v); /* copies nothing back */
        assert_copies(on, 0, 0);
        amp_array_view_release(result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(b1_arrays_stay, setup),                       /* row: b1 */
        cmocka_unit_test_setup(b2_host_access, setup),                       /* row: b2 */
        cmocka_unit_test_setup(b3_kernels_use_arrays_in_place, setup),       /* row: b3 */
        cmocka_unit_test_setup(b4_staging_waits_for_transfers, setup),       /* row: b4 */
        cmocka_unit_test_setup(b5_views_share_their_home, setup),            /* row: b5 */
        cmocka_unit_test_setup(b6_views_keep_storage, setup),                /* row: b6 */
        cmocka_unit_test_setup(b7_a_new_view_is_in_sync, setup),             /* row: b7 */
        cmocka_unit_test_setup(b8_copied_in_when_stale, setup),              /* row: b8 */
        cmocka_unit_test_setup(b9_read_write_counts_as_written, setup),      /* row: b9 */
        cmocka_unit_test_setup(b10_the_home_follows_lazily, setup),          /* row: b10, array_view.destructor */
        cmocka_unit_test_setup(b11_a_pointer_does_not_synchronise, setup),   /* row: b11 */
        cmocka_unit_test_setup(b12_synchronising_for, setup),                /* row: b12, array_view.synchronize_to */
        cmocka_unit_test_setup(b13_synchronising_reads_the_view, setup),     /* row: b13, array_view.synchronize */
        cmocka_unit_test_setup(b14_direct_access, setup),                    /* row: b14, array_view.refresh */
        cmocka_unit_test_setup(b15_views_of_one_home_alias, setup),          /* row: b15 */
        cmocka_unit_test_setup(b16_one_home_on_several_accelerators, setup), /* row: b16 */
        cmocka_unit_test_setup(b17_threads_take_turns, setup),               /* row: b17 */
        cmocka_unit_test_setup(b18_launches_look_synchronous, setup),        /* row: b18 */
        cmocka_unit_test_setup(b19_copies_stay_inside, setup),               /* row: b19 */
        cmocka_unit_test_setup(b20_pointers_end_with_the_mapping, setup),    /* row: b20 */
        cmocka_unit_test_setup(test_storage_without_source, setup),          /* row: array_view.no_source */
    };
    return cmocka_run_group_tests(tests, setup_devices, teardown_devices);
}
