/* SPDX-License-Identifier: MIT
 *
 * AMP_PROFILE: sums of what has happened, as tables or JSON, when the process ends. Each kind of event has a row for
 * each of its causes; docs/debugging.md says what the columns mean. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv, open_memstream, program_invocation_short_name */
#endif
#include "backend.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Events that have all of these in common. */
struct key {
    enum amp__event_kind kind;
    const char *name; /* of the kernel; the call that caused copies; what was waited for */
    const char *file; /* of the kernel */
    int source_line;
    const char *on; /* paths; NULL: the host */
    const char *from, *to;
    const char *line;
    enum amp__clock clock;
};

/* The strings of its key are its own, up to `file`, or live as long as the program. */
struct row {
    struct row *next;
    struct key key;
    unsigned long long n, bytes;
    long long total_ns;
};

enum { N_BUCKETS = 256, N_KINDS = AMP__WAIT + 1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct row *buckets[N_BUCKETS];
static int n_rows;
static unsigned long long n_lost; /* events without memory for a row */
static long long begin_ns;
static struct amp__output output;
static bool is_on, is_json;

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), length = strlen(end);
    return n >= length && !strcmp(text + n - length, end);
}

bool amp__profile_begin(void)
{
    const char *text = secure_getenv("AMP_PROFILE");
    bool is_file = text && strcmp(text, "1") && strcmp(text, "json");
    is_on = text && *text && strcmp(text, "0");
    is_json = is_on && (!strcmp(text, "json") || ends_with(text, ".json"));
    begin_ns = amp__now_ns();
    output = (struct amp__output){.variable = "AMP_PROFILE", .descriptor = -1};
    if (is_on && is_file)
        is_on = amp__output_open(&output, "AMP_PROFILE", text);
    return is_on;
}

/* ---- adding up ---- */

