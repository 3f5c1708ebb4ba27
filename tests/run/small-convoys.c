/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run-cpu sh -c 'ulimit -s 512; exec %t'
 * RUN: %ampcc -O2 -DVALUES %s -o %t && %run-cpu sh -c 'ulimit -s 512; exec %t'
 *
 * Small tiles of which each takes much of the stack, as tile memory with its alignment, or for what it keeps from one
 * iteration of a grid-stride loop to the next: their convoys are short, and fit on a small stack. */
#include "check.h"

enum { TILE = 2, STEP = 1 << 14, N = 40 * STEP + 5, KEPT = 64 };

#define EACH(x) x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7) x(8) x(9) x(10) x(11) x(12) x(13) x(14) x(15)

#ifndef VALUES
static void many_variables(amp_tiled_index1(TILE) t, int n, int step, const unsigned char in[n],
                           unsigned char out[step]) restrict(amp)
{
#define DECLARE(i)                                                                                                     \
    tile_static unsigned char part##i;                                                                                 \
    if (t.local[0] == 0)                                                                                               \
        part##i = i;
    EACH(DECLARE)
    amp_tile_barrier_wait(t.barrier);
    unsigned char sum = 0;
    for (int i = t.global[0]; i < n; i += step)
        sum += in[i];
#define ADD(i) sum += part##i;
    EACH(ADD)
    out[t.global[0]] = sum;
}

#else
static void many_values(amp_tiled_index1(TILE) t, int n, int step, int m, const unsigned char in[n],
                        const int kept[m][KEPT], unsigned char out[step]) restrict(amp)
{
#define READ(i)                                                                                                        \
    int a##i = kept[t.tile[0]][i], b##i = kept[t.tile[0]][i + 16], c##i = kept[t.tile[0]][i + 32],                     \
        d##i = kept[t.tile[0]][i + 48];
    EACH(READ)
    unsigned char sum = 0;
    for (int i = t.global[0]; i < n; i += step)
        sum += in[i];
#define USE(i) sum += (unsigned char)((a##i ^ b##i) * (c##i | d##i));
    EACH(USE)
    out[t.global[0]] = sum;
}

#endif

int main(void)
{
    unsigned char *in = check_alloc(N), *out = check_alloc(STEP), *want = check_alloc(STEP);
    int *kept = check_alloc((size_t)STEP / TILE * KEPT * sizeof *kept);
    for (int i = 0; i < N; i++)
        in[i] = (unsigned char)check_value(i);
    for (int i = 0; i < STEP / TILE * KEPT; i++)
        kept[i] = check_value(i + 7);
    amp_array_view *from = amp_array_view1(N, (const unsigned char *)in), *to = amp_array_view1(STEP, out),
                   *more = amp_array_view2(STEP / TILE, KEPT, (const int *)kept);
    for (int i = 0; i < STEP; i++) {
        want[i] = 0;
        for (int j = i; j < N; j += STEP)
            want[i] += in[j];
#ifdef VALUES
        for (const int *k = kept + i / TILE * KEPT, *end = k + 16; k < end; k++)
            want[i] += (unsigned char)((k[0] ^ k[16]) * (k[32] | k[48]));
#else
        want[i] += 15 * 16 / 2;
#endif
    }
#ifdef VALUES
    CHECK_OK(amp_parallel_for_each(amp_extent1(STEP), many_values, from, more, to));
#else
    CHECK_OK(amp_parallel_for_each(amp_extent1(STEP), many_variables, from, to));
#endif
    CHECK_INTS(out, want, STEP, "a sum for each of %d threads", STEP)
    check_release((amp_array_view *[]){from, to, more}, 3);
    return 0;
}
