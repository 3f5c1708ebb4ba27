/* SPDX-License-Identifier: MIT
 *
 * What is decided about a kernel for a target before its code is made: how many threads run together, and how they run
 * each access and call. A plan does not change: emitters carry it out, and descriptors and the report describe it. */
#pragma once

#include "kernel/members.h"
#include "kernel/shape.h"
#include "kernel/stretch.h"

/* How the lanes of a load or store reach memory. */
enum access {
    ACCESS_UNIFORM,     /* one scalar for all */
    ACCESS_CONTIGUOUS,  /* one vector */
    ACCESS_REVERSED,    /* one vector, last element first */
    ACCESS_STRIDED,     /* elements N apart, for a small N: N vectors, shuffled; under a mask like the next */
    ACCESS_STRETCHES,   /* each lane's next elements, for several iterations of a loop, as vectors, transposed */
    ACCESS_GUESS,       /* one vector if the lanes' places turn out to lie side by side, or a scalar if they turn out to
                           be one, else a gather or scatter */
    ACCESS_APART,       /* elements in tile memory a known distance apart: scalars, of all lanes even under a mask */
    ACCESS_GATHER,      /* gather or scatter */
    ACCESS_LANE_BY_LANE /* scalars, one after another */
};

/* How the lanes of a call or an atomic operation run it. */
enum work {
    WORK_NONE, /* none: it informs the optimiser, or affects control and order, as barriers, fences and amp_abort do */
    WORK_ONCE, /* once for all of them */
    WORK_SUM,  /* with a vector of the box, for which there is one atomic operation at the end (sums.h) */
    WORK_VECTOR,      /* LLVM's intrinsic for vectors */
    WORK_MATH,        /* the math library's vector function */
    WORK_LANE_BY_LANE /* one lane after another */
};

/* The most bytes of a vector of one lane's members, and of a word of them. */
enum { PIECE_BYTES = 16, WORD_BYTES = 8 };

/* How a body runs an instruction. */
struct way {
    enum access access;
    int apart; /* for ACCESS_STRIDED, _APART and _GUESS, and if `by_scalars`, also _GATHER: the distance between the
                  elements of neighbouring lanes, */
    const struct members *members; /* for ACCESS_STRIDED and _GATHER: accesses that are done together, or NULL, */
    bool gathers_words;            /* and whether those that fit into a word are gathered as such */
    bool blends, hides; /* whether a contiguous store under a mask stores what lanes that are off have there, too, and
                           whether LLVM must not see that, because it would make a store under a mask again; */
    bool owns;    /* whether it does so unless there are fewer threads than lanes, since each has read its element */
    bool is_own;  /* whether it is to interleaved memory of the lanes, which can be read and blended whoever is on */
    bool in_page; /* whether a contiguous load under a mask, which the target does not have, may read more of a page */
    bool is_between; /* whether one needs no mask in full vectors, because what lies around it has been read */
    long next;    /* how far the place is that a load asks for, of a tile or block after its own, in bytes; 0: none */
    bool is_soon; /* whether it comes so soon that it may take room in the first cache; if not, in the second one */
    const struct stretch *stretch; /* for ACCESS_STRETCHES, */
    int length;                    /* how many elements of each lane are loaded ahead, `at_once` with a vector; */
    bool can_skip;                 /* and whether such a load can be masked, or those of `members` */
    bool by_steps;                 /* whether a comparison is one of distances from lane 0, which bytes can hold */
    bool by_scalars;               /* whether a gather or scatter in which all lanes are on is scalars, */
    bool loads_all;                /* and whether a gather is under a mask, too: of all lanes, without branches */
    enum work work;
    LLVMValueRef sum;     /* for WORK_SUM: the first operation that adds to the same sum; */
    bool together, moves; /* only while all lanes run it together; its element may differ from block to block */
    const char *function; /* for WORK_MATH: the library's, which takes `at_once` lanes */
    int at_once;          /* or elements of a stretch */
};

/* How many threads one pass over the body handles: `vectors` of `lanes` each along the last dimension, in `rows` rows.
 * With one lane, the vectors are scalars, which need not be neighbours. */
