/* SPDX-License-Identifier: MIT */
#pragma once

#include "ampcc.h"

/* Does the steps that depend on the target, on its copy of the kernels: see prepare.c. */
void prepare_for_target(struct unit *unit, struct image *image);
