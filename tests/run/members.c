/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=2 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=8 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 *
 * Neighbouring members of structs, and elements of short rows, which lanes read or write together: some of them or all,
 * under masks, in any order, with other accesses in between. Arrays end with the last element that is meant. */
#include "check.h"

/* Runs a kernel that reads `in` and changes `out`, both of M elements of type T, for n threads. */
#define CHECK_MEMBERS(T, kernel, M)                                                                                    \
    EACH_EXTENT(n)                                                                                                     \
    {                                                                                                                  \
        int m = (M);                                                                                                   \
        T *in = check_alloc((size_t)m * sizeof(T)), *out = check_alloc((size_t)m * sizeof(T));                         \
        T *want = check_alloc((size_t)m * sizeof(T));                                                                  \
        for (int i = 0; i < m; i++) {                                                                                  \
            in[i] = (T)check_value(i);                                                                                 \
            out[i] = want[i] = (T)check_value(i + 777);                                                                \
        }                                                                                                              \
        amp_array_view *from = amp_array_view1(m, (const T *)in), *to = amp_array_view1(m, out);                       \
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), kernel, from, to));                                             \
        for (int i = 0; i < n; i++)                                                                                    \
            kernel((amp_index1){i}, m, in, want);                                                                      \
        if ((T)0.5) {                                                                                                  \
            CHECK_FLOATS(out, want, m, #kernel ", extent %d", n)                                                       \
        } else {                                                                                                       \
            CHECK_INTS(out, want, m, #kernel ", extent %d", n)                                                         \
        }                                                                                                              \
        amp_array_view_release(from);                                                                                  \
        amp_array_view_release(to);                                                                                    \
        check_free_all();                                                                                              \
    }

static void pairs(amp_index1 idx, int m, const float in[m], float out[m]) restrict(cpu, amp)
{
    int i = idx[0];
    float re = in[2 * i], im = in[2 * i + 1];
    out[2 * i] = re * re - im * im;
    out[2 * i + 1] = 2 * re * im;
}

/* The second member comes first. */
static void turned(amp_index1 idx, int m, const double in[m], double out[m]) restrict(cpu, amp)
{
    int i = idx[0];
    double im = in[2 * i + 1], re = in[2 * i];
    out[2 * i + 1] = re;
    out[2 * i] = im;
}

/* Of three, with a gap and without. */
static void triples(amp_index1 idx, int m, const int in[m], int out[m]) restrict(cpu, amp)
{
    int i = idx[0];
    out[3 * i + 2] = in[3 * i];
    out[3 * i] = in[3 * i + 1] + in[3 * i + 2];
    out[3 * i + 1] = in[3 * i + 1] - in[3 * i];
}

static void ends_of_triples(amp_index1 idx, int m, const short in[m], short out[m]) restrict(cpu, amp)
{
    int i = idx[0];
    out[3 * i] = (short)(in[3 * i + 1] + 3);
    out[3 * i + 2] = in[3 * i];
}

static void two_of_four(amp_index1 idx, int m, const int in[m], int out[m]) restrict(cpu, amp)
{
    int i = idx[0];
    out[4 * i + 1] = in[4 * i + 2] * 3;
    out[4 * i + 2] = in[4 * i + 1] ^ in[4 * i + 2];
}

static void four(amp_index1 idx, int m, const float in[m], float out[m]) restrict(cpu, amp)
{
    const float *a = in + 4 * idx[0];
    float *b = out + 4 * idx[0], sum = a[0] + a[1] + a[2] + a[3];
    b[3] = a[0] - sum;
    b[1] = a[2] - sum;
    b[0] = a[3] - sum;
    b[2] = a[1] - sum;
}

/* The last member of a struct, and the first one of the next. */
static void across(amp_index1 idx, int m, const int in[m], int out[m]) restrict(cpu, amp)
{
    int i = idx[0];
    out[2 * i + 1] = in[2 * i + 2];
    out[2 * i + 2] = in[2 * i + 1];
}

/* Members too far apart to be done together. */
static void far(amp_index1 idx, int m, const int in[m], int out[m]) restrict(cpu, amp)
{
    int i = idx[0];
    out[2 * i] = in[2 * i + 7] + in[2 * i];
    out[2 * i + 1] = in[2 * i + 1] * in[2 * i + 2];
}

static void under_masks(amp_index1 idx, int m, const int in[m], int out[m]) restrict(cpu, amp)
{
    int i = idx[0];
    if (in[2 * i] % 3 == 0) {
        out[2 * i] += in[2 * i + 1];
        out[2 * i + 1] = in[2 * i] + i;
    } else if (in[2 * i + 1] > 0)
        out[2 * i + 1] = out[2 * i];
    else {
        int first = out[2 * i], second = out[2 * i + 1];
        out[2 * i] = second;
        out[2 * i + 1] = first;
    }
}

/* What is written is read between, and written again. */
static void in_order(amp_index1 idx, int m, const int in[m], int out[m]) restrict(cpu, amp)
{
    int i = idx[0];
    out[2 * i] = in[2 * i];
    int sum = out[2 * i] + out[2 * i + 1];
    out[2 * i + 1] = sum;
    out[2 * i] = sum - out[2 * i + 1] + in[2 * i + 1];
    for (int k = 0; k < 3; k++) {
        out[2 * i] += out[2 * i + 1];
        out[2 * i + 1] ^= out[2 * i];
    }
}

/* Both arrays may be one. */
static void one_array(amp_index1 idx, int m, int x[m], const int y[m]) restrict(cpu, amp)
{
    int i = idx[0];
    x[2 * i] = y[2 * i + 1] + 1;
    x[2 * i + 1] = y[2 * i] + y[2 * i + 1];
}

static void check_one_array(void)
{
    EACH_EXTENT(n) {
        int *x = check_alloc((size_t)n * 2 * sizeof *x), *want = check_alloc((size_t)n * 2 * sizeof *want);
        for (int i = 0; i < 2 * n; i++)
            x[i] = want[i] = check_value(i);
        amp_array_view *view = amp_array_view1(2 * n, x);
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), one_array, view, view));
        for (int i = 0; i < n; i++)
            one_array((amp_index1){i}, 2 * n, want, want);
        CHECK_INTS(x, want, 2 * n, "one array, extent %d", n)
        amp_array_view_release(view);
        check_free_all();
    }
}

