/* SPDX-License-Identifier: MIT
 *
 * Writes functions of the host that compute in 64 bits and know whether that overflows. */
#pragma once

#include <llvm-c/Core.h>
#include <stdbool.h>

struct wide {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTypeRef type, bit; /* integers of 64 bits and of one */
    LLVMValueRef overflow; /* whether anything has overflowed since it was set to false; NULL: nobody asks */
};

/* The values from one end to the other. */
struct range {
    LLVMValueRef low, high;
};

/* The caller disposes of the builder. */
struct wide wide_begin(LLVMModuleRef module);
LLVMValueRef wide_constant(const struct wide *w, long long value);
LLVMValueRef wide_add(struct wide *w, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef wide_multiply(struct wide *w, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef wide_negate(struct wide *w, LLVMValueRef a);
LLVMValueRef wide_least(const struct wide *w, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef wide_greatest(const struct wide *w, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef wide_is_negative(const struct wide *w, LLVMValueRef value);
/* Divides by a positive constant and rounds down. */
LLVMValueRef wide_divide_down(const struct wide *w, LLVMValueRef value, long long divisor);
/* Loads an integer from a place in a block that nobody changes meanwhile. */
LLVMValueRef wide_load(const struct wide *w, LLVMValueRef block, LLVMTypeRef type, long long offset);
