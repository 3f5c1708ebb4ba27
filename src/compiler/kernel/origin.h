/* SPDX-License-Identifier: MIT
 *
 * Where a pointer in a prepared kernel points. */
#pragma once

#include "ampcc.h"

/* The memory that there is for a thread. */
enum {
    ORIGIN_ARGUMENTS = 1, /* the argument block */
    ORIGIN_ARRAY = 2,     /* an array parameter */
    ORIGIN_TILE = 4,      /* a tile_static variable */
    ORIGIN_PRIVATE = 8,   /* a variable of the thread */
    ORIGIN_TABLE = 16,    /* a constant variable */
    ORIGIN_SHARED = 32,   /* something else that other threads see, too */
    ORIGIN_UNKNOWN = 64   /* any of them */
};

struct origin {
    int kinds;                 /* the kinds of memory that it may point to, as a set */
    LLVMValueRef variable;     /* in which it lies, if it is one of TILE, PRIVATE or TABLE and always the same */
    const struct param *param; /* in which it lies, if it is ARRAY and always the same one */
};

struct origin origin_of(const struct kernel *kernel, LLVMValueRef pointer);

/* A value that a subscript is made of, beside constants and other values. */
struct subscript {
    int dimension; /* 0: the slowest */
    LLVMValueRef value;
};

/* Of a pointer into an array parameter: writes the values of all its subscripts, and returns how many there are; -1 if
 * they cannot be told. A bound other than a parameter and a constant hides them. */
enum { MAX_SUBSCRIPTS = 16 };
int origin_subscripts(const struct kernel *kernel, LLVMValueRef pointer, struct subscript subscripts[MAX_SUBSCRIPTS]);

/* Whether the pointer is to memory of the thread or its tile. A tile runs on one worker, its lanes in lockstep, so
 * plain operations lane by lane are atomic there. */
bool origin_is_local(const struct kernel *kernel, LLVMValueRef pointer);
