/* SPDX-License-Identifier: MIT */
#include <amp.h>
#include <stdio.h>

void add(amp_index1 idx, int n, int x[n]) restrict(amp);
LINKAGE void add(amp_index1 idx, int n, int x[n]) restrict(amp)
{
    x[idx[0]] += STEP;
}

#ifdef IS_MAIN
int main(void)
{
    int data[4] = {0};
    amp_array_view *view = amp_array_view1(4, data);
    amp_status status = amp_parallel_for_each(amp_extent1(4), add, view);
    puts(amp_error_text());
    amp_array_view_release(view);
    return status != AMP_OK || data[3] != STEP;
}
#endif
