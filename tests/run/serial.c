/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off %s -o %t && %run %t
 * RUN: env AMP_TEST_SCATTERS=slow AMP_DEFAULT_ACCELERATOR=cpu %t
 * RUN: %ampcc -O2 -ffp-contract=off --amp-gpu=none --amp-lanes=16 %s -o %t && env AMP_TEST_SCATTERS=slow %run-cpu %t
 *
 * Branches that mostly gather and scatter, or store without masks, and are taken by all lanes, by some, or by none:
 * they use what all threads have in common, what differs from one to the next by a constant, and what each has found
 * before. */
#include "check.h"

enum { MEMBERS = 12 };

struct cell {
    float of[MEMBERS];
};

#define EACH(x) x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7) x(8) x(9) x(10) x(11)

/* Both sides of a branch, with a shift, a value of the thread's and the index itself. */
amp_lanes(8) static void sides(amp_index1 idx, int n, int shift, const int kind[n], const struct cell from[n],
                               struct cell to[n]) restrict(cpu, amp)
{
    int i = idx[0], k = kind[i];
    float own = from[i].of[3] * (float)k;
    if (k > 4) {
#define TURN(m) to[i].of[m] = from[i].of[MEMBERS - 1 - m];
        EACH(TURN)
    } else if (k > 1) {
#define MIX(m) to[i].of[m] = from[(i + shift) % n].of[m] - own * (float)(i - m) + (float)(k * shift);
        EACH(MIX)
    }
}

/* Such a branch uses what nobody else needs as it stands: a sum of ints, which lanes compute in 64 bits. */
struct longs {
    long of[MEMBERS];
};

amp_lanes(4) static void sums(amp_index1 idx, int n, int shift, const int kind[n], const struct longs from[n],
                              struct longs to[n]) restrict(cpu, amp)
{
    int i = idx[0], x = i * 2 + shift;
    if (x < n && kind[i] > 2) {
        to[i].of[0] = x;
#define NEXT(m) to[i].of[m] = from[i].of[MEMBERS - m];
        NEXT(1) NEXT(2) NEXT(3) NEXT(4) NEXT(5) NEXT(6) NEXT(7) NEXT(8) NEXT(9)
    }
}

/* Addresses in tile memory, and a result that comes with a bit that says whether it overflowed. */
enum { TILE = 32 };

amp_lanes(4) static void in_tiles(amp_tiled_index1(TILE) t, int n, const int kind[n], const struct cell from[n],
                                  struct cell to[n]) restrict(amp)
{
    tile_static int local[TILE], other[TILE];
    int i = t.global[0], l = t.local[0], product;
    local[l] = kind[i];
    other[l] = kind[i] + 1;
    amp_tile_barrier_wait(t.barrier);
    const int *p = local[TILE - 1 - l] & 1 ? &local[l] : &other[l];
    for (int j = 0; *p != 3 && j < TILE - 1 - l; j++)
        p++;
    if (local[TILE - 1 - l] > 2) {
        to[i].of[0] = p == &local[9];
        to[i].of[1] = p == &other[11];
        TURN(2) TURN(3) TURN(4) TURN(5) TURN(6) TURN(7) TURN(8) TURN(9)
    }
    if (!__builtin_mul_overflow(kind[i], kind[n - 1 - i] << 27, &product)) {
        to[i].of[10] = (float)product;
        to[i].of[11] = from[i].of[0];
        TURN(2) TURN(3) TURN(4) TURN(5) TURN(6) TURN(7) TURN(8) TURN(9)
    }
}

