/* SPDX-License-Identifier: MIT */
#include <amp.h>
#include <stdio.h>

#ifndef N_LAUNCHES
#define N_LAUNCHES 20
#endif
enum { N = 1 << 18 };
static float x[N];

static void scale(amp_index1 idx, int n, float factor, float x[n]) restrict(amp)
{
    x[idx[0]] *= factor;
}

int one(void);
int one(void)
{
    amp_array_view *view = amp_array_view1(N, x);
    for (int i = 0; i < N; i++)
        x[i] = 1;
    for (int i = 0; i < N_LAUNCHES; i++)
        amp_parallel_for_each(amp_extent1(N), scale, 2.0f, view);
    amp_synchronize(view);
    printf("%s, x[%d] = %g\n", amp_error_text(), N - 1, (double)x[N - 1]);
    amp_array_view_release(view);
    return amp_error_status() != AMP_OK;
}
