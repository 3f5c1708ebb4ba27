// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: S2, S5, C3585, C3586
// Kernels read const tables with a known value, and no other variables of the file.
#include <amp.h>

int counter;
static float scale = 2;
extern const float far[4];
_Thread_local const int mine = 1;
const char *const names[2] = {"a", "b"};

void k(amp_index1 i, int N, float x[N]) restrict(amp)
{
    static int calls; // expected-error: static variable 'calls' is not allowed in restrict(amp) code, because it is not const; use a local variable, tile_static, or a parameter
    static _Thread_local int own; // expected-error: thread-local variable 'own' cannot be used in restrict(amp) code, it belongs to a host thread; pass its value to the kernel
    counter++; // expected-error: global variable 'counter' cannot be used in restrict(amp) code, because it is not const; pass its value or an array to the kernel
    x[0] = scale; // expected-error: global variable 'scale' cannot be used ...
    x[1] = far[0]; // expected-error: the value of 'far' is not known in this file; give its initialiser here, or pass it to the kernel
    x[2] = mine; // expected-error: thread-local variable 'mine' cannot be used in restrict(amp) code, it belongs to a host thread; pass its value to the kernel
    x[3] = *names[0]; // expected-error: type 'const char *const[2]' is not allowed in restrict(amp) code; pointers may not be stored in memory, they mean nothing on another device; keep an index
    calls = own;
}
