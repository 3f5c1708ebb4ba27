// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// CUDA's functions of warps and its fences, in kernels.
#include <amp.h>

void warps(amp_tiled_index1(64) t, int N, int x[N]) restrict(amp)
{
    int i = t.local[0];
    x[i] += __shfl_down_sync(~0u, x[i], 1); // expected-error: call to undeclared function '__shfl_down_sync'; ... expected-note: there is no warp; exchange values through tile_static memory, with a barrier between writes and reads
    x[i] += __shfl_xor_sync(~0u, x[i], 1); // expected-error: call to undeclared function '__shfl_xor_sync'; ... expected-note: there is no warp; ...
    x[i] += __ballot_sync(~0u, x[i]); // expected-error: call to undeclared function '__ballot_sync'; ... expected-note: there is no warp; ...
    x[i] += __any_sync(~0u, x[i]); // expected-error: call to undeclared function '__any_sync'; ... expected-note: there is no warp; ...
    x[i] += __all_sync(~0u, x[i]); // expected-error: call to undeclared function '__all_sync'; ... expected-note: there is no warp; ...
    x[i] += __activemask(); // expected-error: call to undeclared function '__activemask'; ... expected-note: there is no warp; ...
    __syncwarp(); // expected-error: call to undeclared function '__syncwarp'; ... expected-note: there is no warp; ...
    x[i] /= warpSize; // expected-error: use of undeclared identifier 'warpSize' expected-note: there is no warp; ...
    x[i] += laneId; // expected-error: use of undeclared identifier 'laneId' expected-note: there is no warp; ...
    __threadfence(); // expected-error: call to undeclared function '__threadfence'; ... expected-note: nothing orders the accesses of different tiles within a launch; end the kernel and launch a second one. For the threads of a tile there is amp_all_memory_fence(t.barrier)
    __threadfence_block(); // expected-error: call to undeclared function '__threadfence_block'; ... expected-note: threads of a tile order their accesses with amp_all_memory_fence(t.barrier)
    x[i] = __syncthreads_count(x[i]); // expected-error: call to undeclared function '__syncthreads_count'; ... expected-note: let each thread write its value to tile_static memory, wait at a barrier, and read what the others wrote
}

static int helper(int x) restrict(amp)
{
    __syncthreads(); // expected-error: call to undeclared function '__syncthreads'; ... expected-note: a tiled kernel calls amp_tile_barrier_wait(t.barrier); its index is 'amp_tiled_index1(256) t'
    return x;
}

void untiled(amp_index2 idx, int M, int N, int x[M][N]) restrict(amp)
{
    __syncthreads(); // expected-error: call to undeclared function '__syncthreads'; ... expected-note: a tiled kernel calls amp_tile_barrier_wait(t.barrier); its index is 'amp_tiled_index2(16, 16) t'
}
