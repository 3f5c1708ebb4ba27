// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -c -o %t.o %s
// A source with restrict(...) is C++ AMP even without <amp.h>; a function that has that name stays one.
void on_host(int x);
void restrict(int x);
int choose(int x) restrict(amp)
{
    on_host(x); // expected-error: 'on_host' is called in code for accelerators, but is not restrict(amp); ... expected-note@-4: 'on_host' is declared here
    goto end;   // expected-error: code for accelerators has no goto; write a loop or an if
end:            // expected-error: code for accelerators has no labels but those of switch
    return x;
}
int choose(int x) restrict(cpu)
{
    restrict(x);
    return x;
}
