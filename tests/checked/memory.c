// Memory that is not a view's of host data: new arrays, arrays in memory of the user, memory that is used again after
// amp_discard_data.
// RUN: %ampcc -O2 -w --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
// RUN: %ampcc -O0 -w --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
#include "Inputs/seed.h"

enum { M = 2, N = 6, T = 3 };

static void fill(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] = idx[0];
}

static void add(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] += 1;
    // CHECK: AMP_ERROR_CHECK {{.*}}memory.c:[[@LINE-1]]:15: add, thread (0): reads x[0], which nothing has written
    // CHECK-NEXT: AMP_OK
    // CHECK-NEXT: AMP_OK
    // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}memory.c:[[@LINE-4]]:15: add, thread (0): reads x[0], which nothing has written
}

static void get(amp_index2 idx, int M, int N, const int a[M][N], int b[M][N]) restrict(amp)
{
    b[idx[0]][idx[1]] = a[idx[0]][idx[1]];
    // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}memory.c:[[@LINE-1]]:25: get, thread (1, 0): reads a[1][0], which nothing has written
    // CHECK-NEXT: AMP_OK
    // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}memory.c:[[@LINE-3]]:25: get, thread (0, 2): reads a[0][2], which nothing has written
}

static void copied(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] += 2; // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}memory.c:[[@LINE]]:15: copied, thread (0): reads x[0], which nothing has written
}

static void reverse(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] = x[N - 1 - idx[0]]; // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}memory.c:[[@LINE]]:17: reverse, thread (3): reads x[2], which thread (2) writes in line [[@LINE]];
}

static void neighbour(amp_tiled_index1(T) t, int K, const int a[K], int b[K]) restrict(amp)
{
    b[t.global[0]] = a[t.global[0]]; // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}memory.c:[[@LINE]]:22: neighbour, thread (1): reads a[1], which thread (0) writes in line [[@LINE]],
}

static void count(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[0]++; // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}memory.c:[[@LINE]]:9: count, thread (1): reads x[0], which thread (0) writes in line [[@LINE]];
}

static void arrays(amp_extent n)
{
    amp_array *x = amp_array1(int, N);
    MISTAKE(amp_parallel_for_each(n, add, x));
    MISTAKE(amp_parallel_for_each(n, fill, x));
    MISTAKE(amp_parallel_for_each(n, add, x));
    amp_array_release(x);
    x = amp_array1(int, N);
    MISTAKE(amp_parallel_for_each(n, add, x));
    amp_array_release(x);
}

static void discarded(amp_extent mn)
{
    static int a[M * N], b[M * N];
    amp_array_view *va = amp_array_view2(M, N, a), *vb = amp_array_view2(M, N, b);
    amp_array_view *row = amp_array_view_section2(va, 1, 0, 1, N), *column = amp_array_view_section2(va, 0, 2, M, 2);
    amp_synchronize_to(va, amp_accelerator_default_view(amp_accelerator_default()));
    amp_discard_data(row);
    MISTAKE(amp_parallel_for_each(mn, get, va, vb));
    amp_refresh(va);
    MISTAKE(amp_parallel_for_each(mn, get, va, vb));
    amp_discard_data(column);
    MISTAKE(amp_parallel_for_each(mn, get, va, vb));
    amp_array_view_release(row);
    amp_array_view_release(column);
    amp_array_view_release(va);
    amp_array_view_release(vb);
}

static void copies(amp_extent n)
{
    amp_array *x = amp_array1(int, N), *y = amp_array_clone(x);
    MISTAKE(amp_parallel_for_each(n, copied, y));
    amp_array_release(x);
    amp_array_release(y);
}

static void wrapped(amp_extent n)
{
    static int memory[N];
    amp_accelerator_view *on = amp_accelerator_default_view(amp_accelerator_default());
    amp_array *x = amp_array_wrap_on(amp_extent1(N), memory, on);
    amp_array_view *all = amp_array_view_of(x), *left = amp_array_view_section1(all, 0, T),
                   *right = amp_array_view_section1(all, 1, T);
    MISTAKE(amp_parallel_for_each(n, reverse, x));
    MISTAKE(amp_parallel_for_each(amp_extent1(T), neighbour, left, right));
    MISTAKE(amp_parallel_for_each(n, count, x));
    amp_array_view_release(left);
    amp_array_view_release(right);
    amp_array_view_release(all);
    amp_array_release(x);
}

int main(void)
{
    arrays(amp_extent1(N));
    discarded(amp_extent2(M, N));
    copies(amp_extent1(N));
    wrapped(amp_extent1(N));
    return 0;
}
