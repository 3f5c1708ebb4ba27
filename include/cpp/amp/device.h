/* SPDX-License-Identifier: MIT
 *
 * A part of <amp.h>: what kernels call. Atomic operations, output, and functions of namespace direct3d. */
#pragma GCC system_header

namespace Concurrency
{

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
