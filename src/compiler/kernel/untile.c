/* SPDX-License-Identifier: MIT
 *
 * Programs for GPUs copy what the threads of a tile share into its memory:
 *
 *     for (int i = 0; i < W; i += 16) {
 *         local_a[row][col] = a[t.global[0]][i + col];
 *         local_b[row][col] = b[i + row][t.global[1]];
 *         barrier;
 *         for (int k = 0; k < 16; k++)
 *             sum += local_a[row][k] * local_b[k][col];
 *         barrier;
 *     }
 *
 * A processor has caches for that. Its blocks of threads may be larger than a tile, need not keep sums in memory while
 * a tile's other blocks run, and have panels (panel.c). So a copy of the entry reads the arrays, at the address from
 * which the thread (row, k), or (k, col), has copied the element:
 *
 *     sum += a[t.global[0]][i + k] * b[i + k][t.global[1]];
 *
 * It has neither tile memory nor barriers nor tiles. `lanes` makes both forms; the box decides at run time, and so
 * does the plan: without panels, copies in tile memory are what reads arrays in their order.
 *
 * That is right because no element that is read, copied or not, can change meanwhile. Threads of at least two tiles
 * read it, because its address does not depend on the tile's place along one dimension, and branches depend on
 * arguments and loops alone. If some thread wrote it, that would be a race with one of these tiles at least, because up
 * to the last barrier nobody writes to anything but its tile's memory, and so nothing tells one tile what another has
 * done. An element of tile memory that is read is what a thread has stored before in the same run through the same
 * block, by the only store to that variable; so what its address was computed from has not changed since. Each address
 * is one that another thread has computed and read, and each thread's arithmetic stays as it is.
 *
 * needs   a prepared entry
 * keeps   it, but for marks of its loops; the copy is another function */
#include "kernel/untile.h"

#include "base/map.h"
#include "kernel/calls.h"
#include "kernel/entry.h"
#include "kernel/ir.h"
#include "kernel/nest.h"
#include "kernel/origin.h"
#include "kernel/variant.h"

#include <llvm-c/DebugInfo.h>

enum {
    RANK = 2,
    MOST_VARIABLES = 8,
    MOST_STEPS = 16 /* of the computation of an address */
};

struct search {
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    LLVMBuilderRef builder;
    const struct kernel *tiled;
    struct untiled *untiled;
    LLVMValueRef function; /* the copy, and what stands there for the components of a tiled index: */
    LLVMValueRef global[RANK], local[RANK], tile[RANK], origin[RANK];
    LLVMBasicBlockRef block; /* which stores to tile memory, and perhaps reads from it; */
    LLVMBasicBlockRef inner; /* a loop of one block, after that one, with other reads; NULL: there is none */
    LLVMValueRef counter;    /* of that loop, from 0 to `passes` by 1 */
    long long passes;
};

/* ---- the copy ---- */

/* Whether a value, perhaps extended, is the index of the tile's first thread along a dimension. */
static bool is_origin(const struct search *s, LLVMValueRef value, int d)
{
    value = ir_without_extension(value);
    if (value == s->origin[d])
        return true;
    if (!LLVMIsABinaryOperator(value) || ir_without_extension(LLVMGetOperand(value, 0)) != s->tile[d])
        return false;
    long long by;
    if (!ir_read_constant(LLVMGetOperand(value, 1), &by))
        return false;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    return (opcode == LLVMMul && by == s->tiled->tile[d]) ||
           (opcode == LLVMShl && by < 31 && 1 << by == s->tiled->tile[d]);
}

/* Lets `t.tile[d] * 16 + t.local[d]` be `t.global[d]`. */
static void join_indices(const struct search *s, LLVMValueRef sum)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(sum);
    if (opcode != LLVMAdd && !(opcode == LLVMOr && LLVMGetIsDisjoint(sum)))
        return;
    LLVMValueRef a = LLVMGetOperand(sum, 0), b = LLVMGetOperand(sum, 1);
    for (int d = 0; d < RANK; d++)
        if ((ir_without_extension(a) == s->local[d] && is_origin(s, b, d)) ||
            (ir_without_extension(b) == s->local[d] && is_origin(s, a, d))) {
            LLVMPositionBuilderBefore(s->builder, sum);
            LLVMReplaceAllUsesWith(sum, LLVMBuildIntCast2(s->builder, s->global[d], LLVMTypeOf(sum), true, ""));
        }
}

