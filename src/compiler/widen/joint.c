/* SPDX-License-Identifier: MIT
 *
 * Makes the code for accesses to neighbouring members that are done together (kernel/members.h). Where the members of
 * all lanes lie close together, all of them are one long vector and a shuffle for each member. Where structs are large,
 * or lie at unrelated places, each lane's members are a vector of up to 16 bytes, and these are transposed: for four
 * floats, and the lanes i and i + 4 in the halves of a register,
 *
 *     x0 y0 z0 w0 | x4 y4 z4 w4            x0 x1 x2 x3 | x4 x5 x6 x7
 *     x1 y1 z1 w1 | x5 y5 z5 w5            y0 y1 y2 y3 | y4 y5 y6 y7
 *     x2 y2 z2 w2 | x6 y6 z6 w6            z0 z1 z2 z3 | z4 z5 z6 z7
 *     x3 y3 z3 w3 | x7 y7 z7 w7            w0 w1 w2 w3 | w4 w5 w6 w7
 *
 * which takes 16 instructions, where gathers would be 32 loads and as many insertions. What fits into a word is loaded
 * and stored as such. */
#include "kernel/ir.h"
#include "kernel/origin.h"
#include "widen/parts.h"

#include <stdlib.h>

const struct members *widen_members(const struct widener *w, LLVMValueRef access)
{
    if (!LLVMIsALoadInst(access) && !LLVMIsAStoreInst(access))
        return NULL;
    const struct way *way = widen_way(w, access);
    return !w->panel && !w->stage && (!w->mask || way->can_skip) ? way->members : NULL;
}

/* Returns at which place the access is where all are done. */
static int place_of_at(const struct members *members)
{
    int k = 0;
    while (members->accesses[k] != members->at)
        k++;
    return members->places[k];
}

/* Returns the elements of two vectors one after the other. */
static LLVMValueRef join(const struct widener *w, LLVMValueRef left, LLVMValueRef right)
{
    LLVMValueRef from[MAX_MEMBERS * 64];
    unsigned n = 2 * LLVMGetVectorSize(LLVMTypeOf(left));
    for (unsigned i = 0; i < n; i++)
        from[i] = widen_i32(w, i);
    return LLVMBuildShuffleVector(w->builder, left, right, LLVMConstVector(from, n), "");
}

static LLVMTypeRef integers(const struct widener *w, int bytes, int n)
{
    return LLVMVectorType(LLVMIntTypeInContext(w->context, (unsigned)bytes * 8), (unsigned)n);
}

/* Returns what a member stores, as integers; poison if there are fewer members. */
static LLVMValueRef value_of(struct widener *w, const struct members *members, int k, int row, int vector)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(members->accesses[0], 0));
    type = integers(w, (int)LLVMStoreSizeOfType(w->layout, type), w->block.lanes);
    return k < members->n
               ? LLVMBuildBitCast(w->builder, widen_get_vector(w, LLVMGetOperand(members->accesses[k], 0), row, vector),
                                  type, "")
               : LLVMGetPoison(type);
}

/* Returns each lane's element at a place, of `apart` elements that each lane has in a vector. */
static LLVMValueRef take(const struct widener *w, LLVMValueRef all, int apart, int place)
{
    LLVMValueRef from[64];
    for (int lane = 0; lane < w->block.lanes; lane++)
        from[lane] = widen_i32(w, lane * apart + place);
    return LLVMBuildShuffleVector(w->builder, all, LLVMGetPoison(LLVMTypeOf(all)),
                                  LLVMConstVector(from, (unsigned)w->block.lanes), "");
}

/* Returns a vector of what the members store, as integers, where each lane has `apart` elements. */
static LLVMValueRef merge(struct widener *w, const struct members *members, int apart, int row, int vector)
{
    int lanes = w->block.lanes;
    LLVMValueRef values[MAX_MEMBERS], from[MAX_MEMBERS * 64], left, right;
    for (int k = 0; k < MAX_MEMBERS; k++)
        values[k] = value_of(w, members, k, row, vector);
    left = members->n > 2 ? join(w, values[0], values[1]) : values[0];
    right = members->n > 2 ? join(w, values[2], values[3]) : values[1];
    for (int i = 0; i < lanes * apart; i++)
        from[i] = LLVMGetPoison(LLVMInt32TypeInContext(w->context));
    for (int k = 0; k < members->n; k++)
        for (int lane = 0; lane < lanes; lane++)
            from[lane * apart + members->places[k]] = widen_i32(w, k * lanes + lane);
    return LLVMBuildShuffleVector(w->builder, left, right, LLVMConstVector(from, (unsigned)(lanes * apart)), "");
}

