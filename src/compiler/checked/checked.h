/* SPDX-License-Identifier: MIT
 *
 * Code with checks: what its files share. The kernels are those that clang made, with everything inlined and local
 * variables still in memory. First, calls of the functions of src/checked/library.c are put before accesses, while the
 * code still shows which subscripts the source has. Then variables become SSA values, and what the calls were given
 * as their object is found from where the pointers come. */
#pragma once

#include "ampcc.h"

extern const struct target target_checked;

struct map;

/* A local variable that stays in memory. */
struct local {
    LLVMValueRef variable; /* an alloca, a parameter by value, or a constant table */
    LLVMTypeRef type;
    LLVMValueRef description; /* struct amp__check_variable, a constant in memory */
    LLVMValueRef defined;     /* a byte for each byte of the variable: whether it was written; NULL: all was */
};

/* The work on an image. */
struct checking {
    struct unit *unit;
    struct image *image;
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTypeRef i32, i64, pointer;

    struct map *own_variables;   /* of C++: of the source's functions, and whether their types are no classes */
    struct map *guesses;         /* the loads that belong to a compare-and-swap */
    unsigned long long granules; /* the sizes and alignments of accesses that several threads may make, as bits */
    LLVMValueRef numbers_at[2];  /* room in the function's frame for subscripts and for extents; NULL: not yet made */
    LLVMValueRef *sites;         /* struct amp__check_site */
    int n_sites, sites_capacity;
    LLVMValueRef all_sites;   /* the array of them */
    LLVMValueRef find_object; /* a function that stands for the object of a pointer */
    LLVMValueRef note_local;  /* another, which says that a local variable has an object */
    LLVMValueRef nothing;     /* the object that undefined pointers point into, */
    LLVMValueRef anything;    /* and that of what is not checked */

    /* The function whose accesses get checks. */
    LLVMValueRef function;
    const struct kernel *kernel; /* that it is; NULL: a helper. Later, the kernel of an entry */
    struct local *locals;        /* its variables in memory */
    int n_locals;
    struct map *updates; /* what its loads and stores update */

    /* The entry whose pointers lead to objects: arrays, by the numbers of their parameters, and then tile_static
     * variables. */
    LLVMValueRef entry;
    LLVMValueRef objects; /* struct amp__check_object [n_objects] */
    int n_objects;
    int *object_of_param;
    LLVMValueRef *tile_variables;
    int n_tile_variables;
    struct map *numbers; /* of values in `found` */
    LLVMValueRef *found; /* the objects of pointers */
    int n_found;
};

/* ---- table.c: what the runtime reads ---- */

enum use { USE_READ, USE_WRITE, USE_ATOMIC };

/* Adds a place in the source. Returns its number as a constant. */
LLVMValueRef table_site(struct checking *c, LLVMValueRef instruction, enum use use);
/* Returns the address of a constant. */
LLVMValueRef table_constant(const struct checking *c, LLVMValueRef value);
/* Returns the type of struct amp__check_object. */
LLVMTypeRef table_object_type(const struct checking *c);
/* Calls a function of the library. */
LLVMValueRef table_call(struct checking *c, const char *name, LLVMValueRef *args, unsigned n);
/* Returns the name of the function that looks for races of an access. */
const char *table_check(enum use use);
/* Whether an instruction calls the function with a name. */
bool table_calls(LLVMValueRef i, const char *name);
/* Makes the constant that describes a variable. */
LLVMValueRef table_variable(struct checking *c, const char *name, LLVMTypeRef type, LLVMValueRef address,
                            const struct param *param);
/* Returns the address of what describes a static variable. */
LLVMValueRef table_description(struct checking *c, LLVMValueRef global);
/* Returns the object of a constant table. */
LLVMValueRef table_constant_object(struct checking *c, LLVMValueRef global);
/* Makes what all kernels share. */
void table_begin(struct checking *c);
/* Makes the array of all places, when all are known. */
void table_close_sites(struct checking *c);
/* Lists a kernel's objects, and makes room for what the runtime knows about them. */
void table_begin_kernel(struct checking *c);
/* Loads the extent of an object in a dimension. */
LLVMValueRef table_extent(struct checking *c, LLVMValueRef object, int dimension);
/* Returns what a kernel's objects have at a distance, NULL if that is not known when they are compiled. */
LLVMValueRef table_known_field(const struct checking *c, LLVMValueRef objects, long long offset);
/* Returns the object with a number. */
LLVMValueRef table_object(const struct checking *c, int number);
/* Returns the number of the tile_static variable that an object is, -1 if it is none. */
int table_tile_variable(const struct checking *c, LLVMValueRef object);
/* Whether the kernel has barriers. */
bool table_has_barriers(const struct checking *c);
/* Makes the function that runs a box, from those that the kernel has besides: `resume` and so on of struct
 * amp__check_kernel. */
void table_end_kernel(struct checking *c, LLVMValueRef resume, LLVMValueRef regions, LLVMValueRef ahead);

/* Returns the address of a string. */
LLVMValueRef table_text(struct checking *c, const char *text);

/* ---- chain.c: from an access back to its variable ---- */

enum { MAX_LINKS = 16 };

