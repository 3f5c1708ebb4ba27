/* SPDX-License-Identifier: MIT */
#include "mathlib.h"

#include "ampcc.h"

#include <string.h>

/* libmvec's functions as of glibc 2.35; x86-64 only. */
static const struct math_function functions[] = {
    {"acos", NULL, 1},
    {"acosh", NULL, 1},
    {"asin", NULL, 1},
    {"asinh", NULL, 1},
    {"atan", NULL, 1},
    {"atan2", NULL, 2},
    {"atanh", NULL, 1},
    {"cbrt", NULL, 1},
    {"ceil", "llvm.ceil", 0},
    {"copysign", "llvm.copysign", 0},
    {"cos", NULL, 1},
    {"cosh", NULL, 1},
    {"erf", NULL, 1},
    {"erfc", NULL, 1},
    {"exp", NULL, 1},
    {"exp10", NULL, 1},
    {"exp2", NULL, 1},
    {"expm1", NULL, 1},
    {"fabs", "llvm.fabs", 0},
    {"fdim", NULL, 0},
    {"floor", "llvm.floor", 0},
    {"fma", "llvm.fma", 0},
    {"fmax", "llvm.maxnum", 0},
    {"fmin", "llvm.minnum", 0},
    {"fmod", NULL, 0},
    {"frexp", NULL, 0},
    {"hypot", NULL, 2},
    {"ilogb", NULL, 0},
    {"ldexp", NULL, 0},
    {"lgamma", NULL, 0},
    {"llrint", NULL, 0},
    {"llround", NULL, 0},
    {"log", NULL, 1},
    {"log10", NULL, 1},
    {"log1p", NULL, 1},
    {"log2", NULL, 1},
    {"logb", NULL, 0},
    {"lrint", NULL, 0},
    {"lround", NULL, 0},
    {"modf", NULL, 0},
    {"nan", NULL, 0},
    {"nearbyint", "llvm.nearbyint", 0},
    {"nextafter", NULL, 0},
    {"pow", NULL, 2},
    {"remainder", NULL, 0},
    {"remquo", NULL, 0},
    {"rint", "llvm.rint", 0},
    {"round", "llvm.round", 0},
    {"roundeven", "llvm.roundeven", 0},
    {"scalbln", NULL, 0},
    {"scalbn", NULL, 0},
    {"sin", NULL, 1},
    {"sincos", NULL, 0},
    {"sinh", NULL, 1},
    {"sqrt", "llvm.sqrt", 0},
    {"tan", NULL, 1},
    {"tanh", NULL, 1},
    {"tgamma", NULL, 0},
    {"trunc", "llvm.trunc", 0},
};

const struct math_function *mathlib_find(const char *name)
{
    size_t length = strlen(name);
    if (strncmp(name, "llvm.", 5) == 0) {
        name += 5;
        length = strcspn(name, ".");
    }
    for (int without_suffix = 0; without_suffix < 2; without_suffix++) {
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            if (strlen(functions[i].name) == length && strncmp(functions[i].name, name, length) == 0)
                return &functions[i];
        if (length == 0 || name[length - 1] != 'f')
            break;
        length--;
    }
    return NULL;
}

const char *mathlib_vector_name(const struct math_function *function, bool is_float, int lanes)
{
    int bits = lanes * (is_float ? 32 : 64);
    char isa = bits == 128 ? 'b' : bits == 256 ? 'd' : bits == 512 ? 'e' : 0;
    if (!isa || !function->vector_arguments)
        return NULL;
    return arena_printf("_ZGV%cN%d%s_%s%s", isa, lanes, function->vector_arguments == 2 ? "vv" : "v", function->name,
                        is_float ? "f" : "");
}
