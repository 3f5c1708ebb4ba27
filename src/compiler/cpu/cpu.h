/* SPDX-License-Identifier: MIT
 *
 * Processors: kernels run on the cores of the host, in the lanes of their vectors. */
#pragma once

#include "target.h"

extern const struct target target_cpu;
