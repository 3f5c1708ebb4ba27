/* SPDX-License-Identifier: MIT */
#pragma once

#include "ampcc.h"

/* Replaces loads of parts of vectors that were stored before them in the same block. */
void forward_parts(const struct unit *unit, LLVMModuleRef module);
