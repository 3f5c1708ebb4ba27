/* SPDX-License-Identifier: MIT
 *
 * C++ AMP on libamp. `ampcc` finds this header as <amp.h> in C++ sources; the C one lies under it.
 *
 *     #include <amp.h>
 *     #include <iostream>
 *     using namespace concurrency;
 *
 *     int main()
 *     {
 *         int data[] = {1, 2, 3};
 *         array_view<int> view(3, data);
 *         parallel_for_each(view.extent, [=](index<1> i) restrict(amp) { view[i] *= 10; });
 *         std::cout << view[2] << std::endl; // 30
 *     }
 *
 * The classes are thin: a handle of libamp, and what kernels need, the address of the elements and the extents. Errors
 * of libamp become the exceptions of the model. docs/cpp-amp.md says what is there, and what differs from the model.
 *
 * Inside. What is for the host alone stands in amp__on_host(...), what is for accelerators alone in
 * amp__on_device(...): ampcc compiles the source once for each, and drops the other. With --amp-check it compiles it
 * once more for accelerators, and keeps amp__on_checked(...). Other compilers read this header as host code.
 */
#ifndef AMP_CPP_AMP_H
#define AMP_CPP_AMP_H

#ifndef __cplusplus
#error "this is <amp.h> of C++ AMP; name the source *.cpp, or include the C header"
#endif
#pragma GCC system_header

extern "C++" { /* a header that includes this one may be included for C */

#include <cstddef>

/* ampcc first tries without what takes long to read, and asks for it if the program needs it: some headers, and the
 * arithmetic of C's indices. */
#if defined AMP__CXX && !defined AMP__COMPLETE && defined __GLIBCXX__ && !defined _GLIBCXX_DEBUG
#define AMP__LIGHT
#else
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <vector>
#endif

#include_next <amp.h>

#include <exception>
#include <iostream>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>

#ifdef AMP__LIGHT
// clang-format off
namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_CONTAINER
template <typename, typename> class vector;
_GLIBCXX_END_NAMESPACE_CONTAINER
}
// clang-format on
#endif

#ifdef AMP__CXX
#define AMP__PROPERTY(type, name) __declspec(property(get = get_##name)) type name
#else
#define restrict(...)
#define amp__on_host(...) __VA_ARGS__
#define amp__on_device(...)
#define amp__on_checked(...)
#define amp__used_on_device
#define amp__most_planes 1024
#define AMP__PROPERTY(type, name) static_assert(true, "")
#endif

/* ampcc looks for this name. */
namespace amp__cxx_door
{
}

/* Programs open the namespace by this name to add to it; they use it by both. */
namespace Concurrency
{
}
namespace concurrency = Concurrency;

namespace Concurrency
{

template <int _Np> class index;
template <int _Np> class extent;
template <int _D0, int _D1 = 0, int _D2 = 0> class tiled_extent;
template <int _D0, int _D1 = 0, int _D2 = 0> class tiled_index;
template <typename _Tp, int _Np = 1> class array;
template <typename _Tp, int _Np = 1> class array_view;

/* of <amp_graphics.h> */
namespace graphics
{
template <typename _Tp, int _Np> class texture;
template <typename _Tp, int _Np> class texture_view;
template <typename _Tp, int _Np> class writeonly_texture_view;
} // namespace graphics

typedef int HRESULT;

enum queuing_mode { queuing_mode_immediate, queuing_mode_automatic };
enum access_type {
    access_type_none = 0,
    access_type_read = 1,
    access_type_write = 2,
    access_type_read_write = access_type_read | access_type_write,
    access_type_auto = 4
};

/* ------------------------------------------------------------------ exceptions ---- */

class runtime_exception : public std::exception
{
  public:
    runtime_exception(const char *message, HRESULT code) : message_(message), code_(code)
    {
    }
    explicit runtime_exception(HRESULT code) : code_(code)
    {
    }
    const char *what() const noexcept override
    {
        return message_.c_str();
    }
    HRESULT get_error_code() const noexcept
    {
        return code_;
    }

  private:
    std::string message_;
    HRESULT code_;
};

class out_of_memory : public runtime_exception
{
  public:
    explicit out_of_memory(const char *message) : runtime_exception(message, (HRESULT)0x8007000e)
    {
    }
    out_of_memory() : out_of_memory("")
    {
    }
};

class accelerator_view_removed : public runtime_exception
{
  public:
    accelerator_view_removed(const char *message, HRESULT reason)
        : runtime_exception(message, (HRESULT)0x887a0005), reason_(reason)
    {
    }
    explicit accelerator_view_removed(HRESULT reason) : accelerator_view_removed("", reason)
    {
    }
    HRESULT get_view_removed_reason() const noexcept
    {
        return reason_;
    }

  private:
    HRESULT reason_;
};

class invalid_compute_domain : public runtime_exception
{
  public:
    explicit invalid_compute_domain(const char *message) : runtime_exception(message, (HRESULT)0x80070057)
    {
    }
    invalid_compute_domain() : invalid_compute_domain("")
    {
    }
};

class unsupported_feature : public runtime_exception
{
  public:
    explicit unsupported_feature(const char *message) : runtime_exception(message, (HRESULT)0x80004001)
    {
    }
    unsupported_feature() : unsupported_feature("")
    {
    }
};

class uninitialized_object : public runtime_exception
{
  public:
    explicit uninitialized_object(const char *message) : runtime_exception(message, (HRESULT)0x80070057)
    {
    }
    uninitialized_object() : uninitialized_object("")
    {
    }
};

namespace amp__detail
{

/* The standard vector, which need not be defined yet. */
template <typename _Tp> using sequence = std::vector<_Tp, std::allocator<_Tp>>;

/* Elements that stay where they are in memory, for what would take a sequence of them. */
template <typename _Tp> struct borrowed {
    const _Tp *first;
    const _Tp *data() const
    {
        return first;
    }
};

/* Throws the exception for a status of libamp, with the text of the thread's error. */
[[noreturn]] inline void fail(amp_status status)
{
    const char *text = amp__error_in_cpp(status);
    switch (status) {
    case AMP_ERROR_OUT_OF_MEMORY:
        throw out_of_memory(text);
    case AMP_ERROR_INVALID_COMPUTE_DOMAIN:
        throw invalid_compute_domain(text);
    case AMP_ERROR_UNSUPPORTED_FEATURE:
    case AMP_ERROR_NO_KERNEL:
        throw unsupported_feature(text);
    case AMP_ERROR_ACCELERATOR_VIEW_REMOVED:
        throw accelerator_view_removed(text, (HRESULT)0x887a0007);
    default:
        throw runtime_exception(text, (HRESULT)0x80004005);
    }
}

inline void check(amp_status status)
{
    if (status != AMP_OK)
        fail(status);
}

/* A handle that a call has returned. */
template <typename _Hp> _Hp *made(_Hp *handle)
{
    if (!handle)
        fail(amp_error_status());
    return handle;
}

inline std::wstring widen(const char *text)
{
    std::wstring wide;
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int more = *c < 0x80 ? 0 : *c < 0xe0 ? 1 : *c < 0xf0 ? 2 : 3;
        unsigned long code = more ? *c & (0x3fu >> more) : *c;
        for (c++; more > 0 && *c; more--, c++)
            code = code << 6 | (*c & 0x3f);
        wide += (wchar_t)code;
    }
    return wide;
}

/* Sends what is written to std::wcout through std::cout, in UTF-8: C++ AMP programs use both, which Linux's standard
 * output does not allow. */
class wide_output : public std::wstreambuf
{
  public:
    static void install()
    {
        static wide_output output(std::wcout, std::cout), error(std::wcerr, std::cerr);
        (void)output;
        (void)error;
    }

  protected:
    int_type overflow(int_type c) override
    {
        unsigned long code = (unsigned long)c;
        if (traits_type::eq_int_type(c, traits_type::eof()))
            return traits_type::not_eof(c);
        char text[4];
        int n = 0;
        if (code < 0x80) {
            text[n++] = (char)code;
        } else {
            int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
            text[n++] = (char)((0xf00 >> more & 0xff) | code >> 6 * more);
            while (more-- > 0)
                text[n++] = (char)(0x80 | (code >> 6 * more & 0x3f));
        }
        return to_.rdbuf()->sputn(text, n) == n ? c : traits_type::eof();
    }
    int sync() override
    {
        return to_.rdbuf()->pubsync();
    }

  private:
    wide_output(std::wostream &from, std::ostream &to) : from_(from), to_(to), before_(from.rdbuf(this))
    {
    }
    ~wide_output() override
    {
        from_.rdbuf(before_);
    }

    std::wostream &from_;
    std::ostream &to_;
    std::wstreambuf *before_;
};
static const bool has_wide_output = (wide_output::install(), true);

inline std::string narrow(const std::wstring &wide)
{
    std::string text;
    for (wchar_t c : wide)
        text += c < 0x80 ? (char)c : '?';
    return text;
}

} // namespace amp__detail

/* ------------------------------------------------------------------ index and extent ---- */

namespace amp__detail
{

/* Calls f(0) to f(_Np - 1). In a loop, ampcc's analyses would not know the numbers. */
template <int _Np> struct each {
    template <typename _Fp> static void call(const _Fp &f) restrict(cpu, amp)
    {
        each<_Np - 1>::call(f);
        f((unsigned)_Np - 1);
    }
};
template <> struct each<0> {
    template <typename _Fp> static void call(const _Fp &) restrict(cpu, amp)
    {
    }
};

/* What index and extent share: _Np numbers, of which the first is the most significant. _Dp is the class itself. */
template <typename _Dp, int _Np> class numbers
{
    static_assert(_Np > 0, "the rank of an index or an extent is at least 1");
    static_assert(_Np <= 128, "the rank of an index or an extent is at most 128");

  public:
    static const int rank = _Np;
    typedef int value_type;

    numbers() restrict(cpu, amp)
    {
        each<_Np>::call([&](unsigned i) restrict(cpu, amp) { at_[i] = 0; });
    }
    numbers(const numbers &other) restrict(cpu, amp) : numbers(other.at_)
    {
    }
    numbers &operator=(const numbers &other) restrict(cpu, amp)
    {
        each<_Np>::call([&](unsigned i) restrict(cpu, amp) { at_[i] = other.at_[i]; });
        return *this;
    }
    explicit numbers(const int components[]) restrict(cpu, amp)
    {
        each<_Np>::call([&](unsigned i) restrict(cpu, amp) { at_[i] = components[i]; });
    }

    int operator[](unsigned c) const restrict(cpu, amp)
    {
        return at_[c];
    }
    int &operator[](unsigned c) restrict(cpu, amp)
    {
        return at_[c];
    }

    friend bool operator==(const _Dp &a, const _Dp &b) restrict(cpu, amp)
    {
        bool same = true;
        each<_Np>::call([&](unsigned i) restrict(cpu, amp) { same = same && a.at_[i] == b.at_[i]; });
        return same;
    }
    friend bool operator!=(const _Dp &a, const _Dp &b) restrict(cpu, amp)
    {
        return !(a == b);
    }

#define AMP__ASSIGN(op)                                                                                                \
    _Dp &operator op(int value) restrict(cpu, amp)                                                                     \
    {                                                                                                                  \
        each<_Np>::call([&](unsigned i) restrict(cpu, amp) { at_[i] op value; });                                      \
        return static_cast<_Dp &>(*this);                                                                              \
    }
    AMP__ASSIGN(+=)
    AMP__ASSIGN(-=)
    AMP__ASSIGN(*=)
    AMP__ASSIGN(/=)
    AMP__ASSIGN(%=)
#undef AMP__ASSIGN
#define AMP__ASSIGN(op)                                                                                                \
    _Dp &operator op(const _Dp &value) restrict(cpu, amp)                                                              \
    {                                                                                                                  \
        each<_Np>::call([&](unsigned i) restrict(cpu, amp) { at_[i] op value.at_[i]; });                               \
        return static_cast<_Dp &>(*this);                                                                              \
    }
    AMP__ASSIGN(+=)
    AMP__ASSIGN(-=)
#undef AMP__ASSIGN
#define AMP__BINARY(op, assign)                                                                                        \
    friend _Dp operator op(const _Dp &a, int b) restrict(cpu, amp)                                                     \
    {                                                                                                                  \
        _Dp result(a);                                                                                                 \
        result assign b;                                                                                               \
        return result;                                                                                                 \
    }                                                                                                                  \
    friend _Dp operator op(int a, const _Dp &b) restrict(cpu, amp)                                                     \
    {                                                                                                                  \
        _Dp result(b);                                                                                                 \
        each<_Np>::call([&](unsigned i) restrict(cpu, amp) { result.at_[i] = a op b.at_[i]; });                        \
        return result;                                                                                                 \
    }
    AMP__BINARY(+, +=)
    AMP__BINARY(-, -=)
    AMP__BINARY(*, *=)
    AMP__BINARY(/, /=)
    AMP__BINARY(%, %=)
#undef AMP__BINARY
    friend _Dp operator+(const _Dp &a, const _Dp &b) restrict(cpu, amp)
    {
        _Dp result(a);
        result += b;
        return result;
    }
    friend _Dp operator-(const _Dp &a, const _Dp &b) restrict(cpu, amp)
    {
        _Dp result(a);
        result -= b;
        return result;
    }

    _Dp &operator++() restrict(cpu, amp)
    {
        return *this += 1;
    }
    _Dp operator++(int) restrict(cpu, amp)
    {
        _Dp before(static_cast<_Dp &>(*this));
        *this += 1;
        return before;
    }
    _Dp &operator--() restrict(cpu, amp)
    {
        return *this -= 1;
    }
    _Dp operator--(int) restrict(cpu, amp)
    {
        _Dp before(static_cast<_Dp &>(*this));
        *this -= 1;
        return before;
    }

  protected:
    int at_[_Np];
};
template <typename _Dp, int _Np> const int numbers<_Dp, _Np>::rank;

/* A tile_static variable whose constructor is not run. */
template <typename _Tp> union tile_memory {
    _Tp it;
    tile_memory() restrict(cpu, amp)
    {
    }
    ~tile_memory() restrict(cpu, amp)
    {
    }
};

} // namespace amp__detail

template <int _Np> class index : public amp__detail::numbers<index<_Np>, _Np>
{
    typedef amp__detail::numbers<index<_Np>, _Np> base;

  public:
    index() restrict(cpu, amp)
    {
    }
    index(const index &other) restrict(cpu, amp) : base(other)
    {
    }
    explicit index(const int components[]) restrict(cpu, amp) : base(components)
    {
    }
    explicit index(int i0) restrict(cpu, amp)
    {
        static_assert(_Np == 1, "an index of one number has rank 1");
        this->at_[0] = i0;
    }
    index(int i0, int i1) restrict(cpu, amp)
    {
        static_assert(_Np == 2, "an index of two numbers has rank 2");
        this->at_[0] = i0;
        this->at_[_Np > 1 ? 1 : 0] = i1;
    }
    index(int i0, int i1, int i2) restrict(cpu, amp)
    {
        static_assert(_Np == 3, "an index of three numbers has rank 3");
        this->at_[0] = i0;
        this->at_[_Np > 1 ? 1 : 0] = i1;
        this->at_[_Np > 2 ? 2 : 0] = i2;
    }
    index &operator=(const index &other) restrict(cpu, amp)
    {
        base::operator=(other);
        return *this;
    }
};

/* For what callers see: an error at the call, and not within the library. */
#ifdef __clang__
#define AMP__UNLESS(condition, text) __attribute__((diagnose_if(!(condition), text, "error")))
#else
#define AMP__UNLESS(condition, text)
#endif
#define AMP__POSITIVE(condition) AMP__UNLESS(condition, "the sizes of a tile are positive [tile size positive]")

