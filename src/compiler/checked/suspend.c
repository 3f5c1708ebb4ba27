/* SPDX-License-Identifier: MIT
 *
 * Lets a thread wait at barriers without a stack of its own: the kernel's entry becomes a coroutine of LLVM's,
 * which returns at a barrier and keeps in a frame what it needs to go on. After inlining, a barrier is
 *
 *     if (amp__check_suspend())
 *         amp__check_end();
 *
 * LLVM splits the function there when it optimises; the call becomes its intrinsic, which yields 0 when the thread
 * goes on. The runtime gives all frames of a tile memory, and never ends a thread that waits.
 *
 * needs   entries into which everything is inlined that waits
 * keeps   nothing
 * breaks  nothing */
#include "checked/checked.h"
#include "kernel/ir.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* The name of the function that resumes a thread of an entry; LLVM's has another. */
static const char *name_of_resume(LLVMValueRef entry)
{
    return arena_printf("%s.resumes", LLVMGetValueName(entry));
}

static LLVMValueRef make_resume(struct checking *c)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(c->context), &c->pointer, 1, false);
    LLVMValueRef function = LLVMAddFunction(c->module, name_of_resume(c->entry), type),
                 frame = LLVMGetParam(function, 0);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    LLVMPositionBuilderAtEnd(c->builder, LLVMAppendBasicBlockInContext(c->context, function, ""));
    ir_call_intrinsic(c->builder, "llvm.coro.resume", &frame, 1);
    LLVMBuildRetVoid(c->builder);
    return function;
}

/* Removes the function that calls another, and leaves no address where it had been used. */
static void remove_caller(struct checking *c, LLVMValueRef function)
{
    LLVMValueRef call = LLVMGetUser(LLVMGetFirstUse(function)),
                 caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
    LLVMReplaceAllUsesWith(caller, LLVMConstNull(c->pointer));
    LLVMDeleteFunction(caller);
}

void suspend_remove(struct checking *c)
{
    LLVMValueRef resume = LLVMGetNamedFunction(c->module, name_of_resume(c->entry));
    remove_caller(c, resume);
    LLVMDeleteFunction(resume);
    remove_caller(c, c->entry);
    LLVMDeleteFunction(c->entry);
}

LLVMValueRef suspend_make_resume(struct checking *c)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(c->context), &c->pointer, 1, false);
    LLVMSetCurrentDebugLocation2(c->builder, NULL);
    LLVMValueRef one = make_resume(c), function = LLVMAddFunction(c->module, "amp.check.resume", type);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    LLVMPositionBuilderAtEnd(c->builder, LLVMAppendBasicBlockInContext(c->context, function, ""));
    table_call(c, "amp__check_resume", (LLVMValueRef[]){LLVMGetParam(function, 0), one}, 2);
    LLVMBuildRetVoid(c->builder);
    return function;
}

/* Calls what LLVM has made of a coroutine after its barriers directly, so that it is inlined into the loop over the
 * threads. */
static void call_directly(struct checking *c, LLVMValueRef entry)
{
    LLVMValueRef one = LLVMGetNamedFunction(c->module, name_of_resume(entry)), frame = LLVMGetParam(one, 0),
                 part = LLVMGetNamedFunction(c->module, arena_printf("%s.resume", LLVMGetValueName(entry)));
    if (!part)
        return; /* LLVM has found that no thread reaches a barrier */
    LLVMDeleteBasicBlock(LLVMGetEntryBasicBlock(one));
    LLVMPositionBuilderAtEnd(c->builder, LLVMAppendBasicBlockInContext(c->context, one, ""));
    LLVMValueRef call = LLVMBuildCall2(c->builder, LLVMGlobalGetValueType(part), part, &frame, 1, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(part));
    LLVMBuildRetVoid(c->builder);
    ir_add_attribute(one, IR_FUNCTION, "alwaysinline");
    ir_add_attribute(part, IR_FUNCTION, "alwaysinline");
}

