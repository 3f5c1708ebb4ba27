/* SPDX-License-Identifier: MIT
 *
 * simplifycfg combines two branches whose paths meet, even if one is uniform and the other is not:
 *
 *     if (n == 0) return;                       if (n == 0 || t.local[0] != 0) {
 *     if (t.local[0] == 0) first = 1;     ->        if (n == 0) return;
 *     barrier                                   } else first = 1;
 *                                               barrier
 *
 * Then the barrier seems to depend on the thread's index, and so does any value that both paths bring. So this puts a
 * call that nothing moves across before each varying branch, unless only varying branches lead there: those may be
 * combined.
 *
 * Here a value varies if it is computed from the thread's index, from private memory, or from the result of an atomic
 * operation or a volatile load. A value that varies because threads came by different paths is not found: `uniform` may
 * then reject the kernel, but no wrong code results. */
#include "kernel/apart.h"

#include "base/map.h"
#include "kernel/calls.h"

static const char mark_name[] = "amp.apart";

/* The values that vary, and those among them whose users have not been visited. */
struct varying {
    struct map *known;
    LLVMValueRef *work;
    int n_work;
};

static void add(struct varying *varying, LLVMValueRef value)
{
    if (map_get(varying->known, value) >= 0)
        return;
    map_set(varying->known, value, 0);
    varying->work[varying->n_work++] = value;
}

static bool is_own(LLVMValueRef instruction)
{
    return LLVMIsAAllocaInst(instruction) || LLVMIsAAtomicRMWInst(instruction) || LLVMIsAAtomicCmpXchgInst(instruction);
}

static struct map *find_varying(const struct kernel *kernel, LLVMValueRef entry)
{
    int n = (int)LLVMCountParams(entry);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            n++;
    struct varying varying = {map_new(), arena_alloc((size_t)n * sizeof(LLVMValueRef)), 0};
    for (int p = 1; p <= 2 * kernel->box_rank; p++) /* the thread's place in the domain and in its tile */
        add(&varying, LLVMGetParam(entry, (unsigned)p));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (is_own(i))
                add(&varying, i);
    while (varying.n_work > 0)
        for (LLVMUseRef use = LLVMGetFirstUse(varying.work[--varying.n_work]); use; use = LLVMGetNextUse(use))
            add(&varying, LLVMGetUser(use));
    return varying.known;
}

static bool has_barrier(LLVMValueRef entry)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (calls_kind(i) == CALL_BARRIER)
                return true;
    return false;
}

/* Whether only varying branches lead to `block`. */
static bool follows_varying(const struct map *varying, LLVMBasicBlockRef block)
{
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use))
        if (map_get(varying, LLVMGetUser(use)) < 0)
            return false;
    return true;
}

void apart_mark(const struct unit *unit, LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
    LLVMValueRef mark = LLVMAddFunction(module, mark_name, type);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    for (int k = 0; k < unit->n_kernels; k++) {
        LLVMValueRef entry = LLVMGetNamedFunction(module, unit->kernels[k].entry);
        if (!has_barrier(entry))
            continue;
        const struct map *varying = find_varying(&unit->kernels[k], entry);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(entry); b; b = LLVMGetNextBasicBlock(b)) {
            LLVMValueRef branch = LLVMGetBasicBlockTerminator(b);
            if (map_get(varying, branch) < 0 || follows_varying(varying, b))
                continue;
            LLVMPositionBuilderBefore(builder, branch);
            LLVMBuildCall2(builder, type, mark, NULL, 0, "");
        }
    }
    LLVMDisposeBuilder(builder);
}

void apart_unmark(LLVMModuleRef module)
{
    LLVMValueRef mark = LLVMGetNamedFunction(module, mark_name);
    for (LLVMUseRef use; (use = LLVMGetFirstUse(mark));)
        LLVMInstructionEraseFromParent(LLVMGetUser(use));
    LLVMDeleteFunction(mark);
}