template <int _Np> class extent : public amp__detail::numbers<extent<_Np>, _Np>
{
    typedef amp__detail::numbers<extent<_Np>, _Np> base;

  public:
    extent() restrict(cpu, amp)
    {
    }
    extent(const extent &other) restrict(cpu, amp) : base(other)
    {
    }
    explicit extent(const int components[]) restrict(cpu, amp) : base(components)
    {
    }
    explicit extent(int e0) restrict(cpu, amp)
    {
        static_assert(_Np == 1, "an extent of one number has rank 1");
        this->at_[0] = e0;
    }
    extent(int e0, int e1) restrict(cpu, amp)
    {
        static_assert(_Np == 2, "an extent of two numbers has rank 2");
        this->at_[0] = e0;
        this->at_[_Np > 1 ? 1 : 0] = e1;
    }
    extent(int e0, int e1, int e2) restrict(cpu, amp)
    {
        static_assert(_Np == 3, "an extent of three numbers has rank 3");
        this->at_[0] = e0;
        this->at_[_Np > 1 ? 1 : 0] = e1;
        this->at_[_Np > 2 ? 2 : 0] = e2;
    }
    extent &operator=(const extent &other) restrict(cpu, amp)
    {
        base::operator=(other);
        return *this;
    }

    unsigned size() const restrict(cpu, amp)
    {
        unsigned n = 1;
        amp__detail::each<_Np>::call([&](unsigned i) restrict(cpu, amp) { n *= (unsigned)this->at_[i]; });
        return n;
    }
    bool contains(const index<_Np> &i) const restrict(cpu, amp)
    {
        bool inside = true;
        amp__detail::each<_Np>::call([&](unsigned c)
                                         restrict(cpu, amp) { inside = inside && i[c] >= 0 && i[c] < this->at_[c]; });
        return inside;
    }

    template <int _D0> AMP__POSITIVE(_D0 > 0) tiled_extent<_D0> tile() const restrict(cpu, amp)
    {
        static_assert(_Np == 1, "an extent of this rank has tiles of that many sizes");
        return tiled_extent<_D0>(*this);
    }
    template <int _D0, int _D1> AMP__POSITIVE(_D0 > 0 && _D1 > 0) tiled_extent<_D0, _D1> tile() const restrict(cpu, amp)
    {
        static_assert(_Np == 2, "an extent of this rank has tiles of that many sizes");
        return tiled_extent<_D0, _D1>(*this);
    }
    template <int _D0, int _D1, int _D2>
    AMP__POSITIVE(_D0 > 0 && _D1 > 0 && _D2 > 0)
    tiled_extent<_D0, _D1, _D2> tile() const restrict(cpu, amp)
    {
        static_assert(_Np == 3, "an extent of this rank has tiles of that many sizes");
        return tiled_extent<_D0, _D1, _D2>(*this);
    }

    using base::operator+=;
    using base::operator-=;
    extent &operator+=(const index<_Np> &i) restrict(cpu, amp)
    {
        amp__detail::each<_Np>::call([&](unsigned c) restrict(cpu, amp) { this->at_[c] += i[c]; });
        return *this;
    }
    extent &operator-=(const index<_Np> &i) restrict(cpu, amp)
    {
        amp__detail::each<_Np>::call([&](unsigned c) restrict(cpu, amp) { this->at_[c] -= i[c]; });
        return *this;
    }
    friend extent operator+(const extent &e, const index<_Np> &i) restrict(cpu, amp)
    {
        extent result(e);
        result += i;
        return result;
    }
    friend extent operator-(const extent &e, const index<_Np> &i) restrict(cpu, amp)
    {
        extent result(e);
        result -= i;
        return result;
    }
};

/* ------------------------------------------------------------------ tiles ---- */

namespace amp__detail
{

/* The rank of a tile, and its sizes. */
template <int _D0, int _D1, int _D2> struct tile {
    static const bool is_positive = _D0 > 0 && _D1 >= 0 && _D2 >= 0 && (_D1 > 0 || _D2 == 0);
    static const int rank = _D2 ? 3 : _D1 ? 2 : 1;
    static int size(unsigned c) restrict(cpu, amp)
    {
        return c == 0 ? _D0 : c == 1 ? _D1 : _D2;
    }
    static extent<rank> sizes() restrict(cpu, amp)
    {
        extent<rank> result;
        each<rank>::call([&](unsigned c) restrict(cpu, amp) { result[c] = size(c); });
        return result;
    }
};

} // namespace amp__detail

template <int _D0, int _D1, int _D2> class tiled_extent : public extent<amp__detail::tile<_D0, _D1, _D2>::rank>
{
    typedef amp__detail::tile<_D0, _D1, _D2> tile_type;
    typedef extent<tile_type::rank> base;

  public:
    static const int tile_dim0 = _D0, tile_dim1 = _D1, tile_dim2 = _D2;

    tiled_extent() restrict(cpu, amp) : tiled_extent(base())
    {
    }
    tiled_extent(const tiled_extent &other) restrict(cpu, amp) : base(other)
    {
    }
    tiled_extent(const base &other) restrict(cpu, amp) : base(other)
    {
        static_assert(tile_type::is_positive, "the sizes of a tile are positive [tile size positive]");
    }
    tiled_extent &operator=(const tiled_extent &other) restrict(cpu, amp)
    {
        base::operator=(other);
        return *this;
    }

    /* Every component rounded up, or down, to a multiple of the tile's. */
    tiled_extent pad() const restrict(cpu, amp)
    {
        tiled_extent result(*this);
        amp__detail::each<tile_type::rank>::call([&](unsigned c) restrict(cpu, amp) {
            int rest = this->at_[c] % tile_type::size(c);
            result[c] = this->at_[c] - rest + (rest > 0 ? tile_type::size(c) : 0);
        });
        return result;
    }
    tiled_extent truncate() const restrict(cpu, amp)
    {
        tiled_extent result(*this);
        amp__detail::each<tile_type::rank>::call(
            [&](unsigned c) restrict(cpu, amp) { result[c] = this->at_[c] / tile_type::size(c) * tile_type::size(c); });
        return result;
    }
    base get_tile_extent() const restrict(cpu, amp)
    {
        return tile_type::sizes();
    }
    AMP__PROPERTY(base, tile_extent);
};

namespace amp__detail
{
struct thread_access;
}

/* Only a tiled_index has one. */
class tile_barrier
{
  public:
    tile_barrier(const tile_barrier &) restrict(cpu, amp)
    {
    }
    void wait() const restrict(amp)
    {
        amp_tile_barrier_wait(amp_tile_barrier());
    }
    void wait_with_all_memory_fence() const restrict(amp)
    {
        amp_tile_barrier_wait_with_all_memory_fence(amp_tile_barrier());
    }
    void wait_with_global_memory_fence() const restrict(amp)
    {
        amp_tile_barrier_wait_with_global_memory_fence(amp_tile_barrier());
    }
    void wait_with_tile_static_memory_fence() const restrict(amp)
    {
        amp_tile_barrier_wait_with_tile_static_memory_fence(amp_tile_barrier());
    }

  private:
    friend struct amp__detail::thread_access;
    tile_barrier() restrict(cpu, amp)
    {
    }
    tile_barrier &operator=(const tile_barrier &) restrict(cpu, amp);
};

inline void all_memory_fence(const tile_barrier &) restrict(amp)
{
    amp_all_memory_fence(amp_tile_barrier());
}
inline void global_memory_fence(const tile_barrier &) restrict(amp)
{
    amp_global_memory_fence(amp_tile_barrier());
}
inline void tile_static_memory_fence(const tile_barrier &) restrict(amp)
{
    amp_tile_static_memory_fence(amp_tile_barrier());
}

template <int _D0, int _D1, int _D2> class tiled_index
{
    typedef amp__detail::tile<_D0, _D1, _D2> tile_type;

    /* Declared, so that an object without arguments, which is an error, can still be looked at: clang otherwise keeps
     * silent about what else is wrong with it. */
    tiled_index() restrict(cpu, amp);

  public:
    static const int rank = tile_type::rank;
    static const int tile_dim0 = _D0, tile_dim1 = _D1, tile_dim2 = _D2;

    const index<rank> global, local, tile, tile_origin;
    const tile_barrier barrier;

    tiled_index(const index<rank> &global_, const index<rank> &local_, const index<rank> &tile_,
                const index<rank> &tile_origin_, const tile_barrier &barrier_) restrict(cpu, amp)
        : global(global_), local(local_), tile(tile_), tile_origin(tile_origin_), barrier(barrier_)
    {
    }
    tiled_index(const tiled_index &other) restrict(cpu, amp)
        : global(other.global), local(other.local), tile(other.tile), tile_origin(other.tile_origin),
          barrier(other.barrier)
    {
    }
    operator const index<rank>() const restrict(cpu, amp)
    {
        return global;
    }
    extent<rank> get_tile_extent() const restrict(cpu, amp)
    {
        return tile_type::sizes();
    }
    AMP__PROPERTY(extent<rank>, tile_extent);
};

/* ------------------------------------------------------------------ futures ---- */

class completion_future
{
  public:
    completion_future() : future_(nullptr)
    {
    }
    completion_future(const completion_future &other)
        : future_(other.future_ ? amp_future_retain(other.future_) : nullptr)
    {
    }
    completion_future(completion_future &&other) noexcept : future_(other.future_)
    {
        other.future_ = nullptr;
    }
    ~completion_future()
    {
        amp_future_release(future_);
    }
    completion_future &operator=(completion_future other) noexcept
    {
        std::swap(future_, other.future_);
        return *this;
    }

    bool valid() const
    {
        return future_ != nullptr;
    }
    void wait() const
    {
        (void)amp_future_wait(handle());
    }
    void get() const
    {
        amp_status status = amp_future_wait(handle());
        if (status != AMP_OK)
            amp__detail::fail(status);
    }
#ifndef AMP__LIGHT
    template <class _Rep, class _Period>
    std::future_status wait_for(const std::chrono::duration<_Rep, _Period> &time) const
    {
        double seconds = std::chrono::duration<double>(time).count();
        return amp_future_wait_for(handle(), seconds) ? std::future_status::ready : std::future_status::timeout;
    }
    template <class _Clock, class _Duration>
    std::future_status wait_until(const std::chrono::time_point<_Clock, _Duration> &time) const
    {
        return wait_for(time - _Clock::now());
    }
    operator std::shared_future<void>() const
    {
        completion_future self(*this);
        return std::async(std::launch::deferred, [self] { self.get(); }).share();
    }
#endif
    template <typename _Functor> void then(const _Functor &functor) const
    {
        owner<_Functor> copy = {new _Functor(functor)};
        amp__detail::check(amp_future_then(handle(), call<_Functor>, copy.functor));
        copy.functor = nullptr;
    }

    /* For this header. */
    static completion_future amp__of(amp_future *future)
    {
        completion_future result;
        result.future_ = amp__detail::made(future);
        return result;
    }

  private:
    amp_future *handle() const
    {
#ifdef AMP__LIGHT
        const int no_state = 3;
        if (!future_)
            std::__throw_future_error(no_state);
#else
        if (!future_)
            throw std::future_error(std::future_errc::no_state);
#endif
        return future_;
    }
    template <typename _Functor> struct owner {
        _Functor *functor;
        ~owner()
        {
            delete functor;
        }
    };
    template <typename _Functor> static void call(amp_status, void *user)
    {
        owner<_Functor> owned = {static_cast<_Functor *>(user)};
        (*owned.functor)();
    }

    amp_future *future_;
};

/* ------------------------------------------------------------------ accelerators ---- */

class accelerator_view;

namespace amp__detail
{

[[noreturn]] inline void fail_on_host()
{
    throw runtime_exception("concurrency::parallel_for_each is not supported on the selected accelerator \"CPU "
                            "accelerator\". L\"cpu\" runs no kernels; L\"simd\" does",
                            (HRESULT)0x80004005);
}

/* Whether the default accelerator is the model's L"cpu". */
inline bool &default_host()
{
    static bool is_host;
    return is_host;
}
inline bool default_is_host()
{
    return __atomic_load_n(&default_host(), __ATOMIC_SEQ_CST);
}

/* What accelerators have in common: data of a template may be defined in a header, and its functions are compiled only
 * where they are used. */
template <typename _Tp> struct accelerators {
    static const wchar_t default_accelerator[], cpu_accelerator[], simd_accelerator[], direct3d_ref[], direct3d_warp[];
    static sequence<_Tp> get_all()
    {
        sequence<_Tp> all;
        for (int i = 0; i < amp_accelerator_count(); i++) {
            amp_accelerator *handle = amp_accelerator_get(i);
            if (std::string("null") != amp_accelerator_info(handle)->path)
                all.push_back(_Tp(handle, false));
        }
        all.push_back(_Tp(std::wstring(cpu_accelerator)));
        return all;
    }
};
template <typename _Tp> const wchar_t accelerators<_Tp>::default_accelerator[] = L"default";
template <typename _Tp> const wchar_t accelerators<_Tp>::cpu_accelerator[] = L"cpu";
template <typename _Tp> const wchar_t accelerators<_Tp>::simd_accelerator[] = L"simd";
template <typename _Tp> const wchar_t accelerators<_Tp>::direct3d_ref[] = L"direct3d\\ref";
template <typename _Tp> const wchar_t accelerators<_Tp>::direct3d_warp[] = L"direct3d\\warp";

} // namespace amp__detail

/* A device. L"cpu" is the model's accelerator of that name, host memory that runs no kernels; the one that computes on
 * the processor is L"simd". Those of Direct3D do not exist: an object of one differs from all others, knows its path,
 * and throws when it is used. */
class accelerator : public amp__detail::accelerators<accelerator>
{
  public:
    accelerator() : accelerator(std::wstring(default_accelerator))
    {
    }
    explicit accelerator(const std::wstring &path)
        : accelerator_(is_of_direct3d(path) ? nullptr : find(path)),
          is_host_(path == cpu_accelerator || (path == default_accelerator && amp__detail::default_is_host()))
    {
        if (!accelerator_)
            direct3d_ = path;
    }

    bool operator==(const accelerator &other) const
    {
        return accelerator_ == other.accelerator_ && is_host_ == other.is_host_ && direct3d_ == other.direct3d_;
    }
    bool operator!=(const accelerator &other) const
    {
        return !(*this == other);
    }

    static bool set_default(const std::wstring &path)
    {
        if (is_of_direct3d(path))
            return false;
        amp_accelerator *handle = find(path);
        bool good = amp_accelerator_set_default(amp_accelerator_info(handle)->path) == AMP_OK;
        amp_error_clear();
        if (good)
            __atomic_store_n(&amp__detail::default_host(), path == cpu_accelerator, __ATOMIC_SEQ_CST);
        return good;
    }
    inline static accelerator_view get_auto_selection_view();
    inline accelerator_view get_default_view() const;
    inline accelerator_view create_view(queuing_mode mode = queuing_mode_automatic);
    bool set_default_cpu_access_type(access_type access)
    {
        bool good = amp_accelerator_set_default_cpu_access_type(handle(), (amp_access_type)access) == AMP_OK;
        amp_error_clear();
        return good;
    }

    std::wstring get_device_path() const
    {
        if (!accelerator_)
            return direct3d_;
        std::string path = info().path;
        return is_host_ ? cpu_accelerator : path == "cpu" ? simd_accelerator : amp__detail::widen(path.c_str());
    }
    std::wstring get_description() const
    {
        return is_host_ ? L"CPU accelerator" : amp__detail::widen(info().description);
    }
    unsigned get_version() const
    {
        return info().version;
    }
    bool get_has_display() const
    {
        return info().has_display;
    }
    bool get_is_debug() const
    {
        return info().is_debug;
    }
    bool get_is_emulated() const
    {
        return is_host_ || info().is_emulated;
    }
    bool get_supports_double_precision() const
    {
        return info().supports_double_precision;
    }
    bool get_supports_limited_double_precision() const
    {
        return info().supports_limited_double_precision;
    }
    bool get_supports_cpu_shared_memory() const
    {
        return info().supports_cpu_shared_memory;
    }
    std::size_t get_dedicated_memory() const
    {
        return (std::size_t)(info().dedicated_memory_bytes / 1024);
    }
    access_type get_default_cpu_access_type() const
    {
        return (access_type)info().default_cpu_access_type;
    }
    AMP__PROPERTY(std::wstring, device_path);
    AMP__PROPERTY(std::wstring, description);
    AMP__PROPERTY(unsigned, version);
    AMP__PROPERTY(bool, has_display);
    AMP__PROPERTY(bool, is_debug);
    AMP__PROPERTY(bool, is_emulated);
    AMP__PROPERTY(bool, supports_double_precision);
    AMP__PROPERTY(bool, supports_limited_double_precision);
    AMP__PROPERTY(bool, supports_cpu_shared_memory);
    AMP__PROPERTY(std::size_t, dedicated_memory);
    AMP__PROPERTY(access_type, default_cpu_access_type);
    AMP__PROPERTY(accelerator_view, default_view);

