/* SPDX-License-Identifier: MIT
 *
 * Replaces half (_Float16) and bfloat (__bf16) on targets that cannot compute with them, as part of `optimise`:
 *
 *     c = fadd half a, b        a' and b' as float; c' = fadd float a', b'; c = c' rounded
 *     store half c, p           store i16, of c's bits
 *
 * LLVM's code generators would do the same, but by calling functions lane by lane that not every C library has. Here,
 * numbers that are only moved become 16-bit integers, and everything is computed in float. For +, -, *, / and the
 * square root, rounding to float and then to half or bfloat gives the same as rounding once: 24 bits are at least twice
 * 11, or 8, and two more (Figueroa, "When is double rounding innocuous?"). A remainder and a rounding to an integer are
 * exact, so their type does not matter. A fused multiplication and addition is different: see `fused`.
 *
 * A double must not be rounded to float first. It becomes the float whose last bit says that something was cut off
 * (`to_odd`), which never lies half-way between two smaller numbers. An integer must not be rounded to float either,
 * because its bfloat would be wrong; LLVM has that fault.
 *
 * Processors with F16C convert between half and float themselves. Some convert bfloat, too, but treat subnormal numbers
 * as zero. GPUs convert half, and add, subtract, multiply and compare it.
 *
 * This runs after LLVM's pipeline, which would turn operations on float into operations on half again. */
#include "object/small_floats.h"

#include "kernel/calls.h"
#include "kernel/ir.h"

#include <string.h>

struct lowering {
    const struct image *image;
    LLVMContextRef context;
    LLVMBuilderRef builder;
};

/* ---- types and constants ---- */

static bool is_half(LLVMTypeRef type)
{
    return LLVMGetTypeKind(ir_element_type(type)) == LLVMHalfTypeKind;
}

bool small_floats_is_one(LLVMTypeRef type)
{
    return is_half(type) || LLVMGetTypeKind(ir_element_type(type)) == LLVMBFloatTypeKind;
}

/* Returns `element`, or a vector with as many of them as `type` has. */
static LLVMTypeRef as_many(LLVMTypeRef type, LLVMTypeRef element)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMVectorType(element, LLVMGetVectorSize(type)) : element;
}

static LLVMTypeRef integers(const struct lowering *s, LLVMTypeRef type, unsigned bits)
{
    return as_many(type, LLVMIntTypeInContext(s->context, bits));
}

static LLVMTypeRef floats(const struct lowering *s, LLVMTypeRef type)
{
    return as_many(type, LLVMFloatTypeInContext(s->context));
}

static LLVMTypeRef doubles(const struct lowering *s, LLVMTypeRef type)
{
    return as_many(type, LLVMDoubleTypeInContext(s->context));
}

static LLVMValueRef splat(LLVMTypeRef type, LLVMValueRef constant)
{
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return constant;
    unsigned n = LLVMGetVectorSize(type);
    LLVMValueRef *elements = arena_alloc(n * sizeof *elements);
    for (unsigned i = 0; i < n; i++)
        elements[i] = constant;
    return LLVMConstVector(elements, n);
}

/* Returns the integer `n`, of the type of `value`. */
static LLVMValueRef number(LLVMValueRef value, unsigned long long n)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return splat(type, LLVMConstInt(ir_element_type(type), n, false));
}

/* ---- steps on integers ---- */

static LLVMValueRef mask(const struct lowering *s, LLVMValueRef value, unsigned long long bits)
{
    return LLVMBuildAnd(s->builder, value, number(value, bits), "");
}

static LLVMValueRef shift_right(const struct lowering *s, LLVMValueRef value, unsigned n)
{
    return LLVMBuildLShr(s->builder, value, number(value, n), "");
}

static LLVMValueRef add(const struct lowering *s, LLVMValueRef value, unsigned long long n)
{
    return LLVMBuildAdd(s->builder, value, number(value, n), "");
}

static LLVMValueRef is_less(const struct lowering *s, LLVMValueRef value, unsigned long long n)
{
    return LLVMBuildICmp(s->builder, LLVMIntULT, value, number(value, n), "");
}

static LLVMValueRef choose(const struct lowering *s, LLVMValueRef condition, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(s->builder, condition, a, b, "");
}

