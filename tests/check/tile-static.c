// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: S6, C3584, C4881
// tile_static belongs to tiled kernels and what they call, and has no initialiser.
#include <amp.h>

tile_static int everywhere; // expected-error: tile_static 'everywhere' is not allowed here, only in tiled kernels and in restrict(amp) functions that they call

static float helper(float x) restrict(amp)
{
    tile_static float sum; // expected-error: tile_static 'sum' needs a tile; it is allowed only in kernels whose first parameter is an amp_tiled_index, and in functions that only those call
    sum = x;
    return sum;
}

void untiled(amp_index1 i, int N, float x[N]) restrict(amp)
{
    tile_static float a[4]; // expected-error: tile_static 'a' needs a tile; ...
    a[0] = helper(x[0]); // expected-note: 'helper' is called by kernel 'untiled' here
}

void tiled(amp_tiled_index1(4) t, int N, float x[N]) restrict(amp)
{
    tile_static int b[4] = {1}; // expected-error: tile_static 'b' cannot have an initialiser, all threads of a tile share it; let one thread write it, then wait at a barrier
    tile_static float *c; // expected-error: tile_static 'c' contains a pointer; pointers may not be stored in memory, keep an index
    tile_static long double d; // expected-error: type 'long double' is not allowed in restrict(amp) code; long double does not exist on devices; use double
    x[0] = helper(x[1]);
}

int host(void)
{
    tile_static int e; // expected-error: tile_static 'e' is not allowed here, only in tiled kernels and in restrict(amp) functions that they call
    return e = 1;
}

static int for_both(int x) restrict(cpu, amp)
{
    tile_static int f; // expected-error: tile_static 'f' needs a tile, which the host has not, but 'for_both' is restrict(cpu, amp); mark it restrict(amp)
    return f = x;
}