static void copy_entry(struct search *s)
{
    LLVMValueRef entry = LLVMGetNamedFunction(s->module, s->tiled->entry);
    struct variant v = variant_copy(s->module, entry, "_untiled", RANK);
    s->function = v.function;
    s->untiled->kernel.entry = LLVMGetValueName(v.function);
    LLVMPositionBuilderBefore(s->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(v.function)));
    for (int d = 0; d < RANK; d++) {
        LLVMValueRef global = s->global[d] = LLVMGetParam(v.function, (unsigned)(1 + d));
        LLVMValueRef size = LLVMConstInt(LLVMTypeOf(global), (unsigned long long)s->tiled->tile[d], false);
        s->local[d] = LLVMBuildURem(s->builder, global, size, "");
        s->tile[d] = LLVMBuildUDiv(s->builder, global, size, "");
        s->origin[d] = LLVMBuildNSWSub(s->builder, global, s->local[d], "");
    }
    for (int p = 0; p < entry_n_params(s->tiled); p++) {
        struct entry_param param = entry_param(s->tiled, p);
        LLVMValueRef value = LLVMGetParam(v.function, 0);
        if (param.meaning != ENTRY_ARGUMENTS)
            value = (param.meaning == ENTRY_GLOBAL  ? s->global
                     : param.meaning == ENTRY_LOCAL ? s->local
                     : param.meaning == ENTRY_TILE  ? s->tile
                                                    : s->origin)[param.component];
        variant_stand_for(&v, LLVMGetParam(entry, (unsigned)p), value);
    }
    variant_connect(&v);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(v.function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            join_indices(s, i);
}

/* Whether a value stands for a part of the tiled index. */
static bool is_part(const struct search *s, LLVMValueRef value)
{
    bool is = false;
    for (int d = 0; d < RANK; d++)
        is |= value == s->local[d] || value == s->tile[d] || value == s->origin[d];
    return is;
}

/* ---- places in tile memory ---- */

/* An address in a variable: a number of bytes from its start, for each dimension as many times the thread's index in
 * the tile, and as many times the inner loop's counter. */
struct place_in_tile {
    LLVMValueRef variable;
    long long bytes, of_local[RANK], of_counter;
};

static bool is_step(LLVMValueRef address)
{
    return LLVMIsAGetElementPtrInst(address) ||
           (LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) == LLVMGetElementPtr);
}

/* Returns the tile_static variable that an address is in; NULL if it is in none. */
static LLVMValueRef variable_of(LLVMValueRef address)
{
    while (is_step(address))
        address = LLVMGetOperand(address, 0);
    return LLVMIsAGlobalVariable(address) && ir_is_in_tile_memory(address) ? address : NULL;
}

/* Returns which part of a place an unextended value counts: the thread's index in the tile, or the inner loop's
 * counter; NULL if it is neither. */
static long long *part_of(const struct search *s, struct place_in_tile *place, LLVMValueRef value)
{
    for (int d = 0; d < RANK; d++)
        if (value == s->local[d])
            return &place->of_local[d];
    return s->counter && value == s->counter ? &place->of_counter : NULL;
}

/* Adds `factor` times a subscript, which is a constant, a thread's index in the tile, or the inner loop's counter, or
 * their sum. These numbers are small, and are not negative; so it does not matter how wide they are, and how they are
 * extended. */
static bool add_subscript(const struct search *s, struct place_in_tile *place, LLVMValueRef value, long long factor)
{
    enum { MOST = 1 << 12 };
    long long number;
    if (ir_read_constant(value, &number)) {
        place->bytes += factor * number;
        return number >= 0 && number < MOST * MOST;
    }
    value = ir_without_extension(value);
    long long *part = part_of(s, place, value);
    if (part)
        *part += factor;
    if (part || !LLVMIsABinaryOperator(value))
        return part;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    LLVMValueRef a = LLVMGetOperand(value, 0), b = LLVMGetOperand(value, 1);
    if (opcode == LLVMAdd || (opcode == LLVMOr && LLVMGetIsDisjoint(value)))
        return add_subscript(s, place, a, factor) && add_subscript(s, place, b, factor);
    if (!part_of(s, place, ir_without_extension(a)) || !ir_read_constant(b, &number) || number < 0)
        return false;
    if (opcode == LLVMShl && number < 12)
        return add_subscript(s, place, a, factor << number);
    return opcode == LLVMMul && number < MOST && add_subscript(s, place, a, factor * number);
}

