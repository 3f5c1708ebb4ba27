// Kernels whose threads all come to the same barriers: they run in loops from barrier to barrier. Results are right,
// and every mistake is found as by threads that wait one by one, which -g asks for: a thread that ends with a report is
// left out of what follows, be it the first or the last, and the others know what all have in common.
// RUN: %ampcc -O2 -w --amp-check --amp-gpu=none %s -o %t
// RUN: env AMP_DEFAULT_ACCELERATOR=checked AMP_CHECK_TIMEOUT=0.2 AMP_CHECK_REPORT=%t.json %t | FileCheck %s
// RUN: %ampcc -O2 -g -w --amp-check --amp-gpu=none %s -o %t
// RUN: env AMP_DEFAULT_ACCELERATOR=checked AMP_CHECK_TIMEOUT=0.2 AMP_CHECK_REPORT=%t-g.json %t | FileCheck %s
// RUN: diff %t.json %t-g.json
// RUN: env AMP_DEFAULT_ACCELERATOR=checked %t right >%t.checked
// RUN: env AMP_DEFAULT_ACCELERATOR=cpu %t right | diff %t.checked -
// RUN: %ampcc -O2 -w --amp-check --amp-gpu=none --amp-dump-after=instrument --amp-stop-after=instrument -c %s \
// RUN:     -o %t.o >%t.ll
// RUN: grep "^define internal void @amp__entry_.*[.]regions(" %t.ll | count 18
// RUN: %ampcc -O2 -g -w --amp-check --amp-gpu=none --amp-dump-after=instrument --amp-stop-after=instrument -c %s \
// RUN:     -o %t.o | not grep "[.]regions("
//
// CHECK-NOT: wrong
#include "Inputs/seed.h"

#include <stdbool.h>

enum { N = 64, T = 16 };

/* ---- right ---- */

#define TREE(name, condition)                                                                                          \
    static void name(amp_tiled_index1(T) t, int N, const int x[N], int y[N]) restrict(amp)                             \
    {                                                                                                                  \
        tile_static int s[T];                                                                                          \
        int i = t.local[0];                                                                                            \
        s[i] = x[t.global[0]];                                                                                         \
        amp_tile_barrier_wait(t.barrier);                                                                              \
        for (int half = T / 2; half > 0; half /= 2) {                                                                  \
            if (condition)                                                                                             \
                s[i] += s[i + half];                                                                                   \
            amp_tile_barrier_wait(t.barrier);                                                                          \
        }                                                                                                              \
        y[t.global[0]] = s[0];                                                                                         \
    }
TREE(tree, i < half)
TREE(tree_other_way, half > i)
TREE(tree_unlike, !(i >= half))

/* The second way of the branch has an effect, in the same round or behind it. */
static void other_way(amp_tiled_index1(T) t, int N, const int x[N], int y[N]) restrict(amp)
{
    tile_static int s[T], u[T];
    int i = t.local[0], own = x[t.global[0]];
    s[i] = own;
    amp_tile_barrier_wait(t.barrier);
    if (i < 3)
        u[i] = s[T - 1 - i];
    else
        u[i] = 7;
    amp_tile_barrier_wait(t.barrier);
    if (i < 5)
        own += u[i + 5];
    amp_tile_barrier_wait(t.barrier);
    if (i == 0)
        u[0] = 100;
    amp_tile_barrier_wait(t.barrier);
    if (i < 2)
        s[i] = u[i] + 1000;
    y[t.global[0]] = own + u[0];
}

/* Threads have more to do in the loop's later turns. */
static void in_turns(amp_tiled_index1(T) t, int N, const int x[N], int y[N]) restrict(amp)
{
    tile_static int s[T];
    int i = t.local[0];
    s[i] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    for (int k = 0; k < T; k++)
        if (i < k)
            s[i] += k;
    amp_tile_barrier_wait(t.barrier);
    y[t.global[0]] = s[T - 1 - i];
}

