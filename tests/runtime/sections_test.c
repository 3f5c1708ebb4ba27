/* SPDX-License-Identifier: MIT
 * Data moves in parts: how many bytes two devices and the host exchange when they work on sections of one home. Random
 * sequences of operations on sections must also give the same contents as plain memory, at each place. */
#include "kernels.h"

#include <limits.h>

static amp_accelerator_view *on[3]; /* cpu, null, null:1 */
#define on_cpu    on[0]
#define on_null   on[1]
#define on_null_1 on[2]

enum { ROWS = 8, COLUMNS = 16, ROW = COLUMNS * sizeof(int) };
static int data[ROWS][COLUMNS];
static amp_array_view *view, *upper, *lower, *left; /* over `data`; halves of it */

static int setup_devices(void **state)
{
    (void)state;
    amp__test_null_devices(2);
    amp__test_restart();
    static const char *const paths[] = {"cpu", "null", "null:1"};
    for (int i = 0; i < 3; i++)
        on[i] = amp_accelerator_default_view(amp_accelerator_find(paths[i]));
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
    for (int i = 0; i < ROWS * COLUMNS; i++)
        data[i / COLUMNS][i % COLUMNS] = i;
    view = amp_array_view2(ROWS, COLUMNS, &data[0][0]);
    upper = amp_array_view_section2(view, 0, 0, ROWS / 2, COLUMNS);
    lower = amp_array_view_section2(view, ROWS / 2, 0, ROWS / 2, COLUMNS);
    left = amp_array_view_section2(view, 0, 0, ROWS, COLUMNS / 2);
    amp_error_clear();
    amp__test_null_reset();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    amp_array_view *views[] = {view, upper, lower, left};
    for (int i = 0; i < 4; i++)
        amp_array_view_release(views[i]);
    amp__test_null_reset();
    return 0;
}

static void fill_on(amp_accelerator_view *where, amp_array_view *section, int value)
{
    assert_ok(
        amp_parallel_for_each_on(where, amp_extent1(amp_array_view_extent(section).dim[0]), fill, value, section));
}

/* Bytes since the last call. */
static void assert_bytes(size_t in, size_t out)
{
    struct amp__null_counts n = amp__test_null_counts();
    assert_int_equal(n.bytes_in, in);
    assert_int_equal(n.bytes_out, out);
    assert_int_equal(n.bytes_across, 0);
    amp__test_null_reset();
}

static void assert_rows(int begin, int end, int value)
{
    for (int i = begin * COLUMNS; i < end * COLUMNS; i++)
        assert_int_equal(data[i / COLUMNS][i % COLUMNS], value);
}

/* Two devices write half of an array each: each half goes to its device and back. */
static void test_halves_on_two_devices(void **state)
{
    (void)state;
    const size_t half = sizeof data / 2;
    fill_on(on_null, upper, 1);
    assert_bytes(half, 0);
    fill_on(on_null_1, lower, 2);
    assert_bytes(half, 0);
    for (int i = 0; i < 3; i++) { /* each has its own from now on */
        fill_on(on_null, upper, 3 + i);
        fill_on(on_null_1, lower, 6 + i);
    }
    assert_bytes(0, 0);
    assert_ok(amp_synchronize(view));
    assert_bytes(0, 2 * half);
    assert_rows(0, ROWS / 2, 5);
    assert_rows(ROWS / 2, ROWS, 8);
    /* Each then takes the other half, which comes from the host: the synchronization has left it there. */
    fill_on(on_null, lower, 9);
    assert_bytes(half, 0);
    fill_on(on_null_1, upper, 10);
    assert_bytes(half, 0);
    fill_on(on_null, upper, 11);
    assert_bytes(half, half);
    assert_ok(amp_synchronize(view));
    assert_bytes(0, 2 * half);
    assert_rows(0, ROWS / 2, 11);
    assert_rows(ROWS / 2, ROWS, 9);
}

