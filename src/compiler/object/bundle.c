/* SPDX-License-Identifier: MIT
 *
 * Puts the kernels' code together with the host's: links the processors' modules, and what `footprint` has written,
 * into the host's, after clang's pipeline has run over the host's own code, because the kernels are already optimised,
 * each for its target. If their code is in separate objects, nothing is linked here. The data, which is the GPUs' code
 * and the geometry of all code, goes into the host's module, or into the objects. */
#include "driver/driver.h"
#include "kernel/ir.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Linker.h>
#include <string.h>

/* ---- the data ---- */

/* Defines a constant that the host's module declares: there, or in a separate module. */
static void define(LLVMModuleRef module, const char *name, LLVMValueRef value)
{
    LLVMValueRef global = LLVMAddGlobal(module, LLVMTypeOf(value), ""), declaration = LLVMGetNamedGlobal(module, name);
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
    LLVMSetVisibility(global, LLVMHiddenVisibility);
    if (declaration) {
        LLVMReplaceAllUsesWith(declaration, global);
        LLVMDeleteGlobal(declaration);
        ir_make_local(global);
    }
    LLVMSetValueName2(global, name, strlen(name));
}

static void define_geometry(LLVMModuleRef module, const struct code *code)
{
    LLVMTypeRef type = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
    LLVMValueRef numbers[MAX_GEOMETRY];
    for (int i = 0; i < MAX_GEOMETRY; i++)
        numbers[i] = LLVMConstInt(type, (unsigned long long)code->geometry[i], true);
    define(module, code->geometry_symbol, LLVMConstArray2(type, numbers, MAX_GEOMETRY));
}

/* Defines the code of a GPU, followed by a 0. */
static void define_code(LLVMModuleRef module, const struct image *image)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef string = LLVMConstStringInContext2(context, image->code, image->code_bytes, false);
    LLVMValueRef text = LLVMAddGlobal(module, LLVMTypeOf(string), "amp__text");
    LLVMSetInitializer(text, string);
    LLVMSetGlobalConstant(text, true);
    LLVMSetLinkage(text, LLVMPrivateLinkage);
    LLVMValueRef fields[] = {text, LLVMConstInt(LLVMInt64TypeInContext(context), image->code_bytes, false)};
    define(module, image->code_symbol, LLVMConstStructInContext(context, fields, 2, false));
}

void bundle_data(const struct unit *unit, const struct image *image, LLVMModuleRef module)
{
    for (int k = 0; k < unit->n_kernels; k++)
        define_geometry(module, &image->codes[k]);
    if (image->target->has_grid)
        define_code(module, image);
}

/* ---- the code ---- */

static void drop_tile_static(LLVMModuleRef module)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(module), next; g; g = next) {
        next = LLVMGetNextGlobal(g);
        if (ir_is_in_tile_memory(g) && !LLVMGetFirstUse(g))
            LLVMDeleteGlobal(g);
    }
}

static void name_code(LLVMModuleRef module, const struct code *code)
{
    enum { NAME = 2 }; /* the name's number among the operands of a DISubprogram */
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef function = LLVMGetNamedFunction(module, code->symbol);
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    LLVMSetValueName2(function, code->name, strlen(code->name));
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    if (subprogram)
        LLVMReplaceMDNodeOperandWith(LLVMMetadataAsValue(context, subprogram), NAME,
                                     LLVMMDStringInContext2(context, code->name, strlen(code->name)));
}

void bundle_finish(const struct unit *unit, const struct image *image)
{
    drop_tile_static(image->module);
    for (int k = 0; k < unit->n_kernels; k++)
        name_code(image->module, &image->codes[k]);
}

static void link_image(struct unit *unit, struct image *image)
{
    bundle_finish(unit, image);
    if (LLVMLinkModules2(unit->host, image->module))
        diag_defect(NULL, "the code for %s does not link", image->name);
    image->module = NULL;
    for (int k = 0; k < unit->n_kernels; k++)
        ir_make_local(LLVMGetNamedFunction(unit->host, image->codes[k].name));
}

static void link_footprints(struct unit *unit)
{
    if (LLVMLinkModules2(unit->host, unit->footprints))
        diag_defect(NULL, "the footprints do not link");
    unit->footprints = NULL;
    for (int k = 0; k < unit->n_kernels; k++) {
        ir_make_local(LLVMGetNamedFunction(unit->host, unit->kernels[k].outside));
        ir_make_local(LLVMGetNamedGlobal(unit->host, unit->kernels[k].touches));
        ir_make_local(LLVMGetNamedFunction(unit->host, unit->kernels[k].reach_function));
        ir_make_local(LLVMGetNamedGlobal(unit->host, unit->kernels[k].reach_table));
    }
}

bool bundle(struct unit *unit)
{
    if (unit->has_objects)
        return true;
    if (!host_optimise(unit))
        return false;
    link_footprints(unit);
    for (int i = 0; i < unit->n_images; i++)
        bundle_data(unit, &unit->images[i], unit->host);
    for (int i = 0; i < unit->n_images; i++)
        if (!unit->images[i].target->has_grid)
            link_image(unit, &unit->images[i]);
    return true;
}