struct cell {
    int id;
    float weight;
};

/* Members of several types; structs in rows. */
static void cells(amp_index2 idx, int m, int n, const struct cell in[m][n], struct cell out[m][n]) restrict(cpu, amp)
{
    const struct cell *a = &in[idx[0]][idx[1]];
    struct cell *b = &out[idx[0]][idx[1]];
    b->id = a->id + (a->weight > 0);
    b->weight = a->weight + (float)a->id;
}

static void check_cells(void)
{
    EACH_FEW(m)
    EACH_EXTENT(n) {
        size_t bytes = (size_t)(m * n) * sizeof(struct cell);
        struct cell *in = check_alloc(bytes), *out = check_alloc(bytes), *want = check_alloc(bytes);
        for (int i = 0; i < m * n; i++)
            in[i] = (struct cell){check_value(i), (float)check_value(i + 3) / 8};
        amp_array_view *from = amp_array_view2(m, n, (const struct cell *)in), *to = amp_array_view2(m, n, out);
        CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), cells, from, to));
        for (int i = 0; i < m * n; i++) {
            want[i].id = in[i].id + (in[i].weight > 0);
            want[i].weight = in[i].weight + (float)in[i].id;
        }
        CHECK_BYTES(out, want, m * n, "cells, %d x %d", m, n)
        amp_array_view_release(from);
        amp_array_view_release(to);
        check_free_all();
    }
}

/* ---- tile memory ---- */

enum { TILE = 40, TILES = 5, N = 2 * TILE * TILES };

static void exchange(amp_tiled_index1(TILE) t, const int in[N], int out[N]) restrict(amp)
{
    tile_static int pairs[2 * TILE];
    int i = t.local[0], from = t.tile[0] * 2 * TILE;
    pairs[2 * i] = in[from + 2 * i];
    pairs[2 * i + 1] = in[from + 2 * i + 1];
    amp_tile_barrier_wait(t.barrier);
    int other = pairs[(2 * i + 5) % (2 * TILE)];
    amp_tile_barrier_wait(t.barrier);
    if (i % 4 != 1) {
        pairs[2 * i] -= other;
        pairs[2 * i + 1] += other;
    }
    amp_tile_barrier_wait(t.barrier);
    out[from + 2 * i] = pairs[2 * i];
    out[from + 2 * i + 1] = pairs[2 * i + 1];
}

static void check_exchange(void)
{
    static int in[N], out[N], want[N];
    for (int i = 0; i < N; i++)
        in[i] = check_value(i);
    for (int i = 0; i < N / 2; i++) {
        int tile = i / TILE * 2 * TILE, local = i % TILE, other = in[tile + (2 * local + 5) % (2 * TILE)];
        want[2 * i] = in[2 * i] - (local % 4 != 1 ? other : 0);
        want[2 * i + 1] = in[2 * i + 1] + (local % 4 != 1 ? other : 0);
    }
    amp_array_view *from = amp_array_view1(N, (const int *)in), *to = amp_array_view1(N, out);
    CHECK_OK(amp_parallel_for_each(amp_extent1(TILE * TILES), exchange, from, to));
    CHECK_INTS(out, want, N, "exchange")
    amp_array_view_release(from);
    amp_array_view_release(to);
}

