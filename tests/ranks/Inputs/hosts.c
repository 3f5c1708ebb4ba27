/* All ranks' hosts get what each rank has made: in squares, whose rows have gaps, and in strips, which have none.
 *
 * hosts N: N x N elements */
#include <amp.h>

#include <stdio.h>
#include <stdlib.h>

void fill(amp_index2 idx, int N, float x[N][N]) restrict(amp)
{
    x[idx[0]][idx[1]] = (float)(idx[0] * 7 + idx[1] * 3 % 1001);
}

void scale(amp_index1 idx, int N, float x[N][N]) restrict(amp)
{
    for (int j = 0; j < N; j++)
        x[idx[0]][j] *= 2;
}

static bool is_right(amp_array_view *view, int n, float factor)
{
    const float *x = amp_array_view_map_as(view, const float, AMP_ACCESS_READ);
    size_t n_right = 0;
    for (int i = 0; x && i < n; i++)
        for (int j = 0; j < n; j++)
            n_right += x[(size_t)i * (size_t)n + (size_t)j] == factor * (float)(i * 7 + j * 3 % 1001);
    amp_array_view_unmap(view);
    return n_right == (size_t)n * (size_t)n;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    bool are_squares_right, are_strips_right;
    {
        amp_auto_array_view *x = amp_array_view_without_source2(float, n, n);
        amp_parallel_for_each(amp_extent2(n, n), fill, x);
        are_squares_right = is_right(x, n, 1);
        amp_parallel_for_each(amp_extent1(n), scale, x);
        are_strips_right = is_right(x, n, 2);
    }
    printf("squares %s, strips %s, %s\n", are_squares_right ? "right" : "wrong", are_strips_right ? "right" : "wrong",
           amp_status_name(amp_error_status()));
    return 0;
}
