/* SPDX-License-Identifier: MIT
 *
 * Warns of what a program may do but hardly means to. */
#pragma once

#include "ampcc.h"

#include <clang-c/Index.h>

/* Looks at a kernel without errors, which `function` defines. Notes the components that subscript its arrays. */
void suspect_kernel(const struct kernel *kernel, CXCursor function);
/* Returns the text of an array's declaration with two bounds exchanged. */
const char *suspect_exchanged(const struct param *array, int a, int b);
/* Looks for directives in a function that only kernels call. */
void suspect_pragmas(CXCursor function);
/* Looks at a function's calls of what amp.h declares. */
void suspect_calls(CXCursor function);
