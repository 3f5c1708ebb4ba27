/* SPDX-License-Identifier: MIT */
#include "../opencl.h"
#include "problem.h"

static const char source[] = CL(
    float cumulative(float d) {
        float k = 1 / (1 + 0.2316419f * fabs(d));
        float tail =
            0.39894228f * exp(-0.5f * d * d) *
            (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
        return d > 0 ? 1 - tail : tail;
    }

    kernel void black_scholes(float r, float v, global const float *s, global const float *x, global const float *t,
                              global float *c, global float *p) {
        int i = get_global_id(0);
        float spread = v * sqrt(t[i]);
        float d1 = (log(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / spread;
        float n1 = cumulative(d1), n2 = cumulative(d1 - spread), discounted = x[i] * exp(-r * t[i]);
        c[i] = s[i] * n1 - discounted * n2;
        p[i] = discounted * (1 - n2) - s[i] * (1 - n1);
    });

static void *kernel, *s, *x, *t, *c, *p;

static void prepare_with(const char *options)
{
    set_up();
    kernel = cl_kernel(cl_program(source, options), "black_scholes");
    s = cl_buffer(price, N * sizeof(float));
    x = cl_buffer(strike, N * sizeof(float));
    t = cl_buffer(years, N * sizeof(float));
    c = cl_buffer(call, N * sizeof(float));
    p = cl_buffer(put, N * sizeof(float));
}

static void prepare(void)
{
    prepare_with("");
}

static void prepare_fast(void)
{
    prepare_with("-cl-fast-relaxed-math");
}

static void run(void)
{
    cl_run(kernel, 1, (size_t[]){N}, NULL, 7,
           (struct cl_value[]){CL_VALUE(rate), CL_VALUE(volatility), CL_VALUE(s), CL_VALUE(x), CL_VALUE(t), CL_VALUE(c),
                               CL_VALUE(p)});
    cl_read(c, N * sizeof(float));
    cl_read(p, N * sizeof(float));
}

BENCH("blackscholes", "plain", prepare, run, verify)
BENCH("blackscholes", "fast", prepare_fast, run, verify)
