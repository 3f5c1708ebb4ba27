/* SPDX-License-Identifier: MIT
 *
 * A stencil reads several rows of an array, all but one of which threads have read before, when they came to the rows
 * above. So of the loads whose addresses differ by a number of elements or rows, one leads: that with the largest
 * address. The length of a row is an argument, and counts as a large number. Planes are further apart than the second
 * cache is large, so a load leads in each (by bench/ports/conv3d on a Zen 5). Nothing depends on whether that is right,
 * except time, and nothing asks where the one that leads stands in a branch that few threads take. */
#include "widen/leading.h"

#include "kernel/ir.h"
#include "kernel/origin.h"
#include "kernel/touch.h"

#include <stdlib.h>

enum { MOST = 64 }; /* loads of a kernel; if there are more, all lead */

struct load {
    LLVMValueRef value;
    const struct param *param;
    struct poly place;
    bool goes_down;
};

/* Returns the monomial that decides about the value of a polynomial whose symbols are large numbers; NULL if it is
 * 0. */
static const struct monomial *most_of(const struct poly *poly)
{
    const struct monomial *most = NULL;
    for (int i = 0; i < poly->n; i++)
        if (!most || poly->of[i].n > most->n)
            most = &poly->of[i];
    return most;
}

/* Whether a load comes to lines of its array before another one. */
static bool leads(const struct touches *touches, const struct load *a, const struct load *b)
{
    struct poly difference = poly_subtract(&a->place, &b->place);
    const struct monomial *most = most_of(&difference);
    if (a->param != b->param || !touch_is_of_arguments(touches, &difference) || (most && most->n > 1))
        return false;
    if (!most)
        return a < b;
    return most->n == 0 && a->goes_down ? most->coefficient < 0 : most->coefficient > 0;
}

const struct map *leading_followers(const struct kernel *kernel, const struct cfg *cfg, const struct shapes *shapes)
{
    struct touches *touches = arena_alloc(sizeof *touches);
    struct load loads[MOST];
    struct map *followers = map_new();
    int n = 0;
    touches->kernel = kernel;
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            struct touch touch;
            if (!LLVMIsALoadInst(i) || !touch_address(touches, cfg, i, &touch))
                continue;
            if (n == MOST)
                return map_new();
            loads[n++] = (struct load){i, touch.param, touch.bytes, shape_of(shapes, LLVMGetOperand(i, 0)).stride < 0};
        }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            if (a != b && leads(touches, &loads[b], &loads[a]))
                map_set(followers, loads[a].value, 1);
    return followers;
}

bool leading_is_first(LLVMValueRef store)
{
    LLVMValueRef address = LLVMGetOperand(store, 1);
    for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use))
        if (LLVMIsALoadInst(LLVMGetUser(use)))
            return false;
    return true;
}

int leading_streams(const struct map *followers, const struct kernel *kernel, const struct shapes *shapes)
{
    const struct cfg *cfg = shapes->cfg;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(cfg->function));
    int n = 0;
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            bool is_store = LLVMIsAStoreInst(i) != NULL;
            if (is_store ? !leading_is_first(i) : !LLVMIsALoadInst(i) || map_get(followers, i) >= 0)
                continue;
            LLVMValueRef address = LLVMGetOperand(i, is_store);
            LLVMTypeRef type = is_store ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
            struct shape shape = shape_of(shapes, address);
            n += shape.kind == SHAPE_LINEAR && labs(shape.stride) == (long)LLVMStoreSizeOfType(layout, type) &&
                 origin_of(kernel, address).kinds == ORIGIN_ARRAY;
        }
    return n;
}
