/* SPDX-License-Identifier: MIT
 *
 * Accesses that lanes do side by side nearly always, because a choice changes their places only at a border, because
 * the index would have to wrap around, or because they begin a new row, or a new group, only after many threads:
 *
 *     x[i > 0 ? i - 1 : 0]        x[(unsigned)i + k]        x[i / n][i % n]        x[2 * i - (i & (n - 1))]
 *
 * Whether the places of the lanes that are on lie side by side is tested where it happens:
 *
 *     if (all places == first place + lane)    one vector    else    a gather, or a scatter
 *
 * Lanes that load from one place, as x[i / n] does, are one scalar in the same way, if all lanes are on.
 *
 * Because of the test the guess may be wrong, so it needs no proof. It is made only where places depend on the
 * thread's index: a choice by data would seldom be the same for all lanes.
 *
 * A subscript is narrower than an address. So where the place is that of a subscript, subscripts are compared, and only
 * gathers need the addresses; and addresses are computed where they are used, so that subscripts are kept until then.
 * Where a subscript only adds what conditions choose to what lanes count, it is not compared itself: lanes lie side by
 * side if each condition is the same for all that are on. These bits are then kept instead. */
#include "kernel/calls.h"
#include "kernel/ir.h"
#include "widen/parts.h"

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

/* Neighbours that share a group of fewer threads would seldom be all lanes. */
enum { LEAST_GROUP = 16, MOST_STRIDE = 64 };

/* Whether a value that all lanes share is, or may be, large enough for a group. */
static bool can_be_group(LLVMValueRef value)
{
    return !LLVMIsAConstantInt(value) || LLVMConstIntGetZExtValue(value) >= LEAST_GROUP;
}

static bool is_constant(LLVMValueRef value, unsigned long long number)
{
    return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value) == number;
}

/* A mask for the place in a group, n - 1 for a power of two, or for the group, -n. */
enum mask_kind { MASK_OTHER, MASK_PLACE, MASK_GROUP };

static enum mask_kind kind_of_mask(LLVMValueRef mask)
{
    while (LLVMIsASExtInst(mask) || LLVMIsAZExtInst(mask) || LLVMIsATruncInst(mask))
        mask = LLVMGetOperand(mask, 0);
    if (LLVMIsAConstantInt(mask) && LLVMGetIntTypeWidth(LLVMTypeOf(mask)) <= 64) {
        unsigned long long bits = (unsigned long long)LLVMConstIntGetSExtValue(mask);
        if (bits >= LEAST_GROUP - 1 && !(bits & (bits + 1)))
            return MASK_PLACE;
        return ~bits >= LEAST_GROUP - 1 && !(~bits & (~bits + 1)) ? MASK_GROUP : MASK_OTHER;
    }
    if (!LLVMIsAInstruction(mask))
        return MASK_OTHER;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(mask);
    LLVMValueRef right = LLVMGetNumOperands(mask) == 2 ? LLVMGetOperand(mask, 1) : NULL;
    if (opcode == LLVMAdd && LLVMIsAConstantInt(right) && LLVMConstIntGetSExtValue(right) == -1)
        return MASK_PLACE;
    if ((opcode == LLVMSub && is_constant(LLVMGetOperand(mask, 0), 0)) ||
        (opcode == LLVMXor && LLVMIsAConstantInt(right) && LLVMConstIntGetSExtValue(right) == -1))
        return MASK_GROUP;
    return MASK_OTHER;
}

