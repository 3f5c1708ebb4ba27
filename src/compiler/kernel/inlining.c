/* SPDX-License-Identifier: MIT
 *
 * Computes how large kernels will be. Everything is inlined into them, so the size doubles with each helper that calls
 * the previous one twice. The size is computed before anything is copied, callees first. */
#include "kernel/inlining.h"

#include "base/map.h"
#include "kernel/calls.h"
#include "kernel/ir.h"

#include <stdint.h>

enum {
    MOST_INSTRUCTIONS = 100000, /* of a kernel, unoptimised: some ten seconds for all targets */
    MOST_NOTES = 3
};

/* The functions whose size is known. A function whose size is being computed has none yet: finding it again is
 * recursion, which kernels do not have and which stays a call. */
struct sizes {
    struct map *numbers;
    uint64_t *of;
    int n;
};

static uint64_t add(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

/* Returns the function that a call inlines; NULL if it is no such call. */
static LLVMValueRef inlined_by(LLVMValueRef instruction)
{
    return calls_kind(instruction) == CALL_HELPER ? LLVMGetCalledValue(instruction) : NULL;
}

static uint64_t size_of(struct sizes *sizes, LLVMValueRef function)
{
    int number = map_get(sizes->numbers, function);
    if (number >= 0)
        return sizes->of[number];
    map_set(sizes->numbers, function, number = sizes->n++);
    uint64_t size = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = inlined_by(i);
            size = add(size, callee ? size_of(sizes, callee) : 1);
        }
    return sizes->of[number] = size;
}

/* Returns the call in `function` that inlines most; NULL if there is no call. */
static LLVMValueRef largest_call(struct sizes *sizes, LLVMValueRef function)
{
    LLVMValueRef largest = NULL;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = inlined_by(i);
            if (callee && (!largest || size_of(sizes, callee) > size_of(sizes, LLVMGetCalledValue(largest))))
                largest = i;
        }
    return largest;
}

static void report(struct sizes *sizes, const struct kernel *kernel, LLVMValueRef entry)
{
    diag_error(kernel->place,
               "'%s' has %llu instructions with all that it calls, which is inlined; %d are possible: write loops "
               "where functions call others several times [kernel size]",
               kernel->name, (unsigned long long)size_of(sizes, entry), MOST_INSTRUCTIONS);
    LLVMValueRef call = largest_call(sizes, entry); /* the entry's call of the kernel */
    for (int i = 0; i < MOST_NOTES && (call = largest_call(sizes, LLVMGetCalledValue(call))); i++) {
        LLVMValueRef callee = LLVMGetCalledValue(call);
        diag_note(ir_place(call, kernel->place), "'%s', which is called here, has %llu", LLVMGetValueName(callee),
                  (unsigned long long)size_of(sizes, callee));
    }
}

void inlining_check_sizes(const struct unit *unit, LLVMModuleRef module)
{
    int n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        n++;
    struct sizes sizes = {map_new(), arena_alloc((size_t)n * sizeof *sizes.of), 0};
    for (int k = 0; k < unit->n_kernels; k++) {
        LLVMValueRef entry = LLVMGetNamedFunction(module, unit->kernels[k].entry);
        if (size_of(&sizes, entry) > MOST_INSTRUCTIONS)
            report(&sizes, &unit->kernels[k], entry);
    }
}
