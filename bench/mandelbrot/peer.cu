/* SPDX-License-Identifier: MIT */

extern "C" __global__ void mandelbrot(int H, int W, int limit, int *out)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= H || col >= W)
        return;
    float cx = -2 + col * (3.0f / W), cy = -1.5f + row * (3.0f / H), zx = 0, zy = 0;
    int n = 0;
    while (n < limit && zx * zx + zy * zy <= 4) {
        float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        n++;
    }
    out[(size_t)row * W + col] = n;
}
