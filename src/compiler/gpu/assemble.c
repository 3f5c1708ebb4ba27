/* SPDX-License-Identifier: MIT
 *
 * Generates the code of GPUs, as text: PTX, which the driver compiles for the GPU that it finds. The processors' code
 * stays IR, for clang to make an object of.
 *
 * needs   optimised modules
 * keeps   the processors' modules
 * breaks  the GPUs' modules, which go */
#include "gpu/grid.h"

/* Keeps LLVM from extending integers of the argument block, or a part of it, where they are loaded, and from comparing
 * them in 64 bits: the driver's compiler does not unroll loops whose passes are counted so. */
static void keep_narrow(LLVMBuilderRef builder, LLVMValueRef block)
{
    for (LLVMUseRef use = LLVMGetFirstUse(block); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef load = LLVMGetUser(use);
        if (LLVMIsAGetElementPtrInst(load))
            keep_narrow(builder, load);
        if (!LLVMIsALoadInst(load) || LLVMGetTypeKind(LLVMTypeOf(load)) != LLVMIntegerTypeKind)
            continue;
        LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(load));
        LLVMValueRef frozen = LLVMBuildFreeze(builder, load, "");
        LLVMReplaceAllUsesWith(load, frozen);
        LLVMSetOperand(frozen, 0, load);
    }
}

bool assemble(struct unit *unit)
{
    for (int i = 0; i < unit->n_images; i++) {
        struct image *image = &unit->images[i];
        if (image->backend != BACKEND_CUDA)
            continue;
        LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
        for (LLVMValueRef f = LLVMGetFirstFunction(image->module); f; f = LLVMGetNextFunction(f))
            if (!LLVMIsDeclaration(f) && LLVMGetFunctionCallConv(f) == PTX_KERNEL)
                keep_narrow(builder, LLVMGetParam(f, 0));
        LLVMDisposeBuilder(builder);
        LLVMMemoryBufferRef text;
        char *error;
        if (LLVMTargetMachineEmitToMemoryBuffer(image->machine, image->module, LLVMAssemblyFile, &error, &text))
            diag_defect(NULL, "no code for %s: %s", image->target, error);
        image->code = arena_printf("%.*s", (int)LLVMGetBufferSize(text), LLVMGetBufferStart(text));
        LLVMDisposeMemoryBuffer(text);
        LLVMDisposeModule(image->module);
        image->module = NULL;
    }
    return true;
}
