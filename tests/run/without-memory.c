/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off %s -o %t && %run-cpu %t | FileCheck %s
 *
 * Convoys keep what they carry, and panels what they copy, in memory that they allocate. Without it, kernels run as
 * small launches do.
 *
 * CHECK: sums: memory was refused
 * CHECK: product: memory was refused
 */
#include "check.h"

#include <malloc.h>
#include <stdatomic.h>

static atomic_bool refuses;
static atomic_int n_refused;

/* Instead of the C library's. */
void *aligned_alloc(size_t alignment, size_t size)
{
    if (!atomic_load(&refuses))
        return memalign(alignment, size);
    atomic_fetch_add(&n_refused, 1);
    return NULL;
}

enum { TILE = 64, TILES = 64, LENGTH_OF_SUMS = 1 << 19, N = 512 };

static void sums(amp_tiled_index1(TILE) t, int n, int m, const double a[n], double out[m * TILE]) restrict(amp)
{
    tile_static double part[TILE];
    int thread = t.local[0];
    part[thread] = 0;
    for (int i = t.global[0]; i < n; i += m * TILE)
        part[thread] += a[i];
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]] = part[thread] - part[TILE - 1 - thread];
}

static void product(amp_index2 idx, int n, const float a[n][n], const float b[n][n], float c[n][n]) restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

static void say(const char *kernel)
{
    if (atomic_exchange(&n_refused, 0) > 0)
        printf("%s: memory was refused\n", kernel);
}

static void check_sums(void)
{
    static double a[LENGTH_OF_SUMS], out[2][TILES * TILE];
    CHECK_FILL(double, a, LENGTH_OF_SUMS, 1);
    amp_array_view *in = amp_array_view1(LENGTH_OF_SUMS, (const double *)a);
    for (int refused = 0; refused < 2; refused++) {
        amp_array_view *to = amp_array_view1(TILES * TILE, out[refused]);
        atomic_store(&refuses, refused);
        CHECK_OK(amp_parallel_for_each(amp_extent1(TILES * TILE), sums, TILES, in, to));
        amp_synchronize(to);
        atomic_store(&refuses, false);
        amp_array_view_release(to);
    }
    CHECK_FLOATS(out[1], out[0], TILES * TILE, "sums")
    say("sums");
    amp_array_view_release(in);
}

static void check_product(void)
{
    static float a[N][N], c[2][N][N];
    CHECK_FILL(float, &a[0][0], N *N, 1);
    amp_array_view *in = amp_array_view2(N, N, (const float *)a);
    for (int refused = 0; refused < 2; refused++) {
        amp_array_view *to = amp_array_view2(N, N, (float *)c[refused]);
        atomic_store(&refuses, refused);
        CHECK_OK(amp_parallel_for_each(amp_extent2(N, N), product, in, in, to));
        amp_synchronize(to);
        atomic_store(&refuses, false);
        amp_array_view_release(to);
    }
    CHECK_FLOATS(&c[1][0][0], &c[0][0][0], N * N, "product")
    say("product");
    amp_array_view_release(in);
}

int main(void)
{
    check_sums();
    check_product();
    return 0;
}