/* ---- conversions ---- */

/* Returns the bits of a small number. */
static LLVMValueRef bits_of(const struct lowering *s, LLVMValueRef value)
{
    return LLVMBuildBitCast(s->builder, value, integers(s, LLVMTypeOf(value), 16), "");
}

static bool is_converted_by_target(const struct lowering *s, LLVMTypeRef type)
{
    return is_half(type) && s->image->facts.converts_half;
}

/* Exponents of half count from -15 and those of float from -127. A subnormal number has none: it becomes a fraction
 * after a leading 1, which is subtracted. */
static LLVMValueRef half_to_float(const struct lowering *s, LLVMValueRef bits, LLVMTypeRef type)
{
    LLVMTypeRef wide = integers(s, type, 32), result = floats(s, type);
    LLVMValueRef value = LLVMBuildZExt(s->builder, bits, wide, ""), size = mask(s, value, 0x7fff);
    LLVMValueRef sign = LLVMBuildShl(s->builder, mask(s, value, 0x8000), number(value, 16), "");
    LLVMValueRef moved = LLVMBuildShl(s->builder, size, number(size, 13), "");
    LLVMValueRef normal = add(s, moved, (127 - 15) << 23), infinite = add(s, moved, (255 - 31) << 23);
    LLVMValueRef fraction = LLVMBuildBitCast(s->builder, add(s, moved, (127 - 14) << 23), result, "");
    LLVMValueRef one = splat(result, LLVMConstReal(ir_element_type(result), 0x1p-14));
    LLVMValueRef subnormal = LLVMBuildBitCast(s->builder, LLVMBuildFSub(s->builder, fraction, one, ""), wide, "");
    size = choose(s, is_less(s, size, 0x7c00), choose(s, is_less(s, size, 0x400), subnormal, normal), infinite);
    return LLVMBuildBitCast(s->builder, LLVMBuildOr(s->builder, size, sign, ""), result, "");
}

/* Returns a small number as float, which is exact. */
static LLVMValueRef to_float(const struct lowering *s, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value), result = floats(s, type);
    if (is_converted_by_target(s, type))
        return LLVMBuildFPExt(s->builder, value, result, "");
    LLVMValueRef bits = bits_of(s, value);
    if (is_half(type))
        return half_to_float(s, bits, type);
    bits = LLVMBuildZExt(s->builder, bits, integers(s, type, 32), "");
    return LLVMBuildBitCast(s->builder, LLVMBuildShl(s->builder, bits, number(bits, 16), ""), result, "");
}

/* Returns the number without its last `n` bits, rounded to nearest, ties to even. A carry goes into the exponent, as it
 * should. */
static LLVMValueRef round_off(const struct lowering *s, LLVMValueRef size, unsigned n)
{
    LLVMValueRef last = mask(s, shift_right(s, size, n), 1);
    return shift_right(s, LLVMBuildAdd(s->builder, add(s, size, (1u << (n - 1)) - 1), last, ""), n);
}

/* `size` is the bits of a float without its sign. A subnormal half is rounded by adding 0.5, whose last bit is worth as
 * much as that of the half. */
static LLVMValueRef size_of_half(const struct lowering *s, LLVMValueRef size)
{
    LLVMTypeRef type = LLVMTypeOf(size), real = floats(s, type);
    LLVMValueRef half = splat(real, LLVMConstReal(ir_element_type(real), 0.5));
    LLVMValueRef sum = LLVMBuildFAdd(s->builder, LLVMBuildBitCast(s->builder, size, real, ""), half, "");
    LLVMValueRef subnormal = add(s, LLVMBuildBitCast(s->builder, sum, type, ""), -(126ull << 23));
    LLVMValueRef normal = round_off(s, add(s, size, -((127ull - 15) << 23)), 13);
    LLVMValueRef finite = choose(s, is_less(s, size, (127 - 14) << 23), subnormal, normal);
    LLVMValueRef nan = LLVMBuildOr(s->builder, mask(s, shift_right(s, size, 13), 0x3ff), number(size, 0x7e00), "");
    LLVMValueRef large = choose(s, is_less(s, size, (255u << 23) + 1), number(size, 0x7c00), nan);
    return choose(s, is_less(s, size, (127 + 16) << 23), finite, large);
}

