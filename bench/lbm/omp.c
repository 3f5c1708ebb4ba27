/* SPDX-License-Identifier: MIT */
#include "problem.h"

static void natural(void)
{
    for (int step = 0; step < STEPS; step++) {
        const struct cell *from = lattice[step];
        struct cell *to = lattice[step + 1];
#pragma omp parallel for
        for (int i = MARGIN; i < MARGIN + CELLS; i++)
            step_cell(&from[i], &to[i]);
    }
}

BENCH("lbm", "natural", set_up, natural, verify)
