// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -Wall -Wextra -Werror -c -o %t.o %s
// row: atomic.fetch, atomic.exchange, atomic.compare_exchange, atomic.inc
// Atomic operations on arrays, tile memory and what pointers of the kernel point to, of 32 and 64 bits.
#include <amp.h>

struct cell {
    int count;
    double sum;
};

static void add(double *sum, double x) restrict(amp)
{
    amp_atomic_fetch_add(sum, x);
}

void k(amp_tiled_index1(8) t, int N, int a[N], unsigned long b[N], float c[N], struct cell cells[N]) restrict(amp)
{
    tile_static unsigned high;
    int i = t.global[0], expected = a[i];
    if (t.local[0] == 0)
        high = 0;
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_max(&high, (unsigned)i);
    amp_atomic_fetch_inc(&cells[i].count);
    add(&cells[i].sum, c[i]);
    while (!amp_atomic_compare_exchange(&a[i], &expected, 2 * expected))
        ;
    amp_atomic_fetch_min(&c[i], 0.5f);
    amp_atomic_fetch_max(&cells[i].sum, 2.5);
    c[i] = amp_atomic_exchange(&c[i], 1.5f) + (float)amp_atomic_fetch_xor(&b[i], 1ul);
}
