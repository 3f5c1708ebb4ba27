// SPDX-License-Identifier: MIT
// Kernels are for the processors that --amp-cpu names, whatever the options say of the host code's processor: their
// code for an older level has none of a newer one's instructions, and that for a newer one does not lack them.
// REQUIRES: x86_64
// RUN: %ampcc -O2 -mavx2 -mfma --amp-cpu=x86-64-v2 -S %s -o - | FileCheck --check-prefix=OLD %s
// RUN: %ampcc -O2 -march=x86-64-v4 --amp-cpu=x86-64-v2 -S %s -o - | FileCheck --check-prefix=OLD %s
// RUN: %ampcc -O2 -mno-avx --amp-cpu=x86-64-v3,x86-64-v4 -S %s -o - | FileCheck --check-prefix=NEW %s
#include <amp.h>

// OLD-NOT: ymm
// NEW: ymm
void k(amp_index1 i, int N, float x[N]) restrict(amp)
{
    x[i[0]] = x[i[0]] * 3 + 1;
}
