// Writes to what is const: arrays of const elements, of which the host keeps its copy, and constant tables.
// RUN: %ampcc -O2 -w --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
// RUN: %ampcc -O0 -w --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
#include "Inputs/seed.h"

enum { M = 2, N = 6, T = 3 };

struct cell {
    int n;
    float v[3];
};

static const int table[2][3] = {{1, 2, 3}, {4, 5, 6}};

static void array(amp_index1 idx, int N, const float x[N]) restrict(amp)
{
    ((float *)x)[idx[0]] = 1; // CHECK: AMP_ERROR_CHECK {{.*}}constant.c:[[@LINE]]:26: array, thread (0): writes x[0], but the elements of x are const; declare the parameter without const
}

static void rows(amp_index2 idx, int M, int N, const int a[M][N]) restrict(amp)
{
    int *p = (int *)&a[idx[0]][idx[1]];
    if (idx[0] == 1 && idx[1] == 2)
        *p += 1; // CHECK: {{.*}}constant.c:[[@LINE]]:12: rows, thread (1, 2): writes a[1][2], but the elements of a are const;
}

static void set(float *p, int i) restrict(amp)
{
    p[i] = 2; // CHECK: {{.*}}constant.c:[[@LINE]]:10: by_helper, thread (0): writes x[0], but the elements of x are const;
}

static void by_helper(amp_index1 idx, int N, const float x[N]) restrict(amp)
{
    set((float *)x, idx[0]);
}

static void member(amp_tiled_index1(T) t, int N, const struct cell x[N]) restrict(amp)
{
    struct cell *p = (struct cell *)x;
    p[t.global[0]].v[2] = 1; // CHECK: {{.*}}constant.c:[[@LINE]]:25: member, thread (0): writes x[0], but the elements of x are const;
}

static void whole(amp_index1 idx, int N, const struct cell x[N], struct cell y[N]) restrict(amp)
{
    ((struct cell *)x)[idx[0]] = y[idx[0]]; // CHECK: {{.*}}constant.c:[[@LINE]]:34: whole, thread (0): writes x[0], but the elements of x are const;
}

static void atomic(amp_index1 idx, int N, const int a[N]) restrict(amp)
{
    amp_atomic_fetch_add((int *)&a[1], idx[0]); // CHECK: {{.*}}constant.c:[[@LINE]]:5: atomic, thread (0): updates a[1], but the elements of a are const;
}

static void of_table(amp_index1 idx, int N, int y[N]) restrict(amp)
{
    ((int *)table[1])[idx[0] % 3] = 0; // CHECK: {{.*}}constant.c:[[@LINE]]:35: of_table, thread (0): writes table[1][0], but table is const;
    y[idx[0]] = table[1][idx[0] % 3];
}

static void clear(int *p) restrict(amp)
{
    *p = 0; // CHECK: {{.*}}constant.c:[[@LINE]]:8: in_table, thread (0): writes table[0][1], but table is const;
}

static void in_table(amp_index1 idx, int N, int y[N]) restrict(amp)
{
    clear((int *)&table[0][1]);
    y[idx[0]] = table[0][1];
}

static int get(const int *p, int i) restrict(amp)
{
    return p[i]; // CHECK: {{.*}}constant.c:[[@LINE]]:12: beyond_table, thread (1): reads table[2][0], table has 2x3;
}

static void beyond_table(amp_index1 idx, int N, int y[N]) restrict(amp)
{
    y[idx[0]] = get(&table[1][2], idx[0]);
}

int main(void)
{
    static float x[N] = {1, 1, 1, 1, 1, 1};
    static int a[M * N], y[N];
    static struct cell c[N], d[N];
    amp_array_view *x1 = amp_array_view1(N, x), *a1 = amp_array_view1(M * N, a), *y1 = amp_array_view1(N, y),
                   *a2 = amp_array_view2(M, N, a), *c1 = amp_array_view_n(amp_extent1(N), c),
                   *d1 = amp_array_view_n(amp_extent1(N), d);
    amp_extent n = amp_extent1(N);
    MISTAKE(amp_parallel_for_each(n, array, x1));
    MISTAKE(amp_parallel_for_each(amp_extent2(M, N), rows, a2));
    MISTAKE(amp_parallel_for_each(n, by_helper, x1));
    MISTAKE(amp_parallel_for_each(n, member, c1));
    MISTAKE(amp_parallel_for_each(n, whole, c1, d1));
    MISTAKE(amp_parallel_for_each(n, atomic, a1));
    MISTAKE(amp_parallel_for_each(n, of_table, y1));
    MISTAKE(amp_parallel_for_each(n, in_table, y1));
    MISTAKE(amp_parallel_for_each(n, beyond_table, y1));
    return 0;
}
