/* SPDX-License-Identifier: MIT
 *
 * Lays out for the runtime, as src/abi/checked.h says, the places and variables of a kernel, and makes the function
 * that runs a box of it. */
#include "checked/checked.h"

#include "base/map.h"
#include "kernel/entry.h"
#include "kernel/ir.h"

#include <llvm-c/DebugInfo.h>

#include <string.h>

enum { VERSION = 1, SITE_BITS = 20 };

static LLVMValueRef number(const struct checking *c, long long value)
{
    return LLVMConstInt(c->i32, (unsigned long long)value, true);
}

static LLVMValueRef wide(const struct checking *c, unsigned long long value)
{
    return LLVMConstInt(c->i64, value, false);
}

LLVMValueRef table_constant(const struct checking *c, LLVMValueRef value)
{
    LLVMValueRef global = LLVMAddGlobal(c->module, LLVMTypeOf(value), "amp.check");
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

LLVMValueRef table_text(struct checking *c, const char *text)
{
    if (!text)
        return LLVMConstNull(c->pointer);
    const char *name = arena_printf("amp.check.text.%s", text);
    LLVMValueRef global = LLVMGetNamedGlobal(c->module, name);
    if (!global) {
        global = table_constant(c, LLVMConstStringInContext2(c->context, text, strlen(text), false));
        LLVMSetValueName2(global, name, strlen(name));
    }
    return global;
}

LLVMValueRef table_call(struct checking *c, const char *name, LLVMValueRef *args, unsigned n)
{
    LLVMValueRef function = LLVMGetNamedFunction(c->module, name);
    if (!function)
        diag_defect(NULL, "the library of checks lacks %s", name);
    return LLVMBuildCall2(c->builder, LLVMGlobalGetValueType(function), function, args, n, "");
}

const char *table_check(enum use use)
{
    static const char *const names[] = {
        [USE_READ] = "amp__check_read", [USE_WRITE] = "amp__check_write", [USE_ATOMIC] = "amp__check_update"};
    return names[use];
}

bool table_calls(LLVMValueRef i, const char *name)
{
    LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    return callee && LLVMIsAFunction(callee) && !strcmp(LLVMGetValueName(callee), name);
}

static LLVMTypeRef struct_of(const struct checking *c, const LLVMTypeRef *types, unsigned n)
{
    return LLVMStructTypeInContext(c->context, (LLVMTypeRef *)types, n, false);
}

/* ---- places ---- */

LLVMValueRef table_site(struct checking *c, LLVMValueRef instruction, enum use use)
{
    struct place place = ir_place(instruction, c->unit->kernels[0].place);
    const char *function = c->kernel ? NULL : ir_source_name(c->function);
    LLVMValueRef fields[] = {
        table_text(c, place.file), table_text(c, function), number(c, place.line),
        number(c, place.column),   number(c, use),          number(c, updates_kind(c, instruction))};
    if (c->n_sites == c->sites_capacity) {
        int capacity = c->sites_capacity ? 2 * c->sites_capacity : 64;
        LLVMValueRef *more = arena_alloc((size_t)capacity * sizeof *more);
        if (c->n_sites)
            memcpy(more, c->sites, (size_t)c->n_sites * sizeof *more);
        c->sites = more;
        c->sites_capacity = capacity;
    }
    c->sites[c->n_sites] = LLVMConstStructInContext(c->context, fields, 6, false);
    return number(c, c->n_sites++);
}

static LLVMTypeRef site_type(const struct checking *c)
{
    LLVMTypeRef types[] = {c->pointer, c->pointer, c->i32, c->i32, c->i32, c->i32};
    return struct_of(c, types, 6);
}

/* ---- variables and objects ---- */

static LLVMValueRef extents(const struct checking *c, const int dim[MAX_RANK])
{
    LLVMValueRef numbers[MAX_RANK];
    for (int d = 0; d < MAX_RANK; d++)
        numbers[d] = number(c, dim[d]);
    return LLVMConstArray2(c->i32, numbers, MAX_RANK);
}

LLVMValueRef table_variable(struct checking *c, const char *name, LLVMTypeRef type, LLVMValueRef address,
                            const struct param *param)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(c->module);
    unsigned long long size = type ? LLVMABISizeOfType(layout, type) : 0;
    int rank = param ? param->rank : 0, dim[MAX_RANK] = {0};
    for (; type && LLVMGetTypeKind(type) == LLVMArrayTypeKind && rank < MAX_RANK; type = LLVMGetElementType(type))
        dim[rank++] = (int)LLVMGetArrayLength2(type);
    unsigned long long element = param ? (unsigned long long)param->element_size : LLVMABISizeOfType(layout, type);
    LLVMValueRef fields[] = {table_text(c, name), address ? address : LLVMConstNull(c->pointer),     wide(c, size),
                             wide(c, element),    number(c, param ? param - c->kernel->params : -1), number(c, rank),
                             extents(c, dim)};
    return LLVMConstStructInContext(c->context, fields, 7, false);
}

