/* SPDX-License-Identifier: MIT
 *
 * The parameters of an entry are rows of a table: the argument block, and then groups of integers, each with one for
 * every dimension of the box that the kernel runs over. A tiled kernel has all groups, in the order of the fields of
 * amp__tiled_indexN; any other has only the first. An entry for convoys has another integer at the end. */
#include "kernel/entry.h"

#include "base/map.h"
#include "driver/driver.h"
#include "kernel/calls.h"
#include "kernel/ir.h"

#include <string.h>

static const char prefix[] = "amp__entry_";

static const struct group {
    enum entry_meaning meaning;
    const char *name; /* its name in C, before the number of the component */
    bool differs_in_tile, differs_between_tiles;
} groups[] = {
    {ENTRY_GLOBAL, "amp__g", true, true},
    {ENTRY_LOCAL, "amp__l", true, false},
    {ENTRY_TILE, "amp__t", false, true},
    {ENTRY_ORIGIN, "amp__o", false, true},
};

static int count_groups(const struct kernel *kernel)
{
    return kernel->tiled ? (int)(sizeof groups / sizeof *groups) : 1;
}

/* ---- the parameters ---- */

const char *entry_name(int kernel_number)
{
    return arena_printf("%s%d", prefix, kernel_number);
}

bool entry_is(LLVMValueRef function)
{
    return has_prefix(LLVMGetValueName(function), prefix);
}

int entry_n_params(const struct kernel *kernel)
{
    return 1 + count_groups(kernel) * kernel->box_rank + kernel->has_convoys;
}

struct entry_param entry_param(const struct kernel *kernel, int number)
{
    if (number == 0)
        return (struct entry_param){.meaning = ENTRY_ARGUMENTS};
    if (kernel->has_convoys && number == entry_n_params(kernel) - 1)
        return (struct entry_param){ENTRY_CONVOY, kernel->box_rank - 1, MAX_TILE_RANK - 1, false, false};
    const struct group *group = &groups[(number - 1) / kernel->box_rank];
    int component = (number - 1) % kernel->box_rank;
    return (struct entry_param){group->meaning, component, MAX_TILE_RANK - kernel->box_rank + component,
                                group->differs_in_tile, group->differs_between_tiles};
}

int entry_param_number(LLVMValueRef argument)
{
    LLVMValueRef function = LLVMGetParamParent(argument);
    int number = 0;
    while (LLVMGetParam(function, (unsigned)number) != argument)
        number++;
    return number;
}

/* ---- their values for a thread ---- */

LLVMValueRef entry_value(LLVMBuilderRef builder, const struct kernel *kernel, const struct entry_param *param,
                         const struct entry_thread *thread)
{
    if (param->meaning == ENTRY_ARGUMENTS)
        return thread->args;
    if (param->meaning == ENTRY_CONVOY)
        return thread->convoy;
    if (!thread->tile || param->meaning == ENTRY_LOCAL)
        return thread->place;
    if (param->meaning == ENTRY_TILE)
        return thread->tile;
    LLVMValueRef size =
        LLVMConstInt(LLVMTypeOf(thread->tile), (unsigned long long)kernel->tile[param->component], true);
    LLVMValueRef origin = LLVMBuildNSWMul(builder, thread->tile, size, "");
    return param->meaning == ENTRY_ORIGIN ? origin : LLVMBuildNSWAdd(builder, origin, thread->place, "");
}

/* ---- as C ---- */

const char *entry_member(int param)
{
    return arena_printf("a%d", param);
}

static void write_block(struct text *to, const struct kernel *kernel)
{
    text_add(to, "struct amp__args_%d {\n", kernel->number);
    for (int i = 0; i < kernel->n_params; i++) {
        const struct param *param = &kernel->params[i];
        const char *type =
            param->kind == PARAM_ARRAY ? (param->read_only ? "const void *" : "void *") : param->type_name;
        text_add(to, "    %s %s;\n", type, entry_member(i));
    }
    if (kernel->rank > kernel->box_rank)
        text_add(to, "    struct amp__flat flat;\n");
    text_add(to, "%s};\n", kernel->n_params ? "" : "    char a0;\n");
}

/* Writes "{NAME0, NAME1}". */
static void write_group(struct text *to, const struct kernel *kernel, const struct group *group)
{
    for (int i = 0; i < kernel->box_rank; i++)
        text_add(to, "%s%s%d", i ? ", " : "{", group->name, i);
    text_add(to, "}");
}

static void write_tiled_index(struct text *to, const struct kernel *kernel)
{
    text_add(to, "    amp__tiled_index%d amp__index = {", kernel->rank);
    for (int g = 0; g < count_groups(kernel); g++) {
        write_group(to, kernel, &groups[g]);
        text_add(to, ", ");
    }
    for (int d = 0; d < kernel->rank; d++)
        text_add(to, "%s%d", d ? ", " : "{", kernel->tile[d]);
    text_add(to, "}, {0}};\n");
}

