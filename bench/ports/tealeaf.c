/* SPDX-License-Identifier: MIT
 *
 * Heat in a plate of two materials, by conjugate gradients: a stencil with coefficients, and sums over all points. */
#include "port.h"

enum { N = 1000, STEPS = 10, ALL = (N + 2) * (N + 2) };
static double *across, *down, *source, *u, *r, *p, *w;

static void set_up(void)
{
    double **arrays[] = {&across, &down, &source, &u, &r, &p, &w};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = new_array(ALL * sizeof(double));
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++) {
            int at = i * (N + 2) + j;
            source[at] = (double)between(0, 1, (uint32_t)at);
            across[at] = j > 1 ? (i + j < N ? 4 : 0.5) : 0;
            down[at] = i > 1 ? (i + j < N ? 4 : 0.5) : 0;
        }
}

#define STENCIL(X, A, D)                                                                                               \
    ((1 + A(0, 0) + A(0, 1) + D(0, 0) + D(1, 0)) * X(0, 0) - (A(0, 1) * X(0, 1) + A(0, 0) * X(0, -1)) -                \
     (D(1, 0) * X(1, 0) + D(0, 0) * X(-1, 0)))

static void loops(void)
{
    double squares = 0;
#pragma omp parallel for reduction(+ : squares)
    for (int i = 0; i < ALL; i++) {
        u[i] = 0;
        r[i] = p[i] = source[i];
        squares += r[i] * r[i];
    }
    for (int step = 0; step < STEPS; step++) {
        double along = 0, left = 0;
#pragma omp parallel for reduction(+ : along)
        for (int i = 1; i <= N; i++)
            for (int j = 1; j <= N; j++) {
#define AT(array, y, x) array[(i + y) * (N + 2) + j + x]
#define P(y, x)         AT(p, y, x)
#define A(y, x)         AT(across, y, x)
#define D(y, x)         AT(down, y, x)
                AT(w, 0, 0) = STENCIL(P, A, D);
                along += AT(w, 0, 0) * AT(p, 0, 0);
#undef P
#undef A
#undef D
#undef AT
            }
        double alpha = squares / along;
#pragma omp parallel for reduction(+ : left)
        for (int i = 0; i < ALL; i++) {
            u[i] += alpha * p[i];
            r[i] -= alpha * w[i];
            left += r[i] * r[i];
        }
        double beta = left / squares;
        squares = left;
#pragma omp parallel for
        for (int i = 0; i < ALL; i++)
            p[i] = r[i] + beta * p[i];
    }
}

#ifndef _OPENMP
static void start(amp_index2 idx, int n, int m, const double from[n][m], double x[n][m], double residual[n][m],
                  double direction[n][m]) restrict(amp)
{
    x[idx[0]][idx[1]] = 0;
    residual[idx[0]][idx[1]] = direction[idx[0]][idx[1]] = from[idx[0]][idx[1]];
}

static void apply(amp_index2 idx, int n, int m, const double a[n][m], const double d[n][m], const double x[n][m],
                  double to[n][m], double along[1]) restrict(amp)
{
    int i = idx[0] + 1, j = idx[1] + 1;
#define X(y, x_) x[i + y][j + x_]
#define A(y, x_) a[i + y][j + x_]
#define D(y, x_) d[i + y][j + x_]
    double image = STENCIL(X, A, D);
    to[i][j] = image;
    amp_atomic_fetch_add(&along[0], image * X(0, 0));
}

static void step_along(amp_index2 idx, int n, int m, double alpha, const double direction[n][m],
                       const double image[n][m], double x[n][m], double residual[n][m], double squares[1]) restrict(amp)
{
    int i = idx[0], j = idx[1];
    x[i][j] += alpha * direction[i][j];
    double left = residual[i][j] - alpha * image[i][j];
    residual[i][j] = left;
    amp_atomic_fetch_add(&squares[0], left * left);
}

static void turn(amp_index2 idx, int n, int m, double beta, const double residual[n][m], double direction[n][m])
    restrict(amp)
{
    int i = idx[0], j = idx[1];
    direction[i][j] = residual[i][j] + beta * direction[i][j];
}

static void launch(void)
{
    amp_auto_array_view *a = amp_array_view2(N + 2, N + 2, (const double *)across);
    amp_auto_array_view *d = amp_array_view2(N + 2, N + 2, (const double *)down);
    amp_auto_array_view *from = amp_array_view2(N + 2, N + 2, (const double *)source);
    amp_auto_array_view *x = amp_array_view2(N + 2, N + 2, u), *residual = amp_array_view2(N + 2, N + 2, r);
    amp_auto_array_view *direction = amp_array_view2(N + 2, N + 2, p), *image = amp_array_view2(N + 2, N + 2, w);
    amp_extent all = amp_extent2(N + 2, N + 2);
    double squares, along, left;
    amp_auto_array_view *sum_along = amp_array_view1(1, &along), *sum_left = amp_array_view1(1, &left);
    amp_parallel_for_each(all, start, from, x, residual, direction);
    amp_dot(residual, residual, &squares);
    for (int step = 0; step < STEPS; step++) {
        along = left = 0;
        amp_refresh(sum_along);
        amp_refresh(sum_left);
        amp_parallel_for_each(amp_extent2(N, N), apply, a, d, direction, image, sum_along);
        amp_synchronize(sum_along);
        amp_parallel_for_each(all, step_along, squares / along, direction, image, x, residual, sum_left);
        amp_synchronize(sum_left);
        amp_parallel_for_each(all, turn, left / squares, residual, direction);
        squares = left;
    }
    amp_synchronize(x);
}
#endif

PORT("tealeaf", u, ALL, 1e-9)
