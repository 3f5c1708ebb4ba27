// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// The parentheses of a tiled index, and its components.
#include <amp.h>

void few(amp_tiled_index2(16) t, int N, float x[N]) restrict(amp) // expected-error: 'amp_tiled_index2' takes two sizes, such as (16, 16)
{
    x[t.global[0]] *= 2;
}

void many(amp_tiled_index1(16, 16) t, int N, float x[N]) restrict(amp) // expected-error: 'amp_tiled_index1' takes one size, such as (256)
{
    x[t.global[0]] *= 2;
}

void none(amp_tiled_index3 t, int N, float x[N]) restrict(amp) // expected-error: 'amp_tiled_index3' takes three sizes, such as (4, 8, 8)
{
    x[t.global[0]] *= 2;
}

void component(amp_tiled_index2(4, 4) t, int M, int N, float x[M][N]) restrict(amp)
{
    x[t[0]][0] = 1; // expected-error: subscripted value is not an array, pointer, or vector expected-note: 't' is the index of a tiled kernel; use 't.global[0]'
    x[0][t[M - 1]] = 1; // expected-error: subscripted value is not an array, pointer, or vector expected-note: 't' is the index of a tiled kernel; use 't.global[M - 1]'
}

int host(amp_extent t)
{
    return t[0]; // expected-error: subscripted value is not an array, pointer, or vector
}
