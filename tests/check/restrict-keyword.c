// SPDX-License-Identifier: MIT
// RUN: not %ampcc -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %ampcc -fsyntax-only -DKEYWORD=__restrict -Wall -Werror %s
// C's keyword before a parenthesis looks like the mark of a kernel to the preprocessor.
#include <amp.h>

#ifndef KEYWORD
// CHECK: restrict-keyword.c:[[#@LINE+2]]:24: error: expected identifier or '('
// CHECK: restrict-keyword.c:[[#@LINE+1]]:6: note: amp.h takes restrict(...) for the mark of a kernel; write '__restrict' here [keyword restrict]
int *restrict (*wrong)(void);
#else
int *KEYWORD (*right)(void);
int *restrict plain;
#endif
