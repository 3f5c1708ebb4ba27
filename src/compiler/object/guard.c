/* SPDX-License-Identifier: MIT
 *
 * With --amp-check: lets libamp see which memory the host's code reads and writes while it watches arrays. In front of
 *
 *     y = data[i];
 *
 * goes
 *
 *     if (amp__check_host_arrays)
 *         amp__check_host(&data[i], sizeof data[i], &place);
 *
 * Memory that no array can have is left alone: variables whose address stays in the function, and constants. A launch
 * or a copy is preceded by amp__check_call(&place), so that reports can name it.
 *
 * needs   the host's module as clang's front end made it, with places
 * keeps   nothing
 * breaks  nothing */
#include "base/map.h"
#include "checked/checked.h"
#include "driver/driver.h"
#include "kernel/ir.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <string.h>

/* What checks call. LLVM may believe that they change nothing that the host's code sees. */
static const char library[] =
    "@amp__check_host_arrays = external global i32\n"
    "declare void @amp__check_host(ptr nocapture readnone, i64, ptr) cold nounwind memory(inaccessiblemem: readwrite)\n"
    "declare void @amp__check_call(ptr) nounwind memory(inaccessiblemem: readwrite)\n"
    "define void @amp.check.host(ptr %address, i64 %size, ptr %place) alwaysinline nounwind {\n"
    "  %n = load i32, ptr @amp__check_host_arrays, align 4, !nosanitize !0, !tbaa !2\n"
    "  %none = icmp eq i32 %n, 0\n"
    "  br i1 %none, label %done, label %check, !prof !1\n"
    "check:\n"
    "  call void @amp__check_host(ptr %address, i64 %size, ptr %place)\n"
    "  br label %done\n"
    "done:\n"
    "  ret void\n"
    "}\n"
    "define void @amp.check.call(ptr %place) alwaysinline nounwind {\n"
    "  call void @amp__check_call(ptr %place)\n"
    "  ret void\n"
    "}\n"
    "!0 = !{}\n"
    "!1 = !{!\"branch_weights\", i32 1000, i32 1}\n"
    "!2 = !{!3, !3, i64 0}\n"
    "!3 = !{!\"amp.check.host.arrays\", !4}\n" /* no type of C has it, so no store changes it */
    "!4 = !{!\"Simple C/C++ TBAA\"}\n";

struct guarding {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMTargetDataRef layout;
    LLVMBuilderRef builder;
    LLVMTypeRef i32, i64;
    LLVMValueRef function, check, call; /* `function`: which gets checks */
    struct place source;                /* for what has no place */
};

static void link_library(struct guarding *g)
{
    LLVMModuleRef module;
    char *message;
    if (LLVMParseIRInContext(g->context, LLVMCreateMemoryBufferWithMemoryRangeCopy(library, sizeof library - 1, ""),
                             &module, &message))
        diag_defect(NULL, "%s", message);
    LLVMSetTarget(module, LLVMGetTarget(g->module));
    LLVMSetModuleDataLayout(module, LLVMGetModuleDataLayout(g->module));
    if (LLVMLinkModules2(g->module, module))
        diag_defect(NULL, "the checks of the host's code do not link");
    g->check = LLVMGetNamedFunction(g->module, "amp.check.host");
    g->call = LLVMGetNamedFunction(g->module, "amp.check.call");
    ir_make_local(g->check);
    ir_make_local(g->call);
}

/* ---- places ---- */

