/* SPDX-License-Identifier: MIT
 *
 * What kernels and the host may both call, as the host sees it; in kernels the compiler takes care of it. */
#include "runtime.h"

bool amp_is_device(void)
{
    return false;
}
