/* SPDX-License-Identifier: MIT
 *
 * A thread that counts its neighbours reads the elements around its own, and its own perhaps only if it must:
 *
 *     int sum = a[i - 1] + a[i + 1];      ...      if (sum == 2) x = a[i];
 *
 * Pages of which something was read can be read, so the last load may read a vector without a mask.
 *
 * The addresses must have the same pointer and the same index but for constants. What an index is away from borders
 * (shape_taken) counts. */
#include "widen/between.h"

#include "kernel/ir.h"

/* An address: bytes after a place that is not looked into. */
struct address {
    LLVMValueRef base, index;
    LLVMOpcode extension; /* of the index; 0: none */
    long long scale, offset;
};

/* Takes constants off the index, as far as nothing can wrap between them and the address. */
static void find_index(const struct shapes *shapes, LLVMValueRef value, struct address *place)
{
    for (LLVMValueRef taken; LLVMIsAInstruction(value);) {
        LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
        long long number;
        bool is_sum = (opcode == LLVMAdd || opcode == LLVMSub) && ir_read_constant(LLVMGetOperand(value, 1), &number);
        if ((taken = shape_taken(shapes, value)))
            value = taken;
        else if ((opcode == LLVMSExt || opcode == LLVMZExt) && place->extension == 0) {
            place->extension = opcode == LLVMZExt && LLVMGetNNeg(value) ? LLVMSExt : opcode;
            value = LLVMGetOperand(value, 0);
        } else if (is_sum && (place->extension == 0 || (place->extension == LLVMSExt && LLVMGetNSW(value)))) {
            place->offset += (opcode == LLVMAdd ? number : -number) * place->scale;
            value = LLVMGetOperand(value, 0);
        } else
            break;
    }
    place->index = value;
}

static struct address place_of(const struct shapes *shapes, LLVMTargetDataRef layout, LLVMValueRef address)
{
    struct address place = {0};
    for (; LLVMIsAGetElementPtrInst(address); address = LLVMGetOperand(address, 0)) {
        long long offset = place.offset;
        if (ir_add_step(layout, address, 0, &offset)) {
            place.offset = offset;
            continue;
        }
        LLVMValueRef index = LLVMGetOperand(address, 1);
        if (place.index || LLVMGetNumOperands(address) != 2 || LLVMGetIntTypeWidth(LLVMTypeOf(index)) != 64)
            break;
        place.scale = (long long)LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(address));
        find_index(shapes, index, &place);
    }
    place.base = address;
    return place;
}

static bool are_comparable(struct address a, struct address b)
{
    return a.base == b.base && a.index == b.index && a.extension == b.extension && a.scale == b.scale;
}

bool between_others(const struct shapes *shapes, LLVMValueRef load)
{
    enum { PAGE = 4096, /* the smallest that any target has */ MOST_NODES = 100 /* each load looks at all others */ };
    const struct cfg *cfg = shapes->cfg;
    if (cfg->n > MOST_NODES)
        return false;
    LLVMTargetDataRef layout = ir_layout_of(load);
    struct address place = place_of(shapes, layout, LLVMGetOperand(load, 0));
    long long size = (long long)LLVMStoreSizeOfType(layout, LLVMTypeOf(load));
    int node = map_get(cfg->first_node, LLVMGetInstructionParent(load));
    long long before = PAGE, after = PAGE; /* the distances of the nearest */
    for (int at = 0; at < cfg->n; at++) {
        if (shapes->masked[at] || !cfg_dominates(cfg, at, node))
            continue;
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            struct shape shape = LLVMIsALoadInst(i) ? shape_of(shapes, LLVMGetOperand(i, 0)) : (struct shape){0};
            if (!LLVMIsALoadInst(i) || shape.kind != SHAPE_LINEAR || shape.stride != size ||
                (long long)LLVMStoreSizeOfType(layout, LLVMTypeOf(i)) != size)
                continue;
            struct address other = place_of(shapes, layout, LLVMGetOperand(i, 0));
            long long distance = other.offset - place.offset;
            if (!are_comparable(place, other))
                continue;
            before = distance <= 0 && -distance < before ? -distance : before;
            after = distance >= 0 && distance < after ? distance : after;
        }
    }
    return before + after < PAGE;
}
