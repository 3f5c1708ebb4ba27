/* SPDX-License-Identifier: MIT
 *
 * Takes parts of vectors from registers where they were just stored: in the last steps of a tree of sums, each step
 * loads the two halves of what the step before has stored. LLVM forwards a stored vector only to a load of all of it.
 * A processor forwards its halves, too, but that takes about twice as long as to move them in registers, and the steps
 * wait for one another.
 *
 * Only arrays on the stack are followed whose addresses stay in the function, and only within a block. The stores are
 * left to LLVM, which deletes those that nothing reads.
 *
 * Needs: accesses without masks where all lanes are on. Keeps: the values, bit for bit. */
#include "object/forward.h"

#include "base/map.h"
#include "kernel/calls.h"
#include "kernel/ir.h"

#include <limits.h>
#include <string.h>

/* What lies in bytes [begin, end) of an array. */
struct stored {
    LLVMValueRef array, value;
    long long begin, end;
};

enum { MOST = 64 }; /* the stores that are looked through, the last ones of a block */

struct forwarding {
    LLVMTargetDataRef layout;
    struct map *is_followed; /* of the arrays of a function */
    struct stored stored[MOST];
    int n;
};

static unsigned lanes_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

/* Returns the array that an address lies in, if it is followed; else NULL. */
static LLVMValueRef array_of(const struct forwarding *f, LLVMValueRef address, long long *offset, bool *is_known)
{
    *offset = 0;
    LLVMValueRef base = ir_base(address, offset);
    *is_known = true;
    for (; LLVMIsAGetElementPtrInst(base); base = LLVMGetOperand(base, 0))
        *is_known = false;
    return map_get(f->is_followed, base) > 0 ? base : NULL;
}

/* Forgets what lies in these bytes of an array. */
static void forget(struct forwarding *f, LLVMValueRef array, long long begin, long long end)
{
    int n = 0;
    for (int i = 0; i < f->n; i++)
        if (f->stored[i].array != array || f->stored[i].end <= begin || f->stored[i].begin >= end)
            f->stored[n++] = f->stored[i];
    f->n = n;
}

static void note_store(struct forwarding *f, LLVMValueRef store)
{
    long long begin;
    bool is_known;
    LLVMValueRef value = LLVMGetOperand(store, 0);
    LLVMValueRef array = array_of(f, LLVMGetOperand(store, 1), &begin, &is_known);
    if (!array)
        return;
    long long end = begin + (long long)LLVMStoreSizeOfType(f->layout, LLVMTypeOf(value));
    forget(f, array, is_known ? begin : LLONG_MIN, is_known ? end : LLONG_MAX);
    if (!is_known || LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMVectorTypeKind)
        return;
    if (f->n == MOST)
        memmove(f->stored, f->stored + 1, (size_t)--f->n * sizeof *f->stored);
    f->stored[f->n++] = (struct stored){array, value, begin, end};
}

/* A call may write to all arrays that it gets, though some, like a copy's source, are only read. */
static void note_call(struct forwarding *f, LLVMValueRef call)
{
    if (calls_kind(call) == CALL_MASKED_LOAD)
        return;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef operand = LLVMGetOperand(call, i);
        long long offset;
        bool is_known;
        LLVMValueRef array = LLVMGetTypeKind(LLVMTypeOf(operand)) == LLVMPointerTypeKind
                                 ? array_of(f, operand, &offset, &is_known)
                                 : NULL;
        if (array)
            forget(f, array, LLONG_MIN, LLONG_MAX);
    }
}

/* Whether it computes lane by lane, and any number in a lane that nobody needs is as good as another. */
static bool takes_any(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return false; /* not 0 */
    default:
        return LLVMIsABinaryOperator(i);
    }
}

static unsigned lanes_needed(LLVMValueRef value, int depth);

