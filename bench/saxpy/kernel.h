/* SPDX-License-Identifier: MIT */
#include <amp.h>

static void saxpy(amp_index1 idx, int n, float factor, const float a[n], float b[n]) restrict(amp)
{
    int i = idx[0];
    b[i] += factor * a[i];
}
