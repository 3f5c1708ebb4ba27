/* SPDX-License-Identifier: MIT
 *
 * Computes in 16 bits what fits there. C adds, multiplies and compares bytes as ints, of which a vector holds half as
 * many as of shorts:
 *
 *     unsigned char a[n];  ...  int sum = a[i - 1] + 2 * a[i] + a[i + 1];        is at most 1020
 *
 * An int has an interval, which follows from those of its operands, and first from the types of what memory has. Where
 * it lies in 16 bits, and its operands' do, too, and it is not shifted by as many, it is computed there. A web is what
 * is connected so. Where a web goes on as an int, it is extended; so few such places pay, and those that only compare
 * it or take its low bits are free.
 *
 * needs  integers that come from extensions of narrow ones: no index does
 * keeps  all values; the properties of prepared code */
#include "kernel/narrow.h"

#include "base/map.h"
#include "kernel/ir.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { BITS = 16, INT_BITS = 32, DEPTH = 16 };

struct interval {
    bool is_known;
    long long low, high;
};

/* An int of a function. */
struct number {
    LLVMValueRef value;
    struct interval interval;
    bool is_member;      /* of a web */
    int web;             /* the number, in turn, of another member of it, or its own */
    int gain;            /* of the web: half the instructions that it saves, at its own number */
    LLVMValueRef narrow; /* as it is computed in 16 bits; NULL: not yet; */
    LLVMValueRef whole;  /* and that as an int again */
};

struct search {
    LLVMBuilderRef builder;
    LLVMTypeRef narrow;
    struct map *places; /* of numbers, by value */
    struct number *numbers;
    int n;
};

/* ---- intervals ---- */

static struct interval interval(long long low, long long high)
{
    long long most = (1LL << (INT_BITS - 1)) - 1;
    return low >= -most - 1 && high <= most ? (struct interval){true, low, high} : (struct interval){0};
}

static long long least_of(long long a, long long b)
{
    return a < b ? a : b;
}

static long long most_of(long long a, long long b)
{
    return a > b ? a : b;
}

static struct interval interval_of(struct search *s, LLVMValueRef value, int depth);

/* Returns all that the bits of the larger of two numbers, neither of which is negative, can make. */
static struct interval interval_of_bits(struct interval a, struct interval b)
{
    long long all = 0;
    while (all < most_of(a.high, b.high))
        all = 2 * all + 1;
    return a.low >= 0 && b.low >= 0 ? interval(0, all) : (struct interval){0};
}

static struct interval interval_of_product(struct interval a, struct interval b)
{
    long long p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, t = a.high * b.high;
    return interval(least_of(least_of(p, q), least_of(r, t)), most_of(most_of(p, q), most_of(r, t)));
}

static struct interval interval_of_call(LLVMValueRef call, struct interval a, struct interval b)
{
    switch (ir_extremum(call)) {
    case EXTREMUM_SMIN:
        return interval(least_of(a.low, b.low), least_of(a.high, b.high));
    case EXTREMUM_SMAX:
        return interval(most_of(a.low, b.low), most_of(a.high, b.high));
    case EXTREMUM_UMIN:
    case EXTREMUM_UMAX:
        return a.low < 0 || b.low < 0               ? (struct interval){0}
               : ir_extremum(call) == EXTREMUM_UMIN ? interval(least_of(a.low, b.low), least_of(a.high, b.high))
                                                    : interval(most_of(a.low, b.low), most_of(a.high, b.high));
    default: /* the absolute value */
        return interval(a.low > 0 ? a.low : a.high < 0 ? -a.high : 0, most_of(-a.low, a.high));
    }
}

static bool is_absolute(LLVMValueRef value)
{
    static const char name[] = "llvm.abs.";
    size_t length;
    return LLVMIsACallInst(value) &&
           !strncmp(LLVMGetValueName2(LLVMGetCalledValue(value), &length), name, sizeof name - 1);
}

static struct interval interval_of_extension(LLVMValueRef extension)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(extension, 0));
    unsigned bits = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : INT_BITS;
    if (bits >= INT_BITS)
        return (struct interval){0};
    return LLVMIsAZExtInst(extension) ? interval(0, (1LL << bits) - 1)
                                      : interval(-(1LL << (bits - 1)), (1LL << (bits - 1)) - 1);
}

