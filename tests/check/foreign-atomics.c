// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// Each atomic function of CUDA has our name of it in a note.
#include <amp.h>

void k(amp_index1 i, int N, int x[N]) restrict(amp)
{
    atomicAdd(&x[0], 1); // expected-error: call to undeclared function 'atomicAdd'; ... expected-note: write amp_atomic_fetch_add(&x, value)
    atomicSub(&x[0], 1); // expected-error: call to undeclared function 'atomicSub'; ... expected-note: write amp_atomic_fetch_sub(&x, value)
    atomicMax(&x[0], 1); // expected-error: call to undeclared function 'atomicMax'; ... expected-note: write amp_atomic_fetch_max(&x, value)
    atomicMin(&x[0], 1); // expected-error: call to undeclared function 'atomicMin'; ... expected-note: write amp_atomic_fetch_min(&x, value)
    atomicAnd(&x[0], 1); // expected-error: call to undeclared function 'atomicAnd'; ... expected-note: write amp_atomic_fetch_and(&x, value)
    atomicOr(&x[0], 1); // expected-error: call to undeclared function 'atomicOr'; ... expected-note: write amp_atomic_fetch_or(&x, value)
    atomicXor(&x[0], 1); // expected-error: call to undeclared function 'atomicXor'; ... expected-note: write amp_atomic_fetch_xor(&x, value)
    atomicExch(&x[0], 1); // expected-error: call to undeclared function 'atomicExch'; ... expected-note: write amp_atomic_exchange(&x, value)
    atomicCAS(&x[0], 1, 2); // expected-error: call to undeclared function 'atomicCAS'; ... expected-note: write amp_atomic_compare_exchange(&x, &old, value), which returns whether it stored 'value' and sets 'old'
    atomicInc(&x[0], 9); // expected-error: call to undeclared function 'atomicInc'; ... expected-note: write amp_atomic_fetch_inc(&x), which does not wrap around at a limit
    atomicDec(&x[0], 9); // expected-error: call to undeclared function 'atomicDec'; ... expected-note: write amp_atomic_fetch_dec(&x), which does not wrap around at a limit
    atomic_inc(&x[0]); // expected-error: call to undeclared function 'atomic_inc'; ... expected-note: write amp_atomic_fetch_inc(&x)
    atomicAdd_block(&x[0], 1); // expected-error: call to undeclared function 'atomicAdd_block'; ... expected-note: write amp_atomic_fetch_add(&x, value)
    atomicMax_block(&x[0], 1); // expected-error: call to undeclared function 'atomicMax_block'; ... expected-note: atomic operations are amp_atomic_fetch_add and its kin
    (void)(i[0] + atomicMix(&x[0], 1)); // expected-error: call to undeclared function 'atomicMix'; ...
}
