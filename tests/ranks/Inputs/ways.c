/* What ranks do differently, by the program's argument; and what they must not notice. */
#include <amp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void scale(amp_index1 idx, int N, float factor, float x[N]) restrict(amp)
{
    x[idx[0]] *= factor;
}

void forth(amp_index1 idx, int N, const float x[N], float y[N]) restrict(amp)
{
    y[idx[0]] = idx[0] > 0 ? x[idx[0] - 1] : 0;
}

void back(amp_index1 idx, int N, const float x[N], float y[N]) restrict(amp)
{
    y[idx[0]] = idx[0] < N - 1 ? x[idx[0] + 1] : 0;
}

void fail(amp_index1 idx, int at) restrict(amp)
{
    if (idx[0] == at)
        amp_abort("here");
}

void shift(amp_index1 idx, int N, const float x[N], float y[N]) restrict(amp)
{
    y[idx[0]] = idx[0] > 0 ? x[idx[0] - 1] : x[N - 1];
}

int main(int argc, char **argv)
{
    enum { N = 1000 };
    static float data[N], shifted[N];
    const char *way = argc > 1 ? argv[1] : "";
    int rank = amp_rank();
    for (int i = 0; i < N; i++)
        data[i] = (float)i;
    amp_auto_array_view *x = amp_array_view1(N, data), *y = amp_array_view1(N, shifted);
    amp_parallel_for_each(amp_extent1(N), scale, 2.0f, x);
    bool is_last = rank == amp_rank_count() - 1;
    if (!strcmp(way, "wait")) /* each waits for the other */
        amp_parallel_for_each(amp_extent1(N), is_last ? forth : back, x, y);
    if (is_last && !strcmp(way, "late"))
        sleep(2);
    if (!strcmp(way, "abort"))
        amp_parallel_for_each(amp_extent1(N), fail, N - 1);
    if (is_last && !strcmp(way, "argument"))
        amp_parallel_for_each(amp_extent1(N), scale, 3.0f, x);
    else if (is_last && !strcmp(way, "kernel"))
        amp_parallel_for_each(amp_extent1(N), shift, y, x);
    else if (is_last && !strcmp(way, "extent"))
        amp_parallel_for_each(amp_extent1(N / 2), scale, 2.0f, x);
    else if (is_last && !strcmp(way, "exit"))
        exit(0);
    else if (is_last && !strcmp(way, "kill"))
        abort();
    else if (!strcmp(way, "launch")) { /* SIGALRM ends the last rank at any time */
        ualarm(is_last ? 100000 : 0, 0);
        for (;;)
            amp_parallel_for_each(amp_extent1(N), shift, x, y);
    } else if (is_last && !strcmp(way, "synchronize"))
        amp_synchronize(x);
    else
        amp_parallel_for_each(amp_extent1(N), scale, 2.0f, x);
    amp_parallel_for_each(amp_extent1(N), shift, x, y);
    amp_synchronize(y);
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += shifted[i] * (i + 1);
    printf("%s: %.1f\n", amp_status_name(amp_error_status()), sum);
    return amp_error_status();
}
