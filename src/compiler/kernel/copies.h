/* SPDX-License-Identifier: MIT */
#pragma once

#include "ampcc.h"

/* Makes loads and stores of the calls that copy or set memory: see copies.c. */
void copies_lower_short(struct unit *unit, LLVMModuleRef module);
/* The same for what is left; true if there are calls of new functions, which are to be inlined. */
bool copies_lower_rest(struct unit *unit, LLVMModuleRef module);
