/* SPDX-License-Identifier: MIT
 *
 * Runs LLVM's own pipeline over the code for each target. Slots become registers here.
 *
 * Afterwards some masks are constants: in a tree reduction's last steps, when its loops are unrolled, only the first 8,
 * 4 or 2 lanes are on. Their loads and stores become short ones without a mask. That saves no arithmetic, but a
 * processor cannot forward a masked store, or two stores, to the load of the next step. Where a store has all that a
 * load needs, the load takes it from registers (forward.c).
 *
 * Then half and bfloat are replaced where the target cannot compute with them (small_floats.c).
 *
 * Loads of several vectors at once are fixed to their order, because LLVM's code generators disturb it.
 *
 * Last, the code is changed so that three of their faults do not show. */
#include "kernel/calls.h"
#include "kernel/ir.h"
#include "object/forward.h"
#include "object/small_floats.h"

#include <llvm/Config/llvm-config.h>
#include <string.h>

/* Returns how many lanes are on if these are the first ones and all others are off; -1 for other masks. */
static int first_lanes(LLVMValueRef mask)
{
    if (!LLVMIsConstant(mask))
        return -1;
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(mask)), on = 0;
    for (unsigned lane = 0; lane < lanes; lane++) {
        LLVMValueRef bit = LLVMGetAggregateElement(mask, lane);
        if (!bit || !LLVMIsAConstantInt(bit) || (LLVMConstIntGetZExtValue(bit) && on != lane))
            return -1;
        on += LLVMConstIntGetZExtValue(bit) != 0;
    }
    return (int)on;
}

/* Returns `vector` cut or extended to `to` lanes. */
static LLVMValueRef resize(LLVMBuilderRef builder, LLVMValueRef vector, unsigned to)
{
    unsigned from = LLVMGetVectorSize(LLVMTypeOf(vector));
    return ir_lanes(builder, vector, 0, from < to ? from : to, to);
}

/* Returns how many lanes of its operand a shuffle takes if these are the first ones and not all; otherwise 0. */
static unsigned takes_first_lanes(LLVMValueRef shuffle)
{
    unsigned n = LLVMGetNumMaskElements(shuffle);
    for (unsigned i = 0; i < n; i++)
        if (LLVMGetMaskValue(shuffle, i) != (int)i)
            return 0;
    return n < LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(shuffle, 0))) ? n : 0;
}

static bool has_one_use(LLVMValueRef value)
{
    LLVMUseRef use = LLVMGetFirstUse(value);
    return use && !LLVMGetNextUse(use);
}

/* Returns how many lanes a shuffle takes from its first operand if these are the first ones, which are computed for it,
 * and it leaves all others where they are in its second operand; otherwise 0. */
static unsigned changes_first_lanes(LLVMValueRef shuffle)
{
    LLVMValueRef first = LLVMGetOperand(shuffle, 0);
    unsigned n = LLVMGetNumMaskElements(shuffle), taken = 0;
    if (!LLVMIsABinaryOperator(first) || !has_one_use(first) || n != LLVMGetVectorSize(LLVMTypeOf(first)))
        return 0;
    while (taken < n && LLVMGetMaskValue(shuffle, taken) == (int)taken)
        taken++;
    for (unsigned i = taken; i < n; i++)
        if (LLVMGetMaskValue(shuffle, i) != (int)(n + i))
            return 0;
    return taken < n && (taken & (taken - 1)) == 0 ? taken : 0;
}

/* Returns the first `lanes` of a vector, for use before `user`. If the vector has no other use, only these lanes are
 * loaded and computed. */
