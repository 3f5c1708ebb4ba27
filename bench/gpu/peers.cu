/* SPDX-License-Identifier: MIT
 *
 * The kernels of ours.c in CUDA C: the same algorithms, for nvcc -O3. */

template <typename T> __device__ void simple(int M, int N, int W, const T *__restrict__ a, const T *__restrict__ b, T *c)
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

extern "C" __global__ void saxpy(int n, float factor, const float *__restrict__ a, float *__restrict__ b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] += factor * a[i];
}

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

static __device__ float cumulative(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float tail =
        0.39894228f * expf(-0.5f * d * d) *
        (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - tail : tail;
}

extern "C" __global__ void blackscholes(int n, float r, float v, const float *__restrict__ s, const float *__restrict__ x,
                                        const float *__restrict__ t, float *__restrict__ c, float *__restrict__ p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float spread = v * sqrtf(t[i]);
    float d1 = (logf(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / spread;
    float n1 = cumulative(d1), n2 = cumulative(d1 - spread), discounted = x[i] * expf(-r * t[i]);
    c[i] = s[i] * n1 - discounted * n2;
    p[i] = discounted * (1 - n2) - s[i] * (1 - n1);
}

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

extern "C" __global__ void jacobi(int M, int N, const float *__restrict__ from, float *__restrict__ to)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y + 1, j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i >= M - 1 || j >= N - 1)
        return;
    size_t at = (size_t)i * N + j;
    to[at] = 0.25f * (from[at - N] + from[at + N] + from[at - 1] + from[at + 1]);
}

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

extern "C" __global__ void nbody(int n, float soft, const float4 *__restrict__ p, float4 *__restrict__ a)
{
    __shared__ float4 other[256];
    int at = blockIdx.x * 256 + threadIdx.x;
    float4 me = p[at];
    float x = 0, y = 0, z = 0;
    for (int first = 0; first < n; first += 256) {
        other[threadIdx.x] = p[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float dx = other[j].x - me.x, dy = other[j].y - me.y, dz = other[j].z - me.z;
            float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + soft);
            float s = other[j].w * inverse * inverse * inverse;
            x += dx * s;
            y += dy * s;
            z += dz * s;
        }
        __syncthreads();
    }
    a[at] = make_float4(x, y, z, 0);
}

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

extern "C" __global__ void launch(int *x)
{
    x[threadIdx.x]++;
}
