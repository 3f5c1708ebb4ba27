/* SPDX-License-Identifier: MIT
 *
 * The types that all of the compiler shares, and the functions that all stages use, under the names of their files. The
 * pipeline is driver/passes.def. */
#pragma once

#include "target.h"

#include <stddef.h>

enum {
    MAX_RANK = 8,        /* of data */
    MAX_INDEX_RANK = 8,  /* of a kernel's index */
    MAX_TILE_RANK = 3,   /* of a tiled kernel's index, and of the boxes that kernels run over */
    MAX_TILE = 1024,     /* threads */
    MAX_NAMED = 8,       /* targets that one option names */
    MAX_IMAGES = 16,     /* targets of one compilation */
    EXIT_USER_ERROR = 1, /* the input is wrong, or a tool that ampcc ran failed */
    EXIT_DEFECT = 70     /* ampcc is wrong (EX_SOFTWARE of sysexits.h) */
};

/* A place in the user's source. `file` is spelled as clang spells it; line 0 means unknown. */
struct place {
    const char *file;
    unsigned line, column;
};

/* ---- signatures of kernels, from front.c ---- */

enum param_kind { PARAM_SCALAR, PARAM_STRUCT, PARAM_ARRAY, PARAM_BOUND };

/* The operations in a bound. All are computed in 64 bits, without wrapping. */
enum expr_op {
    EXPR_CONSTANT,
    EXPR_PARAM, /* an integer parameter */
    EXPR_PLUS,  /* with one operand */
    EXPR_NEGATE,
    EXPR_CONVERT, /* to a type of 64 bits */
    EXPR_ADD,     /* with two */
    EXPR_SUBTRACT,
    EXPR_MULTIPLY,
    EXPR_DIVIDE, /* by a constant other than 0 and -1 */
    EXPR_REMAINDER
};

struct expr {
    enum expr_op op;
    const struct expr *operands[2];
    long long value;       /* of a constant */
    bool is_of_variable;   /* of a constant: libclang got it from a variable, which clang's code loads all the same */
    int param;             /* the parameter's number */
    int type;              /* amp_type of the type in which C computes it */
    const char *type_name; /* the same type as C text */
    struct place place;
};

struct bound {
    const char *text; /* as the user wrote it */
    const struct expr *expr;
    bool is_variable; /* libclang's type has a variable array here, as for a constant before a variable */
};

struct param {
    const char *name;
    const char *type_name; /* the type of the scalar, struct or element, unqualified, as C text */
    enum param_kind kind;
    int type;                              /* amp_type, see amp.h */
    long long element_size, element_align; /* in bytes; of the value itself if this is not an array */
    const char *canonical;                 /* that type as C text, without typedefs, with its qualifiers */
    const char *layout;                    /* a condition as C text: true if clang lays out that type as libclang did */
    long long offset;                      /* in the argument block; from bitcode */
    bool read_only;
    int rank;
    struct bound bounds[MAX_RANK]; /* none in a closure, which holds the extents as values */
    int components[MAX_RANK];      /* the component of the index, plus 1, that alone subscripts a dimension, untested */
    long long copied, reference;   /* of an array that a closure captures by reference: see amp__param */
    struct place place;
};

/* What a kernel does with an array. */
struct reach {
    bool reads, writes;
    int reduces;        /* see amp__reach */
    bool is_whole;      /* it may touch all elements, whatever the box is */
    struct place place; /* what makes it whole */
};

struct kernel {
    const char *name;         /* for messages; overloaded kernels share it */
    const char *symbol;       /* the linker's name for it, unique in the file */
    const char *c;            /* its name in glue's text */
    struct place place;       /* of the name in its definition */
    struct place index_place; /* of the index parameter */
    int number;               /* within the file, from 0 */
    const char *entry;        /* the name of the function that runs one thread of it */
    const char *own;          /* the name that stands for a weak kernel's definition in this object; from glue */
    const char *outside;      /* the names of the function and of the array that `footprint` writes; from glue */
    const char *touches;
    const char *reach_function, *reach_table; /* and those for `reach` and `reaches` of amp__kernel */
    struct reach *reaches;                    /* by the parameters; from footprint */
    int rank;                                 /* of the index */
    int box_rank; /* of the box that it runs over: the same, but 3 at most; the slowest dimensions become one */
    bool tiled;
    bool has_convoys; /* its entry also has a convoy's first thread, or tile (convoy.c) */
    bool is_plain;    /* it has C's calling convention, and no other function has its name */
    bool is_closure;  /* of C++: its parameters are the closure and the arrays that it captures */
    bool is_local;    /* of C++: `symbol` is local to the source */
    int tile[MAX_TILE_RANK];
    int lanes;    /* that the user asks for; 0: the compiler chooses */
    int n_params; /* after the index */
    struct param *params;
    long long args_bytes, args_align; /* of the argument block; from bitcode */
};

/* ---- one compilation: C source in, object out ---- */

enum { MAX_GEOMETRY = 13 };

/* What the passes make from a kernel for a target. */
struct code {
    const char *symbol;          /* the name of its function; from glue */
    const char *name;            /* the name of a processor's function in objects, as profilers show it; from glue */
    const char *geometry_symbol; /* the name of what holds `geometry` in the host's descriptors; from glue */
    const struct plan *plan;     /* from the target's passes */
    int geometry
        [MAX_GEOMETRY]; /* what its descriptor says about it (amp__image in descriptor.h); from the target's passes */
};

