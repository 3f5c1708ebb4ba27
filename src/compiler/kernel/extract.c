/* SPDX-License-Identifier: MIT
 *
 * Copies the entries of the kernels and what they call into a separate module, the kernels' form for all targets, and
 * takes the kernels' bodies out of the host module, in which a kernel is only an address. It turns the marks that the
 * header's macros left into what later passes look for:
 *
 *     tile_static variables     external variables in section "amp.tile_static", which LLVM knows nothing about
 *     barriers                  calls that LLVM may not move into other control flow
 *     amp_is_device()           true in the kernels' module, false in the host's
 *
 * Marks on parameters and members, and what clang inserts to count executions, are for host code only and are deleted.
 */
#include "ampcc.h"
#include "kernel/calls.h"
#include "kernel/entry.h"
#include "kernel/ir.h"

#include <string.h>

/* ---- annotations ---- */

typedef void apply_annotation(LLVMModuleRef module, LLVMValueRef value, const char *text);

/* Calls `apply` for each variable and function with an annotation, then drops the list, which would keep them alive. */
static void take_annotations(LLVMModuleRef module, apply_annotation *apply)
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
        texts[i] = ir_string(LLVMGetOperand(entry, 1));
    }
    LLVMDeleteGlobal(list);
    for (int i = 0; i < n; i++)
        apply(module, values[i], texts[i]);
}

/* For the kernels' module: makes a tile_static variable external, so that LLVM concludes nothing from its being local
 * to the file. Returns it; NULL if the annotation is another one. */
static LLVMValueRef open_variable(LLVMModuleRef module, LLVMValueRef value, const char *text)
{
    if (strcmp(text, "amp.tile_static") != 0 || !LLVMIsAGlobalVariable(value))
        return NULL;
    LLVMValueRef variable =
        LLVMAddGlobal(module, LLVMGlobalGetValueType(value), arena_printf("amp.%s", LLVMGetValueName(value)));
    LLVMSetSection(variable, "amp.tile_static");
    LLVMSetAlignment(variable, LLVMGetAlignment(value));
    LLVMReplaceAllUsesWith(value, variable);
    return variable;
}

static void open_tile_static(LLVMModuleRef module, LLVMValueRef value, const char *text)
{
    if (open_variable(module, value, text))
        LLVMDeleteGlobal(value);
}

/* Keeps what describes the variable to debuggers. */
static void open_described(LLVMModuleRef module, LLVMValueRef value, const char *text)
{
    LLVMValueRef variable = open_variable(module, value, text);
    if (!variable)
        return;
    size_t n;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(value, &n);
    for (unsigned i = 0; i < n; i++)
        LLVMGlobalSetMetadata(variable, LLVMValueMetadataEntriesGetKind(entries, i),
                              LLVMValueMetadataEntriesGetMetadata(entries, i));
    LLVMDisposeValueMetadataEntries(entries);
    LLVMDeleteGlobal(value);
}

static bool is_weak(LLVMValueRef function)
{
    LLVMLinkage linkage = LLVMGetLinkage(function);
    return linkage == LLVMWeakAnyLinkage || linkage == LLVMWeakODRLinkage;
}

/* Puts `by`, which has no name, in the place of a function. A weak name becomes an alias of it, so that `by` remains
 * this definition when the linker chooses another one for the name. */
static void replace_function(LLVMValueRef function, LLVMValueRef by)
{
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    LLVMValueRef named = by;
    char *name = arena_printf("%s", LLVMGetValueName(function));
    if (is_weak(function)) {
        LLVMSetLinkage(by, LLVMInternalLinkage); /* nothing else: it says that no other definition can take its place */
        named = LLVMAddAlias2(module, LLVMGlobalGetValueType(function), 0, by, "");
    }
    LLVMSetLinkage(named, LLVMGetLinkage(function));
    LLVMSetVisibility(named, LLVMGetVisibility(function));
    LLVMReplaceAllUsesWith(function, named);
    LLVMDeleteFunction(function);
    LLVMSetValueName2(named, name, strlen(name));
}

/* For the host's module: turns code that is for accelerators only into a trap, and deletes its tile memory. */
static void close_host_code(LLVMModuleRef module, LLVMValueRef value, const char *text)
{
    if (strcmp(text, "amp.restrict.amp") == 0 && LLVMIsAFunction(value) && !LLVMIsDeclaration(value)) {
        LLVMContextRef context = LLVMGetModuleContext(module);
        LLVMValueRef trap = LLVMAddFunction(module, "", LLVMGlobalGetValueType(value));
        ir_add_attribute(trap, IR_FUNCTION, "nounwind");
        LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
        LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, trap, ""));
        ir_call_intrinsic(builder, calls_name(CALL_TRAP), NULL, 0);
        LLVMBuildUnreachable(builder);
        LLVMDisposeBuilder(builder);
        replace_function(value, trap);
    } else if (strcmp(text, "amp.tile_static") == 0 && LLVMIsAGlobalVariable(value) && !LLVMGetFirstUse(value))
        LLVMDeleteGlobal(value);
}

/* ---- modules ---- */

static void mark_barrier(LLVMValueRef function)
{
    ir_add_attribute(function, IR_FUNCTION, "convergent");
    ir_add_attribute(function, IR_FUNCTION, "nounwind");
}

