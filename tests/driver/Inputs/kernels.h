/* SPDX-License-Identifier: MIT */
#ifndef KERNELS_H
#define KERNELS_H
#include <amp.h>

static inline float twice(float x) restrict(amp)
{
    return 2 * x;
}

static void in_header(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    x[idx[0]] = twice(x[idx[0]]);
}
#endif
