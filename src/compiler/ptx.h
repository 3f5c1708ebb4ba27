/* SPDX-License-Identifier: MIT
 *
 * What the parts of the pass `ptx` share. */
#pragma once

#include "ampcc.h"

/* ---- ptx_math.c ---- */

/* Puts the functions of the math library into the image's module that it calls, and reports those that are not there. */
void ptx_link_math(struct unit *unit, struct image *image);
