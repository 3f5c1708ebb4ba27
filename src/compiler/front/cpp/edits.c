/* SPDX-License-Identifier: MIT
 *
 * Finds the tokens of preprocessed C++, and changes its text. */
#include "front/cpp/edits.h"

#include <stdlib.h>

static void *grow(void *items, int n, int *capacity, size_t size)
{
    if (n < *capacity)
        return items;
    *capacity = *capacity ? 2 * *capacity : 1024;
    void *more = arena_alloc((size_t)*capacity * size);
    if (n)
        memcpy(more, items, (size_t)n * size);
    return more;
}

/* ---- tokens ---- */

/* Returns where a string or character literal ends whose quote is at `at`. */
static size_t skip_quoted(const struct source *s, size_t at)
{
    char quote = s->chars[at++];
    while (at < s->size && s->chars[at] != quote && s->chars[at] != '\n')
        at += s->chars[at] == '\\' ? 2 : 1;
    return at < s->size ? at + 1 : s->size;
}

/* Returns where a raw string ends whose quote is at `at`. */
static size_t skip_raw(const struct source *s, size_t at)
{
    const char *begin = s->chars + at + 1, *open = strchr(begin, '(');
    if (!open)
        return s->size;
    const char *end = strstr(open, arena_printf(")%.*s\"", (int)(open - begin), begin));
    return end ? (size_t)(end - s->chars) + (size_t)(open - begin) + 2 : s->size;
}

/* Whether the literal whose quote is at `at` is a raw string, by what stands before it. */
static bool is_raw(const char *prefix, size_t length)
{
    static const char *const prefixes[] = {"R", "LR", "uR", "UR", "u8R"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strlen(prefixes[i]) == length && !strncmp(prefix, prefixes[i], length))
            return true;
    return false;
}

/* Returns where the comment at `at` ends: options let the preprocessor keep comments. */
static size_t skip_comment(const struct source *s, size_t at)
{
    const char *begin = s->chars + at, *end = begin[1] == '/' ? strchr(begin, '\n') : strstr(begin + 2, "*/");
    return !end ? s->size : (size_t)(end - s->chars) + (begin[1] == '/' ? 0 : 2);
}

/* Returns where the token at `at` ends. */
static size_t skip_token(const struct source *s, size_t at)
{
    size_t end = at;
    if (isdigit((unsigned char)s->chars[at])) {
        while (is_letter(s->chars[end]) || s->chars[end] == '.' ||
               (s->chars[end] == '\'' && is_letter(s->chars[end + 1])))
            end++;
        return end;
    }
    while (is_letter(s->chars[end]))
        end++;
    if (s->chars[end] == '"' && end > at && is_raw(s->chars + at, end - at))
        return skip_raw(s, end);
    if (end > at)
        return end;
    if (s->chars[at] == '"' || s->chars[at] == '\'')
        return skip_quoted(s, at);
    if (!strncmp(s->chars + at, "->", 2) || !strncmp(s->chars + at, "::", 2))
        return at + 2;
    return at + 1;
}

/* Whether a header of the system is one of the standard library, as .../include/c++/12/vector is. */
static bool is_standard(const struct source *s)
{
    const char *at = memmem(s->file, (size_t)s->file_length, "/c++/", 5);
    return at && (isdigit((unsigned char)at[5]) || !strncmp(at + 5, "v1/", 3));
}

static bool is_ours(const struct source *s)
{
    return !strncmp(s->file, s->ours, strlen(s->ours));
}

/* Notes the file of a line marker: # 1 "FILE" 3. */
static void read_marker(struct source *s, size_t at)
{
    const char *open = s->chars + at + strcspn(s->chars + at, "\"\n");
    if (*open != '"')
        return;
    s->file = open + 1;
    s->file_length = (int)strcspn(s->file, "\"\n");
    const char *flags = s->file + s->file_length;
    bool is_of_system = *flags == '"' && memchr(flags, '3', strcspn(flags, "\n")) != NULL;
    s->origin = is_ours(s)       ? ORIGIN_OURS
                : !is_of_system  ? ORIGIN_PROGRAM
                : is_standard(s) ? ORIGIN_STANDARD
                                 : ORIGIN_SYSTEM;
}

static void read_tokens(struct source *s)
{
    static const char header[] = "/strings.h";
    int length = (int)sizeof header - 1;
    bool is_at_begin = true;
    for (size_t at = 0; at < s->size;) {
        char c = s->chars[at];
        if (c == '\n' || isspace((unsigned char)c)) {
            is_at_begin = is_at_begin || c == '\n';
            at++;
        } else if (c == '/' && (s->chars[at + 1] == '/' || s->chars[at + 1] == '*')) {
            at = skip_comment(s, at);
        } else if (c == '#' && is_at_begin) {
            read_marker(s, at);
            at += strcspn(s->chars + at, "\n");
        } else {
            size_t end = skip_token(s, at);
            bool is_in_strings =
                s->file_length >= length && !strncmp(s->file + s->file_length - length, header, (size_t)length);
            s->tokens = grow(s->tokens, s->n, &s->capacity, sizeof *s->tokens);
            s->tokens[s->n++] = (struct token){(unsigned)at, (unsigned)end, s->origin, is_in_strings};
            at = end;
            is_at_begin = false;
        }
    }
}

