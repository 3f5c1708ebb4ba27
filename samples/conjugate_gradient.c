/* SPDX-License-Identifier: MIT
 *
 * Conjugate gradients: solves A x = b, where A x is four times each element of x minus its four neighbours, which is
 * the equation of heat that does not flow any more. b is made from a known x.
 *
 * ./conjugate_gradient [N]: N x N unknowns, on the default accelerator. On four ranks:
 * AMP_DEFAULT_ACCELERATOR=all mpirun -n 4 ./conjugate_gradient 1024 */
#include <amp.h>
#include <amp_algorithms.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Each operation rounds, everywhere: so the steps are the same on every machine. */
#pragma STDC FP_CONTRACT OFF

/* y = A x. Beyond its edges x is 0. */
static void apply(amp_index2 idx, int N, const double x[N][N], double y[N][N]) restrict(amp)
{
    int i = idx[0], j = idx[1];
    double sum = 4 * x[i][j];
    sum -= i > 0 ? x[i - 1][j] : 0;
    sum -= i < N - 1 ? x[i + 1][j] : 0;
    sum -= j > 0 ? x[i][j - 1] : 0;
    sum -= j < N - 1 ? x[i][j + 1] : 0;
    y[i][j] = sum;
}

/* y += a x */
static void add(amp_index2 idx, int N, double a, const double x[N][N], double y[N][N]) restrict(amp)
{
    y[idx[0]][idx[1]] += a * x[idx[0]][idx[1]];
}

/* p = r + a p */
static void turn(amp_index2 idx, int N, double a, const double r[N][N], double p[N][N]) restrict(amp)
{
    p[idx[0]][idx[1]] = r[idx[0]][idx[1]] + a * p[idx[0]][idx[1]];
}

/* x begins as 0; r is b, and what is left of it in the end; p is a copy of r. Returns how many steps it took; -1: more
 * than there should be, or an error. */
static int solve(int n, amp_array_view *x, amp_array_view *r, amp_array_view *p, amp_array_view *product)
{
    amp_extent all = amp_extent2(n, n);
    double square, along, next;
    if (amp_dot(r, r, &square) != AMP_OK)
        return -1;
    double enough = 1e-24 * square;
    for (int steps = 0; steps <= 10 * n; steps++) {
        if (square <= enough)
            return steps;
        amp_parallel_for_each(all, apply, p, product);
        if (amp_dot(p, product, &along) != AMP_OK)
            return -1;
        amp_parallel_for_each(all, add, square / along, p, x);
        amp_parallel_for_each(all, add, -square / along, product, r);
        if (amp_dot(r, r, &next) != AMP_OK)
            return -1;
        amp_parallel_for_each(all, turn, next / square, r, p);
        square = next;
    }
    return -1;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 48, n_steps = -1;
    if (n < 1 || n > 32767) {
        fprintf(stderr, "usage: conjugate_gradient [N]: N is from 1 to 32767\n");
        return 2;
    }
    size_t size = (size_t)n * (size_t)n;
    double *right = malloc(size * sizeof *right), *x = calloc(size, sizeof *x);
    if (!right || !x) {
        fprintf(stderr, "conjugate_gradient: no memory for %d x %d unknowns\n", n, n);
        return 1;
    }
    for (size_t i = 0; i < size; i++)
        right[i] = (double)(i * 7919 % 1000) / 1000 - 0.5;

    amp_error_scope scope = amp_error_begin();
    {
        amp_auto_array_view *known = amp_array_view2(n, n, (const double *)right), *of_x = amp_array_view2(n, n, x);
        amp_auto_array_view *r = amp_array_view_without_source2(double, n, n);
        amp_auto_array_view *p = amp_array_view_without_source2(double, n, n);
        amp_auto_array_view *product = amp_array_view_without_source2(double, n, n);
        amp_parallel_for_each(amp_extent2(n, n), apply, known, r);
        amp_parallel_for_each(amp_extent2(n, n), apply, known, p);
        n_steps = solve(n, of_x, r, p, product);
        amp_synchronize(of_x);
    }
    if (amp_error_end(&scope) != AMP_OK) {
        fprintf(stderr, "conjugate_gradient: %s\n", amp_error_last_text());
        return 1;
    }
    double error = 0;
    for (size_t i = 0; i < size; i++)
        error = fmax(error, fabs(x[i] - right[i]));
    bool is_right = n_steps >= 0 && error <= 1e-8;
    if (amp_rank() == 0)
        printf("%d x %d unknowns, %d steps: %s\n", n, n, n_steps, is_right ? "solved" : "not solved");
    free(right), free(x);
    return !is_right;
}
