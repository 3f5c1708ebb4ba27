/* SPDX-License-Identifier: MIT
 *
 * Links the targets' modules into the host's, after clang's pipeline has run over the host's own code: kernels are
 * optimised already, each for its target. A GPU's code goes in as data. */
#include "driver.h"
#include "ir.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Linker.h>
#include <string.h>

static void drop_tile_static(LLVMModuleRef module)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(module), next; g; g = next) {
        next = LLVMGetNextGlobal(g);
        if (LLVMGetSection(g) && strcmp(LLVMGetSection(g), "amp.tile_static") == 0 && !LLVMGetFirstUse(g))
            LLVMDeleteGlobal(g);
    }
}

/* Puts a GPU's code into the host's module. A 0 follows it. */
static void embed(struct unit *unit, int number)
{
    struct image *image = &unit->images[number];
    LLVMValueRef string = LLVMConstStringInContext2(unit->context, image->code, image->code_bytes, false);
    LLVMValueRef text = LLVMAddGlobal(unit->host, LLVMTypeOf(string), arena_printf("amp__text_%d", number));
    LLVMSetInitializer(text, string);
    LLVMSetGlobalConstant(text, true);
    LLVMSetLinkage(text, LLVMPrivateLinkage);
    LLVMValueRef descriptor = LLVMGetNamedGlobal(unit->host, image->code_symbol);
    LLVMTypeRef type = LLVMGlobalGetValueType(descriptor);
    LLVMValueRef bytes = LLVMConstInt(LLVMStructGetTypeAtIndex(type, 1), image->code_bytes, false);
    LLVMSetInitializer(descriptor, LLVMConstNamedStruct(type, (LLVMValueRef[]){text, bytes}, 2));
    ir_make_local(descriptor);
}

/* Names a kernel's code for a target as profilers and debuggers shall show it, "scale.x86-64-v4", in the symbol table
 * and in the debug information. */
static void name_code(struct unit *unit, const struct kernel *kernel, int image)
{
    enum { NAME = 2 }; /* among the operands of a DISubprogram */
    LLVMValueRef function = LLVMGetNamedFunction(unit->host, unit->images[image].codes[kernel->number].symbol);
    const char *name = arena_printf("%s.%s", kernel->symbol, unit->images[image].name);
    ir_make_local(function);
    LLVMSetValueName2(function, name, strlen(name));
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    if (subprogram)
        LLVMReplaceMDNodeOperandWith(LLVMMetadataAsValue(unit->context, subprogram), NAME,
                                     LLVMMDStringInContext2(unit->context, name, strlen(name)));
}

bool bundle(struct unit *unit)
{
    descriptor_write_shapes(unit);
    if (!host_optimise(unit))
        return false;
    for (int i = 0; i < unit->n_images; i++) {
        if (unit->images[i].target->has_grid) {
            embed(unit, i);
            continue;
        }
        drop_tile_static(unit->images[i].module);
        if (LLVMLinkModules2(unit->host, unit->images[i].module))
            diag_defect(NULL, "the code for %s does not link", unit->images[i].name);
        unit->images[i].module = NULL;
    }
    for (int k = 0; k < unit->n_kernels; k++)
        for (int i = 0; i < unit->n_images; i++)
            if (!unit->images[i].target->has_grid)
                name_code(unit, &unit->kernels[k], i);
    return true;
}