struct block {
    int lanes, rows, vectors;
    int tiles; /* that share the rows equally; 0 and 1: one tile */
};

/* Code for a block of threads. An emitter may also make it for fewer rows and vectors. */
struct body {
    struct block block; /* lanes are 0 if there is no such body */
    const struct shapes *shapes;
    const struct way *ways; /* by the instructions' numbers in `shapes` */
    int n_blocks;           /* how many blocks a tile takes */
    int sum_chains;         /* how many partial sums a sum of the box has at most (sums.h) */
    const bool *whole;  /* by node: whether it has a version without a mask, for when all lanes are on; NULL: none; */
    const bool *serial; /* and whether the other version runs for one lane after another */
    const struct stretch_sums *const *stretch_sums; /* by node: how it adds up stretches; NULL: it does not */
};

/* Vectors that a loop reads and that are the same for all rows of the domain. The body that handles the first rows of a
 * box copies them, one iteration after another, into a panel: memory of the worker, without gaps. For the rows below,
 * the loop reads the panel. When the panel is full, the loop pauses, and goes on when all rows have come as far.
 * Several columns of blocks do so together. */
struct panel {
    int loop;        /* in the graph */
    const int *ends; /* by the loads' numbers in the shapes: where an iteration's copy ends, in bytes; 0: it has none */
    int bytes;       /* of the copies of an iteration */
    int iterations;  /* that the panel has room for */
    int strips;      /* columns of blocks that are done together, with a panel each */
    /* The same by the numbers of values that differ between rows, but not between columns: where the copies for all
     * rows of a block end. */
    const int *row_ends;
    int row_bytes;
    int saved_bytes; /* what a block keeps while its loop pauses; a multiple of PANEL_ALIGN, as is `bytes` */
    int least_rows;  /* that a box must have, */
    int most_rows;   /* and that use a panel before it is filled again; a multiple of a block's rows */
};
enum { PANEL_ALIGN = 64 };

/* Vectors that a loop of a tile reads and that are the same for all tiles below one another, or for all tiles of a row.
 * The first of these tiles copies them, round by round, and the others read the copies (strip.c). */
struct strip {
    const struct body *body; /* of these tiles: the plan's `body`, or `inner` if no tile of a box is at a border */
    const int *ends; /* by the loads' numbers in the shapes: where a round's copy ends, in bytes; 0: it has none */
    const bool *is_of_row; /* by the loads' numbers: it is among the copies for a row of tiles */
    struct copies {
        int bytes;  /* of a round; those for a row may be none */
        int rounds; /* of a tile that have copies, at most */
    } of_column, of_row;
    int blocks;                     /* of a tile */
    int least_rows;                 /* of tiles that a box must have */
    const bool *reads, *ends_round; /* by node: it reads such vectors; its barrier ends a round */
};
enum {
    COLUMNS_BYTES = 2 << 20, /* of the copies for columns that are in use: a core's share of a third-level cache, */
    ROW_BYTES = 512 << 10    /* and for a row: half of a second-level cache */
};

/* Elements that the threads of a GPU's block read in common in a loop, which they copy to the block's memory, some
 * iterations at a time (stage.c). */
enum { STAGE_MOST = 4 };
struct stage {
    struct stretch counts; /* how the loop counts; it is one basic block */
    int side;              /* threads of a block along either dimension */
    int depth;             /* iterations of a round */
    int group;             /* points of a thread that are neighbours, along either dimension */
    int n;
    struct staged {
        LLVMValueRef load;
        int dimension;      /* along which its element differs: 1 for rows, 2 for columns; */
        bool along_counter; /* elements of successive iterations are neighbours in memory, not those of points */
        int bytes;          /* of an element */
        int places, pad;    /* in the block's memory, for an iteration: as many as points, and unused ones */
    } loads[STAGE_MOST];
};

/* What a thread takes, in cycles. Only the ratio says something: nobody knows how often a loop runs. */
struct cost {
    double lanes; /* in lanes, */
    double one;   /* and one thread after another */
};

