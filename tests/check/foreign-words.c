// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// Words of CUDA and OpenCL in kernels. On the host they are only names that are not declared.
#include <amp.h>

void untiled(amp_index2 idx, int M, int N, float x[M][N]) restrict(amp)
{
    x[0][get_global_id(0)] = 1; // expected-error: call to undeclared function 'get_global_id'; ... expected-note: a thread's position is in the kernel's index; write 'idx[1]'
    x[0][blockIdx.x * blockDim.x] = 1; // expected-error: use of undeclared identifier 'blockIdx' expected-note: this kernel has no blocks; the position of a thread among all is 'idx[1]' expected-error: use of undeclared identifier 'blockDim'
    x[0][0] = gridDim.x; // expected-error: use of undeclared identifier 'gridDim' expected-note: pass the extent to the kernel, or use an array's bound
    atomicAdd(&x[0][0], 1); // expected-error: call to undeclared function 'atomicAdd'; ... expected-note: write amp_atomic_fetch_add(&x, value)
}

void tiled(amp_tiled_index2(16, 16) t, int N, float x[N]) restrict(amp)
{
    __shared__ float s[16]; // expected-error: use of undeclared identifier '__shared__' expected-note: memory that a tile shares is declared in a tiled kernel, with constant sizes: 'tile_static float s[256]'
    int i = threadIdx.x; // expected-error: use of undeclared identifier 'threadIdx' expected-note: this is in the kernel's index; write 't.local[1]'
    int j = blockIdx.y; // expected-error: use of undeclared identifier 'blockIdx' expected-note: this is in the kernel's index; write 't.tile[0]'
    int k = get_group_id(0); // expected-error: call to undeclared function 'get_group_id'; ... expected-note: this is in the kernel's index; write 't.tile[1]'
    int l = get_local_size(1); // expected-error: call to undeclared function 'get_local_size'; ... expected-note: this is in the kernel's index; write 't.tile_extent[0]'
    __syncthreads(); // expected-error: call to undeclared function '__syncthreads'; ... expected-note: a tiled kernel calls amp_tile_barrier_wait(t.barrier)
    x[i] = j + k + l;
}

static int helper(void) restrict(amp)
{
    return threadIdx.x; // expected-error: use of undeclared identifier 'threadIdx' expected-note: a thread's position is in the index, the first parameter of a kernel: 'amp_index1 idx'
}

__global__ void cuda(float *x) // expected-error: unknown type name '__global__' expected-note: did you mean restrict(amp)? It stands after a kernel's parameters, the first of which is the index: 'amp_index1 idx'
{
    x[threadIdx.x] = 1; // expected-error: use of undeclared identifier 'threadIdx' expected-note: a thread's position is in the index, the first parameter of a kernel: 'amp_index1 idx'
}

__device__ float both(float x) // expected-error: unknown type name '__device__' expected-note: a function for kernels is marked restrict(amp) after its parameters; data are passed as array parameters
{
    return x;
}

__kernel void opencl(__global float *x) // expected-error: unknown type name '__kernel' expected-note: did you mean restrict(amp)? ... expected-error: unknown type name '__global' expected-note: a kernel's arrays are parameters with bounds: 'int N, float x[N]'
{
    x[get_local_id(0)] = 1; // expected-error: call to undeclared function 'get_local_id'; ... expected-note: a thread's position is in the index, the first parameter of a kernel: 'amp_index1 idx'
}

int host(void)
{
    return threadIdx.x + get_num_groups(0); // expected-error: use of undeclared identifier 'threadIdx' expected-error: call to undeclared function 'get_num_groups'; ...
}
