/* SPDX-License-Identifier: MIT
 *
 * Prints diagnostics in clang's form, so that editors and build systems need not know about ampcc:
 *
 *     file.c:4:9: error: what is not allowed; what to write instead
 *         4 |     goto out;
 *           |     ^
 */
#include "driver/driver.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAB_STOP = 8 };

/* The text of the files that were quoted so far. */
struct quoted {
    const char *file;
    const char *text; /* NULL: the file cannot be read */
    struct quoted *next;
};

static struct quoted *quoted_files;
static bool use_colour, use_carets = true;
static const struct warnings *warnings;
static unsigned n_errors; /* of this input */
static const char *current_pass;

void diag_setup(int colour, bool carets)
{
    use_colour = colour < 0 ? isatty(STDERR_FILENO) : colour > 0;
    use_carets = carets;
}

bool diag_has_colour(void)
{
    return use_colour;
}

void diag_setup_warnings(const struct warnings *asked)
{
    warnings = asked;
}

bool diag_warns(enum warning warning)
{
    return !warnings->are_off && warnings->is_on[warning];
}

void diag_set_pass(const char *name)
{
    current_pass = name;
}

const char *diag_pass(void)
{
    return current_pass;
}

void diag_source(const char *file, const char *text)
{
    struct quoted *quoted = arena_alloc(sizeof *quoted);
    *quoted = (struct quoted){file, text, quoted_files};
    quoted_files = quoted;
}

static const char *read_text(const char *file)
{
    FILE *stream = fopen(file, "rb");
    if (!stream)
        return NULL;
    struct text text = {0};
    bool good = text_add_file(&text, stream);
    fclose(stream);
    return good ? text.chars : NULL;
}

const char *diag_text(const char *file)
{
    for (const struct quoted *quoted = quoted_files; quoted; quoted = quoted->next)
        if (!strcmp(quoted->file, file))
            return quoted->text;
    diag_source(file, read_text(file));
    return quoted_files->text;
}

/* Prints the source line and below it the caret: tabs are expanded, and a UTF-8 sequence takes one column. */
void diag_quote(struct place place)
{
    const char *line = use_carets && place.file && place.line ? diag_text(place.file) : NULL;
    for (unsigned i = 1; line && i < place.line; i++) {
        line = strchr(line, '\n');
        line += line != NULL;
    }
    if (!line || !*line)
        return;
    fprintf(stderr, "%5u | ", place.line);
    unsigned column = 0, caret = 0;
    for (unsigned i = 0; line[i] && line[i] != '\n' && line[i] != '\r'; i++) {
        if (i + 1 == place.column)
            caret = column;
        if (line[i] == '\t') {
            do
                fputc(' ', stderr);
            while (++column % TAB_STOP);
        } else {
            fputc(line[i], stderr);
            column += (line[i] & 0xc0) != 0x80;
        }
    }
    if (place.column > 1 && !caret)
        caret = column;
    fprintf(stderr, "\n      | %*s%s^%s\n", (int)caret, "", use_colour ? "\033[0;1;32m" : "",
            use_colour ? "\033[0m" : "");
}

static void report(struct place place, const char *level, const char *colour, const char *format, va_list args)
{
    fflush(stdout);
    if (use_colour)
        fputs("\033[1m", stderr);
    if (place.file && place.line)
        fprintf(stderr, "%s:%u:%u: ", place.file, place.line, place.column);
    else
        fprintf(stderr, "%s: ", place.file ? place.file : "ampcc");
    fprintf(stderr, "%s%s: %s", use_colour ? colour : "", level, use_colour ? "\033[0m\033[1m" : "");
    vfprintf(stderr, format, args);
    fprintf(stderr, "%s\n", use_colour ? "\033[0m" : "");
    diag_quote(place);
}

#define REPORT(level, colour)                                                                                          \
    va_list args;                                                                                                      \
    va_start(args, format);                                                                                            \
    report(place, level, colour, format, args);                                                                        \
    va_end(args)

void diag_error(struct place place, const char *format, ...)
{
    n_errors++;
    REPORT("error", "\033[0;1;31m");
}

bool diag_warning(enum warning warning, struct place place, const char *format, ...)
{
    if (!diag_warns(warning))
        return false;
    int severity = warnings->severity[warning];
    bool is_error = severity ? severity > 0 : warnings->are_errors;
    n_errors += is_error;
    format = arena_printf("%s [%s-W%s]", format, is_error ? "-Werror," : "", warnings_option(warning));
    REPORT(is_error ? "error" : "warning", is_error ? "\033[0;1;31m" : "\033[0;1;35m");
    return true;
}

void diag_note(struct place place, const char *format, ...)
{
    REPORT("note", "\033[0;1;36m");
}

void diag_remark(struct place place, const char *format, ...)
{
    REPORT("remark", "\033[0;1;34m");
}

void diag_command(const char *format, ...)
{
    struct place place = {0};
    REPORT("error", "\033[0;1;31m");
}

unsigned diag_count(void)
{
    return n_errors;
}

void diag_add_errors(unsigned n)
{
    n_errors += n;
}

void diag_summary(void)
{
    if (n_errors)
        fprintf(stderr, "%u error%s generated.\n", n_errors, n_errors == 1 ? "" : "s");
    n_errors = 0;
}

void diag_defect(const char *kernel, const char *format, ...)
{
    const char *pass = current_pass;
    fflush(stdout);
    fputs("ampcc: defect", stderr);
    if (pass)
        fprintf(stderr, " in pass '%s'", pass);
    if (kernel)
        fprintf(stderr, ", kernel '%s'", kernel);
    fputs(": ", stderr);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs("\nThis is a fault of ampcc and not of the source. Please report it with the source", stderr);
    if (pass)
        fprintf(stderr, " and what --amp-dump-after=%s says", pass);
    fputs(".\n", stderr);
    exit(EXIT_DEFECT);
}
