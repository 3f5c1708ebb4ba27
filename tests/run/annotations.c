// SPDX-License-Identifier: MIT
// Annotations for tools, on things that kernels use, change nothing.
// RUN: %ampcc -O2 %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O0 %s -o %t.plain && %run-alone %t.plain | FileCheck %s
// CHECK: 0 wrong
#include "check.h"

#define NOTE(text) __attribute__((annotate(text)))

struct pair {
    int a, b NOTE("second");
};

static const int table[4] NOTE("table") = {3, 1, 4, 1};

void notes(amp_index1 idx, int n, const struct pair pairs[n], int out[n]) restrict(cpu, amp)
{
    int i = idx[0], sum NOTE("sum") = pairs[i].a;
    struct pair mine[2] = {pairs[i], pairs[n - 1]};
    for (int k = 0; k < (i & 3); k++)
        sum += mine[k & 1].b + pairs[k].b * table[k];
    mine[i & 1].b = sum;
    out[i] = mine[0].b - mine[1].b;
}

int main(void)
{
    enum { N = 77 };
    struct pair *pairs = check_alloc(N * sizeof *pairs);
    int *out = check_alloc(N * sizeof *out), *want = check_alloc(N * sizeof *want), wrong = 0;
    for (int i = 0; i < N; i++)
        pairs[i] = (struct pair){i * i, 100 - 7 * i};
    amp_array_view *in_view = amp_array_view1(N, (const struct pair *)pairs), *out_view = amp_array_view1(N, out);
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), notes, in_view, out_view));
    for (int i = 0; i < N; i++) {
        notes((amp_index1){i}, N, pairs, want);
        wrong += out[i] != want[i];
    }
    amp_array_view_release(in_view);
    amp_array_view_release(out_view);
    printf("%d wrong\n", wrong);
    return 0;
}
