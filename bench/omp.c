/* SPDX-License-Identifier: MIT
 *
 * An empty OpenMP region with all threads: omp region none RUNS. */
#include "bench.h"

int main(int argc, char **argv)
{
    if (argc != 4)
        die("usage: omp region none RUNS");
    int runs = atoi(argv[3]), entered = 0;
    for (int i = -100; i < runs; i++) {
        double start = now();
#pragma omp parallel
        __asm__ volatile("");
        double seconds = now() - start;
        if (i >= 0)
            printf("%.9f\n", seconds);
    }
#pragma omp parallel reduction(+ : entered)
    entered++;
    printf("# %d threads\n", entered);
    return 0;
}
