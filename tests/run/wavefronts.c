/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: env AMP_TEST_SCATTERS=fast %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O1 --amp-lanes=16 %s -o %t && %run-native %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 -g %s -o %t && %run-native %t
 *
 * From barrier to barrier, a window of a tile's threads works along a diagonal of tile memory. Each kernel has another
 * condition for it, or something besides that decides whether these threads may run one after another. */
#include "check.h"

#include <limits.h>

enum { TILES = 3, MOST = 64 };

/* What a thread does at first, with an element of its own, in the steps of a loop, and at last, in a kernel and in
 * plain C. */
#define SET_UP(TILE, HEIGHT)                                                                                           \
    spare[thread] = thread;                                                                                            \
    for (int row = 0; row <= HEIGHT; row++)                                                                            \
        cell[row][thread + 1] = (row * 7 + thread * 5 + tile) % 16;                                                    \
    if (thread == 0)                                                                                                   \
        for (int row = 0; row <= HEIGHT; row++)                                                                        \
            cell[row][0] = row, cell[row][TILE + 1] = -row;
#define WORK(ROW, BESIDE, CONDITION, BEFORE, AFTER)                                                                    \
    {                                                                                                                  \
        BEFORE;                                                                                                        \
        int row = (int)(ROW);                                                                                          \
        if (CONDITION) {                                                                                               \
            int up = cell[row][thread + 1] - 3, side = cell[row + 1][BESIDE] - 7;                                      \
            int best = cell[row][BESIDE] + own + shifted;                                                              \
            best = up > best ? up : best;                                                                              \
            cell[row + 1][thread + 1] = side > best ? side : best;                                                     \
        }                                                                                                              \
        AFTER;                                                                                                         \
    }
#define RESULT(HEIGHT, OUT)                                                                                            \
    for (int row = 0; row <= HEIGHT; row++)                                                                            \
        OUT = cell[row][thread + 1] + 1000 * kept + common + spare[thread];

#define KERNEL_OUT out[MOST * tile + row][thread]
#define PLAIN_OUT expected[MOST * tile + row][thread]

/* A thread's elements are in a column. It reads those of the column to the left or to the right, which a thread with a
 * lower or higher number has written in the step before. */
