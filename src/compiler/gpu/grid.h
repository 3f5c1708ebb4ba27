/* SPDX-License-Identifier: MIT
 *
 * What the parts of the pass `ptx` share. */
#pragma once

#include "widen.h"

enum { PTX_KERNEL = 71 }; /* the calling convention of kernels */

/* ---- grid.c ---- */

/* What a kernel is called in PTX, where a profiler shows it: "scale_kernel". */
const char *ptx_entry_name(const struct kernel *kernel);

/* Gives a function an entry's mode of floating point, without which the one is not inlined into the other. */
void ptx_copy_float_mode(LLVMValueRef entry, LLVMValueRef function);

/* ---- unroll.c ---- */

/* Has short innermost loops unrolled, where the source does not ask for something else. */
void ptx_unroll_short_loops(const struct cfg *cfg);

/* The same for the innermost loops that `w` has emitted over several points, however long. */
void ptx_unroll_points(const struct widener *w);

/* ---- loads.c ---- */

/* Moves loads in front of arithmetic behind which they would wait. */
void ptx_hoist_loads(LLVMValueRef function);

/* ---- nvptx/library.c ---- */

/* Takes out the bodies of those functions of amp_math.h that the library has, faster ones. */
void ptx_leave_to_library(LLVMModuleRef module);

/* Puts what the image's module calls into it, and reports what is not there. */
void ptx_link_library(struct unit *unit, struct image *image);
