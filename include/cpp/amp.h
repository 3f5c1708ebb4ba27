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
 * amp__on_device(...): ampcc compiles the source once for each, and drops the other. Other compilers read this header
 * as host code.
 */
#ifndef AMP_CPP_AMP_H
#define AMP_CPP_AMP_H

#ifndef __cplusplus
#error "this is <amp.h> of C++ AMP; name the source *.cpp, or include the C header"
#endif
#pragma GCC system_header

extern "C++" { /* a header that includes this one may be included for C */

#include_next <amp.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <future>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef AMP__CXX
#define AMP__PROPERTY(type, name) __declspec(property(get = get_##name)) type name
#else
#define restrict(...)
#define amp__on_host(...) __VA_ARGS__
#define amp__on_device(...)
#define amp__used_on_device
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

template <int N> class index;
template <int N> class extent;
template <int D0, int D1 = 0, int D2 = 0> class tiled_extent;
template <int D0, int D1 = 0, int D2 = 0> class tiled_index;
template <typename T, int N = 1> class array;
template <typename T, int N = 1> class array_view;

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

namespace amp__detail
{

/* Says in C++ what libamp says in C: which function reports the error, and the names of accelerators. */
inline std::string in_cpp(std::string text)
{
    static const char *const words[][2] = {{"amp_array_view_create_without_source: ", "array_view: "},
                                           {"amp_array_view_create: ", "array_view: "},
                                           {"amp_array_view_project: ", "array_view::operator[]: "},
                                           {"amp_array_view_map: ", "array_view::operator[]: "},
                                           {"amp_array_view_reinterpret: ", "array_view::reinterpret_as: "},
                                           {"amp_array_view_reshape: ", "array_view::view_as: "},
                                           {"amp_array_view_", "array_view::"},
                                           {"amp_array_create_staging: ", "array: "},
                                           {"amp_array_create: ", "array: "},
                                           {"amp_array_from_view: ", "array: "},
                                           {"amp_array_staging_from_view: ", "array: "},
                                           {"amp_array_", "array::"},
                                           {"amp_accelerator_view_", "accelerator_view::"},
                                           {"amp_accelerator_", "accelerator::"},
                                           {"amp_future_", "completion_future::"},
                                           {"amp_launch: ", "parallel_for_each: "},
                                           {"amp_", ""}};
    std::string::size_type list = text.find("there are: cpu"), end = text.find(": amp_abort: ");
    if (list != std::string::npos)
        text.insert(list + sizeof "there are: " - 1, "simd, ");
    if (end != std::string::npos) /* of direct3d_abort or direct3d_errorf */
        text.erase(end, sizeof ": amp_abort" - 1);
    for (const auto &word : words)
        if (text.compare(0, std::char_traits<char>::length(word[0]), word[0]) == 0)
            return text.replace(0, std::char_traits<char>::length(word[0]), word[1]);
    return text;
}

/* Throws the exception for a status of libamp, with the text of the thread's error. */
[[noreturn]] inline void fail(amp_status status)
{
    std::string text = in_cpp(amp_error_text());
    if (text.empty())
        text = amp_status_text(status);
    amp_error_clear();
    switch (status) {
    case AMP_ERROR_OUT_OF_MEMORY:
        throw out_of_memory(text.c_str());
    case AMP_ERROR_INVALID_COMPUTE_DOMAIN:
        throw invalid_compute_domain(text.c_str());
    case AMP_ERROR_UNSUPPORTED_FEATURE:
    case AMP_ERROR_NO_KERNEL:
        throw unsupported_feature(text.c_str());
    case AMP_ERROR_ACCELERATOR_VIEW_REMOVED:
        throw accelerator_view_removed(text.c_str(), (HRESULT)0x887a0007);
    default:
        throw runtime_exception(text.c_str(), (HRESULT)0x80004005);
    }
}

inline void check(amp_status status)
{
    if (status != AMP_OK)
        fail(status);
}

/* A handle that a call has returned. */
template <typename H> H *made(H *handle)
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

/* Calls f(0) to f(N - 1). In a loop, ampcc's analyses would not know the numbers. */
template <int N> struct each {
    template <typename F> static void call(const F &f) restrict(cpu, amp)
    {
        each<N - 1>::call(f);
        f((unsigned)N - 1);
    }
};
template <> struct each<0> {
    template <typename F> static void call(const F &) restrict(cpu, amp)
    {
    }
};

/* What index and extent share: N numbers, of which the first is the most significant. D is the class itself. */
template <typename D, int N> class numbers
{
    static_assert(N > 0, "the rank of an index or an extent is at least 1");

  public:
    static const int rank = N;
    typedef int value_type;

    numbers() restrict(cpu, amp)
    {
        each<N>::call([&](unsigned i) restrict(cpu, amp) { at_[i] = 0; });
    }
    numbers(const numbers &other) restrict(cpu, amp) : numbers(other.at_)
    {
    }
    numbers &operator=(const numbers &other) restrict(cpu, amp)
    {
        each<N>::call([&](unsigned i) restrict(cpu, amp) { at_[i] = other.at_[i]; });
        return *this;
    }
    explicit numbers(const int components[]) restrict(cpu, amp)
    {
        each<N>::call([&](unsigned i) restrict(cpu, amp) { at_[i] = components[i]; });
    }

    int operator[](unsigned c) const restrict(cpu, amp)
    {
        return at_[c];
    }
    int &operator[](unsigned c) restrict(cpu, amp)
    {
        return at_[c];
    }

    friend bool operator==(const D &a, const D &b) restrict(cpu, amp)
    {
        bool same = true;
        each<N>::call([&](unsigned i) restrict(cpu, amp) { same = same && a.at_[i] == b.at_[i]; });
        return same;
    }
    friend bool operator!=(const D &a, const D &b) restrict(cpu, amp)
    {
        return !(a == b);
    }

#define AMP__ASSIGN(op)                                                                                                \
    D &operator op(int value) restrict(cpu, amp)                                                                       \
    {                                                                                                                  \
        each<N>::call([&](unsigned i) restrict(cpu, amp) { at_[i] op value; });                                        \
        return static_cast<D &>(*this);                                                                                \
    }
    AMP__ASSIGN(+=)
    AMP__ASSIGN(-=)
    AMP__ASSIGN(*=)
    AMP__ASSIGN(/=)
    AMP__ASSIGN(%=)
#undef AMP__ASSIGN
#define AMP__ASSIGN(op)                                                                                                \
    D &operator op(const D &value) restrict(cpu, amp)                                                                  \
    {                                                                                                                  \
        each<N>::call([&](unsigned i) restrict(cpu, amp) { at_[i] op value.at_[i]; });                                 \
        return static_cast<D &>(*this);                                                                                \
    }
    AMP__ASSIGN(+=)
    AMP__ASSIGN(-=)
#undef AMP__ASSIGN
#define AMP__BINARY(op, assign)                                                                                        \
    friend D operator op(const D &a, int b) restrict(cpu, amp)                                                         \
    {                                                                                                                  \
        D result(a);                                                                                                   \
        result assign b;                                                                                               \
        return result;                                                                                                 \
    }                                                                                                                  \
    friend D operator op(int a, const D &b) restrict(cpu, amp)                                                         \
    {                                                                                                                  \
        D result(b);                                                                                                   \
        each<N>::call([&](unsigned i) restrict(cpu, amp) { result.at_[i] = a op b.at_[i]; });                          \
        return result;                                                                                                 \
    }
    AMP__BINARY(+, +=)
    AMP__BINARY(-, -=)
    AMP__BINARY(*, *=)
    AMP__BINARY(/, /=)
    AMP__BINARY(%, %=)
#undef AMP__BINARY
    friend D operator+(const D &a, const D &b) restrict(cpu, amp)
    {
        D result(a);
        result += b;
        return result;
    }
    friend D operator-(const D &a, const D &b) restrict(cpu, amp)
    {
        D result(a);
        result -= b;
        return result;
    }

    D &operator++() restrict(cpu, amp)
    {
        return *this += 1;
    }
    D operator++(int) restrict(cpu, amp)
    {
        D before(static_cast<D &>(*this));
        *this += 1;
        return before;
    }
    D &operator--() restrict(cpu, amp)
    {
        return *this -= 1;
    }
    D operator--(int) restrict(cpu, amp)
    {
        D before(static_cast<D &>(*this));
        *this -= 1;
        return before;
    }

  protected:
    int at_[N];
};

} // namespace amp__detail

template <int N> class index : public amp__detail::numbers<index<N>, N>
{
    typedef amp__detail::numbers<index<N>, N> base;

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
        static_assert(N == 1, "an index of one number has rank 1");
        this->at_[0] = i0;
    }
    index(int i0, int i1) restrict(cpu, amp)
    {
        static_assert(N == 2, "an index of two numbers has rank 2");
        this->at_[0] = i0;
        this->at_[N > 1 ? 1 : 0] = i1;
    }
    index(int i0, int i1, int i2) restrict(cpu, amp)
    {
        static_assert(N == 3, "an index of three numbers has rank 3");
        this->at_[0] = i0;
        this->at_[N > 1 ? 1 : 0] = i1;
        this->at_[N > 2 ? 2 : 0] = i2;
    }
    index &operator=(const index &other) restrict(cpu, amp)
    {
        base::operator=(other);
        return *this;
    }
};