static bool are_equal(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool is_of(const struct row *row, const struct key *key)
{
    const struct key *own = &row->key;
    return own->kind == key->kind && own->clock == key->clock && own->source_line == key->source_line &&
           are_equal(own->name, key->name) && are_equal(own->file, key->file) && are_equal(own->on, key->on) &&
           are_equal(own->from, key->from) && are_equal(own->to, key->to) && are_equal(own->line, key->line);
}

static unsigned bucket_of(const struct key *key)
{
    unsigned hash = (unsigned)key->kind;
    for (const char *c = key->name ? key->name : ""; *c; c++)
        hash = hash * 31 + (unsigned char)*c;
    return hash % N_BUCKETS;
}

/* A copy of the key's strings that a descriptor may take with it; NULL without memory. */
static struct row *row_new(const struct key *key)
{
    size_t name_bytes = strlen(key->name) + 1, file_bytes = key->file ? strlen(key->file) + 1 : 0;
    struct row *row = amp__alloc(sizeof *row + name_bytes + file_bytes, _Alignof(struct row));
    if (!row)
        return NULL;
    char *strings = (char *)(row + 1);
    *row = (struct row){.key = *key};
    row->key.name = memcpy(strings, key->name, name_bytes);
    row->key.file = key->file ? memcpy(strings + name_bytes, key->file, file_bytes) : NULL;
    return row;
}

static struct row *row_for(const struct key *key)
{
    struct row **bucket = &buckets[bucket_of(key)], *row = *bucket;
    while (row && !is_of(row, key))
        row = row->next;
    if (row || !(row = row_new(key)))
        return row;
    row->next = *bucket;
    *bucket = row;
    n_rows++;
    return row;
}

static const char *path_of(const amp_accelerator *a)
{
    return a ? a->properties.path : NULL;
}

static struct key key_of(const struct amp__event *event)
{
    const struct amp__kernel *kernel = event->kind == AMP__LAUNCH ? event->kernel : NULL;
    struct key key = {.kind = event->kind, .clock = event->clock};
    key.name = kernel ? kernel->name : event->kind == AMP__COPY ? event->by : event->name;
    key.name = key.name ? key.name : "another call";
    key.file = kernel ? kernel->file : NULL;
    key.source_line = kernel ? kernel->line : 0;
    key.on = event->kind != AMP__COPY && event->on ? path_of(event->on->accelerator) : NULL;
    key.from = path_of(event->from);
    key.to = path_of(event->to);
    key.line = event->kind == AMP__COPY ? event->line : NULL;
    return key;
}

void amp__profile_add(const struct amp__event *event)
{
    if (event->kind == AMP__CALL || event->has_failed)
        return;
    struct key key = key_of(event);
    pthread_mutex_lock(&lock);
    struct row *row = is_on ? row_for(&key) : NULL;
    if (row) {
        row->n += event->kind == AMP__COPY ? event->n : 1;
        row->bytes += event->bytes;
        row->total_ns += event->end_ns - event->begin_ns - (event->kind == AMP__WAIT ? event->inner_ns : 0);
    } else {
        n_lost += is_on;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- printing ---- */

static const char *const clock_names[] = {"host", "device", "none"};

static int compare(const void *a, const void *b)
{
    const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
    if (x->key.kind != y->key.kind)
        return x->key.kind < y->key.kind ? -1 : 1;
    unsigned long long of_x = x->key.kind == AMP__COPY ? x->bytes : (unsigned long long)x->total_ns;
    unsigned long long of_y = y->key.kind == AMP__COPY ? y->bytes : (unsigned long long)y->total_ns;
    if (of_x != of_y)
        return of_x > of_y ? -1 : 1;
    return strcmp(x->key.name, y->key.name);
}

/* All rows, sorted; NULL without memory. */
static struct row **sorted(void)
{
    struct row **rows = amp__alloc(((size_t)n_rows + 1) * sizeof *rows, _Alignof(struct row *)), **end = rows;
    for (int i = 0; rows && i < N_BUCKETS; i++)
        for (struct row *row = buckets[i]; row; row = row->next)
            *end++ = row;
    if (rows) {
        *end = NULL;
        qsort(rows, (size_t)n_rows, sizeof *rows, compare);
    }
    return rows;
}

static double gb_per_s(const struct row *row)
{
    return row->total_ns > 0 ? (double)row->bytes / (double)row->total_ns : 0;
}

/* The rows of a kind, which are adjacent. */
static struct row **rows_of(struct row **rows, enum amp__event_kind kind)
{
    while (*rows && (*rows)->key.kind != kind)
        rows++;
    return rows;
}

static bool is_in(struct row *const *rows, enum amp__event_kind kind)
{
    return *rows && (*rows)->key.kind == kind;
}

static long long total_of(struct row **rows, enum amp__event_kind kind)
{
    long long total_ns = 0;
    for (rows = rows_of(rows, kind); is_in(rows, kind); rows++)
        total_ns += (*rows)->key.clock == AMP__CLOCK_NONE ? 0 : (*rows)->total_ns;
    return total_ns;
}

static double share_of(const struct row *row, long long all_ns)
{
    return all_ns > 0 && row->key.clock != AMP__CLOCK_NONE ? (double)row->total_ns / (double)all_ns : 0;
}

static void print_time(FILE *to, double ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s "};
    int unit = 0;
    for (; ns >= 999.95 && unit < 3; unit++)
        ns /= 1000;
    fprintf(to, "%7.*f %s", unit > 0, ns, units[unit]);
}

static void print_times(FILE *to, const struct row *row, bool has_mean)
{
    if (row->key.clock == AMP__CLOCK_NONE) {
        fprintf(to, has_mean ? "%10s  %10s" : "%10s", "-", "-");
        return;
    }
    print_time(to, (double)row->total_ns);
    if (has_mean) {
        fprintf(to, "  ");
        print_time(to, (double)row->total_ns / (double)row->n);
    }
}

static const char *host_or(const char *path)
{
    return path ? path : "host";
}

static void print_kernels(FILE *to, struct row **rows)
{
    long long all_ns = total_of(rows, AMP__LAUNCH);
    rows = rows_of(rows, AMP__LAUNCH);
    fprintf(to, "\n  launches       total        mean    share     GB/s  clock   on          kernel\n");
    for (; is_in(rows, AMP__LAUNCH); rows++) {
        const struct row *row = *rows;
        fprintf(to, "%10llu  ", row->n);
        print_times(to, row, true);
        fprintf(to, "  %5.1f %%  %7.2f  %-6s  %-10s  %s (%s:%d)\n", 100 * share_of(row, all_ns), gb_per_s(row),
                clock_names[row->key.clock], row->key.on, row->key.name, row->key.file, row->key.source_line);
    }
}

static void print_copies(FILE *to, struct row **rows)
{
    rows = rows_of(rows, AMP__COPY);
    if (is_in(rows, AMP__COPY))
        fprintf(to,
                "\n    copies           bytes       total     GB/s  clock   from        to          line       for\n");
    for (; is_in(rows, AMP__COPY); rows++) {
        const struct row *row = *rows;
        fprintf(to, "%10llu  %14llu  ", row->n, row->bytes);
        print_times(to, row, false);
        fprintf(to, "  %7.2f  %-6s  %-10s  %-10s  %-9s  %s\n", gb_per_s(row), clock_names[row->key.clock],
                host_or(row->key.from), host_or(row->key.to), row->key.line, row->key.name);
    }
}

static void print_waits(FILE *to, struct row **rows)
{
    rows = rows_of(rows, AMP__WAIT);
    if (is_in(rows, AMP__WAIT))
        fprintf(to, "\n     waits       total        mean  for\n");
    for (; is_in(rows, AMP__WAIT); rows++) {
        const struct row *row = *rows;
        fprintf(to, "%10llu  ", row->n);
        print_times(to, row, true);
        fprintf(to, "  %s%s%s\n", row->key.name, row->key.on ? " on " : "", row->key.on ? row->key.on : "");
    }
}

static void print_tables(FILE *to, struct row **rows, double seconds)
{
    fprintf(to, "amp: profile of %s, process %d, %.3f s\n", program_invocation_short_name, (int)getpid(), seconds);
    if (is_in(rows_of(rows, AMP__LAUNCH), AMP__LAUNCH))
        print_kernels(to, rows);
    print_copies(to, rows);
    print_waits(to, rows);
    if (n_lost > 0)
        fprintf(to, "\nThere was no memory for %llu other events.\n", n_lost);
}

/* ---- as JSON ---- */

static void print_text(FILE *to, const char *key, const char *text)
{
    char json[1024];
    fprintf(to, "\"%s\": \"%s\", ", key, amp__json_text(text, json, sizeof json));
}

/* What rows of all kinds have. */
static void print_sums(FILE *to, const struct row *row, const char *n_name)
{
    fprintf(to, "\"%s\": %llu, ", n_name, row->n);
    if (row->key.clock == AMP__CLOCK_NONE)
        fprintf(to, "\"total_ns\": null");
    else
        fprintf(to, "\"total_ns\": %lld", row->total_ns);
}

static void print_rate(FILE *to, const struct row *row)
{
    fprintf(to, ", \"bytes\": %llu, \"gb_per_s\": %.6g, \"clock\": \"%s\"", row->bytes, gb_per_s(row),
            clock_names[row->key.clock]);
}

static void print_object(FILE *to, const struct row *row, long long all_ns)
{
    const struct key *key = &row->key;
    switch (key->kind) {
    case AMP__LAUNCH:
        print_text(to, "kernel", key->name);
        print_text(to, "file", key->file);
        print_text(to, "on", key->on);
        fprintf(to, "\"line\": %d, \"share\": %.6g, ", key->source_line, share_of(row, all_ns));
        print_sums(to, row, "launches");
        print_rate(to, row);
        break;
    case AMP__COPY:
        print_text(to, "for", key->name);
        print_text(to, "line", key->line);
        print_text(to, "from", host_or(key->from));
        print_text(to, "to", host_or(key->to));
        print_sums(to, row, "copies");
        print_rate(to, row);
        break;
    default:
        print_text(to, "for", key->name);
        if (key->on)
            print_text(to, "on", key->on);
        print_sums(to, row, "waits");
    }
}

static void print_list(FILE *to, struct row **rows, enum amp__event_kind kind, const char *name)
{
    long long all_ns = total_of(rows, kind);
    fprintf(to, ",\n\"%s\": [", name);
    const char *before = "\n";
    for (rows = rows_of(rows, kind); is_in(rows, kind); rows++, before = ",\n") {
        fprintf(to, "%s  {", before);
        print_object(to, *rows, all_ns);
        fprintf(to, "}");
    }
    fprintf(to, "]");
}

static void print_json(FILE *to, struct row **rows, double seconds)
{
    fprintf(to, "{");
    print_text(to, "program", program_invocation_short_name);
    fprintf(to, "\"process\": %d, \"seconds\": %.9f", (int)getpid(), seconds);
    print_list(to, rows, AMP__LAUNCH, "kernels");
    print_list(to, rows, AMP__COPY, "copies");
    print_list(to, rows, AMP__WAIT, "waits");
    fprintf(to, ",\n\"lost\": %llu}\n", n_lost);
}

/* ---- the end ---- */

/* Called with the lock held. */
static void clear(void)
{
    for (int i = 0; i < N_BUCKETS; i++)
        for (struct row *row; (row = buckets[i]);) {
            buckets[i] = row->next;
            amp__free(row);
        }
    n_rows = 0;
    n_lost = 0;
}

/* Writes the profile at once, so that it does not mix with what other threads write. */
static void write_all(void)
{
    char *text = NULL;
    size_t size_bytes = 0;
    struct row **rows = sorted();
    FILE *to = rows ? open_memstream(&text, &size_bytes) : NULL;
    if (to) {
        (is_json ? print_json : print_tables)(to, rows, (double)(amp__now_ns() - begin_ns) * 1e-9);
        fclose(to);
        amp__output_write(&output, text, size_bytes);
    } else {
        amp__log("AMP_PROFILE: no memory for the profile");
    }
    free(text);
    amp__free(rows);
}

void amp__profile_end(void)
{
    pthread_mutex_lock(&lock);
    if (is_on && (n_rows > 0 || *output.name))
        write_all();
    is_on = false;
    amp__output_close(&output);
    clear();
    pthread_mutex_unlock(&lock);
}

void amp__profile_hold(void)
{
    pthread_mutex_lock(&lock);
}

void amp__profile_resume(void)
{
    pthread_mutex_unlock(&lock);
}

void amp__profile_renew(void)
{
    is_on = false;
    amp__output_close(&output);
    clear();
    pthread_mutex_unlock(&lock);
}
