/* Launches of all kinds: cut, reduced, of sections, that may abort, as a whole; and what the host does between them. */
#include <amp.h>

#include <stdio.h>

enum { N = 90, BINS = 12 };

void fill(amp_index2 idx, int M, float x[M][M]) restrict(amp)
{
    x[idx[0]][idx[1]] = (float)(idx[0] * M + idx[1]);
}

void smooth(amp_index2 idx, int M, const float x[M][M], float y[M][M]) restrict(amp)
{
    int i = idx[0], j = idx[1];
    float sum = x[i][j];
    if (i > 0)
        sum += x[i - 1][j];
    if (i < M - 1)
        sum += x[i + 1][j];
    if (j > 0)
        sum += x[i][j - 1];
    if (j < M - 1)
        sum += x[i][j + 1];
    y[i][j] = sum * 0.2f;
}

void transpose(amp_index2 idx, int M, const float x[M][M], float y[M][M]) restrict(amp)
{
    y[idx[0]][idx[1]] = x[idx[1]][idx[0]];
}

void count(amp_index2 idx, int M, int K, const float x[M][M], int bins[K]) restrict(amp)
{
    amp_atomic_fetch_add(&bins[(int)x[idx[0]][idx[1]] % K], 1);
}

void scale_row(amp_index1 idx, int W, float row[W]) restrict(amp)
{
    row[idx[0]] *= 2;
}

void scale_box(amp_index2 idx, int H, int W, float box[H][W]) restrict(amp)
{
    box[idx[0]][idx[1]] += 1;
}

void scatter(amp_index1 idx, int W, const int to[W], float row[W]) restrict(amp)
{
    row[to[idx[0]]] = (float)idx[0];
}

void careful(amp_index2 idx, int M, float x[M][M]) restrict(amp)
{
    if (x[idx[0]][idx[1]] < -1)
        amp_abort("less than it can be");
    x[idx[0]][idx[1]] += 1;
}

int main(void)
{
    static float a[N][N], b[N][N];
    static int bins[BINS], order[N];
    for (int i = 0; i < N; i++)
        order[i] = N - 1 - i;
    amp_auto_array_view *x = amp_array_view2(N, N, a[0]), *y = amp_array_view2(N, N, b[0]);
    amp_auto_array_view *v = amp_array_view1(BINS, bins), *to = amp_array_view1(N, order);
    amp_auto_array_view *row = amp_array_view_project(x, 40);
    amp_auto_array_view *box = amp_array_view_section(y, amp_index2(10, 20), amp_extent2(30, 40));
    amp_auto_array_view *half = amp_array_view_section(x, amp_index2(0, 0), amp_extent2(N / 2, N));
    amp_auto_array_view *free = amp_array_view_create_without_source(amp_extent2(N, N), AMP_TYPE_F32, sizeof(float));
    amp_extent all = amp_extent2(N, N);

    amp_discard_data(x);
    amp_parallel_for_each(all, fill, x);
    for (int i = 0; i < 3; i++) {
        amp_parallel_for_each(all, smooth, x, y);
        amp_parallel_for_each(all, smooth, y, x);
    }
    amp_parallel_for_each(all, transpose, x, free);
    amp_parallel_for_each(all, count, x, v);
    amp_parallel_for_each(amp_extent1(N), scale_row, row);
    amp_parallel_for_each(amp_extent2(30, 40), scale_box, box);
    amp_synchronize(half);
    amp_parallel_for_each(all, careful, x);
    amp_parallel_for_each(amp_extent1(N), scatter, to, row);
    amp_parallel_for_each(all, count, x, v);
    amp_copy(free, y);
    amp_parallel_for_each(all, smooth, y, x);
    amp_synchronize_at(y, amp_rank_count() - 1);
    float *memory = amp_array_view_map(x, AMP_ACCESS_READ_WRITE);
    if (memory)
        memory[7] = 1;
    amp_array_view_unmap(x);
    amp_parallel_for_each(all, smooth, x, y);
    amp_refresh(x);
    amp_parallel_for_each(all, smooth, y, x);
    amp_synchronize(v);
    printf("%s %s: %d\n", amp_status_name(amp_error_status()), amp_error_text(), bins[0]);
    return amp_error_status();
}
