/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * The largest possible extent: the last vector's lanes beyond it do not wrap around.
 */
#include "check.h"
static void k(amp_index1 idx, int out[4]) restrict(amp)
{
    int i = idx[0];
    if (i >= 2147483640)
        amp_atomic_fetch_add(&out[i & 3], 1);
}
int main(void)
{
    int out[4] = {0}, want[4] = {2, 2, 2, 1};
    amp_array_view *v = amp_array_view1(4, out);
    CHECK_OK(amp_parallel_for_each(amp_extent1(2147483647), k, v));
    CHECK_OK(amp_synchronize(v));
    CHECK_INTS(out, want, 4, "%s", "intmax");
    return 0;
}
