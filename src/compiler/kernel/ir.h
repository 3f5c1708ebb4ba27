/* SPDX-License-Identifier: MIT
 *
 * What LLVM's C API needs several calls for. */
#pragma once

#include "ampcc.h"

/* The place in the source that `instruction` stands for; `otherwise` if it is not known. */
struct place ir_place(LLVMValueRef instruction, struct place otherwise);

/* Runs LLVM's passes over a module for the machine. The loop and SLP vectorisers stay off: what is scalar in a kernel
 * is so on purpose. */
void ir_run_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *pipeline);

/* Whether a constant is a tile_static variable or an address in one. */
bool ir_is_in_tile_memory(LLVMValueRef constant);

/* Where the function is called that `instruction` stands in; `level` 1 where the function of that call is called, and
 * so on. False when that is no function of the source any more. */
bool ir_call_place(LLVMValueRef instruction, int level, struct place otherwise, struct place *place);

/* Add attributes without a value, such as "nounwind", to a function, a parameter of it (counted from 1), or a call. */
enum { IR_FUNCTION = -1 }; /* the index of the function itself */
void ir_add_attribute(LLVMValueRef function, int index, const char *name);
void ir_add_call_attribute(LLVMValueRef call, const char *name);

/* Makes what a module defines visible to that module only. */
void ir_make_local(LLVMValueRef value);

/* Removes what the module's functions say of the processor and the C library that they are for, which keeps functions
 * of other modules from inlining them. */
void ir_forget_target(LLVMModuleRef module);

/* Calls an intrinsic that is not overloaded. */
LLVMValueRef ir_call_intrinsic(LLVMBuilderRef builder, const char *name, LLVMValueRef *args, unsigned n_args);

/* old `operation` value, one of those that `prepare` lets pass. */
LLVMValueRef ir_combine(LLVMBuilderRef builder, LLVMAtomicRMWBinOp operation, LLVMValueRef old, LLVMValueRef value);

/* Tells LLVM whether to unroll the loop that `branch` is the only way back in: "llvm.loop.unroll.full" or the like. */
void ir_set_unrolling(LLVMValueRef branch, const char *name);

/* The text of a global constant string; "" if it is none. */
const char *ir_string(LLVMValueRef global);

/* Has all uses of a floating-point value see it through an intrinsic that LLVM does not look behind. */
void ir_hide(LLVMValueRef value);
