// SPDX-License-Identifier: MIT
#include <cstdio>
#include <vector>

// kernel
__global__ void product(int M, int N, int W, const float *a, const float *b, float *c)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || column >= N)
        return;
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[row * W + k] * b[k * N + column];
    c[row * N + column] = sum;
}
// host

int main()
{
    const int M = 96, N = 160, W = 128;
    std::vector<float> a(M * W), b(W * N), c(M * N);
    for (int i = 0; i < M * W; i++)
        a[i] = float(i % 7);
    for (int i = 0; i < W * N; i++)
        b[i] = float(i % 9);
    float *as, *bs, *cs;
    cudaMalloc(&as, M * W * sizeof(float));
    cudaMalloc(&bs, W * N * sizeof(float));
    cudaMalloc(&cs, M * N * sizeof(float));
    cudaMemcpy(as, a.data(), M * W * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(bs, b.data(), W * N * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(16, 16), grid((N + 15) / 16, (M + 15) / 16);
    product<<<grid, block>>>(M, N, W, as, bs, cs);
    cudaMemcpy(c.data(), cs, M * N * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(as);
    cudaFree(bs);
    cudaFree(cs);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        return 1;
    }
    printf("%g %g\n", c[0], c[M * N - 1]);
    return 0;
}
