/* SPDX-License-Identifier: MIT
 *
 * Finds the statements that change an element by what it has, as clang writes them before anything is optimised. If
 * several threads do so to one element, the report of the race names the atomic operation that does the same:
 *
 *     s[0] += a[i];                add
 *     if (d > max[0]) max[0] = d;  max
 *
 * That decides about the words of reports, and about nothing else: a statement that is not recognised gets more general
 * advice. */
#include "base/map.h"
#include "checked/checked.h"

#include "../../abi/checked.h"

#include <string.h>

enum {
    MAX_DEPTH = 8,    /* of expressions */
    MAX_LOADS = 16,   /* of an element in a statement */
    MAX_BRANCHES = 4, /* around a store */
    MAX_BLOCKS = 16,  /* between them */
    ELEMENT = -1,     /* instead of an update: the element as it is */
};

/* The statement that stores to an element. */
struct statement {
    LLVMValueRef pointer, value;
    LLVMValueRef loads[MAX_LOADS]; /* of the element */
    int n_loads;
};

/* Whether two values are computed alike, from variables that have not changed between them. */
static bool is_same(LLVMValueRef a, LLVMValueRef b, int depth)
{
    if (a == b)
        return true;
    if (depth == 0 || !LLVMIsAInstruction(a) || !LLVMIsAInstruction(b) || LLVMIsAPHINode(a) || LLVMIsAAllocaInst(a) ||
        (LLVMIsACallInst(a) && !LLVMIsAIntrinsicInst(a)) ||
        LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b) || LLVMTypeOf(a) != LLVMTypeOf(b) ||
        LLVMGetNumOperands(a) != LLVMGetNumOperands(b))
        return false;
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(a); i++)
        if (!is_same(LLVMGetOperand(a, i), LLVMGetOperand(b, i), depth - 1))
            return false;
    return true;
}

/* Returns the value that a local variable gets in one place only, from where it is loaded; NULL if it is no such
 * variable. */
static LLVMValueRef only_value(LLVMValueRef load)
{
    LLVMValueRef variable = LLVMGetOperand(load, 0), value = NULL;
    for (LLVMUseRef use = LLVMIsAAllocaInst(variable) ? LLVMGetFirstUse(variable) : NULL; use;
         use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsALoadInst(user) || LLVMIsACallInst(user))
            continue; /* a call notes its life */
        if (value || !LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != variable)
            return NULL;
        value = LLVMGetOperand(user, 0);
    }
    return value;
}

static int made_of(struct statement *s, LLVMValueRef value, int depth);

static int of_load(struct statement *s, LLVMValueRef load, int depth)
{
    LLVMValueRef value = only_value(load);
    if (!is_same(LLVMGetOperand(load, 0), s->pointer, MAX_DEPTH))
        return value ? made_of(s, value, depth - 1) : AMP__CHECK_NO_UPDATE;
    if (s->n_loads < MAX_LOADS)
        s->loads[s->n_loads++] = load;
    return ELEMENT;
}

/* What an operation makes of the element that its operands have: `kind` if the element is its first operand, or its
 * second one, too, unless the operation is a subtraction. */
static int of_operation(int kind, int left, int right)
{
    bool is_left = left != AMP__CHECK_NO_UPDATE, is_right = right != AMP__CHECK_NO_UPDATE;
    int operand = is_left ? left : right;
    if (!is_left && !is_right)
        return AMP__CHECK_NO_UPDATE;
    if ((is_left && is_right) || (is_right && kind == AMP__CHECK_SUB))
        return AMP__CHECK_OTHER_UPDATE;
    bool is_sum = kind == AMP__CHECK_SUB && operand == AMP__CHECK_ADD;
    return operand == ELEMENT || operand == kind ? kind : is_sum ? AMP__CHECK_ADD : AMP__CHECK_OTHER_UPDATE;
}

static int kind_of_opcode(LLVMOpcode opcode)
{
    switch (opcode) {
    case LLVMAdd:
    case LLVMFAdd:
        return AMP__CHECK_ADD;
    case LLVMSub:
    case LLVMFSub:
        return AMP__CHECK_SUB;
    case LLVMAnd:
        return AMP__CHECK_AND;
    case LLVMOr:
        return AMP__CHECK_OR;
    case LLVMXor:
        return AMP__CHECK_XOR;
    default:
        return AMP__CHECK_OTHER_UPDATE;
    }
}

/* The same for a call: with a check of overflow, of fmaxf, or of a helper. */
static int kind_of_callee(const char *name)
{
    static const struct {
        const char *part;
        int kind;
    } kinds[] = {{"add.with.overflow", AMP__CHECK_ADD},
                 {"sub.with.overflow", AMP__CHECK_SUB},
                 {"max", AMP__CHECK_MAX},
                 {"min", AMP__CHECK_MIN}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(name, kinds[i].part))
            return kinds[i].kind;
    return AMP__CHECK_OTHER_UPDATE;
}

