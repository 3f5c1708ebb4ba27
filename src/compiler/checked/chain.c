/* SPDX-License-Identifier: MIT
 *
 * Follows an address back to the variable from whose address it was made, and reads the subscripts on the way. clang
 * makes one instruction for each subscript, while local variables are still in memory: for `float a[M][W]`
 *
 *     a[i][j]     getelementptr float, (getelementptr float, a, i * W), j
 *
 * and for `float t[4][8]`, getelementptr [4 x [8 x float]], t, 0, i and so on. */
#include "checked/checked.h"
#include "driver/driver.h"
#include "kernel/entry.h"
#include "kernel/ir.h"

#include <string.h>

static bool is_step(LLVMValueRef value)
{
    return LLVMIsAGetElementPtrInst(value) ||
           (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

static unsigned long long size_of(const struct checking *c, LLVMTypeRef type)
{
    return LLVMABISizeOfType(LLVMGetModuleDataLayout(c->module), type);
}

static void add(struct chain *chain, const struct link *link)
{
    if (chain->n >= 0 && chain->n < MAX_LINKS)
        chain->links[chain->n++] = *link;
    else
        chain->n = -1;
}

/* Returns what clang multiplied a subscript by, because the rows have a variable length; NULL: nothing. A product of
 * the source has another name. */
static LLVMValueRef row_of(LLVMValueRef index)
{
    const char *name = LLVMGetValueName(index);
    bool is_product = LLVMIsAInstruction(index) && LLVMGetInstructionOpcode(index) == LLVMMul;
    return is_product && (!*name || has_prefix(name, "vla.index")) ? LLVMGetOperand(index, 1) : NULL;
}

static bool is_sum(LLVMValueRef gep)
{
    const char *name = LLVMGetValueName(gep);
    return has_prefix(name, "add.ptr") || has_prefix(name, "incdec.ptr");
}

/* Adds the links of one instruction, innermost first. */
static void add_links(struct checking *c, LLVMValueRef gep, struct chain *chain)
{
    struct link links[MAX_LINKS];
    int n = 0, n_operands = LLVMGetNumOperands(gep);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    LLVMValueRef index = LLVMGetOperand(gep, 1);
    bool is_member = false, is_zero = LLVMIsAConstantInt(index) && LLVMIsNull(index);
    if (!is_zero || n_operands == 2)
        links[n++] = (struct link){
            .index = index, .stride = size_of(c, type), .is_step = true, .is_walk = is_sum(gep), .row = row_of(index)};
    for (int i = 2; i < n_operands && n < MAX_LINKS; i++) {
        index = LLVMGetOperand(gep, (unsigned)i);
        if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
            chain->offset += LLVMOffsetOfElement(LLVMGetModuleDataLayout(c->module), type, member);
            type = LLVMStructGetTypeAtIndex(type, member);
            is_member = true;
            for (int inner = 0; inner < chain->n; inner++)
                chain->links[inner].is_member = true;
            continue;
        }
        LLVMValueRef extent = LLVMConstInt(c->i64, LLVMGetArrayLength2(type), false);
        type = LLVMGetElementType(type);
        links[n++] =
            (struct link){.index = index, .extent = extent, .stride = size_of(c, type), .is_member = is_member};
    }
    while (n > 0)
        add(chain, &links[--n]);
}

struct chain chain_of(struct checking *c, LLVMValueRef pointer)
{
    struct chain chain = {.n = 0};
    for (; is_step(pointer); pointer = LLVMGetOperand(pointer, 0))
        add_links(c, pointer, &chain);
    for (int i = 0; i < chain.n / 2; i++) {
        struct link other = chain.links[i];
        chain.links[i] = chain.links[chain.n - 1 - i];
        chain.links[chain.n - 1 - i] = other;
    }
    chain.root = pointer;
    return chain;
}

/* ---- rows ---- */

/* Lists the factors of a row's length. Returns how many there are. */
static int factors_of(LLVMValueRef row, LLVMValueRef *factors)
{
    if (!row)
        return 0;
    bool is_product = LLVMIsAInstruction(row) && LLVMGetInstructionOpcode(row) == LLVMMul && LLVMGetNUW(row);
    int n = is_product ? factors_of(LLVMGetOperand(row, 0), factors) : 0;
    if (n < MAX_RANK)
        factors[n++] = is_product ? LLVMGetOperand(row, 1) : row;
    return n;
}

/* Returns how many of the row `inner` a row `outer` has, NULL if that is not known. */
static LLVMValueRef ratio_of(LLVMValueRef outer, LLVMValueRef inner)
{
    LLVMValueRef of_outer[MAX_RANK], of_inner[MAX_RANK];
    int n = factors_of(outer, of_outer), n_inner = factors_of(inner, of_inner);
    bool is_known = n == n_inner + 1;
    for (int i = 0; i < n_inner && is_known; i++)
        is_known = of_outer[i + 1] == of_inner[i];
    return is_known ? of_outer[0] : NULL;
}

/* Reads the subscripts that are steps of the pointer. Returns the link after them, -1 if it is moved across rows. */
static int read_steps(struct checking *c, const struct chain *chain, struct rows *rows)
{
    int i = 0;
    rows->index[0] = LLVMConstInt(c->i64, 0, false);
    rows->n = 1;
    for (; i < chain->n && chain->links[i].is_step; i++) {
        const struct link *link = &chain->links[i], *before = link - 1;
        LLVMValueRef index = link->row ? LLVMGetOperand(link->index, 0) : link->index;
        index = LLVMBuildSExtOrBitCast(c->builder, index, c->i64, "");
        if (i == 0 || (rows->n == 1 && link->row == before->row && link->stride == before->stride)) {
            rows->index[0] = LLVMBuildAdd(c->builder, rows->index[0], index, "");
            continue;
        }
        rows->extent[rows->n] = ratio_of(before->row, link->row);
        rows->index[rows->n] = index;
        if (link->is_walk || link->stride != before->stride || !rows->extent[rows->n++])
            return -1;
    }
    return i;
}

struct rows chain_rows(struct checking *c, const struct chain *chain)
{
    struct rows rows;
    int i = read_steps(c, chain, &rows);
    for (; i >= 0 && i < chain->n && !chain->links[i].is_step && !chain->links[i].is_member; i++) {
        rows.index[rows.n] = LLVMBuildSExtOrBitCast(c->builder, chain->links[i].index, c->i64, "");
        rows.extent[rows.n++] = chain->links[i].extent;
    }
    for (; i >= 0 && i < chain->n; i++)
        if (chain->links[i].is_step)
            i = -2;
    if (i < 0 || rows.n > MAX_RANK)
        rows.n = 0;
    return rows;
}

const char *chain_pointer_name(LLVMValueRef root)
{
    LLVMValueRef variable = LLVMIsALoadInst(root) ? LLVMGetOperand(root, 0) : NULL;
    const char *name = variable && LLVMIsAAllocaInst(variable) ? LLVMGetValueName(variable) : "";
    if (LLVMIsAGlobalVariable(root))
        return ir_variable_name(root);
    return *name ? arena_printf("%.*s", (int)strcspn(name, "."), name) : NULL;
}

bool chain_is_constant(const struct chain *chain, unsigned long long *offset)
{
    *offset = chain->offset;
    for (int i = 0; i < chain->n; i++) {
        if (!LLVMIsAConstantInt(chain->links[i].index))
            return false;
        *offset += (unsigned long long)LLVMConstIntGetSExtValue(chain->links[i].index) * chain->links[i].stride;
    }
    return chain->n >= 0;
}

/* Returns the parameter of the function whose value a variable always has that is loaded, NULL if there is none. */
static LLVMValueRef parameter_of(LLVMValueRef load)
{
    LLVMValueRef variable = LLVMIsALoadInst(load) ? LLVMGetOperand(load, 0) : NULL, value = NULL;
    if (!variable || !LLVMIsAAllocaInst(variable))
        return NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsALoadInst(user) || LLVMIsACallInst(user))
            continue; /* a call notes its life */
        if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != variable || value)
            return NULL;
        value = LLVMGetOperand(user, 0);
    }
    return value && LLVMIsAArgument(value) ? value : NULL;
}

const struct param *chain_param(const struct checking *c, LLVMValueRef root)
{
    LLVMValueRef parameter = c->kernel && !c->kernel->is_closure ? parameter_of(root) : NULL;
    for (int p = 0; parameter && p < c->kernel->n_params; p++)
        if (c->kernel->params[p].kind == PARAM_ARRAY && !strcmp(c->kernel->params[p].name, LLVMGetValueName(parameter)))
            return &c->kernel->params[p];
    return NULL;
}

bool chain_is_index(const struct checking *c, LLVMValueRef root)
{
    LLVMValueRef parameter = c->kernel && !c->kernel->is_closure ? parameter_of(root) : NULL;
    return parameter && parameter == LLVMGetParam(c->function, 0);
}
