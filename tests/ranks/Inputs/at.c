/* What amp_synchronize_at brings to one rank, and what it leaves as it was. */
#include <amp.h>

#include <stdio.h>

enum { N = 60 };

void scale(amp_index2 idx, int M, float x[M][M]) restrict(amp)
{
    x[idx[0]][idx[1]] *= 2;
}

/* How many elements are `factor` times what they were at first. */
static int count(float data[N][N], int factor)
{
    int n = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            n += data[i][j] == (float)(factor * (N * i + j + 1));
    return n;
}

int main(void)
{
    static float data[N][N];
    int last = amp_rank_count() - 1;
    bool is_there = amp_rank() == last, is_right = true;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            data[i][j] = (float)(N * i + j + 1);
    amp_auto_array_view *x = amp_array_view2(N, N, data[0]);
    amp_auto_array_view *rows = amp_array_view_section(x, amp_index2(20, 0), amp_extent2(25, N));

    /* Elsewhere nothing has come, and a later launch knows that. */
    amp_parallel_for_each(amp_extent2(N, N), scale, x);
    amp_synchronize_at(x, last);
    is_right &= count(data, 2) == (is_there ? N * N : 0);
    amp_parallel_for_each(amp_extent2(N, N), scale, x);
    amp_synchronize_at(rows, last);
    is_right &= !is_there || count(data, 4) >= 25 * N;
    amp_synchronize(x);
    is_right &= count(data, 4) == N * N;

    /* Nothing moves if it is there already. */
    amp_synchronize_at(x, 0);
    is_right &= count(data, 4) == N * N && amp_error_status() == AMP_OK;
    amp_synchronize_at(x, last + 1);
    printf("%s, %s\n", is_right ? "right" : "wrong", amp_status_name(amp_error_status()));
    amp_error_clear();
    amp_synchronize_at(x, -1);
    amp_synchronize_at(NULL, 0);
    printf("%s\n", amp_status_name(amp_error_last_status()));
    amp_error_clear();
    return 0;
}
