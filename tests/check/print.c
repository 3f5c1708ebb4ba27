// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// What devices must know of amp_printf beforehand, and what they cannot do.
// row: C3601
#include <amp.h>

struct s {
    int x;
};

static void f(int x) restrict(cpu, amp)
{
    amp_abort("f"); // expected-error: 'f' is restrict(cpu, amp), but 'amp_abort', which it calls, is not for the cpu; call it under 'if (amp_is_device())'
}

void k(amp_index1 i, struct s s) restrict(amp)
{
    static const char format[] = "%d\n";
    int n;
    amp_printf(format, 1); // expected-error: the format of 'amp_printf' must be a string literal in restrict(amp) code, ...
    amp_printf("%d%-5lln\n", 1, (long long *)0); // expected-error: %n is not allowed in restrict(amp) code, where nothing counts output
    amp_printf("%d\n", s); // expected-error: 'amp_printf' prints numbers, pointers and text, and no 'struct s'; pass its members
    amp_printf("%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d", 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1); // expected-error: 'amp_printf' takes up to 30 arguments after the format in restrict(amp) code; split the call
    const char *text = i[0] ? "a" : "b"; // expected-error: a string literal can only initialise an array in restrict(amp) code, or be printed; ...
    (void)text, (void)n;
}

void host(void)
{
    amp_abort("host"); // expected-error: 'amp_abort' is restrict(amp) and 'host' is host code, which cannot call it; ...
}