template <int N> class extent : public amp__detail::numbers<extent<N>, N>
{
    typedef amp__detail::numbers<extent<N>, N> base;

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
        static_assert(N == 1, "an extent of one number has rank 1");
        this->at_[0] = e0;
    }
    extent(int e0, int e1) restrict(cpu, amp)
    {
        static_assert(N == 2, "an extent of two numbers has rank 2");
        this->at_[0] = e0;
        this->at_[N > 1 ? 1 : 0] = e1;
    }
    extent(int e0, int e1, int e2) restrict(cpu, amp)
    {
        static_assert(N == 3, "an extent of three numbers has rank 3");
        this->at_[0] = e0;
        this->at_[N > 1 ? 1 : 0] = e1;
        this->at_[N > 2 ? 2 : 0] = e2;
    }
    extent &operator=(const extent &other) restrict(cpu, amp)
    {
        base::operator=(other);
        return *this;
    }

    unsigned size() const restrict(cpu, amp)
    {
        unsigned n = 1;
        amp__detail::each<N>::call([&](unsigned i) restrict(cpu, amp) { n *= (unsigned)this->at_[i]; });
        return n;
    }
    bool contains(const index<N> &i) const restrict(cpu, amp)
    {
        bool inside = true;
        amp__detail::each<N>::call([&](unsigned c)
                                       restrict(cpu, amp) { inside = inside && i[c] >= 0 && i[c] < this->at_[c]; });
        return inside;
    }

    template <int D0> tiled_extent<D0> tile() const restrict(cpu, amp)
    {
        static_assert(N == 1, "an extent of this rank has tiles of that many sizes");
        return tiled_extent<D0>(*this);
    }
    template <int D0, int D1> tiled_extent<D0, D1> tile() const restrict(cpu, amp)
    {
        static_assert(N == 2, "an extent of this rank has tiles of that many sizes");
        return tiled_extent<D0, D1>(*this);
    }
    template <int D0, int D1, int D2> tiled_extent<D0, D1, D2> tile() const restrict(cpu, amp)
    {
        static_assert(N == 3, "an extent of this rank has tiles of that many sizes");
        return tiled_extent<D0, D1, D2>(*this);
    }

    using base::operator+=;
    using base::operator-=;
    extent &operator+=(const index<N> &i) restrict(cpu, amp)
    {
        amp__detail::each<N>::call([&](unsigned c) restrict(cpu, amp) { this->at_[c] += i[c]; });
        return *this;
    }
    extent &operator-=(const index<N> &i) restrict(cpu, amp)
    {
        amp__detail::each<N>::call([&](unsigned c) restrict(cpu, amp) { this->at_[c] -= i[c]; });
        return *this;
    }
    friend extent operator+(const extent &e, const index<N> &i) restrict(cpu, amp)
    {
        extent result(e);
        result += i;
        return result;
    }
    friend extent operator-(const extent &e, const index<N> &i) restrict(cpu, amp)
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
template <int D0, int D1, int D2> struct tile {
    static_assert(D0 > 0 && D1 >= 0 && D2 >= 0 && (D1 > 0 || D2 == 0), "the sizes of a tile are positive");
    static const int rank = D2 > 0 ? 3 : D1 > 0 ? 2 : 1;
    static int size(unsigned c) restrict(cpu, amp)
    {
        return c == 0 ? D0 : c == 1 ? D1 : D2;
    }
    static extent<rank> sizes() restrict(cpu, amp)
    {
        extent<rank> result;
        each<rank>::call([&](unsigned c) restrict(cpu, amp) { result[c] = size(c); });
        return result;
    }
};

} // namespace amp__detail

