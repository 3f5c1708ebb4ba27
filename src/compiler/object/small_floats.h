/* SPDX-License-Identifier: MIT */
#pragma once

#include "ampcc.h"

/* Whether it is half or bfloat, or a vector of them. */
bool small_floats_is_one(LLVMTypeRef type);

/* Leaves no half and bfloat in an image's module but those that its target computes with. */
void small_floats_lower(const struct unit *unit, const struct image *image);
