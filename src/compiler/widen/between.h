/* SPDX-License-Identifier: MIT
 *
 * Loads under a condition whose elements lie between others that are certainly loaded. */
#pragma once

#include "kernel/shape.h"

/* Whether all elements of a contiguous load lie between those of two contiguous loads that all threads have made
 * before, so near that no page is between them in which nothing was read. */
bool between_others(const struct shapes *shapes, LLVMValueRef load);