/* Returns the interval of an instruction with two operands whose intervals are known. */
static struct interval interval_of_result(LLVMValueRef i, struct interval a, struct interval b)
{
    bool is_shift = b.low == b.high && b.low >= 0 && b.low < INT_BITS;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAdd:
        return interval(a.low + b.low, a.high + b.high);
    case LLVMSub:
        return interval(a.low - b.high, a.high - b.low);
    case LLVMMul:
        return interval_of_product(a, b);
    case LLVMShl:
        return is_shift ? interval(a.low * (1LL << b.low), a.high * (1LL << b.low)) : (struct interval){0};
    case LLVMAShr:
        return is_shift ? interval(a.low >> b.low, a.high >> b.low) : (struct interval){0};
    case LLVMLShr:
        return is_shift && a.low >= 0 ? interval(a.low >> b.low, a.high >> b.low) : (struct interval){0};
    case LLVMAnd:
        if (a.low < 0 && b.low < 0)
            return (struct interval){0};
        return interval(0, a.low < 0 ? b.high : b.low < 0 ? a.high : least_of(a.high, b.high));
    case LLVMOr:
    case LLVMXor:
        return interval_of_bits(a, b);
    case LLVMCall:
        return interval_of_call(i, a, b);
    default:
        return (struct interval){0};
    }
}

static struct interval find_interval(struct search *s, LLVMValueRef value, int depth)
{
    if (LLVMIsAConstantInt(value)) {
        long long number = LLVMConstIntGetSExtValue(value);
        return interval(number, number);
    }
    if (depth == 0 || !LLVMIsAInstruction(value))
        return (struct interval){0};
    if (LLVMIsAZExtInst(value) || LLVMIsASExtInst(value))
        return interval_of_extension(value);
    bool is_choice = LLVMIsASelectInst(value);
    if (!is_choice && !LLVMIsABinaryOperator(value) && !ir_extremum(value) && !is_absolute(value))
        return (struct interval){0};
    struct interval a = interval_of(s, LLVMGetOperand(value, is_choice), depth - 1);
    struct interval b = is_absolute(value) ? a : interval_of(s, LLVMGetOperand(value, is_choice ? 2 : 1), depth - 1);
    if (!a.is_known || !b.is_known)
        return (struct interval){0};
    return is_choice ? interval(least_of(a.low, b.low), most_of(a.high, b.high)) : interval_of_result(value, a, b);
}

static bool is_int(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == INT_BITS;
}

static struct interval interval_of(struct search *s, LLVMValueRef value, int depth)
{
    int place = is_int(value) ? map_get(s->places, value) : -1;
    if (place >= 0 && s->numbers[place].interval.is_known)
        return s->numbers[place].interval;
    struct interval found = is_int(value) ? find_interval(s, value, depth) : (struct interval){0};
    if (place >= 0)
        s->numbers[place].interval = found;
    return found;
}

/* ---- webs ---- */

static bool fits(struct interval interval)
{
    long long most = (1LL << (BITS - 1)) - 1;
    return interval.is_known && interval.low >= -most - 1 && interval.high <= most;
}

static struct number *member(const struct search *s, LLVMValueRef value)
{
    int place = map_get(s->places, value);
    return place >= 0 && s->numbers[place].is_member ? &s->numbers[place] : NULL;
}

/* Whether a value has 16 bits, or is a constant or an extension that can have as few. */
static bool is_leaf(struct search *s, LLVMValueRef value)
{
    bool is_extension = LLVMIsAZExtInst(value) || LLVMIsASExtInst(value);
    return is_int(value) && (is_extension || LLVMIsAConstantInt(value)) && fits(interval_of(s, value, 1));
}

/* Returns the operands that have to be in the web, from the first on. */
static void operands_of(LLVMValueRef i, unsigned *first, unsigned *end)
{
    *first = LLVMIsASelectInst(i) ? 1 : 0;
    *end = is_absolute(i) ? 1 : *first + 2;
}

/* Whether a value is shifted by as many bits as the narrow one has, or more. */
static bool shifts_far(LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    return (opcode == LLVMShl || opcode == LLVMAShr || opcode == LLVMLShr) &&
           (!LLVMIsAConstantInt(LLVMGetOperand(i, 1)) || LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1)) >= BITS);
}

static bool can_be_member(struct search *s, LLVMValueRef i)
{
    unsigned operand, end;
    bool is_computed = LLVMIsABinaryOperator(i) || LLVMIsASelectInst(i) || ir_extremum(i) || is_absolute(i);
    if (!is_int(i) || !is_computed || shifts_far(i) || !fits(interval_of(s, i, DEPTH)))
        return false;
    for (operands_of(i, &operand, &end); operand < end; operand++)
        if (!is_leaf(s, LLVMGetOperand(i, operand)) && !member(s, LLVMGetOperand(i, operand)))
            return false;
    return true;
}