static void test_halves_of_an_array(void **state)
{
    (void)state;
    amp_array *array = amp_array_from_on(amp_extent2(ROWS, COLUMNS), &data[0][0], on_null, AMP_ACCESS_AUTO);
    amp_array_view *half[2] = {amp_array_section(array, amp_index2(0, 0), amp_extent2(ROWS / 2, COLUMNS)),
                               amp_array_section(array, amp_index2(ROWS / 2, 0), amp_extent2(ROWS / 2, COLUMNS))};
    amp__test_null_reset();
    fill_on(on_null, half[0], 1);
    assert_bytes(0, 0);
    fill_on(on_null_1, half[1], 2);
    assert_bytes(sizeof data / 2, sizeof data / 2);
    fill_on(on_null, half[0], 3);
    fill_on(on_null_1, half[1], 4);
    assert_bytes(0, 0);
    assert_ok(amp_copy(&data[0][0], array));
    assert_rows(0, ROWS / 2, 3);
    assert_rows(ROWS / 2, ROWS, 4);
    assert_bytes(0, sizeof data);
    amp_array_view_release(half[0]);
    amp_array_view_release(half[1]);
    amp_array_release(array);
}

/* If the host reads a section, only that section is copied. */
static void test_reading_a_section_back(void **state)
{
    (void)state;
    fill_on(on_null, view, 1);
    amp__test_null_reset();
    amp_array_view *row = amp_array_view_section2(view, 3, 0, 1, COLUMNS);
    assert_ok(amp_synchronize(row));
    assert_bytes(0, ROW);
    assert_rows(3, 4, 1);
    assert_int_equal(data[2][0], 2 * COLUMNS);
    assert_ok(amp_synchronize(row));
    assert_bytes(0, 0);
    amp_array_view *column = amp_array_view_section2(view, 0, 5, ROWS, 1);
    assert_ok(amp_synchronize(column)); /* except the element that the host already has */
    assert_bytes(0, (ROWS - 1) * sizeof(int));
    for (int i = 0; i < ROWS; i++)
        assert_true(data[i][5] == 1 && data[i][6] == (i == 3 ? 1 : i * COLUMNS + 6));
    const int *p = amp_array_view_map(upper, AMP_ACCESS_READ);
    assert_bytes(0, sizeof data / 2 - ROW - (ROWS / 2 - 1) * sizeof(int));
    assert_true(p && p[0] == 1);
    assert_ok(amp_array_view_unmap(upper));
    int corner[2][2];
    amp_array_view *c = amp_array_view_section2(view, 6, 14, 2, 2);
    assert_ok(amp_synchronize(c));
    assert_bytes(0, sizeof corner);
    assert_ok(amp_synchronize(view));
    assert_bytes(0, sizeof data / 2 - ROWS / 2 * sizeof(int) - sizeof corner);
    assert_rows(0, ROWS, 1);
    amp_array_view_release(row);
    amp_array_view_release(column);
    amp_array_view_release(c);
}

/* A launch on a section leaves the rest where it was, wherever that is. */
static void test_launch_on_a_section(void **state)
{
    (void)state;
    fill_on(on_null, lower, 1);
    assert_bytes(sizeof data / 2, 0);
    fill_on(on_cpu, upper, 2);
    assert_bytes(0, 0);
    assert_rows(0, ROWS / 2, 2);
    assert_ok(amp_synchronize(upper));
    assert_bytes(0, 0);
    /* A section whose rows lie apart is packed on the host, whichever device has it; after it is written, the host owns
     * it. */
    fill_on(on_null, left, 3);
    assert_bytes(sizeof data / 2, sizeof data / 2 + sizeof data / 4);
    assert_ok(amp_synchronize(view));
    assert_bytes(0, sizeof data / 4);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        assert_int_equal(data[i / COLUMNS][i % COLUMNS], i % COLUMNS < COLUMNS / 2 ? 3
                                                         : i / COLUMNS < ROWS / 2  ? 2
                                                                                   : 1);
}

