/* SPDX-License-Identifier: MIT
 *
 * Generates the code of GPUs. The processors' code stays IR, for clang to make an object of.
 *
 * needs   optimised modules
 * keeps   the processors' modules
 * breaks  the GPUs' modules, which go */
#include "ampcc.h"

bool assemble(struct unit *unit)
{
    for (int i = 0; i < unit->n_images; i++) {
        struct image *image = &unit->images[i];
        if (!image->target->has_grid)
            continue;
        if (image->target->finish)
            image->target->finish(unit, image);
        LLVMMemoryBufferRef text;
        char *error;
        if (LLVMTargetMachineEmitToMemoryBuffer(image->machine, image->module, image->target->code, &error, &text))
            diag_defect(NULL, "no code for %s: %s", image->name, error);
        image->code = arena_printf("%.*s", (int)LLVMGetBufferSize(text), LLVMGetBufferStart(text));
        LLVMDisposeMemoryBuffer(text);
        LLVMDisposeModule(image->module);
        image->module = NULL;
    }
    return true;
}
