// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-gpu=none -c -o %t.o %s
// RUN: python3 %root/tests/expect.py %ampcc --amp-gpu=sm_75 -DSIZE=4000 -c -o %t.o %s
// row: C3578
// The arguments of a launch travel to a GPU in a space of fixed size; the CPU has no such limit.
#include <amp.h>

#ifndef SIZE
#define SIZE 5000
#endif

struct table {
    char text[SIZE];
};

void k(amp_index1 i, int N, struct table table, float x[N]) restrict(amp)
{
    x[i[0]] = table.text[i[0]];
}