/* After a failed launch, only the section that it may have spoiled is not trusted, if there is another valid copy. */
static void test_failed_launch_on_a_section(void **state)
{
    (void)state;
    assert_ok(amp_synchronize_to(view, on_null));
    amp__test_null_reset();
    amp__test_null_fail(1);
    assert_int_equal(amp_parallel_for_each_on(on_null, amp_extent1(ROWS / 2), fill, 1, upper), AMP_ERROR_DEVICE);
    amp_error_clear();
    assert_ok(amp_synchronize_to(view, on_null));
    assert_bytes(sizeof data / 2, 0);
    /* Without memory for the list of parts, a location that has all of the home owns all of it. */
    amp_array_view *third = amp_array_view_section2(view, 3, 0, 1, COLUMNS);
    amp_array_view *sixth = amp_array_view_section2(view, 6, 0, 1, COLUMNS);
    fill_on(on_null, third, 2);
    amp__test_fail_allocation(1);
    fill_on(on_null, sixth, 1);
    amp__test_fail_allocation(0);
    assert_ok(amp_synchronize(view));
    assert_bytes(0, sizeof data);
    assert_rows(3, 4, 2);
    assert_rows(6, 7, 1);
    assert_int_equal(data[5][0], 5 * COLUMNS);
    /* Otherwise what it wrote is lost. */
    int row[COLUMNS] = {0};
    fill_on(on_null, view, 7);
    assert_ok(amp_copy(third, &row[0])); /* on the host, which has only this row */
    amp__test_null_reset();
    amp__test_fail_allocation(1);
    assert_error(amp_copy(sixth, &row[0]), AMP_ERROR_OUT_OF_MEMORY,
                 "no memory for the list of where a view's sections are valid");
    amp__test_fail_allocation(0);
    assert_ok(amp_synchronize(view));
    assert_bytes(0, sizeof data - ROW);
    assert_rows(3, 4, 0);
    assert_rows(4, ROWS, 7);
    amp_array_view_release(third);
    amp_array_view_release(sixth);
}

static void test_copies_of_sections(void **state)
{
    (void)state;
    int row[COLUMNS] = {0};
    fill_on(on_null, view, 1);
    amp__test_null_reset();
    amp_array_view *third = amp_array_view_project(view, 3), *fourth = amp_array_view_project(view, 4);
    assert_ok(amp_copy(third, &row[0])); /* the host has it; the rest is unchanged */
    assert_bytes(0, 0);
    fill_on(on_null, view, 2);
    assert_bytes(ROW, 0);
    assert_ok(amp_copy(&row[0], third));
    assert_bytes(0, ROW);
    assert_int_equal(row[COLUMNS - 1], 2);
    assert_ok(amp_refresh(fourth)); /* as it is on the host */
    fill_on(on_null, upper, 4);
    assert_ok(amp_synchronize(view));
    assert_bytes(0, sizeof data - ROW);
    assert_rows(0, 4, 4);
    assert_true(data[4][0] == 4 * COLUMNS && data[4][COLUMNS - 1] == 5 * COLUMNS - 1);
    assert_rows(5, ROWS, 2);
    amp_array_view_release(third);
    amp_array_view_release(fourth);
}

/* A home in very many parts is brought to one place, and is one part again; nothing is lost. */
static void test_many_parts(void **state)
{
    (void)state;
    enum { N = 400 };
    int *line = malloc(N * sizeof *line);
    for (int i = 0; i < N; i++)
        line[i] = -i;
    amp_array_view *all = amp_array_view2(N, 1, line);
    for (int round = 0; round < 3; round++)
        for (int i = round; i < N; i += 3) {
            amp_array_view *one = amp_array_view_section2(all, i, 0, 1, 1);
            int value = 1000 * round + i;
            if (i % 2)
                fill_on(on[1 + round % 2], one, value);
            else
                assert_ok(amp_copy(one, &value));
            amp_array_view_release(one);
            assert_true(all->home->parts.n < 100);
        }
    assert_ok(amp_synchronize(all));
    for (int i = 0; i < N; i++)
        assert_int_equal(line[i], 1000 * (i % 3) + i);
    amp_array_view_release(all);
    free(line);
}

static void test_box_with_an_origin(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        try_box_with_an_origin(on[i]);
    amp__test_null_late();
    try_box_with_an_origin(on_null);
}

