/* SPDX-License-Identifier: MIT */
#include "kernel/cfg.h"

#include "ampcc.h"

#include <string.h>

bool cfg_in_loop(const struct cfg *cfg, int node, int loop)
{
    return loop < 0 || (cfg->loops[loop].header <= node && node <= cfg->loops[loop].last);
}

bool cfg_dominates(const struct cfg *cfg, int first, int node)
{
    bool *reached = arena_alloc((size_t)cfg->n);
    reached[0] = true;
    for (int at = 0; at < cfg->n; at++) /* only edges back to the header of a loop go to nodes before */
        for (int s = 0; reached[at] && at != first && s < cfg->nodes[at].n_succ; s++)
            reached[cfg->nodes[at].succ[s]] = true;
    return first == node || !reached[node];
}

void cfg_mark_after(const struct cfg *cfg, int node, bool *marks)
{
    int outermost = cfg->nodes[node].loop;
    while (outermost >= 0 && cfg->loops[outermost].parent >= 0)
        outermost = cfg->loops[outermost].parent;
    for (int at = 0; at < cfg->n; at++)
        marks[at] = outermost >= 0 && cfg_in_loop(cfg, at, outermost);
    for (int at = node; at < cfg->n; at++)
        for (int s = 0; (at == node || marks[at]) && s < cfg->nodes[at].n_succ; s++)
            marks[cfg->nodes[at].succ[s]] = true;
}

int cfg_latch(const struct cfg *cfg, int loop)
{
    const struct node *header = &cfg->nodes[cfg->loops[loop].header];
    int latch = -1;
    for (int p = 0; p < header->n_pred; p++) {
        if (!cfg_is_back_edge(cfg, header->pred[p], cfg->loops[loop].header))
            continue;
        if (latch >= 0)
            return -1;
        latch = header->pred[p];
    }
    return latch;
}

int cfg_only_exit(const struct cfg *cfg, int loop)
{
    int exit = -1;
    for (int at = cfg->loops[loop].header; at <= cfg->loops[loop].last; at++)
        for (int s = 0; s < cfg->nodes[at].n_succ; s++) {
            if (cfg_in_loop(cfg, cfg->nodes[at].succ[s], loop))
                continue;
            if (exit >= 0)
                return -1;
            exit = at;
        }
    return exit;
}

bool cfg_is_back_edge(const struct cfg *cfg, int from, int to)
{
    (void)cfg;
    return to <= from;
}

/* The graph before its nodes have their final numbers. */
struct builder {
    int n, capacity;
    struct node *nodes;
    struct map *first, *last;
    int *order, n_order; /* reverse post-order */
    int *idom, *position;
    bool *seen;
    int n_loops;
    struct raw_loop {
        int header, parent, depth;
        bool *has; /* per node */
    } *loops;
};

static void split_block(struct builder *b, LLVMBasicBlockRef block)
{
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    map_set(b->first, block, b->n);
    for (LLVMValueRef i = first;; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef next = LLVMGetNextInstruction(i);
        if (next && calls_kind(i) != CALL_BARRIER)
            continue;
        if (b->n == b->capacity) {
            struct node *old = b->nodes;
            b->nodes = arena_alloc((b->capacity *= 2) * sizeof *b->nodes);
            memcpy(b->nodes, old, b->n * sizeof *old);
        }
        b->nodes[b->n++] =
            (struct node){.block = block, .first = first, .end = next, .barrier = next ? i : NULL, .loop = -1};
        first = next;
        if (!next)
            break;
    }
    map_set(b->last, block, b->n - 1);
}

