/* SPDX-License-Identifier: MIT */

extern "C" __global__ void reduction(const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float part[256];
    int i = threadIdx.x;
    part[i] = in[(size_t)blockIdx.x * 256 + i];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (i < half)
            part[i] += part[i + half];
        __syncthreads();
    }
    if (i == 0)
        out[blockIdx.x] = part[0];
}
