/* SPDX-License-Identifier: MIT
 *
 * The functions of amp_math.h, for calls that are not inlined. */
#include "runtime.h"

#undef AMP__INLINE
#define AMP__INLINE
#pragma GCC visibility push(default)
#include "../../include/amp_math.h"
#pragma GCC visibility pop
