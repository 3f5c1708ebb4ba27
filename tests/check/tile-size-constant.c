// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: C3574
// clang finds this one; the words are ours.
#include <amp.h>

int size = 4;

void a(amp_tiled_index1(size) t) restrict(amp) // expected-error: the size of a tile must be an integer constant; use a literal, an enumerator or a macro
{
}

void b(amp_tiled_index2(4, size) t) restrict(amp) // expected-error: the size of a tile must be an integer constant; use a literal, an enumerator or a macro
{
}
