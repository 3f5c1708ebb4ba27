/* SPDX-License-Identifier: MIT
 *
 * Finds what is the same for all threads of a tile in an entry with checks, and whether they all come to the same
 * barriers. A value differs if it comes from a thread's index, from memory, which another thread may have changed
 * meanwhile, or from a way that not all threads took:
 *
 *     if (i < half)       all threads are together again after the `if`: between, a phi or a loop's count may differ
 *         n = 1;
 *     amp_tile_barrier_wait(b);
 *
 * A thread that ends with a report takes part no more, so ways that only lead there do not count. */
#include "checked/regions.h"
#include "kernel/calls.h"
#include "kernel/entry.h"
#include "kernel/ir.h"

#include <string.h>

/* Nodes as bits. */
enum { WORD_BITS = 64, MOST_NODES = 4000 };
typedef unsigned long long bits;

struct work {
    struct same *same;
    const struct cfg *cfg;
    int n_words;
    bits *afterwards; /* by nodes: those through which every way from there to the kernel's end goes */
    bool *is_spread;  /* by nodes: it is known that its branch differs */
    bool *is_between;
    int *open;
    bool is_apart; /* a barrier is not reached by all threads */
};

static bool has(const bits *set, int node)
{
    return set[node / WORD_BITS] >> node % WORD_BITS & 1;
}

static bits *afterwards_of(const struct work *w, int node)
{
    return w->afterwards + (size_t)node * (size_t)w->n_words;
}

/* ---- the ways ---- */

/* Finds the nodes from which the kernel's end is reached. */
static void find_live(const struct work *w)
{
    bool *is_live = w->same->is_live;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = w->cfg->n - 1; i >= 0; i--) {
            const struct node *node = &w->cfg->nodes[i];
            bool now = LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(node->block));
            for (int s = 0; s < node->n_succ; s++)
                now = now || is_live[node->succ[s]];
            changed = changed || now != is_live[i];
            is_live[i] = now;
        }
    }
}

static bool step_afterwards(const struct work *w, int i, bits *now)
{
    const struct node *node = &w->cfg->nodes[i];
    memset(now, node->n_succ ? 0xff : 0, (size_t)w->n_words * sizeof *now);
    for (int s = 0; s < node->n_succ; s++)
        for (int k = 0; k < w->n_words && w->same->is_live[node->succ[s]]; k++)
            now[k] &= afterwards_of(w, node->succ[s])[k];
    now[i / WORD_BITS] |= 1ull << i % WORD_BITS;
    bool changed = memcmp(now, afterwards_of(w, i), (size_t)w->n_words * sizeof *now);
    memcpy(afterwards_of(w, i), now, (size_t)w->n_words * sizeof *now);
    return changed;
}

static void find_afterwards(struct work *w)
{
    size_t bytes = (size_t)w->cfg->n * (size_t)w->n_words * sizeof(bits);
    bits *now = arena_alloc((size_t)w->n_words * sizeof *now);
    w->afterwards = arena_alloc(bytes);
    memset(w->afterwards, 0xff, bytes);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = w->cfg->n - 1; i >= 0; i--)
            if (w->same->is_live[i] && step_afterwards(w, i, now))
                changed = true;
    }
}

/* ---- values ---- */

static void set_differs(const struct work *w, LLVMValueRef value, bool *changed)
{
    bool *differs = &w->same->differs[map_get(w->same->numbers, value)];
    *changed = *changed || !*differs;
    *differs = true;
}

static bool any_operand_differs(const struct same *same, LLVMValueRef i)
{
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(i); o++)
        if (same_differs(same, LLVMGetOperand(i, o)))
            return true;
    return false;
}

static bool phi_differs(const struct same *same, LLVMValueRef phi)
{
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (same_differs(same, LLVMGetIncomingValue(phi, k)))
            return true;
    return false;
}

/* Whether a value differs because of what it is computed from. */
static bool is_computed_apart(const struct same *same, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI:
        return phi_differs(same, i);
    case LLVMLoad:
        return !now_is_fixed(same->c, i);
    case LLVMCall:
        return !table_calls(i, "amp__check_suspend") && (!calls_is_pure(i) || any_operand_differs(same, i));
    case LLVMAlloca:
    case LLVMFreeze:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMVAArg:
        return true;
    default:
        return any_operand_differs(same, i);
    }
}

static void look_at_values(const struct work *w, bool *changed)
{
    for (int n = 0; n < w->cfg->n; n++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(w->cfg->nodes[n].block); i; i = LLVMGetNextInstruction(i)) {
            bool is_dead_phi = LLVMIsAPHINode(i) && !w->same->is_live[n];
            if (is_dead_phi || is_computed_apart(w->same, i))
                set_differs(w, i, changed);
        }
}

