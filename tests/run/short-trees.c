/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -ffp-contract=off -O2 -Wall -Wextra -Werror %s -o %t && %run %t
 * RUN: %ampcc -ffp-contract=off --amp-gpu=none -O1 --amp-lanes=8 %s -o %t && %run-cpu %t
 * RUN: %ampcc -ffp-contract=off --amp-gpu=none -O3 --amp-cpu=native %s -o %t && %run-native %t
 *
 * The last steps of trees in tile memory, whose lengths are known: what a step reads is part of a vector that was just
 * stored, or lies partly in it, or has been stored to since. */
#include "check.h"

enum { TILES = 3 };

/* Each step is what thread `at` does with `part` for the distance d. In C, all threads read before any of them writes,
 * which is the same, since those that write write where nobody else reads. */
#define TREE(name, T, TILE, ok, at_step, result)                                                                       \
    static void name(amp_tiled_index1(TILE) t, int n, const T in[n], T out[n]) restrict(amp)                           \
    {                                                                                                                  \
        tile_static T part[TILE];                                                                                      \
        int at = t.local[0];                                                                                           \
        part[at] = in[t.global[0]];                                                                                    \
        for (int d = TILE / 2; d > 0; d /= 2) {                                                                        \
            amp_tile_barrier_wait(t.barrier);                                                                          \
            if (ok)                                                                                                    \
                part[at] = (T)(at_step);                                                                               \
        }                                                                                                              \
        amp_tile_barrier_wait(t.barrier);                                                                              \
        RESULT_##result;                                                                                               \
    }                                                                                                                  \
    static void check_##name(void)                                                                                     \
    {                                                                                                                  \
        enum { N = TILES * TILE };                                                                                     \
        T *in = check_alloc(N * sizeof(T)), *got = check_alloc(N * sizeof(T)), *want = check_alloc(N * sizeof(T));     \
        for (int i = 0; i < N; i++) {                                                                                  \
            in[i] = (T)(check_value(i) + 3);                                                                           \
            got[i] = want[i] = (T)7;                                                                                   \
        }                                                                                                              \
        amp_array_view *from = amp_array_view1(N, (const T *)in), *to = amp_array_view1(N, got);                       \
        CHECK_OK(amp_parallel_for_each(amp_extent1(N), name, from, to));                                               \
        CHECK_OK(amp_synchronize(to));                                                                                 \
        for (int tile = 0; tile < TILES; tile++) {                                                                     \
            T part[TILE], next[TILE], *out = want;                                                                     \
            memcpy(part, in + tile * TILE, sizeof part);                                                               \
            for (int d = TILE / 2; d > 0; d /= 2) {                                                                    \
                memcpy(next, part, sizeof part);                                                                       \
                for (int at = 0; at < TILE; at++)                                                                      \
                    if (ok)                                                                                            \
                        next[at] = (T)(at_step);                                                                       \
                memcpy(part, next, sizeof part);                                                                       \
            }                                                                                                          \
            struct {                                                                                                   \
                int local[1], global[1], tile[1];                                                                      \
            } t = {.tile = {tile}};                                                                                    \
            for (int at = 0; at < TILE; at++) {                                                                        \
                t.global[0] = tile * TILE + at;                                                                        \
                RESULT_##result;                                                                                       \
            }                                                                                                          \
        }                                                                                                              \
        CHECK_BYTES(got, want, N, #name);                                                                              \
        amp_array_view_release(from);                                                                                  \
        amp_array_view_release(to);                                                                                    \
        check_free_all();                                                                                              \
    }

#define RESULT_all out[t.global[0]] = part[at]
#define RESULT_first                                                                                                   \
    if (at == 0)                                                                                                       \
    out[t.tile[0]] = part[0]
#define RESULT_some                                                                                                    \
    if (at < 3)                                                                                                        \
    out[t.global[0]] = part[2 - at]

#define EACH_TYPE(tree, ...)                                                                                           \
    tree(bytes, signed char, __VA_ARGS__)                                                                              \
    tree(shorts, unsigned short, __VA_ARGS__)                                                                          \
    tree(ints, int, __VA_ARGS__)                                                                                       \
    tree(longs, long long, __VA_ARGS__)                                                                                \
    tree(floats, float, __VA_ARGS__)                                                                                   \
    tree(doubles, double, __VA_ARGS__)

/* Sums whose order shows, of all lengths of tiles. */
#define SUM(name, T, TILE, result) TREE(name##_sum_##TILE##_##result, T, TILE, at < d, part[at] - part[at + d], result)
/* The upper end of a tile. */
#define UPPER(name, T, TILE, result)                                                                                   \
    TREE(name##_upper_##TILE, T, TILE, at >= TILE - d, part[at] + part[at - d] * 3, result)
EACH_TYPE(SUM, 8, first)
EACH_TYPE(SUM, 16, all)
EACH_TYPE(SUM, 32, some)
EACH_TYPE(SUM, 64, first)
EACH_TYPE(SUM, 128, all)
EACH_TYPE(SUM, 256, first)
EACH_TYPE(UPPER, 64, all)

/* Quotients: what lanes that are off divide by does not count; */
TREE(quotients, int, 64, at < d, part[at] / (part[at + d] | 1) + part[at], first)
TREE(remainders, unsigned short, 32, at < d, (part[at] * 7 + 3) % (part[at + d] | 1), all)
/* and places in another order. */
TREE(every_other, int, 64, at < d, part[at] + part[2 * d - 1 - at], first)
TREE(next_to_it, float, 64, at < d, part[at] + part[d + (at + 1) % d], all)

/* Threads store to places that come from memory, between the stores that are forwarded. */
static void scattered(amp_tiled_index1(16) t, int n, const int in[n], const int place[n], int m, int out[m])
    restrict(amp)
{
    tile_static int part[16];
    int at = t.local[0];
    part[at] = in[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    part[place[t.global[0]]] = 1000 + at;
    amp_tile_barrier_wait(t.barrier);
    for (int d = 8; d > 0; d /= 2) {
        if (at < d)
            part[at] -= part[at + d];
        amp_tile_barrier_wait(t.barrier);
    }
    if (at == 0)
        out[t.tile[0]] = part[0];
}

static void check_scattered(void)
{
    enum { N = 16 * TILES };
    int in[N], place[N], got[TILES], part[16];
    for (int i = 0; i < N; i++) {
        in[i] = i;
        place[i] = (i * 5 + i / 16) % 16;
    }
    amp_array_view *from = amp_array_view1(N, (const int *)in), *where = amp_array_view1(N, (const int *)place),
                   *to = amp_array_view1(TILES, got);
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), scattered, from, where, to));
    CHECK_OK(amp_synchronize(to));
    for (int tile = 0; tile < TILES; tile++) {
        for (int at = 0; at < 16; at++)
            part[place[16 * tile + at]] = 1000 + at;
        for (int d = 8; d > 0; d /= 2)
            for (int at = 0; at < d; at++)
                part[at] -= part[at + d];
        CHECK_INTS(got + tile, part, 1, "scattered, tile %d", tile);
    }
    amp_array_view_release(from);
    amp_array_view_release(where);
    amp_array_view_release(to);
}

int main(void)
{
    check_scattered();
#define CALL_SUM(name, T, TILE, result) check_##name##_sum_##TILE##_##result();
#define CALL_UPPER(name, T, TILE, result) check_##name##_upper_##TILE();
    EACH_TYPE(CALL_SUM, 8, first)
    EACH_TYPE(CALL_SUM, 16, all)
    EACH_TYPE(CALL_SUM, 32, some)
    EACH_TYPE(CALL_SUM, 64, first)
    EACH_TYPE(CALL_SUM, 128, all)
    EACH_TYPE(CALL_SUM, 256, first)
    EACH_TYPE(CALL_UPPER, 64, all)
    check_quotients();
    check_remainders();
    check_every_other();
    check_next_to_it();
    return 0;
}
