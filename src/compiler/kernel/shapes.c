/* SPDX-License-Identifier: MIT
 *
 * Answers questions from the results of the shape analysis. */
#include "kernel/calls.h"
#include "kernel/ir.h"
#include "kernel/shape.h"

struct shape shape_of(const struct shapes *shapes, LLVMValueRef value)
{
    int number = map_get(shapes->numbers, value);
    if (number >= 0)
        return shapes->shapes[number];
    struct shape shape = {.kind = SHAPE_UNIFORM, .no_wrap = true};
    if (LLVMIsAConstantInt(value))
        shape.positive = LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64 && LLVMConstIntGetSExtValue(value) >= 0;
    shape.rows = shapes->threads == SHAPE_TILES && ir_is_in_tile_memory(value);
    return shape;
}

int shape_known(const struct shapes *shapes, LLVMValueRef value)
{
    int known = shapes->known ? map_get(shapes->known, value) : -1;
    return known > 0 ? known : 0;
}

LLVMValueRef shape_taken(const struct shapes *shapes, LLVMValueRef instruction)
{
    bool is_choice = LLVMIsASelectInst(instruction) != NULL;
    int known = shape_known(shapes, is_choice ? LLVMGetCondition(instruction) : instruction);
    if (!(known & KNOWN_RESULT) || LLVMIsAICmpInst(instruction))
        return NULL;
    bool is_one = known & KNOWN_ONE;
    return LLVMGetOperand(instruction, is_choice ? (is_one ? 1 : 2) : is_one);
}

bool shape_is_known_remainder(const struct shapes *shapes, LLVMValueRef value)
{
    LLVMOpcode opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : 0;
    return (opcode == LLVMURem || opcode == LLVMSRem) && shape_known(shapes, value);
}

bool shape_compares_places(const struct shapes *shapes, LLVMValueRef value)
{
    return LLVMIsAICmpInst(value) && shape_of(shapes, LLVMGetOperand(value, 0)).kind != SHAPE_VARYING &&
           shape_of(shapes, LLVMGetOperand(value, 1)).kind != SHAPE_VARYING;
}

bool shape_controls(const struct shapes *shapes, int node, int barrier)
{
    return shapes->regions[node] && shapes->regions[node][barrier] && shapes->cfg->nodes[barrier].barrier;
}

unsigned long long shape_private_size(LLVMValueRef variable)
{
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(variable)));
    unsigned long long size = LLVMABISizeOfType(LLVMGetModuleDataLayout(module), LLVMGetAllocatedType(variable));
    unsigned align = LLVMGetAlignment(variable);
    return align ? (size + align - 1) / align * align : size;
}

struct reuse shape_reuse(const struct shapes *shapes)
{
    const struct cfg *cfg = shapes->cfg;
    struct reuse reuse = {0};
    int *carried = arena_alloc((size_t)(cfg->n_loops + 1) * sizeof(int));
    for (int at = 0; at < cfg->n; at++) {
        int loop = cfg->nodes[at].loop;
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            reuse.calls |= calls_kind(i) == CALL_MATH && shape_of(shapes, i).kind == SHAPE_VARYING;
            if (loop < 0)
                continue;
            if (LLVMGetInstructionOpcode(i) == LLVMPHI && at == cfg->loops[loop].header &&
                shape_of(shapes, i).kind == SHAPE_VARYING && ++carried[loop] > reuse.carried)
                reuse.carried = carried[loop];
            if (LLVMGetInstructionOpcode(i) != LLVMLoad)
                continue;
            struct shape pointer = shape_of(shapes, LLVMGetOperand(i, 0));
            reuse.over_rows += pointer.kind != SHAPE_UNIFORM && !pointer.rows;
            reuse.over_vectors += pointer.kind == SHAPE_UNIFORM;
        }
    }
    return reuse;
}
