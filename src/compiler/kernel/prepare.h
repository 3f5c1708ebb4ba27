/* SPDX-License-Identifier: MIT */
#pragma once

#include "ampcc.h"

/* Does the steps that depend on the target, on its copy of the kernels: see prepare.c. */
void prepare_for_target(struct unit *unit, struct image *image);

/* Does so on a copy of `unit->described`, whose variables stay in memory. */
void prepare_described(struct unit *unit, struct image *image);

/* Prepares an image's kernels for LLVM's pipeline without bringing them into the form: calls of the math library become
 * pure, and what LLVM would misfold is hidden. At -O0 it folds nothing there, and variables stay in memory for gdb. */
void prepare_plain(struct unit *unit, struct image *image);
