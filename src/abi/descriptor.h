/* SPDX-License-Identifier: MIT
 *
 * What `ampcc` puts into an object file for `libamp` to find: the one truth for both. The build also embeds the text
 * below the pragma in ampcc, which writes it after the user's translation unit; so it holds plain C11 declarations
 * only, without directives and without other headers' names. */
#pragma once

/* The version of this file's contents. The runtime refuses objects with another version. */
enum { AMP__ABI = 17 };

/* A bound of an array parameter. */
struct amp__dim {
    const char *text; /* as the user wrote it: "M", "N+2", "16" */
    int param;        /* the integer parameter that stands alone here, counted in `params`; -1 for any other bound */
};

/* A parameter after the index, in the order of declaration. */
struct amp__param {
    const char *name;
    const char *type_name;       /* as in the source, without bounds: "float", "struct point" */
    int kind;                    /* 0 scalar, 1 struct, 2 array, 3 bound: an integer read from the views, not passed */
    int type;                    /* amp_type of the scalar, the bound, or the array's elements */
    int read_only;               /* array of const elements */
    int rank;                    /* of an array, 1 to 8; else 0 */
    unsigned long size_bytes;    /* of the scalar, struct, or one element */
    unsigned long offset;        /* of its value, or of an array's pointer, in the argument block */
    unsigned long align;         /* of the scalar, struct, or one element, in bytes */
    const struct amp__dim *dims; /* `rank` bounds, slowest first; NULL: any extents fit */
    /* Of an array that a closure captures by reference: the bytes of the object, of which the block has a copy after
     * the closure, at `offset`, and the offset of the reference in the closure. Else 0. */
    unsigned long copied, reference;
};

/* How an array or a view of C++ begins. After it come its extents, `int`, and how many elements apart neighbours lie
 * along each dimension, `long long`; all slowest dimension first. */
struct amp__captured {
    void *data;        /* its elements; in the argument block, where the kernel runs */
    void *handle;      /* amp_array or amp_array_view */
    const void *state; /* the host's */
};

/* What a device's driver loads: all kernels of a source file for one target, in one object. */
struct amp__code {
    const char *text; /* "cuda": PTX. `bytes` does not count the 0 at the end; binary code may contain others */
    unsigned long bytes;
};

/* A kernel of rank R above 3 runs over boxes whose slowest dimension is the product of the domain's R - 2 slowest ones.
 * It finds its index from this struct, which the launch fills at `flat` in the argument block. */
struct amp__flat {
    long long first; /* the number, in that product, of the first point of the box's slowest dimension */
    int extent[6];   /* of the domain, in the R - 2 dimensions */
};

/* How boxes are cut for a processor's threads: rows first, so that each has whole rows; columns first, because `run`
 * copies what the rows of a column share; both, columns more often, because it copies what rows share, too; or into
 * fewer pieces, because it copies what the rows of a flat index share. */
enum amp__cut { AMP__CUT_ROWS, AMP__CUT_COLUMNS, AMP__CUT_BOTH, AMP__CUT_LONG };

enum {
    AMP__GEOMETRY = 13, /* numbers that describe code */
    AMP__LEAST_ROW = 64 /* threads of a row of a flat index: shorter ones would leave too many lanes idle */
};

/* Which part of a box `entry`_many of a device should get: its whole blocks, if they are at least as many as the device
 * has multiprocessors; or all of it, already with fewer blocks. */
enum amp__many { AMP__MANY_FOR_WHOLE_BLOCKS, AMP__MANY_FOR_ALL };

/* Code of a kernel for one target. */
struct amp__image {
    const char *backend; /* "cpu", "cuda"; NULL ends the list */
    const char *target;  /* "x86-64-v4", "baseline", "sm_75"; ascending; the last that the machine supports is used */
    /* Runs the box {begin0, end0, begin1, end1, begin2, end2} of the domain, in threads or, for a tiled kernel, in
     * tiles; slowest dimension first, absent leading dimensions are 0, 1. `args` is the argument block. */
    void (*run)(const void *args, const int *box);
    /* For a device: where the kernel is, and its name there. The device runs it over boxes as `run` does, one thread of
     * the device per thread. If there is a function named `entry` plus "_many", its threads have several points each.
     * The parameters are the argument block and the box, both by value. docs/gpu.md lists all that a backend must
     * pass. */
    const struct amp__code *code;
    const char *entry;
    /* cpu: lanes, rows and vectors of the block that `run` handles at once, and the bytes that its arrays take on the
     * stack. What the code generator adds to these bytes, mostly registers, is not known. The fifth number is an
     * amp__cut; the sixth is 1 if threads may call amp_abort, else 0; the seventh to ninth what the first three are
     * where amp__scatters_fast is true, or 0 if it makes no difference. The tenth is how many rows of a flat index
     * `run` handles at once, or 0 if it knows of none; the eleventh the length of a row, or, if that is 0, the twelfth
     * where the argument block has it, as an int, in bytes, or -1. The thirteenth is how many threads, or tiles,
     * stride over arrays together at most, or 0: longer pieces gain nothing, shorter ones read less in a row. A device:
     * the threads of a block, the points of the domain that a block of `entry` takes, and the points that a block of
     * `entry`_many takes (0: there is none). Each is three numbers, slowest dimension first. The tenth is an
     * amp__many. */
    const int *geometry;
};

