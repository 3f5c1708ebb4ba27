/* SPDX-License-Identifier: MIT
 * Compares box arithmetic with a plain bitmap that has a byte for each point of the grid. Grids, boxes and views are
 * random, each from a seed, which a failure prints. */
#include "kernels.h"

#include <limits.h>

enum { N_SEEDS = 4000, MOST_POINTS = 4096 };

static uint64_t next_random;

static unsigned number(unsigned below)
{
    next_random = next_random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(next_random >> 33) % below;
}

/* A home's shape, and its grid. */
static amp_extent extent;
static size_t element_size;
static struct amp__grid grid;
static size_t n_points;

static void make_grid(unsigned seed)
{
    next_random = seed * 2654435761u + 12345;
    do {
        extent = (amp_extent){.rank = 1 + (int)number(number(8) ? 4 : AMP_MAX_RANK)};
        element_size = (size_t[]){1, 2, 4, 8, 3, 12}[number(6)];
        n_points = element_size;
        for (int i = 0; i < extent.rank; i++) {
            extent.dim[i] = 1 + (int)number(extent.rank > 4 ? 3 : 6);
            n_points *= (size_t)extent.dim[i];
        }
    } while (n_points > MOST_POINTS);
    amp__grid_init(&grid, &extent, element_size);
}

static struct amp__box random_box(void)
{
    struct amp__box box;
    for (int d = 0; d < grid.rank; d++) {
        box.begin[d] = number((unsigned)grid.dim[d]);
        box.end[d] = box.begin[d] + 1 + number((unsigned)(grid.dim[d] - box.begin[d]));
    }
    return box;
}

static bool has(const struct amp__box *box, size_t point)
{
    for (int d = 0; d < grid.rank; d++) {
        size_t at = point / grid.stride[d] % grid.dim[d];
        if (at < box->begin[d] || at >= box->end[d])
            return false;
    }
    return true;
}

/* Adds one to each point of the box. */
static void count(unsigned char *bitmap, const struct amp__box *box)
{
    for (size_t p = 0; p < n_points; p++)
        bitmap[p] = (unsigned char)(bitmap[p] + has(box, p));
}

#define assert_seed(condition)                                                                                         \
    do {                                                                                                               \
        bool holds = (condition);                                                                                      \
        if (!holds)                                                                                                    \
            print_error("seed %u: %s\n", seed, #condition);                                                            \
        assert_true(holds);                                                                                            \
    } while (0)

static void test_grids(void **state)
{
    (void)state;
    amp__grid_init(&grid, &(amp_extent){.rank = 4, .dim = {1, 5, 1, 6}}, 4);
    assert_true(grid.rank == 2 && grid.dim[0] == 5 && grid.dim[1] == 24 && grid.stride[0] == 24);
    amp__grid_init(&grid, &(amp_extent){.rank = 2, .dim = {7, 1}}, 1);
    assert_true(grid.rank == 1 && grid.dim[0] == 7 && grid.stride[0] == 1);
    amp__grid_init(&grid, &(amp_extent){.rank = 1, .dim = {1}}, 1);
    assert_true(grid.rank == 1 && grid.dim[0] == 1);
    amp__grid_init(&grid, &(amp_extent){.rank = 3, .dim = {INT_MAX, 2, INT_MAX}}, 2);
    assert_true(grid.stride[0] == 2 * 2 * (size_t)INT_MAX);
    for (unsigned seed = 0; seed < N_SEEDS; seed++) {
        make_grid(seed);
        assert_seed(grid.dim[0] * grid.stride[0] == n_points);
    }
}

static void test_boxes(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < N_SEEDS; seed++) {
        make_grid(seed);
        struct amp__box a = random_box(), b = random_box(), common, pieces[AMP__MAX_PIECES];
        bool meet = amp__box_meet(grid.rank, &a, &b, &common), found = false;
        int n = amp__box_subtract(grid.rank, &a, &b, pieces);
        assert_seed(n <= 2 * grid.rank);
        static unsigned char bitmap[MOST_POINTS];
        memset(bitmap, 0, sizeof bitmap);
        for (int i = 0; i < n; i++)
            count(bitmap, &pieces[i]);
        for (size_t p = 0; p < n_points; p++) {
            bool in_both = has(&a, p) && has(&b, p);
            found |= in_both;
            assert_seed((meet && has(&common, p)) == in_both);
            assert_seed(bitmap[p] == (has(&a, p) && !has(&b, p)));
        }
        assert_seed(found == meet);
    }
}

