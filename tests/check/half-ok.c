// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// What _Float16 and __bf16 can do.
#include <amp.h>
#include <math.h>

struct s {
    _Float16 h[2];
    __bf16 b;
};

static __bf16 sum(struct s s, _Float16 *by) restrict(cpu, amp)
{
    *by += s.h[1];
    return s.b + (__bf16)(float)s.h[0] * (__bf16)(float)*by;
}

void k(amp_index1 i, int N, _Float16 h[N], __bf16 b[N], struct s s) restrict(amp)
{
    amp_printf("%f %f\n", (double)h[0], (double)(b[0] + b[1]));
    b[i[0]] = sum(s, &h[i[0]]) + (__bf16)sqrtf(h[0]);
}