/* Sections of a shape other than the home's: a few runs of bytes move alone, many with the bytes between them. */
static void test_another_shape(void **state)
{
    (void)state;
    enum { N = 400, WIDTH = 8, LONG = N / WIDTH };
    int line[N];
    for (int i = 0; i < N; i++)
        line[i] = i;
    amp_array_view *all = amp_array_view1(N, line), *plane = amp_array_view_reshape(all, amp_extent2(LONG, WIDTH));
    amp_array_view *few = amp_array_view_section2(plane, 0, 2, 4, 3),
                   *many = amp_array_view_section2(plane, 0, 2, LONG, 3);
    fill_on(on_null, plane, 1);
    amp__test_null_reset();
    assert_ok(amp_synchronize(few));
    assert_bytes(0, 4 * 3 * sizeof(int));
    assert_true(line[2] == 1 && line[4] == 1 && line[5] == 5 && line[8 + 2] == 1 && line[N - 1] == N - 1);
    /* The host changes these elements only; the others are still where they were. */
    for (int r = 0; r < LONG; r++)
        for (int c = 2; c < 5; c++)
            line[r * WIDTH + c] = 7;
    assert_ok(amp_refresh(many));
    fill_on(on_null_1, many, 8); /* needs only the bytes that it moves with from elsewhere */
    assert_ok(amp_synchronize(many));
    assert_ok(amp_synchronize(all));
    for (int i = 0; i < N; i++)
        assert_int_equal(line[i], i % WIDTH >= 2 && i % WIDTH < 5 ? 8 : 1);
    amp_array_view *views[] = {all, plane, few, many};
    for (int i = 0; i < 4; i++)
        amp_array_view_release(views[i]);
}

/* ---- random sequences ---- */

static uint64_t next_random;

static int number(int below)
{
    next_random = next_random * 6364136223846793005u + 1442695040888963407u;
    return (int)((next_random >> 33) % (unsigned)below);
}

enum { MOST = 512, N_STEPS = 60 };

/* Which call of the device, or which allocation, of the next operation is to fail; 0: none. */
static int device_failure, allocation_failure;

static void arm(void)
{
    amp__test_null_fail(device_failure);
    if (allocation_failure > 0)
        amp__test_fail_allocation(allocation_failure);
}

/* A home, and what plain memory would contain instead. */
struct model {
    int kind; /* HOST_MEMORY... */
    int n;
    int memory[MOST]; /* the home's, over host memory */
    amp_array *array;
    amp_array_view *all;
    int expected[MOST];
    bool is_known[MOST]; /* false after a discard, or a failure on the way */
};
enum { HOST_MEMORY, ARRAY, NO_SOURCE };

/* The elements of a view in order, as indices into its home. */
static int elements(const amp_array_view *v, int at[MOST])
{
    int n = 0;
    struct amp__runs runs = amp__runs_begin(v, v);
    do
        for (size_t i = 0; i < runs.run_bytes; i += sizeof(int))
            at[n++] = (int)((v->offset_bytes + (size_t)runs.offset + i) / sizeof(int));
    while (amp__runs_next(v, &runs));
    return n;
}

static void make(struct model *m, amp_extent extent)
{
    *m = (struct model){.kind = number(3), .n = (int)amp_extent_size(extent)};
    for (int i = 0; i < m->n; i++) {
        m->memory[i] = m->expected[i] = number(1000);
        m->is_known[i] = m->kind != NO_SOURCE;
    }
    if (m->kind == ARRAY) {
        m->array = amp_array_from_on(extent, m->memory, on[number(3)], AMP_ACCESS_AUTO);
        m->all = amp_array_as_view(m->array);
    } else {
        m->all =
            m->kind == HOST_MEMORY ? amp_array_view_n(extent, m->memory) : amp_array_view_without_source_n(int, extent);
    }
    assert_non_null(m->all);
}

/* A section of a home with two dimensions, which may have been one, or three, when it was made. */
static amp_array_view *random_section(struct model *m, amp_extent shape)
{
    amp_array_view *plane = amp_array_view_retain(m->all);
    if (m->all->extent.rank == 3) {
        amp_array_view_release(plane);
        plane = amp_array_view_project(m->all, number(m->all->extent.dim[0]));
        shape = amp_array_view_extent(plane);
    } else if (m->all->extent.rank == 1) {
        amp_array_view_release(plane);
        plane = amp_array_view_reshape(m->all, shape);
    }
    int r = number(shape.dim[0]), c = number(2) ? 0 : number(shape.dim[1]);
    int rows = 1 + number(shape.dim[0] - r),
        columns = c == 0 && number(2) ? shape.dim[1] : 1 + number(shape.dim[1] - c);
    amp_array_view *section = amp_array_view_section2(plane, r, c, rows, columns);
    amp_array_view_release(plane);
    assert_non_null(section);
    return section;
}

