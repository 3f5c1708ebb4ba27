/* SPDX-License-Identifier: MIT
 *
 * Kernels become an object file for the host. tests/gpu/Inputs/host_device.c links and runs it, and has the functions
 * device_NAME that replace what a GPU has for barriers, output and the like; whatever else a kernel calls is the C
 * library's. The option --amp-gpu=host chooses this target; it is for tests and not in the list of GPUs. */
#include "ampcc.h"
#include "gpu/grid.h"
#include "gpu/host/host.h"
#include "kernel/calls.h"

/* The GPU is the processor that clang compiles for. */
static bool parse(struct unit *unit, struct image *image)
{
    (void)unit;
    image->cpu = NULL;
    return true;
}

static LLVMModuleRef module_of(LLVMBuilderRef builder)
{
    return LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(builder)));
}

static LLVMValueRef call(LLVMBuilderRef builder, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned n)
{
    LLVMModuleRef module = module_of(builder);
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    LLVMTypeRef types[2];
    for (unsigned i = 0; i < n; i++)
        types[i] = LLVMTypeOf(args[i]);
    if (!function)
        function = LLVMAddFunction(module, name, LLVMFunctionType(result, types, n, false));
    return LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, args, n, "");
}

static LLVMValueRef place(LLVMBuilderRef builder, enum place_of what, char axis)
{
    LLVMTypeRef type = LLVMInt32TypeInContext(LLVMGetModuleContext(module_of(builder)));
    LLVMValueRef number = LLVMConstInt(type, (unsigned long long)(axis - 'x'), false);
    return call(builder, what == PLACE_OF_THREAD ? "device_thread" : "device_block", type, &number, 1);
}

static void barrier(LLVMBuilderRef builder)
{
    LLVMTypeRef nothing = LLVMVoidTypeInContext(LLVMGetModuleContext(module_of(builder)));
    call(builder, "device_barrier", nothing, NULL, 0);
}

/* Returns the variable, described in docs/gpu.md, of kernels that may abort. */
static LLVMValueRef aborted(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef parts[] = {LLVMInt32TypeInContext(context), LLVMArrayType2(LLVMInt8TypeInContext(context), 252)};
    LLVMTypeRef type = LLVMStructTypeInContext(context, parts, 2, false);
    LLVMValueRef variable = LLVMGetNamedGlobal(module, "amp__aborted");
    if (!variable) {
        variable = LLVMAddGlobal(module, type, "amp__aborted");
        LLVMSetInitializer(variable, LLVMConstNull(type));
    }
    return variable;
}

static void lower_call(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef i)
{
    LLVMTypeRef nothing = LLVMVoidTypeInContext(LLVMGetModuleContext(module));
    LLVMPositionBuilderBefore(builder, i);
    switch (calls_kind(i)) {
    case CALL_BARRIER:
        barrier(builder);
        break;
    case CALL_FENCE:
    case CALL_TILE_FENCE:
        call(builder, "device_fence", nothing, NULL, 0);
        break;
    case CALL_ABORT:
        call(builder, "device_abort", nothing, (LLVMValueRef[]){aborted(module), LLVMGetOperand(i, 0)}, 2);
        break;
    case CALL_PRINTF:
        printf_lower(module, builder, i, "device_printf");
        break;
    default:
        return;
    }
    LLVMInstructionEraseFromParent(i);
}

static void lower(struct unit *unit, struct image *image)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(image->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                lower_call(image->module, builder, i);
            }
    LLVMDisposeBuilder(builder);
}

/* The sizes are those of real GPUs, so that tests see the same kernels. */
const struct target target_host = {
    .backend = "host",
    .facts =
        {
            .tile_bytes = 48 << 10,
            .tile_align = 16,
            .block_threads = 256,
            .block_rows = 8,
            .many_rows = 4,
            .block_depth = 64,
            .points = 64,
            .parameter_bytes = 4096,
        },
    .has_grid = true,
    .parse = parse,
    .names = "host",
    .is_hidden = true,
    .code = LLVMObjectFile,
    .lower = lower,
    .place = place,
    .barrier = barrier,
};
