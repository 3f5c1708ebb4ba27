/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=16 %s -o %t && %run-cpu %t
 * RUN: %ampcc -O0 %s -o %t && %run-alone %t
 *
 * Extended numbers of which few lanes and few bits are needed: LLVM turns them into code that it cannot select if they
 * were loaded under a mask or are the bits of floats. */
#include "check.h"
#include <stdint.h>

enum { TILE = 33, TILES = 3, N = TILE * TILES };

static uint32_t bits(float x) restrict(cpu, amp)
{
    union {
        float x;
        uint32_t bits;
    } u = {x};
    return u.bits;
}

/* The numbers are functions of an int, of another, and of a float. */
#define OF(name) static int64_t name(int x, int y, float f) restrict(cpu, amp)

OF(of_short)
{
    return (short)x;
}

OF(of_unsigned)
{
    return (int64_t)((uint64_t)(uint32_t)x << 40);
}

OF(of_product)
{
    return (int64_t)x * y;
}

OF(of_float)
{
    return (int64_t)((uint64_t)bits(f) << 40);
}

OF(of_all)
{
    return (int64_t)(((uint64_t)bits(f) + (uint64_t)(int64_t)x) & 0xffff) * (y & 7);
}

/* One lane of a vector and the only lane of another, the first lanes, and the last ones. */
#define KERNELS(of)                                                                                                    \
    static void one_##of(amp_tiled_index1(TILE) t, int n, const int x[n], const int y[n], const float f[n],            \
                         int64_t p[n]) restrict(amp)                                                                   \
    {                                                                                                                  \
        int i = t.global[0];                                                                                           \
        int64_t h = 1;                                                                                                 \
        if (t.local[0] == 27)                                                                                          \
            h = of(x[i], y[i], f[i]);                                                                                  \
        p[i] = h;                                                                                                      \
    }                                                                                                                  \
    static void first_##of(amp_tiled_index1(TILE) t, int n, const int x[n], const int y[n], const float f[n],          \
                           int64_t p[n]) restrict(amp)                                                                 \
    {                                                                                                                  \
        int i = t.global[0];                                                                                           \
        p[i] = t.local[0] < 3 ? of(x[i], y[i], f[i]) : 1;                                                              \
    }                                                                                                                  \
    static void last_##of(amp_tiled_index1(TILE) t, int n, const int x[n], const int y[n], const float f[n],           \
                          int64_t p[n]) restrict(amp)                                                                  \
    {                                                                                                                  \
        int i = t.global[0];                                                                                           \
        int64_t all = of(x[i], y[i], f[i]);                                                                            \
        p[i] = t.local[0] > 29 || t.local[0] == 9 ? all : 1;                                                           \
    }

#define EACH(X) X(of_short) X(of_unsigned) X(of_product) X(of_float) X(of_all)
EACH(KERNELS)

static int x[N], y[N];
static float f[N];
static int64_t found[N];
static amp_array_view *views[4];

static int is_on(const char *which, int local)
{
    if (*which == 'o')
        return local == 27;
    return *which == 'f' ? local < 3 : local > 29 || local == 9;
}

static void compare(const char *which, int64_t of(int, int, float))
{
    for (int i = 0; i < N; i++) {
        int64_t expected = is_on(which, i % TILE) ? of(x[i], y[i], f[i]) : 1;
        if (found[i] != expected) {
            printf("%s: %d: %lld, expected %lld\n", which, i, (long long)found[i], (long long)expected);
            exit(1);
        }
    }
}

#define RUN(which, of)                                                                                                 \
    do {                                                                                                               \
        CHECK_OK(amp_parallel_for_each(amp_extent1(N), which##_##of, views[0], views[1], views[2], views[3]));         \
        CHECK_OK(amp_synchronize(views[3]));                                                                           \
        compare(#which "_" #of, of);                                                                                   \
    } while (0);
#define RUN_ALL(of) RUN(one, of) RUN(first, of) RUN(last, of)

int main(void)
{
    for (int i = 0; i < N; i++) {
        x[i] = (i - 50) * 123456789;
        y[i] = (i + 1) * -987654321;
        f[i] = (float)i * 0.7f - 20;
    }
    views[0] = amp_array_view1(N, (const int *)x);
    views[1] = amp_array_view1(N, (const int *)y);
    views[2] = amp_array_view1(N, (const float *)f);
    views[3] = amp_array_view1(N, found);
    EACH(RUN_ALL)
    for (int i = 0; i < LENGTH(views); i++)
        amp_array_view_release(views[i]);
    return 0;
}