static LLVMValueRef size_of_bfloat(const struct lowering *s, LLVMValueRef size)
{
    LLVMValueRef nan = LLVMBuildOr(s->builder, shift_right(s, size, 16), number(size, 0x40), "");
    return choose(s, is_less(s, size, (255u << 23) + 1), round_off(s, size, 16), nan);
}

/* Returns a float rounded to the small type. */
static LLVMValueRef from_float(const struct lowering *s, LLVMValueRef value, LLVMTypeRef type)
{
    if (is_converted_by_target(s, type))
        return LLVMBuildFPTrunc(s->builder, value, type, "");
    LLVMValueRef bits = LLVMBuildBitCast(s->builder, value, integers(s, type, 32), "");
    LLVMValueRef size = mask(s, bits, 0x7fffffff), sign = mask(s, shift_right(s, bits, 16), 0x8000);
    size = is_half(type) ? size_of_half(s, size) : size_of_bfloat(s, size);
    bits = LLVMBuildTrunc(s->builder, LLVMBuildOr(s->builder, size, sign, ""), integers(s, type, 16), "");
    return LLVMBuildBitCast(s->builder, bits, type, "");
}

static LLVMValueRef fabs_of(const struct lowering *s, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value), bits = integers(s, type, 64);
    return LLVMBuildBitCast(s->builder, mask(s, LLVMBuildBitCast(s->builder, value, bits, ""), ~0ull >> 1), type, "");
}

/* Returns a double as float, cut off; the last bit is set if something was cut off. */
static LLVMValueRef to_odd(const struct lowering *s, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value), result = floats(s, type), wide = integers(s, type, 32);
    LLVMValueRef nearest = LLVMBuildFPTrunc(s->builder, value, result, "");
    LLVMValueRef again = LLVMBuildFPExt(s->builder, nearest, type, "");
    LLVMValueRef is_inexact = LLVMBuildFCmp(s->builder, LLVMRealONE, again, value, "");
    LLVMValueRef is_more = LLVMBuildFCmp(s->builder, LLVMRealOGT, fabs_of(s, again), fabs_of(s, value), "");
    LLVMValueRef bits = LLVMBuildBitCast(s->builder, nearest, wide, "");
    bits = LLVMBuildSub(s->builder, bits, LLVMBuildZExt(s->builder, is_more, wide, ""), "");
    bits = LLVMBuildOr(s->builder, bits, LLVMBuildZExt(s->builder, is_inexact, wide, ""), "");
    return LLVMBuildBitCast(s->builder, bits, result, "");
}

/* Prepares an integer for the conversion to double, which has 53 bits: the last 11 bits of a longer one become one bit
 * that says whether any was set. */
static LLVMValueRef keep_exact(const struct lowering *s, LLVMValueRef value, bool is_signed)
{
    if (LLVMGetIntTypeWidth(ir_element_type(LLVMTypeOf(value))) <= 53)
        return value;
    LLVMValueRef is_cut = LLVMBuildICmp(s->builder, LLVMIntNE, mask(s, value, 0x7ff), number(value, 0), "");
    LLVMValueRef last =
        LLVMBuildShl(s->builder, LLVMBuildZExt(s->builder, is_cut, LLVMTypeOf(value), ""), number(value, 11), "");
    LLVMValueRef cut = LLVMBuildOr(s->builder, mask(s, value, ~0x7ffull), last, "");
    LLVMValueRef is_short =
        is_signed ? is_less(s, add(s, value, 1ull << 53), 1ull << 54) : is_less(s, value, 1ull << 53);
    return choose(s, is_short, value, cut);
}

static LLVMValueRef from_integer(const struct lowering *s, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMValueRef value = LLVMGetOperand(i, 0);
    /* Integers that float would round are larger than the largest half. */
    if (is_half(type) || LLVMGetIntTypeWidth(ir_element_type(LLVMTypeOf(value))) <= 24)
        return from_float(s, LLVMBuildCast(s->builder, opcode, value, floats(s, type), ""), type);
    value = keep_exact(s, value, opcode == LLVMSIToFP);
    return from_float(s, to_odd(s, LLVMBuildCast(s->builder, opcode, value, doubles(s, type), "")), type);
}

