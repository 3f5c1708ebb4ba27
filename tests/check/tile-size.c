// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: tiled_extent.type, C3574
// A tile is positive, constant, and has up to 1024 threads.
#include <amp.h>

void a(amp_tiled_index1(0) t) restrict(amp) // expected-error: a tile of size 0 is not possible; every size must be positive
{
}

void b(amp_tiled_index2(4, -4) t) restrict(amp) // expected-error: a tile of size -4 is not possible; every size must be positive
{
}

void c(amp_tiled_index2(32, 33) t) restrict(amp) // expected-error: a tile has no more than 1024 threads; make it smaller
{
}

void d(amp_tiled_index3(65536, 65536, 1) t) restrict(amp) // expected-error: a tile has no more than 1024 threads; make it smaller
{
}
