/* SPDX-License-Identifier: MIT */

extern "C" __global__ void saxpy(int n, float factor, const float *__restrict__ a, float *__restrict__ b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] += factor * a[i];
}
