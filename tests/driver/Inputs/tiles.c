/* SPDX-License-Identifier: MIT */
#include <amp.h>
#include <stdio.h>

#ifdef FROM
#include <from.h>
#endif
#ifndef T
#define T 16
#endif
#ifndef REAL
#define REAL float
#endif
#ifndef MODE
#define MODE const
#endif
#ifndef W
#define W 2
#endif

typedef REAL real;
struct pair {
#ifdef SWAP
    int b;
    short a;
#else
    short a;
    int b;
#endif
};

static void k(amp_tiled_index1(T) t, int N, struct pair p, real f, MODE int x[N], float y[N][W], int z[N * T])
    restrict(amp)
{
    z[t.global[0] * T] = t.tile_extent[0] + p.b;
    y[t.global[0]][0] = (float)(f + (real)x[t.global[0]]);
}

int main(void)
{
    int x[16] = {1}, z[16 * T];
    float y[16][W];
    amp_array_view *a = amp_array_view1(16, x), *b = amp_array_view2(16, W, y[0]), *c = amp_array_view1(16 * T, z);
    amp_parallel_for_each(amp_extent1(16), k, (struct pair){.b = 100}, (real)0.5, a, b, c);
    amp_synchronize(b);
    amp_synchronize(c);
    printf("%d %g%s\n", z[15 * T], (double)y[0][0], amp_error_text());
    amp_array_view_release(c);
    amp_array_view_release(b);
    amp_array_view_release(a);
    return 0;
}
