/* SPDX-License-Identifier: MIT
 *
 * AMP_LOG: a list of "info" and "coherence", separated by commas. Read once. */
#include "runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNREAD = 1 << 8, RUBBISH = 1 << 9 };

static atomic_int flags = UNREAD;

static int parse(const char *text)
{
    int found = 0;
    while (*text) {
        size_t length = strcspn(text, ",");
        if (length == 4 && !memcmp(text, "info", 4))
            found |= AMP__LOG_INFO;
        else if (length == 9 && !memcmp(text, "coherence", 9))
            found |= AMP__LOG_COHERENCE;
        else
            return RUBBISH;
        text += length + (text[length] == ',');
    }
    return found;
}

static int read_flags(void)
{
    int now = atomic_load_explicit(&flags, memory_order_relaxed);
    if (now == UNREAD) {
        const char *text = getenv("AMP_LOG");
        now = text ? parse(text) : 0;
        atomic_store(&flags, now);
    }
    return now;
}

bool amp__log_wants(int kind)
{
    return read_flags() & kind;
}

void amp__log(const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    int cancellation = amp__cancellation_hold();
    fprintf(stderr, "amp: %s\n", line); /* one call, so that lines of several threads do not mix */
    amp__cancellation_resume(cancellation);
}

amp_status amp__log_check(void)
{
    if (read_flags() != RUBBISH)
        return AMP_OK;
    const char *text = getenv("AMP_LOG");
    return amp__fail(AMP_ERROR_INVALID_ARGUMENT,
                     "AMP_LOG is \"%s\"; it may be info, coherence, or both with a comma between", text ? text : "");
}

void amp__log_restart(void)
{
    atomic_store(&flags, UNREAD);
}
