// SPDX-License-Identifier: MIT
// Of a weak and a strong kernel of one name, the linker's choice runs: whichever object comes first, and whether or not
// both are written on the same line of a file of one name.
// RUN: mkdir -p %t.weak %t.strong && cp %s %t.weak/kernel.c && cp %s %t.strong/kernel.c
// RUN: %ampcc -O2 -DWEAK=1 -c %t.weak/kernel.c -o %t.weak.o && %ampcc -O2 -DWEAK=2 -c %t.weak/kernel.c -o %t.other.o
// RUN: %ampcc -O2 -DSTRONG -c %t.strong/kernel.c -o %t.strong.o && %ampcc -O2 -c %s -o %t.main.o
// RUN: %ampcc -O2 -DSTRONG -DMOVED -c %t.strong/kernel.c -o %t.moved.o
// RUN: %ampcc %t.main.o %t.weak.o %t.strong.o -o %t && %run %t | FileCheck --check-prefix=IS-STRONG %s
// RUN: %ampcc %t.main.o %t.strong.o %t.weak.o -o %t && %run-alone %t | FileCheck --check-prefix=IS-STRONG %s
// RUN: %ampcc %t.main.o %t.weak.o %t.moved.o -o %t && %run-alone %t | FileCheck --check-prefix=IS-STRONG %s
// RUN: %ampcc %t.main.o %t.moved.o %t.other.o -o %t && %run-alone %t | FileCheck --check-prefix=IS-STRONG %s
// RUN: %ampcc %t.main.o %t.weak.o %t.other.o -o %t && %run-alone %t | FileCheck --check-prefix=IS-FIRST %s
// RUN: %ampcc %t.main.o %t.other.o %t.weak.o -o %t && %run-alone %t | FileCheck --check-prefix=IS-SECOND %s
// RUN: %ampcc %t.main.o %t.weak.o -o %t && %run-alone %t | FileCheck --check-prefix=IS-FIRST %s
// RUN: %ampcc -O0 -fPIC -DWEAK=1 -c %t.weak/kernel.c -o %t.weak.o && %ampcc -shared %t.weak.o -o %t.so
// RUN: %ampcc %t.main.o %t.so %t.strong.o -o %t && %run-alone %t | FileCheck --check-prefix=IS-STRONG %s
// RUN: %ampcc %t.main.o %t.so -o %t && %run-alone %t | FileCheck --check-prefix=IS-FIRST %s
// RUN: %ampcc -O0 %t.main.o %t.weak.o %t.strong.o -o %t && %run-alone %t | FileCheck --check-prefix=IS-STRONG %s
// IS-STRONG: 3, no error
// IS-FIRST: 1, no error
// IS-SECOND: 2, no error
#include <amp.h>
#include <stdio.h>

#if defined WEAK
#define VALUE WEAK
__attribute__((weak))
#elif defined STRONG
#define VALUE 3
#endif
#if defined WEAK || defined STRONG
#ifdef MOVED
#line 100
#endif
void set(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] = VALUE;
}
#else
void set(amp_index1 idx, int N, int x[N]) restrict(amp);

int main(void)
{
    int x[4] = {0};
    amp_array_view *view = amp_array_view1(4, x);
    amp_status status = amp_parallel_for_each(amp_extent1(4), set, view);
    if (status == AMP_OK)
        status = amp_synchronize(view);
    printf("%d, %s\n", x[3], status == AMP_OK ? amp_status_text(status) : amp_error_text());
    amp_array_view_release(view);
    return 0;
}
#endif
