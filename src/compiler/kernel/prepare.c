/* SPDX-License-Identifier: MIT
 *
 * Brings each entry into the form that the analyses and `lanes` read: everything that the kernel calls is inlined;
 * local variables are SSA values wherever possible; loops are natural, with one latch, and loop-closed; there are no
 * switches and no vector values, and there is one return. This also does what clang's own pipeline does to scalar code
 * before its vectoriser, because code for lanes is harder to simplify than code for one thread.
 *
 * This is done once, for all targets. The steps that depend on the target follow on its copy of the kernels, for
 * `retarget`: they choose the width of counters, unroll loops, and repeat the rest of the simplification.
 *
 * There is no partial redundancy elimination: it would turn uniform values into phis, which look divergent.
 *
 * After a call that does not return, such as amp_abort, control goes on where the threads that do not make the call go
 * on (dead_ends.c).
 *
 * Calls of the math library set no errno in kernels: those that have an intrinsic become it, the others are marked
 * pure. memcpy and the like become loads and stores (copies.c). */
#include "kernel/prepare.h"
#include "ampcc.h"
#include "driver/driver.h"
#include "kernel/apart.h"
#include "kernel/calls.h"
#include "kernel/choices.h"
#include "kernel/copies.h"
#include "kernel/dead_ends.h"
#include "kernel/elements.h"
#include "kernel/entry.h"
#include "kernel/inlining.h"
#include "kernel/ir.h"
#include "kernel/known_loops.h"
#include "kernel/repeats.h"
#include "kernel/subscripts.h"
#include "kernel/untile.h"
#include "kernel/vectors.h"
#include "object/small_floats.h"

#include <llvm-c/DebugInfo.h>
#include <llvm/Config/llvm-config.h>
#include <string.h>

/* ---- the math library ---- */

static void make_pure(LLVMValueRef call)
{
    ir_add_call_attribute(call, "memory"); /* no memory at all: the value is 0 */
    ir_add_call_attribute(call, "nounwind");
    ir_add_call_attribute(call, "willreturn");
}

/* Whether the call passes pointers, through which frexp, modf and the like write. */
static bool passes_pointers(LLVMValueRef call)
{
    for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, a))) == LLVMPointerTypeKind)
            return true;
    return false;
}

/* Whether a function is one of libamp's, which checks call: it looks at what the thread has done so far. */
static bool is_of_runtime(LLVMValueRef callee)
{
    return LLVMIsAFunction(callee) && has_prefix(LLVMGetValueName(callee), "amp__check_");
}

static void lower_math(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (LLVMIsAFunction(callee) && targets_has_function(NULL, LLVMGetValueName(callee)))
        make_pure(call);
    const struct callee *known = calls_of(call);
    if ((known->kind != CALL_MATH && known->kind != CALL_FOREIGN) || LLVMGetIntrinsicID(callee) ||
        passes_pointers(call) || is_of_runtime(callee))
        return;
    if (known->intrinsic) {
        LLVMTypeRef type = LLVMTypeOf(call);
        LLVMValueRef args[3];
        unsigned n = LLVMGetNumArgOperands(call),
                 id = LLVMLookupIntrinsicID(known->intrinsic, strlen(known->intrinsic));
        for (unsigned a = 0; a < n; a++)
            args[a] = LLVMGetOperand(call, a);
        LLVMValueRef intrinsic = LLVMGetIntrinsicDeclaration(module, id, &type, 1);
        LLVMPositionBuilderBefore(builder, call);
        LLVMValueRef result = LLVMBuildCall2(builder, LLVMGlobalGetValueType(intrinsic), intrinsic, args, n, "");
        ir_copy_fast_math(call, result);
        LLVMReplaceAllUsesWith(call, result);
        LLVMInstructionEraseFromParent(call);
        return;
    }
    make_pure(call);
}

static void lower_calls(struct unit *unit, LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (LLVMIsACallInst(i) && LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
                    lower_math(module, builder, i);
            }
    LLVMDisposeBuilder(builder);
}

