/* SPDX-License-Identifier: MIT
 *
 * Makes the code for loads, stores and atomic operations, by how the lanes' elements lie in memory. */
#include "kernel/calls.h"
#include "kernel/ir.h"
#include "kernel/origin.h"
#include "widen/panel.h"
#include "widen/parts.h"
#include "widen/row_loads.h"
#include "widen/stage.h"
#include "widen/strip.h"
#include "widen/sums.h"

#include <stdlib.h>
#include <string.h>

static void copy_tbaa(const struct widener *w, LLVMValueRef from, LLVMValueRef to)
{
    unsigned kind = LLVMGetMDKindIDInContext(w->context, "tbaa", 4);
    LLVMValueRef tbaa = LLVMGetMetadata(from, kind);
    if (tbaa)
        LLVMSetMetadata(to, kind, tbaa);
}

/* Loads a vector of type `wide`, or stores `value` if that is not NULL. In LLVM 22 the alignment argument of the masked
 * intrinsics became an attribute of the pointer. */
static LLVMValueRef masked_access(struct widener *w, const char *name, LLVMTypeRef wide, LLVMValueRef value,
                                  LLVMValueRef pointer, unsigned align, LLVMValueRef mask)
{
    LLVMTypeRef types[] = {wide, LLVMTypeOf(pointer)};
    LLVMValueRef args[4];
    unsigned n = 0;
    if (value)
        args[n++] = value;
    args[n++] = pointer;
#if LLVM_VERSION_MAJOR < 22
    args[n++] = widen_i32(w, align);
#endif
    args[n++] = mask;
    if (!value)
        args[n++] = LLVMGetPoison(wide);
    LLVMValueRef call = widen_intrinsic(w, name, types, 2, args, n);
#if LLVM_VERSION_MAJOR >= 22
    LLVMAddCallSiteAttribute(call, value ? 2 : 1,
                             LLVMCreateEnumAttribute(w->context, LLVMGetEnumAttributeKindForName("align", 5), align));
#endif
    return call;
}

LLVMValueRef widen_vector_at(struct widener *w, LLVMTypeRef wide, LLVMValueRef address, unsigned align,
                             LLVMValueRef mask)
{
    if (mask)
        return masked_access(w, calls_name(CALL_MASKED_LOAD), wide, NULL, address, align, mask);
    LLVMValueRef result = LLVMBuildLoad2(w->builder, wide, address, "");
    LLVMSetAlignment(result, align);
    return result;
}

/* Loads a vector if some lane is on: the whole vector if it lies in a page, which that lane may read, otherwise a
 * scalar for each lane that is on. */
static LLVMValueRef load_in_page(struct widener *w, LLVMTypeRef wide, LLVMValueRef address, unsigned align,
                                 LLVMValueRef mask)
{
    enum { PAGE = 4096 }; /* the smallest that any target has */
    LLVMBuilderRef b = w->builder;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(w->context);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), some = widen_block_here(w, "page.some"),
                      whole = widen_block_here(w, "page.whole"), each = widen_block_here(w, "page.each"),
                      done = widen_block_here(w, "page.done");
    LLVMBuildCondBr(b, widen_any(w, mask), some, done);
    LLVMPositionBuilderAtEnd(b, some);
    LLVMValueRef place =
        LLVMBuildAnd(b, LLVMBuildPtrToInt(b, address, i64, ""), LLVMConstInt(i64, PAGE - 1, false), "");
    LLVMValueRef last = LLVMConstInt(i64, PAGE - LLVMStoreSizeOfType(w->layout, wide), false);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULE, place, last, ""), whole, each);
    LLVMPositionBuilderAtEnd(b, whole);
    LLVMValueRef all = widen_vector_at(w, wide, address, align, NULL);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, each);
    LLVMValueRef of_each = widen_vector_at(w, wide, address, align, mask);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
    LLVMValueRef result = LLVMBuildPhi(b, wide, "");
    LLVMAddIncoming(result, (LLVMValueRef[]){LLVMGetPoison(wide), all, of_each},
                    (LLVMBasicBlockRef[]){before, whole, each}, 3);
    return result;
}

