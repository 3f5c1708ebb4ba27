/* SPDX-License-Identifier: MIT
 *
 * Reads the command line. Every option of clang passes through. ampcc only needs to know which options take a second
 * word, and the few that say what is made, from what, and where it goes. */
#include "driver/driver.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options whose value is the next word, except those whose meaning matters below. */
static const char takes_word[] =
    "-I -D -U -F -B -A -G -V -b -include -imacros -isystem -iquote -idirafter -isysroot -iprefix "
    "-iwithprefix -iwithprefixbefore -iwithsysroot -isystem-after -cxx-isystem -stdlib++-isystem "
    "-iframework -iframeworkwithsysroot -include-pch -ivfsoverlay -imultilib -Xclang -Xassembler "
    "-Xpreprocessor -Xanalyzer -Xopenmp-target -arch -target -mllvm -aux-info -dumpdir -working-directory "
    "-resource-dir -index-store-path -ftrapv-handler "
    "--param --sysroot --config --include-directory --define-macro --undefine-macro --include --imacros "
    "--include-prefix --prefix --std --stdlib --rtlib --assert --include-directory-after --include-with-prefix "
    "--include-with-prefix-after --include-with-prefix-before --system-header-prefix --no-system-header-prefix "
    "--mhwdiv --dyld-prefix --encoding --extdirs --resource --classpath --bootclasspath --CLASSPATH "
    "--output-class-directory -mmlir -mthread-model -meabi -specs -vfsoverlay -iapinotes-modules "
    "-fdebug-compilation-dir -fmodules-user-build-path -fmodule-implementation-of -fnew-alignment -hlsl-entry "
    "-fexperimental-openacc-macro-override -object-file-name -Xclangas -Xcuda-ptxas -Xcuda-fatbinary "
    "-ccc-install-dir -ccc-gcc-name";
static const char takes_word_for_linker[] =
    "-l -L -T -u -e -z -Xlinker -rpath -framework -Tdata -Tbss -Ttext --library-directory --for-linker --force-link "
    "-Xoffload-linker -Zlinker-input -init -undefined";
static const char for_linker[] = "-l -L -Wl, -T";
static const char takes_word_for_depend[] = "-MF -MT -MQ -dependency-file -dependency-dot "
                                            "-module-dependency-dir "
                                            "-serialize-diagnostics --serialize-diagnostics";
static const char for_depend[] = "-MD -MMD -MP -MG -MV --write-dependencies --write-user-dependencies";
static const char for_record[] = "-frecord-command-line -frecord-gcc-switches -fno-record-command-line "
                                 "-fno-record-gcc-switches -grecord-command-line -grecord-gcc-switches "
                                 "-gno-record-command-line -gno-record-gcc-switches";
static const char for_beside[] =
    "-save-temps --save-temps -save-stats --save-stats -ftime-trace -fstack-usage "
    "-fsave-optimization-record -fno-save-optimization-record "
    "-foptimization-record-file -fno-optimization-record-file -foptimization-record-passes "
    "-fno-optimization-record-passes";
/* With one of these options, clang does everything. */
static const char only_clang[] =
    "-E -M -MM -### -help --help --help-hidden --version --analyze -emit-ast -cc1 -cc1as "
    "-cc1gen-reproducer -dumpversion -dumpmachine -dumpspecs --preprocess --dependencies "
    "--user-dependencies --precompile -verify-pch -rewrite-objc -extract-api -fdriver-only";
static const char only_clang_prefix[] = "-print- --print- -ccc-print- --autocomplete=";

/* Returns the rest of `word` after `prefix`, or NULL. */
static const char *behind(const char *word, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(word, prefix, n) ? NULL : word + n;
}

static const char *language_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    if (dot && !strcmp(dot, ".c"))
        return "c";
    if (dot && !strcmp(dot, ".i"))
        return "cpp-output";
    if (dot && is_word_of(dot, ".cc .cp .cxx .cpp .CPP .c++ .C .CC .CXX"))
        return "c++";
    if (dot && !strcmp(dot, ".ii"))
        return "c++-cpp-output";
    return NULL;
}

