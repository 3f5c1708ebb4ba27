/* SPDX-License-Identifier: MIT
 *
 * Each thread has its private arrays for itself. If each lane had one in one piece, an element would lie far from the
 * same element of the next lane, and each access were a gather or scatter. So lanes have their elements side by side,
 *
 *     a[0] of all lanes, a[1] of all lanes, ...
 *
 * and where they have the same subscript, as in most loops, that is a vector. Here the elements of a variable are
 * marked so, and offsets in it are multiplied by the number of lanes, which only the emitter of a body knows:
 *
 *     getelementptr [36 x float], ptr %a, i64 0, i64 %i      becomes      %n = call i64 @amp__lanes()
 *                                                                        getelementptr i8, ptr %a, i64 (4 * %i * %n)
 *
 * needs   kernels without tiles, in their last form; arrays that are only accessed by subscripts, all accesses being
 *         of one size; no debugger looks at them
 * keeps   the size of variables, and what threads compute. No pass of LLVM may run on such kernels, because offsets may
 *         now be greater than the variable. */
#include "kernel/interleave.h"

#include "kernel/calls.h"
#include "kernel/ir.h"

static const char mark[] = "amp.interleaved";

static unsigned kind_of_mark(LLVMValueRef variable)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(variable));
    return LLVMGetMDKindIDInContext(context, mark, sizeof mark - 1);
}

long interleave_size(LLVMValueRef variable)
{
    LLVMValueRef node = LLVMGetMetadata(variable, kind_of_mark(variable)), size;
    if (!node)
        return 0;
    LLVMGetMDNodeOperands(node, &size);
    return (long)LLVMConstIntGetZExtValue(size);
}

/* Whether a pointer into a variable serves only for accesses of elements of `*size` bytes, and its steps are multiples
 * of that; 0 becomes the size of the first one. */
static bool has_elements(LLVMValueRef pointer, long *size)
{
    LLVMTargetDataRef layout = ir_layout_of(pointer);
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        unsigned address;
        LLVMTypeRef type = ir_accessed_type(user, &address);
        if (LLVMIsALoadInst(user) || LLVMIsAStoreInst(user)) {
            long bytes = (long)LLVMStoreSizeOfType(layout, type);
            *size = *size ? *size : bytes;
            if (LLVMGetOperand(user, address) != pointer || (address && LLVMGetOperand(user, 0) == pointer) ||
                !ir_is_element(type) || bytes != *size || LLVMGetOrdering(user) != LLVMAtomicOrderingNotAtomic)
                return false;
        } else if (LLVMIsAGetElementPtrInst(user)) {
            if (LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMPointerTypeKind || !has_elements(user, size))
                return false;
        } else if (calls_kind(user) != CALL_HINT)
            return false;
    }
    return true;
}

static bool has_steps_of(LLVMValueRef pointer, long size)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        long long offset = 0;
        if (LLVMIsAGetElementPtrInst(user) &&
            (!ir_add_step(ir_layout_of(user), user, size, &offset) || offset % size || !has_steps_of(user, size)))
            return false;
    }
    return true;
}

/* Whether a variable consists of several elements that can lie apart. */
static bool can_lie_apart(LLVMValueRef variable, long *size)
{
    enum { MOST = 8 };
    *size = 0;
    if (!LLVMIsAConstantInt(LLVMGetOperand(variable, 0)) ||
        LLVMConstIntGetZExtValue(LLVMGetOperand(variable, 0)) != 1 || !has_elements(variable, size) || *size == 0 ||
        *size > MOST || (*size & (*size - 1)))
        return false;
    unsigned long long bytes = LLVMABISizeOfType(ir_layout_of(variable), LLVMGetAllocatedType(variable));
    return bytes > (unsigned long long)*size && bytes % (unsigned long long)*size == 0 && has_steps_of(variable, *size);
}