LLVMValueRef table_description(struct checking *c, LLVMValueRef global)
{
    const char *name = arena_printf("amp.check.variable.%s", LLVMGetValueName(global));
    LLVMValueRef description = LLVMGetNamedGlobal(c->module, name);
    if (!description) {
        LLVMTypeRef type = LLVMGlobalGetValueType(global);
        description = table_constant(c, table_variable(c, ir_variable_name(global), type, NULL, NULL));
        LLVMSetValueName2(description, name, strlen(name));
    }
    return description;
}

LLVMTypeRef table_object_type(const struct checking *c)
{
    LLVMTypeRef types[] = {c->pointer, c->pointer, c->i64, c->pointer, c->pointer,
                           c->pointer, c->pointer, c->i64, c->i64,     LLVMArrayType2(c->i64, MAX_RANK)};
    return struct_of(c, types, 10);
}

LLVMValueRef table_extent(struct checking *c, LLVMValueRef object, int dimension)
{
    enum { EXTENT = 9 };
    LLVMTypeRef type = table_object_type(c);
    LLVMValueRef at[] = {wide(c, 0), number(c, EXTENT), wide(c, (unsigned long long)dimension)};
    return LLVMBuildLoad2(c->builder, c->i64, LLVMBuildInBoundsGEP2(c->builder, type, object, at, 3, ""), "");
}

/* Whether the kernel uses a variable. */
static bool is_used(LLVMValueRef value, LLVMValueRef entry)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user) ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == entry
                                     : LLVMIsAConstantExpr(user) && is_used(user, entry))
            return true;
    }
    return false;
}

static void list_tile_variables(struct checking *c)
{
    int n = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(c->module); g; g = LLVMGetNextGlobal(g))
        n += ir_is_in_tile_memory(g);
    c->tile_variables = arena_alloc((size_t)n * sizeof *c->tile_variables);
    for (LLVMValueRef g = LLVMGetFirstGlobal(c->module); g; g = LLVMGetNextGlobal(g))
        if (ir_is_in_tile_memory(g) && is_used(g, c->entry))
            c->tile_variables[c->n_tile_variables++] = g;
}

static LLVMValueRef variable(const struct checking *c, LLVMTypeRef type, const char *name)
{
    LLVMValueRef global = LLVMAddGlobal(c->module, type, name);
    LLVMSetInitializer(global, LLVMConstNull(type));
    LLVMSetLinkage(global, LLVMInternalLinkage);
    return global;
}

static LLVMValueRef object(const struct checking *c, LLVMValueRef variable, LLVMValueRef base, LLVMValueRef size_bytes,
                           bool is_constant)
{
    LLVMValueRef null = LLVMConstNull(c->pointer), extent = LLVMConstNull(LLVMArrayType2(c->i64, MAX_RANK));
    LLVMValueRef fields[] = {variable, base,       size_bytes,           null,  null, null,
                             null,     wide(c, 0), wide(c, is_constant), extent};
    return LLVMConstStructInContext(c->context, fields, sizeof fields / sizeof *fields, false);
}

/* Makes an object that is known when it is compiled, and that no thread writes. */
static LLVMValueRef fixed_object(struct checking *c, LLVMValueRef variable, LLVMValueRef base, LLVMValueRef size_bytes,
                                 bool is_constant)
{
    return table_constant(c, object(c, variable, base, size_bytes, is_constant));
}

LLVMValueRef table_constant_object(struct checking *c, LLVMValueRef global)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(global);
    unsigned long long size = LLVMABISizeOfType(LLVMGetModuleDataLayout(c->module), type);
    return fixed_object(c, table_description(c, global), global, wide(c, size), true);
}

