// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// The number of lanes is a power of two up to 64, and belongs to a kernel.
#include <amp.h>

amp_lanes(3) void odd(amp_index1 i, int N, float x[N]) restrict(amp) // expected-error: amp_lanes(3) before kernel 'odd': the number of lanes must be 1, 2, 4, 8, 16, 32 or 64 [lanes]
{
    x[i[0]] = 1;
}

enum { EIGHT = 8 };
amp_lanes(EIGHT) void named(amp_index1 i, int N, float x[N]) restrict(amp) // expected-error: amp_lanes(EIGHT) before kernel 'named': the number of lanes must be 1, 2, 4, 8, 16, 32 or 64 [lanes]
{
    x[i[0]] = 1;
}

amp_lanes(8) float helper(float x) restrict(amp) // expected-error: amp_lanes(8) before 'helper', which is not a kernel; the kernels that call it decide [lanes]
{
    return 2 * x;
}

amp_lanes(8) void host(void); // expected-error: amp_lanes(8) before 'host', which is not a kernel; the kernels that call it decide [lanes]
