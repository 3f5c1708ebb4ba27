/* SPDX-License-Identifier: MIT
 *
 * Programs written for GPUs copy a piece of an array to tile memory, compute there from barrier to barrier, and copy
 * the results back:
 *
 *     tile[row][thread] = a[first + row][thread];      for all rows
 *     for (int step = 0; step < 31; step++) {
 *         tile[...][...] = ...;
 *         barrier;
 *     }
 *
 * A processor waits for the rows, because it does not know where those of a tile lie, and then has nothing to load for
 * the rest of the time. So each pass of the loop asks the cache for one row of what the next tile reads and writes.
 * Asking for all rows at once, where the tile reads its own, helps much less, because a processor can only have so many
 * requests under way.
 *
 * This is done where the distance to the next tile depends on arguments, so that it is likely to be too large for the
 * processor to foresee. Asking for memory that does not exist, or is never read, does no harm. */
#include "widen/requests.h"

#include "kernel/ir.h"
#include "kernel/origin.h"
#include "widen/parts.h"

enum {
    LEAST_ROWS = 8,
    MOST_VALUES = 64,  /* of an index or counter; */
    MOST_STEPS = 2048, /* in which rows are found; */
    MOST_ROWS = 80,    /* of all accesses together, */
    MOST_BYTES = 512,  /* and of a row: processors ask for long ones themselves */
    LINE = 64
};

/* A row of an array that a tile accesses. */
struct row {
    const struct param *param;
    struct poly place;  /* in bytes, for the tile's number; */
    long long from, to; /* which bytes from there */
    bool is_taken;
};

struct search {
    const struct kernel *kernel;
    const struct cfg *cfg;
    struct touches *touches;
    int n, n_steps;
    struct row rows[MOST_ROWS];
};

/* ---- the loop ---- */

/* Whether an instruction may read or write what is not the thread's or tile's own, or the arguments. */
static bool accesses_arrays(const struct search *s, LLVMValueRef i)
{
    unsigned operand;
    if (!ir_accessed_type(i, &operand))
        return false;
    int own = ORIGIN_ARGUMENTS | ORIGIN_TILE | ORIGIN_PRIVATE | ORIGIN_TABLE;
    return (origin_of(s->kernel, LLVMGetOperand(i, operand)).kinds & ~own) != 0;
}

/* Returns a loop with barriers that computes in tile memory alone; -1 if there is none. */
static int find_loop(const struct search *s)
{
    for (int loop = 0; loop < s->cfg->n_loops; loop++) {
        bool has_barrier = false, is_alone = true;
        for (int at = s->cfg->loops[loop].header; at <= s->cfg->loops[loop].last; at++) {
            const struct node *node = &s->cfg->nodes[at];
            has_barrier |= node->barrier != NULL;
            for (LLVMValueRef i = node->first; is_alone && i != node->end; i = LLVMGetNextInstruction(i))
                is_alone = !accesses_arrays(s, i);
        }
        if (has_barrier && is_alone)
            return loop;
    }
    return -1;
}

/* ---- rows ---- */

static int find_symbol(const struct search *s, enum entry_meaning meaning, int component)
{
    for (int i = 0; i < s->touches->n_symbols; i++) {
        const struct symbol *symbol = &s->touches->symbols[i];
        if (symbol->kind == SYMBOL_INDEX && symbol->index.meaning == meaning && symbol->index.component == component)
            return i;
    }
    return -1;
}

/* Replaces a symbol by a polynomial. */
static struct poly put(const struct poly *poly, int symbol, const struct poly *value)
{
    struct poly factor = poly_factor(poly, symbol), old = poly_symbol(symbol);
    old = poly_multiply(&factor, &old);
    struct poly new = poly_multiply(&factor, value), rest = poly_subtract(poly, &old);
    return poly_add(&rest, &new);
}

/* Returns how many values a symbol has, which differ between threads of a tile or between iterations; 0 if it is
 * something else, or there are too many. */
static int count_values(const struct search *s, const struct touch *touch, int number)
{
    const struct symbol *symbol = &s->touches->symbols[number];
    long long most = 0;
    if (symbol->kind == SYMBOL_INDEX && symbol->index.meaning == ENTRY_LOCAL)
        most = s->kernel->tile[symbol->index.component];
    for (int i = 0; symbol->kind == SYMBOL_COUNTER && i < touch->n_limits; i++) {
        const struct limit *limit = &touch->limits[i];
        long long last;
        if (limit->symbol == number && limit->is_upper && poly_is_constant(&limit->value, &last))
            most = last / limit->divisor + 1;
    }
    return most > 0 && most <= MOST_VALUES ? (int)most : 0;
}