/* A subscript, or a step of a pointer. */
struct link {
    LLVMValueRef index;        /* as 64 bits */
    LLVMValueRef extent;       /* NULL: unknown, as in a first dimension */
    unsigned long long stride; /* in bytes; 0 if it is not constant */
    bool is_step;              /* over what a pointer points to */
    bool is_walk;              /* such a step, written as a sum */
    bool is_member;            /* of an array within a struct */
    LLVMValueRef row;          /* the variable length of the rows that it steps over, by which the subscript was
                                  multiplied; NULL: none */
};

struct chain {
    LLVMValueRef root;
    int n;                        /* -1: too many */
    struct link links[MAX_LINKS]; /* outermost first */
    unsigned long long offset;    /* in bytes, of the members */
};

struct chain chain_of(struct checking *c, LLVMValueRef pointer);
/* Subscripts of a pointer to rows, and from the second on their extents. */
struct rows {
    int n;
    LLVMValueRef index[MAX_LINKS], extent[MAX_LINKS];
};
/* Reads them from a chain whose root is a pointer. `n` is 0 if the source has no such subscripts: if it moves the
 * pointer across rows, for example. */
struct rows chain_rows(struct checking *c, const struct chain *chain);
/* Returns the name of the variable whose value a root is, NULL if it is none. */
const char *chain_pointer_name(LLVMValueRef root);
/* Whether the distance from the root is constant; sets it. */
bool chain_is_constant(const struct chain *chain, unsigned long long *offset);
/* Returns the array parameter of a kernel that a root is, NULL if it is none. */
const struct param *chain_param(const struct checking *c, LLVMValueRef root);
/* Whether a root is the index of an untiled kernel. */
bool chain_is_index(const struct checking *c, LLVMValueRef root);

/* ---- locals.c ---- */

/* Prepares local variables: those that will be SSA values get a flag that says whether they were written, others a byte
 * for each byte. */
void locals_begin(struct checking *c);
/* Returns what is known about a local variable or a constant table, NULL if it is no such variable. */
struct local *locals_find(struct checking *c, LLVMValueRef variable);
/* Whether a variable is only loaded and stored as a whole, so that it becomes an SSA value. */
bool locals_is_plain(LLVMValueRef variable);

/* ---- shadows.c: variables for a debugger ---- */

/* Keeps copies of the plain variables of `c->function` in memory. */
void shadows_add(struct checking *c);

/* ---- access.c ---- */

/* Puts checks before all accesses to memory of a function. */
void access_check(struct checking *c);

/* ---- control.c ---- */

/* Lets a function tell the runtime about its barriers, fences, loops and returns. */
void control_note(struct checking *c);

/* ---- suspend.c ---- */

/* Makes the function through which the runtime lets a tile's threads go on that wait at a barrier. */
LLVMValueRef suspend_make_resume(struct checking *c);
/* Lets the entries return at barriers, and go on from there later. */
void suspend_at_barriers(struct checking *c);

/* Removes the entry of a kernel that does without such. */
void suspend_remove(struct checking *c);

/* ---- regions.c ---- */

/* Makes the function that lets a kernel's threads run from barrier to barrier, still without code. */
LLVMValueRef regions_declare(struct checking *c);
/* Gives all of these their code where threads come to the same barriers, and leaves out the others. */
void regions_make(struct checking *c);

/* ---- ahead.c ---- */

/* Whether an entry only branches and ends, so that it has a graph. */
bool ahead_is_plain(LLVMValueRef entry);
/* Whether an instruction only computes, or loads. */
bool ahead_has_no_effect(LLVMValueRef i);
/* Makes the function that runs a loop of several threads of a kernel, still without code. */
LLVMValueRef ahead_declare(struct checking *c);
/* Gives all of these their code, and leaves out those that would not pay or cannot be. */
void ahead_make(struct checking *c);

/* ---- classes.c: C++ ---- */

/* Inlines what <amp.h> does into the source's functions. */
void classes_inline_library(struct checking *c);
/* Reads the subscripts with which an address was made, and the extents. Returns how many there are; 0: unknown. */
int classes_subscripts(LLVMValueRef address, LLVMValueRef *subscripts, LLVMValueRef *extents);
/* Leaves only the addresses. */
void classes_drop_subscripts(LLVMModuleRef module);
/* Makes variables of classes SSA values, once all is inlined. */
void classes_take_apart(struct checking *c);

/* ---- objects.c ---- */

/* Finds the objects of pointers, for the calls of `find_object`. */
void objects_resolve(struct checking *c);

/* ---- known.c ---- */

/* Makes checks cheaper by what is known about their objects. */
void known_simplify_checks(struct checking *c);

/* ---- turns.c ---- */

/* Removes looks at the clock from loops that end soon. */
void turns_leave_out(struct checking *c);

/* ---- updates.c ---- */

/* Finds the statements of a function that change an element by what it has. */
void updates_find(struct checking *c);
/* What the statement does that an access is a part of, as enum amp__check_update. */
int updates_kind(const struct checking *c, LLVMValueRef access);
/* Whether two values are computed alike, from variables that have not changed between them. */
bool updates_are_same(LLVMValueRef a, LLVMValueRef b);

/* ---- guesses.c ---- */

/* Finds the loads that guess what a compare-and-swap of the same element will find. */
void guesses_find(struct checking *c);
bool guesses_have(const struct checking *c, LLVMValueRef load);

/* ---- rounds.c ---- */

/* Removes checks of races that a kernel with barriers cannot have. */
void rounds_leave_out_checks(struct checking *c);
