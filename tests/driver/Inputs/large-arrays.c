/* SPDX-License-Identifier: MIT */
#include <amp.h>

void first(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    float a[60000];
    for (int i = 0; i < 60000; i++)
        a[(i * 7 + idx[0]) % 60000] = (float)i;
    x[idx[0]] = a[idx[0] % 60000];
}

void second(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    float a[60000];
    for (int i = 0; i < 60000; i++)
        a[(i * 5 + idx[0]) % 60000] = (float)i;
    x[idx[0]] = a[idx[0] % 60000];
}
