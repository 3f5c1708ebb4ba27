/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc -O0 %s -o %t && %run-alone %t
 * row: header.amp, c8, c9, c11, c12
 *
 * What docs/language.md promises about memory: threads that wait for one another in a loop with a barrier make
 * progress; tiles communicate by atomic operations; neighbouring bytes are independent; reads may coincide with reads,
 * and atomic operations with atomic operations; a launch sees everything that happened before it. */
#include "check.h"

enum { T = 16, N = 40 * T };

/* At each step one thread of the tile passes the word on; all threads wait until the last one has it. */
static void pass_on(amp_tiled_index1(T) t, int n, int steps[n]) restrict(amp)
{
    tile_static int holder;
    int me = t.local[0], taken = 0;
    if (me == 0)
        holder = 0;
    amp_tile_barrier_wait(t.barrier);
    while (holder < T) {
        int now = holder;
        amp_tile_barrier_wait(t.barrier);
        taken++;
        if (now == me)
            holder = now + 1;
        amp_tile_barrier_wait(t.barrier);
    }
    steps[t.global[0]] = taken;
}

/* The last thread of all tiles recognises itself by a counter, whatever the order. */
static void last_of_all(amp_tiled_index1(T) t, int n, const unsigned char in[n], int counter[1], int last[1],
                        unsigned char bytes[n]) restrict(amp)
{
    int i = t.global[0];
    bytes[i] = (unsigned char)(in[0] + in[i]); /* all read one, each writes a byte beside those of others */
    if (amp_atomic_fetch_add(&counter[0], 1) == n - 1)
        amp_atomic_fetch_add(&last[0], 1);
}

/* All threads read data that nobody writes in this launch, and data that all change and read with atomic operations. */
static void watch(amp_index1 idx, int n, int counter[1], const int steps[n], int seen[n]) restrict(amp)
{
    int i = idx[0];
    amp_atomic_fetch_max(&counter[0], n + i);
    seen[i] = steps[i] + steps[0] + (amp_atomic_fetch_add(&counter[0], 0) >= n + i);
}

int main(void)
{
    static int steps[N], seen[N], counter[1], last[1];
    static unsigned char in[N], bytes[N];
    for (int i = 0; i < N; i++)
        in[i] = (unsigned char)(7 * i + 1);
    amp_array_view *v_steps = amp_array_view1(N, steps), *v_seen = amp_array_view1(N, seen);
    amp_array_view *v_counter = amp_array_view1(1, counter), *v_last = amp_array_view1(1, last);
    amp_array_view *v_in = amp_array_view1(N, (const unsigned char *)in), *v_bytes = amp_array_view1(N, bytes);
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), pass_on, v_steps));
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), last_of_all, v_in, v_counter, v_last, v_bytes));
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), watch, v_counter, v_steps, v_seen));
    amp_array_view *views[] = {v_steps, v_seen, v_counter, v_last, v_in, v_bytes};
    for (int i = 0; i < LENGTH(views); i++)
        CHECK_OK(amp_synchronize(views[i]));
    int n_wrong = counter[0] != 2 * N - 1 || last[0] != 1;
    for (int i = 0; i < N; i++)
        n_wrong += steps[i] != T || seen[i] != 2 * T + 1 || bytes[i] != (unsigned char)(in[0] + in[i]);
    for (int i = 0; i < LENGTH(views); i++)
        amp_array_view_release(views[i]);
    if (n_wrong)
        printf("%d wrong; counter %d, last %d\n", n_wrong, counter[0], last[0]);
    return n_wrong > 0;
}
