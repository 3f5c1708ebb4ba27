/* SPDX-License-Identifier: MIT
 *
 * Bitonic sort: in each launch, every pair at some distance is put into order. N is a power of two. */
#include "cookbook.h"

enum { N = 1 << 14 };

static void order_pairs(amp_index1 idx, int distance, int run, unsigned x[N]) restrict(amp)
{
    int i = idx[0] / distance * 2 * distance + idx[0] % distance, j = i + distance;
    unsigned low = x[i] < x[j] ? x[i] : x[j], high = x[i] < x[j] ? x[j] : x[i];
    int is_rising = (i & run) == 0;
    x[i] = is_rising ? low : high;
    x[j] = is_rising ? high : low;
}

int main(void)
{
    static unsigned data[N];
    for (unsigned i = 0; i < N; i++)
        data[i] = (unsigned)(random_of(i) * 1000000);
    amp_auto_array_view *x = amp_array_view1(N, data);
    for (int run = 2; run <= N; run *= 2)
        for (int distance = run / 2; distance > 0; distance /= 2)
            amp_parallel_for_each(amp_extent1(N / 2), order_pairs, distance, run, x);
    amp_synchronize(x);
    int wrong = 0;
    for (int i = 1; i < N; i++)
        wrong += data[i - 1] > data[i];
    printf("%d numbers, %d out of order\n", N, wrong);
    return finish();
}
