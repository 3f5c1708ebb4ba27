// SPDX-License-Identifier: MIT
// RUN: not %ampcc -fsyntax-only %s 2>&1 | FileCheck %s
// A source that forgets the header. What clang says after the first error depends on its version.

void scale(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    x[idx[0]] *= 2;
}

// CHECK: missing-header.c:5:12: error: unknown type name 'amp_index1'
// CHECK: missing-header.c:5:12: note: amp.h declares this; write '#include <amp.h>' before [header]
