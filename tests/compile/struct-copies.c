// SPDX-License-Identifier: MIT
// A struct of many words in private memory is copied by a loop, not word by word: each word of each lane takes several
// instructions, and LLVM's register allocator takes seconds for so many.
// LLVM 19 unrolls the loops again.
// REQUIRES: x86_64, llvm22
// RUN: %ampcc -O2 --amp-cpu=x86-64-v3 --amp-gpu=none -DNB=32 -S %s -o - | awk 'END { print NR < 12000 }' | FileCheck %s
// RUN: %ampcc -O2 --amp-cpu=x86-64-v4 --amp-gpu=none -DNB=32 -S %s -o - | awk 'END { print NR < 12000 }' | FileCheck %s
// RUN: %ampcc -O2 --amp-cpu=x86-64-v4 --amp-gpu=none -DNB=160 -S %s -o - | awk 'END { print NR < 12000 }' | FileCheck %s
// In a loop that lanes leave at different times, one after another is better for structs that stay calls, too.
// RUN: %ampcc -O2 --amp-cpu=x86-64-v4 --amp-gpu=none -DNB=1600 -DLOOP -S %s -o - | awk 'END { print NR < 12000 }' | FileCheck %s
// CHECK: 1
#include <amp.h>

struct bytes {
    unsigned char v[NB];
};

static struct bytes step(struct bytes s, int k) restrict(amp)
{
    s.v[k % NB] = s.v[(k + 1) % NB] + 1;
    return s;
}

void copies(amp_index1 idx, int n, const int x[n], int out[n]) restrict(amp)
{
    int i = idx[0];
    struct bytes s = {{1, 2, 3}};
    s = step(s, x[i]);
    s = step(s, x[i] + 1);
    s = step(s, x[i] + 2);
    s = step(s, x[i] + 3);
#ifdef LOOP
    for (int k = 0; k < x[i]; k++)
        s = step(s, k);
#endif
    int sum = 0;
    for (int k = 0; k < NB; k++)
        sum = sum * 31 + s.v[k];
    out[i] = sum;
}
