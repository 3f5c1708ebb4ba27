// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: extent.tile
// A tile is positive, constant, and has up to 1024 threads.
#include <amp.h>

#define SIXTEEN 16
enum { TS = 8 };

void a(amp_tiled_index1(1024) t) restrict(amp)
{
}

void b(amp_tiled_index2(SIXTEEN, TS * 2 + sizeof(int)) t) restrict(amp)
{
}

void c(amp_tiled_index3(1, 1, 1) t) restrict(amp)
{
}
