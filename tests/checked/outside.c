// Accesses outside of arrays, tile memory and local variables.
// RUN: %ampcc -O2 -w --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
// RUN: %ampcc -O0 -w --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
#include "Inputs/seed.h"
#include <math.h>
#include <string.h>

enum { M = 4, N = 6, D = 3 };

struct cell {
    int n;
    float v[3];
};

static void before(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    x[idx[0] - 1] = 0; // CHECK: AMP_ERROR_CHECK {{.*}}outside.c:[[@LINE]]:19: before, thread (0): writes x[-1], x has 6;
}

static void in_row(amp_index2 idx, int M, int N, const float a[M][N], float b[M][N]) restrict(amp)
{
    b[idx[0]][idx[1]] = a[idx[0]][idx[1] + 1]; // CHECK: {{.*}}outside.c:[[@LINE]]:25: in_row, thread (0, 5): reads a[0][6], a has 4x6;
}

static void in_column(amp_index2 idx, int M, int N, const float a[M][N], float b[M][N]) restrict(amp)
{
    b[idx[0]][idx[1]] = a[idx[0] + 1][idx[1]]; // CHECK: {{.*}}outside.c:[[@LINE]]:25: in_column, thread (3, 0): reads a[4][0], a has 4x6;
}

static void constant_rows(amp_index2 idx, int M, const int a[M][6], int b[M][6]) restrict(amp)
{
    b[idx[0]][idx[1]] += a[idx[0]][2 * idx[1]]; // CHECK: {{.*}}outside.c:[[@LINE]]:26: constant_rows, thread (0, 3): reads a[0][6], a has 4x6;
}

static void in_depth(amp_index3 idx, int D, int M, int N, int a[D][M][N]) restrict(amp)
{
    a[idx[0]][idx[1] + (idx[0] == 2)][idx[2]] = 1; // CHECK: {{.*}}outside.c:[[@LINE]]:47: in_depth, thread (2, 3, 0): writes a[2][4][0], a has 3x4x6;
}

static float get(const float *p, int i) restrict(amp)
{
    return p[i]; // CHECK: {{.*}}outside.c:[[@LINE]]:12: by_helper, thread (0): reads x[6], x has 6;
}

static void by_helper(amp_index1 idx, int N, const float x[N], float y[N]) restrict(amp)
{
    y[idx[0]] = get(x, N);
}

static void through_pointer(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    float *p = x + idx[0];
    p += 2;
    *p = 0; // CHECK: {{.*}}outside.c:[[@LINE]]:8: through_pointer, thread (4): writes x[6], x has 6;
}

static void either(amp_index1 idx, int N, const float x[N], int K, const float y[K], float z[N]) restrict(amp)
{
    const float *p = idx[0] % 2 ? x : y;
    z[idx[0]] = p[idx[0]]; // CHECK: {{.*}}outside.c:[[@LINE]]:17: either, thread (4): reads y[4], y has 3;
}

static void of_struct(amp_index1 idx, int N, struct cell x[N]) restrict(amp)
{
    x[idx[0] + 1].v[1] = 0; // CHECK: {{.*}}outside.c:[[@LINE]]:24: of_struct, thread (5): writes x[6], x has 6;
}

static void in_struct(amp_index1 idx, int N, struct cell x[N]) restrict(amp)
{
    x[idx[0]].v[idx[0]] = 0; // CHECK: {{.*}}outside.c:[[@LINE]]:25: in_struct, thread (3): writes element 3 of an array in an element of x; that array has 3
}

static void whole_struct(amp_index1 idx, int N, const struct cell x[N], struct cell y[N]) restrict(amp)
{
    y[idx[0]] = x[idx[0] + 1]; // CHECK: {{.*}}outside.c:[[@LINE]]:17: whole_struct, thread (5): reads x[6], x has 6;
}

static void local_array(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    int t[4] = {0};
    t[idx[0]] = 1; // CHECK: {{.*}}outside.c:[[@LINE]]:15: local_array, thread (4): writes t[4], t has 4;
    x[idx[0]] = t[0];
}

static void local_rows(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    int t[2][4] = {{0}};
    x[idx[0]] = t[0][idx[0]]; // CHECK: {{.*}}outside.c:[[@LINE]]:17: local_rows, thread (4): reads t[0][4], t has 2x4;
}

static void set(int *p, int i) restrict(amp)
{
    p[i] = 1; // CHECK: {{.*}}outside.c:[[@LINE]]:10: local_helper, thread (3): writes t[3], t has 3;
}

static void local_helper(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    int t[3] = {0};
    set(t, idx[0]);
    x[idx[0]] = t[0];
}

