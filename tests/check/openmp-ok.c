// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fopenmp -fsyntax-only %s
// RUN: python3 %root/tests/expect.py %ampcc --amp-stop-after=check %s
// No OpenMP inside of kernels.
#include <amp.h>

int host(int n, int *x)
{
#pragma omp parallel for
    for (int j = 0; j < n; j++)
        x[j] = j;
    return 0;
}

static void both(int n, int *x) restrict(cpu, amp)
{
#ifndef _OPENMP
#pragma omp simd
#endif
    for (int j = 0; j < n; j++)
        x[j] = j;
}

void k(amp_index1 i) restrict(amp)
{
    // no omp here:
    // #pragma omp simd
}
