/* SPDX-License-Identifier: MIT
 * RUN: not %ampcc -O2 --amp-cpu=baseline -c %s -o %t.o 2>&1 | FileCheck %s
 * RUN: %ampcc -O2 --amp-cpu=baseline --amp-gpu=none -c %s -o %t.o
 *
 * More arguments than a GPU takes.
 */
#include <amp.h>

struct large {
    int numbers[1020];
};

/* CHECK: gpu-limits.c:[[#@LINE+2]]:{{.*}} error: the arguments of 'many_arguments' take {{[0-9]+}} bytes, and sm_75 has 4072 for them
 */
void many_arguments(amp_index1 idx, int N, struct large s, int a[N]) restrict(amp)
{
    a[idx[0]] = s.numbers[idx[0] % 1020];
}
