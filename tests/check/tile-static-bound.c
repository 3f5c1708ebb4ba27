// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
#include <amp.h>

enum { SIZE = 16 };

void kernel(amp_tiled_index1(SIZE) t, int N, float x[N]) restrict(amp)
{
    tile_static float good[2 * SIZE][3];
    tile_static float s[N]; // expected-error: variable length array declaration cannot have 'static' storage duration expected-note: tile_static 's' needs constant bounds: literals, enumerators or macros, such as the size of the tile
    tile_static float r[4][t.tile_extent[0]]; // expected-error: variable length array declaration cannot have 'static' storage duration expected-note: tile_static 'r' needs constant bounds: ...
    static float own[N]; // expected-error: variable length array declaration cannot have 'static' storage duration
    good[t.local[0]][0] = x[t.global[0]];
}

void host(int n)
{
    static int own[n]; // expected-error: variable length array declaration cannot have 'static' storage duration
}
