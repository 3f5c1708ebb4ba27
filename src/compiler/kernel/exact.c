/* SPDX-License-Identifier: MIT
 *
 * Computes exact values. A column of ops.def says how an instruction's exact value follows from those of its operands.
 */
#include "kernel/exact.h"

enum exactness {
    EXACT_no,
    EXACT_nsw,        /* what the instruction computes, if it is marked as not wrapping */
    EXACT_disjoint,   /* the sum of the operands, if it is marked that they share no bits */
    EXACT_complement, /* -1 minus the operand: only an exclusive or of this form is linear */
    EXACT_operand     /* the operand's value */
};

static const enum exactness rows[] = {
#define OP(opcode, shape, exactness, code, promises) [LLVM##opcode] = EXACT_##exactness,
#include "kernel/ops.def"
#undef OP
};

static enum exactness exactness_of(LLVMValueRef instruction)
{
    unsigned opcode = LLVMGetInstructionOpcode(instruction);
    enum exactness exactness = opcode < sizeof rows / sizeof *rows ? rows[opcode] : EXACT_no;
    bool is_promised = exactness == EXACT_nsw        ? LLVMGetNSW(instruction)
                       : exactness == EXACT_disjoint ? LLVMGetIsDisjoint(instruction)
                                                     : true;
    return is_promised ? exactness : EXACT_no;
}

bool exact_is_promised(LLVMValueRef instruction)
{
    return exactness_of(instruction) != EXACT_no;
}

/* Returns from how many operands, counted from the first, the exact value is computed. */
static unsigned count_operands(enum exactness exactness)
{
    return exactness == EXACT_nsw || exactness == EXACT_disjoint ? 2 : 1;
}

static bool is_leaf(const struct shapes *shapes, LLVMValueRef value)
{
    return shape_of(shapes, value).kind == SHAPE_UNIFORM || LLVMIsAArgument(value) ||
           shape_is_known_remainder(shapes, value);
}

/* Returns the value that a choice is known to have; otherwise the value itself. */
static LLVMValueRef taken_of(const struct shapes *shapes, LLVMValueRef value)
{
    LLVMValueRef taken;
    while (LLVMIsAInstruction(value) && (taken = shape_taken(shapes, value)))
        value = taken;
    return value;
}

static bool is_possible(const struct shapes *shapes, LLVMValueRef value, int depth)
{
    struct shape shape = shape_of(shapes, value);
    value = taken_of(shapes, value);
    if (shape.kind != SHAPE_LINEAR || is_leaf(shapes, value))
        return shape.kind == SHAPE_UNIFORM || shape.kind == SHAPE_LINEAR;
    enum exactness exactness = depth ? exactness_of(value) : EXACT_no;
    bool possible = exactness != EXACT_no;
    for (unsigned i = 0; possible && i < count_operands(exactness); i++)
        possible = is_possible(shapes, LLVMGetOperand(value, i), depth - 1);
    return possible;
}

bool exact_is_possible(const struct shapes *shapes, LLVMValueRef value)
{
    enum { DEPTH = 8 }; /* longer chains are rare, and would be computed twice */
    return is_possible(shapes, value, DEPTH);
}

LLVMValueRef exact_compute(const struct shapes *shapes, LLVMBuilderRef builder, LLVMValueRef value, exact_leaf *leaf,
                           void *user)
{
    value = taken_of(shapes, value);
    if (is_leaf(shapes, value))
        return leaf(user, value);
    enum exactness exactness = exactness_of(value);
    LLVMValueRef operands[2] = {NULL};
    for (unsigned i = 0; i < count_operands(exactness); i++)
        operands[i] = exact_compute(shapes, builder, LLVMGetOperand(value, i), leaf, user);
    switch (exactness) {
    case EXACT_nsw:
        return LLVMBuildBinOp(builder, LLVMGetInstructionOpcode(value), operands[0], operands[1], "");
    case EXACT_disjoint:
        return LLVMBuildAdd(builder, operands[0], operands[1], "");
    case EXACT_complement:
        return LLVMBuildNot(builder, operands[0], "");
    case EXACT_operand:
        return operands[0];
    default:
        diag_defect(NULL, "no exact value of %s", LLVMPrintValueToString(value));
    }
}

void exact_visit(const struct shapes *shapes, LLVMValueRef value, exact_leaf *leaf, void *user)
{
    value = taken_of(shapes, value);
    if (is_leaf(shapes, value)) {
        leaf(user, value);
        return;
    }
    enum exactness exactness = exactness_of(value);
    for (unsigned i = 0; i < count_operands(exactness); i++)
        exact_visit(shapes, LLVMGetOperand(value, i), leaf, user);
}