/* ---- what kernels do not have ---- */

/* Whether it is an atomic operation that amp.h does not offer: clang has more. */
static bool is_foreign_atomic(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
    case LLVMStore:
        return LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
    case LLVMFence:
        return true;
    case LLVMAtomicCmpXchg:
        return LLVMGetCmpXchgSuccessOrdering(i) != LLVMAtomicOrderingMonotonic;
    case LLVMAtomicRMW: {
        LLVMAtomicRMWBinOp operation = LLVMGetAtomicRMWBinOp(i);
        return LLVMGetOrdering(i) != LLVMAtomicOrderingMonotonic || operation == LLVMAtomicRMWBinOpNand ||
               operation > LLVMAtomicRMWBinOpFMin || small_floats_is_one(LLVMTypeOf(i));
    }
    default:
        return false;
    }
}

static void reject_instructions(const struct unit *unit, LLVMModuleRef module)
{
    bool has_told = false; /* options apply to all code: once is enough */
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                struct place place = ir_place(i, unit->kernels[0].place);
                if (is_foreign_atomic(i))
                    diag_error(place, "this atomic operation is not one of a kernel's; write amp_atomic_fetch_add and "
                                      "the like [foreign atomic]");
                if (calls_kind(i) == CALL_CONSTRAINED && !has_told) {
                    diag_error(place, "a kernel rounds to nearest and reports no exceptions; compile it without "
                                      "-frounding-math, -ftrapping-math, -ffp-model=strict and FENV_ACCESS [rounding]");
                    has_told = true;
                }
            }
}

/* ---- inlining and simplification ---- */

static void remove_attribute(LLVMValueRef function, const char *name)
{
    LLVMRemoveEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                   LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

static void request_inlining(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        static const char *const hindrances[] = {"optnone", "noinline", "optsize", "minsize"};
        for (size_t i = 0; i < sizeof hindrances / sizeof *hindrances; i++)
            remove_attribute(f, hindrances[i]);
        if (targets_has_function(NULL, LLVMGetValueName(f)))
            remove_attribute(f, "alwaysinline");
        else if (!entry_is(f))
            ir_add_attribute(f, IR_FUNCTION, "alwaysinline");
    }
}

/* Makes the variables of the library's functions SSA values, if debuggers shall find those of the source: one thread
 * after another needs memory for each. */
static void simplify_library(LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            ir_hold(f, !ir_is_of_library(f));
    ir_run_passes(module, machine, "function(mem2reg)");
}

/* Scalarises loads and stores, too; before LLVM 20 that is an option of the process (ir.c). */
#if LLVM_VERSION_MAJOR >= 20
#define SCALARIZER "scalarizer<load-store>"
#else
#define SCALARIZER "scalarizer"
#endif

/* clang ends a basic block in which the life of a variable ends with a switch on where to go next. These switches must
 * go before other passes combine them with a condition that differs between threads: a later barrier would seem to
 * depend on both. jump-threading removes them. But where a condition is tested again, it would also separate threads
 * that come together in between. So conditions of branches are hidden from it: of those that clang makes, which are
 * marked before inlining turns switches with one case into branches. */
static unsigned branch_mark(LLVMModuleRef module)
{
    static const char name[] = "amp.branch";
    return LLVMGetMDKindIDInContext(LLVMGetModuleContext(module), name, sizeof name - 1);
}

static void mark_branches(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef mark = LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            LLVMValueRef branch = LLVMGetBasicBlockTerminator(b);
            if (LLVMIsABranchInst(branch) && LLVMIsConditional(branch))
                LLVMSetMetadata(branch, branch_mark(module), mark);
        }
}

/* Adds a function that stands for values of a type where passes are not to look through them. */
static LLVMValueRef add_hide(LLVMModuleRef module, LLVMTypeRef type)
{
    LLVMValueRef hide = LLVMAddFunction(module, "amp.hide", LLVMFunctionType(type, &type, 1, false));
    ir_add_attribute(hide, IR_FUNCTION, "speculatable");
    return hide;
}

