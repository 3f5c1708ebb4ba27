// Kernels as programs have them: helpers on views, complex numbers, guards with padded tiles, halos, scans, histograms.
// RUN: %ampcc -O2 -std=c++17 %s -o %t && %run %t | FileCheck %s
// CHECK: all right
#include "check.h"

#include <algorithm>
#include <amp.h>
#include <amp_math.h>
#include <array>
#include <cmath>
#include <functional>
#include <iostream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace compute {

using namespace concurrency;

const int n_bins = 16;
static const float scale_of_all = 2.0f;
enum kind { first = 1, second };

template <typename T> struct complex_number {
    T re, im;
    complex_number() restrict(cpu, amp) : re(0), im(0) {}
    complex_number(T r, T i) restrict(cpu, amp) : re(r), im(i) {}
    friend complex_number operator*(const complex_number &a, const complex_number &b) restrict(cpu, amp)
    {
        return complex_number(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
    }
    complex_number &operator+=(const complex_number &o) restrict(cpu, amp)
    {
        re += o.re;
        im += o.im;
        return *this;
    }
    T norm() const restrict(cpu, amp) { return re * re + im * im; }
};

static int escape(complex_number<float> c, int most) restrict(cpu, amp)
{
    complex_number<float> z;
    int n = 0;
    while (n < most && z.norm() < 4) {
        z = z * z;
        z += c;
        n++;
    }
    return n;
}

static void mandelbrot()
{
    const int rows = 40, columns = 60;
    std::vector<int> image(rows * columns);
    array_view<int, 2> view(rows, columns, image);
    view.discard_data();
    parallel_for_each(view.extent, [=](index<2> idx) restrict(amp) {
        view[idx] = escape(complex_number<float>(-2 + 3.0f * idx[1] / columns, -1 + 2.0f * idx[0] / rows), 50);
    });
    view.synchronize();
    int differ = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            differ += image[i * columns + j] !=
                      escape(complex_number<float>(-2 + 3.0f * j / columns, -1 + 2.0f * i / rows), 50);
    CHECK(differ < rows * columns / 100); // rounding may differ
}

static float average(const array_view<const float, 2> &in, index<2> at) restrict(amp)
{
    float sum = 0;
    for (int di = -1; di <= 1; di++)
        for (int dj = -1; dj <= 1; dj++) {
            index<2> to = at + index<2>(di, dj);
            sum += in.extent.contains(to) ? in[to] : 0;
        }
    return sum / 9;
}

static void stencil(accelerator_view on)
{
    const int n = 37, T = 8;
    std::vector<float> data(n * n), simple(n * n), tiled(n * n);
    std::mt19937 random(1);
    for (float &x : data)
        x = (float)(random() % 100);
    array_view<const float, 2> in(n, n, data);
    array_view<float, 2> out(n, n, simple), out2(n, n, tiled);
    parallel_for_each(on, out.extent, [=](index<2> i) restrict(amp) { out[i] = average(in, i); });
    parallel_for_each(on, out2.extent.tile<T, T>().pad(), [=](tiled_index<T, T> t) restrict(amp) {
        tile_static float halo[T + 2][T + 2];
        const int row = t.local[0], column = t.local[1];
        for (int i = row; i < T + 2; i += T)
            for (int j = column; j < T + 2; j += T) {
                index<2> from = t.tile_origin + index<2>(i - 1, j - 1);
                halo[i][j] = in.extent.contains(from) ? in(from) : 0;
            }
        t.barrier.wait_with_tile_static_memory_fence();
        float sum = 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                sum += halo[row + i][column + j];
        if (out2.extent.contains(t.global))
            out2[t.global] = sum / 9;
    });
    int differ = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            differ += std::fabs(out(i, j) - out2(i, j)) > 1e-4f;
    CHECK(differ == 0 && out(0, 0) > 0);
}

template <typename T, int tile_size> T reduce(const std::vector<T> &data)
{
    int n = (int)data.size();
    array<T> partial((n + tile_size - 1) / tile_size);
    array_view<const T> in(n, data);
    parallel_for_each(in.extent.tile<tile_size>().pad(), [=, &partial](tiled_index<tile_size> t) restrict(amp) {
        tile_static T local[tile_size];
        int i = t.local[0];
        local[i] = t.global[0] < n ? in[t.global] : 0;
        t.barrier.wait();
        for (int s = tile_size / 2; s > 0; s /= 2) {
            if (i < s)
                local[i] += local[i + s];
            t.barrier.wait();
        }
        if (i == 0)
            partial[t.tile] = local[0];
    });
    std::vector<T> sums(partial.extent.size());
    copy(partial, sums.begin());
    return std::accumulate(sums.begin(), sums.end(), T(0));
}

static void histogram()
{
    std::array<unsigned, 1000> values;
    for (unsigned i = 0; i < values.size(); i++)
        values[i] = i * i;
    std::vector<int> bins(n_bins);
    array_view<const unsigned> in(values);
    array_view<int> out(n_bins, bins);
    kind k = second;
    parallel_for_each(in.extent, [=](index<1> i) restrict(amp) {
        switch (k) {
        case first:
            break;
        case second:
            atomic_fetch_add(&out[in[i] % n_bins], (int)scale_of_all);
        }
    });
    std::vector<int> expected(n_bins);
    for (unsigned v : values)
        expected[v % n_bins] += 2;
    CHECK(std::vector<int>(out.data(), out.data() + n_bins) == expected);
}

struct body {
    float position[3];
    float mass;
};

class nbody {
public:
    explicit nbody(int n) : bodies_(n), forces_(n)
    {
        for (int i = 0; i < n; i++)
            bodies_[i] = {{(float)i, (float)(i * i % 7), 1.0f / (i + 1)}, 1.0f + i % 3};
    }
    float run()
    {
        array_view<const body> bodies((int)bodies_.size(), bodies_);
        array_view<float> forces((int)forces_.size(), forces_);
        float softening = softening_;
        parallel_for_each(forces.extent, [=](index<1> i) restrict(amp) {
            float force = 0;
            for (int j = 0; j < bodies.extent[0]; j++) {
                float square = softening;
                for (int c = 0; c < 3; c++) {
                    float d = bodies[i].position[c] - bodies[j].position[c];
                    square += d * d;
                }
                force += bodies[j].mass * fast_math::rsqrt(square);
            }
            forces[i] = force;
        });
        return forces[3];
    }
    float expected() const
    {
        double force = 0;
        for (const body &b : bodies_) {
            double square = softening_;
            for (int c = 0; c < 3; c++)
                square += std::pow(bodies_[3].position[c] - b.position[c], 2);
            force += b.mass / std::sqrt(square);
        }
        return (float)force;
    }

private:
    std::vector<body> bodies_;
    std::vector<float> forces_;
    float softening_ = 0.01f;
};

} // namespace compute

int main()
{
    using namespace compute;
    for (const accelerator &acc : accelerator::get_all())
        CHECK(!acc.description.empty());
    mandelbrot();
    stencil(accelerator().default_view);
    std::vector<int> numbers(1000);
    std::iota(numbers.begin(), numbers.end(), 0);
    CHECK((reduce<int, 64>(numbers) == 499500));
    CHECK((reduce<double, 128>(std::vector<double>(777, 0.5)) == 388.5));
    histogram();
    nbody bodies(50);
    CHECK(std::fabs(bodies.run() - bodies.expected()) < 1e-3f * bodies.expected());
    return result();
}
