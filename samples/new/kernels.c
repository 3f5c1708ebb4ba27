/* The kernels: what happens to one element. */
#include "kernels.h"

void saxpy(amp_index1 idx, int N, float a, const float x[N], float y[N]) restrict(amp)
{
    int i = idx[0];
    y[i] += a * x[i];
}
