/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Wextra -Werror %s -o %t && %run %t
 * RUN: %ampcc -O0 %s -o %t && %run-alone %t
 * row: index.rank, index.zero, index.copy, index.components, index.array, index.element, index.equal, index.add
 * row: index.scalar, index.increment, extent.size, extent.contains, extent.index, tiled_extent.pad
 * row: tiled_extent.truncate, tiled_extent.tile, tiled_index.members, tiled_index.to_index, tiled_index.tile_extent
 * row: tiled_index.construct, tile_barrier.copy
 *
 * Every function on extents and indices, on the host and in kernels: the same code computes a digest of all results on
 * both, and the host's results are checked against known values. */
#include "check.h"

enum { N_RESULTS = 40 };

static void put_index(int *to, int *n, amp_index i) restrict(cpu, amp)
{
    unsigned digest = (unsigned)i.rank;
    for (int d = 0; d < AMP_MAX_RANK; d++)
        digest = digest * 31 + (unsigned)i.dim[d];
    to[(*n)++] = (int)digest;
}

static void put_extent(int *to, int *n, amp_extent e) restrict(cpu, amp)
{
    put_index(to, n, amp_index_n(e.rank, e.dim));
}

/* All functions of two indices, their extents, and a number that is not 0. */
static void all(amp_index a, amp_index b, int k, int *to) restrict(cpu, amp)
{
    int n = 0;
    amp_extent e = amp_extent_n(a.rank, a.dim), f = amp_extent_n(b.rank, b.dim);
    put_index(to, &n, amp_index_add(a, b));
    put_index(to, &n, amp_index_sub(a, b));
    put_index(to, &n, amp_index_add_int(a, k));
    put_index(to, &n, amp_index_sub_int(a, k));
    put_index(to, &n, amp_index_mul_int(a, k));
    put_index(to, &n, amp_index_div_int(a, k));
    put_index(to, &n, amp_index_mod_int(a, k));
    put_index(to, &n, amp_index_int_sub(k, b));
    put_index(to, &n, amp_index_int_div(1000, b));
    put_index(to, &n, amp_index_int_mod(1000, b));
    put_index(to, &n, amp_index_inc(a));
    put_index(to, &n, amp_index_dec(a));
    put_extent(to, &n, amp_extent_add(e, f));
    put_extent(to, &n, amp_extent_sub(e, f));
    put_extent(to, &n, amp_extent_add_int(e, k));
    put_extent(to, &n, amp_extent_sub_int(e, k));
    put_extent(to, &n, amp_extent_mul_int(e, k));
    put_extent(to, &n, amp_extent_div_int(e, k));
    put_extent(to, &n, amp_extent_mod_int(e, k));
    put_extent(to, &n, amp_extent_int_sub(k, f));
    put_extent(to, &n, amp_extent_int_div(1000, f));
    put_extent(to, &n, amp_extent_int_mod(1000, f));
    put_extent(to, &n, amp_extent_inc(e));
    put_extent(to, &n, amp_extent_dec(e));
    put_extent(to, &n, amp_extent_add_index(e, b));
    put_extent(to, &n, amp_extent_sub_index(e, b));
    put_extent(to, &n, amp_extent_pad(e, f));
    put_extent(to, &n, amp_extent_truncate(e, f));
    to[n++] = (int)(amp_extent_size(e) * 5 + (amp_extent_size(e) >> 32));
    to[n++] = amp_extent_equal(e, f) + 2 * amp_index_equal(a, b) + 4 * amp_extent_equal(e, amp_extent_add_int(e, 0));
    to[n++] = amp_extent_contains(e, b) + 2 * amp_extent_contains(f, a);
    while (n < N_RESULTS)
        to[n++] = 0;
}

static void rank1(amp_index1 i, int N, const int x[N], int out[N][N_RESULTS]) restrict(amp)
{
    int n = 0;
    put_index(out[i[0]], &n, amp_index_mul_int(amp_index1(x[i[0]]), 7));
    put_index(out[i[0]], &n, amp_index_int_sub(x[i[0]], amp_index_of1(i)));
}

