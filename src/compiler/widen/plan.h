/* SPDX-License-Identifier: MIT
 *
 * What is decided of a kernel for a target before its code is made: how many threads run together, and how they run
 * each access and call. Nothing changes a plan: emitters carry it out, descriptors and the report say what it is. */
#pragma once

#include "kernel/shape.h"

/* How the lanes of a load or store reach memory. */
enum access {
    ACCESS_UNIFORM,     /* one scalar for all */
    ACCESS_CONTIGUOUS,  /* one vector */
    ACCESS_REVERSED,    /* one vector, last element first */
    ACCESS_STRIDED,     /* elements a few apart: as many vectors, shuffled; under a mask like the next */
    ACCESS_GATHER,      /* gather or scatter */
    ACCESS_LANE_BY_LANE /* scalars, one after the other */
};

/* How the lanes of a call or an atomic operation run it. */
enum work {
    WORK_NONE,        /* it informs the optimiser, or is about control and order: barriers, fences, amp_abort */
    WORK_ONCE,        /* for all of them together */
    WORK_VECTOR,      /* LLVM's intrinsic for vectors */
    WORK_MATH,        /* the math library's function for vectors */
    WORK_LANE_BY_LANE /* one after the other */
};

/* How a body runs an instruction. */
struct way {
    enum access access;
    int apart; /* of ACCESS_STRIDED: how many elements lie from one lane's to the next lane's */
    enum work work;
    const char *function; /* of WORK_MATH: the library's, which takes `at_once` lanes */
    int at_once;
};

/* How many threads one pass over the body handles: `vectors` of `lanes` each along the last dimension, in `rows` rows.
 * With one lane, the vectors are scalars, which need not be neighbours. */
struct block {
    int lanes, rows, vectors;
    int tiles; /* that the rows belong to, each to the same number; 0 and 1: to one */
};

/* Code for a block of threads. An emitter may also make it for fewer rows and vectors. */
struct body {
    struct block block; /* lanes 0: there is no such body */
    const struct shapes *shapes;
    const struct way *ways; /* by the instructions' numbers in `shapes` */
};

struct plan {
    const struct kernel *kernel;
    const struct cfg *cfg;
    const struct shapes *truth; /* with threads side by side, also where the body has one lane */
    struct body body;           /* any threads of the domain, or of one tile */
    struct body tiles;          /* several tiles side by side */
    struct body inner;          /* away from the borders of the domain, where all `comparisons` are uniform, */
    struct body border;         /* and what lies between two blocks of that body */
    const struct map *comparisons;
    struct body tried;      /* with 16 lanes: what it would do decides whether there are lanes */
    const char *why_scalar; /* of a body with one lane */
    int n_blocks;           /* that a tile takes */
    int threads[3];         /* of a GPU's block, by dimension of the box */
};

/* Plans the prepared kernel in an image. On GPUs a body has one lane; its rows and vectors are the points of a
 * thread. */
const struct plan *plan_lanes(const struct unit *unit, const struct image *image, const struct kernel *kernel);
const struct plan *plan_points(const struct unit *unit, const struct image *image, const struct kernel *kernel);

/* The body that descriptors and the report tell of: where tiles share a block, that of several tiles. */
const struct body *plan_main_body(const struct plan *plan);

/* How a body runs an instruction that is a load or store, a call or an atomic operation. */
const struct way *plan_way(const struct body *body, LLVMValueRef instruction);
