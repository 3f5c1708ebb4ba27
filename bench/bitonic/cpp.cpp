/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <amp.h>

using namespace concurrency;

static array_view<unsigned> *view;

static void prepare(void)
{
    set_up();
    view = new array_view<unsigned>(N, values);
}

/* A thread for each pair: its number gives both elements, and the direction in which they are sorted. */
static void exchange(int distance, int length, array_view<unsigned> all)
{
    parallel_for_each(extent<1>(N / 2), [=](index<1> idx) restrict(amp) {
        int pair = idx[0];
        int low = pair / distance * 2 * distance + pair % distance, high = low + distance;
        unsigned a = all[low], b = all[high];
        bool goes_up = low / length % 2 == 0;
        if ((a > b) == goes_up) {
            all[low] = b;
            all[high] = a;
        }
    });
}

static void run(void)
{
    begin();
    view->refresh();
    for (int length = 2; length <= N; length *= 2)
        for (int distance = length / 2; distance > 0; distance /= 2)
            exchange(distance, length, *view);
    view->synchronize();
}

BENCH("bitonic", "plain", prepare, run, verify)
