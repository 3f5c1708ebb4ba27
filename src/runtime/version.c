/* SPDX-License-Identifier: MIT */
#include "runtime.h"

int amp_version(void)
{
    return AMP_VERSION;
}
