// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// What amp_is_device() keeps for the host may be any host code.
#include <amp.h>
#include <stdio.h>

static int f(int n) restrict(cpu, amp)
{
    if (!amp_is_device()) {
        puts("host");
        return n ? f(n - 1) : 0;
    } else if (n > 5)
        return 1;
    return (amp_is_device()) ? n : printf("%d", n);
}

void k(amp_index1 i, int N, int x[N]) restrict(amp)
{
    x[i[0]] = f(x[i[0]]);
}
