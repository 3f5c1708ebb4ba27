/* SPDX-License-Identifier: MIT
 *
 * How long small launches on `all` take, of which the most is planning. Points that are scaled in place stay where they
 * are; sweeps of a stencil move rims between places.
 *
 * for n in 1 4 16; do AMP_DEFAULT_ACCELERATOR=all AMP_PLACES=$n ./plan; done
 *
 * run.py measures one rank of many, without MPI (alone.c). */
#include <amp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { N = 130, LAUNCHES = 1000, ROUNDS = 9 };

static void scale(amp_index2 idx, float points[N][N]) restrict(amp)
{
    points[idx[0]][idx[1]] *= 0.5f;
}

static void sweep(amp_index2 idx, const float from[N][N], float to[N][N]) restrict(amp)
{
    int i = idx[0] + 1, j = idx[1] + 1;
    to[i][j] = 0.25f * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void launch(bool moves, amp_array_view *from, amp_array_view *to)
{
    if (moves)
        amp_parallel_for_each(amp_extent2(N - 2, N - 2), sweep, from, to);
    else
        amp_parallel_for_each(amp_extent2(N, N), scale, from);
}

/* The microseconds that one launch takes, in the best of several rounds. */
static double measure(bool moves, amp_array_view *a, amp_array_view *b)
{
    double best = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_us();
        for (int i = 0; i < LAUNCHES; i++)
            launch(moves, i % 2 ? a : b, i % 2 ? b : a);
        double each = (now_us() - begin) / LAUNCHES;
        best = each < best ? each : best;
    }
    return best;
}

int main(void)
{
    float *points = calloc(2 * N * N, sizeof *points);
    if (!points)
        return 1;
    amp_array_view *a = amp_array_view2(N, N, points), *b = amp_array_view2(N, N, points + N * N);
    const char *places = getenv("AMP_PLACES"), *ranks = getenv("OMPI_COMM_WORLD_SIZE");
    printf("%s %4s", ranks ? "ranks " : "places", ranks ? ranks : places ? places : "");
    printf("   in place %8.2f us", measure(false, a, b));
    printf("   stencil %8.2f us\n", measure(true, a, b));
    fflush(stdout);
    _exit(amp_error_status() != AMP_OK); /* a rank that is alone gets no contents back */
}