static int web_of(const struct search *s, int number)
{
    while (s->numbers[number].web != number)
        number = s->numbers[number].web;
    return number;
}

/* Whether a use needs no extension: a comparison with what has 16 bits, too, or the low bits. */
static bool is_free(struct search *s, LLVMValueRef user)
{
    if (LLVMIsATruncInst(user))
        return LLVMGetIntTypeWidth(LLVMTypeOf(user)) <= BITS;
    for (unsigned o = 0; o < 2 && LLVMIsAICmpInst(user); o++)
        if (!is_leaf(s, LLVMGetOperand(user, o)) && !member(s, LLVMGetOperand(user, o)))
            return false;
    return LLVMIsAICmpInst(user);
}

/* Adds what a member gains to its web: half an instruction, and as much for each extension that it reads; three halves
 * are lost where it goes on as an int. */
static void add_gain(struct search *s, int number)
{
    enum { LOSS = 3 };
    LLVMValueRef i = s->numbers[number].value;
    int *gain = &s->numbers[web_of(s, number)].gain;
    bool goes_on = false;
    unsigned operand, end;
    *gain += 1;
    for (operands_of(i, &operand, &end); operand < end; operand++)
        *gain += LLVMIsAInstruction(LLVMGetOperand(i, operand)) && is_leaf(s, LLVMGetOperand(i, operand));
    for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use))
        goes_on |= !member(s, LLVMGetUser(use)) && !is_free(s, LLVMGetUser(use));
    *gain -= goes_on ? LOSS : 0;
}

static void find_webs(struct search *s)
{
    bool changes = true;
    while (changes) { /* values need not come before their uses in the order of blocks */
        changes = false;
        for (int k = 0; k < s->n; k++)
            if (!s->numbers[k].is_member && can_be_member(s, s->numbers[k].value))
                changes = s->numbers[k].is_member = true;
    }
    for (int k = 0; k < s->n; k++) {
        unsigned operand, end;
        operands_of(s->numbers[k].value, &operand, &end);
        for (; s->numbers[k].is_member && operand < end; operand++) {
            struct number *other = member(s, LLVMGetOperand(s->numbers[k].value, operand));
            if (other)
                s->numbers[web_of(s, (int)(other - s->numbers))].web = web_of(s, k);
        }
    }
    for (int k = 0; k < s->n; k++)
        if (s->numbers[k].is_member)
            add_gain(s, k);
    for (int k = 0; k < s->n; k++)
        s->numbers[k].is_member = s->numbers[k].is_member && s->numbers[web_of(s, k)].gain > 0;
}

/* ---- code ---- */

static LLVMValueRef narrow_of(struct search *s, LLVMValueRef value);

static LLVMValueRef narrow_leaf(struct search *s, LLVMValueRef leaf)
{
    if (LLVMIsAConstantInt(leaf))
        return LLVMConstInt(s->narrow, (unsigned long long)LLVMConstIntGetSExtValue(leaf), true);
    LLVMPositionBuilderBefore(s->builder, leaf);
    LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(leaf));
    return LLVMBuildIntCast2(s->builder, LLVMGetOperand(leaf, 0), s->narrow, LLVMIsASExtInst(leaf) != NULL, "");
}

static LLVMValueRef narrow_call(struct search *s, LLVMValueRef call, LLVMValueRef *operands, unsigned n)
{
    static const char *const names[] = {
        [EXTREMUM_NONE] = "llvm.abs",  [EXTREMUM_SMIN] = "llvm.smin", [EXTREMUM_SMAX] = "llvm.smax",
        [EXTREMUM_UMIN] = "llvm.umin", [EXTREMUM_UMAX] = "llvm.umax",
    };
    const char *name = names[ir_extremum(call)];
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)));
    LLVMValueRef function =
        LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID(name, strlen(name)), &s->narrow, 1);
    if (n == 1)
        operands[n++] = LLVMGetOperand(call, 1); /* whether the least number may be poison */
    return LLVMBuildCall2(s->builder, LLVMGlobalGetValueType(function), function, operands, n, "");
}

