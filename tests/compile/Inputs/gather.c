/* SPDX-License-Identifier: MIT */
#include <amp.h>

void gather(amp_tiled_index1(256) t, int n, const int at[n], const float a[n], float o[n]) restrict(amp)
{
    o[t.global[0]] = a[at[t.global[0]]];
}
