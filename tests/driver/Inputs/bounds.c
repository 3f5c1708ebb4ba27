/* SPDX-License-Identifier: MIT */
#include "bounds.h"
#include <amp.h>

#ifndef COMPUTED
#define COMPUTED 2 * N
#endif
#ifndef INNER
#define INNER M
#endif
#ifndef CONSTANT
#define CONSTANT 4
#endif

void k(amp_index1 idx, int N, int M, const float x[FIRST], const float y[COMPUTED], float z[M][INNER],
       float c[N][CONSTANT]) restrict(amp)
{
    c[idx[0]][0] = z[idx[0]][1] + x[idx[0]] + y[idx[0]];
}