LLVMValueRef widen_gather(struct widener *w, LLVMTypeRef wide, LLVMValueRef addresses, unsigned align,
                          LLVMValueRef mask)
{
    return masked_access(w, "llvm.masked.gather", wide, NULL, addresses, align, widen_mask_or_all(w, mask));
}

LLVMValueRef widen_store_vector(struct widener *w, LLVMValueRef vector, LLVMValueRef address, unsigned align,
                                LLVMValueRef mask)
{
    if (mask)
        return masked_access(w, calls_name(CALL_MASKED_STORE), LLVMTypeOf(vector), vector, address, align, mask);
    LLVMValueRef result = LLVMBuildStore(w->builder, vector, address);
    LLVMSetAlignment(result, align);
    return result;
}

/* Whether an access is to the lanes' own elements, of which those of lanes that are off may be read, and stored as they
 * were: some lane is on, so that the subscript, which all have, is valid. */
static bool is_own(const struct widener *w, LLVMValueRef access)
{
    return widen_way(w, access)->is_own && !shape_runs_predicated(w->shapes, w->node);
}

LLVMValueRef widen_load_at(struct widener *w, LLVMValueRef load, LLVMValueRef place, LLVMValueRef mask)
{
    LLVMTypeRef wide = widen_vector_type(w, LLVMTypeOf(load));
    if ((widen_way(w, load)->is_between && !w->base_mask) || is_own(w, load))
        mask = NULL;
    bool in_page = mask && widen_way(w, load)->in_page;
    return (in_page ? load_in_page : widen_vector_at)(w, wide, place, LLVMGetAlignment(load), mask);
}

void widen_request(struct widener *w, enum cache cache, LLVMValueRef address, long distance, long n)
{
    enum { LINE = 64 };
    LLVMTypeRef pointer = LLVMTypeOf(address), i64 = LLVMInt64TypeInContext(w->context);
    LLVMValueRef reads = widen_i32(w, 0), locality = widen_i32(w, cache), data = widen_i32(w, 1);
    for (long line = 0; line < n; line += LINE) {
        LLVMValueRef bytes = LLVMConstInt(i64, (unsigned long long)(distance + line), true);
        LLVMValueRef at = LLVMBuildGEP2(w->builder, LLVMInt8TypeInContext(w->context), address, &bytes, 1, "");
        LLVMValueRef args[] = {at, reads, locality, data};
        widen_intrinsic(w, "llvm.prefetch", &pointer, 1, args, 4);
    }
}

/* Hides that a vector is loaded from LLVM's code generator, which would make a store under a mask of a choice
 * between it and another one that goes to its place. */
static LLVMValueRef hide_load(struct widener *w, LLVMValueRef vector)
{
    LLVMTypeRef type = LLVMTypeOf(vector), floats = LLVMFloatTypeInContext(w->context);
    unsigned bytes = (unsigned)LLVMStoreSizeOfType(w->layout, type);
    if (LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMPointerTypeKind || bytes % 4 != 0)
        return vector;
    floats = LLVMVectorType(floats, bytes / 4);
    LLVMValueRef cast = LLVMBuildBitCast(w->builder, vector, floats, "");
    cast = widen_intrinsic(w, "llvm.arithmetic.fence", &floats, 1, &cast, 1);
    return LLVMBuildBitCast(w->builder, cast, type, "");
}

/* An access whose elements lie `apart` elements from one another is that many whole vectors and a shuffle. The mask
 * keeps the other elements untouched: they may lie after the end of the array or belong to another thread. */
static LLVMValueRef strided_mask(const struct widener *w, int apart)
{
    LLVMValueRef bits[64];
    for (int i = 0; i < w->block.lanes * apart; i++)
        bits[i] = LLVMConstInt(LLVMInt1TypeInContext(w->context), i % apart == 0, false);
    return LLVMConstVector(bits, (unsigned)(w->block.lanes * apart));
}

