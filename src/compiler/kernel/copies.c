/* SPDX-License-Identifier: MIT
 *
 * Handles memcpy, memmove and memset, by whatever name, whether they come from the source, from clang, which copies
 * structs with them, or from an optimisation. A short one becomes loads and stores of words. Others become a loop over
 * words,
 *
 *     memmove(to, from, 4 * n)    becomes    backwards = (size_t)to - (size_t)from < 4 * n;
 *                                            for (i = 0; i < n; i++) {
 *                                                at = backwards ? n - 1 - i : i;
 *                                                ((uint32_t *)to)[at] = ((uint32_t *)from)[at];
 *                                            }
 *
 * with one iteration per word: lanes treat it like any other loop. The loop is a function to be inlined, because LLVM's
 * C API cannot split a basic block. Words are as large as alignment and size are known to allow. Large structs stay
 * calls, lane by lane: there the library is faster than any loop.
 *
 * The direction depends on the distance of two addresses and not on their order: lanes that copy within their own
 * arrays have the same distance, so the direction is the same for all of them, and the addresses stay linear. */
#include "kernel/copies.h"

#include "kernel/calls.h"
#include "kernel/ir.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

static bool is_volatile(LLVMValueRef call)
{
    return LLVMGetIntrinsicID(LLVMGetCalledValue(call)) && LLVMConstIntGetZExtValue(LLVMGetOperand(call, 3));
}

/* Returns how many bytes an element of the private array has that an address is in; 0 if it is in none. */
static unsigned long long bytes_of_element(LLVMValueRef address)
{
    while (LLVMIsAGetElementPtrInst(address))
        address = LLVMGetOperand(address, 0);
    LLVMTypeRef type = LLVMIsAAllocaInst(address) ? LLVMGetAllocatedType(address) : NULL;
    if (!type || LLVMGetTypeKind(type) != LLVMArrayTypeKind)
        return 0;
    while (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMStructTypeKind ? 0 : LLVMABISizeOfType(ir_layout_of(address), type);
}

/* Returns the bytes of the largest words at which both addresses are aligned. Those of private arrays are their
 * elements, since lanes can only have such side by side if nothing else is accessed (interleave.c). */
static unsigned aligned_word(LLVMValueRef call, enum call_kind kind)
{
    unsigned word = 8, align = LLVMGetEnumAttributeKindForName("align", 5);
    for (unsigned a = 0; a < (kind == CALL_SET ? 1 : 2); a++) {
        unsigned long long element = bytes_of_element(LLVMGetOperand(call, a));
        while (element && word > element)
            word /= 2;
        LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, a + 1, align);
        unsigned long long known = attribute ? LLVMGetEnumAttributeValue(attribute) : 1;
        while (word > known)
            word /= 2;
    }
    return word;
}

/* Deletes the call. The library's functions return the first argument. */
static void finish(LLVMValueRef call)
{
    if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind)
        LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
    LLVMInstructionEraseFromParent(call);
}

/* ---- constant sizes ---- */

enum {
    MOST_WORDS = 16, /* of a short copy */
    LONG = 256       /* a call with at least this many bytes, a constant, stays a call */
};

static void lower_short(struct unit *unit, LLVMBuilderRef builder, LLVMValueRef call)
{
    enum call_kind kind = calls_kind(call);
    if (!calls_is_copy(kind) || !LLVMIsAConstantInt(LLVMGetOperand(call, 2)) ||
        (kind == CALL_SET && !LLVMIsAConstantInt(LLVMGetOperand(call, 1))))
        return;
    unsigned long long size = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2));
    unsigned word = aligned_word(call, kind);
    if (size > (unsigned long long)MOST_WORDS * word)
        return;
    LLVMPositionBuilderBefore(builder, call);
    LLVMTypeRef byte = LLVMInt8TypeInContext(unit->context);
    LLVMValueRef target = LLVMGetOperand(call, 0), source = LLVMGetOperand(call, 1), words[MOST_WORDS + 3],
                 places[MOST_WORDS + 3];
    int n = 0;
    for (unsigned long long at = 0; at < size; n++) {
        unsigned bytes = word;
        while (bytes > size - at)
            bytes /= 2;
        LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(unit->context), at, false);
        LLVMTypeRef type = LLVMIntTypeInContext(unit->context, 8 * bytes);
        places[n] = LLVMBuildInBoundsGEP2(builder, byte, target, &offset, 1, "");
        if (kind != CALL_SET) {
            words[n] = LLVMBuildLoad2(builder, type, LLVMBuildInBoundsGEP2(builder, byte, source, &offset, 1, ""), "");
            LLVMSetAlignment(words[n], bytes);
            LLVMSetVolatile(words[n], is_volatile(call));
        } else {
            unsigned long long value = LLVMConstIntGetZExtValue(source) & 0xff;
            words[n] = LLVMConstInt(type, value * 0x0101010101010101ULL, false);
        }
        at += bytes;
    }
    for (int i = 0; i < n; i++) {
        LLVMValueRef store = LLVMBuildStore(builder, words[i], places[i]);
        LLVMSetAlignment(store, LLVMGetIntTypeWidth(LLVMTypeOf(words[i])) / 8);
        LLVMSetVolatile(store, is_volatile(call));
    }
    finish(call);
}