/* Writes the index of a rank above 3, whose slow components come from the one that the box has for them. */
static void write_unflattened_index(struct text *to, const struct kernel *kernel)
{
    int n_flat = kernel->rank - kernel->box_rank + 1;
    const char *name = groups[0].name;
    text_add(to, "    unsigned long long amp__at = (unsigned long long)amp__args->flat.first + (unsigned)%s0;\n", name);
    for (int d = n_flat - 1; d > 0; d--)
        text_add(to,
                 "    int amp__f%d = (int)(amp__at %% (unsigned)amp__args->flat.extent[%d]);\n"
                 "    amp__at /= (unsigned)amp__args->flat.extent[%d];\n",
                 d, d, d);
    text_add(to, "    const int amp__index[%d] = {(int)amp__at", kernel->rank);
    for (int d = 1; d < n_flat; d++)
        text_add(to, ", amp__f%d", d);
    for (int d = 1; d < kernel->box_rank; d++)
        text_add(to, ", %s%d", name, d);
    text_add(to, "};\n");
}

void entry_write(struct text *to, const struct kernel *kernel)
{
    write_block(to, kernel);
    text_add(to, "__attribute__((visibility(\"hidden\"))) void %s(const struct amp__args_%d *amp__args", kernel->entry,
             kernel->number);
    for (int g = 0; g < count_groups(kernel); g++)
        for (int i = 0; i < kernel->box_rank; i++)
            text_add(to, ", int %s%d", groups[g].name, i);
    text_add(to, ")\n{\n");
    if (kernel->tiled) {
        write_tiled_index(to, kernel);
    } else if (kernel->rank > kernel->box_rank) {
        write_unflattened_index(to, kernel);
    } else {
        text_add(to, "    const int amp__index[%d] = ", kernel->rank);
        write_group(to, kernel, &groups[0]);
        text_add(to, ";\n");
    }
    text_add(to, "    (void)amp__args;\n    %s(amp__index", kernel->c);
    for (int i = 0; i < kernel->n_params; i++)
        text_add(to, ", amp__args->%s", entry_member(i));
    text_add(to, ");\n}\n");
}

/* ---- the argument block ---- */

bool entry_place(LLVMValueRef pointer, long long *offset)
{
    *offset = 0;
    return entry_is_block(ir_base(pointer, offset));
}

bool entry_is_block(LLVMValueRef pointer)
{
    return LLVMIsAArgument(pointer) && entry_param_number(pointer) == 0;
}

bool entry_is_argument(LLVMValueRef pointer)
{
    long long offset;
    return entry_place(pointer, &offset);
}

static bool determines(LLVMValueRef value, bool with_index, struct map *seen)
{
    if (!LLVMIsAInstruction(value))
        return LLVMIsAConstant(value) || (LLVMIsAArgument(value) && (with_index || entry_is_block(value)));
    if (map_get(seen, value) >= 0)
        return true;
    map_set(seen, value, 1);
    if (LLVMIsALoadInst(value))
        return entry_is_argument(LLVMGetOperand(value, 0));
    if (LLVMIsAAllocaInst(value) || LLVMIsAAtomicRMWInst(value) || LLVMIsAAtomicCmpXchgInst(value) ||
        (LLVMIsACallInst(value) && !calls_is_pure(value)))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(value); i++) {
        LLVMValueRef operand = LLVMGetOperand(value, (unsigned)i);
        if (!LLVMValueIsBasicBlock(operand) && !LLVMIsAFunction(operand) && !determines(operand, with_index, seen))
            return false;
    }
    return true;
}

bool entry_determines(LLVMValueRef value, bool with_index)
{
    return determines(value, with_index, map_new());
}

/* Whether a parameter takes no room, as an empty struct does: the next parameter begins at the same place. */
static bool is_empty(const struct param *param)
{
    return param->kind != PARAM_ARRAY && param->element_size == 0;
}

const struct param *entry_argument(const struct kernel *kernel, LLVMValueRef pointer)
{
    long long offset;
    bool is_argument = entry_place(pointer, &offset);
    for (int p = kernel->is_closure; p < kernel->n_params && is_argument; p++)
        if (kernel->params[p].offset == offset && !is_empty(&kernel->params[p]))
            return &kernel->params[p];
    return NULL;
}

long long entry_extent(const struct param *param, int d)
{
    return param->offset + ENTRY_ADDRESSES_BYTES + (long long)d * ENTRY_EXTENT_BYTES;
}

long long entry_pitch(const struct param *param, int d)
{
    long long extents = (long long)(param->rank + 1) / 2 * 2 * ENTRY_EXTENT_BYTES; /* pitches are aligned to 8 bytes */
    return param->offset + ENTRY_ADDRESSES_BYTES + extents + (long long)d * ENTRY_PITCH_BYTES;
}

/* ---- functions that run a box ---- */

LLVMValueRef entry_add_run(LLVMModuleRef module, const char *name)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0), params[RUN_PARAMS] = {pointer, pointer};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), params, RUN_PARAMS, false);
    LLVMValueRef function = LLVMAddFunction(module, name, type);
    for (int p = 0; p < RUN_PARAMS; p++) {
        ir_add_attribute(function, 1 + p, "noalias");
        ir_add_attribute(function, 1 + p, "readonly");
    }
    ir_add_attribute(function, IR_FUNCTION, "nounwind");
    ir_add_attribute(function, IR_FUNCTION, "mustprogress");
    return function;
}
