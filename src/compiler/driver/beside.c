/* SPDX-License-Identifier: MIT
 *
 * Handles what clang writes beside an output: the .dwo of -gsplit-dwarf, the notes for gcov, the trace of -ftime-trace
 * and so on. clang names these files after its input and its output, which are temporary files in our runs. So ampcc
 * asks clang what it would do for the user's command,
 *
 *     clang -### -fstack-usage -ftime-trace a.c -o prog
 *      "clang" "-cc1" ... "-ftime-trace=prog-a.json" ... "-stack-usage-file" "prog.su" ...
 *
 * and passes the file's name, as a front-end option, to the one of its three runs of clang that knows the content.
 * ampcc itself writes what -save-temps keeps. */
#include "driver/driver.h"

#include <errno.h>
#include <string.h>

/* Front-end options, and the runs that get them. */
static const struct {
    const char *option;
    bool has_value; /* the value is the next word; other options are the beginning of a word */
    unsigned runs;
} known[] = {
    {"-split-dwarf-file", true, 1 << RUN_SOURCE | 1 << RUN_OBJECT},
    {"-split-dwarf-output", true, 1 << RUN_OBJECT},
    {"-coverage-notes-file=", false, 1 << RUN_SOURCE},
    {"-coverage-data-file=", false, 1 << RUN_SOURCE},
    {"-ftime-trace", false, 1 << RUN_SOURCE},
    {"-opt-record-format", true, 1 << RUN_HOST | 1 << RUN_OBJECT},
    {"-opt-record-passes", true, 1 << RUN_HOST | 1 << RUN_OBJECT},
    {"-stats-file=", false, 1 << RUN_HOST},
    {"-stack-usage-file", true, 1 << RUN_OBJECT},
};

/* ---- what clang would do ---- */

static bool has_option(const struct command *command, const char *prefixes)
{
    bool has = false;
    for (int i = 0; i < command->n_words; i++)
        has = has || (command->words[i].kind != WORD_INPUT && begins_with_one_of(command->words[i].text[0], prefixes));
    return has;
}

/* Returns the user's command for this input alone. */
static struct words command_for(const struct driver *driver)
{
    const struct command *command = driver->command;
    struct words args = {0};
    driver_add_kind(command, &args, WORD_COMPILE);
    driver_add_kind(command, &args, WORD_LINK);
    driver_add_kind(command, &args, WORD_BESIDE);
    if (command->mode != MODE_LINK)
        driver_add_mode(command, &args);
    if (command->output) {
        words_add(&args, "-o");
        words_add(&args, command->output);
    }
    words_add(&args, "-x");
    words_add(&args, driver->input->language);
    words_add(&args, driver->input->text[0]);
    return args;
}

static void add_for_clang(struct words *args, const char *option, const char *value)
{
    words_add(args, "-Xclang");
    words_add(args, option);
    if (value) {
        words_add(args, "-Xclang");
        words_add(args, value);
    }
}

/* Remarks come from the host's optimiser and from the code generator; they are joined later. */
static void take_record(struct beside *beside, const char *file)
{
    beside->record = file;
    beside->late_record = driver_temporary(".opt");
    add_for_clang(&beside->words[RUN_HOST], "-opt-record-file", beside->record);
    add_for_clang(&beside->words[RUN_OBJECT], "-opt-record-file", beside->late_record);
}

/* Takes the options that we know from a command line of clang's front end. */
static void take_options(struct beside *beside, const struct words *line)
{
    for (int i = 2; i < line->n; i++) {
        const char *word = line->items[i], *next = line->items[i + 1];
        if (!strcmp(word, "-opt-record-file") && next)
            take_record(beside, next);
        if (!strcmp(word, "-opt-record-format") && next)
            beside->is_yaml = !strcmp(next, "yaml");
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            for (int run = 0; run < N_RUNS; run++)
                if ((known[k].runs >> run & 1) &&
                    (known[k].has_value ? next && !strcmp(word, known[k].option) : has_prefix(word, known[k].option)))
                    add_for_clang(&beside->words[run], word, known[k].has_value ? next : NULL);
    }
}

/* Notes the name of what a command line makes, if it is the first of its kind: the linked file comes last. */
static void take_kept(struct beside *beside, const struct words *line)
{
    const struct {
        const char *suffix, **name;
    } kinds[] = {{".i", &beside->preprocessed},
                 {".ii", &beside->preprocessed},
                 {".bc", &beside->bitcode},
                 {".s", &beside->assembly},
                 {".o", &beside->object}};
    for (int i = 1; i + 1 < line->n; i++) {
        const char *dot = strrchr(line->items[i + 1], '.');
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (!strcmp(line->items[i], "-o") && dot && !strcmp(dot, kinds[k].suffix) && !*kinds[k].name)
                *kinds[k].name = line->items[i + 1];
    }
}

void driver_find_beside(struct driver *driver)
{
    static const char named_by_clang[] = "-gsplit-dwarf --coverage -coverage -ftest-coverage -fprofile-arcs";
    struct words beside = {0}, args;
    driver_add_kind(driver->command, &beside, WORD_BESIDE);
    if (beside.n == 0 && !has_option(driver->command, named_by_clang))
        return;
    args = command_for(driver);
    bool keeps = has_option(driver->command, "-save-temps --save-temps");
    for (const char *at = driver_ask_clang(&args), *end; *at; at = end + (*end == '\n')) {
        struct words line = {0};
        end = at + strcspn(at, "\n");
        if (!has_prefix(at, " \""))
            continue;
        words_split(&line, arena_printf("%.*s", (int)(end - at), at));
        if (line.n > 1 && !strcmp(line.items[1], "-cc1"))
            take_options(&driver->beside, &line);
        if (keeps)
            take_kept(&driver->beside, &line);
    }
}

/* ---- remarks ---- */

/* A YAML file may hold several documents. In other formats the code generator's remarks are lost. */
bool driver_join_record(const struct driver *driver)
{
    const struct beside *beside = &driver->beside;
    FILE *from = beside->record && beside->is_yaml ? fopen(beside->late_record, "rb") : NULL;
    struct text text = {0};
    if (!from)
        return true;
    bool good = text_add_file(&text, from);
    fclose(from);
    FILE *to = fopen(beside->record, "ab");
    good = to && fwrite(text.chars, 1, text.size, to) == text.size && good;
    if (to && !fclose(to) && good)
        return true;
    diag_command("cannot write '%s': %s", beside->record, strerror(errno));
    return false;
}
