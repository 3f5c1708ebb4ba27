/* SPDX-License-Identifier: MIT */
#include <amp.h>

static void increment(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]]++;
}
