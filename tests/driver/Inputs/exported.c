/* SPDX-License-Identifier: MIT
 * A library with a kernel that it exports, as another one does: STEP is what it does, RUN the function that
 * launches. */
#include <amp.h>

void step(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    x[idx[0]] STEP;
}

float RUN(void)
{
    float x[4] = {10, 10, 10, 10};
    amp_array_view *view = amp_array_view1(4, x);
    amp_parallel_for_each(amp_extent1(4), step, view);
    amp_synchronize(view);
    amp_array_view_release(view);
    return x[1];
}
