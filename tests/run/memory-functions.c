// SPDX-License-Identifier: MIT
// memcpy, memmove and memset in kernels: with constant and variable sizes, uniform or different in each thread, between
// private, tile and array memory and from tables, overlapping, and with size 0; in the forms that clang makes of
// structs and of loops, and where it has to call the C library's functions. The host runs the same functions as a
// reference.
// RUN: %ampcc -O2 %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O0 %s -o %t.plain && %run-alone %t.plain | FileCheck %s
// RUN: %ampcc -O0 -g %s -o %t.kept && %run-alone %t.kept | FileCheck %s
// RUN: %ampcc -O1 -g -fno-builtin %s -o %t.calls && %run-alone %t.calls | FileCheck %s
// RUN: %ampcc -O3 -D_FORTIFY_SOURCE=3 %s -o %t.checked && %run-alone %t.checked | FileCheck %s
// CHECK: 0 wrong
#include "check.h"
#include <string.h>

enum { N = 333, W = 16, TS = 32, TABLE = 40 };

static const int table[TABLE] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4};

/* A row of its own, of its own length, from a row and a table; at its own place. */
void rows(amp_index1 idx, int n, const int lengths[n], const int a[n][W], int b[n][W]) restrict(cpu, amp)
{
    int i = idx[0], length = lengths[i];
    memcpy(b[i], a[i], (size_t)length * sizeof b[i][0]);
    if (length % 3 == 1)
        memcpy(&b[i][length / 2], &table[length], (size_t)(W - length) / 2 * sizeof(int));
    if (i & 1)
        memset((char *)b[i] + length, i, (size_t)(length & 7));
}

/* Between a private array and memory, by a helper for which the size is a parameter. */
static unsigned char *copy(unsigned char *to, const unsigned char *from, size_t size) restrict(cpu, amp)
{
    return memcpy(to, from, size);
}

void privates(amp_index1 idx, int n, const int lengths[n], int same, const unsigned char a[n][W], unsigned char b[n][W])
    restrict(cpu, amp)
{
    unsigned char mine[2 * W];
    int i = idx[0];
    memset(mine, 7, sizeof mine);
    copy(mine, a[i], (size_t)lengths[i]);
    for (int k = 0; k < same + 7; k++)
        b[i][k] = mine[(k + same) % (2 * W)];
    unsigned char *end = copy(b[i], mine, 5) + 5;
    end[0] = (unsigned char)same;
    copy(b[i] + 10, mine, 0);
}

/* Both ways over itself, by the same distance in all threads, and by an own one. */
void moves(amp_index1 idx, int n, const int lengths[n], int by, int b[n][W]) restrict(cpu, amp)
{
    int i = idx[0], own = lengths[i] / 3;
    int mine[W];
    memcpy(mine, b[i], sizeof mine);
    memmove(mine + by, mine, (size_t)(W - by) * sizeof *mine);
    memmove(mine, mine + own, (size_t)(W - own) * sizeof *mine);
    memmove(b[i] + own, b[i], (size_t)(W - own) * sizeof *mine);
    memmove(b[i] + 3, b[i] + 1, 9);
    for (int k = 0; k < by + 5; k++)
        b[i][k] ^= mine[k];
}

/* Neighbouring elements of neighbouring threads; the last element belongs to the first thread that has no other. */
void columns(amp_index1 idx, int n, int m, int count, const float a[m][n], float b[m][n]) restrict(cpu, amp)
{
    for (int k = 0; k < m; k++)
        if ((idx[0] + 1) * count < n)
            memmove(&b[k][idx[0] * count], &a[k][idx[0] * count], (size_t)count * sizeof(float));
        else
            memset(&b[k][n - 1], k, (size_t)(idx[0] * count < n) * sizeof(float));
}

/* What clang and LLVM make of structs and of loops. */
struct large {
    int head;
    int text[75];
    double tail[11];
};

struct odd {
    char text[13];
};

void structs(amp_index1 idx, int n, const int lengths[n], const struct large a[n], struct large b[n], struct odd c[n])
    restrict(cpu, amp)
{
    int i = idx[0];
    struct large one = a[i], zero = {0};
    struct odd odd = {"twelve chars"}, nothing = {{0}};
    if (lengths[i] & 1)
        one = zero;
    for (int k = 0; k < lengths[i]; k++)
        one.text[k] = a[n - 1 - i].text[k];
    b[i] = one;
    c[i] = lengths[i] & 2 ? odd : nothing;
    __builtin_memset(c[i].text + 6, 'x', (size_t)(lengths[i] & 3));
}

/* Tile memory: one thread fills it, each takes a part, a part moves. */
void tiles(amp_tiled_index1(TS) t, int n, int length, const int a[n], int b[n]) restrict(amp)
{
    tile_static int s[2 * TS];
    int first = t.tile_origin[0], l = t.local[0];
    if (l == 0) {
        memset(s, 0, (size_t)(length + TS) * sizeof *s);
        memcpy(s, &a[first], (size_t)length * sizeof *s);
    }
    amp_tile_barrier_wait(t.barrier);
    if (l == TS - 1)
        memmove(s + 3, s, (size_t)length * sizeof *s);
    amp_tile_barrier_wait(t.barrier);
    memcpy(&b[first + l], &s[l], (size_t)(l < length) * sizeof *s);
}

static int lengths[N];

