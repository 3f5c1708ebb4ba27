/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 *
 * What loops carry across barriers, where a tile has several blocks: what a region between barriers changes, hands on
 * under another name, exchanges or leaves alone. */
#include "check.h"

enum { SIDE = 16, TILES = 2, ROUNDS = 7 };
#define TILE amp_tiled_index2(SIDE, SIDE)

/* Between the loop's end and the first barrier the sum stays as it is. */
static void sums(TILE t, int n, int w, const int a[n][w], int out[n][n]) restrict(amp)
{
    tile_static int part[SIDE][SIDE];
    int i = t.local[0], j = t.local[1], sum = 0;
    for (int k = 0; k < w; k++) {
        part[i][j] = a[t.global[0]][k] + j;
        amp_tile_barrier_wait(t.barrier);
        sum += part[j][i];
        amp_tile_barrier_wait(t.barrier);
    }
    out[t.global[0]][t.global[1]] = sum;
}

/* Two values change places, and a third follows. */
static void turns(TILE t, int n, int w, const int a[n][w], int out[n][n]) restrict(amp)
{
    int x = (int)t.global[1], y = a[t.global[0]][0], z = 1;
    for (int k = 1; k < w; k++) {
        int old = x;
        x = y;
        amp_tile_barrier_wait(t.barrier);
        y = old + z;
        z = k & 1 ? z : y - old;
        amp_tile_barrier_wait(t.barrier);
        if (k % 3 == 0)
            z += a[t.global[0]][k];
    }
    out[t.global[0]][t.global[1]] = x * 31 + y * 7 + z;
}

/* Each number is the sum of the two before it. */
static void growth(TILE t, int n, int w, const int a[n][w], int out[n][n]) restrict(amp)
{
    unsigned before = 1, now = (unsigned)(a[t.global[0]][0] & 15) + (unsigned)t.global[1];
    for (int k = 0; k < w; k++) {
        unsigned next = before + now;
        amp_tile_barrier_wait(t.barrier);
        before = now;
        now = next;
    }
    out[t.global[0]][t.global[1]] = (int)(before ^ now);
}

/* Only some threads change the value, in one of two regions. */
static void some(TILE t, int n, int w, const int a[n][w], int out[n][n]) restrict(amp)
{
    tile_static int part[SIDE][SIDE];
    int i = t.local[0], j = t.local[1], sum = 0, most = a[t.global[0]][0];
    for (int k = 0; k < w; k++) {
        part[j][i] = a[t.global[0]][k] * (j + 1);
        amp_tile_barrier_wait(t.barrier);
        int other = part[i][j];
        if (other > most)
            most = other;
        if (k % 2 == 0) {
            amp_tile_barrier_wait(t.barrier);
            if (other & 1)
                sum += most;
        }
        amp_tile_barrier_wait(t.barrier);
    }
    out[t.global[0]][t.global[1]] = sum - most;
}

/* A loop with barriers in another one, and a loop without in between. */
static void nested(TILE t, int n, int w, const int a[n][w], int out[n][n]) restrict(amp)
{
    tile_static unsigned part[SIDE][SIDE];
    int i = t.local[0], j = t.local[1];
    unsigned sum = 0, product = 1;
    for (int k = 0; k < w; k++) {
        for (int step = 1; step < SIDE; step *= 2) {
            part[i][j] = product + (unsigned)a[t.global[0]][k];
            amp_tile_barrier_wait(t.barrier);
            sum += part[i][(j + step) % SIDE];
            amp_tile_barrier_wait(t.barrier);
        }
        for (int again = 0; again < k; again++)
            product = product * 3 + sum % 5;
    }
    out[t.global[0]][t.global[1]] = (int)(sum ^ product);
}

enum { N = SIDE * TILES };

static void expect_sums(int w, const int a[N][w], int want[N][N])
{
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            want[y][x] = 0;
            for (int k = 0; k < w; k++)
                want[y][x] += a[y / SIDE * SIDE + x % SIDE][k] + y % SIDE;
        }
}

static void expect_turns(int w, const int a[N][w], int want[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int x = j, y = a[i][0], z = 1;
            for (int k = 1; k < w; k++) {
                int old = x;
                x = y;
                y = old + z;
                z = k & 1 ? z : y - old;
                if (k % 3 == 0)
                    z += a[i][k];
            }
            want[i][j] = x * 31 + y * 7 + z;
        }
}

static void expect_growth(int w, const int a[N][w], int want[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            unsigned before = 1, now = (unsigned)(a[i][0] & 15) + (unsigned)j;
            for (int k = 0; k < w; k++) {
                unsigned next = before + now;
                before = now;
                now = next;
            }
            want[i][j] = (int)(before ^ now);
        }
}

static void expect_some(int w, const int a[N][w], int want[N][N])
{
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            int sum = 0, most = a[y][0];
            for (int k = 0; k < w; k++) {
                int other = a[y / SIDE * SIDE + x % SIDE][k] * (y % SIDE + 1);
                most = other > most ? other : most;
                if (k % 2 == 0 && other & 1)
                    sum += most;
            }
            want[y][x] = sum - most;
        }
}

static void expect_nested(int w, const int a[N][w], int want[N][N])
{
    for (int i = 0; i < N; i++)
        for (int from = 0; from < N; from += SIDE) {
            unsigned sum[SIDE] = {0}, product[SIDE], part[SIDE];
            for (int j = 0; j < SIDE; j++)
                product[j] = 1;
            for (int k = 0; k < w; k++) {
                for (int step = 1; step < SIDE; step *= 2) {
                    for (int j = 0; j < SIDE; j++)
                        part[j] = product[j] + (unsigned)a[i][k];
                    for (int j = 0; j < SIDE; j++)
                        sum[j] += part[(j + step) % SIDE];
                }
                for (int j = 0; j < SIDE; j++)
                    for (int again = 0; again < k; again++)
                        product[j] = product[j] * 3 + sum[j] % 5;
            }
            for (int j = 0; j < SIDE; j++)
                want[i][from + j] = (int)(sum[j] ^ product[j]);
        }
}

#define CHECK_ALL(kernel)                                                                                              \
    do {                                                                                                               \
        amp_parallel_for_each(amp_extent2(N, N), kernel, in, out);                                                     \
        expect_##kernel(w, (const int(*)[w])a, (int(*)[N])want);                                                       \
        CHECK_INTS(got, want, N *N, #kernel ", %d rounds", w);                                                         \
    } while (0)

int main(void)
{
    for (int w = 1; w <= ROUNDS; w += 2) {
        int *a = check_alloc((size_t)(N * w) * sizeof *a), *got = check_alloc(N * N * sizeof *got);
        int *want = check_alloc(N * N * sizeof *want);
        for (int i = 0; i < N * w; i++)
            a[i] = check_value(i) % 50;
        amp_array_view *in = amp_array_view2(N, w, (const int *)a), *out = amp_array_view2(N, N, got);
        CHECK_ALL(sums);
        CHECK_ALL(turns);
        CHECK_ALL(growth);
        CHECK_ALL(some);
        CHECK_ALL(nested);
        check_release((amp_array_view *[]){in, out}, 2);
        check_free_all();
    }
    return 0;
}
