/* SPDX-License-Identifier: MIT
 *
 * Answers questions about kernels' signatures. */
#pragma once

#include "ampcc.h"

#include <stdio.h>

/* Whether a bound is a constant; sets `*value` to it. */
bool signature_constant(const struct bound *bound, long long *value);

/* Returns the number of the integer parameter that is the whole bound; -1 if there is none. */
int signature_param(const struct bound *bound);

/* Whether C computes an expression in an unsigned type, which would wrap below 0 and above `*limit`. */
bool signature_limit(const struct expr *expr, long long *limit);

/* Returns the arithmetic operator in C. */
const char *signature_sign(enum expr_op op);

/* Returns the expression as a user would write it. */
const char *signature_text(const struct kernel *kernel, const struct expr *expr);

/* Returns the kernel whose function has a symbol; NULL if there is none. */
const struct kernel *signature_find(const struct unit *unit, const char *symbol);

/* Prints the kernels' signatures. */
void signature_print(const struct unit *unit, FILE *file);
