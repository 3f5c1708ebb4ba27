/* SPDX-License-Identifier: MIT
 *
 * The compiler's types, and the exports of each stage under its file's name. The pipeline is passes.def. */
#pragma once

#include "target.h"

#include <stddef.h>

enum {
    MAX_RANK = 8,        /* of data */
    MAX_INDEX_RANK = 8,  /* of a kernel's index */
    MAX_TILE_RANK = 3,   /* of a tiled one's, and of the boxes that kernels run over */
    MAX_TILE = 1024,     /* threads */
    MAX_NAMED = 8,       /* targets that one option names */
    MAX_IMAGES = 16,     /* targets of one compilation */
    EXIT_USER_ERROR = 1, /* the input is wrong, or a tool that we called failed */
    EXIT_DEFECT = 70     /* we are wrong (sysexits' EX_SOFTWARE) */
};

/* A place in the user's source. `file` is spelled as clang spells it; line 0 means unknown. */
struct place {
    const char *file;
    unsigned line, column;
};

/* ---- signatures of kernels, from front.c ---- */

enum param_kind { PARAM_SCALAR, PARAM_STRUCT, PARAM_ARRAY, PARAM_BOUND };

/* What a bound may be made of. All of it is computed in 64 bits, without wrapping. */
enum expr_op {
    EXPR_CONSTANT,
    EXPR_PARAM, /* an integer parameter */
    EXPR_PLUS,  /* of one operand */
    EXPR_NEGATE,
    EXPR_CONVERT, /* to a type of 64 bits */
    EXPR_ADD,     /* of two */
    EXPR_SUBTRACT,
    EXPR_MULTIPLY,
    EXPR_DIVIDE, /* by a constant other than 0 and -1 */
    EXPR_REMAINDER
};

struct expr {
    enum expr_op op;
    const struct expr *operands[2];
    long long value;       /* of a constant */
    bool is_of_variable;   /* of a constant: libclang knows it from a variable, which clang loads all the same */
    int param;             /* its number */
    int type;              /* amp_type of what C computes it in */
    const char *type_name; /* of the same, as C text */
    struct place place;
};

struct bound {
    const char *text; /* as the user wrote it */
    const struct expr *expr;
    bool is_variable; /* in the type that libclang gives the parameter, as a constant is that has others below it */
};

struct param {
    const char *name;
    const char *type_name; /* of the scalar, struct or element, unqualified, as C text */
    enum param_kind kind;
    int type;                              /* amp_type, see amp.h */
    long long element_size, element_align; /* in bytes; of the value itself, if it is no array */
    const char *canonical;                 /* that type as C text, through typedefs, with its qualifiers */
    const char *layout;                    /* C text: holds if clang lays that type out as libclang did */
    long long offset;                      /* in the argument block; from bitcode */
    bool read_only;
    int rank;
    struct bound bounds[MAX_RANK];
    struct place place;
};

struct kernel {
    const char *name;         /* for messages; overloaded, several may have it */
    const char *symbol;       /* what the linker knows it by, and no other of the file */
    const char *c;            /* the name that it has in glue's text */
    struct place place;       /* of the name in its definition */
    struct place index_place; /* of the index parameter */
    int number;               /* within the file, from 0 */
    const char *entry;        /* the name of the function that runs one thread of it */
    int rank;                 /* of the index */
    int box_rank; /* of the box that it runs over: the same, but 3 at most; the slowest dimensions are one */
    bool tiled;
    bool is_plain; /* it has C's calling convention, and its name to itself */
    int tile[MAX_TILE_RANK];
    int n_params; /* after the index */
    struct param *params;
    long long args_bytes, args_align; /* of the argument block; from bitcode */
};

/* ---- one compilation: C source in, object out ---- */

enum { MAX_GEOMETRY = 9 };

/* What the passes make of a kernel for a target. */
struct code {
    const char *symbol;          /* the name of its function; from glue */
    const char *name;            /* of a processor's function in objects, as profilers show it; from glue */
    const char *geometry_symbol; /* of what holds `geometry` in the host's descriptors; from glue */
    const struct plan *plan;     /* from the target's passes */
    int geometry
        [MAX_GEOMETRY]; /* what its descriptor says of it (amp__image in descriptor.h); from the target's passes */
};

/* What the kernels become for one processor or GPU. */
struct image {
    const struct target *target;
    const char *name; /* "x86-64-v4", "baseline": of the processor, as the descriptor names it */
    const char *cpu;  /* LLVM's name for it, with `features`, which may be "" */
    const char *features;
    struct facts facts;
    struct code *codes;      /* by the kernels' numbers; from glue */
    const char *code_symbol; /* of a GPU: the name of what holds `code` in the host's module; from glue */
    LLVMModuleRef module;    /* from retarget until bundle; until assemble if that makes the code */
    const char *code;        /* from assemble: an object file, or text, `code_bytes` long; NULL: it is still IR */
    size_t code_bytes;
    const char *code_file; /* which a copy of the process has written its code to; from parallel.c */
    LLVMTargetMachineRef machine;
};

struct options {
    int opt_level;          /* 0 to 3 (-Os, -Oz, -Og: 2, 2, 1; -Ofast: 3); what the user asked of clang */
    bool debug;             /* -g was given */
    int lanes;              /* --amp-lanes=N; 0: chosen by kernel and target */
    const char *dump_after; /* a pass's name or NULL */
    const char *stop_after;
    bool precise_math; /* --amp-precise-math: no vector versions of functions */
    bool time, signatures;
    enum { REPORT_NONE, REPORT_TEXT, REPORT_JSON } report; /* --amp-report */
    const char *report_file;                               /* of JSON; NULL: standard output */
    const char *output;
};

struct unit {
    const struct options *options;
    const char *input; /* as the user spelled it */
    int n_kernels;
    struct kernel *kernels;
    LLVMContextRef context;
    LLVMModuleRef host; /* from bitcode; bundle links the images into it */
    LLVMModuleRef form; /* the kernels for all targets: from extract until retarget, which copies it for each */
    int n_images;
    struct image images[MAX_IMAGES];
    struct report *reports; /* from lanes, for describe */
    bool has_objects;       /* the kernels' code becomes objects of its own, and not a part of the host's module */
    struct driver *driver;  /* what only the stages around clang need: command lines, temporary files, libclang */
};

/* A pass: does its work on the unit; false after it has reported errors, and the pipeline stops. */
typedef bool pass_function(struct unit *unit);

#define PASS(name, description) pass_function name;
#include "driver/passes.def"
#undef PASS

/* ---- diag.c ---- */

/* Report in clang's form with source line and caret; `diag_note` continues what was reported before it.
 * `diag_error` counts; `diag_count` tells how many. A warning obeys -w and -Werror. */
void diag_error(struct place place, const char *format, ...) __attribute__((format(printf, 2, 3)));
void diag_warning(struct place place, const char *format, ...) __attribute__((format(printf, 2, 3)));
void diag_note(struct place place, const char *format, ...) __attribute__((format(printf, 2, 3)));
unsigned diag_count(void);

/* A defect of ours: names pass and kernel (NULL if none), says how to get the dump, leaves with EXIT_DEFECT. */
_Noreturn void diag_defect(const char *kernel, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- descriptor.c ---- */

/* Reads from the host's module how clang laid out the kernels' argument blocks. */
void descriptor_read(struct unit *unit);

/* ---- words.c ---- */

/* Whether two names are of one file, which need not be there if they are alike. */
bool is_same_file(const char *a, const char *b);

/* ---- memory: zeroed; everything lives until the process ends; nothing is freed one by one ---- */
void *arena_alloc(size_t size);
char *arena_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
