/* SPDX-License-Identifier: MIT */
#include "tools.h"

#include "abi/json.h"

void json_print(const char *text, size_t length)
{
    char escaped[JSON_CHARACTER];
    putchar('"');
    for (const char *end = text + length; text < end; text += json_character(text, escaped), fputs(escaped, stdout))
        ;
    putchar('"');
}
