/* SPDX-License-Identifier: MIT
 *
 * Prices of European options by Black and Scholes: 3 numbers in, 2 out. The cumulative normal distribution is that
 * of Abramowitz and Stegun, 26.2.17 (error below 7.5e-8), as in most programs of that name. */
#include "../bench.h"

enum { N = 1 << 22 };
static const float rate = 0.02f, volatility = 0.30f;
static float *price, *strike, *years, *call, *put;

static void set_up(void)
{
    float **arrays[] = {&price, &strike, &years, &call, &put};
    for (int i = 0; i < 5; i++)
        *arrays[i] = new_array(N * sizeof(float));
    for (uint32_t i = 0; i < N; i++) {
        price[i] = between(5, 30, 3 * i);
        strike[i] = between(1, 100, 3 * i + 1);
        years[i] = between(0.25f, 10, 3 * i + 2);
    }
}

static double normal(double d)
{
    return 0.5 * erfc(-d / sqrt(2));
}

static void verify(void)
{
    for (size_t i = 0; i < N; i += 61) {
        double spread = volatility * sqrt(years[i]), discounted = strike[i] * exp(-(double)rate * years[i]);
        double d1 = (log((double)price[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / spread;
        double expected = price[i] * normal(d1) - discounted * normal(d1 - spread);
        expect(call[i], expected, 1e-4, i);
        expect(put[i], expected + discounted - price[i], 1e-4, i);
    }
}
