/* SPDX-License-Identifier: MIT */
#include "scale.h"

/* A kernel to step through. */
static void scale(amp_index1 idx, int N, float factor, float x[N]) restrict(amp)
{
    float y = x[idx[0]];
    for (int k = 0; k < N % 7; k++)
        y = y * factor + 1;
    x[idx[0]] = y;
}

int main(void)
{
    return run_scale((amp_kernel)scale);
}
