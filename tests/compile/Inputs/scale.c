/* SPDX-License-Identifier: MIT */
#include <amp.h>

void scale(amp_index1 idx, int n, float factor, float x[n]) restrict(amp)
{
    x[idx[0]] *= factor;
}