static LLVMValueRef convert(const struct lowering *s, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMValueRef value = LLVMGetOperand(i, 0);
    LLVMTypeRef type = LLVMTypeOf(i), from = LLVMTypeOf(value);
    switch (opcode) {
    case LLVMFPTrunc:
        return from_float(s, LLVMTypeOf(value) == doubles(s, from) ? to_odd(s, value) : value, type);
    case LLVMSIToFP:
    case LLVMUIToFP:
        return from_integer(s, i);
    case LLVMFPExt:
        value = to_float(s, value);
        return type == floats(s, type) ? value : LLVMBuildFPExt(s->builder, value, type, "");
    default: /* to an integer */
        return LLVMBuildCast(s->builder, opcode, to_float(s, value), type, "");
    }
}

/* ---- moves ---- */

static bool is_boundary(const struct lowering *s, LLVMValueRef cast)
{
    LLVMTypeRef to = LLVMTypeOf(cast), from = LLVMTypeOf(LLVMGetOperand(cast, 0));
    return to == integers(s, from, 16) || from == integers(s, to, 16);
}

static void copy_metadata(LLVMValueRef from, LLVMValueRef to)
{
    size_t n;
    LLVMValueMetadataEntry *entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(from, &n);
    for (unsigned e = 0; e < n; e++)
        LLVMSetMetadata(
            to, LLVMValueMetadataEntriesGetKind(entries, e),
            LLVMMetadataAsValue(LLVMGetTypeContext(LLVMTypeOf(from)), LLVMValueMetadataEntriesGetMetadata(entries, e)));
    LLVMDisposeValueMetadataEntries(entries);
}

static LLVMValueRef move_load(const struct lowering *s, LLVMValueRef i)
{
    LLVMValueRef result = LLVMBuildLoad2(s->builder, integers(s, LLVMTypeOf(i), 16), LLVMGetOperand(i, 0), "");
    LLVMSetAlignment(result, LLVMGetAlignment(i));
    LLVMSetVolatile(result, LLVMGetVolatile(i));
    copy_metadata(i, result);
    return result;
}

static LLVMValueRef move_store(const struct lowering *s, LLVMValueRef i)
{
    LLVMValueRef result = LLVMBuildStore(s->builder, bits_of(s, LLVMGetOperand(i, 0)), LLVMGetOperand(i, 1));
    LLVMSetAlignment(result, LLVMGetAlignment(i));
    LLVMSetVolatile(result, LLVMGetVolatile(i));
    copy_metadata(i, result);
    return result;
}

static LLVMValueRef move_phi(const struct lowering *s, LLVMValueRef phi)
{
    LLVMValueRef result = LLVMBuildPhi(s->builder, integers(s, LLVMTypeOf(phi), 16), "");
    for (unsigned n = 0; n < LLVMCountIncoming(phi); n++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, n);
        LLVMPositionBuilderBefore(s->builder, LLVMGetBasicBlockTerminator(from));
        LLVMValueRef bits = bits_of(s, LLVMGetIncomingValue(phi, n));
        LLVMAddIncoming(result, &bits, &from, 1);
    }
    LLVMValueRef behind = phi;
    while (LLVMIsAPHINode(behind))
        behind = LLVMGetNextInstruction(behind);
    LLVMPositionBuilderBefore(s->builder, behind);
    return result;
}

static LLVMValueRef move_shuffle(const struct lowering *s, LLVMValueRef i)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->context);
    unsigned n = LLVMGetNumMaskElements(i);
    LLVMValueRef *from = arena_alloc(n * sizeof *from);
    for (unsigned e = 0; e < n; e++) {
        int at = LLVMGetMaskValue(i, e);
        from[e] = at == LLVMGetUndefMaskElem() ? LLVMGetPoison(i32) : LLVMConstInt(i32, (unsigned)at, false);
    }
    return LLVMBuildShuffleVector(s->builder, bits_of(s, LLVMGetOperand(i, 0)), bits_of(s, LLVMGetOperand(i, 1)),
                                  LLVMConstVector(from, n), "");
}

