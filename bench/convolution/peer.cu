/* SPDX-License-Identifier: MIT */

extern "C" __global__ void convolution(int H, int W, const float *__restrict__ f, const float *__restrict__ a, float *b)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= H || col >= W)
        return;
    float sum = 0;
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++) {
            int y = row + i - 3, x = col + j - 3;
            if (y >= 0 && y < H && x >= 0 && x < W)
                sum += f[i * 7 + j] * a[(size_t)y * W + x];
        }
    b[(size_t)row * W + col] = sum;
}
