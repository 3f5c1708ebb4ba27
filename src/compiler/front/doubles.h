/* SPDX-License-Identifier: MIT
 *
 * Warns of arithmetic that a constant or a function makes one of doubles. */
#pragma once

#include "ampcc.h"

#include <clang-c/Index.h>

/* Looks at a function for kernels without errors. */
void doubles_warn(CXCursor function);
