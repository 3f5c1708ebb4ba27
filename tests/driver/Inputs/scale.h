/* SPDX-License-Identifier: MIT */
#include <amp.h>
#include <stdio.h>

/* Doubles 1000 numbers with `kernel` and prints the last. */
static inline int run_scale(amp_kernel kernel)
{
    float data[1000];
    for (int i = 0; i < 1000; i++)
        data[i] = (float)i;
    amp_array_view *x = amp_array_view1(1000, data);
    amp_parallel_for_each(amp_extent1(1000), kernel, 2.0f, x);
    int status = amp_synchronize(x) != AMP_OK;
    puts(status ? amp_error_text() : "launched");
    printf("data[999] = %g\n", (double)data[999]);
    amp_array_view_release(x);
    return status;
}
