/* SPDX-License-Identifier: MIT */
#include "bench.h"

const char *bench_note(void)
{
    static char note[64];
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    threads++;
    snprintf(note, sizeof note, "%d OpenMP threads", threads);
    return note;
}
