// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// amp_printf takes literals as format and text; the host may pass anything.
// row: C3601, C3589
#include <amp.h>

static void f(int x) restrict(cpu, amp)
{
    if (amp_is_device()) {
        if (x < 0)
            amp_abort(x < -5 ? "small" : ("negative"));
    }
    amp_printf("%d %%n %s " "%c\n", x, x ? "yes" : x < 0 ? "no" : "never", 'c');
}

void k(amp_index1 i) restrict(amp)
{
    static const char reason[] = "reason";
    f(i[0]);
    amp_abort(reason);
}

void host(const char *format)
{
    amp_printf(format, 1);
}
