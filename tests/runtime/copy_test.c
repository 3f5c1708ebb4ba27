/* SPDX-License-Identifier: MIT
 * Copies: every kind of destination with every kind of source, their elements, what lies around them, and exactly how
 * many copies of devices it took; at once and asynchronously. Then overlaps and errors. */
#include "kernels.h"

static amp_accelerator_view *on_null, *on_null_1, *on_cpu;

static int setup_devices(void **state)
{
    (void)state;
    amp__test_null_devices(2);
    amp__test_restart();
    on_null = amp_accelerator_default_view(amp_accelerator_find("null"));
    on_null_1 = amp_accelerator_default_view(amp_accelerator_find("null:1"));
    on_cpu = amp_accelerator_default_view(amp_accelerator_find("cpu"));
    return on_null_1 ? 0 : -1;
}

static int teardown_devices(void **state)
{
    (void)state;
    amp__test_null_devices(1);
    amp__test_restart();
    return 0;
}

static int setup(void **state)
{
    (void)state;
    amp_error_clear();
    amp__test_null_reset();
    return 0;
}

enum { ROWS = 3, COLUMNS = 4, HOME_ROWS = 5, HOME_COLUMNS = 6, N = ROWS * COLUMNS };

/* The kinds of side. */
enum kind {
    MEMORY,
    VIEW,         /* over host memory */
    STRIDED_VIEW, /* a section of one, whose rows lie apart */
    ARRAY,        /* on cpu */
    STAGING,
    DEVICE,         /* an array on null */
    DEVICE_ROWS,    /* a section of whole rows of one */
    DEVICE_STRIDED, /* a section whose rows lie apart */
    OTHER_DEVICE,   /* an array on null:1 */
    OWNED_VIEW,     /* over host memory, but null has the only valid copy */
    OWNED_STRIDED,  /* a section of one, whose rows lie apart */
    NO_SOURCE,      /* a view that was never used */
    N_KINDS
};

static const char *const names[] = {"memory", "view",        "strided view",   "array",        "staging",  "device",
                                    "rows",   "device part", "another device", "a view owned", "its part", "no source"};

struct side {
    enum kind kind;
    int memory[HOME_ROWS * HOME_COLUMNS]; /* of the home, if it is the host's */
    amp_array *array;
    amp_array_view *all, *view; /* `view`: what is copied, if it is no array */
    int rows, columns;          /* of the home */
    int row, column;            /* of what is copied */
};

/* A side with elements base, base + 1... over the home. */
static void make(struct side *s, enum kind kind, int base)
{
    *s = (struct side){.kind = kind, .rows = ROWS, .columns = COLUMNS};
    if (kind == STRIDED_VIEW || kind == DEVICE_STRIDED || kind == OWNED_STRIDED)
        *s = (struct side){.kind = kind, .rows = HOME_ROWS, .columns = HOME_COLUMNS, .row = 1, .column = 2};
    if (kind == DEVICE_ROWS)
        *s = (struct side){.kind = kind, .rows = HOME_ROWS, .columns = COLUMNS, .row = 1};
    amp_extent home = amp_extent2(s->rows, s->columns);
    for (int i = 0; i < s->rows * s->columns; i++)
        s->memory[i] = base + i;
    switch (kind) {
    case MEMORY:
        break;
    case VIEW:
    case STRIDED_VIEW:
    case OWNED_VIEW:
    case OWNED_STRIDED:
        s->all = amp_array_view_n(home, s->memory);
        if (kind == OWNED_VIEW || kind == OWNED_STRIDED)
            assert_ok(amp_synchronize_to_for(s->all, on_null, AMP_ACCESS_READ_WRITE));
        break;
    case NO_SOURCE:
        s->all = amp_array_view_without_source_n(int, home);
        break;
    case STAGING:
        s->array = amp_array_staging_from(home, s->memory, on_cpu, on_null);
        break;
    default:
        s->array = amp_array_from_on(home, s->memory,
                                     kind == ARRAY          ? on_cpu
                                     : kind == OTHER_DEVICE ? on_null_1
                                                            : on_null,
                                     AMP_ACCESS_AUTO);
        s->all = amp_array_as_view(s->array);
    }
    if (kind == STRIDED_VIEW || kind == DEVICE_STRIDED || kind == OWNED_STRIDED || kind == DEVICE_ROWS)
        s->view = amp_array_view_section2(s->all, s->row, s->column, ROWS, COLUMNS);
}