static bool find_place(const struct search *s, LLVMValueRef address, struct place_in_tile *place)
{
    for (; is_step(address); address = LLVMGetOperand(address, 0)) {
        LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
        for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(address); i++) {
            if (i > 1 && LLVMGetTypeKind(type) != LLVMArrayTypeKind)
                return false;
            if (i > 1)
                type = LLVMGetElementType(type);
            if (!add_subscript(s, place, LLVMGetOperand(address, i), (long long)LLVMABISizeOfType(s->layout, type)))
                return false;
        }
    }
    place->variable = address;
    return true;
}

/* A variable, what each thread copies into it, and where. */
struct copied {
    LLVMValueRef load, store;
    struct place_in_tile place;
};

/* Whether no two threads of a tile store to the same bytes. */
static bool is_apart(const struct search *s, const struct copied *c)
{
    long long size = (long long)LLVMABISizeOfType(s->layout, LLVMTypeOf(c->load));
    const int *tile = s->tiled->tile;
    const long long *step = c->place.of_local;
    int slow = tile[1] == 1 || (tile[0] > 1 && step[0] > step[1]) ? 0 : 1, fast = !slow;
    if (tile[fast] > 1 && step[fast] < size)
        return false;
    return tile[slow] == 1 || step[slow] >= (tile[fast] > 1 ? step[fast] * tile[fast] : size);
}

/* Which thread of a tile, along a dimension: the same one, that with the number of the inner loop's iteration, or that
 * with a constant number. */
enum { OWN = -1, COUNTED = -2 };

/* Finds which thread has stored what is read at a place, along each dimension. */
static bool find_thread(const struct search *s, const struct copied *c, const struct place_in_tile *read,
                        long long threads[RANK])
{
    const long long *step = c->place.of_local;
    long long rest = read->bytes - c->place.bytes;
    int slow = step[0] > step[1] ? 0 : 1;
    bool is_counted = false;
    for (int i = 0; i < RANK; i++) {
        int d = i == 0 ? slow : !slow;
        threads[d] = OWN;
        if (read->of_local[d] == step[d])
            continue;
        if (read->of_local[d] != 0 || step[d] <= 0 || rest < 0)
            return false;
        if (read->of_counter == step[d] && s->passes <= s->tiled->tile[d]) {
            threads[d] = COUNTED;
            is_counted = true;
            continue;
        }
        threads[d] = rest / step[d];
        rest %= step[d];
        if (threads[d] >= s->tiled->tile[d])
            return false;
    }
    return rest == 0 && (is_counted || read->of_counter == 0);
}

/* ---- what a kernel does ---- */

static LLVMValueRef terminator(LLVMBasicBlockRef block)
{
    return LLVMGetBasicBlockTerminator(block);
}

/* Whether control gets from a block to those with accesses to tile memory, perhaps because it is one. */
static bool comes_to_tile(const struct search *s, LLVMBasicBlockRef block, struct map *seen)
{
    if (block == s->block || block == s->inner)
        return true;
    if (map_get(seen, block) >= 0)
        return false;
    map_set(seen, block, 1);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator(block)); i++)
        if (comes_to_tile(s, LLVMGetSuccessor(terminator(block), i), seen))
            return true;
    return false;
}

static bool depends_on(const struct search *s, LLVMValueRef value, LLVMValueRef from, struct map *seen)
{
    if (value == from)
        return true;
    if (!LLVMIsAInstruction(value) || map_get(seen, value) >= 0 || is_part(s, value))
        return false;
    map_set(seen, value, 1);
    for (int o = 0; o < LLVMGetNumOperands(value); o++)
        if (depends_on(s, LLVMGetOperand(value, (unsigned)o), from, seen))
            return true;
    return false;
}

/* Whether a value depends on another one. What the parts of a tiled index are computed from does not count. */
static bool depends(const struct search *s, LLVMValueRef value, LLVMValueRef from)
{
    return depends_on(s, value, from, map_new());
}

