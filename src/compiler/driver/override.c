/* SPDX-License-Identifier: MIT
 *
 * CCC_OVERRIDE_OPTIONS holds edits that clang applies to the command line before it reads it. They are applied here,
 * once, to what the user wrote: libclang would not apply them at all, and clang would apply them to the lines that
 * ampcc makes. The edits, separated by spaces, are those of clang's Driver.cpp:
 *
 *     ^WORD, +WORD      adds WORD at the beginning, at the end
 *     s/REGEX/TEXT/     replaces the first match in each word
 *     xWORD, XWORD      deletes each WORD, and with X the word after it
 *     OLEVEL            replaces every -O option by -OLEVEL at the end
 *
 * and a '#' before them all suppresses the message about them. */
#include "driver/driver.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

static const char *const variable = "CCC_OVERRIDE_OPTIONS";
static bool is_quiet;

#define SAY(...) (is_quiet ? 0 : fprintf(stderr, "### " __VA_ARGS__))

static void insert(struct words *line, int at, const char *word)
{
    words_add(line, word);
    memmove(&line->items[at + 1], &line->items[at], (size_t)(line->n - 1 - at) * sizeof *line->items);
    line->items[at] = word;
}

static void delete(struct words *line, int at)
{
    SAY("Deleting argument %s\n", line->items[at]);
    memmove(&line->items[at], &line->items[at + 1], (size_t)(line->n - at) * sizeof *line->items);
    line->n--;
}

/* Returns the word with the first match replaced; \0 to \9 in `text` stand for the match and its groups. */
static const char *substitute(const regex_t *regex, const char *word, const char *text)
{
    regmatch_t groups[10];
    if (regexec(regex, word, 10, groups, 0))
        return word;
    struct text result = {0};
    text_add_bytes(&result, word, (size_t)groups[0].rm_so);
    for (; *text; text++) {
        if (*text == '\\' && text[1] >= '0' && text[1] <= '9') {
            regmatch_t group = groups[*++text - '0'];
            if (group.rm_so >= 0)
                text_add_bytes(&result, word + group.rm_so, (size_t)(group.rm_eo - group.rm_so));
        } else {
            text += *text == '\\' && text[1];
            text_add_bytes(&result, text, 1);
        }
    }
    text_add(&result, "%s", word + groups[0].rm_eo);
    return result.chars;
}

/* Applies s/REGEX/TEXT/, of which `edit` is REGEX/TEXT. */
static void substitute_all(struct words *line, const char *edit)
{
    int length = (int)strcspn(edit, "/");
    regex_t regex;
    if (regcomp(&regex, arena_printf("%.*s", length, edit), REG_EXTENDED))
        return;
    for (int i = 0; i < line->n; i++) {
        const char *word = substitute(&regex, line->items[i], edit + length + 1);
        if (strcmp(word, line->items[i]) != 0)
            SAY("Replacing '%s' with '%s'\n", line->items[i], word);
        line->items[i] = word;
    }
    regfree(&regex);
}

static void delete_all(struct words *line, const char *word, bool with_value)
{
    for (int i = 0; i < line->n;) {
        if (strcmp(line->items[i], word) != 0) {
            i++;
            continue;
        }
        delete(line, i);
        if (with_value && i < line->n)
            delete(line, i);
        else if (with_value)
            SAY("Invalid X edit, end of command line!\n");
    }
}

static void set_level(struct words *line, const char *level)
{
    for (int i = 0; i < line->n;) {
        const char *word = line->items[i];
        if (!strncmp(word, "-O", 2) && (!word[2] || (strchr("sz0123456789", word[2]) && !word[3])))
            delete(line, i);
        else
            i++;
    }
    SAY("Adding argument %s at end\n", level);
    words_add(line, arena_printf("-%s", level));
}

static void apply(struct words *line, const char *edit)
{
    size_t length = strlen(edit);
    const char *slash = strchr(edit + 1, '/');
    if (*edit == '^') {
        SAY("Adding argument %s at beginning\n", edit + 1);
        insert(line, 0, edit + 1);
    } else if (*edit == '+') {
        SAY("Adding argument %s at end\n", edit + 1);
        words_add(line, edit + 1);
    } else if (*edit == 's' && slash == edit + 1 && edit[length - 1] == '/' &&
               strchr(slash + 1, '/') < edit + length - 1) {
        substitute_all(line, arena_printf("%.*s", (int)length - 3, edit + 2));
    } else if (*edit == 'x' || *edit == 'X') {
        delete_all(line, edit + 1, *edit == 'X');
    } else if (*edit == 'O') {
        set_level(line, edit);
    } else {
        SAY("Unrecognized edit: %s\n", edit);
    }
}

void options_override(struct words *line)
{
    const char *edits = getenv(variable);
    if (!edits)
        return;
    is_quiet = *edits == '#';
    edits += is_quiet;
    SAY("%s: %s\n", variable, edits);
    for (edits += strspn(edits, " "); *edits; edits += strspn(edits, " ")) {
        int length = (int)strcspn(edits, " ");
        apply(line, arena_printf("%.*s", length, edits));
        edits += length;
    }
    unsetenv(variable);
}
