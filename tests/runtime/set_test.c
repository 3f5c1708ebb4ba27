/* SPDX-License-Identifier: MIT
 * Compares sets of locations with plain bitmaps. */
#include "kernels.h"

enum { N = 200, STEPS = 20000, LAST = AMP__MAX_LOCATIONS - 1 };

struct model {
    uint32_t set;
    bool has[AMP__MAX_LOCATIONS];
};
static struct model models[N];

static int random_location(void)
{
    static const int limits[] = {3, 40, 130, AMP__MAX_LOCATIONS};
    return rand() % limits[rand() % 4];
}

static void assert_model(const struct model *m)
{
    int next = amp__set_next(m->set, 0);
    for (int l = 0; l < AMP__MAX_LOCATIONS; l++) {
        assert_int_equal(amp__set_has(m->set, l), m->has[l]);
        assert_true(next == AMP__NOWHERE || next >= l);
        if (next == l)
            next = amp__set_next(m->set, l + 1);
        else
            assert_false(m->has[l]);
    }
    assert_int_equal(next, AMP__NOWHERE);
}

static void change(struct model *m)
{
    int l = random_location();
    bool adds = rand() % 4;
    m->set = (adds ? amp__set_with : amp__set_without)(m->set, l);
    m->has[l] = adds;
}

static void compare(const struct model *a, const struct model *b)
{
    struct model common = {amp__set_common(a->set, b->set)};
    bool is_within = true, is_same = true;
    int first = AMP__NOWHERE;
    for (int l = LAST; l >= 0; l--) {
        common.has[l] = a->has[l] && b->has[l];
        is_within &= !a->has[l] || b->has[l];
        is_same &= a->has[l] == b->has[l];
        first = common.has[l] ? l : first;
    }
    assert_model(&common);
    assert_int_equal(amp__set_first_common(a->set, b->set), first);
    assert_int_equal(amp__set_is_within(a->set, b->set), is_within);
    assert_int_equal(a->set == b->set, is_same);
}

static void test_sets(void **state)
{
    (void)state;
    srand(7);
    for (int step = 0; step < STEPS; step++)
        change(&models[rand() % N]);
    for (int i = 0; i < N; i++) {
        assert_model(&models[i]);
        compare(&models[i], &models[rand() % N]);
    }
}

static void test_everywhere(void **state)
{
    (void)state;
    struct model all = {AMP__SET_NOTHING};
    compare(&all, &models[0]);
    for (int l = 0; l <= LAST; l++) {
        all.set = amp__set_with(all.set, l);
        all.has[l] = true;
        assert_true(l == LAST || all.set != AMP__SET_EVERYWHERE);
    }
    assert_int_equal(all.set, AMP__SET_EVERYWHERE);
    compare(&all, &models[0]);
    compare(&models[0], &all);
    all.set = amp__set_without(all.set, LAST);
    all.has[LAST] = false;
    compare(&all, &models[1]);
    assert_int_equal(amp__set_with(all.set, LAST), AMP__SET_EVERYWHERE);
}

/* What parts have together. */
static void test_sets_of_parts(void **state)
{
    (void)state;
    struct amp__grid grid;
    struct amp__parts parts;
    amp__grid_init(&grid, &(amp_extent){.rank = 1, .dim = {N}}, 1);
    amp__parts_init(&parts, &grid, models[0].set);
    for (int i = 1; i < N; i++) {
        struct amp__box box = {{(size_t)i}, {(size_t)i + 1}};
        assert_true(amp__parts_split(&parts, &box));
        int n = amp__parts_find(&parts, &box);
        assert_int_equal(n, 1);
        amp__part_set(&parts, parts.found[0], models[i].set);
    }
    struct model all = {amp__parts_all(&parts)}, any = {amp__parts_any(&parts)};
    int n_any = 0;
    for (int l = 0; l <= LAST; l++) {
        all.has[l] = true;
        for (int i = 0; i < N; i++) {
            all.has[l] &= models[i].has[l];
            any.has[l] |= models[i].has[l];
        }
        n_any += any.has[l];
    }
    assert_model(&all);
    assert_model(&any);
    assert_int_equal(amp__parts_count_places(&parts), n_any);
    amp__parts_fini(&parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_everywhere),
        cmocka_unit_test(test_sets_of_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
