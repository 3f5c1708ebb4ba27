/* SPDX-License-Identifier: MIT */
#include "kernel/ir.h"

#include "driver/driver.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Support.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns a file's name as the user spelled it. clang splits the name where it diverges from the working directory's.
 */
static const char *spelling(const char *directory, const char *file, const char *users)
{
    const char *path = *file == '/' ? file : arena_printf("%s/%s", directory, file);
    return users && is_same_file(path, users) ? users : access(file, F_OK) ? path : file;
}

/* Returns the name of a scope's file, which is relative to `*directory` or absolute. */
static const char *file_of(LLVMMetadataRef scope, const char **directory)
{
    unsigned length, directory_length;
    LLVMMetadataRef file = LLVMDIScopeGetFile(scope);
    const char *folder = LLVMDIFileGetDirectory(file, &directory_length);
    const char *name = LLVMDIFileGetFilename(file, &length);
    *directory = arena_printf("%.*s", folder ? (int)directory_length : 1, folder ? folder : ".");
    return arena_printf("%.*s", (int)length, name);
}

static bool is_of_library(LLVMMetadataRef scope)
{
    const char *directory, *file = file_of(scope, &directory);
    return strstr(arena_printf("%s/%s", directory, file), "/include/amp-cpp/");
}

/* Leads from a location in the library of C++ to that of the call in the user's source; NULL if there is none. */
static LLVMMetadataRef skip_library(LLVMMetadataRef at)
{
    while (at && is_of_library(LLVMDILocationGetScope(at)))
        at = LLVMDILocationGetInlinedAt(at);
    return at;
}

bool ir_is_of_library(LLVMValueRef function)
{
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    return subprogram && is_of_library(subprogram);
}

static void set_attribute(LLVMValueRef function, const char *name, bool has)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    if (has)
        ir_add_attribute(function, IR_FUNCTION, name);
    else
        LLVMRemoveEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
}

void ir_hold(LLVMValueRef function, bool is_held)
{
    set_attribute(function, "alwaysinline", !is_held);
    set_attribute(function, "optnone", is_held);
    set_attribute(function, "noinline", is_held);
}

const char *ir_source_name(LLVMValueRef function)
{
    enum { NAME = 2 }; /* the name's number among the operands of a DISubprogram */
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    LLVMValueRef operands[32];
    unsigned length;
    if (!subprogram)
        return LLVMGetValueName(function);
    LLVMValueRef node = LLVMMetadataAsValue(LLVMGetTypeContext(LLVMTypeOf(function)), subprogram);
    if (LLVMGetMDNodeNumOperands(node) > (int)(sizeof operands / sizeof *operands))
        return LLVMGetValueName(function);
    LLVMGetMDNodeOperands(node, operands);
    const char *name = operands[NAME] ? LLVMGetMDString(operands[NAME], &length) : NULL;
    return name ? arena_printf("%.*s", (int)length, name) : LLVMGetValueName(function);
}

/* Returns the last name in a symbol of C++, which clang writes for a static variable as "_Z...4name" or "_Z...4name_0";
 * the symbol itself if it has none. */
static const char *last_name(const char *symbol)
{
    const char *end = symbol + strlen(symbol), *name = symbol;
    for (const char *at = symbol; *at; at++) {
        char *begin;
        if (*at < '1' || *at > '9' || (at > symbol && at[-1] >= '0' && at[-1] <= '9'))
            continue;
        long length = strtol(at, &begin, 10);
        const char *rest = length <= end - begin ? begin + length : NULL;
        if (rest && rest[strspn(rest, "_0123456789")] == 0 && (*rest == 0 || *rest == '_'))
            name = arena_printf("%.*s", (int)length, begin);
    }
    return name;
}

/* In C clang writes "function.name", maybe with a number; LLVM adds suffixes, and tile memory has the prefix "amp.". In
 * C++ tokens.c puts some variables of tile memory into others. */
