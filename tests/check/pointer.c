// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: T5, S7, C3588
// Pointers are locals, parameters and results, and are not stored or made into numbers.
#include <amp.h>

struct node {
    struct node *next;
};

static float at(float **p) restrict(amp) // expected-error: type 'float **' is not allowed in restrict(amp) code; pointers may not be stored in memory, they mean nothing on another device; keep an index
{
    return **p;
}

void k(amp_index1 i, int N, float x[N]) restrict(amp)
{
    float *both[2] = {x, x}; // expected-error: type 'float *[2]' is not allowed ...
    struct node n = {0}; // expected-error: type 'struct node' is not allowed in restrict(amp) code; pointers may not be stored in memory, they mean nothing on another device; keep an index
    float *p = x;
    at(&p); // expected-note: 'at' is called by kernel 'k' here expected-error: type 'float **' is not allowed ...
    uintptr_t u = (uintptr_t)p; // expected-error: a cast from 'float *' to 'uintptr_t' is not allowed in restrict(amp) code, an address means nothing on another device; compute with indices
    p = (float *)u; // expected-error: a cast from 'uintptr_t' to 'float *' is not allowed ...
    x[0] = *both[0] + (n.next == 0);
}