/* What the kernels become for one processor or GPU. */
struct image {
    const struct target *target;
    const char *name; /* the processor's name in the descriptor: "x86-64-v4", "baseline" */
    const char *cpu;  /* LLVM's name for it, completed by `features`, which may be "" */
    const char *features;
    struct facts facts;
    struct code *codes;      /* by the kernels' numbers; from glue */
    const char *code_symbol; /* for a GPU: the name of what holds `code` in the host's module; from glue */
    LLVMModuleRef module;    /* from retarget until bundle, or until assemble if that makes the code */
    const char *code;        /* from assemble: an object file or text, `code_bytes` long; NULL: the code is still IR */
    size_t code_bytes;
    const char *object; /* the file with its object, which a copy of the process writes; from parallel.c */
    LLVMTargetMachineRef machine;
};

/* What the command line asks for a kernel. */
struct kernel_lanes {
    struct kernel_lanes *next;
    const char *kernel;
    int lanes;
};

struct options {
    int opt_level;                     /* the user's choice for clang: 0 to 3 (-Os and -Oz: 2, -Og: 1, -Ofast: 3) */
    bool debug;                        /* -g was given */
    int lanes;                         /* --amp-lanes=N; 0: chosen by kernel and target */
    struct kernel_lanes *kernel_lanes; /* --amp-lanes=KERNEL:N, the last one first */
    const char *dump_after;            /* a pass's name or NULL */
    const char *stop_after;
    int panels;        /* --amp-panels=N: iterations that a panel holds; 0: chosen; -1: no panels */
    int convoys;       /* --amp-convoys=N: tiles or blocks of a convoy; 0: chosen; -1: no convoys */
    bool check;        /* --amp-check: also makes code with checks */
    bool strict;       /* --amp-strict: all that the model of C++ AMP forbids */
    bool precise_math; /* --amp-precise-math: no vector versions of functions */
    bool time, signatures;
    enum { REPORT_NONE, REPORT_TEXT, REPORT_JSON } report; /* --amp-report */
    const char *report_file;                               /* where JSON goes; NULL: standard output */
    const char *output;
};

/* Whether debuggers shall find the variables of kernels on processors: these stay in memory, and one thread runs at a
 * time. */
static inline bool options_keep_variables(const struct options *options)
{
    return options->opt_level == 0 && options->debug && !options->lanes && !options->kernel_lanes;
}

struct unit {
    const struct options *options;
    const char *input; /* as the user spelled it */
    bool is_cpp;       /* it is C++ AMP; then `form` exists from front on */
    int n_kernels;
    struct kernel *kernels;
    LLVMContextRef context;
    LLVMModuleRef host; /* from bitcode; bundle links the images into it. For C++ with has_objects there is none */
    LLVMModuleRef form; /* the kernels for all targets: from extract until retarget, which copies it for each target */
    LLVMModuleRef described;  /* the same for processors, with variables in memory, where debuggers shall find them */
    LLVMModuleRef footprints; /* functions and data of the host: from footprint until bundle links them into `host` */
    LLVMModuleRef checked;    /* with --amp-check: the kernels as clang made them, for the code with checks */
    int n_images;
    struct image images[MAX_IMAGES];
    struct report *reports; /* from lanes, for describe */
    bool has_objects;       /* the kernels' code becomes separate objects and not part of the host's module */
    struct driver *driver;  /* what only the stages around clang need: command lines, temporary files, libclang */
};

/* A pass does its work on the unit. It returns false after it has reported errors, and the pipeline stops. */
typedef bool pass_function(struct unit *unit);

#define PASS(name, description) pass_function name;
#include "driver/passes.def"
#undef PASS

/* ---- diag.c ---- */

/* ampcc's own warnings. */
enum warning {
#define WARNING(name, option, is_default, about) WARN_##name,
#include "driver/warnings.def"
#undef WARNING
    N_WARNINGS
};

/* Report in clang's form with source line and caret; `diag_note` continues what was reported before it. `diag_count`
 * returns the number of errors. A warning obeys -w, -W and -Werror, and returns whether it was reported. */
void diag_error(struct place place, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool diag_warning(enum warning warning, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_note(struct place place, const char *format, ...) __attribute__((format(printf, 2, 3)));
void diag_remark(struct place place, const char *format, ...) __attribute__((format(printf, 2, 3)));
unsigned diag_count(void);

/* Reports a defect of ampcc: names the pass and the kernel (NULL if none), says how to get the dump, and exits with
 * EXIT_DEFECT. */
_Noreturn void diag_defect(const char *kernel, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- descriptor.c ---- */

/* Reads from the host's module how clang laid out the kernels' argument blocks. */
void descriptor_read(struct unit *unit);

/* ---- words.c ---- */

/* Whether two names are of one file. It need not exist if the names are equal. */
bool is_same_file(const char *a, const char *b);

/* ---- memory: zeroed; all of it lives until the process ends; nothing is freed separately ---- */
void *arena_alloc(size_t size);
char *arena_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