/* Numbers of all sizes, and variables in memory. */
static void kept(amp_tiled_index2(4, 4) t, int N, const int x[N], int y[N]) restrict(amp)
{
    tile_static struct {
        int a;
        double c;
    } s[4][4];
    int at = t.global[0] * 4 + t.global[1], list[5] = {at, 1, 2, 3, 4};
    char c = (char)at;
    bool is_odd = at & 1;
    long long wide = at * 10000000000ll;
    s[t.local[0]][t.local[1]].a = at;
    s[t.local[0]][t.local[1]].c = 0.5 * at;
    amp_tile_barrier_wait(t.barrier);
    double sum = s[3 - t.local[0]][t.local[1]].c + 2 * at + is_odd;
    list[at % 5] += s[3 - t.local[0]][3 - t.local[1]].a + c;
    amp_tile_barrier_wait_with_tile_static_memory_fence(t.barrier);
    for (int k = 0; k < 5; k++) {
        list[k] += (int)(wide / 5000000000ll);
        s[t.local[0]][t.local[1]].a = list[k];
        amp_tile_barrier_wait(t.barrier);
        sum += s[t.local[1]][t.local[0]].a;
        amp_tile_barrier_wait(t.barrier);
    }
    y[at] = (int)sum + x[at];
}

/* Structs are copied as a whole: their threads wait one by one. */
static void copied(amp_tiled_index1(T) t, int N, const int x[N], int y[N]) restrict(amp)
{
    struct pair {
        int a[3], b;
    };
    tile_static struct pair s[T];
    struct pair own = {{1, 2, t.local[0]}, x[t.global[0]]};
    s[t.local[0]] = own;
    amp_tile_barrier_wait(t.barrier);
    own = s[T - 1 - t.local[0]];
    y[t.global[0]] = own.a[2] + own.b;
}

static int exchange(int s[T], int value, amp_tiled_index3(2, 2, 4) t) restrict(amp)
{
    int i = (t.local[0] * 2 + t.local[1]) * 4 + t.local[2];
    s[i] = value;
    amp_tile_barrier_wait(t.barrier);
    int result = s[T - 1 - i];
    amp_tile_barrier_wait(t.barrier);
    return result;
}

static void helper(amp_tiled_index3(2, 2, 4) t, int N, const int x[N], int y[N], int n) restrict(amp)
{
    tile_static int s[T];
    int at = (t.global[0] * 2 + t.global[1]) * 4 + t.global[2], value = x[at];
    if (n > 3)
        value = exchange(s, value, t);
    else
        value = exchange(s, 2 * value, t) + 1;
    for (int k = 0; k < n; k++)
        for (int j = k; j < n; j += 2)
            value += exchange(s, value + j, t) & 0xff;
    y[at] = value;
}

/* ---- mistakes ---- */

static void race(amp_tiled_index1(T) t, int N, const int x[N], int y[N]) restrict(amp)
{
    tile_static int s[T];
    int i = t.local[0];
    s[i] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    for (int half = T / 2; half > 0; half /= 2) {
        if (i <= half && half < 3)
            s[i] += s[i + half]; // CHECK: {{.*}}regions.c:[[@LINE]]:18: race, thread (2): writes s[2], which thread (0) reads in line [[@LINE]]
        amp_tile_barrier_wait(t.barrier);
    }
    y[t.global[0]] = s[0];
}

static void too_few(amp_tiled_index1(T) t, int N, const int x[N], int y[N]) restrict(amp)
{
    tile_static int s[T];
    int i = t.local[0];
    s[i] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    for (int half = T / 2; half > 0; half /= 2) {
        if (i < half)
            s[i] += s[i + half]; // CHECK: {{.*}}regions.c:[[@LINE]]:18: too_few, thread (1): writes s[1], which thread (0) reads in line [[@LINE]]
    }
    amp_tile_barrier_wait(t.barrier);
    y[t.global[0]] = s[0];
}

static void of_arrays(amp_tiled_index1(T) t, int N, int x[N]) restrict(amp)
{
    tile_static int s[T];
    int i = t.local[0];
    s[i] = x[t.global[0]];
    amp_tile_barrier_wait_with_global_memory_fence(t.barrier);
    x[t.global[0]] = s[(i + 1) % T]; // CHECK: {{.*}}regions.c:[[@LINE]]:22: of_arrays, thread (0): reads s[1], which thread (1) writes in line [[@LINE-2]]
}

static void next_tile(amp_tiled_index1(T) t, int N, int x[N]) restrict(amp)
{
    int own = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    x[(t.global[0] + 1) % N] = own;
    amp_tile_barrier_wait(t.barrier);
}

