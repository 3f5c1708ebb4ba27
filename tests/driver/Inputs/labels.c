/* SPDX-License-Identifier: MIT */
#include <amp.h>

void add(amp_index1 idx, int N, float x[N]) restrict(amp) __asm__("helper#1");
void add(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    x[idx[0]] += 1;
}

void helper(void)
{
}
