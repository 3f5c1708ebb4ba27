/* SPDX-License-Identifier: MIT
 *
 * What kernels and the host may both call, as the host sees it; in kernels the compiler takes care of it. */
#include "runtime.h"

#include <stdarg.h>
#include <stdio.h>

bool amp_is_device(void)
{
    return false;
}

void amp_printf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int cancellation = amp__cancellation_hold();
    vprintf(format, args);
    amp__cancellation_resume(cancellation);
    va_end(args);
}