static void rank2(amp_index2 i, int M, int N, const int x[M][N], int out[M][N][N_RESULTS]) restrict(amp)
{
    amp_index at = amp_index_of2(i), b = amp_index_mod_int(amp_index2(x[at.dim[0]][at.dim[1]], at.dim[1]), 9);
    all(at, amp_index_add_int(amp_index_mul_int(b, 3), 50), -3, out[at.dim[0]][at.dim[1]]);
}

static void rank3(amp_index1 i, int N, const int x[N], int out[N][N_RESULTS]) restrict(amp)
{
    int v = x[i[0]];
    amp_index a = {.rank = 3}, b = amp_index3(1, 2, 3);
    a.dim[1] = v;
    a.dim[v & 2] = 17; /* an index that is not constant */
    all(a, v % 4 ? b : amp_index_n(2, b.dim), v % 7 + 8, out[i[0]]);
}

/* Neighbours inside of the extent, as a stencil would have them. */
static void neighbours(amp_index2 i, int M, int N, const int x[M][N], int out[M][N]) restrict(amp)
{
    amp_extent e = amp_extent2(M, N);
    int sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            amp_index at = amp_index_add(amp_index_of2(i), amp_index2(dy, dx));
            if (amp_extent_contains(e, at))
                sum += x[at.dim[0]][at.dim[1]];
        }
    out[i[0]][i[1]] = sum;
}

static amp_extent extent_of(float unused, amp_tiled_index2(4, 8) t) restrict(amp)
{
    (void)unused;
    return amp_extent_n(2, t.tile_extent);
}

static void tiled(amp_tiled_index2(4, 8) t, int M, int N, int out[M][N]) restrict(amp)
{
    amp_extent tile = extent_of(1, t);
    amp_index origin = amp_index2(t.tile[0] * t.tile_extent[0], t.tile[1] * t.tile_extent[1]);
    bool good = amp_extent_size(tile) == 32 && amp_index_equal(origin, amp_index_of2(t.tile_origin)) &&
                amp_index_equal(amp_index_add(origin, amp_index_of2(t.local)), amp_index_of2(t.global)) &&
                amp_extent_contains(tile, amp_index_of2(t.local));
    out[t.global[0]][t.global[1]] = good ? t.tile_extent[0] * 100 + t.tile_extent[1] : -1;
}

