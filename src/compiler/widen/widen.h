/* SPDX-License-Identifier: MIT
 *
 * Emits a kernel's nodes for a block of threads at once: lanes x rows x vectors. lanes.c makes the loops around it,
 * over the domain and over the threads of a tile. */
#pragma once

#include "widen/plan.h"

enum { MAX_INSTANCES = 64 };

/* An instance of a value is one scalar or vector for row `row` and vector `vector` of the block; a value that does not
 * differ between rows or vectors has only the instances with number 0. */
struct widener {
    const struct kernel *kernel;
    const struct cfg *cfg;
    const struct shapes *shapes;
    const bool *whole;                              /* as the body's, */
    const bool *serial;                             /* too, */
    const struct stretch_sums *const *stretch_sums; /* and this; NULL: there are none */
    const struct way *ways;                         /* by the instructions' numbers in `shapes` */
    struct block block;

    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    LLVMValueRef function; /* being made */
    LLVMBuilderRef builder;
    LLVMBasicBlockRef entry;           /* the entry block of `function`, which allocates all slots */
    LLVMMetadataRef no_location;       /* debug location for code that belongs to no line */
    unsigned copy;                     /* distinguishes this emission of nodes from others, for debuggers */
    const struct variables *variables; /* that debuggers shall find; NULL: none */

    LLVMValueRef *parameters; /* of the kernel's entry, MAX_INSTANCES each; the caller sets them before emission */
    struct private
    {
        LLVMValueRef variable, memory;         /* the kernel's alloca; space for all threads' copies of it */
        LLVMValueRef instances[MAX_INSTANCES]; /* the first lane's copy; the caller sets these, too */
        LLVMValueRef place; /* where debuggers find the address of the first of them; with `variables` */
    }
    *privates;
    int n_privates;
    LLVMValueRef *known;    /* by number: the result of a comparison that is known before; the caller sets these, too */
    LLVMValueRef base_mask; /* lanes that exist; NULL: all. Only for vectors == 1 */

    struct slot {
        LLVMValueRef value[MAX_INSTANCES]; /* where uses in other nodes find the value */
        LLVMValueRef phi[MAX_INSTANCES];   /* where the predecessors of a phi leave what comes in */
        /* Of a load of stretches: how many of the elements loaded ahead were used; these; the addresses of all lanes;
         * the vectors that an unrolled loop uses, of one instance after the other. */
        LLVMValueRef used, ahead, addresses, *squares;
        bool is_unrolled;     /* its loop */
    } *slots;                 /* by the value's number in `shapes` */
    struct map *node_of;      /* the node of each instruction */
    bool *crosses;            /* by number: used in a node other than the one that computes it */
    bool recompute;           /* set by the caller: nodes are far apart, so each computes cheap values itself */
    bool *recomputed;         /* by number: has no slot, because each node computes it */
    LLVMValueRef *mask_slots; /* by node: the lanes that wait to run it */
    LLVMValueRef (*predicates)[MAX_INSTANCES]; /* by node, if predicated: slots for the lanes of each instance, */
    LLVMValueRef *all_on;                      /* and for whether these are all lanes of all instances */
    struct tile_memory {
        LLVMValueRef variable, memory, first, all; /* of the tile, or tiles, being emitted; of the first ones of a
                                                      convoy; `all`: with the plan's `tile_room` */
    } *tile_memory; /* tile_static variables and where they are, one tile after another (widen_tile_stride) */
    int n_tile_memory;
    bool *changes_at_barriers;      /* by variable: LLVM is told so (leave_in_memory) */
    long tile_room;                 /* that they have, see struct plan */
    const struct panel_use *panel;  /* NULL: none */
    struct strip_use *strip;        /* NULL: none */
    struct stage_use *stage;        /* NULL: none */
    struct sums *sums;              /* NULL: none wait */
    const struct row_loads *by_row; /* NULL: none; */
    LLVMValueRef *row_values;       /* and what they have read (row_loads.h) */
    int sum_chains;                 /* as the body's */
    /* Returns whether an instance is a point of the domain; only those that are store anything. NULL: all are. */
    LLVMValueRef (*is_inside)(const struct widener *w, int row, int vector);

    /* These are valid while one copy of the nodes is emitted. */
    LLVMBasicBlockRef *blocks; /* by node */
    LLVMBasicBlockRef *bodies; /* by masked node: its code, after the test whether lanes wait for it */
    const bool *in_copy;       /* by node */
    int start;                 /* the node at which the copy is entered */
    LLVMValueRef (*cache)[MAX_INSTANCES];
    int *cache_node; /* by number: the node for which `cache` holds it, plus 1 */
    int node;
    int unrolled; /* the iteration that the node is emitted for where its loop is unrolled, from 1 on; 0: elsewhere */
    LLVMValueRef mask; /* lanes that run the node; NULL: all */
    bool is_whole;     /* whether all lanes of all instances run it, though it is predicated */
    struct settled {
        LLVMValueRef comparison, result; /* which it has in the copy; NULL: none. The caller sets and clears both */
    } settled[2];
    LLVMValueRef divided; /* the condition of the start node's branch: of each lane, or of all */
};

/* Prepares slots for all values of `w->cfg`; `w` has everything up to `base_mask`, `tile_memory` and `function`. */
void widen_begin(struct widener *w);

/* Emits the nodes of `in_copy`, entered at `start` from the builder's place; phis there keep what their slots hold. At
 * `end` all threads have returned. At a barrier `at_barrier` is called with the node after it, and with the builder
 * after the node's code, in a basic block without terminator; if it is NULL, control simply goes on. */
typedef void barrier_function(void *user, int next_node);
void widen_nodes(struct widener *w, const bool *in_copy, int start, LLVMBasicBlockRef end, barrier_function *at_barrier,
                 void *user);

/* Whether an instruction is emitted for every thread of the block, whatever the shape of its value. */
bool widen_has_effect(LLVMValueRef i);

/* Lists what the code for an instruction reads, in the order of its operands; returns how many values. */
int widen_uses(const struct widener *w, LLVMValueRef instruction, LLVMValueRef **uses);

/* Returns the type of a value's instances if the value has this shape. */
LLVMTypeRef widen_type(const struct widener *w, LLVMTypeRef type, struct shape shape);
/* Return how many instances a value of this shape has along each dimension of the block. */
int widen_rows(const struct widener *w, struct shape shape);
int widen_vectors(const struct widener *w, struct shape shape);

/* Returns the distance, in bytes, between the copies of a tile_static variable that the tiles of a block have. */
unsigned long long widen_tile_stride(LLVMTargetDataRef layout, LLVMValueRef variable);

/* Allocates a stack slot in the function's entry block. */
LLVMValueRef widen_slot(struct widener *w, LLVMTypeRef type, const char *name);

/* Returns the vector 0, 1, 2, ... of `type`, times `step`. */
LLVMValueRef widen_steps(const struct widener *w, LLVMTypeRef type, long step);
LLVMValueRef widen_splat(const struct widener *w, LLVMValueRef scalar);
