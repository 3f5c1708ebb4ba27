/* SPDX-License-Identifier: MIT
 *
 * clang puts the words of its configuration files before those of the command line. clang itself says which files these
 * are. Their words are added here, once, because -O2, -MD or -c matter to ampcc as well. In such a file
 *
 *     # a line like this is a comment
 *     -O2 -DNAME="a b" \
 *         -I<CFGDIR>/include @more.cfg
 *     $-lm
 *
 * a backslash joins lines, <CFGDIR> is the file's folder, in which @FILE is looked for, too, and what follows a '$'
 * goes to the end of the command line, for the linker. */
#include "driver/driver.h"

#include <glob.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- which files ---- */

static bool names_configuration(const struct words *line)
{
    for (int i = 0; i < line->n; i++)
        if (!strncmp(line->items[i], "--config", 8))
            return true;
    return false;
}

static bool has_configuration(const char *folder)
{
    glob_t found;
    bool has = !glob(arena_printf("%s/*.cfg", folder), GLOB_TILDE, NULL, &found);
    if (has)
        globfree(&found);
    return has;
}

/* Whether clang may read a file that the command line does not name. The default clang looks in its own folder, and in
 * folders that are built into it. */
static bool has_default_configuration(void)
{
    if (strcmp(driver_clang_path(), AMPCC_CLANG) != 0 || has_configuration(dirname(arena_printf("%s", AMPCC_CLANG))))
        return true;
    char *folders = arena_printf("%s", AMPCC_CONFIG_FOLDERS), *rest = NULL;
    for (const char *folder = strtok_r(folders, ":", &rest); folder; folder = strtok_r(NULL, ":", &rest))
        if (has_configuration(folder))
            return true;
    return false;
}

/* Returns what clang prints for the command line with -###, which runs nothing. */
static const char *ask_clang(const struct words *line)
{
    struct words args = {0};
    for (int i = 0; i < line->n; i++)
        if (strncmp(line->items[i], "--amp-", 6) != 0)
            words_add(&args, line->items[i]);
    return driver_ask_clang(&args);
}

/* ---- their words ---- */

/* Returns the text without comments, and with joined lines as one. */
static const char *join_lines(const char *text)
{
    struct text joined = {0};
    text_add_bytes(&joined, "", 0);
    while (*text) {
        size_t blank = strspn(text, " \t\r\n\v\f");
        text += blank;
        bool is_comment = *text == '#';
        for (; *text && *text != '\n'; text++) {
            size_t end = text[0] == '\\' ? text[1] == '\n' ? 2 : text[1] == '\r' && text[2] == '\n' ? 3 : 0 : 0;
            if (end)
                text += end - 1;
            else if (!is_comment)
                text_add_bytes(&joined, text, 1);
        }
        text_add_bytes(&joined, "\n", 1);
    }
    return joined.chars;
}

static const char *replace_folder(const char *word, const char *folder)
{
    static const char name[] = "<CFGDIR>";
    struct text text = {0};
    for (const char *at; (at = strstr(word, name)); word = at + strlen(name))
        text_add(&text, "%.*s%s", (int)(at - word), word, folder);
    text_add(&text, "%s", word);
    return text.chars;
}

static bool add_file(const char *path, struct words *head, struct words *tail, int depth)
{
    struct text text = {0};
    struct words words = {0};
    const char *folder = dirname(arena_printf("%s", path));
    FILE *file = depth < 16 ? fopen(path, "rb") : NULL;
    if (!file || !text_add_file(&text, file)) {
        diag_command("cannot read the configuration file '%s'", path);
        return false;
    }
    fclose(file);
    words_split(&words, join_lines(text.chars));
    for (int i = 0; i < words.n; i++) {
        const char *word = replace_folder(words.items[i], folder);
        const char *other = word[0] != '@' ? NULL : word[1] == '/' ? word + 1 : arena_printf("%s/%s", folder, word + 1);
        if (other && !access(other, R_OK)) {
            if (!add_file(other, head, tail, depth + 1))
                return false;
        } else if (LLVM_VERSION_MAJOR >= 20 && word[0] == '$' && word[1]) {
            words_add(tail, word + 1);
        } else {
            words_add(head, word);
        }
    }
    return true;
}

/* Adds the words of the user's line that name no configuration. */
static void add_rest(struct words *to, const struct words *line)
{
    for (int i = 0; i < line->n; i++)
        if (!strcmp(line->items[i], "--config"))
            i++;
        else if (strncmp(line->items[i], "--config", 8) != 0)
            words_add(to, line->items[i]);
}

bool options_configure(struct words *line)
{
    static const char says[] = "Configuration file: ";
    struct words head = {0}, tail = {0};
    int n_files = 0;
    if (!line->n || driver_is_clang_ours() || (!names_configuration(line) && !has_default_configuration()))
        return true;
    words_add(&head, "--no-default-config");
    words_add(&head, "--start-no-unused-arguments");
    for (const char *at = ask_clang(line); (at = strstr(at, says)); n_files++) {
        at += strlen(says);
        if (!add_file(arena_printf("%.*s", (int)strcspn(at, "\n"), at), &head, &tail, 0))
            return false;
    }
    if (!n_files)
        return true;
    words_add(&head, "--end-no-unused-arguments");
    add_rest(&head, line);
    words_add_all(&head, &tail);
    *line = head;
    return true;
}
