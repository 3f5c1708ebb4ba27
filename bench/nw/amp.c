/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include "kernel.h"

static amp_array_view *scores, *similarities;

static void prepare(void)
{
    set_up();
    scores = amp_array_view2(SIZE + 1, SIZE + 1, score);
    similarities = amp_array_view2(SIZE, SIZE, (const int *)similarity);
}

static void run(void)
{
    for (int diagonal = 0; diagonal < 2 * BLOCKS - 1; diagonal++) {
        int first = diagonal < BLOCKS ? 0 : diagonal - BLOCKS + 1, last = diagonal - first;
        amp_parallel_for_each(amp_extent1((last - first + 1) * TILE), align, first, last, scores, similarities);
    }
    amp_synchronize(scores);
}

BENCH("nw", "plain", prepare, run, verify)