static void tile_array(amp_tiled_index1(3) t, int N, int x[N]) restrict(amp)
{
    tile_static int s[3];
    s[t.local[0] + 1] = 1; // CHECK: {{.*}}outside.c:[[@LINE]]:23: tile_array, thread (2): writes s[3], s has 3;
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = s[t.local[0]];
}

static void tile_rows(amp_tiled_index2(2, 3) t, int M, int N, int x[M][N]) restrict(amp)
{
    tile_static int s[2][3];
    s[t.local[0]][t.local[1]] = 1;
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]][t.global[1]] = s[t.local[0]][t.local[1] + 1]; // CHECK: {{.*}}outside.c:[[@LINE]]:35: tile_rows, thread (0, 2): reads s[0][3], s has 2x3;
}

static void atomic(amp_index1 idx, int K, int x[K]) restrict(amp)
{
    amp_atomic_fetch_add(&x[idx[0]], 1); // CHECK: {{.*}}outside.c:[[@LINE]]:5: atomic, thread (6): updates x[6], x has 6;
}

static void long_copy(amp_index1 idx, int N, int x[N], int K, const int y[K]) restrict(amp)
{
    memcpy(&x[2], &y[1], (size_t)(idx[0] + 3) * sizeof *x); // CHECK: {{.*}}outside.c:[[@LINE]]:5: long_copy, thread (0): reads y[3], y has 3;
}

static void long_local_copy(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    int t[4] = {0};
    memset(&t[1], 0, (size_t)(idx[0] + 1) * sizeof *t); // CHECK: {{.*}}outside.c:[[@LINE]]:5: long_local_copy, thread (3): writes t[4], t has 4;
    x[idx[0]] = t[0];
}

static void wider(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    *(long *)&x[5 - idx[0]] = 0; // CHECK: {{.*}}outside.c:[[@LINE]]:29: wider, thread (0): writes x[6], x has 6;
}

static void result(amp_index1 idx, int N, float x[N], int K, float y[K]) restrict(amp)
{
    x[idx[0]] = modff(x[idx[0]], &y[idx[0]]); // CHECK: {{.*}}outside.c:[[@LINE]]:17: result, thread (3): writes y[3], y has 3;
}

int main(void)
{
    static float a[M * N];
    static int i[D * M * N];
    static struct cell c[N], d[N];
    amp_array_view *a1 = amp_array_view1(N, a), *b1 = amp_array_view1(N, a + N), *a2 = amp_array_view2(M, N, a),
                   *i1 = amp_array_view1(N, i), *i2 = amp_array_view2(M, N, i), *j2 = amp_array_view2(M, N, i + M * N),
                   *i3 = amp_array_view3(D, M, N, i), *c1 = amp_array_view_n(amp_extent1(N), c),
                   *d1 = amp_array_view_n(amp_extent1(N), d);
    static float b[M * N], y[3];
    amp_array_view *b2 = amp_array_view2(M, N, b), *y1 = amp_array_view1(3, y), *z1 = amp_array_view1(N, b);
    amp_extent n = amp_extent1(N), mn = amp_extent2(M, N);
    MISTAKE(amp_parallel_for_each(n, before, a1));
    MISTAKE(amp_parallel_for_each(mn, in_row, a2, b2));
    MISTAKE(amp_parallel_for_each(mn, in_column, a2, b2));
    MISTAKE(amp_parallel_for_each(mn, constant_rows, i2, j2));
    MISTAKE(amp_parallel_for_each(amp_extent3(D, M, N), in_depth, i3));
    MISTAKE(amp_parallel_for_each(n, by_helper, a1, z1));
    MISTAKE(amp_parallel_for_each(n, through_pointer, a1));
    MISTAKE(amp_parallel_for_each(n, either, a1, y1, z1));
    MISTAKE(amp_parallel_for_each(n, of_struct, c1));
    MISTAKE(amp_parallel_for_each(n, in_struct, c1));
    MISTAKE(amp_parallel_for_each(n, whole_struct, c1, d1));
    MISTAKE(amp_parallel_for_each(n, local_array, i1));
    MISTAKE(amp_parallel_for_each(n, local_rows, i1));
    MISTAKE(amp_parallel_for_each(n, local_helper, i1));
    MISTAKE(amp_parallel_for_each(n, tile_array, i1));
    MISTAKE(amp_parallel_for_each(mn, tile_rows, i2));
    MISTAKE(amp_parallel_for_each(amp_extent1(9), atomic, i1));
    static int three[3];
    amp_array_view *k1 = amp_array_view1(3, three);
    MISTAKE(amp_parallel_for_each(amp_extent1(1), long_copy, i1, k1));
    MISTAKE(amp_parallel_for_each(n, long_local_copy, i1));
    MISTAKE(amp_parallel_for_each(amp_extent1(1), wider, i1));
    MISTAKE(amp_parallel_for_each(n, result, a1, y1));
    (void)b1;
    return 0;
}
