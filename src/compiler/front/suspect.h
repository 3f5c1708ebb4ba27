/* SPDX-License-Identifier: MIT
 *
 * Warns of what a program may do but hardly means to. */
#pragma once

#include "ampcc.h"

#include <clang-c/Index.h>

/* Looks at a kernel without errors, which `function` defines. */
void suspect_kernel(const struct kernel *kernel, CXCursor function);
/* Looks for directives in a function that only kernels call. */
void suspect_pragmas(CXCursor function);
/* Looks at a function's calls of what amp.h declares. */
void suspect_calls(CXCursor function);
