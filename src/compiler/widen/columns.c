/* SPDX-License-Identifier: MIT
 *
 * Programs written for GPUs let the threads of a tile, or all of them, take neighbouring elements in each iteration of
 * a loop, which so goes down the columns of a matrix, or of a tile's chunk of an array:
 *
 *     for (int k = 0; k < n; k++)
 *         sum += a[first + k * 256 + thread];
 *
 * A block that runs the loop to its end reads a piece of each row, and the next block another piece, when the row may
 * have left the cache. So the blocks of a tile go through the loop together, row by row, as do those of a convoy in a
 * kernel without tiles. What they carry is then kept in memory: that takes up to twice as long where the array is in
 * the first cache, and spares half of the time where it is in memory.
 *
 * A loop in another one stays as it is, because the cache may still have the rows from the time before, and so does one
 * with a loop in it. */
#include "widen/columns.h"

#include "kernel/entry.h"

enum {
    LEAST_LENGTH = 32,       /* rows: a block may as well read fewer at once */
    LEAST_STEP = 4 << 10,    /* bytes, if there are no tiles: in shorter rows, blocks read much of each */
    LEAST_BYTES = 256 << 10, /* for all threads of a box: fewer stay in the cache */
    MOST_CARRIED = 4         /* values that a thread keeps from row to row */
};

/* ---- the loop ---- */

/* Returns the number of the counter in an address if neighbouring threads access neighbouring elements, otherwise -1.
 * In a flat index that is a row and a column, these are no neighbours where a row ends, and rows.c knows better. */
static int find_counter(const struct touches *touches, const struct touch *touch)
{
    int counter = -1;
    bool is_along = false;
    for (int i = 0; i < touch->bytes.n; i++)
        for (int k = 0; k < touch->bytes.of[i].n; k++) {
            int number = touch->bytes.of[i].symbols[k];
            const struct symbol *symbol = &touches->symbols[number];
            struct poly by = poly_factor(&touch->bytes, number);
            long long factor = 0;
            if (symbol->kind > SYMBOL_COUNTER || (symbol->kind == SYMBOL_COUNTER && counter >= 0 && counter != number))
                return -1;
            if (symbol->kind == SYMBOL_COUNTER)
                counter = number;
            if (symbol->kind == SYMBOL_INDEX && symbol->index.meaning != ENTRY_TILE)
                is_along = poly_is_constant(&by, &factor) && factor == touch->size;
        }
    return is_along ? counter : -1;
}

static int count_carried(const struct plan *plan, int loop)
{
    int n = 0;
    LLVMValueRef i = plan->cfg->nodes[plan->cfg->loops[loop].header].first;
    for (; LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        n += shape_of(plan->truth, i).kind == SHAPE_VARYING;
    return n;
}

/* Whether all threads run a loop equally often, and it does nothing for which it matters how far others are. */
static bool can_go_together(const struct plan *plan, int loop)
{
    const struct cfg *cfg = plan->cfg;
    int latch = cfg_latch(cfg, loop), header = cfg->loops[loop].header;
    if (latch < 0 || cfg_only_exit(cfg, loop) != latch || cfg->loops[loop].parent >= 0 || plan->truth->masked[header] ||
        plan->truth->divergent[latch])
        return false;
    return cfg_is_innermost(cfg, loop) && !cfg_minds_others(cfg, loop);
}

/* Finds how often the loop runs that an access is in. */
static bool find_length(const struct touches *touches, const struct touch *touch, int counter,
                        struct column_loop *columns)
{
    for (int i = 0; i < touch->n_limits; i++) {
        const struct limit *limit = &touch->limits[i];
        if (limit->symbol == counter && limit->is_of_loop && limit->is_upper &&
            touch_is_of_arguments(touches, &limit->value)) {
            columns->length = poly_add_constant(&limit->value, limit->divisor);
            columns->divisor = limit->divisor;
            return true;
        }
    }
    return false;
}

static bool is_constant_below(const struct poly *poly, long long least)
{
    long long value;
    return poly_is_constant(poly, &value) && value < least;
}

/* Whether the rows that a loop accesses one after another lie one before another: arguments that are sizes are not
 * negative. */
static bool counts_down(const struct poly *step)
{
    for (int i = 0; i < step->n; i++)
        if (step->of[i].coefficient > 0)
            return false;
    return true;
}

bool columns_find(const struct plan *plan, bool is_asked_for, struct column_loop *columns)
{
    const struct kernel *k = plan->kernel;
    const struct touches *touches = touch_find(k, plan->cfg);
    for (int i = 0; i < touches->n; i++) {
        const struct touch *touch = touches->of[i];
        int counter = find_counter(touches, touch);
        int loop = counter < 0 ? -1 : touches->symbols[counter].loop;
        *columns = (struct column_loop){.touches = touches, .bytes = touch->size};
        if (loop < 0 || !can_go_together(plan, loop) || !find_length(touches, touch, counter, columns))
            continue;
        columns->loop = loop;
        columns->header = plan->cfg->nodes[plan->cfg->loops[loop].header].block;
        columns->latch = plan->cfg->nodes[cfg_latch(plan->cfg, loop)].block;
        columns->step = poly_factor(&touch->bytes, counter);
        columns->least_step = k->tiled ? k->tile[0] * touch->size : LEAST_STEP;
        if (touch_is_of_arguments(touches, &columns->step) &&
            (is_asked_for || (!counts_down(&columns->step) && !is_constant_below(&columns->step, columns->least_step) &&
                              count_carried(plan, loop) <= MOST_CARRIED &&
                              !is_constant_below(&columns->length, LEAST_LENGTH * columns->divisor)))) {
            columns->is_dense = k->tiled && is_constant_below(&columns->step, columns->least_step + 1);
            return true;
        }
    }
    return false;
}

/* ---- whether it pays ---- */

LLVMValueRef columns_pay(LLVMBuilderRef b, const struct column_loop *columns, LLVMValueRef args, LLVMValueRef n_threads)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(args)));
    LLVMValueRef length = touch_compute(b, columns->touches, &columns->length, args, NULL),
                 step = touch_compute(b, columns->touches, &columns->step, args, NULL);
    LLVMValueRef bytes = LLVMBuildMul(b, LLVMBuildMul(b, length, n_threads, ""),
                                      LLVMConstInt(i64, (unsigned long long)columns->bytes, false), "");
#define AT_LEAST(x, least) LLVMBuildICmp(b, LLVMIntSGE, x, LLVMConstInt(i64, (unsigned long long)(least), false), "")
    return LLVMBuildAnd(
        b, LLVMBuildAnd(b, AT_LEAST(length, LEAST_LENGTH * columns->divisor), AT_LEAST(step, columns->least_step), ""),
        AT_LEAST(bytes, LEAST_BYTES * columns->divisor), "");
#undef AT_LEAST
}
