/* SPDX-License-Identifier: MIT
 *
 * Memory from the heap for the function that runs a box. */
#include "widen/heap.h"

#include "kernel/ir.h"
#include "widen/plan.h"

LLVMValueRef heap_alloc(struct image *image, LLVMBuilderRef builder, unsigned long long bytes, unsigned align)
{
    LLVMContextRef context = LLVMGetModuleContext(image->module);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(context), pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef type = LLVMFunctionType(pointer, (LLVMTypeRef[]){i64, i64}, 2, false);
    LLVMValueRef callee = LLVMGetNamedFunction(image->module, "aligned_alloc");
    if (!callee) {
        callee = LLVMAddFunction(image->module, "aligned_alloc", type);
        ir_add_attribute(callee, LLVMAttributeReturnIndex, "noalias");
    }
    align = align > PANEL_ALIGN ? align : PANEL_ALIGN;
    bytes = (bytes + align - 1) / align * align;
    LLVMValueRef args[] = {LLVMConstInt(i64, align, false), LLVMConstInt(i64, bytes, false)};
    return LLVMBuildCall2(builder, type, callee, args, 2, "");
}

void heap_free(struct image *image, LLVMBuilderRef builder, LLVMValueRef memory)
{
    LLVMContextRef context = LLVMGetModuleContext(image->module);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), &pointer, 1, false);
    LLVMValueRef callee = LLVMGetNamedFunction(image->module, "free");
    if (!callee)
        callee = LLVMAddFunction(image->module, "free", type);
    LLVMBuildCall2(builder, type, callee, &memory, 1, "");
}

struct heap heap_begin(struct image *image, LLVMBasicBlockRef block)
{
    struct heap heap = {image, block, LLVMCreateBuilderInContext(LLVMGetModuleContext(image->module))};
    LLVMPositionBuilderAtEnd(heap.builder, block);
    return heap;
}

LLVMValueRef heap_new_array(const struct heap *heap, unsigned long long bytes, unsigned align)
{
    return heap_alloc(heap->image, heap->builder, bytes, align);
}

void heap_free_arrays(const struct heap *heap, LLVMBuilderRef builder)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(heap->block); i && LLVMIsACallInst(i); i = LLVMGetNextInstruction(i))
        heap_free(heap->image, builder, i);
}

void heap_end(const struct heap *heap, LLVMBasicBlockRef part, LLVMBasicBlockRef without)
{
    LLVMValueRef has_all = LLVMConstAllOnes(LLVMInt1TypeInContext(LLVMGetModuleContext(heap->image->module)));
    for (LLVMValueRef i = LLVMGetFirstInstruction(heap->block); i && LLVMIsACallInst(i); i = LLVMGetNextInstruction(i))
        has_all = LLVMBuildAnd(heap->builder, has_all, LLVMBuildIsNotNull(heap->builder, i, ""), "");
    LLVMBuildCondBr(heap->builder, has_all, part, without);
    LLVMDisposeBuilder(heap->builder);
}
