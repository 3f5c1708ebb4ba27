/* SPDX-License-Identifier: MIT */
#include "../gpu/gpu.h"
#include "kernel.h"

static struct data price, strike, years, call, put;
static float rate = 0.02f, volatility = 0.3f;
static int bn;
static void set_up(void)
{
    bn = is_check ? 10007 : 1 << 26;
    size_t n = (size_t)bn;
    price = floats(n, random_floats(n, 5, 30)), strike = floats(n, random_floats(n, 1, 100));
    years = floats(n, random_floats(n, 0.25f, 10)), call = floats(n, NULL), put = floats(n, NULL);
}
static void ours(void)
{
    amp_parallel_for_each_on(on, amp_extent1(bn), black_scholes, rate, volatility, price.array, strike.array,
                             years.array, call.array, put.array);
}
static void peer(void)
{
    launch_peer(
        "blackscholes", blocks(bn, 256), 1, 256, 1,
        (void *[]){&bn, &rate, &volatility, &price.memory, &strike.memory, &years.memory, &call.memory, &put.memory});
}
static void verify(void)
{
    float *c = new_array(call.size_bytes), *p = new_array(put.size_bytes);
    const float *s = price.host, *x = strike.host, *t = years.host;
    fetch(&call, c);
    fetch(&put, p);
    for (int i = 0; i < bn; i += 1 + bn / 100003) {
        double spread = (double)volatility * sqrt(t[i]);
        double d1 = (log((double)s[i] / x[i]) + (rate + 0.5 * volatility * volatility) * t[i]) / spread;
        double n1 = 0.5 * erfc(-d1 / sqrt(2)), n2 = 0.5 * erfc(-(d1 - spread) / sqrt(2)),
               discounted = x[i] * exp(-(double)rate * t[i]);
        expect(c[i], s[i] * n1 - discounted * n2, 1e-3, (size_t)i);
        expect(p[i], discounted * (1 - n2) - s[i] * (1 - n1), 1e-3, (size_t)i);
    }
    store(&call, NULL);
    store(&put, NULL);
    free(c), free(p);
}

GPU_PROBLEM("blackscholes", set_up, ours, peer, verify)
