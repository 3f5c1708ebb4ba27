/* SPDX-License-Identifier: MIT
 *
 * The first cause: each thread keeps one status and its text in its own storage. This needs no allocation, so that "out
 * of memory" can be reported, too. */
#include "runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local struct amp__error first;

static const struct {
    const char *name, *sentence;
} statuses[] = {
#define STATUS(code, sentence) {#code, sentence},
    AMP_STATUS_LIST(STATUS)
#undef STATUS
};

const char *amp_status_name(amp_status status)
{
    return (size_t)status < sizeof statuses / sizeof *statuses ? statuses[status].name : "unknown status";
}

const char *amp_status_text(amp_status status)
{
    return (size_t)status < sizeof statuses / sizeof *statuses ? statuses[status].sentence : "unknown status";
}

amp_status amp_error_status(void)
{
    return first.status;
}

const char *amp_error_text(void)
{
    return first.text;
}

void amp_error_clear(void)
{
    first.status = AMP_OK;
    first.text[0] = 0;
}

const struct amp__error *amp__error_now(void)
{
    return &first;
}

/* Copies the text, without the unused bytes after it. */
static void copy(struct amp__error *to, const struct amp__error *from)
{
    to->status = from->status;
    memcpy(to->text, from->text, strlen(from->text) + 1);
}

void amp__error_swap(struct amp__error *error)
{
    struct amp__error mine;
    copy(&mine, &first);
    copy(&first, error);
    copy(error, &mine);
}

amp_status amp__fail(amp_status status, const char *format, ...)
{
    if (first.status == AMP_OK) {
        va_list args;
        va_start(args, format);
        vsnprintf(first.text, sizeof first.text, format, args);
        va_end(args);
        first.status = status;
    }
    return status;
}
