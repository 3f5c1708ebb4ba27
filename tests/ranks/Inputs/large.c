/* Arrays that are larger than what a rank may have: each has its quarter of them. */
#include <amp.h>

#include <stdio.h>

enum { N = 131072, M = 512 }; /* 256 MiB of float */

void fill(amp_index2 idx, int R, int C, float x[R][C]) restrict(amp)
{
    x[idx[0]][idx[1]] = (float)(idx[0] - idx[1]);
}

void smooth(amp_index2 idx, int R, int C, const float x[R][C], float y[R][C]) restrict(amp)
{
    int i = idx[0], j = idx[1];
    float sum = x[i][j];
    if (i > 0)
        sum += x[i - 1][j];
    if (j > 0)
        sum += x[i][j - 1];
    y[i][j] = sum;
}

void count(amp_index2 idx, int R, int C, const float x[R][C], int counts[2]) restrict(amp)
{
    int i = idx[0], j = idx[1];
    float expected = (float)(i - j + (i > 0 ? i - 1 - j : 0) + (j > 0 ? i - j + 1 : 0));
    amp_atomic_fetch_add(&counts[x[i][j] == expected], 1);
}

int main(void)
{
    int counts[2] = {0, 0};
    amp_auto_array_view *x = amp_array_view_create_without_source(amp_extent2(N, M), AMP_TYPE_F32, sizeof(float));
    amp_auto_array_view *y = amp_array_view_create_without_source(amp_extent2(N, M), AMP_TYPE_F32, sizeof(float));
    amp_auto_array_view *n = amp_array_view1(2, counts);
    amp_parallel_for_each(amp_extent2(N, M), fill, x);
    amp_parallel_for_each(amp_extent2(N, M), smooth, x, y);
    amp_parallel_for_each(amp_extent2(N, M), count, y, n);
    const float *mine = amp_array_view_map_local(y, AMP_ACCESS_READ);
    amp_box box = amp_array_view_local(y, amp_rank());
    int i = box.origin.dim[0] + 1, j = box.origin.dim[1] + 1;
    bool is_right = mine && mine[amp_array_view_stride(y, 0) + 1] == (float)(3 * (i - j));
    amp_array_view_unmap(y);
    amp_synchronize(n);
    printf("%s: %d wrong, %d right\n", amp_status_name(amp_error_status()), counts[0], counts[1]);
    return !is_right || amp_error_status() != AMP_OK;
}
