/* SPDX-License-Identifier: MIT
 *
 * Operations for which LLVM's C API needs several calls. */
#pragma once

#include "ampcc.h"

/* Returns the place of `instruction` in the source; `otherwise` if it is unknown. */
struct place ir_place(LLVMValueRef instruction, struct place otherwise);
/* Whether the headers of C++ AMP define a function. */
bool ir_is_of_library(LLVMValueRef function);
/* Lets no pass but inlining change a function; or lets all do so, and inlines it. */
void ir_hold(LLVMValueRef function, bool is_held);
/* Returns a function's name in the source. */
const char *ir_source_name(LLVMValueRef function);
/* Returns the name of a static variable in the source. */
const char *ir_variable_name(LLVMValueRef variable);

/* Runs LLVM's passes over a module for the machine, or for any if that is NULL. The loop and SLP vectorisers stay off:
 * what is scalar in a kernel is scalar on purpose. */
void ir_run_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *pipeline);

/* Returns a new module for the same machine as another one. */
LLVMModuleRef ir_module_like(LLVMModuleRef other);

/* Whether a constant is a tile_static variable or an address in one. */
bool ir_is_in_tile_memory(LLVMValueRef constant);

/* Whether values of a type are plain numbers or addresses, of which vectors can be loaded and stored. */
bool ir_is_element(LLVMTypeRef type);

/* Sets `*place` to the call of the function that contains `instruction`; with `level` 1, to the call of the function
 * that contains that call, and so on. Returns false beyond the functions of the source. */
bool ir_call_place(LLVMValueRef instruction, int level, struct place otherwise, struct place *place);

/* Add attributes without a value, such as "nounwind", to a function, a parameter of it (counted from 1), or a call. */
enum { IR_FUNCTION = -1 }; /* the index of the function itself */
void ir_add_attribute(LLVMValueRef function, int index, const char *name);
void ir_add_call_attribute(LLVMValueRef call, const char *name);
/* Adds an attribute with a value, such as "dereferenceable", to a function or a parameter of it. */
void ir_add_number(LLVMValueRef function, int index, const char *name, unsigned long long number);

/* Makes what a module defines visible to that module only. */
void ir_make_local(LLVMValueRef value);

/* Removes what the module's functions say about their processor and C library, which keeps functions of other modules
 * from inlining them. */
void ir_forget_target(LLVMModuleRef module);

/* Call an intrinsic that is not overloaded, and one that is, for one type. */
LLVMValueRef ir_call_intrinsic(LLVMBuilderRef builder, const char *name, LLVMValueRef *args, unsigned n_args);
LLVMValueRef ir_call_overloaded(LLVMBuilderRef builder, const char *name, LLVMTypeRef type, LLVMValueRef *args,
                                unsigned n_args);

/* Computes old `operation` value, for the operations that `prepare` allows. */
LLVMValueRef ir_combine(LLVMBuilderRef builder, LLVMAtomicRMWBinOp operation, LLVMValueRef old, LLVMValueRef value);

/* Tells LLVM what to do with the loop whose only back edge is `branch`: "llvm.loop.unroll.full" or the like. Either may
 * be NULL. */
void ir_mark_loop(LLVMValueRef branch, const char *first, const char *second);

/* Whether `#pragma unroll` or the like precedes the loop whose back edge is `branch`. */
bool ir_has_unroll_pragma(LLVMValueRef branch);

/* Returns the text of a global constant string; "" if `global` is none. */
const char *ir_string(LLVMValueRef global);

/* Whether a value is the smaller or the larger of two integers. */
enum extremum { EXTREMUM_NONE, EXTREMUM_SMIN, EXTREMUM_SMAX, EXTREMUM_UMIN, EXTREMUM_UMAX };
enum extremum ir_extremum(LLVMValueRef value);

/* Sets `*number` to a constant of at most 64 bits, as a signed number. Returns false if the value is none. */
bool ir_read_constant(LLVMValueRef value, long long *number);

/* Returns what a value extends; the value itself if it is no extension. */
LLVMValueRef ir_without_extension(LLVMValueRef value);

/* Make all uses of a floating-point value, or one of them, see it through an intrinsic that LLVM does not look through.
 */
void ir_hide(LLVMValueRef value);
void ir_hide_operand(LLVMValueRef user, unsigned number);

/* Builds a phi without values at the beginning of a block. */
LLVMValueRef ir_add_phi(LLVMBuilderRef builder, LLVMBasicBlockRef block, LLVMTypeRef type);

/* Returns a phi's value from a block, which must be one of its own. */
LLVMValueRef ir_incoming_from(LLVMValueRef phi, LLVMBasicBlockRef block);

/* Lets a computation assume of floating-point numbers what another one does, if both are such. */
void ir_copy_fast_math(LLVMValueRef from, LLVMValueRef to);

/* Returns the type of what an instruction reads or writes, and at which operand its address is; NULL if it does not. */
LLVMTypeRef ir_accessed_type(LLVMValueRef i, unsigned *address);
LLVMTargetDataRef ir_layout_of(LLVMValueRef instruction);
/* Adds the distance in bytes of a step to a member or an element, an instruction or a constant, to `*offset`; multiples
 * of `period`, if that is not 0, may be left out. Returns false if the distance is not constant. */
bool ir_add_step(LLVMTargetDataRef layout, LLVMValueRef step, long long period, long long *offset);
/* Returns the type of a vector's elements, or the type itself if it is none of a vector. */
LLVMTypeRef ir_element_type(LLVMTypeRef type);
/* Returns a vector of `to` lanes: `n` of another one from `at` on, then poison. */
LLVMValueRef ir_lanes(LLVMBuilderRef builder, LLVMValueRef vector, unsigned at, unsigned n, unsigned to);
/* Whether a variable's address stays in the function, where nobody else can change it: only accesses and calls get it,
 * by steps from the variable. Vectors of addresses, for scatters, are not followed. */
bool ir_stays_here(LLVMValueRef pointer);
/* Strips the constant offsets from an address, adds them to `*offset`, and returns the base that is left. */
LLVMValueRef ir_base(LLVMValueRef address, long long *offset);