/* Whether an address is the same in all tiles along a dimension. */
static bool is_shared_along(const struct search *s, LLVMValueRef address, int d)
{
    return !depends(s, address, s->global[d]) && !depends(s, address, s->tile[d]) && !depends(s, address, s->origin[d]);
}

/* Whether a value is cheaply computed from arguments, the index, and what is the same for all threads: each thread that
 * reads an element will do that, instead of the one that has copied it. */
static bool is_of_index(const struct search *s, LLVMValueRef value, struct map *seen)
{
    if (!LLVMIsAInstruction(value) || is_part(s, value))
        return !LLVMIsAFunction(value);
    if (map_get(seen, value) >= 0)
        return true;
    map_set(seen, value, 1);
    if (entry_determines(value, false))
        return true;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    if (opcode != LLVMAdd && opcode != LLVMSub && opcode != LLVMMul && opcode != LLVMShl && opcode != LLVMOr &&
        !LLVMIsACastInst(value) && !LLVMIsAGetElementPtrInst(value))
        return false;
    for (int o = 0; o < LLVMGetNumOperands(value); o++)
        if (!is_of_index(s, LLVMGetOperand(value, (unsigned)o), seen))
            return false;
    return true;
}

/* Whether a load is an ordinary one. */
static bool is_plain_load(LLVMValueRef i)
{
    return LLVMIsALoadInst(i) && !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
}

/* Whether an instruction is one that blocks may have from which control comes to the tile's accesses. */
static bool may_precede(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMStore:
        return variable_of(LLVMGetOperand(i, 1)) && !LLVMGetVolatile(i);
    case LLVMLoad:
        return is_plain_load(i);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
    case LLVMAlloca:
        return false;
    case LLVMCall:
        return calls_is_pure(i) || calls_kind(i) == CALL_HINT || calls_kind(i) == CALL_BARRIER;
    default:
        return true;
    }
}

/* Whether an instruction uses an address in tile memory for nothing but a step from there, a load, or a store to it. */
static bool uses_tile_plainly(LLVMValueRef i)
{
    for (int o = 0; o < LLVMGetNumOperands(i); o++) {
        LLVMValueRef operand = LLVMGetOperand(i, (unsigned)o);
        bool is_address = LLVMGetTypeKind(LLVMTypeOf(operand)) == LLVMPointerTypeKind && variable_of(operand);
        if (is_address && !(LLVMIsAGetElementPtrInst(i) || LLVMIsALoadInst(i) || (LLVMIsAStoreInst(i) && o == 1)))
            return false;
    }
    return true;
}

/* Returns the only predecessor of a block but itself; NULL if there are several. */
static LLVMBasicBlockRef entered_from(LLVMBasicBlockRef block)
{
    LLVMBasicBlockRef from = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMBasicBlockRef other = LLVMIsATerminatorInst(user) ? LLVMGetInstructionParent(user) : block;
        if (other == block)
            continue;
        if (from && from != other)
            return NULL;
        from = other;
    }
    return from;
}

/* Whether the block of inner reads is a loop after the other one, which counts from 0 to a constant. */
static bool find_counter(struct search *s)
{
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(s->inner);
    if (entered_from(s->inner) != s->block || !LLVMIsABranchInst(branch) || LLVMGetNumSuccessors(branch) != 2)
        return false;
    bool stays = LLVMGetSuccessor(branch, 0) == s->inner;
    LLVMValueRef test = LLVMGetCondition(branch);
    if (stays == (LLVMGetSuccessor(branch, 1) == s->inner) || !LLVMIsAICmpInst(test) ||
        !ir_read_constant(LLVMGetOperand(test, 1), &s->passes) || s->passes < 1)
        return false;
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(test);
    bool counts = stays ? predicate == LLVMIntNE || predicate == LLVMIntULT || predicate == LLVMIntSLT
                        : predicate == LLVMIntEQ || predicate == LLVMIntUGE || predicate == LLVMIntSGE;
    s->counter = LLVMGetOperand(test, 0);
    if (LLVMIsAPHINode(s->counter))
        s->passes++; /* what is tested is the number of the iteration that ends */
    else if (LLVMIsABinaryOperator(s->counter))
        s->counter = LLVMGetOperand(s->counter, 0);
    if (!counts || !LLVMIsAPHINode(s->counter) || LLVMGetInstructionParent(s->counter) != s->inner)
        return false;
    LLVMValueRef next = ir_incoming_from(s->counter, s->inner);
    long long by, first;
    return (LLVMGetOperand(test, 0) == s->counter || LLVMGetOperand(test, 0) == next) && LLVMIsABinaryOperator(next) &&
           LLVMGetInstructionOpcode(next) == LLVMAdd && LLVMGetOperand(next, 0) == s->counter &&
           ir_read_constant(LLVMGetOperand(next, 1), &by) && by == 1 &&
           ir_read_constant(ir_incoming_from(s->counter, s->block), &first) && first == 0;
}