#define KERNEL(name, TYPE, TILE, HEIGHT, ROW, BESIDE, CONDITION, BEFORE, AFTER)                                        \
    static void name(amp_tiled_index1(TILE) t, TYPE from, int steps, int low, int high, int m, const int given[m],     \
                     int height, int width, int out[height][width]) restrict(amp)                                      \
    {                                                                                                                  \
        tile_static int cell[HEIGHT + 1][TILE + 2], spare[TILE], common;                                               \
        int thread = t.local[0], tile = t.tile[0], kept = 0, own = given[(thread * 3 + tile) % m];                     \
        int shifted = high > 3 ? 2 * thread + 1 : 2 * thread;                                                          \
        SET_UP(TILE, HEIGHT)                                                                                           \
        if (thread == 0)                                                                                               \
            common = 0;                                                                                                \
        amp_tile_barrier_wait(t.barrier);                                                                              \
        TYPE d = from;                                                                                                 \
        for (int step = 0; step < steps; step++, d++) {                                                                \
            WORK(ROW, BESIDE, CONDITION, BEFORE, AFTER)                                                                \
            amp_tile_barrier_wait(t.barrier);                                                                          \
        }                                                                                                              \
        RESULT(HEIGHT, KERNEL_OUT)                                                                                     \
    }                                                                                                                  \
    static void name##_plain(TYPE from, int steps, int low, int high, int m, const int *given,                         \
                             int (*expected)[TILE])                                                                    \
    {                                                                                                                  \
        static int cell[HEIGHT + 1][TILE + 2], spare[TILE], keeps[TILE];                                               \
        (void)low;                                                                                                     \
        (void)high;                                                                                                    \
        for (int tile = 0; tile < TILES; tile++) {                                                                     \
            int common = 0;                                                                                            \
            memset(keeps, 0, sizeof keeps);                                                                            \
            for (int thread = 0; thread < TILE; thread++) {                                                            \
                SET_UP(TILE, HEIGHT)                                                                                   \
            }                                                                                                          \
            TYPE d = from;                                                                                             \
            for (int step = 0; step < steps; step++, d++)                                                              \
                for (int thread = 0; thread < TILE; thread++) {                                                        \
                    int own = given[(thread * 3 + tile) % m], kept = keeps[thread];                                    \
                    int shifted = high > 3 ? 2 * thread + 1 : 2 * thread;                                              \
                    WORK(ROW, BESIDE, CONDITION, BEFORE, AFTER)                                                        \
                    keeps[thread] = kept;                                                                              \
                }                                                                                                      \
            for (int thread = 0; thread < TILE; thread++) {                                                            \
                int kept = keeps[thread];                                                                              \
                RESULT(HEIGHT, PLAIN_OUT)                                                                              \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static void name##_check(TYPE from, int steps, int low, int high)                                                  \
    {                                                                                                                  \
        static int found[MOST * TILES][TILE], expected[MOST * TILES][TILE];                                            \
        static const int numbers[] = {5, -3, 8, 0, 2, 9, -6};                                                          \
        amp_auto_array_view *given = amp_array_view1(LENGTH(numbers), numbers);                                        \
        amp_auto_array_view *out = amp_array_view_whole2(found);                                                       \
        CHECK_OK(amp_parallel_for_each(amp_extent1(TILES *TILE), name, from, steps, low, high, given, out));           \
        name##_plain(from, steps, low, high, LENGTH(numbers), numbers, expected);                                      \
        for (int row = 0; row < MOST * TILES; row++)                                                                   \
            for (int thread = 0; thread < TILE; thread++)                                                              \
                if (found[row][thread] != expected[row][thread]) {                                                     \
                    printf(#name "(%lld, %d, %d, %d): row %d, thread %d is %d, not %d\n", (long long)from, steps,      \
                           low, high, row, thread, found[row][thread], expected[row][thread]);                         \
                    exit(1);                                                                                           \
                }                                                                                                      \
    }

/* From the left to the right, and back. */
#define DOWN d - thread
#define UP(TILE) d + thread - (TILE - 1)
#define NOTHING (void)0

#define EACH(DO)                                                                                                       \
    DO(within, int, 16, 16, DOWN, thread, row >= 0 && row < 16, NOTHING, NOTHING)                                      \
    DO(flat, int, 64, 4, DOWN, thread, row >= 0 && row < 4, NOTHING, NOTHING)                                          \
    DO(upwards, int, 20, 33, UP(20), thread + 2, row >= 0 && row < 33, NOTHING, NOTHING)                               \
    DO(odd, int, 33, 17, DOWN, thread, !(row < 0 || row > 16), NOTHING, NOTHING)                                       \
    DO(asked, int, 16, 16, DOWN, thread, row >= low && row < high, NOTHING, NOTHING)                                   \
    DO(asked_upwards, int, 16, 16, UP(16), thread + 2, row <= high - 1 && row > low - 1, NOTHING, NOTHING)             \
    DO(not_signed, int, 16, 16, DOWN, thread, (unsigned)row < (unsigned)high, NOTHING, NOTHING)                        \
    DO(or_equal, int, 16, 16, DOWN, thread, (unsigned)row <= 15u, NOTHING, NOTHING)                                    \
    DO(longs, long long, 16, 16, DOWN, thread, d - thread >= 0 && d - thread < 16, NOTHING, NOTHING)                   \
    DO(above, int, 16, 16, DOWN, thread, thread <= d && thread > d - 16, NOTHING, NOTHING)                             \
    DO(first_ones, int, 16, 16, DOWN, thread, thread <= d && d < 16, NOTHING, NOTHING)                                 \
    DO(last_ones, int, 16, 32, DOWN, thread, thread >= d - 15 && d >= 16 && d < 32, NOTHING, NOTHING)                  \
    DO(counting, int, 16, 16, DOWN, thread, row >= 0 && row < 16, NOTHING, if (thread == 0) common += (int)d)          \
    DO(keeping, int, 16, 16, DOWN, thread, row >= 0 && row < 16, NOTHING, kept += row)                                 \
    DO(keeping_some, int, 16, 16, DOWN, thread, row >= 0 && row < 16 && (kept += row, true), NOTHING, NOTHING)         \
    DO(before_all, int, 16, 16, DOWN, thread, row >= 0 && row < 16, spare[thread] ^= 1, NOTHING)                       \
    DO(others, int, 16, 16, DOWN, thread, row >= 0 && row < 16, NOTHING,                                               \
       if (row < 0 || row >= 16) spare[thread] += 2)

EACH(KERNEL)

#define CHECK(name, TYPE, TILE, HEIGHT, ...)                                                                           \
    for (int from = -3; from < 6; from += 4) {                                                                         \
        name##_check((TYPE)from, TILE + HEIGHT, 0, HEIGHT);                                                            \
        name##_check((TYPE)from, 0, 0, HEIGHT);                                                                        \
        name##_check((TYPE)from, 1, 1, 3);                                                                             \
        name##_check((TYPE)from, 2 * TILE, 2, 2);                                                                      \
        name##_check((TYPE)from, HEIGHT, 3, 1);                                                                        \
    }

int main(void)
{
    EACH(CHECK)

    /* Where sums would not fit into the counter's type. */
    longs_check(LLONG_MAX - 40, 40, 0, 0);
    longs_check(LLONG_MIN + 16, 40, 0, 0);
    asked_check(INT_MAX - 40, 40, 0, 16);
    asked_check(INT_MIN + 16, 40, 0, 16);
    above_check(INT_MIN + 16, 40, 0, 16);
    return 0;
}
