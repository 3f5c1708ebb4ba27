/* SPDX-License-Identifier: MIT
 * Extents and indices: a part of <amp.h>, which includes it. The bodies are here because kernels need them: all of
 * these functions may be called in kernels and on the host. In kernels, a constant rank and unused components cost
 * nothing. */
#ifndef AMP_INDEX_H
#define AMP_INDEX_H

enum { AMP_MAX_RANK = 8 };

/* How many elements there are in each dimension; dim[0] is the slowest. Unused components are 0. */
typedef struct amp_extent {
    int rank;
    int dim[AMP_MAX_RANK];
} amp_extent;

/* A position. Unused components are 0. */
typedef struct amp_index {
    int rank;
    int dim[AMP_MAX_RANK];
} amp_index;

/* What a section has: where it begins, and how large it is. */
typedef struct amp_box {
    amp_index origin;
    amp_extent extent;
} amp_box;

/* libamp contains each function once, for calls that are not inlined. */
#ifndef AMP__INLINE
#define AMP__INLINE extern __inline__ __attribute__((__gnu_inline__, __always_inline__))
#endif
/* {f(0), f(1), ...} for all components. */
#define AMP__EACH_DIM(f) {f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)}

/* A number as its caller wrote it, of any arithmetic type. */
typedef struct amp__number {
    int kind; /* AMP__SIGNED or AMP__UNSIGNED: `integer` has its bits; AMP__REAL: `real` has it, or is near it and fits
               * as little: of a number that neither an int64_t nor a double can hold */
    int64_t integer;
    double real;
} amp__number;
enum { AMP__SIGNED, AMP__UNSIGNED, AMP__REAL };
typedef struct amp__numbers {
    amp__number of[3];
} amp__numbers;

/* The rank of an extent or an index made from a number that does not fit into an int: `dim` keeps that number.
 * Arithmetic propagates it, and every call that uses it fails. */
enum { AMP__MISFIT = -0x414d50 };
#define AMP__IS_MISFIT(a) (!amp_is_device() && (a).rank == AMP__MISFIT)
/* Make such a one from the first component that does not fit, or, if `rank` is 0, from an operand. Host only. Threads
 * any. */
amp_extent amp__misfit_amp_extent(int rank, amp__numbers numbers) __attribute__((__cold__));
amp_index amp__misfit_amp_index(int rank, amp__numbers numbers) __attribute__((__cold__));

AMP__INLINE bool amp__fits(amp__number n) restrict(cpu, amp)
{
    if (n.kind == AMP__REAL) {
        bool is_near = n.real > -2147483649.0 && n.real < 2147483648.0;
        int whole = is_near ? (int)n.real : 0;
        return is_near && !(n.real < whole) && !(n.real > whole);
    }
    return n.integer == (int)n.integer && (n.kind == AMP__SIGNED || n.integer >= 0);
}
AMP__INLINE int amp__to_int(amp__number n) restrict(cpu, amp)
{
    return n.kind == AMP__REAL ? (int)n.real : (int)n.integer;
}
/* Stands for a real number that `near` only approximates: it has a fraction, too, if `near` fits into an int. */
AMP__INLINE double amp__beside(double near) restrict(cpu, amp)
{
    return near > -2147483649.0 && near < 2147483648.0 ? near * 1.0000000000000002 + 4.9406564584124654e-324 : near;
}
/* Lets ampcc see a constant component, and gcc warn of one that does not fit. */
enum { AMP__NO_CONSTANT = -0x7fffffff - 1 };
#ifdef __clang__
AMP__INLINE void amp__constant(double value) restrict(cpu, amp)
{
    (void)value;
}
#else
AMP__INLINE void amp__constant(int value)
{
    (void)value;
}
#endif
#define AMP__MAKE(T)                                                                                                   \
    AMP__INLINE T amp__make_##T(int rank, amp__numbers n) restrict(cpu, amp)                                           \
    {                                                                                                                  \
        if (!amp_is_device())                                                                                          \
            if (!amp__fits(n.of[0]) || !amp__fits(n.of[1]) || !amp__fits(n.of[2]))                                     \
                return amp__misfit_##T(rank, n);                                                                       \
        T result = {rank, {amp__to_int(n.of[0]), amp__to_int(n.of[1]), amp__to_int(n.of[2]), 0, 0, 0, 0, 0}};          \
        return result;                                                                                                 \
    }
