/* SPDX-License-Identifier: MIT
 *
 * Says what a call is. The functions that passes know are rows of calls.def; a new function is a row there, and no pass
 * compares names. Other functions only differ in whether they have a body and whether they are LLVM's. */
#pragma once

#include <llvm-c/Core.h>
#include <stdbool.h>

enum call_kind {
    CALL_NONE,          /* no call, or one through a pointer or of assembly */
    CALL_HELPER,        /* of a function with a body, which is inlined */
    CALL_FOREIGN,       /* of a function without body and row */
    CALL_INTRINSIC,     /* of an intrinsic that no pass handles specially */
    CALL_MATH,          /* of the math library, or of its intrinsic */
    CALL_INTEGER_POWER, /* raises a floating-point number to an integer power */
    CALL_BARRIER,
    CALL_FENCE,      /* a fence for all memory of a tile, or for that of arrays */
    CALL_TILE_FENCE, /* a fence for tile_static variables */
    CALL_ABORT,
    CALL_PRINTF,
    CALL_IS_DEVICE,
    CALL_COPY, /* memcpy, memmove and memset, by whatever name */
    CALL_MOVE,
    CALL_SET,
    CALL_TRAP,
    CALL_SANITIZER,   /* a report of clang's sanitizer for undefined behaviour */
    CALL_HINT,        /* only informs the optimiser */
    CALL_MARK,        /* what a macro of the header, or the user, has noted about a variable, for host code */
    CALL_COUNTER,     /* counts executions of host code */
    CALL_CONSTRAINED, /* obeys a rounding mode, or reports exceptions */
    CALL_LANES,       /* the number of lanes, which the emitter knows */
    CALL_MASKED_LOAD,
    CALL_MASKED_STORE
};

/* How lanes call a function whose result differs between them. */
enum call_lanes {
    LANES_each,         /* one after another */
    LANES_none,         /* not at all: it informs the optimiser, or affects control and order */
    LANES_vector,       /* all at once: LLVM's intrinsic for vectors, overloaded by the vector type alone */
    LANES_vector_first, /* the same, but the second argument stays a scalar */
    LANES_libmvec       /* all at once where glibc's vector library exists */
};

/* How a call is handled if its numbers are of a type that the target cannot compute with. */
enum call_small {
    SMALL_none,       /* it has no such numbers */
    SMALL_bits,       /* it becomes its argument */
    SMALL_compute,    /* it is computed in float */
    SMALL_sign,       /* it changes the sign */
    SMALL_fused,      /* it is a multiplication and addition, rounded once */
    SMALL_class,      /* it asks for the class of a number */
    SMALL_move,       /* it can move integers; it is overloaded by the types of the vector and of the first argument, */
    SMALL_move_second /* or of the second */
};

enum math {
    MATH_none,
#define CALL(name, kind, lanes, small)
#define MATH(name, intrinsic, lanes, small) MATH_##name,
#include "kernel/calls.def"
#undef CALL
#undef MATH
};

struct callee {
    const char *name; /* of the math library, that for double; "f" after it makes the one for float */
    enum call_kind kind;
    enum call_lanes lanes;
    enum call_small small;
    enum math math;        /* for CALL_MATH: which function */
    const char *intrinsic; /* that a call becomes, since intrinsics set no errno; or NULL */
};

/* Return what is known about a function: by name, of one in a module, and of the one that a value calls. Never NULL. */
const struct callee *calls_find(const char *name);
const struct callee *calls_of_function(LLVMValueRef function);
const struct callee *calls_of(LLVMValueRef value);
enum call_kind calls_kind(LLVMValueRef value);

/* Whether it is CALL_COPY, CALL_MOVE or CALL_SET. */
bool calls_is_copy(enum call_kind kind);

/* Returns the name of the first row of a kind. */
const char *calls_name(enum call_kind kind);

/* The first says whether a call reads and writes no memory; the second, whether it does the same for all threads with
 * the same arguments, as pure functions and all of LLVM's do. */
bool calls_is_pure(LLVMValueRef call);
bool calls_follows_arguments(LLVMValueRef call);

/* Returns the name of glibc's vector version of the called function for `lanes` elements, such as "_ZGVeN16v_sinf";
 * NULL if there is none for a vector of that many bits. */
const char *calls_libmvec_name(LLVMValueRef call, int lanes);