/* Finds the blocks with accesses to tile memory. */
static bool find_blocks(struct search *s)
{
    bool reads_later = false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(s->function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!uses_tile_plainly(i))
                return false;
            if (LLVMIsAStoreInst(i) && variable_of(LLVMGetOperand(i, 1))) {
                if (s->block && s->block != b)
                    return false;
                s->block = b;
            }
        }
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(s->function); b && s->block; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (b != s->block && LLVMIsALoadInst(i) && variable_of(LLVMGetOperand(i, 0))) {
                if (reads_later && s->inner != b)
                    return false;
                reads_later = true;
                s->inner = b;
            }
    return s->block && (!s->inner || find_counter(s));
}

/* Whether nobody can write what a load reads while tiles run, because they have it in common along a dimension, of
 * which it takes a note. */
static bool is_common_to_tiles(const struct search *s, LLVMValueRef load)
{
    LLVMValueRef from = LLVMGetOperand(load, 0);
    if (entry_is_argument(from) || variable_of(from))
        return true;
    bool along_rows = is_shared_along(s, from, 0), along_columns = is_shared_along(s, from, 1);
    int kinds = origin_of(&s->untiled->kernel, from).kinds;
    if (kinds == ORIGIN_TABLE)
        return true;
    if (!is_of_index(s, from, map_new()) || !kinds || (kinds & ~(ORIGIN_ARRAY | ORIGIN_SHARED)) ||
        (!along_rows && !along_columns))
        return false;
    s->untiled->is_shared[along_rows ? 0 : 1] = true;
    return true;
}

/* Whether all threads take the same way as long as they use tile memory, change nothing else meanwhile, and read
 * nothing that may change. */
static bool all_do_the_same(const struct search *s)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(s->function); b; b = LLVMGetNextBasicBlock(b)) {
        bool precedes = comes_to_tile(s, b, map_new());
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (precedes ? !may_precede(i) || (LLVMIsALoadInst(i) && !is_common_to_tiles(s, i))
                         : calls_kind(i) == CALL_BARRIER || calls_kind(i) == CALL_ABORT)
                return false;
        if (precedes && LLVMGetNumSuccessors(terminator(b)) > 1 &&
            !entry_determines(LLVMGetOperand(terminator(b), 0), false))
            return false;
    }
    return true;
}

/* Finds what is copied into the variables of the block, each by one store. Returns how many there are; 0 if it is not
 * as it has to be. */
static int find_copies(struct search *s, struct copied copies[MOST_VARIABLES])
{
    struct map *loads = map_new(), *stored = map_new();
    int n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(s->block); i; i = LLVMGetNextInstruction(i)) {
        if (LLVMIsALoadInst(i))
            map_set(loads, i, 1);
        if (!LLVMIsAStoreInst(i))
            continue;
        struct copied copied = {.load = LLVMGetOperand(i, 0), .store = i};
        if (n == MOST_VARIABLES || map_get(loads, copied.load) < 0 || !ir_is_element(LLVMTypeOf(copied.load)) ||
            variable_of(LLVMGetOperand(copied.load, 0)) || !is_of_index(s, LLVMGetOperand(copied.load, 0), map_new()) ||
            !find_place(s, LLVMGetOperand(i, 1), &copied.place) || map_get(stored, copied.place.variable) >= 0 ||
            !is_apart(s, &copied))
            return 0;
        map_set(stored, copied.place.variable, n);
        copies[n++] = copied;
    }
    return n;
}

/* ---- reading the arrays ---- */

