/* SPDX-License-Identifier: MIT
 *
 * Makes the code for loads of stretches (kernel/stretch.h), each of which a gather in every iteration would take apart.
 * One iteration loads the elements that its lanes read in the next ones, too, as vectors of a lane's elements, and
 * stores them transposed, as vectors of an element for each lane:
 *
 *     if (used == N)    n = the smaller of N and the number of iterations that certainly follow, with this one;
 *                       ahead[N - n ... N - 1] = transposed vectors;  used = N - n;
 *     value = ahead[used++]
 *
 * Where control enters the loop, `used` becomes N. For the last iterations, of which there are fewer than N, loads are
 * masked. Where the target has no such loads, these iterations gather.
 *
 * If a loop is one node and short, and N a multiple of the number of lanes, it is unrolled N times for where as many
 * iterations certainly follow, and what they load, a vector of each lane at a time, stays in registers. That takes half
 * the instructions, so a processor comes to further loads while it waits for memory.
 *
 * Nothing is loaded that the thread would not load itself. A lane that is off loads what one that is on does.
 *
 * Each lane goes along a row of its own. If those are more than processors notice by themselves, one lane after the
 * other asks the cache for a piece of its row that it will need soon, of as many stretches as there are lanes:
 * memory is fastest along a row. Such a request is never an error. */
#include "widen/parts.h"

/* What is known about one load. */
struct ahead {
    struct widener *w;
    LLVMValueRef load;
    const struct way *way;
    int size;                       /* of an element, in bytes */
    int parts;                      /* the vectors of `way->at_once` lanes that an instance has */
    LLVMTypeRef piece;              /* such a vector; of integers, because only bits are moved */
    LLVMValueRef used, memory, all; /* `all`: where the addresses of all lanes are */
};

static struct ahead ahead_of(struct widener *w, LLVMValueRef load)
{
    const struct way *way = widen_way(w, load);
    const struct slot *slot = &w->slots[widen_number(w, load)];
    struct ahead a = {
        .w = w, .load = load, .way = way, .used = slot->used, .memory = slot->ahead, .all = slot->addresses};
    a.size = (int)LLVMStoreSizeOfType(w->layout, LLVMTypeOf(load));
    a.parts = w->block.lanes / way->at_once;
    a.piece = LLVMVectorType(LLVMIntTypeInContext(w->context, (unsigned)a.size * 8), (unsigned)way->at_once);
    return a;
}

static int n_instances(const struct ahead *a)
{
    return a->w->block.rows * a->w->block.vectors;
}

void widen_begin_stretches(struct widener *w, LLVMValueRef load)
{
    enum { LINE = 64 };
    struct ahead a = ahead_of(w, load);
    struct slot *slot = &w->slots[widen_number(w, load)];
    int n = n_instances(&a) * a.way->length * a.parts;
    slot->used = widen_slot(w, LLVMInt32TypeInContext(w->context), "used");
    slot->ahead = widen_slot(w, LLVMArrayType2(a.piece, (unsigned long long)n), "ahead");
    LLVMSetAlignment(slot->ahead, LINE);
    LLVMTypeRef address = LLVMTypeOf(LLVMGetOperand(load, 0));
    slot->addresses =
        widen_slot(w, LLVMArrayType2(address, (unsigned long long)(n_instances(&a) * w->block.lanes)), "addresses");
    LLVMSetAlignment(slot->addresses, LINE);
}

LLVMValueRef widen_stretch_slot(const struct widener *w, LLVMValueRef load)
{
    return w->slots[widen_number(w, load)].used;
}

LLVMValueRef widen_stretch_empty(const struct widener *w, LLVMValueRef load)
{
    return widen_i32(w, widen_way(w, load)->length);
}

/* ---- transposition ---- */

/* Returns a shuffle of two vectors that takes their units of `unit` elements with these numbers: the first vector's
 * come first. */