/* Whether clang makes a precompiled header from the input. */
static bool is_header(const char *name, const char *forced)
{
    static const char suffixes[] = ".h .H .hh .hpp .hxx";
    const char *dot = strrchr(forced ? forced : name, forced ? '-' : '.');
    return dot && (forced ? !strcmp(dot, "-header") : is_word_of(dot, suffixes));
}

/* ---- response files: @FILE stands for the words in FILE ---- */

struct response {
    const char *file;
    const struct response *outer; /* the response file that names this one; NULL: none */
};

/* Reads a response file. Returns false after an error. */
static bool read_response(const struct response *response, struct text *text)
{
    for (const struct response *outer = response->outer; outer; outer = outer->outer)
        if (is_same_file(outer->file, response->file)) {
            diag_command("recursive expansion of: '%s'", response->file);
            return false;
        }
    FILE *file = fopen(response->file, "rb");
    bool good = file && text_add_file(text, file);
    if (!good)
        diag_command("cannot read '%s': %s", response->file, strerror(errno));
    if (file)
        fclose(file);
    return good;
}

/* Adds a word, or the words that it stands for. Returns false after an error. */
static bool expand_word(struct words *words, const char *word, const struct response *outer)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    struct response response = {word + 1, outer};
    struct text text = {0};
    struct words inner = {0};
    if (word[0] != '@' || access(response.file, F_OK)) {
        words_add(words, word);
        return true;
    }
    if (!read_response(&response, &text))
        return false;
    const char *begin = behind(text.chars, byte_order_mark);
    words_split(&inner, begin ? begin : text.chars);
    bool good = true;
    for (int i = 0; i < inner.n && good; i++)
        good = expand_word(words, inner.items[i], &response);
    return good;
}

/* Returns the line with -Wp,-MD,FILE replaced by -MD -MF FILE, which means the same to clang. */
static struct words spell_out_depend(const struct words *line)
{
    struct words result = {0};
    for (int i = 0; i < line->n; i++) {
        const char *word = line->items[i], *file = behind(word, "-Wp,-MD");
        bool is_short = file != NULL;
        if (!file)
            file = behind(word, "-Wp,-MMD");
        if (!file || (*file && *file != ',')) {
            words_add(&result, word);
            continue;
        }
        words_add(&result, is_short ? "-MD" : "-MMD");
        if (*file && !strchr(file + 1, ',')) {
            words_add(&result, "-MF");
            words_add(&result, file + 1);
        }
    }
    return result;
}

/* ---- our own options ---- */

static bool parse_pass(const char *option, const char *name, const char **result)
{
    if (passes_exist(name)) {
        *result = name;
        return true;
    }
    struct text names = {0};
#define PASS(name, description) text_add(&names, "%s" #name, names.size ? ", " : "");
#include "driver/passes.def"
#undef PASS
    diag_command("unknown pass '%s' in '%s%s'; the passes are %s", name, option, name, names.chars);
    return false;
}

/* Replaces what `names` holds by the names in `value`, which are separated by commas. */
static bool parse_names(const char *word, const char *value, const char *example, struct words *names)
{
    *names = (struct words){0};
    char *list = arena_printf("%s", value);
    for (char *name = list, *next; name; name = next) {
        next = strchr(name, ',');
        if (next)
            *next++ = 0;
        if (!*name) {
            diag_command("'%s' has an empty name; write %s, for example", word, example);
            return false;
        }
        for (int i = 0; i < names->n; i++)
            if (!strcmp(names->items[i], name)) {
                diag_command("'%s' stands twice in '%s'", name, word);
                return false;
            }
        words_add(names, name);
    }
    if (names->n > MAX_NAMED) {
        diag_command("'%s' names %d processors; no more than %d are possible", word, names->n, MAX_NAMED);
        return false;
    }
    return true;
}

