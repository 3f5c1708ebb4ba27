// SPDX-License-Identifier: MIT
// Checks that end the program when they fail are no control flow that keeps threads from a barrier: the kernels
// compile, compute the same, and end the program when there is something to report.
// row: c2
// RUN: rm -rf %t && mkdir %t && cd %t && echo '%ampcc "$@" %s -o prog && ./prog && not --crash ./prog overflow' > traps
// RUN: echo '%ampcc "$@" %s -o prog && ./prog && not ./prog overflow' > exits
// RUN: sh -e exits -O0 -fsanitize=undefined -fno-sanitize-recover=all 2>&1 | FileCheck --check-prefixes=CHECK,REPORT %s
// RUN: sh -e exits -O2 -fsanitize=undefined -fno-sanitize-recover=all 2>&1 | FileCheck --check-prefixes=CHECK,REPORT %s
// RUN: sh -e traps -O0 -fsanitize=undefined -fsanitize-trap=all 2>&1 | FileCheck %s
// RUN: sh -e traps -O2 -fsanitize=undefined -fsanitize-trap=all 2>&1 | FileCheck %s
// RUN: sh -e traps -O2 -ftrapv 2>&1 | FileCheck %s
#include <amp.h>
#include <limits.h>
#include <stdio.h>

enum { TS = 4, N = 3 * TS };

static int dot(amp_tile_barrier barrier, int row, int col, const int a[TS][TS], const int b[TS][TS]) restrict(amp)
{
    int sum = 0;
    for (int k = 0; k < TS; k++)
        sum += a[row][k] * b[k][col];
    amp_tile_barrier_wait(barrier);
    return sum;
}

void multiply(amp_tiled_index2(TS, TS) t, int n, const int a[n][n], const int b[n][n], int c[n][n]) restrict(amp)
{
    int row = t.local[0], col = t.local[1], sum = 0;
    for (int i = 0; i < n; i += TS) {
        tile_static int local_a[TS][TS], local_b[TS][TS];
        local_a[row][col] = a[t.global[0]][i + col];
        local_b[row][col] = b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        sum += dot(t.barrier, row, col, local_a, local_b);
    }
    c[t.global[0]][t.global[1]] = sum;
}

int main(int argc, char **argv)
{
    static int a[N][N], b[N][N], c[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = argc > 1 ? INT_MAX / 2 : i - j;
            b[i][j] = 2 * i + j;
        }
    amp_array_view *va = amp_array_view2(N, N, (const int *)a[0]), *vb = amp_array_view2(N, N, (const int *)b[0]);
    amp_array_view *vc = amp_array_view2(N, N, &c[0][0]);
    amp_parallel_for_each(amp_extent2(N, N), multiply, va, vb, vc);
    amp_synchronize(vc);
    int n_wrong = 0;
    for (int i = 0; i < N && argc == 1; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            n_wrong += c[i][j] != sum;
        }
    printf("%d wrong, %s\n", n_wrong, amp_status_name(amp_error_status())); // CHECK: {{^}}0 wrong, AMP_OK
    // REPORT: dead-ends.c:22:{{[0-9]+}}: runtime error: signed integer overflow
    fflush(stdout);
    amp_array_view_release(vc);
    amp_array_view_release(vb);
    amp_array_view_release(va);
    (void)argv;
    return n_wrong > 0;
}