static LLVMValueRef first_part(LLVMBuilderRef builder, LLVMValueRef vector, unsigned lanes, LLVMValueRef user)
{
    bool simple = LLVMIsAInstruction(vector) && has_one_use(vector);
    if (simple && LLVMIsALoadInst(vector) && !LLVMGetVolatile(vector)) {
        LLVMPositionBuilderBefore(builder, vector);
        LLVMTypeRef part = LLVMVectorType(LLVMGetElementType(LLVMTypeOf(vector)), lanes);
        LLVMValueRef load = LLVMBuildLoad2(builder, part, LLVMGetOperand(vector, 0), "");
        LLVMSetAlignment(load, LLVMGetAlignment(vector));
        return load;
    }
    if (simple && LLVMIsABinaryOperator(vector)) {
        LLVMValueRef left = first_part(builder, LLVMGetOperand(vector, 0), lanes, user),
                     right = first_part(builder, LLVMGetOperand(vector, 1), lanes, user);
        LLVMPositionBuilderBefore(builder, user);
        LLVMValueRef result = LLVMBuildBinOp(builder, LLVMGetInstructionOpcode(vector), left, right, "");
        ir_copy_fast_math(vector, result);
        return result;
    }
    LLVMPositionBuilderBefore(builder, user);
    return resize(builder, vector, lanes);
}

/* Before LLVM 22 the alignment was an argument after the pointer; since then it is an attribute of the pointer. */
static unsigned alignment_of(LLVMValueRef call, unsigned pointer_at)
{
#if LLVM_VERSION_MAJOR < 22
    return (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(call, pointer_at + 1));
#else
    LLVMAttributeRef align =
        LLVMGetCallSiteEnumAttribute(call, pointer_at + 1, LLVMGetEnumAttributeKindForName("align", 5));
    return align ? (unsigned)LLVMGetEnumAttributeValue(align) : 1;
#endif
}

/* Returns to how many lanes a masked access can be shortened, or 0. */
static unsigned short_lanes(LLVMValueRef call)
{
    bool load = calls_kind(call) == CALL_MASKED_LOAD;
    if (!load && calls_kind(call) != CALL_MASKED_STORE)
        return 0;
    unsigned n_args = LLVMGetNumArgOperands(call);
    LLVMValueRef mask = LLVMGetOperand(call, n_args - 1 - load);
    int lanes = first_lanes(mask);
    if (lanes <= 0 || lanes & (lanes - 1) || LLVMGetVectorSize(LLVMTypeOf(mask)) > 64 ||
        (load && !LLVMIsUndef(LLVMGetOperand(call, n_args - 1))))
        return 0;
    return (unsigned)lanes;
}

static bool shorten_access(LLVMBuilderRef builder, LLVMValueRef call)
{
    unsigned lanes = short_lanes(call);
    if (lanes == 0)
        return false;
    bool load = calls_kind(call) == CALL_MASKED_LOAD;
    unsigned pointer_at = !load;
    LLVMTypeRef all = load ? LLVMTypeOf(call) : LLVMTypeOf(LLVMGetOperand(call, 0));
    LLVMPositionBuilderBefore(builder, call);
    LLVMTypeRef part = LLVMVectorType(LLVMGetElementType(all), lanes);
    LLVMValueRef pointer = LLVMGetOperand(call, pointer_at), access;
    if (load) {
        access = LLVMBuildLoad2(builder, part, pointer, "");
        LLVMReplaceAllUsesWith(call, resize(builder, access, LLVMGetVectorSize(all)));
    } else {
        LLVMValueRef value = first_part(builder, LLVMGetOperand(call, 0), lanes, call);
        LLVMPositionBuilderBefore(builder, call);
        access = LLVMBuildStore(builder, value, pointer);
    }
    LLVMSetAlignment(access, alignment_of(call, pointer_at));
    LLVMInstructionEraseFromParent(call);
    return true;
}

static bool has_short_accesses(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if ((LLVMIsACallInst(i) && short_lanes(i) > 0) ||
                    (LLVMIsAShuffleVectorInst(i) && changes_first_lanes(i) > 0))
                    return true;
    return false;
}

