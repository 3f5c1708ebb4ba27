/* SPDX-License-Identifier: MIT
 *
 * Textures of C++ AMP, as far as they need no sampler: texture, texture_view and writeonly_texture_view, with levels of
 * detail, and their copies.
 *
 *     texture<float_4, 2> image(height, width, pixels, pixels + n, ...);
 *     parallel_for_each(image.extent, [&image, out](index<2> i) restrict(amp) { out[i] = image[i].x; });
 *
 * A texture keeps its texels as values of T in an array, one level after another; what is written is rounded to what
 * its bits per scalar can hold. Only copies, and the host's memory of staging textures, see the texture's own
 * format. */
#ifndef AMP_CPP_AMP_GRAPHICS_H
#define AMP_CPP_AMP_GRAPHICS_H

#pragma GCC system_header

#include <amp.h>
#include <amp_short_vectors.h>
#include <cstdint>
#include <cstring>
#include <vector>

extern "C++" {

namespace Concurrency
{
namespace graphics
{

enum filter_mode { filter_point = 0, filter_linear = 0x15, filter_unknown = -1 };
enum address_mode { address_wrap = 1, address_mirror = 2, address_clamp = 3, address_border = 4, address_unknown = -1 };

template <typename _Tp, int _Np> class writeonly_texture_view;

namespace amp__detail
{
namespace cpp = concurrency::amp__detail;

/* ------------------------------------------------------------------ formats ---- */

enum kind { kind_int, kind_uint, kind_float, kind_double, kind_norm, kind_unorm };
template <typename _Tp> struct kind_of;
template <> struct kind_of<int> {
    static const kind value = kind_int;
};
template <> struct kind_of<unsigned> {
    static const kind value = kind_uint;
};
template <> struct kind_of<float> {
    static const kind value = kind_float;
};
template <> struct kind_of<double> {
    static const kind value = kind_double;
};
template <> struct kind_of<norm> {
    static const kind value = kind_norm;
};
template <> struct kind_of<unorm> {
    static const kind value = kind_unorm;
};

/* What is known about a type of texels. */
template <typename _Tp> struct texel {
    typedef typename short_vector_traits<_Tp>::value_type scalar;
    static const int size = short_vector_traits<_Tp>::size;
    static const kind of = kind_of<scalar>::value;
    static const bool is_normed = of == kind_norm || of == kind_unorm;
    static const unsigned natural_bits = of == kind_double ? 64 : 32;
    static_assert(size != 3 || of == kind_int || of == kind_uint || of == kind_float,
                  "textures have no texels of this type");
    static_assert(size != 4 || of != kind_double, "textures have no texels of this type");

    static bool has(unsigned bits)
    {
        if (of == kind_double)
            return bits == 64;
        if (is_normed)
            return bits == 8 || bits == 16;
        return bits == 32 || (size != 3 && (bits == 16 || (bits == 8 && of != kind_float)));
    }
};

inline float round_to_half(float x) restrict(cpu, amp)
{
    /* 65520 and more is infinite; below, halves have 11 digits, and their least step is 2^-24 */
    float magnitude = __builtin_fabsf(x);
    if (!(magnitude < 65520.0f))
        return magnitude >= 65520.0f ? __builtin_copysignf(__builtin_inff(), x) : x;
    int exponent = 0;
    (void)__builtin_frexpf(magnitude, &exponent);
    exponent = (exponent > -13 ? exponent : -13) - 11;
    return __builtin_ldexpf(__builtin_rintf(__builtin_ldexpf(x, -exponent)), exponent);
}

/* The nearest value that so many bits can hold. */
inline int fit(int x, unsigned bits) restrict(cpu, amp)
{
    int most = (int)(0x7fffffffu >> (32 - bits));
    return x > most ? most : x < -most - 1 ? -most - 1 : x;
}
inline unsigned fit(unsigned x, unsigned bits) restrict(cpu, amp)
{
    unsigned most = 0xffffffffu >> (32 - bits);
    return x > most ? most : x;
}
inline float fit(float x, unsigned bits) restrict(cpu, amp)
{
    return bits == 16 ? round_to_half(x) : x;
}
inline double fit(double x, unsigned) restrict(cpu, amp)
{
    return x;
}
inline norm fit(const norm &x, unsigned bits) restrict(cpu, amp)
{
    float most = (float)((1 << (bits - 1)) - 1);
    return norm(__builtin_rintf((float)x * most) / most);
}
inline unorm fit(const unorm &x, unsigned bits) restrict(cpu, amp)
{
    float most = (float)((1 << bits) - 1);
    return unorm(__builtin_rintf((float)x * most) / most);
}
template <typename _Tp> vector<_Tp, 2> fit(const vector<_Tp, 2> &v, unsigned bits) restrict(cpu, amp)
{
    return vector<_Tp, 2>(fit(v.get_x(), bits), fit(v.get_y(), bits));
}
template <typename _Tp> vector<_Tp, 3> fit(const vector<_Tp, 3> &v, unsigned bits) restrict(cpu, amp)
{
    return vector<_Tp, 3>(fit(v.get_x(), bits), fit(v.get_y(), bits), fit(v.get_z(), bits));
}
template <typename _Tp> vector<_Tp, 4> fit(const vector<_Tp, 4> &v, unsigned bits) restrict(cpu, amp)
{
    return vector<_Tp, 4>(fit(v.get_x(), bits), fit(v.get_y(), bits), fit(v.get_z(), bits), fit(v.get_w(), bits));
}

/* A scalar in a texture's own format, of `bits` bits in the low bytes of an integer. */
inline std::uint64_t pack(int x, unsigned)
{
    return (std::uint64_t)(std::int64_t)x;
}
inline std::uint64_t pack(unsigned x, unsigned)
{
    return x;
}
inline std::uint64_t pack(double x, unsigned)
{
    std::uint64_t result;
    std::memcpy(&result, &x, sizeof result);
    return result;
}
inline std::uint64_t pack(float x, unsigned bits)
{
    std::uint32_t word;
    std::memcpy(&word, &x, sizeof word);
    if (bits != 16)
        return word;
    std::uint32_t sign = word >> 16 & 0x8000;
    x = round_to_half(__builtin_fabsf(x));
    if (!(x < 65536.0f))
        return sign | (x > 0 ? 0x7c00 : 0x7e00);
    if (x < 6.103515625e-05f) /* subnormal: steps of 2^-24 */
        return sign | (std::uint32_t)(x * 16777216.0f);
    std::memcpy(&word, &x, sizeof word);
    return sign | ((word >> 13) - (112u << 10));
}
inline std::uint64_t pack(const norm &x, unsigned bits)
{
    return (std::uint64_t)(std::int64_t)__builtin_rintf((float)x * (float)((1 << (bits - 1)) - 1));
}
inline std::uint64_t pack(const unorm &x, unsigned bits)
{
    return (std::uint64_t)__builtin_rintf((float)x * (float)((1 << bits) - 1));
}

inline std::int64_t extend(std::uint64_t word, unsigned bits)
{
    return (std::int64_t)(word << (64 - bits)) >> (64 - bits);
}
inline void unpack(int &x, std::uint64_t word, unsigned bits)
{
    x = (int)extend(word, bits);
}
inline void unpack(unsigned &x, std::uint64_t word, unsigned)
{
    x = (unsigned)word;
}
inline void unpack(double &x, std::uint64_t word, unsigned)
{
    std::memcpy(&x, &word, sizeof x);
}
inline void unpack(float &x, std::uint64_t word, unsigned bits)
{
    std::uint32_t low = (std::uint32_t)word, exponent = low >> 10 & 31, digits = low & 0x3ff;
    if (bits != 16) {
        std::memcpy(&x, &low, sizeof x);
        return;
    }
    x = exponent == 31 ? (digits ? __builtin_nanf("") : __builtin_inff())
        : exponent     ? __builtin_ldexpf((float)(digits | 0x400), (int)exponent - 25)
                       : __builtin_ldexpf((float)digits, -24);
    x = low & 0x8000 ? -x : x;
}
inline void unpack(norm &x, std::uint64_t word, unsigned bits)
{
    x = norm((float)extend(word, bits) / (float)((1 << (bits - 1)) - 1));
}
inline void unpack(unorm &x, std::uint64_t word, unsigned bits)
{
    x = unorm((float)word / (float)((1 << bits) - 1));
}

/* Texels lie in memory as their scalars do. */
template <typename _Tp> void pack_all(const _Tp *from, std::size_t n, unsigned bits, void *to)
{
    typedef typename texel<_Tp>::scalar scalar;
    const scalar *scalars = reinterpret_cast<const scalar *>(from);
    for (std::size_t i = 0; i < n * texel<_Tp>::size; i++) {
        std::uint64_t word = pack(scalars[i], bits);
        std::memcpy(static_cast<char *>(to) + i * (bits / 8), &word, bits / 8);
    }
}
template <typename _Tp> void unpack_all(const void *from, std::size_t n, unsigned bits, _Tp *to)
{
    typedef typename texel<_Tp>::scalar scalar;
    scalar *scalars = reinterpret_cast<scalar *>(to);
    for (std::size_t i = 0; i < n * texel<_Tp>::size; i++) {
        std::uint64_t word = 0;
        std::memcpy(&word, static_cast<const char *>(from) + i * (bits / 8), bits / 8);
        unpack(scalars[i], word, bits);
    }
}

[[noreturn]] inline void fail(const char *text)
{
    throw runtime_exception(text, (HRESULT)0x80070057);
}

/* ------------------------------------------------------------------ shapes ---- */

template <int _Np> extent<_Np> extent_of_level(const extent<_Np> &e, unsigned level) restrict(cpu, amp)
{
    extent<_Np> result(e);
    cpp::each<_Np>::call([&](unsigned c) restrict(cpu, amp) {
        int size = result[c] >> level;
        result[c] = size > 0 ? size : 1;
    });
    return result;
}
template <int _Np> int texels_of(const extent<_Np> &e, unsigned n_levels) restrict(cpu, amp)
{
    int n = 0;
    for (unsigned level = 0; level < n_levels; level++)
        n += (int)extent_of_level(e, level).size();
    return n;
}
template <int _Np> unsigned most_levels(const extent<_Np> &e)
{
    unsigned n = 1;
    int largest = 1;
    for (int c = 0; c < _Np; c++)
        largest = e[(unsigned)c] > largest ? e[(unsigned)c] : largest;
    for (; largest > 1; largest >>= 1)
        n++;
    return n;
}
template <int _Np> int offset_in(const extent<_Np> &e, const index<_Np> &i) restrict(cpu, amp)
{
    int offset = i[0];
    cpp::each<_Np - 1>::call([&](unsigned c) restrict(cpu, amp) { offset = offset * e[c + 1] + i[c + 1]; });
    return offset;
}

/* What textures and views of them share. `_Sp` is an array or a view of all texels, and comes first: ampcc finds it
 * there in what kernels capture. */
template <typename _Sp, int _Np> class shape
{
  public:
    static const int rank = _Np;
    static_assert(_Np >= 1 && _Np <= 3, "textures have ranks from 1 to 3");

    concurrency::extent<_Np> get_extent() const restrict(cpu, amp)
    {
        return extent_;
    }
    unsigned get_mipmap_levels() const restrict(cpu, amp)
    {
        return levels_;
    }
    concurrency::extent<_Np> get_mipmap_extent(unsigned level) const restrict(cpu, amp)
    {
        amp__on_host(if (level >= levels_)
                         fail("get_mipmap_extent: there is no such level");) return extent_of_level(extent_, level);
    }
    unsigned get_bits_per_scalar_element() const
    {
        return bits_;
    }
    AMP__PROPERTY(concurrency::extent<_Np>, extent);
    AMP__PROPERTY(unsigned, mipmap_levels);
    AMP__PROPERTY(unsigned, bits_per_scalar_element);

    /* For this header. */
    const _Sp &amp__texels() const
    {
        return texels_;
    }

  protected:
    shape(const _Sp &texels, const concurrency::extent<_Np> &e, unsigned bits, unsigned levels) restrict(cpu, amp)
        : texels_(texels), extent_(e), bits_(bits), levels_(levels)
    {
    }
    /* of an array, which kernels do not copy */
    shape(_Sp &&texels, const concurrency::extent<_Np> &e, unsigned bits, unsigned levels)
        : texels_(std::move(texels)), extent_(e), bits_(bits), levels_(levels)
    {
    }
    int offset(const index<_Np> &i, unsigned level) const restrict(cpu, amp)
    {
        return (level ? texels_of(extent_, level) : 0) + offset_in(extent_of_level(extent_, level), i);
    }

    _Sp texels_;
    concurrency::extent<_Np> extent_;
    unsigned bits_, levels_;
};
template <typename _Sp, int _Np> const int shape<_Sp, _Np>::rank;

/* Reading by all names. */
#define AMP__READS(T)                                                                                                  \
    const T operator[](const index<_Np> &i) const restrict(amp)                                                        \
    {                                                                                                                  \
        return get(i);                                                                                                 \
    }                                                                                                                  \
    const T operator[](int i0) const restrict(amp)                                                                     \
    {                                                                                                                  \
        return get(index<_Np>(i0));                                                                                    \
    }                                                                                                                  \
    const T operator()(const index<_Np> &i) const restrict(amp)                                                        \
    {                                                                                                                  \
        return get(i);                                                                                                 \
    }                                                                                                                  \
    const T operator()(int i0) const restrict(amp)                                                                     \
    {                                                                                                                  \
        return get(index<_Np>(i0));                                                                                    \
    }                                                                                                                  \
    const T operator()(int i0, int i1) const restrict(amp)                                                             \
    {                                                                                                                  \
        return get(index<_Np>(i0, i1));                                                                                \
    }                                                                                                                  \
    const T operator()(int i0, int i1, int i2) const restrict(amp)                                                     \
    {                                                                                                                  \
        return get(index<_Np>(i0, i1, i2));                                                                            \
    }

} // namespace amp__detail

/* ------------------------------------------------------------------ texture ---- */

template <typename _Tp, int _Np> class texture : public amp__detail::shape<array<_Tp, 1>, _Np>
{
    typedef amp__detail::shape<array<_Tp, 1>, _Np> base;
    typedef amp__detail::texel<_Tp> texel;
    typedef concurrency::extent<_Np> extent_type;
    typedef concurrency::accelerator_view queue;

  public:
    typedef _Tp value_type;
    typedef typename texel::scalar scalar_type;

    /* ---- undefined texels ---- */
    explicit texture(const extent_type &e) : texture(e, natural(), 1u)
    {
    }
    explicit texture(int e0) : texture(extent_type(e0))
    {
    }
    texture(int e0, int e1) : texture(extent_type(e0, e1))
    {
    }
    texture(int e0, int e1, int e2) : texture(extent_type(e0, e1, e2))
    {
    }
    texture(const extent_type &e, const queue &on) : texture(e, natural(), 1u, on)
    {
    }
    texture(int e0, const queue &on) : texture(extent_type(e0), on)
    {
    }
    texture(int e0, int e1, const queue &on) : texture(extent_type(e0, e1), on)
    {
    }
    texture(int e0, int e1, int e2, const queue &on) : texture(extent_type(e0, e1, e2), on)
    {
    }
    texture(const extent_type &e, unsigned bits) : texture(e, bits, 1u)
    {
    }
    texture(int e0, unsigned bits) : texture(extent_type(e0), bits)
    {
    }
    texture(int e0, int e1, unsigned bits) : texture(extent_type(e0, e1), bits)
    {
    }
    texture(int e0, int e1, int e2, unsigned bits) : texture(extent_type(e0, e1, e2), bits)
    {
    }
    texture(const extent_type &e, unsigned bits, unsigned levels)
        : texture(e, bits, levels, concurrency::accelerator().get_default_view())
    {
    }
    texture(const extent_type &e, unsigned bits, const queue &on) : texture(e, bits, 1u, on)
    {
    }
    texture(int e0, unsigned bits, const queue &on) : texture(extent_type(e0), bits, on)
    {
    }
    texture(int e0, int e1, unsigned bits, const queue &on) : texture(extent_type(e0, e1), bits, on)
    {
    }
    texture(int e0, int e1, int e2, unsigned bits, const queue &on) : texture(extent_type(e0, e1, e2), bits, on)
    {
    }
    texture(const extent_type &e, unsigned bits, unsigned levels, const queue &on)
        : base(make(e, bits, levels, on, on), e, bits, levels ? levels : amp__detail::most_levels(e)), associated_(on)
    {
    }

    /* ---- with texels from the host ---- */
    template <typename _Ip, typename = typename std::iterator_traits<_Ip>::iterator_category>
    texture(const extent_type &e, _Ip first, _Ip last) : texture(e)
    {
        fill(first, last);
    }
    template <typename _Ip, typename = typename std::iterator_traits<_Ip>::iterator_category>
    texture(const extent_type &e, _Ip first, _Ip last, const queue &on) : texture(e, on)
    {
        fill(first, last);
    }
    template <typename _Ip, typename = typename std::iterator_traits<_Ip>::iterator_category>
    texture(int e0, _Ip first, _Ip last) : texture(extent_type(e0), first, last)
    {
    }
    template <typename _Ip, typename = typename std::iterator_traits<_Ip>::iterator_category>
    texture(int e0, int e1, _Ip first, _Ip last) : texture(extent_type(e0, e1), first, last)
    {
    }
    template <typename _Ip, typename = typename std::iterator_traits<_Ip>::iterator_category>
    texture(int e0, int e1, int e2, _Ip first, _Ip last) : texture(extent_type(e0, e1, e2), first, last)
    {
    }
    template <typename _Ip, typename = typename std::iterator_traits<_Ip>::iterator_category>
    texture(int e0, _Ip first, _Ip last, const queue &on) : texture(extent_type(e0), first, last, on)
    {
    }
    template <typename _Ip, typename = typename std::iterator_traits<_Ip>::iterator_category>
    texture(int e0, int e1, _Ip first, _Ip last, const queue &on) : texture(extent_type(e0, e1), first, last, on)
    {
    }
    template <typename _Ip, typename = typename std::iterator_traits<_Ip>::iterator_category>
    texture(int e0, int e1, int e2, _Ip first, _Ip last, const queue &on)
        : texture(extent_type(e0, e1, e2), first, last, on)
    {
    }
    texture(const extent_type &e, const void *source, unsigned bytes, unsigned bits) : texture(e, bits)
    {
        fill_bytes(source, bytes);
    }
    texture(const extent_type &e, const void *source, unsigned bytes, unsigned bits, const queue &on)
        : texture(e, bits, on)
    {
        fill_bytes(source, bytes);
    }
    texture(int e0, const void *source, unsigned bytes, unsigned bits) : texture(extent_type(e0), source, bytes, bits)
    {
    }
    texture(int e0, int e1, const void *source, unsigned bytes, unsigned bits)
        : texture(extent_type(e0, e1), source, bytes, bits)
    {
    }
    texture(int e0, int e1, int e2, const void *source, unsigned bytes, unsigned bits)
        : texture(extent_type(e0, e1, e2), source, bytes, bits)
    {
    }
    texture(int e0, const void *source, unsigned bytes, unsigned bits, const queue &on)
        : texture(extent_type(e0), source, bytes, bits, on)
    {
    }
    texture(int e0, int e1, const void *source, unsigned bytes, unsigned bits, const queue &on)
        : texture(extent_type(e0, e1), source, bytes, bits, on)
    {
    }
    texture(int e0, int e1, int e2, const void *source, unsigned bytes, unsigned bits, const queue &on)
        : texture(extent_type(e0, e1, e2), source, bytes, bits, on)
    {
    }

    /* ---- staging textures: on accelerator L"cpu", their texels are in host memory, in their own format ---- */
    texture(const extent_type &e, unsigned bits, const queue &on, const queue &associated)
        : base(make(e, bits, 1, on, associated), e, bits, 1), associated_(associated)
    {
        if (on.amp__is_host())
            staged_.resize(get_data_length());
    }
    texture(const extent_type &e, const queue &on, const queue &associated) : texture(e, natural(), on, associated)
    {
    }
    texture(int e0, const queue &on, const queue &associated) : texture(extent_type(e0), on, associated)
    {
    }
    texture(int e0, int e1, const queue &on, const queue &associated) : texture(extent_type(e0, e1), on, associated)
    {
    }
    texture(int e0, int e1, int e2, const queue &on, const queue &associated)
        : texture(extent_type(e0, e1, e2), on, associated)
    {
    }
    texture(int e0, unsigned bits, const queue &on, const queue &associated)
        : texture(extent_type(e0), bits, on, associated)
    {
    }
    texture(int e0, int e1, unsigned bits, const queue &on, const queue &associated)
        : texture(extent_type(e0, e1), bits, on, associated)
    {
    }
    texture(int e0, int e1, int e2, unsigned bits, const queue &on, const queue &associated)
        : texture(extent_type(e0, e1, e2), bits, on, associated)
    {
    }
    template <typename _Ip, typename = typename std::iterator_traits<_Ip>::iterator_category>
    texture(const extent_type &e, _Ip first, _Ip last, const queue &on, const queue &associated)
        : texture(e, on, associated)
    {
        fill(first, last);
    }
    template <typename _Ip, typename = typename std::iterator_traits<_Ip>::iterator_category>
    texture(int e0, _Ip first, _Ip last, const queue &on, const queue &associated)
        : texture(extent_type(e0), first, last, on, associated)
    {
    }
    template <typename _Ip, typename = typename std::iterator_traits<_Ip>::iterator_category>
    texture(int e0, int e1, _Ip first, _Ip last, const queue &on, const queue &associated)
        : texture(extent_type(e0, e1), first, last, on, associated)
    {
    }
    template <typename _Ip, typename = typename std::iterator_traits<_Ip>::iterator_category>
    texture(int e0, int e1, int e2, _Ip first, _Ip last, const queue &on, const queue &associated)
        : texture(extent_type(e0, e1, e2), first, last, on, associated)
    {
    }
    texture(const extent_type &e, const void *source, unsigned bytes, unsigned bits, const queue &on,
            const queue &associated)
        : texture(e, bits, on, associated)
    {
        fill_bytes(source, bytes);
    }
    texture(int e0, const void *source, unsigned bytes, unsigned bits, const queue &on, const queue &associated)
        : texture(extent_type(e0), source, bytes, bits, on, associated)
    {
    }
    texture(int e0, int e1, const void *source, unsigned bytes, unsigned bits, const queue &on, const queue &associated)
        : texture(extent_type(e0, e1), source, bytes, bits, on, associated)
    {
    }
    texture(int e0, int e1, int e2, const void *source, unsigned bytes, unsigned bits, const queue &on,
            const queue &associated)
        : texture(extent_type(e0, e1, e2), source, bytes, bits, on, associated)
    {
    }

    /* ---- copied ---- */
    texture(const texture &other)
        : base(make(other.get_extent(), other.bits_, other.levels_, other.get_accelerator_view(), other.associated_),
               other.get_extent(), other.bits_, other.levels_),
          associated_(other.associated_), staged_(other.staged_.size())
    {
        take(other);
    }
    texture(const texture &other, const queue &on)
        : texture(other.get_extent(), other.bits_, other.get_mipmap_levels(), on)
    {
        take(other);
    }
    texture(const texture &other, const queue &on, const queue &associated)
        : texture(other.get_extent(), other.bits_, on, associated)
    {
        take(other);
    }
    texture(const texture_view<_Tp, _Np> &other) : texture(other, other.get_accelerator_view())
    {
    }
    texture(const texture_view<_Tp, _Np> &other, const queue &on) : texture(texture_view<const _Tp, _Np>(other), on)
    {
    }
    texture(const texture_view<_Tp, _Np> &other, const queue &on, const queue &associated)
        : texture(texture_view<const _Tp, _Np>(other), on, associated)
    {
    }
    texture(const texture_view<const _Tp, _Np> &other) : texture(other, other.get_accelerator_view())
    {
    }
    texture(const texture_view<const _Tp, _Np> &other, const queue &on)
        : texture(other.get_extent(), other.get_bits_per_scalar_element(), other.get_mipmap_levels(), on)
    {
        copy(other, *this);
    }
    texture(const texture_view<const _Tp, _Np> &other, const queue &on, const queue &associated)
        : texture(other.get_extent(), other.get_bits_per_scalar_element(), on, associated)
    {
        copy(other, *this);
    }
    texture(texture &&other) = default;
    texture &operator=(const texture &other)
    {
        if (this != &other)
            *this = texture(other);
        return *this;
    }
    texture &operator=(texture &&other) = default;
    void copy_to(texture &destination) const
    {
        destination.take(*this);
    }
    void copy_to(const writeonly_texture_view<_Tp, _Np> &destination) const
    {
        destination.take(*this);
    }

    /* ---- queries ---- */
    queue get_accelerator_view() const
    {
        return this->texels_.get_accelerator_view();
    }
    queue get_associated_accelerator_view() const
    {
        return associated_;
    }
    unsigned get_data_length() const
    {
        return this->texels_.get_extent().size() * texel::size * this->bits_ / 8;
    }
    /* The texels of a staging texture, without gaps; nullptr of another one. */
    void *data()
    {
        return staged_.data();
    }
    const void *data() const
    {
        return staged_.data();
    }
    /* Bytes from row to row, and from plane to plane, of a staging texture; 0 of another one. */
    unsigned get_row_pitch() const
    {
        static_assert(_Np >= 2, "a texture with rows has 2 or 3 dimensions");
        return staged_.empty() ? 0 : (unsigned)this->get_extent()[_Np - 1] * texel::size * this->bits_ / 8;
    }
    unsigned get_depth_pitch() const
    {
        static_assert(_Np == 3, "a texture with planes has 3 dimensions");
        return get_row_pitch() * (unsigned)this->get_extent()[_Np - 2];
    }
    AMP__PROPERTY(queue, accelerator_view);
    AMP__PROPERTY(queue, associated_accelerator_view);
    AMP__PROPERTY(unsigned, data_length);
    AMP__PROPERTY(unsigned, row_pitch);
    AMP__PROPERTY(unsigned, depth_pitch);

    /* ---- texels ---- */
    const _Tp get(const index<_Np> &i) const restrict(amp)
    {
        return this->texels_[index<1>(this->offset(i, 0))];
    }
    AMP__READS(_Tp)
    void set(const index<_Np> &i, const _Tp &value) restrict(amp)
    {
        static_assert(texel::size == 1 && !texel::is_normed && texel::of != amp__detail::kind_double,
                      "a kernel writes such texels by a writeonly_texture_view or a texture_view");
        this->texels_[index<1>(this->offset(i, 0))] = amp__detail::fit(value, this->bits_);
    }

    /* For this header: all texels of another texture. */
    void take(const texture &source)
    {
        if (source.get_extent() != this->get_extent() || source.bits_ != this->bits_ ||
            source.get_mipmap_levels() != this->get_mipmap_levels())
            amp__detail::fail("copy: the textures have different extents, bits or levels");
        source.amp__load();
        copy(source.texels_, this->texels_);
        amp__store();
    }
    array<_Tp, 1> &amp__writable()
    {
        return this->texels_;
    }
    /* Those of a view, which a staging texture has none of. */
    const texture &amp__viewed() const
    {
        if (!staged_.empty())
            amp__detail::fail("texture_view: the source is a staging texture; copy it to a texture of an accelerator");
        return *this;
    }
    texture &amp__viewed()
    {
        const_cast<const texture *>(this)->amp__viewed();
        return *this;
    }
    /* Before a copy from a staging texture, its texels are made of what the host wrote; after one to it, the host sees
     * them. */
    void amp__load() const
    {
        if (staged_.empty())
            return;
        std::vector<_Tp> texels(this->texels_.get_extent().size());
        amp__detail::unpack_all(staged_.data(), texels.size(), this->bits_, texels.data());
        copy(texels.begin(), const_cast<array<_Tp, 1> &>(this->texels_));
    }
    void amp__store()
    {
        if (staged_.empty())
            return;
        std::vector<_Tp> texels = this->texels_;
        amp__detail::pack_all(texels.data(), texels.size(), this->bits_, staged_.data());
    }

  private:
    static unsigned natural()
    {
        static_assert(!texel::is_normed, "textures of norm and unorm have no default for the bits per scalar");
        return texel::natural_bits;
    }
    static array<_Tp, 1> make(const extent_type &e, unsigned bits, unsigned levels, const queue &on,
                              const queue &associated)
    {
        if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
            amp__detail::fail("texture: the bits per scalar are 8, 16, 32 or 64");
        if (!texel::has(bits))
            throw unsupported_feature("texture: there are no texels of this type with so many bits");
        for (int c = 0; c < _Np; c++)
            if (e[(unsigned)c] <= 0 || e[(unsigned)c] > (_Np == 3 ? 2048 : 16384))
                amp__detail::fail("texture: a component of the extent is not from 1 to 16384, or 2048 in 3 dimensions");
        if (levels > amp__detail::most_levels(e))
            amp__detail::fail("texture: there are fewer levels of detail");
        if (associated.amp__is_host())
            throw unsupported_feature("texture: the accelerator \"cpu\" of C++ AMP has no textures; L\"simd\" does");
        unsigned n_levels = levels ? levels : amp__detail::most_levels(e);
        unsigned long long n = 0;
        for (unsigned level = 0; level < n_levels; level++) {
            concurrency::extent<_Np> size = amp__detail::extent_of_level(e, level);
            unsigned long long texels = 1;
            for (int c = 0; c < _Np; c++)
                texels *= (unsigned long long)size[(unsigned)c];
            n += texels;
        }
        if (n > 0x7fffffff)
            throw out_of_memory("texture: it has more than 2147483647 texels");
        return array<_Tp, 1>((int)n, on);
    }
    template <typename _Ip> void fill(_Ip first, _Ip last)
    {
        std::vector<_Tp> texels(first, last);
        if (texels.size() < this->texels_.get_extent().size())
            amp__detail::fail("texture: there are too few texels");
        copy(texels.begin(), this->texels_);
        amp__store();
    }
    void fill_bytes(const void *source, unsigned bytes)
    {
        if (bytes < get_data_length())
            amp__detail::fail("texture: there are too few bytes");
        std::vector<_Tp> texels(this->texels_.get_extent().size());
        amp__detail::unpack_all(source, texels.size(), this->bits_, texels.data());
        copy(texels.begin(), this->texels_);
        amp__store();
    }

    concurrency::accelerator_view associated_;
    std::vector<unsigned char> staged_; /* the bytes of a staging texture */
};

/* ------------------------------------------------------------------ views ---- */

/* A view of one level of detail, to read and write. */
template <typename _Tp, int _Np> class texture_view : public amp__detail::shape<array_view<_Tp, 1>, _Np>
{
    typedef amp__detail::shape<array_view<_Tp, 1>, _Np> base;
    typedef amp__detail::texel<_Tp> texel;
    static const bool is_simple = texel::size == 1 && !texel::is_normed && texel::of != amp__detail::kind_double;

  public:
    typedef _Tp value_type;
    typedef typename texel::scalar scalar_type;

    texture_view(texture<_Tp, _Np> &source, unsigned level = 0)
        : base(level_of(source, level), amp__detail::extent_of_level(source.get_extent(), level),
               source.get_bits_per_scalar_element(), 1)
    {
    }
    unsigned get_data_length() const
    {
        return this->extent_.size() * texel::size * this->bits_ / 8;
    }
    accelerator_view get_accelerator_view() const
    {
        return this->texels_.get_source_accelerator_view();
    }
    const _Tp get(const index<_Np> &i) const restrict(amp)
    {
        static_assert(is_simple, "a kernel reads such texels by a texture_view of const texels");
        return this->texels_[index<1>(this->offset(i, 0))];
    }
    AMP__READS(_Tp)
    void set(const index<_Np> &i, const _Tp &value) const restrict(amp)
    {
        this->texels_[index<1>(this->offset(i, 0))] = amp__detail::fit(value, this->bits_);
    }

  private:
    static array_view<_Tp, 1> level_of(texture<_Tp, _Np> &source, unsigned level)
    {
        if (level >= source.get_mipmap_levels())
            amp__detail::fail("texture_view: there is no such level of detail");
        int first = amp__detail::texels_of(source.get_extent(), level);
        return source.amp__viewed().amp__writable().section(
            first, amp__detail::texels_of(source.get_extent(), level + 1) - first);
    }
};

/* A view of several levels of detail, to read. */
template <typename _Tp, int _Np>
class texture_view<const _Tp, _Np> : public amp__detail::shape<array_view<const _Tp, 1>, _Np>
{
    typedef amp__detail::shape<array_view<const _Tp, 1>, _Np> base;
    typedef amp__detail::texel<_Tp> texel;

  public:
    typedef const _Tp value_type;
    typedef const typename texel::scalar scalar_type;

    texture_view(const texture<_Tp, _Np> &source)
        : base(source.amp__viewed().amp__texels(), source.get_extent(), source.get_bits_per_scalar_element(),
               source.get_mipmap_levels())
    {
    }
    texture_view(const texture<_Tp, _Np> &source, unsigned level, unsigned n_levels)
        : base(levels_of(source.amp__viewed(), level, n_levels),
               amp__detail::extent_of_level(source.get_extent(), level), source.get_bits_per_scalar_element(), n_levels)
    {
    }
    texture_view(const texture_view<_Tp, _Np> &source)
        : base(source.amp__texels(), source.get_extent(), source.get_bits_per_scalar_element(), 1)
    {
    }
    texture_view(const texture_view<const _Tp, _Np> &source, unsigned level, unsigned n_levels)
        : base(levels_of(source, level, n_levels), amp__detail::extent_of_level(source.get_extent(), level),
               source.get_bits_per_scalar_element(), n_levels)
    {
    }
    texture_view(const texture_view &other) = default;
    texture_view &operator=(const texture_view &other) = default;

    unsigned get_data_length() const
    {
        return (unsigned)amp__detail::texels_of(this->extent_, this->levels_) * texel::size * this->bits_ / 8;
    }
    accelerator_view get_accelerator_view() const
    {
        return this->texels_.get_source_accelerator_view();
    }
    const _Tp get(const index<_Np> &i, unsigned level = 0) const restrict(amp)
    {
        return this->texels_[index<1>(this->offset(i, level))];
    }
    AMP__READS(_Tp)

  private:
    template <typename _Sp>
    static array_view<const _Tp, 1> levels_of(const _Sp &source, unsigned level, unsigned n_levels)
    {
        if (!n_levels || level >= source.get_mipmap_levels() || n_levels > source.get_mipmap_levels() - level)
            amp__detail::fail("texture_view: there are no such levels of detail");
        int first = amp__detail::texels_of(source.get_extent(), level);
        int end = amp__detail::texels_of(source.get_extent(), level + n_levels);
        return source.amp__texels().section(first, end - first);
    }
};

/* A view to write alone, which newer programs use texture_view for. */
template <typename _Tp, int _Np> class writeonly_texture_view : public amp__detail::shape<array_view<_Tp, 1>, _Np>
{
    typedef amp__detail::shape<array_view<_Tp, 1>, _Np> base;
    typedef amp__detail::texel<_Tp> texel;

  public:
    typedef _Tp value_type;
    typedef typename texel::scalar scalar_type;

    writeonly_texture_view(texture<_Tp, _Np> &source)
        : base(source.amp__viewed().amp__writable().section(0, (int)source.get_extent().size()), source.get_extent(),
               source.get_bits_per_scalar_element(), 1)
    {
    }
    unsigned get_data_length() const
    {
        return this->extent_.size() * texel::size * this->bits_ / 8;
    }
    accelerator_view get_accelerator_view() const
    {
        return this->texels_.get_source_accelerator_view();
    }
    void set(const index<_Np> &i, const _Tp &value) const restrict(amp)
    {
        this->texels_[index<1>(this->offset(i, 0))] = amp__detail::fit(value, this->bits_);
    }

    /* For this header. */
    void take(const texture<_Tp, _Np> &source) const
    {
        if (source.get_extent() != this->get_extent() || source.get_mipmap_levels() != 1 ||
            source.get_bits_per_scalar_element() != this->bits_)
            amp__detail::fail("copy: the textures have different extents, bits or levels");
        copy(source.amp__texels(), this->texels_);
    }
};
#undef AMP__READS

/* ------------------------------------------------------------------ copies ---- */

namespace amp__detail
{

/* The texels of a part of a source's or a destination's first level. */
template <typename _Tp, int _Np>
array_view<_Tp, _Np> part(const array_view<_Tp, 1> &texels, const extent<_Np> &whole, const index<_Np> &origin,
                          const extent<_Np> &e)
{
    return texels.section(0, (int)whole.size()).view_as(whole).section(origin, e);
}
template <typename _Tp, int _Np> array_view<const _Tp, 1> readable(const texture<_Tp, _Np> &t)
{
    t.amp__load();
    return t.amp__texels();
}
template <typename _Tp, int _Np>
array_view<const typename std::remove_const<_Tp>::type, 1> readable(const texture_view<_Tp, _Np> &t)
{
    return t.amp__texels();
}
template <typename _Tp, int _Np> array_view<_Tp, 1> writable(texture<_Tp, _Np> &t)
{
    t.amp__load();
    return t.amp__writable();
}
template <typename _Tp, int _Np> array_view<_Tp, 1> writable(const texture_view<_Tp, _Np> &t)
{
    return t.amp__texels();
}
template <typename _Tp, int _Np> array_view<_Tp, 1> writable(const writeonly_texture_view<_Tp, _Np> &t)
{
    return t.amp__texels();
}
template <typename _Tp, int _Np> void written(texture<_Tp, _Np> &t)
{
    t.amp__store();
}
template <typename _Dp> void written(const _Dp &)
{
}
template <typename _Sp> struct traits;
template <template <typename, int> class _Sp, typename _Tp, int _Np> struct traits<_Sp<_Tp, _Np>> {
    typedef typename std::remove_const<_Tp>::type type;
    static const int rank = _Np;
};
template <typename _Sp> struct is_texture : std::false_type {
};
template <typename _Tp, int _Np> struct is_texture<texture<_Tp, _Np>> : std::true_type {
};
template <typename _Tp, int _Np> struct is_texture<texture_view<_Tp, _Np>> : std::true_type {
};
template <typename _Tp, int _Np> struct is_texture<writeonly_texture_view<_Tp, _Np>> : std::true_type {
};
template <typename _Sp>
using if_texture = typename std::enable_if<is_texture<typename std::decay<_Sp>::type>::value>::type;

/* Copies the part of a texture to or from memory in the texture's format. */
template <typename _Sp, int _Np>
void copy_to_bytes(const _Sp &source, const index<_Np> &origin, const extent<_Np> &e, void *to, unsigned bytes)
{
    typedef typename traits<_Sp>::type type;
    unsigned bits = source.get_bits_per_scalar_element();
    std::vector<type> texels(e.size());
    if (bytes < texels.size() * texel<type>::size * bits / 8)
        fail("copy: the destination has too few bytes");
    copy(part(readable(source), source.get_extent(), origin, e), texels.begin());
    pack_all(texels.data(), texels.size(), bits, to);
}
template <typename _Dp, int _Np>
void copy_from_bytes(const void *from, unsigned bytes, _Dp &destination, const index<_Np> &origin, const extent<_Np> &e)
{
    typedef typename traits<typename std::remove_const<_Dp>::type>::type type;
    unsigned bits = destination.get_bits_per_scalar_element();
    std::vector<type> texels(e.size());
    if (bytes < texels.size() * texel<type>::size * bits / 8)
        fail("copy: the source has too few bytes");
    unpack_all(from, texels.size(), bits, texels.data());
    copy(texels.begin(), part(writable(destination), destination.get_extent(), origin, e));
    written(destination);
}
template <typename _Sp> void check_bits(const _Sp &t)
{
    if (t.get_bits_per_scalar_element() != texel<typename traits<_Sp>::type>::natural_bits)
        fail("copy: with iterators, a texture has 32 bits per scalar, or 64 for double");
}
template <typename _Ip, typename _Dp, int _Np>
void copy_from_range(_Ip first, _Ip last, _Dp &destination, const index<_Np> &origin, const extent<_Np> &e)
{
    check_bits(const_cast<const _Dp &>(destination));
    std::vector<typename traits<typename std::remove_const<_Dp>::type>::type> texels(first, last);
    if (texels.size() < e.size())
        fail("copy: the source has too few texels");
    copy(texels.begin(), part(writable(destination), destination.get_extent(), origin, e));
    written(destination);
}
template <typename _Sp, typename _Dp, int _Np>
void copy_part(const _Sp &source, const index<_Np> &from, _Dp &destination, const index<_Np> &to, const extent<_Np> &e)
{
    if (source.get_bits_per_scalar_element() != destination.get_bits_per_scalar_element())
        fail("copy: the textures have different bits");
    copy(part(readable(source), source.get_extent(), from, e),
         part(writable(destination), destination.get_extent(), to, e));
    written(destination);
}
/* Copies all levels. */
template <typename _Sp, typename _Dp> void copy_all(const _Sp &source, _Dp &destination)
{
    if (source.get_extent() != destination.get_extent() ||
        source.get_mipmap_levels() != destination.get_mipmap_levels() ||
        source.get_bits_per_scalar_element() != destination.get_bits_per_scalar_element())
        fail("copy: the textures have different extents, bits or levels");
    copy(readable(source), writable(destination));
    written(destination);
}

} // namespace amp__detail

template <typename _Sp, typename = amp__detail::if_texture<_Sp>>
void copy(const _Sp &source, void *destination, unsigned bytes)
{
    amp__detail::copy_to_bytes(source, index<amp__detail::traits<_Sp>::rank>(), source.get_extent(), destination,
                               bytes);
}
template <typename _Sp, int _Np, typename = amp__detail::if_texture<_Sp>>
void copy(const _Sp &source, const index<_Np> &origin, const extent<_Np> &e, void *destination, unsigned bytes)
{
    amp__detail::copy_to_bytes(source, origin, e, destination, bytes);
}
template <typename _Dp, typename = amp__detail::if_texture<_Dp>>
void copy(const void *source, unsigned bytes, _Dp &destination)
{
    typedef typename std::remove_const<_Dp>::type type;
    amp__detail::copy_from_bytes(source, bytes, destination, index<amp__detail::traits<type>::rank>(),
                                 destination.get_extent());
}
template <typename _Dp, int _Np, typename = amp__detail::if_texture<_Dp>>
void copy(const void *source, unsigned bytes, _Dp &destination, const index<_Np> &origin, const extent<_Np> &e)
{
    amp__detail::copy_from_bytes(source, bytes, destination, origin, e);
}
template <typename _Sp, typename _Op, typename = amp__detail::if_texture<_Sp>,
          typename = typename std::iterator_traits<_Op>::iterator_category>
void copy(const _Sp &source, _Op destination)
{
    amp__detail::check_bits(source);
    copy(amp__detail::part(amp__detail::readable(source), source.get_extent(), index<amp__detail::traits<_Sp>::rank>(),
                           source.get_extent()),
         destination);
}
template <typename _Sp, int _Np, typename _Op, typename = amp__detail::if_texture<_Sp>,
          typename = typename std::iterator_traits<_Op>::iterator_category>
void copy(const _Sp &source, const index<_Np> &origin, const extent<_Np> &e, _Op destination)
{
    amp__detail::check_bits(source);
    copy(amp__detail::part(amp__detail::readable(source), source.get_extent(), origin, e), destination);
}
/* std::copy, which takes anything, must be a worse match. */
template <typename _Ip, typename _Tp, int _Np, typename = typename std::iterator_traits<_Ip>::iterator_category>
void copy(_Ip first, _Ip last, texture<_Tp, _Np> &destination)
{
    amp__detail::copy_from_range(first, last, destination, index<_Np>(), destination.get_extent());
}
template <typename _Ip, typename _Tp, int _Np, typename = typename std::iterator_traits<_Ip>::iterator_category>
void copy(_Ip first, _Ip last, const texture_view<_Tp, _Np> &destination)
{
    amp__detail::copy_from_range(first, last, destination, index<_Np>(), destination.get_extent());
}
template <typename _Ip, typename _Tp, int _Np, typename = typename std::iterator_traits<_Ip>::iterator_category>
void copy(_Ip first, _Ip last, const writeonly_texture_view<_Tp, _Np> &destination)
{
    amp__detail::copy_from_range(first, last, destination, index<_Np>(), destination.get_extent());
}
template <typename _Ip, typename _Dp, int _Np, typename = typename std::iterator_traits<_Ip>::iterator_category,
          typename = amp__detail::if_texture<_Dp>>
void copy(_Ip first, _Ip last, _Dp &destination, const index<_Np> &origin, const extent<_Np> &e)
{
    amp__detail::copy_from_range(first, last, destination, origin, e);
}
template <typename _Sp, typename _Dp, typename = amp__detail::if_texture<_Sp>, typename = amp__detail::if_texture<_Dp>,
          int = 0>
void copy(const _Sp &source, _Dp &destination)
{
    amp__detail::copy_all(source, destination);
}
template <typename _Sp, typename _Dp, int _Np, typename = amp__detail::if_texture<_Sp>,
          typename = amp__detail::if_texture<_Dp>>
void copy(const _Sp &source, const index<_Np> &from, _Dp &destination, const index<_Np> &to, const extent<_Np> &e)
{
    amp__detail::copy_part(source, from, destination, to, e);
}

namespace amp__detail
{
template <typename... _As> struct any_texture : std::false_type {
};
template <typename _Ap, typename... _As>
struct any_texture<_Ap, _As...>
    : std::integral_constant<bool, is_texture<typename std::decay<_Ap>::type>::value || any_texture<_As...>::value> {
};
} // namespace amp__detail

/* The copy is done when the call returns. */
template <typename... _As, typename = typename std::enable_if<amp__detail::any_texture<_As...>::value>::type>
completion_future copy_async(_As &&...arguments)
{
    copy(std::forward<_As>(arguments)...);
    return concurrency::amp__detail::done();
}

} // namespace graphics
} // namespace Concurrency

} /* extern "C++" */

#endif
