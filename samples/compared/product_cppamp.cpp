// SPDX-License-Identifier: MIT
#include <amp.h>
#include <iostream>
#include <vector>

int main()
{
    const int M = 96, N = 160, W = 128;
    std::vector<float> a(M * W), b(W * N), c(M * N);
    for (int i = 0; i < M * W; i++)
        a[i] = float(i % 7);
    for (int i = 0; i < W * N; i++)
        b[i] = float(i % 9);
    try {
        concurrency::array_view<const float, 2> as(M, W, a), bs(W, N, b);
        concurrency::array_view<float, 2> cs(M, N, c);
        cs.discard_data();
        concurrency::parallel_for_each(cs.extent, [=](concurrency::index<2> i) restrict(amp) {
            // kernel
            float sum = 0;
            for (int k = 0; k < W; k++)
                sum += as(i[0], k) * bs(k, i[1]);
            cs[i] = sum;
            // host
        });
        cs.synchronize();
    } catch (const concurrency::runtime_exception &e) {
        std::cerr << e.what() << "\n";
        return 1;
    }
    std::cout << c[0] << " " << c[M * N - 1] << "\n";
    return 0;
}
