/* SPDX-License-Identifier: MIT
 *
 * Gives each target a module of its own with the entries of the kernels and what they call, and takes the kernels'
 * bodies out of the host module: there a kernel is only an address. The marks that the header's macros left are turned
 * into what later passes look for:
 *
 *     tile_static variables     external variables in section "amp.tile_static", which LLVM knows nothing about
 *     amp_tiled_index2(16, 16)  kernel->tile, and the host's amp__tile_N
 *     barriers                  calls that LLVM may not move into other control flow
 *
 * Reports tile sizes and amounts of tile memory that are not allowed. */
#include "ampcc.h"

#include <string.h>

enum { MAX_TILE_MEMORY = 48 << 10 }; /* what GPUs have without special requests */

static const char *string_of(LLVMValueRef global)
{
    LLVMValueRef initializer = LLVMIsAGlobalVariable(global) ? LLVMGetInitializer(global) : NULL;
    size_t length;
    return initializer && LLVMIsConstantString(initializer) ? LLVMGetAsString(initializer, &length) : "";
}

/* ---- tile sizes ---- */

static LLVMValueRef tile_annotation(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!LLVMIsACallInst(i) || !LLVMIsAFunction(LLVMGetCalledValue(i)))
                continue;
            size_t length;
            const char *callee = LLVMGetValueName2(LLVMGetCalledValue(i), &length);
            if (strncmp(callee, "llvm.var.annotation", 19) == 0 && strcmp(string_of(LLVMGetOperand(i, 1)), "amp.tile") == 0)
                return LLVMGetInitializer(LLVMGetOperand(i, 4));
        }
    return NULL;
}

static void read_tile(struct unit *unit, struct kernel *kernel)
{
    LLVMValueRef sizes = tile_annotation(LLVMGetNamedFunction(unit->host, kernel->name));
    if (!sizes)
        diag_defect(kernel->name, "the tile's size is not in the IR");
    long threads = 1;
    LLVMValueRef numbers[MAX_INDEX_RANK];
    for (int d = 0; d < kernel->rank; d++) {
        long size = (long)LLVMConstIntGetSExtValue(LLVMGetOperand(sizes, (unsigned)d));
        if (size <= 0) {
            diag_error(kernel->index_place, "the size of a tile must be positive, but dimension %d of '%s' has size %ld", d,
                       kernel->name, size);
            return;
        }
        if (size > MAX_TILE || (threads *= size) > MAX_TILE) {
            diag_error(kernel->index_place, "a tile of '%s' has more than %d threads, the most that every accelerator runs",
                       kernel->name, MAX_TILE);
            return;
        }
        kernel->tile[d] = (int)size;
    }
    for (int d = 0; d < MAX_INDEX_RANK; d++)
        numbers[d] = LLVMConstInt(LLVMInt32TypeInContext(unit->context), d < kernel->rank ? (unsigned)kernel->tile[d] : 1, false);
    LLVMSetInitializer(LLVMGetNamedGlobal(unit->host, arena_printf("amp__tile_%d", kernel->number)),
                       LLVMConstArray2(LLVMInt32TypeInContext(unit->context), numbers, MAX_INDEX_RANK));
}

/* ---- annotations ---- */

/* Calls `apply` for each variable and function with an annotation, then drops the list, which keeps them alive. */
static void take_annotations(LLVMModuleRef module, void (*apply)(LLVMModuleRef module, LLVMValueRef value, const char *text))
{
    LLVMValueRef list = LLVMGetNamedGlobal(module, "llvm.global.annotations");
    if (!list)
        return;
    LLVMValueRef entries = LLVMGetInitializer(list);
    int n = LLVMGetNumOperands(entries);
    LLVMValueRef *values = arena_alloc((size_t)n * sizeof *values);
    const char **texts = arena_alloc((size_t)n * sizeof *texts);
    for (int i = 0; i < n; i++) {
        LLVMValueRef entry = LLVMGetOperand(entries, (unsigned)i);
        values[i] = LLVMGetOperand(entry, 0);
        texts[i] = string_of(LLVMGetOperand(entry, 1));
    }
    LLVMDeleteGlobal(list);
    for (int i = 0; i < n; i++)
        apply(module, values[i], texts[i]);
}

/* In a target's module: LLVM must not conclude anything from a tile_static variable being local to the file. */
static void open_tile_static(LLVMModuleRef module, LLVMValueRef value, const char *text)
{
    if (strcmp(text, "amp.tile_static") != 0 || !LLVMIsAGlobalVariable(value))
        return;
    LLVMValueRef variable = LLVMAddGlobal(module, LLVMGlobalGetValueType(value), arena_printf("amp.%s", LLVMGetValueName(value)));
    LLVMSetSection(variable, "amp.tile_static");
    LLVMSetAlignment(variable, 64);
    LLVMReplaceAllUsesWith(value, variable);
    LLVMDeleteGlobal(value);
}