static void in_tiles_again(int n, const int *kind, const struct cell *from, struct cell *to)
{
    for (int i = 0; i < n; i++) {
        int l = i % TILE, first = i - l, at = l, product, its = kind[first + TILE - 1 - l];
        bool is_local = its & 1;
        for (int j = 0; kind[first + at] + !is_local != 3 && j < TILE - 1 - l; j++)
            at++;
        bool turns = its > 2;
        if (turns) {
            to[i].of[0] = is_local && at == 9;
            to[i].of[1] = !is_local && at == 11;
        }
        if (!__builtin_mul_overflow(kind[i], kind[n - 1 - i] << 27, &product)) {
            to[i].of[10] = (float)product;
            to[i].of[11] = from[i].of[0];
            turns = true;
        }
        for (int m = 2; m < 10 && turns; m++)
            to[i].of[m] = from[i].of[MEMBERS - 1 - m];
    }
}

/* Narrow and wide elements, with a condition within the branch, and a value chosen by it. */
struct record {
    short s[4];
    double d[4];
    long l[4];
};

amp_lanes(4) static void records(amp_index1 idx, int n, const int kind[n], const struct record from[n],
                                 struct record to[n]) restrict(cpu, amp)
{
    int i = idx[0];
    if (kind[i] % 3 == 1) {
        double least = from[i].d[0] < from[i].d[1] ? from[i].d[0] : from[i].d[1];
#define MOVE(m)                                                                                                        \
    to[i].s[m] = (short)(from[i].s[3 - m] + 7);                                                                        \
    to[i].d[m] = from[i].d[m] - least;                                                                                 \
    to[i].l[m] = from[i].l[m] ^ (long)i << 33 ^ from[i].s[m];
        MOVE(0) MOVE(1) MOVE(2) MOVE(3)
    }
}

/* Branches that do little but store, in part what not all processors store under a mask, forwards and backwards. */
struct marks {
    unsigned char *seen, *to_do;
    short *number;
};

static void mark(amp_index1 idx, int n, const int kind[n], unsigned char seen[n], unsigned char to_do[n],
                 short number[n]) restrict(cpu, amp)
{
    int i = idx[0];
    if (kind[i] > 4) {
        seen[i] = 1;
        to_do[n - 1 - i] = 0;
        number[i] = (short)(i * 3);
    } else if (kind[i] == 2)
        to_do[n - 1 - i] = (unsigned char)kind[n - 1 - i];
}

static void check_marks(int n, const int *kind)
{
    amp_array_view *views[4] = {amp_array_view1(n, kind)};
    struct marks marks[2];
    for (int k = 0; k < 2; k++) {
        struct marks m = {check_alloc((size_t)n), check_alloc((size_t)n), check_alloc((size_t)n * sizeof(short))};
        memset(m.seen, 3, (size_t)n);
        memset(m.to_do, 4, (size_t)n);
        memset(m.number, 5, (size_t)n * sizeof(short));
        marks[k] = m;
    }
    views[1] = amp_array_view1(n, marks[0].seen), views[2] = amp_array_view1(n, marks[0].to_do);
    views[3] = amp_array_view1(n, marks[0].number);
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), mark, views[0], views[1], views[2], views[3]));
    struct marks *want = &marks[1];
    for (int i = 0; i < n; i++)
        mark((amp_index1){i}, n, kind, want->seen, want->to_do, want->number);
    for (int v = 1; v < LENGTH(views); v++)
        CHECK_OK(amp_synchronize(views[v]));
    CHECK_BYTES(marks[0].seen, want->seen, n, "seen, %d threads", n)
    CHECK_BYTES(marks[0].to_do, want->to_do, n, "to do, %d threads", n)
    CHECK_BYTES(marks[0].number, want->number, n, "numbers, %d threads", n)
    for (int v = 0; v < LENGTH(views); v++)
        amp_array_view_release(views[v]);
}