static LLVMValueRef take(const struct ahead *a, LLVMValueRef left, LLVMValueRef right, int unit, const int *units)
{
    LLVMValueRef from[64];
    int n = a->way->at_once;
    for (int i = 0; i < n; i++)
        from[i] = widen_i32(a->w, units[i / unit] * unit + i % unit);
    return LLVMBuildShuffleVector(a->w->builder, left, right, LLVMConstVector(from, (unsigned)n), "");
}

/* Transposes the elements of `n` vectors within units of `n` elements: vector i then has those with number i in each
 * unit. */
static void transpose_in_units(const struct ahead *a, LLVMValueRef *vectors, int n)
{
    LLVMValueRef from[64];
    int all = a->way->at_once, low[64], high[64];
    for (int i = 0; i < all; i++) {
        int element = i / n * n + i % n / 2 + (i % 2) * all;
        low[i] = element;
        high[i] = element + n / 2;
    }
    for (int done = 1; done < n; done *= 2) {
        for (int i = 0; i < n; i++)
            from[i] = vectors[i];
        for (int i = 0; i < n / 2; i++) {
            vectors[2 * i] = take(a, from[i], from[i + n / 2], 1, low);
            vectors[2 * i + 1] = take(a, from[i], from[i + n / 2], 1, high);
        }
    }
}

/* Transposes `n` vectors of `n` units: vector i then has the units with number i. `apart` is the distance between the
 * vectors. */
static void transpose_units(const struct ahead *a, LLVMValueRef *vectors, int n, int apart)
{
    LLVMValueRef from[64];
    int even[64], odd[64];
    for (int i = 0; i < n; i++) {
        even[i] = 2 * i;
        odd[i] = 2 * i + 1;
    }
    for (int done = 1; done < n; done *= 2) {
        for (int i = 0; i < n; i++)
            from[i] = vectors[i * apart];
        for (int i = 0; i < n / 2; i++) {
            vectors[i * apart] = take(a, from[2 * i], from[2 * i + 1], apart, even);
            vectors[(i + n / 2) * apart] = take(a, from[2 * i], from[2 * i + 1], apart, odd);
        }
    }
}

/* Transposes as many vectors as each has elements. Processors shuffle faster within 16 bytes than across, so the
 * elements are transposed within units of 16 bytes first, and then these units. */
static void transpose(const struct ahead *a, LLVMValueRef *vectors)
{
    enum { UNIT_BYTES = 16 };
    int all = a->way->at_once, unit = UNIT_BYTES / a->size < all ? UNIT_BYTES / a->size : all;
    for (int i = 0; i < all; i += unit)
        transpose_in_units(a, vectors + i, unit);
    for (int i = 0; i < unit; i++)
        transpose_units(a, vectors + i, all / unit, unit);
}

/* ---- loading ahead ---- */

static LLVMValueRef byte_offset(const struct ahead *a, LLVMValueRef address, long bytes)
{
    LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(a->w->context), (unsigned long long)bytes, true);
    return LLVMBuildGEP2(a->w->builder, LLVMInt8TypeInContext(a->w->context), address, &offset, 1, "");
}

/* Returns where the piece of an instance for its lanes of `part` in the iteration with this number is kept. */
static LLVMValueRef place_ahead(const struct ahead *a, int instance, int part, LLVMValueRef iteration)
{
    LLVMBuilderRef b = a->w->builder;
    LLVMValueRef at = LLVMBuildMul(b, iteration, widen_i32(a->w, a->parts), "");
    at = LLVMBuildAdd(b, at, widen_i32(a->w, instance * a->way->length * a->parts + part), "");
    return LLVMBuildInBoundsGEP2(b, a->piece, a->memory, &at, 1, "");
}

/* Returns the vector 0, 1, 2, ... of `at_once` numbers, or backwards, plus `first`. */
static LLVMValueRef iterations(const struct ahead *a, int first)
{
    LLVMValueRef numbers[64];
    int n = a->way->at_once;
    for (int i = 0; i < n; i++)
        numbers[i] = widen_i32(a->w, first + (a->way->stretch->is_backwards ? n - 1 - i : i));
    return LLVMConstVector(numbers, (unsigned)n);
}

