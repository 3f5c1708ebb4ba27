/* SPDX-License-Identifier: MIT
 *
 * A user's program, outside of this project's tree. */
#include <amp.h>
#include <stdio.h>

static void scale(amp_index1 idx, int N, float factor, float x[N]) restrict(amp)
{
    x[idx[0]] *= factor;
}

int main(void)
{
    float data[1000];
    for (int i = 0; i < 1000; i++)
        data[i] = i;
    amp_array_view *x = amp_array_view1(1000, data);
    amp_parallel_for_each(amp_extent1(1000), scale, 2.0f, x);
    amp_status status = amp_synchronize(x);
    if (status != AMP_OK)
        fprintf(stderr, "%s\n", amp_error_text());
    else
        printf("data[999] = %g\n", data[999]);
    amp_array_view_release(x);
    return status != AMP_OK;
}
