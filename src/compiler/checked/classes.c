/* SPDX-License-Identifier: MIT
 *
 * What C++ AMP needs besides. Checks are put before the accesses of the source's own functions. What <amp.h> does
 * there, for indices, extents and views, is inlined into them first, and is right: so elements are accessed where the
 * source accesses them, and with each goes a call that says with which subscripts the address was made:
 *
 *     view[i] = 1;      store i32 1, amp__subscript(address, i, extent)
 *
 * It is not noted which parts of variables of classes are written: not all constructors are seen. Once all is inlined,
 * what checks pointers to them is left out, so that they become SSA values, and every pointer leads back to its
 * array. */
#include "base/map.h"
#include "checked/checked.h"
#include "driver/driver.h"
#include "kernel/entry.h"
#include "kernel/ir.h"

#include <llvm-c/DebugInfo.h>

static const char subscript[] = "amp__subscript";

/* ---- before there are checks ---- */

/* Removes clang's checks of arithmetic. */
static void trust(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
            next = LLVMGetNextInstruction(i);
            if (callee && LLVMIsAFunction(callee) && has_prefix(LLVMGetValueName(callee), "amp__check_"))
                LLVMInstructionEraseFromParent(i);
        }
}

/* Whether a variable has no class as its type, nor in its elements. */
static bool is_of_numbers(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMArrayTypeKind:
        return is_of_numbers(LLVMGetElementType(type));
    case LLVMStructTypeKind:
        return false;
    default:
        return true;
    }
}

static void note_variables(struct checking *c, LLVMValueRef function)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i))
            map_set(c->own_variables, i, is_of_numbers(LLVMGetAllocatedType(i)));
}

void classes_inline_library(struct checking *c)
{
    c->own_variables = map_new();
    for (LLVMValueRef f = LLVMGetFirstFunction(c->module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || entry_is(f))
            continue;
        if (ir_is_of_library(f)) {
            trust(f);
            continue;
        }
        ir_hold(f, true);
        note_variables(c, f);
    }
    ir_run_passes(c->module, c->image->machine, "function(sroa,instsimplify),always-inline,globaldce");
    for (LLVMValueRef f = LLVMGetFirstFunction(c->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && !entry_is(f))
            ir_hold(f, false);
}

/* ---- subscripts ---- */

int classes_subscripts(LLVMValueRef address, LLVMValueRef *subscripts, LLVMValueRef *extents)
{
    int n = 0;
    for (LLVMValueRef at = address; table_calls(at, subscript); at = LLVMGetOperand(at, 0))
        n++;
    for (int d = n - 1; d >= 0; d--, address = LLVMGetOperand(address, 0)) {
        subscripts[d] = LLVMGetOperand(address, 1);
        extents[d] = LLVMGetOperand(address, 2);
    }
    return n;
}

void classes_drop_subscripts(LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, subscript);
    for (LLVMUseRef use; function && (use = LLVMGetFirstUse(function));) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
        LLVMInstructionEraseFromParent(call);
    }
}

/* ---- once all is inlined ---- */

/* Whether a pointer leads to nothing but variables that are not checked. */
static bool is_unchecked(const struct map *noted, struct map *seen, LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    if (map_get(seen, pointer) > 0)
        return true;
    map_set(seen, pointer, 1);
    bool is = LLVMIsAAllocaInst(pointer) && map_get(noted, pointer) < 0;
    if (LLVMIsASelectInst(pointer))
        return is_unchecked(noted, seen, LLVMGetOperand(pointer, 1)) &&
               is_unchecked(noted, seen, LLVMGetOperand(pointer, 2));
    if (LLVMIsAPHINode(pointer)) {
        is = true;
        for (unsigned k = 0; k < LLVMCountIncoming(pointer) && is; k++)
            is = is_unchecked(noted, seen, LLVMGetIncomingValue(pointer, k));
    }
    return is;
}

/* Removes the checks that have an object. */
static void drop_checks(LLVMValueRef object)
{
    for (LLVMUseRef use; (use = LLVMGetFirstUse(object));) {
        LLVMValueRef check = LLVMGetUser(use);
        if (LLVMGetTypeKind(LLVMTypeOf(check)) != LLVMVoidTypeKind)
            LLVMReplaceAllUsesWith(check, LLVMConstNull(LLVMTypeOf(check)));
        LLVMInstructionEraseFromParent(check);
    }
    LLVMInstructionEraseFromParent(object);
}

/* Removes what checks pointers to variables that are not checked. Returns whether there was any. */
static bool drop_unchecked(struct checking *c)
{
    struct map *noted = map_new();
    bool has_any = false;
    for (LLVMUseRef use = LLVMGetFirstUse(c->note_local); use; use = LLVMGetNextUse(use))
        map_set(noted, LLVMGetOperand(LLVMGetUser(use), 0), 1);
    for (LLVMUseRef use = LLVMGetFirstUse(c->find_object), next; use; use = next) {
        LLVMValueRef object = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (!is_unchecked(noted, map_new(), LLVMGetOperand(object, 0)))
            continue;
        drop_checks(object);
        has_any = true;
    }
    return has_any;
}

void classes_take_apart(struct checking *c)
{
    classes_drop_subscripts(c->module);
    do { /* a variable that has been taken apart may have had the address of another one */
        ir_run_passes(c->module, c->image->machine, "function(instsimplify,sroa,instsimplify)");
    } while (drop_unchecked(c));
}