static bool shorten_accesses(struct unit *unit, LLVMModuleRef module)
{
    bool changed = false;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (LLVMIsACallInst(i))
                    changed |= shorten_access(builder, i);
                else if (LLVMIsAShuffleVectorInst(i) && takes_first_lanes(i)) {
                    LLVMReplaceAllUsesWith(i, first_part(builder, LLVMGetOperand(i, 0), takes_first_lanes(i), i));
                    LLVMInstructionEraseFromParent(i);
                    changed = true;
                } else if (LLVMIsAShuffleVectorInst(i) && changes_first_lanes(i)) {
                    LLVMValueRef all = LLVMGetOperand(i, 0);
                    LLVMValueRef part = first_part(builder, all, changes_first_lanes(i), i);
                    LLVMPositionBuilderBefore(builder, i);
                    LLVMSetOperand(i, 0, resize(builder, part, LLVMGetVectorSize(LLVMTypeOf(all))));
                    changed = true;
                }
            }
    LLVMDisposeBuilder(builder);
    return changed;
}

/* ---- the order of loads ---- */

/* A load of several registers' size becomes several loads, which LLVM lets follow one another as the arithmetic on them
 * does. In a tree of sums, that is first the upper half of a tile, and the pieces of each half in any order. Processors
 * that fetch ahead do not follow that: a Zen 4 takes twice as long on one core. Volatile loads stay in order. */

/* Returns how many registers a load fills; 0 if it is no load of a vector. */
static unsigned registers_of(LLVMTargetDataRef layout, int vector_bits, LLVMValueRef load)
{
    LLVMTypeRef type = LLVMTypeOf(load);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMSizeOfTypeInBits(layout, LLVMGetElementType(type)) < 8)
        return 0;
    return (unsigned)((LLVMSizeOfTypeInBits(layout, type) + (unsigned)vector_bits - 1) / (unsigned)vector_bits);
}

static bool is_of_stack(LLVMValueRef load)
{
    LLVMValueRef address = LLVMGetOperand(load, 0);
    while (LLVMIsAGetElementPtrInst(address))
        address = LLVMGetOperand(address, 0);
    return LLVMIsAAllocaInst(address);
}

/* Makes a load of several registers' size several loads, which stay in order. */
static void split_load(struct unit *unit, LLVMBuilderRef builder, LLVMValueRef load, unsigned n)
{
    LLVMTypeRef type = LLVMTypeOf(load), element = LLVMGetElementType(type);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(unit->context), i32 = LLVMInt32TypeInContext(unit->context);
    unsigned lanes = LLVMGetVectorSize(type), each = lanes / n, align = LLVMGetAlignment(load);
    unsigned bytes = (unsigned)LLVMStoreSizeOfType(ir_layout_of(load), type) / n;
    LLVMValueRef *parts = arena_alloc(n * sizeof *parts), *all = arena_alloc(lanes * sizeof *all);
    for (unsigned i = 0; i < lanes; i++)
        all[i] = LLVMConstInt(i32, i, false);
    LLVMPositionBuilderBefore(builder, load);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef distance = LLVMConstInt(i32, i * bytes, false);
        LLVMValueRef place = LLVMBuildGEP2(builder, i8, LLVMGetOperand(load, 0), &distance, 1, "");
        parts[i] = LLVMBuildLoad2(builder, LLVMVectorType(element, each), place, "");
        LLVMSetVolatile(parts[i], true);
        LLVMSetAlignment(parts[i], i == 0 || align <= bytes ? align : bytes);
    }
    for (; n > 1; n /= 2, each *= 2)
        for (unsigned i = 0; i < n / 2; i++)
            parts[i] =
                LLVMBuildShuffleVector(builder, parts[2 * i], parts[2 * i + 1], LLVMConstVector(all, 2 * each), "");
    LLVMReplaceAllUsesWith(load, parts[0]);
    LLVMInstructionEraseFromParent(load);
}

static void fix_order_of_loads(struct unit *unit, const struct image *image)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(image->module);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(image->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                unsigned n = LLVMIsALoadInst(i) ? registers_of(layout, image->facts.vector_bits, i) : 0;
                if (n < 2 || is_of_stack(i))
                    continue;
                unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(i));
                if ((lanes & (lanes - 1)) == 0)
                    split_load(unit, builder, i, n);
                else
                    LLVMSetVolatile(i, true); /* its parts may change places */
            }
    LLVMDisposeBuilder(builder);
}

