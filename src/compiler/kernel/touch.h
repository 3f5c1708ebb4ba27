/* SPDX-License-Identifier: MIT
 *
 * Which elements of its arrays a kernel touches for certain, in terms of the launch's domain and arguments. */
#pragma once

#include "kernel/cfg.h"
#include "kernel/entry.h"
#include "kernel/poly.h"

/* What a symbol of a polynomial stands for. The first kinds are uniform: the same in all threads. The others vary. */
enum symbol_kind {
    SYMBOL_ARGUMENT, /* an integer in the argument block, as a signed number */
    SYMBOL_VALUE,    /* an integer that the kernel computes from its arguments alone, as a signed number */
    SYMBOL_INDEX,    /* a component of the thread's index */
    SYMBOL_COUNTER,  /* the number of a loop's iteration, from 0 on */
    SYMBOL_LEAST,    /* the smaller one of two operands, */
    SYMBOL_GREATEST, /* the larger one, */
    SYMBOL_QUOTIENT  /* and the first one divided by a positive constant, rounded down. They may be uniform, too */
};

struct symbol {
    enum symbol_kind kind;
    long long offset;         /* of an ARGUMENT */
    int bits;                 /* its size, and that of a VALUE */
    LLVMValueRef value;       /* the instruction, except of ARGUMENT and INDEX */
    struct entry_param index; /* of an INDEX: GLOBAL, LOCAL or TILE */
    int loop;                 /* of a COUNTER */
    struct poly operands[2];  /* of LEAST, GREATEST and QUOTIENT */
    long long divisor;        /* of a QUOTIENT */
};

/* A limit of a symbol that varies: at most, or at least, a uniform value divided by a positive constant. */
struct limit {
    int symbol;
    bool is_upper;
    bool is_of_loop; /* it says how often a loop runs; others say which threads and iterations come to the access */
    struct poly value;
    long long divisor;
};

/* What must hold for an access to be certain: this is nowhere negative. */
struct condition {
    struct poly value;
    bool is_everywhere; /* for all threads and iterations, not only for those that come to the access */
};

enum { MAX_LIMITS = 24, MAX_CONDITIONS = 24, MAX_SYMBOLS = 256, MAX_TOUCHES = 16 };

/* An access that surely takes place for every value of the varying symbols within their limits, if there are any and
 * the conditions hold. No two symbols of its address depend on each other. */
struct touch {
    const struct param *param;
    struct place place;
    bool is_write;
    long long size;                   /* of the access, in bytes */
    struct poly bytes;                /* from the beginning of the array */
    struct poly subscripts[MAX_RANK]; /* the same, as the element's subscripts */
    struct poly total;                /* the array's size in bytes */
    int n_limits, n_conditions;
    struct limit limits[MAX_LIMITS];
    struct condition conditions[MAX_CONDITIONS];
};

struct touches {
    const struct kernel *kernel;
    int n, n_symbols;
    struct touch *of[MAX_TOUCHES];
    struct symbol symbols[MAX_SYMBOLS];
};

/* Finds the accesses to arrays of the prepared entry of `kernel` that surely take place. */
struct touches *touch_find(const struct kernel *kernel, const struct cfg *cfg);
/* Finds which bytes of an array an access touches if it takes place, and what limits the counters of loops in its
 * address. Returns false if it is not clear. */
bool touch_address(struct touches *touches, const struct cfg *cfg, LLVMValueRef access, struct touch *touch);
/* Returns a component of the index. */
struct poly touch_index(struct touches *touches, enum entry_meaning meaning, int component);
/* Whether the entry's arguments say what a polynomial is. */
bool touch_is_of_arguments(const struct touches *touches, const struct poly *poly);
/* Computes a polynomial of arguments and the tile's numbers, by dimension of the box, at the builder's place; `tile` is
 * NULL if there are none. */
LLVMValueRef touch_compute(LLVMBuilderRef builder, const struct touches *touches, const struct poly *poly,
                           LLVMValueRef args, const LLVMValueRef tile[3]);
/* Whether a symbol varies between threads or iterations. */
bool touch_varies(const struct touches *touches, int symbol);
