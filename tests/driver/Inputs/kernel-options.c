/* SPDX-License-Identifier: MIT
 *
 * Two kernels, one of them with a barrier, that call helpers: the host's copies of the functions are the reference. It
 * is C89 but for what amp.h needs, and compiles without warnings that -pedantic-errors would make errors. */
#include <amp.h>
#include <math.h>
#include <stdio.h>

enum { N = 1000, TS = 16 };

struct pair {
    float a;
    int b;
};

static const int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};

static struct pair make(int i, float x) restrict(cpu, amp)
{
    struct pair p = {x, i & 7};
    return p;
}

static int classify(int x) restrict(cpu, amp)
{
    switch (x % 4) {
    case 0:
        return 1;
    case 1:
        return table[x & 7];
    default:
        break;
    }
    int history[4] = {x, x + 1, x + 2, x + 3}, sum = 0;
    for (int i = 0; i < x % 5; i++)
        sum += history[i & 3] / (i + 1);
    return sum;
}

void mix(amp_index1 idx, int n, const float x[n], int y[n]) restrict(cpu, amp)
{
    int i = idx[0];
    if (i >= n)
        return;
    struct pair p = make(classify(i), x[i]);
    if (p.a > 100.0f)
        p.b += (int)sqrtf(p.a + 0.1f); /* Never near an integer: -Ofast may round it differently. */
    y[i] = p.b + (i << 1) - (char)i;
}

void reverse(amp_tiled_index1(TS) t, int n, int y[n]) restrict(amp)
{
    tile_static int s[TS];
    int g = t.global[0];
    s[t.local[0]] = g < n ? y[g] : classify(g);
    amp_tile_barrier_wait(t.barrier);
    if (g < n)
        y[g] += s[TS - 1 - t.local[0]];
}

int main(void)
{
    static float x[N];
    static int y[N], once[N];
    int i, n_different = 0;
    for (i = 0; i < N; i++)
        x[i] = (float)i / 4;
    amp_array_view *vx = amp_array_view1(N, x), *vy = amp_array_view1(N, y);
    amp_parallel_for_each(amp_extent1(N), mix, vx, vy);
    amp_parallel_for_each(amp_extent_pad(amp_extent1(N), amp_extent1(TS)), reverse, vy);
    amp_synchronize(vy);
    for (i = 0; i < N; i++)
        mix((amp_index1){i}, N, x, once);
    for (i = 0; i < N; i++) {
        int other = i / TS * TS + TS - 1 - i % TS;
        n_different += y[i] != once[i] + (other < N ? once[other] : classify(other));
    }
    printf("%d different, %s\n", n_different, amp_status_name(amp_error_status()));
    amp_array_view_release(vy);
    amp_array_view_release(vx);
    return 0;
}
