/* SPDX-License-Identifier: MIT */
#include "signature.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool signature_constant(const struct bound *bound, long long *value)
{
    const char *c = bound->c;
    *value = strtoll(c, NULL, 10);
    return isdigit((unsigned char)*c) && !c[strspn(c, "0123456789L")];
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
                if (kernel->params[i].bounds[d].param == param - kernel->params) {
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
