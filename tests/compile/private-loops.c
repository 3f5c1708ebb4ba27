/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 --amp-report -c %s -o %t.o 2>&1 | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 --amp-dump-after=retarget -c %s -o %t.o | FileCheck --check-prefix=FORM %s
 *
 * Arrays of a thread are in registers where all places in them follow from the counters of short loops: these loops are
 * unrolled, though LLVM takes them for too long, and those around them stay. */
#include <amp.h>

/* CHECK: kernel rounds
 * CHECK: read a {{ *}}strided by 16: gather
 * CHECK-NOT: gather
 * CHECK: write out
 * FORM-LABEL: define {{.*}}@amp__entry_0(
 * FORM-NOT: alloca
 * FORM: br i1 {{.*}}!llvm.loop
 * FORM-NOT: alloca
 */
void rounds(amp_index1 idx, int n, const unsigned char a[n][16], unsigned char out[n][16]) restrict(amp)
{
    unsigned char state[16], moved[16];
    for (int k = 0; k < 16; k++)
        state[k] = a[idx[0]][k];
    for (int round = 0; round < 10; round++) {
        for (int k = 0; k < 16; k++)
            moved[k] = (unsigned char)(state[(k + 4 * (k % 4)) % 16] * 7 + round);
        for (int k = 0; k < 16; k++) {
            const unsigned char *column = &moved[k / 4 * 4];
            unsigned char x = column[k % 4], y = column[(k + 1) % 4], z = column[(k + 3) % 4];
            state[k] = (unsigned char)((x << 1 ^ (x & 0x80 ? 0x1b : 0)) ^ (y << 1 ^ (y & 0x80 ? 0x1b : 0)) ^ z);
        }
    }
    for (int k = 0; k < 16; k++)
        out[idx[0]][k] = state[k];
}

/* A loop as long as this becomes no faster, only longer; and a pragma is obeyed.
 * CHECK: kernel large
 * CHECK: {{read|write}} many {{ *}}contiguous
 * CHECK: kernel rolled
 * CHECK: {{read|write}} few {{ *}}contiguous
 * FORM-LABEL: define {{.*}}@amp__entry_1(
 * FORM: alloca [200 x i32]
 * FORM-LABEL: define {{.*}}@amp__entry_2(
 * FORM: alloca [16 x i32]
 */
void large(amp_index1 idx, int n, const int a[n], int out[n]) restrict(amp)
{
    int many[200], sum = 0;
    for (int k = 0; k < 200; k++)
        many[k] = a[idx[0]] * k;
    for (int k = 0; k < 200; k++)
        sum = sum * 31 + many[199 - k];
    out[idx[0]] = sum;
}

void rolled(amp_index1 idx, int n, const int a[n], int out[n]) restrict(amp)
{
    int few[16], sum = 0;
#pragma unroll 1
    for (int k = 0; k < 16; k++)
        few[k] = a[idx[0]] * k;
#pragma unroll 1
    for (int k = 0; k < 16; k++)
        sum = sum * 31 + few[15 - k];
    out[idx[0]] = sum;
}
