/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 * row: language.tile_static, c6
 *
 * tile_static: scalars, arrays of every type, structs, several, in blocks and functions, in divergent code between
 * barriers, larger than a tile; tiles do not see each other's variables. */
#include "check.h"

enum { S = 40 };

struct cell {
    float weight;
    short at[3];
    bool used;
};
struct pair {
    int64_t x;
    char c;
};

#define KERNEL(name) static void name(amp_tiled_index1(S) t, int N, const int in[N], int64_t out[N]) restrict(amp)

KERNEL(scalars)
{
    tile_static int first;
    tile_static double last;
    tile_static bool any;
    tile_static char letter;
    int l = t.local[0], x = in[t.global[0]];
    if (l == 0) {
        first = x;
        any = false;
        letter = (char)('a' + t.tile[0] % 26);
    }
    if (l == S - 1)
        last = x / 2.0;
    amp_tile_barrier_wait(t.barrier);
    if (x == first && l > 0)
        any = true;
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]] = first + (int64_t)(last * 4) + any * 5 + letter;
}
static int64_t scalars_want(const int *in, int tile, int l)
{
    bool any = false;
    for (int k = 1; k < S; k++)
        any |= in[k] == in[0];
    return in[0] + (int64_t)(in[S - 1] / 2.0 * 4) + any * 5 + 'a' + tile % 26;
}

KERNEL(types)
{
    tile_static bool b[S];
    tile_static int8_t c[S];
    tile_static uint16_t h[S];
    tile_static int64_t w[S];
    tile_static float f[S];
    tile_static double d[S + 1];
    int l = t.local[0], x = in[t.global[0]], k = S - 1 - l;
    b[l] = x & 1;
    c[k] = (int8_t)x;
    h[l] = (uint16_t)(x * 5);
    w[(l + 7) % S] = (int64_t)x * 10000000000;
    f[l] = x * 0.25f;
    d[l + 1] = x * 0.5;
    if (l == 0)
        d[0] = 11;
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]] = b[k] + c[l] * 3 + h[k] * 5 + w[l] + (int64_t)(f[k] * 4) * 7 + (int64_t)(d[l] * 2) * 11;
}
static int64_t types_want(const int *in, int tile, int l)
{
    int k = S - 1 - l, left = l > 0 ? in[l - 1] : 22;
    return (in[k] & 1) + (int8_t)in[k] * 3 + (uint16_t)(in[k] * 5) * 5 + in[(l + S - 7) % S] * 10000000000 + in[k] * 7 +
           left * 11;
}

KERNEL(structs)
{
    tile_static struct cell cells[S];
    tile_static struct pair one;
    int l = t.local[0], x = in[t.global[0]];
    cells[l] = (struct cell){(float)x, {(short)l, (short)x, 3}, x > 0};
    if (l == 3) {
        one.x = x;
        one.c = 'x';
    }
    amp_tile_barrier_wait(t.barrier);
    struct cell other = cells[(l * 7 + 5) % S];
    if (other.used)
        cells[(l * 7 + 5) % S].at[2] += 10; /* one thread each, for 7 and 40 have no common divisor */
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]] = (int64_t)other.weight + other.at[0] * 3 + other.at[1] * 5 + cells[l].at[2] * 7 + one.x + one.c;
}
static int64_t structs_want(const int *in, int tile, int l)
{
    int k = (l * 7 + 5) % S;
    return in[k] + k * 3 + in[k] * 5 + (in[l] > 0 ? 13 : 3) * 7 + in[3] + 'x';
}

KERNEL(larger_than_the_tile)
{
    tile_static int halo[3][S + 4];
    int l = t.local[0], g = t.global[0];
    for (int r = 0; r < 3; r++)
        for (int k = l; k < S + 4; k += S) {
            int at = t.tile_origin[0] + k - 2;
            halo[r][k] = at >= 0 && at < N ? in[at] * (r + 1) : 0;
        }
    amp_tile_barrier_wait(t.barrier);
    int64_t sum = 0;
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 5; k++)
            sum += halo[r][l + k] * (k + r);
    out[g] = sum;
}

