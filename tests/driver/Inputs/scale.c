/* SPDX-License-Identifier: MIT */
#include "scale.h"

static void scale(amp_index1 idx, int N, float factor, float x[N]) restrict(amp)
{
    x[idx[0]] *= factor;
}

int SCALE(void);
int SCALE(void)
{
    return run_scale((amp_kernel)scale);
}
