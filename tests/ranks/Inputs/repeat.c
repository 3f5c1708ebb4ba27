/* SPDX-License-Identifier: MIT
 * Launches that repeat, in changing orders, with the host's writes in between: their transfers are those of the first
 * time. Everything is compared with plain C, bit by bit. */
#include <amp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SIZE
#define SIZE 61
#endif
enum { N = SIZE, ROUNDS = 2440 / N, KINDS = 6 };

typedef int plate[N][N];

static void sweep(amp_index2 idx, const int from[N][N], int to[N][N]) restrict(amp)
{
    int i = idx[0] + 1, j = idx[1] + 1;
    to[i][j] = 3 * from[i - 1][j] + from[i + 1][j] - from[i][j - 1] + 5 * from[i][j + 1];
}

static void sweep_two(amp_index2 idx, const int a[N][N], const int b[N][N], int c[N][N]) restrict(amp)
{
    int i = idx[0] + 2, j = idx[1] + 2;
    c[i][j] += a[i - 2][j] - 2 * b[i][j + 2] + a[i + 1][j - 1] * b[i + 2][j - 2];
}

static void turn(amp_index2 idx, const int from[N][N], int to[N][N]) restrict(amp)
{
    to[idx[0]][idx[1]] = from[idx[1]][idx[0]] + 1;
}

static void shift(amp_index2 idx, const int from[N][N], int to[N][N], int by) restrict(amp)
{
    to[idx[0]][idx[1]] = from[(idx[0] + by) % N][idx[1]] ^ by;
}

static void scale(amp_index2 idx, int x[N][N], int factor) restrict(amp)
{
    x[idx[0]][idx[1]] = x[idx[0]][idx[1]] * factor + idx[1];
}

/* ---- the same in plain C ---- */

#define EACH(begin, end)                                                                                               \
    for (int i = begin; i < (end); i++)                                                                                \
        for (int j = begin; j < (end); j++)

static void expect(int kind, plate a, plate b, plate c, int by)
{
    static plate before;
    switch (kind) {
    case 0:
        EACH(1, N - 1)
        b[i][j] = 3 * a[i - 1][j] + a[i + 1][j] - a[i][j - 1] + 5 * a[i][j + 1];
        break;
    case 1:
        EACH(2, N - 2)
        c[i][j] += a[i - 2][j] - 2 * b[i][j + 2] + a[i + 1][j - 1] * b[i + 2][j - 2];
        break;
    case 2:
        EACH(0, N)
        b[i][j] = a[j][i] + 1;
        break;
    case 3:
        EACH(0, N)
        c[i][j] = a[(i + by) % N][j] ^ by;
        break;
    case 4:
        EACH(0, N)
        a[i][j] = a[i][j] * by + j;
        break;
    case 5: /* the host */
        memcpy(before, a, sizeof before);
        EACH(0, N)
        a[i][j] = (i + j) % 3 ? before[i][j] : before[j][i] + by;
        break;
    }
}

static void launch(int kind, amp_array_view *a, amp_array_view *b, amp_array_view *c, int by, plate data)
{
    static plate host;
    switch (kind) {
    case 0:
        amp_parallel_for_each(amp_extent2(N - 2, N - 2), sweep, a, b);
        break;
    case 1:
        amp_parallel_for_each(amp_extent2(N - 4, N - 4), sweep_two, a, b, c);
        break;
    case 2:
        amp_parallel_for_each(amp_extent2(N, N), turn, a, b);
        break;
    case 3:
        amp_parallel_for_each(amp_extent2(N, N), shift, a, c, by);
        break;
    case 4:
        amp_parallel_for_each(amp_extent2(N, N), scale, a, by);
        break;
    case 5:
        amp_synchronize(a);
        memcpy(host, data, sizeof host);
        EACH(0, N)
        data[i][j] = (i + j) % 3 ? host[i][j] : host[j][i] + by;
        amp_refresh(a);
        break;
    }
}

int main(void)
{
    static plate data[4], expected[4];
    amp_array_view *views[4];
    int n_wrong = 0;
    srand(7);
    for (int k = 0; k < 4; k++) {
        EACH(0, N)
        data[k][i][j] = expected[k][i][j] = rand() % 100;
        views[k] = amp_array_view2(N, N, &data[k][0][0]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        int kinds[3], order[4] = {0, 1, 2, 3};
        for (int k = 0; k < 3; k++)
            kinds[k] = rand() % (rand() % 4 ? KINDS - 1 : KINDS);
        for (int k = 3; k > 0; k--) {
            int other = rand() % (k + 1), kept = order[k];
            order[k] = order[other];
            order[other] = kept;
        }
        for (int step = 0; step < 12; step++) { /* to and fro */
            int *o = order, kind = kinds[step % 3], a = o[step % 2], b = o[!(step % 2)], by = 1 + round % 3;
            launch(kind, views[a], views[b], views[o[2]], by, data[a]);
            expect(kind, expected[a], expected[b], expected[o[2]], by);
        }
    }
    for (int k = 0; k < 4; k++) {
        amp_synchronize(views[k]);
        n_wrong += memcmp(data[k], expected[k], sizeof data[k]) != 0;
        amp_array_view_release(views[k]);
    }
    if (amp_rank() == 0)
        printf("%d wrong, %s\n", n_wrong, amp_status_name(amp_error_status()));
    return n_wrong > 0;
}