/* Returns by how many bytes a step moves, as an i64. */
static LLVMValueRef bytes_of_step(LLVMBuilderRef b, LLVMValueRef step)
{
    LLVMTargetDataRef layout = ir_layout_of(step);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(step),
                i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(step)));
    long long constant = 0;
    LLVMValueRef sum = NULL;
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(step); i++) {
        LLVMValueRef index = LLVMGetOperand(step, i);
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
            constant += (long long)LLVMOffsetOfElement(layout, type, member);
            type = LLVMStructGetTypeAtIndex(type, member);
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        long long bytes = (long long)LLVMABISizeOfType(layout, type);
        if (LLVMIsAConstantInt(index)) {
            constant += LLVMConstIntGetSExtValue(index) * bytes;
            continue;
        }
        LLVMValueRef one = LLVMBuildIntCast2(b, index, i64, true, "");
        one = LLVMBuildMul(b, one, LLVMConstInt(i64, (unsigned long long)bytes, true), "");
        sum = sum ? LLVMBuildAdd(b, sum, one, "") : one;
    }
    LLVMValueRef rest = LLVMConstInt(i64, (unsigned long long)constant, true);
    return !sum ? rest : constant ? LLVMBuildAdd(b, sum, rest, "") : sum;
}

/* Multiplies all steps from a pointer by the number of lanes. Accesses through it are aligned as elements of `size`
 * bytes are. */
static void multiply_steps(LLVMBuilderRef b, LLVMValueRef pointer, long size, LLVMValueRef lanes)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(pointer)));
    for (LLVMUseRef use = LLVMGetFirstUse(pointer), next; use; use = next) {
        next = LLVMGetNextUse(use);
        LLVMValueRef step = LLVMGetUser(use);
        if ((LLVMIsALoadInst(step) || LLVMIsAStoreInst(step)) && LLVMGetAlignment(step) > (unsigned)size)
            LLVMSetAlignment(step, (unsigned)size);
        if (!LLVMIsAGetElementPtrInst(step))
            continue;
        multiply_steps(b, step, size, lanes);
        LLVMPositionBuilderBefore(b, step);
        LLVMValueRef bytes = LLVMBuildMul(b, bytes_of_step(b, step), lanes, "");
        LLVMValueRef new = LLVMBuildGEP2(b, byte, pointer, &bytes, 1, "");
        LLVMReplaceAllUsesWith(step, new);
        LLVMInstructionEraseFromParent(step);
    }
}

static void interleave_variable(LLVMBuilderRef b, LLVMValueRef variable, long size, LLVMValueRef lanes)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(variable));
    LLVMMetadataRef bytes =
        LLVMValueAsMetadata(LLVMConstInt(LLVMInt64TypeInContext(context), (unsigned long long)size, false));
    LLVMSetMetadata(variable, kind_of_mark(variable),
                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, &bytes, 1)));
    multiply_steps(b, variable, size, lanes);
}

static LLVMValueRef declare_lanes(LLVMModuleRef module)
{
    const char *name = calls_name(CALL_LANES);
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    if (function)
        return function;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetModuleContext(module));
    function = LLVMAddFunction(module, name, LLVMFunctionType(i64, NULL, 0, false));
    ir_add_attribute(function, IR_FUNCTION, "memory"); /* no memory at all: the value is 0 */
    ir_add_attribute(function, IR_FUNCTION, "nounwind");
    ir_add_attribute(function, IR_FUNCTION, "willreturn");
    return function;
}

static void interleave_in(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef entry)
{
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(entry)), lanes = NULL;
    for (LLVMValueRef i = first; i; i = LLVMGetNextInstruction(i)) {
        long size;
        if (!LLVMIsAAllocaInst(i) || !can_lie_apart(i, &size))
            continue;
        if (!lanes) {
            LLVMValueRef function = declare_lanes(module);
            LLVMPositionBuilderBefore(b, first);
            lanes = LLVMBuildCall2(b, LLVMGlobalGetValueType(function), function, NULL, 0, "lanes");
        }
        interleave_variable(b, i, size, lanes);
    }
}

void interleave(const struct unit *unit, struct image *image)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(unit->context);
    for (int k = 0; k < unit->n_kernels; k++)
        if (!unit->kernels[k].tiled)
            interleave_in(b, image->module, LLVMGetNamedFunction(image->module, unit->kernels[k].entry));
    LLVMDisposeBuilder(b);
}