void table_begin(struct checking *c)
{
    LLVMTypeRef params[] = {c->pointer, c->pointer}, nothing = LLVMVoidTypeInContext(c->context);
    LLVMTypeRef type = LLVMFunctionType(c->pointer, params, 1, false);
    c->find_object = LLVMAddFunction(c->module, "amp.find_object", type);
    c->note_local = LLVMAddFunction(c->module, "amp.note_local", LLVMFunctionType(nothing, params, 2, false));
    c->nothing = variable(c, table_object_type(c), "amp.check.nothing");
    LLVMValueRef memory = table_constant(c, table_variable(c, "memory", LLVMInt8TypeInContext(c->context), NULL, NULL));
    c->anything = fixed_object(c, memory, LLVMConstNull(c->pointer), LLVMConstAllOnes(c->i64), false);
}

/* All that is known of objects when they are compiled is where tile_static variables are. */
static LLVMValueRef initial_objects(const struct checking *c)
{
    LLVMValueRef null = LLVMConstNull(c->pointer), *all = arena_alloc((size_t)(c->n_objects + 1) * sizeof *all);
    int first = c->n_objects - c->n_tile_variables;
    for (int i = 0; i < c->n_objects; i++)
        all[i] = object(c, null, i < first ? null : c->tile_variables[i - first], wide(c, 0), false);
    return LLVMConstArray2(table_object_type(c), all, (unsigned long long)c->n_objects);
}

void table_begin_kernel(struct checking *c)
{
    c->n_objects = c->n_tile_variables = 0;
    list_tile_variables(c);
    c->object_of_param = arena_alloc((size_t)(c->kernel->n_params + 1) * sizeof *c->object_of_param);
    for (int p = 0; p < c->kernel->n_params; p++)
        if (c->kernel->params[p].kind == PARAM_ARRAY)
            c->object_of_param[p] = c->n_objects++;
    c->n_objects += c->n_tile_variables;
    c->objects = variable(c, LLVMArrayType2(table_object_type(c), (unsigned)c->n_objects), "amp.check.objects");
    LLVMSetInitializer(c->objects, initial_objects(c));
}

LLVMValueRef table_known_field(const struct checking *c, LLVMValueRef objects, long long offset)
{
    enum { BASE = 1 };
    LLVMTypeRef type = table_object_type(c);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(c->module);
    long long size = (long long)LLVMABISizeOfType(layout, type);
    if (offset % size != (long long)LLVMOffsetOfElement(layout, type, BASE))
        return NULL;
    LLVMValueRef object = LLVMGetAggregateElement(LLVMGetInitializer(objects), (unsigned)(offset / size));
    LLVMValueRef base = LLVMGetAggregateElement(object, BASE);
    return LLVMIsNull(base) ? NULL : base;
}

LLVMValueRef table_object(const struct checking *c, int number)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(c->objects);
    LLVMValueRef at[] = {wide(c, 0), wide(c, (unsigned long long)number)};
    return LLVMConstInBoundsGEP2(type, c->objects, at, 2);
}

int table_tile_variable(const struct checking *c, LLVMValueRef object)
{
    int first = c->n_objects - c->n_tile_variables;
    for (int t = 0; t < c->n_tile_variables; t++)
        if (object == table_object(c, first + t))
            return t;
    return -1;
}

static LLVMValueRef variables(struct checking *c)
{
    LLVMValueRef *all = arena_alloc((size_t)(c->n_objects + 1) * sizeof *all);
    int n = 0;
    for (int p = 0; p < c->kernel->n_params; p++)
        if (c->kernel->params[p].kind == PARAM_ARRAY)
            all[n++] = table_variable(c, c->kernel->params[p].name, NULL, NULL, &c->kernel->params[p]);
    for (int t = 0; t < c->n_tile_variables; t++) {
        LLVMValueRef global = c->tile_variables[t];
        all[n++] = table_variable(c, ir_variable_name(global), LLVMGlobalGetValueType(global), global, NULL);
    }
    LLVMTypeRef types[] = {c->pointer, c->pointer, c->i64, c->i64, c->i32, c->i32, LLVMArrayType2(c->i32, MAX_RANK)};
    return table_constant(c, LLVMConstArray2(struct_of(c, types, 7), all, (unsigned)n));
}

/* ---- the functions that run a thread and a box ---- */

