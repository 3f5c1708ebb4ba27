/* SPDX-License-Identifier: MIT
 *
 * A part of <amp.h> for ampcc: parallel_for_each. */
#pragma GCC system_header

namespace Concurrency
{

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
#undef AMP__RANKS
#undef AMP__KERNEL
#undef AMP__UNTILED
#undef AMP__TILED

} // namespace Concurrency
