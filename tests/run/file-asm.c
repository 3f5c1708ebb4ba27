// SPDX-License-Identifier: MIT
// Assembler text outside functions is for the host: it is in the program once, however many targets there are.
// RUN: %ampcc -O0 %s -o %t && %t | FileCheck %s
// RUN: %ampcc -O2 --amp-cpu=baseline,native %s -o %t && %t | FileCheck %s
// RUN: %ampcc -O2 -S %s -o - | grep -c '^chosen:' | FileCheck --check-prefix=ONCE %s
// CHECK: 7, 3
// ONCE: {{^1$}}
#include <amp.h>
#include <stdio.h>

__asm__(".data\n"
        ".globl chosen\n"
        ".balign 4\n"
        "chosen:\n"
        ".long 7\n"
        ".text\n");
extern int chosen;

static void put(amp_index1 i, int N, int x[N]) restrict(amp)
{
    x[i[0]] = i[0];
}

int main(void)
{
    int data[4] = {0};
    amp_array_view *view = amp_array_view1(4, data);
    if (amp_parallel_for_each(amp_extent1(4), put, view) != AMP_OK)
        puts(amp_error_text());
    amp_synchronize(view);
    amp_array_view_release(view);
    printf("%d, %d\n", chosen, data[3]);
    return 0;
}