/* Asks LLVM for a number about the frame. */
static LLVMValueRef call_number(struct checking *c, const char *name)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef intrinsic = LLVMGetIntrinsicDeclaration(c->module, id, &c->i64, 1);
    return LLVMBuildCall2(c->builder, LLVMGlobalGetValueType(intrinsic), intrinsic, NULL, 0, "");
}

/* Returns the address of the last field of `amp__check_now`, where the frame is noted. Otherwise LLVM would believe
 * that nobody else knows the frame, and leave out what is stored there before the thread waits. */
static LLVMValueRef frame_field(struct checking *c)
{
    LLVMValueRef now = LLVMGetNamedGlobal(c->module, "amp__check_now");
    LLVMTypeRef type = LLVMGlobalGetValueType(now);
    return LLVMBuildStructGEP2(c->builder, type, now, LLVMCountStructElementTypes(type) - 1, "");
}

/* Makes the function that finds memory for a frame of a size and alignment: what the runtime has reserved, unless this
 * is the first thread. */
static LLVMValueRef make_find_frame(struct checking *c)
{
    LLVMTypeRef types[] = {c->i64, c->i64}, type = LLVMFunctionType(c->pointer, types, 2, false);
    LLVMValueRef find = LLVMAddFunction(c->module, "amp.check.find_frame", type),
                 reserve = LLVMAddFunction(c->module, "amp__check_frame", type), args[2];
    LLVMBasicBlockRef begin = LLVMAppendBasicBlockInContext(c->context, find, ""),
                      first = LLVMAppendBasicBlockInContext(c->context, find, ""),
                      other = LLVMAppendBasicBlockInContext(c->context, find, "");
    LLVMPositionBuilderAtEnd(c->builder, begin);
    LLVMValueRef reserved = LLVMBuildLoad2(c->builder, c->pointer, frame_field(c), "");
    LLVMBuildCondBr(c->builder, LLVMBuildIsNull(c->builder, reserved, ""), first, other);
    LLVMPositionBuilderAtEnd(c->builder, other);
    LLVMBuildRet(c->builder, reserved);
    LLVMPositionBuilderAtEnd(c->builder, first);
    LLVMGetParams(find, args);
    LLVMBuildRet(c->builder, LLVMBuildCall2(c->builder, type, reserve, args, 2, ""));
    LLVMSetLinkage(find, LLVMInternalLinkage);
    ir_add_attribute(find, IR_FUNCTION, "alwaysinline");
    return find;
}

/* Moves a function's variables to its beginning, before the call that finds the frame. Inlining that splits the basic
 * block, and LLVM takes only the first one's variables for those of the whole function. Returns what follows them. */
static LLVMValueRef move_variables(struct checking *c, LLVMValueRef function)
{
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    for (LLVMValueRef i = LLVMGetNextInstruction(first), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (!LLVMIsAAllocaInst(i))
            continue;
        LLVMInstructionRemoveFromParent(i);
        LLVMPositionBuilderBefore(c->builder, first);
        LLVMInsertIntoBuilder(c->builder, i);
    }
    return LLVMIsAAllocaInst(first) ? LLVMGetNextInstruction(first) : first;
}

/* Begins the coroutine. Returns its frame. */
static LLVMValueRef begin(struct checking *c, LLVMValueRef function)
{
    LLVMValueRef null = LLVMConstNull(c->pointer), find = LLVMGetNamedFunction(c->module, "amp.check.find_frame");
    LLVMValueRef id_args[] = {LLVMConstInt(c->i32, 0, false), null, null, null};
    if (!find)
        find = make_find_frame(c);
    ir_add_attribute(function, IR_FUNCTION, "presplitcoroutine");
    LLVMPositionBuilderBefore(c->builder, move_variables(c, function));
    if (c->unit->is_cpp) /* LLVM 19 reads what DWARF says of the promise in C++, and crashes if there is none */
        id_args[1] = LLVMBuildAlloca(c->builder, LLVMInt8TypeInContext(c->context), "");
    LLVMValueRef id = ir_call_intrinsic(c->builder, "llvm.coro.id", id_args, 4);
    LLVMValueRef args[] = {call_number(c, "llvm.coro.size"), call_number(c, "llvm.coro.align")};
    LLVMValueRef memory = LLVMBuildCall2(c->builder, LLVMGlobalGetValueType(find), find, args, 2, "");
    LLVMValueRef frame = ir_call_intrinsic(c->builder, "llvm.coro.begin", (LLVMValueRef[]){id, memory}, 2);
    LLVMBuildStore(c->builder, frame, frame_field(c));
    return frame;
}