/* Returns the mask of the elements from iteration `first` on that are needed; NULL: all are. */
static LLVMValueRef needed_elements(const struct ahead *a, LLVMValueRef skipped, int first)
{
    if (!skipped)
        return NULL;
    LLVMBuilderRef b = a->w->builder;
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(skipped), (unsigned)a->way->at_once);
    LLVMValueRef all = LLVMBuildInsertElement(b, LLVMGetPoison(type), skipped, widen_i32(a->w, 0), "");
    all = LLVMBuildShuffleVector(b, all, LLVMGetPoison(type), LLVMConstNull(type), "");
    return LLVMBuildICmp(b, LLVMIntUGE, iterations(a, first), all, "");
}

/* Loads `at_once` elements of as many lanes, beginning with iteration `first`, transposed: a vector for each
 * iteration, or the last one's first. `lanes`: the lanes' addresses. */
static void load_square(const struct ahead *a, const LLVMValueRef *lanes, LLVMValueRef skipped, int first,
                        LLVMValueRef *vectors)
{
    LLVMValueRef mask = needed_elements(a, skipped, first);
    int n = a->way->at_once;
    bool is_backwards = a->way->stretch->is_backwards;
    long offset = (long)(is_backwards ? 1 - first - n : first) * a->size;
    unsigned align = LLVMGetAlignment(a->load) < (unsigned)a->size ? LLVMGetAlignment(a->load) : (unsigned)a->size;
    for (int i = 0; i < n; i++) {
        LLVMValueRef address = byte_offset(a, lanes[i], offset);
        vectors[i] = widen_vector_at(a->w, a->piece, address, align, mask);
    }
    transpose(a, vectors);
}

/* Which vector of a square an iteration uses. */
static int place_in_square(const struct ahead *a, int iteration)
{
    return a->way->stretch->is_backwards ? a->way->at_once - 1 - iteration : iteration;
}

static void keep_square(const struct ahead *a, const LLVMValueRef *vectors, int instance, int part, int first)
{
    for (int i = 0; i < a->way->at_once; i++)
        LLVMBuildStore(a->w->builder, vectors[place_in_square(a, i)],
                       place_ahead(a, instance, part, widen_i32(a->w, first + i)));
}

LLVMValueRef widen_iterations_after(struct widener *w, const struct stretch *s)
{
    return widen_iterations_from(w, s, widen_get(w, s->counter, 0, 0), widen_get(w, s->bound, 0, 0));
}

/* Returns a number of the type, for vectors one in each element. */
static LLVMValueRef number_of(struct widener *w, LLVMTypeRef type, long number)
{
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    LLVMValueRef one = LLVMConstInt(is_vector ? LLVMGetElementType(type) : type, (unsigned long long)number, true);
    return is_vector ? widen_splat(w, one) : one;
}

LLVMValueRef widen_iterations_from(struct widener *w, const struct stretch *s, LLVMValueRef counter, LLVMValueRef bound)
{
    LLVMBuilderRef b = w->builder;
    LLVMTypeRef type = LLVMTypeOf(bound);
    counter = LLVMBuildIntCast2(b, counter, type, false, "");
    bool is_up = s->step > 0, includes_bound = false;
    LLVMValueRef left = is_up ? LLVMBuildSub(b, bound, counter, "") : LLVMBuildSub(b, counter, bound, "");
    LLVMValueRef one = number_of(w, type, 1), zero = LLVMConstNull(type);
    switch (s->predicate) {
    case LLVMIntNE: /* whatever wraps, the counter comes to the bound after `left` steps; it may be there already */
        return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, left, zero, ""), zero, LLVMBuildSub(b, left, one, ""),
                               "");
    case LLVMIntSLE:
    case LLVMIntULE:
    case LLVMIntSGE:
    case LLVMIntUGE:
        includes_bound = true;
        break;
    default:
        break;
    }
    LLVMValueRef step = number_of(w, type, is_up ? s->step : -s->step);
    LLVMValueRef steps = LLVMBuildUDiv(b, includes_bound ? left : LLVMBuildSub(b, left, one, ""), step, "");
    LLVMValueRef is_before = LLVMBuildICmp(b, s->predicate, counter, bound, "");
    return LLVMBuildSelect(b, is_before, steps, zero, "");
}

