// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fopenmp -fsyntax-only %s
// RUN: %ampcc --amp-stop-after=check %s 2>&1 | FileCheck %s
// RUN: %ampcc --amp-stop-after=check -Wno-amp-openmp -Werror %s
// No OpenMP inside of kernels.
#include <amp.h>

void k(amp_index1 i, int N, int x[N]) restrict(amp)
{
// CHECK: openmp.c:[[#@LINE+1]]:1: warning: OpenMP's directives do nothing in a kernel, whose threads are all there are; remove this one [-Wamp-openmp]
#pragma omp simd // expected-error: OpenMP and OpenACC directives are not allowed in restrict(amp) code, the kernel's threads are all there are; remove it
    for (int j = 0; j < N; j++)
        x[j] = j;
}
