/* SPDX-License-Identifier: MIT
 *
 * Makes the words of clang's command line: the user's options, and the names of an input and its other outputs. */
#include "driver/driver.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *driver_prefix(void)
{
    static const char *prefix;
    if (!prefix) {
        char path[4096];
        ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
        path[n > 0 ? n : 0] = 0;
        prefix = arena_printf("%s", dirname(dirname(path)));
    }
    return prefix;
}

/* Adds the folder of amp.h, unless clang looks there anyway. */
void driver_add_header(struct words *args)
{
    static const char known[] = "/usr /usr/local";
    if (is_word_of(driver_prefix(), known))
        return;
    words_add(args, "--start-no-unused-arguments");
    words_add(args, "-isystem");
    words_add(args, arena_printf("%s/include", driver_prefix()));
    words_add(args, "--end-no-unused-arguments");
}

bool driver_is_cpp(const struct word *input)
{
    return input->language && has_prefix(input->language, "c++");
}

void driver_add_cpp_header(struct words *args, bool is_whole)
{
    words_add(args, "-isystem");
    words_add(args, arena_printf("%s/include/amp-cpp", driver_prefix()));
    words_add(args, "-DAMP__CXX");
    if (is_whole)
        words_add(args, "-DAMP__COMPLETE");
}

void driver_add_kind(const struct command *command, struct words *args, enum word_kind kind)
{
    for (int i = 0; i < command->n_words; i++) {
        const struct word *word = &command->words[i];
        if (word->kind != kind)
            continue;
        words_add(args, word->text[0]);
        if (word->text[1])
            words_add(args, word->text[1]);
    }
}

const char *driver_output_name(const struct command *command, const struct word *input)
{
    if (command->output)
        return command->output;
    if (command->mode == MODE_LINK)
        return "a.out";
    const char *suffix =
        command->mode == MODE_ASSEMBLY ? (command->emit_llvm ? ".ll" : ".s") : (command->emit_llvm ? ".bc" : ".o");
    return with_suffix(file_name(input->text[0]), suffix);
}

void driver_add_mode(const struct command *command, struct words *args)
{
    words_add(args, command->mode == MODE_SYNTAX ? "-fsyntax-only" : command->mode == MODE_ASSEMBLY ? "-S" : "-c");
    if (command->emit_llvm)
        words_add(args, "-emit-llvm");
}

void driver_add_depend(const struct driver *driver, struct words *args)
{
    const struct command *command = driver->command;
    driver_add_kind(command, args, WORD_DEPEND);
    if (!command->writes_depend)
        return;
    const char *name = file_name(driver->input->text[0]);
    if (!command->depend_file) {
        words_add(args, "-MF");
        words_add(args, with_suffix(command->output ? command->output : name, ".d"));
    }
    if (!command->depend_target) {
        words_add(args, "-MQ");
        words_add(args, command->output ? command->output : with_suffix(name, ".o"));
    }
}

/* Returns the user's command line as clang would record it. */
static const char *recorded_line(const struct command *command)
{
    struct text text = {0};
    text_add(&text, "%s/bin/ampcc", driver_prefix());
    for (int i = 0; i < command->line.n; i++) {
        text_add(&text, " ");
        for (const char *c = command->line.items[i]; *c; c++)
            text_add(&text, *c == ' ' || *c == '\\' ? "\\%c" : "%c", *c);
    }
    return text.chars;
}

void driver_add_record(const struct driver *driver, struct words *args)
{
    static const struct {
        const char *on, *off, *option;
    } records[] = {
        {"-frecord-command-line -frecord-gcc-switches", "-fno-record-command-line -fno-record-gcc-switches",
         "-record-command-line"},
        {"-grecord-command-line -grecord-gcc-switches", "-gno-record-command-line -gno-record-gcc-switches",
         "-dwarf-debug-flags"},
    };
    for (size_t r = 0; r < sizeof records / sizeof *records; r++) {
        bool is_on = false;
        for (int i = 0; i < driver->command->n_words; i++)
            is_on = (is_on || is_word_of(driver->command->words[i].text[0], records[r].on)) &&
                    !is_word_of(driver->command->words[i].text[0], records[r].off);
        if (!is_on)
            continue;
        words_add(args, "-Xclang");
        words_add(args, records[r].option);
        words_add(args, "-Xclang");
        words_add(args, recorded_line(driver->command));
    }
}

void driver_add_options(const struct driver *driver, struct words *args, bool reads_source)
{
    const struct command *command = driver->command;
    driver_add_kind(command, args, WORD_COMPILE);
    if (!reads_source) {
        words_add(args, "-Wno-unused-command-line-argument");
        return;
    }
    /* With -c, clang warns that libraries are unused; when ampcc links later, they are used. */
    if (command->mode == MODE_LINK)
        words_add(args, "-Wno-unused-command-line-argument");
    else
        driver_add_kind(command, args, WORD_LINK);
    driver_add_header(args);
}

/* Returns another name for the input: -remap-file would end the name at a ';' in it. clang recognises the file by its
 * inode. */
static const char *link_to(const char *name)
{
    const char *link = driver_temporary(".c");
    char *target = realpath(name, NULL);
    if (!target || symlink(target, link)) {
        diag_command("cannot make a link to '%s': %s", name, strerror(errno));
        exit(EXIT_USER_ERROR);
    }
    free(target);
    return link;
}

/* Makes clang read `contents` instead of `name`. A name without use is mapped to the file first: clang then knows the
 * file, with the time of its last change for __TIMESTAMP__, before it learns that the text is another. */
static void add_remapping(struct words *args, const char *name, const char *contents)
{
    const char *unused = driver_temporary(".c");
    const char *mappings[] = {arena_printf("%s;%s", unused, name),
                              arena_printf("%s;%s", strchr(name, ';') ? link_to(name) : name, contents)};
    for (int i = 0; i < 2; i++) {
        words_add(args, "-Xclang");
        words_add(args, "-remap-file");
        words_add(args, "-Xclang");
        words_add(args, mappings[i]);
    }
}

const char *driver_add_input(const struct driver *driver, struct words *args, const char *remapped)
{
    const struct word *input = driver->input;
    const char *name = input->text[0], *contents = remapped ? remapped : driver->spooled;
    words_add(args, "-x");
    words_add(args, driver->language);
    bool is_stdin = !strcmp(name, "-");
    if (contents && !is_stdin)
        add_remapping(args, name, contents);
    words_add(args, name);
    return is_stdin ? contents : NULL;
}
