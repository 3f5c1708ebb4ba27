// Subscripts outside of their own dimension whose address is inside the array: above rank 3, and in helpers, which know
// the rows of a parameter from its type. What only looks like a row has no bounds of its own.
// RUN: %ampcc -O2 -w --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
// RUN: %ampcc -O0 -w --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
#include "Inputs/seed.h"

enum { D = 2, M = 3, N = 4, K = 2 };

struct cell {
    int n, v[3];
};

static void rank4(amp_index1 idx, int A, int B, int C, int D, int x[A][B][C][D]) restrict(amp)
{
    x[0][1][3][idx[0]] = 1; // CHECK: AMP_ERROR_CHECK {{.*}}dimensions.c:[[@LINE]]:24: rank4, thread (0): writes x[0][1][3][0], x has 2x2x3x4;
}

static void rank5(amp_index1 idx, int A, int B, int C, const int x[A][B][C][2][2], int K, int y[K]) restrict(amp)
{
    y[idx[0]] = x[0][1][1][idx[0]][1]; // CHECK: {{.*}}dimensions.c:[[@LINE]]:17: rank5, thread (2): reads x[0][1][1][2][1], x has 2x3x2x2x2;
}

static void tile4(amp_tiled_index1(4) t, int K, int y[K]) restrict(amp)
{
    tile_static int s[2][2][2][4];
    s[0][0][t.local[0]][0] = 1; // CHECK: {{.*}}dimensions.c:[[@LINE]]:28: tile4, thread (2): writes s[0][0][2][0], s has 2x2x2x4;
    amp_tile_barrier_wait(t.barrier);
    y[t.global[0]] = s[0][0][0][0];
}

static void local4(amp_index1 idx, int K, int y[K]) restrict(amp)
{
    int s[2][2][2][4] = {0};
    y[idx[0]] = s[0][idx[0]][1][1]; // CHECK: {{.*}}dimensions.c:[[@LINE]]:17: local4, thread (2): reads s[0][2][1][1], s has 2x2x2x4;
}

static int variable(int M, int N, const int p[M][N], int i, int j) restrict(amp)
{
    return p[i][j]; // CHECK: {{.*}}dimensions.c:[[@LINE]]:12: helper2, thread (4): reads p[1][4], p has rows of 4;
}

static void helper2(amp_index1 idx, int M, int N, const int x[M][N], int K, int y[K]) restrict(amp)
{
    y[idx[0]] = variable(M, N, x, 1, idx[0]);
}

static void constant(int (*p)[4], int i, int j) restrict(amp)
{
    p[i][j] = 1; // CHECK: {{.*}}dimensions.c:[[@LINE]]:13: helper_constant, thread (0): writes p[1][-1], p has rows of 4;
}

static void helper_constant(amp_index1 idx, int M, int x[M][4]) restrict(amp)
{
    constant(x, 1, idx[0] - 1);
}

static int deep(int D, int M, int N, const int p[D][M][N], int i, int j, int k) restrict(amp)
{
    return p[i][j][k]; // CHECK: {{.*}}dimensions.c:[[@LINE]]:12: helper3, thread (3): reads p[0][3][1], p has rows of 3x4;
}

static void helper3(amp_index1 idx, int D, int M, int N, const int x[D][M][N], int K, int y[K]) restrict(amp)
{
    y[idx[0]] = deep(D, M, N, x, 0, idx[0], 1);
}

static int deeper(int A, int B, int C, const int p[][A][B][C], int i, int j) restrict(amp)
{
    return p[0][0][i][j]; // CHECK: {{.*}}dimensions.c:[[@LINE]]:12: helper4, thread (3): reads p[0][0][3][1], p has rows of 2x3x4;
}

static void helper4(amp_index1 idx, int A, int B, int C, int D, int x[A][B][C][D], int K, int y[K]) restrict(amp)
{
    y[idx[0]] = deeper(B, C, D, x, idx[0], 1);
}

static void mixed(int M, int p[][M][2], int i) restrict(amp)
{
    p[0][i][1] = 1; // CHECK: {{.*}}dimensions.c:[[@LINE]]:16: helper_mixed, thread (3): writes p[0][3][1], p has rows of 3x2;
}

static void helper_mixed(amp_index1 idx, int D, int M, int x[D][M][2]) restrict(amp)
{
    mixed(M, x, idx[0]);
}

static void of_local(int p[][3], int i) restrict(amp)
{
    p[0][i] = 1; // CHECK: {{.*}}dimensions.c:[[@LINE]]:13: helper_local, thread (3): writes p[0][3], p has rows of 3;
}