/* Reads N or KERNEL:N. */
static bool parse_lanes(struct options *options, const char *value)
{
    const char *colon = strrchr(value, ':'), *number = colon ? colon + 1 : value;
    int lanes = words_lanes(number);
    if (!lanes) {
        diag_command("'%s' is no number of lanes; it must be 1, 2, 4, 8, 16, 32 or 64", number);
        return false;
    }
    if (!colon) {
        options->lanes = lanes;
        return true;
    }
    struct kernel_lanes *entry = arena_alloc(sizeof *entry);
    *entry = (struct kernel_lanes){options->kernel_lanes, arena_printf("%.*s", (int)(colon - value), value), lanes};
    options->kernel_lanes = entry;
    return true;
}

/* Reads how many of something there are; 0 means none, for which `*number` becomes -1. */
static bool parse_number(int *number, const char *word, const char *value, const char *what)
{
    enum { MOST = 4096 };
    char *end;
    long n = strtol(value, &end, 10);
    if (!isdigit((unsigned char)*value) || *end || n > MOST) {
        diag_command("'%s' is no number of %s; it must be from 0 to %d", word, what, MOST);
        return false;
    }
    *number = n ? (int)n : -1;
    return true;
}

static bool parse_ours(struct command *command, const char *word)
{
    struct options *options = &command->options;
    const char *value;
    if (!strcmp(word, "--amp-help"))
        return command->help = true;
    if (!strcmp(word, "--amp-version"))
        return command->version = true;
    if (!strcmp(word, "--amp-passes"))
        return command->passes = true;
    if (!strcmp(word, "--amp-time"))
        return options->time = true;
    if (!strcmp(word, "--amp-signatures"))
        return options->signatures = true;
    if (!strcmp(word, "--amp-report"))
        return options->report = REPORT_TEXT;
    if ((value = behind(word, "--amp-report="))) {
        const char *file = behind(value, "json:");
        if (strcmp(value, "json") && (!file || !*file)) {
            diag_command(
                "'%s' is no form of the report; there are --amp-report, --amp-report=json and --amp-report=json:FILE",
                word);
            return false;
        }
        options->report = REPORT_JSON;
        options->report_file = file;
        return true;
    }
    if ((value = behind(word, "--amp-dump-after=")))
        return parse_pass("--amp-dump-after=", value, &options->dump_after);
    if ((value = behind(word, "--amp-stop-after=")))
        return parse_pass("--amp-stop-after=", value, &options->stop_after);
    if ((value = behind(word, "--amp-lanes=")))
        return parse_lanes(options, value);
    if ((value = behind(word, "--amp-panels=")))
        return parse_number(&options->panels, word, value, "iterations");
    if ((value = behind(word, "--amp-convoys=")))
        return parse_number(&options->convoys, word, value, "tiles or blocks");
    if (!strcmp(word, "--amp-check"))
        return options->check = true;
    if (!strcmp(word, "--amp-strict"))
        return options->strict = true;
    if (!strcmp(word, "--amp-precise-math")) {
        options->precise_math = true;
        return true;
    }
    if ((value = behind(word, "--amp-cpu=")))
        return parse_names(word, value, "--amp-cpu=x86-64-v2,x86-64-v3", &command->cpus);
    if ((value = behind(word, "--amp-gpu="))) {
        command->no_gpus = !strcmp(value, "none");
        command->gpus = (struct words){0};
        return command->no_gpus || parse_names(word, value, "--amp-gpu=sm_75,sm_90", &command->gpus);
    }
    diag_command("unknown option '%s'; --amp-help lists those there are", word);
    return false;
}

