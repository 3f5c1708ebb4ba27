/* SPDX-License-Identifier: MIT
 *
 * Generates the code of GPUs, as text: PTX, which the driver compiles for the GPU that it finds. The processors' code
 * stays IR, for clang to make an object of.
 *
 * needs   optimised modules
 * keeps   the processors' modules
 * breaks  the GPUs' modules, which go */
#include "ampcc.h"

bool assemble(struct unit *unit)
{
    for (int i = 0; i < unit->n_images; i++) {
        struct image *image = &unit->images[i];
        if (image->backend != BACKEND_CUDA)
            continue;
        LLVMMemoryBufferRef text;
        char *error;
        if (LLVMTargetMachineEmitToMemoryBuffer(image->machine, image->module, LLVMAssemblyFile, &error, &text))
            diag_defect(NULL, "no code for %s: %s", image->target, error);
        image->code = arena_printf("%.*s", (int)LLVMGetBufferSize(text), LLVMGetBufferStart(text));
        LLVMDisposeMemoryBuffer(text);
        LLVMDisposeModule(image->module);
        image->module = NULL;
    }
    return true;
}
