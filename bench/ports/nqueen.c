/* SPDX-License-Identifier: MIT
 *
 * In how many ways twelve queens stand on a board without a threat: each thread tries what goes with one beginning of
 * four rows, with a stack of its own. */
#include "port.h"

enum { N = 12, BEGUN = 4, ALL = (1 << N) - 1, MOST = N * N * N * N };
struct beginning {
    int columns, left, right;
};
static struct beginning *beginnings;
static int count, *solutions;

static void begin(int row, int columns, int left, int right)
{
    if (row == BEGUN)
        beginnings[count++] = (struct beginning){columns, left, right};
    else
        for (int free = ALL & ~(columns | left | right); free; free &= free - 1) {
            int bit = free & -free;
            begin(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
        }
}

static void set_up(void)
{
    beginnings = new_array(MOST * sizeof *beginnings);
    solutions = new_array(MOST * sizeof *solutions);
    count = 0;
    begin(0, 0, 0, 0);
}

static inline int solve(struct beginning from) FOR_BOTH
{
    int free[N - BEGUN], columns[N - BEGUN + 1], left[N - BEGUN + 1], right[N - BEGUN + 1], found = 0, row = 0;
    columns[0] = from.columns;
    left[0] = from.left;
    right[0] = from.right;
    free[0] = ALL & ~(from.columns | from.left | from.right);
    while (row >= 0) {
        int bit = free[row] & -free[row];
        if (!bit) {
            row--;
            continue;
        }
        free[row] &= ~bit;
        if (row == N - BEGUN - 1) {
            found++;
            continue;
        }
        columns[row + 1] = columns[row] | bit;
        left[row + 1] = (left[row] | bit) << 1;
        right[row + 1] = (right[row] | bit) >> 1;
        row++;
        free[row] = ALL & ~(columns[row] | left[row] | right[row]);
    }
    return found;
}

static void loops(void)
{
#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < count; i++)
        solutions[i] = solve(beginnings[i]);
}

#ifndef _OPENMP
static void solve_all(amp_index1 idx, int n, const struct beginning from[n], int to[n]) restrict(amp)
{
    to[idx[0]] = solve(from[idx[0]]);
}

static void launch(void)
{
    amp_auto_array_view *from = amp_array_view1(count, (const struct beginning *)beginnings);
    amp_auto_array_view *to = amp_array_view1(count, solutions);
    amp_discard_data(to);
    amp_parallel_for_each(amp_extent1(count), solve_all, from, to);
    amp_synchronize(to);
}
#endif

PORT("nqueen", solutions, (size_t)count, 0)