/* After an operation that writes a section: records its contents if the operation succeeded. */
static void expect(struct model *m, const amp_array_view *section, amp_status status, const int *values, int value)
{
    int at[MOST], n = elements(section, at);
    for (int i = 0; i < n; i++) {
        m->expected[at[i]] = values ? values[i] : value;
        m->is_known[at[i]] = status == AMP_OK;
    }
}

/* Compares a section's contents with plain memory. */
static void compare(const struct model *m, const amp_array_view *section, const int *found, unsigned seed, int step)
{
    int at[MOST], n = elements(section, at);
    for (int i = 0; i < n; i++) {
        if (!m->is_known[at[i]] || found[i] == m->expected[at[i]])
            continue;
        print_error("seed %u, step %d: element %d is %d instead of %d\n", seed, step, at[i], found[i],
                    m->expected[at[i]]);
        fail();
    }
}

/* The expected contents of a section that is copied elsewhere. */
static void fetch_expected(const struct model *m, const amp_array_view *section, int values[MOST], bool known[MOST])
{
    int at[MOST], n = elements(section, at);
    for (int i = 0; i < n; i++) {
        values[i] = m->expected[at[i]];
        known[i] = m->is_known[at[i]];
    }
}

/* Checks the whole state: each byte is valid somewhere, and the locations' states agree with the parts. */
static void assert_home(const struct model *m, unsigned seed, int step)
{
    struct amp__home *home = m->all->home;
    uint32_t all = amp__parts_all(&home->parts), any = amp__parts_any(&home->parts);
    bool holds = true;
    size_t n_bytes = 0;
    for (int i = 0; i < home->parts.n; i++) {
        n_bytes += amp__box_bytes(&home->grid, &home->parts.of[i].box);
        holds &= home->parts.of[i].places != 0;
    }
    for (int l = 0; l < amp__location_count(); l++) {
        int state = amp__home_state(home, l);
        holds &= (state == AMP__INVALID) == !amp__set_has(any, l);
        holds &= (state >= AMP__SHARED) == amp__set_has(all, l);
        holds &= (state == AMP__OWNER) == (any == amp__set_of(l));
    }
    if (!holds || n_bytes != home->size_bytes)
        print_error("seed %u, step %d: the parts of the home are wrong\n", seed, step);
    assert_true(holds && n_bytes == home->size_bytes);
}

static amp_status wait_for(amp_future *future)
{
    amp_status status = future ? amp_future_wait(future) : amp_error_status();
    amp_future_release(future);
    return status;
}

/* Copies a section to another one of its shape, which may be in the same home. */
static amp_status try_copy_between(struct model *to, struct model *from, amp_array_view *section, amp_extent shape)
{
    amp_array_view *target = NULL;
    for (int i = 0; i < 20 && !target; i++) {
        target = random_section(to, shape);
        if (!amp_extent_equal(amp_array_view_extent(target), amp_array_view_extent(section))) {
            amp_array_view_release(target);
            target = NULL;
        }
    }
    if (!target)
        return AMP_OK;
    int values[MOST], at[MOST];
    bool known[MOST];
    fetch_expected(from, section, values, known);
    arm();
    amp_status status = number(2) ? amp_copy(target, section) : wait_for(amp_copy_async(target, section));
    expect(to, target, status, values, 0);
    int n = elements(target, at);
    for (int i = 0; i < n; i++)
        to->is_known[at[i]] &= known[i];
    amp_array_view_release(target);
    return status;
}

