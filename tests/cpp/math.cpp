// fast_math and precise_math.
// row: header.amp_math, math.fast, math.precise
// RUN: %ampcc -O2 %s -o %t && %run %t | FileCheck %s
// CHECK: all right
#include "check.h"

#include <amp.h>
#include <amp_math.h>
#include <cmath>
#include <vector>

using namespace concurrency;

static bool near(double a, double b)
{
    return std::fabs(a - b) <= 1e-5 * std::fabs(b) + 1e-7;
}

int main()
{
    const int n = 100;
    std::vector<float> fast(n);
    std::vector<double> precise(n), rest(n);
    {
        array_view<float> f(n, fast);
        array_view<double> p(n, precise), r(n, rest);
        parallel_for_each(f.extent, [=](index<1> i) restrict(amp) {
            float x = 0.01f * (i[0] + 1), sine, cosine;
            double y = x, whole;
            int exponent;
            fast_math::sincos(x, &sine, &cosine);
            f[i] =
                fast_math::sin(x) + fast_math::sqrtf(x) * fast_math::pow(x, 1.5f) + fast_math::rsqrt(x) + sine * cosine;
            p[i] = precise_math::exp(y) + precise_math::hypot(y, 2.0) + precise_math::erf(y) + precise_math::cospi(y) +
                   precise_math::fma(y, y, 1.0) + precise_math::cbrtf(x);
            r[i] = precise_math::modf(10 * y, &whole) + whole + precise_math::frexp(y, &exponent) + exponent +
                   precise_math::isnan(y) + precise_math::isfinite(x);
        });
    }
    for (int i = 0; i < n; i++) {
        float x = 0.01f * (i + 1);
        double y = x;
        int exponent;
        double fraction = std::frexp(y, &exponent);
        CHECK(near(fast[i],
                   std::sin(y) + std::sqrt(y) * std::pow(y, 1.5) + 1 / std::sqrt(y) + std::sin(y) * std::cos(y)));
        CHECK(near(precise[i], std::exp(y) + std::hypot(y, 2.0) + std::erf(y) + std::cos(3.14159265358979323846 * y) +
                                   y * y + 1 + std::cbrt(y)));
        CHECK(near(rest[i], 10 * y + fraction + exponent + 1));
    }
    return result();
}
