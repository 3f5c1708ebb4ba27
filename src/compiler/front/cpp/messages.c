/* SPDX-License-Identifier: MIT
 *
 * Prints what clang has written about a source. Messages keep clang's form, with the source line and the caret; words.c
 * has other words for some sentences, and restrictions.c for whole errors. */
#include "front/cpp/cpp.h"

#include <stdio.h>
#include <string.h>

/* Returns where a text stands in the line at `line`; NULL if it does not. */
static const char *find(const char *line, const char *text)
{
    return memmem(line, strcspn(line, "\n"), text, strlen(text));
}

/* Skips notes at `at`, the beginning of a line, that quote the library's rules for launches. */
static const char *skip_notes(const char *at)
{
    static const char note[] = "from 'diagnose_if' attribute on ";
    while (find(at, note)) {
        do {
            at += strcspn(at, "\n");
            at += *at == '\n';
        } while (*at == ' '); /* the source line and its marks */
    }
    return at;
}

/* Whether the line at `at` is a note about the library, whose text helps nobody to mend a program. */
static bool is_note_on_library(const char *at)
{
    const char *folder = find(at, "/include/amp-cpp/"), *note = find(at, " note: "), *quote = find(at, "'");
    return folder && note && folder < note && (!quote || folder < quote);
}

/* Skips what clang quotes of the source, at `at`. */
static const char *skip_quotation(const char *at)
{
    while (*at == ' ') {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return at;
}

/* Returns what follows a change of colour at `at`. */
static const char *skip_colour(const char *at)
{
    while (*at == '\033')
        at += strcspn(at, "m\n") + 1;
    return at;
}

/* Reads the beginning of a line up to the column, "FILE:LINE:COLUMN". Returns its length; 0 if the line begins
 * otherwise. */
static size_t read_place(const char *line, struct place *place)
{
    const char *begin = skip_colour(line), *end = begin;
    char rest[2] = "";
    while ((end = memchr(end, ':', strcspn(end, "\n"))) &&
           sscanf(end, ":%u:%u%1[:]", &place->line, &place->column, rest) != 3)
        end++;
    if (!end)
        return 0;
    place->file = arena_printf("%.*s", (int)(end - begin), begin);
    end += 1 + strcspn(end + 1, ":");
    return (size_t)(end + 1 + strcspn(end + 1, ":") - line);
}

/* Whether `at`, after a place, says that a message is of a level, "error" or "note". */
static bool is_of_level(const char *at, const char *level)
{
    at = skip_colour(at + strspn(at, ": "));
    return has_prefix(at, level) && at[strlen(level)] == ':';
}

/* Adds the beginning of a line if clang reads something else than the source there. Returns how long clang's is; 0 if
 * clang reads the line as it is. */
static size_t add_place(struct text *to, const char *line, struct place *place)
{
    size_t length = read_place(line, place);
    if (!length || !diag_is_edited(*place))
        return 0;
    const char *begin = skip_colour(line);
    *place = diag_place(*place);
    text_add(to, "%.*s%s:%u:%u", (int)(begin - line), line, place->file, place->line, place->column);
    return length;
}

static void print(struct text *text)
{
    if (text->size)
        fwrite(text->chars, 1, text->size, stderr);
    *text = (struct text){0};
}

/* Returns what follows an error and its notes. */
static const char *skip_error(const char *at)
{
    struct place place;
    size_t length;
    do {
        at += strcspn(at, "\n");
        at = skip_quotation(at + (*at == '\n'));
        length = read_place(at, &place);
    } while (length && is_of_level(at + length, "note"));
    return at;
}

/* Reads "2 errors" or "1 warning", and goes on after it. Returns the number; 0 if there is something else. */
static unsigned read_number(const char **at, const char *what)
{
    unsigned n;
    int length = 0;
    if (sscanf(*at, "%u %n", &n, &length) != 1 || !length || !has_prefix(*at + length, what))
        return 0;
    *at += (size_t)length + strlen(what);
    *at += **at == 's';
    return n;
}

/* Looks at clang's count of its messages, of whose errors `n_ours` were reported as ours: the last line of all says how
 * many errors there are. Returns what follows it; `at` itself if it is something else. */
static const char *skip_count(struct text *to, const char *at, unsigned n_ours)
{
    const char *begin = skip_colour(at), *end = begin;
    unsigned n_warnings = read_number(&end, "warning");
    end += n_warnings && has_prefix(end, " and ") ? strlen(" and ") : 0;
    unsigned n_errors = read_number(&end, "error");
    if (!has_prefix(end, " generated") || end == begin)
        return at;
    text_add(to, "%.*s", (int)(begin - at), at);
    if (n_warnings)
        text_add(to, "%u warning%s generated.\n", n_warnings, n_warnings == 1 ? "" : "s");
    diag_add_errors(n_errors > n_ours ? n_errors - n_ours : 0);
    end += strcspn(end, "\n");
    return end + (*end == '\n');
}

/* Reports that clang has crashed, if it says so at `at`, and where. What follows is of use for its developers alone.
 * Returns false if it has not. */
static bool report_crash(const char *at)
{
    static const char dump[] = "PLEASE submit a bug report", first[] = "\n1.\t";
    struct place place = {0};
    const char *line = has_prefix(at, dump) ? strstr(at, first) : NULL;
    if (!has_prefix(at, dump))
        return false;
    if (line && read_place(line + strlen(first), &place))
        place = diag_place(place);
    diag_error(place,
               "clang crashes as it reads this; a known cause is an object whose bases or members have destructors "
               "of different restrictions, and which can so be destroyed nowhere [restriction]");
    return true;
}

static void print_said(const char *said, const struct cpp_syntax *syntax)
{
    struct text text = {0};
    unsigned n_ours = 0;
    for (const char *at = said; *(at = skip_count(&text, skip_notes(at), n_ours));) {
        struct place place;
        size_t length = read_place(at, &place);
        print(&text);
        if (report_crash(at))
            return;
        if (syntax && length && is_of_level(at + length, "error") &&
            cpp_report_restriction(syntax, diag_place(place))) {
            n_ours++;
            at = skip_error(at);
            continue;
        }
        bool is_quoted = !is_note_on_library(at);
        length = add_place(&text, at, &place);
        at = cpp_add_in_our_words(&text, at + length);
        if (length > 0) {
            print(&text);
            diag_quote(place);
        }
        if (length > 0 || !is_quoted)
            at = skip_quotation(at);
    }
    print(&text);
}

void cpp_print_messages(const struct clang_run *run, const struct cpp_syntax *syntax)
{
    struct text said = {0};
    FILE *file = fopen(run->errors, "rb");
    if (file && text_add_file(&said, file) && said.chars)
        print_said(said.chars, syntax);
    if (file)
        fclose(file);
}

int cpp_end_clang(const struct clang_run *run, bool is_trial)
{
    int status = driver_end_run(run);
    if (!status || !is_trial)
        cpp_print_messages(run, NULL);
    return status;
}

int cpp_clang(const struct words *args, const char *input)
{
    struct clang_run run;
    return driver_begin_run(&run, args, input) ? cpp_end_clang(&run, false) : EXIT_USER_ERROR;
}
