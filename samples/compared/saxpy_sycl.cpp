// SPDX-License-Identifier: MIT
#include <iostream>
#include <sycl/sycl.hpp>
#include <vector>

int main()
{
    const int N = 1 << 20;
    std::vector<float> x(N), y(N, 1.0f);
    for (int i = 0; i < N; i++)
        x[i] = float(i % 8);
    try {
        sycl::queue queue;
        sycl::buffer<float> x_buffer(x), y_buffer(y); // y is up to date when they are destroyed
        queue.submit([&](sycl::handler &handler) {
            sycl::accessor xs(x_buffer, handler, sycl::read_only);
            sycl::accessor ys(y_buffer, handler, sycl::read_write);
            handler.parallel_for(sycl::range<1>(N), [=](sycl::id<1> i) {
                // kernel
                ys[i] += 2.0f * xs[i];
                // host
            });
        });
        queue.wait_and_throw();
    } catch (const sycl::exception &e) {
        std::cerr << e.what() << "\n";
        return 1;
    }
    std::cout << y[0] << " " << y[N - 1] << "\n";
    return 0;
}
