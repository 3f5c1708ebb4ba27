/* SPDX-License-Identifier: MIT
 *
 * An empty region with all threads. */
#include "problem.h"

static void run(void)
{
#pragma omp parallel
    __asm__ volatile("");
    count[0]++;
}

BENCH("launch", "natural", set_up, run, verify)