static amp_operand operand(struct side *s)
{
    if (s->kind == MEMORY)
        return AMP__OPERAND(s->memory);
    if (s->view)
        return AMP__OPERAND(s->view);
    return s->array ? AMP__OPERAND(s->array) : AMP__OPERAND(s->all);
}

/* Fails unless the copied part of the home has the elements `copied`, and the rest base, base + 1... */
static void assert_home(struct side *s, int base, const int *copied)
{
    int found[HOME_ROWS * HOME_COLUMNS];
    if (s->kind == MEMORY)
        memcpy(found, s->memory, sizeof found);
    else if (s->array)
        assert_ok(amp_copy(&found[0], s->array));
    else
        assert_ok(amp_copy(&found[0], s->all));
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; j < s->columns; j++) {
            int r = i - s->row, c = j - s->column, expected = base + i * s->columns + j;
            if (copied && r >= 0 && r < ROWS && c >= 0 && c < COLUMNS)
                expected = copied[r * COLUMNS + c];
            assert_int_equal(found[i * s->columns + j], expected);
        }
}

static void assert_copied(struct side *to, struct side *from)
{
    int copied[N];
    for (int i = 0; i < N; i++)
        copied[i] = 1000 + (i / COLUMNS + from->row) * from->columns + i % COLUMNS + from->column;
    assert_home(to, 100, copied);
    assert_home(from, 1000, NULL);
}

static void drop(struct side *s)
{
    amp_array_view_release(s->view);
    amp_array_view_release(s->all);
    amp_array_release(s->array);
}

/* Copies in, out and across for each destination and source; NONE: not tried. */
struct counts {
    int in, out, across;
};
#define NONE {-1, 0, 0}
#define FREE {0, 0, 0}
#define IN {1, 0, 0}
#define OUT {0, 1, 0}
#define ACROSS {0, 0, 1}
#define OUT_IN                                                                                                         \
    {                                                                                                                  \
        1, 1, 0                                                                                                        \
    }
#define OUT_OUT_IN {1, 2, 0}
static const struct counts expected[N_KINDS][N_KINDS] = {
    /* memory, view, strided view, array, staging; device, rows, strided; another device; owned view, a part
     * of one; no source */
    [MEMORY] = {NONE, FREE, FREE, FREE, FREE, OUT, OUT, OUT, OUT, OUT, OUT, FREE},
    [VIEW] = {FREE, FREE, FREE, FREE, FREE, OUT, OUT, OUT, OUT, OUT, OUT, FREE},
    [STRIDED_VIEW] = {FREE, FREE, FREE, FREE, FREE, OUT, OUT, OUT, OUT, OUT, OUT, FREE},
    [ARRAY] = {FREE, FREE, FREE, FREE, FREE, OUT, OUT, OUT, OUT, OUT, OUT, FREE},
    [STAGING] = {FREE, FREE, FREE, FREE, FREE, OUT, OUT, OUT, OUT, OUT, OUT, FREE},
    [DEVICE] = {IN, IN, IN, IN, IN, ACROSS, ACROSS, OUT_IN, OUT_IN, ACROSS, OUT_IN, FREE},
    [DEVICE_ROWS] = {IN, IN, IN, IN, IN, ACROSS, ACROSS, OUT_IN, OUT_IN, ACROSS, OUT_IN, FREE},
    [DEVICE_STRIDED] = {OUT_IN, OUT_IN, OUT_IN, OUT_IN, OUT_IN, OUT_OUT_IN, OUT_OUT_IN, OUT_OUT_IN, OUT_OUT_IN,
                        OUT_OUT_IN, OUT_OUT_IN, FREE},
    [OTHER_DEVICE] = {IN, IN, IN, IN, IN, OUT_IN, OUT_IN, OUT_IN, ACROSS, OUT_IN, OUT_IN, FREE},
    [OWNED_VIEW] = {FREE, FREE, FREE, FREE, FREE, ACROSS, ACROSS, OUT, OUT, ACROSS, OUT, FREE},
    /* the rest of its home stays on the device */
    [OWNED_STRIDED] = {FREE, FREE, FREE, FREE, FREE, OUT, OUT, OUT, OUT, OUT, OUT, FREE},
    [NO_SOURCE] = {FREE, FREE, FREE, FREE, FREE, ACROSS, ACROSS, OUT, ACROSS, ACROSS, OUT, FREE},
};

