/* SPDX-License-Identifier: MIT
 *
 * Host code about which clang has something to say when it optimises it and generates code. The kernel's frame is as
 * large, and its loop cannot become vectors either, but that is nothing that the host runs. */
#include "says.h"

#include <amp.h>

#ifndef HOST_ALONE
void k(amp_index1 i, int N, int x[N]) restrict(amp)
{
    int own[800];
#pragma clang loop vectorize(enable)
    for (int n = 1; n < N; n++)
        own[n] = x[n - 1] + own[n - 1];
    x[i[0]] = own[x[i[0]]];
}
#endif

void loop(float *a, int n);
void loop(float *a, int n)
{
#pragma clang loop vectorize(enable)
    for (int i = 1; i < n; i++)
        a[i] *= a[i - 1];
}

int frame(int x);
int frame(int x)
{
    char bytes[3000];
    use(bytes);
    from_header(x);
    TWICE(seldom());
    return x;
}

#ifdef FAILS
void fails(void);
void fails(void)
{
    never();
    TWICE(never());
    __asm__("nop\n\tno_such %eax");
}
#endif
