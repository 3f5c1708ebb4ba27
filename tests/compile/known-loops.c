/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 --amp-report -c %s -o %t.o 2>&1 | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 --amp-dump-after=retarget -c %s -o %t.o | FileCheck --check-prefix=FORM %s
 *
 * Loops of a constant number of iterations are unrolled if a thread's place is multiplied, divided or masked by what
 * changes in them. */
#include <amp.h>

enum { TILE = 256 };

/* CHECK: kernel up
 * CHECK: read part {{ *}}strided by 2: 2 vectors and a shuffle
 * CHECK: write part {{ *}}one thread after another
 * FORM-LABEL: define {{.*}}@amp__entry_0(
 * FORM-COUNT-8: call void @amp_tile_barrier_wait
 * FORM-NOT: !llvm.loop
 */
void up(amp_tiled_index1(TILE) t, int n, float a[n]) restrict(amp)
{
    tile_static float part[2 * TILE];
    int thread = t.local[0], from = t.tile[0] * 2 * TILE, distance = 1;
    part[thread] = a[from + thread];
    part[thread + TILE] = a[from + thread + TILE];
    for (int active = TILE; active > 1; active /= 2) {
        amp_tile_barrier_wait(t.barrier);
        if (thread < active)
            part[distance * (2 * thread + 2) - 1] += part[distance * (2 * thread + 1) - 1];
        distance *= 2;
    }
    if (thread == 0)
        a[from] = part[2 * TILE - 1];
}

/* Nobody divides by a variable here.
 * FORM-LABEL: define {{.*}}@amp__entry_1(
 * FORM-NOT: {{[us]rem|[us]div}}
 */
void groups(amp_tiled_index1(TILE) t, int n, float a[n]) restrict(amp)
{
    tile_static float part[TILE];
    int thread = t.local[0];
    part[thread] = a[t.global[0]];
    for (unsigned distance = 1; distance < TILE; distance <<= 1) {
        amp_tile_barrier_wait(t.barrier);
        if (thread % (2 * distance) == 0)
            part[thread] += part[(unsigned)thread + distance];
    }
    if (thread == 0)
        a[t.tile[0]] = part[0];
}

/* Of these loops, the first adds to the place, the second does not begin at a constant, the third becomes too long with
 * the one in it, and the last is asked to stay.
 * FORM-LABEL: define {{.*}}@amp__entry_2(
 * FORM-COUNT-5: br i1 {{.*}}!llvm.loop
 */
void rolled(amp_tiled_index1(TILE) t, int n, const float from[n], float a[n]) restrict(amp)
{
    tile_static float part[TILE];
    int thread = t.local[0];
    float sum = 0;
    part[thread] = from[t.global[0]];
    for (int half = TILE / 2; half > 0; half /= 2) {
        amp_tile_barrier_wait(t.barrier);
        if (thread < half)
            part[thread] += part[thread + half] + part[thread + half - 1] * part[thread + half / 2];
    }
    amp_tile_barrier_wait(t.barrier);
    for (int by = n / TILE; by > 0; by /= 2)
        sum += part[thread * by % TILE];
    for (int by = 0; by < 64; by++)
        for (int k = 0; k < 20; k++)
            sum += part[(thread * by + k) % TILE] * from[k];
#pragma clang loop unroll(disable)
    for (int by = 1; by < TILE; by *= 2)
        sum += part[thread / by];
    a[t.global[0]] = sum;
}

/* The places of a Fourier transform: the first step writes every other element.
 * CHECK: kernel transform
 * CHECK: write part {{ *}}strided by 2: 2 vectors and a shuffle
 * CHECK: write part {{ *}}contiguous where a test finds it
 * FORM-LABEL: define {{.*}}@amp__entry_3(
 * FORM-COUNT-7: call void @amp_tile_barrier_wait
 * FORM-NOT: !llvm.loop
 */
void transform(amp_tiled_index1(64) t, int n, float a[n]) restrict(amp)
{
    tile_static float part[2][128];
    int k = t.local[0], from = 0;
    part[0][k] = a[2 * t.global[0]];
    part[0][k + 64] = a[2 * t.global[0] + 1];
    for (int stride = 1; stride < 128; stride *= 2) {
        amp_tile_barrier_wait(t.barrier);
        int place = 2 * k - (k & (stride - 1));
        float left = part[from][k], right = part[from][k + 64];
        part[!from][place] = left + right;
        part[!from][place + stride] = left - right;
        from = !from;
    }
    a[2 * t.global[0]] = part[from][2 * k];
    a[2 * t.global[0] + 1] = part[from][2 * k + 1];
}
