/* SPDX-License-Identifier: MIT */
#pragma once

#include "ampcc.h"

/* Reports the barriers in `module` that not all threads of a tile reach. Returns whether there are none. */
bool uniform_check(const struct unit *unit, LLVMModuleRef module);
