/* SPDX-License-Identifier: MIT
 *
 * As part of `prepare`, replaces the short vectors in which the members of structs meet that are copied by words:
 *
 *     v = insertelement (insertelement poison, half a, 0), half b, 1         w = a's bits | b's bits << 16
 *     w = bitcast <2 x half> v to i32
 *
 *     v = bitcast i32 w to <2 x half>                                        b = bits of w >> 16
 *     b = extractelement v, 1
 *
 * Structs that contain such vectors, which clang makes to return values in registers, are loaded member by member:
 *
 *     s = load {i64, <4 x half>} p                                           v = load <4 x half>, p + 8
 *     v = extractvalue s, 1
 *
 * Needs: code as the scalarizer leaves it, for a little-endian target. */
#include "kernel/vectors.h"

#include <llvm-c/Target.h>

#include <stdbool.h>
#include <stddef.h>

static bool is_vector(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

static unsigned bits_of(LLVMModuleRef module, LLVMTypeRef type)
{
    return (unsigned)LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(module), type);
}

static LLVMTypeRef integer(LLVMModuleRef module, LLVMTypeRef type)
{
    return LLVMIntTypeInContext(LLVMGetModuleContext(module), bits_of(module, type));
}

/* Returns an element of a vector that was put together from elements. */
static LLVMValueRef element_of(LLVMBuilderRef builder, LLVMValueRef vector, unsigned n)
{
    LLVMValueRef at = vector;
    while (LLVMIsAInsertElementInst(at) && LLVMIsAConstantInt(LLVMGetOperand(at, 2))) {
        if (LLVMConstIntGetZExtValue(LLVMGetOperand(at, 2)) == n)
            return LLVMGetOperand(at, 1);
        at = LLVMGetOperand(at, 0);
    }
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(vector)));
    return LLVMBuildExtractElement(builder, at, LLVMConstInt(i32, n, false), "");
}

static LLVMValueRef join(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef cast)
{
    LLVMValueRef vector = LLVMGetOperand(cast, 0);
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(vector)), whole = integer(module, LLVMTypeOf(cast));
    LLVMValueRef result = LLVMConstNull(whole);
    for (unsigned n = 0; n < LLVMGetVectorSize(LLVMTypeOf(vector)); n++) {
        LLVMValueRef one = LLVMBuildBitCast(builder, element_of(builder, vector, n), integer(module, element), "");
        one = LLVMBuildZExt(builder, one, whole, "");
        one = LLVMBuildShl(builder, one, LLVMConstInt(whole, (unsigned long long)n * bits_of(module, element), false),
                           "");
        result = LLVMBuildOr(builder, result, one, "");
    }
    return LLVMBuildBitCast(builder, result, LLVMTypeOf(cast), "");
}

static LLVMValueRef split(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef extract)
{
    LLVMValueRef whole = LLVMGetOperand(LLVMGetOperand(extract, 0), 0);
    LLVMTypeRef element = LLVMTypeOf(extract), type = integer(module, LLVMTypeOf(whole));
    unsigned long long n = LLVMConstIntGetZExtValue(LLVMGetOperand(extract, 1));
    whole = LLVMBuildBitCast(builder, whole, type, "");
    whole = LLVMBuildLShr(builder, whole, LLVMConstInt(type, n * bits_of(module, element), false), "");
    return LLVMBuildBitCast(builder, LLVMBuildTrunc(builder, whole, integer(module, element), ""), element, "");
}

static bool is_split(LLVMValueRef i)
{
    LLVMValueRef vector = LLVMIsAExtractElementInst(i) ? LLVMGetOperand(i, 0) : NULL;
    return vector && LLVMIsABitCastInst(vector) && !is_vector(LLVMTypeOf(LLVMGetOperand(vector, 0))) &&
           LLVMIsAConstantInt(LLVMGetOperand(i, 1));
}

static bool is_join(LLVMValueRef i)
{
    return LLVMIsABitCastInst(i) && is_vector(LLVMTypeOf(LLVMGetOperand(i, 0))) && !is_vector(LLVMTypeOf(i));
}

void vectors_take_apart(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (!is_split(i) && !is_join(i))
                    continue;
                LLVMPositionBuilderBefore(builder, i);
                LLVMReplaceAllUsesWith(i, is_join(i) ? join(module, builder, i) : split(module, builder, i));
                LLVMInstructionEraseFromParent(i);
            }
    LLVMDisposeBuilder(builder);
}

/* ---- structs with vectors ---- */

static bool has_vector(LLVMTypeRef type)
{
    bool result = false;
    for (unsigned m = 0; LLVMGetTypeKind(type) == LLVMStructTypeKind && m < LLVMCountStructElementTypes(type); m++)
        result = result || is_vector(LLVMStructGetTypeAtIndex(type, m));
    return result;
}

/* Loads one member instead of the struct. */
static LLVMValueRef load_member(LLVMBuilderRef builder, LLVMValueRef load, unsigned member)
{
    LLVMTypeRef type = LLVMTypeOf(load);
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(load)));
    unsigned long long offset = LLVMOffsetOfElement(LLVMGetModuleDataLayout(module), type, member),
                       places = offset | LLVMGetAlignment(load);
    LLVMPositionBuilderBefore(builder, load);
    LLVMValueRef result = LLVMBuildLoad2(builder, LLVMStructGetTypeAtIndex(type, member),
                                         LLVMBuildStructGEP2(builder, type, LLVMGetOperand(load, 0), member, ""), "");
    LLVMSetAlignment(result, (unsigned)(places & -places));
    return result;
}

void vectors_load_members(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                LLVMValueRef load = LLVMIsAExtractValueInst(i) ? LLVMGetOperand(i, 0) : NULL;
                if (!load || !LLVMIsALoadInst(load) || LLVMGetVolatile(load) || !has_vector(LLVMTypeOf(load)))
                    continue;
                LLVMReplaceAllUsesWith(i, load_member(builder, load, LLVMGetIndices(i)[0]));
                LLVMInstructionEraseFromParent(i);
            }
    LLVMDisposeBuilder(builder);
}
