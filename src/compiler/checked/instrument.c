/* SPDX-License-Identifier: MIT
 *
 * Makes code with checks of the kernels as clang left them: everything is inlined, checks are put before accesses, and
 * then local variables become SSA values, so that the rest is as fast as other code. LLVM must not use what it believes
 * about the code before the checks are in it: that subscripts are within bounds, for example.
 *
 * needs   the kernels as clang made them, with names and places
 * keeps   nothing
 * breaks  nothing */
#include "base/map.h"
#include "checked/checked.h"
#include "driver/driver.h"
#include "kernel/calls.h"
#include "kernel/entry.h"
#include "kernel/ir.h"
#include "kernel/prepare.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <string.h>

extern const char check_library_begin[], check_library_end[];
__asm__(".section .rodata\n"
        ".global check_library_begin, check_library_end\n"
        "check_library_begin: .incbin \"" AMPCC_CHECK_LIBRARY "\"\n"
        "check_library_end: .byte 0\n"
        ".previous");

/* ---- the library ---- */

static void link_library(struct unit *unit, struct image *image)
{
    LLVMModuleRef library;
    LLVMMemoryBufferRef bitcode = LLVMCreateMemoryBufferWithMemoryRange(
        check_library_begin, (size_t)(check_library_end - check_library_begin), "the library of checks", false);
    if (LLVMGetBitcodeModuleInContext2(unit->context, bitcode, &library))
        diag_defect(NULL, "the library of checks cannot be read");
    ir_forget_target(library);
    LLVMSetTarget(library, LLVMGetTarget(image->module));
    LLVMSetModuleDataLayout(library, LLVMGetModuleDataLayout(image->module));
    if (LLVMLinkModules2(image->module, library))
        diag_defect(NULL, "the library of checks does not link");
    for (LLVMValueRef f = LLVMGetFirstFunction(image->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && has_prefix(LLVMGetValueName(f), "amp__check_"))
            ir_make_local(f);
}

/* Whether a function of the runtime changes what kernels can see. */
static bool changes_memory(const char *name)
{
    static const char *const changing[] = {"amp__check_suspend", "amp__check_frame", "amp__check_fence",
                                           "amp__check_note_defined", "amp__check_run"};
    bool changes = false;
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++)
        changes = changes || !strcmp(name, changing[i]);
    return changes;
}

/* Returns an attribute that LLVM has no other portable way to make. */
static LLVMAttributeRef make_reading(const struct checking *c)
{
    static const char text[] = "declare void @f() memory(read, inaccessiblemem: readwrite)", name[] = "memory";
    LLVMModuleRef module;
    char *message;
    if (LLVMParseIRInContext(c->context, LLVMCreateMemoryBufferWithMemoryRangeCopy(text, sizeof text - 1, ""), &module,
                             &message))
        diag_defect(NULL, "%s", message);
    LLVMAttributeRef attribute =
        LLVMGetEnumAttributeAtIndex(LLVMGetNamedFunction(module, "f"), (LLVMAttributeIndex)IR_FUNCTION,
                                    LLVMGetEnumAttributeKindForName(name, sizeof name - 1));
    LLVMDisposeModule(module);
    return attribute;
}

/* Lets LLVM keep what checks read in registers: a report does not change it. */
static void promise_reports_change_nothing(const struct checking *c)
{
    LLVMAttributeRef reading = make_reading(c);
    for (LLVMValueRef f = LLVMGetFirstFunction(c->module); f; f = LLVMGetNextFunction(f))
        if (LLVMIsDeclaration(f) && has_prefix(LLVMGetValueName(f), "amp__check_") &&
            !changes_memory(LLVMGetValueName(f)))
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)IR_FUNCTION, reading);
}

static int count_calls(LLVMValueRef function)
{
    int n = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use))
        n++;
    return n;
}

/* Whether a function must be inlined, or what is left of it depends on nothing but flags that LLVM knows mostly. */
static bool is_always_inlined(LLVMValueRef function)
{
    const char *name = LLVMGetValueName(function);
    return !strcmp(name, "amp__check_flag") || !strcmp(name, "amp__check_barrier");
}

/* Inlines the library's functions, except those that very many places call: LLVM would take too long. */
static void inline_checks(const struct checking *c)
{
    enum { MOST_CALLS = 1000 };
    for (LLVMValueRef f = LLVMGetFirstFunction(c->module); f; f = LLVMGetNextFunction(f)) {
        bool is_rare = count_calls(f) <= MOST_CALLS || is_always_inlined(f);
        if (!LLVMIsDeclaration(f) && has_prefix(LLVMGetValueName(f), "amp__check_"))
            ir_add_attribute(f, IR_FUNCTION, is_rare ? "alwaysinline" : "noinline");
    }
    ir_run_passes(c->module, c->image->machine, "always-inline");
}

/* Gives the library's variables their values for this object. */
static void define_variables(struct unit *unit, LLVMModuleRef module)
{
    LLVMValueRef now = LLVMGetNamedGlobal(module, "amp__check_now"),
                 shift = LLVMGetNamedGlobal(module, "amp__check_shift");
    LLVMSetInitializer(now, LLVMConstNull(LLVMGlobalGetValueType(now)));
    LLVMSetInitializer(shift, LLVMConstInt(LLVMInt32TypeInContext(unit->context), 0, false));
    ir_make_local(now);
    ir_make_local(shift);
}

