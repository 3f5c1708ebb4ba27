/* SPDX-License-Identifier: MIT
 *
 * The tokens of preprocessed C++, and changes of its text. */
#pragma once

#include "front/cpp/cpp.h"

#include <ctype.h>
#include <string.h>

/* Whose a file is. Headers of C are SYSTEM, and <amp.h> of C++ and its neighbours are OURS. */
enum origin { ORIGIN_PROGRAM, ORIGIN_SYSTEM, ORIGIN_STANDARD, ORIGIN_OURS };

struct token {
    unsigned begin, end; /* in the text */
    enum origin origin;
    bool is_in_strings; /* in <strings.h> */
};

/* A change: `text` replaces the bytes from `begin` to `end`. */
struct edit {
    unsigned begin, end;
    const char *text;
};

struct source {
    const char *chars;
    size_t size;
    struct token *tokens;
    int n, capacity;
    struct edit *edits;
    int n_edits, edit_capacity;
    const char *ours; /* the folder of our headers */
    const char *file; /* that line markers name, with its length */
    int file_length;
    enum origin origin; /* of that file */
    bool is_strict;
};

/* Finds the tokens of a text that ends with a 0. */
struct source edits_begin(const struct text *text);
/* Returns the place of token `i`. */
struct place edits_place(const struct source *s, int i);
/* Notes what tokens.c changes. */
void edits_find(struct source *s);
void edits_add(struct source *s, unsigned begin, unsigned end, const char *text);
/* Adds the changed text. Where changes overlap, the first one counts. */
void edits_apply(struct source *s, struct text *to);
/* Tells places.c where in the program's lines columns have moved, once the changes are applied. */
void edits_tell(const struct source *s);
/* Removes, as changes, the bodies of the standard library's functions. Returns false if code for devices may need them:
 * see bodies.c. */
bool edits_cut_bodies(struct source *s);

static inline bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 128;
}

/* Whether token `i` is `text`. */
static inline bool is(const struct source *s, int i, const char *text)
{
    if (i < 0 || i >= s->n)
        return false;
    const char *token = s->chars + s->tokens[i].begin;
    size_t length = s->tokens[i].end - s->tokens[i].begin;
    return *token == *text && !strncmp(token, text, length) && !text[length];
}

/* Whether token `i` is one of a list, in which spaces separate them. */
static inline bool is_one_of(const struct source *s, int i, const char *list)
{
    if (i < 0 || i >= s->n)
        return false;
    const char *token = s->chars + s->tokens[i].begin;
    size_t length = s->tokens[i].end - s->tokens[i].begin;
    for (const char *at = *token ? strchr(list, *token) : NULL; at; at = strchr(at + 1, *token))
        if ((at == list || at[-1] == ' ') && !strncmp(at, token, length) && (!at[length] || at[length] == ' '))
            return true;
    return false;
}

/* Returns the token that closes the bracket at `i`, or opens it if `step` is -1; -1 if none does. */
static inline int match(const struct source *s, int i, int step)
{
    int depth = 0;
    for (; i >= 0 && i < s->n; i += step) {
        char c = s->chars[s->tokens[i].begin];
        depth += (c == '(' || c == '[' || c == '{') ? step : (c == ')' || c == ']' || c == '}') ? -step : 0;
        if (depth == 0)
            return i;
    }
    return -1;
}