/* The host changes a section of its memory, after it has been brought up to date there, or not. */
static amp_status try_refresh(struct model *m, amp_array_view *section, unsigned seed, int step)
{
    if (m->kind != HOST_MEMORY)
        return AMP_OK;
    bool is_read = number(2);
    arm();
    amp_status status = is_read ? amp_synchronize(section) : AMP_OK;
    if (status != AMP_OK)
        return status;
    int at[MOST], found[MOST], n = elements(section, at);
    for (int i = 0; i < n; i++)
        found[i] = m->memory[at[i]];
    if (is_read)
        compare(m, section, found, seed, step);
    for (int i = 0; i < n; i++)
        m->memory[at[i]] = 5000 + i;
    status = amp_refresh(section);
    expect(m, section, status, NULL, 0);
    for (int i = 0; i < n; i++)
        m->expected[at[i]] = 5000 + i;
    return status;
}

static amp_status try_mapping(struct model *m, amp_array_view *section, unsigned seed, int step)
{
    amp_access_type access = number(2) ? AMP_ACCESS_READ : AMP_ACCESS_READ_WRITE;
    arm();
    int *p = amp_array_view_map(section, access);
    if (!p)
        return amp_error_status();
    int at[MOST], found[MOST], n = elements(section, at);
    for (int i = 0; i < n; i++)
        found[i] = p[at[i] - at[0]];
    compare(m, section, found, seed, step);
    for (int i = 0; i < n && access == AMP_ACCESS_READ_WRITE; i++)
        p[at[i] - at[0]] = 7000 + i;
    amp_status status = amp_array_view_unmap(section);
    if (access == AMP_ACCESS_READ)
        return status;
    expect(m, section, status, NULL, 0);
    for (int i = 0; i < n; i++)
        m->expected[at[i]] = 7000 + i;
    return status;
}

/* b += a, c += b, where a, b and c are sections of one shape in two homes. */
static amp_status try_add(struct model *m, amp_array_view *section, amp_accelerator_view *where)
{
    amp_extent e = amp_array_view_extent(section);
    int values[MOST], memory[MOST], zeros[MOST] = {0};
    bool known[MOST];
    for (int i = 0; i < MOST; i++)
        memory[i] = i;
    amp_array_view *a = amp_array_view_n(e, memory), *c = amp_array_view_n(e, zeros);
    fetch_expected(m, section, values, known);
    arm();
    amp_status status = amp_parallel_for_each_on(where, e, add, a, section, c);
    int at[MOST], n = elements(section, at);
    for (int i = 0; i < n; i++)
        values[i] += i;
    expect(m, section, status, values, 0);
    for (int i = 0; i < n; i++)
        m->is_known[at[i]] &= known[i];
    amp_array_view_release(a);
    amp_array_view_release(c);
    return status;
}

static amp_status try_read(struct model *m, amp_array_view *section, unsigned seed, int step)
{
    int found[MOST];
    arm();
    amp_status status = number(2) ? amp_copy(&found[0], section) : wait_for(amp_copy_async(&found[0], section));
    if (status == AMP_OK)
        compare(m, section, found, seed, step);
    return status;
}

static amp_status try_step(struct model *m, struct model *other, amp_extent shape, unsigned seed, int step)
{
    amp_array_view *section = random_section(m, shape);
    amp_accelerator_view *where = on[number(3)];
    amp_extent rows = amp_extent1(amp_array_view_extent(section).dim[0]);
    int values[MOST], value = number(1000);
    amp_status status = AMP_OK;
    int what = number(12);
    if (what < 3 || what == 4 || what == 7 || what == 8)
        arm();
    switch (what) {
    case 0:
    case 1:
        status = amp_parallel_for_each_on(where, rows, fill, value, section);
        expect(m, section, status, NULL, value);
        break;
    case 2:
        status = wait_for(amp_parallel_for_each_on_async(where, rows, fill, value, section));
        expect(m, section, status, NULL, value);
        break;
    case 3:
        status = try_add(m, section, where);
        break;
    case 4:
        for (int i = 0; i < MOST; i++)
            values[i] = value + i;
        status = amp_copy(section, &values[0]);
        expect(m, section, status, values, 0);
        break;
    case 5:
        status = try_copy_between(other, m, section, shape);
        break;
    case 6:
        status = try_copy_between(m, m, section, shape);
        break;
    case 7:
        status = number(2) ? amp_synchronize(section) : wait_for(amp_synchronize_to_async(section, where));
        break;
    case 8:
        if (number(4) == 0) {
            status = number(2) ? amp_discard_data(section) : amp_synchronize_to_for(section, where, AMP_ACCESS_WRITE);
            expect(m, section, AMP_ERROR_DEVICE, NULL, 0);
        } else {
            status = amp_synchronize_to_for(section, where, AMP_ACCESS_READ_WRITE);
        }
        break;
    case 9:
        status = try_refresh(m, section, seed, step);
        break;
    case 10:
        status = try_mapping(m, section, seed, step);
        break;
    default:
        status = try_read(m, section, seed, step);
    }
    amp_array_view_release(section);
    return status;
}

