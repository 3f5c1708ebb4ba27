// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-gpu=sm_75 -Wno-amp-private -c -o %t.o %s
// RUN: python3 %root/tests/expect.py %ampcc --amp-gpu=none -DEITHER -c -o %t.o %s
// Atomic operations on a thread's own variables, and on memory that others see; on either by one pointer on the CPU
// alone.
#include <amp.h>

void k(amp_index1 i, int N, int x[N]) restrict(amp)
{
    int own[2] = {N, 1};
#ifdef EITHER
    int *place = x[i[0]] > 5 ? &own[N & 1] : x;
    amp_atomic_fetch_add(place, 1);
#else
    if (x[i[0]] > 5)
        amp_atomic_fetch_add(&own[N & 1], 1);
    else
        amp_atomic_fetch_add(x, 1);
#endif
    x[i[0]] = own[0];
}
