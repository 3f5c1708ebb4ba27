// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: S4, C3930
// A kernel may call restrict(amp) functions of its file and <math.h>, and nothing else.
#include <amp.h>
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

float log_it(float x);

static float inner(float x) restrict(amp)
{
    return log_it(x); // expected-error: function 'inner' cannot call 'log_it', which is not restrict(amp) and no function of <math.h> for float or double; mark 'log_it' restrict(amp), if it is yours, and give its body in this file
}

static float outer(float x) restrict(amp)
{
    return inner(x) + 1; // expected-note: 'inner' is called by function 'outer' here
}

void k(amp_index1 i, int N, float x[N]) restrict(amp)
{
    x[i[0]] = outer(x[i[0]]); // expected-note: 'outer' is called by kernel 'k' here
    puts(0); // expected-error: kernel 'k' cannot call 'puts', which is not restrict(amp) and no function of <math.h> for float or double; mark 'puts' restrict(amp), if it is yours, and give its body in this file
    printf("%d", i[0]); // expected-error: kernel 'k' cannot call 'printf', ...
    assert(x[0] > 0); // expected-error: assert is not allowed in restrict(amp) code, a kernel cannot stop the program; compile with -DNDEBUG, or write a result that says what went wrong
    x[0] = sqrtl(2); // expected-error: kernel 'k' cannot call 'sqrtl', ...
}
