/* SPDX-License-Identifier: MIT
 *
 * Carries out a command line: C inputs go through the pipeline one by one, clang handles everything else, and libamp is
 * added where programs and libraries are linked. */
#include "driver/driver.h"
#include "front/signature.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MULTIARCH "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define MULTIARCH "aarch64-linux-gnu"
#else
#define MULTIARCH "."
#endif

/* Adds libamp, wherever the installation puts libraries. A static program fails to start if it has a path to shared
 * libraries. */
static void add_library(struct words *args, bool is_static)
{
    static const char searched[] = "/lib /usr/lib /lib64 /usr/lib64 /lib/" MULTIARCH " /usr/lib/" MULTIARCH;
    const char *places[] = {"lib/" MULTIARCH, "lib64", "lib", NULL}, *place = NULL;
    for (const char **p = places; *p; p++) {
        place = arena_printf("%s/%s", driver_prefix(), *p);
        if (!access(arena_printf("%s/libamp.so", place), F_OK) || !access(arena_printf("%s/libamp.a", place), F_OK))
            break;
    }
    words_add(args, "--start-no-unused-arguments");
    words_add(args, arena_printf("-L%s", place));
    if (!is_static && !is_word_of(place, searched)) {
        static const char linker[] = "-Xlinker"; /* -Wl, would split the name at a comma */
        words_add(args, linker);
        words_add(args, "-rpath");
        words_add(args, linker);
        words_add(args, place);
    }
    words_add(args, "-Wl,--push-state,--as-needed");
    words_add(args, "-lamp");
    words_add(args, "-lm"); /* with glibc's vector math */
    words_add(args, "-Wl,--pop-state");
    words_add(args, "--end-no-unused-arguments");
}

/* ---- one input ---- */

/* Copies an input that can be read only once, because both libclang and clang must read it. */
static bool spool(struct driver *driver)
{
    const char *name = driver->input->text[0];
    bool is_stdin = !strcmp(name, "-");
    struct stat about;
    struct text text = {0};
    driver->name = is_stdin ? "<stdin>" : name;
    if (!is_stdin && (stat(name, &about) || !S_ISFIFO(about.st_mode)))
        return true;
    if (strchr(name, ';')) {
        diag_command("'%s' can be read only once, and clang cannot be given a copy of a file with ';' in its name",
                     name);
        exit(EXIT_USER_ERROR);
    }
    FILE *file = is_stdin ? stdin : fopen(name, "rb");
    bool good = file && text_add_file(&text, file);
    if (file && !is_stdin)
        fclose(file);
    if (!good) {
        diag_command("cannot read '%s': %s", name, strerror(errno));
        return false;
    }
    driver->source = text.chars;
    driver->source_size = text.size;
    driver->spooled = driver_temporary(".c");
    driver_write(driver->spooled, text.chars, text.size);
    return true;
}

/* Runs the user's own command for one input with clang alone. */
static int run_plain(const struct driver *driver)
{
    const struct command *command = driver->command;
    struct words args = {0};
    if (command->n_inputs == 1 && (!driver->spooled || !strcmp(driver->input->text[0], "-"))) {
        words_add_all(&args, &command->clang);
        driver_add_header(&args);
        return driver_clang(&args, driver->spooled);
    }
    driver_add_options(driver, &args, true);
    driver_add_kind(command, &args, WORD_BESIDE);
    driver_add_depend(driver, &args);
    driver_add_record(driver, &args);
    driver_add_mode(command, &args);
    if (driver->output) {
        words_add(&args, "-o");
        words_add(&args, driver->output);
    }
    const char *input = driver_add_input(driver, &args, NULL);
    return driver_clang(&args, input);
}

/* Returns where the object goes: to the user, to the linker or, with -save-temps, to both. */
static const char *object_name(const struct driver *driver)
{
    if (driver->command->mode != MODE_LINK)
        return driver_output_name(driver->command, driver->input);
    const char *kept = driver->beside.object; /* "-.o" for standard input */
    return !kept ? driver_temporary(".o") : kept[0] == '-' ? arena_printf("./%s", kept) : kept;
}

