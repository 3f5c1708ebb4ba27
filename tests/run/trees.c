/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc -O0 %s -o %t && %run-alone %t
 * RUN: %ampcc --amp-gpu=none -O2 -g %s -o %t && %run-cpu %t
 *
 * From barrier to barrier the first threads of a tile work on scattered elements of tile memory, as in a tree of
 * partial sums: the other threads are left out, or all run one after another. Each kernel has something of its own that
 * decides whether that may be, in the condition or next to it. */
#include "check.h"

enum { TILE = 72, SIZE = 128, TILES = 3, N = TILE * TILES };
/* How many threads work in each step. */
static const int counts[] = {TILE, 36, 16, 17, 1, 0, -5, 71, 2 * TILE, 15, 8, 0};
enum { STEPS = LENGTH(counts) };

#define SET_UP(thread)                                                                                                 \
    if (thread == 0)                                                                                                   \
        part[SIZE] = 1;                                                                                                \
    for (int k = thread; k < SIZE; k += TILE) {                                                                        \
        part[k] = k;                                                                                                   \
        other[k] = 3 * k;                                                                                              \
    }
#define WORK(thread)                                                                                                   \
    {                                                                                                                  \
        unsigned at = (stride * (unsigned)thread + (unsigned)step) % SIZE;                                             \
        worked = step;                                                                                                 \
        last = part[at] += other[at * 5 % SIZE] + step + seen;                                                         \
    }
#define RESULT(thread) (part[thread] + part[SIZE - 1 - thread] + part[SIZE] + mine + 3 * got + seen)

/* A kernel, and the same in plain C. */
#define TREE(name, condition, beside)                                                                                  \
    static void name(amp_tiled_index1(TILE) t, int shift, int steps, const int count[steps], int n, int out[n])        \
        restrict(amp)                                                                                                  \
    {                                                                                                                  \
        tile_static int part[SIZE + 1], other[SIZE];                                                                   \
        int thread = t.local[0], mine = 7 * thread, got = 0, last = 0, worked = 0, seen = 0;                           \
        SET_UP(thread)                                                                                                 \
        unsigned stride = 1;                                                                                           \
        for (int step = 0; step < steps; step++) {                                                                     \
            int active = count[step];                                                                                  \
            last = worked = 0;                                                                                         \
            amp_tile_barrier_wait(t.barrier);                                                                          \
            if (condition)                                                                                             \
                WORK(thread)                                                                                           \
            beside;                                                                                                    \
            stride *= 3;                                                                                               \
        }                                                                                                              \
        amp_tile_barrier_wait(t.barrier);                                                                              \
        out[t.global[0]] = RESULT(thread);                                                                             \
    }                                                                                                                  \
    static void name##_expected(int shift, int out[TILE])                                                              \
    {                                                                                                                  \
        int part[SIZE + 1], other[SIZE], mines[TILE], gots[TILE] = {0}, seen = 0;                                      \
        const int *count = counts;                                                                                     \
        for (int thread = 0; thread < TILE; thread++) {                                                                \
            mines[thread] = 7 * thread;                                                                                \
            SET_UP(thread)                                                                                             \
        }                                                                                                              \
        unsigned stride = 1;                                                                                           \
        for (int step = 0; step < STEPS; step++, stride *= 3) {                                                        \
            int active = count[step];                                                                                  \
            for (int thread = 0; thread < TILE; thread++) {                                                            \
                int mine = mines[thread], got = gots[thread], last = 0, worked = 0;                                    \
                if (condition)                                                                                         \
                    WORK(thread)                                                                                       \
                beside;                                                                                                \
                mines[thread] = mine;                                                                                  \
                gots[thread] = got;                                                                                    \
            }                                                                                                          \
        }                                                                                                              \
        for (int thread = 0; thread < TILE; thread++) {                                                                \
            int mine = mines[thread], got = gots[thread];                                                              \
            out[thread] = RESULT(thread);                                                                              \
        }                                                                                                              \
    }