/* `pattern` says which threads take which branch. */
static void check(int n, int pattern)
{
    int *kind = check_alloc((size_t)n * sizeof *kind);
    struct cell *from = check_alloc((size_t)n * sizeof *from), *to = check_alloc((size_t)n * sizeof *to),
                *want = check_alloc((size_t)n * sizeof *want);
    struct record *records_from = check_alloc((size_t)n * sizeof *records_from),
                  *records_to = check_alloc((size_t)n * sizeof *records_to),
                  *records_want = check_alloc((size_t)n * sizeof *records_want);
    struct longs *longs_from = check_alloc((size_t)n * sizeof *longs_from),
                 *longs_to = check_alloc((size_t)n * sizeof *longs_to),
                 *longs_want = check_alloc((size_t)n * sizeof *longs_want);
    for (int i = 0; i < n; i++) {
        static const int kinds[] = {9, 0, 3};
        kind[i] = pattern < 3    ? kinds[pattern]
                  : pattern == 3 ? i % 16 == 5 ? 7 : 2
                  : pattern == 4 ? i % 37 == 0 ? 1 : 8
                                 : check_value(i) % 10;
        for (int m = 0; m < MEMBERS; m++) {
            from[i].of[m] = (float)(check_value(i * MEMBERS + m) % 500);
            to[i].of[m] = want[i].of[m] = (float)m;
            longs_from[i].of[m] = check_value(i - m);
            longs_to[i].of[m] = longs_want[i].of[m] = m;
        }
        for (int m = 0; m < 4; m++) {
            records_from[i].s[m] = (short)check_value(i + m);
            records_from[i].d[m] = check_value(i - m) % 1000;
            records_from[i].l[m] = check_value(i * m);
            records_to[i].s[m] = records_want[i].s[m] = (short)m;
            records_to[i].d[m] = records_want[i].d[m] = m;
            records_to[i].l[m] = records_want[i].l[m] = m;
        }
    }
    check_marks(n, kind);
    amp_array_view *views[] = {amp_array_view1(n, (const int *)kind),
                               amp_array_view1(n, (const struct cell *)from),
                               amp_array_view1(n, to),
                               amp_array_view1(n, (const struct record *)records_from),
                               amp_array_view1(n, records_to),
                               amp_array_view1(n, (const struct longs *)longs_from),
                               amp_array_view1(n, longs_to)};
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), sides, 5, views[0], views[1], views[2]));
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), sums, 5, views[0], views[5], views[6]));
    if (n % TILE == 0)
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), in_tiles, views[0], views[1], views[2]));
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), records, views[0], views[3], views[4]));
    for (int i = 0; i < n; i++) {
        sides((amp_index1){i}, n, 5, kind, from, want);
        sums((amp_index1){i}, n, 5, kind, longs_from, longs_want);
        records((amp_index1){i}, n, kind, records_from, records_want);
    }
    if (n % TILE == 0)
        in_tiles_again(n, kind, from, want);
    CHECK_OK(amp_synchronize(views[2]));
    CHECK_OK(amp_synchronize(views[4]));
    CHECK_OK(amp_synchronize(views[6]));
    for (int i = 0; i < n * MEMBERS; i++)
        if (longs_to[i / MEMBERS].of[i % MEMBERS] != longs_want[i / MEMBERS].of[i % MEMBERS]) {
            fprintf(stderr, "sums, %d threads, pattern %d: differs at %d\n", n, pattern, i);
            exit(1);
        }
    CHECK_FLOATS((float *)to, (float *)want, n * MEMBERS, "sides, %d threads, pattern %d", n, pattern)
    for (int i = 0; i < n; i++)
        for (int m = 0; m < 4; m++)
            if (records_to[i].s[m] != records_want[i].s[m] || records_to[i].d[m] != records_want[i].d[m] ||
                records_to[i].l[m] != records_want[i].l[m]) {
                fprintf(stderr, "records, %d threads, pattern %d: differs at %d\n", n, pattern, i);
                exit(1);
            }
    check_release(views, LENGTH(views));
}

int main(void)
{
    static const int sizes[] = {1, 7, 64, 1003, 20000};
    for (int s = 0; s < LENGTH(sizes); s++)
        for (int pattern = 0; pattern < 6; pattern++)
            check(sizes[s], pattern);
    return 0;
}