/* Returns an i1: whether that many iterations certainly follow. */
static LLVMValueRef follow(const struct ahead *a, LLVMValueRef after, int n)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(a->w->context); /* in which `n` fits */
    after = LLVMBuildIntCast2(a->w->builder, after, i64, false, "");
    return LLVMBuildICmp(a->w->builder, LLVMIntUGE, after, LLVMConstInt(i64, (unsigned long long)n, false), "");
}

/* Returns how many of the elements that fit are not needed, because fewer iterations follow. */
static LLVMValueRef count_skipped(const struct ahead *a, LLVMValueRef after)
{
    LLVMBuilderRef b = a->w->builder;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(a->w->context);
    int most = a->way->length - 1;
    LLVMValueRef is_full = follow(a, after, most);
    LLVMValueRef few = LLVMBuildIntCast2(b, after, i32, false, "");
    return LLVMBuildSelect(b, is_full, widen_i32(a->w, 0), LLVMBuildSub(b, widen_i32(a->w, most), few, ""), "");
}

/* Reads the addresses of all instances, so that they are not read under a condition. */
static void read_addresses(const struct ahead *a, struct shape shape, LLVMValueRef *addresses)
{
    struct widener *w = a->w;
    for (int row = 0; row < widen_rows(w, shape); row++)
        for (int vector = 0; vector < widen_vectors(w, shape); vector++) {
            LLVMValueRef at = widen_get_vector(w, LLVMGetOperand(a->load, 0), row, vector);
            if (w->mask)
                at = LLVMBuildSelect(w->builder, w->mask, at, widen_splat(w, widen_first_lane(w, at)), "");
            addresses[widen_instance(w, row, vector)] = at;
        }
}

/* Loads the elements of this iteration and the next ones; without the first `skipped` of them, if it is not NULL: then
 * this iteration's comes after those. */
static void load_ahead(const struct ahead *a, struct shape shape, const LLVMValueRef *addresses, LLVMValueRef skipped)
{
    struct widener *w = a->w;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(w->context);
    long back = a->way->stretch->is_backwards ? a->size : -a->size;
    for (int row = 0; row < widen_rows(w, shape); row++)
        for (int vector = 0; vector < widen_vectors(w, shape); vector++) {
            int instance = widen_instance(w, row, vector);
            LLVMValueRef from = addresses[instance];
            if (skipped) {
                LLVMValueRef offset = LLVMBuildIntCast2(w->builder, skipped, i64, false, "");
                offset = LLVMBuildMul(w->builder, offset, LLVMConstInt(i64, (unsigned long long)back, true), "");
                from = LLVMBuildGEP2(w->builder, LLVMInt8TypeInContext(w->context), from, &offset, 1, "");
            }
            for (int part = 0; part < a->parts; part++)
                for (int first = 0; first < a->way->length; first += a->way->at_once) {
                    LLVMValueRef vectors[64], lanes[64];
                    for (int i = 0; i < a->way->at_once; i++)
                        lanes[i] = widen_lane(w, from, part * a->way->at_once + i);
                    load_square(a, lanes, skipped, first, vectors);
                    keep_square(a, vectors, instance, part, first);
                }
        }
}

/* Asks for as many stretches of one lane as there are lanes with other rows, if that many iterations follow. It is the
 * next lane each time, because the place goes on by a stretch. */
