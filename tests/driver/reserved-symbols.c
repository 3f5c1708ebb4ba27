// SPDX-License-Identifier: MIT
// A symbol of the source that ampcc needs for a kernel's code or descriptor is an error that names both.
// RUN: not %ampcc -c -DSYMBOL='"k.x86-64-v2"' %s -o %t.o 2>&1 | FileCheck -DNAME=k.x86-64-v2 %s
// RUN: not %ampcc -c -DVARIABLE -DSYMBOL='"k.x86-64-v2"' %s -o %t.o 2>&1 | FileCheck -DNAME=k.x86-64-v2 %s
// RUN: not %ampcc -c -DVARIABLE -DSYMBOL='"amp__geometry_0_0"' %s -o %t.o 2>&1 | FileCheck -DNAME=amp__geometry_0_0 %s
// RUN: not %ampcc -c -DSYMBOL='"amp__run_0_0"' %s -o %t.o 2>&1 | FileCheck -DNAME=amp__run_0_0 %s
// RUN: not %ampcc -c -DSYMBOL='"amp__own_0"' %s -o %t.o 2>&1 | FileCheck -DNAME=amp__own_0 %s
// RUN: not %ampcc -c -DSYMBOL='"amp__outside_0"' %s -o %t.o 2>&1 | FileCheck -DNAME=amp__outside_0 %s
// RUN: not %ampcc -c -DVARIABLE -DSYMBOL='"amp__touches_0"' %s -o %t.o 2>&1 | FileCheck -DNAME=amp__touches_0 %s
// RUN: %ampcc -c -DSYMBOL='"k.x86-64-v5"' %s -o %t.o
// CHECK: reserved-symbols.c:[[#K:]]:6: error: the source has a symbol '[[NAME]]', which ampcc needs for kernel
// CHECK-SAME: 'k'; give it another name
#include <amp.h>

#ifdef VARIABLE
int own __asm__(SYMBOL) = 1;
#else
int own(void) __asm__(SYMBOL);
int own(void)
{
    return 1;
}
#endif

void k(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] = 1;
}
