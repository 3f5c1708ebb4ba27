/* SPDX-License-Identifier: MIT
 *
 * Shape analysis: how each value of a kernel differs between the threads that run side by side, and where they diverge.
 * Lanes run along the last dimension of the index, rows along the one before it. */
#pragma once

#include "ampcc.h"
#include "kernel/cfg.h"

enum shape_kind {
    SHAPE_UNKNOWN, /* not reached yet; only during the analysis */
    SHAPE_UNIFORM, /* the same in all lanes */
    SHAPE_LINEAR,  /* lane i has the value of lane 0 plus i times `stride` (for pointers in bytes) */
    SHAPE_VARYING
};

struct shape {
    enum shape_kind kind;
    long stride;
    bool no_wrap;  /* for LINEAR integers: lanes differ by `stride` as signed numbers, too */
    bool positive; /* known not to be negative */
    bool rows;     /* differs along a dimension other than the last: between rows */
    bool memory;   /* came from private memory, a call or an atomic: nothing is known about how threads differ */
};

/* Which threads run together. */
enum shape_threads {
    SHAPE_LANES,  /* neighbours along the last dimension, in neighbouring rows */
    SHAPE_SCALAR, /* one by one: everything is uniform */
    SHAPE_TILES,  /* as SHAPE_LANES, but in neighbouring tiles, whose differences count as those of rows */
    /* Only for hints, because they take for granted that nothing wraps around: threads at the same place in
     * neighbouring tiles along the last dimension, in rows of tiles; or along the dimension before it. */
    SHAPE_NEXT,
    SHAPE_NEXT_ROW
};

/* What is known about an instruction, and for whom: for all lanes of a vector, or for all threads of a tile or a box.
 *
 *     comparison         its result is the same for them: always, or, with KNOWN_EACH, in each round of its loop; with
 *                        KNOWN_RESULT, it is whether KNOWN_ONE is set
 *     minimum, maximum   with KNOWN_RESULT, it is its operand 1 if KNOWN_ONE is set, otherwise 0
 *     remainder          the quotient is the same for them, nothing is negative, and the divisor is not 0 */
enum known { KNOWN_FOR_LANES = 1, KNOWN_FOR_ALL = 2, KNOWN_FOR = 3, KNOWN_RESULT = 4, KNOWN_ONE = 8, KNOWN_EACH = 16 };

struct shapes {
    const struct cfg *cfg;
    enum shape_threads threads;
    const struct map *known; /* instructions, and what is known about them; NULL: nothing is */
    int n_values;
    struct map *numbers;
    struct shape *shapes;
    bool *divergent; /* per node: its branch may send lanes to different successors */
    bool *masked;    /* per node: may run with some lanes off */
    int *exit;       /* per masked node: where all lanes of its region are together again */
    bool **regions; /* per node with two successors: the nodes between its branch and where all paths from there meet */
    bool *controls_barrier; /* per node: its branch decides whether some barrier is reached, so it is uniform */
    bool any_divergent, any_rows_branch; /* some branch differs between lanes; between rows */
    /* Per node: 1 + the node whose branch its predicates begin with (for that node, too); 0: it is not predicated.
     * Such branches stay in `divergent`, and the other nodes in `masked`, but not in `any_divergent`. NULL: none is. */
    const int *predicate;
};

/* Analyses the prepared entry of `kernel`. What `known` says, if not NULL, counts as true, because the caller ensures
 * that. */
struct shapes *shape_analyse(const struct kernel *kernel, const struct cfg *cfg, enum shape_threads threads,
                             const struct map *known);

/* Returns the shape of any value: constants and globals are uniform. */
struct shape shape_of(const struct shapes *shapes, LLVMValueRef value);

/* Returns what is known about a value; 0: nothing. */
int shape_known(const struct shapes *shapes, LLVMValueRef value);

/* Returns the operand whose value an instruction certainly has by what is known; NULL: nobody knows. */
LLVMValueRef shape_taken(const struct shapes *shapes, LLVMValueRef instruction);

/* Whether a value is a remainder that grows as the dividend does, because the quotient is known to stay the same. */
bool shape_is_known_remainder(const struct shapes *shapes, LLVMValueRef value);

/* Whether a node is predicated: each of its accesses has masks of its own. Or its branch begins with predicates. */
static inline bool shape_is_predicated(const struct shapes *shapes, int node)
{
    return shapes->predicate && shapes->predicate[node];
}

/* Whether it is predicated itself, and does not only end with such a branch. */
static inline bool shape_runs_predicated(const struct shapes *shapes, int node)
{
    return shape_is_predicated(shapes, node) && shapes->masked[node];
}

/* Whether a value compares integers, each of which is the same for all lanes or grows by one step from lane to lane. */
bool shape_compares_places(const struct shapes *shapes, LLVMValueRef value);

/* Returns the distance, in bytes, between the copies of a local variable that neighbouring threads have. */
unsigned long long shape_private_size(LLVMValueRef variable);

/* What a block of several vectors or rows would share in the kernel's loops. */
struct reuse {
    int over_rows;    /* loads of vectors that are the same in all rows */
    int over_vectors; /* loads that are the same in all lanes, but not in all rows, or of rows of scalars */
    int carried;      /* the most values per thread that a loop carries from one iteration to the next */
    bool calls;       /* calls of the math library: several vectors at once hide their latency */
};
struct reuse shape_reuse(const struct shapes *shapes);

/* Whether the branch that ends `node` decides if the barrier that ends `barrier` is reached. */
bool shape_controls(const struct shapes *shapes, int node, int barrier);
