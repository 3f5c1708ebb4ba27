/* SPDX-License-Identifier: MIT */
#include "ampcc.h"
#include "gpu/grid.h"
#include "gpu/nvptx/nvptx.h"
#include "kernel/entry.h"
#include "kernel/ir.h"

#include <llvm/Config/llvm-config.h>
#include <stdlib.h>
#include <string.h>

enum {
    KERNEL = 71, /* the calling convention */
    ARRAY_SPACE = 1,
    TILE_SPACE = 3
};

static const char *standard(const struct unit *unit)
{
    (void)unit;
    return "sm_75";
}

static LLVMValueRef place(LLVMBuilderRef builder, enum place_of what, char axis)
{
    const char *name = what == PLACE_OF_THREAD ? "tid" : "ctaid";
    return ir_call_intrinsic(builder, arena_printf("llvm.nvvm.read.ptx.sreg.%s.%c", name, axis), NULL, 0);
}

/* ---- copies ---- */

static bool parse(struct unit *unit, struct image *image)
{
    (void)unit;
    image->facts.copies_async = atoi(image->cpu + strlen("sm_")) >= 80;
    return true;
}

static void begin_copy(LLVMBuilderRef builder, LLVMValueRef to, LLVMValueRef from, int bytes)
{
    LLVMTypeRef array = LLVMPointerTypeInContext(LLVMGetTypeContext(LLVMTypeOf(from)), ARRAY_SPACE);
    LLVMValueRef args[] = {to, LLVMBuildAddrSpaceCast(builder, from, array, "")};
    ir_call_intrinsic(builder, arena_printf("llvm.nvvm.cp.async.ca.shared.global.%d", bytes), args, 2);
}

static void end_copies(LLVMBuilderRef builder)
{
    ir_call_intrinsic(builder, "llvm.nvvm.cp.async.wait.all", NULL, 0);
}

/* ---- kernels ---- */

/* Sets the exact number of threads of a block, and how many blocks must fit into a multiprocessor at once, by which the
 * driver's compiler allocates registers. */
static void require(LLVMValueRef function, const int threads[3], int blocks)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
#if LLVM_VERSION_MAJOR >= 21
    const char *const values[][2] = {
        {"nvvm.reqntid", arena_printf("%d,%d,%d", threads[0], threads[1], threads[2])},
        {"nvvm.minctasm", arena_printf("%d", blocks)},
    };
    for (int i = 0; i < (blocks > 1 ? 2 : 1); i++)
        LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateStringAttribute(context, values[i][0], (unsigned)strlen(values[i][0]),
                                                          values[i][1], (unsigned)strlen(values[i][1])));
#else
    static const char *const names[] = {"reqntidx", "reqntidy", "reqntidz", "minctasm"};
    int numbers[] = {threads[0], threads[1], threads[2], blocks};
    LLVMMetadataRef parts[9] = {LLVMValueAsMetadata(function)};
    for (int i = 0; i < 4; i++) {
        LLVMValueRef n = LLVMConstInt(LLVMInt32TypeInContext(context), (unsigned long long)numbers[i], false);
        parts[2 * i + 1] = LLVMMDStringInContext2(context, names[i], strlen(names[i]));
        parts[2 * i + 2] = LLVMValueAsMetadata(n);
    }
    LLVMAddNamedMetadataOperand(LLVMGetGlobalParent(function), "nvvm.annotations",
                                LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, parts, blocks > 1 ? 9 : 7)));
#endif
}

static void add_by_value(LLVMValueRef function, LLVMAttributeIndex at, LLVMTypeRef type, unsigned align)
{
    LLVMContextRef context = LLVMGetTypeContext(type);
    LLVMAddAttributeAtIndex(function, at,
                            LLVMCreateTypeAttribute(context, LLVMGetEnumAttributeKindForName("byval", 5), type));
    ir_add_number(function, (int)at, "align", align);
}

static void begin_kernel(LLVMValueRef function, const int threads[3], int blocks, LLVMTypeRef args, unsigned args_align)
{
    LLVMTypeRef box = LLVMArrayType2(LLVMInt32TypeInContext(LLVMGetTypeContext(args)), 6);
    LLVMSetFunctionCallConv(function, KERNEL);
    add_by_value(function, 1 + RUN_ARGS, args, args_align);
    add_by_value(function, 1 + RUN_BOX, box, sizeof(int));
    require(function, threads, blocks);
}

/* Keeps LLVM from extending integers of the argument block, or a part of it, where they are loaded, and from comparing
 * them in 64 bits: the driver's compiler does not unroll loops with such counters. */
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

static void finish(const struct unit *unit, struct image *image)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(image->module); f; f = LLVMGetNextFunction(f))
        if (grid_is_kernel(f))
            keep_narrow(builder, LLVMGetParam(f, RUN_ARGS));
    LLVMDisposeBuilder(builder);
}

const struct target target_nvptx = {
    .backend = "cuda",
    .triple = "nvptx64-nvidia-cuda",
    .facts =
        {
            .tile_bytes = 48 << 10, /* what a kernel gets without a special request */
            .tile_align = 16,       /* the widest access */
            .converts_half = true,
            .computes_half = true,
            .block_threads = 256,
            .block_rows = 8,
            .many_rows = 4, /* small blocks waste fewer registers */
            .block_depth = 64,
            .points = 64, /* their sums, rows and columns fit into 168 registers, which allow 384 threads */
            .parameter_bytes = 4096,
        },
    .has_grid = true,
    .standard = standard,
    .parse = parse,
    /* These are the processors that LLVM knows, except those whose code runs on no newer one. */
    .names = "sm_70 sm_72 sm_75 sm_80 sm_86 sm_87 sm_89 sm_90"
#if LLVM_VERSION_MAJOR >= 22
             " sm_100 sm_103 sm_110 sm_120 sm_121"
#endif
    ,
    .functions = "amp_rsqrtf amp_fast_rsqrtf amp_rcbrtf amp_sinpif amp_cospif amp_erfinvf amp_erfcinvf",
    .array_space = ARRAY_SPACE,
    .tile_space = TILE_SPACE,
    .code = LLVMAssemblyFile,
    .lower = nvptx_lower,
    .place = place,
    .barrier = nvptx_barrier,
    .begin_copy = begin_copy,
    .end_copies = end_copies,
    .begin_kernel = begin_kernel,
    .finish = finish,
    .report = nvptx_report,
};