int main(void)
{
    enum { M = 9, N = 33, ALL = M * N };
    int x[ALL], *out = malloc(ALL * N_RESULTS * sizeof *out), want[N_RESULTS];
    for (int i = 0; i < ALL; i++)
        x[i] = check_value(i) | 1;

    /* 1. On the host. */
    amp_index a = amp_index3(5, -7, 9), b = amp_index3(2, 3, -4);
    amp_extent e = amp_extent3(5, 7, 9);
    int got[] = {amp_index_equal(amp_index_add(a, b), amp_index3(7, -4, 5)),
                 amp_index_equal(amp_index_sub(a, b), amp_index3(3, -10, 13)),
                 amp_index_equal(amp_index_mul_int(a, 3), amp_index3(15, -21, 27)),
                 amp_index_equal(amp_index_div_int(a, 2), amp_index3(2, -3, 4)),
                 amp_index_equal(amp_index_mod_int(a, 4), amp_index3(1, -3, 1)),
                 amp_index_equal(amp_index_int_sub(1, a), amp_index3(-4, 8, -8)),
                 amp_index_equal(amp_index_int_div(20, a), amp_index3(4, -2, 2)),
                 amp_index_equal(amp_index_int_mod(20, a), amp_index3(0, 6, 2)),
                 amp_index_equal(amp_index_dec(amp_index_inc(a)), a),
                 amp_index_equal(amp_index_inc(a), amp_index_add_int(a, 1)),
                 amp_extent_equal(amp_extent_add_index(e, b), amp_extent3(7, 10, 5)),
                 amp_extent_equal(amp_extent_sub_index(e, b), amp_extent3(3, 4, 13)),
                 amp_extent_equal(amp_extent_sub(e, amp_extent_dec(e)), amp_extent3(1, 1, 1)),
                 amp_index_add(a, amp_index2(1, 1)).rank == 0 && amp_index_add(a, amp_index2(1, 1)).dim[0] == 0,
                 amp_extent_add_index(e, amp_index1(1)).rank == 0,
                 amp_index_add_int(amp_index1(1), 5).dim[1] == 0,
                 amp_extent_size((amp_extent){8, {2, 2, 2, 2, 2, 2, 2, 2}}) == 256,
                 amp_extent_size(amp_extent3(1 << 30, 1 << 30, 8)) == INT64_MAX,
                 amp_extent_equal(amp_tile_extent(tiled), amp_extent2(4, 8)),
                 amp_tile_extent(rank2).rank == 0 && amp_error_status() == AMP_ERROR_INVALID_ARGUMENT};
    for (int i = 0; i < LENGTH(got); i++)
        if (!got[i]) {
            fprintf(stderr, "result %d on the host is wrong\n", i);
            return 1;
        }
    amp_error_clear();

    /* 2. In kernels. */
    amp_array_view *line = amp_array_view1(ALL, (const int *)x), *plane = amp_array_view2(M, N, (const int *)x),
                   *results1 = amp_array_view2(ALL, N_RESULTS, out), *results2 = amp_array_view3(M, N, N_RESULTS, out),
                   *flat = amp_array_view2(M, N, out);
    CHECK_OK(amp_parallel_for_each(amp_extent1(ALL), rank1, line, results1));
    for (int i = 0; i < ALL; i++) {
        int n = 0;
        put_index(want, &n, amp_index1(x[i] * 7));
        put_index(want, &n, amp_index1(x[i] - i));
        CHECK_INTS(out + i * N_RESULTS, want, n, "rank 1, thread %d", i);
    }
    CHECK_OK(amp_parallel_for_each(amp_extent2(M, N), rank2, plane, results2));
    for (int i = 0; i < ALL; i++) {
        all(amp_index2(i / N, i % N), amp_index2(x[i] % 9 * 3 + 50, i % N % 9 * 3 + 50), -3, want);
        CHECK_INTS(out + i * N_RESULTS, want, N_RESULTS, "rank 2, thread %d", i);
    }
    CHECK_OK(amp_parallel_for_each(amp_extent1(ALL), rank3, line, results1));
    for (int i = 0; i < ALL; i++) {
        int v = x[i], first[3] = {0, v, 0};
        first[v & 2] = 17;
        all(amp_index_n(3, first), v % 4 ? amp_index3(1, 2, 3) : amp_index2(1, 2), v % 7 + 8, want);
        CHECK_INTS(out + i * N_RESULTS, want, N_RESULTS, "rank 3, thread %d", i);
    }
    CHECK_OK(amp_parallel_for_each(amp_extent2(M, N), neighbours, plane, flat));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0;
            for (int y = i - 1; y <= i + 1; y++)
                for (int z = j - 1; z <= j + 1; z++)
                    sum += y >= 0 && y < M && z >= 0 && z < N ? x[y * N + z] : 0;
            CHECK_INTS(out + i * N + j, &sum, 1, "neighbours of (%d, %d)", i, j);
        }
    amp_array_view *tiles = amp_array_view2(8, 24, out);
    CHECK_OK(amp_parallel_for_each(amp_extent_truncate(amp_extent2(M, 25), amp_tile_extent(tiled)), tiled, tiles));
    for (int i = 0; i < 8 * 24; i++)
        CHECK_INTS(out + i, (&(int){408}), 1, "tile extent, thread %d", i);

    amp_array_view *views[] = {line, plane, results1, results2, flat, tiles};
    for (int i = 0; i < LENGTH(views); i++)
        amp_array_view_release(views[i]);
    free(out);
    return 0;
}
