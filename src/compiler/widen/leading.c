/* SPDX-License-Identifier: MIT
 *
 * A stencil reads several rows of an array, all but one of which threads have read before, when they came to the rows
 * above. So of the loads whose addresses differ by a number of elements or rows, one leads: that with the largest
 * address. The length of a row is an argument, and counts as a large number. Planes are further apart than the second
 * cache is large, so a load leads in each (by bench/ports/conv3d on a Zen 5). Nothing depends on whether that is right,
 * except time, and nothing asks where the one that leads stands in a branch that few threads take. */
#include "widen/leading.h"

#include "kernel/ir.h"
#include "kernel/touch.h"

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
