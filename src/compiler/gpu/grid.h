/* SPDX-License-Identifier: MIT
 *
 * Makes kernels for a GPU's grid of threads. This header has what the parts of the pass `grid` share, and what targets
 * with a grid use. */
#pragma once

#include "widen/widen.h"

/* ---- grid.c ---- */

/* Returns the kernel's name in the GPU's code, which a profiler shows: "scale_kernel". */
const char *grid_entry_name(const struct kernel *kernel);

/* Whether the GPU can start a function. */
bool grid_is_kernel(LLVMValueRef function);

/* Gives a function an entry's floating-point mode, without which the entry is not inlined into it. */
void grid_copy_float_mode(LLVMValueRef entry, LLVMValueRef function);

/* ---- rounds.c ---- */

/* What rounds of a loop need: the body, which has a copy of all nodes, and takes part by `use`; the first point of the
 * block of threads, the end of the box, and the thread's number in the block, by dimension. */
struct rounds {
    struct widener *w;
    const struct image *image;
    struct stage_use *use;
    const LLVMValueRef *first, *end, *thread;
};

/* Emits the loop, in rounds, at use->entered. */
void rounds_emit(struct rounds *r);

/* ---- unroll.c ---- */

/* Makes LLVM unroll short innermost loops, unless the source asks for something else. */
void unroll_short_loops(const struct cfg *cfg);

/* Does the same for the innermost loops that `w` has emitted over several points, however long. */
void unroll_points(const struct widener *w);

/* ---- loads.c ---- */

/* Moves loads before arithmetic that they would wait for. */
void loads_hoist(LLVMValueRef function);

/* ---- printf.c ---- */

/* Turns a call of amp_printf into one of `function`, which takes the format and the address of a block with the other
 * arguments. The format may use h, l and ll. */
void printf_lower(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef call, const char *function);

/* ---- report.c ---- */

/* Begins the report of a kernel with how it is spread over threads: prints a line, or, if `json` is not NULL, adds an
 * object to it, without its end. Returns whether a second kernel takes several points per thread. */
bool report_grid(const struct image *image, const struct kernel *kernel, struct text *json);
