/* SPDX-License-Identifier: MIT
 *
 * Where a pointer in a prepared kernel points. */
#pragma once

#include "ampcc.h"

/* The kinds of memory that a thread sees. */
enum {
    ORIGIN_ARGUMENTS = 1, /* the argument block */
    ORIGIN_ARRAY = 2,     /* an array parameter */
    ORIGIN_TILE = 4,      /* a tile_static variable */
    ORIGIN_PRIVATE = 8,   /* a variable of the thread */
    ORIGIN_TABLE = 16,    /* a constant variable */
    ORIGIN_SHARED = 32,   /* something else that other threads see, too */
    ORIGIN_UNKNOWN = 64,  /* any of them */
    ORIGIN_LOADED = 128 /* with SHARED: memory that other threads see holds the pointer, and it is no array's address */
};

struct origin {
    int kinds;                 /* the kinds of memory that it may point to, as a set */
    LLVMValueRef variable;     /* the variable, if it is a TILE, PRIVATE or TABLE one and always the same */
    const struct param *param; /* the parameter, if it is an ARRAY and always the same */
};

struct origin origin_of(const struct kernel *kernel, LLVMValueRef pointer);

/* A value in a subscript, which may also have constants and other values. */
struct subscript {
    int dimension; /* 0: the slowest */
    LLVMValueRef value;
};

/* Lists the values in all subscripts of a pointer into an array parameter, and returns how many there are, or -1 if
 * they are unknown. They are unknown if a bound is neither a parameter nor a constant. */
enum { MAX_SUBSCRIPTS = 16 };
int origin_subscripts(const struct kernel *kernel, LLVMValueRef pointer, struct subscript subscripts[MAX_SUBSCRIPTS]);

/* Whether the pointer is to memory of the thread or its tile. A tile runs on one worker with its lanes in lockstep, so
 * plain operations lane by lane are atomic there. */
bool origin_is_local(const struct kernel *kernel, LLVMValueRef pointer);
