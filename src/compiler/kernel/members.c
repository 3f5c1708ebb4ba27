/* SPDX-License-Identifier: MIT
 *
 * Finds accesses to neighbouring members. Their addresses differ only by a constant, and nothing between the first and
 * the last of them may depend on whether the others have been done: no access to memory that might be the same, no call
 * that does more than compute. */
#include "kernel/members.h"

#include "kernel/calls.h"
#include "kernel/ir.h"
#include "kernel/origin.h"

/* An address, base + index * scale + offset. An index that is extended is meant before that, as one number of bits. */
struct address {
    LLVMValueRef base, index;
    LLVMOpcode extension; /* of the index; 0: none */
    unsigned long long scale;
    long long offset;
};

static bool is_step(LLVMValueRef value)
{
    return LLVMIsAGetElementPtrInst(value) ||
           (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

/* Takes constant steps off the base. */
static void take_constants(LLVMTargetDataRef layout, struct address *address)
{
    for (long long offset = 0; is_step(address->base) && ir_add_step(layout, address->base, 0, &offset); offset = 0) {
        address->base = LLVMGetOperand(address->base, 0);
        address->offset += offset;
    }
}

/* Whether an operation's second operand is constant, and extending its result is the same as extending the first one
 * before. */
static bool extends_as(LLVMValueRef value, LLVMOpcode opcode, LLVMOpcode extension)
{
    if (!LLVMIsAInstruction(value) || LLVMGetNumOperands(value) != 2 || !LLVMIsAConstantInt(LLVMGetOperand(value, 1)) ||
        LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
        return false;
    if (opcode == LLVMAdd && LLVMGetInstructionOpcode(value) == LLVMOr)
        return LLVMGetIsDisjoint(value) && LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1)) >= 0;
    if (LLVMGetInstructionOpcode(value) != opcode)
        return false;
    bool is_address = LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64;
    return extension == LLVMSExt ? LLVMGetNSW(value) : extension == LLVMZExt ? LLVMGetNUW(value) : is_address;
}

/* Takes constant summands and powers of two off the index. */
static void take_numbers(struct address *parts)
{
    enum { MOST_SHIFT = 16 };
    for (;;) {
        bool is_sum = extends_as(parts->index, LLVMAdd, parts->extension);
        if (!is_sum && !extends_as(parts->index, LLVMShl, parts->extension))
            return;
        LLVMValueRef number = LLVMGetOperand(parts->index, 1);
        long long constant = parts->extension == LLVMZExt ? (long long)LLVMConstIntGetZExtValue(number)
                                                          : LLVMConstIntGetSExtValue(number);
        if (!is_sum && (constant < 0 || constant > MOST_SHIFT || parts->scale >> (63 - MOST_SHIFT)))
            return;
        if (is_sum)
            parts->offset =
                (long long)((unsigned long long)parts->offset + (unsigned long long)constant * parts->scale);
        else
            parts->scale <<= constant;
        parts->index = LLVMGetOperand(parts->index, 0);
    }
}

static struct address address_by_parts(LLVMTargetDataRef layout, LLVMValueRef address)
{
    struct address parts = {.base = address};
    take_constants(layout, &parts);
    if (!is_step(parts.base) || LLVMGetNumOperands(parts.base) != 2)
        return parts;
    parts.scale = LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(parts.base));
    parts.index = LLVMGetOperand(parts.base, 1);
    parts.base = LLVMGetOperand(parts.base, 0);
    take_constants(layout, &parts);
    take_numbers(&parts);
    if (LLVMIsASExtInst(parts.index) || LLVMIsAZExtInst(parts.index)) {
        parts.extension = LLVMGetInstructionOpcode(parts.index);
        parts.index = LLVMGetOperand(parts.index, 0);
        take_numbers(&parts);
    }
    return parts;
}

static LLVMValueRef address_of(LLVMValueRef access)
{
    return LLVMGetOperand(access, LLVMIsAStoreInst(access) != NULL);
}

/* Whether an access is a plain one of a number. */
static bool is_plain(LLVMTargetDataRef layout, LLVMValueRef access)
{
    unsigned address;
    LLVMTypeRef type = ir_accessed_type(access, &address);
    return !LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic && ir_is_element(type) &&
           LLVMGetTypeKind(type) != LLVMPointerTypeKind &&
           LLVMSizeOfTypeInBits(layout, type) == 8 * LLVMStoreSizeOfType(layout, type);
}

