/* SPDX-License-Identifier: MIT */
#include <amp.h>
#include <stdio.h>
#include <stdlib.h>

static void bad(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    x[(idx[0] & (N | 1023)) + 4] = 3; /* with `&`, launches are not checked for this */
}

int main(void)
{
    float *data = malloc(1000 * sizeof *data);
    amp_array_view *x = amp_array_view1(1000, data);
    amp_discard_data(x);
    amp_parallel_for_each(amp_extent1(1000), bad, x);
    amp_synchronize(x);
    printf("%g%s\n", (double)data[999], amp_error_text());
    amp_array_view_release(x);
    free(data);
    return 0;
}
