/* SPDX-License-Identifier: MIT */
#include <amp.h>

/* A thread for each pair: its number gives both elements, and the direction in which they are sorted. */
static void exchange(amp_index1 idx, int distance, int run, int n, unsigned values[n]) restrict(amp)
{
    int pair = idx[0];
    int low = pair / distance * 2 * distance + pair % distance, high = low + distance;
    unsigned a = values[low], b = values[high];
    bool goes_up = low / run % 2 == 0;
    if ((a > b) == goes_up) {
        values[low] = b;
        values[high] = a;
    }
}
