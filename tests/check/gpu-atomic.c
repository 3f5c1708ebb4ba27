// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-gpu=sm_75 -c -o %t.o %s
// An atomic operation on a GPU is one of shared or of global memory; a thread's own variables are neither.
#include <amp.h>

void k(amp_index1 i, int N, int x[N]) restrict(amp)
{
    int own[2] = {N, 1};
    int *place = x[i[0]] > 5 ? &own[N & 1] : x;
    amp_atomic_fetch_add(place, 1); // expected-error: GPUs have no atomic operation for a pointer that may be to a variable of the thread or to memory that others see: choose with 'if' between two operations, or make no code for GPUs with --amp-gpu=none
    x[i[0]] = own[0];
}
