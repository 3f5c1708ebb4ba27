// SPDX-License-Identifier: MIT
// Textures and their views without samplers: texels in kernels, formats, levels of detail, copies.
// row: header.amp_graphics, graphics.texture, graphics.views, filter_mode, address_mode
// RUN: %ampcc -O2 -std=c++14 -Wall -Wextra -Werror %s -o %t && %run %t | FileCheck %s
// CHECK: all right
#include "check.h"

#include <amp_graphics.h>
#include <cmath>
#include <numeric>
#include <vector>

using namespace concurrency;
using namespace concurrency::graphics;

static void test_texels()
{
    std::vector<int> data(4 * 6), out(4 * 6);
    std::iota(data.begin(), data.end(), 0);
    texture<int, 2> t(4, 6, data.begin(), data.end()), u(4, 6);
    array_view<int, 2> v(4, 6, out);
    CHECK(t.extent == extent<2>(4, 6) && t.bits_per_scalar_element == 32 && t.get_data_length() == 96);
    CHECK((t.mipmap_levels == 1 && t.accelerator_view == accelerator().default_view && texture<int, 2>::rank == 2));
    parallel_for_each(t.extent, [&t, &u, v](index<2> i) restrict(amp) {
        v[i] = t[i] + t(i) + t(i[0], i[1]) + t.get(i);
        u.set(i, t[i] * 2);
    });
    CHECK(v(3, 5) == 4 * 23 && v(0, 1) == 4);
    std::vector<int> back(24);
    copy(u, back.begin());
    CHECK(back[23] == 46 && back[7] == 14);
    texture<float_4, 3> colors(2, 3, 4);
    writeonly_texture_view<float_4, 3> write(colors);
    parallel_for_each(colors.extent, [=](index<3> i) restrict(amp) {
        write.set(i, float_4((float)i[0], (float)i[1], (float)i[2], 1));
    });
    texture_view<const float_4, 3> read(colors);
    array_view<float> sums(extent<1>(24));
    parallel_for_each(sums.extent, [=](index<1> i) restrict(amp) {
        float_4 x = read(i[0] / 12, i[0] / 4 % 3, i[0] % 4);
        sums[i] = x.x * 100 + x.y * 10 + x.z + x.w;
    });
    CHECK(sums[23] == 124 && sums[5] == 12);
    texture<unsigned, 1> line(8);
    texture_view<unsigned, 1> both(line);
    parallel_for_each(line.extent, [=](index<1> i) restrict(amp) { both.set(i, (unsigned)i[0]); });
    parallel_for_each(line.extent, [=](index<1> i) restrict(amp) { both.set(i, both[i] + both(i[0])); });
    std::vector<unsigned> numbers(8);
    copy(both, numbers.begin());
    CHECK(numbers[7] == 14 && both.get_accelerator_view() == line.get_accelerator_view());
}

/* What 8 and 16 bits can hold, in kernels and in copies. */
static void test_formats()
{
    unsigned char bytes[] = {0, 127, 128, 255, 1, 2, 3, 4};
    texture<int, 1> small(8, bytes, 8, 8);
    std::vector<int> out(8);
    array_view<int> v(out);
    parallel_for_each(v.extent, [&small, v](index<1> i) restrict(amp) {
        v[i] = small[i];
        small.set(i, 100 * i[0] - 300);
    });
    CHECK(v[1] == 127 && v[2] == -128 && v[3] == -1);
    signed char read[8];
    copy(small, read, 8);
    CHECK(read[0] == -128 && read[3] == 0 && read[4] == 100 && read[5] == 127);
    float floats[] = {0, 1, 0.5f, -2, 65504, 65519, 65520, 1e-7f, 6e-8f, 1.0009766f, 1.0004883f, 3.14159f};
    std::uint16_t halves[12], again[12];
    texture<float, 1> half(12, 16u);
    texture_view<float, 1> set(half);
    array_view<const float> from(12, floats);
    parallel_for_each(from.extent, [=](index<1> i) restrict(amp) { set.set(i, from[i]); });
    copy(half, halves, sizeof halves);
    static const std::uint16_t expected[] = {0,      0x3c00, 0x3800, 0xc000, 0x7bff, 0x7bff,
                                             0x7c00, 2,      1,      0x3c01, 0x3c00, 0x4248};
    for (int i = 0; i < 12; i++)
        CHECK(halves[i] == expected[i]);
    for (unsigned i = 0; i < 0x7c00; i += 97) { /* there and back */
        std::vector<std::uint16_t> all(12, (std::uint16_t)(i | (i & 1) << 15));
        copy(all.data(), 24u, half);
        copy(half, again, sizeof again);
        CHECK(again[11] == all[0]);
    }
    texture<unorm_2, 2> pixels(extent<2>(2, 2), bytes, 8, 8);
    texture_view<const unorm_2, 2> p(pixels);
    array_view<float> w(extent<1>(4));
    parallel_for_each(w.extent, [=](index<1> i) restrict(amp) {
        unorm_2 x = p(i[0] / 2, i[0] % 2);
        w[i] = (float)x.x + 10 * (float)x.y;
    });
    CHECK(std::fabs(w[0] - 10 * 127 / 255.0f) < 1e-5f && std::fabs(w[1] - (128 / 255.0f + 10)) < 1e-5f);
    texture<norm, 1> normed(4, 8u);
    writeonly_texture_view<norm, 1> n(normed);
    parallel_for_each(n.extent, [=](index<1> i) restrict(amp) { n.set(i, norm(0.5f * i[0] - 1)); });
    copy(normed, read, 4);
    CHECK(read[0] == -127 && read[1] == -64 && read[2] == 0 && read[3] == 64);
    CHECK_THROWS(unsupported_feature, (texture<float, 1>(4, 8u)));
    CHECK_THROWS(runtime_exception, (texture<int, 1>(4, 7u)));
    CHECK_THROWS(runtime_exception, (texture<int, 1>(0)));
    CHECK_THROWS(runtime_exception, (texture<int, 1>(8, bytes, 7, 8)));
    CHECK_THROWS(runtime_exception, (texture<int, 2>(4, 6, out.begin(), out.end())));
    CHECK_THROWS(unsupported_feature, (texture<int, 1>(4, accelerator(L"cpu").default_view)));
}