/* Takes one C input through the pipeline. Sets `*object` to what must be linked in its place, which stays NULL if clang
 * can use the input as it is. Returns the exit status. */
static int compile(const struct command *command, const struct word *input, const char **object)
{
    struct driver *driver = arena_alloc(sizeof *driver);
    *driver = (struct driver){.command = command, .input = input, .language = input->language};
    struct unit unit = {.options = &command->options, .input = input->text[0], .driver = driver};
    if (!spool(driver))
        return EXIT_USER_ERROR;
    unit.input = driver->name;
    if (command->mode != MODE_LINK && command->mode != MODE_SYNTAX)
        driver_begin_output(driver_output_name(command, input));
    driver_reserve_clang(1, true);

    bool stopped, good = passes_run(&unit, "front", "check", &stopped);
    if (good && command->options.signatures)
        signature_print(&unit, stdout);
    int status = 0;
    if (good && !stopped) {
        if (command->mode == MODE_SYNTAX) {
            status = run_plain(driver);
        } else if (unit.n_kernels == 0 && !unit.is_cpp && (!command->options.check || driver_is_cpp(input))) {
            bool is_linked_as_it_is = command->mode == MODE_LINK && !driver->spooled;
            if (command->mode == MODE_LINK && driver->spooled)
                *object = driver->output = driver_temporary(".o");
            if (!is_linked_as_it_is && !command->options.stop_after)
                status = run_plain(driver);
        } else {
            driver_find_beside(driver);
            *object = driver->output = object_name(driver);
            unit.n_images = unit.n_kernels > 0 ? unit.n_images : 0;
            unit.has_objects = join_is_possible(&unit);
            good = passes_run(&unit, "glue", "guard", &stopped) && (stopped || parallel_run(&unit, &stopped));
        }
    }
    if (command->n_inputs > 1) /* after a single one, the end of the process frees it faster */
        front_forget(driver);
    diag_summary();
    driver_end_output(good); /* no stale output may look like the result */
    if (good)
        return status;
    return driver->status ? driver->status : EXIT_USER_ERROR;
}

/* Compiles one of several inputs that is not C. Returns the exit status. */
static int compile_foreign(const struct command *command, const struct word *input)
{
    struct words args = {0};
    driver_add_kind(command, &args, WORD_COMPILE);
    if (command->mode != MODE_LINK)
        driver_add_kind(command, &args, WORD_LINK);
    driver_add_kind(command, &args, WORD_DEPEND);
    driver_add_kind(command, &args, WORD_BESIDE);
    driver_add_kind(command, &args, WORD_RECORD);
    driver_add_header(&args);
    driver_add_mode(command, &args);
    words_add(&args, "-x");
    words_add(&args, input->forced ? input->forced : "none");
    words_add(&args, input->text[0]);
    return driver_clang(&args, NULL);
}

/* ---- the whole command ---- */

/* Whether the clang run that links also compiles something. */
static bool compiles_more(const struct command *command, const char **objects)
{
    bool more = false;
    for (int i = 0; i < command->n_words; i++)
        more = more || (command->words[i].kind == WORD_INPUT && command->words[i].is_source && !objects[i]);
    return more;
}

/* Links the objects that replace inputs, and everything else as the user wrote it. */
static int link_all(const struct command *command, const char **objects)
{
    struct words args = {0};
    const char *language = NULL; /* set by the last -x */
    bool replaced = false, is_static = false, compiles = compiles_more(command, objects);
    for (int i = 0; i < command->n_words; i++) {
        const struct word *word = &command->words[i];
        is_static = is_static || is_word_of(word->text[0], "-static --static -static-pie");
        if (word->kind == WORD_DATABASE || (word->kind == WORD_DEPEND && !compiles))
            continue;
        if (word->kind != WORD_INPUT) {
            words_add(&args, word->text[0]);
            if (word->text[1])
                words_add(&args, word->text[1]);
            continue;
        }
        if (word->is_header)
            continue;
        const char *needs = objects[i] ? NULL : word->forced;
        if (needs != language && !(needs && language && !strcmp(needs, language))) {
            words_add(&args, "-x");
            words_add(&args, needs ? needs : "none");
            language = needs;
        }
        words_add(&args, objects[i] ? objects[i] : word->text[0]);
        replaced = replaced || objects[i];
    }
    if (command->output) {
        words_add(&args, "-o");
        words_add(&args, command->output);
    }
    if (replaced)
        words_add(&args, "-Wno-unused-command-line-argument");
    driver_add_header(&args);
    if (!command->no_default_libraries && !command->relocatable) {
        driver_add_cpp_library(command, &args);
        add_library(&args, is_static);
    }
    driver_begin_output(driver_output_name(command, NULL));
    int status = driver_clang(&args, NULL);
    driver_end_output(true); /* what a linker leaves after errors is left alone */
    return status;
}

