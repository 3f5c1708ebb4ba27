/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off --amp-lanes=4 %s -o %t && %run-cpu %t
 *
 * Loops that carry more values than a block of threads has registers for.
 */
#include "check.h"

static void values9(amp_index2 idx, int M, int N, int K, const float a[K][N], float out[M][N]) restrict(cpu, amp)
{
    int row = idx[0], column = idx[1];
    float s0 = 0;
    float s1 = 0;
    float s2 = 0;
    float s3 = 0;
    float s4 = 0;
    float s5 = 0;
    float s6 = 0;
    float s7 = 0;
    float s8 = 0;
    for (int k = 0; k < K; k++) {
        float x = a[k][column] + row;
        s0 = s0 * 0.5f + x * 1;
        s1 = s1 * 0.5f + x * 2;
        s2 = s2 * 0.5f + x * 3;
        s3 = s3 * 0.5f + x * 4;
        s4 = s4 * 0.5f + x * 5;
        s5 = s5 * 0.5f + x * 6;
        s6 = s6 * 0.5f + x * 7;
        s7 = s7 * 0.5f + x * 8;
        s8 = s8 * 0.5f + x * 9;
    }
    out[row][column] = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8;
}

static void values13(amp_index2 idx, int M, int N, int K, const float a[K][N], float out[M][N]) restrict(cpu, amp)
{
    int row = idx[0], column = idx[1];
    float s0 = 0;
    float s1 = 0;
    float s2 = 0;
    float s3 = 0;
    float s4 = 0;
    float s5 = 0;
    float s6 = 0;
    float s7 = 0;
    float s8 = 0;
    float s9 = 0;
    float s10 = 0;
    float s11 = 0;
    float s12 = 0;
    for (int k = 0; k < K; k++) {
        float x = a[k][column] + row;
        s0 = s0 * 0.5f + x * 1;
        s1 = s1 * 0.5f + x * 2;
        s2 = s2 * 0.5f + x * 3;
        s3 = s3 * 0.5f + x * 4;
        s4 = s4 * 0.5f + x * 5;
        s5 = s5 * 0.5f + x * 6;
        s6 = s6 * 0.5f + x * 7;
        s7 = s7 * 0.5f + x * 8;
        s8 = s8 * 0.5f + x * 9;
        s9 = s9 * 0.5f + x * 10;
        s10 = s10 * 0.5f + x * 11;
        s11 = s11 * 0.5f + x * 12;
        s12 = s12 * 0.5f + x * 13;
    }
    out[row][column] = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9 + s10 + s11 + s12;
}

static void values17(amp_index2 idx, int M, int N, int K, const float a[K][N], float out[M][N]) restrict(cpu, amp)
{
    int row = idx[0], column = idx[1];
    float s0 = 0;
    float s1 = 0;
    float s2 = 0;
    float s3 = 0;
    float s4 = 0;
    float s5 = 0;
    float s6 = 0;
    float s7 = 0;
    float s8 = 0;
    float s9 = 0;
    float s10 = 0;
    float s11 = 0;
    float s12 = 0;
    float s13 = 0;
    float s14 = 0;
    float s15 = 0;
    float s16 = 0;
    for (int k = 0; k < K; k++) {
        float x = a[k][column] + row;
        s0 = s0 * 0.5f + x * 1;
        s1 = s1 * 0.5f + x * 2;
        s2 = s2 * 0.5f + x * 3;
        s3 = s3 * 0.5f + x * 4;
        s4 = s4 * 0.5f + x * 5;
        s5 = s5 * 0.5f + x * 6;
        s6 = s6 * 0.5f + x * 7;
        s7 = s7 * 0.5f + x * 8;
        s8 = s8 * 0.5f + x * 9;
        s9 = s9 * 0.5f + x * 10;
        s10 = s10 * 0.5f + x * 11;
        s11 = s11 * 0.5f + x * 12;
        s12 = s12 * 0.5f + x * 13;
        s13 = s13 * 0.5f + x * 14;
        s14 = s14 * 0.5f + x * 15;
        s15 = s15 * 0.5f + x * 16;
        s16 = s16 * 0.5f + x * 17;
    }
    out[row][column] = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9 + s10 + s11 + s12 + s13 + s14 + s15 + s16;
}

int main(void)
{
    enum { M = 3, N = 70, K = 5 };
    static float a[K][N], out[M][N], want[M][N];
    for (int k = 0; k < K; k++)
        for (int i = 0; i < N; i++)
            a[k][i] = (k * 3 + i) % 7;
    amp_array_view *va = amp_array_view2(K, N, (const float *)a), *vo = amp_array_view2(M, N, (float *)out);
    for (int i = 0; i < M * N; i++)
        values9((int[]){i / N, i % N}, M, N, K, a, want);
    CHECK_OK(amp_parallel_for_each(amp_extent2(M, N), values9, va, vo));
    CHECK_OK(amp_synchronize(vo));
    if (memcmp(out, want, sizeof out) != 0) {
        puts("9 values differ");
        return 1;
    }
    for (int i = 0; i < M * N; i++)
        values13((int[]){i / N, i % N}, M, N, K, a, want);
    CHECK_OK(amp_parallel_for_each(amp_extent2(M, N), values13, va, vo));
    CHECK_OK(amp_synchronize(vo));
    if (memcmp(out, want, sizeof out) != 0) {
        puts("13 values differ");
        return 1;
    }
    for (int i = 0; i < M * N; i++)
        values17((int[]){i / N, i % N}, M, N, K, a, want);
    CHECK_OK(amp_parallel_for_each(amp_extent2(M, N), values17, va, vo));
    CHECK_OK(amp_synchronize(vo));
    if (memcmp(out, want, sizeof out) != 0) {
        puts("17 values differ");
        return 1;
    }
    amp_array_view_release(va);
    amp_array_view_release(vo);
    return 0;
}