static LLVMValueRef strided_load(struct widener *w, LLVMTypeRef type, LLVMValueRef at, unsigned align, int apart)
{
    LLVMTypeRef all = LLVMVectorType(type, (unsigned)(w->block.lanes * apart));
    LLVMValueRef loaded = masked_access(w, calls_name(CALL_MASKED_LOAD), all, NULL, at, align, strided_mask(w, apart));
    LLVMValueRef steps = widen_steps(w, LLVMInt32TypeInContext(w->context), apart);
    return LLVMBuildShuffleVector(w->builder, loaded, LLVMGetPoison(all), steps, "");
}

static LLVMValueRef strided_store(struct widener *w, LLVMValueRef value, LLVMValueRef at, unsigned align, int apart)
{
    LLVMValueRef from[64];
    for (int i = 0; i < w->block.lanes * apart; i++)
        from[i] = i % apart ? LLVMGetPoison(LLVMInt32TypeInContext(w->context)) : widen_i32(w, i / apart);
    LLVMValueRef spread = LLVMBuildShuffleVector(w->builder, value, LLVMGetPoison(LLVMTypeOf(value)),
                                                 LLVMConstVector(from, (unsigned)(w->block.lanes * apart)), "");
    return masked_access(w, calls_name(CALL_MASKED_STORE), LLVMTypeOf(spread), spread, at, align,
                         strided_mask(w, apart));
}

/* ---- elements that lie apart ---- */

/* Returns the place of lane 0's element; if no lane is on, one where all lanes' places are in tile memory, too. */
static LLVMValueRef begin_apart(struct widener *w, LLVMValueRef address, int row, int vector)
{
    LLVMValueRef at = widen_get(w, address, row, vector);
    return w->mask ? LLVMBuildSelect(w->builder, widen_any(w, w->mask), at, w->tile_memory[0].memory, "") : at;
}

/* Whether all lanes' places are in tile memory if one of them is. */
static bool has_room(const struct widener *w, LLVMTypeRef type, int apart)
{
    return !w->mask || labs(apart) * (long)LLVMStoreSizeOfType(w->layout, type) * (w->block.lanes - 1) <= w->tile_room;
}

static LLVMValueRef apart_place(struct widener *w, LLVMTypeRef type, LLVMValueRef at, int lane, int apart)
{
    LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(w->context), (unsigned long long)lane * (long)apart, true);
    return LLVMBuildGEP2(w->builder, type, at, &index, 1, "");
}

static LLVMValueRef load_apart(struct widener *w, LLVMTypeRef type, LLVMValueRef at, unsigned align, int apart)
{
    LLVMValueRef all = LLVMGetPoison(LLVMVectorType(type, (unsigned)w->block.lanes));
    for (int lane = 0; lane < w->block.lanes; lane++) {
        LLVMValueRef one = LLVMBuildLoad2(w->builder, type, apart_place(w, type, at, lane, apart), "");
        LLVMSetAlignment(one, align);
        all = LLVMBuildInsertElement(w->builder, all, one, widen_i32(w, lane), "");
    }
    return all;
}

static void store_apart(struct widener *w, LLVMValueRef value, LLVMValueRef at, unsigned align, int apart)
{
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(value));
    if (w->mask)
        value = LLVMBuildSelect(w->builder, w->mask, value, load_apart(w, type, at, align, apart), "");
    for (int lane = 0; lane < w->block.lanes; lane++)
        LLVMSetAlignment(LLVMBuildStore(w->builder, widen_lane(w, value, lane), apart_place(w, type, at, lane, apart)),
                         align);
}

/* Stores a scalar for each lane where a guess was wrong. All lanes are on. */
static void store_each(struct widener *w, LLVMValueRef store, LLVMValueRef value, LLVMValueRef at)
{
    for (int lane = 0; lane < w->block.lanes; lane++) {
        LLVMValueRef one = LLVMBuildStore(w->builder, widen_lane(w, value, lane), widen_lane(w, at, lane));
        LLVMSetAlignment(one, LLVMGetAlignment(store));
        copy_tbaa(w, store, one);
    }
}

