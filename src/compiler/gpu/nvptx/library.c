/* SPDX-License-Identifier: MIT
 *
 * Links the library that kernels on GPUs call: src/gpu and libclc, which are compiled to bitcode when ampcc is built
 * and are part of ampcc. It is read lazily and linked by need, so only what is called costs anything. Intrinsics for
 * which the hardware has no instruction become calls of the library. */
#include "gpu/grid.h"
#include "gpu/nvptx/nvptx.h"
#include "kernel/calls.h"
#include "kernel/ir.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <string.h>

extern const char ptx_library_begin[], ptx_library_end[];
__asm__(".section .rodata\n"
        ".global ptx_library_begin, ptx_library_end\n"
        "ptx_library_begin: .incbin \"" AMPCC_GPU_LIBRARY "\"\n"
        "ptx_library_end: .byte 0\n"
        ".previous");

/* ---- intrinsics ---- */

static LLVMValueRef declare(LLVMModuleRef module, const char *name, LLVMTypeRef result, LLVMTypeRef *params, unsigned n)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    return function ? function : LLVMAddFunction(module, name, LLVMFunctionType(result, params, n, false));
}

/* Calls `name`, which returns its results, or those after the first, through pointers, as in NAME(x, &r...) or r0 =
 * NAME(x, &r1); makes a struct of them. */
static LLVMValueRef call_with_pointers(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef call,
                                       const char *name)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef type = LLVMTypeOf(call), pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef x = LLVMTypeOf(LLVMGetOperand(call, 0)), first = LLVMStructGetTypeAtIndex(type, 0),
                second = LLVMStructGetTypeAtIndex(type, 1);
    bool returns = calls_of(call)->math != MATH_sincos;
    LLVMValueRef places[2], result = LLVMGetPoison(type);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(builder), entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(here));
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(entry));
    for (int i = 0; i < 2; i++)
        places[i] = LLVMBuildAlloca(builder, i ? second : first, "");
    LLVMPositionBuilderBefore(builder, call);
    LLVMTypeRef params[] = {x, pointer, pointer};
    LLVMValueRef args[] = {LLVMGetOperand(call, 0), returns ? places[1] : places[0], places[1]};
    LLVMValueRef function =
        declare(module, name, returns ? first : LLVMVoidTypeInContext(context), params, returns ? 2 : 3);
    LLVMValueRef one = LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, args, returns ? 2 : 3, "");
    result =
        LLVMBuildInsertValue(builder, result, returns ? one : LLVMBuildLoad2(builder, first, places[0], ""), 0, "");
    return LLVMBuildInsertValue(builder, result, LLVMBuildLoad2(builder, second, places[1], ""), 1, "");
}

/* Replaces an intrinsic by a call of the library's function of the same name. */
static void lower_intrinsic(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef call)
{
    const struct callee *callee = calls_of(call);
    bool is_power = callee->kind == CALL_INTEGER_POWER;
    if (!is_power && (callee->kind != CALL_MATH || callee->intrinsic))
        return;
    LLVMTypeRef x = LLVMTypeOf(LLVMGetOperand(call, 0)), types[2] = {x};
    const char *name =
        arena_printf("%s%s", is_power ? "pow" : callee->name, LLVMGetTypeKind(x) == LLVMFloatTypeKind ? "f" : "");
    LLVMPositionBuilderBefore(builder, call);
    LLVMValueRef result, args[2];
    if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMStructTypeKind) {
        result = call_with_pointers(module, builder, call, name);
    } else {
        unsigned n = LLVMGetNumArgOperands(call);
        for (unsigned a = 0; a < n; a++)
            args[a] = LLVMGetOperand(call, a);
        if (is_power)
            args[1] = LLVMBuildSIToFP(builder, args[1], x, "");
        types[n - 1] = LLVMTypeOf(args[n - 1]);
        LLVMValueRef function = declare(module, name, LLVMTypeOf(call), types, n);
        result = LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, args, n, "");
    }
    LLVMReplaceAllUsesWith(call, result);
    LLVMInstructionEraseFromParent(call);
}

static void lower_intrinsics(struct unit *unit, LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (!LLVMGetIntrinsicID(f))
            continue;
        for (LLVMUseRef use = LLVMGetFirstUse(f), next_use; use; use = next_use) {
            next_use = LLVMGetNextUse(use);
            lower_intrinsic(module, builder, LLVMGetUser(use));
        }
    }
    LLVMDisposeBuilder(builder);
}

/* ---- the library ---- */

static bool is_missing(LLVMValueRef function)
{
    return LLVMIsDeclaration(function) && !LLVMGetIntrinsicID(function) && LLVMGetFirstUse(function) &&
           strcmp(LLVMGetValueName(function), "vprintf") != 0; /* the driver has this function */
}

static bool misses_any(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (is_missing(f))
            return true;
    return false;
}

static void link_library(struct unit *unit, struct image *image)
{
    LLVMModuleRef library;
    LLVMMemoryBufferRef bitcode = LLVMCreateMemoryBufferWithMemoryRange(
        ptx_library_begin, (size_t)(ptx_library_end - ptx_library_begin), "the GPU's library", false);
    if (LLVMGetBitcodeModuleInContext2(unit->context, bitcode, &library))
        diag_defect(NULL, "the GPU's library cannot be read");
    ir_forget_target(library);
    for (LLVMValueRef f = LLVMGetFirstFunction(library); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMSetLinkage(f, LLVMLinkOnceODRLinkage); /* linked by need */
    LLVMSetLinkage(LLVMGetNamedGlobal(library, "amp__aborted"), LLVMLinkOnceODRLinkage);
    if (LLVMLinkModules2(image->module, library))
        diag_defect(NULL, "the GPU's library does not link");
    for (LLVMValueRef f = LLVMGetFirstFunction(image->module); f; f = LLVMGetNextFunction(f))
        if (LLVMGetLinkage(f) == LLVMLinkOnceODRLinkage) {
            LLVMSetLinkage(f, LLVMInternalLinkage);
            grid_copy_float_mode(LLVMGetNamedFunction(image->module, unit->kernels[0].entry), f);
            LLVMRemoveEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                           LLVMGetEnumAttributeKindForName("noinline", 8)); /* as in `reduce` */
        }
    if (LLVMGetNamedGlobal(image->module, "amp__aborted"))
        LLVMSetLinkage(LLVMGetNamedGlobal(image->module, "amp__aborted"), LLVMExternalLinkage);
}

void nvptx_link_library(struct unit *unit, struct image *image)
{
    lower_intrinsics(unit, image->module);
    if (misses_any(image->module))
        link_library(unit, image);
    for (LLVMValueRef f = LLVMGetFirstFunction(image->module); f; f = LLVMGetNextFunction(f))
        for (LLVMUseRef use = LLVMGetFirstUse(f); use && is_missing(f); use = LLVMGetNextUse(use))
            diag_error(ir_place(LLVMGetUser(use), unit->kernels[0].place),
                       "'%s' has no code for %s; write it in terms of other functions, or make no code for GPUs with "
                       "--amp-gpu=none",
                       LLVMGetValueName(f), image->name);
}