  private:
    friend class accelerator_view;
    friend struct amp__detail::accelerators<accelerator>;
    accelerator(amp_accelerator *handle, bool is_host) : accelerator_(handle), is_host_(is_host)
    {
    }
    static bool is_of_direct3d(const std::wstring &path)
    {
        return path == direct3d_ref || path == direct3d_warp;
    }
    static amp_accelerator *find(const std::wstring &path)
    {
        std::string name = amp__detail::narrow(path);
        return amp__detail::made(name == "default" ? amp_accelerator_default() : amp_accelerator_find(name.c_str()));
    }
    amp_accelerator *handle() const
    {
        if (!accelerator_)
            throw runtime_exception(
                ("there is no accelerator \"" + amp__detail::narrow(direct3d_) + "\"; Direct3D exists on Windows alone")
                    .c_str(),
                (HRESULT)0x80004005);
        return accelerator_;
    }
    const amp_accelerator_properties &info() const
    {
        return *amp_accelerator_info(handle());
    }

    amp_accelerator *accelerator_; /* NULL: one of Direct3D */
    bool is_host_;                 /* the model's L"cpu" */
    std::wstring direct3d_;        /* the path of one of Direct3D */
};

class accelerator_view
{
  public:
    accelerator_view(const accelerator_view &other)
        : view_(amp_accelerator_view_retain(other.view_)), is_host_(other.is_host_)
    {
    }
    ~accelerator_view()
    {
        amp_accelerator_view_release(view_);
    }
    accelerator_view &operator=(const accelerator_view &other) &
    {
        amp_accelerator_view_retain(other.view_);
        amp_accelerator_view_release(view_);
        view_ = other.view_;
        is_host_ = other.is_host_;
        return *this;
    }
    bool operator==(const accelerator_view &other) const
    {
        return view_ == other.view_ && is_host_ == other.is_host_;
    }
    bool operator!=(const accelerator_view &other) const
    {
        return !(*this == other);
    }

    concurrency::accelerator get_accelerator() const
    {
        amp_accelerator *handle = info().accelerator;
        return concurrency::accelerator(handle ? handle : amp__detail::made(amp_accelerator_default()), is_host_);
    }
    concurrency::queuing_mode get_queuing_mode() const
    {
        return (concurrency::queuing_mode)info().queuing_mode;
    }
    unsigned get_version() const
    {
        return get_accelerator().get_version();
    }
    bool get_is_debug() const
    {
        return get_accelerator().get_is_debug();
    }
    bool get_is_auto_selection() const
    {
        return info().accelerator == nullptr;
    }
    AMP__PROPERTY(concurrency::accelerator, accelerator);
    AMP__PROPERTY(concurrency::queuing_mode, queuing_mode);
    AMP__PROPERTY(unsigned, version);
    AMP__PROPERTY(bool, is_debug);
    AMP__PROPERTY(bool, is_auto_selection);

    void flush() const
    {
        amp__detail::check(amp_accelerator_view_flush(view_));
    }
    void wait() const
    {
        amp__detail::check(amp_accelerator_view_wait(view_));
    }
    completion_future create_marker() const
    {
        return completion_future::amp__of(amp_accelerator_view_create_marker(view_));
    }

    /* For this header: takes over a reference; and the view that may run kernels. */
    static accelerator_view amp__of(amp_accelerator_view *view, bool is_host)
    {
        return accelerator_view(amp__detail::made(view), is_host);
    }
    amp_accelerator_view *amp__handle() const
    {
        return view_;
    }
    amp_accelerator_view *amp__that_computes() const
    {
        if (is_host_)
            amp__detail::fail_on_host();
        return view_;
    }
    bool amp__is_host() const
    {
        return is_host_;
    }

  private:
    accelerator_view(amp_accelerator_view *view, bool is_host) : view_(view), is_host_(is_host)
    {
    }
    const amp_accelerator_view_properties &info() const
    {
        return *amp_accelerator_view_info(view_);
    }

    amp_accelerator_view *view_;
    bool is_host_;
};

inline accelerator_view accelerator::get_auto_selection_view()
{
    return accelerator_view::amp__of(amp_accelerator_view_retain(amp_accelerator_auto_selection_view()), false);
}
inline accelerator_view accelerator::get_default_view() const
{
    return accelerator_view::amp__of(amp_accelerator_view_retain(amp_accelerator_default_view(handle())), is_host_);
}
inline accelerator_view accelerator::create_view(queuing_mode mode)
{
    return accelerator_view::amp__of(amp_accelerator_create_view(handle(), (amp_queuing_mode)mode), is_host_);
}

/* ------------------------------------------------------------------ elements ---- */

namespace amp__detail
{

/* The amp_type of elements. */
template <typename _Tp> struct type_of {
    static const int value = std::is_enum<_Tp>::value || std::is_class<_Tp>::value || std::is_union<_Tp>::value
                                 ? AMP_TYPE_STRUCT
                                 : AMP_TYPE_NONE;
};
#define AMP__TYPE(_Tp, type)                                                                                           \
    template <> struct type_of<_Tp> {                                                                                  \
        static const int value = type;                                                                                 \
    };
AMP__TYPE(bool, AMP_TYPE_BOOL)
AMP__TYPE(char, AMP_TYPE_I8)
AMP__TYPE(signed char, AMP_TYPE_I8)
AMP__TYPE(unsigned char, AMP_TYPE_U8)
AMP__TYPE(short, AMP_TYPE_I16)
AMP__TYPE(unsigned short, AMP_TYPE_U16)
AMP__TYPE(int, AMP_TYPE_I32)
AMP__TYPE(unsigned, AMP_TYPE_U32)
AMP__TYPE(long, sizeof(long) == 8 ? AMP_TYPE_I64 : AMP_TYPE_I32)
AMP__TYPE(unsigned long, sizeof(long) == 8 ? AMP_TYPE_U64 : AMP_TYPE_U32)
AMP__TYPE(long long, AMP_TYPE_I64)
AMP__TYPE(unsigned long long, AMP_TYPE_U64)
AMP__TYPE(float, AMP_TYPE_F32)
AMP__TYPE(double, AMP_TYPE_F64)
#if defined __clang__ && defined __FLT16_MANT_DIG__
AMP__TYPE(_Float16, AMP_TYPE_F16)
#if __clang_major__ >= 17 && !defined __s390x__
AMP__TYPE(__bf16, AMP_TYPE_BF16)
#endif
#endif
#undef AMP__TYPE

template <typename _Tp> struct is_container : std::false_type {
};
template <typename _Tp, int _Np> struct is_container<array<_Tp, _Np>> : std::true_type {
};
template <typename _Tp, int _Np> struct is_container<array_view<_Tp, _Np>> : std::true_type {
};

/* What vectors have as elements that are copied: vector<bool> has no array. */
template <typename _Tp>
using memory = typename std::conditional<std::is_same<_Tp, bool>::value, unsigned char, _Tp>::type;

/* What array and array_view demand of their elements and ranks. */
template <typename _Tp, int _Np> struct element {
    typedef typename std::remove_cv<_Tp>::type type;
    static_assert(_Np >= 1 && _Np <= 128, "arrays and views have ranks from 1 to 128");
    static_assert(!is_container<type>::value, "elements cannot be arrays or views");
    static_assert(!std::is_pointer<_Tp>::value && !std::is_reference<_Tp>::value, "elements cannot be pointers");
    static_assert(!std::is_volatile<_Tp>::value, "elements cannot be volatile");
    static_assert(sizeof(_Tp) > 0, "elements have a complete type");
    static_assert(type_of<type>::value != AMP_TYPE_NONE, "accelerators have no elements of this type");
    static amp_type full_type()
    {
        return amp_type_aligned(type_of<type>::value, alignof(type));
    }
};

/* The rank that libamp has for a rank, and how many slow dimensions are one for libamp. */
template <int _Np> struct c_rank {
    static const int value = _Np < AMP_MAX_RANK ? _Np : (int)AMP_MAX_RANK, merged = _Np - value + 1;
};

/* Returns the product of the components from `first` to before `end`; one that is not positive, if there is one; and
 * one more than an int can hold if it does not fit. */
template <int _Np> long long product(const extent<_Np> &e, int first, int end)
{
    const long long limit = 1LL << 31;
    long long result = 1;
    for (int c = first; c < end; c++)
        if (e[(unsigned)c] <= 0)
            return e[(unsigned)c];
    for (int c = first; c < end; c++)
        result = result * e[(unsigned)c] < limit ? result * e[(unsigned)c] : limit;
    return result;
}

template <int _Np> amp_extent to_c(const extent<_Np> &e)
{
    const int merged = c_rank<_Np>::merged;
    amp_extent result = amp_extent();
    long long slowest = product(e, 0, merged);
    if (merged > 1 && slowest > 0x7fffffff)
        throw runtime_exception("the slow dimensions of an extent of this rank have more than 2147483647 points",
                                (HRESULT)0x80070057);
    result.rank = c_rank<_Np>::value;
    result.dim[0] = merged > 1 ? (int)slowest : e[0];
    for (int i = 1; i < result.rank; i++)
        result.dim[i] = e[(unsigned)(i + merged - 1)];
    return result;
}
/* The section that has extent `size` at `at` in a view of extent `whole`. */
struct c_section {
    amp_index origin;
    amp_extent extent;
};
template <int _Np> c_section to_c(const index<_Np> &at, const extent<_Np> &size, const extent<_Np> &whole)
{
    const int merged = c_rank<_Np>::merged;
    c_section result = {amp_index(), to_c(size)};
    long long origin = 0;
    bool is_run = true, is_within = false; /* the slow dimensions: 1, 1, any, all, all */
    for (int c = 0; c < merged; c++) {
        unsigned u = (unsigned)c;
        bool fits = merged == 1 || (at[u] >= 0 && size[u] > 0 && at[u] <= whole[u] - size[u]);
        if (!fits)
            throw runtime_exception("array_view::section: the section leaves the view", (HRESULT)0x80070057);
        is_run = is_run && (!is_within || (at[u] == 0 && size[u] == whole[u]));
        is_within = is_within || size[u] > 1;
        origin = origin * whole[u] + at[u];
    }
    if (!is_run)
        throw unsupported_feature("array_view::section: of a view of more than 8 dimensions, a section is a run of "
                                  "whole rows in all but the last 7");
    result.origin.rank = c_rank<_Np>::value;
    result.origin.dim[0] = merged > 1 ? (int)origin : at[0];
    for (int i = 1; i < result.origin.rank; i++)
        result.origin.dim[i] = at[(unsigned)(i + merged - 1)];
    return result;
}

/* Brings elements to the host, and returns where it finds them. `is_on_host`: it is an array on the model's L"cpu". */
inline void *bring(amp_array_view *view, bool, amp_access_type access)
{
    void *data = made(amp_array_view_map(view, access));
    check(amp_array_view_unmap(view));
    return data;
}
inline void *bring(amp_array *array, bool is_on_host, amp_access_type access)
{
    if (!array)
        throw runtime_exception("the array has been moved", (HRESULT)0x80070057);
    if (!is_on_host && amp_array_cpu_access_type(array) == AMP_ACCESS_NONE)
        throw unsupported_feature("array::operator[]: the array was made without access for the host; use copy, or an "
                                  "array_view of it");
    void *data = made(amp_array_map(array, access));
    check(amp_array_unmap(array));
    return data;
}

/* The state of the host's copy, as amp__host_state has it. Its type is none of elements, and it is not volatile: so
 * compilers know that it changes in no loop that calls nothing, and test it once before the loop. */
enum host_state : unsigned char { nothing_current = 0, may_read = 2, may_write = 3 };
inline const host_state *state_of(const void *handle)
{
    return (const host_state *)amp__host_state(handle);
}

amp__on_checked(extern "C" const void *amp__subscript(const void *to, int subscript, int extent) restrict(amp);)

    /* How array_view and array begin: as struct amp__captured in libamp. */
    template <typename _Tp, typename _Hp, int _Np>
    struct elements {
    mutable _Tp *data_;
    _Hp *handle_;
    mutable const host_state *state_;
    static_assert(_Np > 0, "the rank of an array is at least 1");
    int extent_[_Np];
    std::ptrdiff_t pitch_[_Np];
    bool is_on_simd_; /* they are those of an array on an accelerator that may be the processor */

    elements() restrict(cpu, amp)
    {
    }
    elements(const elements &other) restrict(cpu, amp)
    {
        *this = other;
    }
    elements &operator=(const elements &other) restrict(cpu, amp)
    {
        data_ = other.data_;
        handle_ = other.handle_;
        state_ = other.state_;
        set_shape(other);
        return *this;
    }
    template <typename _Ep> void set_shape(const _Ep &other) restrict(cpu, amp)
    {
        each<_Np>::call([&](unsigned c) restrict(cpu, amp) {
            extent_[c] = other.extent_[c];
            pitch_[c] = other.pitch_[c];
        });
        is_on_simd_ = other.is_on_simd_;
    }
    void set_dense(const extent<_Np> &e) restrict(cpu, amp)
    {
        std::ptrdiff_t pitch = 1;
        each<_Np>::call([&](unsigned i) restrict(cpu, amp) {
            extent_[_Np - 1 - i] = e[_Np - 1 - i];
            pitch_[_Np - 1 - i] = pitch;
            pitch *= extent_[_Np - 1 - i];
        });
        is_on_simd_ = false;
    }
    /* Neighbours along dimension c lie pitch_[c] apart, and 1 along the last. */
    std::ptrdiff_t offset(const index<_Np> &i) const restrict(cpu, amp)
    {
        std::ptrdiff_t offset = i[_Np - 1];
        each<_Np - 1>::call([&](unsigned c) restrict(cpu, amp) { offset += i[c] * pitch_[c]; });
        return offset;
    }
    _Tp &at(const index<_Np> &i) const restrict(cpu, amp)
    {
        amp__on_checked(return *static_cast<_Tp *>(with_subscripts<0>(data_ + offset(i), i));) return data_[offset(i)];
    }
    amp__on_checked(
        /* Tells the checks with which subscripts an address was made. */
        template <unsigned _Cp>
        typename std::enable_if<_Cp == _Np, void *>::type with_subscripts(const void *to, const index<_Np> &) const
        restrict(amp) { return const_cast<void *>(to); } template <unsigned _Cp>
        typename std::enable_if<_Cp != _Np, void *>::type with_subscripts(const void *to, const index<_Np> &i) const
        restrict(amp) { return with_subscripts<_Cp + 1>(amp__subscript(to, i[_Cp], extent_[_Cp]), i); })
        /* On the host, makes the elements current, and other copies stale if it may write. */
        void bring(amp_access_type access) const
    {
        if (__builtin_expect(*state_ < (access == AMP_ACCESS_READ ? may_read : may_write), 0))
            bring_now(access);
    }
    /* It changes this object in memory: only then may a compiler have a second loop without it. */
    __attribute__((noinline, cold)) void bring_now(amp_access_type access) const
    {
        data_ = static_cast<_Tp *>(amp__detail::bring(handle_, !is_on_simd_, access));
        state_ = state_of(handle_);
    }
    /* The same address; on the host NULL if the elements are nowhere. */
    _Tp *address(const index<_Np> &i) const restrict(cpu, amp)
    {
        amp__on_host(if (!data_) return nullptr;) return data_ + offset(i);
    }
};

/* A state that says that nothing is current. */
inline const host_state *never_current()
{
    static const host_state state = nothing_current;
    return &state;
}

struct raw {
}; /* chooses constructors for this header */

} // namespace amp__detail