static void test_levels()
{
    texture<float, 2> t(extent<2>(8, 4), 32u, 0u);
    CHECK(t.get_mipmap_levels() == 4 && t.get_mipmap_extent(2) == extent<2>(2, 1) && t.data_length == 4 * (32 + 8 + 3));
    for (unsigned level = 0; level < 4; level++) {
        texture_view<float, 2> v(t, level);
        CHECK(v.get_mipmap_levels() == 1 && v.extent == t.get_mipmap_extent(level));
        parallel_for_each(v.extent, [=](index<2> i)
                                        restrict(amp) { v.set(i, level * 100.0f + i[0] * 10 + (float)i[1]); });
    }
    texture_view<const float, 2> all(t), some(t, 1, 2), fewer(some, 1, 1);
    array_view<float> out(extent<1>(6));
    parallel_for_each(extent<1>(1), [=](index<1>) restrict(amp) {
        out[0] = all.get(index<2>(7, 3));
        out[1] = all.get(index<2>(3, 1), 1);
        out[2] = all.get(index<2>(0, 0), 3);
        out[3] = some[index<2>(2, 1)];
        out[4] = some.get(index<2>(1, 0), 1);
        out[5] = fewer(1, 0);
    });
    CHECK(out[0] == 73 && out[1] == 131 && out[2] == 300 && out[3] == 121 && out[4] == 210 && out[5] == 210);
    CHECK_THROWS(runtime_exception, (texture<int, 1>(extent<1>(4), 32u, 4u)));
    CHECK_THROWS(runtime_exception, (texture_view<float, 2>(t, 4)));
    CHECK_THROWS(runtime_exception, (texture_view<const float, 2>(t, 2, 3)));
    CHECK_THROWS(runtime_exception, t.get_mipmap_extent(4));
}

static void test_copies()
{
    std::vector<int> data(24), out(24);
    std::iota(data.begin(), data.end(), 0);
    texture<int, 2> a(4, 6, data.begin(), data.end()), b(4, 6), c(a);
    copy(a, b);
    copy(b, out.begin());
    CHECK(out == data);
    copy(data.rbegin(), data.rend(), c);
    c.copy_to(b);
    copy(b, out.data(), 96u);
    CHECK(out[0] == 23 && out[23] == 0);
    copy(a, index<2>(1, 1), b, index<2>(0, 0), extent<2>(2, 2));
    copy(b, index<2>(0, 0), extent<2>(2, 2), out.begin());
    CHECK(out[0] == 7 && out[3] == 14);
    copy(data.begin(), data.begin() + 2, b, index<2>(3, 4), extent<2>(1, 2));
    copy(b, index<2>(3, 4), extent<2>(1, 2), out.data(), 8u);
    CHECK(out[0] == 0 && out[1] == 1);
    copy(data.data(), 8u, b, index<2>(0, 0), extent<2>(2, 1));
    texture_view<int, 2> v(b);
    copy_async(v, out.begin()).get();
    CHECK(out[0] == 0 && out[6] == 1 && out[1] == 8);
    copy_async(a, v).get();
    a.copy_to(writeonly_texture_view<int, 2>(c));
    copy_async(c, out.data(), 96u).wait();
    CHECK(out == data);
    texture<int, 2> moved(std::move(c)), assigned(1, 1);
    assigned = moved;
    copy(assigned, out.begin());
    CHECK(out == data);
    texture<int, 2> other(6, 4), bits(4, 6, 16u);
    CHECK_THROWS(runtime_exception, copy(a, other));
    CHECK_THROWS(runtime_exception, a.copy_to(other));
    CHECK_THROWS(runtime_exception, copy(a, bits));
    CHECK_THROWS(runtime_exception, copy(bits, out.begin()));
    CHECK_THROWS(runtime_exception, copy(a, out.data(), 95u));
    CHECK_THROWS(runtime_exception, copy(data.begin(), data.begin() + 3, a));
    CHECK(filter_linear != filter_point && address_wrap != address_clamp);
}

