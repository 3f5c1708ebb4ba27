/* SPDX-License-Identifier: MIT
 *
 * --amp-report: what became of each kernel on each target, in terms that a C programmer knows. */
#pragma once

#include "widen/plan.h"

/* Notes what the report says about a kernel with this plan. The entry must still exist. */
void describe_kernel(struct unit *unit, const struct image *image, const struct plan *plan);

/* Returns a kernel's name with its rank and those of its arrays: "mxm (rank 2; a[][], sums[])". */
const char *describe_ranks(const struct kernel *kernel);
/* Adds the same to a kernel's JSON. */
void describe_ranks_json(const struct kernel *kernel, struct text *to);