AMP__MAKE(amp_extent)
AMP__MAKE(amp_index)

/* Make an extent or an index of rank 1 to 3 from its components; _n: of rank 1 to 8 from an array (rank 0 when the
 * rank is out of range or `dim` is NULL). Components may be numbers of any type. If one has a fraction or does not fit
 * into an int, the call that uses the extent or index fails with a text that names the number; in kernels it converts
 * as in C. Whether components are positive is not checked here. Threads any.
 *
 * amp_index1 to amp_index3 are also types, those of kernels' indices. Where only the type is known, as where a pointer
 * to the function is needed and in C++, write amp_index_make1 to amp_index_make3. */
AMP__INLINE amp_extent amp_extent_n(int64_t rank, const int *dim) restrict(cpu, amp)
{
    int n = dim && rank >= 1 && rank <= AMP_MAX_RANK ? (int)rank : 0;
#define AMP__DIM(i) i < n ? dim[i] : 0
    amp_extent result = {n, AMP__EACH_DIM(AMP__DIM)};
    return result;
}
AMP__INLINE amp_index amp_index_n(int64_t rank, const int *dim) restrict(cpu, amp)
{
    int n = dim && rank >= 1 && rank <= AMP_MAX_RANK ? (int)rank : 0;
    amp_index result = {n, AMP__EACH_DIM(AMP__DIM)};
#undef AMP__DIM
    return result;
}
AMP__INLINE amp_extent amp_extent1(int e0) restrict(cpu, amp)
{
    amp_extent result = {1, {e0, 0, 0, 0, 0, 0, 0, 0}};
    return result;
}
AMP__INLINE amp_extent amp_extent2(int e0, int e1) restrict(cpu, amp)
{
    amp_extent result = {2, {e0, e1, 0, 0, 0, 0, 0, 0}};
    return result;
}
AMP__INLINE amp_extent amp_extent3(int e0, int e1, int e2) restrict(cpu, amp)
{
    amp_extent result = {3, {e0, e1, e2, 0, 0, 0, 0, 0}};
    return result;
}
AMP__INLINE amp_index amp_index_make1(int i0) restrict(cpu, amp)
{
    amp_index result = {1, {i0, 0, 0, 0, 0, 0, 0, 0}};
    return result;
}
AMP__INLINE amp_index amp_index_make2(int i0, int i1) restrict(cpu, amp)
{
    amp_index result = {2, {i0, i1, 0, 0, 0, 0, 0, 0}};
    return result;
}
AMP__INLINE amp_index amp_index_make3(int i0, int i1, int i2) restrict(cpu, amp)
{
    amp_index result = {3, {i0, i1, i2, 0, 0, 0, 0, 0}};
    return result;
}
#define amp_index1(i0) amp_index_make1(i0)
#define amp_index2(i0, i1) amp_index_make2(i0, i1)
#define amp_index3(i0, i1, i2) amp_index_make3(i0, i1, i2)

