/* SPDX-License-Identifier: MIT
 *
 * A part of <amp.h>: array, storage on an accelerator. */
#pragma GCC system_header

namespace Concurrency
{

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

} // namespace Concurrency