/* Computes a value of another thread of the tile, at the builder's place, with at most `*most` instructions. Returns
 * NULL if that is not possible. */
static LLVMValueRef value_of_thread(struct search *s, LLVMValueRef value, const long long threads[RANK], int *most)
{
    bool is_same = true;
    for (int d = 0; d < RANK; d++) {
        if (threads[d] == OWN)
            continue;
        if (ir_without_extension(value) == s->local[d])
            return threads[d] == COUNTED ? LLVMBuildIntCast2(s->builder, s->counter, LLVMTypeOf(value), false, "")
                                         : LLVMConstInt(LLVMTypeOf(value), (unsigned long long)threads[d], false);
        if (depends(s, value, s->global[d]))
            return NULL;
        is_same &= !depends(s, value, s->local[d]);
    }
    if (is_same)
        return value;
    LLVMValueRef operands[8];
    int n = LLVMGetNumOperands(value);
    if (n > 8 || --*most < 0)
        return NULL;
    for (int o = 0; o < n; o++)
        if (!(operands[o] = value_of_thread(s, LLVMGetOperand(value, (unsigned)o), threads, most)))
            return NULL;
    LLVMValueRef copy = LLVMInstructionClone(value);
    for (int o = 0; o < n; o++)
        LLVMSetOperand(copy, (unsigned)o, operands[o]);
    LLVMInsertIntoBuilder(s->builder, copy);
    return copy;
}

/* Lets what reads a copy read the array. */
static bool read_array(struct search *s, LLVMValueRef read, const struct copied *copies, int n, const struct map *done)
{
    struct place_in_tile place = {0};
    long long threads[RANK];
    if (!find_place(s, LLVMGetOperand(read, 0), &place))
        return false;
    for (int c = 0; c < n; c++) {
        if (copies[c].place.variable != place.variable)
            continue;
        LLVMValueRef load = copies[c].load;
        if (map_get(done, copies[c].store) < 0 || LLVMTypeOf(load) != LLVMTypeOf(read) ||
            !find_thread(s, &copies[c], &place, threads))
            return false;
        LLVMPositionBuilderBefore(s->builder, read);
        int most = MOST_STEPS;
        LLVMValueRef from = value_of_thread(s, LLVMGetOperand(load, 0), threads, &most);
        if (!from)
            return false;
        LLVMValueRef copy = LLVMInstructionClone(load);
        LLVMSetOperand(copy, 0, from);
        LLVMInsertIntoBuilder(s->builder, copy);
        LLVMInstructionSetDebugLoc(copy, LLVMInstructionGetDebugLoc(read));
        LLVMReplaceAllUsesWith(read, copy);
        return true;
    }
    return false;
}

static bool has_effect(LLVMValueRef i)
{
    return LLVMIsATerminatorInst(i) || LLVMIsAStoreInst(i) || LLVMIsACallInst(i) || LLVMIsAAtomicRMWInst(i) ||
           LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAFenceInst(i) || (LLVMIsALoadInst(i) && !is_plain_load(i));
}

/* Removes what nothing uses any more. */
static void clean_up(const struct search *s)
{
    for (bool changes = true; changes;) {
        changes = false;
        for (LLVMBasicBlockRef b = LLVMGetLastBasicBlock(s->function); b; b = LLVMGetPreviousBasicBlock(b))
            for (LLVMValueRef i = LLVMGetLastInstruction(b), previous; i; i = previous) {
                previous = LLVMGetPreviousInstruction(i);
                if (has_effect(i) || is_part(s, i) || LLVMGetFirstUse(i))
                    continue;
                LLVMInstructionEraseFromParent(i);
                changes = true;
            }
    }
}

/* Whether anything but another part of the index uses what stands for a part: that is not the same for the threads of a
 * block. */
static bool needs_parts(const struct search *s)
{
    for (int d = 0; d < RANK; d++) {
        if (LLVMGetFirstUse(s->tile[d]) || LLVMGetFirstUse(s->origin[d]))
            return true;
        for (LLVMUseRef use = LLVMGetFirstUse(s->local[d]); use; use = LLVMGetNextUse(use))
            if (!is_part(s, LLVMGetUser(use)))
                return true;
    }
    return false;
}

