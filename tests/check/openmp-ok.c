// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fopenmp -fsyntax-only %s
// No OpenMP inside of kernels.
#include <amp.h>

int host(int n, int *x)
{
#pragma omp parallel for
    for (int j = 0; j < n; j++)
        x[j] = j;
    return 0;
}

void k(amp_index1 i) restrict(amp)
{
}
