/* SPDX-License-Identifier: MIT
 *
 * Heat on a plate whose edges are kept cold: in each sweep, every point gets the mean temperature of its four
 * neighbours. The plate begins with one crest of a sine along either side, which each sweep lowers by the same factor,
 * so the result is known.
 *
 * ./jacobi [N [SWEEPS]]: N x N points, on the default accelerator. On four ranks:
 * AMP_DEFAULT_ACCELERATOR=all mpirun -n 4 ./jacobi 4096 */
#include <amp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* One thread per point that is not on an edge. */
static void sweep(amp_index2 idx, int N, const float from[N][N], float to[N][N]) restrict(amp)
{
    int i = idx[0] + 1, j = idx[1] + 1;
    to[i][j] = 0.25f * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

/* Runs the sweeps; `plate` has the result. */
static amp_status cool(int n, int n_sweeps, float *plate, float *other)
{
    amp_error_scope scope = amp_error_begin();
    amp_auto_array_view *from = amp_array_view2(n, n, plate), *to = amp_array_view2(n, n, other);
    for (int s = 0; s < n_sweeps; s += 2) {
        amp_parallel_for_each(amp_extent2(n - 2, n - 2), sweep, from, to);
        amp_parallel_for_each(amp_extent2(n - 2, n - 2), sweep, to, from);
    }
    amp_synchronize(from);
    return amp_error_end(&scope);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 200, n_sweeps = argc > 2 ? atoi(argv[2]) : 100;
    if (n < 3 || n > 46340 || n_sweeps < 0 || n_sweeps % 2) {
        fprintf(stderr, "usage: jacobi [N [SWEEPS]]: N is from 3 to 46340, SWEEPS even\n");
        return 2;
    }
    size_t size = (size_t)n * (size_t)n;
    float *plate = malloc(size * sizeof *plate), *other = calloc(size, sizeof *other);
    double *crest = malloc((size_t)n * sizeof *crest);
    if (!plate || !other || !crest) {
        fprintf(stderr, "jacobi: no memory for two plates of %d x %d points\n", n, n);
        return 1;
    }
    double pi = acos(-1), factor = pow(cos(pi / (n - 1)), n_sweeps), error = 0;
    for (int i = 0; i < n; i++)
        crest[i] = i == 0 || i == n - 1 ? 0 : sin(pi * i / (n - 1));
    for (size_t i = 0; i < size; i++)
        plate[i] = (float)(crest[i / (size_t)n] * crest[i % (size_t)n]);
    if (cool(n, n_sweeps, plate, other) != AMP_OK) {
        fprintf(stderr, "jacobi: %s\n", amp_error_last_text());
        return 1;
    }
    for (size_t i = 0; i < size; i++)
        error = fmax(error, fabs((double)plate[i] - factor * crest[i / (size_t)n] * crest[i % (size_t)n]));
    bool is_right = error <= 0x1p-23 * (n_sweeps + 1); /* each sweep rounds */
    if (amp_rank() == 0)
        printf("%d x %d points, %d sweeps: %.4f in the middle, %s\n", n, n, n_sweeps,
               (double)plate[(size_t)(n / 2) * (size_t)n + (size_t)(n / 2)],
               is_right ? "as it should be" : "which is wrong");
    free(plate), free(other), free(crest);
    return !is_right;
}
