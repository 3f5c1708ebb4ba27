/* SPDX-License-Identifier: MIT
 *
 * What `ampcc` puts into an object file for `libamp` to find: the one truth for both. The build also embeds the text
 * below the pragma in ampcc, which writes it behind the user's translation unit; so it holds plain C11 declarations
 * only, without directives and without other headers' names. */
#pragma once

/* The version of all that stands here: the runtime refuses objects with another one. */
enum { AMP__ABI = 6 };

/* A bound of an array parameter. */
struct amp__dim {
    const char *text; /* as the user wrote it: "M", "N+2", "16" */
    int param;        /* the integer parameter that stands alone here, counted in `params`; -1 for any other bound */
};

/* A parameter behind the index, in the order of declaration. */
struct amp__param {
    const char *name;
    const char *type_name;       /* as in the source, without bounds: "float", "struct point" */
    int kind;                    /* 0 scalar, 1 struct, 2 array, 3 bound: an integer read from the views, not passed */
    int type;                    /* amp_type of the scalar, the bound, or the array's elements */
    int read_only;               /* array of const elements */
    int rank;                    /* of an array, 1 to 8; else 0 */
    unsigned long size_bytes;    /* of the scalar, struct, or one element */
    unsigned long offset;        /* of its value (of an array: of the pointer) in the argument block */
    unsigned long align;         /* of the scalar, struct, or one element, in bytes */
    const struct amp__dim *dims; /* `rank` bounds, slowest first */
};

/* What a device's driver loads: the kernels of a source file for one target, in one object for all of them. */
struct amp__code {
    const char *text; /* "cuda": PTX. A 0 follows that `bytes` does not count; binary code may have others */
    unsigned long bytes;
};

/* A kernel of rank R above 3 runs over boxes whose slowest dimension is the product of the domain's R - 2 slowest ones.
 * From this, at `flat` in its argument block, it finds its index: the launch fills it. */
struct amp__flat {
    long long first; /* the number, in that product, of the first point of the box's slowest dimension */
    int extent[6];   /* of the domain, in the R - 2 dimensions */
};

/* Code of a kernel for one target. */
struct amp__image {
    const char *backend; /* "cpu", "cuda"; NULL ends the list */
    const char *target;  /* "x86-64-v4", "baseline", "sm_75"; ascending: the last one that the machine has is used */
    /* Runs the box {begin0, end0, begin1, end1, begin2, end2} of the domain, in threads or, for a tiled kernel, in
     * tiles; slowest dimension first, absent leading dimensions are 0, 1. `args` is the argument block. */
    void (*run)(const void *args, const int *box);
    /* For a device: where the kernel is, and its name there. The device runs it over boxes as `run` does, one thread of
     * the device per thread; `entry` with "_many" behind it, if there is one, has threads of several points each. The
     * parameters are the argument block and the box, both by value. docs/gpu.md says all that a backend must pass. */
    const struct amp__code *code;
    const char *entry;
    /* cpu: lanes, rows, vectors of the block that `run` handles at once, and the bytes that its arrays take on the
     * stack; what the code generator adds to them, registers for the most part, is not known.
     * A device: the threads of a block, the points of the domain that a block of `entry` takes, and those that one of
     * `entry`_many takes (0: there is none), three numbers each, slowest dimension first. */
    const int *geometry;
};

struct amp__kernel {
    unsigned abi;
    void (*address)(void); /* what a launch passes */
    const char *name;
    const char *file;
    int line;
    int rank;        /* of the index, 1 to 8; of a tiled one, 1 to 3 */
    const int *tile; /* its size in `rank` dimensions; NULL if untiled */
    int n_params;
    const struct amp__param *params;
    unsigned long args_bytes; /* the argument block */
    unsigned long args_align;
    unsigned long flat; /* offset of struct amp__flat in the argument block, of kernels of rank above 3; else 0 */
    /* Evaluates all bounds of all array parameters, in order, into `bounds`. */
    void (*bounds)(const void *args, long long *bounds);
    const struct amp__image *images;
    struct amp__kernel *next;            /* the runtime's list */
    const struct amp__image *of_machine; /* the runtime's: what `cpu` runs of `images`, from the first launch on */
};

/* Called by kernels on `cpu`: amp_abort, behind which they return. */
void amp__abort(const char *text);

/* Called by constructors and destructors of objects and shared libraries, in any order and from any thread. */
void amp__register_kernels(struct amp__kernel *kernels, int n);
void amp__unregister_kernels(struct amp__kernel *kernels, int n);
