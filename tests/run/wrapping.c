/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Indices that wrap around in their type: neighbouring lanes are then no neighbours in memory. */
#include "check.h"

static void narrow(amp_index1 idx, int N, const int in[256], int out[N]) restrict(cpu, amp)
{
    int i = idx[0];
    uint8_t byte = (uint8_t)(i + 250);
    int8_t small = (int8_t)(i * 3);
    out[i] = in[byte] + 3 * in[small + 128] + 5 * in[(uint8_t)(byte * 2)];
}

static void scattered(amp_index1 idx, int N, const int in[256], int out[256]) restrict(cpu, amp)
{
    uint8_t at = (uint8_t)(idx[0] + 200);
    if (idx[0] < 256)
        out[at] = in[255 - at];
}

static void masked_bits(amp_index1 idx, int N, const int in[256], int out[N]) restrict(cpu, amp)
{
    int i = idx[0];
    unsigned from = (unsigned)i - 5u;
    out[i] = in[(i + 7) & 255] - in[i % 100] * 3 + in[(i ^ 1) & 255] + in[from < 256 ? from : 9] + in[(i >> 2) & 255] +
             in[(unsigned)(i << 29) >> 29] + in[i / 16 % 256];
}

static void by_rows(amp_index2 idx, int M, int N, const int in[256], int out[M][N]) restrict(cpu, amp)
{
    out[idx[0]][idx[1]] = in[(uint8_t)(idx[0] * 100 + idx[1])] + in[(idx[0] + idx[1]) % 17] * 3 + in[idx[1] & 3];
}

int main(void)
{
    int *in = check_alloc(256 * sizeof(int));
    for (int i = 0; i < 256; i++)
        in[i] = check_value(i);
    amp_array_view *in_view = amp_array_view1(256, (const int *)in);
    static const int sizes[] = {1, 5, 6, 7, 15, 16, 17, 49, 100, 128, 255, 256, 257, 300, 700, 1031};
    for (int s = 0; s < LENGTH(sizes); s++) {
        int n = sizes[s], out[1031], want[1031];
        amp_array_view *out_view = amp_array_view1(n, out);
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), narrow, in_view, out_view));
        for (int i = 0; i < n; i++)
            narrow((amp_index1){i}, n, in, want);
        CHECK_INTS(out, want, n, "narrow, extent %d", n);
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), masked_bits, in_view, out_view));
        for (int i = 0; i < n; i++)
            masked_bits((amp_index1){i}, n, in, want);
        CHECK_INTS(out, want, n, "masked_bits, extent %d", n);
        amp_array_view *all = amp_array_view1(256, out);
        memset(out, 0, sizeof out);
        memset(want, 0, sizeof want);
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), scattered, n, in_view, all));
        for (int i = 0; i < n; i++)
            scattered((amp_index1){i}, n, in, want);
        CHECK_INTS(out, want, 256, "scattered, extent %d", n);
        amp_array_view_release(out_view);
        amp_array_view_release(all);
        if (n > 300)
            continue;
        amp_array_view *rows = amp_array_view2(3, n, out);
        CHECK_OK(amp_parallel_for_each(amp_extent2(3, n), by_rows, in_view, rows));
        for (int i = 0; i < 3 * n; i++)
            by_rows((amp_index2){i / n, i % n}, 3, n, in, (int (*)[n])want);
        CHECK_INTS(out, want, 3 * n, "by_rows, extent 3x%d", n);
        amp_array_view_release(rows);
    }
    amp_array_view_release(in_view);
    check_free_all();
    return 0;
}
