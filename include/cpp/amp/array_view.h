/* SPDX-License-Identifier: MIT
 *
 * A part of <amp.h>: array_view, and what it shares with array: element types, and the elements in host memory. */
#pragma GCC system_header

namespace Concurrency
{

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

} // namespace Concurrency