static LLVMValueRef hide_before(LLVMBuilderRef builder, LLVMValueRef hide, LLVMValueRef value, LLVMValueRef user)
{
    LLVMPositionBuilderBefore(builder, user);
    LLVMValueRef call = LLVMBuildCall2(builder, LLVMGlobalGetValueType(hide), hide, &value, 1, "");
    make_pure(call);
    return call;
}

/* Lets the users of hidden values have these again. */
static void reveal(LLVMValueRef hide)
{
    for (LLVMUseRef use; (use = LLVMGetFirstUse(hide));) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDeleteFunction(hide);
}

static void thread_switches(LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef hide = add_hide(module, LLVMInt1TypeInContext(context));
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            LLVMValueRef branch = LLVMGetBasicBlockTerminator(b);
            if (!LLVMGetMetadata(branch, branch_mark(module)))
                continue;
            LLVMSetMetadata(branch, branch_mark(module), NULL);
            LLVMSetCondition(branch, hide_before(builder, hide, LLVMGetCondition(branch), branch));
        }
    LLVMDisposeBuilder(builder);
    ir_run_passes(module, machine, "function(jump-threading)");
    reveal(hide);
}

/* Of a sum like (first + counter) + index, LICM takes the part that a loop does not change, first + index, out of it,
 * and forgets that the sum does not wrap around; nobody then knows that neighbouring threads read neighbouring
 * elements. So it does not see the inner sums. Products are the same. */
static void hide_sums(LLVMModuleRef module, LLVMValueRef hide)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(hide));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
                if ((opcode != LLVMAdd && opcode != LLVMMul) || LLVMTypeOf(i) != type || !LLVMGetNSW(i))
                    continue;
                for (unsigned o = 0; o < 2; o++) {
                    LLVMValueRef inner = LLVMGetOperand(i, o);
                    if (LLVMIsAInstruction(inner) && LLVMGetInstructionOpcode(inner) == opcode && LLVMGetNSW(inner))
                        LLVMSetOperand(i, o, hide_before(builder, hide, inner, i));
                }
            }
    LLVMDisposeBuilder(builder);
}

/* Pointers that a kernel gets do not point into tile memory. `globals-aa` knows that only of internal variables, so
 * they are internal while LICM runs. */
static void own_tile_memory(LLVMModuleRef module, bool is_internal)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        if (ir_is_in_tile_memory(g)) {
            LLVMSetInitializer(g, is_internal ? LLVMGetUndef(LLVMGlobalGetValueType(g)) : NULL);
            LLVMSetLinkage(g, is_internal ? LLVMInternalLinkage : LLVMExternalLinkage);
        }
}

/* Runs LICM. */
static void hoist(LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    LLVMValueRef hide = add_hide(module, LLVMInt32TypeInContext(LLVMGetModuleContext(module)));
    hide_sums(module, hide);
    own_tile_memory(module, true);
    ir_run_passes(module, machine, "require<globals-aa>,function(loop-mssa(licm))");
    own_tile_memory(module, false);
    reveal(hide);
}

/* ---- what LLVM folds wrongly ---- */

/* A bfloat has fewer bits than a half, but may be larger than the largest half. LLVM's instcombine overlooks that in a
 * half that is computed from bfloats in a larger type, and in one that was an integer that was a bfloat. And it takes
 * the bits of a bfloat for those of an integer where a half that has them is compared with 0, even if what is compared
 * is an extension. It may see these bits only after it has forwarded them from a store to a load, so what is compared
 * is hidden. An integer of few significant bits, it also overlooks, may be larger than the largest half. */

static bool has_type(LLVMValueRef i, LLVMTypeKind kind)
{
    if (LLVMGetTypeKind(LLVMTypeOf(i)) == kind)
        return true;
    for (int o = 0; o < LLVMGetNumOperands(i); o++)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, (unsigned)o))) == kind)
            return true;
    return false;
}