#ifdef __cplusplus
extern "C++" {
template <typename _Ap> inline bool amp__is_exact(_Ap x, bool is_real)
{
    _Ap narrow = is_real ? _Ap((double)x) : _Ap((int64_t)x);
    return sizeof x <= 8 || (!(narrow < x) && !(narrow > x));
}
template <typename _Ap> inline amp__number amp__number_of(_Ap x)
{
    bool is_real = _Ap(0.5) > _Ap(0), is_exact = amp__is_exact(x, is_real);
    amp__number n = {is_real || !is_exact ? AMP__REAL
                     : _Ap(-1) < _Ap(1)   ? AMP__SIGNED
                                          : AMP__UNSIGNED,
                     is_real ? 0 : (int64_t)x, is_real && !is_exact ? amp__beside((double)x) : (double)x};
    return n;
}
template <typename _Ap> inline amp__numbers amp__numbers_of(_Ap x)
{
    amp__numbers numbers = {{amp__number_of(x)}};
    return numbers;
}
template <typename _Ap, typename _Bp> inline amp__numbers amp__numbers_of(_Ap x, _Bp y)
{
    amp__numbers numbers = {{amp__number_of(x), amp__number_of(y)}};
    return numbers;
}
template <typename _Ap, typename _Bp, typename _Cp> inline amp__numbers amp__numbers_of(_Ap x, _Bp y, _Cp z)
{
    amp__numbers numbers = {{amp__number_of(x), amp__number_of(y), amp__number_of(z)}};
    return numbers;
}
#define AMP__TEMPLATES(T, make)                                                                                        \
    template <typename _Ap> inline T make##1(_Ap x)                                                                    \
    {                                                                                                                  \
        return amp__make_##T(1, amp__numbers_of(x));                                                                   \
    }                                                                                                                  \
    template <typename _Ap, typename _Bp> inline T make##2(_Ap x, _Bp y)                                               \
    {                                                                                                                  \
        return amp__make_##T(2, amp__numbers_of(x, y));                                                                \
    }                                                                                                                  \
    template <typename _Ap, typename _Bp, typename _Cp> inline T make##3(_Ap x, _Bp y, _Cp z)                          \
    {                                                                                                                  \
        return amp__make_##T(3, amp__numbers_of(x, y, z));                                                             \
    }
AMP__TEMPLATES(amp_extent, amp_extent)
AMP__TEMPLATES(amp_index, amp_index_make)
}
/* A function for C++ only, taking numbers of any type _Ap. */
#define AMP__TEMPLATE(declaration, result)                                                                             \
    extern "C++" {                                                                                                     \
    template <typename _Ap> inline declaration                                                                         \
    {                                                                                                                  \
        return result;                                                                                                 \
    }                                                                                                                  \
    }
#else
#define AMP__TEMPLATE(declaration, result)
/* The amp__number of an expression, which is evaluated once; AMP__COMPONENT also shows constants to the compiler. */
#define AMP__COMPONENT(x)                                                                                              \
    __extension__({                                                                                                    \
        amp__constant(__builtin_choose_expr(__builtin_constant_p(x) && !AMP__IS_POINTER(x), (x), AMP__NO_CONSTANT));   \
        AMP__NUMBER(x);                                                                                                \
    })
#define AMP__NUMBER(x)                                                                                                 \
    __extension__({                                                                                                    \
        __auto_type amp__x = ((void)0, (x));                                                                           \
        AMP__REQUIRE(!AMP__IS_POINTER(amp__x), components_are_numbers_and_not_pointers);                               \
        (amp__number){AMP__NUMBER_KIND(amp__x), AMP__IS_REAL(amp__x) ? 0 : (int64_t)amp__x, AMP__REAL_OF(amp__x)};     \
    })
#define AMP__NUMBER_KIND(x)                                                                                            \
    (AMP__IS_REAL(x) || !AMP__IS_EXACT(x)   ? AMP__REAL                                                                \
     : (__typeof__(x))-1 < (__typeof__(x))1 ? AMP__SIGNED                                                              \
                                            : AMP__UNSIGNED)
#define AMP__REAL_OF(x)     (AMP__IS_REAL(x) && !AMP__IS_EXACT(x) ? amp__beside(AMP__NEAR(x)) : AMP__NEAR(x))
#define AMP__NEAR(x)        ((double)__builtin_choose_expr(AMP__IS_REAL(x) || AMP__IS_WIDE(x), (x), 0))
/* Whether an int64_t, or for a real number a double, holds the same value. */
#define AMP__IS_EXACT(x)    (!AMP__IS_WIDE(x) || (!(AMP__NARROW(x) < (x)) && !(AMP__NARROW(x) > (x))))
#define AMP__IS_WIDE(x)     (sizeof(x) > 8)
#define AMP__NARROW(x)      ((__typeof__(x))(__typeof__(__builtin_choose_expr(AMP__IS_REAL(x), 0., (int64_t)0)))(x))
#define AMP__IS_REAL(x)     (__builtin_classify_type(x) == 8)
#define AMP__IS_POINTER(x)  (__builtin_classify_type(x) == 5)
#define AMP__NUMBERS(...)   ((amp__numbers){{__VA_ARGS__}})

