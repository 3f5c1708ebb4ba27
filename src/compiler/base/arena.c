/* SPDX-License-Identifier: MIT */
#include "ampcc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 * 1024, ALIGNMENT = 16 };

/* The chunk that is being filled. Full chunks are not tracked: they live until the process ends. */
static char *block;
static size_t block_free;

void *arena_alloc(size_t size)
{
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (size > block_free) {
        block_free = size > BLOCK_BYTES ? size : BLOCK_BYTES;
        block = calloc(1, block_free);
        if (!block) {
            fputs("ampcc: error: out of memory\n", stderr);
            exit(EXIT_USER_ERROR);
        }
    }
    void *result = block;
    block += size;
    block_free -= size;
    return result;
}

char *arena_printf(const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = arena_alloc((size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}
