// SPDX-License-Identifier: MIT
// The matrix multiplication sample of C++ AMP: random matrices, the serial product as the reference, a simple and a
// tiled kernel, and the comparison of their results.
#include <amp.h>
#include <cmath>
#include <iostream>
#include <vector>

using namespace concurrency;

static const int tile_size = 16;

template <typename T> void initialize_array(std::vector<T> &data)
{
    unsigned seed = 1;
    for (T &value : data) {
        seed = seed * 1103515245u + 12345u;
        value = (T)(seed >> 16 & 0xff) / (T)16;
    }
}

template <typename T>
void mxm_single_cpu(int M, int N, int W, const std::vector<T> &va, const std::vector<T> &vb, std::vector<T> &vc)
{
    for (int row = 0; row < M; row++)
        for (int col = 0; col < W; col++) {
            T result = 0;
            for (int i = 0; i < N; i++)
                result += va[row * N + i] * vb[i * W + col];
            vc[row * W + col] = result;
        }
}

template <typename T>
void mxm_amp_simple(int M, int N, int W, const std::vector<T> &va, const std::vector<T> &vb, std::vector<T> &vc)
{
    array_view<const T, 2> av_a(M, N, va), av_b(N, W, vb);
    array_view<T, 2> av_c(M, W, vc);
    av_c.discard_data();
    parallel_for_each(av_c.extent, [=](index<2> idx) restrict(amp) {
        T result = 0;
        for (int i = 0; i < av_a.extent[1]; i++)
            result += av_a(idx[0], i) * av_b(i, idx[1]);
        av_c[idx] = result;
    });
    av_c.synchronize();
}

template <typename T, int tile_size>
void mxm_amp_tiled(int M, int N, int W, const std::vector<T> &va, const std::vector<T> &vb, std::vector<T> &vc)
{
    extent<2> e_a(M, N), e_b(N, W), e_c(M, W);
    array_view<const T, 2> av_a(e_a, va);
    array_view<const T, 2> av_b(e_b, vb);
    array_view<T, 2> av_c(e_c, vc);
    av_c.discard_data();
    parallel_for_each(av_c.extent.tile<tile_size, tile_size>(),
                      [=](tiled_index<tile_size, tile_size> tidx) restrict(amp) {
                          T temp_c = 0;

                          index<2> localIdx = tidx.local;
                          index<2> globalIdx = tidx.global;

                          for (int i = 0; i < N; i += tile_size) {
                              tile_static T localB[tile_size][tile_size];
                              tile_static T localA[tile_size][tile_size];

                              localA[localIdx[0]][localIdx[1]] = av_a(globalIdx[0], i + localIdx[1]);
                              localB[localIdx[0]][localIdx[1]] = av_b(i + localIdx[0], globalIdx[1]);

                              tidx.barrier.wait();

                              for (unsigned int k = 0; k < tile_size; k++) {
                                  temp_c += localA[localIdx[0]][k] * localB[k][localIdx[1]];
                              }

                              tidx.barrier.wait();
                          }

                          av_c[tidx] = temp_c;
                      });
} // The view's destructor synchronises the product.

template <typename T> bool verify(const std::vector<T> &reference, const std::vector<T> &result)
{
    for (std::size_t i = 0; i < reference.size(); i++)
        if (std::fabs(reference[i] - result[i]) > (T)1e-4 * std::fabs(reference[i]))
            return false;
    return true;
}

template <typename T> void run(const char *name)
{
    const int M = 64, N = 128, W = 48;
    std::vector<T> a(M * N), b(N * W), reference(M * W), simple(M * W), tiled(M * W);
    initialize_array(a);
    initialize_array(b);
    mxm_single_cpu(M, N, W, a, b, reference);
    mxm_amp_simple(M, N, W, a, b, simple);
    std::cout << name << " simple " << (verify(reference, simple) ? "matches" : "differs") << "\n";
    mxm_amp_tiled<T, tile_size>(M, N, W, a, b, tiled);
    std::cout << name << " tiled " << (verify(reference, tiled) ? "matches" : "differs") << "\n";
}

int main()
{
    run<float>("float");
    run<double>("double");
    run<int>("int");
}