/* Arithmetic of a number that lanes count up, and a number that they share. */
static struct guess guess_of_groups(const struct shapes *shapes, LLVMValueRef value, int depth)
{
    LLVMValueRef right = LLVMGetOperand(value, 1);
    struct guess left = guess_of(shapes, LLVMGetOperand(value, 0), depth);
    if (!left.is_known || shape_of(shapes, right).kind != SHAPE_UNIFORM || left.stride < 0 || left.stride > MOST_STRIDE)
        return unknown;
    bool is_small = LLVMIsAConstantInt(right) && LLVMConstIntGetZExtValue(right) < MOST_STRIDE;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMMul:
        if (is_small)
            return (struct guess){true, left.stride * (long)LLVMConstIntGetZExtValue(right)};
        return left.stride == 0 ? left : unknown;
    case LLVMShl:
        if (is_small && LLVMConstIntGetZExtValue(right) < 8)
            return (struct guess){true, left.stride << LLVMConstIntGetZExtValue(right)};
        return left.stride == 0 ? left : unknown;
    case LLVMLShr:
    case LLVMAShr:
        return left.stride == 0 || !LLVMIsAConstantInt(right) || LLVMConstIntGetZExtValue(right) >= 4
                   ? (struct guess){true, 0}
                   : unknown;
    case LLVMUDiv:
    case LLVMSDiv:
        return left.stride == 0 || can_be_group(right) ? (struct guess){true, 0} : unknown;
    case LLVMURem:
    case LLVMSRem:
        return left.stride == 0 || can_be_group(right) ? left : unknown;
    case LLVMAnd:
        switch (kind_of_mask(right)) {
        case MASK_PLACE:
            return left;
        case MASK_GROUP:
            return (struct guess){true, 0};
        default:
            return left.stride == 0 ? left : unknown;
        }
    default:
        return unknown;
    }
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
    if (ir_extremum(value))
        return either(shapes, LLVMGetOperand(value, 0), LLVMGetOperand(value, 1), depth - 1);
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
        return sum(shapes, value, 1, depth - 1);
    case LLVMSub:
        return sum(shapes, value, -1, depth - 1);
    case LLVMOr: /* instcombine makes one of an addition without carries */
        return sum(shapes, value, 1, depth - 1);
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
    case LLVMAnd:
        return guess_of_groups(shapes, value, depth - 1);
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

int widen_guessed_distance(const struct shapes *shapes, LLVMValueRef access)
{
    enum { DEPTH = 12 };
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(shapes->cfg->function));
    unsigned operand;
    long size = (long)LLVMStoreSizeOfType(layout, ir_accessed_type(access, &operand));
    struct guess guess = guess_of(shapes, LLVMGetOperand(access, operand), DEPTH);
    if (!guess.is_known || (guess.stride != size && (guess.stride != 0 || LLVMIsAStoreInst(access))))
        return -1;
    return guess.stride == size;
}

/* Returns the extension of the subscript that alone makes an address differ between lanes, by `size` bytes for each
 * step; NULL if there is none. */
static LLVMValueRef extended_subscript(const struct shapes *shapes, LLVMValueRef address, long size)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(shapes->cfg->function));
    LLVMValueRef found = NULL;
    for (; shape_of(shapes, address).kind == SHAPE_VARYING; address = LLVMGetOperand(address, 0)) {
        if (!LLVMIsAGetElementPtrInst(address) || LLVMGetNumOperands(address) != 2)
            return NULL;
        LLVMValueRef index = LLVMGetOperand(address, 1);
        if (shape_of(shapes, index).kind == SHAPE_UNIFORM)
            continue;
        if (found || (!LLVMIsASExtInst(index) && !LLVMIsAZExtInst(index)) ||
            shape_of(shapes, index).kind != SHAPE_VARYING ||
            (long)LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(address)) != size)
            return NULL;
        found = index;
    }
    return shape_of(shapes, address).kind == SHAPE_UNIFORM ? found : NULL;
}

/* Returns that of an access whose lanes probably lie side by side. */
static LLVMValueRef subscript_of_access(const struct shapes *shapes, LLVMValueRef access)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(shapes->cfg->function));
    unsigned operand;
    long size = (long)LLVMStoreSizeOfType(layout, ir_accessed_type(access, &operand));
    return widen_guessed_distance(shapes, access) == 1
               ? extended_subscript(shapes, LLVMGetOperand(access, operand), size)
               : NULL;
}

static bool is_in_node(const struct node *node, LLVMValueRef value)
{
    LLVMValueRef i = node->first;
    while (i != node->end && i != value)
        i = LLVMGetNextInstruction(i);
    return i != node->end;
}

/* Whether lanes count a value up, but for what conditions choose in it. Sets `*stride` to the distance between lanes
 * for which these are the same. With `node`, what is computed from the conditions must be in that node; they
 * themselves, and what lanes count, may come from others. */
