/* SPDX-License-Identifier: MIT */
#include "kernel/calls.h"

#include "driver/driver.h"

#include <string.h>

static const struct callee rows[] = {
#define CALL(name, kind, lanes, small)      {name, CALL_##kind, LANES_##lanes, SMALL_##small, MATH_none, NULL},
#define MATH(name, intrinsic, lanes, small) {#name, CALL_MATH, LANES_##lanes, SMALL_##small, MATH_##name, intrinsic},
#include "kernel/calls.def"
#undef CALL
#undef MATH
};

/* What is known about functions without a row. */
static const struct callee none = {.kind = CALL_NONE}, helper = {.kind = CALL_HELPER}, foreign = {.kind = CALL_FOREIGN},
                           intrinsic = {.kind = CALL_INTRINSIC};

static bool is_named(const struct callee *row, const char *name, bool is_intrinsic)
{
    const char *of_row = row->name;
    if (is_intrinsic && row->kind == CALL_MATH)
        name += strlen("llvm.");
    while (*of_row && *of_row == *name)
        of_row++, name++;
    if (*of_row)
        return *of_row == '*';
    return !*name || (is_intrinsic ? *name == '.' : row->kind == CALL_MATH && !strcmp(name, "f"));
}

const struct callee *calls_find(const char *name)
{
    bool is_intrinsic = has_prefix(name, "llvm.");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_named(&rows[i], name, is_intrinsic))
            return &rows[i];
    return is_intrinsic ? &intrinsic : &foreign;
}

const struct callee *calls_of_function(LLVMValueRef function)
{
    return LLVMIsDeclaration(function) ? calls_find(LLVMGetValueName(function)) : &helper;
}

const struct callee *calls_of(LLVMValueRef value)
{
    LLVMValueRef function = LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;
    return function && LLVMIsAFunction(function) ? calls_of_function(function) : &none;
}

enum call_kind calls_kind(LLVMValueRef value)
{
    return calls_of(value)->kind;
}

bool calls_is_copy(enum call_kind kind)
{
    return kind == CALL_COPY || kind == CALL_MOVE || kind == CALL_SET;
}

const char *calls_name(enum call_kind kind)
{
    int i = 0;
    while (rows[i].kind != kind)
        i++;
    return rows[i].name;
}

bool calls_is_pure(LLVMValueRef call)
{
    LLVMValueRef function = LLVMGetCalledValue(call);
    unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6);
    LLVMAttributeRef attribute =
        LLVMGetCallSiteEnumAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, memory);
    if (!attribute && LLVMIsAFunction(function))
        attribute = LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, memory);
    return attribute && LLVMGetEnumAttributeValue(attribute) == 0;
}

bool calls_follows_arguments(LLVMValueRef call)
{
    LLVMValueRef function = LLVMGetCalledValue(call);
    return calls_is_pure(call) || (LLVMIsAFunction(function) && LLVMGetIntrinsicID(function));
}

const char *calls_libmvec_name(LLVMValueRef call, int lanes)
{
    const struct callee *callee = calls_of(call);
    bool is_float = LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMFloatTypeKind;
    int bits = lanes * (is_float ? 32 : 64);
    char isa = bits == 128 ? 'b' : bits == 256 ? 'd' : bits == 512 ? 'e' : 0;
    if (!isa || callee->lanes != LANES_libmvec ||
        (!is_float && LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMDoubleTypeKind))
        return NULL;
    return arena_printf("_ZGV%cN%d%s_%s%s", isa, lanes, LLVMGetNumArgOperands(call) == 2 ? "vv" : "v", callee->name,
                        is_float ? "f" : "");
}