static bool mixes_small_floats(LLVMValueRef function)
{
    bool has_half = false, has_bfloat = false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && !(has_half && has_bfloat);
             i = LLVMGetNextInstruction(i)) {
            has_half |= has_type(i, LLVMHalfTypeKind);
            has_bfloat |= has_type(i, LLVMBFloatTypeKind);
        }
    return has_half && has_bfloat;
}

/* Whether a value is a half made from an integer that may be too large for it; those of 16 bits that are have more
 * significant bits than a half. */
static bool may_overflow_half(LLVMValueRef i)
{
    return (LLVMIsASIToFPInst(i) || LLVMIsAUIToFPInst(i)) && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMHalfTypeKind &&
           LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(i, 0))) > 16;
}

static void hide_mixed(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMSIToFP:
    case LLVMUIToFP:
        if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMHalfTypeKind)
            ir_hide(i);
        break;
    case LLVMFPExt:
        if (small_floats_is_one(LLVMTypeOf(LLVMGetOperand(i, 0))))
            ir_hide(i);
        break;
    case LLVMFCmp:
        for (unsigned o = 0; o < 2; o++)
            if (small_floats_is_one(LLVMTypeOf(LLVMGetOperand(i, o))) && !LLVMIsConstant(LLVMGetOperand(i, o)))
                ir_hide_operand(i, o);
        break;
    default:
        break;
    }
}

static void hide_misfolded(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        bool mixes = mixes_small_floats(f);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (mixes)
                    hide_mixed(i);
                else if (may_overflow_half(i))
                    ir_hide(i);
    }
}

/* ---- subscripts ---- */

/* Whether a step goes into nothing but arrays, from the first of what the pointer points to. */
static bool steps_into_arrays(LLVMValueRef step)
{
    LLVMValueRef first = LLVMGetNumOperands(step) > 2 ? LLVMGetOperand(step, 1) : NULL;
    LLVMTypeRef type = LLVMGetGEPSourceElementType(step);
    for (int depth = 2; depth < LLVMGetNumOperands(step); depth++, type = LLVMGetElementType(type))
        if (LLVMGetTypeKind(type) != LLVMArrayTypeKind)
            return false;
    return first && LLVMIsAConstantInt(first) && LLVMIsNull(first);
}

/* Makes a step into an array one by its elements, as LLVM 22 does; LLVM 19 does the contrary. */
static void step_by_elements(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (!LLVMIsAGetElementPtrInst(i) || !steps_into_arrays(i))
                    continue;
                LLVMPositionBuilderBefore(builder, i);
                LLVMTypeRef type = LLVMGetGEPSourceElementType(i);
                LLVMValueRef address = LLVMGetOperand(i, 0);
                for (int depth = 2; depth < LLVMGetNumOperands(i); depth++) {
                    LLVMValueRef index = LLVMGetOperand(i, (unsigned)depth);
                    type = LLVMGetElementType(type);
                    address =
                        LLVMBuildGEPWithNoWrapFlags(builder, type, address, &index, 1, "", LLVMGEPGetNoWrapFlags(i));
                }
                LLVMReplaceAllUsesWith(i, address);
                LLVMInstructionEraseFromParent(i);
            }
    LLVMDisposeBuilder(builder);
}

/* These passes precede simplifycfg on what all targets share, with LICM between the last two; `unroll` does on each
 * target's copy. */
static const char simplify_code[] = "function(early-cse<memssa>,instcombine<no-verify-fixpoint>)";
static const char rotate[] = "function(loop-simplify,lcssa,loop(loop-rotate))";
static const char combine[] = "function(instcombine<no-verify-fixpoint>)";
static const char unroll[] = "function(loop-simplify,lcssa,loop(indvars,loop-deletion,loop-unroll-full))";
/* These passes follow either run. */
static const char simplify[] = "function(sroa,gvn<no-pre;no-load-pre>,instcombine<no-verify-fixpoint>,dse,adce)";