const char *ir_variable_name(LLVMValueRef variable)
{
    static const char wrapped[] = "amp__tile_";
    const char *name = LLVMGetValueName(variable), *dot;
    if (has_prefix(name, "amp."))
        name += strlen("amp.");
    if ((dot = strchr(name, '.')) && dot[1] && strspn(dot + 1, "0123456789") != strlen(dot + 1))
        name = dot + 1;
    name = arena_printf("%.*s", (int)strcspn(name, "."), name);
    name = has_prefix(name, "_Z") ? last_name(name) : name;
    return has_prefix(name, wrapped) ? name + strlen(wrapped) : name;
}

static struct place place_at(LLVMMetadataRef at, struct place otherwise)
{
    const char *directory, *file = file_of(LLVMDILocationGetScope(at), &directory);
    return diag_place((struct place){spelling(directory, file, otherwise.file), LLVMDILocationGetLine(at),
                                     LLVMDILocationGetColumn(at)});
}

struct place ir_place(LLVMValueRef instruction, struct place otherwise)
{
    LLVMMetadataRef at = skip_library(LLVMInstructionGetDebugLoc(instruction));
    return at && LLVMDILocationGetLine(at) ? place_at(at, otherwise) : otherwise;
}

/* Sets options of the process where the C API has no switch, or one that does nothing, as for the vectorisers. */
__attribute__((constructor)) static void set_options(void)
{
    static const char *const options[] = {
        "ampcc",
        "-vectorize-loops=false",
        "-vectorize-slp=false",
        "-disable-auto-upgrade-debug-info", /* reading a module would verify all of it */
        "-funcspec-max-iters=0",            /* kernels call no functions that could be specialised */
        "-enable-shrink-wrap=false",        /* see begin_with_frame in optimise.c */
#if LLVM_VERSION_MAJOR < 20
        "-scalarize-load-store",
#endif
    };
    LLVMParseCommandLineOptions((int)(sizeof options / sizeof *options), options, NULL);
}

void ir_run_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *pipeline)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, pipeline, machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error)
        diag_defect(NULL, "'%s' for %s: %s", pipeline, LLVMGetTarget(module), LLVMGetErrorMessage(error));
}

LLVMModuleRef ir_module_like(LLVMModuleRef other)
{
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("", LLVMGetModuleContext(other));
    LLVMSetTarget(module, LLVMGetTarget(other));
    LLVMSetModuleDataLayout(module, LLVMGetModuleDataLayout(other));
    return module;
}

bool ir_is_in_tile_memory(LLVMValueRef constant)
{
    if (LLVMIsAGlobalVariable(constant)) {
        const char *section = LLVMGetSection(constant);
        return section && !strcmp(section, "amp.tile_static");
    }
    for (int i = 0; LLVMIsAConstantExpr(constant) && i < LLVMGetNumOperands(constant); i++)
        if (ir_is_in_tile_memory(LLVMGetOperand(constant, (unsigned)i)))
            return true;
    return false;
}

bool ir_is_element(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: {
        unsigned width = LLVMGetIntTypeWidth(type);
        return width == 8 || width == 16 || width == 32 || width == 64;
    }
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind:
        return true;
    default:
        return false;
    }
}

bool ir_call_place(LLVMValueRef instruction, int level, struct place otherwise, struct place *place)
{
    LLVMMetadataRef at = skip_library(LLVMInstructionGetDebugLoc(instruction));
    for (int i = 0; at && i <= level; i++)
        at = LLVMDILocationGetInlinedAt(at);
    if (!at || !LLVMDILocationGetInlinedAt(at)) /* the outermost location is the entry's call of the kernel */
        return false;
    *place = place_at(at, otherwise);
    return true;
}

static LLVMAttributeRef attribute(LLVMValueRef value, const char *name, unsigned long long number)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(value));
    return LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName(name, strlen(name)), number);
}

