/* SPDX-License-Identifier: MIT
 *
 * Tells debuggers where the variables of a kernel are, if they stay in memory and one thread runs at a time. clang has
 * described its own variables, and widen.c makes others, one for each thread of a tile. So a stack variable has the
 * address of that of the thread that runs, and clang's description goes to it:
 *
 *     %x = alloca float                        becomes   %memory = alloca [16 x float], %place = alloca ptr
 *     #dbg_declare(ptr %x, X, (), L)                     #dbg_declare(ptr %place, X, (DW_OP_deref), L)
 *
 * tile_static variables are on the worker's stack, too, so they become local ones of the function that declares them.
 *
 * Needs: declarations of variables as clang leaves them. Keeps: the code. */
#include "widen/variables.h"
#include "driver/driver.h"
#include "kernel/ir.h"
#include "widen/parts.h"

#include <llvm-c/DebugInfo.h>
#include <llvm/Config/llvm-config.h>
#include <string.h>

/* What is said about a variable. */
struct description {
    LLVMValueRef memory; /* the entry's alloca, or the tile_static variable */
    LLVMMetadataRef variable, expression, location;
};

struct variables {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMDIBuilderRef builder;
    struct description *descriptions;
    int n, capacity;
};

static void add(struct variables *v, struct description description)
{
    if (v->n == v->capacity) {
        struct description *old = v->descriptions;
        v->capacity = 2 * v->capacity + 16;
        v->descriptions = arena_alloc((size_t)v->capacity * sizeof *v->descriptions);
        if (v->n > 0)
            memcpy(v->descriptions, old, (size_t)v->n * sizeof *old);
    }
    v->descriptions[v->n++] = description;
}

static LLVMMetadataRef dereferences(const struct variables *v, size_t n)
{
    enum { DEREFERENCE = 6 }; /* DW_OP_deref */
    uint64_t operations[] = {DEREFERENCE, DEREFERENCE};
    return LLVMDIBuilderCreateExpression(v->builder, operations, n);
}

/* ---- local variables ---- */

#if LLVM_VERSION_MAJOR >= 22

static void read_declarations(struct variables *v, LLVMValueRef i)
{
    for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(i); r; r = LLVMGetNextDbgRecord(r))
        if (LLVMDbgRecordGetKind(r) == LLVMDbgRecordDeclare)
            add(v, (struct description){LLVMDbgVariableRecordGetValue(r, 0), LLVMDbgVariableRecordGetVariable(r),
                                        LLVMDbgVariableRecordGetExpression(r), LLVMDbgRecordGetDebugLoc(r)});
}

#else

/* LLVM's C API cannot read records; `variables_list` has made calls of them. */
static void read_declarations(struct variables *v, LLVMValueRef i)
{
    enum { MEMORY, VARIABLE, EXPRESSION };
    LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL, memory;
    if (!callee || strcmp(LLVMGetValueName(callee), "llvm.dbg.declare") != 0 ||
        LLVMGetMDNodeNumOperands(LLVMGetOperand(i, MEMORY)) != 1)
        return;
    LLVMGetMDNodeOperands(LLVMGetOperand(i, MEMORY), &memory);
    add(v, (struct description){memory, LLVMValueAsMetadata(LLVMGetOperand(i, VARIABLE)),
                                LLVMValueAsMetadata(LLVMGetOperand(i, EXPRESSION)), LLVMInstructionGetDebugLoc(i)});
}

#endif

/* ---- tile_static variables ---- */

enum { MOST_OPERANDS = 16 };

/* Reads the operands of a node of metadata. Returns how many there are, 0 for very many. */
static unsigned operands_of(LLVMValueRef node, LLVMValueRef operands[MOST_OPERANDS])
{
    unsigned n = LLVMGetMDNodeNumOperands(node);
    if (n > MOST_OPERANDS)
        return 0;
    LLVMGetMDNodeOperands(node, operands);
    return n;
}

/* Returns what clang says about a global variable and its address; NULL if that is nothing. */
static LLVMMetadataRef description_of(const struct variables *v, LLVMValueRef global)
{
    static const char name[] = "dbg";
    unsigned kind = LLVMGetMDKindIDInContext(v->context, name, sizeof name - 1);
    LLVMMetadataRef result = NULL;
    size_t n;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &n);
    for (unsigned i = 0; i < n; i++)
        if (LLVMValueMetadataEntriesGetKind(entries, i) == kind)
            result = LLVMValueMetadataEntriesGetMetadata(entries, i);
    LLVMDisposeValueMetadataEntries(entries);
    return result;
}

static bool is_in(LLVMValueRef address, LLVMValueRef variable)
{
    bool result = address == variable;
    for (int o = 0; !result && LLVMIsAConstantExpr(address) && o < LLVMGetNumOperands(address); o++)
        result = is_in(LLVMGetOperand(address, (unsigned)o), variable);
    return result;
}

static bool uses(LLVMValueRef i, LLVMValueRef variable)
{
    bool result = false;
    for (int o = 0; o < LLVMGetNumOperands(i); o++)
        result = result || is_in(LLVMGetOperand(i, (unsigned)o), variable);
    return result;
}

/* Returns a list of metadata without an item; NULL if it does not have it. */
static LLVMMetadataRef without(const struct variables *v, LLVMValueRef list, LLVMMetadataRef item)
{
    unsigned n = LLVMGetMDNodeNumOperands(list), n_left = 0;
    LLVMValueRef *items = arena_alloc((n + 1) * sizeof *items);
    LLVMMetadataRef *left = arena_alloc((n + 1) * sizeof *left);
    LLVMGetMDNodeOperands(list, items);
    for (unsigned i = 0; i < n; i++)
        if (!items[i] || LLVMValueAsMetadata(items[i]) != item)
            left[n_left++] = items[i] ? LLVMValueAsMetadata(items[i]) : NULL;
    return n_left < n ? LLVMMDNodeInContext2(v->context, left, n_left) : NULL;
}