/* Two boxes make up one if a box has exactly their points. */
static void test_joins(void **state)
{
    (void)state;
    int n_joined = 0;
    for (unsigned seed = 0; seed < N_SEEDS; seed++) {
        make_grid(seed);
        struct amp__box a = random_box(), b = random_box(), both, common;
        if (number(2)) { /* nearly neighbours, in either order */
            int d = (int)number((unsigned)grid.rank);
            both = b;
            b = a;
            b.begin[d] = a.begin[d] + number((unsigned)(a.end[d] - a.begin[d]));
            a.end[d] = b.begin[d];
            int other = (int)number((unsigned)grid.rank);
            if (number(3) == 0)
                b.end[other] = both.end[other];
            if (number(2)) {
                both = a;
                a = b;
                b = both;
            }
        }
        bool is_box = true, is_empty = false;
        for (int d = 0; d < grid.rank; d++) {
            is_empty |= a.begin[d] >= a.end[d] || b.begin[d] >= b.end[d];
            both.begin[d] = a.begin[d] < b.begin[d] ? a.begin[d] : b.begin[d];
            both.end[d] = a.end[d] > b.end[d] ? a.end[d] : b.end[d];
        }
        if (is_empty || amp__box_meet(grid.rank, &a, &b, &common))
            continue;
        for (size_t p = 0; p < n_points; p++)
            is_box &= has(&both, p) == (has(&a, p) || has(&b, p));
        struct amp__box before = a;
        bool joined = amp__box_join(grid.rank, &a, &b);
        assert_seed(joined == is_box);
        for (size_t p = 0; p < n_points; p++)
            assert_seed(has(&a, p) == has(joined ? &both : &before, p));
        n_joined += joined;
    }
    assert_true(n_joined > N_SEEDS / 10);
}

/* A random view of the home: sections and projections of it, or of all or some of its bytes in another shape. */
static amp_array_view random_view(void)
{
    amp_array_view view;
    size_t size_bytes;
    assert_ok(amp__view_init("", &view, &extent, AMP_TYPE_STRUCT, element_size, &size_bytes));
    if (number(2)) {
        amp_extent other = {.rank = 1 + (int)number(4)};
        size_t n = 1 + number((unsigned)(n_points / element_size)), left = n;
        for (int i = 0; i < other.rank; i++)
            left /= (size_t)(other.dim[i] = 1 + (int)number((unsigned)left < 9 ? (unsigned)left : 9));
        assert_ok(amp__view_init("", &view, &other, AMP_TYPE_STRUCT, element_size, &size_bytes));
        view.offset_bytes = number((unsigned)(n_points - size_bytes + 1));
    }
    for (int k = (int)number(3); k > 0; k--)
        for (int i = 0; i < view.extent.rank; i++) {
            int first = (int)number((unsigned)view.extent.dim[i]);
            view.offset_bytes += (size_t)first * (size_t)view.stride[i] * view.element_size;
            view.extent.dim[i] = 1 + (int)number((unsigned)(view.extent.dim[i] - first));
        }
    if (view.extent.rank > 1 && number(3) == 0) {
        view.offset_bytes += number((unsigned)view.extent.dim[0]) * (size_t)view.stride[0] * view.element_size;
        view.extent = amp_extent_n(view.extent.rank - 1, view.extent.dim + 1);
        memmove(view.stride, view.stride + 1, sizeof view.stride - sizeof *view.stride);
    }
    return view;
}