/* The functions of these names, for numbers of any type. Threads any. */
#define amp_extent1(e0)     amp__make_amp_extent(1, AMP__NUMBERS(AMP__COMPONENT(e0)))
#define amp_extent2(e0, e1) amp__make_amp_extent(2, AMP__NUMBERS(AMP__COMPONENT(e0), AMP__COMPONENT(e1)))
#define amp_extent3(e0, e1, e2)                                                                                        \
    amp__make_amp_extent(3, AMP__NUMBERS(AMP__COMPONENT(e0), AMP__COMPONENT(e1), AMP__COMPONENT(e2)))
#define amp_index_make1(i0)     amp__make_amp_index(1, AMP__NUMBERS(AMP__COMPONENT(i0)))
#define amp_index_make2(i0, i1) amp__make_amp_index(2, AMP__NUMBERS(AMP__COMPONENT(i0), AMP__COMPONENT(i1)))
#define amp_index_make3(i0, i1, i2)                                                                                    \
    amp__make_amp_index(3, AMP__NUMBERS(AMP__COMPONENT(i0), AMP__COMPONENT(i1), AMP__COMPONENT(i2)))
#define AMP__RANK(rank)         (AMP__REQUIRE(!AMP__IS_REAL(rank), the_rank_is_an_integer), (rank))
#define amp_extent_n(rank, ...) (amp_extent_n)(AMP__RANK(rank), __VA_ARGS__)
#define amp_index_n(rank, ...)  (amp_index_n)(AMP__RANK(rank), __VA_ARGS__)
#endif

/* The amp_index of a kernel's index parameter, or of a member of a tiled one: amp_index_of2(idx),
 * amp_index_of2(t.local). */
#define amp_index_of1(idx) amp_index_n(1, (idx))
#define amp_index_of2(idx) amp_index_n(2, (idx))
#define amp_index_of3(idx) amp_index_n(3, (idx))
#define amp_index_of4(idx) amp_index_n(4, (idx))
#define amp_index_of5(idx) amp_index_n(5, (idx))
#define amp_index_of6(idx) amp_index_n(6, (idx))
#define amp_index_of7(idx) amp_index_n(7, (idx))
#define amp_index_of8(idx) amp_index_n(8, (idx))

#ifndef AMP__LIGHT /* what follows is not for C++ AMP, which computes with classes of its own */

/* The number of elements: the product of the components. Returns 0 if one is zero or negative, or was made from a
 * number that does not fit into an int, and INT64_MAX if the product is larger than that. Threads any. */
AMP__INLINE int64_t amp_extent_size(amp_extent extent) restrict(cpu, amp)
{
    int n = extent.rank >= 0 && extent.rank <= AMP_MAX_RANK ? extent.rank : 0;
    bool is_empty = n == 0, is_huge = false;
    int64_t size = 1;
#define AMP__DIM(i)                                                                                                    \
    is_empty |= i < n && extent.dim[i] <= 0;                                                                           \
    is_huge |= __builtin_mul_overflow(size, (int64_t)(i < n ? extent.dim[i] : 1), &size)
    AMP__DIM(0);
    AMP__DIM(1);
    AMP__DIM(2);
    AMP__DIM(3);
    AMP__DIM(4);
    AMP__DIM(5);
    AMP__DIM(6);
    AMP__DIM(7);
#undef AMP__DIM
    return is_empty ? 0 : is_huge ? INT64_MAX : size;
}

/* Whether two extents or indices have the same rank and components. One made from a number that does not fit into an
 * int equals none. Threads any. */
AMP__INLINE bool amp_extent_equal(amp_extent a, amp_extent b) restrict(cpu, amp)
{
#define AMP__DIM(i) (i >= a.rank || a.dim[i] == b.dim[i])
#define AMP__ALL_DIMS                                                                                                  \
    (AMP__DIM(0) && AMP__DIM(1) && AMP__DIM(2) && AMP__DIM(3) && AMP__DIM(4) && AMP__DIM(5) && AMP__DIM(6) &&          \
     AMP__DIM(7))
    return a.rank == b.rank && !AMP__IS_MISFIT(a) && AMP__ALL_DIMS;
}
AMP__INLINE bool amp_index_equal(amp_index a, amp_index b) restrict(cpu, amp)
{
    return a.rank == b.rank && !AMP__IS_MISFIT(a) && AMP__ALL_DIMS;
#undef AMP__DIM
}

