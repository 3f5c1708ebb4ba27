/* SPDX-License-Identifier: MIT
 *
 * The pass `check` for C++: what kernels may not contain. clang has checked restrictions, exceptions and the like. The
 * rest is found in the code that the kernels reach, so it covers templates and whatever the library's headers do.
 *
 * needs   unit->form with the kernels' entries
 * keeps   everything
 * breaks  nothing */
#include "base/map.h"
#include "front/cpp/cpp.h"
#include "kernel/calls.h"
#include "kernel/ir.h"
#include "kernel/origin.h"

#include <stdio.h>
#include <string.h>

/* A function on the way from an entry. */
struct way {
    LLVMValueRef function, call; /* the call of it; NULL for an entry */
    const struct way *from;
};

struct search {
    const struct unit *unit;
    const struct kernel *kernel;
    struct map *seen;
    bool has_type; /* a type that devices do not have is reported in the function at hand */
};

static bool is_on(const struct way *way, LLVMValueRef function)
{
    for (; way; way = way->from)
        if (way->function == function)
            return true;
    return false;
}

static struct place place_of(const struct search *search, LLVMValueRef instruction)
{
    return ir_place(instruction, search->kernel->place);
}

/* Notes by which calls the kernel comes to `way`. */
static void note_way(const struct search *search, const struct way *way)
{
    for (; way && way->call && way->from && way->from->call; way = way->from)
        diag_note(place_of(search, way->call), "the kernel comes here by this call");
}

const char cpp_call_through_pointer[] =
    "a kernel cannot call virtual functions or functions through pointers; call the function itself, or make it a "
    "template's argument [call through a pointer]";

/* Functions without a body that the language's own constructs call, and what to say about them. */
static const struct {
    const char *name, *text;
} constructs[] = {
    {"_Znwm", "a kernel cannot allocate memory; declare an array of fixed size [allocation]"},
    {"_Znam", "a kernel cannot allocate memory; declare an array of fixed size [allocation]"},
    {"_ZdlPv", "a kernel cannot free memory [allocation]"},
    {"_ZdaPv", "a kernel cannot free memory [allocation]"},
    {"malloc", "a kernel cannot allocate memory; declare an array of fixed size [host library]"},
    {"free", "a kernel cannot free memory [host library]"},
    {"__dynamic_cast", "a kernel has no dynamic_cast [type information]"},
    {"__cxa_throw", "a kernel cannot throw exceptions [exception]"},
    {"__cxa_bad_typeid", "a kernel has no typeid [type information]"},
    {"__cxa_guard_acquire", "a kernel has no static variables; only constants may be static [writable static]"},
    {"__cxa_pure_virtual", "a kernel cannot call virtual functions [virtual]"},
};

static void check_foreign(const struct search *search, const struct way *way, LLVMValueRef call)
{
    const char *name = LLVMGetValueName(LLVMGetCalledValue(call));
    for (size_t i = 0; i < sizeof constructs / sizeof *constructs; i++)
        if (has_prefix(name, constructs[i].name)) {
            diag_error(place_of(search, call), "%s", constructs[i].text);
            note_way(search, way);
            return;
        }
    diag_error(place_of(search, call),
               "a kernel calls a function that is not restrict(amp), or has no body in this file, which it needs "
               "because kernels inline all that they call (its symbol is '%s') [no body]",
               name);
    note_way(search, way);
}

static bool is_constant_data(LLVMValueRef global)
{
    return LLVMIsGlobalConstant(global) && LLVMGetInitializer(global);
}

/* Whether an annotation says that the variable is tile_static. `extract` looks at it later. */
static bool is_tile_static(const struct search *search, LLVMValueRef global)
{
    LLVMValueRef list = LLVMGetNamedGlobal(search->unit->form, "llvm.global.annotations");
    LLVMValueRef entries = list ? LLVMGetInitializer(list) : NULL;
    for (int i = 0; entries && i < LLVMGetNumOperands(entries); i++) {
        LLVMValueRef entry = LLVMGetOperand(entries, (unsigned)i);
        if (LLVMGetOperand(entry, 0) == global && !strcmp(ir_string(LLVMGetOperand(entry, 1)), "amp.tile_static"))
            return true;
    }
    return false;
}

/* Returns the name that a variable has in the source: the last one in its symbol, where it follows its length. */
static const char *source_name(const char *symbol)
{
    size_t end = strlen(symbol);
    while (has_prefix(symbol, "_Z") && end > 0 && symbol[end - 1] == 'E')
        end--;
    for (size_t length = 1; has_prefix(symbol, "_Z") && length < end; length++) {
        char digits[24];
        size_t n = (size_t)snprintf(digits, sizeof digits, "%zu", length);
        if (end > length + n && !strncmp(symbol + end - length - n, digits, n))
            return arena_printf("%.*s", (int)length, symbol + end - length);
    }
    return symbol;
}

static void check_global(const struct search *search, const struct way *way, LLVMValueRef instruction,
                         LLVMValueRef value)
{
    while (LLVMIsAConstantExpr(value))
        value = LLVMGetOperand(value, 0);
    if (!LLVMIsAGlobalVariable(value) || is_constant_data(value))
        return;
    if (is_tile_static(search, value)) {
        if (search->kernel->tiled)
            return;
        diag_error(
            place_of(search, instruction),
            "tile_static variables need tiles: launch the kernel over a tiled_extent [tile_static needs a tile]");
    } else {
        diag_error(place_of(search, instruction),
                   "a kernel uses the global variable '%s', which accelerators do not have; capture its value "
                   "[writable global]",
                   source_name(LLVMGetValueName(value)));
    }
    note_way(search, way);
}

