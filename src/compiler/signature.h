/* SPDX-License-Identifier: MIT
 *
 * What kernels' signatures say. */
#pragma once

#include "ampcc.h"

#include <stdio.h>

/* Whether a bound is a constant, and which. */
bool signature_constant(const struct bound *bound, long long *value);

/* Prints what front has read of the kernels. */
void signature_print(const struct unit *unit, FILE *file);
