/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-cpu=x86-64-v4 --amp-gpu=none --amp-report -c %s -o %t.o 2>&1 | FileCheck %s
 *
 * Kernels whose slow places no advice would mend: --amp-report gives none.
 * CHECK-NOT: ->
 * CHECK-NOT: notes
 */
#include <amp.h>

/* The padded rows of a transposition are there to be read across.
 * CHECK: kernel transpose {{.*}}for
 * CHECK: read s {{.*}}strided by 33: gather
 * CHECK-NOT: ->
 */
void transpose(amp_tiled_index2(32, 32) t, int m, int n, const float a[m][n], float b[n][m]) restrict(amp)
{
    tile_static float s[32][33];
    s[t.local[0]][t.local[1]] = a[t.global[0]][t.global[1]];
    amp_tile_barrier_wait(t.barrier);
    b[t.tile[1] * 32 + t.local[0]][t.tile[0] * 32 + t.local[1]] = s[t.local[1]][t.local[0]];
}

/* CHECK: kernel by_table {{.*}}for
 * CHECK: read table {{.*}}gather
 * CHECK-NOT: ->
 */
static const float table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
void by_table(amp_index1 i, int n, const unsigned char x[n], float o[n]) restrict(amp)
{
    o[i[0]] = table[x[i[0]] & 7];
}

/* What the data choose is no clamp.
 * CHECK: kernel chosen {{.*}}for
 * CHECK: read u {{.*}}gather
 * CHECK-NOT: ->
 */
void chosen(amp_index1 i, int n, const int kind[n], const float u[n], float x[n]) restrict(amp)
{
    float here = u[i[0]];
    x[i[0]] = kind[i[0]] == 2 ? here : u[i[0] + 1];
}

/* A clamp that is none away from the borders.
 * CHECK: kernel clamped {{.*}}away from the borders
 * CHECK-NOT: ->
 */
void clamped(amp_index1 i, int n, const float y[n], float x[n]) restrict(amp)
{
    float sum = 0;
    for (int k = -2; k <= 2; k++) {
        int at = i[0] + k;
        at = at < 0 ? 0 : at > n - 1 ? n - 1 : at;
        sum += y[at];
    }
    x[i[0]] = sum;
}

/* ?: between values, one of which only some lanes read.
 * CHECK: kernel walls {{.*}}for
 * CHECK: masks line [[#@LINE+6]] if lanes part: only what it reads and writes is under masks
 * CHECK-NOT: ->
 */
void walls(amp_index1 i, int n, const int kind[n], const float u[n], const float v[n], float x[n]) restrict(amp)
{
    float sum = 0;
    if (kind[i[0]] == 2)
        sum = u[i[0]] + v[i[0]];
    x[i[0]] = sum;
}

/* Two values of 32 bits are no value of 64.
 * CHECK: kernel moved {{.*}}for
 * CHECK-NOT: ->
 * CHECK-NOT: notes
 */
struct item {
    float weight;
    int id;
};
void moved(amp_index1 i, int n, const struct item y[n], struct item x[n]) restrict(amp)
{
    x[i[0]] = y[i[0] + 1];
}
