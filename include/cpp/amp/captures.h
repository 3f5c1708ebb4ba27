/* SPDX-License-Identifier: MIT
 *
 * A part of <amp.h> for ampcc: what it reads of a kernel and of what that captures. */
#pragma GCC system_header

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
