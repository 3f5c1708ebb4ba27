/* SPDX-License-Identifier: MIT
 *
 * amp info: the accelerators that libamp finds on this machine, under mpirun its rank, and why a driver could not be
 * used. */
#include "tools.h"

#include <amp.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- as a table ---- */

enum { N_COLUMNS = 7, CELL = 256 };
static const char *const headings[N_COLUMNS] = {"path", "code", "version", "threads", "memory", "has", "description"};

static void print_bytes(uint64_t bytes, char text[CELL])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int unit = 0;
    while (value >= 1024 && unit < 4) {
        value /= 1024;
        unit++;
    }
    if (bytes == 0)
        snprintf(text, CELL, "-");
    else
        snprintf(text, CELL, value < 10 && unit > 0 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static void print_cells(const amp_accelerator_properties *p, char cells[N_COLUMNS][CELL])
{
    const struct {
        bool is_so;
        const char *name;
    } has[] = {{p->supports_double_precision, "double"},
               {!p->supports_double_precision && p->supports_limited_double_precision, "limited double"},
               {p->supports_cpu_shared_memory, "host memory"},
               {p->has_display, "display"},
               {p->is_debug, "debug"},
               {p->is_emulated, "emulation"}};
    snprintf(cells[0], CELL, "%s", p->path);
    snprintf(cells[1], CELL, "%s", p->isa);
    snprintf(cells[2], CELL, "%u.%u", (unsigned)(p->version >> 16), (unsigned)(p->version & 0xffff));
    snprintf(cells[3], CELL, "%d", p->n_threads);
    print_bytes(p->dedicated_memory_bytes, cells[4]);
    cells[5][0] = 0;
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        if (has[i].is_so) {
            size_t length = strlen(cells[5]);
            snprintf(cells[5] + length, CELL - length, "%s%s", length ? ", " : "", has[i].name);
        }
    snprintf(cells[6], CELL, "%s", p->description);
}

static void print_row(char cells[N_COLUMNS][CELL], const int width[N_COLUMNS])
{
    for (int c = 0; c < N_COLUMNS - 1; c++)
        printf("%*s  ", c == 3 || c == 4 ? width[c] : -width[c], cells[c]); /* numbers are aligned to the right */
    printf("%s\n", cells[N_COLUMNS - 1]);
}

/* What this rank computes on: "cuda:0, NVIDIA H100 PCIe, ..."; NULL without ranks. */
static const char *describe_rank(void)
{
    char path[32];
    snprintf(path, sizeof path, "rank:%d", amp_rank());
    amp_accelerator *rank = amp_rank_count() > 1 ? amp_accelerator_find(path) : NULL;
    return rank ? amp_accelerator_info(rank)->description : NULL;
}

/* Under mpirun: which rank this is, on what it computes, and of what `all` consists, or why that does not work. */
static void print_ranks(void)
{
    int n = amp_rank_count();
    amp_accelerator *all = n > 1 ? amp_accelerator_find("all") : NULL;
    const char *on = describe_rank();
    if (amp_error_status() != AMP_OK)
        printf("%s\n\n", amp_error_text());
    else if (all && on)
        printf("rank %d of %d, on %.*s; all: %s\n\n", amp_rank(), n, (int)strcspn(on, ","), on,
               amp_accelerator_info(all)->description);
    amp_error_clear();
}

static void print_table(void)
{
    enum { MAX = 64 };
    static char rows[MAX + 1][N_COLUMNS][CELL];
    int n = amp_accelerator_count() < MAX ? amp_accelerator_count() : MAX, width[N_COLUMNS] = {0};
    for (int c = 0; c < N_COLUMNS; c++)
        snprintf(rows[0][c], CELL, "%s", headings[c]);
    for (int i = 0; i < n; i++)
        print_cells(amp_accelerator_info(amp_accelerator_get(i)), rows[i + 1]);
    for (int i = 0; i <= n; i++)
        for (int c = 0; c < N_COLUMNS; c++)
            if ((int)strlen(rows[i][c]) > width[c])
                width[c] = (int)strlen(rows[i][c]);
    print_ranks();
    for (int i = 0; i <= n; i++)
        print_row(rows[i], width);
    if (*amp_accelerator_missing())
        printf("\n%s\n", amp_accelerator_missing());
}

/* ---- as JSON ---- */

static void print_field(const char *name, const char *text)
{
    printf("\"%s\": ", name);
    json_print(text, strlen(text));
    printf(", ");
}

static void print_json(void)
{
    static const char *const access[] = {"none", "read", "write", "read_write", "auto"};
    const char *on = describe_rank();
    printf("{\"rank\": %d, \"rank_count\": %d, ", amp_rank(), amp_rank_count());
    if (on)
        printf("\"rank_on\": \"%.*s\", ", (int)strcspn(on, ","), on);
    printf("\"accelerators\": [");
    for (int i = 0; i < amp_accelerator_count(); i++) {
        const amp_accelerator_properties *p = amp_accelerator_info(amp_accelerator_get(i));
        printf(i ? ",\n  {" : "\n  {");
        print_field("path", p->path);
        print_field("description", p->description);
        print_field("isa", p->isa);
        printf("\"version\": [%u, %u], \"dedicated_memory_bytes\": %" PRIu64 ", \"n_threads\": %d, ",
               (unsigned)(p->version >> 16), (unsigned)(p->version & 0xffff), p->dedicated_memory_bytes, p->n_threads);
        const struct {
            const char *name;
            bool value;
        } flags[] = {{"has_display", p->has_display},
                     {"is_debug", p->is_debug},
                     {"is_emulated", p->is_emulated},
                     {"supports_double_precision", p->supports_double_precision},
                     {"supports_limited_double_precision", p->supports_limited_double_precision},
                     {"supports_cpu_shared_memory", p->supports_cpu_shared_memory}};
        for (size_t f = 0; f < sizeof flags / sizeof *flags; f++)
            printf("\"%s\": %s, ", flags[f].name, flags[f].value ? "true" : "false");
        printf("\"default_cpu_access_type\": \"%s\"}", access[p->default_cpu_access_type]);
    }
    printf("\n ],\n \"missing\": [");
    for (const char *line = amp_accelerator_missing(), *end; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        json_print(line, (size_t)(end - line));
        fputs(*end ? ", " : "", stdout);
    }
    printf("]}\n");
}

void info_print(bool is_json)
{
    if (is_json)
        print_json();
    else
        print_table();
}
