/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Kernels of rank 1: the index as a value, forwards, backwards, strided, gathered and scattered accesses. */
#include "check.h"

static void iota(amp_index1 idx, int N, int out[N]) restrict(cpu, amp)
{
    out[idx[0]] = 3 * idx[0] - 7;
}

static void backwards(amp_index1 idx, int N, const int in[N], int out[N]) restrict(cpu, amp)
{
    out[N - 1 - idx[0]] = in[idx[0]] + 1;
}

static void interleave(amp_index1 idx, int N, const int in[2 * N], int out[2 * N]) restrict(cpu, amp)
{
    int i = idx[0];
    out[2 * i] = in[2 * i + 1];
    out[2 * i + 1] = in[2 * i] + in[i];
}

static void gather(amp_index1 idx, int N, const int at[N], const int in[N], int out[N]) restrict(cpu, amp)
{
    out[idx[0]] = in[at[idx[0]]];
}

static void scatter(amp_index1 idx, int N, const int at[N], const int in[N], int out[N]) restrict(cpu, amp)
{
    out[at[idx[0]]] = in[idx[0]];
}

static void neighbours(amp_index1 idx, int N, const int in[N + 2], int out[N]) restrict(cpu, amp)
{
    int i = idx[0];
    out[i] = in[i] + 2 * in[i + 1] - in[i + 2];
}

/* Larger than the extent: only the first N elements belong to a thread. */
static void in_place(amp_index1 idx, int S, int x[S]) restrict(cpu, amp)
{
    x[idx[0]] += x[S - 1];
}

int main(void)
{
    EACH_EXTENT(n) {
        int *in = check_alloc(2 * n * sizeof(int)), *at = check_alloc(n * sizeof(int));
        int *out = check_alloc(2 * n * sizeof(int)), *want = check_alloc(2 * n * sizeof(int));
        for (int i = 0; i < 2 * n; i++)
            in[i] = check_value(i);
        for (int i = 0; i < n; i++)
            at[i] = i * 211 % n; /* a permutation, for 211 is prime */
        amp_array_view *in1 = amp_array_view1(n, (const int *)in), *in2 = amp_array_view1(2 * n, (const int *)in);
        amp_array_view *at1 = amp_array_view1(n, (const int *)at);
        amp_array_view *out1 = amp_array_view1(n, out), *out2 = amp_array_view1(2 * n, out);

        CHECK_OK(amp_parallel_for_each(amp_extent1(n), iota, out1));
        for (int i = 0; i < n; i++)
            iota((amp_index1){i}, n, want);
        CHECK_INTS(out, want, n, "iota, extent %d", n);

        CHECK_OK(amp_parallel_for_each(amp_extent1(n), backwards, in1, out1));
        for (int i = 0; i < n; i++)
            backwards((amp_index1){i}, n, in, want);
        CHECK_INTS(out, want, n, "backwards, extent %d", n);

        CHECK_OK(amp_parallel_for_each(amp_extent1(n), gather, at1, in1, out1));
        for (int i = 0; i < n; i++)
            gather((amp_index1){i}, n, at, in, want);
        CHECK_INTS(out, want, n, "gather, extent %d", n);

        CHECK_OK(amp_parallel_for_each(amp_extent1(n), scatter, at1, in1, out1));
        for (int i = 0; i < n; i++)
            scatter((amp_index1){i}, n, at, in, want);
        CHECK_INTS(out, want, n, "scatter, extent %d", n);

        CHECK_OK(amp_parallel_for_each(amp_extent1(n), interleave, n, in2, out2));
        for (int i = 0; i < n; i++)
            interleave((amp_index1){i}, n, in, want);
        CHECK_INTS(out, want, 2 * n, "interleave, extent %d", n);

        if (n > 1) {
            CHECK_OK(amp_parallel_for_each(amp_extent1(2 * n - 1), in_place, out2));
            for (int i = 0; i < 2 * n - 1; i++)
                in_place((amp_index1){i}, 2 * n, want);
            CHECK_INTS(out, want, 2 * n, "in_place, extent %d", n);
        }
        if (n > 2) {
            amp_array_view *less = amp_array_view1(n - 2, out);
            CHECK_OK(amp_parallel_for_each(amp_extent1(n - 2), neighbours, in1, less));
            for (int i = 0; i < n - 2; i++)
                neighbours((amp_index1){i}, n - 2, in, want);
            CHECK_INTS(out, want, n - 2, "neighbours, extent %d", n);
            amp_array_view_release(less);
        }
        amp_array_view *views[] = {in1, in2, at1, out1, out2};
        check_release(views, LENGTH(views));
    }
    return 0;
}
