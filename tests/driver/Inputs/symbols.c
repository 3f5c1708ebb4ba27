/* SPDX-License-Identifier: MIT */
#include <amp.h>
#include <stdio.h>

/* Two files make one program of this; in both the kernels have the same names. With an argument, one reads where
 * nothing is. */
static const int scale_kernel[4] = {2, 3, 5, 7};

static void scale(amp_index1 idx, int N, int far, int x[N]) restrict(amp)
{
    x[idx[0]] *= scale_kernel[(x[(idx[0] & 3) + (long)far * 1024 * 1024 * 1024]) & 3];
}

static void größe$(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] += 1;
}

#ifdef MAIN
void other(int far);

int main(int n_args, char **args)
{
    (void)args;
    other(0);
#else
void other(int far)
{
    int n_args = far + 1;
#endif
    int x[4] = {0, 1, 2, 3};
    amp_array_view *view = amp_array_view1(4, x);
    amp_parallel_for_each(amp_extent1(4), scale, n_args > 1 ? 1000 : 0, view);
    amp_parallel_for_each(amp_extent1(4), größe$, view);
    amp_array_view_release(view);
    printf("%d %d %d %d\n", x[0], x[1], x[2], x[3]);
#ifdef MAIN
    return amp_error_status() != AMP_OK;
#endif
}