static void connect(struct builder *b)
{
    for (int i = 0; i < b->n; i++) {
        struct node *node = &b->nodes[i];
        if (node->barrier) {
            node->succ[node->n_succ++] = i + 1;
            continue;
        }
        LLVMValueRef end = LLVMGetBasicBlockTerminator(node->block);
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
            int to = map_get(b->first, LLVMGetSuccessor(end, s));
            if (node->n_succ == 0 || node->succ[0] != to)
                node->succ[node->n_succ++] = to;
        }
    }
    for (int i = 0; i < b->n; i++)
        for (int s = 0; s < b->nodes[i].n_succ; s++)
            b->nodes[b->nodes[i].succ[s]].n_pred++;
    for (int i = 0; i < b->n; i++) {
        b->nodes[i].pred = arena_alloc((b->nodes[i].n_pred + 1) * sizeof(int));
        b->nodes[i].n_pred = 0;
    }
    for (int i = 0; i < b->n; i++)
        for (int s = 0; s < b->nodes[i].n_succ; s++) {
            struct node *to = &b->nodes[b->nodes[i].succ[s]];
            to->pred[to->n_pred++] = i;
        }
}

static void visit(struct builder *b, int node)
{
    b->seen[node] = true;
    for (int s = 0; s < b->nodes[node].n_succ; s++)
        if (!b->seen[b->nodes[node].succ[s]])
            visit(b, b->nodes[node].succ[s]);
    b->order[--b->n_order] = node;
}

/* Computes dominators as in Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm". */
static void dominators(struct builder *b)
{
    b->order = arena_alloc(b->n * sizeof(int));
    b->seen = arena_alloc(b->n * sizeof(bool));
    b->n_order = b->n;
    visit(b, 0);
    int *order = b->order + b->n_order, n = b->n - b->n_order;
    b->order = order;
    b->n_order = n;
    b->position = arena_alloc(b->n * sizeof(int));
    b->idom = arena_alloc(b->n * sizeof(int));
    for (int i = 0; i < b->n; i++)
        b->idom[i] = -1;
    for (int i = 0; i < n; i++)
        b->position[order[i]] = i;
    b->idom[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 1; i < n; i++) {
            int dominator = -1;
            for (int p = 0; p < b->nodes[order[i]].n_pred; p++) {
                int other = b->nodes[order[i]].pred[p];
                if (b->idom[other] < 0)
                    continue;
                if (dominator < 0)
                    dominator = other;
                while (dominator != other) {
                    while (b->position[dominator] > b->position[other])
                        dominator = b->idom[dominator];
                    while (b->position[other] > b->position[dominator])
                        other = b->idom[other];
                }
            }
            changed |= b->idom[order[i]] != dominator;
            b->idom[order[i]] = dominator;
        }
    }
}

static bool dominates(const struct builder *b, int a, int node)
{
    while (b->position[node] > b->position[a])
        node = b->idom[node];
    return node == a;
}

/* Finds natural loops, outer ones first. Returns false if some cycle has more than one entry. */
static bool find_loops(struct builder *b)
{
    b->loops = arena_alloc((b->n + 1) * sizeof *b->loops);
    int *work = arena_alloc((b->n + 1) * sizeof(int));
    for (int i = 0; i < b->n_order; i++) {
        int header = b->order[i], n_work = 0;
        bool *has = NULL;
        for (int p = 0; p < b->nodes[header].n_pred; p++) {
            int latch = b->nodes[header].pred[p];
            if (b->position[latch] < i)
                continue;
            if (!dominates(b, header, latch))
                return false;
            if (!has) {
                has = arena_alloc(b->n * sizeof(bool));
                has[header] = true;
            }
            if (!has[latch])
                has[work[n_work++] = latch] = true;
        }
        if (!has)
            continue;
        while (n_work > 0) {
            const struct node *node = &b->nodes[work[--n_work]];
            for (int p = 0; p < node->n_pred; p++)
                if (!has[node->pred[p]])
                    has[work[n_work++] = node->pred[p]] = true;
        }
        /* Headers come in reverse post-order, so every loop around this one is known, the innermost last. */
        struct raw_loop *loop = &b->loops[b->n_loops];
        *loop = (struct raw_loop){header, b->nodes[header].loop, 1, has};
        if (loop->parent >= 0)
            loop->depth = b->loops[loop->parent].depth + 1;
        for (int node = 0; node < b->n; node++)
            if (has[node])
                b->nodes[node].loop = b->n_loops;
        b->n_loops++;
    }
    return true;
}

