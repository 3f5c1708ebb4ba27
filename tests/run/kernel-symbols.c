// SPDX-License-Identifier: MIT
// RUN: %ampcc -O2 -Wall -Wextra -Werror -Wno-unknown-pragmas %s -o %t && %run %t | FileCheck %s
// RUN: nm %t | cut -d' ' -f2- | FileCheck --check-prefix=SYMBOLS %s
// RUN: %ampcc -E %s -o %t.i && %ampcc -O1 %t.i -o %t && %run-alone %t | FileCheck %s
// RUN: %ampcc -O1 --amp-gpu=sm_75 --amp-dump-after=assemble --amp-stop-after=assemble %s -o - | FileCheck --check-prefix=PTX %s
// A kernel is known by its symbol: the source may give it a symbol other than its name, and several kernels one name.
#include <amp.h>
#include <stdio.h>

void labelled(amp_index1 idx, int N, int x[2 * N]) restrict(amp) __asm__("1st.kernel");
void labelled(amp_index1 idx, int N, int x[2 * N]) restrict(amp)
{
    x[idx[0] + N] += 1;
}

#pragma redefine_extname redefined by_pragma
void redefined(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] += 10;
}

#define renamed by_macro
void renamed(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] += 100;
}
#undef renamed
#define by_macro (by_macro)

void alias(amp_index1 idx, int N, int x[N]) restrict(amp) __attribute__((alias("by_pragma")));

#define SECOND __attribute__((overloadable)) static void
SECOND add(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] += 1000;
}
SECOND add(amp_index1 idx, int N, float x[N][2]) restrict(amp)
{
    x[idx[0]][1] += 0.5f;
}
SECOND add(amp_tiled_index1(4) t, int N, double x[N]) restrict(amp)
{
    x[t.global[0]] += t.local[0];
}
typedef void add_int(amp_index1, int, int *);
typedef void add_double(amp__tiled_index1, int, double *);

int main(void)
{
    int data[8] = {0};
    float numbers[4][2] = {{0}};
    double more[8] = {0};
    amp_array_view *x = amp_array_view1(8, data), *y = amp_array_view2(4, 2, numbers[0]), *z = amp_array_view1(8, more);
    void (*add_float)(amp_index1, int, float (*)[2]) = add;
    amp_parallel_for_each(amp_extent1(4), labelled, 4, x);
    amp_parallel_for_each(amp_extent1(8), redefined, x);
    amp_parallel_for_each(amp_extent1(8), by_macro, x);
    amp_parallel_for_each(amp_extent1(8), alias, x);
    amp_parallel_for_each(amp_extent1(8), (add_int *)add, x);
    amp_parallel_for_each(amp_extent1(4), add_float, y);
    amp_parallel_for_each(amp_extent1(8), (add_double *)add, z);
    amp_synchronize(x);
    amp_synchronize(y);
    amp_synchronize(z);
    // CHECK: {{^}}1120 1121 0.5 3{{$}}
    printf("%d %d %g %g%s\n", data[0], data[4], (double)numbers[3][1], more[7], amp_error_text());
    amp_array_view_release(z);
    amp_array_view_release(y);
    amp_array_view_release(x);
    return 0;
}

// SYMBOLS-DAG: {{^}}T 1st.kernel{{$}}
// SYMBOLS-DAG: {{^}}t 1st.kernel.{{x86-64-v2|native}}{{$}}
// SYMBOLS-DAG: {{^}}T alias{{$}}
// SYMBOLS-DAG: {{^}}t by_macro.{{x86-64-v2|native}}{{$}}
// SYMBOLS-DAG: {{^}}T by_pragma{{$}}
// SYMBOLS-DAG: {{^}}t by_pragma.{{x86-64-v2|native}}{{$}}
// SYMBOLS-DAG: {{^}}t _ZL3addPKiiPi.{{x86-64-v2|native}}{{$}}
// PTX-DAG: .entry $31st$2ekernel_kernel(
// PTX-DAG: .entry by_pragma_kernel(
// PTX-DAG: .entry _ZL3addPKiiPi_kernel(
