// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fopenmp -fsyntax-only %s
// A kernel is no variant of a function.
#include <amp.h>

#pragma omp begin declare variant match(implementation = {vendor(llvm)})
void k(amp_index1 i, int n, int x[n]) restrict(amp) // expected-error: kernel 'k' stands between '#pragma omp begin declare variant' and its end; move it out of there
{
    x[i[0]] = 1;
}
#pragma omp end declare variant
