/* SPDX-License-Identifier: MIT */
#pragma once

#include "ampcc.h"

/* Reports the kernels that would be too large once everything that they call is inlined. */
void inlining_check_sizes(const struct unit *unit, LLVMModuleRef module);
