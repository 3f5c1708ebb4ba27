// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-gpu=sm_75 -c -o %t.o %s
// row: C3578
// The arguments of a launch travel to a GPU in a space of fixed size.
#include <amp.h>

struct table {
    char text[5000];
};

void k(amp_index1 i, int N, struct table table, float x[N]) restrict(amp) // expected-error: the arguments of 'k' take 5016 bytes, and sm_75 has 4072 for them: put some into an array, or make no code for GPUs with --amp-gpu=none
{
    x[i[0]] = table.text[i[0]];
}