template <int D0, int D1, int D2> class tiled_extent : public extent<amp__detail::tile<D0, D1, D2>::rank>
{
    typedef amp__detail::tile<D0, D1, D2> tile_type;
    typedef extent<tile_type::rank> base;

  public:
    static const int tile_dim0 = D0, tile_dim1 = D1, tile_dim2 = D2;

    tiled_extent() restrict(cpu, amp)
    {
    }
    tiled_extent(const tiled_extent &other) restrict(cpu, amp) : base(other)
    {
    }
    tiled_extent(const base &other) restrict(cpu, amp) : base(other)
    {
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
            result[c] = (this->at_[c] + tile_type::size(c) - 1) / tile_type::size(c) * tile_type::size(c);
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

template <int D0, int D1, int D2> class tiled_index
{
    typedef amp__detail::tile<D0, D1, D2> tile_type;

  public:
    static const int rank = tile_type::rank;
    static const int tile_dim0 = D0, tile_dim1 = D1, tile_dim2 = D2;

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
    template <class Rep, class Period> std::future_status wait_for(const std::chrono::duration<Rep, Period> &time) const
    {
        double seconds = std::chrono::duration<double>(time).count();
        return amp_future_wait_for(handle(), seconds) ? std::future_status::ready : std::future_status::timeout;
    }
    template <class Clock, class Duration>
    std::future_status wait_until(const std::chrono::time_point<Clock, Duration> &time) const
    {
        return wait_for(time - Clock::now());
    }
    template <typename Functor> void then(const Functor &functor) const
    {
        std::unique_ptr<Functor> copy(new Functor(functor));
        amp__detail::check(amp_future_then(handle(), call<Functor>, copy.get()));
        copy.release();
    }
    operator std::shared_future<void>() const
    {
        completion_future self(*this);
        return std::async(std::launch::deferred, [self] { self.get(); }).share();
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
        if (!future_)
            throw std::future_error(std::future_errc::no_state);
        return future_;
    }
    template <typename Functor> static void call(amp_status, void *user)
    {
        std::unique_ptr<Functor> functor(static_cast<Functor *>(user));
        (*functor)();
    }

    amp_future *future_;
};

/* ------------------------------------------------------------------ accelerators ---- */

class accelerator_view;

/* A device. L"cpu" is the model's accelerator of that name, host memory that runs no kernels; the one that computes on
 * the processor is L"simd". Those of Direct3D do not exist: an object of one differs from all others, knows its path,
 * and throws when it is used. */
class accelerator
{
  public:
    static constexpr const wchar_t *default_accelerator = L"default";
    static constexpr const wchar_t *cpu_accelerator = L"cpu";
    static constexpr const wchar_t *simd_accelerator = L"simd";
    static constexpr const wchar_t *direct3d_ref = L"direct3d\\ref";
    static constexpr const wchar_t *direct3d_warp = L"direct3d\\warp";

    accelerator() : accelerator(std::wstring(default_accelerator))
    {
    }
    explicit accelerator(const std::wstring &path)
        : accelerator_(is_of_direct3d(path) ? nullptr : find(path)), is_host_(path == cpu_accelerator)
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

    static std::vector<accelerator> get_all()
    {
        std::vector<accelerator> all;
        for (int i = 0; i < amp_accelerator_count(); i++) {
            amp_accelerator *handle = amp_accelerator_get(i);
            if (std::string("null") != amp_accelerator_info(handle)->path)
                all.push_back(accelerator(handle, false));
        }
        all.push_back(accelerator(std::wstring(cpu_accelerator)));
        return all;
    }
    static bool set_default(const std::wstring &path)
    {
        if (is_of_direct3d(path))
            return false;
        amp_accelerator *handle = find(path);
        bool good = amp_accelerator_set_default(amp_accelerator_info(handle)->path) == AMP_OK;
        amp_error_clear();
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
        return amp__detail::widen(info().description);
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
    accelerator_view &operator=(const accelerator_view &other)
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

    void flush()
    {
        amp__detail::check(amp_accelerator_view_flush(view_));
    }
    void wait()
    {
        amp__detail::check(amp_accelerator_view_wait(view_));
    }
    completion_future create_marker()
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
            throw runtime_exception("the accelerator \"cpu\" of C++ AMP runs no kernels; L\"simd\" does",
                                    (HRESULT)0x80004005);
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
template <typename T> struct type_of {
    static const int value =
        std::is_enum<T>::value || std::is_class<T>::value || std::is_union<T>::value ? AMP_TYPE_STRUCT : AMP_TYPE_NONE;
};
#define AMP__TYPE(T, type)                                                                                             \
    template <> struct type_of<T> {                                                                                    \
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
#undef AMP__TYPE

/* What array and array_view demand of their elements and ranks. */
template <typename T, int N> struct element {
    typedef typename std::remove_cv<T>::type type;
    static_assert(N >= 1 && N <= AMP_MAX_RANK, "arrays and views have ranks from 1 to 8");
    static_assert(!std::is_pointer<T>::value && !std::is_reference<T>::value, "elements cannot be pointers");
    static_assert(!std::is_volatile<T>::value, "elements cannot be volatile");
    static_assert(type_of<type>::value != AMP_TYPE_NONE, "accelerators have no elements of this type");
    static amp_type full_type()
    {
        return amp_type_aligned(type_of<type>::value, alignof(type));
    }
};

template <int N> amp_extent to_c(const extent<N> &e)
{
    amp_extent result = amp_extent();
    result.rank = N;
    for (int i = 0; i < N && i < AMP_MAX_RANK; i++)
        result.dim[i] = e[(unsigned)i];
    return result;
}
template <int N> amp_index to_c(const index<N> &at)
{
    amp_index result = amp_index();
    result.rank = N;
    for (int i = 0; i < N && i < AMP_MAX_RANK; i++)
        result.dim[i] = at[(unsigned)i];
    return result;
}

/* How array_view and array begin: as struct amp__captured in libamp. */
template <typename T, typename H, int N> struct elements {
    mutable T *data_;
    H *handle_;
    mutable const volatile unsigned char *state_; /* of the host's copy; see amp__host_state */
    int extent_[N];
    std::ptrdiff_t pitch_[N];

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
    template <typename E> void set_shape(const E &other) restrict(cpu, amp)
    {
        each<N>::call([&](unsigned c) restrict(cpu, amp) {
            extent_[c] = other.extent_[c];
            pitch_[c] = other.pitch_[c];
        });
    }
    void set_dense(const extent<N> &e) restrict(cpu, amp)
    {
        std::ptrdiff_t pitch = 1;
        each<N>::call([&](unsigned i) restrict(cpu, amp) {
            extent_[N - 1 - i] = e[N - 1 - i];
            pitch_[N - 1 - i] = pitch;
            pitch *= extent_[N - 1 - i];
        });
    }
    /* Neighbours along dimension c lie pitch_[c] apart, and 1 along the last. */
    std::ptrdiff_t offset(const index<N> &i) const restrict(cpu, amp)
    {
        std::ptrdiff_t offset = i[N - 1];
        each<N - 1>::call([&](unsigned c) restrict(cpu, amp) { offset += i[c] * pitch_[c]; });
        return offset;
    }
    T &at(const index<N> &i) const restrict(cpu, amp)
    {
        return data_[offset(i)];
    }
    /* The same address; on the host NULL if the elements are nowhere. */
    T *address(const index<N> &i) const restrict(cpu, amp)
    {
        amp__on_host(if (!data_) return nullptr;) return data_ + offset(i);
    }
};

/* A byte that says that nothing is current. */
inline const volatile unsigned char *never_current()
{
    static const volatile unsigned char state = 0;
    return &state;
}

struct raw {
}; /* chooses constructors for this header */

} // namespace amp__detail

/* ------------------------------------------------------------------ array_view ---- */

namespace amp__detail
{

/* What v[i] is with an int: an element, or a row. */
template <typename T, int N> struct projection {
    typedef array_view<T, N - 1> type;
    static type of(const array_view<T, N> &view, int i) restrict(cpu, amp)
    {
        return view.amp__project(i);
    }
};
template <typename T> struct projection<T, 1> {
    typedef T &type;
    static type of(const array_view<T, 1> &view, int i) restrict(cpu, amp)
    {
        return view[index<1>(i)];
    }
};

} // namespace amp__detail

template <typename T, int N> class array_view
{
    typedef amp__detail::element<T, N> element;
    typedef typename element::type plain;
    static const bool is_const = std::is_const<T>::value;
    template <typename, int> friend class array_view;
    template <typename, int> friend class array;

  public:
    static const int rank = N;
    typedef T value_type;

    /* ---- over host memory ---- */
    array_view(const concurrency::extent<N> &e, T *data) restrict(cpu, amp)
    {
        v.set_dense(e);
        v.data_ = data;
        v.handle_ = nullptr;
        amp__on_host(make(e, data);)
    }
    explicit array_view(int e0, T *data) restrict(cpu, amp) : array_view(concurrency::extent<N>(e0), data)
    {
    }
    array_view(int e0, int e1, T *data) restrict(cpu, amp) : array_view(concurrency::extent<N>(e0, e1), data)
    {
    }
    array_view(int e0, int e1, int e2, T *data) restrict(cpu, amp)
        : array_view(concurrency::extent<N>(e0, e1, e2), data)
    {
    }
    template <typename C, typename = decltype(std::declval<C &>().data()),
              typename = decltype(std::declval<C &>().size())>
    array_view(const concurrency::extent<N> &e, C &container) : array_view(e, static_cast<T *>(container.data()))
    {
    }
    template <typename C, typename = decltype(std::declval<C &>().data()),
              typename = decltype(std::declval<C &>().size())>
    array_view(int e0, C &container) : array_view(concurrency::extent<N>(e0), container)
    {
    }
    template <typename C, typename = decltype(std::declval<C &>().data()),
              typename = decltype(std::declval<C &>().size())>
    array_view(int e0, int e1, C &container) : array_view(concurrency::extent<N>(e0, e1), container)
    {
    }
    template <typename C, typename = decltype(std::declval<C &>().data()),
              typename = decltype(std::declval<C &>().size())>
    array_view(int e0, int e1, int e2, C &container) : array_view(concurrency::extent<N>(e0, e1, e2), container)
    {
    }
    template <typename C, typename = decltype(std::declval<C &>().data()),
              typename = decltype(std::declval<C &>().size()),
              typename = typename std::enable_if<!std::is_base_of<array_view<const plain, N>, C>::value &&
                                                 !std::is_base_of<array_view<plain, N>, C>::value &&
                                                 !std::is_base_of<array<plain, N>, C>::value>::type>
    explicit array_view(C &container) : array_view(concurrency::extent<N>((int)container.size()), container)
    {
    }
    template <std::size_t Size>
    explicit array_view(T (&data)[Size]) restrict(cpu, amp) : array_view(concurrency::extent<N>((int)Size), &data[0])
    {
    }

    /* ---- without a source ---- */
    explicit array_view(const concurrency::extent<N> &e)
    {
        static_assert(!is_const, "a view without a data source cannot be const");
        v.set_dense(e);
        v.data_ = nullptr;
        v.handle_ = amp__detail::made(
            amp_array_view_create_without_source(amp__detail::to_c(e), element::full_type(), sizeof(T)));
        v.state_ = amp__detail::never_current();
    }
    explicit array_view(int e0) : array_view(concurrency::extent<N>(e0))
    {
    }
    array_view(int e0, int e1) : array_view(concurrency::extent<N>(e0, e1))
    {
    }
    array_view(int e0, int e1, int e2) : array_view(concurrency::extent<N>(e0, e1, e2))
    {
    }

    /* ---- of arrays and views ---- */
    array_view(array<plain, N> &source) restrict(cpu, amp)
    {
        adopt(source.v);
        amp__on_host(v.handle_ = amp__detail::made(amp_array_view_of(source.checked()));)
            amp__on_host(v.state_ = amp__detail::never_current();)
    }
    template <typename U, typename = typename std::enable_if<is_const && std::is_same<U, plain>::value>::type>
    array_view(const array<U, N> &source) restrict(cpu, amp)
    {
        adopt(source.v);
        amp__on_host(v.handle_ = amp__detail::made(amp_array_view_of_const(source.checked()));)
            amp__on_host(v.state_ = amp__detail::never_current();)
    }
    array_view(const array_view &other) restrict(cpu, amp) : v(other.v)
    {
        amp__on_host(amp_array_view_retain(v.handle_);)
    }
    template <typename U, typename = typename std::enable_if<is_const && std::is_same<U, plain>::value>::type>
    array_view(const array_view<U, N> &other) restrict(cpu, amp)
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
    template <typename U, typename = typename std::enable_if<is_const && std::is_same<U, plain>::value>::type>
    array_view &operator=(const array_view<U, N> &other) restrict(cpu, amp)
    {
        return *this = array_view(other);
    }

    concurrency::extent<N> get_extent() const restrict(cpu, amp)
    {
        return concurrency::extent<N>(v.extent_);
    }
    AMP__PROPERTY(concurrency::extent<N>, extent);
    accelerator_view get_source_accelerator_view() const
    {
        amp_accelerator_view *on = amp__detail::made(amp_array_view_source_accelerator_view(v.handle_));
        return accelerator_view::amp__of(amp_accelerator_view_retain(on),
                                         on == amp_accelerator_default_view(amp_accelerator_find("cpu")));
    }
    AMP__PROPERTY(accelerator_view, source_accelerator_view);

    /* ---- elements ---- */
    T &operator[](const index<N> &i) const restrict(cpu, amp)
    {
        amp__on_host(bring();) return v.at(i);
    }
    T &operator()(const index<N> &i) const restrict(cpu, amp)
    {
        return (*this)[i];
    }
    T &get_ref(const index<N> &i) const restrict(cpu, amp)
    {
        amp__on_host(if (!v.data_) bring();) return v.at(i);
    }
    typename amp__detail::projection<T, N>::type operator[](int i) const restrict(cpu, amp)
    {
        return amp__detail::projection<T, N>::of(*this, i);
    }
    typename amp__detail::projection<T, N>::type operator()(int i) const restrict(cpu, amp)
    {
        return amp__detail::projection<T, N>::of(*this, i);
    }
    T &operator()(int i0, int i1) const restrict(cpu, amp)
    {
        return (*this)[index<N>(i0, i1)];
    }
    T &operator()(int i0, int i1, int i2) const restrict(cpu, amp)
    {
        return (*this)[index<N>(i0, i1, i2)];
    }
    T *data() const restrict(cpu, amp)
    {
        static_assert(N == 1, "only a view of rank 1 is certain to be contiguous");
        amp__on_host(bring();) return v.data_;
    }

    /* ---- parts ---- */
    array_view section(const index<N> &origin, const concurrency::extent<N> &e) const restrict(cpu, amp)
    {
        array_view result(amp__detail::raw(), v);
        result.v.data_ = v.address(origin);
        amp__detail::each<N>::call([&](unsigned c) restrict(cpu, amp) { result.v.extent_[c] = e[c]; });
        amp__on_host(result.v.handle_ = amp__detail::made(amp_array_view_section(v.handle_, amp__detail::to_c(origin),
                                                                                 amp__detail::to_c(e)));) return result;
    }
    array_view section(const index<N> &origin) const restrict(cpu, amp)
    {
        return section(origin, get_extent() - origin);
    }
    array_view section(const concurrency::extent<N> &e) const restrict(cpu, amp)
    {
        return section(index<N>(), e);
    }
    array_view section(int i0, int e0) const restrict(cpu, amp)
    {
        return section(index<N>(i0), concurrency::extent<N>(e0));
    }
    array_view section(int i0, int i1, int e0, int e1) const restrict(cpu, amp)
    {
        return section(index<N>(i0, i1), concurrency::extent<N>(e0, e1));
    }
    array_view section(int i0, int i1, int i2, int e0, int e1, int e2) const restrict(cpu, amp)
    {
        return section(index<N>(i0, i1, i2), concurrency::extent<N>(e0, e1, e2));
    }
    template <typename U>
    array_view<typename std::conditional<is_const, const U, U>::type, 1> reinterpret_as() const restrict(cpu, amp)
    {
        static_assert(N == 1, "only a view of rank 1 is certain to be contiguous");
        typedef array_view<typename std::conditional<is_const, const U, U>::type, 1> view;
        concurrency::extent<1> e((int)((std::size_t)v.extent_[0] * sizeof(T) / sizeof(U)));
        view result(amp__detail::raw(), e, v.data_);
        amp__on_host(result.v.handle_ = amp__detail::made(amp_array_view_reinterpret(
                         v.handle_, amp__detail::element<U, 1>::full_type(), sizeof(U)));) return result;
    }
    template <int K> array_view<T, K> view_as(const concurrency::extent<K> &e) const restrict(cpu, amp)
    {
        static_assert(N == 1, "only a view of rank 1 is certain to be contiguous");
        array_view<T, K> result(amp__detail::raw(), e, v.data_);
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
    inline void copy_to(array<plain, N> &destination) const;
    inline void copy_to(const array_view<plain, N> &destination) const;

    /* For this header. */
    array_view<T, N - 1> amp__project(int i) const restrict(cpu, amp)
    {
        array_view<T, N - 1> result((amp__detail::raw()));
        index<N> origin;
        origin[0] = i;
        amp__detail::each<N - 1>::call([&](unsigned c) restrict(cpu, amp) {
            result.v.extent_[c] = v.extent_[c + 1];
            result.v.pitch_[c] = v.pitch_[c + 1];
        });
        result.v.data_ = v.address(origin);
        result.v.state_ = v.state_;
        result.v.handle_ = nullptr;
        amp__on_host(result.v.handle_ = amp__detail::made(amp_array_view_project(v.handle_, i));) return result;
    }
    amp_array_view *amp__handle() const
    {
        return v.handle_;
    }

  private:
    explicit array_view(amp__detail::raw) restrict(cpu, amp)
    {
    }
    array_view(amp__detail::raw, const amp__detail::elements<T, amp_array_view, N> &other) restrict(cpu, amp) : v(other)
    {
        v.handle_ = nullptr;
    }
    template <typename U> array_view(amp__detail::raw, const concurrency::extent<N> &e, U *data) restrict(cpu, amp)
    {
        v.set_dense(e);
        v.data_ = (T *)data;
        v.handle_ = nullptr;
        amp__on_host(v.state_ = amp__detail::never_current();)
    }
    /* Takes the shape of other elements and where they are. */
    template <typename U, typename H> void adopt(const amp__detail::elements<U, H, N> &other) restrict(cpu, amp)
    {
        v.data_ = other.data_;
        v.handle_ = nullptr;
        v.set_shape(other);
    }
    void make(const concurrency::extent<N> &e, T *data)
    {
        v.handle_ = amp__detail::made(
            amp_array_view_create(amp__detail::to_c(e), data, element::full_type(), sizeof(T), is_const));
        v.state_ = amp__host_state(v.handle_);
    }
    /* Makes the elements current on the host, and other copies stale if the host may write. */
    void bring() const
    {
        if (*v.state_ < (is_const ? 2 : 3))
            bring_slowly();
    }
    __attribute__((noinline, cold)) void bring_slowly() const
    {
        void *data =
            amp__detail::made(amp_array_view_map(v.handle_, is_const ? AMP_ACCESS_READ : AMP_ACCESS_READ_WRITE));
        v.data_ = static_cast<T *>(data);
        amp__detail::check(amp_array_view_unmap(v.handle_));
        v.state_ = amp__host_state(v.handle_);
    }

    amp__detail::elements<T, amp_array_view, N> v;
};

/* ------------------------------------------------------------------ array ---- */

template <typename T, int N> class array
{
    typedef amp__detail::element<T, N> element;
    template <typename, int> friend class array_view;
    static_assert(!std::is_const<T>::value, "the elements of an array are not const");

  public:
    static const int rank = N;
    typedef T value_type;

    /* ---- with undefined elements ---- */
    explicit array(const concurrency::extent<N> &e)
    {
        make(e, nullptr, nullptr, access_type_auto);
    }
    explicit array(int e0) : array(concurrency::extent<N>(e0))
    {
    }
    array(int e0, int e1) : array(concurrency::extent<N>(e0, e1))
    {
    }
    array(int e0, int e1, int e2) : array(concurrency::extent<N>(e0, e1, e2))
    {
    }
    array(const concurrency::extent<N> &e, const concurrency::accelerator_view &on,
          access_type cpu_access = access_type_auto)
    {
        make(e, nullptr, &on, cpu_access);
    }
    array(int e0, const concurrency::accelerator_view &on, access_type cpu_access = access_type_auto)
        : array(concurrency::extent<N>(e0), on, cpu_access)
    {
    }
    array(int e0, int e1, const concurrency::accelerator_view &on, access_type cpu_access = access_type_auto)
        : array(concurrency::extent<N>(e0, e1), on, cpu_access)
    {
    }
    array(int e0, int e1, int e2, const concurrency::accelerator_view &on, access_type cpu_access = access_type_auto)
        : array(concurrency::extent<N>(e0, e1, e2), on, cpu_access)
    {
    }
    array(const concurrency::extent<N> &e, const concurrency::accelerator_view &on,
          const concurrency::accelerator_view &associated)
    {
        stage(e, nullptr, on, associated);
    }
    array(int e0, const concurrency::accelerator_view &on, const concurrency::accelerator_view &associated)
        : array(concurrency::extent<N>(e0), on, associated)
    {
    }
    array(int e0, int e1, const concurrency::accelerator_view &on, const concurrency::accelerator_view &associated)
        : array(concurrency::extent<N>(e0, e1), on, associated)
    {
    }
    array(int e0, int e1, int e2, const concurrency::accelerator_view &on,
          const concurrency::accelerator_view &associated)
        : array(concurrency::extent<N>(e0, e1, e2), on, associated)
    {
    }

    /* ---- filled from iterators ---- */
#define AMP__ITERATOR                                                                                                  \
    template <typename I, typename = typename std::iterator_traits<I>::iterator_category>
    AMP__ITERATOR array(const concurrency::extent<N> &e, I first)
    {
        fill(e, first, nullptr, access_type_auto);
    }
    AMP__ITERATOR array(const concurrency::extent<N> &e, I first, I last)
    {
        fill(e, first, last, nullptr, access_type_auto);
    }
    AMP__ITERATOR array(int e0, I first) : array(concurrency::extent<N>(e0), first)
    {
    }
    AMP__ITERATOR array(int e0, I first, I last) : array(concurrency::extent<N>(e0), first, last)
    {
    }
    AMP__ITERATOR array(int e0, int e1, I first) : array(concurrency::extent<N>(e0, e1), first)
    {
    }
    AMP__ITERATOR array(int e0, int e1, I first, I last) : array(concurrency::extent<N>(e0, e1), first, last)
    {
    }
    AMP__ITERATOR array(int e0, int e1, int e2, I first) : array(concurrency::extent<N>(e0, e1, e2), first)
    {
    }
    AMP__ITERATOR array(int e0, int e1, int e2, I first, I last)
        : array(concurrency::extent<N>(e0, e1, e2), first, last)
    {
    }
    AMP__ITERATOR array(const concurrency::extent<N> &e, I first, const concurrency::accelerator_view &on,
                        access_type cpu_access = access_type_auto)
    {
        fill(e, first, &on, cpu_access);
    }
    AMP__ITERATOR array(const concurrency::extent<N> &e, I first, I last, const concurrency::accelerator_view &on,
                        access_type cpu_access = access_type_auto)
    {
        fill(e, first, last, &on, cpu_access);
    }
    AMP__ITERATOR array(int e0, I first, const concurrency::accelerator_view &on,
                        access_type cpu_access = access_type_auto)
        : array(concurrency::extent<N>(e0), first, on, cpu_access)
    {
    }
    AMP__ITERATOR array(int e0, I first, I last, const concurrency::accelerator_view &on,
                        access_type cpu_access = access_type_auto)
        : array(concurrency::extent<N>(e0), first, last, on, cpu_access)
    {
    }
    AMP__ITERATOR array(int e0, int e1, I first, const concurrency::accelerator_view &on,
                        access_type cpu_access = access_type_auto)
        : array(concurrency::extent<N>(e0, e1), first, on, cpu_access)
    {
    }
    AMP__ITERATOR array(int e0, int e1, I first, I last, const concurrency::accelerator_view &on,
                        access_type cpu_access = access_type_auto)
        : array(concurrency::extent<N>(e0, e1), first, last, on, cpu_access)
    {
    }
    AMP__ITERATOR array(int e0, int e1, int e2, I first, const concurrency::accelerator_view &on,
                        access_type cpu_access = access_type_auto)
        : array(concurrency::extent<N>(e0, e1, e2), first, on, cpu_access)
    {
    }
    AMP__ITERATOR array(int e0, int e1, int e2, I first, I last, const concurrency::accelerator_view &on,
                        access_type cpu_access = access_type_auto)
        : array(concurrency::extent<N>(e0, e1, e2), first, last, on, cpu_access)
    {
    }
    AMP__ITERATOR array(const concurrency::extent<N> &e, I first, const concurrency::accelerator_view &on,
                        const concurrency::accelerator_view &associated)
    {
        std::vector<T> data = take(e, first);
        stage(e, data.data(), on, associated);
    }
    AMP__ITERATOR array(const concurrency::extent<N> &e, I first, I last, const concurrency::accelerator_view &on,
                        const concurrency::accelerator_view &associated)
    {
        std::vector<T> data = take(e, first, last);
        stage(e, data.data(), on, associated);
    }
    AMP__ITERATOR array(int e0, I first, I last, const concurrency::accelerator_view &on,
                        const concurrency::accelerator_view &associated)
        : array(concurrency::extent<N>(e0), first, last, on, associated)
    {
    }
    AMP__ITERATOR array(int e0, int e1, I first, I last, const concurrency::accelerator_view &on,
                        const concurrency::accelerator_view &associated)
        : array(concurrency::extent<N>(e0, e1), first, last, on, associated)
    {
    }
    AMP__ITERATOR array(int e0, int e1, int e2, I first, I last, const concurrency::accelerator_view &on,
                        const concurrency::accelerator_view &associated)
        : array(concurrency::extent<N>(e0, e1, e2), first, last, on, associated)
    {
    }
#undef AMP__ITERATOR

    /* ---- copied ---- */
    explicit array(const array_view<const T, N> &source)
    {
        take_over(source.get_extent(), amp_array_from_view(source.amp__handle(), nullptr, AMP_ACCESS_AUTO));
    }
    array(const array_view<const T, N> &source, const concurrency::accelerator_view &on,
          access_type cpu_access = access_type_auto)
    {
        take_over(source.get_extent(),
                  amp_array_from_view(source.amp__handle(), on.amp__handle(), (amp_access_type)cpu_access));
        is_host_ = on.amp__is_host();
    }
    array(const array_view<const T, N> &source, const concurrency::accelerator_view &on,
          const concurrency::accelerator_view &associated)
    {
        take_over(source.get_extent(),
                  amp_array_staging_from_view(source.amp__handle(), on.amp__handle(), associated.amp__handle()));
        is_host_ = on.amp__is_host();
    }
    array(const array &other) : is_host_(other.is_host_)
    {
        take_over(other.get_extent(), amp_array_clone(other.checked()));
    }
    array(array &&other) noexcept : v(other.v), is_host_(other.is_host_)
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
        return *this;
    }
    inline array &operator=(const array_view<const T, N> &source);
    inline void copy_to(array &destination) const;
    inline void copy_to(const array_view<T, N> &destination) const;
    inline operator std::vector<T>() const;

    concurrency::extent<N> get_extent() const restrict(cpu, amp)
    {
        return concurrency::extent<N>(v.extent_);
    }
    concurrency::accelerator_view get_accelerator_view() const
    {
        return concurrency::accelerator_view::amp__of(
            amp_accelerator_view_retain(amp_array_accelerator_view(checked())), is_host_);
    }
    concurrency::accelerator_view get_associated_accelerator_view() const
    {
        return concurrency::accelerator_view::amp__of(
            amp_accelerator_view_retain(amp_array_associated_accelerator_view(checked())), false);
    }
    access_type get_cpu_access_type() const
    {
        return (access_type)amp_array_cpu_access_type(checked());
    }
    AMP__PROPERTY(concurrency::extent<N>, extent);
    AMP__PROPERTY(concurrency::accelerator_view, accelerator_view);
    AMP__PROPERTY(concurrency::accelerator_view, associated_accelerator_view);
    AMP__PROPERTY(access_type, cpu_access_type);

    /* ---- elements ---- */
    T &operator[](const index<N> &i) restrict(cpu, amp)
    {
        amp__on_host(bring(AMP_ACCESS_READ_WRITE);) return v.at(i);
    }
    const T &operator[](const index<N> &i) const restrict(cpu, amp)
    {
        amp__on_host(bring(AMP_ACCESS_READ);) return v.at(i);
    }
    T &operator()(const index<N> &i) restrict(cpu, amp)
    {
        return (*this)[i];
    }
    const T &operator()(const index<N> &i) const restrict(cpu, amp)
    {
        return (*this)[i];
    }
    typename amp__detail::projection<T, N>::type operator[](int i) restrict(cpu, amp)
    {
        return row<T>(*this, i, is1());
    }
    typename amp__detail::projection<const T, N>::type operator[](int i) const restrict(cpu, amp)
    {
        return row<const T>(*this, i, is1());
    }
    typename amp__detail::projection<T, N>::type operator()(int i) restrict(cpu, amp)
    {
        return (*this)[i];
    }
    typename amp__detail::projection<const T, N>::type operator()(int i) const restrict(cpu, amp)
    {
        return (*this)[i];
    }
    T &operator()(int i0, int i1) restrict(cpu, amp)
    {
        return (*this)[index<N>(i0, i1)];
    }
    const T &operator()(int i0, int i1) const restrict(cpu, amp)
    {
        return (*this)[index<N>(i0, i1)];
    }
    T &operator()(int i0, int i1, int i2) restrict(cpu, amp)
    {
        return (*this)[index<N>(i0, i1, i2)];
    }
    const T &operator()(int i0, int i1, int i2) const restrict(cpu, amp)
    {
        return (*this)[index<N>(i0, i1, i2)];
    }
    T *data() restrict(cpu, amp)
    {
        amp__on_host(bring(AMP_ACCESS_READ_WRITE);) return v.data_;
    }
    const T *data() const restrict(cpu, amp)
    {
        amp__on_host(bring(AMP_ACCESS_READ);) return v.data_;
    }

    /* ---- parts, which are views ---- */
#define AMP__PARTS(T, constness)                                                                                       \
    array_view<T, N> section(const index<N> &origin, const concurrency::extent<N> &e) constness restrict(cpu, amp)     \
    {                                                                                                                  \
        return array_view<T, N>(*this).section(origin, e);                                                             \
    }                                                                                                                  \
    array_view<T, N> section(const index<N> &origin) constness restrict(cpu, amp)                                      \
    {                                                                                                                  \
        return array_view<T, N>(*this).section(origin);                                                                \
    }                                                                                                                  \
    array_view<T, N> section(const concurrency::extent<N> &e) constness restrict(cpu, amp)                             \
    {                                                                                                                  \
        return array_view<T, N>(*this).section(e);                                                                     \
    }                                                                                                                  \
    array_view<T, N> section(int i0, int e0) constness restrict(cpu, amp)                                              \
    {                                                                                                                  \
        return array_view<T, N>(*this).section(i0, e0);                                                                \
    }                                                                                                                  \
    array_view<T, N> section(int i0, int i1, int e0, int e1) constness restrict(cpu, amp)                              \
    {                                                                                                                  \
        return array_view<T, N>(*this).section(i0, i1, e0, e1);                                                        \
    }                                                                                                                  \
    array_view<T, N> section(int i0, int i1, int i2, int e0, int e1, int e2) constness restrict(cpu, amp)              \
    {                                                                                                                  \
        return array_view<T, N>(*this).section(i0, i1, i2, e0, e1, e2);                                                \
    }
    AMP__PARTS(T, )
    AMP__PARTS(const T, const)
#undef AMP__PARTS
    template <int K> array_view<T, K> view_as(const concurrency::extent<K> &e) restrict(cpu, amp)
    {
        return flat<T>(*this).view_as(e);
    }
    template <int K> array_view<const T, K> view_as(const concurrency::extent<K> &e) const restrict(cpu, amp)
    {
        return flat<const T>(*this).view_as(e);
    }
    template <typename U> array_view<U, 1> reinterpret_as() restrict(cpu, amp)
    {
        return flat<T>(*this).template reinterpret_as<U>();
    }
    template <typename U> array_view<const U, 1> reinterpret_as() const restrict(cpu, amp)
    {
        return flat<const T>(*this).template reinterpret_as<U>();
    }

    /* For this header. */
    amp_array *amp__handle() const
    {
        return checked();
    }

  private:
    typedef std::integral_constant<bool, N == 1> is1;

    template <typename U, typename A> static U &row(A &self, int i, std::true_type) restrict(cpu, amp)
    {
        return self[index<N>(i)];
    }
    template <typename U, typename A>
    static array_view<U, N - 1> row(A &self, int i, std::false_type) restrict(cpu, amp)
    {
        return array_view<U, N>(self).amp__project(i);
    }
    /* A view of all elements of rank 1. */
    template <typename U, typename A> static array_view<U, 1> flat(A &self) restrict(cpu, amp)
    {
        concurrency::extent<1> e((int)self.get_extent().size());
        array_view<U, 1> result(amp__detail::raw(), e, self.v.data_);
        amp__on_host(result.v.handle_ =
                         amp__detail::made(amp_array_view_as(self.checked(), amp__detail::to_c(e)));) return result;
    }

    void take_over(const concurrency::extent<N> &e, amp_array *handle)
    {
        v.set_dense(e);
        v.data_ = nullptr;
        v.handle_ = amp__detail::made(handle);
        v.state_ = amp__detail::never_current();
    }
    void make(const concurrency::extent<N> &e, const T *data, const concurrency::accelerator_view *on,
              access_type cpu_access)
    {
        take_over(e, amp_array_create(amp__detail::to_c(e), element::full_type(), sizeof(T), data,
                                      on ? on->amp__handle() : nullptr, (amp_access_type)cpu_access));
        is_host_ = on && on->amp__is_host();
    }
    void stage(const concurrency::extent<N> &e, const T *data, const concurrency::accelerator_view &on,
               const concurrency::accelerator_view &associated)
    {
        if (!on.amp__is_host())
            return make(e, data, &on, access_type_auto);
        take_over(e, amp_array_create_staging(amp__detail::to_c(e), element::full_type(), sizeof(T), data,
                                              on.amp__handle(), associated.amp__handle()));
        is_host_ = true;
    }
    template <typename I> static std::vector<T> take(const concurrency::extent<N> &e, I first)
    {
        std::vector<T> data;
        std::size_t n = e.size();
        for (data.reserve(n); data.size() < n; ++first)
            data.push_back(*first);
        return data;
    }
    template <typename I> static std::vector<T> take(const concurrency::extent<N> &e, I first, I last)
    {
        std::vector<T> data(first, last);
        if (data.size() > e.size())
            throw runtime_exception("the source has more elements than the array", (HRESULT)0x80070057);
        data.resize(e.size());
        return data;
    }
    template <typename I>
    void fill(const concurrency::extent<N> &e, I first, const concurrency::accelerator_view *on, access_type cpu_access)
    {
        std::vector<T> data = take(e, first);
        make(e, data.data(), on, cpu_access);
    }
    template <typename I>
    void fill(const concurrency::extent<N> &e, I first, I last, const concurrency::accelerator_view *on,
              access_type cpu_access)
    {
        std::vector<T> data = take(e, first, last);
        make(e, data.data(), on, cpu_access);
    }
    amp_array *checked() const
    {
        if (!v.handle_)
            throw runtime_exception("the array has been moved", (HRESULT)0x80070057);
        return v.handle_;
    }
    void bring(amp_access_type access) const
    {
        if (*v.state_ < (access == AMP_ACCESS_READ ? 2 : 3))
            bring_slowly(access);
    }
    __attribute__((noinline, cold)) void bring_slowly(amp_access_type access) const
    {
        v.data_ = static_cast<T *>(amp__detail::made(amp_array_map(checked(), access)));
        amp__detail::check(amp_array_unmap(v.handle_));
        v.state_ = amp__host_state(v.handle_);
    }

    amp__detail::elements<T, amp_array, N> v;
    bool is_host_ = false; /* it is on the model's L"cpu" */
};

/* ------------------------------------------------------------------ copy ---- */

namespace amp__detail
{

template <typename T, int N> amp_operand operand(const array<T, N> &x)
{
    amp_operand result = {AMP_TYPE_ARRAY, AMP_TYPE_NONE, sizeof(T), AMP_UNCOUNTED, x.amp__handle()};
    return result;
}
template <typename T, int N> amp_operand operand(const array_view<T, N> &x)
{
    amp_operand result = {AMP_TYPE_VIEW, AMP_TYPE_NONE, sizeof(T), AMP_UNCOUNTED, x.amp__handle()};
    return result;
}
template <typename T> amp_operand operand(const T *memory, std::int64_t n)
{
    amp_operand result = {AMP_TYPE_POINTER, (amp_type)type_of<typename std::remove_cv<T>::type>::value, sizeof(T), n,
                          memory};
    return result;
}

} // namespace amp__detail

#define AMP__COPY(source_type, destination_type)                                                                       \
    template <typename T, int N> void copy(source_type source, destination_type destination)                           \
    {                                                                                                                  \
        amp__detail::check(amp_copy_operands(amp__detail::operand(destination), amp__detail::operand(source)));        \
    }                                                                                                                  \
    template <typename T, int N> completion_future copy_async(source_type source, destination_type destination)        \
    {                                                                                                                  \
        return completion_future::amp__of(                                                                             \
            amp_copy_operands_async(amp__detail::operand(destination), amp__detail::operand(source)));                 \
    }
#define AMP__COMMA ,
AMP__COPY(const array<T AMP__COMMA N> &, array<T AMP__COMMA N> &)
AMP__COPY(const array<T AMP__COMMA N> &, const array_view<T AMP__COMMA N> &)
AMP__COPY(const array_view<const T AMP__COMMA N> &, array<T AMP__COMMA N> &)
AMP__COPY(const array_view<const T AMP__COMMA N> &, const array_view<T AMP__COMMA N> &)
AMP__COPY(const array_view<T AMP__COMMA N> &, array<T AMP__COMMA N> &)
AMP__COPY(const array_view<T AMP__COMMA N> &, const array_view<T AMP__COMMA N> &)
#undef AMP__COPY
#undef AMP__COMMA

namespace amp__detail
{

/* Copies between host memory and an array or view, which `D` and `S` are. */
template <typename I, typename T, typename D> void copy_in(I first, I last, const D &destination, std::size_t n)
{
    if (std::distance(first, last) < 0 || (std::size_t)std::distance(first, last) != n)
        throw runtime_exception("the source has another number of elements than the destination", (HRESULT)0x80070057);
    std::vector<T> data(first, last);
    check(amp_copy_operands(operand(destination), operand(data.data(), (std::int64_t)n)));
}
template <typename O, typename T, typename S> void copy_out(const S &source, O out, std::size_t n)
{
    std::vector<T> data(n);
    check(amp_copy_operands(operand(data.data(), (std::int64_t)n), operand(source)));
    std::copy(data.begin(), data.end(), out);
}
template <typename I> using is_iterator = typename std::iterator_traits<I>::iterator_category;

/* A future of work that is done. */
inline completion_future done()
{
    return accelerator().get_default_view().create_marker();
}

} // namespace amp__detail

template <typename I, typename T, int N, typename = amp__detail::is_iterator<I>>
void copy(I first, I last, array<T, N> &destination)
{
    amp__detail::copy_in<I, T>(first, last, destination, destination.get_extent().size());
}
template <typename I, typename T, int N, typename = amp__detail::is_iterator<I>>
void copy(I first, I last, const array_view<T, N> &destination)
{
    amp__detail::copy_in<I, T>(first, last, destination, destination.get_extent().size());
}
template <typename I, typename T, int N, typename = amp__detail::is_iterator<I>>
void copy(I first, array<T, N> &destination)
{
    copy(first, std::next(first, destination.get_extent().size()), destination);
}
template <typename I, typename T, int N, typename = amp__detail::is_iterator<I>>
void copy(I first, const array_view<T, N> &destination)
{
    copy(first, std::next(first, destination.get_extent().size()), destination);
}
template <typename O, typename T, int N, typename = amp__detail::is_iterator<O>>
void copy(const array<T, N> &source, O out)
{
    amp__detail::copy_out<O, T>(source, out, source.get_extent().size());
}
template <typename O, typename T, int N, typename = amp__detail::is_iterator<O>>
void copy(const array_view<T, N> &source, O out)
{
    amp__detail::copy_out<O, typename std::remove_const<T>::type>(source, out, source.get_extent().size());
}
/* With iterators the copy is done when the call returns. */
template <typename I, typename T, int N, typename = amp__detail::is_iterator<I>>
completion_future copy_async(I first, I last, array<T, N> &destination)
{
    copy(first, last, destination);
    return amp__detail::done();
}
template <typename I, typename T, int N, typename = amp__detail::is_iterator<I>>
completion_future copy_async(I first, I last, const array_view<T, N> &destination)
{
    copy(first, last, destination);
    return amp__detail::done();
}
template <typename I, typename T, int N, typename = amp__detail::is_iterator<I>>
completion_future copy_async(I first, array<T, N> &destination)
{
    copy(first, destination);
    return amp__detail::done();
}
template <typename I, typename T, int N, typename = amp__detail::is_iterator<I>>
completion_future copy_async(I first, const array_view<T, N> &destination)
{
    copy(first, destination);
    return amp__detail::done();
}
template <typename O, typename T, int N, typename = amp__detail::is_iterator<O>>
completion_future copy_async(const array<T, N> &source, O out)
{
    copy(source, out);
    return amp__detail::done();
}
template <typename O, typename T, int N, typename = amp__detail::is_iterator<O>>
completion_future copy_async(const array_view<T, N> &source, O out)
{
    copy(source, out);
    return amp__detail::done();
}

template <typename T, int N> void array_view<T, N>::copy_to(array<plain, N> &destination) const
{
    copy(*this, destination);
}
template <typename T, int N> void array_view<T, N>::copy_to(const array_view<plain, N> &destination) const
{
    copy(*this, destination);
}
template <typename T, int N> array<T, N> &array<T, N>::operator=(const array_view<const T, N> &source)
{
    copy(source, *this);
    return *this;
}
template <typename T, int N> void array<T, N>::copy_to(array &destination) const
{
    copy(*this, destination);
}
template <typename T, int N> void array<T, N>::copy_to(const array_view<T, N> &destination) const
{
    copy(*this, destination);
}
template <typename T, int N> array<T, N>::operator std::vector<T>() const
{
    std::vector<T> result(get_extent().size());
    amp__detail::check(amp_copy_operands(amp__detail::operand(result.data(), (std::int64_t)result.size()),
                                         amp__detail::operand(*this)));
    return result;
}

/* ------------------------------------------------------------------ atomics ---- */

#define AMP__ATOMIC_FETCH(T, name)                                                                                     \
    inline T atomic_fetch_##name(T *dest, T value) restrict(amp)                                                       \
    {                                                                                                                  \
        return __atomic_fetch_##name(dest, value, __ATOMIC_RELAXED);                                                   \
    }
#define AMP__ATOMIC_INTEGER(T)                                                                                         \
    AMP__ATOMIC_FETCH(T, add)                                                                                          \
    AMP__ATOMIC_FETCH(T, sub)                                                                                          \
    AMP__ATOMIC_FETCH(T, and)                                                                                          \
    AMP__ATOMIC_FETCH(T, or)                                                                                           \
    AMP__ATOMIC_FETCH(T, xor)                                                                                          \
    AMP__ATOMIC_MINMAX(T)                                                                                              \
    inline T atomic_fetch_inc(T *dest) restrict(amp) { return __atomic_fetch_add(dest, (T)1, __ATOMIC_RELAXED); }      \
    inline T atomic_fetch_dec(T *dest) restrict(amp) { return __atomic_fetch_sub(dest, (T)1, __ATOMIC_RELAXED); }      \
    inline bool atomic_compare_exchange(T *dest, T *expected, T value) restrict(amp)                                   \
    {                                                                                                                  \
        return __atomic_compare_exchange_n(dest, expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);          \
    }
#ifdef __clang__
#define AMP__ATOMIC_MINMAX(T)                                                                                          \
    AMP__ATOMIC_FETCH(T, min)                                                                                          \
    AMP__ATOMIC_FETCH(T, max)
#else
#define AMP__ATOMIC_MINMAX(T)
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
#define AMP__ATOMIC_EXCHANGE(T)                                                                                        \
    inline T atomic_exchange(T *dest, T value) restrict(amp)                                                           \
    {                                                                                                                  \
        T old;                                                                                                         \
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
template <typename... A> void direct3d_printf(const char *format, A... arguments) restrict(amp)
{
    amp_printf(format, arguments...);
}
/* Prints, ends the thread, and makes the launch fail with a runtime_exception, whose text has the format. */
template <typename... A> void direct3d_errorf(const char *format, A... arguments) restrict(amp)
{
    amp_printf(format, arguments...);
    amp_abort(format);
}
inline void direct3d_abort() restrict(amp)
{
    amp_abort("direct3d_abort");
}

/* The same, where older programs look for them. */
namespace direct3d
{
using concurrency::direct3d_abort;
using concurrency::direct3d_errorf;
using concurrency::direct3d_printf;
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
template <typename F> struct member {
    static void note(const F *, const char *) restrict(amp)
    {
    }
    template <typename A> static void note(const F *, const char *, const A &) restrict(amp)
    {
    }
    template <typename A, typename B> static void note(const F *, const char *, const A &, const B &) restrict(amp)
    {
    }
    template <typename A, typename B, typename C>
    static void note(const F *, const char *, const A &, const B &, const C &) restrict(amp)
    {
    }
    /* "%s%s %s = FORMAT": indentation, type, name, and the member itself or its address */
    template <typename V>
    static void note(const F *f, const char *format, const char *, const char *type, const char *name, const V &v)
        restrict(amp)
    {
        amp__on_device(amp__describe_value(f, &v, name, type);)
    }
    template <typename V>
    static void note(const F *f, const char *format, const char *, const char *type, const char *name, V *const &v)
        restrict(amp)
    {
        amp__on_device(V *to = v; look(f, format, to, name, type, 0);)
    }
    /* the same for a bit-field, with its width, and for the beginning of a nested struct */
    template <typename V>
    static void note(const F *, const char *, const char *, const char *, const char *, unsigned long, const V &)
        restrict(amp)
    {
    }

    /* Looks into what a member's address leads to. */
    template <typename T, int N>
    static void look(const F *f, const char *format, const array_view<T, N> *v, const char *name, const char *type, int)
        restrict(amp)
    {
        amp__on_device(describe<T, N>(f, v, name, type, format, 0);)
    }
    template <typename T, int N>
    static void look(const F *f, const char *format, array_view<T, N> *v, const char *name, const char *type, int)
        restrict(amp)
    {
        amp__on_device(describe<T, N>(f, v, name, type, format, 0);)
    }
    template <typename T, int N>
    static void look(const F *f, const char *format, const array<T, N> *v, const char *name, const char *type, int)
        restrict(amp)
    {
        amp__on_device(describe<const T, N>(f, v, name, type, format, (long)sizeof(*v));)
    }
    template <typename T, int N>
    static void look(const F *f, const char *format, array<T, N> *v, const char *name, const char *type, int)
        restrict(amp)
    {
        amp__on_device(describe<T, N>(f, v, name, type, format, (long)sizeof(*v));)
    }
    template <typename V, std::size_t K>
    static void look(const F *f, const char *format, V (*v)[K], const char *name, const char *type, int) restrict(amp)
    {
        amp__on_device(amp__describe_pointer(f, v, name, type, format);
                       each<V, K>(f, format, v, name, type, std::integral_constant<std::size_t, 0>());)
    }
    template <typename V, typename = typename std::enable_if<(std::is_class<V>::value || std::is_union<V>::value) &&
                                                             sizeof(V) != 0>::type>
    static void look(const F *f, const char *format, V *v, const char *name, const char *type, int) restrict(amp)
    {
        amp__on_device(amp__describe_pointer(f, v, name, type, format); __builtin_dump_struct(v, note, f);)
    }
    template <typename V>
    static void look(const F *f, const char *format, V *v, const char *name, const char *type, long) restrict(amp)
    {
        amp__on_device(amp__describe_pointer(f, (const void *)v, name, type, format);)
    }

    template <typename V, std::size_t K, std::size_t I>
    static void each(const F *f, const char *format, V (*v)[K], const char *name, const char *type,
                     std::integral_constant<std::size_t, I>) restrict(amp)
    {
        if (std::is_class<typename std::remove_all_extents<V>::type>::value) {
            look(f, format, &(*v)[I], name, type, 0);
            each<V, K>(
                f, format, v, name, type,
                std::integral_constant<std::size_t,
                                       std::is_class<typename std::remove_all_extents<V>::type>::value ? I + 1 : K>());
        }
        if (std::is_pointer<typename std::remove_all_extents<V>::type>::value)
            amp__describe_pointer(f, v, name, type, "%p");
    }
    template <typename V, std::size_t K>
    static void each(const F *, const char *, V (*)[K], const char *, const char *,
                     std::integral_constant<std::size_t, K>) restrict(amp)
    {
    }
    template <typename T, int N>
    static void describe(const F *f, const void *v, const char *name, const char *type, const char *format, long bytes)
        restrict(amp)
    {
        typedef typename std::remove_const<T>::type plain;
        amp__describe_array(f, v, name, type, format, type_of<plain>::value, (long)sizeof(T), (long)alignof(T), N,
                            std::is_const<T>::value, bytes);
    }
};

template <typename F> const char *name_of() restrict(amp)
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
template <typename F> __attribute__((used)) void thread1(const F *f, int i0) restrict(cpu, amp)
{
    amp__on_device((*f)(index<1>(i0));)
}
template <typename F> __attribute__((used)) void thread2(const F *f, int i0, int i1) restrict(cpu, amp)
{
    amp__on_device((*f)(index<2>(i0, i1));)
}
template <typename F> __attribute__((used)) void thread3(const F *f, int i0, int i1, int i2) restrict(cpu, amp)
{
    amp__on_device((*f)(index<3>(i0, i1, i2));)
}
template <typename F, int D0>
__attribute__((used)) void tiled1(const F *f, int g0, int l0, int t0, int o0) restrict(cpu, amp)
{
    amp__on_device(
        (*f)(tiled_index<D0>(index<1>(g0), index<1>(l0), index<1>(t0), index<1>(o0), thread_access::barrier()));)
}
template <typename F, int D0, int D1>
__attribute__((used)) void tiled2(const F *f, int g0, int g1, int l0, int l1, int t0, int t1, int o0, int o1)
    restrict(cpu, amp)
{
    amp__on_device((*f)(tiled_index<D0, D1>(index<2>(g0, g1), index<2>(l0, l1), index<2>(t0, t1), index<2>(o0, o1),
                                            thread_access::barrier()));)
}
template <typename F, int D0, int D1, int D2>
__attribute__((used)) void tiled3(const F *f, int g0, int g1, int g2, int l0, int l1, int l2, int t0, int t1, int t2,
                                  int o0, int o1, int o2) restrict(cpu, amp)
{
    amp__on_device((*f)(tiled_index<D0, D1, D2>(index<3>(g0, g1, g2), index<3>(l0, l1, l2), index<3>(t0, t1, t2),
                                                index<3>(o0, o1, o2), thread_access::barrier()));)
}

/* What parallel_for_each does, and a function whose body is only for the compiler. The launch makes it exist. In its
 * body, the function that runs a thread is a constant. */
template <typename F> void launch(amp_accelerator_view *on, const amp_extent &e, const void *thread, const F &f)
{
    check(amp_launch_closure(on, e, (amp_kernel)thread, &f, sizeof f));
}

template <typename F> amp__used_on_device void describe1(const F *f) restrict(cpu, amp)
{
    amp__on_device(amp__describe_kernel(f, (const void *)&thread1<F>, f + 1, (long)sizeof(F), (long)alignof(F), 1, 0, 0,
                                        0, name_of<F>());
                   __builtin_dump_struct(f, member<F>::note, f);)
}
template <typename F> void launch_untiled(amp_accelerator_view *on, const extent<1> &e, const F &f)
{
    (void)&describe1<F>;
    launch(on, to_c(e), (const void *)&thread1<F>, f);
}

template <typename F> amp__used_on_device void describe2(const F *f) restrict(cpu, amp)
{
    amp__on_device(amp__describe_kernel(f, (const void *)&thread2<F>, f + 1, (long)sizeof(F), (long)alignof(F), 2, 0, 0,
                                        0, name_of<F>());
                   __builtin_dump_struct(f, member<F>::note, f);)
}
template <typename F> void launch_untiled(amp_accelerator_view *on, const extent<2> &e, const F &f)
{
    (void)&describe2<F>;
    launch(on, to_c(e), (const void *)&thread2<F>, f);
}

template <typename F> amp__used_on_device void describe3(const F *f) restrict(cpu, amp)
{
    amp__on_device(amp__describe_kernel(f, (const void *)&thread3<F>, f + 1, (long)sizeof(F), (long)alignof(F), 3, 0, 0,
                                        0, name_of<F>());
                   __builtin_dump_struct(f, member<F>::note, f);)
}
template <typename F> void launch_untiled(amp_accelerator_view *on, const extent<3> &e, const F &f)
{
    (void)&describe3<F>;
    launch(on, to_c(e), (const void *)&thread3<F>, f);
}

template <typename F, int D0> amp__used_on_device void describe_tiled1(const F *f) restrict(cpu, amp)
{
    amp__on_device(amp__describe_kernel(f, (const void *)&tiled1<F, D0>, f + 1, (long)sizeof(F), (long)alignof(F), 1,
                                        D0, 0, 0, name_of<F>());
                   __builtin_dump_struct(f, member<F>::note, f);)
}
template <typename F, int D0> void launch_tiled(amp_accelerator_view *on, const tiled_extent<D0> &e, const F &f)
{
    static_assert(D0 <= 1024, "a tile has at most 1024 threads");
    (void)&describe_tiled1<F, D0>;
    launch(on, to_c<1>(e), (const void *)&tiled1<F, D0>, f);
}

template <typename F, int D0, int D1> amp__used_on_device void describe_tiled2(const F *f) restrict(cpu, amp)
{
    amp__on_device(amp__describe_kernel(f, (const void *)&tiled2<F, D0, D1>, f + 1, (long)sizeof(F), (long)alignof(F),
                                        2, D0, D1, 0, name_of<F>());
                   __builtin_dump_struct(f, member<F>::note, f);)
}
template <typename F, int D0, int D1>
void launch_tiled(amp_accelerator_view *on, const tiled_extent<D0, D1> &e, const F &f)
{
    static_assert(D0 * D1 <= 1024, "a tile has at most 1024 threads");
    (void)&describe_tiled2<F, D0, D1>;
    launch(on, to_c<2>(e), (const void *)&tiled2<F, D0, D1>, f);
}

template <typename F, int D0, int D1, int D2> amp__used_on_device void describe_tiled3(const F *f) restrict(cpu, amp)
{
    amp__on_device(amp__describe_kernel(f, (const void *)&tiled3<F, D0, D1, D2>, f + 1, (long)sizeof(F),
                                        (long)alignof(F), 3, D0, D1, D2, name_of<F>());
                   __builtin_dump_struct(f, member<F>::note, f);)
}
template <typename F, int D0, int D1, int D2>
void launch_tiled(amp_accelerator_view *on, const tiled_extent<D0, D1, D2> &e, const F &f)
{
    static_assert(D0 * D1 * D2 <= 1024, "a tile has at most 1024 threads");
    (void)&describe_tiled3<F, D0, D1, D2>;
    launch(on, to_c<3>(e), (const void *)&tiled3<F, D0, D1, D2>, f);
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
template <typename P> struct parameter : no_parameter {
};
template <int N> struct parameter<index<N>> : no_parameter {
    static const bool is_known = true;
    static const int rank = N;
};
template <int D0, int D1, int D2> struct parameter<tiled_index<D0, D1, D2>> : no_parameter {
    static const bool is_known = true, is_tiled = true;
    static const int rank = tile<D0, D1, D2>::rank, tile0 = D0, tile1 = D1, tile2 = D2;
};
template <typename O> struct call_operator : no_parameter {
    static const bool is_const = true;
};
template <typename R, typename F, typename P>
struct call_operator<R (F::*)(P) const> : parameter<typename std::decay<P>::type> {
    static const bool is_const = true;
};
template <typename R, typename F, typename P>
struct call_operator<R (F::*)(P)> : parameter<typename std::decay<P>::type> {
    static const bool is_const = false;
};
template <typename F, typename = void> struct kernel : call_operator<void> {
};
template <typename F> struct kernel<F, decltype((void)&F::operator())> : call_operator<decltype(&F::operator())> {
};

/* Whether a kernel can run over a domain; otherwise there is an error of AMP__KERNEL. */
template <typename F, int N> struct fits {
    static const bool value =
        kernel<F>::is_const && (!kernel<F>::is_known || (!kernel<F>::is_tiled && kernel<F>::rank == N));
};
template <typename F, int D0, int D1, int D2> struct fits_tiles {
    static const bool has_tile = kernel<F>::tile0 == D0 && kernel<F>::tile1 == D1 && kernel<F>::tile2 == D2;
    static const bool value =
        kernel<F>::is_const && (!kernel<F>::is_known || has_tile || fits<F, tile<D0, D1, D2>::rank>::value);
};

template <bool> struct launcher {
    template <typename F, int N> static void run(amp_accelerator_view *on, const extent<N> &domain, const F &f)
    {
        launch_untiled<F>(on, domain, f);
    }
    template <typename F, int D0, int D1, int D2>
    static void run_tiled(amp_accelerator_view *on, const tiled_extent<D0, D1, D2> &domain, const F &f)
    {
        launch_tiled<F>(on, domain, f);
    }
};
template <> struct launcher<false> {
    template <typename F, typename E> static void run(amp_accelerator_view *, const E &, const F &)
    {
    }
    template <typename F, typename E> static void run_tiled(amp_accelerator_view *, const E &, const F &)
    {
    }
};

} // namespace amp__detail

#define AMP__UNLESS(condition, text) __attribute__((diagnose_if(!(condition), text, "error")))
#define AMP__RANKS(K, R)                                                                                               \
    AMP__UNLESS(amp__detail::kernel<F>::is_tiled || amp__detail::kernel<F>::rank != K || N != R,                       \
                "the kernel takes index<" #K ">, but the extent has rank " #R " [launch rank]")
#define AMP__KERNEL                                                                                                    \
    AMP__UNLESS(amp__detail::kernel<F>::is_const,                                                                      \
                "the kernel's call operator is not const; leave out 'mutable' [const kernel]")
#define AMP__UNTILED                                                                                                   \
    AMP__KERNEL AMP__RANKS(1, 2) AMP__RANKS(1, 3) AMP__RANKS(2, 1) AMP__RANKS(2, 3) AMP__RANKS(3, 1) AMP__RANKS(3, 2)  \
        AMP__UNLESS(!amp__detail::kernel<F>::is_tiled,                                                                 \
                    "the kernel takes a tiled_index, but the extent has no tiles; use tile<...>() of it [launch tile]")
#define AMP__TILED                                                                                                     \
    AMP__KERNEL AMP__UNLESS(!amp__detail::kernel<F>::is_const || (amp__detail::fits_tiles<F, D0, D1, D2>::value),      \
                            "the kernel's index does not have the rank and the tile of the extent [launch tile]")

template <int N, typename F> void parallel_for_each(const extent<N> &domain, const F &f) AMP__UNTILED
{
    amp__detail::launcher<amp__detail::fits<F, N>::value>::run(nullptr, domain, f);
}
template <int N, typename F>
void parallel_for_each(const accelerator_view &on, const extent<N> &domain, const F &f) AMP__UNTILED
{
    amp__detail::launcher<amp__detail::fits<F, N>::value>::run(on.amp__that_computes(), domain, f);
}
template <int D0, int D1, int D2, typename F>
void parallel_for_each(const tiled_extent<D0, D1, D2> &domain, const F &f) AMP__TILED
{
    amp__detail::launcher<amp__detail::fits_tiles<F, D0, D1, D2>::value>::run_tiled(nullptr, domain, f);
}
template <int D0, int D1, int D2, typename F>
void parallel_for_each(const accelerator_view &on, const tiled_extent<D0, D1, D2> &domain, const F &f) AMP__TILED
{
    amp__detail::launcher<amp__detail::fits_tiles<F, D0, D1, D2>::value>::run_tiled(on.amp__that_computes(), domain, f);
}
#undef AMP__UNLESS
#undef AMP__RANKS
#undef AMP__KERNEL
#undef AMP__UNTILED
#undef AMP__TILED

} // namespace Concurrency
#endif

} /* extern "C++" */

#endif
