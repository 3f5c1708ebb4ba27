/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 --amp-report -c %s -o %t.o 2>&1 | FileCheck %s
 *
 * A constant that is added to what another one multiplies: LLVM would distribute that in 32 bits, and forget that the
 * parts do not wrap. */
#include <amp.h>

/* CHECK: kernel structs
 * CHECK-NEXT: {{.*}}read a {{.*}}strided by 3
 * CHECK-NEXT: {{.*}}write out {{.*}}contiguous
 * CHECK-NEXT: masks
 */
void structs(amp_index1 idx, int size, const float a[size], int n, float out[n]) restrict(amp)
{
    int i = idx[0];
    out[i] = a[i * 3] + a[i * 3 + 1] * a[(i + 1) * 3 + 2] - a[3 * (1 + i)];
}

/* CHECK: kernel rows
 * CHECK-NEXT: {{.*}}read a {{.*}}strided by 4
 * CHECK-NEXT: {{.*}}write out {{.*}}contiguous
 * CHECK-NEXT: masks
 */
void rows(amp_index2 idx, int size, const float a[size], int n, float out[n]) restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < 4; k++)
        sum += a[(idx[0] + k - 1) * 1024 + (idx[1] + 1) * 4 + k];
    out[idx[0] * 1024 + idx[1]] = sum;
}

/* Such a number from memory stays narrow.
 * CHECK: kernel looks_up
 * CHECK-NEXT: {{.*}}read at {{.*}}contiguous
 * CHECK-NEXT: {{.*}}read a {{.*}}gather
 */
void looks_up(amp_index1 idx, int n, const int at[n], int size, const float a[size], float out[n]) restrict(amp)
{
    out[idx[0]] = a[(at[idx[0]] + 1) * 16 + 2];
}
