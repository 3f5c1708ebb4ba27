/* SPDX-License-Identifier: MIT
 *
 * Sums, minima, maxima, dot products and prefix sums of whole views; and of a value that each thread of a tile has.
 *
 *     #include <amp.h>
 *     #include <amp_algorithms.h>
 *     #include <stdio.h>
 *
 *     int main(void)
 *     {
 *         float data[2][3] = {{1, 2, 3}, {4, 5, 6}}, sum;
 *         amp_auto_array_view *x = amp_array_view_whole2(data);
 *         if (amp_reduce_sum(x, &sum) != AMP_OK) {
 *             fprintf(stderr, "%s\n", amp_error_text());
 *             return 1;
 *         }
 *         printf("%g\n", sum);
 *         return 0;
 *     }
 * Views may have any rank, and be sections. Their elements are integers of 8 to 64 bits, _Float16, __bf16, float or
 * double, and results have the elements' type. Sums of integers wrap, signed ones too: a sum of bytes is a byte. Minima
 * and maxima ignore a NaN, as fmin and fmax do, unless all elements are NaN; of 0 and -0 either may be the result, but
 * always the same one. A view is never empty.
 *
 * Floating-point numbers are added in an order that depends on nothing but how many there are, those of _Float16 and
 * __bf16 in float. So the result has the same bits in each run, with any number of threads, on each processor and GPU.
 * docs/language.md has the order. */
#ifndef AMP_ALGORITHMS_H
#define AMP_ALGORITHMS_H

#include <amp.h>

