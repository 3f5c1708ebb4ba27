/* SPDX-License-Identifier: MIT */

extern "C" __global__ void histogram(const unsigned char *__restrict__ in, int *out)
{
    __shared__ int own[256];
    int i = threadIdx.x;
    size_t first = (size_t)blockIdx.x * (256 * 256);
    own[i] = 0;
    __syncthreads();
    for (int k = 0; k < 256; k++)
        atomicAdd(&own[in[first + k * 256 + i]], 1);
    __syncthreads();
    atomicAdd(&out[i], own[i]);
}
