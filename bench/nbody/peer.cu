/* SPDX-License-Identifier: MIT */

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
