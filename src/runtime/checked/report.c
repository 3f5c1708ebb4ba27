/* SPDX-License-Identifier: MIT
 *
 * What the checks found. The first report becomes the error of the launch; AMP_CHECK_REPORT names a file that gets all
 * reports of the program as a JSON array. A mistake is reported once for each line and kernel. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv, open_memstream, asprintf */
#endif
#include "checked.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct report {
    struct report *next;
    const char *kind;
    char *key;              /* the same for mistakes that are reported once: place, kind and kernel */
    char *text;             /* for the error */
    char *json;             /* for the file */
    unsigned long reporter; /* who met the mistake last */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for all of these: */
static struct report *reports, **last = &reports;        /* of all launches */
static unsigned long last_reporter;
static bool is_written; /* the file has all reports */

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

/* ---- JSON ---- */

static void write_string(FILE *file, const char *key, const char *value)
{
    char json[2048];
    if (value)
        fprintf(file, ", \"%s\": \"%s\"", key, amp__json_text(value, json, sizeof json));
    else
        fprintf(file, ", \"%s\": null", key);
}

static void write_numbers(FILE *file, const char *key, int n, const long long *numbers)
{
    fprintf(file, ", \"%s\": [", key);
    for (int i = 0; i < n; i++)
        if (numbers[i] == AMP__UNKNOWN)
            fprintf(file, "%snull", i ? ", " : "");
        else
            fprintf(file, "%s%lld", i ? ", " : "", numbers[i]);
    fprintf(file, "]");
}

/* Writes "[3, 5]" for "(3, 5)". */
static void write_thread(FILE *file, const char *text)
{
    if (*text)
        fprintf(file, "\"thread\": [%.*s]", (int)strlen(text) - 2, text + 1);
    else
        fprintf(file, "\"thread\": null");
}

static void write_finding(FILE *file, const struct amp__check_site *site, const struct amp__finding *finding,
                          const char *kernel, const char *thread, const char *text)
{
    fprintf(file, "{\"line\": %d, \"column\": %d, ", site->line, site->column);
    write_thread(file, thread);
    write_string(file, "file", site->file);
    write_string(file, "kernel", kernel);
    write_string(file, "helper", site->function);
    write_string(file, "kind", finding->kind);
    write_string(file, "variable", finding->variable);
    write_numbers(file, "subscripts", finding->n_subscripts, finding->subscripts);
    write_numbers(file, "extents", finding->n_extents, finding->extents);
    if (finding->other_line) {
        fprintf(file, ", \"other\": {\"line\": %d, ", finding->other_line);
        write_thread(file, finding->other_thread);
        fprintf(file, "}");
    } else {
        write_string(file, "other", NULL);
    }
    write_string(file, "text", text);
    write_string(file, "remedy", finding->remedy);
    fprintf(file, "}");
}

/* Writes the file at once. If it cannot be written, nothing else changes. */
static void write_file(const char *path)
{
    struct amp__output output;
    char *text = NULL;
    size_t size_bytes = 0;
    FILE *file = amp__output_open(&output, "AMP_CHECK_REPORT", path) ? open_memstream(&text, &size_bytes) : NULL;
    if (file) {
        for (const struct report *r = reports; r; r = r->next)
            fprintf(file, "%s%s", r == reports ? "[" : ",\n ", r->json);
        fprintf(file, reports ? "]\n" : "[]\n");
        fclose(file);
        amp__output_write(&output, text, size_bytes);
        free(text);
    }
    amp__output_close(&output);
}

/* ---- reports ---- */

/* Returns the report of a mistake, NULL if it is new. */
static struct report *find(const char *key)
{
    struct report *r = reports;
    while (r && strcmp(r->key, key) != 0)
        r = r->next;
    return r;
}

static void free_texts(struct report *report)
{
    free(report->key);
    free(report->text);
    free(report->json);
}

