/* SPDX-License-Identifier: MIT
 *
 * The control flow of a prepared kernel, for the passes after `prepare`. LLVM's C API does not reach LLVM's own
 * analyses. A node is a basic block, or the part of one up to a barrier: the barrier's call ends its node. Nodes are
 * numbered so that every edge except a loop's back edges goes to a higher number, and so that a loop's nodes are
 * contiguous, its header first; node 0 is the entry. */
#pragma once

#include "base/map.h"
#include "kernel/calls.h"

#include <llvm-c/Core.h>
#include <stdbool.h>

struct node {
    LLVMBasicBlockRef block;
    LLVMValueRef first;   /* instruction */
    LLVMValueRef end;     /* the instruction after the last one; NULL at the end of the basic block */
    LLVMValueRef barrier; /* the call that ends the node; NULL if the block's terminator does */
    int n_succ, succ[2];
    int n_pred, *pred;
    int loop;  /* the innermost one, or -1 */
    int ipdom; /* immediate post-dominator; cfg->n: the end of the function */
};

struct loop {
    int header, last; /* the loop's nodes are [header, last] */
    int parent;       /* or -1 */
    int depth;        /* 1 for an outermost loop */
};

struct cfg {
    LLVMValueRef function;
    int n, n_loops;
    struct node *nodes;
    struct loop *loops;
    struct map *first_node, *last_node; /* of a basic block */
};

/* Builds the graph of `function`, which must have no switches. Returns NULL if a loop is irreducible. */
struct cfg *cfg_build(LLVMValueRef function);

/* Whether the function has a call of this kind. */
bool cfg_calls(const struct cfg *cfg, enum call_kind kind);
/* Whether a loop contains no other loops. */
bool cfg_is_innermost(const struct cfg *cfg, int loop);
/* Whether it matters for what a loop does how far other threads are: it has a barrier or a fence, or may end the
 * launch. */
bool cfg_minds_others(const struct cfg *cfg, int loop);

/* Whether `node` lies in `loop` (-1: the whole function). */
bool cfg_in_loop(const struct cfg *cfg, int node, int loop);

/* Whether control gets to `node` only through `first`. */
bool cfg_dominates(const struct cfg *cfg, int first, int node);

/* Marks the nodes to which control may get after `node`. */
void cfg_mark_after(const struct cfg *cfg, int node, bool *marks);

/* Returns the only node from which the loop goes back to its header; -1 if there are several. */
int cfg_latch(const struct cfg *cfg, int loop);

/* Returns the node that alone decides whether the loop is left; -1 if there are several, or none. */
int cfg_only_exit(const struct cfg *cfg, int loop);

/* Whether the edge goes from inside a loop back to its header. */
bool cfg_is_back_edge(const struct cfg *cfg, int from, int to);