void ir_add_attribute(LLVMValueRef function, int index, const char *name)
{
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)index, attribute(function, name, 0));
}

void ir_add_call_attribute(LLVMValueRef call, const char *name)
{
    LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)IR_FUNCTION, attribute(call, name, 0));
}

void ir_add_number(LLVMValueRef function, int index, const char *name, unsigned long long number)
{
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)index, attribute(function, name, number));
}

void ir_make_local(LLVMValueRef value)
{
    LLVMSetVisibility(value, LLVMDefaultVisibility);
    LLVMSetLinkage(value, LLVMInternalLinkage);
}

void ir_forget_target(LLVMModuleRef module)
{
    static const char *const names[] = {"target-cpu", "target-features", "tune-cpu", "no-builtins"};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            LLVMRemoveStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, names[i],
                                             (unsigned)strlen(names[i]));
}

LLVMValueRef ir_call_overloaded(LLVMBuilderRef builder, const char *name, LLVMTypeRef type, LLVMValueRef *args,
                                unsigned n_args)
{
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(builder)));
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef intrinsic = LLVMGetIntrinsicDeclaration(module, id, &type, type ? 1 : 0);
    return LLVMBuildCall2(builder, LLVMGlobalGetValueType(intrinsic), intrinsic, args, n_args, "");
}

LLVMValueRef ir_call_intrinsic(LLVMBuilderRef builder, const char *name, LLVMValueRef *args, unsigned n_args)
{
    return ir_call_overloaded(builder, name, NULL, args, n_args);
}

/* Combines as fmin and fmax do: if one operand is NaN, the result is the other. */
static LLVMValueRef combine_floats(LLVMBuilderRef builder, const char *name, LLVMValueRef old, LLVMValueRef value)
{
    return ir_call_overloaded(builder, name, LLVMTypeOf(value), (LLVMValueRef[]){old, value}, 2);
}

LLVMValueRef ir_combine(LLVMBuilderRef builder, LLVMAtomicRMWBinOp operation, LLVMValueRef old, LLVMValueRef value)
{
    LLVMIntPredicate predicate = LLVMIntEQ;
    switch (operation) {
    case LLVMAtomicRMWBinOpXchg:
        return value;
    case LLVMAtomicRMWBinOpAdd:
        return LLVMBuildAdd(builder, old, value, "");
    case LLVMAtomicRMWBinOpSub:
        return LLVMBuildSub(builder, old, value, "");
    case LLVMAtomicRMWBinOpAnd:
        return LLVMBuildAnd(builder, old, value, "");
    case LLVMAtomicRMWBinOpOr:
        return LLVMBuildOr(builder, old, value, "");
    case LLVMAtomicRMWBinOpXor:
        return LLVMBuildXor(builder, old, value, "");
    case LLVMAtomicRMWBinOpFAdd:
        return LLVMBuildFAdd(builder, old, value, "");
    case LLVMAtomicRMWBinOpFSub:
        return LLVMBuildFSub(builder, old, value, "");
    case LLVMAtomicRMWBinOpFMax:
        return combine_floats(builder, "llvm.maxnum", old, value);
    case LLVMAtomicRMWBinOpFMin:
        return combine_floats(builder, "llvm.minnum", old, value);
    case LLVMAtomicRMWBinOpMax:
        predicate = LLVMIntSGT;
        break;
    case LLVMAtomicRMWBinOpMin:
        predicate = LLVMIntSLT;
        break;
    case LLVMAtomicRMWBinOpUMax:
        predicate = LLVMIntUGT;
        break;
    case LLVMAtomicRMWBinOpUMin:
        predicate = LLVMIntULT;
        break;
    default:
        diag_defect(NULL, "an atomic operation is not handled");
    }
    return LLVMBuildSelect(builder, LLVMBuildICmp(builder, predicate, old, value, ""), old, value, "");
}