static void request_row(const struct ahead *a, struct shape shape, const LLVMValueRef *addresses, LLVMValueRef after)
{
    /* By bench/mv. Processors notice FEW rows by themselves; more than MOST would ask for more than caches keep. */
    enum { DISTANCE = 512, FEW = 8, MOST = 32 };
    struct widener *w = a->w;
    LLVMBuilderRef b = w->builder;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(w->context), pointer = LLVMTypeOf(LLVMGetOperand(a->load, 0));
    int n = widen_rows(w, shape) * widen_vectors(w, shape) * w->block.lanes, bytes = a->way->length * a->size, k = 0;
    if (n <= FEW || n > MOST)
        return;
    LLVMBasicBlockRef ask = widen_block_here(w, "stretch.ask"), asked = widen_block_here(w, "stretch.asked");
    LLVMBuildCondBr(b, follow(a, after, DISTANCE / a->size + n * a->way->length / 2), ask, asked);
    LLVMPositionBuilderAtEnd(b, ask);
    for (int row = 0; row < widen_rows(w, shape); row++)
        for (int vector = 0; vector < widen_vectors(w, shape); vector++, k++) {
            LLVMValueRef at = widen_i32(w, k * w->block.lanes);
            LLVMValueRef store = LLVMBuildStore(b, addresses[widen_instance(w, row, vector)],
                                                LLVMBuildInBoundsGEP2(b, pointer, a->all, &at, 1, ""));
            LLVMSetAlignment(store, (unsigned)LLVMABIAlignmentOfType(w->layout, pointer));
        }
    LLVMValueRef place = LLVMBuildPtrToInt(b, widen_lane(w, addresses[0], 0), i64, "");
    LLVMValueRef lane = LLVMBuildUDiv(b, place, LLVMConstInt(i64, (unsigned long long)bytes, false), "");
    lane = LLVMBuildURem(b, lane, LLVMConstInt(i64, (unsigned long long)n, false), "");
    LLVMValueRef address = LLVMBuildLoad2(b, pointer, LLVMBuildInBoundsGEP2(b, pointer, a->all, &lane, 1, ""), "");
    long length = (long)n * bytes;
    widen_request(w, SECOND_CACHE, address, a->way->stretch->is_backwards ? -DISTANCE - length : DISTANCE, length);
    LLVMBuildBr(b, asked);
    LLVMPositionBuilderAtEnd(b, asked);
}

/* Emits what an iteration does if nothing is loaded ahead: it loads elements, or goes on in `gather`, if that is not
 * NULL. Returns how many of the elements count as used. */
static LLVMValueRef fill(const struct ahead *a, struct shape shape, const LLVMValueRef *addresses, LLVMValueRef after,
                         LLVMBasicBlockRef gather)
{
    struct widener *w = a->w;
    LLVMValueRef skipped = gather ? NULL : count_skipped(a, after);
    if (!skipped) {
        LLVMBasicBlockRef enough = widen_block_here(w, "stretch.enough");
        LLVMBuildCondBr(w->builder, follow(a, after, a->way->length - 1), enough, gather);
        LLVMPositionBuilderAtEnd(w->builder, enough);
    }
    if (!w->slots[widen_number(w, a->load)].is_unrolled) /* there it has done so */
        request_row(a, shape, addresses, after);
    load_ahead(a, shape, addresses, skipped);
    return skipped ? skipped : widen_i32(w, 0);
}

/* Reads this iteration's values. */
static void take_values(const struct ahead *a, struct shape shape, LLVMValueRef used, LLVMValueRef *values)
{
    for (int row = 0; row < widen_rows(a->w, shape); row++)
        for (int vector = 0; vector < widen_vectors(a->w, shape); vector++) {
            int i = widen_instance(a->w, row, vector);
            values[i] = LLVMBuildLoad2(a->w->builder, widen_vector_type(a->w, LLVMTypeOf(a->load)),
                                       place_ahead(a, i, 0, used), "");
            LLVMSetAlignment(values[i], (unsigned)a->size);
        }
}

