/* SPDX-License-Identifier: MIT
 *
 * Follows an address back to what it was made from. Paths that meet may bring different origins: the answer is then
 * their set. Prepared code keeps the argument block's address as it came, and loads the arrays' addresses from fixed
 * places in the block. */
#include "kernel/origin.h"

#include "base/map.h"
#include "front/signature.h"
#include "kernel/entry.h"
#include "kernel/ir.h"

static bool is_address_in(LLVMValueRef pointer)
{
    return LLVMIsAGetElementPtrInst(pointer) || LLVMIsAFreezeInst(pointer) || LLVMIsACastInst(pointer) ||
           (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr);
}

static struct origin either(struct origin a, struct origin b)
{
    if (!a.kinds || !b.kinds)
        return a.kinds ? a : b;
    return (struct origin){a.kinds | b.kinds, a.variable == b.variable ? a.variable : NULL,
                           a.param == b.param ? a.param : NULL};
}

static struct origin find(const struct kernel *kernel, LLVMValueRef pointer, struct map *seen);

/* Returns where a pointer points that is loaded from memory. */
static struct origin find_loaded(const struct kernel *kernel, LLVMValueRef load, struct map *seen)
{
    LLVMValueRef place = LLVMGetOperand(load, 0);
    const struct param *param = entry_argument(kernel, place);
    if (param && param->kind == PARAM_ARRAY)
        return (struct origin){ORIGIN_ARRAY, NULL, param};
    bool may_hold_any = find(kernel, place, seen).kinds & (ORIGIN_PRIVATE | ORIGIN_UNKNOWN);
    return (struct origin){.kinds = may_hold_any ? ORIGIN_UNKNOWN : ORIGIN_SHARED | ORIGIN_LOADED};
}