void options_help(void)
{
    puts("Usage: ampcc [options] file...\n"
         "       ampcc --new NAME\n"
         "\n"
         "Compiles C with kernels marked restrict(amp), and C++ AMP. Replaces cc: takes every option of clang (see\n"
         "clang --help), links libamp, and adds these options:\n"
         "\n"
         "  --amp-help               print this and stop\n"
         "  --amp-version            print the versions of ampcc, LLVM and libclang, and stop\n"
         "  --amp-passes             print the pipeline and stop\n"
         "  --amp-cpu=LIST           processors to make kernels for, ascending: x86-64-v2, x86-64-v3, x86-64-v4, "
         "native,\n"
         "                           baseline or a processor's name in LLVM, separated by commas; a program uses the "
         "last\n"
         "                           one its machine supports (default: x86-64-v2,x86-64-v3,x86-64-v4; elsewhere "
         "baseline)\n"
         "  --amp-gpu=LIST           GPUs to make kernels for, ascending, separated by commas, or none; a GPU uses the "
         "last\n"
         "                           one that is not newer than itself: NVIDIA's sm_75 (default), sm_80 and so on\n"
         "  --amp-lanes=[KERNEL:]N   SIMD lanes of all kernels, or of one, a power of two up to 64 (default: chosen\n"
         "                           per kernel; amp_lanes(N) sets it in the source);\n"
         "                           a kernel for which lanes would take minutes to compile has one in any case\n"
         "  --amp-panels=N           copy what rows share for N iterations of a loop at a time, even in small boxes, "
         "or\n"
         "                           never if N is 0 (default: about 4096, in large boxes)\n"
         "  --amp-convoys=N          let N tiles, or blocks, go through a grid-stride loop, or down columns, together, "
         "even\n"
         "                           in small arrays, or none if N is 0 (default: as many as keep at most 256 KiB, "
         "in\n"
         "                           large ones)\n"
         "  --amp-precise-math       call the C library's scalar functions of <math.h>, which are more accurate and "
         "slower\n"
         "                           than its vector functions\n"
         "  --amp-check              also make code that finds mistakes in kernels, and in C in how the host uses "
         "arrays;\n"
         "                           the accelerator `checked` runs it\n"
         "  --amp-strict             restrict(amp) in C++ also forbids what C++ AMP forbade for the hardware of 2012,\n"
         "                           as char, short and integers of 64 bits\n"
         "  --amp-report             show on stderr what each kernel became: lanes, how it accesses memory, where\n"
         "                           lanes diverge, what is slow and how to avoid it\n"
         "  --amp-report=json[:FILE] the same as a JSON array, on stdout or in FILE\n"
         "  --amp-signatures         print how each kernel's parameters were understood\n"
         "  --amp-dump-after=PASS    print what PASS made: signatures, C, LLVM IR, or PTX\n"
         "  --amp-stop-after=PASS    stop after PASS, and write no output file\n"
         "  --amp-time               print the milliseconds that each pass took, for all targets\n"
         "\n"
         "ampcc --new NAME makes a project in a new folder: a kernel, a program that checks it, a Makefile and a\n"
         "CMakeLists.txt.\n"
         "\n"
         "Warnings of its own, which -Wno-NAME switches off, -Werror=NAME makes errors, and -w and -Werror cover:\n"
         "\n"
#define WARNING(name, option, is_default, about) "  " option ": " about "\n"
#include "driver/warnings.def"
#undef WARNING
         "\n"
         "Environment: AMPCC_CLANG names the clang to call; CCC_OVERRIDE_OPTIONS edits the options, as in "
         "clang.\n"
         "Exit status: that of clang; 1 for errors in the source; 70 for a defect of ampcc.");
}

/* ---- clang's options ---- */

static void note_debug(struct command *command, const char *word)
{
    static const char on[] =
        "-g -g1 -g2 -g3 -ggdb0 -ggdb1 -ggdb2 -ggdb3 -ggdb -glldb -gsce -gdbx -gmlt -gline-tables-only "
        "-gline-directives-only -gsplit-dwarf --debug";
    if (is_word_of(word, on) || behind(word, "-gdwarf") || behind(word, "-gcodeview"))
        command->options.debug = true;
    else if (!strcmp(word, "-g0"))
        command->options.debug = false;
}

