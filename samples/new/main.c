/* Runs a kernel, and compares its results with those of a plain loop. */
#include "kernels.h"

#include <stdio.h>

enum { N = 1000000 };
static float x_data[N], y_data[N], expected[N];

int main(void)
{
    for (int i = 0; i < N; i++) {
        x_data[i] = (float)i;
        y_data[i] = 1;
        expected[i] = y_data[i] + 2 * x_data[i];
    }

    amp_auto_array_view *x = amp_array_view_whole1(x_data); /* released at the end of main */
    amp_auto_array_view *y = amp_array_view_whole1(y_data);
    amp_parallel_for_each(amp_extent1(N), saxpy, 2.0f, x, y);
    amp_synchronize(y); /* brings the results into y_data */
    if (amp_error_status() != AMP_OK) {
        fprintf(stderr, "%s\n", amp_error_text());
        return 1;
    }

    int n_right = 0;
    for (int i = 0; i < N; i++)
        n_right += y_data[i] == expected[i];
    printf("%d of %d elements are right, computed on %s\n", n_right, N,
           amp_accelerator_info(amp_accelerator_default())->description);
    return n_right != N;
}
