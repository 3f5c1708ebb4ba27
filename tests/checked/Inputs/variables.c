/* SPDX-License-Identifier: MIT */
#include <amp.h>

struct point {
    float x, y;
};

static float norm(struct point p) restrict(amp)
{
    float sum = p.x * p.x + p.y * p.y;
    return sum;
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
    out[t.global[0]] = pair[0] + pair[1];
}

int main(void)
{
    struct point in[8] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    float out[8];
    amp_auto_array_view *from = amp_array_view1(8, in), *to = amp_array_view1(8, out);
    amp_parallel_for_each(amp_extent1(8), sums, from, to);
    amp_synchronize(to);
    return amp_error_status();
}