enum { N_RESTS = 5 }; /* of 64 or 32 lanes and less */

struct plan {
    const struct kernel *kernel;
    const struct cfg *cfg;
    const struct shapes *truth;      /* with threads side by side, even where the body has one lane */
    struct body body;                /* for any threads of the domain, or of one tile */
    const struct panel *panel;       /* for full blocks of `body`; NULL: there is none */
    const struct row_loads *by_row;  /* made once for each row of a box; NULL: there are none */
    const struct strip *strip;       /* for the tiles of a body; NULL: there is none */
    const struct requests *requests; /* for tiles that run region by region; NULL: there are none */
    struct body tiles;               /* for several tiles side by side */
    struct body inner;               /* for blocks, or tiles, away from the borders of the domain (borders.c) */
    struct body inner_rest[N_RESTS]; /* and for fewer and fewer threads; those after the last have no lanes */
    struct body alone;               /* for single threads at borders; without lanes: `body` runs there */
    struct body rest;                /* for what blocks of `body` leave over, if they have more lanes than a vector */
    struct body single;              /* for single threads of a tile, */
    bool *one_by_one;                /* which run these nodes one after another; NULL: none. `lanes` notes it */
    const bool *windows;             /* the nodes that a window of a tile's threads runs (windows.h); NULL: none */
    struct body tried;               /* with 16 lanes: what it would do decides whether lanes are used */
    struct cost cost;                /* by that body */
    const char *why_scalar;          /* why the body has one lane */
    const struct plan *far;          /* for boxes of many bytes; NULL: the same as for others */
    bool only_reads;                 /* so that all processors run that plan, not only AMD's */
    int bytes_of_thread;             /* that it accesses in arrays, next to its neighbours' */
    const struct plan *fast;         /* for processors that scatter fast, in lanes; NULL: the same as for others */
    unsigned store_line;             /* of the source, which copies into tile memory what is read without; 0: none */
    unsigned division_line;          /* of the source, which makes rows and columns of a flat index; 0: none does */
    LLVMValueRef convoy_test;        /* whether a thread of a convoy takes part in an iteration; NULL: all do */
    LLVMValueRef convoy_call;        /* ends a turn */
    int convoy;                      /* how many tiles, or blocks, a convoy has at most */
    int turn;                        /* how many iterations one of them does at most before the next one's turn */
    bool is_described;               /* one thread runs at a time, and debuggers find its variables */
    long tile_room;            /* bytes before and after each tile_static variable that lanes may reach that are off */
    const struct stage *stage; /* for blocks of a GPU; NULL: there is none */
    int threads[3];            /* of the grid's block, by dimension of the box */
};

/* Plans the prepared kernel in an image. On GPUs a body has one lane; its rows and vectors are the points of a
 * thread. */
const struct plan *plan_lanes(const struct unit *unit, const struct image *image, const struct kernel *kernel);
/* Plans an entry for convoys (convoy.c), of which only `body` and `single` are planned. */
const struct plan *plan_convoys(const struct unit *unit, const struct image *image, const struct kernel *kernel);
const struct plan *plan_points(const struct unit *unit, const struct image *image, const struct kernel *kernel);

/* Returns the body that descriptors and the report describe: where tiles share a block, that of several tiles. */
const struct body *plan_main_body(const struct plan *plan);

/* Returns how a body runs a load, store, call or atomic operation. */
static inline const struct way *plan_way(const struct body *body, LLVMValueRef instruction)
{
    return &body->ways[map_get(body->shapes->numbers, instruction)];
}

/* Whether lanes divide in double, by the instruction's type and divisor. There are no vector instructions for integers;
 * LLVM multiplies if the divisor is a constant. */
static inline bool plan_divides_in_double(LLVMValueRef division)
{
    LLVMTypeRef type = LLVMTypeOf(division);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMIsAConstant(LLVMGetOperand(division, 1)))
        return false;
    unsigned bits = LLVMGetIntTypeWidth(type);
    return bits == 8 || bits == 16 || bits == 32;
}
