/* SPDX-License-Identifier: MIT
 *
 * Notes which local variables were written. A variable that will be an SSA value gets a flag, which becomes one, too:
 *
 *     int x;              flag = false
 *     if (a) x = 1;       flag = true
 *     b = x;              report unless flag
 *
 * so LLVM removes what is certain. Other variables get an array of bytes. */
#include "base/map.h"
#include "checked/checked.h"
#include "driver/driver.h"
#include "kernel/calls.h"
#include "kernel/ir.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

static bool is_life(LLVMValueRef call, bool *begins)
{
    const char *name =
        LLVMIsACallInst(call) && LLVMGetCalledValue(call) ? LLVMGetValueName(LLVMGetCalledValue(call)) : "";
    *begins = has_prefix(name, "llvm.lifetime.start");
    return *begins || has_prefix(name, "llvm.lifetime.end");
}

bool locals_is_plain(LLVMValueRef variable)
{
    LLVMTypeRef type = LLVMGetAllocatedType(variable);
    bool ignored;
    for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool is_load = LLVMIsALoadInst(user) && LLVMTypeOf(user) == type;
        bool is_store = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == variable &&
                        LLVMTypeOf(LLVMGetOperand(user, 0)) == type;
        if (!((is_load || is_store) && !LLVMGetVolatile(user)) && !is_life(user, &ignored))
            return false;
    }
    return true;
}

static void position_before(struct checking *c, LLVMValueRef instruction)
{
    LLVMPositionBuilderBefore(c->builder, instruction);
    LLVMSetCurrentDebugLocation2(c->builder, LLVMInstructionGetDebugLoc(instruction));
}

/* The name of a variable in the source: clang adds ".addr" to parameters, and the function to static variables. */
static const char *source_name(LLVMValueRef variable)
{
    const char *name = LLVMGetValueName(variable), *dot = strchr(name, '.');
    if (LLVMIsAGlobalVariable(variable))
        return ir_variable_name(variable);
    return dot && dot > name ? arena_printf("%.*s", (int)(dot - name), name) : name;
}

static LLVMValueRef describe_variable(struct checking *c, LLVMValueRef variable, LLVMTypeRef type)
{
    return table_constant(c, table_variable(c, source_name(variable), type, NULL, NULL));
}

/* ---- variables that become SSA values ---- */

static void set_flag(struct checking *c, LLVMValueRef flag, bool value)
{
    LLVMBuildStore(c->builder, LLVMConstInt(c->i32, value, false), flag);
}

static void check_flag(struct checking *c, LLVMValueRef load, LLVMValueRef flag, LLVMValueRef description)
{
    position_before(c, load);
    LLVMValueRef args[] = {LLVMBuildLoad2(c->builder, c->i32, flag, ""), table_site(c, load, USE_READ), description};
    table_call(c, "amp__check_flag", args, 3);
}

static void watch_plain(struct checking *c, LLVMValueRef variable)
{
    LLVMValueRef description = describe_variable(c, variable, LLVMGetAllocatedType(variable));
    LLVMPositionBuilderBefore(c->builder, variable);
    LLVMSetCurrentDebugLocation2(c->builder, NULL);
    LLVMValueRef flag = LLVMBuildAlloca(c->builder, c->i32, "");
    set_flag(c, flag, false);
    for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool begins = false;
        if (LLVMIsALoadInst(user)) {
            check_flag(c, user, flag, description);
        } else if (LLVMIsAStoreInst(user) || (is_life(user, &begins) && begins)) {
            position_before(c, user);
            set_flag(c, flag, !begins);
        }
    }
}

/* ---- variables in memory ---- */

static LLVMValueRef size_of(struct checking *c, LLVMTypeRef type)
{
    return LLVMConstInt(c->i64, LLVMABISizeOfType(LLVMGetModuleDataLayout(c->module), type), false);
}

static struct local *add_local(struct checking *c, LLVMValueRef variable, LLVMTypeRef type)
{
    struct local *local = &c->locals[c->n_locals++];
    *local = (struct local){.variable = variable, .type = type, .description = describe_variable(c, variable, type)};
    return local;
}

static void forget(struct checking *c, const struct local *local)
{
    LLVMValueRef zero = LLVMConstInt(LLVMInt8TypeInContext(c->context), 0, false);
    LLVMBuildMemSet(c->builder, local->defined, zero, size_of(c, local->type), 1);
}

