/* SPDX-License-Identifier: MIT
 *
 * Tiled kernels that use tile memory for copies of arrays only, and need neither the copies nor the tiles. */
#pragma once

#include "ampcc.h"

struct untiled {
    struct kernel kernel; /* the same without tiles, and with an entry of its own */
    bool is_shared[2];    /* what it read by way of tile memory is the same for all tiles along a dimension */
    unsigned line;        /* of the first copy into tile memory; 0: it is not known */
};

/* Returns such a kernel's entry without tiles, in the same module; NULL if the kernel is none. A box may run it that
 * has two tiles or more along each dimension of `is_shared`. */
const struct untiled *untiled_of(LLVMModuleRef module, const struct kernel *kernel);

/* Lets the loops stay as they are, before LLVM would unroll them, in which such kernels read tile memory: without
 * tiles, each is one with the loop around it. */
void untile_keep_loops(const struct unit *unit, LLVMModuleRef module);