/* ---- members that lie close together ---- */

/* What the accesses of members have in common. */
struct joint {
    int n, apart;     /* elements in all, and of a lane */
    LLVMTypeRef wide; /* a vector of all, as integers, because only bits are moved, */
    LLVMValueRef at;  /* where it begins, */
    unsigned align;
    LLVMValueRef mask; /* and its elements that are meant; NULL: all */
};

/* Returns the elements of all lanes that are members and belong to lanes that are on; NULL if all are. */
static LLVMValueRef mask_of_members(struct widener *w, const struct members *members, int apart)
{
    LLVMValueRef bits[64], lanes[64];
    int n = w->block.lanes * apart;
    LLVMTypeRef i1 = LLVMInt1TypeInContext(w->context);
    for (int i = 0; i < n; i++) {
        bits[i] = LLVMConstInt(i1, 0, false);
        lanes[i] = widen_i32(w, i / apart);
    }
    for (int i = 0; i < n; i += apart)
        for (int k = 0; k < members->n; k++)
            bits[i + members->places[k]] = LLVMConstInt(i1, 1, false);
    LLVMValueRef meant = LLVMConstVector(bits, (unsigned)n);
    if (!w->mask)
        return members->n < apart ? meant : NULL;
    LLVMValueRef on = LLVMBuildShuffleVector(w->builder, w->mask, LLVMGetPoison(LLVMTypeOf(w->mask)),
                                             LLVMConstVector(lanes, (unsigned)n), "");
    return LLVMBuildAnd(w->builder, on, meant, "");
}

static struct joint begin_joint(struct widener *w, const struct members *members, int row, int vector)
{
    unsigned operand;
    LLVMTypeRef type = ir_accessed_type(members->at, &operand), i64 = LLVMInt64TypeInContext(w->context);
    struct joint j = {.apart = widen_way(w, members->at)->apart, .align = LLVMGetAlignment(members->accesses[0])};
    long size = (long)LLVMStoreSizeOfType(w->layout, type);
    j.n = w->block.lanes * j.apart;
    j.wide = LLVMVectorType(LLVMIntTypeInContext(w->context, (unsigned)size * 8), (unsigned)j.n);
    LLVMValueRef back = LLVMConstInt(i64, (unsigned long long)(-place_of_at(members) * size), true);
    j.at = LLVMBuildGEP2(w->builder, LLVMInt8TypeInContext(w->context),
                         widen_get(w, LLVMGetOperand(members->at, operand), row, vector), &back, 1, "");
    j.mask = mask_of_members(w, members, j.apart);
    return j;
}

static void load_from_whole(struct widener *w, const struct members *members, int row, int vector,
                            LLVMValueRef values[MAX_MEMBERS])
{
    struct joint j = begin_joint(w, members, row, vector);
    LLVMValueRef all = widen_vector_at(w, j.wide, j.at, j.align, j.mask);
    for (int k = 0; k < members->n; k++) {
        values[k] = take(w, all, j.apart, members->places[k]);
        values[k] = LLVMBuildBitCast(w->builder, values[k], widen_vector_type(w, LLVMTypeOf(members->accesses[k])), "");
    }
}

static void store_in_whole(struct widener *w, const struct members *members, int row, int vector)
{
    struct joint j = begin_joint(w, members, row, vector);
    widen_store_vector(w, merge(w, members, j.apart, row, vector), j.at, j.align, j.mask);
}

/* ---- members of large structs, or at unrelated places ---- */

