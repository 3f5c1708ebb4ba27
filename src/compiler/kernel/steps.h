/* SPDX-License-Identifier: MIT
 *
 * How far apart neighbours in an array parameter lie in memory, as polynomials in the kernel's arguments. */
#pragma once

#include "ampcc.h"
#include "kernel/poly.h"

struct steps {
    struct poly bounds[MAX_RANK];
    struct poly bytes[MAX_RANK]; /* between neighbours along each dimension */
    struct poly total;           /* the array's bytes, from the first to the last one */
};

/* Returns the polynomial for the integer at a place of the argument block, as a signed number. */
typedef struct poly steps_argument(void *user, long long offset, long long bytes);

/* Finds the steps of an array parameter of rank MAX_RANK at most. A bound of an array is below 2^31. So it is what is
 * found here, unless that is negative or larger; that of a closure, or an integer parameter, always is. */
void steps_find(const struct kernel *kernel, const struct param *param, steps_argument *argument, void *user,
                struct steps *steps);
