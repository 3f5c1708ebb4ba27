// SPDX-License-Identifier: MIT
#include <iostream>
#include <sycl/sycl.hpp>
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
        sycl::queue queue;
        sycl::buffer<float, 2> a_buffer(a.data(), sycl::range<2>(M, W)), b_buffer(b.data(), sycl::range<2>(W, N));
        sycl::buffer<float, 2> c_buffer(c.data(), sycl::range<2>(M, N)); // c is up to date when it is destroyed
        queue.submit([&](sycl::handler &handler) {
            sycl::accessor as(a_buffer, handler, sycl::read_only), bs(b_buffer, handler, sycl::read_only);
            sycl::accessor cs(c_buffer, handler, sycl::write_only, sycl::no_init);
            handler.parallel_for(sycl::range<2>(M, N), [=](sycl::id<2> i) {
                // kernel
                float sum = 0;
                for (int k = 0; k < W; k++)
                    sum += as[i[0]][k] * bs[k][i[1]];
                cs[i] = sum;
                // host
            });
        });
        queue.wait_and_throw();
    } catch (const sycl::exception &e) {
        std::cerr << e.what() << "\n";
        return 1;
    }
    std::cout << c[0] << " " << c[M * N - 1] << "\n";
    return 0;
}