static void note_optimisation(struct command *command, const char *level)
{
    int *result = &command->options.opt_level;
    if (!*level || !strcmp(level, "g"))
        *result = 1;
    else if (!strcmp(level, "s") || !strcmp(level, "z"))
        *result = 2;
    else if (!strcmp(level, "fast"))
        *result = 3;
    else if (isdigit((unsigned char)*level))
        *result = *level > '3' ? 3 : *level - '0';
}

static void note_colour(struct command *command, const char *word)
{
    const char *value;
    if (!strcmp(word, "-fcolor-diagnostics") || !strcmp(word, "-fdiagnostics-color"))
        command->colour = 1;
    else if (!strcmp(word, "-fno-color-diagnostics") || !strcmp(word, "-fno-diagnostics-color"))
        command->colour = 0;
    else if ((value = behind(word, "-fdiagnostics-color=")))
        command->colour = !strcmp(value, "always") ? 1 : !strcmp(value, "never") ? 0 : -1;
    else if (!strcmp(word, "-fno-caret-diagnostics") || !strcmp(word, "-fno-diagnostics-show-caret"))
        command->carets = false;
}

static void add_word(struct command *command, enum word_kind kind, const char *word, const char *value)
{
    command->words[command->n_words++] = (struct word){.kind = kind, .text = {word, value}};
}

/* Rejects CUDA and HIP, for which clang has modes of its own that know nothing of kernels of AMP. */
static bool is_foreign(const char *name, const char *forced)
{
    const char *dot = strrchr(name, '.');
    if (forced ? !is_word_of(forced, "cuda hip cuda-cpp-output hip-cpp-output")
               : !(dot && is_word_of(dot, ".cu .cui .hip .hipi")))
        return false;
    diag_command("'%s' is CUDA or HIP, and ampcc compiles C and C++ AMP; the page \"Coming from CUDA\" of the "
                 "documentation shows how to port it, in a file that is named .c",
                 name);
    return true;
}

/* Adds an input. Returns false after an error. */
static bool add_input(struct command *command, const char *name, const char *forced)
{
    static const char languages[] = "c cpp-output c++ c++-cpp-output";
    static const char source_suffixes[] = ".c .i .cc .cp .cxx .cpp .CPP .c++ .C .CC .CXX .ii .m .mi .mm .mii .M";
    const char *dot = strrchr(name, '.');
    if (is_foreign(name, forced))
        return false;
    command->words[command->n_words++] = (struct word){
        .kind = WORD_INPUT,
        .text = {name[0] == '-' && name[1] ? arena_printf("./%s", name) : name},
        .language = forced ? (is_word_of(forced, languages) ? forced : NULL) : language_of(name),
        .forced = forced,
        .is_source = forced || (dot && is_word_of(dot, source_suffixes)),
        .is_header = is_header(name, forced),
    };
    command->n_inputs++;
    return true;
}

static void set_mode(struct command *command, enum mode mode)
{
    if (mode > command->mode)
        command->mode = mode;
}

/* Every run of clang gets these options before the user's, which may override them. DWARF 4 is the default because
 * Debian 12's valgrind fails on programs with clang's DWARF 5. */
static const char *const defaults[] = {"--start-no-unused-arguments", "-fdebug-default-version=4",
                                       "--end-no-unused-arguments"};
enum { N_DEFAULTS = sizeof defaults / sizeof *defaults };

static void add_defaults(struct command *command)
{
    for (int i = 0; i < N_DEFAULTS; i++) {
        words_add(&command->clang, defaults[i]);
        add_word(command, WORD_COMPILE, defaults[i], NULL);
    }
}

/* The state of reading a command line into a command. */
struct reader {
    struct command *command;
    const struct words *line;
    int at;             /* the number of the word that is read */
    const char *forced; /* the language set by -x */
    bool only_inputs;   /* -- was read */
    bool is_cut;        /* the last option's value is missing */
};

