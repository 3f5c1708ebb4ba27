/* SPDX-License-Identifier: MIT */
#include "../gpu/gpu.h"
#include "kernel.h"

static struct data offset, column, value, in, out;
static int n_rows;
static void set_up(void)
{
    enum { BAND = 4096 };
    n_rows = is_check ? 3 * BAND : 1 << 22;
    int *o = new_array(((size_t)n_rows + 1) * sizeof *o);
    for (int row = 0; row < n_rows; row++)
        o[row + 1] = o[row] + 1 + (int)(hash((uint32_t)row ^ seed) >> 26);
    size_t n = (size_t)o[n_rows];
    int *c = new_array(n * sizeof *c);
    for (int row = 0; row < n_rows; row++) {
        int first = row < BAND ? 0 : row > n_rows - BAND ? n_rows - 2 * BAND : row - BAND;
        int step = 2 * BAND / (o[row + 1] - o[row]);
        for (int k = o[row]; k < o[row + 1]; k++)
            c[k] = first + (k - o[row]) * step + (int)(hash((uint32_t)k ^ seed) >> 8) % step;
    }
    offset = ints((size_t)n_rows + 1, o), column = ints(n, c), value = floats(n, random_floats(n, 0, 1));
    in = floats((size_t)n_rows, random_floats((size_t)n_rows, -1, 1)), out = floats((size_t)n_rows, NULL);
}
static void ours(void)
{
    amp_parallel_for_each_on(on, amp_extent1(n_rows), multiply, offset.array, column.array, value.array, in.array,
                             out.array);
}
static void peer(void)
{
    launch_peer("spmv", blocks(n_rows, 256), 1, 256, 1,
                (void *[]){&n_rows, &offset.memory, &column.memory, &value.memory, &in.memory, &out.memory});
}
static void verify(void)
{
    float *y = new_array(out.size_bytes), *v = value.host, *x = in.host;
    int *o = offset.host, *c = column.host;
    fetch(&out, y);
    for (int row = 0; row < n_rows; row += 1 + n_rows / 100003) {
        double sum = 0;
        for (int k = o[row]; k < o[row + 1]; k++)
            sum += (double)v[k] * x[c[k]];
        expect(y[row], sum, 1e-5, (size_t)row);
    }
    store(&out, NULL);
    free(y);
}

GPU_PROBLEM("spmv", set_up, ours, peer, verify)
