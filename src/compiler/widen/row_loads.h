/* SPDX-License-Identifier: MIT
 *
 * Loads that are made once for all threads of a row. */
#pragma once

#include "widen/widen.h"

enum { MOST_ROW_LOADS = 8 }; /* each of which takes a register throughout the row */

struct row_loads {
    int n;
    LLVMValueRef loads[MOST_ROW_LOADS];
};

/* Returns those of an untiled kernel that its body for blocks of one row can have; NULL if there are none. */
const struct row_loads *row_loads_find(const struct kernel *kernel, const struct shapes *shapes);

/* Returns the value of such a load; NULL if it is another one. */
LLVMValueRef row_loads_value(const struct widener *w, LLVMValueRef load);