/* Describes the mistake in texts of its own, because the kernel's may be unloaded. Returns false without memory. */
static bool describe(struct report *report, const struct amp__check_site *site, const struct amp__finding *finding,
                     const char *kernel, const char *what)
{
    const char *remedy = finding->remedy;
    char thread[AMP__THREAD_TEXT] = "", column[16] = "";
    size_t json_bytes;
    if (!finding->host)
        amp__thread_text(amp__here(), thread);
    if (site->column)
        snprintf(column, sizeof column, ":%d", site->column);
    FILE *json = open_memstream(&report->json, &json_bytes);
    if (!json)
        return false;
    write_finding(json, site, finding, kernel, thread, what);
    fclose(json);
    int n = asprintf(&report->text, "%s:%d%s: %s%s%s: %s%s%s", site->file, site->line, column, kernel,
                     *thread ? ", thread " : "", thread, what, remedy ? "; " : "", remedy ? remedy : "");
    report->text = n < 0 ? NULL : report->text;
    return report->text && report->json;
}

static struct report *append(void)
{
    struct report *report = calloc(1, sizeof *report);
    if (report) {
        *last = report;
        last = &report->next;
    }
    return report;
}

/* Adds a report, or renews that of an earlier launch: it describes the mistake as this launch's first thread meets it.
 * The key becomes its own. */
static void add(char *key, const struct amp__reporter *reporter, const struct amp__check_site *site,
                const struct amp__finding *finding, const char *what)
{
    struct report *report = find(key), described = {.kind = finding->kind, .key = key, .reporter = reporter->number};
    bool is_known = report && report->reporter == reporter->number;
    if (is_known || !describe(&described, site, finding, reporter->kernel->name, what) ||
        (!report && !(report = append()))) {
        free_texts(&described);
        return;
    }
    described.next = report->next;
    free_texts(report);
    *report = described;
    is_written = false;
}

/* Writes a remedy with the words of C++ AMP. */
static const char *in_cpp(const char *remedy, char *text, size_t size_bytes)
{
    static const char *const words[][2] = {{"amp_tile_barrier_wait", "barrier.wait"}, {"amp_atomic_", "atomic_"}};
    enum { N = sizeof words / sizeof *words };
    size_t n = 0;
    while (*remedy && n + 1 < size_bytes) {
        size_t w = 0;
        while (w < N && strncmp(remedy, words[w][0], strlen(words[w][0])) != 0)
            w++;
        n += (size_t)snprintf(text + n, size_bytes - n, "%.*s", w < N ? 64 : 1, w < N ? words[w][1] : remedy);
        remedy += w < N ? strlen(words[w][0]) : 1;
    }
    return text;
}

void amp__report(const struct amp__check_site *site, const struct amp__finding *finding, const char *format, ...)
{
    char what[768], remedy[512], *key;
    struct amp__finding own = *finding;
    const struct amp__reporter *reporter = own.host ? own.host : &amp__running.reporter;
    if (own.remedy && reporter->kernel->is_closure)
        own.remedy = in_cpp(own.remedy, remedy, sizeof remedy);
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (asprintf(&key, "%s:%d:%s:%s", site->file, site->line, finding->kind, reporter->kernel->name) < 0)
        return;
    pthread_mutex_lock(&lock);
    add(key, reporter, site, &own, what);
    pthread_mutex_unlock(&lock);
}

struct amp__reporter amp__reports_begin(const struct amp__kernel *kernel)
{
    pthread_mutex_lock(&lock);
    struct amp__reporter reporter = {kernel, ++last_reporter};
    pthread_mutex_unlock(&lock);
    return reporter;
}

void amp__reports_renew(void)
{
    pthread_mutex_init(&lock, NULL);
}

/* Writes what is new. The file of a program without mistakes has an empty array. */
static void write_new(void)
{
    const char *path = secure_getenv("AMP_CHECK_REPORT");
    if (path && *path && !is_written)
        write_file(path);
    is_written = true;
}

amp_status amp__reports_end(const struct amp__reporter *reporter)
{
    const struct report *first = NULL;
    int n = 0;
    char more[80] = "";
    pthread_mutex_lock(&lock);
    for (const struct report *r = reports; r; r = r->next) {
        bool is_cause = first && !strcmp(first->kind, "undefined") && !strcmp(r->kind, "race");
        bool is_new = r->reporter == reporter->number;
        first = is_new && (!first || is_cause) ? r : first; /* a race may be why nothing was written yet */
        n += is_new;
    }
    write_new();
    if (n > 1)
        snprintf(more, sizeof more, " (%d more: AMP_CHECK_REPORT=FILE writes all)", n - 1);
    amp_status status = first ? amp__fail(AMP_ERROR_CHECK, "%s%s", first->text, more) : AMP_OK;
    pthread_mutex_unlock(&lock);
    return status;
}