static void test_covers(void **state)
{
    (void)state;
    int n_one = 0;
    for (unsigned seed = 0; seed < N_SEEDS; seed++) {
        make_grid(seed);
        amp_array_view view = random_view();
        static unsigned char exact[MOST_POINTS], rough[MOST_POINTS], found[MOST_POINTS];
        memset(exact, 0, sizeof exact);
        memset(rough, 0, sizeof rough);
        memset(found, 0, sizeof found);
        struct amp__cover cover;
        const struct amp__box *box;
        int n = 0;
        for (amp__cover_begin(&cover, &grid, &view, SIZE_MAX); (box = amp__cover_next(&cover)); n++)
            count(exact, box);
        n_one += n == 1;
        for (amp__cover_begin(&cover, &grid, &view, 0); (box = amp__cover_next(&cover));)
            count(rough, box);
        struct amp__runs runs = amp__runs_begin(&view, &view);
        do
            memset(found + view.offset_bytes + runs.offset, 1, runs.run_bytes);
        while (amp__runs_next(&view, &runs));
        assert_seed(!memcmp(exact, found, n_points));
        size_t end = view.offset_bytes + amp__view_span(&view);
        for (size_t p = 0; p < n_points; p++) {
            assert_seed(rough[p] <= 1 && rough[p] >= exact[p]);
            assert_seed(!rough[p] || (p >= view.offset_bytes && p < end));
        }
    }
    assert_true(n_one > N_SEEDS / 3);
}

/* A section of a section, a column of a cube and so on are one box, whatever their rank. */
static void test_sections_are_boxes(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < N_SEEDS; seed++) {
        make_grid(seed);
        amp_array_view view;
        size_t size_bytes;
        assert_ok(amp__view_init("", &view, &extent, AMP_TYPE_STRUCT, element_size, &size_bytes));
        for (int i = 0; i < extent.rank; i++) {
            int first = (int)number((unsigned)extent.dim[i]);
            view.offset_bytes += (size_t)first * (size_t)view.stride[i] * element_size;
            view.extent.dim[i] = 1 + (int)number((unsigned)(extent.dim[i] - first));
        }
        struct amp__cover cover;
        amp__cover_begin(&cover, &grid, &view, SIZE_MAX);
        assert_seed(amp__cover_next(&cover));
        assert_seed(!amp__cover_next(&cover));
    }
}

static void test_rows(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < N_SEEDS; seed++) {
        make_grid(seed);
        struct amp__box box = random_box();
        static unsigned char expected[MOST_POINTS], found[MOST_POINTS];
        memset(expected, 0, sizeof expected);
        memset(found, 0, sizeof found);
        count(expected, &box);
        struct amp__groups groups;
        size_t n_bytes = 0;
        amp__groups_begin(&groups, &grid, &box);
        do
            for (size_t row = 0; row < groups.rows.n; row++)
                for (size_t i = 0; i < groups.rows.bytes; i++)
                    n_bytes += ++found[groups.rows.offset + row * groups.rows.stride + i];
        while (amp__groups_next(&groups, &grid));
        assert_seed(!memcmp(expected, found, n_points));
        assert_seed(n_bytes == amp__box_bytes(&grid, &box));
    }
    /* Adjacent whole rows are one row, and a plane of a cube is one group. */
    amp__grid_init(&grid, &(amp_extent){.rank = 3, .dim = {4, 5, 6}}, 2);
    struct amp__box box = amp__box_of(&grid);
    struct amp__groups groups;
    amp__groups_begin(&groups, &grid, &box);
    assert_true(groups.rows.n == 1 && groups.rows.bytes == 240 && !amp__groups_next(&groups, &grid));
    box.begin[1] = 4;
    amp__groups_begin(&groups, &grid, &box);
    assert_true(groups.rows.n == 4 && groups.rows.bytes == 12 && groups.rows.stride == 60 && groups.rows.offset == 48);
    assert_false(amp__groups_next(&groups, &grid));
    box.begin[2] = 2;
    amp__groups_begin(&groups, &grid, &box);
    assert_true(groups.rows.n == 4 && groups.rows.bytes == 10 && groups.rows.stride == 60 &&
                !amp__groups_next(&groups, &grid));
}

/* The set of the locations that are bits. */
static uint32_t set_of(unsigned bits)
{
    uint32_t set = AMP__SET_NOTHING;
    for (int l = 0; bits >> l; l++)
        if (bits >> l & 1)
            set = amp__set_with(set, l);
    return set;
}