/* Whether an instruction writes only to the memory of the tile or the thread. */
static bool writes_local_only(const struct widener *w, LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMStore:
        return origin_is_local(w->kernel, LLVMGetOperand(instruction, 1));
    case LLVMAtomicRMW:
        return origin_is_local(w->kernel, LLVMGetOperand(instruction, 0));
    case LLVMCall:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
        return false;
    default:
        return true;
    }
}

/* Whether a value is used only by atomic operations on local memory, perhaps as part of an address, in its own node and
 * with no write to other memory in between. */
static bool serves_lanes(const struct widener *w, LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (map_get(w->node_of, user) != map_get(w->node_of, value))
            return false;
        bool address = LLVMIsAGetElementPtrInst(user) || LLVMIsACastInst(user);
        if (address ? !serves_lanes(w, user) : LLVMGetInstructionOpcode(user) != LLVMAtomicRMW)
            return false;
        for (LLVMValueRef i = value; i != user; i = LLVMGetNextInstruction(i))
            if (!writes_local_only(w, i))
                return false;
        if (!writes_local_only(w, user))
            return false;
    }
    return LLVMGetFirstUse(value) != NULL;
}

/* Whether a load from an array parameter, which is never local memory, may be done lane by lane, where
 * widen_value_of_lane needs the value. */
static bool is_loaded_by_lane(const struct widener *w, LLVMValueRef load)
{
    return LLVMIsALoadInst(load) && !w->mask && map_get(w->node_of, load) == w->node &&
           widen_way(w, load)->access == ACCESS_CONTIGUOUS &&
           origin_of(w->kernel, LLVMGetOperand(load, 0)).kinds == ORIGIN_ARRAY && serves_lanes(w, load);
}

static LLVMValueRef reverse(struct widener *w, LLVMValueRef vector)
{
    LLVMValueRef elements[64];
    for (int lane = 0; lane < w->block.lanes; lane++)
        elements[lane] = widen_i32(w, w->block.lanes - 1 - lane);
    return LLVMBuildShuffleVector(w->builder, vector, LLVMGetPoison(LLVMTypeOf(vector)),
                                  LLVMConstVector(elements, (unsigned)w->block.lanes), "");
}

/* Returns where a vector of `type` begins whose last element is at lane 0's address. */
static LLVMValueRef reversed_place(struct widener *w, LLVMTypeRef type, LLVMValueRef lane0)
{
    LLVMValueRef back =
        LLVMConstInt(LLVMInt64TypeInContext(w->context), (unsigned long long)(1 - w->block.lanes), true);
    return LLVMBuildGEP2(w->builder, type, lane0, &back, 1, "");
}

/* Asks the cache for what an access to `wide` at this address says comes next. */
static void request_next(struct widener *w, LLVMValueRef access, LLVMTypeRef wide, LLVMValueRef at)
{
    const struct way *way = widen_way(w, access);
    widen_request(w, way->is_soon ? FIRST_CACHE : SECOND_CACHE, at, way->next,
                  (long)LLVMABISizeOfType(w->layout, wide));
}