static bool counts_but_for_conditions(const struct shapes *shapes, const struct node *node, LLVMValueRef value,
                                      int depth, long *stride)
{
    struct shape shape = shape_of(shapes, value);
    *stride = shape.stride;
    if (shape.kind == SHAPE_UNIFORM || shape.kind == SHAPE_LINEAR)
        return true;
    if (depth == 0 || !LLVMIsAInstruction(value) || (node && !is_in_node(node, value)))
        return false;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    LLVMValueRef first = LLVMGetOperand(value, 0);
    if (opcode == LLVMSExt || opcode == LLVMZExt) {
        *stride = 0;
        return LLVMGetIntTypeWidth(LLVMTypeOf(first)) == 1;
    }
    if (opcode != LLVMAdd && opcode != LLVMSub && opcode != LLVMSelect)
        return false;
    unsigned last = opcode == LLVMSelect ? 2 : 1;
    long left, right;
    if (!counts_but_for_conditions(shapes, node, LLVMGetOperand(value, last - 1), depth - 1, &left) ||
        !counts_but_for_conditions(shapes, node, LLVMGetOperand(value, last), depth - 1, &right))
        return false;
    *stride = opcode == LLVMSelect ? left : opcode == LLVMAdd ? left + right : left - right;
    return opcode != LLVMSelect || left == right;
}

/* Whether conditions decide whether lanes with such a subscript lie side by side. */
static bool conditions_decide(const struct shapes *shapes, const struct node *node, LLVMValueRef subscript)
{
    enum { DEPTH = 4 };
    long stride;
    return counts_but_for_conditions(shapes, node, subscript, DEPTH, &stride) && stride == 1;
}

/* Computes a value again at the builder's place, except for what all lanes share, and what a subscript is made of. */
static LLVMValueRef compute_again(LLVMBuilderRef b, const struct shapes *shapes, LLVMValueRef value)
{
    if (shape_of(shapes, value).kind != SHAPE_VARYING ||
        LLVMTypeOf(value) == LLVMInt1TypeInContext(LLVMGetTypeContext(LLVMTypeOf(value))))
        return value;
    bool is_extension = LLVMIsASExtInst(value) || LLVMIsAZExtInst(value);
    bool is_kept = is_extension && !conditions_decide(shapes, NULL, LLVMGetOperand(value, 0));
    LLVMValueRef again = LLVMInstructionClone(value);
    for (unsigned i = 0; !is_kept && i < (unsigned)LLVMGetNumOperands(value); i++)
        LLVMSetOperand(again, i, compute_again(b, shapes, LLVMGetOperand(value, i)));
    LLVMInsertIntoBuilder(b, again);
    return again;
}

/* Whether what is compared for an access is computed in its node. */
static bool is_compared_in(const struct shapes *shapes, const struct node *node, LLVMValueRef extension)
{
    LLVMValueRef subscript = LLVMGetOperand(extension, 0);
    return is_in_node(node, extension) &&
           (conditions_decide(shapes, node, subscript) || !conditions_decide(shapes, NULL, subscript));
}

bool widen_sink_guesses(const struct shapes *shapes)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(shapes->cfg->function)));
    bool changed = false;
    for (int at = 0; at < shapes->cfg->n; at++) {
        const struct node *node = &shapes->cfg->nodes[at];
        for (LLVMValueRef i = node->first; i != node->end; i = LLVMGetNextInstruction(i)) {
            bool is_access = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
            LLVMValueRef extension = is_access ? subscript_of_access(shapes, i) : NULL;
            if (!extension || is_compared_in(shapes, node, extension))
                continue;
            unsigned operand = LLVMIsAStoreInst(i) != NULL;
            LLVMPositionBuilderBefore(b, i);
            LLVMSetOperand(i, operand, compute_again(b, shapes, LLVMGetOperand(i, operand)));
            changed = true;
        }
    }
    LLVMDisposeBuilder(b);
    return changed;
}

/* ---- code ---- */

/* Returns the place of lane 0 if lanes lie `distance` elements apart. It follows from that of a lane in the middle,
 * which is the least likely to be at a border, or off. */
static LLVMValueRef place_of_lane_0(struct widener *w, LLVMValueRef addresses, LLVMTypeRef type, int distance)
{
    int middle = w->block.lanes / 2;
    LLVMValueRef back =
        LLVMConstInt(LLVMInt64TypeInContext(w->context), (unsigned long long)(-middle * distance), true);
    return LLVMBuildGEP2(w->builder, type, widen_lane(w, addresses, middle), &back, 1, "");
}