/* The tree goes on without threads that have ended, and with what the others have in common. */
// CHECK: outside, thread (0): writes y[68], y has 64; test the subscript before the access{{$}}
// CHECK: outside, thread (5): writes s[45], s has 16; {{.*}} (1 more
// CHECK: outside, thread (0): writes y[68], y has 64; {{.*}} (2 more
// CHECK: outside, thread (15): writes y[68], y has 64; {{.*}} (2 more
// CHECK: outside, thread (0): writes y[68], y has 64; {{.*}} (1 more
// CHECK: outside, thread (0): writes y[68], y has 64; {{.*}} (2 more
static void outside(amp_tiled_index1(T) t, int N, const int x[N], int y[N], int first, int step, int but) restrict(amp)
{
    tile_static int s[T];
    int i = t.local[0], own = 3 * i;
    s[i] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    for (int half = T / 2; half > 0; half /= 2) {
        if (i < half)
            s[i] += s[i + half];
        if (half == 4 && i >= first && i % step == 0 && i != but)
            y[N + half] = 1;
        amp_tile_barrier_wait(t.barrier);
        own += half;
        if (half == 2 && i == 5)
            s[T + own] = 1;
    }
    y[t.global[0]] = s[0] / (t.local[0] - 7);
}

static void at_begin(amp_tiled_index1(T) t, int N, const int x[N], int y[N]) restrict(amp)
{
    tile_static int s[T];
    int i = t.local[0];
    s[i] = x[t.global[0] == N - 1 ? N : t.global[0]]; // CHECK: {{.*}}regions.c:[[@LINE]]:12: at_begin, thread (63): reads x[64], x has 64
    amp_tile_barrier_wait(t.barrier);
    y[t.global[0]] = s[(i + 1) % T];
}

static void not_written(amp_tiled_index1(T) t, int N, const int x[N], int y[N]) restrict(amp)
{
    tile_static int s[T];
    int i = t.local[0];
    if (i < T - 1)
        s[i] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    for (int k = 0; k < 2; k++) {
        if (i < 2)
            y[t.global[0]] = s[i + 7 * k + 7]; // CHECK: {{.*}}regions.c:[[@LINE]]:30: not_written, thread (1): reads s[15], which nothing has written
        amp_tile_barrier_wait(t.barrier);
    }
}

static void own_not_written(amp_tiled_index1(T) t, int N, const int x[N], int y[N]) restrict(amp)
{
    int i = t.local[0], list[4], one;
    if (i > 2)
        list[i % 4] = one = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    y[t.global[0]] = list[i % 4]; // CHECK: {{.*}}regions.c:[[@LINE]]:22: own_not_written, thread (0): reads list[0], which nothing has written
    amp_tile_barrier_wait(t.barrier);
    y[t.global[0]] = one;
}

static void overflow(amp_tiled_index1(T) t, int N, const int x[N], int y[N]) restrict(amp)
{
    int own = x[t.global[0]];
    for (int k = 0; k < 4; k++) {
        own += t.global[0] == 37 && k == 2 ? 2147483647 : 1;
        amp_tile_barrier_wait(t.barrier);
    }
    y[t.global[0]] = own / (t.local[0] - 9); // CHECK: {{.*}}regions.c:[[@LINE]]:26: overflow, thread (9): division by zero
}

static void forever(amp_tiled_index1(T) t, int N, const int x[N], int y[N]) restrict(amp)
{
    amp_tile_barrier_wait(t.barrier);
    for (int k = 0; x[t.global[0]] == 22; k ^= 1) // CHECK: {{.*}}regions.c:[[@LINE]]:5: forever, thread (22): this loop still runs after 0 s and may wait forever for another thread
        y[t.global[0]] = k;
    amp_tile_barrier_wait(t.barrier);
}

// CHECK: AMP_ERROR_ABORTED aborts ({{.*}}): amp_abort: no more
static void aborts(amp_tiled_index1(T) t, int N, const int x[N], int y[N]) restrict(amp)
{
    amp_tile_barrier_wait(t.barrier);
    if (t.global[0] == 21)
        amp_abort("no more");
    amp_tile_barrier_wait(t.barrier);
    y[t.global[0]] = 5;
}

/* ---- not all threads come to the same ---- */

static void returns(amp_tiled_index1(T) t, int N, const int x[N], int y[N]) restrict(amp)
{
    amp_tile_barrier_wait(t.barrier);
    if (x[t.global[0]] == 21)
        return;
    amp_tile_barrier_wait(t.barrier); // CHECK: {{.*}}regions.c:[[@LINE]]:5: returns, thread (16): only 15 of the tile's 16 threads reach this barrier
    y[t.global[0]] = 1;
}

