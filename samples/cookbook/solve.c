/* SPDX-License-Identifier: MIT
 *
 * Linear equations by Jacobi's method, in double: each thread computes one unknown from the others, again and again. */
#include "cookbook.h"
#include <math.h>
#include <stdlib.h>

enum { N = 200 };

static void improve(amp_index1 idx, const double a[N][N], const double b[N], const double x[N], double next[N])
    restrict(amp)
{
    int i = idx[0];
    double sum = b[i];
    for (int j = 0; j < N; j++)
        sum -= j == i ? 0 : a[j][i] * x[j]; /* a is symmetric: a[j][i] lies beside its neighbour's element */
    next[i] = sum / a[i][i];
}

int main(void)
{
    static double a_data[N][N], b_data[N], x_data[N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a_data[i][j] = i == j ? N : 1.0 / (1 + abs(i - j));
            b_data[i] += a_data[i][j] * j; /* so that the solution is 0, 1, 2 ... */
        }
    amp_auto_array_view *a = amp_array_view2(N, N, (const double *)a_data[0]),
                        *b = amp_array_view1(N, (const double *)b_data);
    amp_auto_array_view *x = amp_array_view1(N, x_data), *next = amp_array_view_without_source1(double, N);
    for (int i = 0; i < 20; i++) {
        amp_parallel_for_each(amp_extent1(N), improve, a, b, x, next);
        amp_array_view *last = x;
        x = next;
        next = last;
    }
    amp_synchronize(x);
    double worst = 0;
    for (int i = 0; i < N; i++)
        worst = fmax(worst, fabs(x_data[i] - i));
    printf("x[7] = %.6f, %s\n", x_data[7], worst < 1e-9 ? "all right to nine digits" : "not solved");
    return finish();
}
