/* SPDX-License-Identifier: MIT
 *
 * Follows an address back to what it was made from. Paths that meet may bring different origins: the answer is then the
 * set of them. Prepared code keeps the argument block's address as it came, and loads the arrays' addresses from fixed
 * places of it. */
#include "origin.h"

#include "ir.h"
#include "map.h"

/* Whether it is the argument block's address, the entry's first parameter. */
static bool is_argument_block(LLVMValueRef value)
{
    return LLVMIsAArgument(value) && LLVMGetParam(LLVMGetParamParent(value), 0) == value;
}

bool origin_is_argument(LLVMValueRef pointer, long long *offset)
{
    *offset = 0;
    while (LLVMIsAGetElementPtrInst(pointer) && LLVMGetNumOperands(pointer) == 2 &&
           LLVMIsAConstantInt(LLVMGetOperand(pointer, 1))) {
        LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(pointer)));
        *offset += LLVMConstIntGetSExtValue(LLVMGetOperand(pointer, 1)) *
                   (long long)LLVMABISizeOfType(LLVMGetModuleDataLayout(module), LLVMGetGEPSourceElementType(pointer));
        pointer = LLVMGetOperand(pointer, 0);
    }
    return is_argument_block(pointer);
}

static bool is_address_in(LLVMValueRef pointer)
{
    return LLVMIsAGetElementPtrInst(pointer) || LLVMIsAFreezeInst(pointer) || LLVMIsACastInst(pointer) ||
           (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr);
}

static struct origin either(struct origin a, struct origin b)
{
    if (!a.kinds || !b.kinds)
        return a.kinds ? a : b;
    return (struct origin){a.kinds | b.kinds, a.variable == b.variable ? a.variable : NULL,
                           a.param == b.param ? a.param : NULL};
}

static struct origin find(const struct kernel *kernel, LLVMValueRef pointer, struct map *seen);

/* What a pointer that lies in memory points to. */
static struct origin find_loaded(const struct kernel *kernel, LLVMValueRef load, struct map *seen)
{
    LLVMValueRef place = LLVMGetOperand(load, 0);
    long long offset;
    bool is_argument = origin_is_argument(place, &offset);
    for (int p = 0; p < kernel->n_params && is_argument; p++)
        if (kernel->params[p].kind == PARAM_ARRAY && kernel->params[p].offset == offset)
            return (struct origin){ORIGIN_ARRAY, NULL, &kernel->params[p]};
    bool may_hold_any = find(kernel, place, seen).kinds & (ORIGIN_PRIVATE | ORIGIN_UNKNOWN);
    return (struct origin){.kinds = may_hold_any ? ORIGIN_UNKNOWN : ORIGIN_SHARED};
}

/* Without what has been seen on the way, for loops bring nothing new: kinds 0 then. */
static struct origin find(const struct kernel *kernel, LLVMValueRef pointer, struct map *seen)
{
    struct origin result = {0};
    while (is_address_in(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    if (map_get(seen, pointer) >= 0)
        return result;
    map_set(seen, pointer, 1);
    if (LLVMIsAAllocaInst(pointer))
        return (struct origin){ORIGIN_PRIVATE, pointer, NULL};
    if (LLVMIsAGlobalVariable(pointer) && LLVMIsGlobalConstant(pointer))
        return (struct origin){ORIGIN_TABLE, pointer, NULL};
    if (ir_is_in_tile_memory(pointer))
        return (struct origin){ORIGIN_TILE, LLVMIsAGlobalVariable(pointer) ? pointer : NULL, NULL};
    if (is_argument_block(pointer))
        return (struct origin){.kinds = ORIGIN_ARGUMENTS};
    if (LLVMIsALoadInst(pointer))
        return find_loaded(kernel, pointer, seen);
    if (LLVMIsAPHINode(pointer))
        for (unsigned i = 0; i < LLVMCountIncoming(pointer); i++)
            result = either(result, find(kernel, LLVMGetIncomingValue(pointer, i), seen));
    else if (LLVMIsASelectInst(pointer))
        result = either(find(kernel, LLVMGetOperand(pointer, 1), seen), find(kernel, LLVMGetOperand(pointer, 2), seen));
    else
        result.kinds = LLVMIsAInstruction(pointer) ? ORIGIN_UNKNOWN : ORIGIN_SHARED;
    return result;
}

struct origin origin_of(const struct kernel *kernel, LLVMValueRef pointer)
{
    return find(kernel, pointer, map_new());
}

bool origin_is_local(const struct kernel *kernel, LLVMValueRef pointer)
{
    int kinds = origin_of(kernel, pointer).kinds;
    return kinds && !(kinds & ~(ORIGIN_TILE | ORIGIN_PRIVATE));
}
