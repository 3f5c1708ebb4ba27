/* SPDX-License-Identifier: MIT
 *
 * Turns barriers, fences, output and atomic operations into what the hardware and its driver have. */
#include "ampcc.h"
#include "gpu/grid.h"
#include "gpu/nvptx/nvptx.h"
#include "kernel/calls.h"
#include "kernel/ir.h"
#include "kernel/origin.h"

#include <llvm/Config/llvm-config.h>

/* A barrier of the hardware orders all memory accesses of the block's threads, whatever memory a call names. */
void nvptx_barrier(LLVMBuilderRef builder)
{
#if LLVM_VERSION_MAJOR >= 21
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(LLVMGetBasicBlockParent(LLVMGetInsertBlock(builder))));
    LLVMValueRef all = LLVMConstInt(LLVMInt32TypeInContext(context), 0, false);
    ir_call_intrinsic(builder, "llvm.nvvm.barrier.cta.sync.aligned.all", &all, 1);
#else
    ir_call_intrinsic(builder, "llvm.nvvm.barrier0", NULL, 0);
#endif
}

/* A fence, too, is for all memory. What a sanitizer of the host reports stops the kernel. */
static void lower_call(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef call)
{
    LLVMPositionBuilderBefore(builder, call);
    switch (calls_kind(call)) {
    case CALL_BARRIER:
        nvptx_barrier(builder);
        break;
    case CALL_FENCE:
    case CALL_TILE_FENCE:
        ir_call_intrinsic(builder, "llvm.nvvm.membar.cta", NULL, 0);
        break;
    case CALL_PRINTF:
        printf_lower(module, builder, call, "vprintf");
        break;
    case CALL_SANITIZER:
        ir_call_intrinsic(builder, calls_name(CALL_TRAP), NULL, 0);
        break;
    default:
        return;
    }
    LLVMInstructionEraseFromParent(call);
}

/* Replaces an atomic operation by a load and a store, for memory that no other thread sees: the hardware has no atomics
 * there. */
static void lower_own_atomic(LLVMBuilderRef builder, LLVMValueRef atomic)
{
    LLVMValueRef address = LLVMGetOperand(atomic, 0), value = LLVMGetOperand(atomic, 1), result;
    LLVMPositionBuilderBefore(builder, atomic);
    LLVMValueRef old = result = LLVMBuildLoad2(builder, LLVMTypeOf(value), address, "");
    LLVMSetAlignment(old, LLVMGetAlignment(atomic));
    if (LLVMIsAAtomicRMWInst(atomic))
        value = ir_combine(builder, LLVMGetAtomicRMWBinOp(atomic), old, value);
    else {
        LLVMValueRef equal = LLVMBuildICmp(builder, LLVMIntEQ, old, value, "");
        value = LLVMBuildSelect(builder, equal, LLVMGetOperand(atomic, 2), old, "");
        result = LLVMBuildInsertValue(builder, LLVMGetPoison(LLVMTypeOf(atomic)), old, 0, "");
        result = LLVMBuildInsertValue(builder, result, equal, 1, "");
    }
    LLVMSetAlignment(LLVMBuildStore(builder, value, address), LLVMGetAlignment(atomic));
    LLVMReplaceAllUsesWith(atomic, result);
    LLVMInstructionEraseFromParent(atomic);
}

/* Makes an operation atomic for all threads of the device: kernels on other devices have their own copies. The hardware
 * has no subtraction. */
static void lower_atomic(const struct kernel *kernel, LLVMBuilderRef builder, LLVMValueRef atomic)
{
    int kinds = origin_of(kernel, LLVMGetOperand(atomic, 0)).kinds;
    if (kinds == ORIGIN_PRIVATE) {
        lower_own_atomic(builder, atomic);
        return;
    }
    if (kinds & (ORIGIN_PRIVATE | ORIGIN_UNKNOWN))
        diag_error(
            ir_place(atomic, kernel->place),
            "GPUs have no atomic operation for a pointer that may be to a variable of the thread or to memory that "
            "others see: choose with 'if' between two operations, or make no code for GPUs with --amp-gpu=none "
            "[GPU atomic]");
    if (LLVMIsAAtomicRMWInst(atomic) && LLVMGetAtomicRMWBinOp(atomic) == LLVMAtomicRMWBinOpFSub) {
        LLVMPositionBuilderBefore(builder, atomic);
        LLVMValueRef negative = LLVMBuildFNeg(builder, LLVMGetOperand(atomic, 1), "");
        LLVMValueRef sum = LLVMBuildAtomicRMW(builder, LLVMAtomicRMWBinOpFAdd, LLVMGetOperand(atomic, 0), negative,
                                              LLVMGetOrdering(atomic), false);
        LLVMSetAlignment(sum, LLVMGetAlignment(atomic));
        LLVMReplaceAllUsesWith(atomic, sum);
        LLVMInstructionEraseFromParent(atomic);
        atomic = sum;
    }
#if LLVM_VERSION_MAJOR >= 20 /* before, NVPTX treated every scope as this one */
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(atomic));
    LLVMSetAtomicSyncScopeID(atomic, LLVMGetSyncScopeID(context, "device", 6));
#endif
}

static void lower_kernel(const struct kernel *kernel, LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMValueRef entry = LLVMGetNamedFunction(module, kernel->entry);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
                lower_atomic(kernel, builder, i);
            else
                lower_call(module, builder, i);
        }
    LLVMDisposeBuilder(builder);
}

void nvptx_lower(struct unit *unit, struct image *image)
{
    for (int k = 0; k < unit->n_kernels; k++)
        lower_kernel(&unit->kernels[k], image->module);
    nvptx_link_library(unit, image);
}
