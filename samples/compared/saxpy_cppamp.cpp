// SPDX-License-Identifier: MIT
#include <amp.h>
#include <iostream>
#include <vector>

int main()
{
    const int N = 1 << 20;
    std::vector<float> x(N), y(N, 1.0f);
    for (int i = 0; i < N; i++)
        x[i] = float(i % 8);
    try {
        concurrency::array_view<const float> xs(N, x);
        concurrency::array_view<float> ys(N, y);
        concurrency::parallel_for_each(ys.extent, [=](concurrency::index<1> i) restrict(amp) {
            // kernel
            ys[i] += 2.0f * xs[i];
            // host
        });
        ys.synchronize();
    } catch (const concurrency::runtime_exception &e) {
        std::cerr << e.what() << "\n";
        return 1;
    }
    std::cout << y[0] << " " << y[N - 1] << "\n";
    return 0;
}