/* Sets `*distance` to how many elements an access lies after another one; returns false if that is not known. */
static bool find_distance(LLVMTargetDataRef layout, LLVMValueRef from, LLVMValueRef to, long long *distance)
{
    unsigned address;
    unsigned long long size = LLVMStoreSizeOfType(layout, ir_accessed_type(from, &address));
    if (LLVMGetInstructionOpcode(from) != LLVMGetInstructionOpcode(to) || !is_plain(layout, to) ||
        LLVMStoreSizeOfType(layout, ir_accessed_type(to, &address)) != size)
        return false;
    struct address a = address_by_parts(layout, address_of(from)), b = address_by_parts(layout, address_of(to));
    *distance = (b.offset - a.offset) / (long long)size;
    return a.base == b.base && a.index == b.index && a.extension == b.extension && a.scale == b.scale &&
           *distance * (long long)size == b.offset - a.offset;
}

/* Whether two accesses go to different memory, wherever in it. */
static bool are_apart(const struct kernel *kernel, LLVMValueRef left, LLVMValueRef right)
{
    enum { CONSTANT = ORIGIN_ARGUMENTS | ORIGIN_TABLE, OUTSIDE = ORIGIN_ARRAY | ORIGIN_SHARED | ORIGIN_LOADED };
    struct origin a = origin_of(kernel, address_of(left)), b = origin_of(kernel, address_of(right));
    if (a.kinds == ORIGIN_TILE && b.kinds == ORIGIN_TILE)
        return a.variable && b.variable && a.variable != b.variable;
    if (!(a.kinds & ~CONSTANT) || !(b.kinds & ~CONSTANT))
        return true;
    bool is_a_outside = !(a.kinds & ~(OUTSIDE | CONSTANT)), is_b_outside = !(b.kinds & ~(OUTSIDE | CONSTANT));
    return (is_a_outside && (b.kinds == ORIGIN_TILE || b.kinds == ORIGIN_PRIVATE)) ||
           (is_b_outside && (a.kinds == ORIGIN_TILE || a.kinds == ORIGIN_PRIVATE)) ||
           (a.kinds == ORIGIN_TILE && b.kinds == ORIGIN_PRIVATE) ||
           (a.kinds == ORIGIN_PRIVATE && b.kinds == ORIGIN_TILE);
}

/* Whether `access` may be moved from one side of `i` to the other. */
static bool can_pass(const struct kernel *kernel, LLVMValueRef access, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic &&
               (LLVMIsALoadInst(access) || are_apart(kernel, access, i));
    case LLVMStore:
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic && are_apart(kernel, access, i);
    case LLVMCall:
        return calls_is_pure(i) || calls_kind(i) == CALL_HINT;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
        return false;
    default:
        return true;
    }
}

static void insert(struct members *members, LLVMValueRef access, int place)
{
    int k = members->n++;
    for (; k > 0 && members->places[k - 1] > place; k--) {
        members->accesses[k] = members->accesses[k - 1];
        members->places[k] = members->places[k - 1];
    }
    members->accesses[k] = access;
    members->places[k] = place;
}

/* Whether an element at that place lies in the same stretch of `most` elements, and is not there yet. */
static bool has_room(const struct members *members, long long place, int most)
{
    long long first = members->places[0], last = members->places[members->n - 1];
    for (int k = 0; k < members->n; k++)
        if (members->places[k] == place)
            return false;
    return place > last - most && place < first + most;
}

/* Returns at which of `most` elements an access is, counted from where a variable begins; 0 if that is not known. */
static int phase_of(LLVMTargetDataRef layout, LLVMValueRef access, int most)
{
    unsigned address;
    long long size = (long long)LLVMStoreSizeOfType(layout, ir_accessed_type(access, &address));
    struct address parts = address_by_parts(layout, address_of(access));
    if (!LLVMIsAGlobalVariable(parts.base) || (long long)parts.scale != size * most || parts.offset % size)
        return 0;
    return (int)((parts.offset / size % most + most) % most);
}

const struct members *members_of(const struct kernel *kernel, const struct node *node, LLVMValueRef access, int most,
                                 bool in_phase)
{
    enum { FAR = 500 }; /* instructions: very long code would take too long otherwise */
    LLVMTargetDataRef layout = ir_layout_of(access);
    struct members *members = arena_alloc(sizeof *members);
    int passed = 0;
    if (most > MAX_MEMBERS || !is_plain(layout, access))
        return NULL;
    insert(members, access, 0);
    members->at = access;
    for (LLVMValueRef i = LLVMGetNextInstruction(access); i && i != node->end && passed < FAR;
         i = LLVMGetNextInstruction(i), passed++) {
        long long distance;
        if ((LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && find_distance(layout, access, i, &distance) &&
            has_room(members, distance, most)) {
            insert(members, i, (int)distance);
            members->at = LLVMIsAStoreInst(i) ? i : access;
        } else if (!can_pass(kernel, access, i))
            break;
    }
    int first = members->places[0], length = members->places[members->n - 1] - first;
    int phase = in_phase ? phase_of(layout, members->accesses[0], most) : 0;
    if (phase + length >= most)
        phase = 0;
    for (int k = 0; k < members->n; k++)
        members->places[k] += phase - first;
    return members->n > 1 || phase > 0 ? members : NULL;
}