/* Makes everything use functions and data by their own names, so that LLVM drops the other names. */
static void keep_own_names(LLVMModuleRef module)
{
    for (LLVMValueRef a = LLVMGetFirstGlobalAlias(module); a; a = LLVMGetNextGlobalAlias(a)) {
        LLVMReplaceAllUsesWith(a, LLVMAliasGetAliasee(a));
        ir_make_local(a);
    }
    for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(module); i; i = LLVMGetNextGlobalIFunc(i))
        ir_make_local(i);
}

/* Makes only the entries visible, so that LLVM drops what they do not reach. */
static void keep_entries(LLVMModuleRef module)
{
    static const char *const lists[] = {"llvm.used", "llvm.compiler.used", "llvm.global_ctors", "llvm.global_dtors"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (LLVMGetNamedGlobal(module, lists[i]))
            LLVMDeleteGlobal(LLVMGetNamedGlobal(module, lists[i]));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (calls_of_function(f)->kind == CALL_BARRIER)
            mark_barrier(f);
        if (LLVMIsDeclaration(f) || entry_is(f))
            continue;
        LLVMSetDLLStorageClass(f, LLVMDefaultStorageClass);
        ir_make_local(f);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
        if (LLVMIsDeclaration(g) || (LLVMGetSection(g) && strcmp(LLVMGetSection(g), "amp.tile_static") == 0))
            continue;
        ir_make_local(g);
    }
    keep_own_names(module);
}

/* Deletes marks, which take the address of what they mark and would keep the index in memory, and the host's counters.
 */
static void drop_marks(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        enum call_kind kind = calls_of_function(f)->kind;
        for (LLVMUseRef use; (kind == CALL_MARK || kind == CALL_COUNTER) && (use = LLVMGetFirstUse(f));) {
            LLVMValueRef call = LLVMGetUser(use);
            if (LLVMGetFirstUse(call)) /* a mark on a member returns its address */
                LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
            LLVMInstructionEraseFromParent(call);
        }
    }
}

/* Gives the kernels' code, which the host's module declares, its final names. */
static void name_declarations(const struct unit *unit)
{
    for (int i = 0; i < unit->n_images; i++)
        for (int k = 0; k < unit->n_kernels; k++) {
            const struct code *code = &unit->images[i].codes[k];
            if (!unit->images[i].target->has_grid)
                LLVMSetValueName2(LLVMGetNamedFunction(unit->host, code->symbol), code->name, strlen(code->name));
        }
}

/* Writes into the descriptors which definition of a weak kernel is their own. */
static void name_own(const struct unit *unit)
{
    for (int k = 0; k < unit->n_kernels; k++) {
        const struct kernel *kernel = &unit->kernels[k];
        LLVMValueRef own = LLVMGetNamedFunction(unit->host, kernel->own);
        LLVMValueRef alias = LLVMGetNamedGlobalAlias(unit->host, kernel->symbol, strlen(kernel->symbol));
        LLVMReplaceAllUsesWith(own, alias ? LLVMAliasGetAliasee(alias) : LLVMConstNull(LLVMTypeOf(own)));
        LLVMDeleteFunction(own);
    }
}

/* Decides the branches on amp_is_device(), so that the other side is not reached. clang makes no phis where they end.
 */
static void decide_is_device(LLVMModuleRef module, bool value)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, calls_name(CALL_IS_DEVICE));
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL, next; use; use = next) {
        LLVMValueRef call = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != function)
            continue;
        for (LLVMUseRef of_result = LLVMGetFirstUse(call), following; of_result; of_result = following) {
            LLVMValueRef branch = LLVMGetUser(of_result);
            following = LLVMGetNextUse(of_result);
            if (!LLVMIsABranchInst(branch))
                continue;
            LLVMPositionBuilderBefore(builder, branch);
            LLVMBuildBr(builder, LLVMGetSuccessor(branch, !value));
            LLVMInstructionEraseFromParent(branch);
        }
        LLVMReplaceAllUsesWith(call, LLVMConstInt(LLVMInt1TypeInContext(context), value, false));
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDisposeBuilder(builder);
}

/* Leaves in a module that clang made only what is for accelerators. */
static void keep_kernels(LLVMModuleRef module, apply_annotation *open)
{
    LLVMSetModuleInlineAsm2(module, "", 0); /* only the host's module keeps it */
    take_annotations(module, open);
    drop_marks(module);
    keep_entries(module);
    decide_is_device(module, true);
}

/* Leaves in the host's module only what is for the host. */
static void close_host(const struct unit *unit)
{
    decide_is_device(unit->host, false);
    take_annotations(unit->host, close_host_code);
    for (int k = 0; k < unit->n_kernels; k++)
        LLVMDeleteFunction(LLVMGetNamedFunction(unit->host, unit->kernels[k].entry));
    name_declarations(unit);
    name_own(unit);
}

bool extract(struct unit *unit)
{
    if (!unit->is_cpp)
        unit->form = LLVMCloneModule(unit->host);
    keep_kernels(unit->form, options_keep_variables(unit->options) ? open_described : open_tile_static);
    if (unit->checked)
        keep_kernels(unit->checked, open_described);
    if (!unit->is_cpp)
        close_host(unit);
    return true;
}