/* An access to an array. */
struct amp__touch {
    const char *place; /* in the source: "fill.c:5:12" */
    int param;         /* the array, counted in `params` */
    int writes;
};

/* Atomic operations that commute, on numbers as large as an element. */
enum {
    AMP__REDUCES_ADD = 1,
    AMP__REDUCES_FADD,
    AMP__REDUCES_AND,
    AMP__REDUCES_OR,
    AMP__REDUCES_XOR,
    AMP__REDUCES_MAX,
    AMP__REDUCES_MIN,
    AMP__REDUCES_UMAX,
    AMP__REDUCES_UMIN,
    AMP__REDUCES_FMAX,
    AMP__REDUCES_FMIN
};

/* The most boxes of single reads that a kernel says of an array, and of all its arrays. */
enum { AMP__MAX_READS = 8, AMP__MAX_ALL_READS = 32 };

/* What a kernel may do with an array. */
struct amp__reach {
    int param; /* the array, counted in `params` */
    int reads, writes;
    int reduces; /* the one of these operations that is all it does, without use of the results; 0: it does others */
    int whole;   /* it may touch all elements, whatever the box is */
    int n_reads; /* it reads no more than is in these boxes; 0: they are not known */
};

struct amp__kernel {
    unsigned abi;
    void (*address)(void); /* what a launch passes */
    void (*own)(void);     /* of a weak kernel: the definition in this object; the linker may have chosen another */
    const char *name;
    const char *file;
    int line;
    int rank;        /* of the index, 1 to 8; of a tiled one, 1 to 3 */
    const int *tile; /* its size in `rank` dimensions; NULL if untiled */
    /* A closure of C++: the argument block begins with it, and its first parameter is all of it. The other parameters
     * are the arrays that it captures, each a struct amp__captured. */
    int is_closure;
    int n_params;
    const struct amp__param *params;
    unsigned long args_bytes; /* the argument block */
    unsigned long args_align;
    unsigned long flat; /* offset of struct amp__flat in the argument block, of kernels of rank above 3; else 0 */
    /* Evaluates all bounds of all array parameters, in order, into `bounds`. */
    void (*bounds)(const void *args, long long *bounds);
    /* Looks for an access that a launch over `extent` would certainly make outside of its array. The pointers in the
     * argument block are not used. Returns 0 if it knows none; else the number of one in `touches`, from 1 on, and its
     * least and greatest subscript in each dimension in `box`. */
    int (*outside)(const void *args, const int *extent, long long *box);
    const struct amp__touch *touches;
    /* Says what a launch may touch in its part `box`, which is as for `run`. `reaches` has a row for each array, in
     * order. For each of them that is not whole, `reach` writes 2 * rank pairs of numbers: the least and the greatest
     * subscript that may be read in each dimension, then those that may be written. They may lie outside of the array,
     * where nothing is touched; if a least one is above the greatest one, there is none. After them come the `n_reads`
     * boxes, of which the first pairs are the hull: a stencil of five points does not read the hull's corners. */
    void (*reach)(const void *args, const int *box, long long *boxes);
    const struct amp__reach *reaches;
    const struct amp__image *images;
    struct amp__kernel *next;            /* the runtime's list */
    const struct amp__image *of_machine; /* the runtime's: the image that `cpu` runs, from the first launch on */
    void *of_all;                        /* the runtime's: what `all` has measured */
    float ns_each; /* the runtime's: what a thread takes on `cpu`, by the launches before; 0: unknown */
};

/* Kernels on `cpu` call this for amp_abort, and then return. */
void amp__abort(const char *text);

/* Kernels on `cpu` call this to choose between code for single threads and for lanes, where it depends on how fast the
 * processor scatters. */
int amp__scatters_fast(void);

/* For direct3d_errorf of C++: prints as amp_printf does. If amp__abort then gets the same format, the launch's error
 * has what was printed. */
void amp__print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Called by constructors and destructors of objects and shared libraries, in any order and from any thread. */
void amp__register_kernels(struct amp__kernel *kernels, int n);
void amp__unregister_kernels(struct amp__kernel *kernels, int n);
