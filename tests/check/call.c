// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: S4, S12, C3594, C3930
// A kernel may call restrict(amp) functions of its file and <math.h>, and nothing else.
#include <amp.h>
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "text";
extern jmp_buf state;

float log_it(float x);
void leave(int *p);
#define LEAVING __attribute__((cleanup(leave)))

static float inner(float x) restrict(amp)
{
    return log_it(x); // expected-error: function 'inner' cannot call 'log_it', which is not restrict(amp); mark 'log_it' restrict(amp), and give its body in this file
}

static float outer(float x) restrict(amp)
{
    return inner(x) + 1; // expected-note: 'inner' is called by function 'outer' here
}

static float draw(void) restrict(amp)
{
    return (float)rand(); // expected-error: 'rand' exists on the host only; its state is one for all threads, compute a number from the index and a seed that you pass
}

void k(amp_index1 i, int N, float x[N]) restrict(amp)
{
    x[i[0]] = outer(x[i[0]]) + draw(); // expected-note: 'outer' is called by kernel 'k' here expected-note: 'draw' is called by kernel 'k' here
    puts(0); // expected-error: 'puts' exists on the host only; print with amp_printf
    x[0] = __expf(x[0]); // expected-error: '__expf' exists on the host only; call a fast function of <amp_math.h>, such as amp_fast_sinf
    printf("%d", i[0]); // expected-error: 'printf' exists on the host only; ...
    free(malloc(4)); // expected-error: 'free' exists on the host only; kernels have no heap, declare a local array with a constant bound, or pass an array
    exit(1); // expected-error: 'exit' exists on the host only; call amp_abort, which ends the launch with an error
    longjmp(state, 1); // expected-error: 'longjmp' exists on the host only; leave loops by 'break' and functions by 'return'
    x[1] = strlen(text); // expected-error: 'strlen' exists on the host only; write a loop
    x[2] = *getenv(text); // expected-error: 'getenv' exists on the host only; compute what it gives before the launch, and pass that
    amp_synchronize(0); // expected-error: 'amp_synchronize' exists on the host only; call it before or after the launch
    assert(x[0] > 0); // expected-error: assert is not allowed in restrict(amp) code, a kernel cannot stop the program; compile with -DNDEBUG, or call amp_abort, which ends the launch with an error
    errno = 0; // expected-error: '__errno_location' exists on the host only; kernels have no errno, test the arguments or the result
    __sync_fetch_and_add(&N, 1); // expected-error: this atomic operation is not one of a kernel's; write amp_atomic_fetch_add and the like
    __attribute__((cleanup(leave))) int own = 1; // expected-error: the attribute 'cleanup' of 'own' is not allowed in restrict(amp) code, it hides a call; write the call
    LEAVING int other = own; // expected-error: the attribute 'cleanup' of 'other' is not allowed ...
    __attribute__((unused)) int fine = other;
    x[0] = sqrtl(2); // expected-error: 'sqrtl' exists on the host only; devices lack its long double, so call 'sqrt'
}