static LLVMValueRef load_elements(struct widener *w, LLVMValueRef load, struct shape shape, int row, int vector)
{
    LLVMValueRef address = LLVMGetOperand(load, 0), at, result;
    LLVMTypeRef type = LLVMTypeOf(load), wide = widen_type(w, type, shape);
    unsigned align = LLVMGetAlignment(load);
    enum access access = widen_way(w, load)->access;
    if (widen_way(w, load)->next)
        request_next(w, load, wide, widen_get(w, address, row, vector));
    if (access == ACCESS_LANE_BY_LANE)
        return widen_lane_by_lane(w, load, shape, true, row, vector);
    if (is_loaded_by_lane(w, load))
        return LLVMGetPoison(wide); /* widen_value_of_lane does it */
    if (access == ACCESS_UNIFORM || (access == ACCESS_CONTIGUOUS && !w->mask)) {
        result = row_loads_value(w, load);
        if (!result) {
            result = LLVMBuildLoad2(w->builder, access == ACCESS_UNIFORM ? type : wide,
                                    widen_get(w, address, row, vector), "");
            LLVMSetAlignment(result, align);
        }
        if (access == ACCESS_UNIFORM && shape.kind == SHAPE_VARYING)
            return widen_splat(w, result);
    } else if (access == ACCESS_STRIDED && !w->mask) {
        return strided_load(w, type, widen_get(w, address, row, vector), align, widen_way(w, load)->apart);
    } else if (access == ACCESS_APART && has_room(w, type, widen_way(w, load)->apart)) {
        return load_apart(w, type, begin_apart(w, address, row, vector), align, widen_way(w, load)->apart);
    } else if (!w->mask && widen_way(w, load)->by_scalars) {
        return load_apart(w, type, widen_get(w, address, row, vector), align, widen_way(w, load)->apart);
    } else if (w->mask && widen_way(w, load)->loads_all) {
        return widen_load_anywhere(w, load, row, vector);
    } else {
        bool contiguous = access == ACCESS_CONTIGUOUS, reversed = access == ACCESS_REVERSED;
        LLVMValueRef mask = widen_mask_or_all(w, w->mask);
        at = contiguous || reversed ? widen_get(w, address, row, vector) : widen_get_vector(w, address, row, vector);
        if (reversed) {
            at = reversed_place(w, type, at);
            mask = reverse(w, mask);
        }
        if (contiguous || reversed)
            result = widen_load_at(w, load, at, mask);
        else
            result = widen_gather(w, wide, at, align, mask);
        if (!LLVMIsAPHINode(result))
            copy_tbaa(w, load, result);
        return reversed ? reverse(w, result) : result;
    }
    copy_tbaa(w, load, result);
    return result;
}

LLVMValueRef widen_load(struct widener *w, LLVMValueRef load, struct shape shape, int row, int vector)
{
    if (strip_has(w, load)) {
        LLVMValueRef result = strip_load(w, load, row, vector);
        copy_tbaa(w, load, result);
        return result;
    }
    if (stage_has(w, load))
        return stage_read(w, load, row, vector);
    if (!panel_has(w, load))
        return load_elements(w, load, shape, row, vector);
    if (w->panel->part == PANEL_READS)
        return panel_read(w, load, vector);
    LLVMValueRef result = load_elements(w, load, shape, row, vector);
    if (w->panel->part == PANEL_FILLS)
        panel_write(w, load, result, vector);
    return result;
}

/* Returns the value of a lane that is on: all threads store to one place, and any of them may be the last. */
static LLVMValueRef last_lane(struct widener *w, LLVMValueRef vector)
{
    if (!w->mask)
        return widen_lane(w, vector, w->block.lanes - 1);
    LLVMTypeRef bits = LLVMIntTypeInContext(w->context, (unsigned)w->block.lanes);
    LLVMValueRef args[] = {LLVMBuildBitCast(w->builder, w->mask, bits, ""),
                           LLVMConstInt(LLVMInt1TypeInContext(w->context), 1, false)};
    LLVMValueRef zeros = widen_intrinsic(w, "llvm.ctlz", &bits, 1, args, 2);
    zeros = LLVMBuildIntCast2(w->builder, zeros, LLVMInt32TypeInContext(w->context), false, "");
    return LLVMBuildExtractElement(w->builder, vector,
                                   LLVMBuildSub(w->builder, widen_i32(w, w->block.lanes - 1), zeros, ""), "");
}

