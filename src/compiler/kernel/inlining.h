/* SPDX-License-Identifier: MIT */
#pragma once

#include "ampcc.h"

/* Reports the kernels that would be too large with everything inlined that they call. */
void inlining_check_sizes(const struct unit *unit, LLVMModuleRef module);
