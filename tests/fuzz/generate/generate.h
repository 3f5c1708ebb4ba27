/* SPDX-License-Identifier: MIT
 *
 * What the parts of the generator share, by the file that defines it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text.c: random numbers, text, numbered nodes ---- */

/* Begins the random numbers of a kernel. */
void seed_random(unsigned long seed);
unsigned pick(unsigned n);
bool chance(unsigned percent);
/* Formats into memory that is never freed. */
__attribute__((format(printf, 1, 2))) char *text(const char *format, ...);
__attribute__((format(printf, 1, 2))) void line(const char *format, ...);
/* An expression that the reducer may replace by `simple`. */
char *node(char *full, const char *simple);

/* A statement that the reducer may leave out: between the two calls. */
struct mark {
    size_t length;
    int node;
};
struct mark begin_statement(void);
void end_statement(struct mark mark);

extern int indent;  /* of the next line */
extern int n_nodes; /* how many there are so far */
void drop_node(int node);
void write_lines(void);

/* ---- scope.c: types, what is in scope, the kernel under construction ---- */

enum type { BOOL, I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64, N_TYPES };

extern const struct type_facts {
    const char *c, *name, *zero;
    char letter;
} types[N_TYPES];

enum { STRUCTS = 32, N_STRUCTS = 14 }; /* element STRUCTS + i is structs[i] */
extern const struct struct_facts {
    const char *letters;
    int n;
    enum type members[4];
} structs[N_STRUCTS];

struct variable {
    char *text;
    enum type type;
    bool uniform, fixed; /* the same in all threads of a tile; not to be assigned */
    bool is_small;       /* between lo and hi */
    int lo, hi;
};

/* An array bound: times * D<dim> + plus; `plus` alone if dim < 0; D0 * D1 * ... if dim == PRODUCT. */
enum { PRODUCT = 9 };
struct bound {
    int dim, times, plus;
    char *text;
};

enum access { READ, OWN_ELEMENT, PRIVATE, COUNTED };
struct array {
    char *name;
    int element; /* type, or STRUCTS + i */
    enum access access;
    int rank;
    struct bound bounds[4];
    const char *operation; /* of COUNTED: the atomic operation by which alone it is touched */
    char *own; /* of OWN_ELEMENT: subscripts of the thread's element; ends in "[%s]" if it has `n_own` of them */
    int n_own;
};

struct shared {
    char *name;
    enum type type;
    enum state { OWN, SHARED, ATOMIC } state;
    const char *operation; /* in ATOMIC state; NULL: it never is */
    int rank;              /* 0: a scalar, of thread 0 */
    char *own;
    int n[3], dim[3], times[3]; /* subscript r is times[r] * (a number below n[r]), which stands for local[dim[r]] */
    bool flat;                  /* one subscript, n[0] * n[1] * n[2] elements */
};

struct aggregate {
    char *name;
    int which;
};

struct helper {
    char *name;
    int result;       /* type, or STRUCTS + i */
    int n, params[6]; /* type, STRUCTS + i, or POINTER + type: an int or so that it changes */
    int array;        /* element of an array parameter, -1: none; passed as pointer and count */
    bool by_pointer;
};
enum { POINTER = 64 };

extern struct scope {
    int n_variables, n_arrays, n_shared, n_aggregates, n_helpers;
    struct variable variables[512];
    struct array arrays[128];
    struct shared shared[64];
    struct aggregate aggregates[64];
    struct helper helpers[8];
} scope;

/* How many of everything there were: the end of a block takes it back. */
struct level {
    int n_variables, n_arrays, n_shared, n_aggregates;
};

extern unsigned long seed;
extern int rank, tile[3], n_names;
extern bool tiled, in_helper, with_barriers;
extern bool is_cpp;   /* C++ AMP is written */
extern int result;    /* of the helper */
extern char *waiting; /* the name of a helper that has barriers, or NULL */
extern enum type waiting_type;
extern int n_reads; /* of arrays, in the expression */