static void set_field(struct checking *c, LLVMValueRef object, unsigned field, LLVMValueRef value)
{
    LLVMBuildStore(c->builder, value, LLVMBuildStructGEP2(c->builder, table_object_type(c), object, field, ""));
}

/* Makes the object of a variable, for pointers into it. */
static void make_object(struct checking *c, const struct local *local)
{
    enum { VARIABLE, BASE, SIZE, WRITTEN, READ, UPDATED, DEFINED, IS_TILE, IS_CONSTANT };
    LLVMValueRef null = LLVMConstNull(c->pointer);
    LLVMValueRef object = LLVMBuildAlloca(c->builder, table_object_type(c), "");
    set_field(c, object, VARIABLE, local->description);
    set_field(c, object, BASE, local->variable);
    set_field(c, object, SIZE, size_of(c, local->type));
    set_field(c, object, WRITTEN, null);
    set_field(c, object, READ, null);
    set_field(c, object, UPDATED, null);
    set_field(c, object, DEFINED, local->defined);
    set_field(c, object, IS_TILE, LLVMConstInt(c->i64, 0, false));
    set_field(c, object, IS_CONSTANT, LLVMConstInt(c->i64, 0, false));
    LLVMValueRef args[] = {local->variable, object};
    LLVMBuildCall2(c->builder, LLVMGlobalGetValueType(c->note_local), c->note_local, args, 2, "");
}

static void watch_memory(struct checking *c, LLVMValueRef variable)
{
    struct local *local = add_local(c, variable, LLVMGetAllocatedType(variable));
    LLVMTypeRef byte = LLVMInt8TypeInContext(c->context);
    LLVMPositionBuilderBefore(c->builder, LLVMGetNextInstruction(variable));
    LLVMSetCurrentDebugLocation2(c->builder, NULL);
    local->defined =
        LLVMBuildAlloca(c->builder, LLVMArrayType2(byte, LLVMConstIntGetZExtValue(size_of(c, local->type))), "");
    forget(c, local);
    make_object(c, local);
    for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool begins;
        if (!is_life(user, &begins) || !begins)
            continue;
        position_before(c, user);
        forget(c, local);
    }
}

/* ---- all ---- */

/* Returns the type of a parameter that is passed by value, NULL if it is not. */
static LLVMTypeRef passed_by_value(LLVMValueRef function, unsigned parameter)
{
    static const char name[] = "byval";
    LLVMAttributeRef attribute =
        LLVMGetEnumAttributeAtIndex(function, parameter + 1, LLVMGetEnumAttributeKindForName(name, sizeof name - 1));
    return attribute ? LLVMGetTypeAttributeValue(attribute) : NULL;
}

static int count_constants(const struct checking *c)
{
    int n = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(c->module); g; g = LLVMGetNextGlobal(g))
        n++;
    return n;
}

static void watch(struct checking *c, LLVMValueRef variable)
{
    int kind = c->own_variables ? map_get(c->own_variables, variable) : 1;
    if (kind == 0)
        add_local(c, variable, LLVMGetAllocatedType(variable));
    else if (kind > 0 && locals_is_plain(variable))
        watch_plain(c, variable);
    else if (kind > 0)
        watch_memory(c, variable);
}

void locals_begin(struct checking *c)
{
    LLVMBasicBlockRef first = LLVMGetEntryBasicBlock(c->function);
    unsigned n_params = LLVMCountParams(c->function);
    int n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(first); i; i = LLVMGetNextInstruction(i))
        n += LLVMIsAAllocaInst(i) != NULL;
    LLVMValueRef *variables = arena_alloc((size_t)n * sizeof *variables);
    c->locals = arena_alloc(((size_t)n + n_params + (size_t)count_constants(c)) * sizeof *c->locals);
    c->n_locals = n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(first); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i))
            variables[n++] = i;
    for (int i = 0; i < n; i++)
        watch(c, variables[i]);
    for (unsigned p = 0; p < n_params; p++)
        if (passed_by_value(c->function, p))
            add_local(c, LLVMGetParam(c->function, p), passed_by_value(c->function, p));
}

struct local *locals_find(struct checking *c, LLVMValueRef variable)
{
    for (int i = 0; i < c->n_locals; i++)
        if (c->locals[i].variable == variable)
            return &c->locals[i];
    if (LLVMIsAGlobalVariable(variable) && LLVMIsGlobalConstant(variable))
        return add_local(c, variable, LLVMGlobalGetValueType(variable));
    return NULL;
}