/* Adds a row, or extends one that has, or nearly has, bytes in common with it. */
static void add_row(struct search *s, const struct row *new)
{
    for (int i = 0; i < s->n; i++) {
        struct row *old = &s->rows[i];
        struct poly apart = poly_subtract(&new->place, &old->place);
        long long by;
        if (old->param != new->param || !poly_is_constant(&apart, &by) || by + new->from > old->to + LINE ||
            by + new->to < old->from - LINE)
            continue;
        old->from = by + new->from < old->from ? by + new->from : old->from;
        old->to = by + new->to > old->to ? by + new->to : old->to;
        return;
    }
    if (s->n < MOST_ROWS)
        s->rows[s->n++] = *new;
}

/* Returns a symbol of a polynomial that is neither an argument nor a tile's number; -1 if there is none. */
static int find_other(const struct search *s, const struct poly *poly)
{
    for (int i = 0; i < poly->n; i++)
        for (int k = 0; k < poly->of[i].n; k++) {
            const struct symbol *symbol = &s->touches->symbols[poly->of[i].symbols[k]];
            if (symbol->kind != SYMBOL_ARGUMENT &&
                !(symbol->kind == SYMBOL_INDEX && symbol->index.meaning == ENTRY_TILE))
                return poly->of[i].symbols[k];
        }
    return -1;
}

/* Adds the rows that an access has for all values of the symbols in its place. */
static void add_rows(struct search *s, const struct touch *touch, const struct row *row)
{
    if (row->place.is_unknown || s->n_steps == MOST_STEPS)
        return;
    s->n_steps++;
    int symbol = find_other(s, &row->place);
    if (symbol < 0) {
        add_row(s, row);
        return;
    }
    struct poly factor = poly_factor(&row->place, symbol), zero = poly_constant(0);
    long long bytes;
    int n = count_values(s, touch, symbol);
    struct row next = *row;
    if (poly_is_constant(&factor, &bytes) && bytes > 0 && bytes <= LINE && n > 0) { /* they lie side by side */
        next.to += (n - 1) * bytes;
        next.place = put(&row->place, symbol, &zero);
        add_rows(s, touch, &next);
        return;
    }
    for (int k = 0; k < n && s->n_steps < MOST_STEPS; k++) {
        struct poly value = poly_constant(k);
        next.place = put(&row->place, symbol, &value);
        add_rows(s, touch, &next);
    }
}

/* Returns how much farther the next tile along the last dimension lies. */
static struct poly to_next(const struct search *s, const struct poly *place)
{
    return poly_factor(place, find_symbol(s, ENTRY_TILE, s->kernel->box_rank - 1));
}

static void visit(struct search *s, LLVMValueRef i)
{
    struct touch touch;
    if (!accesses_arrays(s, i) || !touch_address(s->touches, s->cfg, i, &touch))
        return;
    struct row row = {.param = touch.param, .place = touch.bytes, .to = touch.size};
    for (int d = 0; d < s->kernel->box_rank; d++) { /* the index is that of the tile's first thread and the local one */
        int global = find_symbol(s, ENTRY_GLOBAL, d);
        struct poly tile = touch_index(s->touches, ENTRY_TILE, d), local = touch_index(s->touches, ENTRY_LOCAL, d);
        tile = poly_scale(&tile, s->kernel->tile[d]);
        tile = poly_add(&tile, &local);
        if (global >= 0)
            row.place = put(&row.place, global, &tile);
    }
    long long constant;
    struct poly distance = to_next(s, &row.place);
    if (touch_is_of_arguments(s->touches, &distance) && !poly_is_constant(&distance, &constant))
        add_rows(s, &touch, &row);
}

/* ---- requests ---- */

/* Returns the row that lies so much farther than another place in its array; NULL if there is none. */
static struct row *find_row(struct search *s, const struct param *param, const struct poly *place,
                            const struct poly *step)
{
    struct poly next = poly_add(place, step);
    for (int i = 0; i < s->n; i++)
        if (!s->rows[i].is_taken && s->rows[i].param == param && poly_is_equal(&s->rows[i].place, &next))
            return &s->rows[i];
    return NULL;
}

/* Counts the rows from `first` on that lie a step apart; takes them for a request, if it is not NULL. */
static int count_rows(struct search *s, const struct row *first, const struct poly *step, struct request *request)
{
    int n = 1;
    struct poly place = first->place;
    for (struct row *next; (next = find_row(s, first->param, &place, step)) && n < MOST_ROWS; n++) {
        place = next->place;
        if (request) {
            next->is_taken = true;
            request->from = next->from < request->from ? next->from : request->from;
            request->to = next->to > request->to ? next->to : request->to;
        }
    }
    return n;
}

