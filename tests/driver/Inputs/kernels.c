/* SPDX-License-Identifier: MIT */
#include "kernels.h"

#include <stdio.h>

static void in_source(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    x[idx[0]] += twice(1);
}

int main(void)
{
    float data[4] = {1, 2, 3, 4};
    amp_array_view *x = amp_array_view1(4, data);
    amp_parallel_for_each(amp_extent1(4), in_header, x);
    amp_parallel_for_each(amp_extent1(4), in_source, x);
    amp_synchronize(x);
    printf("%g %g%s, from %s\n", (double)data[0], (double)data[3], amp_error_text(), __FILE__);
    amp_array_view_release(x);
    return 0;
}