/* Returns kinds 0 for what was already seen on the way, because loops bring nothing new. */
static struct origin find(const struct kernel *kernel, LLVMValueRef pointer, struct map *seen)
{
    struct origin result = {0};
    while (is_address_in(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    if (map_get(seen, pointer) >= 0)
        return result;
    map_set(seen, pointer, 1);
    if (LLVMIsAAllocaInst(pointer))
        return (struct origin){ORIGIN_PRIVATE, pointer, NULL};
    if (LLVMIsAGlobalVariable(pointer) && LLVMIsGlobalConstant(pointer))
        return (struct origin){ORIGIN_TABLE, pointer, NULL};
    if (ir_is_in_tile_memory(pointer))
        return (struct origin){ORIGIN_TILE, LLVMIsAGlobalVariable(pointer) ? pointer : NULL, NULL};
    if (entry_is_block(pointer))
        return (struct origin){.kinds = ORIGIN_ARGUMENTS};
    if (LLVMIsALoadInst(pointer))
        return find_loaded(kernel, pointer, seen);
    if (LLVMIsAPHINode(pointer))
        for (unsigned i = 0; i < LLVMCountIncoming(pointer); i++)
            result = either(result, find(kernel, LLVMGetIncomingValue(pointer, i), seen));
    else if (LLVMIsASelectInst(pointer))
        result = either(find(kernel, LLVMGetOperand(pointer, 1), seen), find(kernel, LLVMGetOperand(pointer, 2), seen));
    else
        result.kinds = LLVMIsAInstruction(pointer) ? ORIGIN_UNKNOWN : ORIGIN_SHARED;
    return result;
}

struct origin origin_of(const struct kernel *kernel, LLVMValueRef pointer)
{
    return find(kernel, pointer, map_new());
}

bool origin_is_local(const struct kernel *kernel, LLVMValueRef pointer)
{
    int kinds = origin_of(kernel, pointer).kinds;
    return kinds && !(kinds & ~(ORIGIN_TILE | ORIGIN_PRIVATE));
}

/* ---- subscripts ---- */

/* A product that is added to an address: a number of bytes, times values. */
struct product {
    long long bytes;
    LLVMValueRef factors[MAX_SUBSCRIPTS];
    int n;
};

static LLVMValueRef without_conversions(LLVMValueRef value)
{
    while (LLVMIsASExtInst(value) || LLVMIsAZExtInst(value) || LLVMIsAFreezeInst(value))
        value = LLVMGetOperand(value, 0);
    return value;
}

/* Multiplies by a value. Returns false if the product gets too long. */
static bool multiply(struct product *product, LLVMValueRef value)
{
    value = without_conversions(value);
    LLVMOpcode opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : LLVMCall;
    LLVMValueRef right = opcode == LLVMMul || opcode == LLVMShl ? LLVMGetOperand(value, 1) : NULL;
    if (LLVMIsAConstantInt(value))
        return !__builtin_mul_overflow(product->bytes, LLVMConstIntGetSExtValue(value), &product->bytes);
    if (opcode == LLVMMul)
        return multiply(product, LLVMGetOperand(value, 0)) && multiply(product, right);
    if (opcode == LLVMShl && LLVMIsAConstantInt(right) && LLVMConstIntGetZExtValue(right) < 32)
        return multiply(product, LLVMGetOperand(value, 0)) &&
               !__builtin_mul_overflow(product->bytes, 1LL << LLVMConstIntGetZExtValue(right), &product->bytes);
    if (product->n == MAX_SUBSCRIPTS)
        return false;
    product->factors[product->n++] = value;
    return true;
}

/* Divides a product by the bound of a dimension. Returns false if that does not divide it. */
static bool divide(const struct kernel *kernel, struct product *product, const struct bound *bound)
{
    long long constant;
    if (signature_constant(bound, &constant)) {
        bool divides = constant > 0 && product->bytes % constant == 0;
        product->bytes /= divides ? constant : 1;
        return divides;
    }
    int param = signature_param(bound);
    for (int i = 0; i < product->n && param >= 0; i++) {
        LLVMValueRef factor = product->factors[i];
        if (LLVMIsALoadInst(factor) && entry_argument(kernel, LLVMGetOperand(factor, 0)) == &kernel->params[param]) {
            product->factors[i] = product->factors[--product->n];
            return true;
        }
    }
    return false;
}

/* Finds the slowest dimension whose stride divides a product, and divides by it. Returns -1 if there is none. */
static int divide_by_stride(const struct kernel *kernel, const struct param *param, struct product *product)
{
    for (int d = 0; d < param->rank; d++) {
        struct product rest = *product;
        bool divides = rest.bytes % param->element_size == 0;
        rest.bytes /= param->element_size;
        for (int faster = d + 1; faster < param->rank && divides; faster++)
            divides = divide(kernel, &rest, &param->bounds[faster]);
        if (!divides)
            continue;
        *product = rest;
        return d;
    }
    return -1;
}

/* Adds the subscripts in an index over steps of `bytes`. Returns false if they are not clear. */
static bool add_index(const struct kernel *kernel, const struct param *param, LLVMValueRef index, long long bytes,
                      struct subscript subscripts[MAX_SUBSCRIPTS], int *n)
{
    struct product product = {.bytes = bytes};
    if (!multiply(&product, index))
        return false;
    int dimension = product.n ? divide_by_stride(kernel, param, &product) : 0;
    if (dimension < 0 || *n + product.n > MAX_SUBSCRIPTS)
        return false;
    for (int i = 0; i < product.n; i++)
        subscripts[(*n)++] = (struct subscript){dimension, product.factors[i]};
    return true;
}

int origin_subscripts(const struct kernel *kernel, LLVMValueRef pointer, struct subscript subscripts[MAX_SUBSCRIPTS])
{
    const struct param *param = kernel->is_closure ? NULL : origin_of(kernel, pointer).param;
    int n = 0;
    for (; param && LLVMIsAGetElementPtrInst(pointer); pointer = LLVMGetOperand(pointer, 0)) {
        LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(pointer)));
        LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
        for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(pointer); i++) {
            LLVMValueRef index = LLVMGetOperand(pointer, i);
            if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
                type = LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(index));
                continue;
            }
            if (i > 1)
                type = LLVMGetElementType(type);
            long long bytes = (long long)LLVMABISizeOfType(LLVMGetModuleDataLayout(module), type);
            if (!add_index(kernel, param, index, bytes, subscripts, &n))
                return -1;
        }
    }
    return param && LLVMIsALoadInst(pointer) ? n : -1;
}
