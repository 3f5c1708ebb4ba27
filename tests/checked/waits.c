// Threads keep their variables at barriers, and one that ends with a report keeps no other from going on.
// RUN: %ampcc -O2 -w --amp-check --amp-gpu=none %s -o %t
// RUN: env AMP_DEFAULT_ACCELERATOR=checked AMP_CHECK_TIMEOUT=0.2 %t | FileCheck %s
// RUN: %ampcc -O0 -w --amp-check --amp-gpu=none %s -o %t
// RUN: env AMP_DEFAULT_ACCELERATOR=checked AMP_CHECK_TIMEOUT=0.2 %t | FileCheck %s
#include "Inputs/seed.h"

enum { T = 4, N = 3 * T };

struct pair {
    int first, second;
};

static int neighbour(amp_tile_barrier b, int *s, int i) restrict(amp)
{
    amp_tile_barrier_wait(b);
    int value = s[(i + 1) % T];
    amp_tile_barrier_wait(b);
    return value;
}

static void keep(amp_tiled_index1(T) t, int K, const int a[K], double b[K]) restrict(amp)
{
    tile_static int s[T];
    int i = t.local[0], seen[3] = {0};
    struct pair pair = {i, 0};
    double half = 0.5;
    for (int turn = 0; turn < 3; turn++) {
        s[i] = a[t.global[0]] + turn;
        seen[turn] = neighbour(t.barrier, s, i);
        pair.second += seen[turn];
        half *= 2;
    }
    b[t.global[0]] = half + pair.first + 100 * pair.second + 10000 * seen[i % 3];
} // CHECK: AMP_OK
  // CHECK-NEXT: 20904 41205 61506 10607 62104 82405 102706 51807 103304 123605 143906 93007

static void leaves(amp_tiled_index1(T) t, int K, int b[K]) restrict(amp)
{
    tile_static int s[T];
    int i = t.local[0];
    for (int turn = 0; turn < 3; turn++) {
        s[i] = turn;
        amp_tile_barrier_wait(t.barrier);
        int at = turn == 1 && t.global[0] == 6 ? K : t.global[0];
        b[at] = s[(i + 1) % T]; // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}waits.c:[[@LINE]]:15: leaves, thread (6): writes b[12], b has 12
        amp_tile_barrier_wait(t.barrier); // CHECK-NOT: more
    }
}

static void parts(amp_tiled_index1(T) t, int K, int b[K]) restrict(amp)
{
    tile_static struct pair s[T];
    struct pair part;
    int i = t.local[0];
    s[i].first = s[i].second = i;
    amp_tile_barrier_wait(t.barrier);
    part.first = i;
    s[i] = part;
    amp_tile_barrier_wait(t.barrier);
    b[t.global[0]] = s[i].first + s[i].second; // CHECK: AMP_ERROR_CHECK {{.*}}waits.c:[[@LINE]]:{{[0-9]+}}: parts, thread (0): reads s[0], which nothing has written
}

static void again(amp_tiled_index1(T) t, int K, int b[K]) restrict(amp)
{
    tile_static int s[T];
    if (t.tile[0] == 0) {
        s[t.local[0]] = 1;
        amp_tile_barrier_wait(t.barrier);
    }
    b[t.global[0]] = s[t.local[0]]; // CHECK: AMP_ERROR_CHECK {{.*}}waits.c:[[@LINE]]:22: again, thread (4): reads s[0], which nothing has written
}

static void endless(amp_tiled_index1(T) t, int K, const int a[K], int b[K]) restrict(amp)
{
    for (int sum = 0; a[0] == 1;) { // CHECK: AMP_ERROR_CHECK {{.*}}waits.c:[[@LINE]]:5: endless, thread (0): this loop still runs after
        amp_tile_barrier_wait(t.barrier);
        for (int i = 0; i < T; i++)
            b[t.global[0]] = sum = a[i];
    }
}

static void resets(amp_index1 idx, int K, const int a[K], int b[K]) restrict(amp)
{
    for (int i = 0; i < 8; i++) { // CHECK: AMP_ERROR_CHECK {{.*}}waits.c:[[@LINE]]:5: resets, thread (0): this loop still runs after
        b[idx[0]] = i;
        if (a[i] == 3)
            i = 0;
    }
}

static void never(amp_tiled_index1(T) t, int K, int b[K]) restrict(amp)
{
    int four = (K & 0) + 4;
    if (four == four + four)
        amp_tile_barrier_wait(t.barrier);
    b[t.global[0]] = t.global[0];
} // CHECK: AMP_OK

static void halves(amp_index1 idx, int K, int b[K]) restrict(amp)
{
    for (int half = 8; half > 0; half /= 2)
        b[idx[0]] += half;
    for (int half = 8; half >= 0; half /= 2) // CHECK: AMP_ERROR_CHECK {{.*}}waits.c:[[@LINE]]:5: halves, thread (0): this loop still runs after
        b[idx[0]] = half;
}

static void doubles(amp_index1 idx, int K, int b[K]) restrict(amp)
{
    for (int step = 1; step < 16; step *= 2)
        b[idx[0]] += step;
    for (int step = 0; step < 8; step *= 2) // CHECK: AMP_ERROR_CHECK {{.*}}waits.c:[[@LINE]]:5: doubles, thread (0): this loop still runs after
        b[idx[0]] = step;
}

int main(void)
{
    int a_data[N], b_data[N] = {0};
    double c_data[N];
    for (int i = 0; i < N; i++)
        a_data[i] = i + 1;
    amp_auto_array_view *a = amp_array_view1(N, a_data), *b = amp_array_view1(N, b_data),
                        *c = amp_array_view1(N, c_data);
    amp_extent n = amp_extent1(N);
    MISTAKE(amp_parallel_for_each(n, keep, a, c));
    amp_synchronize(c);
    for (int i = 0; i < N; i++)
        printf("%g%s", c_data[i], i < N - 1 ? " " : "\n");
    MISTAKE(amp_parallel_for_each(n, leaves, b));
    MISTAKE(amp_parallel_for_each(n, parts, b));
    MISTAKE(amp_parallel_for_each(n, again, b));
    MISTAKE(amp_parallel_for_each(n, endless, a, b));
    MISTAKE(amp_parallel_for_each(n, resets, a, b));
    MISTAKE(amp_parallel_for_each(n, never, b));
    MISTAKE(amp_parallel_for_each(n, halves, b));
    MISTAKE(amp_parallel_for_each(n, doubles, b));
    return 0;
}
