/* SPDX-License-Identifier: MIT */

extern "C" __global__ void spmv(int rows, const int *__restrict__ at, const int *__restrict__ col,
                                const float *__restrict__ v, const float *__restrict__ in, float *__restrict__ out)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = at[row]; k < at[row + 1]; k++)
        sum += v[k] * in[col[k]];
    out[row] = sum;
}
