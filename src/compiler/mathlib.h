/* SPDX-License-Identifier: MIT
 *
 * What kernels may call of <math.h>, and how: one table for the check, for scalar code and for vectors. */
#pragma once

#include <llvm-c/Core.h>
#include <stdbool.h>

struct math_function {
    const char *name;      /* of the double version; "f" behind it makes the float one */
    const char *intrinsic; /* LLVM's, which sets no errno and exists for vectors; or NULL */
    int vector_arguments;  /* of the function in glibc's libmvec; 0 if it has none */
};

/* The entry for a function's name ("sin", "sinf", "llvm.sin.f32"), or NULL. */
const struct math_function *mathlib_find(const char *name);

/* The name of glibc's vector version for `lanes` elements of type float or double: "_ZGVeN16v_sinf". NULL if a vector of
 * that many bits has none. */
const char *mathlib_vector_name(const struct math_function *function, bool is_float, int lanes);
