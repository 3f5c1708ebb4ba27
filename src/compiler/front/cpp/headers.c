/* SPDX-License-Identifier: MIT
 *
 * What libclang need not read: bodies of the standard library's functions are half of a small program. Code for devices
 * calls none of them but constexpr ones, which libclang reads anyway. It may need them only because an instance of one
 * of their templates uses a template of the program, as std::for_each does with a lambda that has auto parameters, so a
 * program with templates of its own is read as a whole.
 *
 * libclang can leave out the bodies in all headers of the system. So in the text that it gets for that, line markers
 * say of the standard library's headers alone that they are such headers, and here are the names of the others. */
#include "front/ast.h"
#include "front/cpp/cpp.h"

#include <ctype.h>
#include <string.h>

static struct words other_headers;

/* A line marker, # 1 "FILE" 3. */
struct marker {
    const char *file, *flags, *end; /* the flags begin after the second quote, and end with the line */
    int file_length;
};

/* Reads the line at `at`. Returns false if it is no marker. */
static bool read_marker(const char *at, struct marker *marker)
{
    marker->end = at + strcspn(at, "\n");
    if (at[0] != '#' || at[1] != ' ' || !isdigit((unsigned char)at[2]))
        return false;
    marker->file = memchr(at, '"', (size_t)(marker->end - at));
    if (!marker->file)
        return false;
    marker->file++;
    for (marker->flags = marker->end; marker->flags[-1] != '"';)
        marker->flags--;
    marker->file_length = (int)(marker->flags - 1 - marker->file);
    return marker->file_length >= 0;
}

static bool is_of_system(const struct marker *marker)
{
    return memchr(marker->flags, '3', (size_t)(marker->end - marker->flags)) != NULL;
}

/* Whether a header of the system is one of the standard library, as .../include/c++/12/vector is. */
static bool is_standard(const char *file)
{
    const char *at = strstr(file, "/c++/");
    return at && (isdigit((unsigned char)at[5]) || !strncmp(at + 5, "v1/", 3));
}

/* Whether the templates of a header are no matter: those of the standard library, of C's math.h, and ours. */
static bool may_have_templates(const struct marker *marker)
{
    const char *file = arena_printf("%.*s", marker->file_length, marker->file);
    const char *ours = arena_printf("%s/include/amp-cpp/", driver_prefix());
    return is_of_system(marker) &&
           (is_standard(file) || !strcmp(file, "/usr/include/math.h") || !strncmp(file, ours, strlen(ours)));
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the word that ends before `end` is one of a list; sets `*before` to where the text before it ends. */
static bool ends_with_word(const char *begin, const char *end, const char *list, const char **before)
{
    const char *at = end;
    while (at > begin && is_letter(at[-1]))
        at--;
    *before = at;
    return at < end && is_word_of(arena_printf("%.*s", (int)(end - at), at), list);
}

static const char *skip_space_back(const char *begin, const char *end)
{
    while (end > begin && isspace((unsigned char)end[-1]))
        end--;
    return end;
}

/* Whether the `auto` at `at` clearly begins a variable or a function, and not a parameter. */
static bool begins_declaration(const char *begin, const char *at)
{
    const char *before;
    at = skip_space_back(begin, at);
    while (ends_with_word(begin, at, "const volatile static constexpr inline", &before))
        at = skip_space_back(begin, before);
    if (at == begin)
        return false;
    return strchr(";{}", at[-1]) ||
           (at[-1] == '(' && ends_with_word(begin, skip_space_back(begin, at - 1), "for if switch while", &before));
}

/* Whether a part of the program may declare templates, if only by `auto`. */
static bool has_templates(const char *begin, const char *end)
{
    for (const char *at = begin; at < end; at++) {
        if (!is_letter(*at))
            continue;
        size_t length = 1;
        while (at + length < end && is_letter(at[length]))
            length++;
        bool is_raw = at[length - 1] == 'R' && at[length] == '"'; /* what is in it may look like a line marker */
        if (is_raw || (length == 8 && !strncmp(at, "template", 8)) ||
            (length == 4 && !strncmp(at, "auto", 4) && !begins_declaration(begin, at)))
            return true;
        at += length - 1;
    }
    return false;
}

bool cpp_has_templates(const struct text *preprocessed)
{
    struct marker marker;
    bool is_other = false;
    for (const char *at = preprocessed->chars, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, "\n");
        if (read_marker(at, &marker)) {
            is_other = may_have_templates(&marker);
            continue;
        }
        const char *begin = at;
        while (*end && !(end[1] == '#' && read_marker(end + 1, &marker)))
            end += 1 + strcspn(end + 1, "\n");
        if (!is_other && has_templates(begin, end))
            return true;
    }
    return false;
}

void cpp_keep_standard_headers(struct text *to, const char *source)
{
    struct marker marker;
    other_headers = (struct words){0};
    for (const char *at = source, *end; *at; at = end) {
        end = at + strcspn(at, "\n");
        end += *end == '\n';
        const char *file = NULL;
        if (*at == '#' && read_marker(at, &marker) && is_of_system(&marker))
            file = arena_printf("%.*s", marker.file_length, marker.file);
        if (!file || is_standard(file)) {
            text_add_bytes(to, at, (size_t)(end - at));
            continue;
        }
        text_add_bytes(to, at, (size_t)(marker.flags - at));
        text_add(to, "\n");
        bool is_known = false;
        for (int i = 0; i < other_headers.n; i++)
            is_known = is_known || !strcmp(other_headers.items[i], file);
        if (!is_known)
            words_add(&other_headers, file);
    }
}

bool cpp_is_in_header(CXCursor cursor)
{
    CXSourceLocation location = clang_getCursorLocation(cursor);
    if (clang_Location_isInSystemHeader(location))
        return true;
    if (!other_headers.n)
        return false;
    CXString name;
    clang_getPresumedLocation(location, &name, NULL, NULL);
    const char *file = clang_getCString(name);
    bool is_known = false;
    for (int i = 0; i < other_headers.n && !is_known; i++)
        is_known = file && !strcmp(other_headers.items[i], file);
    clang_disposeString(name);
    return is_known;
}
