/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <amp.h>

using namespace concurrency;

static int go_on;
static array_view<const int> *first, *to;
static array_view<unsigned char> *now, *later, *done;
static array_view<int> *costs, *flag;

static void prepare(void)
{
    set_up();
    first = new array_view<const int>(NODES + 1, offset);
    to = new array_view<const int>(n_edges, neighbour);
    now = new array_view<unsigned char>(NODES, frontier);
    later = new array_view<unsigned char>(NODES, next);
    done = new array_view<unsigned char>(NODES, visited);
    costs = new array_view<int>(NODES, cost);
    flag = new array_view<int>(1, &go_on);
}

static void expand(array_view<const int> at, array_view<const int> neighbours, array_view<unsigned char> here,
                   array_view<unsigned char> there, array_view<const unsigned char> known, array_view<int> distance)
{
    parallel_for_each(here.extent, [=](index<1> idx) restrict(amp) {
        int node = idx[0];
        if (!here[node])
            return;
        here[node] = 0;
        for (int k = at[node]; k < at[node + 1]; k++) {
            int next = neighbours[k];
            if (!known[next]) {
                distance[next] = distance[node] + 1;
                there[next] = 1;
            }
        }
    });
}

static void advance(array_view<unsigned char> here, array_view<unsigned char> there, array_view<unsigned char> known,
                    array_view<int> is_left)
{
    parallel_for_each(here.extent, [=](index<1> idx) restrict(amp) {
        int node = idx[0];
        if (!there[node])
            return;
        here[node] = known[node] = 1;
        is_left[0] = 1;
        there[node] = 0;
    });
}

static void run(void)
{
    begin();
    now->refresh();
    later->refresh();
    done->refresh();
    costs->refresh();
    do {
        go_on = 0;
        flag->refresh();
        expand(*first, *to, *now, *later, *done, *costs);
        advance(*now, *later, *done, *flag);
        flag->synchronize();
    } while (go_on);
    costs->synchronize();
}

BENCH("bfs", "plain", prepare, run, verify)
