/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include "kernel.h"

static int go_on;
static amp_array_view *first, *to, *now, *later, *done, *costs, *flag;

static void prepare(void)
{
    set_up();
    first = amp_array_view1(NODES + 1, (const int *)offset);
    to = amp_array_view1(n_edges, (const int *)neighbour);
    now = amp_array_view1(NODES, frontier);
    later = amp_array_view1(NODES, next);
    done = amp_array_view1(NODES, visited);
    costs = amp_array_view1(NODES, cost);
    flag = amp_array_view1(1, &go_on);
}

static void level(void)
{
    amp_parallel_for_each(amp_extent1(NODES), expand, first, to, now, later, done, costs);
    amp_parallel_for_each(amp_extent1(NODES), advance, now, later, done, flag);
}

static void level_atomic(void)
{
    amp_parallel_for_each(amp_extent1(NODES), expand_atomic, first, to, now, done, costs);
    amp_parallel_for_each(amp_extent1(NODES), advance_atomic, now, done, costs, flag);
}

static void search(void (*level)(void))
{
    begin();
    amp_array_view *const written[] = {now, later, done, costs};
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        amp_refresh(written[i]);
    do {
        go_on = 0;
        amp_refresh(flag);
        level();
        amp_synchronize(flag);
    } while (go_on);
    amp_synchronize(costs);
}

static void run(void)
{
    search(level);
}

static void run_atomic(void)
{
    search(level_atomic);
}

BENCH("bfs", "plain", prepare, run, verify)
BENCH("bfs", "atomic", prepare, run_atomic, verify)