static void run_and_join_branches(const struct unit *unit, LLVMModuleRef module, LLVMTargetMachineRef machine,
                                  const char *pipeline)
{
    ir_run_passes(module, machine, pipeline);
    apart_mark(unit, module);
    ir_run_passes(module, machine, "function(simplifycfg)");
    apart_unmark(module);
}

static void simplify_and_lower(struct unit *unit, LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    if (unit->options->opt_level > 0) {
        run_and_join_branches(unit, module, machine, simplify);
        hoist(module, machine);
        ir_run_passes(module, machine, combine);
    } else {
        ir_run_passes(module, machine, "function(instcombine<no-verify-fixpoint>,sroa,adce)");
    }
    lower_calls(unit, module);
}

static const char into_form[] = "function(adce,mergereturn,fix-irreducible,early-cse,loop-simplify,lcssa),globaldce";
/* The same without what forwards values from one access of a variable to another. */
static const char into_form_in_memory[] = "function(adce,mergereturn,fix-irreducible,loop-simplify,lcssa),globaldce";

static void bring_into_form(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *pipeline)
{
    ir_run_passes(module, machine, "function(lower-switch,sccp," SCALARIZER ")");
    vectors_take_apart(module);
    step_by_elements(module);
    choices_load_first(module);
    ir_run_passes(module, machine, pipeline);
    repeats_after_loops(module);
}

void prepare_for_target(struct unit *unit, struct image *image)
{
    if (unit->options->opt_level > 0) {
        known_loops_mark(image->module, !image->target->has_grid);
        if (!image->target->has_grid) {
            subscripts_widen(image->module);
            untile_keep_loops(unit, image->module);
        }
        ir_run_passes(image->module, image->machine, unroll);
    }
    simplify_and_lower(unit, image->module, image->machine);
    if (copies_lower_rest(unit, image->module))
        ir_run_passes(image->module, image->machine, "always-inline");
    bring_into_form(image->module, image->machine, into_form);
    if (unit->options->opt_level > 0 && !image->target->has_grid) {
        subscripts_narrow_exits(image->module);
        ir_run_passes(image->module, image->machine, "function(adce)");
    }
}

/* Gives code that computes a bound of a parameter the location of the function's call. */
static void locate_bound(LLVMValueRef value, LLVMMetadataRef call)
{
    LLVMInstructionSetDebugLoc(value, call);
    for (int o = 0; o < LLVMGetNumOperands(value); o++) {
        LLVMValueRef operand = LLVMGetOperand(value, (unsigned)o);
        if (LLVMIsAInstruction(operand) && !LLVMGetNextUse(LLVMGetFirstUse(operand)))
            locate_bound(operand, call);
    }
}

/* Gives each piece of code a location, for debuggers would take what has none for the caller's. An inlined function
 * should begin with its first statement, where they set a breakpoint: what comes before it belongs to the call. clang
 * gives no location to what stores parameters, nor to the last step of a bound, and LLVM none to copies of structs. */
static void complete_locations(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            LLVMMetadataRef last = NULL;
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                LLVMMetadataRef location = LLVMInstructionGetDebugLoc(i), call;
                bool is_extension = LLVMIsAZExtInst(i) || LLVMIsASExtInst(i);
                if (location && LLVMDILocationGetLine(location) > 0)
                    last = location;
                else if (!location && last && is_extension && (call = LLVMDILocationGetInlinedAt(last)))
                    locate_bound(i, last = call);
                else if (last || (location && (last = LLVMDILocationGetInlinedAt(location))))
                    LLVMInstructionSetDebugLoc(i, last);
            }
        }
}

/* Whether a value is a component of the index, or a disjunction of some. None is negative. */
static bool is_of_index(const struct kernel *kernel, LLVMValueRef value)
{
    if (LLVMIsAArgument(value))
        return entry_param(kernel, entry_param_number(value)).meaning != ENTRY_ARGUMENTS;
    return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMOr &&
           is_of_index(kernel, LLVMGetOperand(value, 0)) && is_of_index(kernel, LLVMGetOperand(value, 1));
}

