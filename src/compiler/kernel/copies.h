/* SPDX-License-Identifier: MIT */
#pragma once

#include "ampcc.h"

/* Turns short calls that copy or set memory into loads and stores: see copies.c. */
void copies_lower_short(struct unit *unit, LLVMModuleRef module);
/* Does the same for the other calls. Returns true if there are calls of new functions, which must be inlined. */
bool copies_lower_rest(struct unit *unit, LLVMModuleRef module);
