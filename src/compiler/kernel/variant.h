/* SPDX-License-Identifier: MIT
 *
 * Variants of a kernel's entry: copies of it with other parameters, between which and the entry the code for a box
 * chooses when it runs. */
#pragma once

#include "ampcc.h"

/* ---- what is known before any thread runs ---- */

/* Whether a value can be computed from the argument block alone, anywhere, in few steps. The steps are such that they
 * always have a result. */
bool variant_is_known(LLVMValueRef value);
/* Computes it at the builder's place, from the address of the argument block. */
LLVMValueRef variant_compute(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef args);

/* ---- copies ---- */

/* A copy, and what in it stands for the values of the entry, basic blocks among them. */
struct variant {
    LLVMValueRef entry, function;
    struct map *numbers;
    LLVMValueRef *values;
    int n;
};

/* Copies an entry's instructions, which keep the operands that they have until `variant_connect` lets them use each
 * other. The copy has the argument block and `n_ints` ints as parameters, and its name is the entry's with `suffix`;
 * the caller says what stands for the entry's parameters. */
struct variant variant_copy(LLVMModuleRef module, LLVMValueRef entry, const char *suffix, int n_ints);
void variant_stand_for(struct variant *v, LLVMValueRef old, LLVMValueRef new);
void variant_connect(const struct variant *v);
/* Returns what stands for a value; a value that has not been copied stands for itself. */
LLVMValueRef variant_of(const struct variant *v, LLVMValueRef value);

/* The same block by block, perhaps within one function: nothing is copied yet. */
struct variant variant_begin(LLVMValueRef entry, LLVMValueRef function);
/* Appends a copy of a block's instructions to the function. */
LLVMBasicBlockRef variant_copy_block(struct variant *v, LLVMBuilderRef builder, LLVMBasicBlockRef block);
/* Lets such a copy use what stands for the block's operands. */
void variant_connect_block(const struct variant *v, LLVMBasicBlockRef block);