static amp_status copy_later(amp_operand to, amp_operand from)
{
    amp_future *future = amp_copy_operands_async(to, from);
    amp_status status = amp_future_wait(future);
    amp_future_release(future);
    return status;
}

static void try_all(amp_status (*copy)(amp_operand, amp_operand), bool is_late)
{
    for (int t = 0; t < N_KINDS; t++)
        for (int f = 0; f < N_KINDS; f++) {
            const struct counts *c = &expected[t][f];
            if (c->in < 0)
                continue;
            struct side to, from;
            make(&to, (enum kind)t, 100);
            make(&from, (enum kind)f, 1000);
            amp__test_null_reset();
            if (is_late)
                amp__test_null_late();
            assert_ok(copy(operand(&to), operand(&from)));
            struct amp__null_counts n = amp__test_null_counts();
            if (n.copies_in != c->in || n.copies_out != c->out || n.copies_across != c->across)
                print_error("to %s from %s: %d in, %d out, %d across\n", names[t], names[f], n.copies_in, n.copies_out,
                            n.copies_across);
            assert_int_equal(n.copies_in, c->in);
            assert_int_equal(n.copies_out, c->out);
            assert_int_equal(n.copies_across, c->across);
            if (f != NO_SOURCE) /* whose elements are undefined */
                assert_copied(&to, &from);
            drop(&to);
            drop(&from);
        }
}

/* row: copy.containers, copy.iterator, copy.out, array.copy_to, array_view.copy_to, b19 */
static void test_all_kinds(void **state)
{
    (void)state;
    try_all(amp_copy_operands, false);
}

/* The same on a device that begins its work only when it must. */
static void test_all_kinds_on_a_late_device(void **state)
{
    (void)state;
    try_all(amp_copy_operands, true);
    try_all(copy_later, true);
}

/* row: copy.containers */
static void test_all_kinds_later(void **state)
{
    (void)state;
    try_all(copy_later, false);
}