static bool is_readable(const char *name)
{
    struct stat about;
    return !strcmp(name, "-") || (!stat(name, &about) && !S_ISDIR(about.st_mode) && !access(name, R_OK));
}

/* Returns an input with a problem that clang explains better: it is missing, or one of several for one output. It may
 * also be the value of an option that ampcc does not know. Returns NULL if there is none. */
static const struct word *find_doubtful(const struct command *command)
{
    bool is_single = command->output && (command->mode == MODE_OBJECT || command->mode == MODE_ASSEMBLY);
    const struct word *found = NULL;
    for (int i = 0; i < command->n_words; i++) {
        const struct word *word = &command->words[i];
        if (word->kind != WORD_INPUT)
            continue;
        if (!is_readable(word->text[0]))
            return word;
        if (is_single && command->n_inputs > 1 && (!found || (found->language && !word->language)))
            found = word;
    }
    return found;
}

/* Whether there is no C to compile, and nothing to link with libamp. */
static bool is_for_clang(const struct command *command, bool is_doubtful)
{
    bool has_c = false, has_linked = false;
    for (int i = 0; i < command->n_words; i++) {
        const struct word *word = &command->words[i];
        has_c = has_c || (word->kind == WORD_INPUT && word->language);
        has_linked = has_linked || (word->kind == WORD_INPUT && !word->is_header);
    }
    bool links = command->mode == MODE_LINK && has_linked && !is_doubtful;
    return command->mode == MODE_CLANG || (!has_c && !links);
}

/* Whether the command only preprocesses, and all that it reads is C++. */
static bool preprocesses_cpp(const struct command *command)
{
    int n = 0;
    for (int i = 0; i < command->n_words; i++)
        n += driver_is_cpp(&command->words[i]);
    return command->preprocesses && n > 0 && n == command->n_inputs;
}

static void remove_outputs(const struct command *command)
{
    for (int i = 0; i < command->n_words && command->mode != MODE_SYNTAX; i++) {
        const struct word *word = &command->words[i];
        if (word->kind != WORD_INPUT || !word->language)
            continue;
        driver_begin_output(driver_output_name(command, word));
        driver_end_output(false);
    }
}

/* Lets clang say what is wrong with an input. If nothing is wrong, clang has compiled the source without its kernels.
 */
static int run_doubtful(const struct command *command, const struct word *doubtful)
{
    struct words args = {0};
    words_add_all(&args, &command->clang);
    driver_add_header(&args);
    int status = driver_clang(&args, NULL);
    if (status)
        return status;
    remove_outputs(command);
    const char *name = doubtful->text[0];
    const struct word *before = doubtful > command->words ? doubtful - 1 : NULL;
    if (before && before->kind != WORD_INPUT && !before->text[1])
        diag_command("clang takes '%s' after '%s' for no input; if it is the value of that option, write both as one "
                     "word, '%s=%s', and if not, leave it out",
                     name, before->text[0], before->text[0], name);
    else
        diag_command("clang takes '%s' for no input that it compiles; leave it out", name);
    return EXIT_USER_ERROR;
}

