// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: language.calls, language.union
// Host code calls a restrict(amp) function only if that is for the cpu, too.
#include <amp.h>

static int both(int x) restrict(cpu, amp)
{
    return x + 1;
}

int host(int x)
{
    return both(x);
}

void k(amp_index1 i, int N, int x[N]) restrict(amp)
{
    x[i[0]] = both(x[i[0]]);
}

amp_status launch(amp_array_view *x)
{
    return amp_parallel_for_each(amp_extent1(4), k, x);
}
