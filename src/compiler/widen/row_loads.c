/* SPDX-License-Identifier: MIT
 *
 * Hoists what all threads of a row read from one place out of the loop over the row:
 *
 *     if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j];      d[i][k], for all j
 *
 * LLVM leaves such a load in the loop, because it cannot tell that the stores there go elsewhere. They do: what one of
 * several threads stores to without an atomic operation, no other may read. And where a row has one thread, the load
 * still comes before all that this thread stores.
 *
 * Needs: loads from arrays in the kernel's first node, which all threads run, with nothing before them that may write,
 * and whose addresses can be computed before the row; no atomic operations. Keeps: the kernel; `lanes` makes the
 * loads, and the emitter takes their values. */
#include "widen/row_loads.h"

#include "kernel/guards.h"
#include "kernel/ir.h"
#include "kernel/origin.h"
#include "kernel/stretch.h"
#include "widen/predicates.h"

const struct row_loads *row_loads_find(const struct kernel *kernel, const struct shapes *shapes)
{
    const struct node *first = &shapes->cfg->nodes[0];
    struct row_loads *found = arena_alloc(sizeof *found);
    if (kernel->tiled || predicates_has_atomics(shapes->cfg))
        return NULL;
    for (LLVMValueRef i = first->first; i != first->end && found->n < MOST_ROW_LOADS; i = LLVMGetNextInstruction(i)) {
        if (stretch_may_write(kernel, i))
            break;
        LLVMValueRef address = LLVMIsALoadInst(i) ? LLVMGetOperand(i, 0) : NULL;
        if (address && !LLVMGetVolatile(i) && ir_is_element(LLVMTypeOf(i)) &&
            shape_of(shapes, address).kind == SHAPE_UNIFORM && guards_is_index_value(address) &&
            origin_of(kernel, address).kinds == ORIGIN_ARRAY)
            found->loads[found->n++] = i;
    }
    return found->n ? found : NULL;
}

LLVMValueRef row_loads_value(const struct widener *w, LLVMValueRef load)
{
    for (int i = 0; w->by_row && i < w->by_row->n; i++)
        if (w->by_row->loads[i] == load)
            return w->row_values[i];
    return NULL;
}
