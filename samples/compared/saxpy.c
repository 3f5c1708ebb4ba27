/* SPDX-License-Identifier: MIT */
#include <amp.h>
#include <stdio.h>

/* kernel */
static void saxpy(amp_index1 i, int N, float a, const float x[N], float y[N]) restrict(amp)
{
    y[i[0]] += a * x[i[0]];
}
/* host */

int main(void)
{
    enum { N = 1 << 20 };
    static float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)(i % 8);
        y[i] = 1;
    }
    amp_auto_array_view *xs = amp_array_view_whole1(x), *ys = amp_array_view_whole1(y);
    amp_parallel_for_each(amp_extent1(N), saxpy, 2.0f, xs, ys);
    amp_synchronize(ys);
    if (amp_error_status() != AMP_OK) {
        fprintf(stderr, "%s\n", amp_error_text());
        return 1;
    }
    printf("%g %g\n", y[0], y[N - 1]);
    return 0;
}