/* Gathers this iteration's values in the block `gather`, and goes on in the next one with those or with `values`. */
static void gather_values(const struct ahead *a, struct shape shape, LLVMBasicBlockRef gather, LLVMValueRef *values)
{
    struct widener *w = a->w;
    LLVMBasicBlockRef ready = LLVMGetInsertBlock(w->builder), done = widen_block_here(w, "stretch.done");
    LLVMValueRef gathered[MAX_INSTANCES];
    LLVMBuildBr(w->builder, done);
    LLVMPositionBuilderAtEnd(w->builder, gather);
    for (int row = 0; row < widen_rows(w, shape); row++)
        for (int vector = 0; vector < widen_vectors(w, shape); vector++)
            gathered[widen_instance(w, row, vector)] = widen_load(w, a->load, shape, row, vector);
    LLVMBuildBr(w->builder, done);
    LLVMPositionBuilderAtEnd(w->builder, done);
    for (int row = 0; row < widen_rows(w, shape); row++)
        for (int vector = 0; vector < widen_vectors(w, shape); vector++) {
            int i = widen_instance(w, row, vector);
            LLVMValueRef taken = values[i];
            values[i] = LLVMBuildPhi(w->builder, LLVMTypeOf(taken), "");
            LLVMAddIncoming(values[i], (LLVMValueRef[]){taken, gathered[i]}, (LLVMBasicBlockRef[]){ready, gather}, 2);
        }
}

/* ---- unrolled loops ---- */

int widen_unroll_length(const struct widener *w, int node, const LLVMValueRef *loads, int n_loads)
{
    enum { MOST = 512 }; /* instructions */
    const struct node *n = &w->cfg->nodes[node];
    int length = n_loads > 0 ? widen_way(w, loads[0])->length : 0, n_instructions = 0;
    for (int l = 0; l < n_loads; l++) {
        const struct way *way = widen_way(w, loads[l]);
        bool is_pointer = LLVMGetTypeKind(LLVMTypeOf(loads[l])) == LLVMPointerTypeKind; /* a square has integers */
        if (way->length != length || way->at_once != w->block.lanes || length % way->at_once != 0 || is_pointer)
            return 0;
    }
    for (LLVMValueRef i = n->first; i != n->end; i = LLVMGetNextInstruction(i))
        n_instructions++;
    return n_instructions * length * w->block.rows * w->block.vectors <= MOST ? length : 0;
}

LLVMValueRef widen_unrolled_may_begin(struct widener *w, LLVMValueRef load)
{
    struct ahead a = ahead_of(w, load);
    LLVMValueRef used = LLVMBuildLoad2(w->builder, LLVMInt32TypeInContext(w->context), a.used, "");
    LLVMValueRef is_empty = LLVMBuildICmp(w->builder, LLVMIntEQ, used, widen_i32(w, a.way->length), "");
    return LLVMBuildAnd(w->builder, is_empty, follow(&a, widen_iterations_after(w, a.way->stretch), a.way->length - 1),
                        "");
}

/* Reads the addresses of an instance's lanes. Where all lanes add the same to addresses of their own, those are taken
 * apart, because that can be done before the loop. */
static void read_lanes(const struct ahead *a, LLVMValueRef addresses, int row, int vector, LLVMValueRef *lanes)
{
    struct widener *w = a->w;
    LLVMValueRef address = LLVMGetOperand(a->load, 0), index = NULL;
    if (LLVMIsAGetElementPtrInst(address) && LLVMGetNumOperands(address) == 2 && !w->mask) {
        struct shape shape = shape_of(w->shapes, LLVMGetOperand(address, 1));
        if (shape.kind == SHAPE_UNIFORM && !shape.rows)
            index = widen_get(w, LLVMGetOperand(address, 1), 0, 0);
    }
    if (index)
        addresses = widen_get_vector(w, LLVMGetOperand(address, 0), row, vector);
    for (int i = 0; i < w->block.lanes; i++) {
        lanes[i] = widen_lane(w, addresses, i);
        if (index)
            lanes[i] = LLVMBuildGEP2(w->builder, LLVMGetGEPSourceElementType(address), lanes[i], &index, 1, "");
    }
}

