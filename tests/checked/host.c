// The host changes the memory of a view, of which the accelerator has a copy, without amp_refresh: the launch would use
// the copy.
// RUN: %ampcc -O2 --amp-check --amp-gpu=none %s -o %t
// RUN: env AMP_DEFAULT_ACCELERATOR=checked AMP_CHECK_REPORT=%t.json %t | FileCheck %s
// RUN: python3 %S/Inputs/report.py %t.json | FileCheck --check-prefix=JSON %s
#include "Inputs/seed.h"

enum { M = 3, N = 4 };

static void add(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] += 1;
}

static void get(amp_index2 idx, int M, int N, const int a[M][N], int b[M][N]) restrict(amp)
{
    b[idx[0]][idx[1]] = a[idx[0]][idx[1]];
}

static void whole(amp_extent n)
{
    static int data[N];
    amp_array_view *x = amp_array_view1(N, data);
    data[0] = 1;
    MISTAKE(amp_parallel_for_each(n, add, x));
    // CHECK: AMP_OK
    amp_synchronize(x);
    MISTAKE(amp_parallel_for_each(n, add, x));
    // CHECK-NEXT: AMP_OK
    amp_synchronize(x);
    data[2] = 7;
    MISTAKE(amp_parallel_for_each(n, add, x));
    // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}host.c:10: add: before this launch the host has changed x[2], of which checked has a copy; call amp_refresh after writing the memory of a view
    amp_refresh(x);
    MISTAKE(amp_parallel_for_each(n, add, x));
    // CHECK-NEXT: AMP_OK
    amp_synchronize(x);
    printf("%d %d %d %d\n", data[0], data[1], data[2], data[3]);
    // CHECK-NEXT: 4 3 8 3
    amp_array_view_release(x);
}

static void parts(amp_extent mn)
{
    static int from[M][N], to[M][N];
    amp_array_view *a = amp_array_view2(M, N, from[0]), *b = amp_array_view2(M, N, to[0]);
    amp_array_view *left = amp_array_view_section2(a, 0, 0, M, 2), *right = amp_array_view_section2(a, 0, 2, M, 2);
    amp_array_view *result = amp_array_view_section2(b, 0, 0, M, 2);
    MISTAKE(amp_parallel_for_each(mn, get, a, b));
    // CHECK-NEXT: AMP_OK
    from[1][1] = 1;
    MISTAKE(amp_parallel_for_each(amp_extent2(M, 2), get, right, result));
    // CHECK-NEXT: AMP_OK
    MISTAKE(amp_parallel_for_each(amp_extent2(M, 2), get, left, result));
    // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}host.c:15: get: before this launch the host has changed a[1][1],
    MISTAKE(amp_parallel_for_each(mn, get, a, b));
    // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}host.c:15: get: before this launch the host has changed a[1][1],
    amp_array_view_release(left);
    amp_array_view_release(right);
    amp_array_view_release(result);
    amp_array_view_release(a);
    amp_array_view_release(b);
}

/* What nobody reads may differ. */
static void discarded(amp_extent mn)
{
    static int from[M][N], to[M][N];
    amp_array_view *a = amp_array_view2(M, N, from[0]), *b = amp_array_view2(M, N, to[0]);
    MISTAKE(amp_parallel_for_each(mn, get, a, b));
    // CHECK-NEXT: AMP_OK
    amp_synchronize(b);
    to[1][1] = 5;
    amp_discard_data(b);
    MISTAKE(amp_parallel_for_each(mn, get, a, b));
    // CHECK-NEXT: AMP_OK
    amp_array_view_release(a);
    amp_array_view_release(b);
}

// JSON: 2 findings
// JSON: extents: [4]
// JSON: kernel: "add"
// JSON-NEXT: kind: "host"
// JSON: subscripts: [2]
// JSON: thread: null
int main(void)
{
    whole(amp_extent1(N));
    parts(amp_extent2(M, N));
    discarded(amp_extent2(M, N));
    return 0;
}