#ifdef __cplusplus
#pragma push_macro("restrict") /* as in amp.h */
#undef restrict
#define restrict(...)
extern "C" {
#endif

/* ------------------------------------------------------------------ reductions ---- */

/* How elements become one. */
__extension__ typedef enum amp_reduction AMP__INT {
    AMP_REDUCTION_SUM,
    AMP_REDUCTION_MIN,
    AMP_REDUCTION_MAX
} amp_reduction;

/* Stores the sum, the least or the greatest of the elements of `view` in `*value`.
 *
 *     amp_status amp_reduce_sum(amp_array_view *view, T *value);
 *     amp_status amp_reduce_sum_on(amp_accelerator_view *on, amp_array_view *view, T *value);
 * view     of any rank, may be a section or read-only; numbers of the type T.
 * on       where it is computed; NULL, and amp_reduce_sum: the default accelerator's own queue.
 * Holds    borrows all arguments for the call.
 * Returns  AMP_OK; or one of these errors, after which `*value` is unchanged: AMP_ERROR_NULL, AMP_ERROR_TYPE (the value
 *          has another type than the elements, or these are no numbers), AMP_ERROR_BUSY (the view is mapped for
 *          writing), AMP_ERROR_NO_ACCELERATOR, AMP_ERROR_OUT_OF_MEMORY, or the device's failure.
 * Waits    for kernels that write the view, and until the value is there.
 * Threads  as for a launch that reads the view.
 * Cost     reads the view once. A section whose rows lie apart is copied first. */
#define amp_reduce_sum(view, value) amp_reduce_sum_on(NULL, view, value)
#define amp_reduce_min(view, value) amp_reduce_min_on(NULL, view, value)
#define amp_reduce_max(view, value) amp_reduce_max_on(NULL, view, value)
#define amp_reduce_sum_on(on, view, value) amp_reduce((on), AMP_REDUCTION_SUM, (view), AMP__RESULT(value))
#define amp_reduce_min_on(on, view, value) amp_reduce((on), AMP_REDUCTION_MIN, (view), AMP__RESULT(value))
#define amp_reduce_max_on(on, view, value) amp_reduce((on), AMP_REDUCTION_MAX, (view), AMP__RESULT(value))

/* Does the same without waiting, after earlier work that writes the view, as amp_parallel_for_each_async does.
 *
 *     amp_future *amp_reduce_sum_async(amp_array_view *view, T *value);
 *     amp_future *amp_reduce_sum_on_async(amp_accelerator_view *on, amp_array_view *view, T *value);
 * Holds    keeps `value` until the future is ready. The view may be released.
 * Returns  a future, owned by the caller. NULL with an error of the arguments as above: nothing will run.
 * Waits    only if the queue is full.
 * Threads  as above. */
#define amp_reduce_sum_async(view, value) amp_reduce_sum_on_async(NULL, view, value)
#define amp_reduce_min_async(view, value) amp_reduce_min_on_async(NULL, view, value)
#define amp_reduce_max_async(view, value) amp_reduce_max_on_async(NULL, view, value)
#define amp_reduce_sum_on_async(on, view, value) amp_reduce_async((on), AMP_REDUCTION_SUM, (view), AMP__RESULT(value))
#define amp_reduce_min_on_async(on, view, value) amp_reduce_async((on), AMP_REDUCTION_MIN, (view), AMP__RESULT(value))
#define amp_reduce_max_on_async(on, view, value) amp_reduce_async((on), AMP_REDUCTION_MAX, (view), AMP__RESULT(value))

/* The macros call these; `type` is that of the value. Returns as above, and AMP_ERROR_INVALID_ARGUMENT if there is no
 * such reduction. Threads as above. */
amp_status amp_reduce(amp_accelerator_view *on, amp_reduction reduction, amp_array_view *view, amp_type type,
                      void *value);
amp_future *amp_reduce_async(amp_accelerator_view *on, amp_reduction reduction, amp_array_view *view, amp_type type,
                             void *value) AMP__OWNED(amp_future_release);

/* The type of the result, and where it goes. */
#define AMP__RESULT(value)                                                                                             \
    (AMP__REQUIRE(!AMP__POINTS_TO_CONST(value), the_value_is_const), amp_type_of(*(value))), (value)

/* ------------------------------------------------------------------ dot products ---- */

/* Stores the sum of the products of the elements of `x` and `y` in `*value`. A product is rounded before it is added.
 *
 *     amp_status amp_dot(amp_array_view *x, amp_array_view *y, T *value);
 *     amp_future *amp_dot_async(amp_array_view *x, amp_array_view *y, T *value);
 * The functions with `on` take an accelerator_view first, as amp_reduce_sum_on does.
 *
 * y        of the same extent as `x`; may be the same view.
 * Returns  as amp_reduce_sum and amp_reduce_sum_async; also AMP_ERROR_RANK or AMP_ERROR_SHAPE if the extents differ.
 * Threads  as for a launch that reads the views. */
#define amp_dot(x, y, value) amp_dot_on(NULL, x, y, value)
#define amp_dot_on(on, x, y, value) amp_dot_typed((on), (x), (y), AMP__RESULT(value))
#define amp_dot_async(x, y, value) amp_dot_on_async(NULL, x, y, value)
#define amp_dot_on_async(on, x, y, value) amp_dot_typed_async((on), (x), (y), AMP__RESULT(value))

/* The macros call these; `type` is that of the value. Returns as above. Threads as above. */
amp_status amp_dot_typed(amp_accelerator_view *on, amp_array_view *x, amp_array_view *y, amp_type type, void *value);
amp_future *amp_dot_typed_async(amp_accelerator_view *on, amp_array_view *x, amp_array_view *y, amp_type type,
                                void *value) AMP__OWNED(amp_future_release);

/* ------------------------------------------------------------------ prefix sums ---- */

/* Stores in each element of `to` the sum of the elements of `from` up to the same position, in row-major order through
 * all dimensions.
 *
 * to         not read-only; may be the same view as `from`, but must not overlap it otherwise.
 * from       of the same extent and type.
 * inclusive  whether the sums include the element at their own position; the first one is 0 otherwise.
 * on         where it is computed; NULL, and amp_scan_sum: the default accelerator's own queue.
 * Holds      borrows all arguments for the call.
 * Returns    AMP_OK; or one of these errors, after which `to` is unchanged: AMP_ERROR_NULL, AMP_ERROR_RANK or
 *            AMP_ERROR_SHAPE (the extents differ), AMP_ERROR_TYPE (the types differ, or are no numbers),
 *            AMP_ERROR_READ_ONLY, AMP_ERROR_INVALID_ARGUMENT (they overlap), AMP_ERROR_BUSY (one is mapped),
 *            AMP_ERROR_NO_ACCELERATOR. After AMP_ERROR_OUT_OF_MEMORY or the device's failure, it is undefined.
 * Waits      as amp_parallel_for_each does.
 * Threads    as for a launch that reads `from` and writes `to`.
 * Cost       reads `from` twice, on the host the second time from the caches, and writes `to` once. A section whose
 *            rows lie apart is copied, too. */
amp_status amp_scan_sum(amp_array_view *to, amp_array_view *from, bool inclusive);
amp_status amp_scan_sum_on(amp_accelerator_view *on, amp_array_view *to, amp_array_view *from, bool inclusive);

/* Does the same without waiting, as amp_parallel_for_each_async does.
 *
 * Holds    the homes of the views until it has run. The views may be released.
 * Returns  a future, owned by the caller. NULL with an error of the arguments as above: nothing will run.
 * Waits    only if the queue is full.
 * Threads  as above. */
amp_future *amp_scan_sum_async(amp_array_view *to, amp_array_view *from, bool inclusive) AMP__OWNED(amp_future_release);
amp_future *amp_scan_sum_on_async(amp_accelerator_view *on, amp_array_view *to, amp_array_view *from, bool inclusive)
    AMP__OWNED(amp_future_release);

#ifndef __cplusplus
/* ------------------------------------------------------------------ in tiles ---- */

/* Return the sum, the least or the greatest of the values that the threads of a tile pass, to each of them. Every
 * thread of the tile must make the same call, as for a barrier, and it is one. Only in kernels.
 *
 *     T amp_tile_reduce_sum(t, T value);
 * t is the kernel's tiled index; T is a number, and int for an expression of smaller integers. With n threads,
 * thread i, counted in row-major order, adds the value of thread i + 512 if i < 512 and i + 512 < n; the same with 256,
 * and so on down to 1. The calls for one type share tile_static memory of 1024 elements. */
#define amp_tile_reduce_sum(t, value) AMP__TILE_REDUCE(t, AMP_REDUCTION_SUM, value)
#define amp_tile_reduce_min(t, value) AMP__TILE_REDUCE(t, AMP_REDUCTION_MIN, value)
#define amp_tile_reduce_max(t, value) AMP__TILE_REDUCE(t, AMP_REDUCTION_MAX, value)

#define AMP__TILE_REDUCE(t, reduction, value)                                                                          \
    __extension__ _Generic((value),                                                                                    \
        char: amp__tile_reduce_char,                                                                                   \
        signed char: amp__tile_reduce_schar,                                                                           \
        unsigned char: amp__tile_reduce_uchar,                                                                         \
        short: amp__tile_reduce_short,                                                                                 \
        unsigned short: amp__tile_reduce_ushort,                                                                       \
        int: amp__tile_reduce_int,                                                                                     \
        unsigned int: amp__tile_reduce_uint,                                                                           \
        long: amp__tile_reduce_long,                                                                                   \
        unsigned long: amp__tile_reduce_ulong,                                                                         \
        long long: amp__tile_reduce_llong,                                                                             \
        unsigned long long: amp__tile_reduce_ullong,                                                                   \
        AMP__TILE_REDUCE_F16 AMP__TILE_REDUCE_BF16                                                                     \
        float: amp__tile_reduce_float,                                                                                 \
        double: amp__tile_reduce_double)((t).barrier, AMP__TILE_LAYOUT(t), (reduction), (value))

/* A thread's number in its tile, and how many there are. */
typedef struct amp__tile_layout {
    int me, n;
} amp__tile_layout;
#define AMP__TILE_LAYOUT(t) amp__tile_layout_of(sizeof((t).local) / sizeof(int), (t).local, (t).tile_extent)
AMP__INLINE amp__tile_layout amp__tile_layout_of(unsigned long rank, const int *local, const int *extent)
    restrict(cpu, amp)
{
    amp__tile_layout layout = {local[0], extent[0]};
    for (unsigned long d = 1; d < rank; d++) {
        layout.me = layout.me * extent[d] + local[d];
        layout.n *= extent[d];
    }
    return layout;
}

/* Of two numbers, and of two numbers of which either may be a NaN. `Sum` is a type whose sums wrap. */
#define AMP__COMBINE(T, Sum, reduction, a, b)                                                                          \
    ((reduction) == AMP_REDUCTION_SUM   ? (T)((Sum)(a) + (Sum)(b))                                                     \
     : (reduction) == AMP_REDUCTION_MIN ? ((b) < (a) ? (b) : (a))                                                      \
                                        : ((b) > (a) ? (b) : (a)))
#define AMP__COMBINE_REAL(T, Sum, reduction, a, b)                                                                     \
    ((reduction) == AMP_REDUCTION_SUM   ? (T)((Sum)(a) + (Sum)(b))                                                     \
     : (reduction) == AMP_REDUCTION_MIN ? ((b) < (a) || (a) != (a) ? (b) : (a))                                        \
                                        : ((b) > (a) || (a) != (a) ? (b) : (a)))

#define AMP__DEFINE_TILE_REDUCE(name, T, Sum, COMBINE)                                                                 \
    static __inline__ __attribute__((__unused__)) T amp__tile_reduce_##name(                                           \
        amp_tile_barrier barrier, amp__tile_layout layout, amp_reduction reduction, T value) restrict(amp)             \
    {                                                                                                                  \
        tile_static T part[1024];                                                                                      \
        int me = layout.me;                                                                                            \
        part[me] = value;                                                                                              \
        amp_tile_barrier_wait_with_tile_static_memory_fence(barrier);                                                  \
        int half = 512;                                                                                                \
        while (half >= layout.n)                                                                                       \
            half /= 2;                                                                                                 \
        if (me + half < layout.n && half > 0)                                                                          \
            part[me] = COMBINE(T, Sum, reduction, part[me], part[me + half]);                                          \
        amp_tile_barrier_wait_with_tile_static_memory_fence(barrier);                                                  \
        while ((half /= 2) > 0) {                                                                                      \
            if (me < half)                                                                                             \
                part[me] = COMBINE(T, Sum, reduction, part[me], part[me + half]);                                      \
            amp_tile_barrier_wait_with_tile_static_memory_fence(barrier);                                              \
        }                                                                                                              \
        value = part[0];                                                                                               \
        amp_tile_barrier_wait_with_tile_static_memory_fence(barrier); /* the next call may write */                    \
        return value;                                                                                                  \
    }