/* In tile memory, at places of which the smallest is no multiple of the distance between lanes: alone and together,
 * under masks, across the end of a stretch, and with factors of two outside of a sum. Elements between stay. */
#define PHASES(STEP)                                                                                                   \
    STEP(i < TILE - 3, part[4 * i + 3] += part[4 * i + 1];)                                                            \
    STEP(i >= 0, ELEMENT kept = part[4 * i + 1]; part[4 * i + 1] = part[4 * i + 3]; part[4 * i + 3] += kept;)          \
    STEP(i % 3 == 1, part[2 * (2 * i + 1)] ^= (ELEMENT)i;)                                                             \
    STEP(i >= 0, part[4 * i + 5] -= part[4 * i + 3];)                                                                  \
    STEP(i != 7, part[2 * i + 1] *= 3;)                                                                                \
    STEP(i >= 0, part[3 * i + 2] -= (ELEMENT)(5 * i);)

enum { PARTS = 4 * TILE + 4 };
#define IN_TILE(condition, ...)                                                                                        \
    amp_tile_barrier_wait(t.barrier);                                                                                  \
    if (condition) {                                                                                                   \
        __VA_ARGS__                                                                                                    \
    }
#define IN_LOOP(condition, ...)                                                                                        \
    for (int i = 0; i < TILE; i++)                                                                                     \
        if (condition) {                                                                                               \
            __VA_ARGS__                                                                                                \
        }
#define PHASED(ELEMENT_TYPE)                                                                                           \
    static void phased_##ELEMENT_TYPE(amp_tiled_index1(TILE) t, int m, const ELEMENT_TYPE in[m], ELEMENT_TYPE out[m])  \
        restrict(amp)                                                                                                  \
    {                                                                                                                  \
        typedef ELEMENT_TYPE ELEMENT;                                                                                  \
        tile_static ELEMENT part[PARTS];                                                                               \
        int i = t.local[0], from = t.tile[0] * PARTS;                                                                  \
        for (int k = i; k < PARTS; k += TILE)                                                                          \
            part[k] = in[from + k];                                                                                    \
        PHASES(IN_TILE)                                                                                                \
        amp_tile_barrier_wait(t.barrier);                                                                              \
        for (int k = i; k < PARTS; k += TILE)                                                                          \
            out[from + k] = part[k];                                                                                   \
    }                                                                                                                  \
    static void check_phased_##ELEMENT_TYPE(void)                                                                      \
    {                                                                                                                  \
        typedef ELEMENT_TYPE ELEMENT;                                                                                  \
        enum { M = TILES * PARTS };                                                                                    \
        static ELEMENT in[M], out[M], want[M];                                                                         \
        for (int k = 0; k < M; k++)                                                                                    \
            in[k] = want[k] = (ELEMENT)check_value(k);                                                                 \
        for (int tile = 0; tile < TILES; tile++) {                                                                     \
            ELEMENT *part = want + tile * PARTS;                                                                       \
            PHASES(IN_LOOP)                                                                                            \
        }                                                                                                              \
        amp_array_view *from = amp_array_view1(M, (const ELEMENT *)in), *to = amp_array_view1(M, out);                 \
        CHECK_OK(amp_parallel_for_each(amp_extent1(TILES * TILE), phased_##ELEMENT_TYPE, from, to));                   \
        CHECK_INTS(out, want, M, "phases of " #ELEMENT_TYPE)                                                           \
        amp_array_view_release(from);                                                                                  \
        amp_array_view_release(to);                                                                                    \
    }
PHASED(int)
PHASED(short)
PHASED(long)

int main(void)
{
    CHECK_MEMBERS(float, pairs, 2 * n)
    CHECK_MEMBERS(double, turned, 2 * n)
    CHECK_MEMBERS(int, triples, 3 * n)
    CHECK_MEMBERS(short, ends_of_triples, 3 * n)
    CHECK_MEMBERS(int, two_of_four, 4 * n - 1)
    CHECK_MEMBERS(float, four, 4 * n)
    CHECK_MEMBERS(int, across, 2 * n + 1)
    CHECK_MEMBERS(int, far, 2 * n + 6)
    CHECK_MEMBERS(int, under_masks, 2 * n)
    CHECK_MEMBERS(int, in_order, 2 * n)
    check_one_array();
    check_cells();
    check_exchange();
    check_phased_int();
    check_phased_short();
    check_phased_long();
    return 0;
}