/* Chooses the largest granules that accesses begin and end at. */
static void set_granule(LLVMModuleRef module, unsigned long long granules)
{
    LLVMValueRef shift = LLVMGetNamedGlobal(module, "amp__check_shift");
    LLVMSetInitializer(shift, LLVMConstInt(LLVMGlobalGetValueType(shift), (unsigned)__builtin_ctzll(granules), false));
}

/* Lets clang's checks of arithmetic call the runtime. */
static void rename_handlers(LLVMModuleRef module)
{
    static const char clangs[] = "__ubsan_handle_";
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (has_prefix(LLVMGetValueName(f), clangs)) {
            const char *name = arena_printf("amp__check_%s", LLVMGetValueName(f) + strlen(clangs));
            LLVMSetValueName2(f, name, strlen(name));
        }
}

/* ---- one function ---- */

/* LLVM may believe that pointers stay within their objects only after that was checked. */
static void forget_promises(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsAGetElementPtrInst(i))
                LLVMGEPSetNoWrapFlags(i, 0);
}

/* Whether an entry with that name calls a function, as in C++. */
static bool is_called_by(LLVMValueRef function, const char *entry)
{
    bool is = false;
    for (LLVMUseRef use = LLVMGetFirstUse(function); use && !is; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);
        is = LLVMIsACallInst(call) &&
             !strcmp(LLVMGetValueName(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call))), entry);
    }
    return is;
}

static const struct kernel *kernel_of(const struct unit *unit, LLVMValueRef function)
{
    for (int k = 0; k < unit->n_kernels; k++)
        if (!strcmp(unit->kernels[k].symbol, LLVMGetValueName(function)) ||
            (unit->is_cpp && is_called_by(function, unit->kernels[k].entry)))
            return &unit->kernels[k];
    return NULL;
}

static void add_checks(struct checking *c, LLVMValueRef function)
{
    c->function = function;
    c->kernel = kernel_of(c->unit, function);
    c->numbers_at[0] = c->numbers_at[1] = NULL;
    forget_promises(function);
    updates_find(c);
    locals_begin(c);
    access_check(c);
    control_note(c);
    if (c->unit->options->debug && c->unit->options->opt_level == 0)
        shadows_add(c);
}

/* Adds checks to the functions of the source: those before the library's. */
static void add_all_checks(struct checking *c, LLVMValueRef last)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(c->module);; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f) && !entry_is(f)) {
            ir_add_attribute(f, IR_FUNCTION, "alwaysinline");
            add_checks(c, f);
        }
        if (f == last)
            return;
    }
}

/* Finds objects, once local variables are SSA values, and makes the function that runs a box. */
static void finish_kernel(struct checking *c, const struct kernel *kernel)
{
    struct code *code = &c->image->codes[kernel->number];
    c->kernel = kernel;
    c->entry = LLVMGetNamedFunction(c->module, kernel->entry);
    table_begin_kernel(c);
    objects_resolve(c);
    rounds_leave_out_checks(c);
    known_simplify_checks(c);
    turns_leave_out(c);
    LLVMValueRef resume = table_has_barriers(c) ? suspend_make_resume(c) : LLVMConstNull(c->pointer);
    table_end_kernel(c, resume, regions_declare(c), ahead_declare(c));
    code->geometry[0] = code->geometry[1] = code->geometry[2] = 1;
}

/* tile_static variables get memory of the object: one tile runs at a time. */
static void define_tile_memory(LLVMModuleRef module)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        if (ir_is_in_tile_memory(g)) {
            LLVMSetSection(g, "");
            LLVMSetInitializer(g, LLVMConstNull(LLVMGlobalGetValueType(g)));
            LLVMSetLinkage(g, LLVMInternalLinkage);
        }
}

static void instrument_image(struct unit *unit, struct image *image)
{
    enum { LARGEST = 8 };
    struct checking c = {.unit = unit,
                         .image = image,
                         .module = image->module,
                         .context = unit->context,
                         .builder = LLVMCreateBuilderInContext(unit->context),
                         .i32 = LLVMInt32TypeInContext(unit->context),
                         .i64 = LLVMInt64TypeInContext(unit->context),
                         .pointer = LLVMPointerTypeInContext(unit->context, 0),
                         .granules = LARGEST};
    ir_run_passes(c.module, image->machine, "globaldce");
    rename_handlers(c.module);
    if (unit->is_cpp)
        classes_inline_library(&c);
    guesses_find(&c);
    LLVMValueRef last = LLVMGetLastFunction(c.module);
    link_library(unit, image);
    define_variables(unit, c.module);
    table_begin(&c);
    add_all_checks(&c, last);
    table_close_sites(&c);
    set_granule(c.module, c.granules);
    ir_run_passes(c.module, image->machine, "always-inline,function(mem2reg)");
    if (unit->is_cpp)
        classes_take_apart(&c);
    for (int k = 0; k < unit->n_kernels; k++)
        finish_kernel(&c, &unit->kernels[k]);
    LLVMDeleteFunction(c.find_object);
    LLVMDeleteFunction(c.note_local);
    promise_reports_change_nothing(&c);
    inline_checks(&c);
    define_tile_memory(c.module);
    ir_run_passes(c.module, image->machine, "globaldce");
    prepare_plain(unit, image);
    ahead_make(&c);
    regions_make(&c);
    suspend_at_barriers(&c);
    LLVMDisposeBuilder(c.builder);
}

bool instrument(struct unit *unit)
{
    for (int i = 0; i < unit->n_images; i++)
        if (unit->images[i].target->has_checks)
            instrument_image(unit, &unit->images[i]);
    return diag_count() == 0;
}
