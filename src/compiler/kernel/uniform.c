/* SPDX-License-Identifier: MIT
 *
 * Rejects barriers that not all threads of a tile reach: a branch that decides about a barrier must not depend on the
 * thread's own index. Where the condition came through memory, nothing can be proven, and the branch is assumed to be
 * uniform, as the language demands. */
#include "kernel/uniform.h"

#include "front/cpp/cpp.h"
#include "kernel/ir.h"
#include "kernel/shape.h"

static void check_kernel_barriers(LLVMModuleRef module, const struct kernel *kernel)
{
    LLVMValueRef entry = LLVMGetNamedFunction(module, kernel->entry);
    struct cfg *cfg = cfg_build(entry);
    if (!cfg)
        diag_defect(kernel->name, "a loop with several entries is left");
    struct shapes *shapes = shape_analyse(kernel, cfg, SHAPE_LANES, NULL);
    for (int barrier = 0; barrier < cfg->n; barrier++) {
        if (!cfg->nodes[barrier].barrier)
            continue;
        for (int at = 0; at < cfg->n; at++) {
            if (!shape_controls(shapes, at, barrier))
                continue;
            LLVMValueRef branch = LLVMGetBasicBlockTerminator(cfg->nodes[at].block);
            struct shape condition = shape_of(shapes, LLVMGetCondition(branch));
            if ((condition.kind == SHAPE_UNIFORM && !condition.rows) || condition.memory)
                continue;
            LLVMValueRef call = cfg->nodes[barrier].barrier;
            struct place place;
            diag_error(ir_place(call, kernel->place), "barrier in control flow that differs between the threads of a "
                                                      "tile: all of them must reach it [divergent barrier]");
            for (int level = 0; ir_call_place(call, level, kernel->place, &place); level++)
                diag_note(place, "the barrier is reached by the call here");
            diag_note(ir_place(branch, kernel->place),
                      "this condition depends on the thread's index; move the barrier out "
                      "of what it controls");
            break;
        }
    }
}

bool uniform_check(const struct unit *unit, LLVMModuleRef module)
{
    for (int k = 0; k < unit->n_kernels; k++)
        if (unit->kernels[k].tiled)
            check_kernel_barriers(module, &unit->kernels[k]);
    return diag_count() == 0;
}

bool uniform(struct unit *unit)
{
    return (!unit->is_cpp || cpp_check_prepared(unit)) && uniform_check(unit, unit->form);
}
