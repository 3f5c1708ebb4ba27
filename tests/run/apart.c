/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: env AMP_TEST_SCATTERS=fast %run-cpu %t
 * RUN: env AMP_TEST_SCATTERS=slow %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O1 --amp-lanes=16 %s -o %t && %run-native %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 -g %s -o %t && %run-native %t
 *
 * Some threads of a tile access places of tile memory that lie a known distance apart. What the other threads would
 * access lies outside of the array, or belongs to others, who write it meanwhile: it must stay as it is. */
#include "check.h"

enum { TILES = 5, SIDE = 8 };

/* Which threads work in a step, and where the first of all threads would. */
struct step {
    int first, low, high;
};

/* A step for each way in which threads fit into `n` elements: as many as do from the beginning and at the end, one,
 * none, those in the middle. */
static int make_steps(struct step *steps, int n, int tile, int apart)
{
    int wide = abs(apart), fits = (n - 2) / wide + 1, count = 0;
    fits = fits < tile ? fits : tile;
    for (int low = 0; low + fits <= tile; low += low + fits == tile ? 1 : (tile - fits) / 2 + 1) {
        int least = apart > 0 ? 0 : (fits - 1) * wide, most = n - 2 - (fits - 1) * wide;
        steps[count++] = (struct step){least - apart * low, low, low + fits};
        steps[count++] = (struct step){least + most - apart * low, low, low + fits};
        steps[count++] = (struct step){least - apart * low, low + fits / 2, low + fits / 2 + 1};
        steps[count++] = (struct step){least - apart * low, low, low};
    }
    steps[count++] = (struct step){INT32_MIN / 2, tile, tile};
    return count;
}

/* What a thread does at first, in each step, and at last, in a kernel and in plain C. */
#define SET_UP(T, TILE, N)                                                                                             \
    for (int k = thread; k < N; k += TILE)                                                                             \
        part.of[k] = (T)(k % 13);                                                                                      \
    for (int k = thread; k < SIDE; k += TILE)                                                                          \
        before[k] = part.beside[k] = after[k] = (T)(20 + k);
#define WORK(T, APART)                                                                                                 \
    int place = APART > 0 ? first + thread * APART : first - thread * -(APART);                                        \
    if (thread >= low && thread < high)                                                                                \
        part.of[place] = (T)(part.of[place] / 4 + part.of[place + (APART != 1)] / 2 + (T)(thread % 3));                \
    else if (thread < SIDE)                                                                                            \
        part.beside[thread] = before[thread] += (T)1;
#define RESULT(TILE, N, OUT)                                                                                           \
    for (int k = thread; k < N; k += TILE)                                                                             \
        OUT(k) = part.of[k];                                                                                           \
    for (int k = thread; k < SIDE; k += TILE) {                                                                        \
        OUT(N + k) = before[k];                                                                                        \
        OUT(N + SIDE + k) = part.beside[k];                                                                            \
        OUT(N + 2 * SIDE + k) = after[k];                                                                              \
    }

#define KERNEL_OUT(k) out[t.tile[0]][k]
#define PLAIN_OUT(k) expected[k]

#define KERNEL(name, T, TILE, APART, N)                                                                                \
    static void name(amp_tiled_index1(TILE) t, int n, const int steps[n][3], int m, int width, T out[m][width])        \
        restrict(amp)                                                                                                  \
    {                                                                                                                  \
        tile_static T before[SIDE], after[SIDE];                                                                       \
        tile_static struct {                                                                                           \
            T of[N], beside[SIDE];                                                                                     \
        } part;                                                                                                        \
        int thread = t.local[0];                                                                                       \
        SET_UP(T, TILE, N)                                                                                             \
        amp_tile_barrier_wait(t.barrier);                                                                              \
        for (int s = 0; s < n; s++) {                                                                                  \
            int first = steps[s][0], low = steps[s][1], high = steps[s][2];                                            \
            WORK(T, APART)                                                                                             \
            amp_tile_barrier_wait(t.barrier);                                                                          \
        }                                                                                                              \
        RESULT(TILE, N, KERNEL_OUT)                                                                                    \
    }                                                                                                                  \
    static void name##_check(void)                                                                                     \
    {                                                                                                                  \
        enum { WIDTH = N + 3 * SIDE };                                                                                 \
        static T found[TILES][WIDTH], expected[WIDTH], before[SIDE], after[SIDE];                                      \
        static struct {                                                                                                \
            T of[N], beside[SIDE];                                                                                     \
        } part;                                                                                                        \
        struct step steps[4 * TILE + 8];                                                                               \
        int n = make_steps(steps, N, TILE, APART);                                                                     \
        for (int thread = 0; thread < TILE; thread++) {                                                                \
            SET_UP(T, TILE, N)                                                                                         \
        }                                                                                                              \
        for (int s = 0; s < n; s++)                                                                                    \
            for (int thread = 0; thread < TILE; thread++) {                                                            \
                int first = steps[s].first, low = steps[s].low, high = steps[s].high;                                  \
                WORK(T, APART)                                                                                         \
            }                                                                                                          \
        for (int thread = 0; thread < TILE; thread++) {                                                                \
            RESULT(TILE, N, PLAIN_OUT)                                                                                 \
        }                                                                                                              \
        amp_auto_array_view *given = amp_array_view2(n, 3, (const int *)steps);                                        \
        amp_auto_array_view *out = amp_array_view_whole2(found);                                                       \
        CHECK_OK(amp_parallel_for_each(amp_extent1(TILES *TILE), name, given, out));                                   \
        for (int tile = 0; tile < TILES; tile++)                                                                       \
            for (int k = 0; k < WIDTH; k++)                                                                            \
                if (found[tile][k] != expected[k]) {                                                                   \
                    printf(#name ": tile %d, element %d is %g, not %g\n", tile, k, (double)found[tile][k],             \
                           (double)expected[k]);                                                                       \
                    exit(1);                                                                                           \
                }                                                                                                      \
    }