/* Calls the same intrinsic for other types, with the same attributes. */
static LLVMValueRef call_again(const struct lowering *s, LLVMValueRef call, LLVMTypeRef types[2], unsigned n_types,
                               LLVMValueRef *args)
{
    unsigned n = LLVMGetNumArgOperands(call), id = LLVMGetIntrinsicID(LLVMGetCalledValue(call));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(s->image->module, id, types, n_types);
    LLVMValueRef result = LLVMBuildCall2(s->builder, LLVMGlobalGetValueType(function), function, args, n, "");
    for (unsigned a = 1; a <= n; a++) {
        LLVMAttributeRef attributes[32];
        unsigned count = LLVMGetCallSiteAttributeCount(call, a);
        LLVMGetCallSiteAttributes(call, a, attributes);
        for (unsigned k = 0; k < count; k++)
            LLVMAddCallSiteAttribute(result, a, attributes[k]);
    }
    return result;
}

/* Handles an intrinsic that moves vectors: its result or its first argument is one, and its types are that one's and
 * the argument `other`'s. */
static LLVMValueRef move_by_call(const struct lowering *s, LLVMValueRef call, unsigned other)
{
    LLVMValueRef args[8];
    unsigned n = LLVMGetNumArgOperands(call);
    for (unsigned a = 0; a < n; a++) {
        args[a] = LLVMGetOperand(call, a);
        if (small_floats_is_one(LLVMTypeOf(args[a])))
            args[a] = bits_of(s, args[a]);
    }
    bool gives = LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind;
    LLVMTypeRef first = gives ? integers(s, LLVMTypeOf(call), 16) : LLVMTypeOf(args[0]);
    LLVMValueRef result = call_again(s, call, (LLVMTypeRef[]){first, LLVMTypeOf(args[other])}, 2, args);
    copy_metadata(call, result);
    return result;
}

/* ---- computations ---- */

/* Computes a * b + c, rounded once. The product is exact in double. The sum may not be: Knuth's TwoSum finds the error,
 * which makes its last bit odd, as in `to_odd`. */
static LLVMValueRef fused(const struct lowering *s, LLVMValueRef call)
{
    LLVMTypeRef type = LLVMTypeOf(call), wide = doubles(s, type), bits = integers(s, type, 64);
    LLVMBuilderRef b = s->builder;
    LLVMValueRef x[3];
    for (unsigned a = 0; a < 3; a++)
        x[a] = LLVMBuildFPExt(b, to_float(s, LLVMGetOperand(call, a)), wide, "");
    LLVMValueRef product = LLVMBuildFMul(b, x[0], x[1], ""), sum = LLVMBuildFAdd(b, product, x[2], "");
    LLVMValueRef of_product = LLVMBuildFSub(b, sum, x[2], ""), of_third = LLVMBuildFSub(b, sum, of_product, "");
    LLVMValueRef rest =
        LLVMBuildFAdd(b, LLVMBuildFSub(b, product, of_product, ""), LLVMBuildFSub(b, x[2], of_third, ""), "");
    LLVMValueRef is_inexact = LLVMBuildFCmp(b, LLVMRealONE, rest, LLVMConstNull(wide), "");
    LLVMValueRef sum_bits = LLVMBuildBitCast(b, sum, bits, ""), rest_bits = LLVMBuildBitCast(b, rest, bits, "");
    /* The sum is too large where the error has the other sign. */
    LLVMValueRef is_more = shift_right(s, LLVMBuildXor(b, sum_bits, rest_bits, ""), 63);
    LLVMValueRef cut = LLVMBuildOr(b, LLVMBuildSub(b, sum_bits, is_more, ""), number(sum_bits, 1), "");
    sum = LLVMBuildBitCast(b, choose(s, is_inexact, cut, sum_bits), wide, "");
    return from_float(s, to_odd(s, sum), type);
}

/* Changes the sign. If there is a second operand, as of copysign, the sign becomes that operand's. */
static LLVMValueRef change_sign(const struct lowering *s, LLVMValueRef i)
{
    LLVMValueRef bits = bits_of(s, LLVMGetOperand(i, 0)), size = mask(s, bits, 0x7fff);
    if (LLVMGetInstructionOpcode(i) == LLVMFNeg)
        size = LLVMBuildXor(s->builder, bits, number(bits, 0x8000), "");
    else if (LLVMGetNumArgOperands(i) == 2)
        size = LLVMBuildOr(s->builder, size, mask(s, bits_of(s, LLVMGetOperand(i, 1)), 0x8000), "");
    return size;
}

