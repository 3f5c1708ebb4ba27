/* SPDX-License-Identifier: MIT
 *
 * Branches that only decide whether a thread's own element gets another value. */
#pragma once

#include "kernel/shape.h"

/* Lets threads store to elements of their own what is there, where they would skip the store. Returns whether the
 * kernel has changed. */
bool widen_store_back(const struct kernel *kernel, const struct shapes *shapes);