/* What each lane has. */
struct pieces {
    int size, elements; /* bytes of an element; elements from the first member to the last one */
    unsigned align;
    bool is_gathered;        /* words that a gather loads from */
    LLVMValueRef all;        /* these places; otherwise */
    LLVMValueRef places[64]; /* by the lane: where the first member is, */
    bool may_read_more[64];  /* and whether what follows, up to PIECE_BYTES bytes, belongs to it or to the next lane */
};

/* Returns memory that can be read for lanes that are off. */
static LLVMValueRef nowhere(const struct widener *w)
{
    static const char name[] = "amp.nowhere";
    LLVMValueRef memory = LLVMGetNamedGlobal(w->module, name);
    if (memory)
        return memory;
    LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(w->context), PIECE_BYTES);
    memory = LLVMAddGlobal(w->module, type, name);
    LLVMSetInitializer(memory, LLVMConstNull(type));
    LLVMSetGlobalConstant(memory, true);
    LLVMSetLinkage(memory, LLVMPrivateLinkage);
    LLVMSetAlignment(memory, PIECE_BYTES);
    return memory;
}

static LLVMValueRef step_by(const struct widener *w, LLVMValueRef address, long bytes)
{
    LLVMValueRef by = LLVMConstInt(LLVMInt64TypeInContext(w->context), (unsigned long long)bytes, true);
    return bytes ? LLVMBuildGEP2(w->builder, LLVMInt8TypeInContext(w->context), address, &by, 1, "") : address;
}

/* Returns addresses that all lanes can read from. Mostly all lanes are on, which a branch foresees. */
static LLVMValueRef without_lanes_off(struct widener *w, LLVMValueRef addresses)
{
    LLVMBuilderRef b = w->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), some = widen_block_here(w, "some"),
                      done = widen_block_here(w, "some.done");
    LLVMBuildCondBr(b, widen_all(w, w->mask), done, some);
    LLVMPositionBuilderAtEnd(b, some);
    LLVMValueRef on = LLVMBuildSelect(b, w->mask, addresses, widen_splat(w, nowhere(w)), "");
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
    LLVMValueRef result = LLVMBuildPhi(b, LLVMTypeOf(addresses), "");
    LLVMAddIncoming(result, (LLVMValueRef[]){addresses, on}, (LLVMBasicBlockRef[]){before, some}, 2);
    return result;
}

/* Whether neighbouring lanes have neighbouring elements of an array, which have room for a piece. */
static bool are_neighbours(const struct widener *w, LLVMValueRef address)
{
    const struct param *param = origin_of(w->kernel, address).param;
    struct shape shape = shape_of(w->shapes, address);
    return param && param->element_size >= PIECE_BYTES && shape.kind == SHAPE_LINEAR &&
           labs(shape.stride) == param->element_size;
}

/* Finds where each lane's elements are, which begin `back` bytes before the address of an access. */
static void find_places(struct widener *w, LLVMValueRef address, long back, int row, int vector, struct pieces *p)
{
    struct shape shape = shape_of(w->shapes, address);
    bool is_linear = shape.kind == SHAPE_LINEAR && !w->mask;
    bool reads_more = !w->mask && are_neighbours(w, address);
    int lanes = w->block.lanes, last = shape.stride > 0 ? lanes - 1 : 0;
    LLVMValueRef all = NULL;
    p->is_gathered &= !is_linear;
    if (w->mask || p->is_gathered)
        all = p->all = step_by(w, widen_get_vector(w, address, row, vector), -back);
    if (p->is_gathered)
        return;
    if (w->mask)
        all = without_lanes_off(w, all);
    for (int lane = 0; lane < lanes; lane++) {
        p->places[lane] = w->mask     ? widen_lane(w, all, lane)
                          : is_linear ? step_by(w, widen_get(w, address, row, vector), lane * shape.stride - back)
                                      : step_by(w, widen_value_of_lane(w, address, row, vector, lane), -back);
        p->may_read_more[lane] = reads_more && lane != last;
    }
}