/* The points in the bitmap have the places that the parts say, and each is in one part. */
static void assert_parts(unsigned seed, const struct amp__parts *parts, const unsigned char *places)
{
    unsigned all = ~0u, any = 0;
    for (size_t p = 0; p < n_points; p++) {
        int n = 0;
        for (int i = 0; i < parts->n; i++)
            if (has(&parts->of[i].box, p)) {
                n++;
                assert_seed(parts->of[i].places == set_of(places[p]));
            }
        assert_seed(n == 1);
        all &= places[p];
        any |= places[p];
    }
    assert_seed(amp__parts_all(parts) == set_of(all) && amp__parts_any(parts) == set_of(any));
}

/* The parts that meet a box are those that are found. */
static void assert_found(unsigned seed, struct amp__parts *parts, const struct amp__box *box)
{
    struct amp__box common;
    int n = amp__parts_find(parts, box), at = 0;
    for (int i = 0; i < parts->n; i++)
        if (amp__box_meet(parts->grid->rank, &parts->of[i].box, box, &common))
            assert_seed(at < n && parts->found[at++] == i);
    assert_seed(at == n);
}

/* Parts are cut as others of the same places are that were points, unless that takes half as many more. */
static void assert_normal(unsigned seed, const struct amp__parts *parts, const unsigned char *places)
{
    struct amp__parts normal, points;
    amp__parts_init(&normal, &grid, set_of(1));
    amp__parts_init(&points, &grid, set_of(1));
    assert_true(amp__parts_copy(&normal, parts));
    amp__parts_normalise(&normal);
    assert_parts(seed, &normal, places);
    for (size_t p = n_points; p-- > 0;) {
        struct amp__box box;
        for (int d = 0; d < grid.rank; d++) {
            box.begin[d] = p / grid.stride[d] % grid.dim[d];
            box.end[d] = box.begin[d] + 1;
        }
        assert_true(amp__parts_split(&points, &box));
        amp__part_set(&points, points.found[0], set_of(places[p]));
    }
    amp__parts_normalise(&points);
    assert_seed(points.n > parts->n + parts->n / 2 ? normal.n == parts->n : amp__parts_equal(&normal, &points));
    amp__parts_fini(&normal);
    amp__parts_fini(&points);
}

static void test_parts(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < N_SEEDS / 8; seed++) {
        make_grid(seed);
        static unsigned char places[MOST_POINTS];
        memset(places, 1, sizeof places);
        struct amp__parts parts;
        amp__parts_init(&parts, &grid, set_of(1));
        for (int step = 0; step < 16; step++) {
            struct amp__box box = random_box();
            unsigned char keep = (unsigned char)number(4), add = (unsigned char)(1 + number(3));
            assert_seed(amp__parts_split(&parts, &box));
            assert_found(seed, &parts, &box);
            for (size_t p = 0; p < n_points; p++)
                if (has(&box, p))
                    places[p] = (unsigned char)((places[p] & keep) | add);
            for (int f = 0; f < parts.n_found; f++)
                for (size_t p = 0; p < n_points; p++)
                    if (has(&parts.of[parts.found[f]].box, p)) {
                        assert_seed(has(&box, p));
                        amp__part_set(&parts, parts.found[f], set_of(places[p]));
                    }
            assert_parts(seed, &parts, places);
            amp__parts_join(&parts);
            assert_parts(seed, &parts, places);
            for (int i = 0; i < parts.n; i++) {
                assert_seed(!parts.of[i].has_changed);
                for (int k = 0; k < parts.n; k++) { /* no two parts are left that could be joined */
                    struct amp__box joined = parts.of[i].box;
                    assert_seed(parts.of[i].places != parts.of[k].places || i == k ||
                                !amp__box_join(grid.rank, &joined, &parts.of[k].box));
                }
            }
        }
        if (seed % 8 == 0)
            assert_normal(seed, &parts, places);
        amp__parts_reset(&parts, set_of(2));
        memset(places, 2, sizeof places);
        assert_parts(seed, &parts, places);
        amp__parts_fini(&parts);
    }
}

