// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -w -fsyntax-only %s
// row: T5, T9, T10, T12, D2
// What a kernel can be passed.
#include <amp.h>

struct list {
    struct list *next;
};
struct flexible {
    int n, items[];
};

void a(amp_index1 i, float *x) restrict(amp) // expected-error: 'x' is a pointer, which cannot be passed to a kernel; write it as an array with its bounds, such as 'x[N]' with 'int N' before
{
}

void b(amp_index1 i, float x[]) restrict(amp) // expected-error: the first bound of 'x' is missing; write it, such as 'x[N]' with 'int N' before
{
}

void c(amp_index1 i, float x[][4]) restrict(amp) // expected-error: the first bound of 'x' is missing; ...
{
}

void d(amp_index1 i, int (*f)(int)) restrict(amp) // expected-error: 'f' is a pointer to a function, which cannot be passed to a kernel; pass a number and choose with 'switch'
{
}

void e(amp_index1 i, struct list l) restrict(amp) // expected-error: a parameter of type 'struct list' cannot be passed to a kernel: it contains a pointer, which means nothing on another device; pass an array of its own
{
}

void f(amp_index1 i, int N, struct list l[N]) restrict(amp) // expected-error: an array with elements of type 'struct list' cannot be passed to a kernel: it contains a pointer, ...
{
}

void g(amp_index1 i, int N, long double x[N], _Complex float c) restrict(amp) // expected-error: an array with elements of type 'long double' cannot be passed to a kernel: long double does not exist on devices; use double expected-error: a parameter of type '_Complex float' cannot be passed to a kernel: ...
{
}

void h(amp_index1 i, int N, float *x[N]) restrict(amp) // expected-error: an array with elements of type 'float *' cannot be passed to a kernel: it is no number, enum, struct or union
{
}

void j(amp_index1 i, amp_index1 j) restrict(amp) // expected-error: 'j' is a second index; a kernel has one, its first parameter
{
}

void k(amp_index1 i, int N, int x[N][1][1][1][1][1][1][1][1]) restrict(amp) // expected-error: 'x' has more than 8 dimensions
{
}

void l(amp_index1 i, struct flexible s) restrict(amp) // expected-error: a parameter of type 'struct flexible' cannot be passed to a kernel: its size is not known; pass the flexible array as an array of its own
{
}

void m(amp_index1 i, int N, _Complex float x[N]) restrict(amp) // expected-error: an array with elements of type '_Complex float' cannot be passed to a kernel: _Complex does not exist on devices; use a struct of two numbers
{
}

void n(amp_index1 i, struct local { int a; } s) restrict(amp) // expected-error: a parameter of type 'struct local' cannot be passed to a kernel: only the parameter list knows it; declare it before the function, with a name
{
}