static struct pieces find_pieces(struct widener *w, const struct members *members, int row, int vector)
{
    unsigned operand;
    LLVMTypeRef type = ir_accessed_type(members->at, &operand);
    struct pieces p = {.size = (int)LLVMStoreSizeOfType(w->layout, type),
                       .elements = members->places[members->n - 1] + 1,
                       .align = LLVMGetAlignment(members->accesses[0])};
    p.is_gathered = p.size * p.elements <= WORD_BYTES && widen_way(w, members->at)->gathers_words;
    find_places(w, LLVMGetOperand(members->at, operand), (long)place_of_at(members) * p.size, row, vector, &p);
    return p;
}

static unsigned align_of_one(const struct pieces *p)
{
    return p->align < (unsigned)p->size ? p->align : (unsigned)p->size;
}

/* Returns the members of a lane. There are not 16 bytes of three, but of two and one. */
static LLVMValueRef load_piece(struct widener *w, const struct pieces *p, int lane)
{
    int n = PIECE_BYTES / p->size;
    LLVMValueRef at = p->places[lane];
    if (p->elements == n || p->may_read_more[lane])
        return widen_vector_at(w, integers(w, p->size, n), at, p->align, NULL);
    LLVMTypeRef type = LLVMIntTypeInContext(w->context, (unsigned)p->size * 8);
    LLVMValueRef two = widen_vector_at(w, LLVMVectorType(type, 2), at, p->align, NULL);
    LLVMValueRef one = widen_vector_at(w, type, step_by(w, at, 2L * p->size), align_of_one(p), NULL);
    return LLVMBuildInsertElement(w->builder, ir_lanes(w->builder, two, 0, 2, (unsigned)n), one, widen_i32(w, 2), "");
}

static void store_piece(struct widener *w, const struct pieces *p, int lane, LLVMValueRef piece)
{
    LLVMValueRef at = p->places[lane];
    if (p->elements == PIECE_BYTES / p->size) {
        widen_store_vector(w, piece, at, p->align, NULL);
        return;
    }
    widen_store_vector(w, ir_lanes(w->builder, piece, 0, 2, 2), at, p->align, NULL);
    widen_store_vector(w, widen_lane(w, piece, 2), step_by(w, at, 2L * p->size), align_of_one(p), NULL);
}

/* Returns a vector of the same elements of each group of `n` of two vectors: `from` counts those of the first one and
 * then those of the second one. */
static LLVMValueRef pick(const struct widener *w, LLVMValueRef a, LLVMValueRef b, int n, const int from[4])
{
    LLVMValueRef elements[64];
    int lanes = w->block.lanes;
    for (int i = 0; i < lanes; i++) {
        int at = from[i % n];
        elements[i] = widen_i32(w, i / n * n + (at < n ? at : lanes + at - n));
    }
    return LLVMBuildShuffleVector(w->builder, a, b, LLVMConstVector(elements, (unsigned)lanes), "");
}

/* Transposes the `n` x `n` elements of each group of `n` in `n` vectors, where `n` is 2 or 4. */
static void transpose(const struct widener *w, LLVMValueRef v[4], int n)
{
    static const int low2[] = {0, 2}, high2[] = {1, 3};
    static const int low[] = {0, 4, 1, 5}, high[] = {2, 6, 3, 7}, left[] = {0, 1, 4, 5}, right[] = {2, 3, 6, 7};
    if (n == 2) {
        LLVMValueRef first = pick(w, v[0], v[1], n, low2);
        v[1] = pick(w, v[0], v[1], n, high2);
        v[0] = first;
        return;
    }
    LLVMValueRef low01 = pick(w, v[0], v[1], n, low), high01 = pick(w, v[0], v[1], n, high);
    LLVMValueRef low23 = pick(w, v[2], v[3], n, low), high23 = pick(w, v[2], v[3], n, high);
    v[0] = pick(w, low01, low23, n, left);
    v[1] = pick(w, low01, low23, n, right);
    v[2] = pick(w, high01, high23, n, left);
    v[3] = pick(w, high01, high23, n, right);
}