/* Forgets a global variable, which debuggers would show as optimised out. */
static void forget(const struct variables *v, LLVMMetadataRef global)
{
    static const char units_name[] = "llvm.dbg.cu";
    unsigned n_units = LLVMGetNamedMetadataNumOperands(v->module, units_name);
    LLVMValueRef *units = arena_alloc((n_units + 1) * sizeof *units), parts[MOST_OPERANDS];
    LLVMGetNamedMetadataOperands(v->module, units_name, units);
    for (unsigned u = 0; u < n_units; u++)
        for (unsigned n = operands_of(units[u], parts), p = 0; p < n; p++) {
            bool is_list = parts[p] && LLVMGetMetadataKind(LLVMValueAsMetadata(parts[p])) == LLVMMDTupleMetadataKind;
            LLVMMetadataRef left = is_list ? without(v, parts[p], global) : NULL;
            if (left)
                LLVMReplaceMDNodeOperandWith(units[u], p, left);
        }
}

/* Describes a variable as a local one of the function that declares it, where `i` shows that this is inlined. */
static void describe_shared(struct variables *v, LLVMValueRef i, LLVMValueRef variable)
{
    enum { SCOPE, NAME, FILE_NAME, TYPE };
    LLVMMetadataRef whole = description_of(v, variable), location = LLVMInstructionGetDebugLoc(i);
    LLVMValueRef parts[MOST_OPERANDS];
    if (!whole || !location || !uses(i, variable) || !operands_of(LLVMMetadataAsValue(v->context, whole), parts))
        return;
    LLVMMetadataRef global = LLVMValueAsMetadata(parts[0]), scope = LLVMDIVariableGetScope(global);
    unsigned line = LLVMDIVariableGetLine(global), length;
    if (!operands_of(parts[0], parts))
        return;
    const char *name = LLVMGetMDString(parts[NAME], &length);
    LLVMMetadataRef local =
        LLVMDIBuilderCreateAutoVariable(v->builder, scope, name, length, LLVMDIVariableGetFile(global), line,
                                        LLVMValueAsMetadata(parts[TYPE]), false, LLVMDIFlagZero, 0);
    location = LLVMDIBuilderCreateDebugLocation(v->context, line, 0, scope, LLVMDILocationGetInlinedAt(location));
    add(v, (struct description){variable, local, dereferences(v, 0), location});
    forget(v, whole);
}

/* ---- all ---- */

struct variables *variables_list(LLVMModuleRef module, LLVMValueRef entry)
{
    struct variables *v = arena_alloc(sizeof *v);
    *v = (struct variables){.module = module,
                            .context = LLVMGetModuleContext(module),
                            .builder = LLVMCreateDIBuilderDisallowUnresolved(module)};
#if LLVM_VERSION_MAJOR < 22
    LLVMSetIsNewDbgInfoFormat(module, false);
#endif
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            read_declarations(v, i);
            for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
                if (ir_is_in_tile_memory(g))
                    describe_shared(v, i, g);
        }
#if LLVM_VERSION_MAJOR < 22
    LLVMSetIsNewDbgInfoFormat(module, true);
#endif
    return v;
}

void variables_free(struct variables *variables)
{
    if (variables)
        LLVMDisposeDIBuilder(variables->builder);
}

/* Whether a description is the first of those that say the same, and none says something else: calls of one function
 * at one place, as a macro may make them, cannot be told apart. */
static bool is_clear(const struct variables *v, const LLVMMetadataRef *locations, int number)
{
    const struct description *one = &v->descriptions[number];
    for (int i = 0; i < v->n; i++) {
        const struct description *other = &v->descriptions[i];
        bool is_same = one->variable == other->variable && locations[i] == locations[number];
        if (is_same && (one->memory != other->memory || i < number))
            return false;
    }
    return true;
}

static void declare(const struct widener *w, const struct description *of, LLVMMetadataRef location)
{
    const struct variables *v = w->variables;
    LLVMValueRef memory = NULL;
    LLVMMetadataRef expression = of->expression;
    for (int t = 0; t < w->n_tile_memory; t++)
        if (w->tile_memory[t].variable == of->memory)
            memory = w->tile_memory[t].memory;
    bool is_reference = expression == dereferences(v, 1); /* C++ passes some objects so */
    for (int p = 0; p < w->n_privates && (is_reference || expression == dereferences(v, 0)); p++)
        if (w->privates[p].variable == of->memory) {
            memory = w->privates[p].place;
            expression = dereferences(v, is_reference ? 2 : 1);
        }
    if (memory)
        LLVMDIBuilderInsertDeclareRecordBefore(v->builder, memory, of->variable, expression, location,
                                               LLVMGetBasicBlockTerminator(w->entry));
}

void variables_declare(const struct widener *w)
{
    const struct variables *v = w->variables;
    LLVMMetadataRef *locations = arena_alloc((size_t)(v->n + 1) * sizeof(LLVMMetadataRef));
    for (int i = 0; i < v->n; i++)
        locations[i] = widen_location(w, v->descriptions[i].location);
    for (int i = 0; i < v->n; i++)
        if (is_clear(v, locations, i))
            declare(w, &v->descriptions[i], locations[i]);
}
