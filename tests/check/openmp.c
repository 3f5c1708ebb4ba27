// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fopenmp -fsyntax-only %s
// No OpenMP inside of kernels.
#include <amp.h>

void k(amp_index1 i, int N, int x[N]) restrict(amp)
{
#pragma omp simd // expected-error: OpenMP and OpenACC directives are not allowed in restrict(amp) code, the kernel's threads are all there are; remove it
    for (int j = 0; j < N; j++)
        x[j] = j;
}
