/* SPDX-License-Identifier: MIT
 *
 * Prefix sums of chunks: a thread goes through a chunk. It starts with the sum of all elements
 * before its chunk. Threads do not run in lanes (--amp-lanes=1), because their elements lie far apart. T, SUM and NAME
 * are those of reduce.c; T is no signed integer. */
#include "kernel.h"

void KERNEL(scan)(amp_index1 idx, bool is_inclusive, int N, const SUM before[N_CHUNKS(N)], const T x[N], T y[N])
    restrict(amp)
{
    int begin = idx[0] * CHUNK, end = N - begin < CHUNK ? N : begin + CHUNK;
    SUM sum = before[idx[0]];
    if (is_inclusive)
        for (int i = begin; i < end; i++)
            y[i] = (T)(sum += x[i]);
    else
        for (int i = begin; i < end; i++) {
            SUM with = sum + x[i];
            y[i] = (T)sum;
            sum = with;
        }
}
