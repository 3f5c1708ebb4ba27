/* SPDX-License-Identifier: MIT
 *
 * Compares what libclang read about the kernels with what clang compiled. Glue makes clang compare types, sizes,
 * offsets and constant bounds. What only instructions show is compared here: tiles, and computed bounds,
 *
 *     void k(amp_index1 idx, int N, float x[2 * N]);          the user's, as clang reads it
 *     void amp__twin_0(const int *, int N, float x[2 * N]) {} glue's, as libclang reads it
 *
 * because clang's code computes the bounds of parameters at the beginning of a function: instruction by instruction, k
 * must begin like its twin.
 *
 * needs   the host module as clang made it
 * keeps   the module, without the twins
 * breaks  nothing */
#include "base/map.h"
#include "driver/driver.h"
#include "kernel/calls.h"
#include "kernel/ir.h"

#include <string.h>

/* Returns the source's function that an entry calls; NULL if there is none. */
static LLVMValueRef kernel_of_entry(LLVMValueRef entry)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (calls_kind(i) == CALL_HELPER)
                return LLVMGetCalledValue(i);
    return NULL;
}

/* ---- tiles ---- */

/* Returns the sizes in the mark that amp_tiled_indexN leaves on the index of `function`; NULL if there is none. */
static LLVMValueRef find_tile(LLVMValueRef function)
{
    LLVMValueRef sizes = NULL;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && !sizes; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && !sizes; i = LLVMGetNextInstruction(i))
            if (calls_kind(i) == CALL_MARK && strcmp(ir_string(LLVMGetOperand(i, 1)), "amp.tile") == 0)
                sizes = LLVMGetInitializer(LLVMGetOperand(i, 4));
    return sizes;
}

static bool has_same_tile(const struct kernel *kernel, LLVMValueRef function)
{
    LLVMValueRef sizes = find_tile(function);
    bool same = sizes && LLVMGetNumOperands(sizes) == kernel->rank;
    for (int d = 0; same && d < kernel->rank; d++)
        same = LLVMConstIntGetSExtValue(LLVMGetOperand(sizes, (unsigned)d)) == kernel->tile[d];
    return same;
}

/* ---- bounds ---- */

/* Whether `i` only serves marks: with -Og clang loads each variable at the end of its life and marks that as a use. */
static bool is_for_marks(LLVMValueRef i)
{
    bool is = LLVMIsALoadInst(i) && LLVMGetFirstUse(i);
    for (LLVMUseRef use = LLVMGetFirstUse(i); is && use; use = LLVMGetNextUse(use))
        is = LLVMIsAIntrinsicInst(LLVMGetUser(use)) != NULL;
    return is;
}

/* Returns the first instruction from `i` on that is neither a variable nor a mark on one. */
static LLVMValueRef skip_marks(LLVMValueRef i)
{
    while (i && (LLVMIsAAllocaInst(i) || LLVMIsAIntrinsicInst(i) || is_for_marks(i)))
        i = LLVMGetNextInstruction(i);
    return i;
}

/* Gives two values the same number when they are first compared. Returns false if one of them was paired with another
 * before. */
static bool pair(struct map *numbers, LLVMValueRef a, LLVMValueRef b, int number)
{
    if (map_get(numbers, a) < 0 && map_get(numbers, b) < 0) {
        map_set(numbers, a, number);
        map_set(numbers, b, number);
    }
    return map_get(numbers, a) == map_get(numbers, b);
}

static bool is_same_operation(LLVMValueRef a, LLVMValueRef b)
{
    return LLVMGetInstructionOpcode(a) == LLVMGetInstructionOpcode(b) && LLVMTypeOf(a) == LLVMTypeOf(b) &&
           LLVMGetNumOperands(a) == LLVMGetNumOperands(b);
}

/* Whether `function` begins with the instructions of `twin`. Sanitizers add branches, and may be switched off for one
 * function, so such code is not compared. */
static bool begins_as(LLVMValueRef function, LLVMValueRef twin)
{
    struct map *numbers = map_new();
    int number = 0;
    if (LLVMCountBasicBlocks(twin) > 1 || LLVMCountParams(function) != LLVMCountParams(twin))
        return LLVMCountBasicBlocks(twin) > 1;
    for (unsigned p = 0; p < LLVMCountParams(twin); p++)
        pair(numbers, LLVMGetParam(function, p), LLVMGetParam(twin, p), number++);
    LLVMValueRef a = skip_marks(LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMValueRef b = skip_marks(LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(twin)));
    for (; !LLVMIsAReturnInst(b);
         a = skip_marks(LLVMGetNextInstruction(a)), b = skip_marks(LLVMGetNextInstruction(b))) {
        if (!a || !is_same_operation(a, b))
            return false;
        for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(b); o++)
            if (LLVMGetOperand(a, o) != LLVMGetOperand(b, o) &&
                (LLVMIsConstant(LLVMGetOperand(b, o)) ||
                 !pair(numbers, LLVMGetOperand(a, o), LLVMGetOperand(b, o), number++)))
                return false;
        pair(numbers, a, b, number++);
    }
    return true;
}

/* ---- the whole ---- */

bool agree_check(const struct unit *unit)
{
    for (int k = 0; k < unit->n_kernels; k++) {
        const struct kernel *kernel = &unit->kernels[k];
        LLVMValueRef entry = LLVMGetNamedFunction(unit->host, kernel->entry);
        if (!entry) { /* the source has line markers that enter a file and never leave it */
            diag_error(kernel->place,
                       "clang takes the end of '%s' for that of a file that it includes; remove the line "
                       "markers '# LINE \"FILE\" 1'",
                       unit->input);
            break;
        }
        LLVMValueRef twin = LLVMGetNamedFunction(unit->host, arena_printf("amp__twin_%d", kernel->number));
        LLVMValueRef function = kernel_of_entry(entry);
        if (kernel->tiled && !(function && has_same_tile(kernel, function)))
            diag_error(kernel->index_place,
                       "clang, which compiles kernel '%s', sees another tile of it than libclang, which reads it",
                       kernel->name);
        if (twin && function && !begins_as(function, twin))
            diag_error(kernel->place,
                       "clang, which compiles kernel '%s', sees other bounds of it than libclang, which reads it",
                       kernel->name);
        if (twin)
            LLVMDeleteFunction(twin);
    }
    return diag_count() == 0;
}
