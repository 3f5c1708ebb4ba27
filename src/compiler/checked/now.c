/* SPDX-License-Identifier: MIT
 *
 * What entries with checks read of `amp__check_now` and the objects, and where they wait. */
#include "checked/regions.h"
#include "driver/driver.h"
#include "kernel/entry.h"
#include "kernel/ir.h"

LLVMValueRef now_barrier(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (i && !table_calls(i, "amp__check_suspend"))
        i = LLVMGetNextInstruction(i);
    return i;
}

LLVMValueRef now_root(const struct checking *c, LLVMValueRef address, long long *offset)
{
    *offset = 0;
    while ((LLVMIsAGetElementPtrInst(address) ||
            (LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) == LLVMGetElementPtr)) &&
           ir_add_step(LLVMGetModuleDataLayout(c->module), address, 0, offset))
        address = LLVMGetOperand(address, 0);
    return LLVMIsAGlobalVariable(address) ? address : NULL;
}

bool now_has(const struct checking *c, LLVMValueRef address, int *field)
{
    long long offset;
    LLVMValueRef now = LLVMGetNamedGlobal(c->module, "amp__check_now");
    LLVMTypeRef type = LLVMGlobalGetValueType(now);
    if (now_root(c, address, &offset) != now)
        return false;
    *field = (int)LLVMCountStructElementTypes(type) - 1;
    while (*field >= 0 &&
           offset != (long long)LLVMOffsetOfElement(LLVMGetModuleDataLayout(c->module), type, (unsigned)*field))
        --*field;
    return true;
}

bool now_is_fixed(const struct checking *c, LLVMValueRef load)
{
    long long offset;
    int field;
    if (LLVMGetVolatile(load))
        return false;
    if (entry_is_argument(LLVMGetOperand(load, 0)))
        return true;
    if (now_has(c, LLVMGetOperand(load, 0), &field))
        return field != NOW_THREAD && field != NOW_WAITS;
    LLVMValueRef root = now_root(c, LLVMGetOperand(load, 0), &offset);
    return root && has_prefix(LLVMGetValueName(root), "amp.check.objects");
}

bool now_is_note(const struct checking *c, LLVMValueRef i)
{
    int field;
    return LLVMIsAStoreInst(i) && now_has(c, LLVMGetOperand(i, 1), &field) && field == NOW_WAITS;
}