/* The first threads, said in several ways, */
TREE(below, thread < active, (void)shift)
TREE(up_to, thread <= active - 1, (void)shift)
TREE(above, active > thread, (void)shift)
TREE(denied, !(thread >= active), (void)shift)
TREE(through, thread <= active, (void)shift)
TREE(twice, 2 * thread < 2 * active, (void)shift)
TREE(falling, -thread > -active, (void)shift)
TREE(shifted, thread + shift < active, (void)shift)
TREE(as_unsigned, (unsigned)thread < (unsigned)active, (void)shift)
TREE(loaded, thread < count[step], (void)shift)
TREE(at_most, thread < active && active < TILE, (void)shift)
TREE(wrapping, (unsigned)(thread + shift) < (unsigned)active, (void)shift)
/* others, */
TREE(last, thread >= active, (void)shift)
TREE(one, thread == active, (void)shift)
TREE(others, thread != active, (void)shift)
TREE(around, (int)((unsigned)thread + (unsigned)shift + 0x7ffffff0) < active, (void)0)
TREE(odd, (thread & 1) < active, (void)shift)
/* and what each thread does or keeps besides. */
TREE(counts_all, thread < active, mine += step)
TREE(counts_some, thread < active, mine += thread == 3 ? step : 0)
TREE(keeps, thread < active, got = thread < active ? step : got)
TREE(for_all, thread < active, mine = active + step)
TREE(parts, thread < active, if (thread == 5) mine ^= step)
TREE(first_besides, thread < active, if (thread == 0) part[SIZE] += step)
TREE(first_counts, thread < count[step], if (thread == 0) part[SIZE] += 2 * count[step])
TREE(first_adds, thread < active, if (thread == 0 && active > shift) part[SIZE] ^= active * step)
TREE(first_repeats, thread < active, for (int k = 0; k < active; k++) if (thread == 0) part[SIZE] += k * step)
TREE(ends, thread < active, if (step == 9 && shift == 3) return)
TREE(chosen, thread<active && other[thread] % 7> step % 4, (void)shift)
TREE(first_takes, thread < active, if (thread == 0) part[SIZE] += last)
TREE(first_works, thread < active, if (thread == 0) part[SIZE] += worked)
TREE(all_see, (seen = other[step], thread < active), (void)shift)
TREE(first_sees, (got = other[step], thread < active), if (thread == 0) part[SIZE] += got)
TREE(last_besides, thread < active, if (thread == TILE - 1) part[SIZE] += step)
TREE(works_twice, thread < active, if (thread < active - 1) got += 2)

static int out[N], expected[TILE];

static void compare(const char *name, int shift)
{
    for (int i = 0; i < N; i++)
        if (out[i] != expected[i % TILE]) {
            fprintf(stderr, "%s, shift %d: thread %d: %d, expected %d\n", name, shift, i, out[i], expected[i % TILE]);
            exit(1);
        }
}

#define COMPARE(name, shift)                                                                                           \
    do {                                                                                                               \
        memset(out, 0, sizeof out);                                                                                    \
        memset(expected, 0, sizeof expected);                                                                          \
        CHECK_OK(amp_parallel_for_each(amp_extent1(N), name, shift, count, view));                                     \
        name##_expected(shift, expected);                                                                              \
        compare(#name, shift);                                                                                         \
    } while (0)

int main(void)
{
    amp_auto_array_view *count = amp_array_view1(STEPS, counts), *view = amp_array_view1(N, out);
    static const int shifts[] = {0, -1, -20, 3, 100};
    for (int s = 0; s < LENGTH(shifts); s++) {
        COMPARE(below, shifts[s]);
        COMPARE(up_to, shifts[s]);
        COMPARE(above, shifts[s]);
        COMPARE(denied, shifts[s]);
        COMPARE(through, shifts[s]);
        COMPARE(twice, shifts[s]);
        COMPARE(falling, shifts[s]);
        COMPARE(shifted, shifts[s]);
        COMPARE(as_unsigned, shifts[s]);
        COMPARE(loaded, shifts[s]);
        COMPARE(at_most, shifts[s]);
        COMPARE(wrapping, shifts[s]);
        COMPARE(last, shifts[s]);
        COMPARE(one, shifts[s]);
        COMPARE(others, shifts[s]);
        COMPARE(around, shifts[s]);
        COMPARE(odd, shifts[s]);
        COMPARE(counts_all, shifts[s]);
        COMPARE(counts_some, shifts[s]);
        COMPARE(keeps, shifts[s]);
        COMPARE(for_all, shifts[s]);
        COMPARE(parts, shifts[s]);
        COMPARE(first_besides, shifts[s]);
        COMPARE(first_counts, shifts[s]);
        COMPARE(first_adds, shifts[s]);
        COMPARE(first_repeats, shifts[s]);
        COMPARE(ends, shifts[s]);
        COMPARE(chosen, shifts[s]);
        COMPARE(first_takes, shifts[s]);
        COMPARE(first_works, shifts[s]);
        COMPARE(all_see, shifts[s]);
        COMPARE(first_sees, shifts[s]);
        COMPARE(last_besides, shifts[s]);
        COMPARE(works_twice, shifts[s]);
    }
    puts("right");
    return 0;
}