struct source edits_begin(const struct text *text)
{
    struct source s = {.chars = text->chars, .size = text->size, .file = ""};
    s.ours = arena_printf("%s/include/amp-cpp/", driver_prefix());
    read_tokens(&s);
    return s;
}

/* ---- places ---- */

/* Where a text is read, and the place there that line markers give. */
struct reader {
    const char *line; /* the beginning of the line */
    struct place place;
    bool is_of_system;
};

static struct reader begin_reading(const struct source *s)
{
    return (struct reader){s->chars, {"", 1, 1}, false};
}

/* Goes on to `to`. */
static void read_on(struct reader *r, const char *to)
{
    for (const char *next; (next = strchr(r->line, '\n')) && next < to; r->line = next + 1) {
        const char *open = *r->line == '#' ? memchr(r->line, '"', (size_t)(next - r->line)) : NULL;
        if (!open) {
            r->place.line++;
            continue;
        }
        const char *close = open + 1 + strcspn(open + 1, "\"\n");
        r->place.file = arena_printf("%.*s", (int)(close - open - 1), open + 1);
        r->place.line = (unsigned)strtoul(r->line + 1, NULL, 10);
        r->is_of_system = memchr(close, '3', (size_t)(next - close)) != NULL;
    }
    r->place.column = (unsigned)(to - r->line) + 1;
}

struct place edits_place(const struct source *s, int i)
{
    struct reader r = begin_reading(s);
    read_on(&r, s->chars + s->tokens[i].begin);
    return r.place;
}

/* ---- changes ---- */

void edits_add(struct source *s, unsigned begin, unsigned end, const char *text)
{
    s->edits = grow(s->edits, s->n_edits, &s->edit_capacity, sizeof *s->edits);
    s->edits[s->n_edits++] = (struct edit){begin, end, text};
}

static int compare(const void *a, const void *b)
{
    const struct edit *x = a, *y = b;
    return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1) : x->end < y->end ? -1 : x->end > y->end;
}

void edits_apply(struct source *s, struct text *to)
{
    size_t at = 0;
    if (s->n_edits)
        qsort(s->edits, (size_t)s->n_edits, sizeof *s->edits, compare);
    for (int e = 0; e < s->n_edits; e++) {
        if (s->edits[e].begin < at)
            continue;
        text_add_bytes(to, s->chars + at, s->edits[e].begin - at);
        text_add_bytes(to, s->edits[e].text, strlen(s->edits[e].text));
        at = s->edits[e].end;
    }
    text_add_bytes(to, s->chars + at, s->size - at);
}

/* Returns the line after the one at `at`; NULL if there is none. */
static const char *next_line(const char *at)
{
    const char *end = strchr(at, '\n');
    return end ? end + 1 : NULL;
}

static bool are_equal(const char *line, const char *other)
{
    size_t length = strcspn(line, "\r\n");
    return length == strcspn(other, "\r\n") && !strncmp(line, other, length);
}

/* Notes which lines of the program the preprocessor has written otherwise. */
static void tell_lines(const struct source *s)
{
    const char *file = NULL, *line = NULL; /* of the source */
    unsigned number = 0;
    struct reader r = begin_reading(s);
    for (const char *at = s->chars; at && *at; at = next_line(at)) {
        read_on(&r, at);
        if (*at == '#' || *at == '\n' || r.is_of_system || !*r.place.file || *r.place.file == '<')
            continue;
        if (!file || strcmp(file, r.place.file) != 0 || r.place.line < number) {
            file = r.place.file;
            line = diag_text(file);
            number = 1;
        }
        for (; line && number < r.place.line; number++)
            line = next_line(line);
        if (line && !are_equal(line, at))
            diag_respelled(r.place, line, at);
    }
}

void edits_tell(const struct source *s)
{
    struct reader r = begin_reading(s);
    unsigned at = 0;
    diag_forget_edits();
    tell_lines(s);
    for (const struct edit *e = s->edits; e < s->edits + s->n_edits; e++) {
        if (e->begin < at)
            continue;
        at = e->end;
        read_on(&r, s->chars + e->begin);
        if (!r.is_of_system && !memchr(s->chars + e->begin, '\n', e->end - e->begin))
            diag_edited(r.place, e->end - e->begin, (unsigned)strlen(e->text));
    }
}