/* Loads what as many iterations as there are lanes use: a square for each instance. */
static void load_squares(const struct ahead *a, struct shape shape, LLVMValueRef *squares)
{
    struct widener *w = a->w;
    LLVMValueRef addresses[MAX_INSTANCES], lanes[64];
    read_addresses(a, shape, addresses);
    if (w->unrolled == 1)
        request_row(a, shape, addresses, widen_iterations_after(w, a->way->stretch));
    for (int row = 0; row < widen_rows(w, shape); row++)
        for (int vector = 0; vector < widen_vectors(w, shape); vector++) {
            int instance = widen_instance(w, row, vector);
            read_lanes(a, addresses[instance], row, vector, lanes);
            load_square(a, lanes, NULL, 0, squares + (ptrdiff_t)instance * a->way->at_once);
        }
}

/* Takes an iteration's values from the squares. The first iteration that uses a square loads it. */
static void take_unrolled(const struct ahead *a, struct shape shape, LLVMValueRef *values)
{
    struct widener *w = a->w;
    struct slot *slot = &w->slots[widen_number(w, a->load)];
    LLVMTypeRef type = widen_vector_type(w, LLVMTypeOf(a->load));
    int iteration = (w->unrolled - 1) % a->way->at_once;
    if (w->unrolled == 1) {
        slot->is_unrolled = true;
        slot->squares = arena_alloc((size_t)(n_instances(a) * a->way->at_once) * sizeof *slot->squares);
    }
    if (iteration == 0)
        load_squares(a, shape, slot->squares);
    for (int row = 0; row < widen_rows(w, shape); row++)
        for (int vector = 0; vector < widen_vectors(w, shape); vector++) {
            int instance = widen_instance(w, row, vector);
            int at = instance * a->way->at_once + place_in_square(a, iteration);
            values[instance] = LLVMBuildBitCast(w->builder, slot->squares[at], type, "");
        }
}

void widen_stretches(struct widener *w, LLVMValueRef load, LLVMValueRef results[MAX_INSTANCES])
{
    struct ahead a = ahead_of(w, load);
    struct shape shape = shape_of(w->shapes, load);
    LLVMBuilderRef b = w->builder;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(w->context);
    LLVMValueRef addresses[MAX_INSTANCES];
    if (w->unrolled) {
        take_unrolled(&a, shape, results);
        return;
    }

    /* 1. Read all that is needed: in the next blocks, it would be read under a condition. */
    read_addresses(&a, shape, addresses);
    LLVMValueRef after = widen_iterations_after(w, a.way->stretch), used = LLVMBuildLoad2(b, i32, a.used, "");

    /* 2. Load the next elements if there are none. */
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), ready = widen_block_here(w, "stretch.ready"),
                      gather = a.way->can_skip ? NULL : widen_block_here(w, "stretch.gather"),
                      empty = widen_block_here(w, "stretch.empty");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, used, widen_i32(w, a.way->length), ""), empty, ready);
    LLVMPositionBuilderAtEnd(b, empty);
    LLVMValueRef skipped = fill(&a, shape, addresses, after, gather);
    LLVMBasicBlockRef filled = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, ready);

    /* 3. Take this iteration's. */
    LLVMPositionBuilderAtEnd(b, ready);
    LLVMValueRef at = LLVMBuildPhi(b, i32, "");
    LLVMAddIncoming(at, (LLVMValueRef[]){used, skipped}, (LLVMBasicBlockRef[]){before, filled}, 2);
    LLVMBuildStore(b, LLVMBuildAdd(b, at, widen_i32(w, 1), ""), a.used);
    take_values(&a, shape, at, results);
    if (gather)
        gather_values(&a, shape, gather, results);
}
