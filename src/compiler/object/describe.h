/* SPDX-License-Identifier: MIT
 *
 * --amp-report: what became of each kernel on each target, in terms that a C programmer knows. */
#pragma once

#include "widen/plan.h"

/* Notes what the report says about a kernel with this plan. The entry must still exist. */
void describe_kernel(struct unit *unit, const struct image *image, const struct plan *plan);