struct level open_scope(void);
void close_scope(struct level level);
char *name(const char *prefix);
void add_variable(char *lvalue, enum type type, bool uniform, bool fixed);
void add_small(char *lvalue, bool uniform, int lo, int hi);
struct bound bound(int dim, int times, int plus);

/* ---- expressions.c ---- */

/* An int whose range is known, so that signed arithmetic on it cannot overflow. */
struct small {
    char *text;
    int lo, hi;
};

bool is_float(int type);
bool is_small_float(int type);
char *convert(char *value, enum type from, enum type to);
char *literal(enum type type);
struct small small(bool uniform, int depth);
/* A thread's index in a dimension. */
char *global_index(int d);
char *subscript(struct bound b, bool uniform, int depth);
char *member(int element, char *value, enum type *type);
char *element_of(const struct array *a, bool uniform, int depth);
/* A pointer to the elements of an array of which all subscripts but the last are given. */
char *row_of(const struct array *a, const char *subscripts);
char *shared_read(const struct shared *s, bool uniform);
char *leaf(enum type type, bool uniform, int depth);
char *condition(bool uniform, int depth);
/* A call of a helper; NULL if it is one that changes variables and none are given. */
char *call(const struct helper *h, int depth);
char *expression(enum type type, bool uniform, int depth);
char *value(enum type type, bool uniform, int depth);
enum type any_type(void);

/* ---- statements.c: assignments, declarations, arrays, pointers, calls ---- */

struct context {
    bool strict; /* all threads of the tile are here together */
    bool loop, jumps, in_switch, returns;
    int depth, loops;
    const enum state *head; /* of the innermost loop, if strict: states at its begin, */
    int n_head;             /* of so many tile_static arrays */
    char *label;            /* behind this code, which is not strict, to jump to; or NULL */
};

void assign(char *lvalue, enum type type, bool uniform);
void declare(struct context c);
void declare_array(void);
void statements(struct context c, int n);

/* ---- narrow.c ---- */

/* A number computed from narrow ones. */
void narrow_numbers(void);

/* ---- tiles.c: barriers, and memory that a tile shares ---- */

enum state *save_states(void);
bool same_states(const enum state *states, int n);
/* At the end of a strict block: the states of its begin. What was declared in it may be declared again at once. */
void restore_states(const enum state *states, int n);
/* One whose order does not matter; NULL: there is none for the type. */
const char *atomic_operation(enum type type);
/* A value for one: that of floating point is not 0, which has two signs. */
char *atomic_operand(enum type type, int depth);
void shared_statement(void);
void call_waiting(void);
/* A tree reduction, as every textbook has it. */
void reduction(struct context c);
/* A matrix in tile memory, diagonal by diagonal. */
void wavefront(void);
/* Pieces of arrays copied to tile memory, with a guard at each access. */
void staged(void);

/* ---- control.c: branches, loops, jumps ---- */

/* At the end of a block: makes what was computed in it matter to what is outside. */
void use_locals(struct level level, unsigned percent);
int few(void);
void branch(struct context c);
void loop(struct context c);
/* Branches in branches, in which threads store their own elements. */
void joins(void);
/* Stores of what is less or more than what is there. */
void improves(void);
/* A loop in which all threads of a kernel of rank 1 stride over something together. */
void stride_loop(struct context c);
/* A loop in which the threads of a tile stride over a row. */
void tile_strides(struct context c);
/* Lets the threads go down the columns of an array side by side. Returns false if there is none whose rows have an
 * element for each. */
bool column_loop(struct context c);
void choice(struct context c);
/* A way over a block; from inside of one that is not strict, threads may leave for the label, too. */
void jump_over(struct context c);
void jump(struct context c);

/* ---- kernel.c: helpers, kernels, their launches ---- */

void generate_kernel(void);
