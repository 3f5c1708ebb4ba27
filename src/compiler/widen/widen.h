/* SPDX-License-Identifier: MIT
 *
 * Emission of a kernel's nodes for a block of threads at once: lanes x rows x vectors. The loops around it, over the
 * domain and over the threads of a tile, are made by lanes.c. */
#pragma once

#include "widen/plan.h"

enum { MAX_INSTANCES = 64 };

/* An instance of a value is one scalar or vector for row `row` and vector `vector` of the block; a value that does not
 * differ between rows or vectors has its instances with number 0 only. */
struct widener {
    const struct kernel *kernel;
    const struct cfg *cfg;
    const struct shapes *shapes;
    const struct way *ways; /* by the instructions' numbers in `shapes` */
    struct block block;

    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    LLVMValueRef function; /* being made */
    LLVMBuilderRef builder;
    LLVMBasicBlockRef entry;     /* of `function`: all slots are allocated there */
    LLVMMetadataRef no_location; /* debug location of code that no line stands for */
    unsigned copy;               /* tells this emission of the body from others, for debuggers */

    LLVMValueRef *parameters; /* of the kernel's entry, MAX_INSTANCES each; set by the caller before emission */
    struct private
    {
        LLVMValueRef variable, memory;         /* the kernel's alloca; space for it of all threads */
        LLVMValueRef instances[MAX_INSTANCES]; /* that of the first lane, likewise set by the caller */
    }
    *privates;
    int n_privates;
    LLVMValueRef base_mask; /* lanes that exist; NULL: all. Only for vectors == 1 */

    struct slot {
        LLVMValueRef value[MAX_INSTANCES]; /* where uses in other nodes find the value */
        LLVMValueRef phi[MAX_INSTANCES];   /* where the predecessors of a phi leave what comes in */
    } *slots;                              /* by the value's number in `shapes` */
    struct map *node_of;                   /* the node of each instruction */
    bool *crosses;                         /* by number: used in another node than it is computed in */
    bool recompute;           /* set by the caller: nodes are far apart, so what is cheap is computed in each */
    bool *recomputed;         /* by number: has no slot for that reason */
    LLVMValueRef *mask_slots; /* by node: lanes that wait to run it */
    struct tile_memory {
        LLVMValueRef variable, memory;
    } *tile_memory; /* tile_static variables and where they are, tile behind tile (widen_tile_stride) */
    int n_tile_memory;

    /* During one copy of the nodes. */
    LLVMBasicBlockRef *blocks; /* by node */
    LLVMBasicBlockRef *bodies; /* by masked node: its code, behind the test whether lanes wait for it */
    const bool *in_copy;       /* by node */
    LLVMValueRef (*cache)[MAX_INSTANCES];
    int *cache_node; /* by number: the node that `cache` holds it for, plus 1 */
    int node;
    LLVMValueRef mask; /* lanes that run the node; NULL: all */
};

/* Prepares slots for all values of `w->cfg`; `w` has everything up to `base_mask`, `tile_memory` and `function`. */
void widen_begin(struct widener *w);

/* Emits the nodes of `in_copy`, entered at `start` from the builder's place. At `end` all threads have returned. A
 * barrier goes to what `at_barrier` gives for the node behind it, or, without that function, simply on.
 * `at_barrier` is called with the builder behind the node's code, in a block without terminator. */
typedef void barrier_function(void *user, int next_node);
void widen_nodes(struct widener *w, const bool *in_copy, int start, LLVMBasicBlockRef end, barrier_function *at_barrier,
                 void *user);

/* What the emission of an instruction reads, in the order of its operands; returns how many. */
int widen_uses(const struct widener *w, LLVMValueRef instruction, LLVMValueRef **uses);

/* The type of a value's instances, and of the value's shape in this block. */
LLVMTypeRef widen_type(const struct widener *w, LLVMTypeRef type, struct shape shape);
/* How many instances a shape has along each dimension of the block. */
int widen_rows(const struct widener *w, struct shape shape);
int widen_vectors(const struct widener *w, struct shape shape);

/* How far apart, in bytes, the copies of a tile_static variable lie that the tiles of a block have. */
unsigned long long widen_tile_stride(LLVMTargetDataRef layout, LLVMValueRef variable);

/* A stack slot in the function's entry. */
LLVMValueRef widen_slot(struct widener *w, LLVMTypeRef type, const char *name);

/* The vector 0, 1, 2, ... of `type`, times `step`. */
LLVMValueRef widen_steps(const struct widener *w, LLVMTypeRef type, long step);
LLVMValueRef widen_splat(const struct widener *w, LLVMValueRef scalar);
