/* SPDX-License-Identifier: MIT */
#include "front/signature.h"

#include <amp.h>
#include <limits.h>
#include <string.h>

bool signature_constant(const struct bound *bound, long long *value)
{
    *value = bound->expr->value;
    return bound->expr->op == EXPR_CONSTANT && *value >= 0;
}

int signature_param(const struct bound *bound)
{
    return bound->expr->op == EXPR_PARAM ? bound->expr->param : -1;
}

bool signature_limit(const struct expr *expr, long long *limit)
{
    *limit = expr->type == AMP_TYPE_U32 ? UINT_MAX : LLONG_MAX;
    return expr->type == AMP_TYPE_U32 || expr->type == AMP_TYPE_U64;
}

const char *signature_sign(enum expr_op op)
{
    static const char *const signs[] = {
        [EXPR_PLUS] = "+",     [EXPR_NEGATE] = "-", [EXPR_ADD] = "+",       [EXPR_SUBTRACT] = "-",
        [EXPR_MULTIPLY] = "*", [EXPR_DIVIDE] = "/", [EXPR_REMAINDER] = "%",
    };
    return signs[op];
}

const char *signature_text(const struct kernel *kernel, const struct expr *expr)
{
    const char *operands[2] = {NULL};
    for (int i = 0; i < 2 && expr->operands[i]; i++) {
        const struct expr *operand = expr->operands[i];
        bool is_closed = operand->op == EXPR_PARAM || (operand->op == EXPR_CONSTANT && operand->value >= 0) ||
                         (expr->operands[1] && !operand->operands[1]);
        operands[i] = arena_printf(is_closed ? "%s" : "(%s)", signature_text(kernel, operand));
    }
    switch (expr->op) {
    case EXPR_CONSTANT:
        return arena_printf("%lld", expr->value);
    case EXPR_PARAM:
        return kernel->params[expr->param].name;
    case EXPR_CONVERT:
        return arena_printf("(%s)%s", expr->type_name, operands[0]);
    default:
        return operands[1] ? arena_printf("%s %s %s", operands[0], signature_sign(expr->op), operands[1])
                           : arena_printf("%s%s", signature_sign(expr->op), operands[0]);
    }
}

const struct kernel *signature_find(const struct unit *unit, const char *symbol)
{
    for (int i = 0; i < unit->n_kernels; i++)
        if (!strcmp(unit->kernels[i].symbol, symbol))
            return &unit->kernels[i];
    return NULL;
}

/* ---- --amp-signatures ---- */

static void print_param(const struct kernel *kernel, const struct param *param, FILE *file)
{
    static const char *const kinds[] = {"scalar", "struct", "array", "bound"};
    fprintf(file, "    %-7s %s%s %s", kinds[param->kind], param->read_only ? "const " : "", param->type_name,
            param->name);
    for (int d = 0; d < param->rank; d++)
        fprintf(file, "[%s]", param->bounds[d].text);
    if (param->kind == PARAM_ARRAY)
        fputs(param->read_only ? ": read" : ": read and written", file);
    if (param->kind == PARAM_BOUND) {
        fputs(": from", file);
        const char *comma = " ";
        for (int i = 0; i < kernel->n_params; i++)
            for (int d = 0; d < kernel->params[i].rank; d++)
                if (signature_param(&kernel->params[i].bounds[d]) == param - kernel->params) {
                    fprintf(file, "%sextent %d of %s", comma, d, kernel->params[i].name);
                    comma = ", ";
                }
    }
    fputc('\n', file);
}

void signature_print(const struct unit *unit, FILE *file)
{
    for (int i = 0; i < unit->n_kernels; i++) {
        const struct kernel *kernel = &unit->kernels[i];
        fprintf(file, "%s:%u: kernel %s, index of rank %d", kernel->place.file, kernel->place.line, kernel->name,
                kernel->rank);
        for (int d = 0; d < kernel->rank && kernel->tiled; d++)
            fprintf(file, "%s%d%s", d ? " x " : ", tiles of ", kernel->tile[d],
                    d == kernel->rank - 1 ? " threads" : "");
        fputc('\n', file);
        for (int p = 0; p < kernel->n_params; p++)
            print_param(kernel, &kernel->params[p], file);
    }
}
