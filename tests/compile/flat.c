/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s --amp-report 2>&1 | FileCheck %s
 *
 * A flat index is a row and a column also where the length of a row is a power of two, so that LLVM takes bits. */
#include <amp.h>

/* CHECK: kernel stencil {{.*}} by rows and columns
 * CHECK-NOT: gather
 * CHECK: kernel moved
 */
void stencil(amp_index1 idx, int n, const float a[n], float out[n]) restrict(amp)
{
    int row = idx[0] / 1024, col = idx[0] % 1024;
    if (row > 0 && row < 1023 && col > 0 && col < 1023)
        out[idx[0]] = a[(row - 1) * 1024 + col] + a[(row + 1) * 1024 + col] + a[row * 1024 + col - 1];
}

/* CHECK-SAME: by rows and columns
 * CHECK-NOT: gather
 * CHECK: kernel repeated
 */
void moved(amp_index1 idx, int n, const float a[n], float out[n]) restrict(amp)
{
    size_t row = (size_t)idx[0] / 256, col = (size_t)idx[0] % 256;
    out[idx[0]] = a[row * 257 + col];
}

/* CHECK-SAME: by rows and columns
 * CHECK-NOT: gather
 * CHECK: kernel others
 */
void repeated(amp_index1 idx, int n, const float table[256], float out[n]) restrict(amp)
{
    out[idx[0]] = table[idx[0] & 255];
}

/* Not if they are other bits, or few.
 * CHECK-NOT: by rows
 * CHECK: spills
 */
void others(amp_index1 idx, int n, const float table[256], float out[n]) restrict(amp)
{
    out[idx[0]] = table[idx[0] & 0xaa] + table[idx[0] & 7];
}