/* Makes the basic block in which the function returns, at a barrier or at its end. */
static LLVMBasicBlockRef make_end(struct checking *c, LLVMValueRef function, LLVMValueRef frame)
{
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(c->context, function, "");
    LLVMValueRef no = LLVMConstInt(LLVMInt1TypeInContext(c->context), 0, false);
    LLVMValueRef args[] = {frame, no, LLVMConstNull(LLVMTokenTypeInContext(c->context))};
    LLVMPositionBuilderAtEnd(c->builder, end);
    ir_call_intrinsic(c->builder, "llvm.coro.end", args, 3);
    LLVMBuildRetVoid(c->builder);
    return end;
}

/* Replaces the call that lets the thread wait. */
static void suspend(struct checking *c, LLVMValueRef call)
{
    LLVMValueRef no = LLVMConstInt(LLVMInt1TypeInContext(c->context), 0, false);
    LLVMValueRef args[] = {LLVMConstNull(LLVMTokenTypeInContext(c->context)), no};
    LLVMPositionBuilderBefore(c->builder, call);
    LLVMReplaceAllUsesWith(call, ir_call_intrinsic(c->builder, "llvm.coro.suspend", args, 2));
    LLVMInstructionEraseFromParent(call);
}

/* Jumps to the end instead of what ends a basic block. */
static void jump(struct checking *c, LLVMValueRef terminator, LLVMBasicBlockRef end)
{
    LLVMPositionBuilderBefore(c->builder, terminator);
    LLVMBuildBr(c->builder, end);
    LLVMInstructionEraseFromParent(terminator);
}

static void make_coroutine(struct checking *c, LLVMValueRef function)
{
    LLVMSetCurrentDebugLocation2(c->builder, NULL);
    LLVMBasicBlockRef end = make_end(c, function, begin(c, function));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != end; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (table_calls(i, "amp__check_suspend")) {
                suspend(c, i);
            } else if (table_calls(i, "amp__check_end")) {
                LLVMInstructionEraseFromParent(i);
                jump(c, next, end);
                next = NULL;
            } else if (LLVMIsAReturnInst(i)) {
                jump(c, i, end);
            }
        }
}

/* LLVM stores a value in the frame where it is computed. A copy after the loop keeps that out of the loop. */
static void keep_results_of_loops(struct checking *c, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef i = LLVMGetFirstInstruction(b), after = i;
        while (LLVMIsAPHINode(after))
            after = LLVMGetNextInstruction(after);
        LLVMPositionBuilderBefore(c->builder, after);
        for (LLVMValueRef next; LLVMIsAPHINode(i); i = next) {
            next = LLVMGetNextInstruction(i);
            if (LLVMCountIncoming(i) > 1)
                continue;
            LLVMReplaceAllUsesWith(i, LLVMBuildFreeze(c->builder, LLVMGetIncomingValue(i, 0), ""));
            LLVMInstructionEraseFromParent(i);
        }
    }
}

static bool waits(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (table_calls(i, "amp__check_suspend"))
                return true;
    return false;
}

void suspend_at_barriers(struct checking *c)
{
    LLVMValueRef *functions = arena_alloc((size_t)c->unit->n_kernels * sizeof *functions);
    int n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(c->module); f; f = LLVMGetNextFunction(f))
        if (waits(f))
            make_coroutine(c, functions[n++] = f);
    if (n == 0 || c->unit->options->opt_level == 0)
        return;
    ir_run_passes(c->module, c->image->machine, "coro-early,function(sroa,early-cse,simplifycfg,lcssa)");
    for (int i = 0; i < n; i++)
        keep_results_of_loops(c, functions[i]);
    ir_run_passes(c->module, c->image->machine, "cgscc(coro-split)");
    for (int i = 0; i < n; i++)
        call_directly(c, functions[i]);
}