/* Many parts, of which those that meet a box are found by a tree: small boxes come and go, and whole rows. */
static void test_many_parts(void **state)
{
    (void)state;
    enum { ROWS = 96, COLUMNS = 80, STEPS = 1500 };
    unsigned seed = 5;
    int most = 0;
    srand(seed);
    amp__grid_init(&grid, &(amp_extent){.rank = 2, .dim = {ROWS, COLUMNS}}, 1);
    struct amp__parts parts, sorted;
    amp__parts_init(&parts, &grid, amp__set_of(0));
    amp__parts_init(&sorted, &grid, amp__set_of(0));
    for (int step = 0; step < STEPS; step++) {
        bool is_row = step % 100 == 99;
        size_t row = (size_t)rand() % (ROWS - 4), column = is_row ? 0 : (size_t)rand() % (COLUMNS - 4);
        struct amp__box box = {{row, column}, {row + 1 + (size_t)rand() % 4, column + 1 + (size_t)rand() % 4}};
        box.end[1] = is_row ? COLUMNS : box.end[1];
        uint32_t set = amp__set_of(step < STEPS / 2 ? step % 40 : 0);
        assert_true(amp__parts_split(&parts, &box));
        assert_found(seed, &parts, &box);
        for (int f = 0; f < parts.n_found; f++)
            amp__part_set(&parts, parts.found[f], set);
        amp__parts_join(&parts);
        for (int i = 0; i < parts.n; i++)
            assert_false(parts.of[i].has_changed);
        most = parts.n > most ? parts.n : most;
        if (step % 400 == 0)
            amp__parts_normalise(&parts);
        if (step % 16 == 0)
            assert_true(amp__parts_copy(&sorted, &parts));
        amp__parts_normalise(&sorted);
        assert_found(seed, &sorted, &box);
    }
    size_t n_bytes = 0;
    for (int i = 0; i < parts.n; i++)
        n_bytes += amp__box_bytes(&grid, &parts.of[i].box);
    assert_int_equal(n_bytes, ROWS * COLUMNS);
    assert_true(most > 500 && parts.n < most && parts.tree);
    amp__parts_fini(&parts);
    amp__parts_fini(&sorted);
}

/* Writing rows or columns one after the other, in any order, ends with one part. */
static void test_stripes_become_one(void **state)
{
    (void)state;
    enum { N = 64 };
    amp__grid_init(&grid, &(amp_extent){.rank = 2, .dim = {N, N}}, 4);
    for (int along = 0; along < 2; along++) {
        struct amp__parts parts;
        amp__parts_init(&parts, &grid, 1);
        for (int i = 0; i < N; i++) {
            struct amp__box box = amp__box_of(&grid);
            size_t width = along ? 4 : 1;
            box.begin[along] = (size_t)(i * 37 % N) * width;
            box.end[along] = box.begin[along] + width;
            assert_true(amp__parts_split(&parts, &box));
            int n = amp__parts_find(&parts, &box);
            for (int k = 0; k < n; k++)
                amp__part_set(&parts, parts.found[k], 2);
            amp__parts_join(&parts);
            assert_true(parts.n <= N + 1);
        }
        assert_int_equal(parts.n, 1);
        assert_int_equal(parts.of[0].places, 2);
        amp__parts_fini(&parts);
    }
}

static void test_out_of_memory(void **state)
{
    (void)state;
    amp__grid_init(&grid, &(amp_extent){.rank = 2, .dim = {9, 9}}, 1);
    n_points = 81;
    static unsigned char places[MOST_POINTS];
    memset(places, 1, sizeof places);
    struct amp__parts parts;
    amp__parts_init(&parts, &grid, set_of(1));
    struct amp__box box = {{3, 3}, {6, 6}};
    amp__test_fail_allocation(1);
    assert_false(amp__parts_split(&parts, &box)); /* five parts */
    amp__test_fail_allocation(0);
    assert_int_equal(parts.n, 1);
    assert_parts(0, &parts, places);
    assert_true(amp__parts_split(&parts, &box));
    assert_int_equal(parts.n, 5);
    assert_parts(0, &parts, places);
    amp__parts_fini(&parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grids),
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_joins),
        cmocka_unit_test(test_covers),
        cmocka_unit_test(test_sections_are_boxes),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_many_parts),
        cmocka_unit_test(test_stripes_become_one),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
