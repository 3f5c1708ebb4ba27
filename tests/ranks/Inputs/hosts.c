/* All ranks' hosts get what each rank has made: in squares, whose rows have gaps, in strips, which have none, and in
 * private copies of counters.
 *
 * hosts N: N x N elements, and counters, but at most MOST */
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

enum { MOST = 5 << 20 };

void count(amp_index1 idx, int n, int counters[n]) restrict(amp)
{
    amp_atomic_fetch_add(&counters[(unsigned)idx[0] * 7919u % (unsigned)n], idx[0] % 3);
}

static bool counts_right(int n_threads, int n)
{
    int *counters = calloc((size_t)n, sizeof *counters), *want = calloc((size_t)n, sizeof *want);
    bool is = counters && want;
    if (is) {
        amp_auto_array_view *view = amp_array_view1(n, counters);
        amp_parallel_for_each(amp_extent1(n_threads), count, view);
        amp_parallel_for_each(amp_extent1(n_threads), count, view);
        amp_synchronize(view);
    }
    for (int i = 0; i < n_threads && is; i++)
        want[(unsigned)i * 7919u % (unsigned)n] += 2 * (i % 3);
    for (int i = 0; i < n && is; i++)
        is = counters[i] == want[i];
    free(counters);
    free(want);
    return is;
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
    bool are_counts_right = counts_right(n * n, n * n < MOST ? n * n : MOST);
    printf("squares %s, strips %s, counts %s, %s\n", are_squares_right ? "right" : "wrong",
           are_strips_right ? "right" : "wrong", are_counts_right ? "right" : "wrong",
           amp_status_name(amp_error_status()));
    return 0;
}