/* row: copy.range, array.to_vector */
static void test_counted_memory(void **state)
{
    (void)state;
    int data[6] = {1, 2, 3, 4, 5, 6}, found[6] = {0};
    const int *constant = data;
    amp_array *a = amp_array_on(int, amp_extent2(2, 3), on_null, AMP_ACCESS_AUTO);
    assert_ok(amp_copy_from(a, constant, 6));
    assert_ok(amp_copy_to(found, a, 6));
    assert_memory_equal(found, data, sizeof data);
    static const int64_t wrong[] = {5, 7, 0, -6, INT64_MAX};
    for (int i = 0; i < 5; i++) {
        char text[120];
        snprintf(text, sizeof text, "amp_copy: the host memory has %lld elements, but 6 (2x3) are copied",
                 (long long)wrong[i]);
        assert_error(amp_copy_from(a, data, wrong[i]), AMP_ERROR_SHAPE, text);
        assert_error(amp_copy_to(found, a, wrong[i]), AMP_ERROR_SHAPE, text);
        assert_null(amp_copy_from_async(a, data, wrong[i]));
        assert_int_equal(amp_error_status(), AMP_ERROR_SHAPE);
        amp_error_clear();
    }
    amp_array_view *v = amp_array_view1(6, data);
    assert_error(amp_copy_from(a, v, 6), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_copy: the source is an amp_array_view *; a number of elements is for host memory");
    memset(found, 0, sizeof found);
    amp_future *future = amp_copy_to_async(found, v, 6);
    assert_ok(amp_future_wait(future));
    amp_future_release(future);
    assert_int_equal(found[5], 6);
    /* Of unknown type. */
    memset(found, 0, sizeof found);
    assert_ok(amp_copy((void *)found, a));
    assert_ok(amp_copy(a, (const void *)found));
    assert_int_equal(found[5], 6);
    amp_array_view_release(v);
    amp_array_release(a);
}

static void test_errors(void **state)
{
    (void)state;
    int data[12] = {0};
    float floats[12];
    struct pair pairs[2];
    struct record records[2];
    amp_array_view *v = amp_array_view2(3, 4, data), *w = amp_array_view1(12, data), *n = amp_array_view2(4, 3, data);
    amp_array_view *f = amp_array_view2(3, 4, floats), *r = amp_array_view_read_only(v);
    amp_array_view *p = amp_array_view1(2, pairs), *q = amp_array_view1(2, records), *none = NULL;
    amp_array *a = amp_array2(int, 3, 4);
    assert_error(amp_copy(v, w), AMP_ERROR_RANK,
                 "amp_copy: the source has rank 1 (12), but the destination has rank 2 (3x4)");
    assert_error(amp_copy(a, n), AMP_ERROR_SHAPE, "amp_copy: the source is 4x3, but the destination is 3x4");
    assert_error(amp_copy(a, f), AMP_ERROR_TYPE,
                 "amp_copy: the source has elements of type float, but the destination of type int");
    assert_error(amp_copy(a, floats), AMP_ERROR_TYPE,
                 "amp_copy: the source has elements of type float, but the destination of type int");
    assert_error(amp_copy(&data[0], f), AMP_ERROR_TYPE,
                 "amp_copy: the source has elements of type float, but the destination of type int");
    assert_error(amp_copy(p, q), AMP_ERROR_TYPE,
                 "amp_copy: the source has elements of 64 bytes, but the destination of 16");
    assert_error(amp_copy(r, a), AMP_ERROR_READ_ONLY, "amp_copy: the destination is a read-only view");
    assert_ok(amp_copy(a, r));
    assert_error(amp_copy(&data[0], &data[6]), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_copy: both sides are host memory; use memcpy");
    assert_error(amp_copy(none, a), AMP_ERROR_NULL, "amp_copy: the destination is NULL");
    assert_error(amp_copy(a, (int *)NULL), AMP_ERROR_NULL, "amp_copy: the source is NULL");
    assert_error(amp_copy(a, (amp_array *)(void *)v), AMP_ERROR_INVALID_ARGUMENT,
                 "amp_copy: the handle is a view, where an array is expected");
    assert_error(amp_copy_operands(AMP__OPERAND(a), (amp_operand){AMP_TYPE_F32, AMP_TYPE_F32, 4, 1, floats}),
                 AMP_ERROR_TYPE, "amp_copy: the source is of type float; it must be an array, a view, or host memory");
    assert_non_null(amp_array_view_map(v, AMP_ACCESS_READ));
    assert_ok(amp_copy(a, v));
    assert_error(amp_copy(v, a), AMP_ERROR_BUSY, "amp_copy: the view, or another one of its home, is mapped");
    assert_null(amp_copy_async(v, a));
    assert_error(amp_error_status(), AMP_ERROR_BUSY, "amp_copy_async: the view, or another one of its home, is mapped");
    assert_ok(amp_array_view_unmap(v));
    assert_non_null(amp_array_view_map(v, AMP_ACCESS_WRITE));
    assert_error(amp_copy(a, v), AMP_ERROR_BUSY, "amp_copy: the view, or another one of its home, is mapped");
    assert_ok(amp_array_view_unmap(v));
    amp_array_view *views[] = {v, w, n, f, r, p, q};
    for (int i = 0; i < 7; i++)
        amp_array_view_release(views[i]);
    amp_array_release(a);
}

/* With one home on both sides, a copy works as if through other memory. */
static void test_overlaps(void **state)
{
    (void)state;
    for (int where = 0; where < 2; where++) {
        int data[5][6], before[5][6];
        for (int i = 0; i < 30; i++)
            data[i / 6][i % 6] = before[i / 6][i % 6] = i;
        amp_array *a = amp_array_from_on(amp_extent2(5, 6), &data[0][0], where ? on_null : on_cpu, AMP_ACCESS_AUTO);
        static const int from[][4] = {{0, 0, 3, 4}, {0, 0, 3, 6}, {1, 1, 3, 4}, {0, 0, 2, 6}, {2, 2, 3, 4}};
        static const int to[][4] = {{1, 1, 3, 4}, {1, 0, 3, 6}, {0, 0, 3, 4}, {3, 0, 2, 6}, {2, 2, 3, 4}};
        static const struct counts moved[] = {OUT_OUT_IN, OUT_IN, OUT_OUT_IN, ACROSS, FREE};
        for (int i = 0; i < 5; i++) {
            const int *f = from[i], *t = to[i];
            amp_array_view *source = amp_array_section(a, amp_index2(f[0], f[1]), amp_extent2(f[2], f[3]));
            amp_array_view *destination = amp_array_section(a, amp_index2(t[0], t[1]), amp_extent2(t[2], t[3]));
            amp__test_null_reset();
            assert_ok(amp_copy(destination, source));
            struct amp__null_counts n = amp__test_null_counts();
            assert_int_equal(n.copies_in, where * moved[i].in);
            assert_int_equal(n.copies_out, where * moved[i].out);
            assert_int_equal(n.copies_across, where * moved[i].across);
            for (int r = 0; r < f[2]; r++)
                for (int c = 0; c < f[3]; c++)
                    data[t[0] + r][t[1] + c] = before[f[0] + r][f[1] + c];
            int found[5][6];
            assert_ok(amp_copy(&found[0][0], a));
            assert_memory_equal(found, data, sizeof data);
            memcpy(before, data, sizeof data);
            amp_array_view_release(source);
            amp_array_view_release(destination);
        }
        amp_array_release(a);
    }
    /* Host memory that is a view's own. */
    int line[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    amp_array_view *v = amp_array_view1(8, line), *s = amp_array_view_section1(v, 2, 6);
    assert_ok(amp_copy(s, &line[0]));
    assert_memory_equal(line, ((int[]){0, 1, 0, 1, 2, 3, 4, 5}), sizeof line);
    assert_ok(amp_copy(v, &line[0]));
    assert_memory_equal(line, ((int[]){0, 1, 0, 1, 2, 3, 4, 5}), sizeof line);
    amp_array_view_release(s);
    amp_array_view_release(v);
}

/* Each call of a device fails once: the cause is reported, the source is unchanged, and nothing is lost. */
static void test_device_failures(void **state)
{
    (void)state;
    for (int later = 0; later < 2; later++)
        for (int t = 0; t < N_KINDS; t++)
            for (int f = 0; f < NO_SOURCE; f++) {
                const struct counts *c = &expected[t][f];
                int n_calls = c->in + c->out + c->across;
                for (int k = 1; k <= n_calls; k++) {
                    struct side to, from;
                    make(&to, (enum kind)t, 100);
                    make(&from, (enum kind)f, 1000);
                    amp__test_null_fail(k);
                    amp_status status = (later ? copy_later : amp_copy_operands)(operand(&to), operand(&from));
                    assert_int_equal(status, AMP_ERROR_DEVICE);
                    assert_non_null(strstr(amp_error_text(), "failed, as a test asked for"));
                    amp_error_clear();
                    amp__test_null_reset();
                    assert_ok(amp_copy_operands(operand(&to), operand(&from))); /* works again */
                    assert_copied(&to, &from);
                    drop(&to);
                    drop(&from);
                }
            }
}

/* A partly written copy is not trusted if there is another valid one. */
static void test_states_after_a_failure(void **state)
{
    (void)state;
    int data[12] = {0}, out[12];
    amp_array *a = amp_array_from_on(amp_extent1(12), data, on_null, AMP_ACCESS_AUTO);
    amp_array_view *v = amp_array_as_view(a);
    assert_ok(amp_synchronize_to(v, on_cpu)); /* the host has it, too */
    struct amp__home *home = v->home;
    amp__test_null_fail(1);
    assert_int_equal(amp_copy_from(a, out, 12), AMP_ERROR_DEVICE);
    amp_error_clear();
    assert_int_equal(amp__home_state(home, AMP__HOST), AMP__OWNER);
    assert_int_equal(amp__home_state(home, on_null->accelerator->location), AMP__INVALID);
    amp_array_view_release(v);
    amp_array_release(a);
}

/* Another queue's pending work on the destination comes first. */
static void test_destination_in_use_by_another_queue(void **state)
{
    (void)state;
    int data[4][3], found[4][3];
    for (int i = 0; i < 12; i++)
        data[i / 3][i % 3] = i;
    amp_accelerator_view *other = amp_accelerator_create_view(amp_accelerator_find("null"), AMP_QUEUING_MODE_AUTOMATIC);
    amp_array *a = amp_array_on(int, amp_extent2(4, 3), on_null, AMP_ACCESS_AUTO);
    amp_array_view *v = amp_array_as_view(a);
    amp__test_null_late();
    assert_ok(amp_parallel_for_each_on(other, amp_extent1(4), fill, 7, v));
    assert_ok(amp_copy(a, &data[0][0]));
    assert_ok(amp_accelerator_view_wait(other));
    assert_ok(amp_copy(&found[0][0], a));
    assert_memory_equal(found, data, sizeof data);
    amp_array_view_release(v);
    amp_array_release(a);
    amp_accelerator_view_release(other);
}

/* Each allocation fails once, including those of futures. */
static void test_out_of_memory(void **state)
{
    (void)state;
    int n_failed = 0;
    for (int later = 0; later < 2; later++)
        for (int t = 0; t < N_KINDS; t++)
            for (int f = 0; f < NO_SOURCE; f++) {
                if (expected[t][f].in < 0)
                    continue;
                for (int k = 1, n = k; n >= k; k++) {
                    struct side to, from;
                    make(&to, (enum kind)t, 100);
                    make(&from, (enum kind)f, 1000);
                    amp__test_fail_allocation(k);
                    amp_status status = (later ? copy_later : amp_copy_operands)(operand(&to), operand(&from));
                    n = amp__test_fail_allocation(0);
                    if (status != AMP_OK) { /* some allocations are optional */
                        assert_true(n >= k);
                        assert_int_equal(amp_error_status(), AMP_ERROR_OUT_OF_MEMORY);
                        assert_non_null(strstr(amp_error_text(), "no memory for "));
                        amp_error_clear();
                        n_failed++;
                        assert_ok(amp_copy_operands(operand(&to), operand(&from)));
                    }
                    assert_copied(&to, &from);
                    drop(&to);
                    drop(&from);
                }
            }
    assert_true(n_failed > 100);
}

/* Both sides may be released before the copy has run. */
static void test_released_meanwhile(void **state)
{
    (void)state;
    int data[12], found[12] = {0};
    for (int i = 0; i < 12; i++)
        data[i] = i;
    amp_array *a = amp_array_from_on(amp_extent1(12), data, on_null, AMP_ACCESS_AUTO);
    amp_array_view *v = amp_array_as_view(a), *s = amp_array_view_section1(v, 0, 12);
    amp_future *future = amp_copy_async(&found[0], s);
    amp_array_view_release(s);
    amp_array_view_release(v);
    amp_array_release(a); /* waits */
    assert_ok(amp_future_wait(future));
    assert_int_equal(found[11], 11);
    amp_future_release(future);
}

/* The future of a copy that uses a queue other than its own also waits for the device's work there. */
static void test_future_is_ready_when_the_device_is(void **state)
{
    (void)state;
    int data[12] = {1, 2, 3}, found[12] = {0};
    for (int fails = 0; fails < 2; fails++) {
        amp_array_view *from = amp_array_view1(12, data), *to = amp_array_view1(12, found);
        assert_ok(amp_synchronize_to_for(from, on_null, AMP_ACCESS_READ_WRITE));
        assert_ok(amp_synchronize_to_for(to, on_null, AMP_ACCESS_READ_WRITE));
        amp__test_null_reset();
        amp__test_null_late();
        if (fails)
            amp__test_null_fail(2); /* the copy, its end */
        amp_future *future = amp_copy_async(to, from);
        if (fails)
            assert_error(amp_future_wait(future), AMP_ERROR_DEVICE, "null: a wait failed, as a test asked for");
        else
            assert_ok(amp_future_wait(future));
        assert_int_equal(amp__test_null_counts().copies_across, 1);
        assert_int_equal(amp__test_null_counts().waits, 1);
        amp_future_release(future);
        amp__test_null_reset();
        amp_array_view_release(to);
        amp_array_view_release(from);
    }
    assert_memory_equal(found, data, sizeof data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_all_kinds, setup),
        cmocka_unit_test_setup(test_all_kinds_later, setup),
        cmocka_unit_test_setup(test_all_kinds_on_a_late_device, setup),
        cmocka_unit_test_setup(test_counted_memory, setup),
        cmocka_unit_test_setup(test_errors, setup),
        cmocka_unit_test_setup(test_overlaps, setup),
        cmocka_unit_test_setup(test_device_failures, setup),
        cmocka_unit_test_setup(test_states_after_a_failure, setup),
        cmocka_unit_test_setup(test_destination_in_use_by_another_queue, setup),
        cmocka_unit_test_setup(test_out_of_memory, setup),
        cmocka_unit_test_setup(test_released_meanwhile, setup),
        cmocka_unit_test_setup(test_future_is_ready_when_the_device_is, setup),
    };
    return cmocka_run_group_tests(tests, setup_devices, teardown_devices);
}