/* Returns an i1: whether the lanes that are on have the wanted values. */
static LLVMValueRef have_all(struct widener *w, LLVMValueRef values, LLVMValueRef wanted)
{
    LLVMValueRef differs = LLVMBuildICmp(w->builder, LLVMIntNE, values, wanted, "");
    return LLVMBuildNot(w->builder, widen_any(w, widen_mask_and(w, w->mask, differs)), "");
}

/* Finds lane 0's place. Returns an i1: whether the lanes that are on lie `distance` elements apart. */
static LLVMValueRef compare_addresses(struct widener *w, LLVMValueRef access, int distance, int row, int vector,
                                      LLVMValueRef *place)
{
    unsigned operand;
    LLVMTypeRef type = ir_accessed_type(access, &operand);
    LLVMValueRef addresses = widen_get_vector(w, LLVMGetOperand(access, operand), row, vector);
    addresses = LLVMBuildFreeze(w->builder, addresses, ""); /* a lane that is off may hold poison */
    *place = place_of_lane_0(w, addresses, type, distance);
    LLVMValueRef steps = widen_steps(w, LLVMInt64TypeInContext(w->context), distance);
    return have_all(w, addresses, LLVMBuildGEP2(w->builder, type, widen_splat(w, *place), &steps, 1, ""));
}

/* Returns the instance of an address for a lane whose extended subscript is `index`. */
static LLVMValueRef address_at(struct widener *w, LLVMValueRef address, LLVMValueRef index, int row, int vector)
{
    if (shape_of(w->shapes, address).kind == SHAPE_UNIFORM)
        return widen_get(w, address, row, vector);
    LLVMValueRef base = address_at(w, LLVMGetOperand(address, 0), index, row, vector);
    LLVMValueRef last = LLVMGetOperand(address, 1);
    bool is_shared = shape_of(w->shapes, last).kind == SHAPE_UNIFORM;
    LLVMValueRef at = is_shared ? widen_get(w, last, row, vector) : index;
    return LLVMBuildGEP2(w->builder, LLVMGetGEPSourceElementType(address), base, &at, 1, "");
}

/* Returns lane 0's value of a subscript about which conditions decide, with those of the lanes that are on. Clears
 * `*is_right`, an i1, if one differs between these. */
static LLVMValueRef first_by_conditions(struct widener *w, LLVMValueRef value, int row, int vector,
                                        LLVMValueRef *is_right)
{
    LLVMBuilderRef b = w->builder;
    LLVMTypeRef type = LLVMTypeOf(value);
    if (shape_of(w->shapes, value).kind != SHAPE_VARYING)
        return widen_get(w, value, row, vector);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    if (LLVMGetIntTypeWidth(type) == 1) {
        /* It may be poison where another condition makes it irrelevant. */
        LLVMValueRef lanes = LLVMBuildFreeze(b, widen_get_vector(w, value, row, vector), "");
        LLVMValueRef some = widen_any(w, widen_mask_and(w, w->mask, lanes)),
                     others = widen_any(w, widen_mask_and(w, w->mask, LLVMBuildNot(b, lanes, "")));
        *is_right = LLVMBuildAnd(b, *is_right, LLVMBuildNot(b, LLVMBuildAnd(b, some, others, ""), ""), "");
        return some;
    }
    LLVMValueRef parts[3];
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(value); i++)
        parts[i] = first_by_conditions(w, LLVMGetOperand(value, i), row, vector, is_right);
    switch (opcode) {
    case LLVMSelect:
        return LLVMBuildSelect(b, parts[0], parts[1], parts[2], "");
    case LLVMAdd:
        return LLVMBuildAdd(b, parts[0], parts[1], "");
    case LLVMSub:
        return LLVMBuildSub(b, parts[0], parts[1], "");
    default:
        return LLVMBuildIntCast2(b, parts[0], type, opcode == LLVMSExt, "");
    }
}

/* Does so by comparing subscripts. */
static LLVMValueRef first_by_comparison(struct widener *w, LLVMValueRef value, int row, int vector,
                                        LLVMValueRef *is_right)
{
    LLVMBuilderRef b = w->builder;
    LLVMTypeRef type = LLVMTypeOf(value);
    int middle = w->block.lanes / 2;
    LLVMValueRef subscripts = LLVMBuildFreeze(b, widen_get_vector(w, value, row, vector), "");
    LLVMValueRef back = LLVMConstInt(type, (unsigned long long)middle, false);
    LLVMValueRef first = LLVMBuildSub(b, widen_lane(w, subscripts, middle), back, "");
    LLVMValueRef wanted = LLVMBuildAdd(b, widen_splat(w, first), widen_steps(w, type, 1), "");
    *is_right = LLVMBuildAnd(b, *is_right, have_all(w, subscripts, wanted), "");
    return first;
}

