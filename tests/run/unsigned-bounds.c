// SPDX-License-Identifier: MIT
// A bound whose unsigned arithmetic wraps in C makes the launch fail: the kernel's rows would be longer than what was
// checked. A wrapped sum that comes back into range is valid.
// RUN: %ampcc -O1 %s -o %t && %t | FileCheck %s
// CHECK: rest: -1, 0
// CHECK-NEXT: quotient: -1, 0
// CHECK-NEXT: converted: -1, 0
// CHECK-NEXT: widened: -1, 0
// CHECK-NEXT: sum: 0, 0
#include <amp.h>
#include <stdio.h>

static void rest(amp_index1 i, int M, unsigned N, float x[M][(N - 5) % 3 + 4]) restrict(amp)
{
    x[i[0]][0] = (float)N;
}

static void quotient(amp_index1 i, int M, unsigned N, float x[M][N * 2 / 1073741824u]) restrict(amp)
{
    x[i[0]][0] = (float)N;
}

static void converted(amp_index1 i, int M, int N, float x[M][N % 3u + 3]) restrict(amp)
{
    x[i[0]][0] = (float)N;
}

static void widened(amp_index1 i, int M, unsigned N, long L, float x[M][(N - 5) + L]) restrict(amp)
{
    x[i[0]][0] = (float)N;
}

static void sum(amp_index1 i, int M, unsigned N, float x[M][N + -1]) restrict(amp)
{
    x[i[0]][0] = (float)N;
}

static int result(amp_status status)
{
    amp_error_clear();
    return status == AMP_OK ? 0 : -1;
}

#define PRINT(kernel, columns1, first, columns2, ...)                                                                  \
    do {                                                                                                               \
        amp_array_view *one = amp_array_view2(2, columns1, data), *two = amp_array_view2(2, columns2, data);           \
        int wrapped = result(amp_parallel_for_each(amp_extent1(2), kernel, first, one));                               \
        printf(#kernel ": %d, %d\n", wrapped,                                                                          \
               result(amp_parallel_for_each(amp_extent1(2), kernel, __VA_ARGS__, two)));                               \
        amp_array_view_release(one);                                                                                   \
        amp_array_view_release(two);                                                                                   \
    } while (0)
#define TWO(a, b) a, b

int main(void)
{
    float data[16];
    PRINT(rest, 3, 4u, 4, 5u);
    PRINT(quotient, 4, 2147483648u, 2, 1073741824u);
    PRINT(converted, 2, -1, 4, 1);
    PRINT(widened, 3, TWO(4u, 4L), 5, 5u, 5L);
    PRINT(sum, 2, 3u, 4, 5u);
    return 0;
}
