/* SPDX-License-Identifier: MIT
 *
 * The host's side of functions that both kernels and the host may call; in kernels the compiler replaces them. */
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