bool same_differs(const struct same *same, LLVMValueRef value)
{
    int number = map_get(same->numbers, value);
    if (LLVMIsAArgument(value))
        return entry_param(same->c->kernel, entry_param_number(value)).differs_in_tile;
    return number >= 0 && same->differs[number];
}

/* ---- branches ---- */

/* Notes that the phis of a node differ where threads come together again that came from a branch on different ways. */
static void join(const struct work *w, int branch, int node, bool *changed)
{
    LLVMBasicBlockRef block = w->cfg->nodes[node].block;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        LLVMValueRef first = NULL;
        for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
            int from = map_get(w->cfg->first_node, LLVMGetIncomingBlock(i, k));
            if (from < 0 || (from != branch && !w->is_between[from]))
                continue;
            if (first && first != LLVMGetIncomingValue(i, k))
                set_differs(w, i, changed);
            first = LLVMGetIncomingValue(i, k);
        }
    }
}

static void open_node(const struct work *w, int node, int *n_open)
{
    if (w->is_between[node] || !w->same->is_live[node])
        return;
    w->is_between[node] = true;
    w->open[(*n_open)++] = node;
}

/* Notes what is between a branch on which threads differ and where they are together again. */
static void spread(struct work *w, int branch, bool *changed)
{
    const struct node *nodes = w->cfg->nodes;
    int n_open = 0;
    memset(w->is_between, 0, (size_t)w->cfg->n * sizeof *w->is_between);
    for (int s = 0; s < nodes[branch].n_succ; s++)
        open_node(w, nodes[branch].succ[s], &n_open);
    for (int k = 0; k < n_open; k++) {
        int at = w->open[k];
        bool is_end = at != branch && has(afterwards_of(w, branch), at);
        w->is_between[at] = true;
        for (int s = 0; s < nodes[at].n_succ && !is_end; s++)
            open_node(w, nodes[at].succ[s], &n_open);
    }
    for (int k = 0; k < n_open; k++)
        if (w->open[k] != branch && has(afterwards_of(w, branch), w->open[k]))
            w->is_between[w->open[k]] = false;
    for (int k = 0; k < n_open; k++) {
        int at = w->open[k];
        if (!w->is_between[at]) {
            join(w, branch, at, changed);
            continue;
        }
        w->is_apart = w->is_apart || now_barrier(nodes[at].block);
        LLVMValueRef i = LLVMGetFirstInstruction(nodes[at].block);
        for (; LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
            set_differs(w, i, changed);
    }
}

static bool branch_differs(const struct work *w, int node)
{
    int n_live = 0;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(w->cfg->nodes[node].block);
    for (int s = 0; s < w->cfg->nodes[node].n_succ; s++)
        n_live += w->same->is_live[w->cfg->nodes[node].succ[s]];
    return n_live == 2 && same_differs(w->same, LLVMGetCondition(end));
}

/* Whether no barrier is where threads only end. */
static bool has_live_barriers(const struct work *w)
{
    for (int n = 0; n < w->cfg->n; n++)
        if (!w->same->is_live[n] && now_barrier(w->cfg->nodes[n].block))
            return false;
    return true;
}

static void number_values(struct same *same)
{
    same->numbers = map_new();
    for (int n = 0; n < same->cfg->n; n++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(same->cfg->nodes[n].block); i; i = LLVMGetNextInstruction(i))
            map_set(same->numbers, i, same->n_values++);
    same->differs = arena_alloc((size_t)(same->n_values + 1) * sizeof *same->differs);
}

struct same *same_find(struct checking *c, const struct cfg *cfg)
{
    struct same *same = arena_alloc(sizeof *same);
    size_t n = (size_t)cfg->n;
    struct work w = {.same = same, .cfg = cfg, .n_words = (cfg->n + WORD_BITS - 1) / WORD_BITS};
    if (cfg->n > MOST_NODES)
        return NULL;
    *same = (struct same){.c = c, .cfg = cfg, .is_live = arena_alloc(n * sizeof *same->is_live)};
    w.is_spread = arena_alloc(n * sizeof *w.is_spread);
    w.is_between = arena_alloc(n * sizeof *w.is_between);
    w.open = arena_alloc(n * sizeof *w.open);
    number_values(same);
    find_live(&w);
    find_afterwards(&w);
    for (bool changed = has_live_barriers(&w); changed && !w.is_apart;) {
        changed = false;
        look_at_values(&w, &changed);
        for (int i = 0; i < cfg->n; i++)
            if (!w.is_spread[i] && same->is_live[i] && branch_differs(&w, i)) {
                w.is_spread[i] = changed = true;
                spread(&w, i, &changed);
            }
    }
    return w.is_apart || !has_live_barriers(&w) ? NULL : same;
}