void ir_mark_loop(LLVMValueRef branch, const char *first, const char *second)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(branch));
    LLVMMetadataRef self = LLVMTemporaryMDNode(context, NULL, 0), parts[3] = {self};
    const char *const marks[] = {first, second};
    size_t n = 1;
    for (int i = 0; i < 2; i++)
        if (marks[i]) {
            LLVMMetadataRef text = LLVMMDStringInContext2(context, marks[i], strlen(marks[i]));
            parts[n++] = LLVMMDNodeInContext2(context, &text, 1);
        }
    LLVMMetadataRef id = LLVMMDNodeInContext2(context, parts, n);
    LLVMMetadataReplaceAllUsesWith(self, id);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(context, "llvm.loop", 9), LLVMMetadataAsValue(context, id));
}

bool ir_has_unroll_pragma(LLVMValueRef branch)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(branch));
    LLVMValueRef id = LLVMGetMetadata(branch, LLVMGetMDKindIDInContext(context, "llvm.loop", 9)), parts[16], names[4];
    unsigned n = id ? LLVMGetMDNodeNumOperands(id) : 0, length;
    if (n > 16)
        return true;
    if (n > 0)
        LLVMGetMDNodeOperands(id, parts);
    for (unsigned i = 1; i < n; i++) {
        if (!parts[i] || LLVMGetMDNodeNumOperands(parts[i]) - 1 >= 4)
            continue;
        LLVMGetMDNodeOperands(parts[i], names);
        const char *name = names[0] ? LLVMGetMDString(names[0], &length) : NULL;
        if (name && strncmp(name, "llvm.loop.unroll", 16) == 0)
            return true;
    }
    return false;
}

const char *ir_string(LLVMValueRef global)
{
    LLVMValueRef initializer = LLVMIsAGlobalVariable(global) ? LLVMGetInitializer(global) : NULL;
    size_t length;
    bool is_data = initializer && LLVMIsAConstantDataSequential(initializer); /* "" is another kind of constant */
    return is_data && LLVMIsConstantString(initializer) ? LLVMGetAsString(initializer, &length) : "";
}

enum extremum ir_extremum(LLVMValueRef value)
{
    static const char *const names[] = {"llvm.smin.", "llvm.smax.", "llvm.umin.", "llvm.umax."};
    size_t length;
    const char *name = LLVMIsACallInst(value) ? LLVMGetValueName2(LLVMGetCalledValue(value), &length) : "";
    for (int i = 0; i < 4; i++)
        if (!strncmp(name, names[i], strlen(names[i])))
            return (enum extremum)(EXTREMUM_SMIN + i);
    return EXTREMUM_NONE;
}

bool ir_read_constant(LLVMValueRef value, long long *number)
{
    if (!LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
        return false;
    *number = LLVMConstIntGetSExtValue(value);
    return true;
}

LLVMValueRef ir_without_extension(LLVMValueRef value)
{
    return LLVMIsASExtInst(value) || LLVMIsAZExtInst(value) ? LLVMGetOperand(value, 0) : value;
}

/* Returns a value as LLVM does not look through it, from before `where` on. */
static LLVMValueRef hidden(LLVMValueRef value, LLVMValueRef where)
{
    static const char name[] = "llvm.arithmetic.fence";
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(where)));
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMValueRef fence = LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID(name, sizeof name - 1), &type, 1);
    LLVMPositionBuilderBefore(builder, where);
    LLVMValueRef call = LLVMBuildCall2(builder, LLVMGlobalGetValueType(fence), fence, &value, 1, "");
    LLVMDisposeBuilder(builder);
    return call;
}

void ir_hide_operand(LLVMValueRef user, unsigned number)
{
    LLVMSetOperand(user, number, hidden(LLVMGetOperand(user, number), user));
}

