/* SPDX-License-Identifier: MIT
 *
 * Writes the entries of a compilation database that -MJ FILE and -gen-cdb-fragment-path FOLDER ask for. They are as
 * clang writes them, but for the user's command and not for our runs of clang. */
#include "driver/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void add_argument(struct text *to, const char *argument)
{
    text_add(to, ", ");
    json_add_text(to, argument);
}

static void add_arguments(struct text *to, const struct command *command, const struct word *input, const char *output)
{
    static const enum word_kind kinds[] = {WORD_COMPILE, WORD_LINK, WORD_BESIDE, WORD_RECORD};
    const char *language = input->forced ? input->forced : input->language;
    struct words words = {0};
    words_add_all(&words, &command->ours);
    if (command->mode != MODE_LINK)
        driver_add_mode(command, &words);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        driver_add_kind(command, &words, kinds[i]);
    driver_add_header(&words);
    json_add_text(to, arena_printf("%s/bin/ampcc", driver_prefix()));
    if (language)
        add_argument(to, arena_printf("-x%s", language));
    add_argument(to, input->text[0]);
    if (output) {
        add_argument(to, "-o");
        add_argument(to, output);
    }
    for (int i = 0; i < words.n; i++)
        add_argument(to, words.items[i]);
}

static void add_entry(struct text *to, const struct command *command, const struct word *input)
{
    char *here = getcwd(NULL, 0);
    const char *output = command->mode == MODE_SYNTAX ? NULL : driver_output_name(command, input);
    text_add(to, "{ ");
    json_add_string(to, "directory", here ? here : ".");
    text_add(to, ", ");
    json_add_string(to, "file", input->text[0]);
    if (output) {
        text_add(to, ", ");
        json_add_string(to, "output", output);
    }
    text_add(to, ", \"arguments\": [");
    add_arguments(to, command, input, output);
    text_add(to, "]},\n");
    free(here);
}

static bool write_file(const char *name, int fd, const struct text *text)
{
    FILE *file = fd >= 0 ? fdopen(fd, "w") : fopen(name, "w");
    size_t written = file ? fwrite(text->chars, 1, text->size, file) : 0;
    if (file && !fclose(file) && written == text->size)
        return true;
    diag_command("cannot write '%s': %s", name, strerror(errno));
    return false;
}

bool database_write(const struct command *command)
{
    struct text all = {0};
    bool good = true;
    text_add_bytes(&all, "", 0);
    for (int i = 0; i < command->n_words && (command->database || command->fragments); i++) {
        const struct word *input = &command->words[i];
        struct text entry = {0};
        if (input->kind != WORD_INPUT || !input->is_source)
            continue;
        add_entry(&entry, command, input);
        text_add_bytes(&all, entry.chars, entry.size);
        if (command->database) /* clang then writes no fragments either */
            continue;
        char *name = arena_printf("%s/%s.XXXXXX.json", command->fragments, file_name(input->text[0]));
        mkdir(command->fragments, 0777);
        int fd = mkstemps(name, 5);
        good = write_file(name, fd, &entry) && good;
    }
    return (!command->database || write_file(command->database, -1, &all)) && good;
}
