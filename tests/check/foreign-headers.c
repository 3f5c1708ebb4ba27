// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// CUDA's headers define its marks as macros, so that clang knows them.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#include <amp.h>

__global__ void k(float *x)
{
    x[blockIdx.x] = 1; // expected-error: use of undeclared identifier 'blockIdx' expected-note: a thread's position is in the index, the first parameter of a kernel: 'amp_index1 idx'
}

static __device__ int f(int a)
{
    return __popc(a); // expected-error: call to undeclared function '__popc'; ... expected-note: write __builtin_popcount(x), __builtin_popcountll(x)
}

/* __global__ and __device__ in a comment are no marks. */
int g(int a)
{
    return __popc(a); // expected-error: call to undeclared function '__popc'; ...
}
