/* SPDX-License-Identifier: MIT
 *
 * Makes checks cheaper by what is known about the object. Where a bound is a constant or a
 * parameter of the kernel, subscripts are compared with that value instead of the array's extent from memory: a launch
 * has checked that they agree, and LLVM can then prove what a loop's condition says.
 *
 *     const float a[M][W]
 *     for (int k = 0; k < W; k++) sum += a[row][k];     k is inside: no check is left
 *
 * Whether an object is an array or a tile_static variable decides with what accesses to it are compared. Reads of const
 * arrays are recorded only if the launch can write the same memory through another parameter, so the code for that is
 * kept out of the way; writes of a tile_static variable whose reads are not recorded are compared with writes alone.
 * What atomic operations of the kernel may update keeps the general checks. What a parameter lets the kernel write is
 * writable. */
#include "checked/checked.h"
#include "kernel/entry.h"

#include <amp.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

/* Returns the value of a parameter where the entry loads it, NULL if it does not. */
static LLVMValueRef find_value(const struct checking *c, const struct param *param)
{
    LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(c->entry));
    while (i &&
           !(LLVMIsALoadInst(i) && LLVMTypeOf(i) == c->i32 && entry_argument(c->kernel, LLVMGetOperand(i, 0)) == param))
        i = LLVMGetNextInstruction(i);
    return i;
}

/* Returns the value of a bound before an instruction, NULL if the kernel does not have it. */
static LLVMValueRef value_of(struct checking *c, const struct expr *bound, LLVMValueRef before)
{
    if (bound->op == EXPR_CONSTANT && !bound->is_of_variable)
        return LLVMConstInt(c->i64, (unsigned long long)bound->value, true);
    const struct param *param = bound->op == EXPR_PARAM ? &c->kernel->params[bound->param] : NULL;
    LLVMValueRef value = param && param->type == AMP_TYPE_I32 ? find_value(c, param) : NULL;
    LLVMPositionBuilderBefore(c->builder, before);
    LLVMSetCurrentDebugLocation2(c->builder, LLVMInstructionGetDebugLoc(before));
    return value ? LLVMBuildSExt(c->builder, value, c->i64, "") : NULL;
}

/* Returns the array parameter that an object is, NULL if it is none. */
static const struct param *param_of(const struct checking *c, LLVMValueRef object)
{
    for (int p = 0; p < c->kernel->n_params; p++)
        if (c->kernel->params[p].kind == PARAM_ARRAY && object == table_object(c, c->object_of_param[p]))
            return &c->kernel->params[p];
    return NULL;
}

static void set_extents(struct checking *c, LLVMValueRef call, unsigned n, const struct param *param)
{
    for (unsigned d = 0; !c->kernel->is_closure && d < n; d++) {
        LLVMValueRef value = value_of(c, param->bounds[d].expr, call);
        if (value)
            LLVMSetOperand(call, 2 + n + d, value);
    }
}

static void call_instead(struct checking *c, LLVMValueRef call, const char *name)
{
    LLVMSetOperand(call, LLVMGetNumArgOperands(call), LLVMGetNamedFunction(c->module, name));
}

/* Of which objects, by their numbers, the kernel records reads and updates. */
struct recorded {
    bool *reads, *updates;
};

/* Notes that a check records accesses of an object. What may be any object is all of them, and arrays may overlap. */
static void note_recorded(const struct checking *c, LLVMValueRef call, bool *is_recorded)
{
    LLVMValueRef object = LLVMGetOperand(call, 0);
    int variable = table_tile_variable(c, object), first = c->n_objects - c->n_tile_variables;
    for (int i = 0; i < c->n_objects; i++)
        is_recorded[i] =
            is_recorded[i] || !LLVMIsConstant(object) || (variable < 0 ? i < first : i == first + variable);
}

static struct recorded find_recorded(const struct checking *c)
{
    struct recorded recorded = {arena_alloc((size_t)c->n_objects + 1), arena_alloc((size_t)c->n_objects + 1)};
    memset(recorded.reads, 0, (size_t)c->n_objects);
    memset(recorded.updates, 0, (size_t)c->n_objects);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (table_calls(i, "amp__check_read"))
                note_recorded(c, i, recorded.reads);
            else if (table_calls(i, "amp__check_update"))
                note_recorded(c, i, recorded.updates);
    return recorded;
}

/* Chooses the check of an access to an object that is known. */
static void choose(struct checking *c, LLVMValueRef call, const struct param *param, const struct recorded *recorded)
{
    int variable = table_tile_variable(c, LLVMGetOperand(call, 0)), first = c->n_objects - c->n_tile_variables;
    bool is_tile = variable >= 0;
    int number = is_tile ? first + variable : c->object_of_param[param - c->kernel->params];
    if (table_calls(call, "amp__check_read") && !is_tile && param->read_only)
        call_instead(c, call, "amp__check_read_constant");
    else if (recorded->updates[number])
        return;
    else if (table_calls(call, "amp__check_read"))
        call_instead(c, call, is_tile ? "amp__check_read_tile" : "amp__check_read_array");
    else if (table_calls(call, "amp__check_write"))
        call_instead(c, call,
                     !is_tile                  ? "amp__check_write_array"
                     : recorded->reads[number] ? "amp__check_write_tile"
                                               : "amp__check_write_unread");
}

/* Returns true if the check is not needed. */
static bool simplify(struct checking *c, LLVMValueRef call, const struct recorded *recorded)
{
    static const char *const names[] = {"amp__check_index1", "amp__check_index2"};
    const struct param *param = param_of(c, LLVMGetOperand(call, 0));
    bool is_tile = table_tile_variable(c, LLVMGetOperand(call, 0)) >= 0;
    for (unsigned n = 1; n <= sizeof names / sizeof *names && param; n++)
        if (table_calls(call, names[n - 1]))
            set_extents(c, call, n, param);
    if (param || is_tile)
        choose(c, call, param, recorded);
    return table_calls(call, "amp__check_writable") && (is_tile || (param && !param->read_only));
}

void known_simplify_checks(struct checking *c)
{
    const struct recorded recorded = find_recorded(c);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (LLVMIsACallInst(i) && simplify(c, i, &recorded))
                LLVMInstructionEraseFromParent(i);
        }
}