/* Stores neighbouring elements. */
static void store_vector(struct widener *w, LLVMValueRef store, LLVMValueRef wide, LLVMValueRef at, LLVMValueRef mask)
{
    unsigned align = LLVMGetAlignment(store);
    LLVMValueRef result;
    const struct way *way = widen_way(w, store);
    if (way->next)
        request_next(w, store, LLVMTypeOf(wide), at);
    bool can_blend = way->is_own ? is_own(w, store)
                     : way->owns ? !w->base_mask
                                 : has_room(w, LLVMTypeOf(LLVMGetOperand(store, 0)), 1);
    if (mask && way->blends && can_blend) {
        LLVMValueRef old = LLVMBuildLoad2(w->builder, LLVMTypeOf(wide), at, "");
        LLVMSetAlignment(old, align);
        LLVMValueRef others = way->hides ? hide_load(w, old) : old;
        result = LLVMBuildStore(w->builder, LLVMBuildSelect(w->builder, mask, wide, others, ""), at);
        LLVMSetAlignment(result, align);
        return; /* the other lanes' elements may have another type */
    }
    copy_tbaa(w, store, widen_store_vector(w, wide, at, align, mask));
}

LLVMValueRef widen_store_at(struct widener *w, LLVMValueRef store, LLVMValueRef place, int row, int vector)
{
    store_vector(w, store, widen_get_vector(w, LLVMGetOperand(store, 0), row, vector), place, w->mask);
    return NULL;
}

LLVMValueRef widen_store(struct widener *w, LLVMValueRef store, struct shape shape, int row, int vector)
{
    LLVMValueRef value = LLVMGetOperand(store, 0), address = LLVMGetOperand(store, 1), at, result;
    unsigned align = LLVMGetAlignment(store);
    (void)shape; /* the instruction has no value */
    enum access access = widen_way(w, store)->access;
    if (access == ACCESS_LANE_BY_LANE) {
        widen_lane_by_lane(w, store, (struct shape){.kind = w->block.lanes > 1 ? SHAPE_VARYING : SHAPE_UNIFORM}, true,
                           row, vector);
        return NULL;
    }
    if (access == ACCESS_UNIFORM) {
        LLVMValueRef one = shape_of(w->shapes, value).kind == SHAPE_UNIFORM
                               ? widen_get(w, value, row, vector)
                               : last_lane(w, widen_get_vector(w, value, row, vector));
        result = LLVMBuildStore(w->builder, one, widen_get(w, address, row, vector));
        LLVMSetAlignment(result, align);
        copy_tbaa(w, store, result);
        return NULL;
    }
    LLVMValueRef wide = widen_get_vector(w, value, row, vector);
    if (access == ACCESS_STRIDED && !w->mask) {
        strided_store(w, wide, widen_get(w, address, row, vector), align, widen_way(w, store)->apart);
        return NULL;
    }
    if (access == ACCESS_APART && has_room(w, LLVMTypeOf(value), widen_way(w, store)->apart)) {
        store_apart(w, wide, begin_apart(w, address, row, vector), align, widen_way(w, store)->apart);
        return NULL;
    }
    bool contiguous = access == ACCESS_CONTIGUOUS || access == ACCESS_REVERSED;
    LLVMValueRef mask = w->mask;
    if (!mask && widen_way(w, store)->by_scalars) {
        if (access == ACCESS_GUESS)
            store_each(w, store, wide, widen_get_vector(w, address, row, vector));
        else
            store_apart(w, wide, widen_get(w, address, row, vector), align, widen_way(w, store)->apart);
        return NULL;
    }
    at = contiguous ? widen_get(w, address, row, vector) : widen_get_vector(w, address, row, vector);
    if (access == ACCESS_REVERSED) {
        at = reversed_place(w, LLVMTypeOf(value), at);
        wide = reverse(w, wide);
        mask = mask ? reverse(w, mask) : NULL;
    }
    if (contiguous) {
        store_vector(w, store, wide, at, mask);
        return NULL;
    }
    result = masked_access(w, "llvm.masked.scatter", LLVMTypeOf(wide), wide, at, align, widen_mask_or_all(w, mask));
    copy_tbaa(w, store, result);
    return NULL;
}

/* ---- atomics ---- */

