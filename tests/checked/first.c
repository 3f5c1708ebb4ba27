// A subscript beyond an array: the message, the status, and the host's data, which stay as they were.
// RUN: %ampcc -O2 --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
// RUN: %ampcc -O0 --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
#include <amp.h>
#include <stdio.h>

void fill(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    x[idx[0]] = 1; // line 9
}

int main(void)
{
    float x[8] = {5, 5, 5, 5, 5, 5, 5, 5};
    amp_array_view *v = amp_array_view1(8, x);
    amp_status status = amp_parallel_for_each(amp_extent1(20), fill, v);
    // CHECK: AMP_ERROR_CHECK
    // CHECK: first.c:9:15: fill, thread (8): writes x[8], x has 8
    printf("%s\n%s\n", amp_status_name(status), amp_error_text());
    amp_error_clear();
    // CHECK: no error 5 5
    status = amp_synchronize(v);
    printf("%s %g %g\n", amp_status_text(status), x[0], x[7]);
    // CHECK: no error 1 1
    status = amp_parallel_for_each(amp_extent1(8), fill, v);
    amp_synchronize(v);
    printf("%s %g %g\n", amp_status_text(status), x[0], x[7]);
    amp_array_view_release(v);
    return 0;
}
