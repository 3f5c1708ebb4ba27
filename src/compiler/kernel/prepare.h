/* SPDX-License-Identifier: MIT */
#pragma once

#include "ampcc.h"

/* Does for one target, on its copy of the kernels, what depends on it: see prepare.c. */
void prepare_for_target(struct unit *unit, struct image *image);
