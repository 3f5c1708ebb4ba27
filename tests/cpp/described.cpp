// SPDX-License-Identifier: MIT
// At -O0 -g the variables of kernels stay in memory for debuggers, one for each thread of a tile; those of the
// library's functions do not, because a few accesses would take more than there is.
// RUN: %ampcc -O0 -g --amp-gpu=none %s -o %t && %t | FileCheck %s
#include <amp.h>
#include <iostream>
using namespace concurrency;

enum { N = 64 };

int main()
{
    array<int, 2> a(N, N), b(N, N);
    array_view<int, 2> in(a), out(b);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            in(i, j) = i * N + j;
    parallel_for_each(in.extent.tile<32, 32>(), [=](tiled_index<32, 32> t) restrict(amp) {
        tile_static int part[32][32];
        int i = t.local[0], j = t.local[1], top = t.tile_origin[0], left = t.tile_origin[1], sum = 0;
        part[i][j] = in(top + j, left + i);
        t.barrier.wait();
        index<2> at = t.global;
        sum += in[at] + in(index<2>(at[0], left)) + in(top, at[1]) + in[index<2>(top, left)];
        sum -= in[t.global] + in(at[0], t.tile_origin[1]) + in[index<2>(t.tile_origin[0], at[1])] + in(t.tile_origin);
        sum += in[at + index<2>(0, 0)] - in(at - index<2>(0, 0)) + in[t.tile_origin + t.local] - in[at];
        sum += in(at % N) - in[t] + part[j][i];
        out[t] = sum;
    });
    int wrong = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            wrong += out(i, j) != i * N + j;
    std::cout << wrong << " wrong" << std::endl; // CHECK: 0 wrong
}
