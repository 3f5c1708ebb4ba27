/* SPDX-License-Identifier: MIT
 *
 * LLVM's own pipeline over the code that `lanes` made, for each target. Slots become registers here. The loop and SLP
 * vectorisers stay off: the code is vector code, and what is scalar in it is so on purpose. */
#include "ampcc.h"

#include <llvm-c/Transforms/PassBuilder.h>

bool optimise(struct unit *unit)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, false);
    LLVMPassBuilderOptionsSetSLPVectorization(options, false);
    for (int i = 0; i < unit->n_images; i++) {
        const char *pipeline = unit->options->opt_level > 0 ? "default<O2>" : "default<O0>";
        LLVMErrorRef error = LLVMRunPasses(unit->images[i].module, pipeline, unit->images[i].machine, options);
        if (error)
            diag_defect(NULL, "'%s' for %s: %s", pipeline, unit->images[i].target, LLVMGetErrorMessage(error));
    }
    LLVMDisposePassBuilderOptions(options);
    return true;
}
