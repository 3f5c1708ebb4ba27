/* SPDX-License-Identifier: MIT
 *
 * The host's side of functions that both kernels and the host may call; in kernels the compiler replaces them. */
#include "runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

/* What a kernel's thread has printed last by amp__print_error. */
static _Thread_local struct {
    const char *format;
    char text[512];
} printed;

void amp__print_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int cancellation = amp__cancellation_hold();
    vsnprintf(printed.text, sizeof printed.text, format, args);
    fputs(printed.text, stdout);
    amp__cancellation_resume(cancellation);
    va_end(args);
    size_t length = strlen(printed.text);
    if (length && printed.text[length - 1] == '\n')
        printed.text[length - 1] = 0;
    printed.format = format;
}

const char *amp__printed_error(const char *format)
{
    return format && format == printed.format ? printed.text : format;
}
