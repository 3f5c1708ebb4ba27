/* SPDX-License-Identifier: MIT
 *
 * The first cause, and the last failure: each thread keeps two statuses with their texts in its own storage. This needs
 * no allocation, so that "out of memory" can be reported, too.
 *
 * A question that is answered with no is a failure, but no error: then there is a last failure without a first. */
#include "runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local struct amp__error first = {.is_heard = true}, last;

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
    return first.status != AMP_OK ? first.text : last.text;
}

amp_status amp_error_last_status(void)
{
    return last.status;
}

const char *amp_error_last_text(void)
{
    return last.text;
}

static void clear(struct amp__error *error)
{
    error->status = AMP_OK;
    error->text[0] = 0;
}

void amp_error_clear(void)
{
    clear(&first);
    if (first.is_heard)
        clear(&last);
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
    struct amp__error mine = {.is_heard = first.is_heard};
    copy(&mine, &first);
    copy(&first, error);
    copy(error, &mine);
    first.is_heard = error->is_heard;
    error->is_heard = mine.is_heard;
}

amp_error_scope amp_error_begin(void)
{
    amp_error_scope scope;
    scope.status = first.status;
    memcpy(scope.text, first.text, strlen(first.text) + 1);
    amp_error_clear();
    return scope;
}

amp_status amp_error_end(const amp_error_scope *scope)
{
    amp_status status = first.status;
    copy(&last, &first);
    if (!scope)
        return amp__fail(AMP_ERROR_NULL, "amp_error_end: the scope is NULL");
    if (scope->status != AMP_OK) {
        first.status = scope->status;
        memcpy(first.text, scope->text, strlen(scope->text) + 1);
    }
    return status;
}

static void keep(struct amp__error *error, amp_status status, const char *format, va_list args)
{
    vsnprintf(error->text, sizeof error->text, format, args);
    error->status = status;
}

void amp__error_admit(void)
{
    if (first.status == AMP_OK)
        copy(&first, &last);
}

amp_status amp__answer_no(amp_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    keep(&last, status, format, args);
    va_end(args);
    return status;
}

amp_status amp__fail(amp_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (first.is_heard)
        keep(&last, status, format, args);
    else if (first.status == AMP_OK)
        keep(&first, status, format, args);
    va_end(args);
    if (first.is_heard)
        amp__error_admit();
    return status;
}
