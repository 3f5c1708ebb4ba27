// SPDX-License-Identifier: MIT
// RUN: timeout 100 %ampcc -O2 --amp-report %s -o %t 2>&1 | FileCheck %s
// RUN: %run %t
// RUN: timeout 100 %ampcc -O2 --amp-gpu=none --amp-cpu=native --amp-lanes=32 --amp-report %s -o %t 2>&1 | FileCheck --check-prefix=ASKED %s
// RUN: %run-native %t
// Helpers that return results through pointers chosen by a condition that differs between threads, each of which calls
// the one before it twice. There are so many scatters into the threads' own memory that the threads run one by one,
// even if lanes are asked for, unless they are few.
#include <amp.h>
#include <stdio.h>

static void step0(int x, int *a, int *b) restrict(cpu, amp)
{
    *a = (x & 1023) * 3 + 1;
    *b = x ^ 5;
}

#define STEP(number, before)                                                                                           \
    static void step##number(int x, int *a, int *b) restrict(cpu, amp)                                                 \
    {                                                                                                                  \
        int first[2], r, s;                                                                                            \
        before(x + number, &first[x & 1], &first[~x & 1]);                                                             \
        before(first[0] ^ first[1], x > 7 ? &r : &s, x > 7 ? &s : &r);                                                 \
        *a = (first[x & 1] + r) & 0xffff;                                                                              \
        *b = (first[1] - s) & 0xffff;                                                                                  \
    }
STEP(1, step0)
STEP(2, step1)
STEP(3, step2)
STEP(4, step3)
STEP(5, step4)
STEP(6, step5)
STEP(7, step6)
STEP(8, step7)

// CHECK: kernel nine {{.*}}for {{.*}}: no SIMD, one thread after another: lanes would read and write memory of their own in
// more than 250 places
// ASKED: kernel nine {{.*}}for {{.*}}: no SIMD, one thread after another: 32 lanes would read and write memory of their
// own in more than 125 places
void nine(amp_index1 i, int N, int x[N]) restrict(amp)
{
    int a, b;
    step8(x[i[0]], &a, &b);
    x[i[0]] = a ^ b << 8;
}

// CHECK: kernel five {{.*}}for {{.*}} lanes
// ASKED: kernel five {{.*}}for {{.*}}: 32 lanes
void five(amp_index1 i, int N, int x[N]) restrict(amp)
{
    int a, b;
    step4(x[i[0]], &a, &b);
    x[i[0]] = a ^ b << 8;
}

static int check(const char *name, const int *x, int n, void step(int, int *, int *))
{
    for (int i = 0; i < n; i++) {
        int a, b;
        step(i - 40, &a, &b);
        if (x[i] != (a ^ b << 8)) {
            fprintf(stderr, "%s: x[%d] is %d and not %d\n", name, i, x[i], a ^ b << 8);
            return 1;
        }
    }
    return 0;
}

int main(void)
{
    enum { N = 1003 };
    static int x[N], y[N];
    for (int i = 0; i < N; i++)
        x[i] = y[i] = i - 40;
    amp_array_view *xs = amp_array_view1(N, x), *ys = amp_array_view1(N, y);
    amp_parallel_for_each(amp_extent1(N), nine, xs);
    amp_parallel_for_each(amp_extent1(N), five, ys);
    if (amp_synchronize(xs) != AMP_OK || amp_synchronize(ys) != AMP_OK || amp_error_status() != AMP_OK) {
        fprintf(stderr, "%s\n", amp_error_text());
        return 1;
    }
    amp_array_view_release(xs);
    amp_array_view_release(ys);
    return check("nine", x, N, step8) || check("five", y, N, step4);
}
