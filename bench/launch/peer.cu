/* SPDX-License-Identifier: MIT */

extern "C" __global__ void launch(int *x)
{
    x[threadIdx.x]++;
}