/* Returns how many of a vector's first lanes one of its users needs. */
static unsigned lanes_needed_by(LLVMValueRef user, LLVMValueRef value, int depth)
{
    unsigned all = lanes_of(LLVMTypeOf(value)), most = 0;
    if (LLVMIsAExtractElementInst(user) && LLVMIsAConstantInt(LLVMGetOperand(user, 1)))
        return (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(user, 1)) + 1;
    if (takes_any(user))
        return lanes_needed(user, depth + 1);
    if (!LLVMIsAShuffleVectorInst(user))
        return all;
    for (unsigned i = 0; i < LLVMGetNumMaskElements(user); i++) {
        int lane = LLVMGetMaskValue(user, i);
        for (unsigned operand = 0; operand < 2 && lane >= 0; operand++) {
            unsigned at = (unsigned)lane - operand * all;
            if (LLVMGetOperand(user, operand) == value && at < all && at >= most)
                most = at + 1;
        }
    }
    return most;
}

static unsigned lanes_needed(LLVMValueRef value, int depth)
{
    enum { DEEP = 4 };
    unsigned all = lanes_of(LLVMTypeOf(value)), most = 0;
    for (LLVMUseRef use = depth < DEEP ? LLVMGetFirstUse(value) : NULL; use; use = LLVMGetNextUse(use)) {
        unsigned n = lanes_needed_by(LLVMGetUser(use), value, depth);
        most = n > most ? n : most;
    }
    return depth < DEEP && most < all ? most : all;
}

/* Returns what a load reads, made in registers; NULL if it should load. Only halves, quarters and so on are taken, and
 * of single elements the first two: others take more instructions than a load. */
static LLVMValueRef part_for(const struct forwarding *f, LLVMBuilderRef builder, LLVMValueRef load)
{
    long long begin;
    bool is_known;
    LLVMTypeRef type = LLVMTypeOf(load), element = ir_element_type(type);
    LLVMValueRef array = LLVMGetVolatile(load) ? NULL : array_of(f, LLVMGetOperand(load, 0), &begin, &is_known);
    if (!array || !is_known || LLVMSizeOfTypeInBits(f->layout, element) % 8)
        return NULL;
    unsigned all = lanes_of(type), needed = lanes_needed(load, 0), n = all > 1 ? 2 : 1;
    while (n < needed)
        n *= 2;
    n = n < all ? n : all;
    long long size = (long long)LLVMStoreSizeOfType(f->layout, element), end = begin + n * size;
    const struct stored *from = NULL;
    for (int i = 0; i < f->n && !from; i++)
        if (f->stored[i].array == array && f->stored[i].begin <= begin && f->stored[i].end >= end)
            from = &f->stored[i];
    if (!from || ir_element_type(LLVMTypeOf(from->value)) != element)
        return NULL;
    long long distance = begin - from->begin;
    unsigned at = (unsigned)(distance / size);
    if (distance % size || at % n || (n == 1 && at > 1))
        return NULL;
    LLVMPositionBuilderBefore(builder, load);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        return ir_lanes(builder, from->value, at, n, all);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    return LLVMBuildExtractElement(builder, from->value, LLVMConstInt(i32, at, false), "");
}

static void forward_in_block(struct forwarding *f, LLVMBuilderRef builder, LLVMBasicBlockRef block)
{
    f->n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        LLVMValueRef part = LLVMIsALoadInst(i) ? part_for(f, builder, i) : NULL;
        if (part) {
            LLVMReplaceAllUsesWith(i, part);
            LLVMInstructionEraseFromParent(i);
        } else if (LLVMIsAStoreInst(i))
            note_store(f, i);
        else if (LLVMIsACallInst(i))
            note_call(f, i);
    }
}

void forward_parts(LLVMModuleRef module)
{
    struct forwarding f = {.layout = LLVMGetModuleDataLayout(module)};
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function)) {
        f.is_followed = map_new();
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsAAllocaInst(i) && ir_stays_here(i))
                    map_set(f.is_followed, i, 1);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
            forward_in_block(&f, builder, b);
    }
    LLVMDisposeBuilder(builder);
}
