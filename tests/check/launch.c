// SPDX-License-Identifier: MIT
// RUN: not %ampcc -fsyntax-only %s 2>&1 | FileCheck %s
// A launch passes up to 31 arguments.
#include <amp.h>

// CHECK-NOT: error:
#define EIGHT(x) x, x, x, x, x, x, x, x

void k(amp_index1 i, int a) restrict(amp)
{
}

int main(void)
{
    amp_extent one = amp_extent1(1);
    amp_parallel_for_each(one, k, EIGHT(1), EIGHT(2), EIGHT(3), 1, 2, 3, 4, 5, 6, 7);
    amp_parallel_for_each(one, k, EIGHT(1), EIGHT(2), EIGHT(3), EIGHT(4)); // CHECK: [[@LINE]]:{{[0-9]+}}: error: use of undeclared identifier 'AMP_ERROR_a_launch_passes_at_most_31_arguments'
    amp_parallel_for_each_on(NULL, one, k, EIGHT(1), EIGHT(2), EIGHT(3), EIGHT(4), EIGHT(5), EIGHT(6), EIGHT(7), 1, 2, 3, 4, 5, 6, 7); // CHECK: [[@LINE]]:{{[0-9]+}}: error: use of undeclared identifier 'AMP_ERROR_a_launch_passes_at_most_31_arguments'
}
// CHECK: 2 errors generated.