/* Handles llvm.is.fpclass: whether a number is of one of the classes that the second argument has bits for. */
static LLVMValueRef classify(const struct lowering *s, LLVMValueRef call)
{
    LLVMValueRef value = LLVMGetOperand(call, 0), bits = bits_of(s, value), result = LLVMConstNull(LLVMTypeOf(call));
    unsigned fraction = is_half(LLVMTypeOf(value)) ? 10 : 7, infinite = 0x8000 - (1u << fraction);
    unsigned classes = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1));
    /* The bits at which classes begin: zero, subnormal, normal, infinite, signalling and quiet NaN; then the end. */
    const unsigned begin[] = {0, 1, 1u << fraction, infinite, infinite + 1, infinite + (1u << (fraction - 1)), 0x8000};
    static const unsigned bit[2][6] = {{6, 7, 8, 9, 0, 1}, {5, 4, 3, 2, 0, 1}};
    for (unsigned sign = 0; sign < 2; sign++)
        for (unsigned c = 0; c < 6; c++)
            if (classes >> bit[sign][c] & 1) {
                LLVMValueRef from = add(s, bits, 0x10000 - (begin[c] + 0x8000 * sign));
                result = LLVMBuildOr(s->builder, result, is_less(s, from, begin[c + 1] - begin[c]), "");
            }
    return result;
}

static LLVMValueRef compute_by_call(const struct lowering *s, LLVMValueRef call)
{
    LLVMTypeRef type = LLVMTypeOf(call), types[] = {floats(s, type), NULL};
    LLVMValueRef args[8];
    unsigned n = LLVMGetNumArgOperands(call);
    for (unsigned a = 0; a < n; a++)
        args[a] = to_float(s, LLVMGetOperand(call, a));
    LLVMValueRef result = call_again(s, call, types, 1, args);
    ir_copy_fast_math(call, result);
    return from_float(s, result, type);
}

static LLVMValueRef compute(const struct lowering *s, LLVMValueRef i)
{
    LLVMValueRef result, a = to_float(s, LLVMGetOperand(i, 0)), b = to_float(s, LLVMGetOperand(i, 1));
    if (LLVMIsAFCmpInst(i)) {
        result = LLVMBuildFCmp(s->builder, LLVMGetFCmpPredicate(i), a, b, "");
        ir_copy_fast_math(i, result);
        return result;
    }
    result = LLVMBuildBinOp(s->builder, LLVMGetInstructionOpcode(i), a, b, "");
    ir_copy_fast_math(i, result);
    return from_float(s, result, LLVMTypeOf(i));
}

/* ---- instructions ---- */

static LLVMValueRef lower_call(const struct lowering *s, LLVMValueRef call)
{
    switch (calls_of(call)->small) {
    case SMALL_bits:
        return bits_of(s, LLVMGetOperand(call, 0));
    case SMALL_compute:
        return compute_by_call(s, call);
    case SMALL_sign:
        return change_sign(s, call);
    case SMALL_fused:
        return fused(s, call);
    case SMALL_class:
        return classify(s, call);
    case SMALL_move:
        return move_by_call(s, call, 0);
    case SMALL_move_second:
        return move_by_call(s, call, 1);
    default:
        diag_defect(NULL, "a call is not handled: %s", LLVMPrintValueToString(call));
    }
}

