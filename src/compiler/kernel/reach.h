/* SPDX-License-Identifier: MIT
 *
 * Which elements of its arrays a kernel may touch when it runs a box of its domain. */
#pragma once

#include "kernel/cfg.h"
#include "kernel/wide.h"

struct kernel;

/* Writes the function and the table of a kernel that are named in it: reach and reaches of amp__kernel. */
void reach_write(struct kernel *kernel, const struct cfg *cfg, struct wide *to);
