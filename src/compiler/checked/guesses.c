/* SPDX-License-Identifier: MIT
 *
 * Finds the reads that only guess what a compare-and-swap of the same element will find. They count as a part of it:
 *
 *     int old = x[0];
 *     while (!amp_atomic_compare_exchange(&x[0], &old, 2 * old)) ...
 *
 * What a compare-and-swap expects may have come through helpers and their pointers. So the loads get numbers, and are
 * looked for in a copy of the module, in which everything is inlined and variables are SSA values. A load in a helper
 * that guesses for one of its callers does so for all. */
#include "base/map.h"
#include "checked/checked.h"
#include "kernel/entry.h"
#include "kernel/ir.h"

#include <string.h>

/* The work on the copy. */
struct search {
    struct checking *c;
    unsigned number;      /* of the metadata that has a load's number */
    LLVMValueRef *loads;  /* of the module, by their numbers */
    LLVMValueRef pointer; /* of the compare-and-swap */
    struct map *seen;     /* what was followed from it */
};

static bool has_exchange(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsAAtomicCmpXchgInst(i))
                    return true;
    return false;
}

/* Gives each load of the module a number, or only counts them. */
static int number_loads(const struct search *s, LLVMModuleRef module)
{
    int n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                if (!LLVMIsALoadInst(i))
                    continue;
                LLVMMetadataRef number = LLVMValueAsMetadata(LLVMConstInt(s->c->i32, (unsigned)n, false)),
                                node = LLVMMDNodeInContext2(s->c->context, &number, 1);
                LLVMSetMetadata(i, s->number, s->loads ? LLVMMetadataAsValue(s->c->context, node) : NULL);
                if (s->loads)
                    s->loads[n] = i;
                n++;
            }
    return n;
}

/* Notes the loads of the element from which a value comes. */
static void follow(const struct search *s, LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value) || map_get(s->seen, value) >= 0)
        return;
    map_set(s->seen, value, true);
    LLVMValueRef number = LLVMIsALoadInst(value) ? LLVMGetMetadata(value, s->number) : NULL;
    if (number && updates_are_same(LLVMGetOperand(value, 0), s->pointer)) {
        LLVMGetMDNodeOperands(number, &number);
        map_set(s->c->guesses, s->loads[LLVMConstIntGetZExtValue(number)], true);
    }
    bool is_passed_on = LLVMIsAPHINode(value) || LLVMIsACastInst(value) || LLVMIsASelectInst(value);
    for (unsigned i = LLVMIsASelectInst(value) != NULL; is_passed_on && i < (unsigned)LLVMGetNumOperands(value); i++)
        follow(s, LLVMGetOperand(value, i));
}

static void search(struct search *s, LLVMModuleRef copy)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(copy); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                if (!LLVMIsAAtomicCmpXchgInst(i))
                    continue;
                s->pointer = LLVMGetOperand(i, 0);
                s->seen = map_new();
                follow(s, LLVMGetOperand(i, 1));
            }
}

static void inline_all(const struct checking *c, LLVMModuleRef copy)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(copy); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && !entry_is(f))
            ir_add_attribute(f, IR_FUNCTION, "alwaysinline");
    if (c->unit->is_cpp)
        classes_drop_subscripts(copy);
    ir_run_passes(copy, c->image->machine, "always-inline,function(sroa,instsimplify,sroa,early-cse)");
}

void guesses_find(struct checking *c)
{
    static const char kind[] = "amp.load";
    struct search s = {.c = c, .number = LLVMGetMDKindIDInContext(c->context, kind, sizeof kind - 1)};
    c->guesses = map_new();
    if (!has_exchange(c->module))
        return;
    int n = number_loads(&s, c->module);
    s.loads = arena_alloc((size_t)n * sizeof(LLVMValueRef) + 1);
    number_loads(&s, c->module);
    LLVMModuleRef copy = LLVMCloneModule(c->module);
    inline_all(c, copy);
    search(&s, copy);
    LLVMDisposeModule(copy);
    s.loads = NULL;
    number_loads(&s, c->module);
}

bool guesses_have(const struct checking *c, LLVMValueRef load)
{
    return map_get(c->guesses, load) >= 0;
}