static LLVMValueRef variable(const struct guarding *g, LLVMValueRef value, const char *name, bool is_constant)
{
    LLVMValueRef global = LLVMAddGlobal(g->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, is_constant);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

static LLVMValueRef text(const struct guarding *g, const char *chars)
{
    const char *name = arena_printf("amp.check.text.%s", chars);
    LLVMValueRef global = LLVMGetNamedGlobal(g->module, name);
    if (global)
        return global;
    return variable(g, LLVMConstStringInContext2(g->context, chars, strlen(chars), false), name, true);
}

/* The place of an instruction: an amp__check_place of src/abi/checked.h. */
static LLVMValueRef place_of(const struct guarding *g, LLVMValueRef instruction, enum use use)
{
    struct place place = ir_place(instruction, g->source);
    LLVMValueRef fields[] = {text(g, place.file),
                             text(g, LLVMGetValueName(g->function)),
                             LLVMConstInt(g->i32, place.line, false),
                             LLVMConstInt(g->i32, place.column, false),
                             LLVMConstInt(g->i32, use, false),
                             LLVMConstInt(g->i32, 0, false)};
    return variable(g, LLVMConstStructInContext(g->context, fields, 6, false), "amp.check.place", false);
}

/* ---- accesses ---- */

/* The variable that a pointer points into, as far as the function shows. */
static LLVMValueRef base_of(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer) ||
           (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

/* Whether memory may be that of an array. `local`: the variables whose address stays in the function. */
static bool may_be_array(const struct map *local, LLVMValueRef pointer)
{
    LLVMValueRef base = base_of(pointer);
    return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == 0 && map_get(local, base) < 0 &&
           !(LLVMIsAGlobalVariable(base) && LLVMIsGlobalConstant(base));
}

static void add_check(const struct guarding *g, LLVMValueRef instruction, LLVMValueRef pointer, LLVMValueRef size_bytes,
                      enum use use)
{
    LLVMValueRef args[] = {pointer, size_bytes, place_of(g, instruction, use)};
    LLVMPositionBuilderBefore(g->builder, instruction);
    LLVMSetCurrentDebugLocation2(g->builder, LLVMInstructionGetDebugLoc(instruction));
    LLVMBuildCall2(g->builder, LLVMGlobalGetValueType(g->check), g->check, args, 3, "");
}

static void check_type(const struct guarding *g, const struct map *local, LLVMValueRef instruction,
                       LLVMValueRef pointer, LLVMTypeRef type, enum use use)
{
    if (may_be_array(local, pointer))
        add_check(g, instruction, pointer, LLVMConstInt(g->i64, LLVMStoreSizeOfType(g->layout, type), false), use);
}

/* What a function of the C library does with memory: the numbers of the arguments that are its address and its size,
 * which is a product if there are two; -1: none. */
struct usage {
    const char *function;
    enum use use;
    int pointer, size, times;
};

static const struct usage usages[] = {
    {"llvm.memcpy.", USE_WRITE, 0, 2, -1},  {"llvm.memcpy.", USE_READ, 1, 2, -1},
    {"llvm.memmove.", USE_WRITE, 0, 2, -1}, {"llvm.memmove.", USE_READ, 1, 2, -1},
    {"llvm.memset.", USE_WRITE, 0, 2, -1},  {"memcpy", USE_WRITE, 0, 2, -1},
    {"memcpy", USE_READ, 1, 2, -1},         {"memmove", USE_WRITE, 0, 2, -1},
    {"memmove", USE_READ, 1, 2, -1},        {"memset", USE_WRITE, 0, 2, -1},
    {"memcmp", USE_READ, 0, 2, -1},         {"memcmp", USE_READ, 1, 2, -1},
    {"fwrite", USE_READ, 0, 1, 2},          {"fread", USE_WRITE, 0, 1, 2},
    {"write", USE_READ, 1, 2, -1},          {"read", USE_WRITE, 1, 2, -1},
    {"qsort", USE_READ, 0, 1, 2},
};

static bool is_used_by(const struct usage *usage, const char *function)
{
    size_t length = strlen(usage->function);
    bool is_family = usage->function[length - 1] == '.';
    return is_family ? has_prefix(function, usage->function) : !strcmp(function, usage->function);
}

static LLVMValueRef size_argument(const struct guarding *g, LLVMValueRef call, int number)
{
    return LLVMBuildZExtOrBitCast(g->builder, LLVMGetOperand(call, (unsigned)number), g->i64, "");
}

static void check_usage(const struct guarding *g, const struct map *local, LLVMValueRef call, const struct usage *usage)
{
    int n = (int)LLVMGetNumArgOperands(call);
    if (usage->pointer >= n || usage->size >= n || usage->times >= n)
        return; /* the source has another function of this name */
    LLVMValueRef pointer = LLVMGetOperand(call, (unsigned)usage->pointer);
    if (LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind || !may_be_array(local, pointer))
        return;
    LLVMPositionBuilderBefore(g->builder, call);
    LLVMSetCurrentDebugLocation2(g->builder, LLVMInstructionGetDebugLoc(call));
    LLVMValueRef size = size_argument(g, call, usage->size);
    if (usage->times >= 0)
        size = LLVMBuildMul(g->builder, size, size_argument(g, call, usage->times), "");
    add_check(g, call, pointer, size, usage->use);
}

/* Whether a function of the library asks where it was called. */
static bool asks_for_place(const char *function)
{
    static const char *const beginnings[] = {"amp_launch", "amp_copy", "amp__copy", "amp_get"};
    bool does = false;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        does = does || has_prefix(function, beginnings[i]);
    return does;
}

static void check_call(const struct guarding *g, const struct map *local, LLVMValueRef call)
{
    LLVMValueRef called = LLVMGetCalledValue(call);
    const char *function = LLVMIsAFunction(called) ? LLVMGetValueName(called) : "";
    for (size_t i = 0; i < sizeof usages / sizeof *usages; i++)
        if (is_used_by(&usages[i], function))
            check_usage(g, local, call, &usages[i]);
    if (!asks_for_place(function))
        return;
    LLVMValueRef place = place_of(g, call, USE_READ);
    LLVMPositionBuilderBefore(g->builder, call);
    LLVMSetCurrentDebugLocation2(g->builder, LLVMInstructionGetDebugLoc(call));
    LLVMBuildCall2(g->builder, LLVMGlobalGetValueType(g->call), g->call, &place, 1, "");
}

static void check_instruction(const struct guarding *g, const struct map *local, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        check_type(g, local, i, LLVMGetOperand(i, 0), LLVMTypeOf(i), USE_READ);
        break;
    case LLVMStore:
        check_type(g, local, i, LLVMGetOperand(i, 1), LLVMTypeOf(LLVMGetOperand(i, 0)), USE_WRITE);
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        check_type(g, local, i, LLVMGetOperand(i, 0), LLVMTypeOf(LLVMGetOperand(i, 1)), USE_ATOMIC);
        break;
    case LLVMCall:
    case LLVMInvoke:
        check_call(g, local, i);
        break;
    default:
        break;
    }
}

static void check_function(struct guarding *g, LLVMValueRef function)
{
    struct map *local = map_new();
    g->function = function;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsAAllocaInst(i) && ir_stays_here(i))
                map_set(local, i, 1);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            check_instruction(g, local, i);
        }
}

