/* SPDX-License-Identifier: MIT
 *
 * Follows an address back to the variable from whose address it was made, and reads the subscripts on the way. clang
 * makes one instruction for each subscript, while local variables are still in memory: for `float a[M][W]`
 *
 *     a[i][j]     getelementptr float, (getelementptr float, a, i * W), j
 *
 * and for `float t[4][8]`, getelementptr [4 x [8 x float]], t, 0, i and so on. */
#include "checked/checked.h"
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

/* Adds the links of one instruction, innermost first. */
static void add_links(struct checking *c, LLVMValueRef gep, struct chain *chain)
{
    struct link links[MAX_LINKS];
    int n = 0, n_operands = LLVMGetNumOperands(gep);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    LLVMValueRef index = LLVMGetOperand(gep, 1);
    bool is_zero = LLVMIsAConstantInt(index) && LLVMIsNull(index);
    if (!is_zero || n_operands == 2)
        links[n++] = (struct link){.index = index, .stride = size_of(c, type), .is_step = true};
    for (int i = 2; i < n_operands && n < MAX_LINKS; i++) {
        index = LLVMGetOperand(gep, (unsigned)i);
        if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
            chain->offset += LLVMOffsetOfElement(LLVMGetModuleDataLayout(c->module), type, member);
            type = LLVMStructGetTypeAtIndex(type, member);
            continue;
        }
        LLVMValueRef extent = LLVMConstInt(c->i64, LLVMGetArrayLength2(type), false);
        type = LLVMGetElementType(type);
        links[n++] = (struct link){.index = index, .extent = extent, .stride = size_of(c, type)};
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
    LLVMValueRef parameter = c->kernel ? parameter_of(root) : NULL;
    for (int p = 0; parameter && p < c->kernel->n_params; p++)
        if (c->kernel->params[p].kind == PARAM_ARRAY && !strcmp(c->kernel->params[p].name, LLVMGetValueName(parameter)))
            return &c->kernel->params[p];
    return NULL;
}

bool chain_is_index(const struct checking *c, LLVMValueRef root)
{
    LLVMValueRef parameter = c->kernel ? parameter_of(root) : NULL;
    return parameter && parameter == LLVMGetParam(c->function, 0);
}
