// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -c -o %t.o %s
// Code for accelerators uses constants, and no other variables of the file.
// row: S2, C3586
#include <amp.h>

using namespace concurrency;

extern int elsewhere;
const int late = elsewhere; // expected-note: its value is only known when the program runs
const int early = 4;
const float table[2] = {1, 2};
int counter; // expected-note: declared here
struct named {
    static const int most = 5;
    static int count; // expected-note: declared here
};

int constants(int i) restrict(amp)
{
    return early + (int)table[i & 1] + named::most;
}
int variables() restrict(amp)
{
    int x = late;           // expected-error: global variable 'late' cannot be used in restrict(amp) code; pass its value
    x += counter;           // expected-error: global variable 'counter' cannot be used in restrict(amp) code; pass its value
    return x + named::count; // expected-error: global variable 'count' cannot be used in restrict(amp) code; pass its value
}
