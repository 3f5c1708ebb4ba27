/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3,x86-64-v4 --amp-report -c %s -o %t.o 2>&1 | FileCheck %s
 *
 * A block has as many vectors as registers hold, of what a loop carries and of what it reads from outside. */
#include <amp.h>

/* Three sums and three coordinates: two vectors of each fit into 16 registers, four into 32.
 * CHECK: kernel attract {{.*}}for x86-64-v3: 8 lanes, blocks of 1 row x 2 vectors
 * CHECK: kernel attract {{.*}}for x86-64-v4: 16 lanes, blocks of 1 row x 4 vectors
 */
void attract(amp_index1 idx, int n, const float x[n], const float y[n], const float z[n], float to[3][n]) restrict(amp)
{
    float sums[3] = {0}, here[3] = {x[idx[0]], y[idx[0]], z[idx[0]]};
    for (int j = 0; j < n; j++) {
        float dx = x[j] - here[0], dy = y[j] - here[1], dz = z[j] - here[2], d2 = dx * dx + dy * dy + dz * dz;
        sums[0] += dx * d2;
        sums[1] += dy * d2;
        sums[2] += dz * d2;
    }
    for (int d = 0; d < 3; d++)
        to[d][idx[0]] = sums[d];
}

/* Three sums alone.
 * CHECK: kernel sum {{.*}}for x86-64-v3: 8 lanes, blocks of 1 row x 4 vectors
 */
void sum(amp_index1 idx, int n, const float x[n], float to[3][n]) restrict(amp)
{
    float sums[3] = {0, 1, 2};
    for (int j = 0; j < n; j++)
        for (int d = 0; d < 3; d++)
            sums[d] += x[j] * sums[d];
    for (int d = 0; d < 3; d++)
        to[d][idx[0]] = sums[d];
}
