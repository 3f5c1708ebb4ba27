// SPDX-License-Identifier: MIT
// A frame of several pages is probed from the beginning of its function: LLVM's probes take r11 for themselves, even if
// they came after code that has something in it.
// REQUIRES: x86_64
// RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=znver4 --amp-convoys=100 -S %S/../run/columns.c -o - | FileCheck %s
// CHECK-LABEL: {{^"?}}chunks.znver4{{"?}}:
// CHECK-NOT: {{cmp|test|jmp}}
// CHECK: pushq %rbp
// CHECK: subq ${{[0-9]+}}, %r11