LLVMValueRef widen_value_of_lane(struct widener *w, LLVMValueRef value, int row, int vector, int lane)
{
    struct shape shape = shape_of(w->shapes, value);
    if (shape.kind == SHAPE_UNIFORM)
        return widen_get(w, value, row, vector);
    if (LLVMIsAInstruction(value) && map_get(w->node_of, value) == w->node) {
        int n = LLVMGetNumOperands(value);
        LLVMValueRef *operands = arena_alloc((size_t)(n + 1) * sizeof *operands);
        if (LLVMIsAGetElementPtrInst(value)) {
            for (int i = 0; i < n; i++)
                operands[i] = widen_value_of_lane(w, LLVMGetOperand(value, (unsigned)i), row, vector, lane);
            return LLVMBuildGEP2(w->builder, LLVMGetGEPSourceElementType(value), operands[0], operands + 1,
                                 (unsigned)n - 1, "");
        }
        if (is_loaded_by_lane(w, value)) {
            LLVMValueRef at = widen_get(w, LLVMGetOperand(value, 0), row, vector), index = widen_i32(w, lane);
            LLVMValueRef place = LLVMBuildGEP2(w->builder, LLVMTypeOf(value), at, &index, 1, "");
            LLVMValueRef one = LLVMBuildLoad2(w->builder, LLVMTypeOf(value), place, "");
            LLVMSetAlignment(one, LLVMGetAlignment(value));
            return one;
        }
        if (LLVMIsACastInst(value) && shape.kind == SHAPE_VARYING)
            return LLVMBuildCast(w->builder, LLVMGetInstructionOpcode(value),
                                 widen_value_of_lane(w, LLVMGetOperand(value, 0), row, vector, lane), LLVMTypeOf(value),
                                 "");
    }
    return widen_lane(w, widen_get_vector(w, value, row, vector), lane);
}

struct local_atomic {
    LLVMValueRef instruction;
    int row, vector;
};

static LLVMValueRef local_atomic_for_lane(struct widener *w, void *user, int lane)
{
    const struct local_atomic *job = user;
    LLVMValueRef address = widen_value_of_lane(w, LLVMGetOperand(job->instruction, 0), job->row, job->vector, lane);
    LLVMValueRef value = widen_value_of_lane(w, LLVMGetOperand(job->instruction, 1), job->row, job->vector, lane);
    LLVMValueRef old = LLVMBuildLoad2(w->builder, LLVMTypeOf(value), address, "");
    LLVMBuildStore(w->builder, ir_combine(w->builder, LLVMGetAtomicRMWBinOp(job->instruction), old, value), address);
    return old;
}

LLVMValueRef widen_atomic(struct widener *w, LLVMValueRef atomic, struct shape shape, int row, int vector)
{
    LLVMValueRef address = LLVMGetOperand(atomic, 0), value = LLVMGetOperand(atomic, 1);
    if (origin_is_local(w->kernel, address)) {
        struct local_atomic job = {atomic, row, vector};
        for (unsigned o = 0; o < 2; o++) /* so that its parts are read here and not under a lane's condition */
            widen_value_of_lane(w, LLVMGetOperand(atomic, o), row, vector, 0);
        if (w->block.lanes == 1)
            return local_atomic_for_lane(w, &job, 0);
        return widen_for_each_lane(w, widen_vector_type(w, LLVMTypeOf(value)), true, local_atomic_for_lane, &job);
    }
    enum work work = widen_way(w, atomic)->work;
    if (work != WORK_SUM && (w->block.lanes == 1 || work == WORK_LANE_BY_LANE))
        return widen_lane_by_lane(w, atomic, shape, true, row, vector);
    sums_add(w, atomic, row, vector);
    return LLVMGetPoison(widen_type(w, LLVMTypeOf(atomic), shape));
}

LLVMValueRef widen_exchange(struct widener *w, LLVMValueRef i, struct shape shape, int row, int vector)
{
    return widen_lane_by_lane(w, i, shape, true, row, vector);
}
