/* SPDX-License-Identifier: MIT
 *
 * Gives each target a copy of the kernels' form, which depends on no target yet, and does what depends on the target:
 * sets its machine and data layout and the alignment of tile_static variables, leaves functions to it that it has its
 * own code for, and runs the last steps of `prepare`.
 *
 * needs   the kernels' form
 * keeps   the properties of prepared code
 * breaks the kernels' form, which is deleted */
#include "ampcc.h"
#include "kernel/counts.h"
#include "kernel/interleave.h"
#include "kernel/ir.h"
#include "kernel/narrow.h"
#include "kernel/prepare.h"
#include "kernel/uniform.h"

#include <string.h>

/* Gives an image without a processor the one that clang compiled for. */
static void take_processor(const struct unit *unit, struct image *image)
{
    static const char *const names[] = {"target-cpu", "target-features"};
    const char **values[] = {&image->cpu, &image->features};
    LLVMValueRef entry = LLVMGetNamedFunction(unit->form, unit->kernels[0].entry);
    for (int i = 0; i < 2; i++) {
        unsigned length;
        LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(
            entry, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, names[i], (unsigned)strlen(names[i]));
        const char *value = attribute ? LLVMGetStringAttributeValue(attribute, &length) : "";
        *values[i] = attribute ? arena_printf("%.*s", (int)length, value) : value;
    }
}

/* Makes the target machine. A processor's code is optimised as the user wants the host's. */
static LLVMTargetMachineRef make_machine(const struct unit *unit, const struct image *image)
{
    const char *triple = image->target->triple;
    return triple ? targets_machine(triple, image->cpu, image->features, LLVMCodeGenLevelDefault)
                  : targets_machine(LLVMGetTarget(unit->form), image->cpu, image->features,
                                    (LLVMCodeGenOptLevel)unit->options->opt_level);
}

/* Turns a module for the host into one for a device, which has the same layout of what kernels can access. */
static void change_machine(struct image *image)
{
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(image->machine);
    LLVMSetTarget(image->module, image->target->triple);
    LLVMSetModuleDataLayout(image->module, layout);
    LLVMDisposeTargetData(layout);
    ir_forget_target(image->module);
}

static void align_tile_static(const struct image *image)
{
    unsigned align = (unsigned)image->facts.tile_align;
    for (LLVMValueRef g = LLVMGetFirstGlobal(image->module); g; g = LLVMGetNextGlobal(g))
        if (ir_is_in_tile_memory(g) && LLVMGetAlignment(g) < align)
            LLVMSetAlignment(g, align);
}

/* Leaves a function to the target, which has its own code for it. */
static void forget_body(LLVMModuleRef module, LLVMValueRef function)
{
    char *name = arena_printf("%s", LLVMGetValueName(function));
    LLVMValueRef declaration = LLVMAddFunction(module, "", LLVMGlobalGetValueType(function));
    ir_add_attribute(declaration, IR_FUNCTION, "memory"); /* no memory at all: the value is 0 */
    ir_add_attribute(declaration, IR_FUNCTION, "nounwind");
    ir_add_attribute(declaration, IR_FUNCTION, "willreturn");
    LLVMReplaceAllUsesWith(function, declaration);
    LLVMDeleteFunction(function);
    LLVMSetValueName2(declaration, name, strlen(name));
}

/* Decides about the functions that are not inlined yet because some target has its own code for them. */
static void choose_functions(struct image *image)
{
    bool is_any_left = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(image->module), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (LLVMIsDeclaration(f) || !targets_has_function(NULL, LLVMGetValueName(f)))
            continue;
        if (targets_has_function(image->target, LLVMGetValueName(f))) {
            forget_body(image->module, f);
        } else {
            ir_add_attribute(f, IR_FUNCTION, "alwaysinline");
            is_any_left = true;
        }
    }
    if (is_any_left)
        ir_run_passes(image->module, image->machine, "always-inline,globaldce");
}

static bool keeps_variables(const struct unit *unit, const struct target *target)
{
    return unit->described && !target->has_grid;
}

static LLVMModuleRef module_for(const struct unit *unit, const struct target *target)
{
    if (target->has_checks)
        return unit->checked;
    return keeps_variables(unit, target) ? unit->described : unit->form;
}

bool retarget(struct unit *unit)
{
    for (int i = 0; i < unit->n_images; i++) {
        struct image *image = &unit->images[i];
        if (!image->cpu)
            take_processor(unit, image);
        image->module = LLVMCloneModule(module_for(unit, image->target));
        image->machine = make_machine(unit, image);
        if (image->target->has_checks)
            continue;
        if (image->target->triple)
            change_machine(image);
        align_tile_static(image);
        choose_functions(image);
        if (keeps_variables(unit, image->target)) {
            prepare_described(unit, image);
            continue;
        }
        prepare_for_target(unit, image);
        if (!image->target->has_grid && unit->options->opt_level > 0) {
            counts(image->module);
            narrow(image->module);
        }
        if (!uniform_check(unit, image->module)) /* loops were unrolled and branches joined after `uniform` */
            return false;
        if (!image->target->has_grid && unit->options->opt_level > 0)
            interleave(unit, image);
    }
    LLVMDisposeModule(unit->form);
    if (unit->checked)
        LLVMDisposeModule(unit->checked);
    if (unit->described)
        LLVMDisposeModule(unit->described);
    unit->form = unit->checked = unit->described = NULL;
    return true;
}