/* ------------------------------------------------------------------ array_view ---- */

namespace amp__detail
{

/* What v[i] is with an int: an element, or a row. */
template <typename _Tp, int _Np> struct projection {
    typedef array_view<_Tp, _Np - 1> type;
    static type of(const array_view<_Tp, _Np> &view, int i) restrict(cpu, amp)
    {
        return view.amp__project(i);
    }
};
template <typename _Tp> struct projection<_Tp, 1> {
    typedef _Tp &type;
    static type of(const array_view<_Tp, 1> &view, int i) restrict(cpu, amp)
    {
        return view[index<1>(i)];
    }
};

/* Returns where a container has its elements, of which there must be as many as a view of them has. */
template <typename _Tp, typename _Cp> _Tp *data_of(_Cp &container, unsigned n)
{
    if (container.size() < n)
        throw runtime_exception("array_view: the container has fewer elements than the view", (HRESULT)0x80070057);
    return static_cast<_Tp *>(container.data());
}

} // namespace amp__detail

template <typename _Tp, int _Np> class array_view
{
    typedef amp__detail::element<_Tp, _Np> element;
    typedef typename element::type plain;
    static const bool is_const = std::is_const<_Tp>::value;
    template <typename, int> friend class array_view;
    template <typename, int> friend class array;

  public:
    static const int rank = _Np;
    typedef _Tp value_type;

    /* ---- over host memory ---- */
    array_view(const concurrency::extent<_Np> &e, _Tp *data) restrict(cpu, amp)
    {
        v.set_dense(e);
        v.data_ = data;
        v.handle_ = nullptr;
        amp__on_host(make(e, data);)
    }
    explicit array_view(int e0, _Tp *data) restrict(cpu, amp) : array_view(concurrency::extent<_Np>(e0), data)
    {
    }
    array_view(int e0, int e1, _Tp *data) restrict(cpu, amp) : array_view(concurrency::extent<_Np>(e0, e1), data)
    {
    }
    array_view(int e0, int e1, int e2, _Tp *data) restrict(cpu, amp)
        : array_view(concurrency::extent<_Np>(e0, e1, e2), data)
    {
    }
    template <typename _Cp, typename = decltype(std::declval<_Cp &>().data()),
              typename = decltype(std::declval<_Cp &>().size())>
    array_view(const concurrency::extent<_Np> &e, _Cp &container)
        : array_view(e, amp__detail::data_of<_Tp>(container, e.size()))
    {
    }
    template <typename _Cp, typename = decltype(std::declval<_Cp &>().data()),
              typename = decltype(std::declval<_Cp &>().size())>
    array_view(int e0, _Cp &container) : array_view(concurrency::extent<_Np>(e0), container)
    {
    }
    template <typename _Cp, typename = decltype(std::declval<_Cp &>().data()),
              typename = decltype(std::declval<_Cp &>().size())>
    array_view(int e0, int e1, _Cp &container) : array_view(concurrency::extent<_Np>(e0, e1), container)
    {
    }
    template <typename _Cp, typename = decltype(std::declval<_Cp &>().data()),
              typename = decltype(std::declval<_Cp &>().size())>
    array_view(int e0, int e1, int e2, _Cp &container) : array_view(concurrency::extent<_Np>(e0, e1, e2), container)
    {
    }
    template <typename _Cp, typename = decltype(std::declval<_Cp &>().data()),
              typename = decltype(std::declval<_Cp &>().size()),
              typename = typename std::enable_if<!std::is_base_of<array_view<const plain, _Np>, _Cp>::value &&
                                                 !std::is_base_of<array_view<plain, _Np>, _Cp>::value &&
                                                 !std::is_base_of<array<plain, _Np>, _Cp>::value>::type>
    explicit array_view(_Cp &container) : array_view(concurrency::extent<_Np>((int)container.size()), container)
    {
    }
    template <std::size_t _Size>
    explicit array_view(_Tp (&data)[_Size]) restrict(cpu, amp)
        : array_view(concurrency::extent<_Np>((int)_Size), &data[0])
    {
    }

    /* ---- without a source ---- */
    explicit array_view(const concurrency::extent<_Np> &e)
    {
        static_assert(!is_const, "a view without a data source cannot be const");
        v.set_dense(e);
        v.data_ = nullptr;
        v.handle_ = amp__detail::made(
            amp_array_view_create_without_source(amp__detail::to_c(e), element::full_type(), sizeof(_Tp)));
        v.state_ = amp__detail::never_current();
    }
    explicit array_view(int e0) : array_view(concurrency::extent<_Np>(e0))
    {
    }
    array_view(int e0, int e1) : array_view(concurrency::extent<_Np>(e0, e1))
    {
    }
    array_view(int e0, int e1, int e2) : array_view(concurrency::extent<_Np>(e0, e1, e2))
    {
    }

    /* ---- of arrays and views ---- */
    array_view(array<plain, _Np> &source) restrict(cpu, amp)
    {
        adopt(source.v);
        amp__on_host(v.handle_ = amp__detail::made(amp_array_view_of(source.checked()));)
            amp__on_host(v.state_ = amp__detail::never_current();)
    }
    template <typename _Up, typename = typename std::enable_if<is_const && std::is_same<_Up, plain>::value>::type>
    array_view(const array<_Up, _Np> &source) restrict(cpu, amp)
    {
        adopt(source.v);
        amp__on_host(v.handle_ = amp__detail::made(amp_array_view_of_const(source.checked()));)
            amp__on_host(v.state_ = amp__detail::never_current();)
    }
    array_view(const array_view &other) restrict(cpu, amp) : v(other.v)
    {
        amp__on_host(amp_array_view_retain(v.handle_);)
    }
    template <typename _Up, typename = typename std::enable_if<is_const && std::is_same<_Up, plain>::value>::type>
    array_view(const array_view<_Up, _Np> &other) restrict(cpu, amp)
    {
        adopt(other.v);
        v.state_ = other.v.state_;
        amp__on_host(v.handle_ = amp_array_view_retain(other.v.handle_);)
    }
    ~array_view() restrict(cpu, amp)
    {
        amp__on_host(amp_array_view_release(v.handle_);)
    }
    array_view &operator=(const array_view &other) restrict(cpu, amp)
    {
        amp__on_host(amp_array_view_retain(other.v.handle_);) amp__on_host(amp_array_view_release(v.handle_);) v =
            other.v;
        return *this;
    }
    template <typename _Up, typename = typename std::enable_if<is_const && std::is_same<_Up, plain>::value>::type>
    array_view &operator=(const array_view<_Up, _Np> &other) restrict(cpu, amp)
    {
        return *this = array_view(other);
    }

    concurrency::extent<_Np> get_extent() const restrict(cpu, amp)
    {
        return concurrency::extent<_Np>(v.extent_);
    }
    AMP__PROPERTY(concurrency::extent<_Np>, extent);
    accelerator_view get_source_accelerator_view() const
    {
        amp_accelerator_view *on = amp__detail::made(amp_array_view_source_accelerator_view(v.handle_));
        bool is_host = !v.is_on_simd_ && on == amp_accelerator_default_view(amp_accelerator_find("cpu"));
        return accelerator_view::amp__of(amp_accelerator_view_retain(on), is_host);
    }
    AMP__PROPERTY(accelerator_view, source_accelerator_view);

    /* ---- elements ---- */
    _Tp &operator[](const index<_Np> &i) const restrict(cpu, amp)
    {
        amp__on_host(bring();) return v.at(i);
    }
    _Tp &operator()(const index<_Np> &i) const restrict(cpu, amp)
    {
        return (*this)[i];
    }
    _Tp &get_ref(const index<_Np> &i) const restrict(cpu, amp)
    {
        amp__on_host(if (!v.data_) bring();) return v.at(i);
    }
    typename amp__detail::projection<_Tp, _Np>::type operator[](int i) const restrict(cpu, amp)
    {
        return amp__detail::projection<_Tp, _Np>::of(*this, i);
    }
    typename amp__detail::projection<_Tp, _Np>::type operator()(int i) const restrict(cpu, amp)
    {
        return amp__detail::projection<_Tp, _Np>::of(*this, i);
    }
    _Tp &operator()(int i0, int i1) const restrict(cpu, amp)
    {
        return (*this)[index<_Np>(i0, i1)];
    }
    _Tp &operator()(int i0, int i1, int i2) const restrict(cpu, amp)
    {
        return (*this)[index<_Np>(i0, i1, i2)];
    }
    _Tp *data() const restrict(cpu, amp)
    {
        static_assert(_Np == 1, "only a view of rank 1 is certain to be contiguous");
        amp__on_host(bring();) return v.data_;
    }

    /* ---- parts ---- */
    array_view section(const index<_Np> &origin, const concurrency::extent<_Np> &e) const restrict(cpu, amp)
    {
        array_view result(amp__detail::raw(), v);
        result.v.data_ = v.address(origin);
        amp__detail::each<_Np>::call([&](unsigned c) restrict(cpu, amp) { result.v.extent_[c] = e[c]; });
        amp__on_host(amp__detail::c_section part = amp__detail::to_c(origin, e, get_extent());
                     result.v.handle_ =
                         amp__detail::made(amp_array_view_section(v.handle_, part.origin, part.extent));) return result;
    }
    array_view section(const index<_Np> &origin) const restrict(cpu, amp)
    {
        return section(origin, get_extent() - origin);
    }
    array_view section(const concurrency::extent<_Np> &e) const restrict(cpu, amp)
    {
        return section(index<_Np>(), e);
    }
    array_view section(int i0, int e0) const restrict(cpu, amp)
    {
        return section(index<_Np>(i0), concurrency::extent<_Np>(e0));
    }
    array_view section(int i0, int i1, int e0, int e1) const restrict(cpu, amp)
    {
        return section(index<_Np>(i0, i1), concurrency::extent<_Np>(e0, e1));
    }
    array_view section(int i0, int i1, int i2, int e0, int e1, int e2) const restrict(cpu, amp)
    {
        return section(index<_Np>(i0, i1, i2), concurrency::extent<_Np>(e0, e1, e2));
    }
    template <typename _Up>
    array_view<typename std::conditional<is_const, const _Up, _Up>::type, 1> reinterpret_as() const restrict(cpu, amp)
    {
        static_assert(_Np == 1, "only a view of rank 1 is certain to be contiguous");
        typedef array_view<typename std::conditional<is_const, const _Up, _Up>::type, 1> view;
        concurrency::extent<1> e((int)((std::size_t)v.extent_[0] * sizeof(_Tp) / sizeof(_Up)));
        view result(amp__detail::raw(), e, v.data_);
        result.v.is_on_simd_ = v.is_on_simd_;
        amp__on_host(result.v.handle_ = amp__detail::made(amp_array_view_reinterpret(
                         v.handle_, amp__detail::element<_Up, 1>::full_type(), sizeof(_Up)));) return result;
    }
    template <int _Kp> array_view<_Tp, _Kp> view_as(const concurrency::extent<_Kp> &e) const restrict(cpu, amp)
    {
        static_assert(_Np == 1, "only a view of rank 1 is certain to be contiguous");
        array_view<_Tp, _Kp> result(amp__detail::raw(), e, v.data_);
        result.v.is_on_simd_ = v.is_on_simd_;
        amp__on_host(result.v.handle_ =
                         amp__detail::made(amp_array_view_view_as(v.handle_, amp__detail::to_c(e)));) return result;
    }

    /* ---- coherence ---- */
    void synchronize(access_type access = access_type_read) const
    {
        amp__detail::check(amp_synchronize_for(v.handle_, (amp_access_type)access));
    }
    completion_future synchronize_async(access_type access = access_type_read) const
    {
        return completion_future::amp__of(amp_synchronize_for_async(v.handle_, (amp_access_type)access));
    }
    void synchronize_to(const accelerator_view &on, access_type access = access_type_read) const
    {
        amp__detail::check(amp_synchronize_to_for(v.handle_, on.amp__handle(), (amp_access_type)access));
    }
    completion_future synchronize_to_async(const accelerator_view &on, access_type access = access_type_read) const
    {
        return completion_future::amp__of(
            amp_synchronize_to_for_async(v.handle_, on.amp__handle(), (amp_access_type)access));
    }
    void refresh() const
    {
        amp__detail::check(amp_refresh(v.handle_));
    }
    void discard_data() const
    {
        static_assert(!is_const, "a view of const elements cannot be discarded");
        amp__detail::check(amp_discard_data(v.handle_));
    }
    inline void copy_to(array<plain, _Np> &destination) const;
    inline void copy_to(const array_view<plain, _Np> &destination) const;

    /* For this header. */
    array_view<_Tp, _Np - 1> amp__project(int i) const restrict(cpu, amp)
    {
        array_view<_Tp, _Np - 1> result((amp__detail::raw()));
        index<_Np> origin;
        origin[0] = i;
        amp__detail::each<_Np - 1>::call([&](unsigned c) restrict(cpu, amp) {
            result.v.extent_[c] = v.extent_[c + 1];
            result.v.pitch_[c] = v.pitch_[c + 1];
        });
        result.v.data_ = v.address(origin);
        result.v.state_ = v.state_;
        result.v.is_on_simd_ = v.is_on_simd_;
        result.v.handle_ = nullptr;
        amp__on_host(result.v.handle_ = amp__detail::made(
                         project(i, std::integral_constant<bool, (_Np > AMP_MAX_RANK)>()));) return result;
    }
    amp_array_view *amp__handle() const
    {
        return v.handle_;
    }

  private:
    explicit array_view(amp__detail::raw) restrict(cpu, amp)
    {
    }
    array_view(amp__detail::raw, const amp__detail::elements<_Tp, amp_array_view, _Np> &other) restrict(cpu, amp)
        : v(other)
    {
        v.handle_ = nullptr;
    }
    template <typename _Up>
    array_view(amp__detail::raw, const concurrency::extent<_Np> &e, _Up *data) restrict(cpu, amp)
    {
        v.set_dense(e);
        v.data_ = (_Tp *)data;
        v.handle_ = nullptr;
        amp__on_host(v.state_ = amp__detail::never_current();)
    }
    /* Takes the shape of other elements and where they are. */
    template <typename _Up, typename _Hp>
    void adopt(const amp__detail::elements<_Up, _Hp, _Np> &other) restrict(cpu, amp)
    {
        v.data_ = other.data_;
        v.handle_ = nullptr;
        v.set_shape(other);
    }
    /* The handle of a row: of what libamp takes for a view of the same rank if this one has more dimensions. */
    amp_array_view *project(int i, std::false_type) const
    {
        return amp_array_view_project(v.handle_, i);
    }
    amp_array_view *project(int i, std::true_type) const
    {
        concurrency::extent<_Np> e = get_extent();
        index<_Np> origin;
        origin[0] = i;
        e[0] = 1;
        amp__detail::c_section part = amp__detail::to_c(origin, e, get_extent());
        return amp_array_view_section(v.handle_, part.origin, part.extent);
    }
    void make(const concurrency::extent<_Np> &e, _Tp *data)
    {
        v.handle_ = amp__detail::made(
            amp_array_view_create(amp__detail::to_c(e), data, element::full_type(), sizeof(_Tp), is_const));
        v.state_ = amp__detail::state_of(v.handle_);
    }
    void bring() const
    {
        v.bring(is_const ? AMP_ACCESS_READ : AMP_ACCESS_READ_WRITE);
    }

    amp__detail::elements<_Tp, amp_array_view, _Np> v;
};

/* ------------------------------------------------------------------ array ---- */