/* clang passes a folder whose name does not end in .c to the linker without an error. */
static bool names_folder(const struct command *command)
{
    struct stat about;
    for (int i = 0; i < command->n_words; i++)
        if (command->words[i].kind == WORD_INPUT && command->mode != MODE_CLANG &&
            !stat(command->words[i].text[0], &about) && S_ISDIR(about.st_mode)) {
            diag_command("'%s' is a directory; name the files in it", command->words[i].text[0]);
            return true;
        }
    return false;
}

/* Whether the report would overwrite an input or the output. */
static bool report_overwrites(const struct command *command, const char *other)
{
    const char *report = command->options.report_file;
    struct stat about;
    bool is_device = report && !stat(report, &about) && !S_ISREG(about.st_mode); /* such as /dev/null */
    if (!report || is_device || !is_same_file(report, other))
        return false;
    diag_command("the report would overwrite '%s'; name another file by --amp-report=json:FILE", other);
    return true;
}

/* Whether an output would overwrite an input, which would be lost even after errors, or the report would overwrite
 * either. */
static bool overwrites_input(const struct command *command)
{
    struct stat in;
    for (int i = 0; i < command->n_words && command->mode < MODE_SYNTAX; i++) {
        const struct word *word = &command->words[i];
        bool is_linked = command->mode == MODE_LINK;
        if (word->kind != WORD_INPUT || stat(word->text[0], &in) || !S_ISREG(in.st_mode) ||
            (!word->language && !is_linked && !command->output))
            continue;
        const char *output = driver_output_name(command, word);
        if (report_overwrites(command, word->text[0]) || report_overwrites(command, output))
            return true;
        if (is_same_file(output, word->text[0])) {
            diag_command("the output '%s' would overwrite the input '%s'; name another file by -o", output,
                         word->text[0]);
            return true;
        }
    }
    return false;
}

/* clang looks for inputs in the folder that -working-directory names, and ampcc would read other files. */
static bool moves_elsewhere(const struct command *command)
{
    static const char option[] = "-working-directory";
    bool has_c = false, moves = false;
    for (int i = 0; i < command->n_words && command->mode != MODE_CLANG; i++) {
        const struct word *word = &command->words[i];
        has_c = has_c || (word->kind == WORD_INPUT && word->language);
        moves = moves || (word->kind != WORD_INPUT && !strncmp(word->text[0], option, sizeof option - 1));
    }
    if (has_c && moves)
        diag_command("%s is not for ampcc, which reads C itself; run it in that folder", option);
    return has_c && moves;
}

int driver_run(const struct command *command)
{
    if (names_folder(command) || overwrites_input(command) || moves_elsewhere(command))
        return EXIT_USER_ERROR;
    if (driver_is_clang_ours()) {
        diag_command("'%s', which AMPCC_CLANG names, is ampcc; it must be clang %d", driver_clang_path(),
                     LLVM_VERSION_MAJOR);
        return EXIT_USER_ERROR;
    }
    const struct word *doubtful = find_doubtful(command);
    if (is_for_clang(command, doubtful)) {
        struct words args = {0};
        words_add_all(&args, &command->clang);
        if (preprocesses_cpp(command))
            driver_add_cpp_header(&args, true);
        if (command->n_inputs)
            driver_add_header(&args);
        return driver_become_clang(&args);
    }
    driver_set_up_process();
    if (doubtful)
        return run_doubtful(command, doubtful);

    int status = 0;
    const char **objects = arena_alloc((size_t)(command->n_words + 1) * sizeof *objects);
    for (int i = 0; i < command->n_words; i++) {
        const struct word *word = &command->words[i];
        if (word->kind != WORD_INPUT)
            continue;
        int result = 0;
        if (word->language) {
            result = compile(command, word, &objects[i]);
        } else if (command->mode != MODE_LINK || word->is_header) {
            result = compile_foreign(command, word);
        }
        if (result)
            status = result;
    }
    if (command->options.time)
        passes_print_times();
    if (!database_write(command))
        status = status ? status : EXIT_USER_ERROR;
    if (!json_end(&command->options))
        status = status ? status : EXIT_USER_ERROR;
    if (status || command->options.stop_after)
        return status;
    return command->mode == MODE_LINK ? link_all(command, objects) : 0;
}