/* ---- any size ---- */

/* Returns a power of two, 8 at most, that certainly divides an integer. */
static unsigned divisor_of(LLVMValueRef value, int depth)
{
    enum { DEEPEST = 6, MOST = 8 };
    unsigned long long divisor = 1;
    if (LLVMIsAConstantInt(value)) {
        while (divisor < MOST && LLVMConstIntGetZExtValue(value) % (2 * divisor) == 0)
            divisor *= 2;
        return (unsigned)divisor;
    }
    if (!LLVMIsAInstruction(value) || depth == DEEPEST)
        return 1;
    unsigned left = divisor_of(LLVMGetOperand(value, 0), depth + 1);
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMShl:
        if (LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
            divisor = (unsigned long long)left << (LLVMConstIntGetZExtValue(LLVMGetOperand(value, 1)) & 3);
        break;
    case LLVMMul:
        divisor = (unsigned long long)left * divisor_of(LLVMGetOperand(value, 1), depth + 1);
        break;
    case LLVMAdd:
    case LLVMSub: {
        unsigned right = divisor_of(LLVMGetOperand(value, 1), depth + 1);
        divisor = left < right ? left : right;
        break;
    }
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFreeze:
        divisor = left;
        break;
    default:
        break;
    }
    return divisor < MOST ? (unsigned)divisor : MOST;
}

/* The function amp__copy_W(to, from, n) or the like, which runs over `n` words of W bytes. */
struct copier {
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTypeRef word, count; /* types */
    unsigned bytes;          /* of a word */
    LLVMValueRef to, from, n;
};

/* Returns the number of the `i`-th word in the order that moving needs. */
static LLVMValueRef ordered(const struct copier *c, LLVMValueRef i)
{
    LLVMValueRef distance = LLVMBuildSub(c->builder, LLVMBuildPtrToInt(c->builder, c->to, c->count, ""),
                                         LLVMBuildPtrToInt(c->builder, c->from, c->count, ""), "");
    LLVMValueRef size = LLVMBuildMul(c->builder, c->n, LLVMConstInt(c->count, c->bytes, false), "");
    LLVMValueRef backwards = LLVMBuildICmp(c->builder, LLVMIntULT, distance, size, "");
    LLVMValueRef last = LLVMBuildNSWSub(c->builder, c->n, LLVMConstInt(c->count, 1, false), "");
    return LLVMBuildSelect(c->builder, backwards, LLVMBuildNSWSub(c->builder, last, i, ""), i, "");
}

static void emit_word(const struct copier *c, enum call_kind kind, LLVMValueRef i)
{
    LLVMValueRef at = kind == CALL_MOVE ? ordered(c, i) : i, value;
    if (kind == CALL_SET) {
        LLVMValueRef all = LLVMConstInt(c->word, 0x0101010101010101ULL, false);
        value = LLVMBuildMul(c->builder, LLVMBuildZExt(c->builder, c->from, c->word, ""), all, "");
    } else {
        value =
            LLVMBuildLoad2(c->builder, c->word, LLVMBuildInBoundsGEP2(c->builder, c->word, c->from, &at, 1, ""), "");
        LLVMSetAlignment(value, c->bytes);
    }
    LLVMValueRef store =
        LLVMBuildStore(c->builder, value, LLVMBuildInBoundsGEP2(c->builder, c->word, c->to, &at, 1, ""));
    LLVMSetAlignment(store, c->bytes);
}

