/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Wextra -Werror %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O1 --amp-lanes=8 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O3 --amp-cpu=native %s -o %t && %run-native %t
 *
 * Branches in branches that are masks, where paths meet before all do, and bring values: such that are the same for all
 * threads, for all rows, or for none; blocks of several vectors and rows, of which some go nowhere. */
#include "check.h"

#define ROWS(name)                                                                                                     \
    static void name(amp_index2 idx, int m, int n, int k, const int line[n], const int a[m][n], int out[m][n],         \
                     int other[m][n]) restrict(cpu, amp)

/* A value that is the same for all threads. */
ROWS(uniform)
{
    int y = idx[0], x = idx[1], had = out[y][x], next = other[y][x];
    if (a[y][x] > 0) {
        int value = 1;
        if (k > 3) {
            out[y][x] = had + 5;
            value = 2;
        }
        other[y][x] = next + value;
    }
    (void)line;
}

/* One that is the same for all rows. */
ROWS(of_column)
{
    int y = idx[0], x = idx[1], had = out[y][x], next = other[y][x], value = line[x];
    if (a[y][x] > 0) {
        if (value > 3) {
            out[y][x] = had + k;
            value = value * 3 ^ 5;
        }
        other[y][x] = next + value;
    }
}

/* One that differs between rows, others from place to place, and several that meet at once. */
ROWS(several)
{
    int y = idx[0], x = idx[1], had = out[y][x], next = other[y][x], value = y, place = x;
    if (a[y][x] > 1 || (a[y][x] == 1 && had > k)) {
        if (y % 3 == 1)
            value = k;
        else if (line[x] > 2) {
            out[y][x] = had - next;
            value = line[x];
            place = y;
        }
        other[y][x] = next + value * 7 + place;
    } else if (a[y][x] == 0)
        out[y][x] = had + next;
}

/* Guards of what goes to tile memory, in blocks of many rows. */
enum { S = 32 };
static void tiled(amp_tiled_index2(S, S) t, int m, int n, int limit, int out[m][n]) restrict(amp)
{
    tile_static int part[S][S], two[S][S];
    int y = t.global[0], x = t.global[1], sum = 0;
    for (int round = 0; round < 3; round++) {
        two[t.local[0]][t.local[1]] = 0;
        part[t.local[0]][t.local[1]] = 0;
        if (y >= round + 5) {
            int value = 1;
            if (x < limit) {
                two[t.local[0]][t.local[1]] = 5 + round;
                value = x * 3 + round;
            }
            part[t.local[0]][t.local[1]] = value;
        }
        amp_tile_barrier_wait(t.barrier);
        for (int j = 0; j < S; j++)
            sum += part[t.local[0]][j] * two[j][t.local[1]];
        amp_tile_barrier_wait(t.barrier);
    }
    out[y][x] = sum;
}

static int part_at(int y, int x, int round, int limit)
{
    return y < round + 5 ? 0 : x < limit ? x * 3 + round : 1;
}

static void check_tiled(int limit)
{
    enum { M = 2 * S, N = 3 * S };
    static int out[M * N], want[M * N];
    amp_array_view *to = amp_array_view2(M, N, out);
    CHECK_OK(amp_parallel_for_each(amp_extent2(M, N), tiled, limit, to));
    CHECK_OK(amp_synchronize(to));
    for (int y = 0; y < M; y++)
        for (int x = 0; x < N; x++) {
            int sum = 0;
            for (int round = 0; round < 3; round++)
                for (int j = 0; j < S; j++)
                    sum += part_at(y, x / S * S + j, round, limit) *
                           (y / S * S + j >= round + 5 && x < limit ? 5 + round : 0);
            want[y * N + x] = sum;
        }
    CHECK_INTS(out, want, M * N, "tiled, limit %d", limit);
    amp_array_view_release(to);
}

static void check_rows(int m, int n, int k, int form)
{
    int *line = check_alloc(n * sizeof *line), *a = check_alloc(m * n * sizeof *a);
    int *out[2], *other[2];
    for (int i = 0; i < 2; i++) {
        out[i] = check_alloc(m * n * sizeof **out);
        other[i] = check_alloc(m * n * sizeof **other);
    }
    for (int i = 0; i < n; i++)
        line[i] = i % 7;
    for (int i = 0; i < m * n; i++) {
        a[i] = form == 0 ? i / n % 2 : form == 1 ? i % n / 8 % 2 : form == 2 ? i % n / 16 % 3 : i * 31 % 5 - 1;
        out[0][i] = out[1][i] = i % 11;
        other[0][i] = other[1][i] = i % 13;
    }
    amp_array_view *views[] = {amp_array_view1(n, (const int *)line), amp_array_view2(m, n, (const int *)a),
                               amp_array_view2(m, n, out[0]), amp_array_view2(m, n, other[0])};
#define CHECK(kernel)                                                                                                  \
    CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), kernel, k, views[0], views[1], views[2], views[3]));             \
    CHECK_OK(amp_synchronize(views[2]));                                                                               \
    CHECK_OK(amp_synchronize(views[3]));                                                                               \
    for (int i = 0; i < m * n; i++)                                                                                    \
        kernel((amp_index2){i / n, i % n}, m, n, k, line, (void *)a, (void *)out[1], (void *)other[1]);                \
    CHECK_INTS(out[0], out[1], m *n, #kernel ", %d x %d, form %d", m, n, form);                                        \
    CHECK_INTS(other[0], other[1], m *n, #kernel ", %d x %d, form %d: other", m, n, form)
    CHECK(uniform);
    CHECK(of_column);
    CHECK(several);
    for (int i = 0; i < 4; i++)
        amp_array_view_release(views[i]);
    check_free_all();
}

int main(void)
{
    static const int lengths[] = {1, 7, 33, 64, 100};
    for (unsigned s = 0; s < LENGTH(lengths); s++)
        for (int form = 0; form < 4; form++)
            for (int k = 0; k < 8; k += 5)
                check_rows(4 + form, lengths[s], k, form);
    for (int limit = 0; limit < 100; limit += 9)
        check_tiled(limit);
    return 0;
}
