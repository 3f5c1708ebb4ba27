/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Werror %s -o %t && %run %t | FileCheck %s
 * RUN: %ampcc -O0 -g %s -o %t && %run-alone %t | FileCheck %s
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t | FileCheck %s
 * row: language.restrict, language.calls, language.pointers
 *
 * One function for both sides, whose host side may be any host code: it calls what no kernel may call. */
#include <amp.h>
#include <stdio.h>

static int n_host_calls;

/* What only the host runs: it prints, recurses, counts, and calls through a pointer. */
static int on_host(int n, ...)
{
    static int (*again)(int, ...) = on_host;
    n_host_calls++;
    return n > 0 ? 1 + again(n - 1) : 0;
}

static int both(int x) restrict(cpu, amp)
{
    if (amp_is_device())
        x += 1000;
    else {
        long double wide = on_host(3);
        printf("host: %d\n", x);
        x += (int)wide;
    }
    if (!amp_is_device())
        n_host_calls += 10;
    return amp_is_device() ? x : !amp_is_device() ? x + on_host(5) : 0;
}

static bool (*asked)(void) = amp_is_device;

static void k(amp_index1 i, int N, int x[N]) restrict(cpu, amp)
{
    x[i[0]] = both(x[i[0]]);
    if (x[i[0]] % 2 && amp_is_device())
        x[i[0]] += 5000;
}

int main(void)
{
    int x[3] = {1, 2, 3};
    amp_array_view *view = amp_array_view1(3, x);
    amp_parallel_for_each(amp_extent1(3), k, view);
    amp_array_view_release(view);
    /* CHECK: 6001 1002 6003, 0 on the host
     */
    printf("%d %d %d, %d on the host\n", x[0], x[1], x[2], n_host_calls);
    k((amp_index1){1}, 3, x);
    /* CHECK: host: 1002
     * CHECK: 1010 (20 on the host, 0)
     */
    printf("%d (%d on the host, %d)\n", x[1], n_host_calls, asked());
    return 0;
}
