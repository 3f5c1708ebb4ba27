/* SPDX-License-Identifier: MIT
 *
 * Kernels of rank 1 whose threads find a row and a column by division. */
#pragma once

#include "ampcc.h"

struct rows {
    struct kernel kernel; /* the same with an index of rank 2, and an entry of its own */
    LLVMValueRef length;  /* of a row: the divisor, in the kernel's own entry */
    unsigned line;        /* of the division; 0: it is not known */
};

/* Returns such a kernel's entry for a row and a column, in the same module; NULL if the kernel does not divide its
 * index by a number that all threads share. */
const struct rows *rows_of(LLVMModuleRef module, const struct kernel *kernel);

/* Returns the length of a row if it is constant, otherwise 0; sets `*offset` to where the argument block has it as an
 * int, in bytes, or to -1 if it has not. */
long rows_constant(const struct rows *rows, long long *offset);

/* Computes the length of a row at the builder's place, from the address of the argument block. */
LLVMValueRef rows_length(LLVMBuilderRef builder, const struct rows *rows, LLVMValueRef args);