/* ---- masked loads that LLVM would fold ---- */

/* LLVM 22 folds a masked load into an instruction with the same mask, even into one that reads all of its memory
 * operand: a shuffle, into which it turns many things, or VPMADDWD, the product of narrow numbers. Then lanes that are
 * off fault. So the result of a masked load goes through an empty piece of assembly, across which nothing is folded.
 * Only AVX-512 needs this; values stay the same. */

static LLVMValueRef call_intrinsic(LLVMModuleRef module, LLVMBuilderRef builder, const char *name, LLVMTypeRef types[2],
                                   LLVMValueRef *args, unsigned n_args)
{
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID(name, strlen(name)), types, 2);
    return LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, args, n_args, "");
}

/* Makes a vector's users get it from assembly without instructions, through which LLVM does not look. The operands of
 * assembly are registers of 128, 256 or 512 bits. */
static void hide(struct unit *unit, LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef vector)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(vector));
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(module), element), lanes = 128 / bits;
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(vector)), padded = (n + lanes - 1) / lanes * lanes;
    while (lanes * bits < 512 && padded % (2 * lanes) == 0)
        lanes *= 2;
    LLVMTypeRef part = LLVMVectorType(element, lanes), whole = LLVMVectorType(element, padded);
    LLVMTypeRef function = LLVMFunctionType(part, &part, 1, false);
    LLVMValueRef nothing = LLVMGetInlineAsm(function, "", 0, "=v,0", 4, false, false, LLVMInlineAsmDialectATT, false);
    LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(vector));
    LLVMValueRef first_use = LLVMBuildFreeze(builder, vector, ""), result = LLVMGetPoison(whole);
    LLVMValueRef from = padded == n ? first_use : resize(builder, first_use, padded);
    for (unsigned at = 0; at < padded; at += lanes) {
        LLVMValueRef place = LLVMConstInt(LLVMInt64TypeInContext(unit->context), at, false);
        LLVMValueRef hidden = call_intrinsic(module, builder, "llvm.vector.extract", (LLVMTypeRef[]){part, whole},
                                             (LLVMValueRef[]){from, place}, 2);
        hidden = LLVMBuildCall2(builder, function, nothing, &hidden, 1, "");
        result = call_intrinsic(module, builder, "llvm.vector.insert", (LLVMTypeRef[]){whole, part},
                                (LLVMValueRef[]){result, hidden, place}, 3);
    }
    LLVMReplaceAllUsesWith(vector, padded == n ? result : resize(builder, result, n));
    LLVMSetOperand(first_use, 0, vector);
}

static void hide_masked_loads(struct unit *unit, LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (calls_kind(i) == CALL_MASKED_LOAD && LLVMGetFirstUse(i))
                    hide(unit, module, builder, i);
    LLVMDisposeBuilder(builder);
}

/* ---- extended numbers of which LLVM needs few lanes ---- */

/* Where only the first lanes of an i64 extended from an i32 are needed, LLVM 19 and 22 extend only these, in a node
 * whose operand is as long as its result. For 256 bits no instruction does that. The combine that should replace the
 * node leaves it alone if the upper halves are not needed and the operand, looked at through bitcasts, is
 * floating-point: the bits of a float, or what assembly returns. Then LLVM aborts. So such an extension is hidden,
 * which makes LLVM treat all of it as needed. For 128 bits there is an instruction, so this only concerns AVX-512. */

/* A search that takes more steps assumes the worst. */
enum { MOST_STEPS = 256 };

static bool is_vector_of_floats(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
           LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMIntegerTypeKind;
}

/* Whether `value` is made from floats, or from hidden values, by instructions that only move lanes. */
static bool moves_floats(LLVMValueRef value, int *steps)
{
    if (!LLVMIsAInstruction(value))
        return false;
    if (++*steps > MOST_STEPS)
        return true;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMBitCast:
        if (is_vector_of_floats(LLVMTypeOf(LLVMGetOperand(value, 0))))
            return true;
        break;
    case LLVMCall: /* the assembly that hides it, or an intrinsic that takes it apart or puts it together */
        if (LLVMIsAInlineAsm(LLVMGetCalledValue(value)))
            return true;
        break;
    case LLVMFreeze:
    case LLVMSelect:
    case LLVMShuffleVector:
    case LLVMInsertElement:
        break;
    default:
        return false;
    }
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        if (moves_floats(LLVMGetOperand(value, (unsigned)i), steps))
            return true;
    return false;
}