/* Returns the word after the option, which is its value; NULL after an error if there is none. Our own words come last
 * on clang's lines, and clang would treat them as the value. */
static const char *take_next(struct reader *r)
{
    if (r->at + 1 == r->line->n) {
        diag_command("argument to '%s' is missing", r->line->items[r->at]);
        r->is_cut = true;
        return NULL;
    }
    words_add(&r->command->clang, r->line->items[r->at + 1]);
    return r->line->items[++r->at];
}

static void force_language(struct reader *r, const char *language)
{
    r->forced = language && strcmp(language, "none") ? language : NULL;
}

static void note_for_clang(struct command *command, const char *word)
{
    static const char preprocess[] = "-E -M -MM --preprocess --dependencies --user-dependencies";
    set_mode(command, MODE_CLANG);
    command->preprocesses = command->preprocesses || is_word_of(word, preprocess);
}

/* Reads an option that every run of clang gets in another form. Returns false if it is not one of these. */
static bool read_mode(struct reader *r, const char *word)
{
    static const char no_output[] = "-object-file-name -objcmt-";
    struct command *command = r->command;
    const char *value;
    if (!strcmp(word, "--"))
        r->only_inputs = true;
    else if (!strcmp(word, "-o") || !strcmp(word, "--output"))
        command->output = take_next(r);
    else if ((value = behind(word, "--output=")) ||
             (!begins_with_one_of(word, no_output) && strcmp(word, "-object") && (value = behind(word, "-o"))))
        command->output = value;
    else if (!strcmp(word, "-x") || !strcmp(word, "--language"))
        force_language(r, take_next(r));
    else if ((value = behind(word, "--language=")) || (value = behind(word, "-x")))
        force_language(r, value);
    else if (!strcmp(word, "-c") || !strcmp(word, "--compile"))
        set_mode(command, MODE_OBJECT);
    else if (!strcmp(word, "-S") || !strcmp(word, "--assemble"))
        set_mode(command, MODE_ASSEMBLY);
    else if (!strcmp(word, "-fsyntax-only"))
        set_mode(command, MODE_SYNTAX);
    else if (is_word_of(word, only_clang) || begins_with_one_of(word, only_clang_prefix))
        note_for_clang(command, word);
    else if (!strcmp(word, "-emit-llvm"))
        command->emit_llvm = true;
    else
        return false;
    return true;
}

/* Keeps an option for database.c; our runs of clang do not get it. */
static void read_database(struct reader *r, const char *word, const char *value, const char **file)
{
    *file = *value ? value : take_next(r);
    add_word(r->command, WORD_DATABASE, word, NULL);
}

/* Keeps any other option for the runs of clang that need it. */
static void read_option(struct reader *r, const char *word)
{
    if (is_word_of(word, takes_word_for_depend))
        add_word(r->command, WORD_DEPEND, word, take_next(r));
    else if (is_word_of(word, for_depend) || begins_with_one_of(word, takes_word_for_depend))
        add_word(r->command, WORD_DEPEND, word, NULL);
    else if (behind(word, "-MJ"))
        read_database(r, word, behind(word, "-MJ"), &r->command->database);
    else if (!strcmp(word, "-gen-cdb-fragment-path"))
        read_database(r, word, "", &r->command->fragments);
    else if (begins_with_one_of(word, for_beside))
        add_word(r->command, WORD_BESIDE, word, NULL);
    else if (is_word_of(word, for_record))
        add_word(r->command, WORD_RECORD, word, NULL);
    else if (is_word_of(word, takes_word_for_linker))
        add_word(r->command, WORD_LINK, word, take_next(r));
    else if (begins_with_one_of(word, for_linker))
        add_word(r->command, WORD_LINK, word, NULL);
    else if (is_word_of(word, takes_word) || behind(word, "-Xarch_") || behind(word, "-Xopenmp-target="))
        add_word(r->command, WORD_COMPILE, word, take_next(r));
    else
        add_word(r->command, WORD_COMPILE, word, NULL);
}

