/* SPDX-License-Identifier: MIT
 *
 * A part of <amp.h>: what a launch runs over and what a kernel is called with. index, extent, and tiles. */
#pragma GCC system_header

namespace Concurrency
{

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

} // namespace Concurrency
