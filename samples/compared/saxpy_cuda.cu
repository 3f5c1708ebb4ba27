// SPDX-License-Identifier: MIT
#include <cstdio>
#include <vector>

// kernel
__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}
// host

int main()
{
    const int N = 1 << 20;
    std::vector<float> x(N), y(N, 1.0f);
    for (int i = 0; i < N; i++)
        x[i] = float(i % 8);
    float *xs, *ys;
    cudaMalloc(&xs, N * sizeof(float));
    cudaMalloc(&ys, N * sizeof(float));
    cudaMemcpy(xs, x.data(), N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(ys, y.data(), N * sizeof(float), cudaMemcpyHostToDevice);
    saxpy<<<(N + 255) / 256, 256>>>(N, 2.0f, xs, ys);
    cudaMemcpy(y.data(), ys, N * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(xs);
    cudaFree(ys);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        return 1;
    }
    printf("%g %g\n", y[0], y[N - 1]);
    return 0;
}
