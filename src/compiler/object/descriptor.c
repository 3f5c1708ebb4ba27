/* SPDX-License-Identifier: MIT
 *
 * Reads what only clang knows from the descriptors that clang made from glue's text in the host's module. It follows
 * the pointers of the table amp__kernels; src/abi/descriptor.h says what the fields mean. */
#include "ampcc.h"

enum {
    KERNEL_PARAMS = 10, /* field numbers of struct amp__kernel */
    KERNEL_ARGS_BYTES = 11,
    KERNEL_ARGS_ALIGN = 12,
    PARAM_OFFSET = 7 /* and of struct amp__param */
};

/* Returns a field by its number in C: LLVM also counts the arrays of bytes that clang puts between fields. */
static LLVMValueRef field(LLVMValueRef descriptor, int number)
{
    for (unsigned i = 0;; i++) {
        LLVMValueRef member = LLVMGetAggregateElement(descriptor, i);
        if (LLVMGetTypeKind(LLVMTypeOf(member)) != LLVMArrayTypeKind && number-- == 0)
            return member;
    }
}

static long long number_in(LLVMValueRef descriptor, int number)
{
    return LLVMConstIntGetSExtValue(field(descriptor, number));
}

/* Returns element `i` of a table of descriptors. */
static LLVMValueRef element(LLVMValueRef table, int i)
{
    return LLVMGetAggregateElement(LLVMGetInitializer(table), (unsigned)i);
}

static LLVMValueRef kernel_of(const struct unit *unit, int kernel)
{
    return element(LLVMGetNamedGlobal(unit->host, "amp__kernels"), kernel);
}

void descriptor_read(struct unit *unit)
{
    for (int k = 0; k < unit->n_kernels; k++) {
        struct kernel *kernel = &unit->kernels[k];
        LLVMValueRef descriptor = kernel_of(unit, k);
        kernel->args_bytes = number_in(descriptor, KERNEL_ARGS_BYTES);
        kernel->args_align = number_in(descriptor, KERNEL_ARGS_ALIGN);
        for (int p = 0; p < kernel->n_params; p++)
            kernel->params[p].offset = number_in(element(field(descriptor, KERNEL_PARAMS), p), PARAM_OFFSET);
    }
}
