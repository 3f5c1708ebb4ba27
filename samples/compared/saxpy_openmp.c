/* SPDX-License-Identifier: MIT */
#include <stdio.h>

int main(void)
{
    enum { N = 1 << 20 };
    static float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)(i % 8);
        y[i] = 1;
    }
#pragma omp target teams distribute parallel for map(to : x) map(tofrom : y)
    /* kernel */
    for (int i = 0; i < N; i++)
        y[i] += 2.0f * x[i];
    /* host */
    printf("%g %g\n", y[0], y[N - 1]);
    return 0;
}