static void emit_copier(const struct copier *c, enum call_kind kind, LLVMValueRef function)
{
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(c->context, function, "entry");
    LLVMBasicBlockRef header = LLVMAppendBasicBlockInContext(c->context, function, "copy");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(c->context, function, "word");
    LLVMBasicBlockRef exit = LLVMAppendBasicBlockInContext(c->context, function, "done");
    LLVMSetCurrentDebugLocation2(c->builder, NULL); /* inlining gives it the call's location */
    LLVMPositionBuilderAtEnd(c->builder, entry);
    LLVMBuildBr(c->builder, header);
    LLVMPositionBuilderAtEnd(c->builder, header);
    LLVMValueRef i = LLVMBuildPhi(c->builder, c->count, ""), zero = LLVMConstInt(c->count, 0, false);
    LLVMBuildCondBr(c->builder, LLVMBuildICmp(c->builder, LLVMIntULT, i, c->n, ""), body, exit);
    LLVMPositionBuilderAtEnd(c->builder, body);
    emit_word(c, kind, i);
    LLVMValueRef next = LLVMBuildNSWAdd(c->builder, i, LLVMConstInt(c->count, 1, false), "");
    LLVMBuildBr(c->builder, header);
    LLVMAddIncoming(i, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){entry, body}, 2);
    LLVMPositionBuilderAtEnd(c->builder, exit);
    LLVMBuildRetVoid(c->builder);
}

static LLVMValueRef copier_for(struct unit *unit, LLVMModuleRef module, LLVMValueRef call, unsigned bytes)
{
    static const char *const names[] = {[CALL_COPY] = "copy", [CALL_MOVE] = "move", [CALL_SET] = "set"};
    enum call_kind kind = calls_kind(call);
    const char *name = arena_printf("amp__%s_%u", names[kind], bytes);
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    if (function)
        return function;
    struct copier c = {.context = unit->context,
                       .builder = LLVMCreateBuilderInContext(unit->context),
                       .word = LLVMIntTypeInContext(unit->context, 8 * bytes),
                       .count = LLVMTypeOf(LLVMGetOperand(call, 2)),
                       .bytes = bytes};
    LLVMTypeRef value = kind == CALL_SET ? LLVMInt8TypeInContext(unit->context) : LLVMTypeOf(LLVMGetOperand(call, 1));
    LLVMTypeRef types[] = {LLVMTypeOf(LLVMGetOperand(call, 0)), value, c.count};
    function = LLVMAddFunction(module, name, LLVMFunctionType(LLVMVoidTypeInContext(unit->context), types, 3, false));
    LLVMSetLinkage(function, LLVMInternalLinkage);
    ir_add_attribute(function, IR_FUNCTION, "alwaysinline");
    c.to = LLVMGetParam(function, 0);
    c.from = LLVMGetParam(function, 1);
    c.n = LLVMGetParam(function, 2);
    emit_copier(&c, kind, function);
    LLVMDisposeBuilder(c.builder);
    return function;
}

static bool lower_long(struct unit *unit, LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef call)
{
    enum call_kind kind = calls_kind(call);
    if (!calls_is_copy(kind) || is_volatile(call))
        return false;
    LLVMValueRef size = LLVMGetOperand(call, 2), value = LLVMGetOperand(call, 1);
    if (LLVMGetIntrinsicID(LLVMGetCalledValue(call)) && LLVMIsAConstantInt(size) &&
        LLVMConstIntGetZExtValue(size) > LONG)
        return false;
    unsigned bytes = aligned_word(call, kind), divisor = divisor_of(size, 0);
    if (bytes > divisor)
        bytes = divisor;
    LLVMValueRef function = copier_for(unit, module, call, bytes);
    LLVMPositionBuilderBefore(builder, call);
    if (kind == CALL_SET)
        value = LLVMBuildIntCast2(builder, value, LLVMInt8TypeInContext(unit->context), false, "");
    LLVMValueRef shift = LLVMConstInt(LLVMTypeOf(size), (unsigned)__builtin_ctz(bytes), false);
    LLVMValueRef words = bytes > 1 ? LLVMBuildLShr(builder, size, shift, "") : size;
    LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function,
                   (LLVMValueRef[]){LLVMGetOperand(call, 0), value, words}, 3, "");
    finish(call);
    return true;
}

/* ---- both ---- */

void copies_lower_short(struct unit *unit, LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                lower_short(unit, builder, i);
            }
    LLVMDisposeBuilder(builder);
}

bool copies_lower_rest(struct unit *unit, LLVMModuleRef module)
{
    bool any = false;
    copies_lower_short(unit, module);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                any |= lower_long(unit, module, builder, i);
            }
    LLVMDisposeBuilder(builder);
    return any;
}
