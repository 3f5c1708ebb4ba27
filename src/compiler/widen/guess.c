/* SPDX-License-Identifier: MIT
 *
 * Loads that lanes do side by side nearly always, because a choice changes their places only at a border, or because
 * the index would have to wrap around:
 *
 *     x[i > 0 ? i - 1 : 0]        x[(unsigned)i + k]
 *
 * Whether the places of the lanes that are on lie side by side is tested where it happens:
 *
 *     if (all places == first place + lane)    one vector    else    a gather
 *
 * Because of the test the guess may be wrong, so it needs no proof. It is made only where choices depend on the
 * thread's index: a choice by data would seldom be the same for all lanes. */
#include "kernel/calls.h"
#include "widen/parts.h"

#include <string.h>

/* A distance between neighbouring lanes; unknown if the value follows no pattern. */
struct guess {
    bool is_known;
    long stride;
};

static const struct guess unknown = {0};

static struct guess guess_of(const struct shapes *shapes, LLVMValueRef value, int depth);

static struct guess sum(const struct shapes *shapes, LLVMValueRef value, int sign, int depth)
{
    struct guess a = guess_of(shapes, LLVMGetOperand(value, 0), depth);
    struct guess b = a.is_known ? guess_of(shapes, LLVMGetOperand(value, 1), depth) : unknown;
    return b.is_known ? (struct guess){true, a.stride + sign * b.stride} : unknown;
}

/* Of two alternatives, the one that follows the lanes. */
static struct guess either(const struct shapes *shapes, LLVMValueRef left, LLVMValueRef right, int depth)
{
    struct guess a = guess_of(shapes, left, depth), b = a.is_known ? guess_of(shapes, right, depth) : unknown;
    return !b.is_known ? unknown : a.stride ? a : b;
}

static bool is_limit(LLVMValueRef call)
{
    const char *name = LLVMIsACallInst(call) ? LLVMGetValueName(LLVMGetCalledValue(call)) : "";
    return !strncmp(name, "llvm.smin.", 10) || !strncmp(name, "llvm.smax.", 10) || !strncmp(name, "llvm.umin.", 10) ||
           !strncmp(name, "llvm.umax.", 10);
}

static struct guess guess_of_address(const struct shapes *shapes, LLVMValueRef gep, int depth)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(shapes->cfg->function));
    struct guess result = guess_of(shapes, LLVMGetOperand(gep, 0), depth);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    for (int i = 1; i < LLVMGetNumOperands(gep) && result.is_known; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            type = LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(index));
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        struct guess guess = guess_of(shapes, index, depth);
        if (!guess.is_known)
            return unknown;
        result.stride += guess.stride * (long)LLVMABISizeOfType(layout, type);
    }
    return result;
}

static struct guess guess_of(const struct shapes *shapes, LLVMValueRef value, int depth)
{
    enum { MOST = 1 << 20 }; /* an element lies no farther from the next one */
    struct shape shape = shape_of(shapes, value);
    if (shape.kind != SHAPE_VARYING)
        return shape.stride < MOST && shape.stride > -MOST ? (struct guess){true, shape.stride} : unknown;
    if (depth == 0 || shape.memory || !LLVMIsAInstruction(value))
        return unknown;
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 1)
        return (struct guess){true, 0}; /* a condition is the same away from the border */
    if (is_limit(value))
        return either(shapes, LLVMGetOperand(value, 0), LLVMGetOperand(value, 1), depth - 1);
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
        return sum(shapes, value, 1, depth - 1);
    case LLVMSub:
        return sum(shapes, value, -1, depth - 1);
    case LLVMSelect:
        return either(shapes, LLVMGetOperand(value, 1), LLVMGetOperand(value, 2), depth - 1);
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMFreeze:
        return guess_of(shapes, LLVMGetOperand(value, 0), depth - 1);
    case LLVMGetElementPtr:
        return guess_of_address(shapes, value, depth - 1);
    default:
        return unknown;
    }
}

bool widen_guesses_contiguous(const struct shapes *shapes, LLVMValueRef load, long size)
{
    enum { DEPTH = 8 };
    struct guess guess = guess_of(shapes, LLVMGetOperand(load, 0), DEPTH);
    return guess.is_known && guess.stride == size;
}

/* ---- code ---- */

/* Returns the place of lane 0 if all lanes lie side by side. It follows from that of a lane in the middle, which is the
 * least likely to be at a border, or off. */
static LLVMValueRef place_of_lane_0(struct widener *w, LLVMValueRef addresses, LLVMTypeRef type)
{
    int middle = w->block.lanes / 2;
    LLVMValueRef back = LLVMConstInt(LLVMInt64TypeInContext(w->context), (unsigned long long)-middle, true);
    return LLVMBuildGEP2(w->builder, type, widen_lane(w, addresses, middle), &back, 1, "");
}

/* Returns an i1: whether the lanes that are on lie side by side, lane 0 at `place`. */
static LLVMValueRef are_side_by_side(struct widener *w, LLVMValueRef addresses, LLVMValueRef place, LLVMTypeRef type)
{
    LLVMValueRef steps = widen_steps(w, LLVMInt64TypeInContext(w->context), 1);
    LLVMValueRef wanted = LLVMBuildGEP2(w->builder, type, widen_splat(w, place), &steps, 1, "");
    LLVMValueRef differs = LLVMBuildICmp(w->builder, LLVMIntNE, addresses, wanted, "");
    return LLVMBuildNot(w->builder, widen_any(w, widen_mask_and(w, w->mask, differs)), "");
}

LLVMValueRef widen_guess(struct widener *w, LLVMValueRef load, struct shape shape, int row, int vector)
{
    LLVMTypeRef type = LLVMTypeOf(load), wide = widen_vector_type(w, type);
    LLVMBuilderRef b = w->builder;
    LLVMValueRef addresses = widen_get_vector(w, LLVMGetOperand(load, 0), row, vector);
    addresses = LLVMBuildFreeze(b, addresses, ""); /* a lane that is off may hold poison */
    LLVMValueRef place = place_of_lane_0(w, addresses, type);
    LLVMBasicBlockRef done = widen_block_here(w, "guess.done"), apart = widen_block_here(w, "guess.gather"),
                      together = widen_block_here(w, "guess.vector");
    LLVMBuildCondBr(b, are_side_by_side(w, addresses, place, type), together, apart);
    LLVMPositionBuilderAtEnd(b, together);
    LLVMValueRef vector_of_all = widen_vector_at(w, wide, place, LLVMGetAlignment(load), w->mask);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, apart);
    LLVMValueRef gathered = widen_load(w, load, shape, row, vector);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
    LLVMValueRef result = LLVMBuildPhi(b, wide, "");
    LLVMAddIncoming(result, (LLVMValueRef[]){vector_of_all, gathered}, (LLVMBasicBlockRef[]){together, apart}, 2);
    return result;
}
