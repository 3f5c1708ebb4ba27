/* SPDX-License-Identifier: MIT */
#include "driver/driver.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void words_add(struct words *words, const char *word)
{
    if (words->n + 2 > words->capacity) {
        int capacity = words->capacity ? 2 * words->capacity : 32;
        const char **items = arena_alloc((size_t)capacity * sizeof *items);
        if (words->n)
            memcpy(items, words->items, (size_t)words->n * sizeof *items);
        words->items = items;
        words->capacity = capacity;
    }
    words->items[words->n++] = word;
    words->items[words->n] = NULL;
}

void words_add_all(struct words *words, const struct words *more)
{
    for (int i = 0; i < more->n; i++)
        words_add(words, more->items[i]);
}

void words_split(struct words *words, const char *text)
{
    while (*text) {
        if (isspace((unsigned char)*text)) {
            text++;
            continue;
        }
        struct text word = {0};
        text_add_bytes(&word, "", 0);
        char quote = 0;
        for (; *text && (quote || !isspace((unsigned char)*text)); text++) {
            if (quote ? *text == quote : *text == '"' || *text == '\'')
                quote = quote ? 0 : *text;
            else if (*text == '\\' && text[1])
                text_add_bytes(&word, ++text, 1);
            else
                text_add_bytes(&word, text, 1);
        }
        words_add(words, word.chars);
    }
}

int words_lanes(const char *text)
{
    char *end;
    long lanes = strtol(text, &end, 10);
    return *end || end == text || lanes < 1 || lanes > 64 || (lanes & (lanes - 1)) ? 0 : (int)lanes;
}

bool has_prefix(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

bool begins_with_one_of(const char *word, const char *list)
{
    for (; *list; list += strspn(list, " ")) {
        size_t n = strcspn(list, " ");
        if (!strncmp(word, list, n))
            return true;
        list += n;
    }
    return false;
}

bool is_word_of(const char *word, const char *list)
{
    size_t n = strlen(word);
    for (const char *at = list; n && (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ' '))
            return true;
    return false;
}

const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return !strcmp(a, b) ||
           (!stat(a, &of_a) && !stat(b, &of_b) && of_a.st_ino == of_b.st_ino && of_a.st_dev == of_b.st_dev);
}

const char *with_suffix(const char *path, const char *suffix)
{
    const char *name = file_name(path), *dot = strrchr(name, '.');
    int length = (int)(dot && dot != name ? dot - path : (long)strlen(path));
    return arena_printf("%.*s%s", length, path, suffix);
}

void text_add_bytes(struct text *text, const char *bytes, size_t size)
{
    if (text->size + size + 1 > text->capacity) {
        text->capacity = 2 * (text->size + size) + 1024;
        char *chars = arena_alloc(text->capacity);
        if (text->size)
            memcpy(chars, text->chars, text->size);
        text->chars = chars;
    }
    memcpy(text->chars + text->size, bytes, size);
    text->size += size;
    text->chars[text->size] = 0;
}

bool text_add_file(struct text *text, FILE *file)
{
    char bytes[1 << 14];
    size_t n;
    text_add_bytes(text, "", 0);
    while ((n = fread(bytes, 1, sizeof bytes, file)) > 0)
        text_add_bytes(text, bytes, n);
    return !ferror(file);
}

void text_add(struct text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *chars = arena_alloc((size_t)length + 1);
    vsnprintf(chars, (size_t)length + 1, format, again);
    text_add_bytes(text, chars, (size_t)length);
    va_end(again);
    va_end(args);
}