/* Whether a constant operand differs between lanes, like a select's mask, which says which lanes are needed. */
static bool has_uneven_constant(LLVMValueRef user)
{
    for (int i = 0; i < LLVMGetNumOperands(user); i++) {
        LLVMValueRef operand = LLVMGetOperand(user, (unsigned)i);
        if (!LLVMIsConstant(operand) || LLVMGetTypeKind(LLVMTypeOf(operand)) != LLVMVectorTypeKind)
            continue;
        LLVMValueRef first = LLVMGetAggregateElement(operand, 0);
        for (unsigned lane = 1; lane < LLVMGetVectorSize(LLVMTypeOf(operand)); lane++)
            if (LLVMGetAggregateElement(operand, lane) != first)
                return true;
    }
    return false;
}

/* Whether some lanes of `value` may turn out not to be needed. */
static bool may_lose_lanes(LLVMValueRef value, int *steps)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (++*steps > MOST_STEPS || LLVMIsAShuffleVectorInst(user) || LLVMIsAExtractElementInst(user) ||
            has_uneven_constant(user))
            return true;
        if (!LLVMIsAPHINode(user) && may_lose_lanes(user, steps))
            return true;
    }
    return false;
}

static bool is_faulty_extension(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if ((!LLVMIsAZExtInst(value) && !LLVMIsASExtInst(value)) || LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return false;
    LLVMValueRef from = LLVMGetOperand(value, 0);
    int steps_to = 0, steps_from = 0;
    return LLVMGetIntTypeWidth(LLVMGetElementType(type)) == 64 &&
           LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(from))) == 32 && LLVMGetVectorSize(type) > 4 &&
           moves_floats(from, &steps_to) && may_lose_lanes(value, &steps_from);
}

static void hide_extensions(struct unit *unit, LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (is_faulty_extension(i))
                    hide(unit, module, builder, i);
    LLVMDisposeBuilder(builder);
}

/* ---- powers of two that LLVM assumes are not 0 ---- */

/* LLVM multiplies and divides constants by (float)(1 << n) in the exponent, and overlooks that 1 << n may be 0 once it
 * has been cut to fewer bits. It does not look through what hides a value, which makes no machine instruction. */
static bool is_cut_power(LLVMValueRef value, bool is_cut, int depth)
{
    enum { DEEPEST = 6 };
    if (!LLVMIsAInstruction(value) || depth == DEEPEST)
        return false;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMShl:
        return is_cut && LLVMIsConstant(LLVMGetOperand(value, 0));
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSelect:
    case LLVMCall: /* minimum and maximum */
        for (int i = 0; i < LLVMGetNumOperands(value); i++)
            if (is_cut_power(LLVMGetOperand(value, (unsigned)i), is_cut || LLVMIsATruncInst(value), depth + 1))
                return true;
        return false;
    default:
        return false;
    }
}

static void hide_cut_powers(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
                if ((opcode == LLVMUIToFP || opcode == LLVMSIToFP) && is_cut_power(LLVMGetOperand(i, 0), false, 0))
                    ir_hide(i);
            }
}

/* ---- the stack ---- */

/* The code that probes a frame of several pages takes r11 for itself, and LLVM 19 to 22 overlook that r11 has something
 * in it where a function begins with other code. So a function with large arrays uses one at once, and its frame is
 * made first. Where only spills are large, `-enable-shrink-wrap` (ir.c) does the same for code that we generate. */