/* Whether `index` has the extent's rank and is inside it. Threads any. */
AMP__INLINE bool amp_extent_contains(amp_extent extent, amp_index index) restrict(cpu, amp)
{
    int n = extent.rank;
#define AMP__DIM(i) (i >= n || (index.dim[i] >= 0 && index.dim[i] < extent.dim[i]))
    return n == index.rank && n >= 1 && n <= AMP_MAX_RANK && AMP__ALL_DIMS;
#undef AMP__DIM
#undef AMP__ALL_DIMS
}

/* A component rounded up or down to a multiple of `tile`, at most INT_MAX and at least INT_MIN. */
AMP__INLINE int amp__round(int component, int tile, bool up) restrict(cpu, amp)
{
    int over = component % tile < 0 ? component % tile + tile : component % tile;
    int64_t rounded = (int64_t)component - over + (up && over ? tile : 0);
    return rounded > 0x7fffffff ? 0x7fffffff : rounded < -0x7fffffff - 1 ? -0x7fffffff - 1 : (int)rounded;
}

/* Each component of `extent` rounded up (pad) or down (truncate) to a multiple of the tile's, as a tiled launch needs.
 * A component of `tile` that is not positive, or a different rank, leaves `extent` unchanged; a result beyond INT_MAX
 * becomes INT_MAX, which a launch then rejects. Threads any. */
AMP__INLINE amp_extent amp_extent_pad(amp_extent extent, amp_extent tile) restrict(cpu, amp)
{
    if (AMP__IS_MISFIT(tile))
        return tile;
    int n = extent.rank == tile.rank ? extent.rank : 0;
#define AMP__IS_BAD(i) (i < n && tile.dim[i] <= 0)
#define AMP__CAN_ROUND                                                                                                 \
    !(AMP__IS_BAD(0) || AMP__IS_BAD(1) || AMP__IS_BAD(2) || AMP__IS_BAD(3) || AMP__IS_BAD(4) || AMP__IS_BAD(5) ||      \
      AMP__IS_BAD(6) || AMP__IS_BAD(7))
    bool can = AMP__CAN_ROUND;
#define AMP__DIM(i) can && i < n ? amp__round(extent.dim[i], tile.dim[i], true) : extent.dim[i]
    amp_extent result = {extent.rank, AMP__EACH_DIM(AMP__DIM)};
#undef AMP__DIM
    return result;
}
AMP__INLINE amp_extent amp_extent_truncate(amp_extent extent, amp_extent tile) restrict(cpu, amp)
{
    if (AMP__IS_MISFIT(tile))
        return tile;
    int n = extent.rank == tile.rank ? extent.rank : 0;
    bool can = AMP__CAN_ROUND;
#undef AMP__IS_BAD
#undef AMP__CAN_ROUND
#define AMP__DIM(i) can && i < n ? amp__round(extent.dim[i], tile.dim[i], false) : extent.dim[i]
    amp_extent result = {extent.rank, AMP__EACH_DIM(AMP__DIM)};
#undef AMP__DIM
    return result;
}

/* Arithmetic, component by component. Two operands of different rank give rank 0, which launches, sections and the like
 * reject. Overflow, and division by 0, are undefined as in C. Threads any.
 *
 *     amp_index amp_index_add(amp_index a, amp_index b);             and amp_index_sub
 *     amp_index amp_index_add_int(amp_index a, int n);               every component + n; and amp_index_sub_int,
 *                                                                    amp_index_mul_int, amp_index_div_int,
 *                                                                    amp_index_mod_int
 *     amp_index amp_index_int_sub(int n, amp_index a);               n - every component; and amp_index_int_div,
 *                                                                    amp_index_int_mod
 *     amp_index amp_index_inc(amp_index a);                          every component + 1; and amp_index_dec
 *
 * The same for extents: amp_extent_add, amp_extent_sub, amp_extent_add_int, amp_extent_sub_int, amp_extent_mul_int,
 * amp_extent_div_int, amp_extent_mod_int, amp_extent_int_sub, amp_extent_int_div, amp_extent_int_mod, amp_extent_inc,
 * amp_extent_dec; and
 *
 *     amp_extent amp_extent_add_index(amp_extent e, amp_index i);    and amp_extent_sub_index
 *
 * `n` may be a number of any type, as a component may. */