static LLVMValueRef component(struct checking *c, LLVMValueRef numbers, int dimension)
{
    LLVMValueRef at[] = {wide(c, (unsigned long long)dimension)};
    return LLVMBuildLoad2(c->builder, c->i32, LLVMBuildInBoundsGEP2(c->builder, c->i32, numbers, at, 1, ""), "");
}

/* Makes the function that calls the entry for a thread. */
static LLVMValueRef make_thread(struct checking *c)
{
    LLVMTypeRef params[] = {c->pointer, c->pointer, c->pointer};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(c->context), params, 3, false);
    LLVMValueRef function = LLVMAddFunction(c->module, "amp.check.thread", type), args[1 + 4 * MAX_TILE_RANK];
    LLVMSetLinkage(function, LLVMInternalLinkage);
    LLVMSetCurrentDebugLocation2(c->builder, NULL);
    LLVMPositionBuilderAtEnd(c->builder, LLVMAppendBasicBlockInContext(c->context, function, ""));
    int n = entry_n_params(c->kernel);
    for (int p = 0; p < n; p++) {
        struct entry_param param = entry_param(c->kernel, p);
        bool is_block = param.meaning == ENTRY_ARGUMENTS;
        struct entry_thread thread = {
            .args = LLVMGetParam(function, 0),
            .place = is_block ? NULL : component(c, LLVMGetParam(function, 1), param.dimension),
            .tile = is_block || !c->kernel->tiled ? NULL : component(c, LLVMGetParam(function, 2), param.dimension)};
        args[p] = entry_value(c->builder, c->kernel, &param, &thread);
    }
    LLVMBuildCall2(c->builder, LLVMGlobalGetValueType(c->entry), c->entry, args, (unsigned)n, "");
    LLVMBuildRetVoid(c->builder);
    return function;
}

/* The bytes of a thread's variables. */
static unsigned long long stack_bytes(const struct checking *c)
{
    unsigned long long bytes = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsAAllocaInst(i))
                bytes += LLVMABISizeOfType(LLVMGetModuleDataLayout(c->module), LLVMGetAllocatedType(i));
    return bytes;
}

bool table_has_barriers(const struct checking *c)
{
    LLVMValueRef function = LLVMGetNamedFunction(c->module, "amp__check_barrier");
    return function && is_used(function, c->entry);
}

void table_close_sites(struct checking *c)
{
    if (c->n_sites >= 1 << SITE_BITS)
        diag_error(c->unit->kernels[0].place,
                   "the kernels of this file have %d accesses to memory; --amp-check allows %d [kernel size]",
                   c->n_sites, (1 << SITE_BITS) - 1);
    c->all_sites = table_constant(c, LLVMConstArray2(site_type(c), c->sites, (unsigned)c->n_sites));
}

void table_end_kernel(struct checking *c, LLVMValueRef resume, LLVMValueRef regions, LLVMValueRef ahead)
{
    LLVMValueRef shift = LLVMGetInitializer(LLVMGetNamedGlobal(c->module, "amp__check_shift"));
    LLVMValueRef fields[] = {number(c, VERSION),
                             shift,
                             number(c, (long long)stack_bytes(c)),
                             number(c, c->n_objects),
                             make_thread(c),
                             resume,
                             regions,
                             ahead,
                             c->objects,
                             LLVMGetNamedGlobal(c->module, "amp__check_now"),
                             variables(c),
                             c->all_sites};
    LLVMValueRef kernel =
        table_constant(c, LLVMConstStructInContext(c->context, fields, sizeof fields / sizeof *fields, false));
    LLVMValueRef run = entry_add_run(c->module, c->image->codes[c->kernel->number].symbol);
    LLVMTypeRef params[] = {c->pointer, c->pointer, c->pointer};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(c->context), params, 3, false);
    LLVMValueRef function = LLVMGetNamedFunction(c->module, "amp__check_run");
    if (!function)
        function = LLVMAddFunction(c->module, "amp__check_run", type);
    LLVMPositionBuilderAtEnd(c->builder, LLVMAppendBasicBlockInContext(c->context, run, ""));
    LLVMValueRef args[] = {LLVMGetParam(run, RUN_ARGS), LLVMGetParam(run, RUN_BOX), kernel};
    LLVMBuildCall2(c->builder, type, function, args, 3, "");
    LLVMBuildRetVoid(c->builder);
    LLVMSetLinkage(c->entry, LLVMInternalLinkage);
}
