/* Host memory that differs between ranks, by the program's argument; and what may differ. */
#include <amp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 40, M = 50 };

void scale(amp_index2 idx, int R, int C, const float x[R][C], float y[R][C]) restrict(amp)
{
    y[idx[0]][idx[1]] = x[idx[0]][idx[1]] * 2;
}

void order(amp_index1 idx, int R, int C, const int to[C], const float x[R][C], float y[R][C]) restrict(amp)
{
    y[0][to[idx[0]]] = x[0][idx[0]];
}

void count(amp_index1 idx, int sums[4]) restrict(amp)
{
    amp_atomic_fetch_add(&sums[idx[0] % 4], 1);
}

int main(int argc, char **argv)
{
    static float x[N][M], y[N][M];
    static int to[M], sums[4];
    const char *way = argc > 1 ? argv[1] : "";
    int rank = amp_rank(), last = amp_rank_count() - 1;
    amp_auto_array_view *a = amp_array_view2(N, M, x[0]), *b = amp_array_view2(N, M, y[0]);
    amp_auto_array_view *c = amp_array_view1(M, to), *d = amp_array_view1(4, sums);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            x[i][j] = (float)(i * M + j);
            y[i][j] = (float)rank; /* which is not read */
        }
    for (int i = 0; i < M; i++)
        to[i] = M - 1 - i;
    if (rank == last) {
        if (!strcmp(way, "read"))
            x[7][9] = x[7][10] = x[30][1] = 1;
        if (!strcmp(way, "whole"))
            to[5]++;
        if (!strcmp(way, "reduced"))
            sums[2] = 8;
    }
    amp_parallel_for_each(amp_extent2(N, M), scale, a, b);
    amp_parallel_for_each(amp_extent1(M), order, c, a, b);
    amp_parallel_for_each(amp_extent1(M), count, d);
    if (rank == 1 && !strcmp(way, "map")) {
        amp_error_clear();
        x[39][49] = 3;
    }
    amp_synchronize(a);
    amp_refresh(a);
    if (!strcmp(way, "map") && amp_array_view_map_local(a, AMP_ACCESS_READ))
        amp_array_view_unmap(a);
    amp_synchronize(b);
    amp_synchronize(d);
    printf("%s: %s\n", amp_status_name(amp_error_status()), amp_error_text());
    return amp_error_status() != AMP_OK;
}