/* Returns the replacement for an instruction: a value of its type, or the bits of one. */
static LLVMValueRef lower(const struct lowering *s, LLVMValueRef i)
{
    LLVMBuilderRef b = s->builder;
    LLVMValueRef x[3];
    for (unsigned o = 0; o < 3; o++)
        x[o] = (int)o < LLVMGetNumOperands(i) ? LLVMGetOperand(i, o) : NULL;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return move_load(s, i);
    case LLVMStore:
        return move_store(s, i);
    case LLVMPHI:
        return move_phi(s, i);
    case LLVMSelect:
        return LLVMBuildSelect(b, x[0], bits_of(s, x[1]), bits_of(s, x[2]), "");
    case LLVMFreeze:
        return LLVMBuildFreeze(b, bits_of(s, x[0]), "");
    case LLVMExtractElement:
        return LLVMBuildExtractElement(b, bits_of(s, x[0]), x[1], "");
    case LLVMInsertElement:
        return LLVMBuildInsertElement(b, bits_of(s, x[0]), bits_of(s, x[1]), x[2], "");
    case LLVMShuffleVector:
        return move_shuffle(s, i);
    case LLVMBitCast:
        return small_floats_is_one(LLVMTypeOf(i)) ? LLVMBuildBitCast(b, x[0], integers(s, LLVMTypeOf(i), 16), "")
                                                  : LLVMBuildBitCast(b, bits_of(s, x[0]), LLVMTypeOf(i), "");
    case LLVMFNeg:
        return change_sign(s, i);
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
    case LLVMFCmp:
        return compute(s, i);
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMFPToSI:
    case LLVMFPToUI:
        return convert(s, i);
    case LLVMCall:
        return lower_call(s, i);
    default:
        diag_defect(NULL, "an instruction is not handled: %s", LLVMPrintValueToString(i));
    }
}

/* Returns the small type that an instruction produces or uses; NULL if there is none. */
static LLVMTypeRef small_type_of(LLVMValueRef i)
{
    if (small_floats_is_one(LLVMTypeOf(i)))
        return LLVMTypeOf(i);
    for (int o = 0; o < LLVMGetNumOperands(i); o++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, (unsigned)o));
        if (small_floats_is_one(type))
            return type;
    }
    return NULL;
}

/* Whether the target has an instruction for this. */
static bool is_native(const struct lowering *s, LLVMValueRef i, LLVMTypeRef type)
{
    bool computes_half = s->image->facts.computes_half;
    LLVMTypeRef other;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMBitCast:
        return is_boundary(s, i);
    case LLVMFPExt:
    case LLVMFPTrunc:
        other = LLVMGetInstructionOpcode(i) == LLVMFPExt ? LLVMTypeOf(i) : LLVMTypeOf(LLVMGetOperand(i, 0));
        return is_converted_by_target(s, type) && (computes_half || other == floats(s, type));
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFCmp:
        return computes_half && is_half(type);
    default:
        return false;
    }
}

static bool lower_instruction(const struct lowering *s, LLVMValueRef i)
{
    LLVMTypeRef small = small_type_of(i), type = LLVMTypeOf(i);
    if (!small || is_native(s, i, small))
        return false;
    LLVMPositionBuilderBefore(s->builder, i);
    LLVMValueRef result = lower(s, i);
    if (small_floats_is_one(type) && LLVMTypeOf(result) != type)
        result = LLVMBuildBitCast(s->builder, result, type, "");
    if (LLVMGetTypeKind(type) != LLVMVoidTypeKind)
        LLVMReplaceAllUsesWith(i, result);
    LLVMInstructionEraseFromParent(i);
    return true;
}

/* Removes a cast to a type and back. */
static bool join_casts(const struct lowering *s, LLVMValueRef cast)
{
    (void)s;
    LLVMValueRef inner = LLVMIsABitCastInst(cast) ? LLVMGetOperand(cast, 0) : NULL;
    if (!inner || !LLVMIsABitCastInst(inner) || LLVMTypeOf(LLVMGetOperand(inner, 0)) != LLVMTypeOf(cast))
        return false;
    LLVMReplaceAllUsesWith(cast, LLVMGetOperand(inner, 0));
    return true;
}

/* Calls `change` for each instruction. Returns whether it changed any. */
static bool for_each(const struct lowering *s, bool (*change)(const struct lowering *s, LLVMValueRef i))
{
    bool changed = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(s->image->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                changed |= change(s, i);
            }
    return changed;
}

void small_floats_lower(const struct unit *unit, const struct image *image)
{
    struct lowering s = {image, unit->context, LLVMCreateBuilderInContext(unit->context)};
    if (for_each(&s, lower_instruction)) {
        for_each(&s, join_casts);
        ir_run_passes(image->module, image->machine,
                      unit->options->opt_level > 0 ? "function(early-cse,loop-mssa(licm),dce),strip-dead-prototypes"
                                                   : "function(dce),strip-dead-prototypes");
    }
    LLVMDisposeBuilder(s.builder);
}
