/* SPDX-License-Identifier: MIT */

static __device__ float cumulative(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float tail =
        0.39894228f * expf(-0.5f * d * d) *
        (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - tail : tail;
}

extern "C" __global__ void blackscholes(int n, float r, float v, const float *__restrict__ s,
                                        const float *__restrict__ x, const float *__restrict__ t, float *__restrict__ c,
                                        float *__restrict__ p)
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
