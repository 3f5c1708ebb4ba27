/* SPDX-License-Identifier: MIT */
#include "kernel/steps.h"

#include "kernel/entry.h"

/* Returns what an expression would be if nothing wrapped and all arguments had a sign: the same, modulo 2^32. */
static struct poly unwrapped(const struct kernel *kernel, const struct expr *expr, steps_argument *argument, void *user)
{
    enum { LEAST_BYTES = 4 }; /* of shorter types without a sign, that would not hold */
    struct poly operands[2];
    for (int i = 0; i < 2 && expr->operands[i]; i++)
        operands[i] = unwrapped(kernel, expr->operands[i], argument, user);
    switch (expr->op) {
    case EXPR_CONSTANT:
        return poly_constant(expr->value);
    case EXPR_PARAM: {
        const struct param *param = &kernel->params[expr->param];
        return param->element_size < LEAST_BYTES ? poly_unknown : argument(user, param->offset, param->element_size);
    }
    case EXPR_PLUS:
    case EXPR_CONVERT: /* only to longer types */
        return operands[0];
    case EXPR_NEGATE:
        return poly_scale(&operands[0], -1);
    case EXPR_ADD:
        return poly_add(&operands[0], &operands[1]);
    case EXPR_SUBTRACT:
        return poly_subtract(&operands[0], &operands[1]);
    case EXPR_MULTIPLY:
        return poly_multiply(&operands[0], &operands[1]);
    default:
        return poly_unknown;
    }
}

static void find_steps(const struct kernel *kernel, const struct param *param, steps_argument *argument, void *user,
                       struct steps *steps)
{
    struct poly bytes = poly_constant(param->element_size);
    for (int d = param->rank - 1; d >= 0; d--) {
        steps->bounds[d] = unwrapped(kernel, param->bounds[d].expr, argument, user);
        steps->bytes[d] = bytes;
        bytes = poly_multiply(&bytes, &steps->bounds[d]);
    }
    steps->total = bytes;
}

/* The same for an array or view in a closure, which has its extents and pitches as values. From the first byte to the
 * last one, it has (extent - 1) * step bytes for each dimension, and an element. */
static void find_captured_steps(const struct param *param, steps_argument *argument, void *user, struct steps *steps)
{
    steps->total = poly_constant(param->element_size);
    for (int d = 0; d < param->rank; d++) {
        bool is_last = d == param->rank - 1;
        struct poly pitch = is_last ? poly_constant(1) : argument(user, entry_pitch(param, d), ENTRY_PITCH_BYTES);
        steps->bounds[d] = argument(user, entry_extent(param, d), ENTRY_EXTENT_BYTES);
        steps->bytes[d] = poly_scale(&pitch, param->element_size);
        struct poly last = poly_add_constant(&steps->bounds[d], -1);
        struct poly way = poly_multiply(&last, &steps->bytes[d]);
        steps->total = poly_add(&steps->total, &way);
    }
}

void steps_find(const struct kernel *kernel, const struct param *param, steps_argument *argument, void *user,
                struct steps *steps)
{
    if (kernel->is_closure)
        find_captured_steps(param, argument, user, steps);
    else
        find_steps(kernel, param, argument, user, steps);
}
