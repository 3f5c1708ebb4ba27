/* SPDX-License-Identifier: MIT
 *
 * Leads from places of the text that clang reads to those of the source. In between, the preprocessor has expanded
 * macros and left out comments and spaces, and ampcc has changed some words. */
#include "driver/driver.h"

#include <ctype.h>
#include <string.h>

/* A change of a line: `after` bytes were put for `before` ones that begin in a column. */
struct edited {
    const char *file;
    unsigned line, column, before, after;
    struct edited *next;
};

/* A line that the preprocessor has written otherwise. */
struct respelled {
    const char *file, *source, *now;
    unsigned line;
    struct respelled *next;
};

/* The characters of a line but spaces and comments. */
struct letters {
    char *chars;
    unsigned *columns;
    unsigned n;
};

static struct edited *first_edited, **last_edited = &first_edited;
static struct respelled *respelled_lines;

void diag_edited(struct place place, unsigned before, unsigned after)
{
    struct edited *edited = *last_edited = arena_alloc(sizeof *edited);
    *edited = (struct edited){place.file, place.line, place.column, before, after, NULL};
    last_edited = &edited->next;
}

void diag_respelled(struct place line, const char *source, const char *now)
{
    struct respelled *respelled = arena_alloc(sizeof *respelled);
    *respelled = (struct respelled){line.file, source, now, line.line, respelled_lines};
    respelled_lines = respelled;
}

void diag_forget_edits(void)
{
    last_edited = &first_edited;
    first_edited = NULL;
    respelled_lines = NULL;
}

/* Returns the next change of a line, at `e` or after it. */
static const struct edited *find_edited(const struct edited *e, struct place place)
{
    while (e && (e->line != place.line || strcmp(e->file, place.file) != 0))
        e = e->next;
    return e;
}

static const struct respelled *find_respelled(struct place place)
{
    const struct respelled *r = respelled_lines;
    while (r && (r->line != place.line || strcmp(r->file, place.file) != 0))
        r = r->next;
    return r;
}

bool diag_is_edited(struct place place)
{
    return find_edited(first_edited, place) || find_respelled(place);
}

/* ---- what the preprocessor has changed ---- */

static struct letters letters_of(const char *line)
{
    size_t length = strcspn(line, "\r\n");
    struct letters letters = {arena_alloc(length + 1), arena_alloc((length + 1) * sizeof(unsigned)), 0};
    char quote = 0;
    for (size_t i = 0; i < length; i++) {
        if (!quote && line[i] == '/' && line[i + 1] == '/')
            break;
        if (!quote && line[i] == '/' && line[i + 1] == '*') {
            const char *end = strstr(line + i + 2, "*/");
            i = end && end < line + length ? (size_t)(end - line) + 1 : length;
            continue;
        }
        if (quote && line[i] == '\\')
            i++;
        else if (line[i] == quote)
            quote = 0;
        else if (!quote && (line[i] == '"' || line[i] == '\''))
            quote = line[i];
        if (i >= length || isspace((unsigned char)line[i]))
            continue;
        letters.chars[letters.n] = line[i];
        letters.columns[letters.n++] = (unsigned)i + 1;
    }
    return letters;
}

static bool is_in_word(const struct letters *l, unsigned i)
{
    return isalnum((unsigned char)l->chars[i]) || l->chars[i] == '_';
}

/* Returns the column in the source of one in what the preprocessor made of it. The two lines agree at their beginnings
 * and at their ends; what is in between is the expansion of a macro, whose place is that of its name. */
static unsigned source_column(const struct respelled *line, unsigned column)
{
    struct letters source = letters_of(line->source), now = letters_of(line->now);
    unsigned least = source.n < now.n ? source.n : now.n, begin = 0, end = 0, at = 0;
    while (begin < least && source.chars[begin] == now.chars[begin])
        begin++;
    while (end < least - begin && source.chars[source.n - 1 - end] == now.chars[now.n - 1 - end])
        end++;
    while (at < now.n && now.columns[at] < column)
        at++;
    if (at < begin)
        return source.columns[at];
    if (at < now.n && at >= now.n - end)
        return source.columns[source.n - (now.n - at)];
    if (begin == source.n)
        return source.n ? source.columns[source.n - 1] + 1 : 1;
    while (begin > 0 && is_in_word(&source, begin) && is_in_word(&source, begin - 1) &&
           source.columns[begin - 1] + 1 == source.columns[begin])
        begin--;
    return source.columns[begin];
}

/* Leads from a place in the changed line to that in the preprocessor's. */
static struct place place_before_edits(struct place place)
{
    unsigned shift = 0; /* of the columns here, modulo their range */
    for (const struct edited *e = first_edited; (e = find_edited(e, place)); e = e->next) {
        if (place.column < e->column + shift)
            break;
        if (place.column < e->column + shift + e->after) {
            place.column = e->column;
            return place;
        }
        shift += e->after - e->before;
    }
    place.column -= shift;
    return place;
}

struct place diag_place(struct place place)
{
    place = place_before_edits(place);
    const struct respelled *line = place.column ? find_respelled(place) : NULL;
    if (line)
        place.column = source_column(line, place.column);
    return place;
}
