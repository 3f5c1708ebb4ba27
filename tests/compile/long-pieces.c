/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v2,x86-64-v3,x86-64-v4 -c %s -o %t.o --amp-report 2>&1 | FileCheck %s
 *
 * Where all threads of tiles together stride over arrays, blocks are long: each pass reads a piece of another page.
 * Not of narrow elements: the index would take more vectors than they do.
 *
 * CHECK: kernel dot {{.*}} x86-64-v2: 16 lanes; a tile of 256 takes 16 blocks
 * CHECK: kernel dot {{.*}} x86-64-v3: 32 lanes; a tile of 256 takes 8 blocks
 * CHECK: kernel dot {{.*}} x86-64-v4: 64 lanes; a tile of 256 takes 4 blocks
 * CHECK: kernel narrow {{.*}} x86-64-v2: 16 lanes; a tile of 256 takes 16 blocks
 * CHECK: kernel narrow {{.*}} x86-64-v3: 32 lanes; a tile of 256 takes 8 blocks
 * CHECK: kernel narrow {{.*}} x86-64-v4: 64 lanes; a tile of 256 takes 4 blocks
 */
#include <amp.h>

enum { TILE = 256 };

void dot(amp_tiled_index1(TILE) t, int n, int m, const double a[n], const double b[n], double sums[m]) restrict(amp)
{
    double sum = 0;
    for (int i = t.global[0]; i < n; i += m)
        sum += a[i] * b[i];
    sums[t.global[0]] = sum;
}

void narrow(amp_tiled_index1(TILE) t, int n, int m, const float a[n], const float b[n], float sums[m]) restrict(amp)
{
    float sum = 0;
    for (int i = t.global[0]; i < n; i += m)
        sum += a[i] * b[i];
    sums[t.global[0]] = sum;
}