template <typename _Tp, int _Np> class array
{
    typedef amp__detail::element<_Tp, _Np> element;
    template <typename, int> friend class array_view;
    static_assert(!std::is_const<_Tp>::value, "the elements of an array are not const");

  public:
    static const int rank = _Np;
    typedef _Tp value_type;

    /* ---- with undefined elements ---- */
    explicit array(const concurrency::extent<_Np> &e)
    {
        make(e, nullptr, nullptr, access_type_auto);
    }
    explicit array(int e0) : array(concurrency::extent<_Np>(e0))
    {
    }
    array(int e0, int e1) : array(concurrency::extent<_Np>(e0, e1))
    {
    }
    array(int e0, int e1, int e2) : array(concurrency::extent<_Np>(e0, e1, e2))
    {
    }
    array(const concurrency::extent<_Np> &e, const concurrency::accelerator_view &on,
          access_type cpu_access = access_type_auto)
    {
        make(e, nullptr, &on, cpu_access);
    }
    array(int e0, const concurrency::accelerator_view &on, access_type cpu_access = access_type_auto)
        : array(concurrency::extent<_Np>(e0), on, cpu_access)
    {
    }
    array(int e0, int e1, const concurrency::accelerator_view &on, access_type cpu_access = access_type_auto)
        : array(concurrency::extent<_Np>(e0, e1), on, cpu_access)
    {
    }
    array(int e0, int e1, int e2, const concurrency::accelerator_view &on, access_type cpu_access = access_type_auto)
        : array(concurrency::extent<_Np>(e0, e1, e2), on, cpu_access)
    {
    }
    array(const concurrency::extent<_Np> &e, const concurrency::accelerator_view &on,
          const concurrency::accelerator_view &associated)
    {
        stage(e, nullptr, on, associated);
    }
    array(int e0, const concurrency::accelerator_view &on, const concurrency::accelerator_view &associated)
        : array(concurrency::extent<_Np>(e0), on, associated)
    {
    }
    array(int e0, int e1, const concurrency::accelerator_view &on, const concurrency::accelerator_view &associated)
        : array(concurrency::extent<_Np>(e0, e1), on, associated)
    {
    }
    array(int e0, int e1, int e2, const concurrency::accelerator_view &on,
          const concurrency::accelerator_view &associated)
        : array(concurrency::extent<_Np>(e0, e1, e2), on, associated)
    {
    }

    /* ---- filled from iterators ---- */
#define AMP__ITERATOR                                                                                                  \
    template <typename _Ip, typename = typename std::iterator_traits<_Ip>::iterator_category>
    AMP__ITERATOR array(const concurrency::extent<_Np> &e, _Ip first)
    {
        fill(e, first, nullptr, access_type_auto);
    }
    AMP__ITERATOR array(const concurrency::extent<_Np> &e, _Ip first, _Ip last)
    {
        fill(e, first, last, nullptr, access_type_auto);
    }
    AMP__ITERATOR array(int e0, _Ip first) : array(concurrency::extent<_Np>(e0), first)
    {
    }
    AMP__ITERATOR array(int e0, _Ip first, _Ip last) : array(concurrency::extent<_Np>(e0), first, last)
    {
    }
    AMP__ITERATOR array(int e0, int e1, _Ip first) : array(concurrency::extent<_Np>(e0, e1), first)
    {
    }
    AMP__ITERATOR array(int e0, int e1, _Ip first, _Ip last) : array(concurrency::extent<_Np>(e0, e1), first, last)
    {
    }
    AMP__ITERATOR array(int e0, int e1, int e2, _Ip first) : array(concurrency::extent<_Np>(e0, e1, e2), first)
    {
    }
    AMP__ITERATOR array(int e0, int e1, int e2, _Ip first, _Ip last)
        : array(concurrency::extent<_Np>(e0, e1, e2), first, last)
    {
    }
    AMP__ITERATOR array(const concurrency::extent<_Np> &e, _Ip first, const concurrency::accelerator_view &on,
                        access_type cpu_access = access_type_auto)
    {
        fill(e, first, &on, cpu_access);
    }
    AMP__ITERATOR array(const concurrency::extent<_Np> &e, _Ip first, _Ip last, const concurrency::accelerator_view &on,
                        access_type cpu_access = access_type_auto)
    {
        fill(e, first, last, &on, cpu_access);
    }
    AMP__ITERATOR array(int e0, _Ip first, const concurrency::accelerator_view &on,
                        access_type cpu_access = access_type_auto)
        : array(concurrency::extent<_Np>(e0), first, on, cpu_access)
    {
    }
    AMP__ITERATOR array(int e0, _Ip first, _Ip last, const concurrency::accelerator_view &on,
                        access_type cpu_access = access_type_auto)
        : array(concurrency::extent<_Np>(e0), first, last, on, cpu_access)
    {
    }
    AMP__ITERATOR array(int e0, int e1, _Ip first, const concurrency::accelerator_view &on,
                        access_type cpu_access = access_type_auto)
        : array(concurrency::extent<_Np>(e0, e1), first, on, cpu_access)
    {
    }
    AMP__ITERATOR array(int e0, int e1, _Ip first, _Ip last, const concurrency::accelerator_view &on,
                        access_type cpu_access = access_type_auto)
        : array(concurrency::extent<_Np>(e0, e1), first, last, on, cpu_access)
    {
    }
    AMP__ITERATOR array(int e0, int e1, int e2, _Ip first, const concurrency::accelerator_view &on,
                        access_type cpu_access = access_type_auto)
        : array(concurrency::extent<_Np>(e0, e1, e2), first, on, cpu_access)
    {
    }
    AMP__ITERATOR array(int e0, int e1, int e2, _Ip first, _Ip last, const concurrency::accelerator_view &on,
                        access_type cpu_access = access_type_auto)
        : array(concurrency::extent<_Np>(e0, e1, e2), first, last, on, cpu_access)
    {
    }
    AMP__ITERATOR array(const concurrency::extent<_Np> &e, _Ip first, const concurrency::accelerator_view &on,
                        const concurrency::accelerator_view &associated)
    {
        auto data = take(e, first);
        stage(e, (const _Tp *)data.data(), on, associated);
    }
    AMP__ITERATOR array(const concurrency::extent<_Np> &e, _Ip first, _Ip last, const concurrency::accelerator_view &on,
                        const concurrency::accelerator_view &associated)
    {
        auto data = take(e, first, last);
        stage(e, (const _Tp *)data.data(), on, associated);
    }
    AMP__ITERATOR array(int e0, _Ip first, const concurrency::accelerator_view &on,
                        const concurrency::accelerator_view &associated)
        : array(concurrency::extent<_Np>(e0), first, on, associated)
    {
    }
    AMP__ITERATOR array(int e0, _Ip first, _Ip last, const concurrency::accelerator_view &on,
                        const concurrency::accelerator_view &associated)
        : array(concurrency::extent<_Np>(e0), first, last, on, associated)
    {
    }
    AMP__ITERATOR array(int e0, int e1, _Ip first, const concurrency::accelerator_view &on,
                        const concurrency::accelerator_view &associated)
        : array(concurrency::extent<_Np>(e0, e1), first, on, associated)
    {
    }
    AMP__ITERATOR array(int e0, int e1, _Ip first, _Ip last, const concurrency::accelerator_view &on,
                        const concurrency::accelerator_view &associated)
        : array(concurrency::extent<_Np>(e0, e1), first, last, on, associated)
    {
    }
    AMP__ITERATOR array(int e0, int e1, int e2, _Ip first, const concurrency::accelerator_view &on,
                        const concurrency::accelerator_view &associated)
        : array(concurrency::extent<_Np>(e0, e1, e2), first, on, associated)
    {
    }
    AMP__ITERATOR array(int e0, int e1, int e2, _Ip first, _Ip last, const concurrency::accelerator_view &on,
                        const concurrency::accelerator_view &associated)
        : array(concurrency::extent<_Np>(e0, e1, e2), first, last, on, associated)
    {
    }
#undef AMP__ITERATOR

    /* ---- copied ---- */
    explicit array(const array_view<const _Tp, _Np> &source)
    {
        take_over(source.get_extent(), amp_array_from_view(source.amp__handle(), nullptr, AMP_ACCESS_AUTO));
        set_host(amp__detail::default_is_host());
    }
    array(const array_view<const _Tp, _Np> &source, const concurrency::accelerator_view &on,
          access_type cpu_access = access_type_auto)
    {
        take_over(source.get_extent(),
                  amp_array_from_view(source.amp__handle(), on.amp__handle(), (amp_access_type)cpu_access));
        set_host(on.amp__is_host());
    }
    array(const array_view<const _Tp, _Np> &source, const concurrency::accelerator_view &on,
          const concurrency::accelerator_view &associated)
    {
        take_over(source.get_extent(),
                  amp_array_staging_from_view(source.amp__handle(), on.amp__handle(), associated.amp__handle()));
        set_host(on.amp__is_host(), associated.amp__is_host());
    }
    array(const array &other)
    {
        take_over(other.get_extent(), amp_array_clone(other.checked()));
        set_host(other.is_host_, other.is_associated_host_);
    }
    array(array &&other) noexcept : v(other.v), is_host_(other.is_host_), is_associated_host_(other.is_associated_host_)
    {
        other.v.handle_ = nullptr;
    }
    ~array()
    {
        amp_array_release(v.handle_);
    }
    array &operator=(const array &other)
    {
        if (this != &other)
            *this = array(other);
        return *this;
    }
    array &operator=(array &&other) noexcept
    {
        std::swap(v, other.v);
        std::swap(is_host_, other.is_host_);
        std::swap(is_associated_host_, other.is_associated_host_);
        return *this;
    }
    inline array &operator=(const array_view<const _Tp, _Np> &source);
    inline void copy_to(array &destination) const;
    inline void copy_to(const array_view<_Tp, _Np> &destination) const;
    inline operator amp__detail::sequence<_Tp>() const;

    concurrency::extent<_Np> get_extent() const restrict(cpu, amp)
    {
        return concurrency::extent<_Np>(v.extent_);
    }
    concurrency::accelerator_view get_accelerator_view() const
    {
        return concurrency::accelerator_view::amp__of(
            amp_accelerator_view_retain(amp_array_accelerator_view(checked())), is_host_);
    }
    concurrency::accelerator_view get_associated_accelerator_view() const
    {
        return concurrency::accelerator_view::amp__of(
            amp_accelerator_view_retain(amp_array_associated_accelerator_view(checked())), is_associated_host_);
    }
    access_type get_cpu_access_type() const
    {
        return (access_type)amp_array_cpu_access_type(checked());
    }
    AMP__PROPERTY(concurrency::extent<_Np>, extent);
    AMP__PROPERTY(concurrency::accelerator_view, accelerator_view);
    AMP__PROPERTY(concurrency::accelerator_view, associated_accelerator_view);
    AMP__PROPERTY(access_type, cpu_access_type);

    /* ---- elements ---- */
    _Tp &operator[](const index<_Np> &i) restrict(cpu, amp)
    {
        amp__on_host(bring(AMP_ACCESS_READ_WRITE);) return v.at(i);
    }
    const _Tp &operator[](const index<_Np> &i) const restrict(cpu, amp)
    {
        amp__on_host(bring(AMP_ACCESS_READ);) return v.at(i);
    }
    _Tp &operator()(const index<_Np> &i) restrict(cpu, amp)
    {
        return (*this)[i];
    }
    const _Tp &operator()(const index<_Np> &i) const restrict(cpu, amp)
    {
        return (*this)[i];
    }
    typename amp__detail::projection<_Tp, _Np>::type operator[](int i) restrict(cpu, amp)
    {
        return row<_Tp>(*this, i, is1());
    }
    typename amp__detail::projection<const _Tp, _Np>::type operator[](int i) const restrict(cpu, amp)
    {
        return row<const _Tp>(*this, i, is1());
    }
    typename amp__detail::projection<_Tp, _Np>::type operator()(int i) restrict(cpu, amp)
    {
        return (*this)[i];
    }
    typename amp__detail::projection<const _Tp, _Np>::type operator()(int i) const restrict(cpu, amp)
    {
        return (*this)[i];
    }
    _Tp &operator()(int i0, int i1) restrict(cpu, amp)
    {
        return (*this)[index<_Np>(i0, i1)];
    }
    const _Tp &operator()(int i0, int i1) const restrict(cpu, amp)
    {
        return (*this)[index<_Np>(i0, i1)];
    }
    _Tp &operator()(int i0, int i1, int i2) restrict(cpu, amp)
    {
        return (*this)[index<_Np>(i0, i1, i2)];
    }
    const _Tp &operator()(int i0, int i1, int i2) const restrict(cpu, amp)
    {
        return (*this)[index<_Np>(i0, i1, i2)];
    }
    /* On the host NULL for an array that the host does not access. */
    _Tp *data() restrict(cpu, amp)
    {
        amp__on_host(if (get_cpu_access_type() == access_type_none) return nullptr;
                     bring(AMP_ACCESS_READ_WRITE);) return v.data_;
    }
    const _Tp *data() const restrict(cpu, amp)
    {
        amp__on_host(if (get_cpu_access_type() == access_type_none) return nullptr;
                     bring(AMP_ACCESS_READ);) return v.data_;
    }

    /* ---- parts, which are views ---- */
#define AMP__PARTS(_Tp, constness)                                                                                     \
    array_view<_Tp, _Np> section(const index<_Np> &origin, const concurrency::extent<_Np> &e)                          \
        constness restrict(cpu, amp)                                                                                   \
    {                                                                                                                  \
        return array_view<_Tp, _Np>(*this).section(origin, e);                                                         \
    }                                                                                                                  \
    array_view<_Tp, _Np> section(const index<_Np> &origin) constness restrict(cpu, amp)                                \
    {                                                                                                                  \
        return array_view<_Tp, _Np>(*this).section(origin);                                                            \
    }                                                                                                                  \
    array_view<_Tp, _Np> section(const concurrency::extent<_Np> &e) constness restrict(cpu, amp)                       \
    {                                                                                                                  \
        return array_view<_Tp, _Np>(*this).section(e);                                                                 \
    }                                                                                                                  \
    array_view<_Tp, _Np> section(int i0, int e0) constness restrict(cpu, amp)                                          \
    {                                                                                                                  \
        return array_view<_Tp, _Np>(*this).section(i0, e0);                                                            \
    }                                                                                                                  \
    array_view<_Tp, _Np> section(int i0, int i1, int e0, int e1) constness restrict(cpu, amp)                          \
    {                                                                                                                  \
        return array_view<_Tp, _Np>(*this).section(i0, i1, e0, e1);                                                    \
    }                                                                                                                  \
    array_view<_Tp, _Np> section(int i0, int i1, int i2, int e0, int e1, int e2) constness restrict(cpu, amp)          \
    {                                                                                                                  \
        return array_view<_Tp, _Np>(*this).section(i0, i1, i2, e0, e1, e2);                                            \
    }
    AMP__PARTS(_Tp, )
    AMP__PARTS(const _Tp, const)
#undef AMP__PARTS
    template <int _Kp> array_view<_Tp, _Kp> view_as(const concurrency::extent<_Kp> &e) restrict(cpu, amp)
    {
        return flat<_Tp>(*this).view_as(e);
    }
    template <int _Kp> array_view<const _Tp, _Kp> view_as(const concurrency::extent<_Kp> &e) const restrict(cpu, amp)
    {
        return flat<const _Tp>(*this).view_as(e);
    }
    template <typename _Up> array_view<_Up, 1> reinterpret_as() restrict(cpu, amp)
    {
        return flat<_Tp>(*this).template reinterpret_as<_Up>();
    }
    template <typename _Up> array_view<const _Up, 1> reinterpret_as() const restrict(cpu, amp)
    {
        return flat<const _Tp>(*this).template reinterpret_as<_Up>();
    }

    /* For this header. */
    amp_array *amp__handle() const
    {
        return checked();
    }

  private:
    typedef std::integral_constant<bool, _Np == 1> is1;

    template <typename _Up, typename _Ap> static _Up &row(_Ap &self, int i, std::true_type) restrict(cpu, amp)
    {
        return self[index<_Np>(i)];
    }
    template <typename _Up, typename _Ap>
    static array_view<_Up, _Np - 1> row(_Ap &self, int i, std::false_type) restrict(cpu, amp)
    {
        return array_view<_Up, _Np>(self).amp__project(i);
    }
    /* A view of all elements of rank 1. */
    template <typename _Up, typename _Ap> static array_view<_Up, 1> flat(_Ap &self) restrict(cpu, amp)
    {
        concurrency::extent<1> e((int)self.get_extent().size());
        array_view<_Up, 1> result(amp__detail::raw(), e, self.v.data_);
        result.v.is_on_simd_ = self.v.is_on_simd_;
        amp__on_host(result.v.handle_ =
                         amp__detail::made(amp_array_view_as(self.checked(), amp__detail::to_c(e)));) return result;
    }

    void take_over(const concurrency::extent<_Np> &e, amp_array *handle)
    {
        v.set_dense(e);
        v.data_ = nullptr;
        v.handle_ = amp__detail::made(handle);
        v.state_ = amp__detail::never_current();
        v.is_on_simd_ = !is_host_;
    }
    void set_host(bool is_host)
    {
        set_host(is_host, is_host);
    }
    void set_host(bool is_host, bool is_associated_host)
    {
        is_host_ = is_host;
        is_associated_host_ = is_associated_host;
        v.is_on_simd_ = !is_host;
        if (is_host)
            amp__array_store_only(v.handle_);
    }
    void make(const concurrency::extent<_Np> &e, const _Tp *data, const concurrency::accelerator_view *on,
              access_type cpu_access)
    {
        take_over(e, amp_array_create(amp__detail::to_c(e), element::full_type(), sizeof(_Tp), data,
                                      on ? on->amp__handle() : nullptr, (amp_access_type)cpu_access));
        set_host(on ? on->amp__is_host() : amp__detail::default_is_host());
    }
    void stage(const concurrency::extent<_Np> &e, const _Tp *data, const concurrency::accelerator_view &on,
               const concurrency::accelerator_view &associated)
    {
        if (!on.amp__is_host())
            return make(e, data, &on, access_type_auto);
        take_over(e, amp_array_create_staging(amp__detail::to_c(e), element::full_type(), sizeof(_Tp), data,
                                              on.amp__handle(), associated.amp__handle()));
        set_host(true, associated.amp__is_host());
    }
    static amp__detail::borrowed<_Tp> take(const concurrency::extent<_Np> &, _Tp *first)
    {
        return {first};
    }
    static amp__detail::borrowed<_Tp> take(const concurrency::extent<_Np> &, const _Tp *first)
    {
        return {first};
    }
    template <typename _Ip>
    static amp__detail::sequence<amp__detail::memory<_Tp>> take(const concurrency::extent<_Np> &e, _Ip first)
    {
        amp__detail::sequence<amp__detail::memory<_Tp>> data;
        std::size_t n = e.size();
        for (data.reserve(n); data.size() < n; ++first)
            data.push_back(*first);
        return data;
    }
    template <typename _Ip>
    static amp__detail::sequence<amp__detail::memory<_Tp>> take(const concurrency::extent<_Np> &e, _Ip first, _Ip last)
    {
        amp__detail::sequence<amp__detail::memory<_Tp>> data(first, last);
        if (data.size() > e.size())
            throw runtime_exception("the source has more elements than the array", (HRESULT)0x80070057);
        data.resize(e.size());
        return data;
    }
    template <typename _Ip>
    void fill(const concurrency::extent<_Np> &e, _Ip first, const concurrency::accelerator_view *on,
              access_type cpu_access)
    {
        auto data = take(e, first);
        make(e, (const _Tp *)data.data(), on, cpu_access);
    }
    template <typename _Ip>
    void fill(const concurrency::extent<_Np> &e, _Ip first, _Ip last, const concurrency::accelerator_view *on,
              access_type cpu_access)
    {
        auto data = take(e, first, last);
        make(e, (const _Tp *)data.data(), on, cpu_access);
    }
    amp_array *checked() const
    {
        if (!v.handle_)
            throw runtime_exception("the array has been moved", (HRESULT)0x80070057);
        return v.handle_;
    }
    void bring(amp_access_type access) const
    {
        v.bring(access);
    }

    amp__detail::elements<_Tp, amp_array, _Np> v;
    bool is_host_ = false; /* it is on the model's L"cpu" */
    bool is_associated_host_ = false;
};

