/* The kernels, for those who launch them. */
#pragma once

#include <amp.h>

/* y = a x + y. One thread for each element; N is read from the views, which must agree. */
void saxpy(amp_index1 idx, int N, float a, const float x[N], float y[N]) restrict(amp);