static void counts(amp_tiled_index1(T) t, int N, const int x[N], int y[N]) restrict(amp)
{
    int n = 2;
    for (int k = 0; k < x[t.global[0]]; k += 30)
        n++;
    for (int k = 0; k < n; k++)
        amp_tile_barrier_wait(t.barrier); // CHECK: {{.*}}regions.c:[[@LINE]]:9: counts, thread (1): only 15 of the tile's 16 threads reach this barrier
}

static void from_memory(amp_tiled_index1(T) t, int N, const int x[N], int y[N]) restrict(amp)
{
    tile_static int n;
    n = 0; // CHECK: {{.*}}regions.c:[[@LINE]]:7: from_memory, thread (1): writes n, which thread (0) writes in line [[@LINE+2]]
    while (n < 2) {
        n = n + 1;
        amp_tile_barrier_wait(t.barrier);
    }
}

static void unlike(amp_tiled_index1(T) t, int N, const int x[N], int y[N]) restrict(amp)
{
    int way = 0;
    if (x[t.global[0]] > 40)
        way = 1;
    if (way)
        amp_tile_barrier_wait(t.barrier);
    else
        amp_tile_barrier_wait(t.barrier); // CHECK: {{.*}}regions.c:[[@LINE]]:9: unlike, thread (32): only 9 of the tile's 16 threads reach this barrier
}

static void show(const char *name, const int *y)
{
    printf("%s:", name);
    for (int i = 0; i < N; i++)
        printf(" %d", y[i]);
    printf("\n");
}

int main(int n_args, char **args)
{
    static int x[N], y[N];
    (void)args;
    for (int i = 0; i < N; i++)
        x[i] = i;
    amp_array_view *vx = amp_array_view1(N, x), *vy = amp_array_view1(N, y);
    amp_extent n = amp_extent1(N);
#define RIGHT(name, extent, ...) \
    do { \
        amp_status status_ = amp_parallel_for_each(extent, name, vx, vy, ##__VA_ARGS__); \
        if (status_ == AMP_OK) \
            amp_synchronize(vy); \
        show(status_ == AMP_OK ? #name : "wrong", y); \
    } while (0)
    RIGHT(tree, n);
    RIGHT(tree_other_way, n);
    RIGHT(tree_unlike, n);
    RIGHT(other_way, n);
    RIGHT(in_turns, n);
    RIGHT(kept, amp_extent2(16, 4));
    RIGHT(copied, n);
    RIGHT(helper, amp_extent3(8, 2, 4), 2);
    RIGHT(helper, amp_extent3(8, 2, 4), 5);
    if (n_args > 1)
        return 0;
    MISTAKE(amp_parallel_for_each(n, race, vx, vy));
    MISTAKE(amp_parallel_for_each(n, too_few, vx, vy));
    MISTAKE(amp_parallel_for_each(n, of_arrays, vx));
    MISTAKE(amp_parallel_for_each(n, next_tile, vx));
    MISTAKE(amp_parallel_for_each(n, outside, vx, vy, 0, 1, 16));
    MISTAKE(amp_parallel_for_each(n, outside, vx, vy, 16, 1, 0));
    MISTAKE(amp_parallel_for_each(n, outside, vx, vy, 0, 16, 1));
    MISTAKE(amp_parallel_for_each(n, outside, vx, vy, 15, 1, 0));
    MISTAKE(amp_parallel_for_each(n, outside, vx, vy, 0, 1, 5));
    MISTAKE(amp_parallel_for_each(n, outside, vx, vy, 0, 2, 16));
    MISTAKE(amp_parallel_for_each(n, at_begin, vx, vy));
    MISTAKE(amp_parallel_for_each(n, not_written, vx, vy));
    MISTAKE(amp_parallel_for_each(n, own_not_written, vx, vy));
    MISTAKE(amp_parallel_for_each(n, overflow, vx, vy));
    MISTAKE(amp_parallel_for_each(n, forever, vx, vy));
    MISTAKE(amp_parallel_for_each(n, aborts, vx, vy));
    MISTAKE(amp_parallel_for_each(n, returns, vx, vy));
    MISTAKE(amp_parallel_for_each(n, counts, vx, vy));
    MISTAKE(amp_parallel_for_each(n, from_memory, vx, vy));
    MISTAKE(amp_parallel_for_each(n, unlike, vx, vy));
    return 0;
}