/* What fails now and then: nothing, calls of the device, or allocations. */
enum failures { NO_FAILURES, OF_THE_DEVICE, OF_ALLOCATIONS };

static void try_sequence(unsigned seed, enum failures failures)
{
    next_random = seed * 2654435761u + 99;
    amp_extent shape = amp_extent2(1 + number(number(4) ? 8 : 42), 1 + number(12));
    int most_planes = MOST / (int)amp_extent_size(shape);
    static const int ranks[] = {2, 2, 1, 3};
    struct model models[2];
    for (int i = 0; i < 2; i++) {
        int rank = ranks[number(4)];
        make(&models[i], rank == 2 ? shape
                         : rank == 1
                             ? amp_extent1(shape.dim[0] * shape.dim[1])
                             : amp_extent3(1 + number(most_planes < 4 ? most_planes : 4), shape.dim[0], shape.dim[1]));
    }
    amp__test_null_reset();
    if (number(2))
        amp__test_null_late();
    for (int step = 0; step < N_STEPS; step++) {
        bool fails = failures != NO_FAILURES && number(3) == 0;
        device_failure = fails && failures == OF_THE_DEVICE ? 1 + number(6) : 0;
        allocation_failure = fails && failures == OF_ALLOCATIONS ? 1 + number(12) : 0;
        int which = number(2);
        amp_status status = try_step(&models[which], &models[!which], shape, seed, step);
        amp__test_null_fail(0);
        amp__test_fail_allocation(0);
        if (status != AMP_OK && !fails)
            print_error("seed %u, step %d: %s\n", seed, step, amp_error_text());
        assert_true(status == AMP_OK || fails);
        amp_error_clear();
        assert_home(&models[0], seed, step);
        assert_home(&models[1], seed, step);
    }
    for (int i = 0; i < 2; i++) {
        int found[MOST];
        assert_ok(amp_copy(&found[0], models[i].all));
        compare(&models[i], models[i].all, found, seed, N_STEPS);
        amp_array_view *all = amp_array_view_section(models[i].all, (amp_index){.rank = models[i].all->extent.rank},
                                                     amp_array_view_extent(models[i].all));
        amp_array_view_release(models[i].all);
        amp_array_release(models[i].array);
        amp_array_view_release(all); /* the last release brings the user's memory up to date */
        if (models[i].kind == HOST_MEMORY)
            for (int k = 0; k < models[i].n; k++)
                assert_true(!models[i].is_known[k] || models[i].memory[k] == models[i].expected[k]);
    }
}

enum { N_SEQUENCES = 400 };

static void test_random_sequences(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < N_SEQUENCES; seed++)
        try_sequence(seed, NO_FAILURES);
}

static void test_random_sequences_with_failures(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < N_SEQUENCES; seed++)
        try_sequence(seed, seed % 2 ? OF_THE_DEVICE : OF_ALLOCATIONS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_halves_on_two_devices, setup, teardown),
        cmocka_unit_test_setup_teardown(test_halves_of_an_array, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reading_a_section_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_launch_on_a_section, setup, teardown),
        cmocka_unit_test_setup_teardown(test_failed_launch_on_a_section, setup, teardown),
        cmocka_unit_test_setup_teardown(test_copies_of_sections, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_parts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_another_shape, setup, teardown),
        cmocka_unit_test_setup_teardown(test_box_with_an_origin, setup, teardown),
        cmocka_unit_test(test_random_sequences),
        cmocka_unit_test(test_random_sequences_with_failures),
    };
    return cmocka_run_group_tests(tests, setup_devices, teardown_devices);
}