static LLVMValueRef narrow_member(struct search *s, LLVMValueRef i)
{
    LLVMValueRef operands[2];
    unsigned first, end, n = 0;
    operands_of(i, &first, &end);
    for (unsigned operand = first; operand < end; operand++)
        operands[n++] = narrow_of(s, LLVMGetOperand(i, operand));
    LLVMPositionBuilderBefore(s->builder, i);
    LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(i));
    if (LLVMIsASelectInst(i))
        return LLVMBuildSelect(s->builder, LLVMGetCondition(i), operands[0], operands[1], "");
    if (LLVMIsACallInst(i))
        return narrow_call(s, i, operands, n);
    return LLVMBuildBinOp(s->builder, LLVMGetInstructionOpcode(i), operands[0], operands[1], "");
}

static LLVMValueRef narrow_of(struct search *s, LLVMValueRef value)
{
    int place = map_get(s->places, value);
    if (place < 0)
        return narrow_leaf(s, value);
    struct number *number = &s->numbers[place];
    if (!number->narrow)
        number->narrow = number->is_member ? narrow_member(s, value) : narrow_leaf(s, value);
    return number->narrow;
}

/* Lets a use that is not in the web take a member as it is now. */
static void change_use(struct search *s, LLVMValueRef user)
{
    LLVMPositionBuilderBefore(s->builder, user);
    LLVMValueRef changed;
    if (LLVMIsATruncInst(user)) {
        changed = narrow_of(s, LLVMGetOperand(user, 0));
        LLVMPositionBuilderBefore(s->builder, user);
        changed = LLVMBuildIntCast2(s->builder, changed, LLVMTypeOf(user), true, "");
    } else {
        LLVMValueRef left = narrow_of(s, LLVMGetOperand(user, 0)), right = narrow_of(s, LLVMGetOperand(user, 1));
        LLVMPositionBuilderBefore(s->builder, user);
        LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(user));
        changed = LLVMBuildICmp(s->builder, LLVMGetICmpPredicate(user), left, right, "");
    }
    LLVMReplaceAllUsesWith(user, changed);
    LLVMInstructionEraseFromParent(user);
}

static void change_member(struct search *s, struct number *number)
{
    LLVMValueRef changed = narrow_of(s, number->value), user;
    for (LLVMUseRef use = LLVMGetFirstUse(number->value), next; use; use = next) {
        next = LLVMGetNextUse(use);
        user = LLVMGetUser(use);
        if (member(s, user) || !is_free(s, user))
            continue;
        change_use(s, user);
        next = LLVMGetFirstUse(number->value); /* a comparison may have been two of its uses */
    }
    LLVMPositionBuilderBefore(s->builder, LLVMGetNextInstruction(number->value));
    LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(number->value));
    number->whole = LLVMBuildSExt(s->builder, changed, LLVMTypeOf(number->value), "");
    LLVMReplaceAllUsesWith(number->value, number->whole);
}

/* Erases what nothing needs any more: what was computed in more bits, and the extensions that it read. */
static void erase_unused(struct search *s)
{
    for (bool changes = true; changes;) {
        changes = false;
        for (int k = s->n - 1; k >= 0; k--) {
            LLVMValueRef value = s->numbers[k].value;
            bool is_read = value && (s->numbers[k].is_member || LLVMIsAZExtInst(value) || LLVMIsASExtInst(value));
            if (!is_read || LLVMGetFirstUse(value))
                continue;
            LLVMInstructionEraseFromParent(value);
            s->numbers[k].value = NULL;
            changes = true;
        }
    }
    for (int k = 0; k < s->n; k++)
        if (s->numbers[k].whole && !LLVMGetFirstUse(s->numbers[k].whole))
            LLVMInstructionEraseFromParent(s->numbers[k].whole);
}

static void narrow_function(LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    struct search s = {LLVMCreateBuilderInContext(context), LLVMIntTypeInContext(context, BITS), map_new(), NULL, 0};
    int n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            n += is_int(i);
    s.numbers = arena_alloc((size_t)(n + 1) * sizeof *s.numbers);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (is_int(i)) {
                s.numbers[s.n] = (struct number){.value = i, .web = s.n};
                map_set(s.places, i, s.n++);
            }
    find_webs(&s);
    for (int k = 0; k < s.n; k++)
        if (s.numbers[k].is_member)
            narrow_of(&s, s.numbers[k].value);
    for (int k = 0; k < s.n; k++)
        if (s.numbers[k].is_member)
            change_member(&s, &s.numbers[k]);
    erase_unused(&s);
    LLVMDisposeBuilder(s.builder);
}

void narrow(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (LLVMGetFirstBasicBlock(f))
            narrow_function(f);
}