template <int _D0, int _D1, int _D2> const int tiled_extent<_D0, _D1, _D2>::tile_dim0;
template <int _D0, int _D1, int _D2> const int tiled_extent<_D0, _D1, _D2>::tile_dim1;
template <int _D0, int _D1, int _D2> const int tiled_extent<_D0, _D1, _D2>::tile_dim2;
template <int _D0, int _D1, int _D2> const int tiled_index<_D0, _D1, _D2>::tile_dim0;
template <int _D0, int _D1, int _D2> const int tiled_index<_D0, _D1, _D2>::tile_dim1;
template <int _D0, int _D1, int _D2> const int tiled_index<_D0, _D1, _D2>::tile_dim2;
template <int _D0, int _D1, int _D2> const int tiled_index<_D0, _D1, _D2>::rank;
template <typename _Tp, int _Np> const int array_view<_Tp, _Np>::rank;
template <typename _Tp, int _Np> const int array<_Tp, _Np>::rank;

/* ------------------------------------------------------------------ copy ---- */

namespace amp__detail
{

template <typename _Tp, int _Np> amp_operand operand(const array<_Tp, _Np> &x)
{
    amp_operand result = {AMP_TYPE_ARRAY, AMP_TYPE_NONE, sizeof(_Tp), AMP_UNCOUNTED, x.amp__handle()};
    return result;
}
template <typename _Tp, int _Np> amp_operand operand(const array_view<_Tp, _Np> &x)
{
    amp_operand result = {AMP_TYPE_VIEW, AMP_TYPE_NONE, sizeof(_Tp), AMP_UNCOUNTED, x.amp__handle()};
    return result;
}
template <typename _Tp> amp_operand operand(const _Tp *memory, std::int64_t n)
{
    amp_operand result = {AMP_TYPE_POINTER, (amp_type)type_of<typename std::remove_cv<_Tp>::type>::value, sizeof(_Tp),
                          n, memory};
    return result;
}

} // namespace amp__detail

#define AMP__COPY(source_type, destination_type)                                                                       \
    template <typename _Tp, int _Np, typename = typename std::enable_if<!std::is_const<_Tp>::value>::type>             \
    void copy(source_type source, destination_type destination)                           \
    {                                                                                                                  \
        amp__detail::check(amp_copy_operands(amp__detail::operand(destination), amp__detail::operand(source)));        \
    }                                                                                                                  \
    template <typename _Tp, int _Np, typename = typename std::enable_if<!std::is_const<_Tp>::value>::type>             \
    completion_future copy_async(source_type source, destination_type destination)        \
    {                                                                                                                  \
        return completion_future::amp__of(                                                                             \
            amp_copy_operands_async(amp__detail::operand(destination), amp__detail::operand(source)));                 \
    }
#define AMP__COMMA ,
AMP__COPY(const array<_Tp AMP__COMMA _Np> &, array<_Tp AMP__COMMA _Np> &)
AMP__COPY(const array<_Tp AMP__COMMA _Np> &, const array_view<_Tp AMP__COMMA _Np> &)
AMP__COPY(const array_view<const _Tp AMP__COMMA _Np> &, array<_Tp AMP__COMMA _Np> &)
AMP__COPY(const array_view<const _Tp AMP__COMMA _Np> &, const array_view<_Tp AMP__COMMA _Np> &)
AMP__COPY(const array_view<_Tp AMP__COMMA _Np> &, array<_Tp AMP__COMMA _Np> &)
AMP__COPY(const array_view<_Tp AMP__COMMA _Np> &, const array_view<_Tp AMP__COMMA _Np> &)
#undef AMP__COPY
#undef AMP__COMMA

namespace amp__detail
{

/* What iterators lead to, copied unless they are pointers. */
template <typename _Tp, typename _Ip> sequence<memory<_Tp>> gather(_Ip first, _Ip last)
{
    return sequence<memory<_Tp>>(first, last);
}
template <typename _Tp> borrowed<_Tp> gather(_Tp *first, _Tp *)
{
    return {first};
}
template <typename _Tp> borrowed<_Tp> gather(const _Tp *first, const _Tp *)
{
    return {first};
}

/* Copies between host memory and an array or view, which `_Dp` or `_Sp` is. */
template <typename _Tp, typename _Ip, typename _Dp>
void copy_in(_Ip first, _Ip last, const _Dp &destination, std::size_t n)
{
    if (std::distance(first, last) < 0 || (std::size_t)std::distance(first, last) != n)
        throw runtime_exception("the source has another number of elements than the destination", (HRESULT)0x80070057);
    auto data = gather<_Tp>(first, last);
    check(amp_copy_operands(operand(destination), operand((const _Tp *)data.data(), (std::int64_t)n)));
}
template <typename _Tp, typename _Sp> void copy_out(const _Sp &source, _Tp *out, std::size_t n)
{
    check(amp_copy_operands(operand((const _Tp *)out, (std::int64_t)n), operand(source)));
}
template <typename _Tp, typename _Sp, typename _Op> void copy_out(const _Sp &source, _Op out, std::size_t n)
{
    sequence<memory<_Tp>> data(n);
    check(amp_copy_operands(operand((const _Tp *)data.data(), (std::int64_t)n), operand(source)));
    std::copy(data.begin(), data.end(), out);
}
template <typename _Ip> using is_iterator = typename std::iterator_traits<_Ip>::iterator_category;

/* A future of work that is done. */
inline completion_future done()
{
    return accelerator().get_default_view().create_marker();
}

} // namespace amp__detail

template <typename _Ip, typename _Tp, int _Np, typename = amp__detail::is_iterator<_Ip>>
void copy(_Ip first, _Ip last, array<_Tp, _Np> &destination)
{
    amp__detail::copy_in<_Tp>(first, last, destination, destination.get_extent().size());
}
template <typename _Ip, typename _Tp, int _Np, typename = amp__detail::is_iterator<_Ip>>
void copy(_Ip first, _Ip last, const array_view<_Tp, _Np> &destination)
{
    amp__detail::copy_in<_Tp>(first, last, destination, destination.get_extent().size());
}
template <typename _Ip, typename _Tp, int _Np, typename = amp__detail::is_iterator<_Ip>>
void copy(_Ip first, array<_Tp, _Np> &destination)
{
    copy(first, std::next(first, destination.get_extent().size()), destination);
}
template <typename _Ip, typename _Tp, int _Np, typename = amp__detail::is_iterator<_Ip>>
void copy(_Ip first, const array_view<_Tp, _Np> &destination)
{
    copy(first, std::next(first, destination.get_extent().size()), destination);
}
template <typename _Op, typename _Tp, int _Np, typename = amp__detail::is_iterator<_Op>>
void copy(const array<_Tp, _Np> &source, _Op out)
{
    amp__detail::copy_out<_Tp>(source, out, source.get_extent().size());
}
template <typename _Op, typename _Tp, int _Np, typename = amp__detail::is_iterator<_Op>>
void copy(const array_view<_Tp, _Np> &source, _Op out)
{
    amp__detail::copy_out<typename std::remove_const<_Tp>::type>(source, out, source.get_extent().size());
}
/* With iterators the copy is done when the call returns. */
template <typename _Ip, typename _Tp, int _Np, typename = amp__detail::is_iterator<_Ip>>
completion_future copy_async(_Ip first, _Ip last, array<_Tp, _Np> &destination)
{
    copy(first, last, destination);
    return amp__detail::done();
}
template <typename _Ip, typename _Tp, int _Np, typename = amp__detail::is_iterator<_Ip>>
completion_future copy_async(_Ip first, _Ip last, const array_view<_Tp, _Np> &destination)
{
    copy(first, last, destination);
    return amp__detail::done();
}
template <typename _Ip, typename _Tp, int _Np, typename = amp__detail::is_iterator<_Ip>>
completion_future copy_async(_Ip first, array<_Tp, _Np> &destination)
{
    copy(first, destination);
    return amp__detail::done();
}
template <typename _Ip, typename _Tp, int _Np, typename = amp__detail::is_iterator<_Ip>>
completion_future copy_async(_Ip first, const array_view<_Tp, _Np> &destination)
{
    copy(first, destination);
    return amp__detail::done();
}
template <typename _Op, typename _Tp, int _Np, typename = amp__detail::is_iterator<_Op>>
completion_future copy_async(const array<_Tp, _Np> &source, _Op out)
{
    copy(source, out);
    return amp__detail::done();
}
template <typename _Op, typename _Tp, int _Np, typename = amp__detail::is_iterator<_Op>>
completion_future copy_async(const array_view<_Tp, _Np> &source, _Op out)
{
    copy(source, out);
    return amp__detail::done();
}

template <typename _Tp, int _Np> void array_view<_Tp, _Np>::copy_to(array<plain, _Np> &destination) const
{
    copy(*this, destination);
}
template <typename _Tp, int _Np> void array_view<_Tp, _Np>::copy_to(const array_view<plain, _Np> &destination) const
{
    copy(*this, destination);
}
template <typename _Tp, int _Np> array<_Tp, _Np> &array<_Tp, _Np>::operator=(const array_view<const _Tp, _Np> &source)
{
    copy(source, *this);
    return *this;
}
template <typename _Tp, int _Np> void array<_Tp, _Np>::copy_to(array &destination) const
{
    copy(*this, destination);
}
template <typename _Tp, int _Np> void array<_Tp, _Np>::copy_to(const array_view<_Tp, _Np> &destination) const
{
    copy(*this, destination);
}
template <typename _Tp, int _Np> array<_Tp, _Np>::operator amp__detail::sequence<_Tp>() const
{
    amp__detail::sequence<amp__detail::memory<_Tp>> data(get_extent().size());
    amp__detail::check(amp_copy_operands(amp__detail::operand((const _Tp *)data.data(), (std::int64_t)data.size()),
                                         amp__detail::operand(*this)));
    return amp__detail::sequence<_Tp>(std::make_move_iterator(data.begin()), std::make_move_iterator(data.end()));
}

/* ------------------------------------------------------------------ atomics ---- */

#define AMP__ATOMIC_FETCH(_Tp, name)                                                                                   \
    inline _Tp atomic_fetch_##name(_Tp *dest, _Tp value) restrict(amp)                                                 \
    {                                                                                                                  \
        return __atomic_fetch_##name(dest, value, __ATOMIC_RELAXED);                                                   \
    }
#define AMP__ATOMIC_INTEGER(_Tp)                                                                                       \
    AMP__ATOMIC_FETCH(_Tp, add)                                                                                        \
    AMP__ATOMIC_FETCH(_Tp, sub)                                                                                        \
    AMP__ATOMIC_FETCH(_Tp, and)                                                                                        \
    AMP__ATOMIC_FETCH(_Tp, or)                                                                                         \
    AMP__ATOMIC_FETCH(_Tp, xor)                                                                                        \
    AMP__ATOMIC_MINMAX(_Tp)                                                                                            \
    inline _Tp atomic_fetch_inc(_Tp *dest) restrict(amp)                                                               \
    {                                                                                                                  \
        return __atomic_fetch_add(dest, (_Tp)1, __ATOMIC_RELAXED);                                                     \
    }                                                                                                                  \
    inline _Tp atomic_fetch_dec(_Tp *dest) restrict(amp)                                                               \
    {                                                                                                                  \
        return __atomic_fetch_sub(dest, (_Tp)1, __ATOMIC_RELAXED);                                                     \
    }                                                                                                                  \
    inline bool atomic_compare_exchange(_Tp *dest, _Tp *expected, _Tp value) restrict(amp)                             \
    {                                                                                                                  \
        return __atomic_compare_exchange_n(dest, expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);          \
    }
