/* SPDX-License-Identifier: MIT
 *
 * Short vectors of C++ AMP: norm, unorm, and int_2 to unorm_4 with their components, swizzles and operators.
 *
 *     float_4 color(0.5f, 1, 0, 1);
 *     color.rgb = color.bgr * 2; // also get_zyx() and set_xyz()
 *
 * A component that a swizzle names twice does not exist in the model either. */
#ifndef AMP_CPP_AMP_SHORT_VECTORS_H
#define AMP_CPP_AMP_SHORT_VECTORS_H

#pragma GCC system_header

#include <amp.h>

extern "C++" {

namespace Concurrency
{
namespace graphics
{

typedef unsigned uint;

class unorm;

/* ------------------------------------------------------------------ norm and unorm ---- */

#define AMP__NORM_BINARY(name, op)                                                                                     \
    friend name operator op(const name &a, const name &b) restrict(cpu, amp) { return name(a.value_ op b.value_); }    \
    name &operator op##=(const name & b) restrict(cpu, amp) { return *this = *this op b; }
#define AMP__NORM_COMPARE(name, op)                                                                                    \
    friend bool operator op(const name &a, const name &b) restrict(cpu, amp) { return a.value_ op b.value_; }
/* What norm and unorm have in common; `low` is the least value. */
#define AMP__NORM(name, low)                                                                                           \
  public:                                                                                                              \
    name() restrict(cpu, amp) : value_(0) {}                                                                           \
    explicit name(float value) restrict(cpu, amp) : value_(value < low ? low : value > 1.0f ? 1.0f : value) {}         \
    explicit name(int value) restrict(cpu, amp) : name((float)value) {}                                                \
    explicit name(unsigned value) restrict(cpu, amp) : name((float)value) {}                                           \
    explicit name(double value) restrict(cpu, amp) : name((float)value) {}                                             \
    operator float() const restrict(cpu, amp) { return value_; }                                                       \
    AMP__NORM_BINARY(name, +)                                                                                          \
    AMP__NORM_BINARY(name, -)                                                                                          \
    AMP__NORM_BINARY(name, *)                                                                                          \
    AMP__NORM_BINARY(name, /)                                                                                          \
    AMP__NORM_COMPARE(name, ==)                                                                                        \
    AMP__NORM_COMPARE(name, !=)                                                                                        \
    AMP__NORM_COMPARE(name, <)                                                                                         \
    AMP__NORM_COMPARE(name, >)                                                                                         \
    AMP__NORM_COMPARE(name, <=)                                                                                        \
    AMP__NORM_COMPARE(name, >=)                                                                                        \
    name &operator++() restrict(cpu, amp) { return *this = name(value_ + 1); }                                         \
    name &operator--() restrict(cpu, amp) { return *this = name(value_ - 1); }                                         \
    name operator++(int) restrict(cpu, amp)                                                                            \
    {                                                                                                                  \
        name before(*this);                                                                                            \
        ++*this;                                                                                                       \
        return before;                                                                                                 \
    }                                                                                                                  \
    name operator--(int) restrict(cpu, amp)                                                                            \
    {                                                                                                                  \
        name before(*this);                                                                                            \
        --*this;                                                                                                       \
        return before;                                                                                                 \
    }                                                                                                                  \
                                                                                                                       \
  private:                                                                                                             \
    float value_;

/* A number from -1 to 1; others become the nearest of these. */
class norm
{
    AMP__NORM(norm, -1.0f)
  public:
    norm(const unorm &other) restrict(cpu, amp);
    norm operator-() const restrict(cpu, amp)
    {
        return norm(-value_);
    }
};

/* A number from 0 to 1. */
class unorm
{
    AMP__NORM(unorm, 0.0f)
  public:
    explicit unorm(const norm &other) restrict(cpu, amp) : unorm((float)other)
    {
    }
};

inline norm::norm(const unorm &other) restrict(cpu, amp) : norm((float)other)
{
}

#undef AMP__NORM
#undef AMP__NORM_BINARY
#undef AMP__NORM_COMPARE

#define UNORM_MIN  ((concurrency::graphics::unorm)0.0f)
#define UNORM_MAX  ((concurrency::graphics::unorm)1.0f)
#define UNORM_ZERO ((concurrency::graphics::unorm)0.0f)
#define NORM_MIN   ((concurrency::graphics::norm)-1.0f)
#define NORM_MAX   ((concurrency::graphics::norm)1.0f)
#define NORM_ZERO  ((concurrency::graphics::norm)0.0f)

/* ------------------------------------------------------------------ vectors ---- */

namespace amp__detail
{

template <typename _Tp, int _Np> class vector;

/* Calls of operators that a component type lacks are errors. */
template <typename _Tp> struct has {
    static const bool bits = std::is_same<_Tp, int>::value || std::is_same<_Tp, unsigned>::value;
    static const bool minus = !std::is_same<_Tp, unsigned>::value && !std::is_same<_Tp, unorm>::value;
    static const bool norms = std::is_same<_Tp, norm>::value || std::is_same<_Tp, unorm>::value;
};

/* Vectors of norm and unorm are also made of numbers: a type if all are numbers. */
template <typename...> struct are_numbers {
    static const bool value = true;
};
template <typename _Ap, typename... _Up> struct are_numbers<_Ap, _Up...> {
    static const bool value = std::is_arithmetic<_Ap>::value && are_numbers<_Up...>::value;
};
template <typename _Tp, typename... _Up>
using from_numbers = typename std::enable_if<has<_Tp>::norms && are_numbers<_Up...>::value>::type;

#ifdef AMP__CXX
#define AMP__SWIZZLE(type, name, accessor)                                                                             \
    __declspec(property(get = get_##accessor, put = set_##accessor)) type name
#else
#define AMP__SWIZZLE(type, name, accessor) static_assert(true, "")
#endif

/* One component: x is the name, r its alias. What sets several takes a copy, because it may be of the same vector. */
#define AMP__COMPONENT_OF(x, r)                                                                                        \
    _Tp get_##x() const restrict(cpu, amp) { return x##_; }                                                            \
    void set_##x(const _Tp &value) restrict(cpu, amp) { x##_ = value; }                                                \
    _Tp &ref_##x() restrict(cpu, amp) { return x##_; }                                                                 \
    _Tp &ref_##r() restrict(cpu, amp) { return x##_; }                                                                 \
    AMP__SWIZZLE(_Tp, x, x);                                                                                           \
    AMP__SWIZZLE(_Tp, r, x);
#define AMP__PAIR(x, y, r, g)                                                                                          \
    vector<_Tp, 2> get_##x##y() const restrict(cpu, amp) { return vector<_Tp, 2>(x##_, y##_); }                        \
    void set_##x##y(vector<_Tp, 2> v) restrict(cpu, amp)                                                               \
    {                                                                                                                  \
        x##_ = v.get_x();                                                                                              \
        y##_ = v.get_y();                                                                                              \
    }                                                                                                                  \
    AMP__SWIZZLE(vector<_Tp AMP__COMMA 2>, x##y, x##y);                                                                \
    AMP__SWIZZLE(vector<_Tp AMP__COMMA 2>, r##g, x##y);
#define AMP__TRIPLE(x, y, z, r, g, b)                                                                                  \
    vector<_Tp, 3> get_##x##y##z() const restrict(cpu, amp) { return vector<_Tp, 3>(x##_, y##_, z##_); }               \
    void set_##x##y##z(vector<_Tp, 3> v) restrict(cpu, amp)                                                            \
    {                                                                                                                  \
        x##_ = v.get_x();                                                                                              \
        y##_ = v.get_y();                                                                                              \
        z##_ = v.get_z();                                                                                              \
    }                                                                                                                  \
    AMP__SWIZZLE(vector<_Tp AMP__COMMA 3>, x##y##z, x##y##z);                                                          \
    AMP__SWIZZLE(vector<_Tp AMP__COMMA 3>, r##g##b, x##y##z);
#define AMP__QUAD(x, y, z, w, r, g, b, a)                                                                              \
    vector<_Tp, 4> get_##x##y##z##w() const restrict(cpu, amp) { return vector<_Tp, 4>(x##_, y##_, z##_, w##_); }      \
    void set_##x##y##z##w(vector<_Tp, 4> v) restrict(cpu, amp)                                                         \
    {                                                                                                                  \
        x##_ = v.get_x();                                                                                           \
        y##_ = v.get_y();                                                                                           \
        z##_ = v.get_z();                                                                                           \
        w##_ = v.get_w();                                                                                           \
    }                                                                                                                  \
    AMP__SWIZZLE(vector<_Tp AMP__COMMA 4>, x##y##z##w, x##y##z##w);                                                    \
    AMP__SWIZZLE(vector<_Tp AMP__COMMA 4>, r##g##b##a, x##y##z##w);
#define AMP__COMMA ,

/* All orders of two, three or four components. */
#define AMP__PAIRS(x, y, r, g) AMP__PAIR(x, y, r, g) AMP__PAIR(y, x, g, r)
#define AMP__TRIPLES(x, y, z, r, g, b)                                                                                 \
    AMP__TRIPLE(x, y, z, r, g, b)                                                                                      \
    AMP__TRIPLE(x, z, y, r, b, g)                                                                                      \
    AMP__TRIPLE(y, x, z, g, r, b)                                                                                      \
    AMP__TRIPLE(y, z, x, g, b, r)                                                                                      \
    AMP__TRIPLE(z, x, y, b, r, g)                                                                                      \
    AMP__TRIPLE(z, y, x, b, g, r)
#define AMP__QUADS_FROM(x, y, z, w, r, g, b, a)                                                                        \
    AMP__QUAD(x, y, z, w, r, g, b, a)                                                                                  \
    AMP__QUAD(x, y, w, z, r, g, a, b)                                                                                  \
    AMP__QUAD(x, z, y, w, r, b, g, a)                                                                                  \
    AMP__QUAD(x, z, w, y, r, b, a, g)                                                                                  \
    AMP__QUAD(x, w, y, z, r, a, g, b)                                                                                  \
    AMP__QUAD(x, w, z, y, r, a, b, g)

#define AMP__BINARY(op)                                                                                                \
    friend vector operator op(const vector &a, const vector &b) restrict(cpu, amp)                                     \
    {                                                                                                                  \
        vector result(a);                                                                                              \
        result op## = b;                                                                                               \
        return result;                                                                                                 \
    }
#define AMP__FOUR_RULES(each)                                                                                          \
    each(+) each(-) each(*) each(/)
#define AMP__BITS(each)                                                                                                \
    each(%) each(^) each(|) each(&) each(<<) each(>>)

/* What all vectors share, with `map(f)` for f(x) f(y) ... */
#define AMP__VECTOR(n, map)                                                                                            \
  public:                                                                                                              \
    typedef _Tp value_type;                                                                                            \
    static const int size = n;                                                                                         \
    vector() restrict(cpu, amp) : vector(_Tp()) {}                                                                     \
    template <typename _Ap, typename = from_numbers<_Tp, _Ap>>                                                         \
    explicit vector(_Ap value) restrict(cpu, amp) : vector((_Tp)(float)value) {}                                       \
    friend bool operator==(const vector &a, const vector &b) restrict(cpu, amp)                                        \
    {                                                                                                                  \
        bool same = true;                                                                                              \
        map(AMP__SAME) return same;                                                                                    \
    }                                                                                                                  \
    friend bool operator!=(const vector &a, const vector &b) restrict(cpu, amp) { return !(a == b); }                  \
    vector &operator++() restrict(cpu, amp) { map(AMP__INCREMENT) return *this; }                                      \
    vector &operator--() restrict(cpu, amp) { map(AMP__DECREMENT) return *this; }                                      \
    vector operator++(int) restrict(cpu, amp)                                                                          \
    {                                                                                                                  \
        vector before(*this);                                                                                          \
        ++*this;                                                                                                       \
        return before;                                                                                                 \
    }                                                                                                                  \
    vector operator--(int) restrict(cpu, amp)                                                                          \
    {                                                                                                                  \
        vector before(*this);                                                                                          \
        --*this;                                                                                                       \
        return before;                                                                                                 \
    }                                                                                                                  \
    vector operator-() const restrict(cpu, amp)                                                                        \
    {                                                                                                                  \
        static_assert(has<_Tp>::minus, "vectors of unsigned components have no unary minus");                          \
        vector result(*this);                                                                                          \
        map(AMP__NEGATE) return result;                                                                                \
    }                                                                                                                  \
    vector operator~() const restrict(cpu, amp)                                                                        \
    {                                                                                                                  \
        static_assert(has<_Tp>::bits, "only vectors of integers have ~");                                              \
        vector result(*this);                                                                                          \
        map(AMP__INVERT) return result;                                                                                \
    }
#define AMP__SAME(x)      same = same && a.x##_ == b.x##_;
#define AMP__INCREMENT(x) ++x##_;
#define AMP__DECREMENT(x) --x##_;
#define AMP__NEGATE(x)    result.x##_ = -x##_;
#define AMP__INVERT(x)    result.x##_ = ~x##_;

#define AMP__ASSIGN_2(op)                                                                                              \
    vector &operator op##=(const vector & v) restrict(cpu, amp)                                                        \
    {                                                                                                                  \
        x_ = (_Tp)(x_ op v.x_);                                                                                        \
        y_ = (_Tp)(y_ op v.y_);                                                                                        \
        return *this;                                                                                                  \
    }                                                                                                                  \
    AMP__BINARY(op)
#define AMP__ASSIGN_3(op)                                                                                              \
    vector &operator op##=(const vector & v) restrict(cpu, amp)                                                        \
    {                                                                                                                  \
        x_ = (_Tp)(x_ op v.x_);                                                                                        \
        y_ = (_Tp)(y_ op v.y_);                                                                                        \
        z_ = (_Tp)(z_ op v.z_);                                                                                        \
        return *this;                                                                                                  \
    }                                                                                                                  \
    AMP__BINARY(op)
#define AMP__ASSIGN_4(op)                                                                                              \
    vector &operator op##=(const vector & v) restrict(cpu, amp)                                                        \
    {                                                                                                                  \
        x_ = (_Tp)(x_ op v.x_);                                                                                        \
        y_ = (_Tp)(y_ op v.y_);                                                                                        \
        z_ = (_Tp)(z_ op v.z_);                                                                                        \
        w_ = (_Tp)(w_ op v.w_);                                                                                        \
        return *this;                                                                                                  \
    }                                                                                                                  \
    AMP__BINARY(op)
#define AMP__MAP_2(f) f(x) f(y)
#define AMP__MAP_3(f) f(x) f(y) f(z)
#define AMP__MAP_4(f) f(x) f(y) f(z) f(w)

template <typename _Tp> class vector<_Tp, 2>
{
    AMP__VECTOR(2, AMP__MAP_2)
    vector(const _Tp &value) restrict(cpu, amp) : x_(value), y_(value)
    {
    }
    vector(const _Tp &x0, const _Tp &y0) restrict(cpu, amp) : x_(x0), y_(y0)
    {
    }
    template <typename _Ap, typename _Bp, typename = from_numbers<_Tp, _Ap, _Bp>>
    vector(_Ap x0, _Bp y0) restrict(cpu, amp) : vector((_Tp)(float)x0, (_Tp)(float)y0)
    {
    }
    template <typename _Up>
    explicit vector(const vector<_Up, 2> &v) restrict(cpu, amp) : x_((_Tp)v.get_x()), y_((_Tp)v.get_y())
    {
    }
    AMP__FOUR_RULES(AMP__ASSIGN_2)
    AMP__BITS(AMP__ASSIGN_2)
    AMP__COMPONENT_OF(x, r)
    AMP__COMPONENT_OF(y, g)
    AMP__PAIRS(x, y, r, g)

  private:
    _Tp x_, y_;
};

template <typename _Tp> class vector<_Tp, 3>
{
    AMP__VECTOR(3, AMP__MAP_3)
    vector(const _Tp &value) restrict(cpu, amp) : x_(value), y_(value), z_(value)
    {
    }
    vector(const _Tp &x0, const _Tp &y0, const _Tp &z0) restrict(cpu, amp) : x_(x0), y_(y0), z_(z0)
    {
    }
    template <typename _Ap, typename _Bp, typename _Cp, typename = from_numbers<_Tp, _Ap, _Bp, _Cp>>
    vector(_Ap x0, _Bp y0, _Cp z0) restrict(cpu, amp) : vector((_Tp)(float)x0, (_Tp)(float)y0, (_Tp)(float)z0)
    {
    }
    template <typename _Up>
    explicit vector(const vector<_Up, 3> &v) restrict(cpu, amp)
        : x_((_Tp)v.get_x()), y_((_Tp)v.get_y()), z_((_Tp)v.get_z())
    {
    }
    AMP__FOUR_RULES(AMP__ASSIGN_3)
    AMP__BITS(AMP__ASSIGN_3)
    AMP__COMPONENT_OF(x, r)
    AMP__COMPONENT_OF(y, g)
    AMP__COMPONENT_OF(z, b)
    AMP__PAIRS(x, y, r, g)
    AMP__PAIRS(x, z, r, b)
    AMP__PAIRS(y, z, g, b)
    AMP__TRIPLES(x, y, z, r, g, b)

  private:
    _Tp x_, y_, z_;
};

template <typename _Tp> class vector<_Tp, 4>
{
    AMP__VECTOR(4, AMP__MAP_4)
    vector(const _Tp &value) restrict(cpu, amp) : x_(value), y_(value), z_(value), w_(value)
    {
    }
    vector(const _Tp &x0, const _Tp &y0, const _Tp &z0, const _Tp &w0) restrict(cpu, amp)
        : x_(x0), y_(y0), z_(z0), w_(w0)
    {
    }
    template <typename _Ap, typename _Bp, typename _Cp, typename _Dp, typename = from_numbers<_Tp, _Ap, _Bp, _Cp, _Dp>>
    vector(_Ap x0, _Bp y0, _Cp z0, _Dp w0) restrict(cpu, amp)
        : vector((_Tp)(float)x0, (_Tp)(float)y0, (_Tp)(float)z0, (_Tp)(float)w0)
    {
    }
    template <typename _Up>
    explicit vector(const vector<_Up, 4> &v) restrict(cpu, amp)
        : x_((_Tp)v.get_x()), y_((_Tp)v.get_y()), z_((_Tp)v.get_z()), w_((_Tp)v.get_w())
    {
    }
    AMP__FOUR_RULES(AMP__ASSIGN_4)
    AMP__BITS(AMP__ASSIGN_4)
    AMP__COMPONENT_OF(x, r)
    AMP__COMPONENT_OF(y, g)
    AMP__COMPONENT_OF(z, b)
    AMP__COMPONENT_OF(w, a)
    AMP__PAIRS(x, y, r, g)
    AMP__PAIRS(x, z, r, b)
    AMP__PAIRS(x, w, r, a)
    AMP__PAIRS(y, z, g, b)
    AMP__PAIRS(y, w, g, a)
    AMP__PAIRS(z, w, b, a)
    AMP__TRIPLES(x, y, z, r, g, b)
    AMP__TRIPLES(x, y, w, r, g, a)
    AMP__TRIPLES(x, z, w, r, b, a)
    AMP__TRIPLES(y, z, w, g, b, a)
    AMP__QUADS_FROM(x, y, z, w, r, g, b, a)
    AMP__QUADS_FROM(y, x, z, w, g, r, b, a)
    AMP__QUADS_FROM(z, x, y, w, b, r, g, a)
    AMP__QUADS_FROM(w, x, y, z, a, r, g, b)

  private:
    _Tp x_, y_, z_, w_;
};
template <typename _Tp> const int vector<_Tp, 2>::size;
template <typename _Tp> const int vector<_Tp, 3>::size;
template <typename _Tp> const int vector<_Tp, 4>::size;

#undef AMP__SWIZZLE
#undef AMP__COMPONENT_OF
#undef AMP__PAIR
#undef AMP__TRIPLE
#undef AMP__QUAD
#undef AMP__COMMA
#undef AMP__PAIRS
#undef AMP__TRIPLES
#undef AMP__QUADS_FROM
#undef AMP__BINARY
#undef AMP__FOUR_RULES
#undef AMP__BITS
#undef AMP__VECTOR
#undef AMP__SAME
#undef AMP__INCREMENT
#undef AMP__DECREMENT
#undef AMP__NEGATE
#undef AMP__INVERT
#undef AMP__ASSIGN_2
#undef AMP__ASSIGN_3
#undef AMP__ASSIGN_4
#undef AMP__MAP_2
#undef AMP__MAP_3
#undef AMP__MAP_4

/* Whether a type can be a vector's component. */
template <typename _Tp> struct is_scalar : std::false_type {
};
template <> struct is_scalar<int> : std::true_type {
};
template <> struct is_scalar<unsigned> : std::true_type {
};
template <> struct is_scalar<float> : std::true_type {
};
template <> struct is_scalar<double> : std::true_type {
};
template <> struct is_scalar<norm> : std::true_type {
};
template <> struct is_scalar<unorm> : std::true_type {
};

} // namespace amp__detail

/* The vector of `_Np` components of a type, or the type itself. */
template <typename _Tp, int _Np> struct short_vector {
    static_assert(amp__detail::is_scalar<_Tp>::value && _Np >= 1 && _Np <= 4,
                  "there are no short vectors of this type");
    typedef amp__detail::vector<_Tp, _Np> type;
};
template <typename _Tp> struct short_vector<_Tp, 1> {
    static_assert(amp__detail::is_scalar<_Tp>::value, "there are no short vectors of this type");
    typedef _Tp type;
};
/* The other way round. */
template <typename _Tp> struct short_vector_traits {
    static_assert(amp__detail::is_scalar<_Tp>::value, "this is no short vector");
    typedef _Tp value_type;
    static const int size = 1;
};
template <typename _Tp, int _Np> struct short_vector_traits<amp__detail::vector<_Tp, _Np>> {
    typedef _Tp value_type;
    static const int size = _Np;
};

#define AMP__NAMES(type, name, alias)                                                                                  \
    typedef amp__detail::vector<type, 2> name##_2;                                                                     \
    typedef amp__detail::vector<type, 3> name##_3;                                                                     \
    typedef amp__detail::vector<type, 4> name##_4;                                                                     \
    namespace direct3d                                                                                                 \
    {                                                                                                                  \
    typedef name##_2 alias##2;                                                                                         \
    typedef name##_3 alias##3;                                                                                         \
    typedef name##_4 alias##4;                                                                                         \
    }
AMP__NAMES(int, int, int)
AMP__NAMES(unsigned, uint, uint)
AMP__NAMES(float, float, float)
AMP__NAMES(double, double, double)
AMP__NAMES(norm, norm, norm)
AMP__NAMES(unorm, unorm, unorm)
#undef AMP__NAMES

} // namespace graphics
} // namespace Concurrency

} /* extern "C++" */

#endif
