/* SPDX-License-Identifier: MIT
 *
 * What kernels are compiled for. A target is a folder with one const table, and a line in targets.c. Passes read the
 * table; nothing outside of its folder names a target. There are two kinds. On a processor the lanes of a vector are
 * threads, and the pass `lanes` makes loops around them. On a GPU a grid of threads runs the kernel, which the pass
 * `grid` makes. */
#pragma once

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <stdbool.h>

struct image;
struct kernel;
struct text;
struct unit;

/* What the choice of code depends on. */
struct facts {
    int tile_bytes;     /* bytes that the tile_static variables of a tile may take, */
    int tile_align;     /* and the least alignment of each of them */
    bool converts_half; /* has instructions between half and float; */
    bool computes_half; /* and computes with half, and converts it from and to other types */

    /* These are for processors. */
    int vector_bits;        /* the bits of its widest vectors that also hold integers */
    int vectors;            /* how many registers for vectors it has */
    int kept_vectors;       /* how many vectors a loop may carry from one iteration to the next in registers */
    int loop_vectors;       /* how many a loop that lanes leave one by one may need at once, some of them in memory */
    int masked_bytes;       /* the narrowest elements of loads and stores under a mask; 0: there are no such ones */
    bool has_masks;         /* has mask registers, and arithmetic under masks: AVX-512 */
    bool has_libmvec;       /* can call glibc's vector math library */
    int stack_align;        /* the stack's alignment that vectors need, in bytes; 0: what the ABI guarantees */
    double gather, scatter; /* what an element of a gather and of a scatter costs, in cycles; */
    double by_scalars;      /* and where all lanes are on, and each loads or stores a scalar; 0: that is slower */
    double fast_scatter;    /* what a scatter costs where amp__scatters_fast is true; 0: all processors are alike */
    int far_ahead;          /* how many bytes ahead accesses in large boxes ask the cache; 0: they do not, */
    int far_streams;        /* nor in kernels with fewer streams, or where amp__scatters_fast is true, unless threads
                             * only read */
    int ahead;              /* `far_ahead`, in the plan for such boxes */

    /* These are for GPUs. */
    int block_threads;   /* threads of a block of the grid, for untiled kernels; */
    int block_rows;      /* how many rows they form, if there are rows, */
    int many_rows;       /* and how many if threads take several points */
    int block_depth;     /* the most threads along the slowest of three dimensions */
    int points;          /* how many values loops may carry in registers for all points of a thread */
    int parameter_bytes; /* the most bytes of parameters that a kernel can have */
    bool copies_async;   /* has asynchronous copies of 4 and 8 bytes from arrays to a block's memory */
};

/* Whether it has loads and stores under a mask of elements with so many bytes. */
static inline bool facts_can_mask(const struct facts *facts, long size)
{
    return facts->masked_bytes && size >= facts->masked_bytes;
}

/* What a thread asks about its place. */
enum place_of { PLACE_OF_THREAD, PLACE_OF_BLOCK };

struct target {
    const char *backend; /* the runtime's backend that runs the code */
    const char *triple;  /* NULL: the source's */
    struct facts facts;  /* for processors about which `parse` knows no more */
    bool has_grid;       /* whether it is a GPU */
    bool has_checks;     /* whether it runs threads one after another, as clang made them, with checks (--amp-check) */

    /* Returns the processors' names that apply if the command line has none, separated by spaces; NULL: there are
     * none. */
    const char *(*standard)(const struct unit *unit);
    /* Fills in what is special about the processor that `image` is named after; NULL: nothing is. Returns false after
     * errors. */
    bool (*parse)(struct unit *unit, struct image *image);

    /* ---- for GPUs ---- */

    const char *names;           /* the names of its processors, separated by spaces */
    bool is_hidden;              /* for tests: messages do not list the names */
    const char *functions;       /* of amp_math.h: `lower` has better code for them; separated by spaces; NULL: none */
    int array_space, tile_space; /* address spaces of arrays and tables, and of tile_static variables */
    LLVMCodeGenFileType code;    /* the kind of its code: text, or an object file */
    /* Turns calls in kernels, and atomic operations, into what the GPU has for them; reports those that it does not
     * support. */
    void (*lower)(struct unit *unit, struct image *image);
    LLVMValueRef (*place)(LLVMBuilderRef builder, enum place_of what, char axis);
    /* Lets the threads of a block wait for each other, and see what the others have written. */
    void (*barrier)(LLVMBuilderRef builder);
    /* With `copies_async`: the first starts such a copy; the second waits for all that the thread has started. */
    void (*begin_copy)(LLVMBuilderRef builder, LLVMValueRef to, LLVMValueRef from, int bytes);
    void (*end_copies)(LLVMBuilderRef builder);
    /* Makes a function a kernel for blocks of `threads` (x, y, z), of which so many must fit into a multiprocessor at
     * once, with an argument block and a box as parameters; NULL: any function can be a kernel. */
    void (*begin_kernel)(LLVMValueRef function, const int threads[3], int blocks, LLVMTypeRef args,
                         unsigned args_align);
    /* Changes optimised code before code generation; NULL: there is nothing to do. */
    void (*finish)(const struct unit *unit, struct image *image);
    /* Reports all kernels, as JSON if `json` is not NULL, otherwise on stderr; NULL: there is nothing to report. */
    void (*report)(struct unit *unit, int image, struct text *json);
};

/* All targets; NULL ends the list. */
extern const struct target *const targets[];

/* Fills in the unit's images: those that the command line names, or the usual ones. Returns false after errors. */
bool targets_choose(struct unit *unit);

/* Returns the facts of the target that has least memory for a tile: kernels must not need more. */
const struct facts *targets_least_tile(void);

/* Whether the target, or any if it is NULL, has its own code for a function of amp_math.h. */
bool targets_has_function(const struct target *target, const char *name);

LLVMTargetMachineRef targets_machine(const char *triple, const char *cpu, const char *features,
                                     LLVMCodeGenOptLevel level);