void ir_hide(LLVMValueRef value)
{
    LLVMValueRef call = hidden(LLVMGetUndef(LLVMTypeOf(value)), LLVMGetNextInstruction(value));
    LLVMReplaceAllUsesWith(value, call);
    LLVMSetOperand(call, 0, value);
}

LLVMValueRef ir_add_phi(LLVMBuilderRef builder, LLVMBasicBlockRef block, LLVMTypeRef type)
{
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    if (first)
        LLVMPositionBuilderBefore(builder, first);
    else
        LLVMPositionBuilderAtEnd(builder, block);
    return LLVMBuildPhi(builder, type, "");
}

LLVMValueRef ir_incoming_from(LLVMValueRef phi, LLVMBasicBlockRef block)
{
    unsigned k = 0;
    while (LLVMGetIncomingBlock(phi, k) != block)
        k++;
    return LLVMGetIncomingValue(phi, k);
}

void ir_copy_fast_math(LLVMValueRef from, LLVMValueRef to)
{
    if (LLVMIsAInstruction(to) && LLVMCanValueUseFastMathFlags(to) && LLVMCanValueUseFastMathFlags(from))
        LLVMSetFastMathFlags(to, LLVMGetFastMathFlags(from));
}

LLVMTypeRef ir_accessed_type(LLVMValueRef i, unsigned *address)
{
    *address = 0;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return LLVMTypeOf(i);
    case LLVMStore:
        *address = 1;
        return LLVMTypeOf(LLVMGetOperand(i, 0));
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return LLVMTypeOf(LLVMGetOperand(i, 1));
    default:
        return NULL;
    }
}

LLVMTargetDataRef ir_layout_of(LLVMValueRef i)
{
    return LLVMGetModuleDataLayout(LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(i))));
}

bool ir_add_step(LLVMTargetDataRef layout, LLVMValueRef step, long long period, long long *offset)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(step);
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(step); i++) {
        LLVMValueRef index = LLVMGetOperand(step, i);
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
            *offset += (long long)LLVMOffsetOfElement(layout, type, member);
            type = LLVMStructGetTypeAtIndex(type, member);
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        long long bytes = (long long)LLVMABISizeOfType(layout, type);
        if (LLVMIsAConstantInt(index))
            *offset += LLVMConstIntGetSExtValue(index) * bytes;
        else if (!period || bytes % period)
            return false;
    }
    return true;
}

LLVMTypeRef ir_element_type(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

LLVMValueRef ir_lanes(LLVMBuilderRef builder, LLVMValueRef vector, unsigned at, unsigned n, unsigned to)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(vector)));
    LLVMValueRef *lanes = arena_alloc(to * sizeof *lanes);
    for (unsigned i = 0; i < to; i++)
        lanes[i] = i < n ? LLVMConstInt(i32, at + i, false) : LLVMGetPoison(i32);
    return LLVMBuildShuffleVector(builder, vector, LLVMGetPoison(LLVMTypeOf(vector)), LLVMConstVector(lanes, to), "");
}

bool ir_stays_here(LLVMValueRef pointer)
{
    bool stays = true;
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use && stays; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMTypeRef type = LLVMTypeOf(user);
        if (LLVMIsAGetElementPtrInst(user))
            stays = LLVMGetTypeKind(type) == LLVMPointerTypeKind && ir_stays_here(user);
        else if (LLVMIsAStoreInst(user))
            stays = LLVMGetOperand(user, 0) != pointer;
        else if (LLVMIsAIntrinsicInst(user))
            stays = LLVMGetTypeKind(ir_element_type(type)) != LLVMPointerTypeKind;
        else
            stays = LLVMIsALoadInst(user) || LLVMIsAICmpInst(user);
    }
    return stays;
}

LLVMValueRef ir_base(LLVMValueRef address, long long *offset)
{
    while (LLVMIsAGetElementPtrInst(address) && ir_add_step(ir_layout_of(address), address, 0, offset))
        address = LLVMGetOperand(address, 0);
    return address;
}
