/* SPDX-License-Identifier: MIT */

template <typename T>
__device__ void simple(int M, int N, int W, const T *__restrict__ a, const T *__restrict__ b, T *c)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N)
        return;
    T sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[(size_t)row * W + k] * b[(size_t)k * N + col];
    c[(size_t)row * N + col] = sum;
}

template <typename T, int TS>
__device__ void tiled(int M, int N, int W, const T *__restrict__ a, const T *__restrict__ b, T *c)
{
    __shared__ T local_a[TS][TS], local_b[TS][TS];
    int row = threadIdx.y, col = threadIdx.x, global_row = blockIdx.y * TS + row, global_col = blockIdx.x * TS + col;
    T sum = 0;
    for (int i = 0; i < W; i += TS) {
        local_a[row][col] = a[(size_t)global_row * W + i + col];
        local_b[row][col] = b[(size_t)(i + row) * N + global_col];
        __syncthreads();
        for (int k = 0; k < TS; k++)
            sum += local_a[row][k] * local_b[k][col];
        __syncthreads();
    }
    c[(size_t)global_row * N + global_col] = sum;
}

#define MXM(name, T, ...)                                                                                              \
    extern "C" __global__ void name(int M, int N, int W, const T *a, const T *b, T *c)                                 \
    {                                                                                                                  \
        __VA_ARGS__(M, N, W, a, b, c);                                                                                 \
    }
MXM(mxm_simple, float, simple<float>)
MXM(mxm_simple_int, int, simple<int>)
MXM(mxm_tiled, float, tiled<float, 16>)
MXM(mxm_tiled_int, int, tiled<int, 16>)
MXM(mxm_tiled8, float, tiled<float, 8>)
MXM(mxm_tiled32, float, tiled<float, 32>)
