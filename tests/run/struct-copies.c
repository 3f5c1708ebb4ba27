// SPDX-License-Identifier: MIT
// Structs of words of each size, shorter and longer than what copies.c calls short: by value through functions that
// index them differently in each thread, assigned under masks, moved onto themselves, set, and read from and written to
// arrays.
// RUN: %ampcc -O2 %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O0 %s -o %t.plain && %run-alone %t.plain | FileCheck %s
// CHECK: right
#include "check.h"

#define STRUCTS(T, NW)                                                                                                 \
    struct T##NW {                                                                                                     \
        T v[NW];                                                                                                       \
    };                                                                                                                 \
    static struct T##NW step_##T##NW(struct T##NW s, int k) restrict(cpu, amp)                                         \
    {                                                                                                                  \
        s.v[(unsigned)k % NW] = (T)(s.v[(unsigned)(k + 1) % NW] + k % 5);                                              \
        return s;                                                                                                      \
    }                                                                                                                  \
    static void copy_##T##NW(amp_index1 idx, int n, const int a[n], const int b[n], int out[n]) restrict(cpu, amp)     \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        struct T##NW x = {{1, 2, 3}}, y, z;                                                                            \
        x = step_##T##NW(x, a[i]);                                                                                     \
        y = step_##T##NW(x, b[i]);                                                                                     \
        z = x;                                                                                                         \
        if (a[i] & 1)                                                                                                  \
            y = x;                                                                                                     \
        else if (b[i] & 1)                                                                                             \
            memset(&x, a[i] & 2 ? 1 : 0, sizeof x);                                                                    \
        memmove(&y.v[1], &y.v[0], sizeof y - sizeof *y.v);                                                             \
        const struct T##NW *p = a[i] > b[i] ? &x : &y;                                                                 \
        struct T##NW last = *p;                                                                                        \
        unsigned sum = 0;                                                                                              \
        for (int k = 0; k < NW; k++)                                                                                   \
            sum = sum * 31 + (unsigned)(int)x.v[k] * 7 + (unsigned)(int)z.v[k] * 5 + (unsigned)(int)last.v[k];         \
        out[i] = (int)sum;                                                                                             \
    }                                                                                                                  \
    static void arrays_##T##NW(amp_index1 idx, int n, int limit, const struct T##NW a[n], struct T##NW b[n])           \
        restrict(cpu, amp)                                                                                             \
    {                                                                                                                  \
        int i = idx[0];                                                                                                \
        struct T##NW one = a[n - 1 - i];                                                                               \
        if (i < limit)                                                                                                 \
            one = step_##T##NW(a[i], i);                                                                               \
        b[i] = one;                                                                                                    \
    }                                                                                                                  \
    static void check_##T##NW(void)                                                                                    \
    {                                                                                                                  \
        enum { N = 133 };                                                                                              \
        struct T##NW *a = check_alloc(N * sizeof *a), *b = check_alloc(N * sizeof *a),                                 \
                     *want = check_alloc(N * sizeof *a);                                                               \
        for (int i = 0; i < N; i++)                                                                                    \
            for (int k = 0; k < NW; k++)                                                                               \
                a[i].v[k] = (T)(i + 3 * k);                                                                            \
        amp_array_view *from = amp_array_view1(N, (const struct T##NW *)a), *to = amp_array_view1(N, b);               \
        CHECK_OK(amp_parallel_for_each(amp_extent1(N), arrays_##T##NW, 57, from, to));                                 \
        for (int i = 0; i < N; i++)                                                                                    \
            arrays_##T##NW((amp_index1){i}, N, 57, a, want);                                                           \
        CHECK_BYTES(b, want, N, "%s", #T #NW);                                                                         \
        amp_array_view_release(to);                                                                                    \
        amp_array_view_release(from);                                                                                  \
        check_free_all();                                                                                              \
        CHECK_KERNEL(int, copy_##T##NW);                                                                               \
    }

typedef unsigned char byte;
STRUCTS(byte, 17)
STRUCTS(byte, 32)
STRUCTS(int, 33)
STRUCTS(double, 17)

int main(void)
{
    check_byte17();
    check_byte32();
    check_int33();
    check_double17();
    puts("right");
}
