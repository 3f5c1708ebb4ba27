/* SPDX-License-Identifier: MIT */
static inline float cumulative(float d)
{
    float k = 1 / (1 + 0.2316419f * abs(d));
    float tail =
        0.39894228f * exp(-0.5f * d * d) *
        (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - tail : tail;
}

export void black_scholes(uniform int first, uniform int end, uniform float r, uniform float v,
                          const uniform float s[], const uniform float x[], const uniform float t[],
                          uniform float c[], uniform float p[])
{
    foreach (i = first ... end) {
        float spread = v * sqrt(t[i]);
        float d1 = (log(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / spread;
        float n1 = cumulative(d1), n2 = cumulative(d1 - spread), discounted = x[i] * exp(-r * t[i]);
        c[i] = s[i] * n1 - discounted * n2;
        p[i] = discounted * (1 - n2) - s[i] * (1 - n1);
    }
}