static int of_call(struct statement *s, LLVMValueRef call, int depth)
{
    const char *name = LLVMGetCalledValue(call) ? LLVMGetValueName(LLVMGetCalledValue(call)) : "";
    unsigned n = LLVMGetNumArgOperands(call);
    int made[3] = {AMP__CHECK_NO_UPDATE, AMP__CHECK_NO_UPDATE, AMP__CHECK_NO_UPDATE};
    for (unsigned a = 0; a < n && n <= 3; a++)
        made[a] = made_of(s, LLVMGetOperand(call, a), depth - 1);
    if (strstr(name, "fmuladd")) /* a product and a sum */
        return of_operation(AMP__CHECK_ADD, of_operation(AMP__CHECK_OTHER_UPDATE, made[0], made[1]), made[2]);
    return of_operation(n == 2 ? kind_of_callee(name) : AMP__CHECK_OTHER_UPDATE, made[0],
                        of_operation(AMP__CHECK_OTHER_UPDATE, made[1], made[2]));
}

/* ---- conditions ---- */

/* Returns how many jumps lead to a basic block, and the basic blocks that have the first two. */
static int blocks_before(LLVMBasicBlockRef block, LLVMBasicBlockRef from[2])
{
    int n = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use), n++)
        if (n < 2)
            from[n] = LLVMGetInstructionParent(LLVMGetUser(use));
    return n;
}

/* Returns the basic block that control comes from; if it may also come from there through one more basic block, it is a
 * detour, as to report an overflow. NULL: it comes from several. */
static LLVMBasicBlockRef block_before(LLVMBasicBlockRef block, bool *is_detour)
{
    LLVMBasicBlockRef from[2], first[2];
    int n = blocks_before(block, from);
    *is_detour = n == 2;
    for (int i = 0; i < 2 && n == 2; i++)
        if (blocks_before(from[i], first) == 1 && first[0] == from[!i])
            return from[!i];
    return n == 1 ? from[0] : NULL;
}

/* Returns the last branch on a condition before a basic block, which becomes the branch's; NULL if it is not known.
 * Sets whether the condition is true. */
static LLVMValueRef branch_to(LLVMBasicBlockRef *block, bool *is_true)
{
    for (int i = 0; i < MAX_BLOCKS; i++) {
        bool is_detour;
        LLVMBasicBlockRef before = block_before(*block, &is_detour);
        if (!before)
            return NULL;
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(before);
        if (!LLVMIsABranchInst(branch))
            return NULL;
        *is_true = LLVMGetSuccessor(branch, 0) == *block;
        *block = before;
        if (!is_detour && LLVMIsConditional(branch))
            return branch;
    }
    return NULL;
}

/* How a comparison that holds orders its operands: -1 if the first is less, 1 if it is greater, 0 if neither is
 * known. */
static int order_of(LLVMValueRef comparison)
{
    if (LLVMIsAICmpInst(comparison)) {
        LLVMIntPredicate p = LLVMGetICmpPredicate(comparison);
        bool is_less = p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntULT || p == LLVMIntULE;
        return is_less ? -1 : p != LLVMIntEQ && p != LLVMIntNE;
    }
    LLVMRealPredicate p = LLVMGetFCmpPredicate(comparison);
    bool is_less = p == LLVMRealOLT || p == LLVMRealOLE || p == LLVMRealULT || p == LLVMRealULE;
    bool is_greater = p == LLVMRealOGT || p == LLVMRealOGE || p == LLVMRealUGT || p == LLVMRealUGE;
    return is_greater - is_less;
}

/* What it is to store `value` if a condition of the element is true, or false. */
static int of_condition(struct statement *s, LLVMValueRef condition, bool is_true, LLVMValueRef value)
{
    if (!LLVMIsAICmpInst(condition) && !LLVMIsAFCmpInst(condition))
        return made_of(s, condition, MAX_DEPTH) ? AMP__CHECK_OTHER_UPDATE : AMP__CHECK_NO_UPDATE;
    LLVMValueRef left = LLVMGetOperand(condition, 0), right = LLVMGetOperand(condition, 1);
    int of_left = made_of(s, left, MAX_DEPTH), of_right = made_of(s, right, MAX_DEPTH), order = order_of(condition);
    if (!of_left && !of_right)
        return AMP__CHECK_NO_UPDATE;
    bool is_element = of_left == ELEMENT || of_right == ELEMENT;
    if (order == 0)
        return is_element && LLVMIsAICmpInst(condition) ? AMP__CHECK_COMPARE : AMP__CHECK_OTHER_UPDATE;
    LLVMValueRef other = of_left == ELEMENT ? right : left;
    bool is_less = (order < 0) == (is_true == (of_left == ELEMENT)); /* the element than the other */
    if (!is_element || (of_left && of_right) || !is_same(other, value, MAX_DEPTH))
        return AMP__CHECK_OTHER_UPDATE;
    return is_less ? AMP__CHECK_MAX : AMP__CHECK_MIN;
}

