/* SPDX-License-Identifier: MIT
 *
 * A part of <amp.h>: copies between arrays, views and iterators. */
#pragma GCC system_header

namespace Concurrency
{

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

} // namespace Concurrency