/* Replaces all reads of tile memory in a block. `done` has the stores before it. */
static bool read_arrays(struct search *s, LLVMBasicBlockRef block, const struct copied *copies, int n, struct map *done)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (LLVMIsAStoreInst(i))
            map_set(done, i, 1);
        else if (LLVMIsALoadInst(i) && variable_of(LLVMGetOperand(i, 0)) && !read_array(s, i, copies, n, done))
            return false;
    }
    return true;
}

/* Replaces all accesses to tile memory, and removes the barriers. */
static bool forget_tiles(struct search *s, const struct copied *copies, int n)
{
    struct map *done = map_new();
    if (!read_arrays(s, s->block, copies, n, done) || (s->inner && !read_arrays(s, s->inner, copies, n, done)))
        return false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(s->function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if ((LLVMIsAStoreInst(i) && variable_of(LLVMGetOperand(i, 1))) || calls_kind(i) == CALL_BARRIER)
                LLVMInstructionEraseFromParent(i);
        }
    clean_up(s);
    if (needs_parts(s))
        return false;
    for (int d = 0; d < RANK; d++) {
        LLVMInstructionEraseFromParent(s->origin[d]);
        LLVMInstructionEraseFromParent(s->tile[d]);
        LLVMInstructionEraseFromParent(s->local[d]);
    }
    return true;
}

/* ---- kernels ---- */

/* Returns where control goes when the inner loop ends. */
static LLVMBasicBlockRef after_inner(const struct search *s)
{
    return LLVMGetSuccessor(terminator(s->inner), LLVMGetSuccessor(terminator(s->inner), 0) == s->inner);
}

/* Returns how many blocks of a function precede one. */
static int number_of(LLVMValueRef function, LLVMBasicBlockRef block)
{
    int n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != block; b = LLVMGetNextBasicBlock(b))
        n++;
    return n;
}

/* Makes such a kernel's entry. `*inner` gets the number of the block that is the inner loop; -1: there is none. */
static const struct untiled *make_untiled(LLVMModuleRef module, const struct kernel *kernel, int *inner)
{
    if (!kernel->tiled || kernel->rank != RANK || kernel->has_convoys)
        return NULL;
    struct untiled *untiled = arena_alloc(sizeof *untiled);
    *untiled = (struct untiled){.kernel = *kernel};
    untiled->kernel.tiled = false;
    struct search s = {.module = module,
                       .layout = LLVMGetModuleDataLayout(module),
                       .builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module)),
                       .tiled = kernel,
                       .untiled = untiled};
    struct copied copies[MOST_VARIABLES];
    copy_entry(&s);
    *inner = -1;
    int n = find_blocks(&s) && all_do_the_same(&s) ? find_copies(&s, copies) : 0;
    if (n)
        untiled->line = (unsigned)ir_place(copies[0].store, (struct place){0}).line;
    if (s.inner)
        *inner = number_of(s.function, s.inner);
    bool is = n && forget_tiles(&s, copies, n);
    if (is && s.inner && comes_to_tile(&s, after_inner(&s), map_new()))
        is = nest_join(s.builder, s.block, s.inner, s.counter, s.passes);
    if (is)
        clean_up(&s);
    LLVMDisposeBuilder(s.builder);
    if (is)
        return untiled;
    LLVMDeleteFunction(s.function);
    return NULL;
}

const struct untiled *untiled_of(LLVMModuleRef module, const struct kernel *kernel)
{
    int inner;
    return make_untiled(module, kernel, &inner);
}

void untile_keep_loops(const struct unit *unit, LLVMModuleRef module)
{
    for (int k = 0; k < unit->n_kernels && unit->options->panels >= 0; k++) {
        int inner;
        const struct untiled *untiled = make_untiled(module, &unit->kernels[k], &inner);
        if (!untiled)
            continue;
        LLVMDeleteFunction(LLVMGetNamedFunction(module, untiled->kernel.entry));
        LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(LLVMGetNamedFunction(module, unit->kernels[k].entry));
        for (int n = 0; n < inner; n++)
            block = LLVMGetNextBasicBlock(block);
        if (inner >= 0 && !ir_has_unroll_pragma(LLVMGetBasicBlockTerminator(block)))
            ir_mark_loop(LLVMGetBasicBlockTerminator(block), "llvm.loop.unroll.disable", NULL);
    }
}