/* What `condition ? a : b` is. */
static int of_choice(struct statement *s, LLVMValueRef phi, int depth)
{
    if (LLVMCountIncoming(phi) != 2)
        return AMP__CHECK_NO_UPDATE;
    int made[2];
    for (unsigned i = 0; i < 2; i++)
        made[i] = made_of(s, LLVMGetIncomingValue(phi, i), depth - 1);
    if (!made[0] && !made[1])
        return AMP__CHECK_NO_UPDATE;
    bool is_true;
    unsigned other = made[0] != AMP__CHECK_NO_UPDATE;
    LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, other);
    LLVMValueRef branch = branch_to(&block, &is_true);
    int kind = branch ? of_condition(s, LLVMGetCondition(branch), is_true, LLVMGetIncomingValue(phi, other)) : 0;
    return made[!other] == ELEMENT && !made[other] && kind ? kind : AMP__CHECK_OTHER_UPDATE;
}

/* ---- statements ---- */

/* How a value is made of the element: as ELEMENT or enum amp__check_update. */
static int made_of(struct statement *s, LLVMValueRef value, int depth)
{
    if (depth <= 0 || !LLVMIsAInstruction(value))
        return AMP__CHECK_NO_UPDATE;
    if (LLVMIsALoadInst(value))
        return of_load(s, value, depth);
    if (LLVMIsAPHINode(value))
        return of_choice(s, value, depth);
    if (LLVMIsACallInst(value))
        return of_call(s, value, depth);
    if (LLVMIsACastInst(value) || LLVMIsAExtractValueInst(value))
        return made_of(s, LLVMGetOperand(value, 0), depth - 1);
    if (!LLVMIsABinaryOperator(value))
        return AMP__CHECK_NO_UPDATE;
    return of_operation(kind_of_opcode(LLVMGetInstructionOpcode(value)),
                        made_of(s, LLVMGetOperand(value, 0), depth - 1),
                        made_of(s, LLVMGetOperand(value, 1), depth - 1));
}

/* What a store is if the element decides whether it happens. */
static int of_branches(struct statement *s, LLVMBasicBlockRef block)
{
    int kind = AMP__CHECK_NO_UPDATE;
    for (int i = 0; i < MAX_BRANCHES && !kind; i++) {
        bool is_true;
        LLVMValueRef branch = branch_to(&block, &is_true);
        if (!branch)
            break;
        kind = of_condition(s, LLVMGetCondition(branch), is_true, s->value);
    }
    return kind == ELEMENT ? AMP__CHECK_OTHER_UPDATE : kind;
}

static bool has_atomics(const struct checking *c, LLVMTypeRef type)
{
    unsigned long long size = LLVMStoreSizeOfType(LLVMGetModuleDataLayout(c->module), type);
    return size == 4 || size == 8;
}

static void find_update(struct checking *c, LLVMValueRef store)
{
    struct statement s = {.pointer = LLVMGetOperand(store, 1), .value = LLVMGetOperand(store, 0)};
    if (LLVMIsAAllocaInst(s.pointer))
        return;
    int kind = made_of(&s, s.value, MAX_DEPTH);
    if (kind == AMP__CHECK_NO_UPDATE)
        kind = of_branches(&s, LLVMGetInstructionParent(store));
    if (kind == AMP__CHECK_NO_UPDATE || kind == ELEMENT)
        return;
    if (!has_atomics(c, LLVMTypeOf(s.value)))
        kind = AMP__CHECK_NARROW;
    map_set(c->updates, store, kind);
    for (int i = 0; i < s.n_loads; i++)
        map_set(c->updates, s.loads[i], kind);
}

void updates_find(struct checking *c)
{
    c->updates = map_new();
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsAStoreInst(i))
                find_update(c, i);
}

bool updates_are_same(LLVMValueRef a, LLVMValueRef b)
{
    return is_same(a, b, MAX_DEPTH);
}

int updates_kind(const struct checking *c, LLVMValueRef access)
{
    int kind = map_get(c->updates, access);
    return kind < 0 ? AMP__CHECK_NO_UPDATE : kind;
}