AMP__DEFINE_TILE_REDUCE(char, char, unsigned int, AMP__COMBINE)
AMP__DEFINE_TILE_REDUCE(schar, signed char, unsigned int, AMP__COMBINE)
AMP__DEFINE_TILE_REDUCE(uchar, unsigned char, unsigned int, AMP__COMBINE)
AMP__DEFINE_TILE_REDUCE(short, short, unsigned int, AMP__COMBINE)
AMP__DEFINE_TILE_REDUCE(ushort, unsigned short, unsigned int, AMP__COMBINE)
AMP__DEFINE_TILE_REDUCE(int, int, unsigned int, AMP__COMBINE)
AMP__DEFINE_TILE_REDUCE(uint, unsigned int, unsigned int, AMP__COMBINE)
AMP__DEFINE_TILE_REDUCE(long, long, unsigned long, AMP__COMBINE)
AMP__DEFINE_TILE_REDUCE(ulong, unsigned long, unsigned long, AMP__COMBINE)
AMP__DEFINE_TILE_REDUCE(llong, long long, unsigned long long, AMP__COMBINE)
AMP__DEFINE_TILE_REDUCE(ullong, unsigned long long, unsigned long long, AMP__COMBINE)
AMP__DEFINE_TILE_REDUCE(float, float, float, AMP__COMBINE_REAL)
AMP__DEFINE_TILE_REDUCE(double, double, double, AMP__COMBINE_REAL)
#define AMP__TILE_REDUCE_F16
#define AMP__TILE_REDUCE_BF16
#ifdef __FLT16_MANT_DIG__
AMP__DEFINE_TILE_REDUCE(f16, _Float16, float, AMP__COMBINE_REAL)
#undef AMP__TILE_REDUCE_F16
#define AMP__TILE_REDUCE_F16 _Float16: amp__tile_reduce_f16,
#endif
#if defined __BFLT16_MANT_DIG__ || (defined __FLT16_MANT_DIG__ && __clang_major__ >= 17 && !defined __s390x__)
AMP__DEFINE_TILE_REDUCE(bf16, __bf16, float, AMP__COMBINE_REAL)
#undef AMP__TILE_REDUCE_BF16
#define AMP__TILE_REDUCE_BF16 __bf16: amp__tile_reduce_bf16,
#endif
#endif

#ifdef __cplusplus
#pragma pop_macro("restrict")
}
#endif

#endif