static bool has_attribute(LLVMValueRef function, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                       LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

/* Whether a function is the source's and can have checks. The dynamic linker calls resolvers, before it is done. */
static bool can_have_checks(LLVMModuleRef module, LLVMValueRef function)
{
    for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(module); i; i = LLVMGetNextGlobalIFunc(i))
        if (LLVMGetGlobalIFuncResolver(i) == function)
            return false;
    const char *name = LLVMGetValueName(function);
    return !LLVMIsDeclaration(function) && !has_prefix(name, "amp__") && !has_prefix(name, "amp.") &&
           !has_attribute(function, "naked") && !has_attribute(function, "disable_sanitizer_instrumentation");
}

bool guard(struct unit *unit)
{
    if (!unit->options->check || unit->is_cpp) /* views of C++ synchronise themselves */
        return true;
    LLVMContextRef context = unit->context;
    struct guarding g = {.module = unit->host,
                         .context = context,
                         .layout = LLVMGetModuleDataLayout(unit->host),
                         .builder = LLVMCreateBuilderInContext(context),
                         .i32 = LLVMInt32TypeInContext(context),
                         .i64 = LLVMInt64TypeInContext(context),
                         .source = {unit->input, 0, 0}};
    link_library(&g);
    for (LLVMValueRef f = LLVMGetFirstFunction(g.module); f; f = LLVMGetNextFunction(f))
        if (can_have_checks(g.module, f))
            check_function(&g, f);
    LLVMDisposeBuilder(g.builder);
    return true;
}