/* Makes a request of the most rows that follow `first` at equal distances. */
static void make_request(struct search *s, struct row *first, struct requests *requests)
{
    int most = 1;
    struct poly best = poly_unknown;
    for (int i = 0; i < s->n; i++) {
        struct poly step = poly_subtract(&s->rows[i].place, &first->place);
        if (s->rows[i].is_taken || s->rows[i].param != first->param || &s->rows[i] == first)
            continue;
        int n = count_rows(s, first, &step, NULL);
        if (n > most) {
            most = n;
            best = step;
        }
    }
    first->is_taken = true;
    if (most < LEAST_ROWS || requests->n == REQUESTS_MOST)
        return;
    struct request *request = &requests->of[requests->n++];
    struct poly distance = to_next(s, &first->place);
    *request = (struct request){.param = first->param,
                                .first = poly_add(&first->place, &distance),
                                .step = best,
                                .from = first->from,
                                .to = first->to,
                                .count = most};
    count_rows(s, first, &best, request);
    if (request->to - request->from > MOST_BYTES)
        requests->n--;
}

const struct requests *requests_plan(const struct kernel *kernel, const struct cfg *cfg)
{
    struct search *s = arena_alloc(sizeof *s);
    struct requests *requests = arena_alloc(sizeof *requests);
    s->kernel = kernel;
    s->cfg = cfg;
    int loop = kernel->tiled ? find_loop(s) : -1;
    if (loop < 0)
        return NULL;
    s->touches = arena_alloc(sizeof *s->touches);
    s->touches->kernel = kernel;
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            visit(s, i);
    *requests = (struct requests){.touches = s->touches, .loop = loop};
    for (int i = 0; i < s->n; i++)
        if (!s->rows[i].is_taken)
            make_request(s, &s->rows[i], requests);
    return requests->n > 0 ? requests : NULL;
}

/* ---- their code ---- */

struct requests_use requests_begin(struct widener *w, const struct requests *requests, LLVMValueRef args,
                                   const LLVMValueRef tile[3])
{
    struct requests_use use = {.requests = requests};
    LLVMBuilderRef b = w->builder;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(w->context), i8 = LLVMInt8TypeInContext(w->context);
    for (int i = 0; i < requests->n; i++) {
        const struct request *request = &requests->of[i];
        LLVMValueRef offset = LLVMConstInt(i64, (unsigned long long)request->param->offset, false);
        LLVMValueRef array =
            LLVMBuildLoad2(b, LLVMPointerTypeInContext(w->context, 0), LLVMBuildGEP2(b, i8, args, &offset, 1, ""), "");
        LLVMValueRef first = touch_compute(b, requests->touches, &request->first, args, tile);
        use.rows[i] = LLVMBuildGEP2(b, i8, array, &first, 1, "");
        use.steps[i] = touch_compute(b, requests->touches, &request->step, args, tile);
    }
    use.asked = widen_slot(w, i64, "asked");
    LLVMBuildStore(b, LLVMConstNull(i64), use.asked);
    return use;
}

/* Whether nodes are a pass of the loop: they have one of its barriers, and access memory in it. */
static bool is_pass(const struct cfg *cfg, int loop, const bool *nodes)
{
    bool has_barrier = false, has_access = false;
    for (int at = cfg->loops[loop].header; at <= cfg->loops[loop].last; at++) {
        has_barrier |= nodes[at] && cfg->nodes[at].barrier;
        for (LLVMValueRef i = cfg->nodes[at].first; nodes[at] && i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            has_access |= LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
    }
    return has_barrier && has_access;
}

void requests_ask(struct widener *w, const struct requests_use *use, const bool *nodes)
{
    const struct requests *requests = use->requests;
    LLVMBuilderRef b = w->builder;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(w->context), i8 = LLVMInt8TypeInContext(w->context);
    int most = 0;
    for (int i = 0; i < requests->n; i++)
        most = requests->of[i].count > most ? requests->of[i].count : most;
    if (!is_pass(w->cfg, requests->loop, nodes))
        return;
    LLVMBasicBlockRef ask = widen_block_here(w, "ask"), asked = widen_block_here(w, "asked");
    LLVMValueRef number = LLVMBuildLoad2(b, i64, use->asked, "");
    LLVMValueRef is_left =
        LLVMBuildICmp(b, LLVMIntULT, number, LLVMConstInt(i64, (unsigned long long)most, false), "is.left");
    LLVMBuildCondBr(b, is_left, ask, asked);
    LLVMPositionBuilderAtEnd(b, ask);
    for (int i = 0; i < requests->n; i++) {
        LLVMValueRef by = LLVMBuildMul(b, number, use->steps[i], "");
        LLVMValueRef row = LLVMBuildGEP2(b, i8, use->rows[i], &by, 1, "");
        long from = (long)requests->of[i].from, to = (long)requests->of[i].to;
        widen_request(w, FIRST_CACHE, row, from, to - from);
        if ((to - from) % LINE == 0 || (to - from) % LINE > requests->of[i].param->element_size)
            widen_request(w, FIRST_CACHE, row, to - 1, 1); /* of one line more, unless that is an element's own */
    }
    LLVMBuildStore(b, LLVMBuildAdd(b, number, LLVMConstInt(i64, 1, false), ""), use->asked);
    LLVMBuildBr(b, asked);
    LLVMPositionBuilderAtEnd(b, asked);
}
