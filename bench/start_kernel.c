/* SPDX-License-Identifier: MIT
 *
 * A program that launches one kernel; run.py measures how long it lives. */
#include <amp.h>
#include <stdio.h>

static void increment(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]]++;
}

int main(void)
{
    int x = 41;
    amp_array_view *view = amp_array_view1(1, &x);
    amp_parallel_for_each(amp_extent1(1), increment, view);
    amp_synchronize(view);
    amp_array_view_release(view);
    if (x != 42)
        fprintf(stderr, "%s\n", amp_error_text());
    return x != 42;
}