/* Does so by the subscripts before their extension. They must not wrap around between lane 0 and the last one. */
static LLVMValueRef compare_subscripts(struct widener *w, LLVMValueRef access, LLVMValueRef extension, int row,
                                       int vector, LLVMValueRef *place)
{
    LLVMBuilderRef b = w->builder;
    LLVMValueRef address = LLVMGetOperand(access, LLVMIsAStoreInst(access) != NULL);
    bool is_signed = LLVMIsASExtInst(extension) != NULL;
    LLVMValueRef narrow = LLVMGetOperand(extension, 0);
    LLVMTypeRef type = LLVMTypeOf(narrow);
    LLVMValueRef is_right = LLVMConstInt(LLVMInt1TypeInContext(w->context), 1, false);
    bool by_conditions = conditions_decide(w->shapes, &w->cfg->nodes[w->node], narrow);
    LLVMValueRef first = (by_conditions ? first_by_conditions : first_by_comparison)(w, narrow, row, vector, &is_right);
    first = LLVMBuildFreeze(b, first, ""); /* of conditions that differ it may be poison */
    LLVMValueRef least = LLVMConstInt(type, is_signed ? 1ULL << (LLVMGetIntTypeWidth(type) - 1) : 0, false);
    LLVMValueRef most = LLVMConstInt(type, (unsigned long long)-w->block.lanes, true);
    LLVMValueRef stays = LLVMBuildICmp(b, LLVMIntULE, LLVMBuildSub(b, first, least, ""), most, "");
    LLVMValueRef index = LLVMBuildIntCast2(b, first, LLVMTypeOf(extension), is_signed, "");
    *place = address_at(w, address, index, row, vector);
    return LLVMBuildAnd(b, is_right, stays, "");
}

/* Loads the element at a place for all lanes. */
static LLVMValueRef load_for_all(struct widener *w, LLVMValueRef load, LLVMValueRef place)
{
    LLVMValueRef one = LLVMBuildLoad2(w->builder, LLVMTypeOf(load), place, "");
    LLVMSetAlignment(one, LLVMGetAlignment(load));
    return widen_splat(w, one);
}

LLVMValueRef widen_guess(struct widener *w, LLVMValueRef access, struct shape shape, int row, int vector)
{
    int distance = widen_way(w, access)->apart;
    if (distance == 0 && w->mask)
        return widen_load(w, access, shape, row, vector);
    bool is_store = LLVMIsAStoreInst(access) != NULL;
    LLVMBuilderRef b = w->builder;
    if (is_store)
        widen_get_vector(w, LLVMGetOperand(access, 0), row, vector); /* here, because both sides need it */
    LLVMValueRef extension = subscript_of_access(w->shapes, access), place, result = NULL;
    bool is_here = extension && map_get(w->node_of, extension) == w->node;
    LLVMValueRef is_right = is_here ? compare_subscripts(w, access, extension, row, vector, &place)
                                    : compare_addresses(w, access, distance, row, vector, &place);
    LLVMBasicBlockRef done = widen_block_here(w, "guess.done"), apart = widen_block_here(w, "guess.apart"),
                      together = widen_block_here(w, "guess.together");
    LLVMBuildCondBr(b, is_right, together, apart);
    LLVMPositionBuilderAtEnd(b, together);
    LLVMValueRef at_once = is_store        ? widen_store_at(w, access, place, row, vector)
                           : distance == 0 ? load_for_all(w, access, place)
                                           : widen_load_at(w, access, place, w->mask);
    LLVMBasicBlockRef loaded = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, apart);
    LLVMValueRef each = (is_store ? widen_store : widen_load)(w, access, shape, row, vector);
    apart = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
    if (!is_store) {
        result = LLVMBuildPhi(b, widen_vector_type(w, LLVMTypeOf(access)), "");
        LLVMAddIncoming(result, (LLVMValueRef[]){at_once, each}, (LLVMBasicBlockRef[]){loaded, apart}, 2);
    }
    return result;
}
