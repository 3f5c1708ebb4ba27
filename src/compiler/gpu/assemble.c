/* SPDX-License-Identifier: MIT
 *
 * Generates the code of GPUs. The processors' code stays IR, for clang to make an object of.
 *
 * needs   optimised modules
 * keeps   the processors' modules
 * breaks  the GPUs' modules, which go */
#include "ampcc.h"

#include <string.h>

bool assemble(struct unit *unit)
{
    for (int i = 0; i < unit->n_images; i++) {
        struct image *image = &unit->images[i];
        if (!image->target->has_grid)
            continue;
        if (image->target->finish)
            image->target->finish(unit, image);
        LLVMMemoryBufferRef code;
        char *error;
        if (LLVMTargetMachineEmitToMemoryBuffer(image->machine, image->module, image->target->code, &error, &code))
            diag_defect(NULL, "no code for %s: %s", image->name, error);
        image->code_bytes = LLVMGetBufferSize(code);
        image->code = memcpy(arena_alloc(image->code_bytes), LLVMGetBufferStart(code), image->code_bytes);
        LLVMDisposeMemoryBuffer(code);
        LLVMDisposeModule(image->module);
        image->module = NULL;
    }
    return true;
}