/* Returns the item of `loop` that `node` belongs to: the header of the loop directly inside `loop` that contains it, or
 * the node itself. */
static int item_of(const struct builder *b, int node, int loop)
{
    int item = node;
    for (int l = b->nodes[node].loop; l != loop; l = b->loops[l].parent) {
        if (l < 0)
            return -1; /* outside */
        item = b->loops[l].header;
    }
    return item;
}

static void place(struct builder *b, int item, int loop, bool *done, int *items, int *n_items)
{
    done[item] = true;
    int inner = b->nodes[item].loop;
    while (inner != loop && b->loops[inner].parent != loop)
        inner = b->loops[inner].parent;
    for (int node = 0; node < b->n; node++) {
        if (inner == loop ? node != item : !b->loops[inner].has[node])
            continue;
        for (int s = 0; s < b->nodes[node].n_succ; s++) {
            int to = b->nodes[node].succ[s];
            if (loop >= 0 && to == b->loops[loop].header)
                continue;
            to = item_of(b, to, loop);
            if (to >= 0 && !done[to])
                place(b, to, loop, done, items, n_items);
        }
    }
    items[(*n_items)++] = item;
}

/* Appends the nodes of `loop`: its items in topological order, each inner loop whole. */
static void arrange(struct builder *b, int loop, int *result, int *n_result)
{
    bool *done = arena_alloc(b->n * sizeof(bool));
    int *items = arena_alloc(b->n * sizeof(int)), n_items = 0;
    int start = loop < 0 ? item_of(b, 0, -1) : b->loops[loop].header;
    place(b, start, loop, done, items, &n_items);
    while (n_items > 0) {
        int item = items[--n_items], inner = b->nodes[item].loop;
        if (inner == loop) {
            result[(*n_result)++] = item;
            continue;
        }
        while (b->loops[inner].parent != loop)
            inner = b->loops[inner].parent;
        arrange(b, inner, result, n_result);
    }
}

/* Computes post-dominators by the same method on the reversed graph. A loop without exit is assumed to end at its last
 * node. */
static void post_dominators(struct cfg *cfg)
{
    int n = cfg->n;
    bool *ends = arena_alloc(n + 1), *reaches = arena_alloc(n + 1);
    for (int i = 0; i < n; i++)
        ends[i] = cfg->nodes[i].n_succ == 0;
    for (;;) {
        for (bool changed = true; changed;) {
            changed = false;
            for (int i = n - 1; i >= 0; i--) {
                bool now = ends[i];
                for (int s = 0; s < cfg->nodes[i].n_succ; s++)
                    now |= reaches[cfg->nodes[i].succ[s]];
                changed |= now != reaches[i];
                reaches[i] = now;
            }
        }
        int stuck = n - 1;
        while (stuck >= 0 && reaches[stuck])
            stuck--;
        if (stuck < 0)
            break;
        ends[stuck] = true;
    }
    /* This is the reverse post-order of the reversed graph. */
    int *order = arena_alloc((n + 1) * sizeof(int)), *position = arena_alloc((n + 1) * sizeof(int)), n_order = n + 1;
    int *stack = arena_alloc((n + 1) * sizeof(int)), *next = arena_alloc((n + 1) * sizeof(int)), depth = 0;
    bool *seen = arena_alloc(n + 1);
    seen[n] = true;
    stack[depth++] = n;
    while (depth > 0) {
        int at = stack[depth - 1], to = -1;
        if (at == n) {
            while (next[n] < n && (!ends[next[n]] || seen[next[n]]))
                next[n]++;
            to = next[n] < n ? next[n] : -1;
        } else {
            while (next[at] < cfg->nodes[at].n_pred && seen[cfg->nodes[at].pred[next[at]]])
                next[at]++;
            to = next[at] < cfg->nodes[at].n_pred ? cfg->nodes[at].pred[next[at]] : -1;
        }
        if (to >= 0) {
            seen[to] = true;
            stack[depth++] = to;
        } else {
            order[--n_order] = at;
            depth--;
        }
    }
    for (int i = 0; i <= n; i++)
        position[order[i]] = i;
    int *ipdom = arena_alloc((n + 1) * sizeof(int));
    for (int i = 0; i < n; i++)
        ipdom[i] = -1;
    ipdom[n] = n;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 1; i <= n; i++) {
            int node = order[i], result = ends[node] ? n : -1;
            for (int s = 0; s < cfg->nodes[node].n_succ; s++) {
                int other = cfg->nodes[node].succ[s];
                if (ipdom[other] < 0)
                    continue;
                if (result < 0)
                    result = other;
                while (result != other) {
                    while (position[result] > position[other])
                        result = ipdom[result];
                    while (position[other] > position[result])
                        other = ipdom[other];
                }
            }
            changed |= ipdom[node] != result;
            ipdom[node] = result;
        }
    }
    for (int i = 0; i < n; i++)
        cfg->nodes[i].ipdom = ipdom[i];
}

