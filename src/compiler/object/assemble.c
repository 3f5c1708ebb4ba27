/* SPDX-License-Identifier: MIT
 *
 * Generates the code of GPUs and, if that becomes separate objects, of processors. Otherwise processors' code stays IR,
 * and clang makes one object from it and the host's.
 *
 * needs   optimised modules
 * keeps   the modules for which no code is made
 * breaks the others, which are deleted */
#include "driver/driver.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

/* Writes a module as bitcode and reads it again, as clang would. LLVM's code generator depends on the order in which
 * the uses of a value are listed. After this it makes the same instructions for a kernel whether clang runs it or ampcc
 * does. */
static LLVMModuleRef reread(LLVMModuleRef module)
{
    LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(module);
    LLVMModuleRef again;
    if (LLVMParseBitcodeInContext2(LLVMGetModuleContext(module), bitcode, &again))
        diag_defect(NULL, "our own bitcode cannot be read");
    LLVMDisposeMemoryBuffer(bitcode);
    LLVMDisposeModule(module);
    return again;
}

static void assemble_image(const struct unit *unit, struct image *image)
{
    LLVMMemoryBufferRef code;
    LLVMCodeGenFileType type = LLVMObjectFile;
    if (image->target->has_grid) {
        type = image->target->code;
    } else {
        bundle_finish(unit, image);
        bundle_data(unit, image, image->module);
        if (!unit->options->debug)
            LLVMStripModuleDebugInfo(image->module);
        image->module = reread(image->module);
    }
    if (image->target->finish)
        image->target->finish(unit, image);
    char *error;
    if (LLVMTargetMachineEmitToMemoryBuffer(image->machine, image->module, type, &error, &code))
        diag_defect(NULL, "no code for %s: %s", image->name, error);
    image->code_bytes = LLVMGetBufferSize(code);
    image->code = memcpy(arena_alloc(image->code_bytes), LLVMGetBufferStart(code), image->code_bytes);
    LLVMDisposeMemoryBuffer(code);
    LLVMDisposeModule(image->module);
    image->module = NULL;
}

bool assemble(struct unit *unit)
{
    for (int i = 0; i < unit->n_images; i++)
        if (unit->images[i].target->has_grid || unit->has_objects)
            assemble_image(unit, &unit->images[i]);
    return true;
}