static void helper_local(amp_index1 idx, int K, int y[K]) restrict(amp)
{
    int t[2][3] = {{0}};
    of_local(t, idx[0]);
    y[idx[0]] = t[0][0];
}

static void helper_tile(amp_tiled_index1(4) t, int K, int y[K]) restrict(amp)
{
    tile_static int s[4][3];
    if (t.local[0] == 3)
        of_local(&s[1], 3); // CHECK: {{.*}}dimensions.c:[[@LINE-14]]:13: helper_tile, thread (3): writes p[0][3], p has rows of 3;
    y[t.global[0]] = 1;
}

static int of_struct(const struct cell *p, int j) restrict(amp)
{
    return p[1].v[j]; // CHECK: {{.*}}dimensions.c:[[@LINE]]:12: helper_struct, thread (3): reads element 3 of an array in an element of x; that array has 3;
}

static void helper_struct(amp_index1 idx, int N, const struct cell x[N], int K, int y[K]) restrict(amp)
{
    y[idx[0]] = of_struct(x, idx[0]);
}

static void row_pointer(amp_index1 idx, int M, int x[M][4]) restrict(amp)
{
    int(*p)[4] = x + 1;
    p[0][idx[0]] = 1; // CHECK: {{.*}}dimensions.c:[[@LINE]]:18: row_pointer, thread (4): writes p[0][4], p has rows of 4;
}

static void other_rows(amp_index1 idx, int M, int x[M][4]) restrict(amp)
{
    ((int(*)[8])x)[idx[0]][1] = 1; // CHECK: {{.*}}dimensions.c:[[@LINE]]:31: other_rows, thread (2): writes x[4][1], x has 3x4;
}

static int flat(const int *p, long n, long i, long j) restrict(amp)
{
    return (&p[i * n])[j] + (p + i * n)[j] + *(p + n + j);
}

static int walk(int M, int N, const int p[M][N], int n) restrict(amp)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += (&p[0][0])[i] + *(p[0] + i);
    return sum;
}

static int as_bytes(const struct cell *p, int i) restrict(amp)
{
    return ((const int *)p)[i] + *(p->v + i - 1);
}

struct large {
    int n, v[5];
};

static struct large of_values(int i) restrict(amp)
{
    return (struct large){i, {i, i + 1, i + 2, i + 3, i + 4}};
}

static void right(amp_index1 idx, int M, int N, const int x[M][N], int K, const struct cell c[K],
                  int y[K]) restrict(amp)
{
    y[idx[0]] = flat(&x[0][0], 1, 2, idx[0]) + walk(M, N, x, M * N) + as_bytes(c, idx[0]) + of_values(1).v[2]; // CHECK: AMP_OK
}

int main(void)
{
    static int x[96], y[6], small[M * N];
    static struct cell c[6];
    amp_array_view *x2 = amp_array_view2(M, N, small), *y1 = amp_array_view1(6, y), *x3 = amp_array_view3(D, M, N, x),
                   *x4 = amp_array_view_n(amp_extent_n(4, (int[]){2, 2, 3, 4}), x),
                   *x5 = amp_array_view_n(amp_extent_n(5, (int[]){2, 3, 2, 2, 2}), x),
                   *m3 = amp_array_view3(D, M, K, x),
                   *c1 = amp_array_view_n(amp_extent1(6), c);
    amp_extent n = amp_extent1(6);
    MISTAKE(amp_parallel_for_each(n, rank4, x4));
    MISTAKE(amp_parallel_for_each(n, rank5, x5, y1));
    MISTAKE(amp_parallel_for_each(amp_extent1(4), tile4, y1));
    MISTAKE(amp_parallel_for_each(n, local4, y1));
    MISTAKE(amp_parallel_for_each(n, helper2, x2, y1));
    MISTAKE(amp_parallel_for_each(n, helper_constant, x2));
    MISTAKE(amp_parallel_for_each(n, helper3, x3, y1));
    MISTAKE(amp_parallel_for_each(n, helper4, x4, y1));
    MISTAKE(amp_parallel_for_each(n, helper_mixed, m3));
    MISTAKE(amp_parallel_for_each(n, helper_local, y1));
    MISTAKE(amp_parallel_for_each(amp_extent1(4), helper_tile, y1));
    MISTAKE(amp_parallel_for_each(n, helper_struct, c1, y1));
    MISTAKE(amp_parallel_for_each(n, row_pointer, x2));
    MISTAKE(amp_parallel_for_each(n, other_rows, x2));
    MISTAKE(amp_parallel_for_each(n, right, x2, c1, y1));
    return 0;
}
