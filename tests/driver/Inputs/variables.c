/* SPDX-License-Identifier: MIT */
#include <amp.h>

struct point {
    float x, y;
};

#define BOTH(a, b) (norm(a) + norm(b))

static float norm(struct point p) restrict(amp)
{
    float sum = p.x * p.x + p.y * p.y;
    return sum;
}

static float row_sum(int m, int n, const float a[m][n], int row) restrict(amp)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row][k];
    return (float)sum;
}

void rows(amp_index2 idx, int M, int N, bool twice, const float a[M][N], float b[M][N]) restrict(amp)
{
    int row = idx[0], column = idx[1];
    float value = row_sum(M, N, a, row);
    if (twice)
        value *= 2;
    b[row][column] = value;
}

void sums(amp_tiled_index1(4) t, int n, const struct point in[n], float out[n]) restrict(amp)
{
    tile_static float part[4];
    struct point own = in[t.global[0]];
    float pair[2] = {norm(own), 0};
    part[t.local[0]] = pair[0];
    amp_tile_barrier_wait(t.barrier);
    float *other = &part[t.local[0] ^ 1];
    pair[1] = *other;
    out[t.global[0]] = pair[0] + pair[1] + BOTH(own, in[0]);
}

int main(void)
{
    static float a[5][6] = {[3] = {1, 2, 3, 4, 5, 6}}, b[5][6];
    struct point in[8] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    float out[8];
    amp_auto_array_view *from = amp_array_view1(8, in), *to = amp_array_view1(8, out),
                        *source = amp_array_view_whole2(a), *target = amp_array_view_whole2(b);
    amp_parallel_for_each(amp_extent2(5, 6), rows, true, source, target);
    amp_parallel_for_each(amp_extent1(8), sums, from, to);
    amp_synchronize(to);
    amp_synchronize(target);
    return out[2] != 61 + 113 + 61 + 5 || b[3][4] != 42 || b[4][2] != 200;
}
