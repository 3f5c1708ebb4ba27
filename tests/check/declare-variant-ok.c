// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fopenmp -fsyntax-only %s
// Functions that kernels do not call may have variants.
#include <amp.h>

static int on_host(void)
{
    return 1;
}
#pragma omp begin declare variant match(implementation = {vendor(llvm)})
static int on_host(void)
{
    return 2;
}
#pragma omp end declare variant

void k(amp_index1 i, int n, int x[n]) restrict(amp)
{
    x[i[0]] = 1;
}

int main(void)
{
    return on_host() - 2;
}