static int run_rows(void)
{
    static int a[N][W], b[N][W], expected[N][W];
    for (int i = 0; i < N * W; i++)
        a[i / W][i % W] = i * 0x3779b97;
    amp_array_view *l = amp_array_view1(N, lengths), *va = amp_array_view2(N, W, a[0]),
                   *vb = amp_array_view2(N, W, b[0]);
    amp_parallel_for_each(amp_extent1(N), rows, l, va, vb);
    for (int i = 0; i < N; i++)
        rows((amp_index1){i}, N, lengths, (const int (*)[W])a, expected);
    amp_array_view_release(vb);
    amp_array_view_release(va);
    amp_array_view_release(l);
    return memcmp(b, expected, sizeof b) != 0;
}

static int run_privates(void)
{
    static unsigned char a[N][W], b[N][W], expected[N][W];
    for (int i = 0; i < N * W; i++)
        a[i / W][i % W] = (unsigned char)(i * 37 >> 2);
    amp_array_view *l = amp_array_view1(N, lengths), *va = amp_array_view2(N, W, a[0]),
                   *vb = amp_array_view2(N, W, b[0]);
    amp_parallel_for_each(amp_extent1(N), privates, l, 9, va, vb);
    for (int i = 0; i < N; i++)
        privates((amp_index1){i}, N, lengths, 9, (const unsigned char (*)[W])a, expected);
    amp_array_view_release(vb);
    amp_array_view_release(va);
    amp_array_view_release(l);
    return memcmp(b, expected, sizeof b) != 0;
}

static int run_moves(int by)
{
    static int b[N][W], expected[N][W];
    for (int i = 0; i < N * W; i++)
        expected[i / W][i % W] = b[i / W][i % W] = i * 7919;
    amp_array_view *l = amp_array_view1(N, lengths), *vb = amp_array_view2(N, W, b[0]);
    amp_parallel_for_each(amp_extent1(N), moves, l, by, vb);
    for (int i = 0; i < N; i++)
        moves((amp_index1){i}, N, lengths, by, expected);
    amp_array_view_release(vb);
    amp_array_view_release(l);
    return memcmp(b, expected, sizeof b) != 0;
}

static int run_columns(int count)
{
    static float a[W][N], b[W][N], expected[W][N];
    for (int i = 0; i < N * W; i++)
        a[i / N][i % N] = (float)i;
    memset(b, 0, sizeof b);
    memset(expected, 0, sizeof expected);
    amp_array_view *va = amp_array_view2(W, N, a[0]), *vb = amp_array_view2(W, N, b[0]);
    amp_parallel_for_each(amp_extent1(N), columns, count, va, vb);
    for (int i = 0; i < N; i++)
        columns((amp_index1){i}, N, W, count, (const float (*)[N])a, expected);
    amp_array_view_release(vb);
    amp_array_view_release(va);
    return memcmp(b, expected, sizeof b) != 0;
}

static int run_structs(void)
{
    static struct large a[N], b[N], expected[N];
    static struct odd c[N], expected_odd[N];
    for (int i = 0; i < N; i++) {
        a[i].head = i;
        for (int k = 0; k < 75; k++)
            a[i].text[k] = i + 3 * k;
        for (int k = 0; k < 11; k++)
            a[i].tail[k] = i + k / 8.0;
    }
    amp_array_view *l = amp_array_view1(N, lengths), *va = amp_array_view1(N, a), *vb = amp_array_view1(N, b),
                   *vc = amp_array_view1(N, c);
    amp_parallel_for_each(amp_extent1(N), structs, l, va, vb, vc);
    for (int i = 0; i < N; i++)
        structs((amp_index1){i}, N, lengths, a, expected, expected_odd);
    int n_wrong = memcmp(c, expected_odd, sizeof c) != 0;
    for (int i = 0; i < N; i++)
        n_wrong += b[i].head != expected[i].head || memcmp(b[i].text, expected[i].text, sizeof b[i].text) ||
                   memcmp(b[i].tail, expected[i].tail, sizeof b[i].tail);
    amp_array_view_release(vc);
    amp_array_view_release(vb);
    amp_array_view_release(va);
    amp_array_view_release(l);
    return n_wrong;
}

static int run_tiles(int length)
{
    enum { M = 8 * TS };
    static int a[M + TS], b[M + TS];
    for (int i = 0; i < M; i++)
        a[i] = i * i;
    memset(b, 0, sizeof b);
    amp_array_view *va = amp_array_view1(M, a), *vb = amp_array_view1(M, b);
    amp_parallel_for_each(amp_extent1(M), tiles, length, va, vb);
    int n_wrong = 0;
    for (int i = 0; i < M; i++) {
        int l = i % TS, first = i - l;
        int expected = l >= length ? 0 : l < 3 ? a[first + l] : a[first + l - 3];
        n_wrong += b[i] != expected;
    }
    amp_array_view_release(vb);
    amp_array_view_release(va);
    return n_wrong;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        lengths[i] = (i * 7 + i / 5) % (W / 2 + 1);
    int n_wrong = run_rows() + run_privates() + run_moves(0) + run_moves(2) + run_moves(11) + run_columns(1) +
                  run_columns(3) + run_columns(0) + run_structs() + run_tiles(0) + run_tiles(1) + run_tiles(TS - 5) +
                  run_tiles(TS);
    printf("%d wrong%s%s\n", n_wrong, amp_error_status() ? ": " : "", amp_error_text());
    return n_wrong > 0;
}
