/* SPDX-License-Identifier: MIT
 *
 * What the checks found. The first report becomes the error of the launch; AMP_CHECK_REPORT names a file that gets all
 * reports of the program as a JSON array. A mistake is reported once for each line. */
#include "checked.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct report {
    struct report *next;
    const char *file;
    int line, column;
    const char *kernel, *kind;
    char thread[AMP__THREAD_TEXT];
    bool is_new; /* of this launch */
    char text[768];
};

static struct report *reports, **last = &reports; /* of all launches */

char *amp__thread_text(const struct amp__place *at, char text[AMP__THREAD_TEXT])
{
    const struct amp__kernel *kernel = amp__running.launch->kernel;
    int rank = kernel->rank, box_rank = rank < 3 ? rank : 3, index[AMP_MAX_RANK], n = 0;
    for (int d = 0; d < box_rank; d++) {
        int of_box = 3 - box_rank + d, size = kernel->tile ? kernel->tile[d] : 1;
        index[rank - box_rank + d] = (kernel->tile ? at->tile[of_box] * size : 0) + at->place[of_box];
    }
    if (rank > box_rank) {
        const struct amp__flat *flat = (const void *)((const char *)amp__running.args + kernel->flat);
        long long number = flat->first + at->place[0];
        for (int d = rank - box_rank; d >= 0; number /= flat->extent[d--])
            index[d] = (int)(number % flat->extent[d]);
    }
    for (int d = 0; d < rank; d++)
        n += snprintf(text + n, (size_t)(AMP__THREAD_TEXT - n), d ? ", %d" : "(%d", index[d]);
    snprintf(text + n, (size_t)(AMP__THREAD_TEXT - n), ")");
    return text;
}

/* Returns the report of a mistake, NULL if it is new. */
static struct report *find(const struct amp__check_site *site, const char *kind)
{
    struct report *r = reports;
    while (r && !(r->line == site->line && !strcmp(r->file, site->file) && !strcmp(r->kind, kind) &&
                  !strcmp(r->kernel, amp__running.launch->kernel->name)))
        r = r->next;
    return r;
}

static struct report *add_new(void)
{
    struct report *report = amp__alloc(sizeof *report, _Alignof(struct report));
    if (report) {
        report->next = NULL;
        *last = report;
        last = &report->next;
    }
    return report;
}

/* A launch that repeats a mistake of an earlier one describes it as its own first thread meets it. */
static void add(const struct amp__check_site *site, const char *kind, const char *format, va_list args)
{
    struct report *report = find(site, kind);
    if (report && report->is_new)
        return;
    if (!report && !(report = add_new()))
        return;
    report->file = site->file;
    report->line = site->line;
    report->column = site->column;
    report->kernel = amp__running.launch->kernel->name;
    report->kind = kind;
    report->is_new = true;
    amp__thread_text(&amp__running.at, report->thread);
    vsnprintf(report->text, sizeof report->text, format, args);
}

void amp__report(unsigned site, const char *kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(&amp__running.kernel->sites[site], kind, format, args);
    va_end(args);
}

void amp__report_at(const struct amp__check_site *site, const char *kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(site, kind, format, args);
    va_end(args);
}

void amp__reports_begin(void)
{
    for (struct report *r = reports; r; r = r->next)
        r->is_new = false;
}

/* ---- JSON ---- */

static void write_string(FILE *file, const char *key, const char *value)
{
    fprintf(file, "\"%s\": \"", key);
    for (const unsigned char *c = (const unsigned char *)value; *c; c++)
        fprintf(file, *c < ' ' ? "\\u%04x" : *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    fprintf(file, "\"");
}

/* A file that cannot be written changes nothing else. */
static void write_file(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        amp__log("AMP_CHECK_REPORT: '%s' cannot be written", path);
        return;
    }
    for (const struct report *r = reports; r; r = r->next) {
        fprintf(file, r == reports ? "[{" : ",\n {");
        write_string(file, "file", r->file);
        fprintf(file, ", \"line\": %d, \"column\": %d, ", r->line, r->column);
        write_string(file, "kernel", r->kernel);
        fprintf(file, ", \"thread\": [%.*s], ", (int)strlen(r->thread) - 2, r->thread + 1);
        write_string(file, "kind", r->kind);
        fprintf(file, ", ");
        write_string(file, "text", r->text);
        fprintf(file, "}");
    }
    fprintf(file, reports ? "]\n" : "[]\n");
    if (fclose(file))
        amp__log("AMP_CHECK_REPORT: '%s' cannot be written", path);
}

amp_status amp__reports_end(void)
{
    const struct report *first = NULL;
    int n = 0;
    char more[80] = "";
    for (const struct report *r = reports; r; r = r->next) {
        bool is_cause = first && !strcmp(first->kind, "undefined") && !strcmp(r->kind, "race");
        first = r->is_new && (!first || is_cause) ? r : first; /* a race may be why nothing was written yet */
        n += r->is_new;
    }
    if (!first)
        return AMP_OK;
    if (n > 1)
        snprintf(more, sizeof more, " (%d more: AMP_CHECK_REPORT=FILE writes all)", n - 1);
    amp_status status = amp__fail(AMP_ERROR_CHECK, "%s:%d:%d: %s, thread %s: %s%s", first->file, first->line,
                                  first->column, first->kernel, first->thread, first->text, more);
    const char *path = getenv("AMP_CHECK_REPORT");
    if (path && *path)
        write_file(path);
    return status;
}
