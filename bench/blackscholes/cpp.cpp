/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <amp.h>
#include <amp_math.h>

using namespace concurrency;

static array_view<const float> *price_view, *strike_view, *year_view;
static array_view<float> *call_view, *put_view;

static void prepare(void)
{
    set_up();
    price_view = new array_view<const float>(N, price);
    strike_view = new array_view<const float>(N, strike);
    year_view = new array_view<const float>(N, years);
    call_view = new array_view<float>(N, call);
    put_view = new array_view<float>(N, put);
}

static float cumulative(float d) restrict(amp)
{
    float k = 1 / (1 + 0.2316419f * fast_math::fabs(d));
    float tail =
        0.39894228f * fast_math::exp(-0.5f * d * d) *
        (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - tail : tail;
}

static void run(void)
{
    array_view<const float> s = *price_view, x = *strike_view, t = *year_view;
    array_view<float> c = *call_view, p = *put_view;
    float r = rate, v = volatility;
    c.discard_data();
    p.discard_data();
    parallel_for_each(c.extent, [=](index<1> i) restrict(amp) {
        float spread = v * fast_math::sqrt(t[i]);
        float d1 = (fast_math::log(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / spread;
        float n1 = cumulative(d1), n2 = cumulative(d1 - spread), discounted = x[i] * fast_math::exp(-r * t[i]);
        c[i] = s[i] * n1 - discounted * n2;
        p[i] = discounted * (1 - n2) - s[i] * (1 - n1);
    });
    c.synchronize();
    p.synchronize();
}

BENCH("blackscholes", "plain", prepare, run, verify)