static void begin_with_frame(LLVMValueRef array)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(array));
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMValueRef at = LLVMGetNextInstruction(array);
    while (LLVMIsAAllocaInst(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(builder, at);
    LLVMSetVolatile(LLVMBuildStore(builder, LLVMConstNull(LLVMInt8TypeInContext(context)), array), true);
    LLVMDisposeBuilder(builder);
}

/* Notes how much stack the arrays take that are left of those that `lanes` made. */
static void note_stack(struct image *image, int kernel)
{
    enum { PAGE = 4096, STACK = 3 /* its number in a processor's geometry */ };
    struct code *code = &image->codes[kernel];
    LLVMValueRef run = LLVMGetNamedFunction(image->module, code->symbol);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(image->module);
    unsigned long long bytes = 0;
    LLVMValueRef array = NULL;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(run); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsAAllocaInst(i)) {
                bytes += LLVMABISizeOfType(layout, LLVMGetAllocatedType(i));
                array = i;
            }
    if (bytes > PAGE)
        begin_with_frame(array);
    code->geometry[STACK] = (int)bytes;
}

/* Only now, loops are unrolled. What that makes redundant counts in a GPU's registers; on processors it only pays where
 * accesses become short. */
static void optimise_unrolled(struct unit *unit, struct image *image)
{
    if (image->target->has_grid) {
        ir_run_passes(image->module, image->machine, "function(gvn<no-pre;no-load-pre>)");
    } else if (has_short_accesses(image->module)) {
        ir_run_passes(image->module, image->machine, "function(gvn<no-pre;no-load-pre>,dse)");
        if (shorten_accesses(unit, image->module)) {
            forward_parts(image->module);
            ir_run_passes(image->module, image->machine,
                          "function(instcombine<no-verify-fixpoint>,vector-combine,early-cse,dse)");
        }
    }
}

/* What is left of LLVM's -O2 without the passes that change nothing in code for lanes: those between functions, and
 * those that repeat what `prepare` has done. This takes a fifth less time and leaves the same code. */
static const char for_lanes[] =
    "function<eager-inv>(simplifycfg,sroa,early-cse,sccp),globalopt,function<eager-inv>("
    "instcombine<no-verify-fixpoint>,simplifycfg,early-cse<memssa>,jump-threading,correlated-propagation,"
    "instcombine<no-verify-fixpoint>,reassociate,"
    "loop-mssa(loop-instsimplify,licm<no-allowspeculation>,loop-rotate,licm),simplifycfg,"
    "instcombine<no-verify-fixpoint>,loop(indvars,loop-deletion,loop-unroll-full),sroa,vector-combine,gvn,sccp,bdce,"
    "instcombine<no-verify-fixpoint>,jump-threading,correlated-propagation,dse,loop-mssa(licm),"
    "simplifycfg<hoist-common-insts;sink-common-insts>,infer-alignment,instcombine<no-verify-fixpoint>,"
    "simplifycfg<no-keep-loops;hoist-common-insts;sink-common-insts>,vector-combine,loop-unroll<O2>,"
    "sroa<preserve-cfg>,infer-alignment,instcombine<no-verify-fixpoint>,loop-mssa(licm),instsimplify,div-rem-pairs,"
    "tailcallelim,simplifycfg),globaldce";

bool optimise(struct unit *unit)
{
    for (int i = 0; i < unit->n_images; i++) {
        struct image *image = &unit->images[i];
        bool is_scalar = image->target->has_grid || image->target->has_checks;
        const char *pipeline = is_scalar ? "default<O2>" : for_lanes;
        ir_run_passes(image->module, image->machine, unit->options->opt_level > 0 ? pipeline : "default<O0>");
        if (unit->options->opt_level > 0)
            optimise_unrolled(unit, image);
        small_floats_lower(unit, image);
        if (!is_scalar)
            fix_order_of_loads(unit, image);
        hide_cut_powers(image->module);
        if (image->facts.has_masks && LLVM_VERSION_MAJOR >= 22)
            hide_masked_loads(unit, image->module);
        if (image->facts.has_masks)
            hide_extensions(unit, image->module);
        for (int k = 0; k < unit->n_kernels && !image->target->has_grid; k++)
            note_stack(image, k);
    }
    return true;
}