static void test_staging()
{
    accelerator_view simd = accelerator(L"simd").default_view, cpu = accelerator(L"cpu").default_view;
    texture<unorm_4, 2> staged(2, 3, 8u, cpu, simd), on_simd(2, 3, 8u, simd);
    unsigned char *bytes = static_cast<unsigned char *>(staged.data());
    CHECK(staged.get_data_length() == 24 && staged.row_pitch == 12 && staged.accelerator_view == cpu);
    CHECK(staged.associated_accelerator_view == simd && on_simd.data() == nullptr && on_simd.get_row_pitch() == 0);
    for (int i = 0; i < 24; i++)
        bytes[i] = (unsigned char)(10 * i);
    copy(staged, on_simd);
    texture_view<const unorm_4, 2> read(on_simd);
    array_view<float> seen(2);
    parallel_for_each(seen.extent, [=](index<1> i) restrict(amp) { seen[i] = read(i[0], 2 * i[0]).y; });
    CHECK(seen[0] == 10 / 255.0f && seen[1] == 210 / 255.0f);
    texture_view<unorm_4, 2> write(on_simd);
    parallel_for_each(on_simd.extent, [=](index<2> i) restrict(amp) { write.set(i, unorm_4(unorm(1.0f))); });
    on_simd.copy_to(staged);
    CHECK(bytes[0] == 255 && bytes[23] == 255);

    /* Parts; what the host has written elsewhere stays. */
    bytes[0] = 7;
    copy(on_simd, index<2>(1, 1), staged, index<2>(0, 2), extent<2>(1, 1));
    CHECK(bytes[0] == 7 && bytes[8] == 255);
    unsigned char part[8] = {};
    copy(staged, index<2>(0, 0), extent<2>(1, 2), part, 8);
    CHECK(part[0] == 7 && part[1] == 255);

    /* Copies of its own, and of views. */
    texture<unorm_4, 2> other(staged), plain(staged, simd), again(read, cpu, simd), viewed(write);
    CHECK(other.data() != staged.data() && static_cast<unsigned char *>(other.data())[0] == 7);
    CHECK(other.associated_accelerator_view == simd && plain.data() == nullptr && viewed.data() == nullptr);
    CHECK(static_cast<unsigned char *>(again.data())[0] == 255);
    std::vector<int> numbers(24);
    std::iota(numbers.begin(), numbers.end(), 0);
    texture<int, 3> cube(2, 3, 4, numbers.begin(), numbers.end(), cpu, simd);
    CHECK(static_cast<int *>(cube.data())[23] == 23 && cube.row_pitch == 16 && cube.depth_pitch == 48);
    texture<int, 1> small(8, numbers.data(), 8u, 8u, cpu, simd);
    CHECK(static_cast<signed char *>(small.data())[4] == 1);
    static_cast<int *>(cube.data())[5] = 50;
    std::vector<int> back(24);
    copy(cube, back.begin());
    CHECK(back[5] == 50 && back[6] == 6);

    CHECK_THROWS(runtime_exception, (texture_view<unorm_4, 2>(staged)));
    CHECK_THROWS(runtime_exception, (texture_view<const int, 3>(cube)));
    CHECK_THROWS(runtime_exception, (writeonly_texture_view<int, 1>(small)));
    CHECK_THROWS(unsupported_feature, (texture<int, 1>(4, cpu, cpu)));
    CHECK_THROWS(runtime_exception, parallel_for_each(seen.extent, [&small, seen](index<1> i) restrict(amp) {
                     seen[i] = (float)small[i];
                 }));
}

int main()
{
    test_staging();
    test_texels();
    test_formats();
    test_levels();
    test_copies();
    return result();
}
