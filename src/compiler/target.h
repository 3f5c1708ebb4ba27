/* SPDX-License-Identifier: MIT
 *
 * What kernels are compiled for. A target is a folder with one const table, and a line in targets.c. Passes read the
 * table; outside of its folder nothing names a target. There are two kinds: on a processor the lanes of a vector are
 * threads, and the pass `lanes` makes loops around them; on a GPU a grid of threads runs the kernel, which the pass
 * `grid` makes for it. */
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
    int tile_bytes;     /* that the tile_static variables of a tile may take, */
    int tile_align;     /* and what each of them is aligned to at least */
    bool converts_half; /* has instructions between half and float; */
    bool computes_half; /* and with half, and between it and other types */

    /* Of a processor. */
    int vector_bits;  /* of its widest vectors that hold integers, too */
    int kept_vectors; /* that a loop may carry from pass to pass in registers */
    int loop_vectors; /* that a loop may need at once which its lanes leave one by one */
    int masked_bytes; /* the narrowest elements that a load under a mask may have; 0: there is no such load */
    bool has_masks;   /* has registers for masks, and arithmetic under them: AVX-512 */
    bool has_libmvec; /* can call glibc's mathematics for vectors */
    int stack_align;  /* bytes that vectors want of the stack; 0: what the ABI grants */
    int gather_cost;  /* operations of floating point that an element of a gather takes as long as */

    /* Of a GPU. */
    int block_threads;   /* of a block of an untiled kernel; */
    int block_rows;      /* of them, if there are rows; */
    int many_rows;       /* if threads take several points */
    int block_depth;     /* the most threads along the slowest of three dimensions */
    int points;          /* that a thread takes at most: values that a loop carries in registers */
    int parameter_bytes; /* the most that a kernel can have */
};

/* How a thread asks where it is. */
enum place_of { PLACE_OF_THREAD, PLACE_OF_BLOCK };

struct target {
    const char *backend; /* of the runtime, which runs the code */
    const char *triple;  /* NULL: the source's */
    struct facts facts;  /* of a processor that `parse` does not know better */
    bool has_grid;       /* it is a GPU */

    /* The names that are meant if the command line has none, separated by spaces; NULL: there are none. */
    const char *(*standard)(const struct unit *unit);
    /* Fills in what is special about the processor that `image` is named after; NULL: nothing. False after errors. */
    bool (*parse)(struct unit *unit, struct image *image);

    /* ---- of a GPU ---- */

    const char *names;           /* of its processors, separated by spaces */
    bool is_hidden;              /* messages do not list them: for tests */
    const char *functions;       /* of amp_math.h that `lower` has better code for, separated by spaces; NULL: none */
    int array_space, tile_space; /* address spaces of arrays and tables, and of tile_static variables */
    LLVMCodeGenFileType code;    /* what its code is: text, or an object file */
    /* Turns what kernels call, and atomic operations, into what the GPU has for it; reports what it has nothing for. */
    void (*lower)(struct unit *unit, struct image *image);
    LLVMValueRef (*place)(LLVMBuilderRef builder, enum place_of what, char axis);
    /* Makes a function a kernel for blocks of `threads`, x, y, z, with an argument block and a box as parameters; NULL:
     * any function can be one. */
    void (*begin_kernel)(LLVMValueRef function, const int threads[3], LLVMTypeRef args, unsigned args_align);
    /* Changes optimised code before code generation; NULL: nothing is to be done. */
    void (*finish)(const struct unit *unit, struct image *image);
    /* Reports all kernels, as JSON if that is not NULL, else on stderr; NULL: there is nothing to say. */
    void (*report)(struct unit *unit, int image, struct text *json);
};

/* All of them; NULL ends the list. */
extern const struct target *const targets[];

/* Fills in the unit's images: what the command line names, or what is usual. False after errors. */
bool targets_choose(struct unit *unit);

/* Of the target that has least memory for a tile: kernels have to do with that. */
const struct facts *targets_least_tile(void);

/* Whether the target, or any if it is NULL, has code of its own for a function of amp_math.h. */
bool targets_has_function(const struct target *target, const char *name);

LLVMTargetMachineRef targets_machine(const char *triple, const char *cpu, const char *features,
                                     LLVMCodeGenOptLevel level);
