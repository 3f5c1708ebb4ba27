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
 * What a parameter lets the kernel write is writable. */
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

/* Notes of which tile_static variables the kernel records reads. */
static void note_reads(const struct checking *c, bool *is_read)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!table_calls(i, "amp__check_read"))
                continue;
            int variable = table_tile_variable(c, LLVMGetOperand(i, 0));
            for (int t = 0; t < c->n_tile_variables; t++)
                is_read[t] = is_read[t] || t == variable || !LLVMIsConstant(LLVMGetOperand(i, 0));
        }
}

/* Returns true if the check is not needed. */
static bool simplify(struct checking *c, LLVMValueRef call, const bool *is_read)
{
    static const char *const names[] = {"amp__check_index1", "amp__check_index2"};
    const struct param *param = param_of(c, LLVMGetOperand(call, 0));
    int variable = table_tile_variable(c, LLVMGetOperand(call, 0));
    bool is_tile = variable >= 0;
    for (unsigned n = 1; n <= sizeof names / sizeof *names && param; n++)
        if (table_calls(call, names[n - 1]))
            set_extents(c, call, n, param);
    if (table_calls(call, "amp__check_read") && (param || is_tile))
        call_instead(c, call,
                     is_tile            ? "amp__check_read_tile"
                     : param->read_only ? "amp__check_read_constant"
                                        : "amp__check_read_array");
    else if (table_calls(call, "amp__check_write") && (param || is_tile))
        call_instead(c, call,
                     !is_tile            ? "amp__check_write_array"
                     : is_read[variable] ? "amp__check_write_tile"
                                         : "amp__check_write_unread");
    return table_calls(call, "amp__check_writable") && (is_tile || (param && !param->read_only));
}

void known_simplify_checks(struct checking *c)
{
    bool *is_read = arena_alloc((size_t)c->n_tile_variables + 1);
    memset(is_read, 0, (size_t)c->n_tile_variables);
    note_reads(c, is_read);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (LLVMIsACallInst(i) && simplify(c, i, is_read))
                LLVMInstructionEraseFromParent(i);
        }
}