/* Notes what ampcc itself needs to know from an option. `next` is the word after it. */
static void note_option(struct command *command, const char *word, const char *next)
{
    const char *value;
    if (!strcmp(word, "-MD") || !strcmp(word, "-MMD") || behind(word, "--write-"))
        command->writes_depend = true;
    else if ((value = behind(word, "-MF")))
        command->depend_file = *value ? value : next;
    else if ((value = behind(word, "-MT")) || (value = behind(word, "-MQ")))
        command->depend_target = *value ? value : next;
    else if ((value = behind(word, "-O")))
        note_optimisation(command, value);
    else if (!strcmp(word, "-nostdlib") || !strcmp(word, "-nodefaultlibs"))
        command->no_default_libraries = true;
    else if (!strcmp(word, "-r"))
        command->relocatable = true;
    else if (behind(word, "-R"))
        command->has_remarks = true;
    note_debug(command, word);
    note_colour(command, word);
}

/* Rejects an option of nvcc that clang does not know, and says ours. `next` is the word after it. */
static bool is_option_of_nvcc(const char *word, const char *next)
{
    static const char for_gpus[] = "-arch= --gpu-architecture -gencode --generate-code";
    bool is_fast = is_word_of(word, "-use_fast_math --use_fast_math");
    bool is_arch = !strcmp(word, "-arch") && next && behind(next, "sm_"); /* another -arch is clang's */
    if (!is_fast && !is_arch && !begins_with_one_of(word, for_gpus))
        return false;
    const char *value = strchr(word, '=') || !next ? word : next, *gpu = strstr(value, "sm_");
    const char *name = gpu ? arena_printf("%.*s", (int)strcspn(gpu, ",]"), gpu) : "sm_90";
    diag_command("'%s' is an option of nvcc; write '%s'", word,
                 is_fast ? "-ffast-math" : arena_printf("--amp-gpu=%s", name));
    return true;
}

/* Reads the next word. Returns false after an error. */
static bool read_word(struct reader *r)
{
    const char *word = r->line->items[r->at];
    if (!r->only_inputs && behind(word, "--amp-")) {
        words_add(&r->command->ours, word);
        return parse_ours(r->command, word);
    }
    if (!r->only_inputs && warnings_read(&r->command->warnings, word)) {
        words_add(&r->command->ours, word);
        return true;
    }
    if (!r->only_inputs && is_option_of_nvcc(word, r->at + 1 < r->line->n ? r->line->items[r->at + 1] : NULL))
        return false;
    words_add(&r->command->clang, word);
    if (r->only_inputs || word[0] != '-' || !word[1])
        return add_input(r->command, word, r->forced);
    if (!read_mode(r, word))
        read_option(r, word);
    note_option(r->command, word, r->line->items[r->at]);
    return true;
}

bool options_parse(struct command *command, int n_args, char **args)
{
    struct words line = {0};
    for (int i = 1; i < n_args; i++)
        if (!expand_word(&line, args[i], NULL))
            return false;
    options_override(&line);
    if (!options_configure(&line))
        return false;
    line = spell_out_depend(&line);
    *command = (struct command){.line = line, .colour = -1, .carets = true, .warnings = warnings_default()};
    command->words = arena_alloc((size_t)(line.n + N_DEFAULTS) * sizeof *command->words);
    if (line.n && !behind(line.items[0], "-cc1"))
        add_defaults(command);

    struct reader reader = {.command = command, .line = &line};
    bool good = true;
    for (; reader.at < line.n; reader.at++)
        good = read_word(&reader) && good;
    if (command->n_inputs == 0 || (command->emit_llvm && command->mode == MODE_LINK))
        command->mode = MODE_CLANG;
    command->options.output = command->output;
    return good && !reader.is_cut;
}