#ifdef __clang__
#define AMP__ATOMIC_MINMAX(_Tp)                                                                                        \
    AMP__ATOMIC_FETCH(_Tp, min)                                                                                        \
    AMP__ATOMIC_FETCH(_Tp, max)
#else
#define AMP__ATOMIC_MINMAX(_Tp)
#endif
AMP__ATOMIC_INTEGER(int)
AMP__ATOMIC_INTEGER(unsigned)
AMP__ATOMIC_INTEGER(long)
AMP__ATOMIC_INTEGER(unsigned long)
AMP__ATOMIC_INTEGER(long long)
AMP__ATOMIC_INTEGER(unsigned long long)
#undef AMP__ATOMIC_INTEGER
#undef AMP__ATOMIC_MINMAX
#undef AMP__ATOMIC_FETCH
#define AMP__ATOMIC_EXCHANGE(_Tp)                                                                                      \
    inline _Tp atomic_exchange(_Tp *dest, _Tp value) restrict(amp)                                                     \
    {                                                                                                                  \
        _Tp old;                                                                                                       \
        __atomic_exchange(dest, &value, &old, __ATOMIC_RELAXED);                                                       \
        return old;                                                                                                    \
    }
AMP__ATOMIC_EXCHANGE(int)
AMP__ATOMIC_EXCHANGE(unsigned)
AMP__ATOMIC_EXCHANGE(long)
AMP__ATOMIC_EXCHANGE(unsigned long)
AMP__ATOMIC_EXCHANGE(long long)
AMP__ATOMIC_EXCHANGE(unsigned long long)
AMP__ATOMIC_EXCHANGE(float)
AMP__ATOMIC_EXCHANGE(double)
#undef AMP__ATOMIC_EXCHANGE

} // namespace Concurrency

/* ------------------------------------------------------------------ output ---- */

#ifdef AMP__CXX
namespace Concurrency
{
/* Print from a kernel, as printf does, to standard output. `format` is a literal. */
template <typename... _Ap>
__attribute__((format(printf, 1, 2))) void direct3d_printf(const char *format, _Ap... arguments) restrict(amp)
{
    amp_printf(format, arguments...);
}
/* Prints, ends the thread, and makes the launch fail with a runtime_exception, whose text is what it printed; on GPUs
 * the text has the format. */
extern "C" void amp__print_error(const char *format, ...) restrict(cpu, amp);
template <typename... _Ap>
__attribute__((format(printf, 1, 2))) void direct3d_errorf(const char *format, _Ap... arguments) restrict(amp)
{
    amp__print_error(format, arguments...);
    amp_abort(format);
}
inline void direct3d_abort() restrict(amp)
{
    amp_abort("direct3d_abort");
}

/* The same, where older programs look for them, and what Direct3D's shaders compute with. */
namespace direct3d
{
using concurrency::direct3d_abort;
using concurrency::direct3d_errorf;
using concurrency::direct3d_printf;

inline int abs(int x) restrict(amp)
{
    return x < 0 ? -x : x;
}
inline float clamp(float x, float low, float high) restrict(amp)
{
    return __builtin_fminf(__builtin_fmaxf(x, low), high);
}
inline int clamp(int x, int low, int high) restrict(amp)
{
    return x < low ? low : x > high ? high : x;
}
inline unsigned countbits(unsigned x) restrict(amp)
{
    return (unsigned)__builtin_popcount(x);
}
/* The number of the highest or lowest bit that is set, counted from bit 0; -1 if none is. */
inline int firstbithigh(int x) restrict(amp)
{
    return x ? 31 - __builtin_clz((unsigned)x) : -1;
}
inline int firstbitlow(int x) restrict(amp)
{
    return x ? __builtin_ctz((unsigned)x) : -1;
}
inline int imax(int x, int y) restrict(amp)
{
    return x > y ? x : y;
}
inline int imin(int x, int y) restrict(amp)
{
    return x < y ? x : y;
}
inline unsigned umax(unsigned x, unsigned y) restrict(amp)
{
    return x > y ? x : y;
}
inline unsigned umin(unsigned x, unsigned y) restrict(amp)
{
    return x < y ? x : y;
}
inline float mad(float x, float y, float z) restrict(amp)
{
    return x * y + z;
}
inline double mad(double x, double y, double z) restrict(amp)
{
    return __builtin_fma(x, y, z);
}
inline int mad(int x, int y, int z) restrict(amp)
{
    return x * y + z;
}
inline unsigned mad(unsigned x, unsigned y, unsigned z) restrict(amp)
{
    return x * y + z;
}
inline float radians(float degrees) restrict(amp)
{
    return degrees * 0.017453292519943295f;
}
inline float rcp(float x) restrict(amp)
{
    return 1 / x;
}
inline unsigned reversebits(unsigned x) restrict(amp)
{
    x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
    x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
    return __builtin_bswap32(x);
}
inline float saturate(float x) restrict(amp)
{
    return clamp(x, 0.0f, 1.0f);
}
inline int sign(int x) restrict(amp)
{
    return (x > 0) - (x < 0);
}
inline float step(float edge, float x) restrict(amp)
{
    return x >= edge ? 1.0f : 0.0f;
}
inline float smoothstep(float low, float high, float x) restrict(amp)
{
    float t = saturate((x - low) / (high - low));
    return t * t * (3 - 2 * t);
}
} // namespace direct3d
} // namespace Concurrency
#endif

/* ------------------------------------------------------------------ what the compiler reads ---- */

#ifdef AMP__CXX
/* Calls of these say what a kernel is and what it captures. src/compiler/front/cpp/kernels.c reads them; they never
 * run. */
extern "C" {
void amp__describe_kernel(const void *closure, const void *thread, const void *end, long size, long align, int rank,
                          int tile0, int tile1, int tile2, const char *name) restrict(amp);
void amp__describe_array(const void *closure, const void *address, const char *name, const char *type,
                         const char *format, int element_type, long element_size, long element_align, int rank,
                         int read_only, long bytes) restrict(amp);
void amp__describe_value(const void *closure, const void *address, const char *name, const char *type) restrict(amp);
void amp__describe_pointer(const void *closure, const void *address, const char *name, const char *type,
                           const char *format) restrict(amp);
}

/* kernels.c follows plain addresses. */
#pragma clang attribute push(__attribute__((no_sanitize("all"))), apply_to = function)

namespace Concurrency
{
namespace amp__detail
{

/* Is called by __builtin_dump_struct for each member, as printf would be. */
template <typename _Fp> struct member {
    static void note(const _Fp *, const char *) restrict(amp)
    {
    }
    template <typename _Ap> static void note(const _Fp *, const char *, const _Ap &) restrict(amp)
    {
    }
    template <typename _Ap, typename _Bp>
    static void note(const _Fp *, const char *, const _Ap &, const _Bp &) restrict(amp)
    {
    }
    template <typename _Ap, typename _Bp, typename _Cp>
    static void note(const _Fp *, const char *, const _Ap &, const _Bp &, const _Cp &) restrict(amp)
    {
    }
    /* "%s%s %s = FORMAT": indentation, type, name, and the member itself or its address */
    template <typename _Vp>
    static void note(const _Fp *f, const char *format, const char *, const char *type, const char *name, const _Vp &v)
        restrict(amp)
    {
        amp__on_device(amp__describe_value(f, &v, name, type);)
    }
    template <typename _Vp>
    static void note(const _Fp *f, const char *format, const char *, const char *type, const char *name, _Vp *const &v)
        restrict(amp)
    {
        amp__on_device(_Vp *to = v; look(f, format, to, name, type, 0);)
    }
    /* the same for a bit-field, with its width, and for the beginning of a nested struct */
    template <typename _Vp>
    static void note(const _Fp *, const char *, const char *, const char *, const char *, unsigned long, const _Vp &)
        restrict(amp)
    {
    }

    /* Looks into what a member's address leads to. */
    template <typename _Tp, int _Np>
    static void look(const _Fp *f, const char *format, const array_view<_Tp, _Np> *v, const char *name,
                     const char *type, int) restrict(amp)
    {
        amp__on_device(describe<_Tp, _Np>(f, v, name, type, format, 0);)
    }
    template <typename _Tp, int _Np>
    static void look(const _Fp *f, const char *format, array_view<_Tp, _Np> *v, const char *name, const char *type, int)
        restrict(amp)
    {
        amp__on_device(describe<_Tp, _Np>(f, v, name, type, format, 0);)
    }
    template <typename _Tp, int _Np>
    static void look(const _Fp *f, const char *format, const array<_Tp, _Np> *v, const char *name, const char *type,
                     int) restrict(amp)
    {
        amp__on_device(describe<const _Tp, _Np>(f, v, name, type, format, (long)sizeof(*v));)
    }
    template <typename _Tp, int _Np>
    static void look(const _Fp *f, const char *format, array<_Tp, _Np> *v, const char *name, const char *type, int)
        restrict(amp)
    {
        amp__on_device(describe<_Tp, _Np>(f, v, name, type, format, (long)sizeof(*v));)
    }
    /* Textures and their views begin with an array, or a view, of rank 1. */
#define AMP__LOOK(_Sp, element, bytes)                                                                                 \
    template <typename _Tp, int _Np>                                                                                   \
    static void look(const _Fp *f, const char *format, _Sp *v, const char *name, const char *type, int) restrict(amp)  \
    {                                                                                                                  \
        amp__on_device(describe<element, 1>(f, v, name, type, format, bytes);)                                         \
    }
#define AMP__COMMA ,
    AMP__LOOK(const graphics::texture<_Tp AMP__COMMA _Np>, const _Tp, (long)sizeof(*v))
    AMP__LOOK(graphics::texture<_Tp AMP__COMMA _Np>, _Tp, (long)sizeof(*v))
    AMP__LOOK(const graphics::texture_view<_Tp AMP__COMMA _Np>, _Tp, 0)
    AMP__LOOK(graphics::texture_view<_Tp AMP__COMMA _Np>, _Tp, 0)
    AMP__LOOK(const graphics::writeonly_texture_view<_Tp AMP__COMMA _Np>, _Tp, 0)
    AMP__LOOK(graphics::writeonly_texture_view<_Tp AMP__COMMA _Np>, _Tp, 0)
#undef AMP__COMMA
#undef AMP__LOOK
    template <typename _Vp, std::size_t _Kp>
    static void look(const _Fp *f, const char *format, _Vp (*v)[_Kp], const char *name, const char *type, int)
        restrict(amp)
    {
        amp__on_device(amp__describe_pointer(f, v, name, type, format);
                       each<_Vp, _Kp>(f, format, v, name, type, std::integral_constant<std::size_t, 0>());)
    }
    template <typename _Vp, typename = typename std::enable_if<
                                (std::is_class<_Vp>::value || std::is_union<_Vp>::value) && sizeof(_Vp) != 0>::type>
    static void look(const _Fp *f, const char *format, _Vp *v, const char *name, const char *type, int) restrict(amp)
    {
        amp__on_device(amp__describe_pointer(f, v, name, type, format); __builtin_dump_struct(v, note, f);)
    }
    template <typename _Vp>
    static void look(const _Fp *f, const char *format, _Vp *v, const char *name, const char *type, long) restrict(amp)
    {
        amp__on_device(amp__describe_pointer(f, (const void *)v, name, type, format);)
    }

    template <typename _Vp, std::size_t _Kp, std::size_t _Ip>
    static void each(const _Fp *f, const char *format, _Vp (*v)[_Kp], const char *name, const char *type,
                     std::integral_constant<std::size_t, _Ip>) restrict(amp)
    {
        if (std::is_class<typename std::remove_all_extents<_Vp>::type>::value) {
            look(f, format, &(*v)[_Ip], name, type, 0);
            each<_Vp, _Kp>(
                f, format, v, name, type,
                std::integral_constant<
                    std::size_t, std::is_class<typename std::remove_all_extents<_Vp>::type>::value ? _Ip + 1 : _Kp>());
        }
        if (std::is_pointer<typename std::remove_all_extents<_Vp>::type>::value)
            amp__describe_pointer(f, v, name, type, "%p");
    }
    template <typename _Vp, std::size_t _Kp>
    static void each(const _Fp *, const char *, _Vp (*)[_Kp], const char *, const char *,
                     std::integral_constant<std::size_t, _Kp>) restrict(amp)
    {
    }
    template <typename _Tp, int _Np>
    static void describe(const _Fp *f, const void *v, const char *name, const char *type, const char *format,
                         long bytes) restrict(amp)
    {
        typedef typename std::remove_const<_Tp>::type plain;
        amp__describe_array(f, v, name, type, format, type_of<plain>::value, (long)sizeof(_Tp), (long)alignof(_Tp), _Np,
                            std::is_const<_Tp>::value, bytes);
    }
};

template <typename _Fp> const char *name_of() restrict(amp)
{
    return __PRETTY_FUNCTION__;
}

struct thread_access {
    static tile_barrier barrier() restrict(amp)
    {
        return tile_barrier();
    }
};

/* One thread of a kernel. The parameters after the first are those of the entry of a kernel in C. */
template <typename _Fp> __attribute__((used)) void thread1(const _Fp *f, int i0) restrict(cpu, amp)
{
    amp__on_device((*f)(index<1>(i0));)
}
template <typename _Fp> __attribute__((used)) void thread2(const _Fp *f, int i0, int i1) restrict(cpu, amp)
{
    amp__on_device((*f)(index<2>(i0, i1));)
}
template <typename _Fp> __attribute__((used)) void thread3(const _Fp *f, int i0, int i1, int i2) restrict(cpu, amp)
{
    amp__on_device((*f)(index<3>(i0, i1, i2));)
}
template <typename _Fp, int _D0>
__attribute__((used)) void tiled1(const _Fp *f, int g0, int l0, int t0, int o0) restrict(cpu, amp)
{
    amp__on_device(
        (*f)(tiled_index<_D0>(index<1>(g0), index<1>(l0), index<1>(t0), index<1>(o0), thread_access::barrier()));)
}
template <typename _Fp, int _D0, int _D1>
__attribute__((used)) void tiled2(const _Fp *f, int g0, int g1, int l0, int l1, int t0, int t1, int o0, int o1)
    restrict(cpu, amp)
{
    amp__on_device((*f)(tiled_index<_D0, _D1>(index<2>(g0, g1), index<2>(l0, l1), index<2>(t0, t1), index<2>(o0, o1),
                                              thread_access::barrier()));)
}
template <typename _Fp, int _D0, int _D1, int _D2>
__attribute__((used)) void tiled3(const _Fp *f, int g0, int g1, int g2, int l0, int l1, int l2, int t0, int t1, int t2,
                                  int o0, int o1, int o2) restrict(cpu, amp)
{
    amp__on_device((*f)(tiled_index<_D0, _D1, _D2>(index<3>(g0, g1, g2), index<3>(l0, l1, l2), index<3>(t0, t1, t2),
                                                   index<3>(o0, o1, o2), thread_access::barrier()));)
}

/* The view of a launch that names none: libamp chooses. */
inline amp_accelerator_view *chosen_by_launch()
{
    if (default_is_host())
        fail_on_host();
    return nullptr;
}

/* What parallel_for_each does, and a function whose body is only for the compiler. The launch makes it exist. In its
 * body, the function that runs a thread is a constant. */
template <typename _Fp> void launch(amp_accelerator_view *on, const amp_extent &e, const void *thread, const _Fp &f)
{
    check(amp_launch_closure(on, e, (amp_kernel)thread, &f, sizeof f));
}

template <typename _Fp> amp__used_on_device void describe1(const _Fp *f) restrict(cpu, amp)
{
    amp__on_device(amp__describe_kernel(f, (const void *)&thread1<_Fp>, f + 1, (long)sizeof(_Fp), (long)alignof(_Fp), 1,
                                        0, 0, 0, name_of<_Fp>());
                   __builtin_dump_struct(f, member<_Fp>::note, f);)
}
template <typename _Fp> void launch_untiled(amp_accelerator_view *on, const extent<1> &e, const _Fp &f)
{
    (void)&describe1<_Fp>;
    launch(on, to_c(e), (const void *)&thread1<_Fp>, f);
}

template <typename _Fp> amp__used_on_device void describe2(const _Fp *f) restrict(cpu, amp)
{
    amp__on_device(amp__describe_kernel(f, (const void *)&thread2<_Fp>, f + 1, (long)sizeof(_Fp), (long)alignof(_Fp), 2,
                                        0, 0, 0, name_of<_Fp>());
                   __builtin_dump_struct(f, member<_Fp>::note, f);)
}
template <typename _Fp> void launch_untiled(amp_accelerator_view *on, const extent<2> &e, const _Fp &f)
{
    (void)&describe2<_Fp>;
    launch(on, to_c(e), (const void *)&thread2<_Fp>, f);
}

template <typename _Fp> amp__used_on_device void describe3(const _Fp *f) restrict(cpu, amp)
{
    amp__on_device(amp__describe_kernel(f, (const void *)&thread3<_Fp>, f + 1, (long)sizeof(_Fp), (long)alignof(_Fp), 3,
                                        0, 0, 0, name_of<_Fp>());
                   __builtin_dump_struct(f, member<_Fp>::note, f);)
}
template <typename _Fp> void launch_untiled(amp_accelerator_view *on, const extent<3> &e, const _Fp &f)
{
    (void)&describe3<_Fp>;
    launch(on, to_c(e), (const void *)&thread3<_Fp>, f);
}

/* A kernel of more than three dimensions, whose slow ones the launch has flattened into one. */
template <typename _Fp, int _Np> struct flattened {
    _Fp kernel;
    extent<_Np> domain;
    long long first; /* the number, in the slow dimensions, of the launch's first point */

    flattened(const _Fp &f, const extent<_Np> &e) : kernel(f), domain(e), first(0)
    {
    }
    index<_Np> at(int i0, int i1, int i2) const restrict(cpu, amp)
    {
        index<_Np> result;
        unsigned long long rest = (unsigned long long)first + (unsigned)i0;
        each<_Np - 2>::call([&](unsigned c) restrict(cpu, amp) {
            unsigned size = (unsigned)domain[_Np - 3 - c];
            result[_Np - 3 - c] = (int)(rest % size);
            rest /= size;
        });
        result[_Np - 2] = i1;
        result[_Np - 1] = i2;
        return result;
    }
};
template <typename _Fp, int _Np>
__attribute__((used)) void thread_flat(const flattened<_Fp, _Np> *f, int i0, int i1, int i2) restrict(cpu, amp)
{
    amp__on_device(f->kernel(f->at(i0, i1, i2));)
}
template <typename _Fp, int _Np> amp__used_on_device void describe_flat(const flattened<_Fp, _Np> *f) restrict(cpu, amp)
{
    amp__on_device(amp__describe_kernel(f, (const void *)&thread_flat<_Fp, _Np>, f + 1, (long)sizeof(*f),
                                        (long)alignof(flattened<_Fp, _Np>), 3, 0, 0, 0, name_of<_Fp>());
                   __builtin_dump_struct(f, (member<flattened<_Fp, _Np>>::note), f);)
}
template <typename _Fp, int _Np> void launch_untiled(amp_accelerator_view *on, const extent<_Np> &e, const _Fp &f)
{
    (void)&describe_flat<_Fp, _Np>;
    flattened<_Fp, _Np> flat(f, e);
    long long n = 1;
    for (int c = 0; c < _Np; c++)
        if (e[(unsigned)c] <= 0)
            throw invalid_compute_domain("parallel_for_each: a component of the extent is not positive");
    for (int c = 0; c < _Np - 2; c++)
        if (__builtin_mul_overflow(n, (long long)e[(unsigned)c], &n))
            throw invalid_compute_domain("parallel_for_each: the extent has more points than a launch can have");
    for (; flat.first < n; flat.first += 0x7fffffff) {
        long long size = n - flat.first < 0x7fffffff ? n - flat.first : 0x7fffffff;
        launch(on, to_c(extent<3>((int)size, e[_Np - 2], e[_Np - 1])), (const void *)&thread_flat<_Fp, _Np>, flat);
    }
}

template <typename _Fp, int _D0> amp__used_on_device void describe_tiled1(const _Fp *f) restrict(cpu, amp)
{
    amp__on_device(amp__describe_kernel(f, (const void *)&tiled1<_Fp, _D0>, f + 1, (long)sizeof(_Fp),
                                        (long)alignof(_Fp), 1, _D0, 0, 0, name_of<_Fp>());
                   __builtin_dump_struct(f, member<_Fp>::note, f);)
}
template <typename _Fp, int _D0> void launch_tiled(amp_accelerator_view *on, const tiled_extent<_D0> &e, const _Fp &f)
{
    static_assert(_D0 <= 1024, "a tile has at most 1024 threads");
    (void)&describe_tiled1<_Fp, _D0>;
    launch(on, to_c<1>(e), (const void *)&tiled1<_Fp, _D0>, f);
}

template <typename _Fp, int _D0, int _D1> amp__used_on_device void describe_tiled2(const _Fp *f) restrict(cpu, amp)
{
    amp__on_device(amp__describe_kernel(f, (const void *)&tiled2<_Fp, _D0, _D1>, f + 1, (long)sizeof(_Fp),
                                        (long)alignof(_Fp), 2, _D0, _D1, 0, name_of<_Fp>());
                   __builtin_dump_struct(f, member<_Fp>::note, f);)
}
template <typename _Fp, int _D0, int _D1>
void launch_tiled(amp_accelerator_view *on, const tiled_extent<_D0, _D1> &e, const _Fp &f)
{
    static_assert(_D0 <= 1024 && _D1 <= 1024 && _D0 * _D1 <= 1024, "a tile has at most 1024 threads");
    (void)&describe_tiled2<_Fp, _D0, _D1>;
    launch(on, to_c<2>(e), (const void *)&tiled2<_Fp, _D0, _D1>, f);
}

template <typename _Fp, int _D0, int _D1, int _D2>
amp__used_on_device void describe_tiled3(const _Fp *f) restrict(cpu, amp)
{
    amp__on_device(amp__describe_kernel(f, (const void *)&tiled3<_Fp, _D0, _D1, _D2>, f + 1, (long)sizeof(_Fp),
                                        (long)alignof(_Fp), 3, _D0, _D1, _D2, name_of<_Fp>());
                   __builtin_dump_struct(f, member<_Fp>::note, f);)
}
template <typename _Fp, int _D0, int _D1, int _D2>
void launch_tiled(amp_accelerator_view *on, const tiled_extent<_D0, _D1, _D2> &e, const _Fp &f)
{
    static_assert(_D0 <= 1024 && _D1 <= 1024 && _D2 <= 1024 && _D0 * _D1 <= 1024 && _D0 * _D1 * _D2 <= 1024,
                  "a tile has at most 1024 threads");
    static_assert(_D0 <= amp__most_planes || _D0 > 1024, "C++ AMP's tiles of rank 3 have at most 64 planes");
    (void)&describe_tiled3<_Fp, _D0, _D1, _D2>;
    launch(on, to_c<3>(e), (const void *)&tiled3<_Fp, _D0, _D1, _D2>, f);
}

} // namespace amp__detail
} // namespace Concurrency