#define EACH(DO)                                                                                                       \
    DO(ints, int, 72, 3, 300)                                                                                          \
    DO(back, int, 72, -2, 150)                                                                                         \
    DO(beside_one_another, int, 72, 1, 90)                                                                             \
    DO(bytes_beside_one_another, int8_t, 100, 1, 120)                                                                  \
    DO(diagonal, int, 16, -16, 17 * 17)                                                                                \
    DO(small_tiles, float, 4, 5, 24)                                                                                   \
    DO(odd_tiles, double, 20, 7, 100)                                                                                  \
    DO(bytes, int8_t, 96, 19, 1900)                                                                                    \
    DO(shorts, int16_t, 33, 17, 400)                                                                                   \
    DO(longs, int64_t, 40, 9, 380)                                                                                     \
    DO(far, float, 24, 65, 1300)                                                                                       \
    DO(few, unsigned, 64, 30, 70)

EACH(KERNEL)

/* Which array it is is the same for all threads; two rows of tiles, whose memory lies side by side. */
static void chosen(amp_tiled_index2(2, 16) t, int shift, int M, int N, int out[M][N]) restrict(amp)
{
    tile_static int a[64], b[2][64];
    int thread = t.local[1] + 16 * t.local[0];
    for (int k = thread; k < 64; k += 32)
        a[k] = k;
    for (int k = thread; k < 128; k += 32)
        b[k / 64][k % 64] = 100 + k;
    amp_tile_barrier_wait(t.barrier);
    int *place = shift > 4 ? a : b[1];
    if (t.local[1] >= shift && t.local[0] == (shift & 1))
        place[4 * (t.local[1] - shift)] += 1000;
    amp_tile_barrier_wait(t.barrier);
    int sum = 0;
    for (int k = 0; k < 64; k++)
        sum += a[k] * (k + thread);
    for (int k = 0; k < 128; k++)
        sum += b[k / 64][k % 64] * (k + 3 * thread);
    out[t.global[0]][t.global[1]] = sum;
}

static void check_chosen(int shift)
{
    enum { M = 4, N = 48 };
    int a[64], b[128], out[M][N];
    for (int k = 0; k < 64; k++)
        a[k] = k;
    for (int k = 0; k < 128; k++)
        b[k] = 100 + k;
    for (int l = shift; l < 16; l++)
        (shift > 4 ? a : b + 64)[4 * (l - shift)] += 1000;
    amp_auto_array_view *view = amp_array_view_whole2(out);
    CHECK_OK(amp_parallel_for_each(amp_extent2(M, N), chosen, shift, view));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int thread = j % 16 + 16 * (i % 2), sum = 0;
            for (int k = 0; k < 64; k++)
                sum += a[k] * (k + thread);
            for (int k = 0; k < 128; k++)
                sum += b[k] * (k + 3 * thread);
            if (out[i][j] != sum) {
                printf("chosen, %d: [%d][%d] is %d, not %d\n", shift, i, j, out[i][j], sum);
                exit(1);
            }
        }
}

/* Several tiles share a block; in one of three no thread works, and their places would be far away. */
static void some_tiles(amp_tiled_index1(4) t, int n, int out[n]) restrict(amp)
{
    tile_static int part[32];
    int thread = t.local[0], is_off = t.tile[0] % 3 == 1, first = is_off << 27;
    for (int k = thread; k < 32; k += 4)
        part[k] = k;
    amp_tile_barrier_wait(t.barrier);
    if (thread > 0 && !is_off)
        part[first + 7 * thread] += 100 * thread;
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]] = part[7 * thread];
}

static void check_some_tiles(void)
{
    enum { N = 4 * 41 };
    int out[N];
    amp_auto_array_view *view = amp_array_view_whole1(out);
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), some_tiles, view));
    for (int i = 0; i < N; i++)
        if (out[i] != 7 * (i % 4) + (i / 4 % 3 == 1 ? 0 : 100 * (i % 4))) {
            printf("some_tiles: [%d] is %d\n", i, out[i]);
            exit(1);
        }
}

#define CHECK(name, ...) name##_check();

int main(void)
{
    EACH(CHECK)
    for (int shift = 0; shift <= 16; shift++)
        check_chosen(shift);
    check_some_tiles();
    return 0;
}