struct cfg *cfg_build(LLVMValueRef function)
{
    /* 1. Find nodes and edges. */
    struct builder b = {
        .capacity = 64, .nodes = arena_alloc(64 * sizeof(struct node)), .first = map_new(), .last = map_new()};
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        split_block(&b, block);
    connect(&b);

    /* 2. Find loops. */
    dominators(&b);
    if (!find_loops(&b))
        return NULL;

    /* 3. Give nodes their final numbers. Unreachable nodes are dropped. */
    int *order = arena_alloc(b.n * sizeof(int)), *number = arena_alloc(b.n * sizeof(int)), n = 0;
    arrange(&b, -1, order, &n);
    for (int i = 0; i < b.n; i++)
        number[i] = -1;
    for (int i = 0; i < n; i++)
        number[order[i]] = i;
    struct cfg *cfg = arena_alloc(sizeof *cfg);
    *cfg = (struct cfg){function,
                        n,
                        b.n_loops,
                        arena_alloc(n * sizeof(struct node)),
                        arena_alloc((b.n_loops + 1) * sizeof(struct loop)),
                        map_new(),
                        map_new()};
    for (int i = 0; i < n; i++) {
        struct node *node = &cfg->nodes[i];
        *node = b.nodes[order[i]];
        int n_pred = 0;
        for (int s = 0; s < node->n_succ; s++)
            node->succ[s] = number[node->succ[s]];
        for (int p = 0; p < node->n_pred; p++)
            if (number[node->pred[p]] >= 0)
                node->pred[n_pred++] = number[node->pred[p]];
        node->n_pred = n_pred;
    }
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        map_set(cfg->first_node, block, number[map_get(b.first, block)]);
        map_set(cfg->last_node, block, number[map_get(b.last, block)]);
    }
    for (int l = 0; l < b.n_loops; l++) {
        const struct raw_loop *raw = &b.loops[l];
        struct loop *loop = &cfg->loops[l];
        *loop = (struct loop){number[raw->header], number[raw->header], raw->parent, raw->depth};
        for (int i = 0; i < b.n; i++)
            if (raw->has[i] && number[i] > loop->last)
                loop->last = number[i];
    }
    post_dominators(cfg);
    return cfg;
}

bool cfg_calls(const struct cfg *cfg, enum call_kind kind)
{
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (calls_kind(i) == kind)
                return true;
    return false;
}

bool cfg_is_innermost(const struct cfg *cfg, int loop)
{
    for (int l = 0; l < cfg->n_loops; l++)
        if (cfg->loops[l].parent == loop)
            return false;
    return true;
}

bool cfg_minds_others(const struct cfg *cfg, int loop)
{
    for (int at = cfg->loops[loop].header; at <= cfg->loops[loop].last; at++) {
        if (cfg->nodes[at].barrier)
            return true;
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            enum call_kind kind = calls_kind(i);
            if (kind == CALL_FENCE || kind == CALL_TILE_FENCE || kind == CALL_ABORT || LLVMIsAFenceInst(i))
                return true;
        }
    }
    return false;
}