/* Loads a vector for each of `n` lanes in a group: those of the same place in all groups lie in one register. */
static void load_pieces(struct widener *w, const struct pieces *p, LLVMValueRef v[4])
{
    int n = PIECE_BYTES / p->size;
    for (int k = 0; k < n; k++) {
        LLVMValueRef parts[64];
        int n_parts = 0;
        for (int lane = k; lane < w->block.lanes; lane += n)
            parts[n_parts++] = load_piece(w, p, lane);
        for (; n_parts > 1; n_parts /= 2)
            for (int i = 0; i < n_parts / 2; i++)
                parts[i] = join(w, parts[2 * i], parts[2 * i + 1]);
        v[k] = parts[0];
    }
    transpose(w, v, n);
}

/* Loads an element of a vector type for each lane. */
static LLVMValueRef load_words(struct widener *w, const struct pieces *p, LLVMTypeRef type)
{
    LLVMValueRef all = LLVMGetPoison(type);
    for (int lane = 0; lane < w->block.lanes; lane++) {
        LLVMValueRef word = widen_vector_at(w, LLVMGetElementType(type), p->places[lane], p->align, NULL);
        all = LLVMBuildInsertElement(w->builder, all, word, widen_i32(w, lane), "");
    }
    return all;
}

static void load_from_pieces(struct widener *w, const struct members *members, int row, int vector,
                             LLVMValueRef values[MAX_MEMBERS])
{
    struct pieces p = find_pieces(w, members, row, vector);
    LLVMValueRef v[MAX_MEMBERS], all = NULL;
    if (p.size * p.elements > WORD_BYTES) {
        load_pieces(w, &p, v);
    } else {
        LLVMTypeRef words = integers(w, p.size * p.elements, w->block.lanes);
        all = p.is_gathered ? widen_gather(w, words, p.all, p.align, w->mask) : load_words(w, &p, words);
        all = LLVMBuildBitCast(w->builder, all, integers(w, p.size, p.elements * w->block.lanes), "");
    }
    for (int k = 0; k < members->n; k++) {
        LLVMValueRef value = all ? take(w, all, p.elements, members->places[k]) : v[members->places[k]];
        values[k] = LLVMBuildBitCast(w->builder, value, widen_vector_type(w, LLVMTypeOf(members->accesses[k])), "");
    }
}

/* Stores members without gaps. */
static void store_in_pieces(struct widener *w, const struct members *members, int row, int vector)
{
    struct pieces p = find_pieces(w, members, row, vector);
    int lanes = w->block.lanes, n = PIECE_BYTES / p.size;
    if (p.size * p.elements > WORD_BYTES) {
        LLVMValueRef v[MAX_MEMBERS];
        for (int k = 0; k < MAX_MEMBERS; k++)
            v[k] = value_of(w, members, k, row, vector);
        transpose(w, v, n);
        for (int lane = 0; lane < lanes; lane++)
            store_piece(w, &p, lane,
                        ir_lanes(w->builder, v[lane % n], (unsigned)(lane / n * n), (unsigned)n, (unsigned)n));
        return;
    }
    LLVMValueRef words = merge(w, members, p.elements, row, vector);
    words = LLVMBuildBitCast(w->builder, words, integers(w, p.size * p.elements, lanes), "");
    for (int lane = 0; lane < lanes; lane++)
        widen_store_vector(w, widen_lane(w, words, lane), p.places[lane], p.align, NULL);
}

LLVMValueRef widen_load_anywhere(struct widener *w, LLVMValueRef load, int row, int vector)
{
    struct pieces p = {.align = LLVMGetAlignment(load)};
    find_places(w, LLVMGetOperand(load, 0), 0, row, vector, &p);
    return load_words(w, &p, widen_vector_type(w, LLVMTypeOf(load)));
}

/* ---- both ---- */

/* Whether the members of all lanes lie close together. */
static bool are_close(const struct widener *w, const struct members *members)
{
    return widen_way(w, members->at)->access == ACCESS_STRIDED;
}

void widen_load_members(struct widener *w, const struct members *members, int row, int vector,
                        LLVMValueRef values[MAX_MEMBERS])
{
    (are_close(w, members) ? load_from_whole : load_from_pieces)(w, members, row, vector, values);
}

void widen_store_members(struct widener *w, const struct members *members, int row, int vector)
{
    (are_close(w, members) ? store_in_whole : store_in_pieces)(w, members, row, vector);
}
