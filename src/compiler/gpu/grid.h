/* SPDX-License-Identifier: MIT
 *
 * Kernels for a GPU's grid of threads: what the parts of the pass `grid` share, and what targets with a grid use. */
#pragma once

#include "widen/widen.h"

/* ---- grid.c ---- */

/* What a kernel is called in the GPU's code, where a profiler shows it: "scale_kernel". */
const char *grid_entry_name(const struct kernel *kernel);

/* Whether a function is one that the GPU can start. */
bool grid_is_kernel(LLVMValueRef function);

/* Gives a function an entry's mode of floating point, without which the one is not inlined into the other. */
void grid_copy_float_mode(LLVMValueRef entry, LLVMValueRef function);

/* ---- unroll.c ---- */

/* Has short innermost loops unrolled, where the source does not ask for something else. */
void unroll_short_loops(const struct cfg *cfg);

/* The same for the innermost loops that `w` has emitted over several points, however long. */
void unroll_points(const struct widener *w);

/* ---- loads.c ---- */

/* Moves loads in front of arithmetic that they would wait for. */
void loads_hoist(LLVMValueRef function);

/* ---- printf.c ---- */

/* Turns a call of amp_printf into one of `function`, which takes the format and the address of a block with the other
 * arguments. The format knows h, l and ll. */
void printf_lower(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef call, const char *function);

/* ---- report.c ---- */

/* Begins the report of a kernel with how it is spread over threads: prints a line, or, if `json` is not NULL, adds an
 * object to it, without its end. Returns whether there is a form of it with several points per thread. */
bool report_grid(const struct image *image, const struct kernel *kernel, struct text *json);
