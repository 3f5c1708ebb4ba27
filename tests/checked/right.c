// What looks like a mistake and is none: nothing is reported, and the results are right.
// RUN: %ampcc -O2 -w --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
// RUN: %ampcc -O0 -w --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
// RUN: %ampcc -O2 -w -fwrapv -DWRAPS --amp-check --amp-gpu=none %s -o %t
// RUN: env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
// RUN: %ampcc -O2 -w -fno-strict-overflow -DWRAPS --amp-check --amp-gpu=none %s -o %t
// RUN: env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
#define _GNU_SOURCE
#include <amp.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 8 };

/* Functions write what they are given pointers to. */
static void results(amp_index1 idx, int N, double x[N], int e[N]) restrict(amp)
{
    int exponent, of[2];
    double whole, both[2];
    x[idx[0]] = modf(x[idx[0]], &whole) + whole;
    sincos(x[idx[0]], &both[0], &both[1]);
    x[idx[0]] = both[0] * both[0] + both[1] * both[1] + frexp(8, &e[idx[0]]) + frexp(2, &exponent) + exponent;
    remquo(7, 2, &of[1]);
    e[idx[0]] += of[1];
}

/* A copy of nothing may begin where an array ends. */
static void nothing(amp_index1 idx, int N, int x[N], const int y[N]) restrict(amp)
{
    int own[2] = {0, 0};
    memcpy(&x[idx[0] + 1], &y[idx[0] + 1], (size_t)(idx[0] == N - 1 ? 0 : 1) * sizeof *x);
    memset(&own[2], 1, (size_t)(idx[0] / N));
    x[idx[0]] = own[1];
}

static void wrap(amp_index1 idx, int N, int x[N]) restrict(amp)
{
#ifdef WRAPS
    x[idx[0]] += 2147483647;
    x[idx[0]] -= 2147483647;
#endif
}

/* A barrier that orders no arrays leaves what a thread itself did before it in order. */
static void own(amp_tiled_index1(4) t, int n, int turns, int x[n]) restrict(amp)
{
    int before = x[t.global[0]], k = 0;
    do {
        amp_tile_barrier_wait_with_tile_static_memory_fence(t.barrier);
    } while (++k < turns);
    before += x[t.global[0]];
    x[t.global[0]] = before;
}

int main(void)
{
    static double x[N];
    static int e[N], y[N], z[N];
    for (int i = 0; i < N; i++)
        x[i] = i + 0.5;
    amp_array_view *vx = amp_array_view1(N, x), *ve = amp_array_view1(N, e), *vy = amp_array_view1(N, y),
                   *vz = amp_array_view1(N, z);
    amp_parallel_for_each(amp_extent1(N), results, vx, ve);
    amp_parallel_for_each(amp_extent1(1), nothing, vz, vy);
    amp_parallel_for_each(amp_extent1(N), wrap, vz);
    amp_parallel_for_each(amp_extent1(N), own, 1, vz);
    amp_synchronize(vx);
    amp_synchronize(ve);
    // CHECK: 4.00 8, no error
    printf("%.2f %d, %s\n", x[5], e[5], amp_error_status() == AMP_OK ? "no error" : amp_error_text());
    return 0;
}