#define AMP__PAIRWISE(T, name, U, op)                                                                                  \
    AMP__INLINE T name(T a, U b) restrict(cpu, amp)                                                                    \
    {                                                                                                                  \
        int n = a.rank == b.rank || AMP__IS_MISFIT(a) ? a.rank : AMP__IS_MISFIT(b) ? b.rank : 0;                       \
        T result = {n, AMP__EACH_DIM(AMP__DIM_##op)};                                                                  \
        return result;                                                                                                 \
    }
#define AMP__WITH_INT(T, name, op)                                                                                     \
    AMP__INLINE T name(T a, int b) restrict(cpu, amp)                                                                  \
    {                                                                                                                  \
        int n = a.rank;                                                                                                \
        T result = {n, AMP__EACH_DIM(AMP__DIM_INT_##op)};                                                              \
        return result;                                                                                                 \
    }                                                                                                                  \
    AMP__INLINE T amp__any_##name(T a, amp__numbers b) restrict(cpu, amp)                                              \
    {                                                                                                                  \
        if (!amp_is_device())                                                                                          \
            if (!amp__fits(b.of[0]))                                                                                   \
                return AMP__IS_MISFIT(a) ? a : amp__misfit_##T(0, b);                                                  \
        return name(a, amp__to_int(b.of[0]));                                                                          \
    }                                                                                                                  \
    AMP__TEMPLATE(T name(T a, _Ap b), amp__any_##name(a, amp__numbers_of(b)))
#define AMP__INT_WITH(T, name, op)                                                                                     \
    AMP__INLINE T name(int b, T a) restrict(cpu, amp)                                                                  \
    {                                                                                                                  \
        int n = a.rank;                                                                                                \
        T result = {n, AMP__EACH_DIM(AMP__INT_DIM_##op)};                                                              \
        return result;                                                                                                 \
    }                                                                                                                  \
    AMP__INLINE T amp__any_##name(amp__numbers b, T a) restrict(cpu, amp)                                              \
    {                                                                                                                  \
        if (!amp_is_device())                                                                                          \
            if (!amp__fits(b.of[0]))                                                                                   \
                return AMP__IS_MISFIT(a) ? a : amp__misfit_##T(0, b);                                                  \
        return name(amp__to_int(b.of[0]), a);                                                                          \
    }                                                                                                                  \
    AMP__TEMPLATE(T name(_Ap b, T a), amp__any_##name(amp__numbers_of(b), a))
#define AMP__BY_ONE(T, name, step)                                                                                     \
    AMP__INLINE T name(T a) restrict(cpu, amp)                                                                         \
    {                                                                                                                  \
        return T##_add_int(a, step);                                                                                   \
    }
/* The bytes after the components: nothing, or what a misfit keeps there. */
#define AMP__DIM_REST(i)    AMP__IS_MISFIT(a) ? a.dim[i] : AMP__IS_MISFIT(b) ? b.dim[i] : 0
#define AMP__DIM_ADD(i)     i < n ? a.dim[i] + b.dim[i] : AMP__DIM_REST(i)
#define AMP__DIM_SUB(i)     i < n ? a.dim[i] - b.dim[i] : AMP__DIM_REST(i)
#define AMP__REST(i)        AMP__IS_MISFIT(a) ? a.dim[i] : 0
#define AMP__DIM_INT_ADD(i) i < n ? a.dim[i] + b : AMP__REST(i)
#define AMP__DIM_INT_SUB(i) i < n ? a.dim[i] - b : AMP__REST(i)
#define AMP__DIM_INT_MUL(i) i < n ? a.dim[i] * b : AMP__REST(i)
#define AMP__DIM_INT_DIV(i) i < n ? a.dim[i] / b : AMP__REST(i)
#define AMP__DIM_INT_MOD(i) i < n ? a.dim[i] % b : AMP__REST(i)
#define AMP__INT_DIM_SUB(i) i < n ? b - a.dim[i] : AMP__REST(i)
#define AMP__INT_DIM_DIV(i) i < n ? b / a.dim[i] : AMP__REST(i)
#define AMP__INT_DIM_MOD(i) i < n ? b % a.dim[i] : AMP__REST(i)
#define AMP__ARITHMETIC(T)                                                                                             \
    AMP__PAIRWISE(T, T##_add, T, ADD)                                                                                  \
    AMP__PAIRWISE(T, T##_sub, T, SUB)                                                                                  \
    AMP__WITH_INT(T, T##_add_int, ADD)                                                                                 \
    AMP__WITH_INT(T, T##_sub_int, SUB)                                                                                 \
    AMP__WITH_INT(T, T##_mul_int, MUL)                                                                                 \
    AMP__WITH_INT(T, T##_div_int, DIV)                                                                                 \
    AMP__WITH_INT(T, T##_mod_int, MOD)                                                                                 \
    AMP__INT_WITH(T, T##_int_sub, SUB)                                                                                 \
    AMP__INT_WITH(T, T##_int_div, DIV)                                                                                 \
    AMP__INT_WITH(T, T##_int_mod, MOD)                                                                                 \
    AMP__BY_ONE(T, T##_inc, 1)                                                                                         \
    AMP__BY_ONE(T, T##_dec, -1)
AMP__ARITHMETIC(amp_index)
AMP__ARITHMETIC(amp_extent)
AMP__PAIRWISE(amp_extent, amp_extent_add_index, amp_index, ADD)
AMP__PAIRWISE(amp_extent, amp_extent_sub_index, amp_index, SUB)
#ifndef __cplusplus
#define amp_index_add_int(a, n)  amp__any_amp_index_add_int((a), AMP__NUMBERS(AMP__COMPONENT(n)))
#define amp_index_sub_int(a, n)  amp__any_amp_index_sub_int((a), AMP__NUMBERS(AMP__COMPONENT(n)))
#define amp_index_mul_int(a, n)  amp__any_amp_index_mul_int((a), AMP__NUMBERS(AMP__COMPONENT(n)))
#define amp_index_div_int(a, n)  amp__any_amp_index_div_int((a), AMP__NUMBERS(AMP__COMPONENT(n)))
#define amp_index_mod_int(a, n)  amp__any_amp_index_mod_int((a), AMP__NUMBERS(AMP__COMPONENT(n)))
#define amp_index_int_sub(n, a)  amp__any_amp_index_int_sub(AMP__NUMBERS(AMP__COMPONENT(n)), (a))
#define amp_index_int_div(n, a)  amp__any_amp_index_int_div(AMP__NUMBERS(AMP__COMPONENT(n)), (a))
#define amp_index_int_mod(n, a)  amp__any_amp_index_int_mod(AMP__NUMBERS(AMP__COMPONENT(n)), (a))
#define amp_extent_add_int(a, n) amp__any_amp_extent_add_int((a), AMP__NUMBERS(AMP__COMPONENT(n)))
#define amp_extent_sub_int(a, n) amp__any_amp_extent_sub_int((a), AMP__NUMBERS(AMP__COMPONENT(n)))
#define amp_extent_mul_int(a, n) amp__any_amp_extent_mul_int((a), AMP__NUMBERS(AMP__COMPONENT(n)))
#define amp_extent_div_int(a, n) amp__any_amp_extent_div_int((a), AMP__NUMBERS(AMP__COMPONENT(n)))
#define amp_extent_mod_int(a, n) amp__any_amp_extent_mod_int((a), AMP__NUMBERS(AMP__COMPONENT(n)))
#define amp_extent_int_sub(n, a) amp__any_amp_extent_int_sub(AMP__NUMBERS(AMP__COMPONENT(n)), (a))
#define amp_extent_int_div(n, a) amp__any_amp_extent_int_div(AMP__NUMBERS(AMP__COMPONENT(n)), (a))
#define amp_extent_int_mod(n, a) amp__any_amp_extent_int_mod(AMP__NUMBERS(AMP__COMPONENT(n)), (a))
#endif

#endif /* AMP__LIGHT */

#endif
