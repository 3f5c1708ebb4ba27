/* SPDX-License-Identifier: MIT */
#pragma once

#include "ampcc.h"

/* Whether a type is half or bfloat, or a vector of them. */
bool small_floats_is_one(LLVMTypeRef type);

/* Removes half and bfloat from an image's module, except where its target computes with them. */
void small_floats_lower(const struct unit *unit, const struct image *image);
