/* SPDX-License-Identifier: MIT
 *
 * What kernels' signatures say. */
#pragma once

#include "ampcc.h"

#include <stdio.h>

/* Whether a bound is a constant, and which. */
bool signature_constant(const struct bound *bound, long long *value);

/* The number of the integer parameter that stands alone in a bound; -1 otherwise. */
int signature_param(const struct bound *bound);

/* Whether C computes an expression in a type without a sign, which would wrap below 0 and above `*limit`. */
bool signature_limit(const struct expr *expr, long long *limit);

/* The operator of arithmetic, in C. */
const char *signature_sign(enum expr_op op);

/* The expression as a user would write it. */
const char *signature_text(const struct kernel *kernel, const struct expr *expr);

/* Prints what front has read of the kernels. */
void signature_print(const struct unit *unit, FILE *file);
