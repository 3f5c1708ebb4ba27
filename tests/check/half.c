// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -Wno-format -fsyntax-only %s
// row: T2, C3581
// What _Float16 and __bf16 cannot do.
#include <amp.h>

struct s {
    __fp16 h;
};

void k(amp_index1 i, int N, _Float16 h[N], __bf16 b[N]) restrict(amp)
{
    __fp16 a = 0; // expected-error: type '__fp16' is not allowed in restrict(amp) code; __fp16 is for storage alone; use _Float16
    struct s s; // expected-error: type 'struct s' is not allowed in restrict(amp) code; __fp16 is for storage alone; use _Float16
    amp_printf("%f", h[0]); // expected-error: 'amp_printf' prints no '_Float16', which C passes as it is where formats mean a double; pass (double) of it
    amp_printf("%f", b[0] + b[1]); // expected-error: 'amp_printf' prints no '__bf16', which C passes as it is where formats mean a double; pass (double) of it
    h[1] = __builtin_sqrtf16(h[0]); // expected-error: '__builtin_sqrtf16' is not allowed in restrict(amp) code; write it in plain C
}