static void search_function(struct search *search, const struct way *way);

static void check_call(struct search *search, const struct way *way, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (LLVMIsAInlineAsm(callee)) {
        diag_error(place_of(search, call), "a kernel has no assembly [inline assembly]");
        note_way(search, way);
    } else if (!LLVMIsAFunction(callee)) {
        diag_error(place_of(search, call), "%s", cpp_call_through_pointer);
        note_way(search, way);
    } else if (calls_kind(call) == CALL_BARRIER && !search->kernel->tiled) {
        diag_error(place_of(search, call),
                   "a barrier needs tiles: launch the kernel over a tiled_extent [barrier needs a tile]");
        note_way(search, way);
    } else if (calls_kind(call) == CALL_HELPER) {
        if (is_on(way, callee)) {
            diag_error(place_of(search, call),
                       "recursion is not allowed in restrict(amp) code; write a loop [recursion]");
            note_way(search, way);
        } else if (map_get(search->seen, callee) < 0) {
            search_function(search, &(struct way){callee, call, way});
        }
    } else if (calls_kind(call) == CALL_FOREIGN && !targets_has_function(NULL, LLVMGetValueName(callee))) {
        check_foreign(search, way, call);
    }
}

/* Whether values of a type exist on every device. */
static bool is_for_devices(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMX86_FP80TypeKind:
    case LLVMFP128TypeKind:
    case LLVMPPC_FP128TypeKind:
        return false;
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type) <= 64;
    default:
        return true;
    }
}

static void check_instruction(struct search *search, const struct way *way, LLVMValueRef i)
{
    bool accesses = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
    LLVMTypeRef type = LLVMTypeOf(LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : i);
    if (accesses && LLVMGetVolatile(i))
        diag_error(place_of(search, i), "a kernel has no volatile variables; accelerators' memory is not watched by "
                                        "anybody [volatile]");
    else if (LLVMIsAIntToPtrInst(i))
        diag_error(place_of(search, i), "a kernel cannot make a pointer from an integer [pointer cast]");
    else if (LLVMIsAAllocaInst(i) && !LLVMIsConstant(LLVMGetOperand(i, 0)))
        diag_error(place_of(search, i),
                   "alloca is not allowed in a kernel, a thread's memory has a fixed size; declare "
                   "an array with a constant bound [alloca]");
    else if (!is_for_devices(type) && !search->has_type)
        diag_error(place_of(search, i),
                   "accelerators have no long double and no integers of more than 64 bits [wide types]");
    else
        return;
    search->has_type |= !is_for_devices(type); /* each use of a variable would be another error */
    note_way(search, way);
}

static void search_function(struct search *search, const struct way *way)
{
    bool outer = search->has_type;
    search->has_type = false;
    map_set(search->seen, way->function, 1);
    if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(way->function)))
        diag_error(place_of(search, way->call),
                   "a kernel calls no functions with a variable number of arguments; use a "
                   "template [variadic]");
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(way->function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            int n = calls_kind(i) == CALL_SANITIZER ? 0 : LLVMGetNumOperands(i); /* whose data are variables */
            for (int o = 0; o < n; o++)
                check_global(search, way, i, LLVMGetOperand(i, (unsigned)o));
            check_instruction(search, way, i);
            if (LLVMIsACallInst(i) || LLVMIsAInvokeInst(i))
                check_call(search, way, i);
        }
    search->has_type = outer;
}

/* ---- after everything is inlined ---- */

/* Returns the address that an instruction accesses; NULL if it accesses none. */
static LLVMValueRef address_of(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMStore:
        return LLVMGetOperand(i, 1);
    case LLVMLoad:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return LLVMGetOperand(i, 0);
    default:
        return NULL;
    }
}

/* The analyses trust that a pointer which comes out of arrays or tile memory does not point into private memory. Such a
 * pointer may also have got there in the copy of a struct. */
static void check_pointers(const struct kernel *kernel, LLVMValueRef i)
{
    LLVMValueRef address = address_of(i);
    bool stores_pointer =
        LLVMIsAStoreInst(i) && LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, 0))) == LLVMPointerTypeKind;
    int kinds = address ? origin_of(kernel, address).kinds : 0;
    if ((stores_pointer && kinds & ~ORIGIN_PRIVATE) || kinds & ORIGIN_LOADED)
        diag_error(ir_place(i, kernel->place),
                   "a kernel cannot keep pointers or references in arrays, tile_static variables or constants; keep "
                   "positions [stored pointer]");
}

bool cpp_check_prepared(const struct unit *unit)
{
    unsigned errors = diag_count();
    for (int k = 0; k < unit->n_kernels; k++) {
        const struct kernel *kernel = &unit->kernels[k];
        LLVMValueRef entry = LLVMGetNamedFunction(unit->form, kernel->entry);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(entry); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                check_pointers(kernel, i);
    }
    return diag_count() == errors;
}

bool cpp_check(struct unit *unit)
{
    unsigned errors = diag_count();
    for (int k = 0; k < unit->n_kernels; k++) {
        struct search search = {unit, &unit->kernels[k], map_new(), false};
        LLVMValueRef entry = LLVMGetNamedFunction(unit->form, unit->kernels[k].entry);
        search_function(&search, &(struct way){entry, NULL, NULL});
    }
    return diag_count() == errors;
}