/* In the host's module: code for accelerators only becomes a trap, and its tile memory goes. */
static void close_host_code(LLVMModuleRef module, LLVMValueRef value, const char *text)
{
    if (strcmp(text, "amp.restrict.amp") == 0 && LLVMIsAFunction(value) && !LLVMIsDeclaration(value)) {
        LLVMContextRef context = LLVMGetModuleContext(module);
        LLVMValueRef trap = LLVMAddFunction(module, "", LLVMGlobalGetValueType(value));
        LLVMSetLinkage(trap, LLVMGetLinkage(value));
        LLVMSetVisibility(trap, LLVMGetVisibility(value));
        LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
        LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, trap, ""));
        LLVMValueRef stop = LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID("llvm.trap", 9), NULL, 0);
        LLVMBuildCall2(builder, LLVMGlobalGetValueType(stop), stop, NULL, 0, "");
        LLVMBuildUnreachable(builder);
        LLVMDisposeBuilder(builder);
        LLVMReplaceAllUsesWith(value, trap);
        char *name = arena_printf("%s", LLVMGetValueName(value));
        LLVMDeleteFunction(value);
        LLVMSetValueName2(trap, name, strlen(name));
    } else if (strcmp(text, "amp.tile_static") == 0 && LLVMIsAGlobalVariable(value) && !LLVMGetFirstUse(value))
        LLVMDeleteGlobal(value);
}

/* ---- modules ---- */

static bool is_entry(LLVMValueRef function)
{
    return strncmp(LLVMGetValueName(function), "amp__entry_", 11) == 0;
}

static void mark_barrier(LLVMContextRef context, LLVMValueRef function)
{
    static const char *const names[] = {"convergent", "nounwind"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName(names[i], strlen(names[i])), 0));
}

/* Leaves only the entries visible, so that LLVM drops what they do not reach. */
static void keep_entries(struct unit *unit, LLVMModuleRef module)
{
    static const char *const lists[] = {"llvm.used", "llvm.compiler.used", "llvm.global_ctors", "llvm.global_dtors"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (LLVMGetNamedGlobal(module, lists[i]))
            LLVMDeleteGlobal(LLVMGetNamedGlobal(module, lists[i]));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (strncmp(LLVMGetValueName(f), "amp_tile_barrier_wait", 21) == 0)
            mark_barrier(unit->context, f);
        if (LLVMIsDeclaration(f) || is_entry(f))
            continue;
        LLVMSetVisibility(f, LLVMDefaultVisibility);
        LLVMSetDLLStorageClass(f, LLVMDefaultStorageClass);
        LLVMSetLinkage(f, LLVMInternalLinkage);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
        if (LLVMIsDeclaration(g) || (LLVMGetSection(g) && strcmp(LLVMGetSection(g), "amp.tile_static") == 0))
            continue;
        LLVMSetVisibility(g, LLVMDefaultVisibility);
        LLVMSetLinkage(g, LLVMInternalLinkage);
    }
}

/* The marks on parameters take their address, which would keep the index in memory. */
static void drop_parameter_marks(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMUseRef use; strncmp(LLVMGetValueName(f), "llvm.var.annotation", 19) == 0 && (use = LLVMGetFirstUse(f));)
            LLVMInstructionEraseFromParent(LLVMGetUser(use));
}

static LLVMTargetMachineRef machine_for(const struct unit *unit, const struct image *image)
{
    char *error;
    LLVMTargetRef target;
    const char *triple = LLVMGetTarget(unit->host);
    if (LLVMGetTargetFromTriple(triple, &target, &error))
        diag_defect(NULL, "no code generator for %s: %s", triple, error);
    return LLVMCreateTargetMachine(target, triple, image->cpu, image->features, LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                   LLVMCodeModelDefault);
}

static void check_tile_memory(const struct unit *unit)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(unit->images[0].module);
    for (LLVMValueRef g = LLVMGetFirstGlobal(unit->images[0].module); g; g = LLVMGetNextGlobal(g)) {
        const char *section = LLVMGetSection(g);
        if (section && strcmp(section, "amp.tile_static") == 0 &&
            LLVMABISizeOfType(layout, LLVMGlobalGetValueType(g)) > MAX_TILE_MEMORY)
            diag_error(unit->kernels[0].place, "tile_static variable '%s' has %llu bytes; a tile has %d", LLVMGetValueName(g) + 4,
                       LLVMABISizeOfType(layout, LLVMGlobalGetValueType(g)), MAX_TILE_MEMORY);
    }
}

bool extract(struct unit *unit)
{
    for (int k = 0; k < unit->n_kernels; k++)
        if (unit->kernels[k].tiled)
            read_tile(unit, &unit->kernels[k]);
    if (diag_count() > 0)
        return false;
    for (int i = 0; i < unit->n_images; i++) {
        struct image *image = &unit->images[i];
        image->module = LLVMCloneModule(unit->host);
        image->machine = machine_for(unit, image);
        take_annotations(image->module, open_tile_static);
        drop_parameter_marks(image->module);
        keep_entries(unit, image->module);
    }
    check_tile_memory(unit);
    take_annotations(unit->host, close_host_code);
    for (int k = 0; k < unit->n_kernels; k++)
        LLVMDeleteFunction(LLVMGetNamedFunction(unit->host, arena_printf("amp__entry_%d", unit->kernels[k].number)));
    return diag_count() == 0;
}