#pragma clang attribute pop

namespace Concurrency
{

/* ------------------------------------------------------------------ parallel_for_each ---- */

namespace amp__detail
{

/* What the call operator of a kernel says: the rank of its index, the tile of its tiled_index. Of one that is a
 * template or overloaded nothing is known. */
struct no_parameter {
    static const bool is_known = false, is_tiled = false;
    static const int rank = 0, tile0 = 0, tile1 = 0, tile2 = 0;
};
template <typename _Pp> struct parameter : no_parameter {
};
template <int _Np> struct parameter<index<_Np>> : no_parameter {
    static const bool is_known = true;
    static const int rank = _Np;
};
template <int _D0, int _D1, int _D2> struct parameter<tiled_index<_D0, _D1, _D2>> : no_parameter {
    static const bool is_known = true, is_tiled = true;
    static const int rank = tile<_D0, _D1, _D2>::rank, tile0 = _D0, tile1 = _D1, tile2 = _D2;
};
template <typename _Op> struct call_operator : no_parameter {
    static const bool is_const = true;
};
template <typename _Rp, typename _Fp, typename _Pp>
struct call_operator<_Rp (_Fp::*)(_Pp) const> : parameter<typename std::decay<_Pp>::type> {
    static const bool is_const = true;
};
template <typename _Rp, typename _Fp, typename _Pp>
struct call_operator<_Rp (_Fp::*)(_Pp)> : parameter<typename std::decay<_Pp>::type> {
    static const bool is_const = false;
};
template <typename _Fp, typename = void> struct kernel : call_operator<void> {
};
template <typename _Fp>
struct kernel<_Fp, decltype((void)&_Fp::operator())> : call_operator<decltype(&_Fp::operator())> {
};

/* Whether a kernel can run over a domain; otherwise there is an error of AMP__KERNEL. */
template <typename _Fp, int _Np> struct fits {
    static const bool value =
        kernel<_Fp>::is_const && (!kernel<_Fp>::is_known || (!kernel<_Fp>::is_tiled && kernel<_Fp>::rank == _Np));
};
template <typename _Fp, int _D0, int _D1, int _D2> struct fits_tiles {
    static const bool has_tile = kernel<_Fp>::tile0 == _D0 && kernel<_Fp>::tile1 == _D1 && kernel<_Fp>::tile2 == _D2;
    static const bool value =
        kernel<_Fp>::is_const && (!kernel<_Fp>::is_known || has_tile || fits<_Fp, tile<_D0, _D1, _D2>::rank>::value);
};

/* The same for ranks alone; for those up to 3, the errors of AMP__RANKS have both. */
template <typename _Fp, int _Np> struct fits_rank {
    static const bool value = !kernel<_Fp>::is_known || kernel<_Fp>::is_tiled || kernel<_Fp>::rank == _Np ||
                              (kernel<_Fp>::rank <= 3 && _Np <= 3);
};

/* Whether a type is an extent, or a class derived from one. */
template <typename _Ep> struct is_domain {
    template <int _Np> static char test(const extent<_Np> *);
    static long test(...);
    static const bool value = sizeof(test((_Ep *)0)) == 1;
};

template <bool> struct launcher {
    template <typename _Fp, int _Np> static void run(amp_accelerator_view *on, const extent<_Np> &domain, const _Fp &f)
    {
        launch_untiled<_Fp>(on, domain, f);
    }
    template <typename _Fp, int _D0, int _D1, int _D2>
    static void run_tiled(amp_accelerator_view *on, const tiled_extent<_D0, _D1, _D2> &domain, const _Fp &f)
    {
        launch_tiled<_Fp>(on, domain, f);
    }
};
template <> struct launcher<false> {
    template <typename _Fp, typename _Ep> static void run(amp_accelerator_view *, const _Ep &, const _Fp &)
    {
    }
    template <typename _Fp, typename _Ep> static void run_tiled(amp_accelerator_view *, const _Ep &, const _Fp &)
    {
    }
};
template <int _D0, int _D1, int _D2, typename _Fp>
void run_tiled(amp_accelerator_view *on, const tiled_extent<_D0, _D1, _D2> &domain, const _Fp &f)
{
    launcher<fits_tiles<_Fp, _D0, _D1, _D2>::value>::run_tiled(on, domain, f);
}

} // namespace amp__detail

#define AMP__RANKS(_Kp, _Rp)                                                                                           \
    AMP__UNLESS(amp__detail::kernel<_Fp>::is_tiled || amp__detail::kernel<_Fp>::rank != _Kp || _Np != _Rp,             \
                "the kernel takes index<" #_Kp ">, but the extent has rank " #_Rp " [launch rank]")
#define AMP__KERNEL                                                                                                    \
    AMP__UNLESS(amp__detail::kernel<_Fp>::is_const,                                                                    \
                "the kernel's call operator is not const; mark it const, or leave out 'mutable' [const kernel]")
#define AMP__UNTILED                                                                                                   \
    AMP__KERNEL AMP__UNLESS((amp__detail::fits_rank<_Fp, _Np>::value),                                                 \
                            "the kernel's index has another rank than the extent [launch rank]")                       \
    AMP__RANKS(1, 2) AMP__RANKS(1, 3) AMP__RANKS(2, 1) AMP__RANKS(2, 3) AMP__RANKS(3, 1) AMP__RANKS(3, 2)  \
        AMP__UNLESS(!amp__detail::kernel<_Fp>::is_tiled,                                                               \
                    "the kernel takes a tiled_index, but the extent has no tiles; use tile<...>() of it [launch tile]")
#define AMP__TILED(...)                                                                                                \
    AMP__KERNEL AMP__UNLESS(!amp__detail::kernel<_Fp>::is_const || (amp__detail::fits_tiles<_Fp, __VA_ARGS__>::value), \
                            "the kernel's index does not have the rank and the tile of the extent [launch tile]")

template <int _Np, typename _Fp> void parallel_for_each(const extent<_Np> &domain, const _Fp &f) AMP__UNTILED
{
    amp__detail::launcher<amp__detail::fits<_Fp, _Np>::value>::run(amp__detail::chosen_by_launch(), domain, f);
}
template <int _Np, typename _Fp>
void parallel_for_each(const accelerator_view &on, const extent<_Np> &domain, const _Fp &f) AMP__UNTILED
{
    amp__detail::launcher<amp__detail::fits<_Fp, _Np>::value>::run(on.amp__that_computes(), domain, f);
}
/* One for each rank, so that parallel_for_each<4, 8>(domain, kernel) makes tiles of a plain extent. */
template <int _D0, typename _Fp>
void parallel_for_each(const tiled_extent<_D0> &domain, const _Fp &f) AMP__TILED(_D0, 0, 0)
{
    amp__detail::run_tiled(amp__detail::chosen_by_launch(), domain, f);
}
template <int _D0, typename _Fp>
void parallel_for_each(const accelerator_view &on, const tiled_extent<_D0> &domain, const _Fp &f) AMP__TILED(_D0, 0, 0)
{
    amp__detail::run_tiled(on.amp__that_computes(), domain, f);
}
template <int _D0, int _D1, typename _Fp>
void parallel_for_each(const tiled_extent<_D0, _D1> &domain, const _Fp &f) AMP__TILED(_D0, _D1, 0)
{
    amp__detail::run_tiled(amp__detail::chosen_by_launch(), domain, f);
}
template <int _D0, int _D1, typename _Fp>
void parallel_for_each(const accelerator_view &on, const tiled_extent<_D0, _D1> &domain, const _Fp &f)
    AMP__TILED(_D0, _D1, 0)
{
    amp__detail::run_tiled(on.amp__that_computes(), domain, f);
}
template <int _D0, int _D1, int _D2, typename _Fp>
void parallel_for_each(const tiled_extent<_D0, _D1, _D2> &domain, const _Fp &f) AMP__TILED(_D0, _D1, _D2)
{
    amp__detail::run_tiled(amp__detail::chosen_by_launch(), domain, f);
}
template <int _D0, int _D1, int _D2, typename _Fp>
void parallel_for_each(const accelerator_view &on, const tiled_extent<_D0, _D1, _D2> &domain, const _Fp &f)
    AMP__TILED(_D0, _D1, _D2)
{
    amp__detail::run_tiled(on.amp__that_computes(), domain, f);
}
template <typename _Dp, typename _Fp>
typename std::enable_if<!amp__detail::is_domain<_Dp>::value>::type parallel_for_each(const _Dp &, const _Fp &)
    AMP__UNLESS(false, "the first argument of a launch is its domain, an extent or a tiled_extent, such as "
                       "extent<1>(n) or view.extent [launch extent]");
#undef AMP__UNLESS
#undef AMP__POSITIVE
#undef AMP__RANKS
#undef AMP__KERNEL
#undef AMP__UNTILED
#undef AMP__TILED

} // namespace Concurrency
#endif

} /* extern "C++" */

#endif