KERNEL(blocks)
{
    int l = t.local[0], x = in[t.global[0]];
    {
        tile_static int part[S];
        part[l] = x;
        amp_tile_barrier_wait(t.barrier);
        x += part[(l + 1) % S];
    }
    amp_tile_barrier_wait(t.barrier);
    {
        tile_static int part[S];
        part[l] = x;
        amp_tile_barrier_wait(t.barrier);
        x += part[(l + 2) % S];
    }
    out[t.global[0]] = x;
}
static int64_t blocks_want(const int *in, int tile, int l)
{
    int k = (l + 2) % S;
    return in[l] + in[(l + 1) % S] + in[k] + in[(k + 1) % S];
}

/* Its own memory in a function, one for all calls of it. */
static int exchange(amp_tile_barrier barrier, int l, int x) restrict(amp)
{
    tile_static struct {
        int v[S], sum;
    } shared;
    shared.v[l] = x;
    amp_tile_barrier_wait(barrier);
    int y = shared.v[S - 1 - l];
    if (l == 0)
        shared.sum = shared.v[1] + shared.v[2];
    amp_tile_barrier_wait(barrier);
    return y * 2 + shared.sum;
}

static void fill(int *part, int from, int to, int value) restrict(amp)
{
    for (int k = from; k < to; k++)
        part[k] = value + k;
}

KERNEL(functions)
{
    tile_static int part[2][S];
    int l = t.local[0], x = exchange(t.barrier, l, in[t.global[0]]);
    amp_tile_barrier_wait(t.barrier);
    if (l % 4 == 0)
        fill(part[l / 4 & 1], l, l + 4, x);
    amp_tile_barrier_wait(t.barrier);
    int *p = x & 1 ? part[l / 4 & 1] : &part[l / 4 & 1][0];
    out[t.global[0]] = x + p[l] * 3;
}
static int64_t functions_want(const int *in, int tile, int l)
{
    int sum = in[1] + in[2], x = in[S - 1 - l] * 2 + sum, start = l / 4 * 4;
    return x + (in[S - 1 - start] * 2 + sum + l) * 3;
}

/* Counting with tile memory that threads write in turn. */
KERNEL(turns)
{
    tile_static int count, order[S];
    int l = t.local[0];
    if (l == 0)
        count = 0;
    for (int k = 0; k < S; k++) {
        amp_tile_barrier_wait(t.barrier);
        if (l == (k * 3) % S)
            order[count++] = l;
    }
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]] = order[l] * 1000 + count;
}
static int64_t turns_want(const int *in, int tile, int l)
{
    return l * 3 % S * 1000 + S;
}

int main(void)
{
    static const struct {
        const char *name;
        amp_kernel kernel;
        int64_t (*want)(const int *in, int tile, int l);
    } kernels[] = {
#define ROW(name) {#name, (amp_kernel)name, name##_want}
        ROW(scalars), ROW(types), ROW(structs), ROW(blocks), ROW(functions), ROW(turns),
    };
    for (int tiles = 1; tiles <= 9; tiles++) {
        int n = tiles * S, *in = check_alloc(n * sizeof *in);
        int64_t *out = check_alloc(n * sizeof *out), *want = check_alloc(n * sizeof *want);
        for (int i = 0; i < n; i++)
            in[i] = check_value(i);
        amp_array_view *in_view = amp_array_view1(n, (const int *)in), *out_view = amp_array_view1(n, out);
        for (int k = 0; k < LENGTH(kernels); k++) {
            CHECK_OK(amp_parallel_for_each(amp_extent1(n), kernels[k].kernel, in_view, out_view));
            for (int i = 0; i < n; i++)
                want[i] = kernels[k].want(in + i / S * S, i / S, i % S);
            CHECK_INTS(out, want, n, "%s, %d tiles", kernels[k].name, tiles);
        }
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), larger_than_the_tile, in_view, out_view));
        for (int i = 0; i < n; i++) {
            want[i] = 0;
            for (int r = 0; r < 3; r++)
                for (int k = 0; k < 5; k++)
                    want[i] += i + k >= 2 && i + k - 2 < n ? in[i + k - 2] * (r + 1) * (k + r) : 0;
        }
        CHECK_INTS(out, want, n, "larger_than_the_tile, %d tiles", tiles);
        amp_array_view_release(in_view);
        amp_array_view_release(out_view);
        check_free_all();
    }
    return 0;
}
