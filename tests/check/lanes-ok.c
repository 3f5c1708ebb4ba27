// SPDX-License-Identifier: MIT
// RUN: %ampcc -fsyntax-only -Wall -Werror %s
// RUN: %clang -fsyntax-only -I %root/include -Wall -Werror %s
#include <amp.h>

#define EIGHT 8
amp_lanes(1) void one(amp_index1 i, int N, float x[N]) restrict(amp)
{
    x[i[0]] = 1;
}

amp_lanes(EIGHT) static void eight(amp_index1 i, int N, float x[N]) restrict(amp)
{
    x[i[0]] = 1;
}

amp_status launch(amp_array_view *x)
{
    amp_parallel_for_each(amp_extent1(8), one, x);
    return amp_parallel_for_each(amp_extent1(8), eight, x);
}
