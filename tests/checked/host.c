// The host changes the memory of a view without amp_refresh: the accelerator has a copy, which a launch or a copy would
// use; or the memory is stale, and is overwritten when it is synchronised.
// RUN: %ampcc -O2 --amp-check --amp-gpu=none %s -o %t
// RUN: env AMP_DEFAULT_ACCELERATOR=checked AMP_CHECK_REPORT=%t.json %t | FileCheck %s
// RUN: python3 %S/Inputs/report.py %t.json | FileCheck --check-prefix=JSON %s
#include "Inputs/seed.h"

#include <string.h>

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
    // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}host.c:[[@LINE-2]]:13: add: whole has changed x[2], of which checked has a copy, before the launch in line [[@LINE-1]]; call amp_refresh after writing the memory of a view
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
    // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}host.c:[[@LINE-4]]:16: get: parts has changed a[1][1], of which checked has a copy, before the launch in line [[@LINE-1]];
    MISTAKE(amp_parallel_for_each(mn, get, a, b));
    // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}host.c:[[@LINE-6]]:16: get: parts has changed a[1][1], of which checked has a copy, before the launch in line [[@LINE-1]];
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

/* Code without checks has changed the memory. */
static void by_others(amp_extent n)
{
    int data[N] = {0};
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    amp_array_view *x = amp_array_view1(N, data);
    amp_parallel_for_each(n, add, x);
    amp_synchronize(x);
    copy(data + 1, (int[]){7}, sizeof *data);
    MISTAKE(amp_parallel_for_each(n, add, x));
    // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}host.c:{{[0-9]+}}: add: before this launch the host has changed x[1], of which checked has a copy;
    amp_array_view_release(x);
}

static void set(int *p, int value)
{
    *p = value;
}

static void lost(amp_extent n)
{
    int data[N] = {0}, other[N] = {0};
    amp_array_view *x = amp_array_view1(N, data), *part = amp_array_view_section1(x, 1, 2);
    amp_array_view *y = amp_array_view1(N, other);
    amp_array *z = amp_array1(int, N);
    amp_parallel_for_each(n, add, x);
    set(&data[2], 7);
    set(&data[0], 1); /* what is there already */
    MISTAKE(amp_synchronize(x));
    // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}host.c:[[@LINE-13]]:8: add: set writes x[2], which is then overwritten with what the launch in line [[@LINE-4]] wrote on checked; call amp_synchronize before writing the memory of a view, and amp_refresh after it
    printf("%d\n", data[2]);
    // CHECK-NEXT: {{^}}1
    amp_parallel_for_each(amp_extent1(2), add, part);
    data[0] = 3;
    data[1] = 3;
    MISTAKE(amp_synchronize(part));
    // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}host.c:[[@LINE-2]]:13: add: lost writes x[0], which
    amp_refresh(x);
    amp_parallel_for_each(n, add, x);
    memset(data, 0, sizeof data);
    MISTAKE(amp_array_view_map(x, AMP_ACCESS_READ) ? AMP_OK : amp_error_status());
    // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}host.c:[[@LINE-2]]:5: add: lost writes x[0], which
    amp_parallel_for_each(n, add, y);
    amp_synchronize(y);
    other[1] = 9;
    MISTAKE(amp_copy(z, y));
    // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}host.c:[[@LINE-2]]:14: amp_copy: lost has changed source[1], of which checked has a copy, before the copy in line [[@LINE-1]];
    amp_array_view_release(part);
    amp_array_view_release(x);
    amp_array_view_release(y);
    amp_array_release(z);
}

/* Stale memory may be written if amp_refresh follows, or if nobody needs what it had. */
static void replaced(amp_extent n)
{
    int data[N] = {0};
    amp_array_view *x = amp_array_view1(N, data);
    amp_parallel_for_each(n, add, x);
    for (int i = 0; i < N; i++)
        set(&data[i], i);
    amp_refresh(x);
    MISTAKE(amp_parallel_for_each(n, add, x));
    // CHECK-NEXT: AMP_OK
    amp_discard_data(x);
    set(data, 5);
    MISTAKE(amp_synchronize(x));
    // CHECK-NEXT: AMP_OK
    amp_array_view_release(x);
}

// JSON: 7 findings
// JSON: extents: [4]
// JSON: helper: "whole"
// JSON-NEXT: kernel: "add"
// JSON-NEXT: kind: "host"
// JSON: other: {"line": {{[0-9]+}}, "thread": null}
// JSON: subscripts: [2]
// JSON: thread: null
int main(void)
{
    whole(amp_extent1(N));
    parts(amp_extent2(M, N));
    discarded(amp_extent2(M, N));
    by_others(amp_extent1(N));
    lost(amp_extent1(N));
    replaced(amp_extent1(N));
    return 0;
}