/* Whether a comparison asks for the sign of such a value. Sets `*is_true` to the answer. */
static bool asks_for_sign(const struct kernel *kernel, LLVMValueRef comparison, bool *is_true)
{
    LLVMValueRef left = LLVMGetOperand(comparison, 0), right = LLVMGetOperand(comparison, 1);
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(comparison);
    if (!is_of_index(kernel, left) || !LLVMIsAConstantInt(right))
        return false;
    *is_true = predicate == LLVMIntSGE || predicate == LLVMIntSGT;
    return LLVMConstIntGetSExtValue(right) == (predicate == LLVMIntSGE || predicate == LLVMIntSLT ? 0 : -1) &&
           (*is_true || predicate == LLVMIntSLT || predicate == LLVMIntSLE);
}

/* Answers such comparisons, because LLVM cannot. Of several it makes one, of a disjunction, from which nobody could
 * tell which component it is about. */
static void answer_signs(const struct unit *unit, LLVMModuleRef form)
{
    for (int k = 0; k < unit->n_kernels; k++) {
        LLVMValueRef entry = LLVMGetNamedFunction(form, unit->kernels[k].entry);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(entry); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                bool is_true;
                if (LLVMIsAICmpInst(i) && asks_for_sign(&unit->kernels[k], i, &is_true))
                    LLVMReplaceAllUsesWith(i, LLVMConstInt(LLVMTypeOf(i), is_true, false));
            }
    }
}

void prepare_described(struct unit *unit, struct image *image)
{
    lower_calls(unit, image->module);
    if (copies_lower_rest(unit, image->module))
        ir_run_passes(image->module, image->machine, "always-inline");
    vectors_load_members(image->module);
    bring_into_form(image->module, image->machine, into_form_in_memory);
    complete_locations(image->module);
}

void prepare_plain(struct unit *unit, struct image *image)
{
    lower_calls(unit, image->module);
    if (unit->options->opt_level > 0) {
        ir_run_passes(image->module, image->machine, "function(sroa)"); /* brings casts to light */
        hide_misfolded(image->module);
    }
}

bool prepare(struct unit *unit)
{
    LLVMModuleRef form = unit->form;
    LLVMTargetMachineRef machine = targets_machine(LLVMGetTarget(form), "", "", LLVMCodeGenLevelDefault);
    if (unit->is_cpp && options_keep_variables(unit->options))
        simplify_library(form, machine);
    request_inlining(form);
    if (unit->checked) /* which keeps its subscripts as they are written; inlining drops code for the host there */
        request_inlining(unit->checked);
    if (LLVMGetNamedFunction(form, calls_name(CALL_IS_DEVICE)))
        ir_run_passes(form, machine, "function(sccp)"); /* drops code for the host, which may be anything */
    dead_ends_join(form);
    inlining_check_sizes(unit, form);
    if (diag_count() > 0)
        return false;
    if (unit->options->opt_level > 0)
        mark_branches(form);
    ir_run_passes(form, machine, "always-inline,globaldce");
    reject_instructions(unit, form);
    if (diag_count() > 0)
        return false;
    lower_calls(unit, form);
    copies_lower_short(unit, form);
    if (options_keep_variables(unit->options))
        unit->described = LLVMCloneModule(form);
    ir_run_passes(form, machine, "function(sroa)");
    hide_misfolded(form);
    if (unit->options->opt_level > 0) {
        thread_switches(form, machine);
        if (unit->is_cpp) {
            /* Unreachable code goes, because addresses may be cyclic there. */
            ir_run_passes(form, machine, "function(sccp)");
            elements_mark(unit, form);
        }
        subscripts_add_late(form);
        run_and_join_branches(unit, form, machine, simplify_code);
        answer_signs(unit, form);
        ir_run_passes(form, machine, rotate); /* before sums are hidden, which would count as instructions */
        hoist(form, machine);
        run_and_join_branches(unit, form, machine, combine);
    }
    simplify_and_lower(unit, form, machine);
    bring_into_form(form, machine, into_form);
    LLVMDisposeTargetMachine(machine);
    return true;
}
