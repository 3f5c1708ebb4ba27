// The host uses memory that an asynchronous launch or copy uses, too, before that is over.
// RUN: %ampcc -O2 --amp-check --amp-gpu=none %s -o %t
// RUN: env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
#include "Inputs/seed.h"

#include <stdlib.h>

enum { M = 3, N = 8 };

static volatile int seen;

static void slow(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    for (int i = 0; i < 10000000; i++)
        x[idx[0]] ^= i;
}

static void get(amp_index1 idx, int N, const int from[N], int to[N]) restrict(amp)
{
    to[idx[0]] = from[idx[0]];
}

static void add(amp_index2 idx, int M, int N, int a[M][N]) restrict(amp)
{
    a[idx[0]][idx[1]] += 1;
}

static void end(amp_future *future)
{
    amp_future_wait(future);
    amp_future_release(future);
}

static void launches(amp_array_view *busy)
{
    static int from[N], to[N];
    amp_array_view *a = amp_array_view1(N, from), *b = amp_array_view1(N, to);
    amp_future *f = amp_parallel_for_each_async(amp_extent1(N), slow, busy);
    amp_future *g = amp_parallel_for_each_async(amp_extent1(N), get, a, b);
    seen = from[2]; // CHECK: AMP_OK
    found();
    from[2] = 1; // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}pending.c:[[@LINE]]:13: get: launches writes from[2] while the launch in line [[@LINE-3]], which reads it, is pending; wait for its future first
    found();
    to[3] = 1; // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}pending.c:[[@LINE]]:11: get: launches writes to[3] while the launch in line [[@LINE-5]], which writes it, is pending;
    found();
    seen = to[4]; // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}pending.c:[[@LINE]]:12: get: launches reads to[4], which the launch in line [[@LINE-7]] writes on checked; call amp_synchronize first
    found();
    end(f);
    end(g);
    seen = to[5]; // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}pending.c:[[@LINE]]:12: get: launches reads to[5], which the launch in line [[@LINE-11]] writes on checked;
    found();
    g = amp_synchronize_async(b);
    end(g);
    from[2] = 2;
    seen = to[3]; // CHECK-NEXT: AMP_OK
    found();
    amp_refresh(a);
    amp_array_view_release(a);
    amp_array_view_release(b);
}

/* Only the section is in use. */
static void sections(amp_array_view *busy)
{
    int(*data)[N] = calloc(M, sizeof *data);
    amp_array_view *a = amp_array_view2(M, N, *data), *column = amp_array_view_section2(a, 0, 2, M, 1);
    amp_future *f = amp_parallel_for_each_async(amp_extent1(N), slow, busy);
    amp_future *g = amp_parallel_for_each_async(amp_extent2(M, 1), add, column);
    data[1][1] = data[1][3]; // CHECK-NEXT: AMP_OK
    found();
    data[1][2] = 7; // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}pending.c:[[@LINE]]:16: add: sections writes a[1][0] while the launch in line [[@LINE-3]], which writes it, is pending
    found();
    end(f);
    end(g);
    amp_array_view_release(column);
    amp_array_view_release(a);
    amp_error_clear();
    free(data);
}

static void copies(amp_array_view *busy)
{
    int from[N] = {0}, to[N], more[N] = {0};
    amp_array_view *a = amp_array_view1(N, from);
    amp_future *f = amp_parallel_for_each_async(amp_extent1(N), slow, busy);
    amp_future *g = amp_copy_async(to, busy), *h = amp_copy_async(a, more);
    seen = to[1]; // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}pending.c:[[@LINE]]:12: amp_copy_async: copies reads destination[1] while the copy in line [[@LINE-1]], which writes it, is pending; wait for its future first
    found();
    seen = more[1]; // CHECK-NEXT: AMP_OK
    found();
    more[6]++; // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}pending.c:[[@LINE]]:12: amp_copy_async: copies writes source[6] while the copy in line [[@LINE-5]], which reads it, is pending;
    found();
    end(f);
    end(g);
    end(h);
    seen = to[1] + from[2]; // CHECK-NEXT: AMP_OK
    found();
    amp_array_view_release(a);
}

/* Memory given to amp_array_wrap: the host's, of which `checked` has a copy, and what stands for a device's. */
static void wrapped(amp_array_view *busy)
{
    int data[N] = {0}, own[N] = {0};
    amp_array *x = amp_array_wrap_on(amp_extent1(N), data, amp_accelerator_default_view(amp_accelerator_find("cpu")));
    amp_array *y = amp_array_wrap_on(amp_extent1(N), own, NULL);
    amp_array_view *a = amp_array_as_view(x), *b = amp_array_as_view(y);
    amp_future *f = amp_parallel_for_each_async(amp_extent1(N), slow, busy);
    amp_future *g = amp_parallel_for_each_async(amp_extent1(N), get, a, b);
    data[2] = 1; // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}pending.c:[[@LINE]]:13: get: wrapped writes from[2] while the launch in line [[@LINE-1]], which reads it, is pending;
    found();
    seen = own[4]; // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}pending.c:[[@LINE]]:12: get: wrapped reads to[4] while the launch in line [[@LINE-3]], which writes it, is pending;
    found();
    end(f);
    end(g);
    seen = own[2]; // CHECK-NEXT: AMP_OK
    found();
    amp_refresh(a);
    amp_parallel_for_each(amp_extent1(N), get, b, a);
    seen = data[3]; // CHECK-NEXT: AMP_ERROR_CHECK {{.*}}pending.c:[[@LINE]]:12: get: wrapped reads to[3], which the launch in line [[@LINE-1]] writes on checked; call amp_synchronize first
    found();
    amp_array_view_release(a);
    amp_array_view_release(b);
    amp_array_release(x);
    amp_array_release(y);
}

int main(void)
{
    static int data[N];
    amp_array_view *busy = amp_array_view1(N, data);
    launches(busy);
    sections(busy);
    copies(busy);
    wrapped(busy);
    amp_array_view_release(busy);
    return 0;
}
